# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an event source keeps of a pool, from its record. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._machines import MachinesError
from ..._machines._objects.selectors import LabelSelector, parse_selector
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._record.record import COMPLETE, HALTED, PAUSED, Record, Rollout
from ..._rollout._report.pool_status import drifted_nodes
from ..._text import sanitize
from .event import Event, Kind

_KINDS = {PAUSED: Kind.ROLLOUT_PAUSED, HALTED: Kind.ROLLOUT_HALTED, COMPLETE: Kind.ROLLOUT_COMPLETED}


class SeenPool(NamedTuple):
    """A pool as its record was seen last. selector: None for Machines, and for one that is not understood here."""

    record: Record
    selector: LabelSelector | None

    @property
    def name(self) -> str:
        """Return the name of the pool."""
        return self.record.pool

    @property
    def rollout(self) -> Rollout | None:
        """Return the rollout that the pool is in, or was in last."""
        return self.record.rollout

    @property
    def is_moving(self) -> bool:
        """Return whether a rollout moves nodes of the pool now, and it is known which nodes these are."""
        return self.selector is not None and self.rollout is not None and self.rollout.is_moving

    @property
    def is_not_understood(self) -> bool:
        """Return whether the pool has a selector that is not understood here, although the API server accepts it."""
        return self.selector is None and self.rollout is not None and not self.rollout.target.is_machines

    @property
    def is_complete(self) -> bool:
        """Return whether nodes that join get the config of the last rollout."""
        rollout = self.rollout
        return rollout is not None and rollout.phase == COMPLETE and rollout.has_ended and not rollout.target.is_init

    @property
    def target(self) -> str:
        """Return what names the pool, and what its last rollout has moved it to."""
        rollout = self.rollout
        return "" if rollout is None else f"{self.name}/{rollout.revision}/{rollout.target.uid}"

    @property
    def refusal(self) -> str:
        """Return why no reconcile of the pool may follow by itself, "" if one may."""
        if self.rollout is None:
            return "the pool has no rollout"
        if self.rollout.target.is_init:
            return "the pool is on the init config"
        if not self.is_complete:
            return f"the rollout of the pool is {self.rollout.phase}"
        return self.record.refusal(self.rollout.target) or ""

    @property
    def description(self) -> dict[str, Any]:
        """Return the fields of an event about the pool."""
        rollout = self.rollout
        if rollout is None:
            return {"pool": self.name}
        return {"pool": self.name, "revision": rollout.revision, "target": sanitize(rollout.target.name)}

    @property
    def facts(self) -> tuple[object, ...]:
        """Return what the state of a node depends on; when it differs, the nodes are evaluated again."""
        rollout = self.rollout
        if rollout is None:
            return ()
        return (
            rollout.start.selector,
            rollout.target,
            rollout.revision,
            rollout.phase,
            rollout.is_rolling_back,
            rollout.waves_done,
            len(rollout.failed_nodes),
            self.refusal,
        )

    def has(self, view: NodeView) -> bool:
        """Return whether a Node is one of the pool's."""
        return self.selector is not None and self.selector.matches(view.labels)

    def drifts(self, views: Sequence[NodeView]) -> dict[str, str]:
        """Return which of these Nodes have drifted from the pool's config, with the reason."""
        return drifted_nodes(self.record, views)


def see_pool(record: Record) -> SeenPool:
    """Return what is kept of a pool. The Nodes of Machines are those of their pools."""
    rollout = record.rollout
    if rollout is None or rollout.target.is_machines:
        return SeenPool(record, None)
    try:
        return SeenPool(record, parse_selector(rollout.start.selector))
    except MachinesError:  # the API server has accepted it
        return SeenPool(record, None)


def phase_event(before: SeenPool | None, now: SeenPool) -> Event | None:
    """Return the event of a rollout whose phase has changed, None for no news.

    before: None for a pool that was not seen yet, whose complete rollout is not news.
    """
    rollout = now.rollout
    kind = _KINDS.get(rollout.phase) if rollout else None
    if rollout is None or kind is None or (before is None and kind is Kind.ROLLOUT_COMPLETED):
        return None
    if before is not None and before.rollout is not None and _phase_key(before) == _phase_key(now):
        return None
    return Event(
        kind,
        _phase_key(now),
        {
            **now.description,
            "phase": rollout.phase,
            "reason": sanitize(rollout.reason),
            "failed_nodes": len(rollout.failed_nodes),
            "since": _entered_at(rollout),
        },
    )


def _phase_key(pool: SeenPool) -> str:
    rollout = pool.rollout
    return "" if rollout is None else f"{pool.name}/{rollout.revision}/{rollout.phase}/{_entered_at(rollout)}"


def _entered_at(rollout: Rollout) -> str:
    """Return when the rollout has entered its phase: later entries of the phase have other reasons or runners."""
    entered = rollout.started_at
    for entry in reversed(rollout.timeline):
        if entry.phase != rollout.phase:
            break
        entered = entry.time
    return sanitize(entered)
