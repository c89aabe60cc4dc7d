# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module release_data, and the modules that use what it writes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data import derive
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema import overlays
from ansible_collections.configok.node.plugins.modules import component_config, component_config_diff, release_data
from support.ansible_runs.modules import run_module
from support.configs.kubelet import KUBELET_HEADER
from support.releases.fake_component import FakeComponent, FakeGate
from support.releases.names import LATER_RELEASE, NEWEST_RELEASE, NEXT_RELEASE

GATES = {"NewGate": FakeGate("ALPHA", False), "NodeSwap": FakeGate("GA", True, locked=True)}
FLAGS = ["--max-pods int32   Pods. (default 120)"]
METRICS = f"""\
kubernetes_build_info{{git_version="v{NEXT_RELEASE}.0"}} 1
kubernetes_feature_enabled{{name="NewGate",stage="ALPHA"}} 0
"""


@pytest.fixture(autouse=True)
def _own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without release data, as each module does, and with few gates and flags to ask a binary for."""
    monkeypatch.setattr(overlays, "_registered", {})
    monkeypatch.setattr(derive, "gate_names", lambda: ["NodeSwap", "PodsAPI"])
    monkeypatch.setattr(derive, "COMPONENTS", ("kube-proxy",))


def run(arguments: dict[str, Any], *, check: bool = False) -> dict[str, Any]:
    return run_module(release_data.main, arguments, check=check)


def binary(directory: Path, version: str = f"v{NEXT_RELEASE}.0") -> dict[str, str]:
    """Write a kubelet and return it as the option has it."""
    path = FakeComponent(version=version, gates=GATES, flags=FLAGS).write(directory / "kubelet")
    return {"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def write_data(directory: Path) -> str:
    dest = directory / "release.yaml"
    assert not run({"binaries": [binary(directory)], "dest": str(dest)}).get("failed")
    return str(dest)


def test_a_file_is_written_once(tmp_path: Path) -> None:
    dest = tmp_path / "release.yaml"
    options = {"binaries": [binary(tmp_path)], "dest": str(dest)}
    assert run(options, check=True)["changed"]
    assert not dest.exists()
    result = run(options)
    assert (result["changed"], result["release"], result["is_draft"]) == (True, NEXT_RELEASE, False)
    assert dest.read_text() == result["text"]
    assert {"subject": "gate", "name": "NewGate", "kind": "new", "before": "", "after": "Alpha, off"} in result[
        "differences"
    ]
    assert "gate PodsAPI: gone, was Beta, on" in result["lines"]
    dest.write_text(result["text"].replace(yaml.safe_load(result["text"])["layers"]["gates"]["date"], "2026-01-01"))
    assert not run(options)["changed"], "another date is no other data"
    dest.write_text("not release data")
    assert run(options)["changed"]


def test_configs_are_validated_with_the_file(tmp_path: Path) -> None:
    text = KUBELET_HEADER + "featureGates: {NewGate: true, NodeSwap: false}\n"
    options = {"content": text, "kubernetes_versions": [NEXT_RELEASE], "fail_on": "never"}
    dest = write_data(tmp_path)
    assert "gates" in run_module(component_config.main, options)["not_judged"][0]["what"]
    result = run_module(component_config.main, {**options, "release_data": dest})
    assert "gates" not in result["not_judged"][0]["what"]
    assert [finding["path"] for finding in result["findings"]] == ["featureGates.NodeSwap"]


def test_an_upgrade_is_compared_with_it(tmp_path: Path) -> None:
    options = {"content": KUBELET_HEADER, "from_version": NEWEST_RELEASE, "to_version": NEXT_RELEASE}
    dest = write_data(tmp_path)
    assert not any("maxPods" in line for line in run_module(component_config_diff.main, options)["lines"])
    result = run_module(component_config_diff.main, {**options, "release_data": dest})
    assert any(line.startswith("maxPods: 110 -> 120") for line in result["lines"])


def test_a_draft_is_accepted_by_the_hash_of_its_difference(tmp_path: Path) -> None:
    metrics, dest = tmp_path / "metrics.txt", tmp_path / "release.yaml"
    metrics.write_text(METRICS)
    draft = run({"metrics": str(metrics), "dest": str(dest)})
    assert (draft["is_draft"], draft["changed"]) == (True, True)
    options = {"content": KUBELET_HEADER, "kubernetes_versions": [NEXT_RELEASE], "release_data": str(dest)}
    refused = run_module(component_config.main, options)
    assert "is a draft" in refused["msg"]
    accepted = run({"metrics": str(metrics), "dest": str(dest), "accept": draft["hash"], "accepted_by": "alice"})
    assert accepted["changed"]
    assert yaml.safe_load(dest.read_text())["accepted"]["by"] == "alice"
    assert run_module(component_config.main, options)["valid"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "one of the following is required: binaries, metrics, configz"),
        ({"binaries": [{"path": "/nonexistent", "sha256": "0" * 64}]}, "Cannot read /nonexistent"),
        ({"binaries": [{"path": "/bin/sh", "sha256": "0" * 64}]}, "not the given one: it is not run"),
        ({"binaries": [{"path": "/bin/sh"}]}, "missing required arguments: sha256"),
        ({"configz": "{tmp}/configz.json"}, "the release is not known"),
        ({"configz": "{tmp}/configz.json", "kubernetes_version": NEWEST_RELEASE}, "which is known here"),
        (
            {"metrics": "{tmp}/metrics.txt", "kubernetes_version": LATER_RELEASE},
            f"of several releases: {NEXT_RELEASE}, {LATER_RELEASE}",
        ),
        ({"metrics": "{tmp}/metrics.txt", "accept": "0" * 64, "accepted_by": "a"}, "not the one that is accepted"),
        ({"metrics": "{tmp}/metrics.txt", "accept": "0" * 64}, "accept needs accepted_by"),
    ],
)
def test_what_cannot_be_used(tmp_path: Path, arguments: dict[str, Any], sentence: str) -> None:
    (tmp_path / "configz.json").write_text(json.dumps({"kubeletconfig": {"maxPods": 110}}))
    (tmp_path / "metrics.txt").write_text(METRICS)
    options = {
        name: value.format(tmp=tmp_path) if isinstance(value, str) else value for name, value in arguments.items()
    }
    result = run(options)
    assert result["failed"]
    assert sentence in result["msg"]


def test_the_examples_use_existing_options() -> None:
    for task in yaml.safe_load(release_data.EXAMPLES):
        arguments = task.get("configok.node.release_data", {})
        assert set(arguments) <= set(release_data.ARGUMENTS), task["name"]
