# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an undo changes on the nodes of a pool. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._componentconfig._documents._findings import POLICY
from .._kube._client import Client
from .._kube._paths import config_map
from .._nodeconfig._bundle import Bundle
from .._rollout._node_view import NodeView
from .._rollout._target import Target
from ._change_text import ChangedNodes, change_lines
from ._pool_changes import denied_findings, pool_changes, read_pool_nodes

__all__ = ["WayBack", "read_way_back"]


class WayBack(NamedTuple):
    """What going back changes. refusals: fields that nodes deny now, one sentence each."""

    changes: Sequence[ChangedNodes]
    refusals: tuple[str, ...]
    lines: Sequence[str]


def read_way_back(client: Client, views: Sequence[NodeView], target: Target) -> WayBack:
    """Compare what these nodes use with a published bundle or the init config. Raises KubeError, InvalidBundle."""
    pool = read_pool_nodes(client, views)
    if target.is_init:
        return _way_back("This is the way back to the init config", pool_changes(pool, {}), ())
    found = client.get(config_map(target.namespace, target.name))
    documents = dict(Bundle.from_config_map(found, target.source).documents)
    moving = pool._replace(views=[view for view in pool.views if view.active != target.source])
    denied = denied_findings(moving, {component: (component, text) for component, text in documents.items()})
    refusals = tuple(str(one) for one in denied if one.level == POLICY)
    return _way_back(f"This is the way back to {target.name}", pool_changes(pool, documents), refusals)


def _way_back(name: str, changes: Sequence[ChangedNodes], refusals: tuple[str, ...]) -> WayBack:
    return WayBack(changes, refusals, change_lines(name, changes))
