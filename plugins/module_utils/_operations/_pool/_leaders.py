# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the nodes whose controller manager or scheduler leads: a rollout to these components moves them last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._rollout._gates.control_plane_client import read_leader
from ..._rollout._gates.leadership_gate import LeadershipGate, not_judged
from ..._rollout._nodes.node_hosts import NodeHosts
from ..._rollout._nodes.node_view import NodeView
from ..._text import sanitize

_MAX_TEXT = 200


class Leaders(NamedTuple):
    """The nodes of the leaders, and what is not judged, in sentences."""

    nodes: frozenset[str]
    warnings: tuple[str, ...]


def find_leaders(client: Client, gates: Sequence[LeadershipGate], views: Sequence[NodeView]) -> Leaders:
    """Return which nodes of a pool lead the components of these gates."""
    hosts = NodeHosts(views)
    nodes: set[str] = set()
    warnings: list[str] = []
    for gate in gates:
        component = gate.component
        try:
            leader = read_leader(client, component)
        except KubeError as error:
            warnings.append(
                f"not judged: which node leads {component}, so it may not be last: {sanitize(error, _MAX_TEXT)}"
            )
            continue
        node = "" if leader is None else hosts.node_of(leader.host)
        if node:
            nodes.add(node)
        elif leader is not None:
            warnings.append(not_judged(component, leader))
        else:
            warnings.append(f"no instance leads {component}: no node is moved last for it")
    return Leaders(frozenset(nodes), tuple(warnings))
