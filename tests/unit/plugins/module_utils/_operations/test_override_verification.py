# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An override is verified in a temporary directory, with and without it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations.component_units import (
    Verdict,
    verify_override,
)

FRAGMENT = "/usr/lib/systemd/system/kubelet.service"
DROP_IN = "zz-configok.conf"
TEXT = "[Service]\nRestart=always\n"


class Analyze:
    """systemd-analyze that answers in turn, and keeps what it was given."""

    def __init__(self, *answers: tuple[int, str, str]) -> None:
        self.answers = list(answers)
        self.commands: list[Sequence[str]] = []
        self.texts: list[str] = []
        self.directories: list[Path] = []

    def run(self, argv: Sequence[str]) -> tuple[int, str, str]:
        self.commands.append(argv)
        [search] = [word for word in argv if word.startswith("SYSTEMD_UNIT_PATH=")]
        assert search.endswith(":"), "the usual directories are searched too"
        directory = Path(search.partition("=")[2][:-1])
        self.directories.append(directory)
        path = directory / "kubelet.service.d" / DROP_IN
        self.texts.append(path.read_text() if path.exists() else "")
        code, out, err = self.answers.pop(0)
        return code, out, err.replace("DROP_IN", str(path))


def test_the_unit_is_verified_without_and_with_the_override() -> None:
    analyze = Analyze((0, "", "old: warning\n"), (0, "", "old: warning\nDROP_IN:2: Unknown key name\n"))
    verdict = verify_override(analyze.run, FRAGMENT, "kubelet.service", DROP_IN, TEXT)
    assert verdict == Verdict(("line 2: Unknown key name",), "")
    assert analyze.texts == ["", TEXT]
    assert [command[-4:] for command in analyze.commands] == [["systemd-analyze", "verify", "--man=no", FRAGMENT]] * 2
    assert not any(directory.exists() for directory in analyze.directories)


def test_without_systemd_analyze_it_is_not_verified() -> None:
    analyze = Analyze(*[(127, "", "env: 'systemd-analyze': No such file or directory")] * 2)
    verdict = verify_override(analyze.run, FRAGMENT, "kubelet.service", DROP_IN, TEXT)
    assert verdict == Verdict((), "systemd-analyze is not installed")


def test_an_instance_of_a_template_is_not_verified() -> None:
    verdict = verify_override(Analyze().run, "/etc/systemd/system/k@.service", "k@a.service", DROP_IN, TEXT)
    assert verdict == Verdict((), "k@a.service has no file of its own name, as a unit of a template")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        (TEXT, True),
        ("[Service]\nExecStart=\nExecStart=/bin/true \\\n --v=2 \\\n\nRestart=always\n", True),
        ("[Service]\nExecStart=\nExecStart=/bin/true '--v=2\n", False),
        ("[Service]\nExecStart=\n", False),
        ("[Service\nRestart=always\n", False),
        ("[Service]\nRestartSec=5x\n", False),
        ("[Service]\nExecStart=\nExecStart=/nowhere/kubelet\n", False),
    ],
)
def test_what_systemd_itself_accepts(tmp_path: Path, text: str, accepted: bool) -> None:
    fragment = tmp_path / "kubelet.service"
    fragment.write_text("[Service]\nExecStart=/bin/true\n")

    def run(argv: Sequence[str]) -> tuple[int, str, str]:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    verdict = verify_override(run, str(fragment), "kubelet.service", DROP_IN, text)
    assert (not verdict.faults, verdict.not_verified) == (accepted, "")
