# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the nodes whose controller manager or scheduler leads: a rollout to these components moves them last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..._kube.api_client import Client
from ..._kube.api_errors import Forbidden, KubeError
from ..._rollout._gates.control_plane_client import read_leader
from ..._rollout._gates.control_plane_gate import NAMESPACE
from ..._rollout._gates.leadership_gate import LeadershipGate, not_judged
from ..._rollout._nodes.node_hosts import NodeHosts
from ..._rollout._nodes.node_view import NodeView
from ..._rollout.plan import Plan
from ..._text import sanitize

_MAX_TEXT = 200


class Leaders(NamedTuple):
    """The nodes that lead, by component, and sentences: why the rollout is refused, and what is not judged."""

    nodes: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    def left_out(self, planned: Plan) -> tuple[str, ...]:
        """Return a sentence for each leader that the rollout does not move, and that does not use the config."""
        moved = {name for wave in planned.waves for name in wave.nodes} | {*planned.unmoved.already_on_target}
        return tuple(
            f"{node} leads {component}, and is not moved: the rollout pauses at its end until another instance leads"
            for component, node in self.nodes.items()
            if node not in moved
        )


def find_leaders(client: Client, gates: Sequence[LeadershipGate], views: Sequence[NodeView]) -> Leaders:
    """Return which nodes of a pool lead the components of these gates."""
    hosts = NodeHosts(views)
    nodes: dict[str, str] = {}
    warnings: list[str] = []
    refusals: list[str] = []
    for gate in gates:
        component = gate.component
        try:
            leader = read_leader(client, component)
        except Forbidden:
            refusals.append(
                f"this run may not get the Lease {NAMESPACE}/{component}, which says who leads {component}: run the "
                "role configok.node.cluster again"
            )
            continue
        except KubeError as error:
            warnings.append(
                f"not judged: which node leads {component}, so it may not be last: {sanitize(error, _MAX_TEXT)}"
            )
            continue
        node = "" if leader is None else hosts.node_of(leader.host)
        if node:
            nodes[component] = node
        elif leader is not None:
            warnings.append(not_judged(component, leader))
        else:
            warnings.append(f"no instance leads {component}: no node is moved last for it")
    return Leaders(nodes, tuple(warnings), tuple(refusals))
