# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow what is seen of a cluster, and decide which events it makes. Pure: all times are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..._text import sanitize
from ._automatic_changes import AutomaticChanges
from ._batches import Batches
from ._seen_node import SeenNode
from ._seen_pool import SeenPool, phase_event
from .event import Event, Kind

_NAMES_SHOWN = 100  # nodes that an event names
_SILENCE_CHECK = 30.0  # seconds between two looks for silent agents


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

    trouble: its bad state, and its assignment. drifts: the pools from whose config it has drifted, and its assignment.
    """

    uid: str
    trouble: tuple[str, int] | None = None
    drifts: frozenset[tuple[str, int]] = frozenset()
    is_silent: bool = False


class FleetState:
    """The Nodes and pools of a cluster as they were seen last, and what was reported of them."""

    def __init__(self, settings: EventSettings) -> None:
        """Know nothing yet: events begin when both the Nodes and the records are known."""
        self._settings = settings
        self._nodes: dict[str, SeenNode] = {}
        self._pools: dict[str, SeenPool] = {}
        self._pools_of: dict[str, tuple[str, ...]] = {}
        self._reports: dict[str, _Report] = {}
        self._changed: set[str] = set()  # nodes to look at
        self._news: list[Event] = []  # of rollouts
        self._joined: Batches[SeenNode] = Batches(settings.quiet, settings.longest)
        self._drifted: Batches[tuple[SeenNode, str]] = Batches(settings.quiet, settings.longest)
        self._automatic = AutomaticChanges()
        self._silence_due = 0.0
        self._server_ahead: float | None = None  # of the caller's clock, in seconds
        self.knows_nodes = self.knows_pools = False

    def see_node(self, seen: SeenNode) -> None:
        """Take a Node that was added or has changed."""
        name = seen.view.name
        before = self._nodes.get(name)
        if before is not None and before.view.uid != seen.view.uid:
            self.lose_node(name)
        self._nodes[name] = seen
        self._changed.add(name)

    def lose_node(self, name: str) -> None:
        """Take that a Node was deleted."""
        seen = self._nodes.pop(name, None)
        self._reports.pop(name, None)
        self._changed.discard(name)
        pools = self._pools_of.pop(name, ())
        if seen is None:
            return
        for pool in pools:
            self._joined.discard(pool, seen.view.uid)
            self._drifted.discard(pool, seen.view.uid)
        self._automatic.forget(seen.view.uid)

    def see_pool(self, pool: SeenPool) -> None:
        """Take a pool whose record was added or has changed."""
        before = self._pools.get(pool.name)
        event = phase_event(before, pool)
        if event is not None:
            self._news.append(event)
        self._pools[pool.name] = pool
        if before is None or before.facts != pool.facts:
            self._changed.update(self._nodes)

    def lose_pool(self, name: str) -> None:
        """Take that the record of a pool was deleted."""
        if self._pools.pop(name, None) is not None:
            self._changed.update(self._nodes)

    def set_server_time(self, seconds: float, now: float) -> None:
        """Take the time of the API server, in seconds since 1970, as it was at `now` of the caller's clock."""
        self._server_ahead = seconds - now

    @property
    def not_heard(self) -> int:
        """Return how many Nodes do not say when their agent has written last, so that its silence is not judged."""
        return sum(1 for seen in self._nodes.values() if seen.view.has_agent and seen.heard is None)

    def take_events(self, now: float) -> list[Event]:
        """Return what is new, and what is due. now: seconds of a clock that only grows."""
        if not (self.knows_nodes and self.knows_pools):
            return []
        events, self._news = self._news, []
        changed, self._changed = self._changed, set()
        for name in changed:
            self._pools_of[name] = tuple(pool.name for pool in self._pools.values() if pool.has(self._nodes[name].view))
        self._note_drifts(changed, now)
        for name in sorted(changed):
            events.extend(self._trouble_events(name))
            self._note_joined(self._nodes[name], now)
        for pool, seen in self._joined.take(now).items():
            events.extend(self._joined_events(pool, seen))
        for pool, drifted in self._drifted.take(now).items():
            events.extend(self._drifted_events(pool, drifted, now))
        if now >= self._silence_due:
            self._silence_due = now + _SILENCE_CHECK
            events.extend(self._silent_events(now))
        return events

    @property
    def due(self) -> float:
        """When take_events() has something to do without news."""
        return min(self._joined.due, self._drifted.due, self._silence_due)

    def _trouble_events(self, name: str) -> Iterator[Event]:
        seen = self._nodes[name]
        reported = self._reports.setdefault(name, _Report(seen.view.uid))
        state = seen.state
        if state in ("failed", "unknown"):
            trouble = (state, seen.view.assigned.id)
            if trouble != reported.trouble:
                self._reports[name] = reported._replace(trouble=trouble)
                yield self._node_event(Kind.CONFIG_FAILED if state == "failed" else Kind.CONFIG_UNKNOWN, seen)
        elif state in ("ok", "trial") and reported.trouble is not None:
            self._reports[name] = reported._replace(trouble=None)
            yield self._node_event(Kind.CONFIG_RECOVERED, seen)

    def _note_joined(self, seen: SeenNode, now: float) -> None:
        for name in self._pools_of[seen.view.name]:
            pool = self._pools[name]
            if pool.is_complete and seen.has_joined and self._automatic.is_new(seen.view.uid, pool.revision):
                self._joined.add(name, seen.view.uid, seen, now)
            else:
                self._joined.discard(name, seen.view.uid)

    def _joined_events(self, name: str, nodes: list[SeenNode]) -> Iterator[Event]:
        pool = self._pools.get(name)
        if pool is None:
            return
        uids = sorted(seen.view.uid for seen in nodes)
        self._automatic.note_joined(uids, pool.revision)
        yield Event(
            Kind.NODES_JOINED,
            f"{name}/{pool.revision}/{uids[0]}",
            {
                "pool": name,
                "revision": pool.revision,
                "target": pool.target,
                "count": len(uids),
                "nodes": sorted(seen.view.name for seen in nodes)[:_NAMES_SHOWN],
                **_automatic(pool.refusal),
            },
        )

    def _note_drifts(self, changed: set[str], now: float) -> None:
        for pool in self._pools.values():
            mine = [self._nodes[name] for name in sorted(changed) if pool.name in self._pools_of[name]]
            drifts = pool.drifts([seen.view for seen in mine]) if mine else {}
            for seen in mine:
                self._note_drift(pool, seen, drifts.get(seen.view.name, ""), now)

    def _note_drift(self, pool: SeenPool, seen: SeenNode, reason: str, now: float) -> None:
        view = seen.view
        reported = self._reports.setdefault(view.name, _Report(view.uid))
        drift = (pool.name, view.assigned.id)
        others = frozenset(known for known in reported.drifts if known[0] != pool.name)
        if not reason:
            self._drifted.discard(pool.name, view.uid)
        elif drift not in reported.drifts:
            self._drifted.add(pool.name, view.uid, (seen, reason), now)
            self._automatic.note_drifted(pool.name, view.uid, pool.revision, now)
        self._reports[view.name] = reported._replace(drifts=others | {drift} if reason else others)

    def _drifted_events(self, name: str, drifted: list[tuple[SeenNode, str]], now: float) -> Iterator[Event]:
        pool = self._pools.get(name)
        if pool is None:
            return
        size = sum(1 for pools in self._pools_of.values() if name in pools)
        for seen, reason in drifted:
            why_not = pool.refusal or self._automatic.why_not(name, seen.view.uid, pool.revision, size=size, now=now)
            yield self._node_event(Kind.DRIFTED, seen, pool=name, drift=sanitize(reason), **_automatic(why_not))

    def _silent_events(self, now: float) -> Iterator[Event]:
        if self._server_ahead is None:
            return
        for name, seen in self._nodes.items():
            if seen.heard is None or not seen.view.has_agent:
                continue
            reported = self._reports.setdefault(name, _Report(seen.view.uid))
            silence = now + self._server_ahead - seen.heard
            is_silent = silence > self._settings.silent_after
            if is_silent and not reported.is_silent:
                key = f"{seen.view.uid}/{seen.view.assigned.id}/{seen.heard:.0f}"
                yield self._node_event(Kind.AGENT_SILENT, seen, silent_seconds=int(silence))._replace(key=key)
            if is_silent != reported.is_silent:
                self._reports[name] = reported._replace(is_silent=is_silent)

    def _node_event(self, kind: Kind, seen: SeenNode, **fields: Any) -> Event:
        view, pools = seen.view, self._pools_of.get(seen.view.name, ())
        moving = [pool.name for pool in self._pools.values() if pool.is_moving]
        return Event(
            kind,
            seen.key,
            {
                "node": view.name,
                "uid": view.uid,
                "pools": list(pools),
                "outside_of": [name for name in moving if name not in pools],
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


def _automatic(why_not: str) -> dict[str, Any]:
    return {"reconcile": not why_not, "why_not": sanitize(why_not)}
