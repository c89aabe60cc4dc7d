# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout that restarts the only API server of its cluster needs a word of the operator."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import pods
from ansible_collections.configok.node.plugins.module_utils._operations._pool._control_plane_changes import (
    ApiOutage,
    faulty_kubelets,
    find_outage,
    lost_list_items,
    several_stages,
    unguarded_changes,
    unjudged_leaders,
)
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import NodeGroup, diff_documents
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeSystem, NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy, parse_pool
from support.configs.options import component_options

API_SERVER = "kube-apiserver"
CHANGES = diff_documents({}, {API_SERVER: "maxPods: 1", "kube-scheduler": "maxPods: 1"})


class _List(NamedTuple):
    items: list[dict[str, Any]]


class Cluster:
    """Lists the Nodes of a cluster by kubeadm's labels, and mirror Pods, and counts the requests.

    mirror_pods: None if they may not be listed.
    """

    def __init__(self, *control_plane: str) -> None:
        self._nodes = control_plane
        self.mirror_pods: list[dict[str, Any]] | None = []
        self.requests = 0

    def list(self, path: str, *, label_selector: str, transform: Callable[..., Any] = lambda item: item) -> _List:
        self.requests += 1
        if path == pods("kube-system"):
            if self.mirror_pods is None:
                raise Forbidden("no", status=403)
            labels = (pod["metadata"]["labels"]["component"] for pod in self.mirror_pods)
            return _List([transform(pod) for pod, label in zip(self.mirror_pods, labels) if label in label_selector])
        of_label = self._nodes if label_selector.endswith("control-plane") else self._nodes[:1]
        return _List([{"metadata": {"name": name}} for name in of_label])


def outage(
    cluster: Cluster,
    groups: Iterable[NodeGroup],
    *,
    moving: Iterable[str] = ("a", "b"),
    components: Iterable[str] = (API_SERVER,),
    is_allowed: bool = False,
) -> ApiOutage:
    client: Any = cluster
    return find_outage(client, list(groups), set(components), set(moving), is_allowed=is_allowed)


def mirror_pod(
    component: str, node: str, *flags: str, started: str = "2026-11-30T04:00:00Z", ready: str = "2026-11-30T04:00:31Z"
) -> dict[str, Any]:
    """Return a mirror Pod. ready: since when, "" if it is not."""
    is_ready = {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": ready or started}
    return {
        "metadata": {"labels": {"component": component, "tier": "control-plane"}},
        "spec": {"nodeName": node, "containers": [{"name": component, "command": [component, *flags]}]},
        "status": {
            "conditions": [is_ready],
            "containerStatuses": [{"name": component, "state": {"running": {"startedAt": started}}}],
        },
    }


def changes_of(component: str) -> Any:
    return [change for change in CHANGES if change[0] == component]


def test_the_only_api_server_is_restarted_if_the_pool_file_accepts_it() -> None:
    group = NodeGroup(("a",), changes_of(API_SERVER))
    (refusal,) = outage(Cluster("a"), [group]).refusals
    assert refusal == (
        "a has the only API server: none answers while it restarts, for about 90s; "
        "policy.allowApiOutage: true accepts that"
    )
    allowed = outage(Cluster("a"), [group], is_allowed=True)
    assert (allowed.refusals, len(allowed.warnings)) == ((), 1)
    assert outage(Cluster(), [group]).refusals, "a node without kubeadm's label"


@pytest.mark.parametrize(
    ("mirror_pods", "seconds"),
    [
        ([mirror_pod(API_SERVER, "a")], 51),
        ([mirror_pod(API_SERVER, "b")], 90),
        ([mirror_pod(API_SERVER, "a", ready="2026-11-30T04:00:01Z")], 90),
        ([mirror_pod(API_SERVER, "a", ready="2026-11-30T09:00:01Z")], 90),
        ([mirror_pod(API_SERVER, "a", ready="")], 90),
        ([mirror_pod(API_SERVER, "a", started="a while ago")], 90),
        ([{"metadata": {"labels": {"component": API_SERVER}}, "spec": {"nodeName": "a"}}], 90),
        (None, 90),
    ],
)
def test_an_outage_takes_as_long_as_the_last_start_of_the_api_server(
    mirror_pods: list[dict[str, Any]] | None, seconds: int
) -> None:
    cluster = Cluster("a")
    cluster.mirror_pods = mirror_pods
    (refusal,) = outage(cluster, [NodeGroup(("a",), changes_of(API_SERVER))]).refusals
    assert f"for about {seconds}s; " in refusal


def test_an_outage_by_etcd_and_the_api_server_takes_as_long_as_both() -> None:
    cluster = Cluster("a")
    cluster.mirror_pods = [mirror_pod(API_SERVER, "a"), mirror_pod("etcd", "a", ready="2026-11-30T04:00:10Z")]
    both = [*changes_of(API_SERVER), ("etcd", changes_of(API_SERVER)[0][1])]
    (refusal,) = outage(cluster, [NodeGroup(("a",), both)], components=("etcd", API_SERVER)).refusals
    assert "for about 81s; " in refusal


PLUGINS = "--enable-admission-plugins=NodeRestriction,PodSecurity"
KEYS = ("--api-audiences=one", "--api-audiences=two")


def losses(
    flags: dict[str, Any], mirror_pods: Sequence[dict[str, Any]] | None, component: str = API_SERVER
) -> tuple[str, ...]:
    cluster: Any = Cluster("a")
    cluster.mirror_pods = mirror_pods
    groups = [NodeGroup(("a", "b"), changes_of(API_SERVER))]
    after = {component: json.dumps(component_options(flags, component=component))}
    return lost_list_items(cluster, groups, {API_SERVER}, {"a", "b"}, after)


@pytest.mark.parametrize(
    ("flags", "mirror_pods", "sentences"),
    [
        (
            {"enable-admission-plugins": ["NodeRestriction"]},
            [mirror_pod(API_SERVER, name, PLUGINS) for name in ("b", "a")],
            ["kube-apiserver --enable-admission-plugins loses PodSecurity on a, b: options replace the whole value"],
        ),
        (
            {"api-audiences": "three"},
            [mirror_pod(API_SERVER, "a", *KEYS)],
            ["kube-apiserver --api-audiences loses one, two on a: options replace the whole value"],
        ),
        (
            {"api-audiences": "three"},
            [mirror_pod(API_SERVER, "a", "--api-audiences=a\x1b[2J")],
            ["kube-apiserver --api-audiences loses a [2J on a"],
        ),
        ({"enable-admission-plugins": []}, [mirror_pod(API_SERVER, "a", PLUGINS)], ["loses NodeRestriction, PodSec"]),
        ({"enable-admission-plugins": ["PodSecurity", "NodeRestriction"]}, [mirror_pod(API_SERVER, "a", PLUGINS)], []),
        ({"enable-admission-plugins": None}, [mirror_pod(API_SERVER, "a", PLUGINS)], []),
        ({"enable-admission-plugins": {"a": 1}}, [mirror_pod(API_SERVER, "a", PLUGINS)], []),
        ({"feature-gates": {"A": True}}, [mirror_pod(API_SERVER, "a", "--feature-gates=B=true")], []),
        ({"event-ttl": "2h"}, [mirror_pod(API_SERVER, "a", "--event-ttl=1h")], []),
        ({"enable-admission-plugins": ["NodeRestriction"]}, [mirror_pod(API_SERVER, "other", PLUGINS)], []),
        (
            {"enable-admission-plugins": ["NodeRestriction"]},
            None,
            ["not judged: what lists in the manifests of kube-a"],
        ),
    ],
)
def test_the_plan_shows_what_a_list_of_a_manifest_loses(
    flags: dict[str, Any], mirror_pods: list[dict[str, Any]] | None, sentences: list[str]
) -> None:
    lost = losses(flags, mirror_pods)
    assert len(lost) == len(sentences), lost
    assert all(text in sentence for text, sentence in zip(sentences, lost)), lost


def test_the_only_member_of_etcd_takes_the_api_away_too() -> None:
    both = [*changes_of(API_SERVER), ("etcd", changes_of(API_SERVER)[0][1])]
    for changes, words in ((both[1:], "member of etcd: no API server answers"), (both, "API server: none answers")):
        (refusal,) = outage(Cluster("a"), [NodeGroup(("a",), changes)], components=("etcd", API_SERVER)).refusals
        assert refusal.startswith(f"a has the only {words} while it restarts, for about 90s; ")
    assert outage(Cluster("a", "b", "c"), [NodeGroup(("a",), both)]) == ApiOutage()


def test_two_members_of_etcd_are_both_needed() -> None:
    group = NodeGroup(("a", "b"), [("etcd", changes_of(API_SERVER)[0][1])])
    refusals, (warning,) = outage(Cluster("a", "b"), [group], components=("etcd",))
    assert refusals == ()
    assert warning == (
        "a and b are two control-plane nodes: if etcd has its members there, it needs both, and no agent restarts one; "
        "a third member changes that"
    )
    elsewhere = NodeGroup(("c", "d"), group.changes)
    serving = NodeGroup(("a", "b"), changes_of(API_SERVER))
    of_both = outage(Cluster("a", "b"), [serving, elsewhere], components=("etcd",), moving=("a", "b", "c", "d"))
    assert of_both == ApiOutage(), "etcd runs elsewhere"
    assert outage(Cluster(), [group], components=("etcd",)) == ApiOutage(), "no label shows how many there are"


def test_another_api_server_answers_meanwhile() -> None:
    assert outage(Cluster("a", "b"), [NodeGroup(("a",), changes_of(API_SERVER))]) == ApiOutage()
    assert outage(Cluster(), [NodeGroup(("a", "b"), changes_of(API_SERVER))]) == ApiOutage()
    assert outage(Cluster("c"), [NodeGroup(("a",), changes_of(API_SERVER))]) == ApiOutage()


def test_workers_of_the_same_bundle_run_no_api_server() -> None:
    """A bundle with documents of both is compared for all nodes that use it."""
    (refusal,) = outage(Cluster("a"), [NodeGroup(("a", "b"), changes_of(API_SERVER))]).refusals
    assert refusal.startswith("a has the only API server")


@pytest.mark.parametrize(
    ("group", "moving"),
    [
        (NodeGroup(("a",), changes_of("kube-scheduler")), ("a",)),
        (NodeGroup(("a",), changes_of(API_SERVER)), ("b",)),
    ],
)
def test_a_rollout_that_restarts_none_asks_nothing(group: NodeGroup, moving: tuple[str, ...]) -> None:
    cluster = Cluster("a")
    assert outage(cluster, [group], moving=moving) == ApiOutage()
    assert cluster.requests == 0


def test_unknown_changes_count_if_the_bundle_has_an_api_server() -> None:
    group = NodeGroup(("a",), None)
    assert outage(Cluster("a"), [group]).refusals
    assert outage(Cluster("a"), [group], components=["kubelet"]) == ApiOutage()


CONTROL_PLANE = parse_pool({"pool": "a", "selector": "a", "documents": {API_SERVER: {}}}).policy


@pytest.mark.parametrize(
    ("group", "components", "names"),
    [
        (NodeGroup(("a",), changes_of(API_SERVER)), (), "kube-apiserver"),
        (NodeGroup(("a",), CHANGES), (), "kube-apiserver and kube-scheduler"),
        (NodeGroup(("a",), None), ("kubelet", "kube-scheduler"), "kube-scheduler"),
        (NodeGroup(("a",), None), ("kubelet",), ""),
        (NodeGroup(("elsewhere",), changes_of(API_SERVER)), (), ""),
        (NodeGroup(("a",), []), (API_SERVER,), ""),
    ],
)
def test_a_change_of_static_pods_needs_the_policy_of_a_control_plane_pool(
    group: NodeGroup, components: Iterable[str], names: str
) -> None:
    refusals = unguarded_changes([group], set(components), {"a", "b"}, parse_policy(None))
    assert len(refusals) == bool(names)
    assert not names or refusals[0].startswith(
        f"this changes {names}, and the pool file has no options of a static Pod"
    )
    assert unguarded_changes([group], set(components), {"a", "b"}, CONTROL_PLANE) == ()


@pytest.mark.parametrize(
    ("documents", "changed", "names"),
    [
        ((API_SERVER,), "kube-scheduler", ("kube-scheduler",)),
        ((API_SERVER, "kube-scheduler"), "kube-scheduler", ()),
        ((API_SERVER,), API_SERVER, ()),
        (("kubelet",), "kube-scheduler", ()),
    ],
)
def test_the_plan_warns_of_a_component_whose_leader_is_not_judged(
    documents: tuple[str, ...], changed: str, names: tuple[str, ...]
) -> None:
    """An undo changes what the pool file does not show; that of another pool is refused."""
    policy = parse_pool({"pool": "p", "selector": "a", "documents": {name: {} for name in documents}}).policy
    groups = [NodeGroup(("a",), changes_of(changed))]
    warnings = unjudged_leaders(groups, {API_SERVER, "kube-scheduler"}, {"a"}, policy)
    assert [name in warning for name, warning in zip(names, warnings)] == [True] * len(names)
    assert len(warnings) == len(names)
    assert not unjudged_leaders(groups, {API_SERVER, "kube-scheduler"}, {"b"}, policy)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ((API_SERVER, "kube-scheduler", "kubelet"), f"kubelet, {API_SERVER} and kube-scheduler"),
        (("kube-scheduler", "etcd"), "etcd and kube-scheduler"),
        ((API_SERVER,), ""),
        (("kubelet", "kube-proxy"), ""),
        ((), ""),
    ],
)
def test_the_plan_warns_of_components_that_follow_each_other(changed: tuple[str, ...], named: str) -> None:
    groups = [NodeGroup(("a",), [(name, CHANGES[0][1]) for name in changed])]
    components = {API_SERVER, "etcd", "kube-proxy", "kube-scheduler", "kubelet"}
    warnings = several_stages(groups, components, {"a"})
    assert [warning.partition(" of a node")[0] for warning in warnings] == ([f"this changes {named}"] if named else [])
    assert not several_stages(groups, components, {"b"})


def test_kubelets_that_fail_with_static_pods_are_named() -> None:
    versions = {"a": "v1.22.8", "b": "v1.22.3", "c": "v1.22.8", "d": "v1.22.2", "e": "v1.23.4"}
    views = [NodeView(name, name, system=NodeSystem(version)) for name, version in versions.items()]
    group = NodeGroup(("a", "b", "c", "d"), changes_of("kube-scheduler"))
    of_first, of_eighth = faulty_kubelets([group], {"kube-scheduler"}, views[:4])
    assert of_first.startswith("d: kubelet v1.22.2 leaves a static Pod")
    assert of_eighth.startswith("a, c: kubelet v1.22.8 may not start a static Pod whose manifest changes")
    assert faulty_kubelets([group], {"kube-scheduler"}, views[1:2]) == ()
    assert faulty_kubelets([NodeGroup(("a",), [])], {"kube-scheduler"}, views) == (), "its static Pods stay as they are"
