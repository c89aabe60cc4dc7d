# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the gates that are not of a single Node, each in a background thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

from ..._text import sanitize
from ..timing import Clock
from ._asked_gate import AskedGate
from ._decisions import GateHistory, decide_node, decide_pool
from .answers import GateAnswer, GateDecision, GateVerdict, ServerAnswer


class Question(NamedTuple):
    """A gate, and how it is asked once; an error is an answer too.

    is_at_start: whether the wave begins only with its yes.
    """

    gate: AskedGate
    ask: Callable[[], ServerAnswer]
    is_at_start: bool = True


_Gate = TypeVar("_Gate", bound=AskedGate)


def questions(gates: Iterable[_Gate], ask: Callable[[_Gate], ServerAnswer]) -> list[Question]:
    """Return the questions to gates that are all asked in the same way."""
    return [Question(gate, partial(ask, gate)) for gate in gates]


@dataclass
class _Asked:
    """A gate and what it has answered. sent_at: when the newest question was sent. ask_now: ends the pause."""

    gate: AskedGate
    ask: Callable[[], ServerAnswer]
    is_at_start: bool
    history: GateHistory
    sent_at: float = float("-inf")
    ask_now: threading.Event = field(default_factory=threading.Event)


class GateMonitor:
    """Asks gates at their intervals while a wave moves. A context manager: leaving it ends the questions.

    clock: measures all times that the methods take. wake: is called after each answer, in the thread of the gate.
    """

    def __init__(self, questions: Iterable[Question], clock: Clock, wake: Callable[[], object]) -> None:
        self._clock = clock
        self._wake = wake
        self._stop = threading.Event()
        self._mutex = threading.Lock()  # never held while a thread waits for anything
        self.started_at = clock.monotonic()
        self._gates = [
            _Asked(
                gate,
                ask,
                is_at_start,
                GateHistory(gate.name, gate.timeout, self.started_at, gate.answers_by_node, gate.hold),
            )
            for gate, ask, is_at_start in questions
        ]

    def __enter__(self) -> GateMonitor:
        for asked in self._gates:
            self._clock.start(partial(self._ask_repeatedly, asked), f"gate-{asked.gate.name}")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        for asked in self._gates:
            asked.ask_now.set()

    @property
    def has_node_answers(self) -> bool:
        """Return whether there is a gate that answers for each Node: decide_node needs no call otherwise."""
        return any(asked.history.by_node for asked in self._gates)

    def decide_start(self) -> GateDecision:
        """Return whether a wave may begin: each gate has said yes since this monitor began.

        FAIL means that a gate says no although this wave has moved nothing: its config is not the cause.
        """
        return self._decide([asked for asked in self._gates if asked.is_at_start], self.started_at)

    def decide(self, soaked_at: float | None) -> GateDecision:
        """Return what the gates of the pool as a whole say.

        soaked_at: when the last soak of the wave ended, None before that. FAIL as soon as a gate says no; UNKNOWN when
        one has neither said yes nor no for its timeout; PASS when each has said yes to a question that was sent at
        soaked_at or later; otherwise WAIT.
        """
        return self._decide(self._gates, soaked_at)

    def _decide(self, gates: Sequence[_Asked], soaked_at: float | None) -> GateDecision:
        with self._mutex:
            now = self._clock.monotonic()
            decision = decide_pool([asked.history for asked in gates], soaked_at, now)
        if decision.verdict is GateVerdict.WAIT:
            self._hurry(soaked_at, now, by_node=False)
        return decision

    def decide_node(self, node: str, *, good_since: float, soaked_at: float | None) -> GateDecision:
        """Return what the gates that answer for each Node say of a Node, like decide.

        good_since: when it was first seen good; what was asked before does not count. soaked_at: when its soak ended.
        """
        with self._mutex:
            now = self._clock.monotonic()
            decision = decide_node([asked.history for asked in self._gates], node, good_since, soaked_at, now)
        if decision.verdict is GateVerdict.WAIT:
            self._hurry(soaked_at, now, by_node=True)
        return decision

    def answers(self) -> tuple[GateAnswer, ...]:
        """Return the newest answer of each gate that has one."""
        with self._mutex:
            return tuple(asked.history.latest for asked in self._gates if asked.history.latest is not None)

    def _hurry(self, since: float | None, now: float, *, by_node: bool) -> None:
        """Ask the gates at once that have not been asked since then."""
        for asked in self._gates:
            if since is not None and asked.history.by_node is by_node and asked.sent_at < since <= now:
                asked.ask_now.set()

    def _ask_repeatedly(self, asked: _Asked) -> None:
        while not self._stop.is_set():
            asked.ask_now.clear()
            if self._stop.is_set():  # set after the check above, and cleared
                return
            sent_at = asked.sent_at = self._clock.monotonic()
            answer = _ask_safely(asked)
            with self._mutex:
                asked.history = asked.history.with_answer(answer, sent_at)
            self._wake()
            self._clock.wait(asked.ask_now, asked.gate.interval)


def _ask_safely(asked: _Asked) -> ServerAnswer:
    try:
        return asked.ask()
    except Exception as error:  # noqa: BLE001 - a fault of ours: the gate does not know, and says why
        return asked.gate.unknown(f"{type(error).__name__}: {sanitize(error, 200)}")
