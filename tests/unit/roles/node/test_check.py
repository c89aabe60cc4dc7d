# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that `configok-agent check` warns of deprecated options."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pytest

Entry = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("options", "warned"),
    [({"deniedFields": []}, True), ({"deniedFields": ["maxPods"]}, True), ({"allowedFields": ["maxPods"]}, False)],
)
def test_a_list_that_replaces_the_default_is_deprecated(
    entry: Entry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: Mapping[str, Sequence[str]],
    warned: bool,
) -> None:
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    user = {"name": "u", "user": {"token": "t"}}
    kubeconfig = {"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "x"}
    configuration = {
        "apiVersion": "agent.config.configok.dev/v1alpha1",
        "kind": "AgentConfiguration",
        "nodeName": "n1",
        "kubeconfig": str(tmp_path / "kubeconfig"),
        "components": {"kubelet": {"unit": "kubelet.service", **options}},
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(kubeconfig))
    (tmp_path / "agent.yaml").write_text(json.dumps(configuration))
    assert entry("__main__").main(["--config", str(tmp_path / "agent.yaml"), "check"]) == 0
    assert ("components.kubelet.deniedFields is deprecated" in capsys.readouterr().err) is warned
