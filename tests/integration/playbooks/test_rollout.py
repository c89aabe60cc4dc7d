# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks as a user runs them, on the embedded API server with simulated nodes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from embedded_apiserver.http_server import Request, Response
from support.ansible_runs.in_process import roll_out
from support.ansible_runs.playbooks import Playbooks, kill, quick_pool
from support.api.clusters import look, prepare
from support.api.servers import Embedded
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, SimulatedNodes, status_of
from support.session.patience import LONGEST_WAIT

NODES = [f"n{number}" for number in range(1, 7)]


@pytest.fixture
def client(embedded_api: Embedded) -> Client:
    return embedded_api.client()


@pytest.fixture
def nodes(client: Client) -> Iterator[SimulatedNodes]:
    with SimulatedNodes(client) as simulated:
        for number, name in enumerate(NODES):
            simulated.add(name, zone="abc"[number % 3])
        yield simulated


@pytest.fixture
def user(embedded_api: Embedded, tmp_path: Path) -> Playbooks:
    return Playbooks(tmp_path, embedded_api.admin_kubeconfig)


def bundles(client: Client) -> list[str]:
    return sorted(item["metadata"]["name"] for item in client.list(paths.config_maps("configok-system")).items)


def active(nodes: SimulatedNodes) -> set[str]:
    views = [nodes.view(name) for name in NODES]
    return {
        view.answer.status.active.name if view.answer.status and view.answer.status.active else "init" for view in views
    }


def writes(api: Embedded) -> list[tuple[str, str]]:
    calls = api.server.requests.calls(user="admin")
    # What check mode sends is checked and refused here: there is no namespace yet.
    changing = [call for call in calls if call.verb not in ("get", "list", "watch") and call.status < 300]
    return [(call.verb, call.resource) for call in changing]


def test_a_pool_from_nothing(embedded_api: Embedded, client: Client, nodes: SimulatedNodes, user: Playbooks) -> None:
    user.write(quick_pool(), "maxPods: 60\n")
    embedded_api.server.requests.clear()
    planned = user.run("rollout", "--check", "--diff")
    assert planned.code == 0, planned.output
    assert "which is not published yet" in planned.output
    assert "+maxPods: 60" in planned.output
    assert writes(embedded_api) == []

    provisioned = user.run("provision", "-e", "provision_hosts=none", pool=False)
    assert provisioned.code == 0, provisioned.output
    assert look(client, paths.namespace("configok-system")) is not None

    done = user.run("rollout")
    assert done.code == 0, done.output
    (bundle,) = bundles(client)
    assert active(nodes) == {bundle}
    assert (done.stats["phase"], done.stats["revision"], done.stats["target"]) == ("Complete", 1, bundle)
    assert f"canary [{'#' * 24}] 1/1 passed: done" in done.output

    again = user.run("rollout")
    assert (again.code, again.changed, again.stats["phase"]) == (0, 0, "Complete"), again.output

    status = user.run("status")
    assert status.code == 0, status.output
    assert f"Pool workers: revision 1 ({bundle}), Complete, 6 nodes" in status.output
    assert len([line for line in status.output.splitlines() if "True       ok" in line]) == len(NODES)


def test_one_lock_is_held_for_all_waves(
    embedded_api: Embedded, client: Client, nodes: SimulatedNodes, user: Playbooks
) -> None:
    prepare(client)
    user.write(quick_pool(), "maxPods: 60\n")
    server = embedded_api.server
    kept: list[str] = []

    def keep_locked(request: Request, _user: object, _perform: object) -> Response | None:
        if not (request.method == "PUT" and "/leases/" in request.path and b'"holderIdentity":""' in request.body):
            return None
        kept.append(request.path)
        return server.refusal(403)

    server.intercept = keep_locked
    done = user.run("rollout")
    assert done.code == 0, done.output
    assert len(kept) == 1
    assert "is locked by" not in done.output


def test_bad_configs_are_stopped_and_can_be_undone(client: Client, nodes: SimulatedNodes, user: Playbooks) -> None:
    prepare(client)
    roll_out(client, KUBELET_HEADER + "maxPods: 60\n")
    good = bundles(client)

    user.write(quick_pool(), "maxPods: -1\nnoSuchField: 1\n")
    invalid = user.run("rollout")
    assert invalid.code != 0
    assert f"component: {user.directory}/pool.yaml:4: maxPods: -1" in invalid.output
    assert f"policy: {user.directory}/pool.yaml:5: noSuchField" in invalid.output
    assert bundles(client) == good

    user.write({**quick_pool(), "policy": {"maxUnavailabel": 1}, "trial": {}}, "maxPods: 61\n")
    mistyped = user.run("rollout")
    assert (mistyped.code != 0, "policy.maxUnavailabel" in mistyped.output) == (True, True), mistyped.output
    user.write({**quick_pool(), "trial": {"trialDuraton": "1s"}}, "maxPods: 61\n")
    mistyped = user.run("rollout")
    assert "trial.trialDuraton: unknown field: did you mean trial.trialDuration?" in mistyped.output
    assert bundles(client) == good

    nodes.assignments.clear()
    nodes.behaviour = lambda _name, source: GOOD if source is None or source.name in good else CRASHES
    user.write(quick_pool(), "maxPods: 61\n")
    crashing = user.run("rollout")
    assert crashing.code != 0
    assert crashing.stats["phase"] == "Halted"
    assert "crashed 4 times during its trial" in crashing.stats["reason"]
    assert [failed["kind"] for failed in crashing.stats["exceptions"]] == ["failed"]
    assert len({name for name, _id, _source in nodes.assignments}) == 1
    assert active(nodes) == set(good)

    undone = user.run("undo")
    assert undone.code == 0, undone.output
    assert (undone.stats["phase"], undone.stats["target"]) == ("Complete", good[0])
    assert all(nodes.view(name).answer.config_ok == "True" for name in NODES)

    back = user.run("undo", "-e", "to_revision=0")
    assert (back.code, active(nodes)) == (0, {"init"}), back.output
    removed = user.run("remove", "-e", "provision_hosts=none", pool=False)
    assert removed.code == 0, removed.output
    assert look(client, paths.namespace("configok-system")) is None
    assert not any("configok" in key for key in client.get(paths.node("n1"))["metadata"].get("annotations") or {})


@pytest.mark.parametrize("source", ["layers", "documents"])
@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            "memoryReservationPolicy: None\n",
            'memoryReservationPolicy: "None": unknown field: KubeletConfiguration knows it from Kubernetes 1.36 '
            "(Kubernetes 1.32, 1.34: n1, n2, n3 and 2 more)",
        ),
        (
            "featureGates: {KubeletPSI: true}\n",
            "featureGates.KubeletPSI: true: unknown feature gate: it comes with Kubernetes 1.33 "
            "(Kubernetes 1.32: n1, n3, n5)",
        ),
    ],
)
def test_a_skewed_pool_refuses_what_many_nodes_lack(
    client: Client, embedded_api: Embedded, user: Playbooks, source: str, text: str, refusal: str
) -> None:
    """What at least half of the nodes lack is refused with the field or gate, the versions and the nodes."""
    prepare(client)
    pool = quick_pool()
    if source == "documents":
        del pool["layers"]
        pool["documents"] = {"kubelet": KUBELET_HEADER + text}
    user.write(pool, text)
    with SimulatedNodes(client) as simulated:
        for name, version in zip(NODES, ("v1.32.3", "v1.34.4", "v1.32.16", "v1.34.4", "v1.32.9", "v1.36.0")):
            simulated.add(name, version=version)
        embedded_api.server.requests.clear()
        refused = user.run("rollout")
    assert refused.code != 0
    assert refusal in refused.output, refused.output
    assert bundles(client) == []


def test_the_run_after_a_killed_one_resumes_the_rollout(client: Client, nodes: SimulatedNodes, user: Playbooks) -> None:
    prepare(client)
    # Only the canary answers, so the run is in its first wave until it is killed.
    nodes.behaviour = lambda _name, _source: GOOD if len({name for name, _id, _s in nodes.assignments}) == 1 else SILENT
    user.write(quick_pool(), "maxPods: 60\n")
    quickly = ("-e", "rollout_lease_duration=1")
    running = user.start("rollout", *quickly)
    assert running.stdout is not None
    for line in running.stdout:
        if "wave 1 [" in line and "assigned" in line:
            break
    kill(running)
    assigned = {name for name, _id, _source in nodes.assignments}
    assert 1 < len(assigned) < len(NODES)

    nodes.behaviour = lambda _name, _source: GOOD
    for name in assigned:
        view = nodes.view(name)
        nodes.say(name, *status_of(view, view.assigned.source, GOOD)[-1])
    done = user.run("rollout", *quickly)
    assert (done.code, done.stats["phase"]) == (0, "Complete"), done.output
    assert active(nodes) == set(bundles(client))
    # Nodes that had been assigned were not assigned again.
    assert sorted(name for name, _id, _source in nodes.assignments) == NODES
    again = user.run("rollout", *quickly)
    assert (again.code, again.changed) == (0, 0), again.output


def test_ctrl_c_ends_with_a_message_and_frees_the_lock(
    client: Client, nodes: SimulatedNodes, user: Playbooks, control: Path
) -> None:
    prepare(client)
    nodes.behaviour = lambda _name, _source: SILENT
    with_venv = Playbooks(user.directory, user.kubeconfig, control)
    with_venv.write(quick_pool(), "maxPods: 60\n")
    running = with_venv.start("rollout")
    assert running.stdout is not None
    for line in running.stdout:
        if "assigned" in line:
            break
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    output, _nothing = running.communicate(timeout=LONGEST_WAIT)
    assert client.get(paths.lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""
    assert "Traceback" not in output
    assert running.returncode != 0
    lines = [line for line in output.splitlines() if line.strip()]
    assert len(lines) <= 2, output
    assert "interrupted" in output

    # The next run waits for no lock.
    nodes.behaviour = lambda _name, _source: GOOD
    for assigned in {node for node, _id, _source in nodes.assignments}:
        view = nodes.view(assigned)
        nodes.say(assigned, *status_of(view, view.assigned.source, GOOD)[-1])
    done = with_venv.run("rollout")
    assert (done.code, done.stats["phase"]) == (0, "Complete"), done.output
    assert "is locked by" not in done.output


def test_the_oldest_and_the_newest_ansible(
    client: Client, nodes: SimulatedNodes, user: Playbooks, control: Path
) -> None:
    prepare(client)
    from_there = Playbooks(user.directory, user.kubeconfig, control)
    from_there.write(quick_pool(), "maxPods: 60\n")
    done = from_there.run("rollout")
    assert done.code == 0, done.output
    assert active(nodes) == set(bundles(client))
    assert done.stats["phase"] == "Complete"
