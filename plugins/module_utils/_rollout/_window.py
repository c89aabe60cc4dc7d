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

from ._gate import DONT_KNOW, FAIL, GONE, PASS, Answer

__all__ = ["FAILED", "IN_FLIGHT", "PASSED", "SOAKING", "STRUCK_OUT", "UNKNOWN", "WAITING", "Step", "Window"]

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
class Step:
    """What to do now: assign these nodes. outcome: "" while the wave goes on, then "done", "halt" or "pause".

    reason: why; words: what was said of a node that is the reason, "" where no node is.
    """

    assign: tuple[str, ...] = ()
    outcome: str = ""
    reason: str = ""
    words: str = ""

    @property
    def full(self) -> str:
        """Return the reason with the words."""
        return f"{self.reason}: {self.words}" if self.words else self.reason


class Window:
    """A wave in motion.

    nodes: in the order in which they move. limit: how many nodes of the pool may be unavailable at a time. budget: how
    many may fail, failed: how many have failed in earlier waves. down: nodes of the pool, of this wave or not, that are
    unavailable for another reason. timeout: seconds after which a slot is free whatever the gate says, and after which
    waiting for other nodes to come back is given up.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        *,
        limit: int,
        budget: int,
        failed: int = 0,
        down: Iterable[str] = (),
        timeout: float,
    ) -> None:
        self._limit = limit
        self._budget = budget
        self._failures = failed
        self._timeout = timeout
        self._state = dict.fromkeys(nodes, WAITING)
        self._counts = Counter(self._state.values())
        self._waiting = list(reversed(list(self._state)))
        self._in_flight: dict[str, float] = {}
        self._down = set(down)
        self._reasons: dict[str, str] = {}
        self._stuck_since: float | None = None

    @property
    def failures(self) -> int:
        """Return how many nodes have failed, earlier waves included."""
        return self._failures

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how many nodes of the wave are where."""
        return self._counts

    @property
    def in_flight(self) -> tuple[str, ...]:
        """Return the nodes that hold a slot."""
        return tuple(self._in_flight)

    @property
    def stopping(self) -> bool:
        """Return whether nothing more will be assigned."""
        return self._failures > self._budget or bool(self._counts[UNKNOWN])

    @property
    def stuck(self) -> bool:
        """Return whether only the nodes that are down for another reason keep the wave from going on."""
        return self._stuck_since is not None

    def state(self, name: str) -> str:
        """Return where a node of the wave is. Raises KeyError for others."""
        return self._state[name]

    def reason(self, name: str) -> str:
        """Return why a node is where it is, "" when nothing was said."""
        return self._reasons.get(name, "")

    def ended(self) -> dict[str, str]:
        """Return, for each node that failed, is unknown or gone, which of these."""
        return {name: state for name, state in self._state.items() if state in (FAILED, UNKNOWN, STRUCK_OUT)}

    def set_down(self, name: str, down: bool) -> None:
        """Say that a node of the pool is, or is not, unavailable."""
        if down:
            self._down.add(name)
        else:
            self._down.discard(name)

    def replace_down(self, down: Iterable[str]) -> None:
        """Say anew which nodes of the pool are unavailable."""
        self._down = set(down)

    def late_failure(self, name: str, reason: str) -> None:
        """Say that a node of an earlier wave, which had passed, has failed: it spends from the budget too."""
        self._failures += 1
        self._reasons[name] = reason

    def answer(self, name: str, answer: Answer) -> bool:
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
        if after == FAILED:
            self._failures += 1
        if before == WAITING:
            self._waiting.remove(name)
        self._in_flight.pop(name, None)
        self._move(name, after)
        self._reasons[name] = answer.reason
        return True

    def step(self, now: float) -> Step:
        """Return what to do now. The nodes in assign are in flight from here on."""
        for name in [name for name, since in self._in_flight.items() if now - since > self._timeout]:
            self.answer(name, Answer(DONT_KNOW, f"the gate said nothing within {self._timeout:g}s"))
        if self.stopping:
            # What is under way gets its verdict: a record that guesses helps nobody.
            return Step() if self._in_flight else self._stopped()
        assign = self._slide(now)
        if assign or self._in_flight:
            self._stuck_since = None
            return Step(assign)
        if self._waiting:
            return self._wait_for_others(now)
        if self._counts[SOAKING]:
            return Step()
        return Step(outcome="done")

    def _slide(self, now: float) -> tuple[str, ...]:
        assign: list[str] = []
        unavailable = len(self._down | set(self._in_flight))
        skipped: list[str] = []
        while self._waiting and len(self._in_flight) < self._limit:
            name = self._waiting.pop()
            if name in self._down:
                pass  # it is unavailable as it is: moving it takes nothing from anybody
            elif unavailable < self._limit:
                unavailable += 1
            else:
                skipped.append(name)
                if not self._down:
                    break
                continue
            self._take_slot(name, now)
            assign.append(name)
        self._waiting.extend(reversed(skipped))
        return tuple(assign)

    def _wait_for_others(self, now: float) -> Step:
        if self._stuck_since is None:
            self._stuck_since = now
        if now - self._stuck_since <= self._timeout:
            return Step()
        return Step(
            outcome="pause",
            reason=f"nodes down for another reason: {len(self._down)}, and maxUnavailable is {self._limit}",
        )

    def _stopped(self) -> Step:
        if self._failures > self._budget:
            why = next((f"{name}: {self._reasons.get(name, '')}" for name in self._failed_names()), "")
            failed = "1 node has" if self._failures == 1 else f"{self._failures} nodes have"
            return Step(outcome="halt", reason=f"{failed} failed, the budget is {self._budget}", words=why)
        name = next(name for name, state in self._state.items() if state == UNKNOWN)
        more = f" (and {self._counts[UNKNOWN] - 1} more)" if self._counts[UNKNOWN] > 1 else ""
        return Step(outcome="pause", reason=f"no verdict on {name}{more}", words=self._reasons.get(name, ""))

    def _failed_names(self) -> Iterable[str]:
        yield from (name for name, state in self._state.items() if state == FAILED)
        yield from (name for name in self._reasons if name not in self._state)

    def _take_slot(self, name: str, now: float) -> None:
        self._in_flight[name] = now
        self._move(name, IN_FLIGHT)

    def _move(self, name: str, state: str) -> None:
        self._counts[self._state[name]] -= 1
        self._counts[state] += 1
        self._state[name] = state
