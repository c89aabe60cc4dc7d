# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The window that slides over the nodes of a wave. Pure: verdicts and times in, what to do out.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ._gate import DONT_KNOW, FAIL, GONE, PASS, GateResult

__all__ = ["FAILED", "IN_FLIGHT", "PASSED", "SOAKING", "STRUCK_OUT", "UNKNOWN", "WAITING", "WindowStep", "Window"]

# Where a node of the wave is.
WAITING = "waiting"
IN_FLIGHT = "in flight"  # assigned, not up yet: it holds a slot
SOAKING = "soaking"  # up again: its slot is free, its verdict is not said
PASSED = "passed"
FAILED = "failed"
UNKNOWN = "unknown"
STRUCK_OUT = "gone"
_OPEN = (IN_FLIGHT, SOAKING)
_ENDS = {PASS: PASSED, FAIL: FAILED, DONT_KNOW: UNKNOWN, GONE: STRUCK_OUT}


@dataclass(frozen=True)
class WindowStep:
    """What to do now: assign these nodes. outcome: "" while the wave goes on, then "done", "halt" or "pause".

    reason: why; words: what was said of a node that is the reason, "" where no node is.
    """

    to_assign: tuple[str, ...] = ()
    outcome: str = ""
    reason: str = ""
    node_reason: str = ""

    @property
    def full_reason(self) -> str:
        """Return the reason with the words."""
        return f"{self.reason}: {self.node_reason}" if self.node_reason else self.reason


class Window:
    """A wave in motion.

    nodes: in the order in which they move. limit: how many nodes of the pool may be unavailable at a time. budget: how
    many may fail, failed: how many have failed in earlier waves. down: nodes of the pool, of this wave or not, that are
    unavailable for another reason. timeout: seconds after which a slot is free whatever the gate says, and after which
    waiting for other nodes to come back is given up. canary: a node that vanishes stops the wave, which is through only
    when a node has passed. lane: the nodes are broken already, so those that are down are moved too, and none of them
    stops the wave or spends from the budget. expected_down: nodes of the lane that it has not moved yet or has left
    down, which do not count as down for another reason.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        *,
        max_unavailable: int,
        failure_budget: int,
        earlier_failures: int = 0,
        unavailable: Iterable[str] = (),
        timeout: float,
        is_canary: bool = False,
        is_broken_wave: bool = False,
        expected_unavailable: Iterable[str] = (),
    ) -> None:
        self._expected_down = frozenset(expected_unavailable)
        self._canary = is_canary
        self._lane = is_broken_wave
        self._limit = max_unavailable
        self._budget = failure_budget
        self._failures = earlier_failures
        self._timeout = timeout
        self._state = dict.fromkeys(nodes, WAITING)
        self._counts = Counter(self._state.values())
        self._waiting = dict.fromkeys(self._state)
        self._in_flight: dict[str, float] = {}
        self._down = set(unavailable) - self._expected_down
        self._reasons: dict[str, str] = {}
        self._stuck_since: float | None = None

    @property
    def failures(self) -> int:
        """Return how many nodes have failed, earlier waves included, the lane excluded."""
        return self._failures

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how many nodes of the wave are where."""
        return self._counts

    @property
    def unavailable(self) -> frozenset[str]:
        """Return the nodes of the pool that are unavailable, but for those of which that is expected."""
        return frozenset(self._down)

    @property
    def in_flight(self) -> tuple[str, ...]:
        """Return the nodes that hold a slot."""
        return tuple(self._in_flight)

    @property
    def is_stopping(self) -> bool:
        """Return whether nothing more will be assigned."""
        if self._failures > self._budget:
            return True
        vanished = self._canary and self._counts[STRUCK_OUT]
        return not self._lane and bool(self._counts[UNKNOWN] or vanished)

    def state(self, name: str) -> str:
        """Return where a node of the wave is. Raises KeyError for others."""
        return self._state[name]

    def reason(self, name: str) -> str:
        """Return why a node is where it is, "" when nothing was said."""
        return self._reasons.get(name, "")

    def unsuccessful(self) -> dict[str, str]:
        """Return, for each node that failed, is unknown or gone, which of these."""
        return {name: state for name, state in self._state.items() if state in (FAILED, UNKNOWN, STRUCK_OUT)}

    def set_unavailable(self, name: str, down: bool) -> None:
        """Say that a node of the pool is, or is not, unavailable."""
        if down and name not in self._expected_down:
            self._down.add(name)
        else:
            self._down.discard(name)

    def delay_by(self, seconds: float) -> None:
        """Give everything so much more time, during which nothing could be known of the nodes."""
        self._in_flight = {name: since + seconds for name, since in self._in_flight.items()}
        if self._stuck_since is not None:
            self._stuck_since += seconds

    def late_failure(self, name: str, reason: str) -> None:
        """Say that a node of an earlier wave, which had passed, has failed: it spends from the budget too."""
        self._failures += 1
        self._reasons[name] = reason

    def record(self, name: str, answer: GateResult) -> bool:
        """Take what the gate says of a node. Return whether this changed where the node is."""
        before = self._state[name]
        if answer.verdict in _ENDS:
            after = _ENDS[answer.verdict]
        elif before in _OPEN:
            after = SOAKING if answer.good_since is not None else IN_FLIGHT
        else:
            after = before
        if after == before or before in (FAILED, UNKNOWN, STRUCK_OUT) or (before == PASSED and after != FAILED):
            return False
        if after == IN_FLIGHT and before == SOAKING:
            return False  # a soak that broke off holds no slot again: the gate ends it within the node's time
        if after == FAILED and not self._lane:
            self._failures += 1
        if before == WAITING:
            del self._waiting[name]
        self._in_flight.pop(name, None)
        self._move(name, after)
        self._reasons[name] = answer.reason
        return True

    def next_step(self, now: float, at_most: int | None = None) -> WindowStep:
        """Return what to do now. The nodes in assign, at most ``most``, are in flight from here on."""
        for name in [name for name, since in self._in_flight.items() if now - since > self._timeout]:
            self.record(name, GateResult(DONT_KNOW, f"the gate said nothing within {self._timeout:g}s"))
        if self.is_stopping:
            # What is under way gets its verdict: a record that guesses helps nobody.
            return WindowStep() if self._in_flight else self._stopped()
        assign = self._slide(now, at_most)
        if assign or self._in_flight:
            self._stuck_since = None
            return WindowStep(assign)
        if self._waiting:
            return self._wait_for_others(now)
        if self._counts[SOAKING]:
            return WindowStep()
        if self._canary and not self._counts[PASSED]:
            return WindowStep(outcome="pause", reason="no canary is left that could pass")
        return WindowStep(outcome="done")

    def take_back_assignments(self, names: Iterable[str]) -> None:
        """Say that nodes of the last step were not assigned: they wait again, where they stood."""
        for name in names:
            del self._in_flight[name]
            self._move(name, WAITING)
        self._waiting = {name: None for name, state in self._state.items() if state == WAITING}

    def _slide(self, now: float, most: int | None) -> tuple[str, ...]:
        slots = self._limit - len(self._in_flight)
        slots = slots if most is None else min(slots, most)
        room = self._limit - len(self._down | set(self._in_flight))
        assign: list[str] = []
        for name in self._waiting:
            if len(assign) >= slots:
                break
            if name in self._down:
                if self._lane:  # it is unavailable as it is: moving it takes nothing from anybody
                    assign.append(name)
            elif room > 0:
                room -= 1
                assign.append(name)
            elif not self._lane:
                break
        if not assign and all(name in self._down for name in self._waiting):
            assign = list(self._waiting)[:slots]  # nothing else is left to do: it may come back in its time
        for name in assign:
            self._take_slot(name, now)
        return tuple(assign)

    def _wait_for_others(self, now: float) -> WindowStep:
        if self._stuck_since is None:
            self._stuck_since = now
        if now - self._stuck_since <= self._timeout:
            return WindowStep()
        reason = f"nodes down for another reason: {len(self._down)}, and maxUnavailable is {self._limit}"
        if not self._lane:
            return WindowStep(outcome="pause", reason=reason)
        for name in list(self._waiting):
            self.record(name, GateResult(DONT_KNOW, f"it was not assigned: {reason}"))
        return self.next_step(now)

    def _stopped(self) -> WindowStep:
        if self._failures > self._budget:
            why = next((f"{name}: {self._reasons.get(name, '')}" for name in self._failed_names()), "")
            failed = "1 node has" if self._failures == 1 else f"{self._failures} nodes have"
            return WindowStep(outcome="halt", reason=f"{failed} failed, the budget is {self._budget}", node_reason=why)
        state, what = (UNKNOWN, "no verdict on") if self._counts[UNKNOWN] else (STRUCK_OUT, "the canary has lost")
        name = next(name for name, where in self._state.items() if where == state)
        more = f" (and {self._counts[state] - 1} more)" if self._counts[state] > 1 else ""
        return WindowStep(outcome="pause", reason=f"{what} {name}{more}", node_reason=self._reasons.get(name, ""))

    def _failed_names(self) -> Iterable[str]:
        if not self._lane:
            yield from (name for name, state in self._state.items() if state == FAILED)
        yield from (name for name in self._reasons if name not in self._state)

    def _take_slot(self, name: str, now: float) -> None:
        del self._waiting[name]
        self._in_flight[name] = now
        self._move(name, IN_FLIGHT)

    def _move(self, name: str, state: str) -> None:
        self._counts[self._state[name]] -= 1
        self._counts[state] += 1
        self._state[name] = state
