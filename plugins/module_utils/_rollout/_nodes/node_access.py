# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assign config sources to Nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, KubeError, NotFound
from ..._kube.api_paths import NODES, node
from ..._kube.parallel import run_parallel
from ..._nodeconfig.assignment import Assignment, ConfigSource, assignment_patch, next_id
from ..._nodeconfig.well_known import ANNOTATION_ASSIGNMENT
from .. import RolloutError
from .node_list import MAX_CONNECTIONS, find_node, read_nodes
from .node_view import NodeView, node_view

_MAX_ATTEMPTS = 8
_MAX_SINGLE_READS = 32  # nodes that are read one by one; more are read by one list


@dataclass(frozen=True)
class AssignmentResult:
    """The result for one node. assignment: the id that it has now; before: its source before; error: "" for none."""

    name: str
    assignment: int = 0
    changed: bool = False
    before: ConfigSource | None = None
    error: str = ""


@dataclass(frozen=True)
class NodeAssignment:
    """The assignment of one node of a wave. view: of the Node before it; None for a Node that is deleted or missing."""

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

    Sends one metadata-only list, then one PATCH for each node that has another source; a node that changed in between
    is read again. forget_bad: assign the source again and let the node forget that it was bad. check: let the API
    server validate each PATCH (dryRun=All), and change nothing. Errors of a single node are in its result; the results
    are sorted by name. Raises RolloutError before anything is changed for a name that no Node has, KubeError when the
    nodes cannot be read.
    """
    views, missing = _find_nodes(client, names, selector)
    if missing:
        more = f", nor {', '.join(missing[1:4])}" + (f" and {len(missing) - 4} more" if missing[4:] else "")
        raise RolloutError(f"there is no Node {missing[0]}{more if missing[1:] else ''}: no Node was assigned anything")
    results = []
    to_assign = []
    for view in views:
        if not forget_bad and view.is_assigned(source):
            results.append(AssignmentResult(view.name, view.assigned.id, False, view.assigned.source))
        else:
            to_assign.append(view)

    def assign(view: NodeView) -> AssignmentResult:
        assignment = _patch_until_applied(client, view, source, forget_bad, lambda _view: True, dry_run=check)
        if assignment.view is None:
            return AssignmentResult(view.name, error=f"the Node {view.name} was deleted")
        return AssignmentResult(view.name, assignment.assignment, True, assignment.view.assigned.source)

    for view, result in run_parallel(assign, to_assign, workers=MAX_CONNECTIONS):
        results.append(AssignmentResult(view.name, error=str(result)) if isinstance(result, KubeError) else result)
    return sorted(results, key=lambda result: result.name)


def assign_node(
    client: Client,
    view: NodeView,
    source: ConfigSource | None,
    *,
    possibly_assigned: bool,
    forget_bad: bool = False,
    confirm_after: float | None = None,
    latest: Callable[[], NodeView | None] | None = None,
) -> NodeAssignment:
    """Assign source to a Node that was last seen as view, unless an earlier run has assigned it.

    A node that uses it already is assigned it again, which restarts nothing: its agent has not confirmed it for this
    rollout. possibly_assigned: whether an earlier run may have assigned it. confirm_after: the seconds after which the
    agent is to confirm it, None if it need not. forget_bad: let the node forget that the config was bad. latest:
    returns the newest view of a watch, which replaces view when the Node has changed since; without a newer one the
    Node is read again. Raises KubeError.
    """

    def needs_patch(view: NodeView) -> bool:
        return not possibly_assigned or needs_assignment(view, source, confirm_after, forget_bad=forget_bad)

    return _patch_until_applied(
        client, view, source, forget_bad, needs_patch, dry_run=False, confirm_after=confirm_after, latest=latest
    )


def needs_assignment(
    view: NodeView, source: ConfigSource | None, confirm_after: float | None, *, forget_bad: bool
) -> bool:
    """Return whether a node that an earlier run may have assigned source must be assigned it again.

    confirm_after, forget_bad: as for assign_node.
    """
    is_asked = confirm_after is None or view.assigned.confirm_after == confirm_after
    has_refused = view.is_in_doubt or (forget_bad and view.answer.config_ok == "False")
    return not view.is_assigned(source) or not is_asked or has_refused


def _patch_until_applied(
    client: Client,
    view: NodeView,
    source: ConfigSource | None,
    forget_bad: bool,
    needs_patch: Callable[[NodeView], bool],
    *,
    dry_run: bool,
    confirm_after: float | None = None,
    latest: Callable[[], NodeView | None] | None = None,
) -> NodeAssignment:
    conflict: Conflict | None = None
    assignment_id = 0
    for _attempt in range(_MAX_ATTEMPTS):
        if view.assigned.id == assignment_id and assignment_id and view.assigned.source == source:
            return NodeAssignment(view, assignment_id, True)  # our own PATCH, whose answer was lost
        if not needs_patch(view):
            return NodeAssignment(view, view.assigned.id)
        assignment_id = next_assignment_id(view)
        assignment = Assignment(assignment_id, forget_bad, confirm_after)
        body = assignment_patch(source, assignment, resource_version=view.resource_version)
        try:
            # A strategic patch has the same effect as a merge patch, and costs the API server a third less.
            client.patch(node(view.name), body, kind="strategic", dry_run=dry_run, metadata_only=True)
            return NodeAssignment(view, assignment_id, True)
        except Conflict as error:
            conflict = error
        except NotFound:
            return NodeAssignment(None)
        seen = latest() if latest is not None else None
        if seen is None or seen.resource_version == view.resource_version:
            seen = find_node(client, view.name)
        if seen is None or seen.deleting:
            return NodeAssignment(None)
        view = seen
    raise conflict or RolloutError(f"Node {view.name} changes too often to be assigned")


def next_assignment_id(view: NodeView) -> int:
    """Return the id of the next assignment of a Node."""
    return next_id({ANNOTATION_ASSIGNMENT: str(view.assigned.id)}, view.answered_id)


def _find_nodes(client: Client, names: Sequence[str] | None, selector: str) -> tuple[list[NodeView], list[str]]:
    if names is None:
        listing = client.list(NODES, label_selector=selector or None, metadata_only=True)
        return [node_view(item) for item in listing.items], []
    unique_names = list(dict.fromkeys(names))
    if len(unique_names) <= _MAX_SINGLE_READS:
        by_name = read_nodes(client, unique_names, metadata_only=True)
    else:
        by_name = {view.name: view for view in map(node_view, client.list(NODES, metadata_only=True).items)}
    views = {name: by_name.get(name) for name in unique_names}
    missing = [name for name, view in views.items() if view is None]
    return [view for view in views.values() if view is not None], missing
