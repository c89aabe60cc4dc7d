# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as text for people, in the manner of kubectl. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .._nodeconfig._durations import describe_duration
from ._plan import Plan, SkippedNode
from ._window import FAILED, IN_FLIGHT, PASSED, SOAKING, STRUCK_OUT, UNKNOWN

__all__ = ["Progress", "names_in_short", "render_plan", "render_table"]

_NAMES_SHOWN = 4
_WIDTH_NODES = 60


def render_plan(plan: Plan) -> list[str]:
    """Return the lines that a person reads before pressing the button."""
    what = "the init config" if plan.target.is_init else f"revision {plan.revision} ({plan.target.name})"
    lines = [f"Pool {plan.pool}: {_count(plan.pool_size, 'node')}, to {what}"]
    if not plan.target.is_published:
        lines[0] += ", which is not published yet"
    if not plan.waves:
        lines.append(f"Nothing to do: {len(plan.already_on_target)} of {plan.pool_size} nodes use it already.")
    else:
        if plan.is_resumed:
            lines.append("This rollout was begun: it goes on where it stood.")
        lines.append("")
        rows = [
            (
                wave.name,
                str(len(wave.nodes)),
                describe_duration(wave.soak),
                "finished" if wave.finished else "",
                _some(wave.nodes),
            )
            for wave in plan.waves
        ]
        lines += render_table(("WAVE", "NODES", "SOAK", "STATE", "WHICH"), rows)
        lines.append("")
        failures = f"after more than {_count(plan.failure_budget, 'failure')} (in the canary: at the first)"
        lines.append(
            f"At most {_count(plan.max_unavailable, 'node')} unavailable at a time; halt "
            f"{failures if plan.failure_budget else 'at the first failure'}; "
            f"{describe_duration(plan.node_timeout)} for a node to answer; on failure {plan.on_failure}."
        )
        if plan.has_work:
            lines.append(f"It takes about {describe_duration(plan.estimate)}.")
    if plan.already_on_target and plan.waves:
        lines.append(f"Already there: {_count(len(plan.already_on_target), 'node')} ({_some(plan.already_on_target)})")
    if plan.vanished:
        lines.append(f"Vanished since it began: {_count(len(plan.vanished), 'node')} ({_some(plan.vanished)})")
    lines += _section("Not covered by the canary:", plan.uncovered)
    lines += _section("Left out:", _left_out(plan.skipped))
    lines += _section("Warnings:", plan.warnings)
    lines += _section("Refused:", plan.refusals)
    return lines


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned columns, three spaces apart; a column without any text is left away."""
    used = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    widths = [max(len(heads[place]), *(len(row[place]) for row in rows)) if rows else 0 for place in range(len(heads))]
    return ["   ".join(row[place].ljust(widths[place]) for place in used).rstrip() for row in (heads, *rows) if used]


def _left_out(left_out: Sequence[SkippedNode]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for one in left_out:
        by_reason.setdefault(one.reason, []).append(one.node)
    return [f"{_some(nodes)}: {reason}" for reason, nodes in sorted(by_reason.items())]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _some(names: Sequence[str]) -> str:
    shown = ""
    for number, name in enumerate(names):
        if number == _NAMES_SHOWN or (number and len(shown) + len(name) > _WIDTH_NODES):
            return f"{shown} and {len(names) - number} more"
        shown += f", {name}" if shown else name
    return shown


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_WIDTH = 24
_SHOWN = 4


@dataclass(frozen=True)
class Progress:
    """One thing that has changed. line: a sentence about it; counts: how many nodes of the wave are in which state."""

    wave: str
    line: str
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def bar(self) -> str:
        """Return the wave as one line: a bar, and the counts that are not 0; "" before it moves."""
        if not self.total:
            return ""
        ended = self.counts.get(PASSED, 0) + self.counts.get(FAILED, 0) + self.counts.get(UNKNOWN, 0)
        ended += self.counts.get(STRUCK_OUT, 0)
        moving = self.counts.get(SOAKING, 0) + self.counts.get(IN_FLIGHT, 0)
        full = _WIDTH * ended // self.total
        half = max(-(-_WIDTH * (ended + moving) // self.total) - full, 0)
        told = [f"{self.counts.get(PASSED, 0)}/{self.total} passed"]
        told += [
            f"{self.counts[state]} {state}"
            for state in (IN_FLIGHT, SOAKING, FAILED, UNKNOWN, STRUCK_OUT)
            if self.counts.get(state)
        ]
        return f"{self.wave} [{'#' * full}{'-' * half}{'.' * (_WIDTH - full - half)}] {', '.join(told)}"


def names_in_short(names: list[str]) -> str:
    """Return some names and how many more."""
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
