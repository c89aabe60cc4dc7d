# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an event source keeps of a pool, from its record. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..._machines import MachinesError
from ..._machines._objects.selectors import LabelSelector, parse_selector
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._record.record import COMPLETE, HALTED, PAUSED, Record, Rollout
from ..._rollout._report.pool_status import drifted_nodes
from ..._text import sanitize
from .event import Event, Kind

_KINDS = {PAUSED: Kind.ROLLOUT_PAUSED, HALTED: Kind.ROLLOUT_HALTED, COMPLETE: Kind.ROLLOUT_COMPLETED}


class SeenPool(NamedTuple):
    """A pool as its record was seen last. selector: None if it selects nothing that can be read here."""

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
        """Return whether a rollout moves nodes of the pool now, or could when it is resumed."""
        return self.record.open_rollout is not None

    @property
    def is_complete(self) -> bool:
        """Return whether nodes that join get the config of the last rollout."""
        rollout = self.rollout
        return rollout is not None and rollout.phase == COMPLETE and rollout.has_ended and not rollout.target.is_init

    @property
    def revision(self) -> int:
        """Return the revision of the last rollout, 0 for none."""
        return self.rollout.revision if self.rollout else 0

    @property
    def target(self) -> str:
        """Return the name of what the last rollout moves the pool to, "" for none."""
        return self.rollout.target.name if self.rollout else ""

    @property
    def refusal(self) -> str:
        """Return why the target must not be rolled out again, "" if it may."""
        return (self.record.refusal(self.rollout.target) or "") if self.rollout else ""

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
    except MachinesError:  # the API server has accepted it; what is not understood selects nothing
        return SeenPool(record, None)


def phase_event(before: SeenPool | None, now: SeenPool) -> Event | None:
    """Return the event of a rollout whose phase has changed, None for no news.

    before: None for a pool that was not seen yet, whose complete rollout is not news.
    """
    rollout = now.rollout
    kind = _KINDS.get(rollout.phase) if rollout else None
    if rollout is None or kind is None or (before is None and kind is Kind.ROLLOUT_COMPLETED):
        return None
    if before is not None and before.rollout is not None and _phase(before.rollout) == _phase(rollout):
        return None
    entered = rollout.timeline[-1].time if rollout.timeline else rollout.started_at
    return Event(
        kind,
        f"{now.name}/{rollout.revision}/{rollout.phase}/{entered}",
        {
            "pool": now.name,
            "revision": rollout.revision,
            "target": rollout.target.name,
            "phase": rollout.phase,
            "reason": sanitize(rollout.reason),
            "failed_nodes": len(rollout.failed_nodes),
            "since": entered,
        },
    )


def _phase(rollout: Rollout) -> tuple[str, int, str]:
    return rollout.phase, rollout.revision, rollout.started_at
