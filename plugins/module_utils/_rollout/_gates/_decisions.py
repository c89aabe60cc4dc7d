# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what the gates say together, from what each has answered so far. Pure.

All times are seconds of one monotonic clock. Only a question that was sent late enough can pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..._nodeconfig.durations import describe_duration
from .answers import GateAnswer, GateDecision, GateVerdict, ServerAnswer

_PASS = GateDecision(GateVerdict.PASS)


@dataclass(frozen=True)
class _Dated:
    """A yes or no, and when its question was sent."""

    answer: GateAnswer
    asked_at: float


@dataclass(frozen=True)
class GateHistory:
    """What a gate that asks a server has answered so far.

    started_at: when the first question was due. by_node: whether it answers for each Node. hold: for how long it must
    say yes, and nothing else. latest: the newest answer, of any verdict.
    """

    name: str
    timeout: float
    started_at: float
    by_node: bool = False
    hold: float = 0.0
    latest: GateAnswer | None = None
    _definite: _Dated | None = None
    _yes_since: float | None = None  # when the first question was sent since which each answer is a yes
    _held_until: float | None = None  # the last yes of the newest row of them that lasted for hold
    _nodes: Mapping[str, GateAnswer] = field(default_factory=dict)  # the newest answers, of any verdict
    _definite_nodes: Mapping[str, _Dated] = field(default_factory=dict)

    def with_answer(self, answer: ServerAnswer, asked_at: float) -> GateHistory:
        """Return the history with one more answer. asked_at: when the question was sent."""
        definite = _Dated(answer.answer, asked_at) if answer.answer.is_definite else self._definite
        is_yes = answer.answer.verdict is GateVerdict.PASS
        yes_since = asked_at if self._yes_since is None else self._yes_since
        has_held = self._definite is not None and self._definite.asked_at - yes_since >= self.hold
        nodes = {name: _Dated(part, asked_at) for name, part in answer.nodes.items() if part.is_definite}
        return replace(
            self,
            latest=answer.answer,
            _definite=definite,
            _yes_since=yes_since if is_yes else None,
            _held_until=self._definite.asked_at if self._definite and has_held and not is_yes else self._held_until,
            _nodes=answer.nodes,
            _definite_nodes={**self._definite_nodes, **nodes},
        )

    def decide(self, since: float | None, now: float) -> GateDecision:
        """Return what the gate says of the pool. since: the earliest question that may pass, None for none."""
        if self.hold:
            return self._decide_held(since, now)
        return self._decide(self._definite, self.latest, self.started_at, since, now)

    def _decide_held(self, since: float | None, now: float) -> GateDecision:
        """Decide by what it has said since then alone: a yes that lasts for `hold`, within `hold` and `timeout`.

        One that has lasted, and ends while the wave does something else, has as long again.
        """
        last = self._definite
        if last is not None and last.answer.verdict is GateVerdict.FAIL:
            return GateDecision(GateVerdict.FAIL, last.answer.reason)
        if since is not None and last is not None and self._yes_since is not None:
            lasts = last.asked_at - max(since, self._yes_since) >= self.hold
            if lasts and now - last.asked_at <= self.timeout:
                return _PASS
        if since is not None:
            seconds = now - (since if self._held_until is None else max(since, self._held_until))
            if seconds > self.hold + self.timeout:
                return self._undecided(self.latest, seconds)
        return GateDecision(GateVerdict.WAIT, f"waiting for gate {self.name}")

    def decide_node(self, node: str, good_since: float, since: float | None, now: float) -> GateDecision:
        """Return what the gate says of a Node that is good since `good_since`: earlier questions do not count."""
        definite = self._definite_nodes.get(node)
        if definite is not None and definite.asked_at < good_since:
            definite = None
        latest = self._nodes.get(node, self.latest if self.latest is None or not self.latest.is_definite else None)
        if latest is None and self.latest is not None:
            latest = GateAnswer(
                self.name, GateVerdict.UNKNOWN, f"gate {self.name} does not know: there is no data for this node"
            )
        return self._decide(definite, latest, max(good_since, self.started_at), since, now)

    def _decide(
        self,
        definite: _Dated | None,
        latest: GateAnswer | None,
        started_at: float,
        since: float | None,
        now: float,
    ) -> GateDecision:
        if definite is not None and definite.answer.verdict is GateVerdict.FAIL:
            return GateDecision(GateVerdict.FAIL, definite.answer.reason)
        silent = now - (started_at if definite is None else definite.asked_at)
        is_late_enough = definite is not None and since is not None and definite.asked_at >= since
        # What was a yes, and is no longer known, does not pass.
        if silent <= self.timeout and is_late_enough and latest is not None and latest.is_definite:
            return _PASS
        if silent > self.timeout:
            return self._undecided(latest, silent)
        return GateDecision(GateVerdict.WAIT, f"waiting for gate {self.name}")

    def _undecided(self, latest: GateAnswer | None, seconds: float) -> GateDecision:
        cause = latest.reason if latest is not None and not latest.is_definite else ""
        missing = f"there is no yes that lasts {describe_duration(self.hold)}" if self.hold else "there is no answer"
        reason = cause or f"gate {self.name} does not know: {missing}"
        return GateDecision(GateVerdict.UNKNOWN, f"{reason} (for {describe_duration(seconds)})")


def decide_pool(histories: Iterable[GateHistory], since: float | None, now: float) -> GateDecision:
    """Return what all gates of a pool say together; those that answer for each Node do not count.

    since: only an answer to a question that was sent then or later lets pass; None: none does yet. Without gates: PASS.
    """
    return first_decisive(history.decide(since, now) for history in histories if not history.by_node)


def decide_node(
    histories: Iterable[GateHistory], node: str, good_since: float, since: float | None, now: float
) -> GateDecision:
    """Return what all gates that answer for each Node say of one, like decide_pool."""
    return first_decisive(history.decide_node(node, good_since, since, now) for history in histories if history.by_node)


def first_decisive(decisions: Iterable[GateDecision]) -> GateDecision:
    """Return the first no, else the first don't know, else the first wait, else PASS."""
    first = {decision.verdict: decision for decision in reversed(list(decisions))}
    for verdict in (GateVerdict.FAIL, GateVerdict.UNKNOWN, GateVerdict.WAIT):
        if verdict in first:
            return first[verdict]
    return _PASS
