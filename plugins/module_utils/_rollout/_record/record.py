# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a pool: revisions, bad and cleared configs, the current rollout. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from ..._nodeconfig.assignment import ConfigSource
from ..plan import BROKEN, BROKEN_WAVES, CANARY, Target, Wave
from ._control import Control

# The phases of a rollout that do not name a wave. A wave that moves is a phase too: "Canary", "Wave 1" (moving_phase).
PLANNED: Final = "Planned"
SOAKING: Final = "Soaking"
PAUSED: Final = "Paused"
HALTED: Final = "Halted"
COMPLETE: Final = "Complete"
ABORTED: Final = "Aborted"
UNPROVEN: Final = "Unproven"  # all is done, or no other node may be moved, and no node has passed
END_PHASES: frozenset[str] = frozenset((COMPLETE, HALTED, ABORTED, UNPROVEN))

# The results of a revision: the phase in which its last rollout ended, or the one below; "" before that. A revision is
# Unproven also when its rollout is complete, but no node has ever passed on it.
RevisionResult = Literal["", "Complete", "Halted", "Paused", "Aborted", "Superseded", "Unproven"]
SUPERSEDED: Final = "Superseded"  # another rollout took the place of one that had not ended

FailureKind = Literal["failed", "unknown", "gone", "drifted", "missed"]
MISSED: Final = "missed"  # the selector matches the node at the end, and it is not on the target
DRIFTED: Final = "drifted"  # the node had passed, then it was assigned another config by other means

# What to do when one node of several has failed.
ASK_OPERATOR: Final = (
    "no other node failed: if the node is at fault, clear the config with configok.node.forget and run it again; "
    "if the config is at fault, publish another, or undo"
)

ASK_OPERATOR_OF_MACHINES: Final = (
    "no other machine failed: if the machine is at fault, clear the change with configok.node.forget and run it again; "
    "if the change is at fault, change the Machine files"
)

# What to do when nodes have failed only because they trust no signer of the config.
SIGN_AGAIN: Final = (
    "the config is not at fault: have a signer that the nodes trust sign it with configok.node.config_signature, then "
    "run it again"
)

# Bounds that keep the record of 15,000 nodes below the 1 MiB of a ConfigMap.
_MAX_REVISIONS = 100
_MAX_BAD_CONFIGS = 100
MAX_FAILED_NODES = 200
_MAX_REASON = 300
_MAX_TIMELINE = 100


@dataclass(frozen=True)
class Revision:
    """The Nth bundle that was published for a pool.

    result: of its last rollout. pruned: when the bundle was deleted because it was old, "" while it exists. sequence,
    floor: of its statement, 0 without one.
    """

    number: int
    name: str
    namespace: str
    uid: str
    content_hash: str
    time: str
    author: str = ""
    cause: str = ""
    result: RevisionResult = ""
    pruned: str = ""
    sequence: int = 0
    floor: int = 0

    def is_of(self, target: Target) -> bool:
        """Return whether this revision is a target: the same bundle, or what the same Machine files declare."""
        if target.is_machines:
            return not self.namespace and (self.name, self.content_hash) == (target.name, target.content_hash)
        return bool(self.uid) and self.uid == target.uid


@dataclass(frozen=True)
class BadConfig:
    """A config that failed in this pool. It is refused, by uid and by content, until an operator clears it.

    confirmed: two nodes failed, or the only canary did. Otherwise one node of several failed, and that node may be at
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
        return _is_same_config(self.uid, self.content_hash, target)


@dataclass(frozen=True)
class ClearedConfig:
    """A bad config that an operator has cleared.

    failure: why it was refused. assigned: whether a rollout with forgetBad has started.
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
        return not self.assigned and _is_same_config(self.uid, self.content_hash, target)


@dataclass(frozen=True)
class FailedNode:
    """A node that did not succeed, or did not stay on the target."""

    node: str
    kind: FailureKind
    wave: str
    reason: str


class PreviousMachine(NamedTuple):
    """What the Node of a machine was before its rollout: uid, kubelet version, name and version of the runtime."""

    uid: str
    kubelet_version: str = ""
    runtime_name: str = ""
    runtime_version: str = ""


@dataclass(frozen=True)
class TimelineEntry:
    """A phase that a rollout was in from this time on, why, and who moved it."""

    time: str
    phase: str
    reason: str = ""
    runner: str = ""


@dataclass(frozen=True)
class RolloutStart:
    """What a rollout found when it started, and what it was asked.

    selector: the pool's. forget_bad: whether nodes that refused the config are assigned it again. already_on_target:
    nodes that used the target. previous_sources: what each node used, also one that has joined since, which is added
    when it joins. previous_machines: the Nodes that Machines had.
    """

    selector: str = ""
    forget_bad: bool = False
    already_on_target: tuple[str, ...] = ()
    previous_sources: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    previous_machines: Mapping[str, PreviousMachine] = field(default_factory=dict)


@dataclass(frozen=True)
class PresentWave:
    """How far the first wave has come that has not ended.

    assigned_up_to: how many of its nodes may have been assigned, written before they are. not_ready_at_start: nodes of
    the pool that were not Ready when the wave began. soaked_seconds: how long nodes of the wave have soaked.
    """

    assigned_up_to: int = 0
    not_ready_at_start: tuple[str, ...] = ()
    soaked_seconds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Rollout:
    """The rollout that a pool is in, or was in last.

    waves: frozen when it started (the last one may grow). waves_done: how many waves have ended well. size: the number
    of nodes that percentages are of. is_rolling_back: whether nodes are being rolled back (onFailure: rollback).
    rolling_back: these nodes, written before the first of them moves. timeline: the phases so far, the oldest first.
    """

    revision: int
    target: Target
    phase: str
    waves: tuple[Wave, ...]
    size: int
    started_at: str
    changed_at: str
    start: RolloutStart = RolloutStart()
    waves_done: int = 0
    present_wave: PresentWave = PresentWave()
    reason: str = ""
    runner: str = ""
    failed_nodes: tuple[FailedNode, ...] = ()
    is_rolling_back: bool = False
    rolling_back: tuple[str, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()

    @property
    def has_ended(self) -> bool:
        """Return whether the next run starts a new rollout instead of continuing this one."""
        return self.phase in END_PHASES and not self.is_rolling_back

    @property
    def is_moving(self) -> bool:
        """Return whether a runner should be moving nodes now."""
        return not self.has_ended and self.phase != PAUSED

    def is_for(self, target: Target) -> bool:
        """Return whether this rollout moves the pool to that target."""
        return (self.target.name, self.target.uid) == (target.name, target.uid)

    @property
    def failures(self) -> int:
        """Return how many failures count against the budget: all except those of broken nodes."""
        return sum(1 for failed in self.failed_nodes if failed.kind == "failed" and failed.wave not in BROKEN_WAVES)

    @property
    def has_passed(self) -> bool:
        """Return whether a node of the waves that are done has passed.

        When not all failed nodes are kept, the wave of broken nodes does not count: its failures are the first to go.
        """
        all_kept = len(self.failed_nodes) < MAX_FAILED_NODES
        failed_names = {failed.node for failed in self.failed_nodes if failed.kind != DRIFTED}
        done = [wave for wave in self.waves[: self.waves_done] if all_kept or wave.name != BROKEN]
        return any(name not in failed_names for wave in done for name in wave.nodes)

    def with_failed_nodes(self, failed_nodes: Mapping[str, FailedNode]) -> Rollout:
        """Return the rollout with the newest state of these nodes; the number of failed nodes that is kept is bounded.

        failed_nodes: has all nodes that have drifted; a drifted node that it does not have is back on the target.
        """
        by_name = {failed.node: failed for failed in self.failed_nodes if failed.kind != DRIFTED}
        by_name.update(
            {name: replace(failed, reason=failed.reason[:_MAX_REASON]) for name, failed in failed_nodes.items()}
        )
        # Failures are kept before the rest, since they count against the budget.
        ordered = sorted(by_name.values(), key=lambda failed: (failed.kind != "failed", failed.wave == BROKEN))
        return replace(self, failed_nodes=tuple(ordered[:MAX_FAILED_NODES]))

    def with_timeline(self) -> Rollout:
        """Return the rollout whose timeline ends with its present phase, reason and runner; its length is bounded.

        The first entry is kept, since it says when the rollout began.
        """
        entry = TimelineEntry(self.changed_at, self.phase, self.reason[:_MAX_REASON], self.runner)
        if self.timeline and replace(self.timeline[-1], time=entry.time) == entry:
            return self
        timeline = (*self.timeline, entry)
        if len(timeline) > _MAX_TIMELINE:
            timeline = (timeline[0], *timeline[-_MAX_TIMELINE + 1 :])
        return replace(self, timeline=timeline)

    def without_failed_nodes(self, names: frozenset[str]) -> Rollout:
        """Return the rollout without the failures of these nodes."""
        return replace(self, failed_nodes=tuple(failed for failed in self.failed_nodes if failed.node not in names))


@dataclass(frozen=True)
class Record:
    """The state of a pool that is kept between runs. control: what people request of its rollout."""

    pool: str
    revisions: tuple[Revision, ...] = ()
    bad_configs: tuple[BadConfig, ...] = ()
    rollout: Rollout | None = None
    cleared_configs: tuple[ClearedConfig, ...] = ()
    control: Control = Control()

    @property
    def latest(self) -> Revision | None:
        """Return the revision that was published last."""
        return self.revisions[-1] if self.revisions else None

    @property
    def open_rollout(self) -> Rollout | None:
        """Return the rollout that has not ended, None if the next run starts a new one."""
        return None if self.rollout is None or self.rollout.has_ended else self.rollout

    def revision_of(self, target: Target) -> Revision | None:
        """Return the newest revision that is this target."""
        return next((revision for revision in reversed(self.revisions) if revision.is_of(target)), None)

    def declared_revision(self, target: Target) -> Revision | None:
        """Return the revision of Machines that are rolled out now, or were declared last; None for a new revision."""
        if self.open_rollout is not None and self.open_rollout.is_for(target):
            return self.revision_of(target)
        return self.latest if self.latest is not None and self.latest.is_of(target) else None

    def next_revision_number(self) -> int:
        """Return the number of the revision that would be published next."""
        return self.revisions[-1].number + 1 if self.revisions else 1

    def bad_config(self, target: Target) -> BadConfig | None:
        """Return the bad config that this target is, by its uid or its content, None for no bad config."""
        return next((bad for bad in self.bad_configs if bad.matches(target)), None)

    def lets_nodes_forget(self, target: Target) -> bool:
        """Return whether nodes that refused this target are assigned it again, because an operator has cleared it."""
        rollout = self.open_rollout
        if rollout is not None and rollout.is_for(target) and rollout.start.forget_bad:
            return True
        return any(cleared.is_pending_for(target) for cleared in self.cleared_configs)

    def refusal(self, target: Target) -> str | None:
        """Return why this target must not be rolled out in the pool, and what to do; None when it is allowed.

        A target that is being rolled back is allowed, so that the rollback can continue.
        """
        bad = self.bad_config(target)
        taking_back = (
            self.rollout is not None and self.rollout.is_rolling_back and self.rollout.target.name == target.name
        )
        if bad is None or taking_back:
            return None
        advice = "publish another config, undo, or clear it with configok.node.forget"
        question = ASK_OPERATOR
        if target.is_machines:
            advice = "change the Machine files, or clear it with configok.node.forget"
            question = ASK_OPERATOR_OF_MACHINES
        if bad.confirmed:
            return f"{bad.name} failed in pool {self.pool} at {bad.time} and is refused: {bad.reason}: {advice}"
        return f"{bad.name} failed in pool {self.pool} at {bad.time}: {bad.reason}; {question}"

    def refusal_to_publish(self, target: Target) -> str | None:
        """Return why this target must not be published; None when it is allowed, or when the operator has to decide."""
        bad = self.bad_config(target)
        return self.refusal(target) if bad is not None and bad.confirmed else None

    def with_revision(
        self, target: Target, *, time: str, author: str, cause: str, sequence: int = 0, floor: int = 0
    ) -> Record:
        """Return the record with this target as its latest revision. sequence, floor: as Revision has them."""
        revision = Revision(
            self.next_revision_number(),
            target.name,
            target.namespace,
            target.uid,
            target.content_hash,
            time,
            author[:_MAX_REASON],
            cause[:_MAX_REASON],
            sequence=sequence,
            floor=floor,
        )
        return replace(self, revisions=(*self.revisions, revision)[-_MAX_REVISIONS:])

    def has_statement(self, uid: str, sequence: int, floor: int) -> bool:
        """Return whether a revision of a bundle has the numbers of this statement."""
        return any(
            (revision.uid, revision.sequence, revision.floor) == (uid, sequence, floor) for revision in self.revisions
        )

    def with_statement(self, uid: str, sequence: int, floor: int) -> Record:
        """Return the record in which the revisions of a bundle have the numbers of its statement."""
        return self.with_revisions(lambda revision: revision.uid == uid, sequence=sequence, floor=floor)

    def with_bad_config(self, target: Target, reason: str, time: str, *, confirmed: bool = True) -> Record:
        """Return the record in which this target is bad; the init config never becomes bad."""
        known = self.bad_config(target)
        if target.is_init or (known is not None and (known.confirmed or not confirmed)):
            return self
        others = tuple(bad for bad in self.bad_configs if bad is not known)
        bad = BadConfig(target.uid, target.name, target.content_hash, reason[:_MAX_REASON], time, confirmed)
        return replace(self, bad_configs=(*others, bad)[-_MAX_BAD_CONFIGS:])

    def with_cleared_config(self, bad: BadConfig, *, reason: str, author: str, time: str) -> Record:
        """Return the record in which an operator has cleared a bad config."""
        cleared = ClearedConfig(
            bad.uid, bad.name, bad.content_hash, bad.reason, time, reason[:_MAX_REASON], author[:_MAX_REASON]
        )
        return replace(
            self,
            bad_configs=tuple(present for present in self.bad_configs if present != bad),
            cleared_configs=(*self.cleared_configs, cleared)[-_MAX_BAD_CONFIGS:],
        )

    def with_clearing_used(self, target: Target) -> Record:
        """Return the record in which a rollout has started that lets nodes forget that this target was bad."""
        return replace(
            self,
            cleared_configs=tuple(
                replace(cleared, assigned=True) if cleared.is_pending_for(target) else cleared
                for cleared in self.cleared_configs
            ),
        )

    def with_timeline(self) -> Record:
        """Return the record in which the timeline of the rollout ends with its present phase."""
        rollout = None if self.rollout is None else self.rollout.with_timeline()
        return self if rollout is self.rollout else replace(self, rollout=rollout)

    def with_result(self, number: int, result: RevisionResult) -> Record:
        """Return the record in which the revision of that number has this result."""
        return self.with_revisions(lambda revision: revision.number == number, result=result)

    def with_revisions(self, matches: Callable[[Revision], bool], **changes: Any) -> Record:
        """Return the record in which the revisions that match are changed."""
        revisions = (replace(revision, **changes) if matches(revision) else revision for revision in self.revisions)
        return replace(self, revisions=tuple(revisions))


def _is_same_config(uid: str, content_hash: str, target: Target) -> bool:
    return bool((target.uid and uid == target.uid) or (target.content_hash and content_hash == target.content_hash))


def moving_phase(wave: str) -> str:
    """Return the phase while a wave of this name moves: Canary, Wave 1, ...; Wave 0 for broken nodes."""
    if wave == CANARY:
        return "Canary"
    return "Wave 0" if wave == BROKEN else wave.capitalize()


def record_uids(record: Record) -> frozenset[str]:
    """Return the uids of the bundles that a record needs: its rollout's, what its nodes used before, its latest."""
    uids = {record.latest.uid} if record.latest is not None else set()
    rollout = record.rollout
    if rollout is not None:
        uids.add(rollout.target.uid)
        uids |= {revision.uid for revision in record.revisions if revision.number == rollout.revision}
        uids |= {source.uid for source in rollout.start.previous_sources.values() if source is not None}
    return frozenset(uids - {""})
