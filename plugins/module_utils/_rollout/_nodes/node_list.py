# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List and read Nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import Gone, KubeError, NotFound
from ..._kube.api_paths import NODES, node
from ..._kube.parallel import Threads, run_parallel
from .. import RolloutError
from .node_view import NodeView, node_view

MAX_CONNECTIONS = 32  # requests at a time for many nodes
_PAGE = 500


def list_nodes(client: Client, *, selector: str = "", names: Sequence[str] | None = None) -> list[NodeView]:
    """Return the Nodes that a label selector matches, or those of these names that exist; sorted by name.

    Each page is reduced at once: 15,000 whole Nodes are more than a gigabyte. Raises KubeError.
    """
    if names is not None:
        views = [view for view in read_nodes(client, names).values() if isinstance(view, NodeView)]
    else:
        try:
            views = _pages(client, selector)
        except Gone:
            views = _pages(client, selector)
    return sorted(views, key=lambda view: view.name)


def find_node(client: Client, name: str) -> NodeView | None:
    """Return a Node, read in full, None for one that does not exist. Raises KubeError."""
    item = client.find(node(name))
    return None if item is None else node_view(item)


def read_nodes(
    client: Client,
    names: Iterable[str],
    *,
    metadata_only: bool = False,
    threads: Threads | None = None,
    make_view: Callable[[dict[str, Any]], NodeView] = node_view,
) -> dict[str, NodeView | None]:
    """Return the Nodes of these names, None for one that does not exist. Raises KubeError."""

    def read(name: str) -> NodeView:
        return make_view(client.get(node(name), metadata_only=metadata_only))

    views: dict[str, NodeView | None] = {}
    for name, result in run_parallel(read, names, workers=MAX_CONNECTIONS, threads=threads or Threads()):
        if isinstance(result, NotFound):
            views[name] = None
        elif isinstance(result, KubeError):
            raise result
        else:
            views[name] = result
    return views


def _pages(client: Client, selector: str) -> list[NodeView]:
    pages = client.pages(NODES, label_selector=selector or None, limit=_PAGE)
    return [node_view(item) for page in pages for item in page]


# Documented in the doc fragment configok.node.nodes, plugins/doc_fragments/nodes.py; the two must be equal.
NODES_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "nodes": {"type": "list", "elements": "str"},
    "label_selector": {"type": "str"},
}


def select_nodes(client: Client, names: Sequence[str] | None, label_selector: str | None) -> list[NodeView]:
    """Return the Nodes of these names, or of this selector, or all; sorted by name.

    Raises RolloutError for names that no Node has, and KubeError.
    """
    views = list_nodes(client, selector=label_selector or "", names=names)
    missing = sorted(set(names or ()) - {view.name for view in views})
    if missing:
        raise RolloutError(f"there is no Node {missing[0]}" + (f", nor {len(missing) - 1} more" if missing[1:] else ""))
    return views
