# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout does to the control plane: the only API server restarts, or static Pods without their safeguards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..._componentconfig.component_options import ETCD, FLAG_COMPONENTS
from ..._kube.api_client import Client
from ..._kube.api_paths import NODES
from ..._rollout._gates.control_plane_gate import NAMESPACE, ROLES
from ..._rollout._gates.leadership_gate import ELECTED
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._pool.policy import Policy
from ..._text import and_list, first_names
from ..bundle_changes import NodeGroup
from ._mirror_pods import lists_of, lost_items, read_mirror_pods

_SERVING: Mapping[str, str] = {
    # What a control plane has only one of, with a single node, and what that means.
    "kube-apiserver": "the only API server: none answers",
    ETCD: "the only member of etcd: no API server answers",
}
_NO_SPARE = 2  # members of etcd, of which both are needed
_TWO_MEMBERS = (
    "{} are two control-plane nodes: if etcd has its members there, it needs both, and no agent restarts one; a third "
    "member changes that"
)
_NAMES_SHOWN = 4
_MAY_NOT_LIST = f"this run may not list the Pods of {NAMESPACE}"
_FAULTY_KUBELETS: Mapping[str, str] = {
    # Why a Pod may not run after its manifest has changed, with the issue in kubernetes/kubernetes.
    **{f"v1.22.{patch}": "leaves a static Pod whose former manifest returns in error (#104648)" for patch in range(3)},
    **dict.fromkeys(
        (*(f"v1.22.{patch}" for patch in range(5, 8)), *(f"v1.23.{patch}" for patch in range(5))),
        "may not start a static Pod whose manifest changes twice within a short time (#107733)",
    ),
    **dict.fromkeys(("v1.22.8", "v1.22.9"), "may not start a static Pod whose manifest changes (#109596)"),
}
_USUAL = 90.0  # seconds; a start takes 20 to 60, and the kubelet up to 20 before it
_BEFORE_START = 20.0  # seconds for the kubelet to see the manifest, and for the process before to end
_START = (5.0, 300.0)  # seconds that a start may take; less is a Pod without a readiness probe, more a later trouble


class ApiOutage(NamedTuple):
    """Why a rollout is refused, or what the plan warns of."""

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find_outage(
    client: Client,
    groups: Sequence[NodeGroup],
    components: Collection[str],
    moving: Collection[str],
    *,
    is_allowed: bool,
) -> ApiOutage:
    """Return the outage of the API that a rollout causes; an empty one if another API server is left.

    Of two members of etcd, neither can be spared, which is a warning: the labels do not show where etcd runs.

    groups: the changes by nodes. components: of the bundle and of those before it, of which nodes with unknown changes
    may have any. moving: the nodes of the rollout. is_allowed: by the pool file. Raises KubeError.
    """
    serving = [component for component in _restarted(groups, components, moving) if component in _SERVING]
    if not serving:
        return ApiOutage()
    restarting = [group for group in groups if any(_restarts(group, components, name) for name in serving)]
    restarted = {name for group in restarting for name in group.nodes} & set(moving)
    labelled = {node["metadata"]["name"] for role in ROLES for node in client.list(NODES, label_selector=role).items}
    servers = labelled or restarted  # a group of nodes may have others, which run none
    if not restarted & servers:
        return ApiOutage()
    if len(labelled) == _NO_SPARE and any(
        _restarts(group, components, ETCD) and labelled & set(group.nodes) & set(moving) for group in groups
    ):
        return ApiOutage(warnings=(_TWO_MEMBERS.format(" and ".join(sorted(servers))),))
    if len(servers) > 1:
        return ApiOutage()
    (name,) = servers
    seconds = _outage_seconds(client, serving, name)
    sentence = f"{name} has {_SERVING[serving[-1]]} while it restarts, for about {seconds:.0f}s"
    if is_allowed:
        return ApiOutage(warnings=(sentence,))
    return ApiOutage(refusals=(f"{sentence}; policy.allowApiOutage: true accepts that",))


def _outage_seconds(client: Client, serving: Sequence[str], node: str) -> float:
    """Return how long no API server answers, by the last starts of what is restarted, one after the other."""
    starts = [pod.start_seconds for pod in read_mirror_pods(client, serving) or () if pod.node == node]
    shortest, longest = _START
    known = [seconds + _BEFORE_START for seconds in starts if seconds is not None and shortest <= seconds <= longest]
    return sum(known) if len(known) == len(serving) else _USUAL


def lost_list_items(
    client: Client,
    groups: Sequence[NodeGroup],
    components: Collection[str],
    moving: Collection[str],
    after: Mapping[str, str],
) -> tuple[str, ...]:
    """Return what lists in the manifests of static Pods lose by a rollout.

    after: the documents that the nodes get. The other arguments are those of find_outage. Raises KubeError.
    """
    restarted = [name for name in _restarted(groups, components, moving) if lists_of(after.get(name, ""))]
    if not restarted:
        return ()
    mirror_pods = read_mirror_pods(client, restarted)
    if mirror_pods is None:
        return (f"not judged: what lists in the manifests of {and_list(restarted)} lose: {_MAY_NOT_LIST}",)
    return lost_items(after, mirror_pods, moving)


def unguarded_changes(
    groups: Sequence[NodeGroup], components: Collection[str], moving: Collection[str], policy: Policy
) -> tuple[str, ...]:
    """Return why a rollout is refused that changes static Pods with the policy of another pool; () if it does not.

    A document that is removed, an undo, and layers whose component is not named change what the pool file does not
    show. The arguments are those of find_outage.
    """
    if policy.gates.control_plane is not None:
        return ()
    changed = _restarted(groups, components, moving)
    if not changed:
        return ()
    names = " and ".join(changed)
    return (
        f"this changes {names}, and the pool file has no options of a static Pod, so that several nodes could move at "
        f"once: give documents with {changed[0]}, without flags for the init manifest, or layers with -e "
        f"component={changed[0]}",
    )


def unjudged_leaders(
    groups: Sequence[NodeGroup], components: Collection[str], moving: Collection[str], policy: Policy
) -> tuple[str, ...]:
    """Return which components a rollout to a control-plane pool changes without looking at their leaders.

    As in unguarded_changes, the pool file does not show them. The arguments are those of find_outage.
    """
    if policy.gates.control_plane is None:
        return ()
    judged = {gate.component for gate in policy.gates.leadership}
    return tuple(
        f"not judged: whether an instance of {component} that has moved leads: the pool file has no options of it"
        for component in _restarted(groups, components, moving)
        if component in ELECTED and component not in judged
    )


def several_stages(
    groups: Sequence[NodeGroup], components: Collection[str], moving: Collection[str]
) -> tuple[str, ...]:
    """Return a sentence if components of a node follow each other, because one of them is a static Pod; () if none do.

    The arguments are those of find_outage.
    """
    changed = [
        component
        for component in (*sorted(set(components) - set(FLAG_COMPONENTS)), *FLAG_COMPONENTS)
        if any(_restarts(group, components, component) and set(group.nodes) & set(moving) for group in groups)
    ]
    if len(changed) == 1 or not set(changed) & set(FLAG_COMPONENTS):
        return ()
    return (
        f"this changes {and_list(changed)} of a node, one after the other: if one fails, the options of all are taken "
        "back; a rollout of its own for each shows more",
    )


def faulty_kubelets(
    groups: Sequence[NodeGroup], components: Collection[str], moved: Sequence[NodeView]
) -> tuple[str, ...]:
    """Return a sentence for each kubelet version of the moved nodes that is known to fail with static Pods.

    The other arguments are those of find_outage.
    """
    if not _restarted(groups, components, {view.name for view in moved}):
        return ()
    nodes: dict[str, list[str]] = {}
    for view in moved:
        if view.system.kubelet_version in _FAULTY_KUBELETS:
            nodes.setdefault(view.system.kubelet_version, []).append(view.name)
    return tuple(
        f"{first_names(names, _NAMES_SHOWN)}: kubelet {version} {_FAULTY_KUBELETS[version]}: upgrade it first, or "
        "restart it where that happens"
        for version, names in sorted(nodes.items())
    )


def _restarted(groups: Sequence[NodeGroup], components: Collection[str], moving: Collection[str]) -> list[str]:
    """Return the static Pods that a rollout restarts."""
    return [
        component
        for component in FLAG_COMPONENTS
        if any(_restarts(group, components, component) and set(group.nodes) & set(moving) for group in groups)
    ]


def _restarts(group: NodeGroup, components: Collection[str], component: str) -> bool:
    if group.changes is None:
        return component in components
    return any(changed == component for changed, _change in group.changes)
