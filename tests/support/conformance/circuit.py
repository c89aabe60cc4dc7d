# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Visits every ordered pair of states once."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["circuit"]


def circuit(states: Sequence[str]) -> list[str]:
    """Return a walk that begins and ends with the first state and makes each of the n(n-1) transitions exactly once.

    An Eulerian circuit of the complete directed graph (Hierholzer's algorithm); states are distinct, at least two.
    """
    targets = {state: [target for target in reversed(states) if target != state] for state in states}
    stack, walk = [states[0]], []
    while stack:
        if targets[stack[-1]]:
            stack.append(targets[stack[-1]].pop())
        else:
            walk.append(stack.pop())
    return walk[::-1]
