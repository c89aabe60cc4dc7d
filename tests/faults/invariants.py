# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The five invariants: what must be true of a node after any fault, with every driver.

Drivers refer to configs by names ("init", "good", "next", "deadly", ...), so that they share the expectations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["INVARIANTS", "Condition", "Expected", "Observation", "violations"]

INVARIANTS = {
    "I1": "the component runs a config that was valid",
    "I2": "last-known-good is never lost",
    "I3": "a config that crashes the component is rolled back within its threshold",
    "I4": "no component is restarted unnecessarily",
    "I5": "ConfigOK is correct once the API server is back",
}
UNKNOWN = "?"  # a file that does not equal a config of the scenario: torn, mixed, invented


class Condition(NamedTuple):
    """ConfigOK: status and message, with names of configs instead of uids."""

    status: str
    message: str


class Expected(NamedTuple):
    """The allowed outcomes.

    valid: the configs that a component may be started with. runs: the configs that may run in the end. good: the
    allowed values of last-known-good in the end; kept: the same right after the fault (empty: not checked). starts:
    minimum and maximum. doomed: the configs that must be left, doomed_starts: the maximum of their starts.
    conditions: the allowed values of ConfigOK in the end.
    """

    valid: frozenset[str]
    runs: frozenset[str]
    good: frozenset[str]
    starts: tuple[int, int]
    conditions: frozenset[Condition]
    kept: frozenset[str] = frozenset()
    doomed: frozenset[str] = frozenset()
    doomed_starts: int = 0


class Observation(NamedTuple):
    """The observations of a node.

    started_with: the config of each start of the component since the change was assigned. runs: the config that runs,
    or "" if none does. good: last-known-good, or "" if it cannot be read or one of its files is gone; kept: the same
    right after the fault, or None if not observed.
    """

    started_with: tuple[str, ...]
    runs: str
    good: str
    condition: Condition
    kept: str | None = None


def violations(expected: Expected, observation: Observation) -> list[str]:
    """Return one sentence for each violation, beginning with the invariant."""
    sentences = []
    odd = [name for name in observation.started_with if name not in expected.valid]
    if odd:
        sentences.append(f"I1: started with {odd[0]!r}; valid are {_set(expected.valid)}")
    if observation.runs not in expected.runs:
        sentences.append(f"I1: runs {observation.runs!r} and not {_set(expected.runs)}")
    if observation.good not in expected.good:
        sentences.append(f"I2: last-known-good is {observation.good!r} and not {_set(expected.good)}")
    if observation.kept is not None and expected.kept and observation.kept not in expected.kept:
        sentences.append(
            f"I2: last-known-good was {observation.kept!r} right after the fault and not {_set(expected.kept)}"
        )
    doomed = sum(1 for name in observation.started_with if name in expected.doomed)
    if doomed > expected.doomed_starts:
        sentences.append(
            f"I3: started {doomed} times with a config that crashes it; {expected.doomed_starts} are allowed"
        )
    if observation.runs in expected.doomed:
        sentences.append(f"I3: still on {observation.runs!r}")
    least, most = expected.starts
    if not least <= len(observation.started_with) <= most:
        starts = f"{len(observation.started_with)} starts ({', '.join(observation.started_with)})"
        sentences.append(f"I4: {starts}; {least} to {most} needed")
    if observation.condition not in expected.conditions:
        allowed = _set(" ".join(condition) for condition in expected.conditions)
        sentences.append(f"I5: says {' '.join(observation.condition)!r} and not {allowed}")
    return sentences


def _set(names: Iterable[str]) -> str:
    return " or ".join(sorted(repr(name) for name in names))
