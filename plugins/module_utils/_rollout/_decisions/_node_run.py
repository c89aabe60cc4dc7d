# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where one node of a wave is: its phase, and the table of the phases that may follow each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from ._gate import Attempt


class Phase(Enum):
    """What happens with a node of a wave now."""

    WAITING = "waiting"
    MOVING = "moving"  # it holds a slot, and a thread drains and assigns it
    POSTPONED = "postponed"  # its assignment has no answer: it waits again, and may be assigned
    UNCONFIRMED = "unconfirmed"  # it is assigned, and the watch has not shown that yet
    IN_FLIGHT = "in flight"  # it is assigned and not up yet: it holds a slot
    REBOOTING = "rebooting"  # it uses its new config, and a thread reboots it for that
    SOAKING = "soaking"  # it is up again: its slot is free, and the verdict is open
    ROLLING_BACK = "rolling back"  # it has failed, and a thread takes it back before that counts
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    GONE = "gone"


_VERDICTS = frozenset({Phase.PASSED, Phase.FAILED, Phase.UNKNOWN, Phase.GONE})

NEXT_PHASES: Mapping[Phase, frozenset[Phase]] = {
    Phase.WAITING: frozenset({Phase.MOVING, Phase.UNKNOWN}),
    Phase.MOVING: _VERDICTS | {Phase.WAITING, Phase.POSTPONED, Phase.UNCONFIRMED, Phase.IN_FLIGHT},
    Phase.POSTPONED: frozenset({Phase.MOVING, Phase.UNKNOWN}),
    Phase.UNCONFIRMED: frozenset({Phase.IN_FLIGHT, Phase.UNKNOWN}),
    Phase.IN_FLIGHT: _VERDICTS | {Phase.REBOOTING, Phase.SOAKING, Phase.ROLLING_BACK},
    Phase.REBOOTING: frozenset({Phase.IN_FLIGHT, Phase.SOAKING, Phase.UNKNOWN}),
    Phase.SOAKING: _VERDICTS | {Phase.REBOOTING, Phase.ROLLING_BACK},
    Phase.ROLLING_BACK: frozenset({Phase.FAILED, Phase.UNKNOWN}),
    Phase.PASSED: frozenset({Phase.ROLLING_BACK, Phase.FAILED}),
    Phase.FAILED: frozenset(),
    Phase.UNKNOWN: frozenset(),
    Phase.GONE: frozenset(),
}
"""The phases that may follow each phase; there are no others."""

# What users need not tell apart: counts and lines have the phase on the right.
_SHOWN_AS: Mapping[Phase, Phase] = {
    Phase.POSTPONED: Phase.WAITING,
    Phase.MOVING: Phase.IN_FLIGHT,
    Phase.UNCONFIRMED: Phase.IN_FLIGHT,
}
_IN_A_THREAD = (Phase.REBOOTING, Phase.ROLLING_BACK)
_OPEN = (Phase.UNCONFIRMED, Phase.IN_FLIGHT, Phase.REBOOTING, Phase.SOAKING, Phase.ROLLING_BACK)


class IllegalTransition(ValueError):
    """A phase that cannot follow the present one: a bug of this collection."""


@dataclass(frozen=True)
class NodeRun:
    """One node of a wave.

    attempt: None before the node is assigned. before: the phase before a reboot or a rollback, which results show
    meanwhile. was_postponed: whether an assignment had no answer. is_uncordoned: whether it was uncordoned, or is now.
    reason: of its phase, "" without one.
    """

    phase: Phase = Phase.WAITING
    attempt: Attempt | None = None
    before: Phase | None = None
    was_postponed: bool = False
    is_uncordoned: bool = False
    reason: str = ""

    @property
    def state(self) -> Phase:
        """Return the phase as users see it, to whom some look the same."""
        phase = self.phase if self.before is None else self.before
        return _SHOWN_AS.get(phase, phase)

    @property
    def is_open(self) -> bool:
        """Return whether the node is assigned, and has no verdict; a passed one that is taken back has one."""
        return self.attempt is not None and self.phase in _OPEN and self.before is not Phase.PASSED

    @property
    def can_be_evaluated(self) -> bool:
        """Return whether the gate decides on the node now: no thread works on it, and the watch shows its present."""
        return self.attempt is not None and self.phase in (Phase.IN_FLIGHT, Phase.SOAKING)

    def enter(self, phase: Phase, reason: str | None = None) -> NodeRun:
        """Return the node in its next phase. reason: None to keep the present one. Raises IllegalTransition."""
        if phase not in NEXT_PHASES[self.phase]:
            raise IllegalTransition(f"a node cannot be {phase.value} after {self.phase.value}")
        return replace(
            self,
            phase=phase,
            before=self.phase if phase in _IN_A_THREAD else None,
            was_postponed=self.was_postponed or phase is Phase.POSTPONED,
            reason=self.reason if reason is None else reason,
        )

    def end_reboot(self) -> NodeRun:
        """Return the node in the phase before its reboot. Raises IllegalTransition."""
        if self.phase is not Phase.REBOOTING or self.before is None:
            raise IllegalTransition(f"a node that is {self.phase.value} ends no reboot")
        return self.enter(self.before)
