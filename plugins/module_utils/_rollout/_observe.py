# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading Nodes: all of a pool, and a few in full. Private to configok.node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._kube._client import Client
from .._kube._errors import Gone, KubeError, NotFound
from .._kube._fanout import fan_out
from .._kube._paths import NODES, node
from ._node_view import NodeView, node_view

__all__ = ["CONNECTIONS", "observe", "read_nodes"]

CONNECTIONS = 32  # requests at a time over many nodes
_PAGE = 500


def observe(client: Client, *, selector: str = "", names: Sequence[str] | None = None) -> list[NodeView]:
    """Return the Nodes that a label selector matches, or those of these names that exist; sorted by name.

    Pages are made small at once: 15,000 whole Nodes are more than a gigabyte. Raises KubeError.
    """
    if names is not None:
        views = [view for view in read_nodes(client, names).values() if isinstance(view, NodeView)]
    else:
        try:
            views = _pages(client, selector)
        except Gone:
            views = _pages(client, selector)
    return sorted(views, key=lambda view: view.name)


def read_nodes(client: Client, names: Iterable[str]) -> dict[str, NodeView | None]:
    """Return the Nodes of these names, read in full, None for one that does not exist. Raises KubeError."""
    found: dict[str, NodeView | None] = {}
    for name, result in fan_out(lambda one: node_view(client.get(node(one))), names, workers=CONNECTIONS):
        if isinstance(result, NotFound):
            found[name] = None
        elif isinstance(result, KubeError):
            raise result
        else:
            found[name] = result
    return found


def _pages(client: Client, selector: str) -> list[NodeView]:
    pages = client.pages(NODES, label_selector=selector or None, limit=_PAGE)
    return [node_view(item) for page in pages for item in page]
