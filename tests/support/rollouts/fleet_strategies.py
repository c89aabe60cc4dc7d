# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hypothesis strategies of fleets and policies. What shrinks: small pools of good nodes without incidents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from hypothesis import strategies as st

from support.rollouts.scripted_fleet import Action, Fleet, Incident, IncidentAction, NodeScript, Step

__all__ = [
    "ALL_INCIDENTS",
    "ANY",
    "DOWN",
    "FATES",
    "FINE",
    "LIES",
    "MOSTLY_FINE",
    "SILENT_FATES",
    "fates",
    "fleets",
    "incidents",
    "policies",
]

_ACTIONS: tuple[Action, ...] = get_args(Action)
LIES: tuple[Action, ...] = tuple(action for action in _ACTIONS if action.startswith("good "))
_SECONDS = st.sampled_from([1.0, 0.0, 0.01, 0.3, 3.0, 8.0, 25.0])


def _steps(*parts: Any) -> st.SearchStrategy[tuple[Step, ...]]:
    """Return scripts of these parts, each an action after any seconds, or after those of a (seconds, action)."""
    pairs = [part if isinstance(part, tuple) else (None, part) for part in parts]
    return st.tuples(
        *(st.builds(Step, _SECONDS if after is None else st.just(after), st.just(action)) for after, action in pairs)
    )


# Each fate by name: what a node does with the target.
FATES: dict[str, st.SearchStrategy[tuple[Step, ...]]] = {
    "good": _steps("adopting", "good"),
    "slow": _steps("adopting", (40.0, "good")),
    "restarts": _steps("adopting", "not ready", "ready", "good"),
    "good before it is ready": _steps("adopting", "not ready", "good", "ready"),
    "crashes": _steps("adopting", "failed"),
    "refuses": _steps("failed"),
    "fails in the soak": _steps("adopting", "good", "failed"),
    "adopts only": _steps("adopting"),
    "silent": st.just(()),
    "lies": st.sampled_from(LIES).flatmap(_steps),
    "adopts and lies": st.sampled_from(LIES).flatmap(lambda lie: _steps("adopting", lie)),
    "stays down": _steps("adopting", "not ready"),
    "stays unknown": _steps("adopting", "ready unknown"),
    "flaps": _steps("adopting", "good", "not ready", "ready"),
    "flaps unknown": _steps("adopting", "good", "ready unknown", "ready"),
    "vanishes": _steps("adopting", "deleted"),
    "vanishes when it is down": _steps("not ready", "deleted"),
    "anything": st.lists(st.builds(Step, _SECONDS, st.sampled_from(_ACTIONS)), max_size=6).map(tuple),
}
ANY = tuple(FATES)
FINE = ("good", "slow", "restarts", "good before it is ready")
MOSTLY_FINE = (*FINE * 12, *ANY)  # so that most rollouts come to their last wave
SILENT_FATES = ("silent", "lies", "stays unknown")

_STARTS = st.sampled_from(["ready"] * 30 + ["not ready", "ready unknown", "failing", "no agent", "odd version"])
_VERSIONS = st.sampled_from(["v1.35.0", "v1.34.2", "v1.20.2"])


@st.composite
def fates(draw: st.DrawFn, names: Sequence[str], *, start: st.SearchStrategy[Any] = _STARTS) -> NodeScript:
    """Draw a node whose fate is one of these."""
    steps = draw(FATES[draw(st.sampled_from(names))])
    return NodeScript(steps, draw(start), draw(_VERSIONS))


DOWN: tuple[IncidentAction, ...] = ("not ready", "ready unknown")
ALL_INCIDENTS: tuple[IncidentAction, ...] = (*DOWN, "ready", "deleted", "appears", "reassigned")


def incidents(
    count: int, *, most: int = 4, actions: Sequence[IncidentAction] = ALL_INCIDENTS
) -> st.SearchStrategy[tuple[Incident, ...]]:
    """Return lists of incidents in a fleet of this size."""
    seconds = st.integers(0, 300).map(lambda tenths: tenths / 10) | st.sampled_from([5.01, 40.0, 90.0])
    incident = st.builds(Incident, seconds, st.integers(0, count - 1), st.sampled_from(actions))
    return st.lists(incident, max_size=most).map(tuple)


@st.composite
def fleets(
    draw: st.DrawFn,
    names: Sequence[str] = ANY,
    *,
    smallest: int = 1,
    largest: int = 12,
    start: st.SearchStrategy[Any] = _STARTS,
    most_incidents: int = 4,
    actions: Sequence[IncidentAction] = ALL_INCIDENTS,
) -> Fleet:
    """Draw a fleet. smallest, largest: its number of nodes. start: the nodes before the rollout."""
    count = draw(st.integers(smallest, largest))
    nodes = tuple(draw(fates(names, start=start)) for _number in range(count))
    return Fleet(nodes, draw(incidents(count, most=most_incidents, actions=actions)) if most_incidents else ())


@st.composite
def policies(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """Draw a valid policy of a pool of this size, with times that suit the scripts."""
    return {
        "canary": {"count": draw(st.integers(1, 3)), "soak": draw(st.sampled_from(["0s", "3s", "20s"]))},
        "waves": draw(st.sampled_from([["100%"], ["50%", "100%"], ["25%", "50%", "75%", "100%"], [2, 4]])),
        "soak": draw(st.sampled_from(["0s", "2s", "10s"])),
        "maxUnavailable": draw(st.integers(1, max(1, count - 1))),
        "failureBudget": draw(st.integers(0, min(2, max(0, count - 1)))),
        "nodeTimeout": draw(st.sampled_from(["60s", "30s", "120s"])),
        "onFailure": draw(st.sampled_from(["halt", "rollback"])),
        "healthTimeout": "1s",
        "restartDelay": "1s",
        "timeToCrash": "1s",
    }
