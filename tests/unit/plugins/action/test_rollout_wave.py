# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout_wave: runs on the controller, shows a line whenever something changes, and fails with one sentence."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task
from ansible.template import Templar

from ansible_collections.configok.node.plugins.action import rollout_wave
from ansible_collections.configok.node.plugins.module_utils._kube import _api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._api_paths import lease
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._config_ok import ConfigOk, status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._config_status import ConfigStatus
from ansible_collections.configok.node.plugins.modules import config_bundle, rollout_plan
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config
from support.fuzz.hostile import FORGED, unsafe_texts
from support.rollouts.simulated_nodes import ADOPTS, CRASHES, SimulatedNodes

DOCUMENT = kubelet_config("maxPods: 60")
POLICY = {
    "canary": {"count": 1, "soak": 0},
    "waves": ["100%"],
    "soak": 0,
    "maxUnavailable": 3,
    "nodeTimeout": "1s",
    "restartDelay": "10ms",
    "timeToCrash": "10ms",
    "healthTimeout": "100ms",
}
Act = Callable[..., dict[str, Any]]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(rollout_wave.display, "display", lines.append)
    return lines


@pytest.fixture
def act(cluster: SandboxCluster) -> Act:
    """Return a function that runs the action plugin as a task would."""

    def run(*, check: bool = False, **arguments: Any) -> dict[str, Any]:
        loader = DataLoader()
        task = Task()
        task.action = "configok.node.rollout_wave"
        task.args = {"kubeconfig": cluster.kubeconfig, **arguments}
        task.check_mode = check
        plugin = rollout_wave.ActionModule(
            task=task,
            connection=mock.Mock(),
            play_context=None,
            loader=loader,
            templar=Templar(loader=loader),
            shared_loader_obj=None,
        )
        result: dict[str, Any] = plugin.run(task_vars={})
        return result

    return run


@pytest.fixture
def plan(cluster: SandboxCluster, nodes: SimulatedNodes) -> dict[str, Any]:
    del nodes
    options: dict[str, Any] = {"kubeconfig": cluster.kubeconfig, "pool": "workers"}
    published = run_module(config_bundle.main, {**options, "documents": {"kubelet": DOCUMENT}})
    options.update(selector="pool=workers", policy=POLICY, bundle=published["bundle"])
    planned: dict[str, Any] = run_module(rollout_plan.main, options)["plan"]
    return planned


def test_a_good_config_goes_through_with_live_lines(act: Act, plan: dict[str, Any], shown: list[str]) -> None:
    canary = act(plan=plan, wave="canary")
    assert canary.get("failed") is None
    assert (canary["changed"], canary["wave"], canary["counts"]["passed"]) == (True, "canary", 1)
    rest = act(plan=plan, wave="wave 1")
    assert (rest["phase"], rest["counts"]["passed"]) == ("Complete", 3)
    assert shown[-1] == f"wave 1 [{'#' * 24}] 3/3 passed: through"
    assert all("\n" not in line and "\r" not in line for line in shown)
    again = act(plan=plan, wave="wave 1")
    assert (again["changed"], again["phase"]) == (False, "Complete")
    assert act(plan={**plan, "waves": [], "changes": False})["changed"] is False


def test_a_deadly_config_halts_with_the_agents_own_words(
    act: Act, plan: dict[str, Any], nodes: SimulatedNodes, shown: list[str]
) -> None:
    nodes.behaviour = lambda _name, _source: CRASHES
    result = act(plan=plan, wave="canary")
    assert (result["failed"], result["phase"]) == (True, "Halted")
    assert result["msg"].startswith("pool workers is Halted in canary: ")
    assert "crashed 4 times during its trial" in result["reason"]
    assert "crashed" not in result["msg"]  # the line was shown when the node reported it
    assert "\n" not in result["msg"]
    (failed,) = result["exceptions"]
    assert (failed["node"], failed["kind"]) == (plan["waves"][0]["nodes"][0], "failed")
    assert any("HALTED" in line for line in shown)
    assert len(nodes.assignments) == 1
    assert act(plan=plan, wave="wave 1")["failed"] is True
    assert len(nodes.assignments) == 1


def test_no_node_draws_on_the_screen(
    act: Act, plan: dict[str, Any], nodes: SimulatedNodes, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node whose condition forges a line that reports success."""

    def forge(name: str, verdict: ConfigOk, status: ConfigStatus) -> None:
        patch = status_patch(verdict, status._replace(error=FORGED), "init", now="2026-01-01T00:00:00Z")
        (condition,) = patch["status"]["conditions"]
        condition.update(status=condition["status"] + FORGED, reason=FORGED, message=FORGED)
        nodes.client.patch(paths.node_status(name), patch, kind="strategic")

    monkeypatch.setattr(nodes, "say", forge)
    nodes.behaviour = lambda _name, _source: CRASHES
    result = act(plan=plan, wave="canary")
    assert result["failed"] is True
    assert any("wave 1 passed" in line for line in shown)
    assert unsafe_texts([shown, result]) == []
    assert not any("\n" in line for line in [*shown, result["msg"], result["reason"]])


def test_no_error_of_the_api_draws_on_the_screen(
    act: Act, plan: dict[str, Any], cluster: SandboxCluster, shown: list[str]
) -> None:
    def refuse(request: Any, _user: Any, _perform: Any) -> Any:
        return cluster.server.refusal(403, message=f"no {FORGED}") if request.method == "PATCH" else None

    cluster.server.intercept = refuse
    result = act(plan=plan, wave="canary")
    assert result["failed"] is True
    assert any("wave 1 passed" in line for line in shown) or "wave 1 passed" in result["msg"]
    assert unsafe_texts([shown, result]) == []
    assert not any("\n" in line for line in [*shown, result["msg"]])


def test_an_agent_that_says_no_more_does_not_pass(act: Act, plan: dict[str, Any], nodes: SimulatedNodes) -> None:
    nodes.behaviour = lambda _name, _source: ADOPTS
    result = act(plan=plan, wave="canary")
    assert result["failed"] is True
    assert result["phase"] in ("Halted", "Paused")


def test_a_signal_ends_the_wave_with_a_sentence_and_frees_the_lock(
    act: Act, plan: dict[str, Any], nodes: SimulatedNodes, cluster: SandboxCluster, shown: list[str]
) -> None:
    def press(_name: str, _source: object) -> str:
        signal.raise_signal(signal.SIGTERM)  # the signal of a worker for Ctrl-C, and when AWX cancels a job
        return ADOPTS

    nodes.behaviour = press
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    result = act(plan={**plan, "node_timeout": 60.0}, wave="canary")
    assert result["msg"].startswith("interrupted in canary of pool workers: what is assigned goes on by itself")
    assert shown[-1] == result["msg"]
    assert cluster.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_check_mode_moves_nothing(act: Act, plan: dict[str, Any], cluster: SandboxCluster) -> None:
    cluster.server.requests.clear()
    assert act(plan=plan, wave="canary", check=True)["changed"] is True
    assert act(plan=plan, check=True)["changed"] is False
    assert cluster.writes() == []


def test_what_is_wrong_is_said_in_a_sentence(act: Act, plan: dict[str, Any], cluster: SandboxCluster) -> None:
    assert "plan is not what configok.node.rollout_plan returns" in act(plan={"pool": "x"}, wave="canary")["msg"]
    assert "has no wave 9" in act(plan=plan, wave="wave 9")["msg"]
    assert "must not" in act(plan={**plan, "refusals": ["it must not"]}, wave="canary")["msg"]
    with pytest.raises(AnsibleError, match="missing required arguments: plan"):
        act(wave="canary")
    with pytest.raises(AnsibleError, match="lease_duration"):
        act(plan=plan, wave="canary", lease_duration="long")
    for seconds in (0, 301):
        assert "must be from 1 to 300 seconds" in act(plan=plan, wave="canary", lease_duration=seconds)["msg"]
