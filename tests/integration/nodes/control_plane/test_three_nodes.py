# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts to a control plane of three nodes, with an etcd of three members and no load balancer.

The kubeconfig of the runs names the API server of the first node, and each kubelet speaks to the one of its own node.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.configs.options import component_options
from support.machines import ControlPlane, ControlPlaneAgent, Testbed, Unavailable
from support.session.unavailable import leave_out

API_SERVER, SCHEDULER, ETCD = "kube-apiserver", "kube-scheduler", "etcd"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[ControlPlane]:
    try:
        with Testbed.start("three-static-pods", 3, prepare_cluster=False) as bed:
            yield ControlPlane(bed)
    except Unavailable as problem:
        leave_out(problem)


@pytest.fixture(scope="module")
def agents(cluster: ControlPlane) -> list[ControlPlaneAgent]:
    components = {ETCD: {}, SCHEDULER: {}, API_SERVER: {"allowedFields": ["flags.etcd-servers"]}}
    running = [ControlPlaneAgent(cluster, components, node) for node in cluster.nodes]
    cluster.wait_reported()  # the gate counts them
    return running


def pool(documents: Mapping[str, Mapping[str, Any]], **policy: Any) -> dict[str, Any]:
    return {
        "pool": "control-plane",
        "selector": "node-role.kubernetes.io/master",
        "documents": {name: json.dumps(document) for name, document in documents.items()},
        "trial": {"trialDuration": "5s"},
        "policy": {"canary": {"soak": "10s"}, "soak": "5s", **policy},
    }


def pids(cluster: ControlPlane) -> list[int]:
    return [cluster.pids(node)[API_SERVER] for node in cluster.nodes]


def test_a_rollout_that_kills_an_api_server_ends_with_the_first(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    before = pids(cluster)
    crashing = component_options({"etcd-servers": ["https://127.0.0.1:2"]})
    run = cluster.rollout(pool({API_SERVER: crashing}))
    assert run.code != 0
    assert "has the only API server" not in run.output
    first, *others = (f"https://{node.address}:6443" for node in cluster.nodes)
    assert f"While its API server restarts, this run asks {', '.join(others)}." in run.output
    assert f"the API server {first} does not answer: asking {others[0]}" in run.output
    assert "nothing is assigned meanwhile" not in run.output
    assert "is Halted in canary: 1 node has failed, the budget is 0" in run.output
    assert "using last-known-good (init): current" in run.output
    assert sum(old != new for old, new in zip(before, pids(cluster))) == 1
    assert all("--etcd-servers=https://127.0.0.1:2" not in cluster.process(API_SERVER, node) for node in cluster.nodes)


def test_a_rollout_reaches_all_nodes_while_its_own_api_server_restarts(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    options = {
        API_SERVER: component_options({"event-ttl": "2h"}),
        SCHEDULER: component_options({"kube-api-qps": 35}, component=SCHEDULER),
    }
    run = cluster.rollout(pool(options))
    assert run.code == 0, run.output
    assert "nothing is assigned meanwhile" not in run.output
    for node in cluster.nodes:
        assert "--event-ttl=2h" in cluster.process(API_SERVER, node)
        assert "--kube-api-qps=35" in cluster.process(SCHEDULER, node)


def test_etcd_moves_member_by_member_and_each_saves_its_data_before(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    options = component_options({"quota-backend-bytes": 4 << 30, "snapshot-count": 20000}, component=ETCD)
    run = cluster.rollout(pool({ETCD: options}))
    assert run.code == 0, run.output
    assert "etcd flags.quota-backend-bytes " in run.output
    for node in cluster.nodes:
        assert "--quota-backend-bytes=4294967296" in cluster.process(ETCD, node)
        assert "--snapshot-count=20000" in cluster.process(ETCD, node)
        listed = node.run(["sh", "-c", "stat -c '%a %U' /var/lib/configok/etcd-snapshots/*"]).stdout
        assert listed.split("\n")[:-1] == ["600 root"]


def test_a_member_of_etcd_that_the_others_need_is_not_restarted(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    """The assignment comes without a rollout, whose gates do not let it come that far."""
    before = cluster.pids()[ETCD]
    with _without_last_member(cluster, agents):
        options = component_options({"quota-backend-bytes": 5 << 30}, component=ETCD)
        number = agents[0].assign({ETCD: options}, Trial(5.0, 1))
        agents[0].wait_answer(number, "Unknown", "2 of 3 members must run without it, and 1 do")
        assert cluster.pids()[ETCD] == before
    agents[0].wait_answer(number, "True")
    assert "--quota-backend-bytes=5368709120" in cluster.process(ETCD)


def test_no_node_moves_while_another_member_of_etcd_is_away(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    """Its Pod is there, and not ready. The next API server would go with the last majority of etcd."""
    before = pids(cluster)
    with _without_last_member(cluster, agents):
        run = cluster.rollout(
            pool({API_SERVER: component_options({"event-ttl": "3h"})}, healthTimeout="10s", nodeTimeout="1m")
        )
        assert run.code != 0
        assert "control-plane Pods" in run.output
        assert f"not Ready: {ETCD}-{cluster.nodes[-1].name}" in run.output
        assert pids(cluster) == before


def test_the_second_node_does_not_move_when_etcd_has_lost_a_member(
    cluster: ControlPlane, agents: list[ControlPlaneAgent]
) -> None:
    """The member is lost while the first node, which has moved, is watched."""
    before = pids(cluster)
    settings = pool(
        {API_SERVER: component_options({"event-ttl": "4h"})},
        canary={"soak": "1m"},
        healthTimeout="10s",
        nodeTimeout="2m",  # the kubelet of the first node reports its new API server within 90 s
    )
    with ThreadPoolExecutor() as threads:
        rollout = threads.submit(cluster.rollout, settings)
        cluster.node.wait("a first node", lambda: "--event-ttl=4h" in _event_ttls(cluster))
        with _without_last_member(cluster, agents):
            run = rollout.result()
            assert run.code != 0
            assert f"not Ready: {ETCD}-{cluster.nodes[-1].name}" in run.output
            first, second, _last = pids(cluster)  # that of the last node ends with its member
            assert (first != before[0], second == before[1]) == (True, True)
            assert _event_ttls(cluster).count("--event-ttl=4h") == 1


def _event_ttls(cluster: ControlPlane) -> list[str]:
    return [word for node in cluster.nodes for word in cluster.process(API_SERVER, node) if "event-ttl" in word]


@contextmanager
def _without_last_member(cluster: ControlPlane, agents: list[ControlPlaneAgent]) -> Iterator[None]:
    """Make etcd of the last node crash, by another hand, and wait until it is back in the end."""
    last = cluster.nodes[-1]
    manifest = cluster.manifests(last)[f"{ETCD}.yaml"]
    agents[-1].write_manifest(ETCD, manifest.replace(b"--data-dir=", b"--no-such-flag="))
    try:
        last.wait("no etcd", lambda: ETCD not in cluster.pids(last))
        yield
    finally:
        agents[-1].write_manifest(ETCD, manifest)
    cluster.wait_ready(node=last)
