# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate that is asked again and again while a wave moves: its name, its times, and how it answers."""

from __future__ import annotations

from dataclasses import dataclass

from .answers import GateAnswer, GateVerdict, ServerAnswer


@dataclass(frozen=True)
class AskedGate:
    """A gate that is asked; times in seconds.

    timeout: for how long it may say neither yes nor no. interval: the pause between two questions.
    """

    name: str
    timeout: float
    interval: float

    @property
    def answers_by_node(self) -> bool:
        """Return whether it answers for each Node, not for the pool as a whole."""
        return False

    @property
    def hold(self) -> float:
        """Return for how many seconds it must say yes, and nothing else, before the pool passes."""
        return 0.0

    def yes(self) -> GateAnswer:
        """Return the answer yes."""
        return GateAnswer(self.name, GateVerdict.PASS)

    def no(self, reason: str) -> GateAnswer:
        """Return the answer no."""
        return GateAnswer(self.name, GateVerdict.FAIL, f"gate {self.name} says no: {reason}")

    def unknown(self, reason: str) -> ServerAnswer:
        """Return the answer "don't know"."""
        return ServerAnswer(GateAnswer(self.name, GateVerdict.UNKNOWN, f"gate {self.name} does not know: {reason}"))
