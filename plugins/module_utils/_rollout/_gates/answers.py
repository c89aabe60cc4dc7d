# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What gates answer: yes, no, don't know. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class GateVerdict(Enum):
    """What a gate says. WAIT is only in a decision: the gates have time left to answer."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"
    WAIT = "wait"


@dataclass(frozen=True)
class GateAnswer:
    """The answer of one gate: PASS, FAIL or UNKNOWN. reason: safe to show, without secrets."""

    gate: str
    verdict: GateVerdict
    reason: str = ""

    @property
    def is_definite(self) -> bool:
        """Return whether the gate says yes or no."""
        return self.verdict in (GateVerdict.PASS, GateVerdict.FAIL)


@dataclass(frozen=True)
class GateDecision:
    """What several gates say together. reason: names the gate that decided, "" for PASS."""

    verdict: GateVerdict
    reason: str = ""


@dataclass(frozen=True)
class ServerAnswer:
    """What a server answered: for the pool as a whole, or for each Node by its name.

    answer: in the latter case only says why no Node has an answer, UNKNOWN, or that some have, PASS.
    """

    answer: GateAnswer
    nodes: Mapping[str, GateAnswer] = field(default_factory=dict)


class UnusableServerAnswer(ValueError):
    """An answer that says neither yes nor no; the message says why."""
