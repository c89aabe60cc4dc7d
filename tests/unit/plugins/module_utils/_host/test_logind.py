# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The delays that files of logind allow, read from a tree of files in the order in which logind reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_rules import HostRules
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from ansible_collections.configok.node.plugins.module_utils._host._logind import inhibit_delays
from ansible_collections.configok.node.plugins.module_utils._host.host_facts import read_host

pytestmark = pytest.mark.contract("validate.host-checks")

UPGRADES = "unattended-upgrades-logind-maxdelay.conf"
DELAY = "[Login]\nInhibitDelayMaxSec={}\n"


def tree(root: Path, delays: Mapping[str, str]) -> str:
    """Create files of logind, each with a delay."""
    for name, text in delays.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(DELAY.format(text) if text else "")
    return str(root)


@pytest.mark.parametrize(
    ("files", "delays"),
    [
        ({}, []),
        ({"etc/systemd/logind.conf": "7"}, [("/etc/systemd/logind.conf", 7)]),
        (
            {"usr/lib/systemd/logind.conf": "7", "usr/lib/systemd/logind.conf.d/a.conf": "1min 30s"},
            [("/usr/lib/systemd/logind.conf", 7), ("/usr/lib/systemd/logind.conf.d/a.conf", 90)],
        ),
        ({"etc/systemd/logind.conf": "", "usr/lib/systemd/logind.conf": "7"}, []),
        (
            {
                "etc/systemd/logind.conf.d/b.conf": "2",
                "run/systemd/logind.conf.d/c.conf": "3",
                "usr/local/lib/systemd/logind.conf.d/a.conf": "1",
                "lib/systemd/logind.conf.d/d.conf": "4",
            },
            [
                ("/usr/local/lib/systemd/logind.conf.d/a.conf", 1),
                ("/etc/systemd/logind.conf.d/b.conf", 2),
                ("/run/systemd/logind.conf.d/c.conf", 3),
                ("/lib/systemd/logind.conf.d/d.conf", 4),
            ],
        ),
        (
            {"run/systemd/logind.conf.d/a.conf": "1", "usr/lib/systemd/logind.conf.d/a.conf": "2"},
            [("/run/systemd/logind.conf.d/a.conf", 1)],
        ),
        ({"etc/systemd/logind.conf.d/a.conf": "", "usr/lib/systemd/logind.conf.d/a.conf": "2"}, []),
        ({"etc/systemd/logind.conf.d/a.conf.bak": "2"}, []),
        ({"etc/systemd/logind.conf.d/a.conf": "soon"}, []),
        (
            {"etc/systemd/logind.conf.d/a.conf": "9\nInhibitDelayMaxSec=8\nInhibitDelayMaxSec=x\n[X]\nA=1"},
            [("/etc/systemd/logind.conf.d/a.conf", 8)],
        ),
    ],
)
def test_drop_ins_are_merged_by_name_whatever_their_directory(
    tmp_path: Path, files: Mapping[str, str], delays: list[tuple[str, float]]
) -> None:
    assert [(delay.path, delay.seconds) for delay in inhibit_delays(tree(tmp_path, files))] == delays


def test_a_link_to_dev_null_masks_a_file(tmp_path: Path) -> None:
    root = tree(tmp_path, {f"usr/lib/systemd/logind.conf.d/{UPGRADES}": "30"})
    masks = tmp_path / "etc/systemd/logind.conf.d"
    masks.mkdir(parents=True)
    (masks / UPGRADES).symlink_to("/dev/null")
    assert inhibit_delays(root) == ()


@pytest.mark.parametrize("minor", [22, 34])
@pytest.mark.parametrize(
    ("files", "levels"),
    [
        ({f"usr/lib/systemd/logind.conf.d/{UPGRADES}": "30"}, [Level.POLICY]),
        ({f"usr/lib/systemd/logind.conf.d/{UPGRADES}": "2min"}, []),
        ({"etc/systemd/logind.conf.d/99-kubelet.conf": "10"}, []),
        ({}, []),
    ],
)
def test_a_later_file_with_a_shorter_delay_is_found_on_a_host(
    tmp_path: Path, files: Mapping[str, str], levels: list[Level], minor: int
) -> None:
    text = b"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nshutdownGracePeriod: 60s\n"
    config: Any = config_at(decode(text, file="kubelet.yaml"), minor)
    root = tree(tmp_path, files)
    findings = HostRules(lambda query: read_host(query, root), "")(config, "kubelet")
    assert [finding.level for finding in findings if finding.rule == "graceful-logind"] == levels
