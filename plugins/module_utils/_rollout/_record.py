# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a pool: its revisions, what failed, and the rollout that is under way. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .._nodeconfig._assignment import ConfigSource
from ._plan import BROKEN, CANARY, Target, Wave

__all__ = [
    "ABORTED",
    "COMPLETE",
    "DRIFTED",
    "HALTED",
    "MAX_FAILED_NODES",
    "PAUSED",
    "PLANNED",
    "SOAKING",
    "UNPROVEN",
    "BadConfig",
    "FailedNode",
    "ClearedConfig",
    "Record",
    "Revision",
    "Rollout",
    "moving_phase",
]

PLANNED = "Planned"
SOAKING = "Soaking"
PAUSED = "Paused"
HALTED = "Halted"
COMPLETE = "Complete"
ABORTED = "Aborted"

UNPROVEN = "Unproven"  # the result of a revision whose rollout is complete, without a node that passed on it

DRIFTED = "drifted"  # the kind of an exception: it had passed, then somebody else assigned the node something
_ENDED = (COMPLETE, HALTED, ABORTED)

# Bounds that keep the record of 15,000 nodes below the 1 MiB of a ConfigMap.
_MAX_REVISIONS = 100
_MAX_BAD = 100
MAX_FAILED_NODES = 200
_MAX_REASON = 300


@dataclass(frozen=True)
class Revision:
    """The Nth bundle published for a pool. result: the phase its last rollout ended in, or UNPROVEN; "" before that."""

    number: int
    name: str
    namespace: str
    uid: str
    content_hash: str
    time: str
    author: str = ""
    cause: str = ""
    result: str = ""


@dataclass(frozen=True)
class BadConfig:
    """A config that failed in this pool: refused, by uid and by content, until an operator clears it.

    confirmed: two nodes failed, or the only canary did. Otherwise one node of several failed, which may be the node's
    fault: the operator decides.
    """

    uid: str
    name: str
    content_hash: str
    reason: str
    time: str
    confirmed: bool = True

    def matches(self, target: Target) -> bool:
        """Return whether a target is this config, by its uid or its content."""
        return _is_same(self.uid, self.content_hash, target)


@dataclass(frozen=True)
class ClearedConfig:
    """A bad config that an operator cleared.

    failure: why it was refused. assigned: whether a rollout with forgetBad has begun.
    """

    uid: str
    name: str
    content_hash: str
    failure: str
    time: str
    reason: str
    author: str
    assigned: bool = False

    def is_pending_for(self, target: Target) -> bool:
        """Return whether the next rollout of this target lets the nodes forget that it was bad."""
        return not self.assigned and _is_same(self.uid, self.content_hash, target)


@dataclass(frozen=True)
class FailedNode:
    """A node that did not come through, or did not stay. kind: "failed", "unknown", "gone" or "drifted"."""

    node: str
    kind: str
    wave: str
    reason: str


@dataclass(frozen=True)
class Rollout:
    """The rollout that a pool is in, or was in last.

    waves: frozen when it began (the last one may grow). finished: how many are through. cursor: how many nodes of the
    wave
    after those may have been assigned, written before they are. size: the frozen denominator. down: nodes that were
    not ready when the wave began. before: what each node used when the rollout began. taking_back: whether nodes are on
    their way back (onFailure: rollback). returning: which nodes these are, written before the first of them moves.
    forget_bad: whether nodes that refused the config are assigned it again. soaked: for how many seconds nodes of the
    wave under way have soaked. selector: the pool's, "" in a record of an older version. already: nodes that used the
    target when the rollout began, which an older version did not write down.
    """

    revision: int
    target: Target
    phase: str
    waves: tuple[Wave, ...]
    size: int
    started_at: str
    changed_at: str
    waves_done: int = 0
    assigned_up_to: int = 0
    reason: str = ""
    runner: str = ""
    not_ready_at_start: tuple[str, ...] = ()
    failed_nodes: tuple[FailedNode, ...] = ()
    previous_sources: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    is_rolling_back: bool = False
    rolling_back: tuple[str, ...] = ()
    forget_bad: bool = False
    soaked_seconds: Mapping[str, int] = field(default_factory=dict)
    selector: str = ""
    already_on_target: tuple[str, ...] = ()

    @property
    def has_ended(self) -> bool:
        """Return whether a new run would begin a new rollout instead of going on with this one."""
        return self.phase in _ENDED and not self.is_rolling_back

    @property
    def is_moving(self) -> bool:
        """Return whether a runner should be moving nodes now."""
        return not self.has_ended and self.phase != PAUSED

    def is_for(self, target: Target) -> bool:
        """Return whether this rollout takes the pool to that target."""
        return (self.target.name, self.target.uid) == (target.name, target.uid)

    @property
    def failures(self) -> int:
        """Return how many nodes have failed so far, which the budget is spent on; those of the lane spend none."""
        return sum(1 for one in self.failed_nodes if one.kind == "failed" and one.wave != BROKEN)

    @property
    def has_passed(self) -> bool:
        """Return whether a node of the waves that are through has passed.

        Where more exceptions were found than are kept, nodes of the lane are not counted: those outside are kept first.
        """
        all_kept = len(self.failed_nodes) < MAX_FAILED_NODES
        without = {one.node for one in self.failed_nodes if one.kind != DRIFTED}
        through = [wave for wave in self.waves[: self.waves_done] if all_kept or wave.name != BROKEN]
        return any(name not in without for wave in through for name in wave.nodes)

    def with_failed_nodes(self, found: Mapping[str, FailedNode]) -> Rollout:
        """Return the rollout with the newest word on each of these nodes; the number that is kept is bounded.

        found names all nodes that have drifted: those it does not name are back.
        """
        kept = {one.node: one for one in self.failed_nodes if one.kind != DRIFTED}
        kept.update({node: replace(one, reason=one.reason[:_MAX_REASON]) for node, one in found.items()})
        # Failures are kept before the rest, since the budget is counted from them.
        order = sorted(kept.values(), key=lambda one: (one.kind != "failed", one.wave == BROKEN))
        return replace(self, failed_nodes=tuple(order[:MAX_FAILED_NODES]))

    def without_failed_nodes(self, nodes: frozenset[str]) -> Rollout:
        """Return the rollout with nothing held against these nodes."""
        return replace(self, failed_nodes=tuple(one for one in self.failed_nodes if one.node not in nodes))


@dataclass(frozen=True)
class Record:
    """All that is kept of a pool between runs."""

    pool: str
    revisions: tuple[Revision, ...] = ()
    bad_configs: tuple[BadConfig, ...] = ()
    rollout: Rollout | None = None
    cleared_configs: tuple[ClearedConfig, ...] = ()

    @property
    def latest(self) -> Revision | None:
        """Return the revision that was published last."""
        return self.revisions[-1] if self.revisions else None

    def revision_of(self, target: Target) -> Revision | None:
        """Return the newest revision that is this target."""
        return next((one for one in reversed(self.revisions) if one.uid and one.uid == target.uid), None)

    def next_revision_number(self) -> int:
        """Return the number of the revision that would be published next."""
        return self.revisions[-1].number + 1 if self.revisions else 1

    def bad_config(self, target: Target) -> BadConfig | None:
        """Return why this target is refused in the pool, by its uid or its content, None where it is not."""
        return next((bad for bad in self.bad_configs if bad.matches(target)), None)

    def lets_nodes_forget(self, target: Target) -> bool:
        """Return whether nodes that refused this target are assigned it again, because an operator cleared it."""
        rollout = self.rollout
        running = rollout is not None and not rollout.has_ended and rollout.is_for(target) and rollout.forget_bad
        return running or any(one.is_pending_for(target) for one in self.cleared_configs)

    def refusal(self, target: Target) -> str | None:
        """Return why this target must not be rolled out in the pool, and what to do; None when it may.

        A rollout that is taking nodes back from it is no rollout of it: that must be able to go on.
        """
        bad = self.bad_config(target)
        taking_back = (
            self.rollout is not None and self.rollout.is_rolling_back and self.rollout.target.name == target.name
        )
        if bad is None or taking_back:
            return None
        if bad.confirmed:
            return (
                f"{bad.name} failed in pool {self.pool} at {bad.time} and is refused: {bad.reason}: "
                "publish another config, undo, or clear it with configok.node.forget"
            )
        return f"{bad.name} failed in pool {self.pool} at {bad.time}: {bad.reason}"

    def refusal_to_publish(self, target: Target) -> str | None:
        """Return why this target must not be published; None when it may, or when the operator is yet to decide."""
        bad = self.bad_config(target)
        return self.refusal(target) if bad is not None and bad.confirmed else None

    def with_revision(self, target: Target, *, time: str, author: str, cause: str) -> Record:
        """Return the record with this target as its latest revision."""
        revision = Revision(
            self.next_revision_number(),
            target.name,
            target.namespace,
            target.uid,
            target.content_hash,
            time,
            author[:_MAX_REASON],
            cause[:_MAX_REASON],
        )
        return replace(self, revisions=(*self.revisions, revision)[-_MAX_REVISIONS:])

    def with_bad_config(self, target: Target, reason: str, time: str, *, confirmed: bool = True) -> Record:
        """Return the record that remembers that this target failed; the init config is never remembered as bad."""
        known = self.bad_config(target)
        if target.is_init or (known is not None and (known.confirmed or not confirmed)):
            return self
        others = tuple(bad for bad in self.bad_configs if bad is not known)
        bad = BadConfig(target.uid, target.name, target.content_hash, reason[:_MAX_REASON], time, confirmed)
        return replace(self, bad_configs=(*others, bad)[-_MAX_BAD:])

    def with_cleared_config(self, bad: BadConfig, *, reason: str, author: str, time: str) -> Record:
        """Return the record in which an operator has cleared a bad config."""
        cleared = ClearedConfig(
            bad.uid, bad.name, bad.content_hash, bad.reason, time, reason[:_MAX_REASON], author[:_MAX_REASON]
        )
        return replace(
            self,
            bad_configs=tuple(one for one in self.bad_configs if one != bad),
            cleared_configs=(*self.cleared_configs, cleared)[-_MAX_BAD:],
        )

    def with_clearing_used(self, target: Target) -> Record:
        """Return the record in which a rollout has begun that lets nodes forget that this target was bad."""
        return replace(
            self,
            cleared_configs=tuple(
                replace(one, assigned=True) if one.is_pending_for(target) else one for one in self.cleared_configs
            ),
        )

    def with_result(self, number: int, result: str) -> Record:
        """Return the record in which the revision of that number ended so."""
        return replace(
            self,
            revisions=tuple(replace(one, result=result) if one.number == number else one for one in self.revisions),
        )


def _is_same(uid: str, content_hash: str, target: Target) -> bool:
    return bool((target.uid and uid == target.uid) or (target.content_hash and content_hash == target.content_hash))


def moving_phase(wave: str) -> str:
    """Return the phase in which a wave of this name moves: Canary, Wave 1, ...; broken nodes are Wave 0."""
    if wave == CANARY:
        return "Canary"
    return "Wave 0" if wave == BROKEN else wave.capitalize()
