# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a rollout restarts the only API server of its cluster, so that none answers meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..._kube.api_client import Client
from ..._kube.api_paths import NODES
from ..bundle_changes import NodeGroup

_API_SERVER = "kube-apiserver"
_ROLES = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
)  # kubeadm's, the latter before 1.24
_USUAL = 90  # seconds; a start takes 20 to 60, and the kubelet up to 20 before it


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

    groups: the changes by nodes. components: of the bundle and of those before it, of which nodes with unknown changes
    may have any. moving: the nodes of the rollout. is_allowed: by the pool file. Raises KubeError.
    """
    restarted = {name for group in groups if _restarts(group, components) for name in group.nodes} & set(moving)
    if not restarted:
        return ApiOutage()
    labelled = {node["metadata"]["name"] for role in _ROLES for node in client.list(NODES, label_selector=role).items}
    servers = labelled or restarted  # a group of nodes may have others, which run none
    if len(servers) > 1 or not restarted & servers:
        return ApiOutage()
    (name,) = servers
    sentence = f"{name} has the only API server: none answers while it restarts, for about {_USUAL}s"
    if is_allowed:
        return ApiOutage(warnings=(sentence,))
    return ApiOutage(refusals=(f"{sentence}; policy.allowApiOutage: true accepts that",))


def _restarts(group: NodeGroup, components: Collection[str]) -> bool:
    if group.changes is None:
        return _API_SERVER in components
    return any(component == _API_SERVER for component, _change in group.changes)
