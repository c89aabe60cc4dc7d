# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading Nodes: all of a pool, and a few in full. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._kube._api_client import Client
from .._kube._api_errors import Conflict, Gone, KubeError, NotFound
from .._kube._api_paths import NODES, node
from .._kube._parallel import Threads, run_parallel
from .._nodeconfig._assignment import Assignment, ConfigSource, assignment_patch, next_id
from .._nodeconfig._well_known import ANNOTATION_ASSIGNMENT
from ._node_view import NodeView, node_view
from ._rollout_errors import RolloutError

__all__ = [
    "AssignmentResult",
    "MAX_CONNECTIONS",
    "NodeAssignment",
    "NODES_ARGUMENT_SPEC",
    "assign_nodes",
    "assign_node",
    "list_nodes",
    "select_nodes",
    "read_nodes",
]

MAX_CONNECTIONS = 32  # requests at a time over many nodes
_PAGE = 500


def list_nodes(client: Client, *, selector: str = "", names: Sequence[str] | None = None) -> list[NodeView]:
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


def read_nodes(client: Client, names: Iterable[str], *, threads: Threads | None = None) -> dict[str, NodeView | None]:
    """Return the Nodes of these names, read in full, None for one that does not exist. Raises KubeError."""
    found: dict[str, NodeView | None] = {}
    for name, result in run_parallel(
        lambda one: node_view(client.get(node(one))), names, workers=MAX_CONNECTIONS, threads=threads or Threads()
    ):
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


_ATTEMPTS = 8
_FEW = 32  # so many nodes are read one by one, more by one list


@dataclass(frozen=True)
class AssignmentResult:
    """What became of one node. assignment: the id that it has now; before: its source before; error: "" when all is
    well.
    """

    name: str
    assignment: int = 0
    changed: bool = False
    before: ConfigSource | None = None
    error: str = ""


@dataclass(frozen=True)
class NodeAssignment:
    """What one node of a wave was told. view: as it was before; None: there is no such Node, or it is being deleted."""

    view: NodeView | None
    assignment: int = 0
    changed: bool = False


def assign_nodes(
    client: Client,
    source: ConfigSource | None,
    *,
    names: Sequence[str] | None = None,
    selector: str = "",
    forget_bad: bool = False,
    check: bool = False,
) -> list[AssignmentResult]:
    """Assign source (None: the init config) to Nodes of these names, or that the label selector matches.

    One metadata-only list, then one PATCH for each node that has something else; a node that changed in between is read
    again. forget_bad: assign anew and let the node forget that the config was bad. check: let the API server judge each
    PATCH (dryRun=All), and change nothing. Errors of a single node are in its result; the results are sorted by name.
    Raises RolloutError before anything is changed for a name that no Node has, KubeError when the nodes cannot be read.
    """
    found, missing = _read(client, names, selector)
    if missing:
        more = f", nor {', '.join(missing[1:4])}" + (f" and {len(missing) - 4} more" if missing[4:] else "")
        raise RolloutError(f"there is no Node {missing[0]}{more if missing[1:] else ''}: no Node was assigned anything")
    results = []
    todo = []
    for view in found:
        if not forget_bad and view.is_assigned(source):
            results.append(AssignmentResult(view.name, view.assigned_id, False, view.source))
        else:
            todo.append(view)

    def work(view: NodeView) -> AssignmentResult:
        given = _patch(client, view, source, forget_bad, lambda _view: False, dry_run=check)
        if given.view is None:
            return AssignmentResult(view.name, error=f"the Node {view.name} was deleted")
        return AssignmentResult(view.name, given.assignment, True, given.view.source)

    for view, result in run_parallel(work, todo, workers=MAX_CONNECTIONS):
        results.append(AssignmentResult(view.name, error=str(result)) if isinstance(result, KubeError) else result)
    return sorted(results, key=lambda one: one.name)


def assign_node(
    client: Client,
    view: NodeView,
    source: ConfigSource | None,
    *,
    is_done: Callable[[NodeView], bool],
    forget_bad: bool = False,
) -> NodeAssignment:
    """Assign source to a Node that was last seen as view, unless is_done says that this needs not be.

    A Node that has changed since is read again. forget_bad: let the node forget that the config was bad. Raises
    KubeError.
    """
    return _patch(client, view, source, forget_bad, is_done, dry_run=False)


def _patch(
    client: Client,
    view: NodeView,
    source: ConfigSource | None,
    forget_bad: bool,
    is_done: Callable[[NodeView], bool],
    *,
    dry_run: bool,
) -> NodeAssignment:
    conflict: Conflict | None = None
    tried = 0
    for _attempt in range(_ATTEMPTS):
        if view.assigned_id == tried and tried and view.source == source:
            return NodeAssignment(view, tried, True)  # the answer to our own PATCH was lost, and it was sent again
        if is_done(view):
            return NodeAssignment(view, view.assigned_id)
        tried = _next(view)
        body = assignment_patch(source, Assignment(tried, forget_bad), resource_version=view.resource_version)
        try:
            client.patch(node(view.name), body, dry_run=dry_run, metadata_only=True)
            return NodeAssignment(view, tried, True)
        except Conflict as error:
            conflict = error
        except NotFound:
            return NodeAssignment(None)
        again = _get(client, view.name)
        if again is None:
            return NodeAssignment(None)
        view = again
    raise conflict or RolloutError(f"Node {view.name} changes too often to be assigned")


def _get(client: Client, name: str) -> NodeView | None:
    try:
        view = node_view(client.get(node(name)))
    except NotFound:
        return None
    return None if view.deleting else view


def _next(view: NodeView) -> int:
    return next_id({ANNOTATION_ASSIGNMENT: str(view.assigned_id)}, view.answered_id)


def _read(client: Client, names: Sequence[str] | None, selector: str) -> tuple[list[NodeView], list[str]]:
    if names is None:
        listing = client.list(NODES, label_selector=selector or None, metadata_only=True)
        return [node_view(item) for item in listing.items], []
    wanted = list(dict.fromkeys(names))
    items: list[dict[str, Any]] = []
    if len(wanted) <= _FEW:
        reads = run_parallel(lambda one: client.get(node(one), metadata_only=True), wanted, workers=MAX_CONNECTIONS)
        for _name, result in reads:
            if isinstance(result, KubeError) and not isinstance(result, NotFound):
                raise result
            if not isinstance(result, KubeError):
                items.append(result)
    else:
        items = client.list(NODES, metadata_only=True).items
    by_name = {view.name: view for view in (node_view(item) for item in items)}
    return [by_name[name] for name in wanted if name in by_name], [name for name in wanted if name not in by_name]


# Documented in the doc fragment configok.node.nodes, plugins/doc_fragments/nodes.py; the two must be equal.
NODES_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "nodes": {"type": "list", "elements": "str"},
    "label_selector": {"type": "str"},
}


def select_nodes(client: Client, names: Sequence[str] | None, label_selector: str | None) -> list[NodeView]:
    """Return the Nodes of these names, or of this selector; neither means all. Sorted by name.

    Raises RolloutError for names that no Node has, and KubeError.
    """
    views = list_nodes(client, selector=label_selector or "", names=names)
    missing = sorted(set(names or ()) - {view.name for view in views})
    if missing:
        raise RolloutError(f"there is no Node {missing[0]}" + (f", nor {len(missing) - 1} more" if missing[1:] else ""))
    return views
