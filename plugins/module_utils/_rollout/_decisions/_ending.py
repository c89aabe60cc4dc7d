# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide how a rollout ends whose waves are done: complete or unproven, and without which nodes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..._text import count_of, first_names
from .._nodes.node_goals import has_reached
from .._nodes.node_view import NodeView
from .._record.record import COMPLETE, MISSED, UNPROVEN, FailedNode, Record, Rollout
from ..plan import Plan, Target
from .skipped import skip_reason

_NAMES_SHOWN = 5


def complete(record: Record, plan: Plan, rollout: Rollout) -> Record:
    """Return the record in which a rollout has ended: it is complete if a node uses the target, otherwise unproven.

    Its revision is complete only when a node has passed on it.
    """
    is_done = rollout.waves_done == len(rollout.waves) and (rollout.has_passed or plan.proof.is_used)
    has_passed = plan.proof.has_passed or rollout.has_passed
    ended = replace(rollout, phase=COMPLETE) if is_done else _unproven(rollout)
    return replace(record, rollout=ended).with_result(rollout.revision, COMPLETE if has_passed else UNPROVEN)


def _unproven(rollout: Rollout) -> Rollout:
    """Return a rollout that has ended although no node has passed, with the reason of the first node."""
    first = next((f": {failed.node}: {failed.reason}" for failed in rollout.failed_nodes), "")
    return replace(rollout, phase=UNPROVEN, reason=f"0 of {rollout.size} passed{first}")


def with_missed(rollout: Rollout, plan: Plan, views: Iterable[NodeView]) -> Rollout:
    """Return the rollout that names every node of the pool that is not on the target, and says how many there are."""
    goals = ((view, plan.target.goal(view.name)) for view in views if not view.leaving)
    behind = [view for view, goal in goals if goal is not None and not has_reached(view, goal)]
    present = {failed.node: failed for failed in rollout.failed_nodes}
    missed = {
        view.name: FailedNode(view.name, MISSED, "", _missed_reason(view, plan.target, rollout, present))
        for view in behind
        if view.name not in present or present[view.name].kind == "gone"
    }
    if not behind:
        return rollout
    nodes = f"{count_of(len(behind), 'node')} {'is' if len(behind) == 1 else 'are'}"
    names = first_names(sorted(view.name for view in behind), _NAMES_SHOWN)
    named = rollout.with_failed_nodes({**present, **missed})
    return replace(named, reason=f"{nodes} not on the target: {names}")


def _missed_reason(view: NodeView, target: Target, rollout: Rollout, present: Mapping[str, FailedNode]) -> str:
    if view.name in present:
        return f"{present[view.name].reason}, and is back without the config"
    return skip_reason(view, target, forget_bad=rollout.start.forget_bad) or "it came too late"
