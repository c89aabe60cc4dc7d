# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout: runs on the controller, shows a line whenever something changes, and fails with one sentence."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk, status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    COMPLETE,
    Record,
    Rollout,
    RolloutStart,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import encode_record
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.modules import rollout as documentation
from support.ansible_runs.actions import run_rollout
from support.ansible_runs.in_process import document_pool, publish
from support.api.clusters import SandboxCluster
from support.configs.kubelet import KUBELET_HEADER, kubelet_config
from support.fuzz.hostile import FORGED, unsafe_texts
from support.rollouts.simulated_nodes import ADOPTS, CRASHES, SILENT, SimulatedNodes

DOCUMENT = kubelet_config("maxPods: 60")
POLICY = {
    "canary": {"count": 1, "soak": 0},
    "waves": ["100%"],
    "soak": 0,
    "maxUnavailable": 3,
    "nodeTimeout": "20s",
    "restartDelay": "10ms",
    "timeToCrash": "10ms",
    "healthTimeout": "100ms",
}
POOL = document_pool(DOCUMENT, policy=POLICY)
IMPATIENT = {**POOL, "policy": {**POLICY, "nodeTimeout": "1s"}}
Act = Callable[..., dict[str, Any]]


def trusted(text: str) -> str:
    """Return a text that is a template, as the text of a user's file is."""
    try:
        from ansible.template import trust_as_template
    except ImportError:
        return text
    template: str = trust_as_template(text)
    return template


pytestmark = pytest.mark.usefixtures("nodes")


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(Display(), "display", lines.append)
    return lines


@pytest.fixture
def act(cluster: SandboxCluster) -> Act:
    """Return a function that runs the action plugin as a task would; by default it rolls out POOL."""

    def run(*, check: bool = False, diff: bool = False, **arguments: Any) -> dict[str, Any]:
        options = {"kubeconfig": cluster.kubeconfig, "pool": POOL, **arguments}
        return run_rollout(options, check=check, diff=diff)

    return run


def holder(cluster: SandboxCluster) -> str:
    identity: str = cluster.client.get(paths.lease("configok-rollouts", "workers"))["spec"]["holderIdentity"]
    return identity


def versions(cluster: SandboxCluster) -> set[str]:
    """Return the resourceVersion of each object that a rollout may change: a dry run changes none."""
    lists = (paths.NODES, *(paths.config_maps(name) for name in ("configok-system", "configok-rollouts")))
    return {item["metadata"]["resourceVersion"] for path in lists for item in cluster.client.list(path).items}


def test_a_good_config_goes_through_with_live_lines(act: Act, nodes: SimulatedNodes, shown: list[str]) -> None:
    result = act()
    assert result.get("failed") is None
    assert (result["changed"], result["pool"], result["revision"], result["phase"]) == (True, "workers", 1, "Complete")
    assert (result["reason"], result["exceptions"]) == ("", [])
    (target,) = {source.name for _node, _id, source in nodes.assignments if source is not None}
    assert result["target"] == target
    assert shown[:1] == result["text"][:1]
    assert f"Pool workers: 4 nodes, to revision 1 ({target})" in result["text"]
    assert f"canary [{'#' * 24}] 1/1 passed: done" in shown
    assert f"wave 1 [{'#' * 24}] 3/3 passed: done" in shown
    assert f"Pool workers: revision 1 ({target}), Complete, 4 nodes" in shown
    assert all("\n" not in line and "\r" not in line for line in shown)
    again = act()
    assert (again["changed"], again["phase"], again["revision"]) == (False, "Complete", 1)
    assert len(nodes.assignments) == 4


def test_the_result_is_what_is_documented(act: Act, nodes: SimulatedNodes) -> None:
    returned = yaml.safe_load(documentation.RETURN)
    always = {name for name, value in returned.items() if value["returned"] == "always"}
    on_success = {name for name, value in returned.items() if value["returned"] == "success"}
    for check in (True, False):
        planned = act(check=check)
        assert set(planned) == {*always, *on_success, "changed"}
    assert set(act(diff=True)) == {*always, *on_success, "changed", "diff"}
    assert set(planned["plan"]) == set(returned["plan"]["contains"])
    assert set(act(operation="undo")) == {*always, *on_success, "changed"}
    assert set(act(operation="undo", to_revision=7)) == {*always, "changed", "failed", "msg"}
    refused = act(pool={**POOL, "documents": {"kubelet": KUBELET_HEADER + "maxPods: -1\n"}})
    assert set(refused) == {*always, "changed", "failed", "msg", "findings"}
    nodes.behaviour = lambda _name, _source: CRASHES
    halted = act(pool={**POOL, "documents": {"kubelet": kubelet_config("maxPods: 61")}})
    assert set(halted) == {*always, "changed", "failed", "msg"}
    assert set(halted["exceptions"][0]) == set(returned["exceptions"]["contains"])


def test_a_crashing_config_halts_with_the_agents_own_message(act: Act, nodes: SimulatedNodes, shown: list[str]) -> None:
    nodes.behaviour = lambda _name, _source: CRASHES
    result = act()
    assert (result["failed"], result["changed"], result["phase"]) == (True, True, "Halted")
    assert result["msg"].startswith("pool workers is Halted in canary: ")
    assert "crashed 4 times during its trial" in result["reason"]
    assert "crashed" not in result["msg"]  # the line was shown when the node reported it
    assert "\n" not in result["msg"]
    (failed,) = result["exceptions"]
    assert (failed["node"], failed["kind"]) == (nodes.assignments[0][0], "failed")
    assert any("HALTED" in line for line in shown)
    assert len(nodes.assignments) == 1
    assert act()["failed"] is True
    assert len(nodes.assignments) == 1


def test_a_node_cannot_draw_on_the_screen(
    act: Act, nodes: SimulatedNodes, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node whose condition forges a line that reports success."""

    def forge(name: str, verdict: ConfigOk, status: ConfigStatus) -> None:
        patch = status_patch(verdict, status._replace(error=FORGED), "init", now="2026-01-01T00:00:00Z")
        (condition,) = patch["status"]["conditions"]
        condition.update(status=condition["status"] + FORGED, reason=FORGED, message=FORGED)
        nodes.client.patch(paths.node_status(name), patch, kind="strategic")

    monkeypatch.setattr(nodes, "say", forge)
    nodes.behaviour = lambda _name, _source: CRASHES
    result = act(pool=IMPATIENT)
    assert result["failed"] is True
    assert any("wave 1 passed" in line for line in shown)
    assert unsafe_texts([shown, result]) == []
    assert not any("\n" in line for line in [*shown, result["msg"], result["reason"]])


@pytest.mark.parametrize("method", ["GET", "PATCH", "POST", "PUT"])
def test_an_error_of_the_api_cannot_draw_on_the_screen(
    act: Act, cluster: SandboxCluster, shown: list[str], method: str
) -> None:
    def refuse(request: Any, _user: Any, _perform: Any) -> Any:
        return cluster.server.refusal(403, message=f"no {FORGED}") if request.method == method else None

    cluster.server.intercept = refuse
    result = act()
    assert result["failed"] is True
    assert any("wave 1 passed" in line for line in [*shown, result["msg"]])
    assert unsafe_texts([shown, result]) == []
    assert not any("\n" in line for line in [*shown, result["msg"]])


def test_a_pool_file_cannot_draw_on_the_screen(act: Act, shown: list[str]) -> None:
    for pool in (
        {**POOL, "pool": FORGED},
        {**POOL, "selector": FORGED},
        {**POOL, FORGED: 1},
        {**POOL, "documents": {FORGED: DOCUMENT}},
        {**POOL, "documents": {"kubelet": DOCUMENT + f"{json.dumps(FORGED)}: 1\n"}},
        {**POOL, "documents": {}, "layers": [FORGED]},
    ):
        result = act(pool=pool)
        assert result["failed"] is True
        assert unsafe_texts([shown, result]) == []
        assert "\n" not in result["msg"]
    forged = act(pool={**POOL, "changeCause": FORGED}, author=FORGED, diff=True)
    assert forged.get("failed") is None, forged
    assert unsafe_texts([shown, forged]) == []


def test_no_secret_is_shown(act: Act, cluster: SandboxCluster, shown: list[str]) -> None:
    secret = "s3cr3t-marker-0123456789"
    header = f"staticPodURL: https://example.com\nstaticPodURLHeader: {{Authorization: [Bearer {secret}]}}\n"
    for check in (True, False):
        result = act(pool={**POOL, "documents": {"kubelet": DOCUMENT + header}}, check=check, diff=True)
        assert result["failed"] is True
        assert "staticPodURLHeader" in json.dumps(result)
        assert secret not in json.dumps([result, shown])
    result = act(kubeconfig=None, host=cluster.server.url, api_key=secret, validate_certs=False)
    assert result["failed"] is True
    assert "Unauthorized" in result["msg"] or "401" in result["msg"]
    assert secret not in json.dumps([result, shown])


def test_an_agent_that_says_no_more_does_not_pass(act: Act, nodes: SimulatedNodes) -> None:
    nodes.behaviour = lambda _name, _source: ADOPTS
    result = act(pool=IMPATIENT)
    assert result["failed"] is True
    assert result["phase"] in ("Halted", "Paused")


def test_nodes_that_do_not_answer_pause_the_rollout(act: Act, nodes: SimulatedNodes) -> None:
    nodes.behaviour = lambda _name, _source: SILENT
    result = act(pool=IMPATIENT)
    assert (result["failed"], result["changed"], result["phase"]) == (True, True, "Paused")
    assert result["msg"].startswith("pool workers is Paused in canary: ")
    assert result["reason"]


def test_a_signal_ends_the_wave_with_a_message_and_frees_the_lock(
    act: Act, nodes: SimulatedNodes, cluster: SandboxCluster, shown: list[str]
) -> None:
    def press(_name: str, _source: object) -> str:
        signal.raise_signal(signal.SIGTERM)  # the signal of a worker for Ctrl-C, and when AWX cancels a job
        return ADOPTS

    nodes.behaviour = press
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    result = act(pool={**POOL, "policy": {**POLICY, "nodeTimeout": "60s"}})
    assert (result["failed"], result["changed"]) == (True, True)
    assert result["msg"].startswith("interrupted in canary of pool workers: what is assigned continues by itself")
    assert shown[-1] == result["msg"] == result["reason"]
    assert holder(cluster) == ""
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_check_mode_shows_the_plan_and_moves_nothing(
    act: Act, nodes: SimulatedNodes, cluster: SandboxCluster, shown: list[str]
) -> None:
    before = versions(cluster)
    planned = act(check=True, diff=True)
    assert (planned["changed"], planned["phase"], planned["revision"]) == (True, "Planned", 1)
    assert planned["diff"][0]["after"] == DOCUMENT
    (heading,) = [line for line in shown if line.startswith("Pool workers: ")]
    assert heading.endswith("which is not published yet")
    assert shown == planned["text"]
    assert versions(cluster) == before
    done = act(diff=True)
    assert (done["target"], done["diff"]) == (planned["target"], planned["diff"])
    before = versions(cluster)
    again = act(check=True, diff=True)
    assert (again["changed"], again["phase"], again["diff"]) == (False, "Planned", [])
    assert act(operation="undo", check=True)["changed"] is True
    assert act(operation="reconcile", check=True)["changed"] is False
    assert versions(cluster) == before
    nodes.add("late")
    before = versions(cluster)
    assert act(operation="reconcile", check=True)["changed"] is True
    assert versions(cluster) == before


def test_a_plan_that_must_not_start_says_why_also_in_check_mode(act: Act, cluster: SandboxCluster) -> None:
    for check in (True, False):
        result = act(pool={**POOL, "selector": "pool=none"}, check=check)
        assert result["failed"] is True
        assert result["msg"] == "no Node matches the selector 'pool=none' of pool workers"
        assert cluster.client.find(paths.lease("configok-rollouts", "workers")) is None


def test_a_pool_that_has_the_same_nodes_is_named_with_them(act: Act, cluster: SandboxCluster) -> None:
    target = Target.from_dict(publish(cluster.kubeconfig, DOCUMENT))
    recorded = Rollout(1, target, COMPLETE, (), 4, "", "", RolloutStart("pool"))
    cluster.client.create(paths.config_maps("configok-rollouts"), encode_record(Record("others", rollout=recorded)))
    result = act(check=True)
    sentence = "pool others has 4 of these nodes as well, and each pool takes them from the other: n1, n2, n3, n4"
    assert f"  {sentence}" in result["text"]
    assert sentence in result["plan"]["warnings"]
    assert result["plan"]["overlaps"] == [{"pool": "others", "nodes": ["n1", "n2", "n3", "n4"]}]
    assert result.get("failed") is None


def test_the_plan_is_returned_as_data(act: Act, nodes: SimulatedNodes) -> None:
    nodes.add("silent", agent=False)
    planned = act(check=True)["plan"]
    canary, wave = planned["waves"]
    assert (canary["name"], len(canary["nodes"]), canary["soak"], canary["finished"]) == ("canary", 1, 0.0, False)
    assert (wave["name"], sorted([*canary["nodes"], *wave["nodes"]])) == ("wave 1", ["n1", "n2", "n3", "n4"])
    assert planned["skipped"] == [{"node": "silent", "reason": "no agent has ever reported from it"}]
    assert (planned["overlaps"], planned["to_drain"], planned["to_reboot"]) == ([], [], [])
    act()
    assert act(check=True)["plan"]["already_on_target"] == ["n1", "n2", "n3", "n4"]


def test_undo_and_reconcile_have_a_diff(act: Act, nodes: SimulatedNodes) -> None:
    def texts(result: dict[str, Any]) -> list[tuple[str, str]]:
        return [(part["before"], part["after"]) for part in result["diff"]]

    second = kubelet_config("maxPods: 61")
    act()
    act(pool={**POOL, "documents": {"kubelet": second}})
    for check in (True, False):
        assert texts(act(operation="undo", check=check, diff=True)) == [(second, DOCUMENT)]
    nodes.add("late")
    for check in (True, False):
        assert texts(act(operation="reconcile", check=check, diff=True)) == [("", DOCUMENT)]
    assert texts(act(operation="reconcile", diff=True)) == []
    assert texts(act(operation="undo", to_revision=0, diff=True)) == [(DOCUMENT, "")]


def test_late_nodes_are_reconciled(act: Act, nodes: SimulatedNodes) -> None:
    act()
    nodes.add("late")
    nodes.assignments.clear()
    result = act(operation="reconcile", pool={"pool": "workers", "selector": "pool=workers", "policy": POLICY})
    assert (result["changed"], result["phase"], result["revision"]) == (True, "Complete", 1)
    assert [name for name, _id, _source in nodes.assignments] == ["late"]


def test_undo_returns_to_the_init_config_or_to_a_revision(act: Act, nodes: SimulatedNodes) -> None:
    act()
    assert (act(operation="undo")["target"], nodes.view("n1").assigned.source) == ("init", None)
    back = act(operation="undo", to_revision=1)
    assert (back["changed"], back["phase"], back["revision"]) == (True, "Complete", 1)
    assert act(operation="undo", to_revision=0)["target"] == "init"


def test_the_pool_can_be_given_by_the_variables_of_the_play(cluster: SandboxCluster, tmp_path: Path) -> None:
    (tmp_path / "pool.yml").write_text(json.dumps(POOL))
    extra_vars = [f"@{tmp_path}/pool.yml", "team=blue"]
    options = {"kubeconfig": cluster.kubeconfig}
    result = run_rollout(options, variables={**POOL, "team": "blue"}, extra_vars=extra_vars)
    assert (result["changed"], result["phase"]) == (True, "Complete"), result


def test_extra_variables_that_look_like_a_misspelt_key_are_refused(cluster: SandboxCluster, tmp_path: Path) -> None:
    (tmp_path / "pool.yml").write_text(json.dumps({**POOL, "maxUnavialable": 1, "waves": ["100%"]}))
    result = run_rollout({}, variables=POOL, extra_vars=[f"@{tmp_path}/pool.yml"])
    assert (result["failed"], result["changed"]) == (True, False)
    assert result["msg"] == (
        "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?; "
        "waves: unknown key of the pool file: did you mean policy.waves?"
    )
    # The pool of the task is not from extra variables, and a pipe can be read only once.
    options: dict[str, Any] = {"kubeconfig": cluster.kubeconfig, "pool": POOL}
    assert run_rollout(options, extra_vars=[f"@{tmp_path}/pool.yml"], check=True)["changed"] is True
    del options["pool"]
    assert run_rollout(options, variables=POOL, extra_vars=["@/no/such/pipe"], check=True)["changed"] is True


def test_unknown_keys_that_a_playbook_has_read_from_a_pool_file_are_refused(cluster: SandboxCluster) -> None:
    variables = {**POOL, "pool_file_keys": [*POOL, "maxUnavialable", "team"]}
    options = {"kubeconfig": cluster.kubeconfig}
    result = run_rollout(options, variables=variables)
    assert (result["failed"], result["changed"]) == (True, False)
    maximum, team = result["msg"].split("; ")
    assert maximum == "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?"
    assert team.startswith("team: unknown key of the pool file: it has pool, selector, ")
    result = run_rollout(
        options, variables={**variables, "pool_file_keys": [*POOL, "rollout_wait_timeout"]}, check=True
    )
    assert result["phase"] == "Planned"


def test_a_gate_without_its_token_is_refused_before_anything_is_written(
    act: Act, cluster: SandboxCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gate(name: str, **access: str) -> dict[str, Any]:
        return {"name": name, "url": {"url": "https://127.0.0.1:9/", **access}}

    monkeypatch.setenv("CONFIGOK_ALLOWED_TOKENS", f"CONFIGOK_GATE_*:{tmp_path}")
    (tmp_path / "empty").write_text("\n")
    gates = [
        gate("foreign", tokenVariable="HOME"),
        gate("variable", tokenVariable="CONFIGOK_GATE_TEST"),
        gate("missing", tokenFile=str(tmp_path / "missing")),
        gate("empty", tokenFile=str(tmp_path / "empty")),
        gate("directory", caCert=str(tmp_path)),
        gate("fine"),
    ]
    before = versions(cluster)
    for check in (True, False):
        result = act(pool={**POOL, "policy": {**POLICY, "gates": gates}}, check=check)
        assert (result["failed"], result["changed"], result["phase"]) == (True, False, "Error")
        assert result["msg"].split("; ") == [
            "policy.gates: foreign: the environment variable HOME is not one that gates may use "
            f"(CONFIGOK_GATE_*, {tmp_path}): to allow it, set CONFIGOK_ALLOWED_TOKENS where ansible-playbook runs",
            "policy.gates: variable: the environment variable CONFIGOK_GATE_TEST with its token is not set",
            f"policy.gates: missing: its token cannot be read from {tmp_path}/missing: No such file or directory",
            f"policy.gates: empty: the file {tmp_path}/empty with its token is empty",
            f"policy.gates: directory: its CA certificate cannot be read from {tmp_path}: Is a directory",
        ]
        assert versions(cluster) == before
    monkeypatch.setenv("CONFIGOK_GATE_TEST", "secret")
    assert act(pool={**POOL, "policy": {**POLICY, "gates": gates[1:2]}}, check=True)["phase"] == "Planned"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"operation": "undo"}, "has never been rolled out"),
        ({"operation": "undo", "to_revision": 7}, "has no revision 7"),
        ({"operation": "reconcile"}, "pool workers was never rolled out: run configok.node.rollout first"),
        ({"pool": {"pool": "workers"}}, "selector: a label selector is needed"),
        ({"pool": {"pool": "workers", "selector": "a"}}, "pool workers has no config: give layers or documents"),
        ({"pool": {**POOL, "documents": {}, "layers": ["x.yaml"]}}, "x.yaml cannot be read: No such file"),
        ({"pool": {**POOL, "policy": {"waves": [], "soaks": 1}}}, "policy.soaks: unknown field"),
        ({"pool": {**POOL, "policy": {"maxUnavailable": 0}}}, "allows nothing"),
        ({"pool": {**POOL, "policy": {"maxUnavailabel": 1}}}, "policy.maxUnavailabel"),
        ({"pool": {**POOL, "policy": {"nodeTimeout": "10s"}}}, "10s is shorter than a crash loop takes"),
        ({"pool": {**POOL, "selector": ""}}, "a pool never means all nodes by accident"),
        ({"pool": {**POOL, "trial": {"trialDuraton": "1s"}}}, "did you mean trial.trialDuration?"),
        ({"lease_duration": 0}, "must be from 1 to 300 seconds"),
        ({"lease_duration": 301}, "must be from 1 to 300 seconds"),
        ({"kubeconfig": "/no/such/file"}, "/no/such/file"),
    ],
)
def test_an_error_has_a_message_of_one_line_and_changes_nothing(
    act: Act, cluster: SandboxCluster, arguments: dict[str, Any], words: str
) -> None:
    before = versions(cluster)
    for check in (True, False):
        result = act(check=check, **arguments)
        assert (result["failed"], result["changed"], result["phase"]) == (True, False, "Error"), result
        assert words in result["msg"]
        assert result["reason"] == result["msg"]
        assert "\n" not in result["msg"]
        assert versions(cluster) == before


def test_a_variable_that_cannot_be_evaluated_is_named_in_the_message(cluster: SandboxCluster) -> None:
    returned = yaml.safe_load(documentation.RETURN)
    always = {name for name, value in returned.items() if value["returned"] == "always"}
    variables = {**POOL, "selector": trusted("{{ nothing }}")}
    result = run_rollout({"kubeconfig": cluster.kubeconfig}, variables=variables)
    assert set(result) == {*always, "changed", "failed", "msg"}
    assert result["msg"].startswith("the variable selector cannot be evaluated: ")
    assert (result["phase"], result["reason"]) == ("Error", result["msg"])


def test_only_options_select_the_cluster(cluster: SandboxCluster, tmp_path: Path) -> None:
    """A variable of an inventory is none of a module, and so none of an action next to it."""
    variables = {**POOL, "kubeconfig": str(tmp_path / "other"), "context": "other"}
    result = run_rollout({"kubeconfig": cluster.kubeconfig}, variables=variables, check=True)
    assert result["phase"] == "Planned", result


def test_options_are_strict(act: Act) -> None:
    for arguments, words in (
        ({"lease_duration": "long"}, "lease_duration"),
        ({"operation": "reverse"}, "operation"),
        ({"wave": "canary"}, "wave"),
        ({"pool": "workers"}, "pool"),
    ):
        with pytest.raises(AnsibleError, match=words):
            act(**arguments)


def test_a_cluster_without_namespaces_says_what_to_do(act: Act, cluster: SandboxCluster) -> None:
    cluster.client.delete(paths.namespace("configok-rollouts"))
    cluster.client.delete(paths.namespace("configok-system"))
    result = act()
    assert result["failed"] is True
    assert "configok.node.provision" in result["msg"] or "configok.node.cluster" in result["msg"]
    assert act(check=True)["phase"] == "Planned"
