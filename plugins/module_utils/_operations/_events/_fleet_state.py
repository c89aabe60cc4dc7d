# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow what is seen of a cluster, and decide which events it makes. Pure: all times are given."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..._text import count_of, sanitize
from ._agent_silence import AgentSilence
from ._automatic_changes import AutomaticChanges
from ._batches import Batches
from ._seen_node import SeenNode
from ._seen_pool import SeenPool, phase_event
from .event import Event, Kind

_NAMES_SHOWN = 100  # nodes that an event names
_REASONS_SHOWN = 10


class EventSettings(NamedTuple):
    """Times of an event source, in seconds.

    quiet, longest: nodes that join or drift are collected until none has come for quiet, or for longest at most.
    silent_after: an agent that has written nothing since then is silent. By default, an agent writes every ten minutes.
    """

    quiet: float = 5.0
    longest: float = 30.0
    silent_after: float = 1800.0


class _Report(NamedTuple):
    """What was reported of a node last.

    trouble: its bad state, and its assignment. drifts: by pool, the drift as it was reported.
    """

    uid: str
    trouble: tuple[str, int] | None = None
    drifts: Mapping[str, tuple[object, ...]] = {}
    is_silent: bool = False


class FleetState:
    """The Nodes and pools of a cluster as they were seen last, and what was reported of them.

    knows_nodes, knows_pools: whether the first list is complete; events begin when both are. silence: of agents.
    """

    def __init__(self, settings: EventSettings) -> None:
        """Know nothing yet."""
        self.knows_nodes = self.knows_pools = False
        self.silence = AgentSilence(settings.silent_after)
        self._quiet = settings.quiet
        self._nodes: dict[str, SeenNode] = {}
        self._pools: dict[str, SeenPool] = {}
        self._pools_of: dict[str, tuple[str, ...]] = {}
        self._reports: dict[str, _Report] = {}
        self._changed: set[str] = set()  # nodes to evaluate
        self._rollout_events: list[Event] = []
        self._joined: Batches[SeenNode] = Batches(settings.quiet, settings.longest)
        self._drifted: Batches[tuple[SeenNode, str]] = Batches(settings.quiet, settings.longest)
        self._automatic = AutomaticChanges()
        self._has_begun = False
        self._held: dict[str, set[str]] = {}  # by pool, the uids of nodes whose drift waits for an operator
        self._batches_from = 0.0  # batches wait until the records are current again

    def see_node(self, seen: SeenNode) -> None:
        """Note a Node that was added or has changed."""
        name = seen.view.name
        before = self._nodes.get(name)
        if before is not None and before.view.uid != seen.view.uid:
            self.lose_node(name)
        self._nodes[name] = seen
        self._changed.add(name)

    def lose_node(self, name: str) -> None:
        """Note that a Node was deleted."""
        seen = self._nodes.pop(name, None)
        if seen is None:
            return
        self._leave(seen, self._pools_of.pop(name, ()))
        self._reports.pop(name, None)
        self._changed.discard(name)
        self._automatic.forget(seen.view.uid)

    def see_pool(self, pool: SeenPool) -> None:
        """Note a pool whose record was added or has changed."""
        before = self._pools.get(pool.name)
        event = phase_event(before, pool)
        if event is not None:
            self._rollout_events.append(event)
        self._pools[pool.name] = pool
        if before is None or before.facts != pool.facts:
            self._changed.update(self._nodes)

    def lose_pool(self, name: str) -> None:
        """Note that the record of a pool was deleted, or cannot be read."""
        if self._pools.pop(name, None) is not None:
            self._changed.update(self._nodes)

    def pause_records(self) -> None:
        """Note that the records are not watched: what depends on them waits."""
        self._batches_from = float("inf")

    def resume_records(self, now: float) -> None:
        """Note that the records are watched again; what has changed meanwhile comes next."""
        self._batches_from = now + self._quiet

    @property
    def not_heard(self) -> int:
        """Return how many Nodes do not say when their agent last wrote, so that its silence is not judged."""
        return sum(1 for seen in self._nodes.values() if seen.view.has_agent and seen.heard is None)

    @property
    def due(self) -> float:
        """When take_events() has something to do without news."""
        if not (self.knows_nodes and self.knows_pools):
            return float("inf")
        if self._changed:
            return 0.0
        return min(max(min(self._joined.due, self._drifted.due), self._batches_from), self.silence.due)

    def take_events(self, now: float) -> list[Event]:
        """Return what is new, and what is due. now: seconds of a clock that only grows."""
        if not (self.knows_nodes and self.knows_pools):
            return []
        changed = [self._nodes[name] for name in sorted(self._changed)]
        self._changed.clear()
        self._sort_into_pools(changed)
        self._note_drifts(changed, now)
        self._note_joined(changed, now)
        news = [*self._rollout_events, *self._trouble_events(changed)]
        self._rollout_events = []
        events = [event._replace(fields={**event.fields, "at_start": not self._has_begun}) for event in news]
        self._has_begun = True
        if now >= self._batches_from:
            events += [self._joined_event(self._pools[name], nodes) for name, nodes in self._joined.take(now).items()]
            events += [self._drift_event(self._pools[name], all, now) for name, all in self._drifted.take(now).items()]
        if self.silence.takes_turn(now):
            events += self._silent_events(now)
        return events

    def _sort_into_pools(self, nodes: Sequence[SeenNode]) -> None:
        for seen in nodes:
            name = seen.view.name
            pools = tuple(pool.name for pool in self._pools.values() if pool.has(seen.view))
            self._leave(seen, [pool for pool in self._pools_of.get(name, ()) if pool not in pools])
            self._pools_of[name] = pools

    def _leave(self, seen: SeenNode, pools: Sequence[str]) -> None:
        """Take a node out of what is kept of pools."""
        for pool in pools:
            self._joined.discard(pool, seen.view.uid)
            self._end_drift(pool, seen)

    def _end_drift(self, pool: str, seen: SeenNode) -> None:
        report = self._report_of(seen)
        self._drifted.discard(pool, seen.view.uid)
        drifts = {name: drift for name, drift in report.drifts.items() if name != pool}
        self._reports[seen.view.name] = report._replace(drifts=drifts)
        self._release(pool, [seen.view.uid])

    def _release(self, pool: str, uids: Collection[str]) -> None:
        """Note that no operator has to decide on the drift of these nodes."""
        held = self._held.get(pool)
        if held:
            held.difference_update(uids)
            if not held:
                self._changed.update(self._nodes)  # nodes may join again

    def _report_of(self, seen: SeenNode) -> _Report:
        return self._reports.setdefault(seen.view.name, _Report(seen.view.uid))

    def _trouble_events(self, nodes: Sequence[SeenNode]) -> Iterator[Event]:
        for seen in nodes:
            report, state = self._report_of(seen), seen.state
            if state in ("failed", "unknown") and not seen.view.leaving:
                trouble = (state, seen.view.assigned.id)
                if trouble != report.trouble:
                    self._reports[seen.view.name] = report._replace(trouble=trouble)
                    yield self._node_event(Kind.CONFIG_FAILED if state == "failed" else Kind.CONFIG_UNKNOWN, seen)
            elif state in ("ok", "trial") and report.trouble is not None:
                self._reports[seen.view.name] = report._replace(trouble=None)
                yield self._node_event(Kind.CONFIG_RECOVERED, seen)

    def _note_joined(self, nodes: Sequence[SeenNode], now: float) -> None:
        for seen in nodes:
            for name in self._pools_of[seen.view.name]:
                pool = self._pools[name]
                joins = pool.is_complete and seen.has_joined
                if joins and self._automatic.is_new(seen.view.uid, self._joining(pool)):
                    self._joined.add(name, seen.view.uid, seen, now)
                else:
                    self._joined.discard(name, seen.view.uid)

    def _joined_event(self, pool: SeenPool, nodes: Sequence[SeenNode]) -> Event:
        uids = sorted(seen.view.uid for seen in nodes)
        why_not = self._why_no_joins(pool)
        self._automatic.note_joined(uids, self._joining(pool))
        return Event(Kind.NODES_JOINED, f"{pool.target}/{uids[0]}", _pool_fields(pool, nodes, why_not))

    def _why_no_joins(self, pool: SeenPool) -> str:
        """Return why no reconcile follows for nodes that join: it would take the drift of other nodes back, too."""
        held = len(self._held.get(pool.name, ()))
        return pool.refusal or (
            f"{count_of(held, 'node')} of the pool drifted: an operator decides first" if held else ""
        )

    def _joining(self, pool: SeenPool) -> str:
        """Return what a node joins: once the pool may be reconciled again, it is news again."""
        return f"{pool.target}/{bool(self._why_no_joins(pool))}"

    def _note_drifts(self, nodes: Sequence[SeenNode], now: float) -> None:
        members: dict[str, list[SeenNode]] = {}
        for seen in nodes:
            for name in self._pools_of[seen.view.name]:
                members.setdefault(name, []).append(seen)
        for name, mine in members.items():
            pool = self._pools[name]
            drifts = pool.drifts([seen.view for seen in mine if seen.may_drift])
            for seen in mine:
                self._note_drift(pool, seen, drifts.get(seen.view.name, ""), now)

    def _note_drift(self, pool: SeenPool, seen: SeenNode, reason: str, now: float) -> None:
        if not reason:
            self._end_drift(pool.name, seen)
            return
        report = self._report_of(seen)
        drift = (pool.target, _assignment(seen), bool(pool.refusal))
        if report.drifts.get(pool.name) != drift:
            self._drifted.add(pool.name, seen.view.uid, (seen, reason), now)
            self._reports[seen.view.name] = report._replace(drifts={**report.drifts, pool.name: drift})

    def _drift_event(self, pool: SeenPool, drifted: Sequence[tuple[SeenNode, str]], now: float) -> Event:
        nodes = [seen for seen, _reason in drifted]
        assignments = {seen.view.uid: _assignment(seen) for seen in nodes}
        size = sum(1 for pools in self._pools_of.values() if pool.name in pools)
        self._automatic.note_drifted(pool.name, assignments, pool.target, now)
        why_not = pool.refusal or self._automatic.why_not(pool.name, assignments, pool.target, size)
        if why_not:
            self._held.setdefault(pool.name, set()).update(assignments)
        else:
            self._release(pool.name, assignments)
        reasons = [f"{seen.view.name}: {sanitize(reason)}" for seen, reason in drifted[:_REASONS_SHOWN]]
        uid, assignment = min(assignments.items())
        key = f"{pool.target}/{uid}/{assignment}"
        return Event(Kind.DRIFTED, key, {**_pool_fields(pool, nodes, why_not), "reasons": reasons})

    def _silent_events(self, now: float) -> Iterator[Event]:
        for name, seen in self._nodes.items():
            if seen.heard is None or not seen.view.has_agent:
                continue
            report = self._report_of(seen)
            silence = self.silence.seconds(seen.heard, now)
            is_silent = silence > 0
            if is_silent and not report.is_silent:
                key = f"{seen.view.uid}/{seen.view.assigned.id}/{seen.heard:.0f}"
                yield self._node_event(Kind.AGENT_SILENT, seen, silent_seconds=int(silence))._replace(key=key)
            if is_silent != report.is_silent:
                self._reports[name] = report._replace(is_silent=is_silent)

    def _node_event(self, kind: Kind, seen: SeenNode, **fields: Any) -> Event:
        view, pools = seen.view, self._pools_of.get(seen.view.name, ())
        return Event(
            kind,
            seen.key,
            {
                "node": view.name,
                "uid": view.uid,
                "pools": list(pools),
                "outside_of": [pool.name for pool in self._pools.values() if pool.is_moving and pool.name not in pools],
                "state": seen.state,
                "ready": view.ready is True,
                "assignment": view.assigned.id,
                "config_ok": view.answer.config_ok,
                "reason": view.answer.reason,
                "message": view.answer.message,
                "cause": sanitize(view.cause),
                "since": seen.since,
                **fields,
            },
        )


def _assignment(seen: SeenNode) -> int:
    """Return the id of the assignment that a node has, or had before it lost it."""
    return max(seen.view.assigned.id, seen.view.answered_id)


def _pool_fields(pool: SeenPool, nodes: Sequence[SeenNode], why_not: str) -> dict[str, Any]:
    return {
        **pool.description,
        "count": len(nodes),
        "nodes": sorted(seen.view.name for seen in nodes)[:_NAMES_SHOWN],
        "reconcile": not why_not,
        "why_not": sanitize(why_not),
    }
