# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module component_config_migrate: options, failures, results."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._host.component_process import StartedComponent
from ansible_collections.configok.node.plugins.modules import component_config_migrate
from ansible_collections.configok.node.plugins.modules.component_config_migrate import StartUnknown, plan_migration
from support.ansible_runs.modules import run_module
from support.configs.kubelet import KUBELET_HEADER


def run(diff: bool = False, **arguments: Any) -> dict[str, Any]:
    return run_module(component_config_migrate.main, arguments, check=True, diff=diff)


def test_flags_are_moved_to_their_file() -> None:
    result = run(
        flags=["--config=/etc/k.yaml", "--max-pods=50", "--node-ip=10.0.0.1", "--provider-id=example://n1"],
        content=KUBELET_HEADER + "maxPods: 10\n",
        kubernetes_version="1.31",
    )
    assert yaml.safe_load(result["config"])["maxPods"] == 50
    assert result["flags"][1] == {
        "name": "node-ip",
        "words": ["--node-ip=10.0.0.1"],
        "reason": "its value belongs to this node, and the file has no field for it",
        "of_node": True,
    }
    assert result["left"][0] == {"name": "max-pods", "field": "maxPods", "reason": "it is maxPods now"}
    assert result["instance_config"] == {"providerID": "example://n1"}
    assert result["valid"]
    assert not result["changed"]
    assert result["lines"] == [
        "--config stays: it names the file",
        "--node-ip stays: its value belongs to this node, and the file has no field for it",
        "--max-pods goes: it is maxPods now",
        "--provider-id goes: it is providerID now",
        'providerID belongs to this node, put it into its instance config: "example://n1"',
    ]


def test_diff_shows_the_same_effective_config_twice() -> None:
    result = run(diff=True, flags=["--max-pods=50"], kubernetes_version="1.31")
    assert result["diff"]["before"] == result["diff"]["after"]
    assert "maxPods: 50" in result["diff"]["before"]


def test_what_cannot_be_moved_fails_unless_only_a_report_is_wanted() -> None:
    arguments: dict[str, Any] = {"flags": ["--max-pods=many"], "kubernetes_version": "1.31"}
    result = run(**arguments)
    assert result["failed"]
    assert result["msg"] == (
        "The component cannot be moved as it is:\n"
        'command line: --max-pods: "many": must be a whole number: the component refuses it, too'
    )
    assert not run(**arguments, fail_on="never").get("failed")


def test_policy_alone_fails_where_that_is_wanted() -> None:
    arguments: dict[str, Any] = {
        "flags": ["--config=/k"],
        "content": KUBELET_HEADER + "unknown: 1\n",
        "kubernetes_version": "1.31",
    }
    assert not run(**arguments).get("failed")
    assert run(**arguments, fail_on="policy")["failed"]


def test_a_secret_is_not_shown() -> None:
    header = "--manifest-url-header=Authorization:Bearer abcdefghijklmnopqrstuvwxyz"
    result = run(flags=[header], kubernetes_version="1.31", fail_on="never", diff=True)
    assert result["config"] == ""
    assert "abcdefghij" not in str({key: value for key, value in result.items() if key != "invocation"})


def test_without_systemd_flags_are_needed() -> None:
    result = run(unit="no-such.service")
    assert result["failed"]
    assert result["msg"].endswith(": give flags instead.")


@pytest.mark.parametrize("answer", [(1, "", "unknown flag"), (0, "1.31\n", "")])
def test_the_version_of_a_program_that_does_not_print_it_is_not_guessed(
    answer: tuple[int, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        component_config_migrate,
        "started_component",
        lambda _parameters, _run: StartedComponent(("/k", "--max-pods=5"), "/", None, ()),
    )
    parameters = dict.fromkeys(("flags", "kubernetes_version", "path", "unit", "content"))
    with pytest.raises(StartUnknown, match="/k does not report its version: give kubernetes_version"):
        plan_migration({**parameters, "component": "kubelet"}, lambda _argv: answer)
    plan = plan_migration({**parameters, "component": "kubelet"}, lambda _argv: (0, "Kubernetes v1.24.1\n", ""))
    assert "evictionHard" not in plan.text  # as before 1.25


def test_of_several_configs_the_last_is_the_one_that_is_read() -> None:
    content = f"{KUBELET_HEADER}staticPodPath: manifests\n"
    for flags in (["--config=/a/k.yaml", "--config", "/b/k.yaml"], ["--config=/b/k.yaml"]):
        result = run(flags=flags, content=content, kubernetes_version="1.31")
        assert yaml.safe_load(result["config"])["staticPodPath"] == "/b/manifests"
        assert result["flags"][0]["words"] == ["--config=/b/k.yaml"]
