# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many nodes of a wave may move at a time, and after how many failures it halts; its progress as text.

Pure: gate results and times in, the next step out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import ItemsView, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from ..._text import and_more, first_names
from ._gate import Attempt, GateResult, Verdict
from ._node_run import NodeRun, Phase

_BAR_WIDTH = 24
_NAMES_SHOWN = 5
_ENDED: tuple[Phase, ...] = (Phase.PASSED, Phase.FAILED, Phase.UNKNOWN, Phase.GONE)
_SHOWN_STATES: tuple[Phase, ...] = (Phase.IN_FLIGHT, Phase.SOAKING, Phase.FAILED, Phase.UNKNOWN, Phase.GONE)
_NEXT_PHASE: Mapping[Verdict, Phase] = {
    Verdict.PASS: Phase.PASSED,
    Verdict.FAIL: Phase.FAILED,
    Verdict.UNKNOWN: Phase.UNKNOWN,
    Verdict.GONE: Phase.GONE,
}
_FINAL = (Phase.FAILED, Phase.UNKNOWN, Phase.GONE)


class WaveOutcome(Enum):
    """How a wave ended."""

    DONE = "done"
    HALT = "halt"
    PAUSE = "pause"
    ABORT = "abort"


class WindowLimits(NamedTuple):
    """The limits of a wave.

    max_unavailable: how many nodes of the pool may be unavailable at a time. failure_budget: how many nodes may fail.
    timeout: seconds after which a slot is free even without a verdict, and after which the wave stops waiting for other
    nodes to come back. earlier_failures: how many nodes have failed in earlier waves.
    """

    max_unavailable: int
    failure_budget: int
    timeout: float
    earlier_failures: int = 0


@dataclass(frozen=True)
class WindowStep:
    """What the wave does next. outcome: None while the wave moves.

    reason: why it ended. node_reason: the reason of the node because of which it ended, "" without such a node.
    """

    to_assign: tuple[str, ...] = ()
    outcome: WaveOutcome | None = None
    reason: str = ""
    node_reason: str = ""

    @property
    def full_reason(self) -> str:
        """Return the reason followed by the node's own."""
        return f"{self.reason}: {self.node_reason}" if self.node_reason else self.reason


class Window:
    """The nodes of a wave by their phases, and the slots that they hold.

    nodes: in the order in which they move. unavailable: nodes of the pool, of this wave or not, that are unavailable
    for another reason. is_canary: a node that vanishes stops the wave, which ends well only when a node has passed.
    is_broken_wave: the nodes are broken already, so those that are unavailable are moved too, and none of them stops
    the wave or counts as a failure. expected_unavailable: broken nodes that their wave has not moved yet, or has left
    unavailable; these do not count as unavailable for another reason. failures: how many nodes have failed, including
    those of earlier waves and excluding broken nodes.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        limits: WindowLimits,
        *,
        unavailable: Iterable[str] = (),
        is_canary: bool = False,
        is_broken_wave: bool = False,
        expected_unavailable: Iterable[str] = (),
    ) -> None:
        self._limits = limits
        self._expected_unavailable = frozenset(expected_unavailable)
        self._is_canary = is_canary
        self._is_broken_wave = is_broken_wave
        self.failures = limits.earlier_failures
        self._runs = dict.fromkeys(nodes, NodeRun())
        self._counts: Counter[Phase] = Counter({Phase.WAITING: len(self._runs)} if self._runs else {})
        self._waiting = dict.fromkeys(self._runs)
        self._in_flight: dict[str, float] = {}
        self._unavailable = set(unavailable) - self._expected_unavailable
        self._late_failures: dict[str, str] = {}
        self._blocked_since: float | None = None
        self._stop: WindowStep | None = None

    @property
    def counts(self) -> Mapping[Phase, int]:
        """Return the number of nodes of the wave by state."""
        return self._counts

    @property
    def unavailable(self) -> frozenset[str]:
        """Return the nodes of the pool that are unavailable and not expected to be."""
        return frozenset(self._unavailable)

    @property
    def in_flight(self) -> tuple[str, ...]:
        """Return the nodes that hold a slot."""
        return tuple(self._in_flight)

    @property
    def is_stopping(self) -> bool:
        """Return whether no other node will be assigned."""
        if self.failures > self._limits.failure_budget or self._stop is not None:
            return True
        has_lost_canary = self._is_canary and self._counts[Phase.GONE]
        return not self._is_broken_wave and bool(self._counts[Phase.UNKNOWN] or has_lost_canary)

    def state(self, name: str) -> Phase:
        """Return the state of a node of the wave. Raises KeyError for other nodes."""
        return self._runs[name].state

    def run(self, name: str) -> NodeRun:
        """Return where a node of the wave is. Raises KeyError for other nodes."""
        return self._runs[name]

    def runs(self) -> ItemsView[str, NodeRun]:
        """Return where each node of the wave is."""
        return self._runs.items()

    def set_unavailable(self, name: str, is_unavailable: bool) -> None:
        """Record whether a node of the pool is unavailable."""
        if is_unavailable and name not in self._expected_unavailable:
            self._unavailable.add(name)
        else:
            self._unavailable.discard(name)

    def stop(self, outcome: WaveOutcome, reason: str) -> None:
        """End the wave for a reason that is not a node's, once no node is in flight. The first reason counts."""
        if self._stop is None:
            self._stop = WindowStep(outcome=outcome, reason=reason)

    def delay_by(self, seconds: float) -> None:
        """Extend all deadlines, for a while in which the nodes could not be observed."""
        self._in_flight = {name: since + seconds for name, since in self._in_flight.items()}
        if self._blocked_since is not None:
            self._blocked_since += seconds

    def late_failure(self, name: str, reason: str) -> None:
        """Count the failure of a node of an earlier wave, which had passed."""
        self.failures += 1
        self._late_failures[name] = reason

    def record(self, name: str, result: GateResult) -> bool:
        """Record the gate's result for a node. Return whether the node's state changed."""
        run = self._runs[name]
        if run.phase in _FINAL:
            return False
        phase = _NEXT_PHASE.get(result.verdict)
        if phase is None:  # an interrupted soak does not take a slot again: the gate ends it within the node's time
            if result.good_since is None or run.state is not Phase.IN_FLIGHT:
                return False
            phase = Phase.SOAKING
            run = run.enter(Phase.IN_FLIGHT) if run.phase is Phase.MOVING else run
        elif run.phase is Phase.PASSED and phase is not Phase.FAILED:
            return False
        if phase is Phase.FAILED and not self._is_broken_wave:
            self.failures += 1
        self._waiting.pop(name, None)
        self._in_flight.pop(name, None)
        self._set(name, run.enter(phase, result.reason))
        return True

    def enter(self, name: str, phase: Phase) -> None:
        """Have a node enter a phase in which it keeps its slot. Raises IllegalTransition."""
        self._set(name, self._runs[name].enter(phase))

    def end_reboot(self, name: str) -> None:
        """Return a node that was rebooted to the phase before. Raises IllegalTransition."""
        self._set(name, self._runs[name].end_reboot())

    def set_attempt(self, name: str, attempt: Attempt) -> None:
        """Keep the attempt of a node, in place of an earlier one."""
        self._runs[name] = replace(self._runs[name], attempt=attempt)

    def set_uncordoned(self, name: str) -> None:
        """Remember that a node was uncordoned."""
        self._runs[name] = replace(self._runs[name], is_uncordoned=True)

    def postpone(self, name: str) -> None:
        """Return a node whose assignment has no answer to its place among the waiting ones, if it holds a slot."""
        if self._runs[name].phase is Phase.MOVING:
            self._return_slots([name], Phase.POSTPONED)

    def next_step(self, now: float, at_most: int | None = None) -> WindowStep:
        """Return the next step. The nodes in to_assign, ``at_most`` of them, are in flight from here on."""
        timeout = self._limits.timeout
        for name in self._overdue(now):
            self.record(name, GateResult(Verdict.UNKNOWN, f"the gate said nothing within {timeout:g}s"))
        if self.is_stopping:
            # Nodes in flight get their verdict first: a record that guesses is of no use.
            return WindowStep() if self._in_flight else self._stop_step()
        to_assign = self._fill_slots(now, at_most)
        if to_assign or self._in_flight:
            self._blocked_since = None
            return WindowStep(to_assign)
        if self._waiting:
            return self._wait_for_unavailable(now)
        if self._counts[Phase.SOAKING]:
            return WindowStep()
        if self._is_canary and not self._counts[Phase.PASSED]:
            reason = "no canary is left that could pass: run it again, and other nodes take their place"
            return WindowStep(outcome=WaveOutcome.PAUSE, reason=reason)
        return WindowStep(outcome=WaveOutcome.DONE)

    def take_slot(self, name: str, now: float) -> None:
        """Give a slot to a waiting node, however many hold one."""
        del self._waiting[name]
        self._in_flight[name] = now
        self._set(name, self._runs[name].enter(Phase.MOVING))

    def take_back_assignments(self, names: Iterable[str]) -> None:
        """Return nodes of the last step, which were not assigned, to their places among the waiting ones."""
        self._return_slots(names, Phase.WAITING)

    def _return_slots(self, names: Iterable[str], phase: Phase) -> None:
        for name in names:
            del self._in_flight[name]
            self._set(name, self._runs[name].enter(phase))
        self._waiting = {name: None for name, run in self._runs.items() if run.state is Phase.WAITING}

    def _overdue(self, now: float) -> list[str]:
        """Return the nodes whose slot is free in any case. Nodes are in flight in the order in which they took it."""
        names = []
        for name, since in self._in_flight.items():
            if now - since <= self._limits.timeout:
                break
            names.append(name)
        return names

    def _fill_slots(self, now: float, at_most: int | None) -> tuple[str, ...]:
        limit = self._limits.max_unavailable
        slots = limit - len(self._in_flight)
        slots = slots if at_most is None else min(slots, at_most)
        room = limit - len(self._in_flight) - sum(name not in self._in_flight for name in self._unavailable)
        to_assign: list[str] = []
        for name in self._waiting:
            if len(to_assign) >= slots:
                break
            if name in self._unavailable:
                if self._is_broken_wave:  # the node is unavailable already: moving it makes no other one unavailable
                    to_assign.append(name)
            elif room > 0:
                room -= 1
                to_assign.append(name)
            elif not self._is_broken_wave:
                break
        if not to_assign and all(name in self._unavailable for name in self._waiting):
            to_assign = list(self._waiting)[:slots]  # only these are left, and each may come back within its time
        for name in to_assign:
            self.take_slot(name, now)
        return tuple(to_assign)

    def _wait_for_unavailable(self, now: float) -> WindowStep:
        if self._blocked_since is None:
            self._blocked_since = now
        if now - self._blocked_since <= self._limits.timeout:
            return WindowStep()
        limit = self._limits.max_unavailable
        down = first_names(sorted(self._unavailable), _NAMES_SHOWN)
        reason = (
            f"nodes down for another reason: {len(self._unavailable)} ({down}), and maxUnavailable is {limit}: "
            "run it again when they are back"
        )
        if not self._is_broken_wave:
            return WindowStep(outcome=WaveOutcome.PAUSE, reason=reason)
        for name in list(self._waiting):
            self.record(name, GateResult(Verdict.UNKNOWN, f"it was not assigned: {reason}"))
        return self.next_step(now)

    def _stop_step(self) -> WindowStep:
        budget = self._limits.failure_budget
        if self.failures > budget:
            node_reason = next((f"{name}: {reason}" for name, reason in self._failures_in_order()), "")
            failures = "1 node has" if self.failures == 1 else f"{self.failures} nodes have"
            reason = f"{failures} failed, the budget is {budget}"
            return WindowStep(outcome=WaveOutcome.HALT, reason=reason, node_reason=node_reason)
        if self._stop is not None:
            return self._stop
        stop_state = Phase.UNKNOWN if self._counts[Phase.UNKNOWN] else Phase.GONE
        phrase = "no verdict on" if stop_state is Phase.UNKNOWN else "the canary has lost"
        name, run = next((name, run) for name, run in self._runs.items() if run.state is stop_state)
        reason = f"{phrase} {name}{and_more(self._counts[stop_state] - 1)}"
        return WindowStep(outcome=WaveOutcome.PAUSE, reason=reason, node_reason=run.reason)

    def _failures_in_order(self) -> Iterable[tuple[str, str]]:
        if not self._is_broken_wave:
            yield from ((name, run.reason) for name, run in self._runs.items() if run.phase is Phase.FAILED)
        yield from self._late_failures.items()

    def _set(self, name: str, run: NodeRun) -> None:
        self._counts[self._runs[name].state] -= 1
        self._counts[run.state] += 1
        self._runs[name] = run


@dataclass(frozen=True)
class Progress:
    """A change to show. line: a sentence about it; counts: the number of nodes of the wave by state."""

    wave: str
    line: str
    total: int = 0
    counts: Mapping[Phase, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the wave as one line: a bar, and the counts that are not 0; "" before the wave moves."""
        if not self.total:
            return ""
        ended = sum(self.counts.get(state, 0) for state in _ENDED)
        moving = self.counts.get(Phase.SOAKING, 0) + self.counts.get(Phase.IN_FLIGHT, 0)
        full = _BAR_WIDTH * ended // self.total
        half = max(-(-_BAR_WIDTH * (ended + moving) // self.total) - full, 0)
        parts = [f"{self.counts.get(Phase.PASSED, 0)}/{self.total} passed"]
        parts += [f"{self.counts[state]} {state.value}" for state in _SHOWN_STATES if self.counts.get(state)]
        return f"{self.wave} [{'#' * full}{'-' * half}{'.' * (_BAR_WIDTH - full - half)}] {', '.join(parts)}"
