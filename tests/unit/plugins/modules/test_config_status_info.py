# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config_status_info: reports the status of every node, and writes nothing."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok as verdicts
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    SignerStatus,
    TrustStatus,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import AgentAnswer, NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    pool_status,
    render_status,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.modules import config_status_info
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.fuzz.hostile import FORGED, unsafe_texts
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.views import a_target


def run(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    return run_module(config_status_info.main, {"kubeconfig": cluster.kubeconfig, **arguments})


def test_reasons_come_first_and_then_all_nodes(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    uid = "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11"
    nodes.say(
        "n2", verdicts.crash_loop(verdicts.ConfigInUse("last-known-good"), uid, 4), ConfigStatus(cause="CrashLoop")
    )
    nodes.add("n5", agent=False, version="v1.34.1")
    result = run(cluster, label_selector="pool=workers", pool="workers")
    assert [node["name"] for node in result["nodes"]] == ["n1", "n2", "n3", "n4", "n5"]
    assert [node["state"] for node in result["nodes"]] == ["ok", "failed", "ok", "ok", "no agent"]
    assert result["nodes"][1]["config_ok"]["status"] == "False"
    assert [entry["node"] for entry in result["not_fine"]] == ["n2", "n5"]
    assert result["kubelet_versions"] == ["v1.34.1", "v1.35.0"]
    assert result["pool"]["phase"] == ""
    assert result["history"] == []
    assert result["text"][0] == "Pool workers: never rolled out, 5 nodes"
    assert "crashed 4 times during its trial" in result["text"][1]
    table = result["text"][result["text"].index("") + 1 :]
    assert table[0].split() == ["NAME", "CONFIGOK", "STATE", "CONFIG", "KUBELET"]
    assert table[2].split() == ["n2", "False", "failed", "init", "v1.35.0"]
    assert len(table) == 6


def test_the_key_that_vouched_is_named_and_problems_of_trust_have_lines(
    cluster: SandboxCluster, nodes: SimulatedNodes
) -> None:
    good = verdicts.good(verdicts.ConfigInUse("current"))
    alice = SignerStatus("SHA256:Ud3fPDtTQwfpfMUYVpWmA7ZHlxjcaUsDL4cNBNTGCFQ", "alice")
    nodes.say("n1", good, ConfigStatus(trust=TrustStatus("require", {"workers": 3}, (alice,))))
    for name in ("n2", "n3"):
        nodes.say(name, good, ConfigStatus(trust=TrustStatus("warn", problem="the bundle is not signed")))
    result = run(cluster, label_selector="pool=workers")
    trusts = [node["trust"] for node in result["nodes"]]
    signers = [{"fingerprint": alice.fingerprint, "name": "alice"}]
    assert trusts[0] == {"mode": "require", "floors": {"workers": 3}, "signers": signers, "problem": ""}
    assert [trust["mode"] for trust in trusts[1:3]] == ["warn", "warn"]
    assert trusts[3] is None
    assert "trust: 2 nodes (n2, n3): the bundle is not signed" in result["text"]


def test_a_node_cannot_draw_on_the_screen(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    """Every text of the result is safe to display, whatever a node writes."""
    uid = "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11"
    status = ConfigStatus(
        assigned=ConfigSource("configok-system", "workers-0a1b2c3d4e", uid),
        cause=FORGED,
        error=FORGED,
        components={f"kubelet{FORGED}": ComponentStatus(FORGED, FORGED, FORGED, FORGED, (FORGED,))},
        ignored=(FORGED,),
        agent_version=FORGED,
        trust=TrustStatus(FORGED, {FORGED: 7}, (SignerStatus(FORGED, FORGED),), FORGED),
    )
    nodes.say("n2", verdicts.crash_loop(verdicts.ConfigInUse("last-known-good"), uid, 4), status)
    conditions = [
        {"type": "ConfigOK", "status": f"True{FORGED}", "reason": FORGED, "message": FORGED},
        {"type": "Ready", "status": "False", "reason": FORGED, "message": FORGED},
    ]
    info = {"kubeletVersion": f"v1.35.0{FORGED}", "osImage": FORGED, "architecture": FORGED}
    annotations = {"configok.dev/config-source": json.dumps({FORGED: 1, "configMap": None})}
    path = paths.node("n2")
    cluster.client.patch(path, {"metadata": {"annotations": annotations}})
    cluster.client.patch(f"{path}/status", {"status": {"conditions": conditions, "nodeInfo": info}}, kind="strategic")
    result = run(cluster, label_selector="pool=workers", pool="workers")
    assert unsafe_texts(result) == []
    assert not any("\n" in line for line in result["text"])
    assert [entry["node"] for entry in result["not_fine"]] == ["n2"]


def test_no_node_fills_the_screen(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    trust = TrustStatus("w" * 9999, {"p" * 9999: 7}, (SignerStatus("f" * 9999, "n" * 9999),), "q" * 99_999)
    nodes.say("n2", verdicts.good(verdicts.ConfigInUse("current")), ConfigStatus(trust=trust))
    condition = {"type": "ConfigOK", "status": "False" + "x" * 9999, "reason": "y" * 99_999, "message": "z" * 99_999}
    cluster.client.patch(paths.node_status("n2"), {"status": {"conditions": [condition]}}, kind="strategic")
    result = run(cluster, nodes=["n2"])
    assert len("\n".join(result["text"])) < 6000


def test_an_error_of_the_api_cannot_draw_on_the_screen(cluster: SandboxCluster) -> None:
    cluster.server.intercept = lambda *_asked: cluster.server.refusal(403, message=f"no{FORGED}")
    result = run(cluster)
    assert result["failed"] is True
    assert "wave 1 passed" in result["msg"]
    assert unsafe_texts(result) == []
    assert "\n" not in result["msg"]


def test_thousands_of_nodes_do_not_fill_the_screen(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    for number in range(120):
        nodes.add(f"x{number:03}", agent=number != 7)
    text = run(cluster, label_selector="pool=workers")["text"]
    assert "123 of 124 nodes are fine and not shown." in text
    assert [line.split()[0] for line in text[-1:]] == ["x007"]


def test_nodes_are_selected_by_name_and_must_exist(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    assert [node["name"] for node in run(cluster, nodes=["n3", "n1"])["nodes"]] == ["n1", "n3"]
    result = run(cluster, nodes=["n3", "n8", "n9"])
    assert result["failed"] is True
    assert result["msg"] == "there is no Node n8, nor 1 more"


def test_an_empty_cluster_is_not_an_error_and_nothing_is_ever_written(cluster: SandboxCluster) -> None:
    cluster.server.requests.clear()
    result = run(cluster, pool="workers", label_selector="pool=workers")
    assert result["changed"] is False
    assert result["text"][-1] == "No Node matches."
    assert cluster.writes() == []


def test_the_reason_for_a_halt_is_shown_once() -> None:
    pool = {"pool": "workers", "phase": "Halted", "revision": 2, "target": "workers-0a1b2c3d4e", "size": 1}
    pool["reason"] = "1 node has failed, the budget is 0: n1: it crashed"
    view = NodeView("n1", "uid", answer=AgentAnswer("False"))
    lines = render_status(pool, [view], [{"node": "n1", "state": "failed", "reason": "it crashed"}])
    assert lines[:4] == [
        "Pool workers: revision 2 (workers-0a1b2c3d4e), Halted, 1 node",
        "  1 node has failed, the budget is 0",
        "n1: it crashed",
        "",
    ]


def test_a_rollout_whose_runner_is_dead_is_shown_as_moved_by_no_runner(
    cluster: SandboxCluster, nodes: SimulatedNodes
) -> None:
    del nodes
    target = a_target()
    begun = Rollout(1, target, "Wave 1", (), 4, "now", "now", runner="alice@a")
    update_record(
        cluster.client,
        "workers",
        lambda record: replace(record.with_revision(target, time="now", author="", cause=""), rollout=begun),
    )
    lock = PoolLock(cluster.client, "workers", "alice@a", clock=Clock(), duration=1.0)
    lock.acquire(lambda _line: None)  # and never renews it
    result = run(cluster, label_selector="pool=workers", pool="workers")
    assert result["pool"]["moved_by"] == ""
    assert result["text"][:2] == [
        f"Pool workers: revision 1 ({target.name}), Wave 1, 4 nodes",
        "  no runner is moving it: run it again to continue",
    ]


@pytest.mark.parametrize(
    ("holder", "line"),
    [("bob@b", "  bob@b waits to continue"), ("", "  no runner waits: run it again to continue")],
)
def test_a_paused_rollout_says_whether_a_runner_waits(
    cluster: SandboxCluster, nodes: SimulatedNodes, holder: str, line: str
) -> None:
    del nodes
    target = a_target()
    paused = Rollout(1, target, "Paused", (), 4, "now", "now", runner="bob@b")
    update_record(
        cluster.client,
        "workers",
        lambda record: replace(record.with_revision(target, time="now", author="", cause=""), rollout=paused),
    )
    lock = PoolLock(cluster.client, "workers", "bob@b", clock=Clock(), duration=2.0)
    lock.acquire(lambda _line: None)
    has_ended = threading.Event()

    def renew() -> None:
        while not has_ended.wait(0.1):
            lock.renew_if_due()

    thread = threading.Thread(target=renew, daemon=True)
    if holder:
        thread.start()
    else:
        lock.release()
    try:
        result = run(cluster, label_selector="pool=workers", pool="workers")
    finally:
        has_ended.set()
    assert result["pool"]["moved_by"] == holder
    assert result["text"][1] == line


def test_the_runner_that_moves_a_pool_is_named_and_a_rollout_that_is_over_needs_none() -> None:
    target = a_target()
    for phase, moved_by, line in (("Wave 1", "bob@b", "  moved by bob@b"), ("Complete", None, "")):
        record = Record("workers", rollout=Rollout(1, target, phase, (), 1, "now", "now"))
        assert record.rollout is not None
        assert record.rollout.is_moving == bool(moved_by)
        lines = render_status(pool_status(record, [], moved_by=moved_by), [], [])
        assert lines[1:-1] == [line] * bool(line)


def test_a_node_that_does_not_report_in_time_fails_with_its_own_sentence(
    cluster: SandboxCluster, nodes: SimulatedNodes
) -> None:
    assert [node["name"] for node in run(cluster, nodes=["n1"], wait_for="True")["nodes"]] == ["n1"]
    nodes.say(
        "n2",
        verdicts.failing(verdicts.ConfigInUse("current"), "kubelet: no certificate"),
        ConfigStatus(cause="Failing"),
    )
    late = run(cluster, nodes=["n1", "n2"], wait_for="True", wait_timeout=0)
    assert late["failed"] is True
    sentence = "n2: ConfigOK is False: using current (init), which is failing: kubelet: no certificate"
    assert late["msg"] == f"{sentence} (after 0s)"
