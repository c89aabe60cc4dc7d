# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a pool: its revisions, what failed, and the rollout that is under way. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .._nodeconfig._config_source import ConfigSource
from ._plan import BROKEN, CANARY, Wave
from ._target import Target

__all__ = [
    "ABORTED",
    "COMPLETE",
    "DRIFTED",
    "HALTED",
    "MAX_EXCEPTIONS",
    "PAUSED",
    "PLANNED",
    "SOAKING",
    "BadConfig",
    "Exceptional",
    "Record",
    "Revision",
    "Rollout",
    "phase_of",
]

PLANNED = "Planned"
SOAKING = "Soaking"
PAUSED = "Paused"
HALTED = "Halted"
COMPLETE = "Complete"
ABORTED = "Aborted"

DRIFTED = "drifted"  # the kind of an exception: it had passed, then somebody else assigned the node something
_ENDED = (COMPLETE, HALTED, ABORTED)

# Bounds that keep the record of 15,000 nodes below the 1 MiB of a ConfigMap.
_MAX_REVISIONS = 100
_MAX_BAD = 100
MAX_EXCEPTIONS = 200
_MAX_REASON = 300


@dataclass(frozen=True)
class Revision:
    """The Nth bundle published for a pool. result: the phase its last rollout ended in, "" before that."""

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
    """A config that failed in this pool: refused, by uid and by content, until somebody clears it."""

    uid: str
    name: str
    content_hash: str
    reason: str
    time: str


@dataclass(frozen=True)
class Exceptional:
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
    their way back (onFailure: rollback). soaked: for how many seconds nodes of the wave under way have soaked.
    """

    revision: int
    target: Target
    phase: str
    waves: tuple[Wave, ...]
    size: int
    started: str
    changed: str
    finished: int = 0
    cursor: int = 0
    reason: str = ""
    runner: str = ""
    down: tuple[str, ...] = ()
    exceptions: tuple[Exceptional, ...] = ()
    before: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    taking_back: bool = False
    soaked: Mapping[str, int] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Return whether a new run would begin a new rollout instead of going on with this one."""
        return self.phase in _ENDED and not self.taking_back

    def is_for(self, target: Target) -> bool:
        """Return whether this rollout takes the pool to that target."""
        return (self.target.name, self.target.uid) == (target.name, target.uid)

    @property
    def failures(self) -> int:
        """Return how many nodes have failed so far, which the budget is spent on; those of the lane spend none."""
        return sum(1 for one in self.exceptions if one.kind == "failed" and one.wave != BROKEN)

    def with_exceptions(self, found: Mapping[str, Exceptional]) -> Rollout:
        """Return the rollout with the newest word on each of these nodes; the number that is kept is bounded.

        found names all nodes that have drifted: those it does not name are back.
        """
        kept = {one.node: one for one in self.exceptions if one.kind != DRIFTED}
        kept.update({node: replace(one, reason=one.reason[:_MAX_REASON]) for node, one in found.items()})
        # Failures are kept before the rest, since the budget is counted from them.
        order = sorted(kept.values(), key=lambda one: (one.kind != "failed", one.wave == BROKEN))
        return replace(self, exceptions=tuple(order[:MAX_EXCEPTIONS]))

    def without_exceptions(self, nodes: frozenset[str]) -> Rollout:
        """Return the rollout with nothing held against these nodes."""
        return replace(self, exceptions=tuple(one for one in self.exceptions if one.node not in nodes))


@dataclass(frozen=True)
class Record:
    """All that is kept of a pool between runs."""

    pool: str
    revisions: tuple[Revision, ...] = ()
    bad: tuple[BadConfig, ...] = ()
    rollout: Rollout | None = None

    @property
    def latest(self) -> Revision | None:
        """Return the revision that was published last."""
        return self.revisions[-1] if self.revisions else None

    def revision_of(self, target: Target) -> Revision | None:
        """Return the newest revision that is this target."""
        return next((one for one in reversed(self.revisions) if one.uid and one.uid == target.uid), None)

    def next_number(self) -> int:
        """Return the number of the revision that would be published next."""
        return self.revisions[-1].number + 1 if self.revisions else 1

    def bad_config(self, target: Target) -> BadConfig | None:
        """Return why this target is refused in the pool, by its uid or its content, None where it is not."""
        for one in self.bad:
            if target.uid and one.uid == target.uid:
                return one
            if target.content_hash and one.content_hash == target.content_hash:
                return one
        return None

    def refusal(self, target: Target) -> str | None:
        """Return why this target must not be rolled out in the pool, and what to do; None when it may.

        A rollout that is taking nodes back from it is no rollout of it: that must be able to go on.
        """
        bad = self.bad_config(target)
        taking_back = self.rollout is not None and self.rollout.taking_back and self.rollout.target.name == target.name
        if bad is None or taking_back:
            return None
        return (
            f"{bad.name} failed in pool {self.pool} at {bad.time} and is refused: {bad.reason}: "
            "publish another config, or undo"
        )

    def with_revision(self, target: Target, *, time: str, author: str, cause: str) -> Record:
        """Return the record with this target as its latest revision."""
        revision = Revision(
            self.next_number(),
            target.name,
            target.namespace,
            target.uid,
            target.content_hash,
            time,
            author[:_MAX_REASON],
            cause[:_MAX_REASON],
        )
        return replace(self, revisions=(*self.revisions, revision)[-_MAX_REVISIONS:])

    def with_bad(self, target: Target, reason: str, time: str) -> Record:
        """Return the record that remembers that this target failed; the init config is never remembered as bad."""
        if target.is_init or self.bad_config(target) is not None:
            return self
        bad = BadConfig(target.uid, target.name, target.content_hash, reason[:_MAX_REASON], time)
        return replace(self, bad=(*self.bad, bad)[-_MAX_BAD:])

    def with_result(self, number: int, result: str) -> Record:
        """Return the record in which the revision of that number ended so."""
        return replace(
            self,
            revisions=tuple(replace(one, result=result) if one.number == number else one for one in self.revisions),
        )


def phase_of(wave: str) -> str:
    """Return the phase in which a wave of this name moves: Canary, Wave 1, ...; broken nodes are Wave 0."""
    if wave == CANARY:
        return "Canary"
    return "Wave 0" if wave == BROKEN else wave.capitalize()
