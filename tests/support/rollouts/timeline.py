# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happened in a rollout, as the API server saw it: every assignment, and what was true of the pool at that moment.

The timeline reads the raw objects after each write, and shares no code with the engine's gate and window.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import decode_record
from embedded_apiserver.http_server import Request, Response
from embedded_apiserver.resources import RESOURCES
from support.rollouts.world import World

__all__ = ["ClosedWave", "Move", "NodeTrack", "Timeline"]

_NODES = next(resource for resource in RESOURCES if resource.name == "nodes")
_MAPS = next(resource for resource in RESOURCES if resource.name == "configmaps")


@dataclass
class NodeTrack:
    """What is known of one node. All times are virtual seconds; uid: of a bundle, "" for the init config.

    down_since: when it was last seen to leave Ready, None while it is Ready. moved_at: when a runner assigned it
    something that it has neither answered with True or False nor lost since. good_since: since when it is Ready, and
    ConfigOK is True for what it is assigned. longest_good: its longest time of being good on that. confirmed: whether
    its agent has confirmed that. failed_at: when it answered False to that.
    """

    exists: bool = True
    uid: str = ""
    assignment: int = 0
    down_since: float | None = None
    moved_at: float | None = None
    good_since: float | None = None
    longest_good: float = 0.0
    has_been_good: bool = False
    confirmed: bool = False
    failed_at: float | None = None
    soaked_before: dict[str, float] = field(default_factory=dict)  # by the uids that it was assigned before

    def soaked(self, now: float) -> float:
        """Return its longest time of being good without a break, on what it is assigned."""
        return max(self.longest_good, 0.0 if self.good_since is None else now - self.good_since)

    def soaked_on(self, uid: str, now: float) -> float:
        """Return its longest time of being good without a break on a bundle, also before it was assigned another."""
        return max(self.soaked_before.get(uid, -1.0), self.soaked(now) if self.uid == uid and self.was_good else -1.0)

    @property
    def was_good(self) -> bool:
        """Return whether it was ever good on what it is assigned."""
        return self.good_since is not None or self.has_been_good

    def update(self, item: dict[str, Any] | None, now: float) -> None:
        """Take in the Node as it is now, None for one that was deleted."""
        self.exists = item is not None
        metadata = (item or {}).get("metadata") or {}
        annotations = metadata.get("annotations") or {}
        conditions = {
            condition["type"]: condition.get("status")
            for condition in ((item or {}).get("status") or {}).get("conditions") or ()
        }
        uid = _uid(_json(annotations.get(ANNOTATION_CONFIG_SOURCE)))
        assignment = _assignment_id(annotations.get(ANNOTATION_ASSIGNMENT))
        if (uid, assignment) != (self.uid, self.assignment) or item is None:
            self.soaked_before = {**self.soaked_before, self.uid: self.soaked_on(self.uid, now)}
            self.has_been_good = False
            self.uid, self.assignment = uid, assignment
            self.moved_at = self.good_since = self.failed_at = None
            self.longest_good = 0.0
        ready = conditions.get("Ready") == "True"
        if ready or item is None:
            self.down_since = None
        elif self.down_since is None:
            self.down_since = now
        status = _json(annotations.get(ANNOTATION_CONFIG_STATUS))
        answered = item is not None and status.get("assignment") == assignment
        uses = answered and _uid(status.get("active")) == uid and conditions.get("ConfigOK") == "True"
        if uses and ready:
            self.good_since = now if self.good_since is None else self.good_since
            self.moved_at = None
        elif self.good_since is not None:
            self.longest_good = self.soaked(now)
            self.has_been_good = True
            self.good_since = None
        self.confirmed = assignment > 0 and status.get("confirmed") == assignment
        if answered and conditions.get("ConfigOK") == "False":
            self.failed_at = now if self.failed_at is None else self.failed_at
            self.moved_at = None


@dataclass(frozen=True)
class Move:
    """An assignment by a runner that took effect, and the state right before it.

    sent: when the request left the runner. by: the runner. was_ready: whether the node was Ready. down: for how long
    each node of the pool that was not Ready had not been, without broken nodes that no run has repaired. in_flight:
    nodes that were assigned something at most node_timeout before, and had not answered it. failed: for how long each
    node had been failing on the target.
    """

    at: float
    sent: float
    by: str
    node: str
    uid: str
    was_ready: bool
    down: dict[str, float]
    in_flight: frozenset[str]
    failed: dict[str, float]
    rollout: Rollout | None

    @property
    def wave(self) -> str:
        """Return the name of the node's wave in the record, "" for a node of no wave."""
        waves = () if self.rollout is None else self.rollout.waves
        return next((wave.name for wave in waves if self.node in wave.nodes), "")

    def down_for(self, seconds: float) -> set[str]:
        """Return the nodes that had been down for at least so long, so that the runner knew."""
        return {name for name, since in self.down.items() if since >= seconds}


@dataclass(frozen=True)
class ClosedWave:
    """A wave that the record calls done, and its nodes at that moment. failed_nodes: kind by name, in the record."""

    at: float
    name: str
    soak: float
    tracks: dict[str, NodeTrack]
    failed_nodes: dict[str, str]


@dataclass
class Timeline:
    """Follows a world from its making on. runners: the users whose PATCHes of Nodes are a runner's."""

    world: World
    node_timeout: float
    target_uid: str
    runners: set[str] = field(default_factory=lambda: {"admin"})
    moves: list[Move] = field(default_factory=list)
    closed: list[ClosedWave] = field(default_factory=list)
    holders: list[tuple[float, str]] = field(default_factory=list)  # whose run holds the lock from then on, "" for none
    records: list[Record] = field(default_factory=list)
    reused_ids: list[str] = field(default_factory=list)  # nodes of which an assignment id stands for two configs
    before_each: Callable[[Request, str], Response | None] = lambda _request, _user: None
    sent_at: dict[str, float] = field(default_factory=dict)
    _tracks: dict[str, NodeTrack] = field(default_factory=dict)
    _record_version: str = ""
    _uids: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin to follow the world."""
        for stored in self.world.server.storage.all(_NODES):
            self._see(stored.key[1])
        self.world.server.intercept = self._intercept

    @property
    def _now(self) -> float:
        return self.world.clock.monotonic()

    @property
    def nodes(self) -> dict[str, NodeTrack]:
        """Return the nodes as they are now."""
        return self._tracks

    def holder(self, at: float) -> str:
        """Return whose run held the lock at this time, "" for none."""
        return next((name for since, name in reversed(self.holders) if since <= at), "")

    def _intercept(self, request: Request, user: Any, perform: Callable[[], Response]) -> Response | None:
        answer = self.before_each(request, user.name)
        if answer is not None:
            return answer
        if request.method == "GET":
            return None
        parts = request.path.strip("/").split("/")
        is_node = parts[:3] == ["api", "v1", "nodes"]
        name = parts[3] if is_node and len(parts) > 3 else ""
        is_move = is_node and request.method == "PATCH" and len(parts) == 4 and user.name in self.runners
        before = self._before(user.name, name) if is_move else None
        response = perform()
        if response.status >= 400:
            return response
        if is_node:
            name = name or str(json.loads(response.body)["metadata"]["name"])
            old = (self._track(name).uid, self._track(name).assignment)
            self._see(name)
            track = self._track(name)
            if before is not None and old != (track.uid, track.assignment):
                self.moves.append(Move(node=name, uid=track.uid, **before))
                if track.good_since is None:
                    track.moved_at = self._now
        elif "/leases" in request.path:
            is_held = bool(json.loads(response.body)["spec"].get("holderIdentity"))
            self.holders.append((self._now, user.name if is_held else ""))
        elif "/configmaps" in request.path:
            self._see_record()
        return response

    def _track(self, name: str) -> NodeTrack:
        return self._tracks.setdefault(name, NodeTrack())

    def _see(self, name: str) -> None:
        stored = self.world.server.storage.get(_NODES, "", name)
        track = self._track(name)
        track.update(None if stored is None else stored.item, self._now)
        if stored is None:  # another Node of this name begins with an id of its own
            self._uids = {key: uid for key, uid in self._uids.items() if key[0] != name}
        elif track.assignment and self._uids.setdefault((name, track.assignment), track.uid) != track.uid:
            self.reused_ids.append(name)

    def _before(self, user: str, name: str) -> dict[str, Any]:
        now = self._now
        rollout = self.records[-1].rollout if self.records else None
        broken = {
            node
            for wave in (rollout.waves if rollout else ())
            if wave.name == "broken"
            for node in wave.nodes
            if self._track(node).uid != self.target_uid or not self._track(node).soaked(now)
        }
        present = {node: track for node, track in self._tracks.items() if track.exists}
        return {
            "at": now,
            "sent": self.sent_at.get(f"{user} {name}", now),
            "by": user,
            "was_ready": self._track(name).down_since is None,
            "down": {
                node: now - track.down_since
                for node, track in present.items()
                if track.down_since is not None and node not in broken
            },
            "in_flight": frozenset(
                node
                for node, track in present.items()
                if track.moved_at is not None and now - track.moved_at <= self.node_timeout
            ),
            "failed": {
                node: now - track.failed_at
                for node, track in present.items()
                if track.failed_at is not None and track.uid == self.target_uid
            },
            "rollout": rollout,
        }

    def _see_record(self) -> None:
        stored = self.world.server.storage.get(_MAPS, "configok-rollouts", "workers")
        version = "" if stored is None else str(stored.version)
        if stored is None or version == self._record_version:
            return
        self._record_version = version
        record = decode_record(stored.item)
        before = self.records[-1].rollout if self.records else None
        self.records.append(record)
        rollout = record.rollout
        if rollout is None or rollout.target.uid != self.target_uid:
            return
        is_same = before is not None and before.started_at == rollout.started_at
        done_before = before.waves_done if before is not None and is_same else 0
        for wave in rollout.waves[done_before : rollout.waves_done]:
            tracks = {name: NodeTrack(**vars(self._track(name))) for name in wave.nodes}
            kinds: dict[str, str] = {failed.node: failed.kind for failed in rollout.failed_nodes}
            self.closed.append(ClosedWave(self._now, wave.name, wave.soak, tracks, kinds))


def _json(text: Any) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _uid(source: Any) -> str:
    reference = source.get("configMap") if isinstance(source, dict) else None
    return str(reference.get("uid") or "") if isinstance(reference, dict) else ""


def _assignment_id(text: Any) -> int:
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return 0
    value = value.get("id") if isinstance(value, dict) else value
    return value if isinstance(value, int) else 0
