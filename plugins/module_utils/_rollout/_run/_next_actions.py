# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what a wave does next with the nodes of which something has changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._decisions._gate import AskGates, Verdict, evaluate
from .._nodes.node_view import NodeView
from ._wave_state import Decided, Job, StartJob, WaveAction, WaveState


class LostNode(NamedTuple):
    """What is known of a Node that the watch has lost. has_left: it exists, and has left the pool."""

    last_seen: NodeView | None = None
    has_left: bool = False


def plan(
    state: WaveState, changed: Iterable[str], now: float, *, lost: Mapping[str, LostNode], ask_gates: AskGates | None
) -> list[WaveAction]:
    """Return what is done with the changed nodes: a decision, a reboot or a rollback for each.

    lost: those of them that the watch has lost. ask_gates: asks servers about a node, None without such gates.
    """
    actions: list[WaveAction] = []
    for name in changed:
        run = state.window.run(name)
        if run.attempt is None or not run.can_be_evaluated:
            continue
        view = state.nodes.get(name)
        last_seen, has_left = lost.get(name, LostNode())
        result = evaluate(view, run.attempt, now, last_seen=last_seen, has_left=has_left, ask_gates=ask_gates)
        if view is not None and result.good_since is not None and state.facts.needs_reboot(view):
            actions.append(StartJob(Job.REBOOT, name))
        elif view is not None and result.verdict is Verdict.FAIL and state.facts.can_roll_back(name, run.attempt.goal):
            actions.append(StartJob(Job.ROLL_BACK, name, result.reason))
        else:
            actions.append(Decided(name, result, run.attempt.with_result(result)))
    return actions
