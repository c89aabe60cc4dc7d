# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one wave has to do, as data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..._nodeconfig.assignment import ConfigSource
from ..goals import Goal


@dataclass(frozen=True)
class WaveJob:
    """What a wave has to do.

    goals: what each node is to reach, in the order in which the nodes move. position: in the record's waves; None for
    a rollback, of which only the end is recorded. bundles: what is checked to exist while the wave moves. lookahead:
    how many nodes beyond those of a step are recorded as possibly assigned with it.

    possibly_assigned: nodes that an earlier run may have assigned already. not_ready_at_start: nodes that were not
    Ready when the wave began. passed_in: nodes of earlier waves, which may still fail, each with the name of its wave.
    expected_goals: what each node that needs no move has reached, including those of passed_in. soaked_before: for
    how many seconds nodes had soaked when an earlier run ended. forget_bad: nodes that refused the config are assigned
    it again. new_machines: those that are created or replaced, whose capacity is missing if that fails. of_machines:
    whether Machines declare the goals.
    """

    name: str
    goals: Mapping[str, Goal]
    soak: float
    node_timeout: float
    position: int | None = None
    bundles: Collection[ConfigSource] = ()
    lookahead: int = 0
    possibly_assigned: Collection[str] = ()
    not_ready_at_start: Collection[str] = ()
    passed_in: Mapping[str, str] = field(default_factory=dict)
    expected_goals: Mapping[str, Goal] = field(default_factory=dict)
    soaked_before: Mapping[str, int] = field(default_factory=dict)
    forget_bad: bool = False
    new_machines: Collection[str] = ()
    of_machines: bool = False
