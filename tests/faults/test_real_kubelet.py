# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real kubelets: the agent killed, boots, power cuts and partitions in each phase, as a table of cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from faults.invariants import Condition, Expected
from faults.ledger import Ledger
from faults.machine_node import BACK, THRESHOLD, MachineNode

WHERE = "real kubelet"
GOOD_NEXT = Condition("True", "using current (UID: next)")


class Phase(NamedTuple):
    """A moment of a change. to: the assigned config. reached: whether the node is at that moment."""

    to: str
    reached: Callable[[MachineNode], bool]


PHASES = {
    "before": Phase("next", lambda node: True),
    "adopting": Phase("next", lambda node: node.current() == "next"),
    "trial": Phase("next", lambda node: node.config_ok() == GOOD_NEXT),
    "crash loop": Phase("deadly", lambda node: node.crashes() > 0),
    "rolled back": Phase("deadly", lambda node: node.crashes() > THRESHOLD and node.current() == "good"),
}


class Fault(NamedTuple):
    """A fault on the node. costs: starts of the kubelet; resets: whether it resets the crash count."""

    happens: Callable[[MachineNode], None]
    costs: int = 0
    resets: bool = False


def _agent_killed(node: MachineNode) -> None:
    node.machine.run(["systemctl", "kill", "--signal=KILL", "configok-agent"])


def _reboot(node: MachineNode) -> None:
    node.machine.reboot()


def _power_cut(node: MachineNode) -> None:
    node.machine.power_cut()
    node.machine.boot()


def _partition(node: MachineNode) -> None:
    """Wait long enough for the agent to complete the change without the API."""
    node.machine.partition()
    try:
        if node.current() == "next":
            node.until("the start with next", lambda: node.seen_locally() == "next")
        elif node.crashes():
            node.until_back()
    finally:
        node.machine.heal()


FAULTS = {
    "agent killed": Fault(_agent_killed),
    "partition from the API": Fault(_partition),
    "clean reboot": Fault(_reboot, 1, True),
    "power cut and boot": Fault(_power_cut, 1, True),
}
QUICK = {("agent killed", "adopting"), ("partition from the API", "crash loop")}


def _cases() -> list[Any]:
    violations = []
    for fault in FAULTS:
        for phase in PHASES:
            marks = [pytest.mark.quick] if (fault, phase) in QUICK else []
            violations.append(pytest.param(fault, phase, marks=marks, id=f"{fault}, {phase}"))
    return violations


@pytest.mark.parametrize(("fault", "phase"), _cases())
def test_in_each_phase(ledger: Ledger, machine: MachineNode, fault: str, phase: str) -> None:
    to, reached = PHASES[phase]
    happens, costs, resets = FAULTS[fault]
    with ledger.case(WHERE, fault, phase) as case:
        machine.base()
        if phase == "before":
            happens(machine)
        machine.assign(to, trial="8s")
        if phase != "before":
            machine.until(phase, lambda: reached(machine))
            happens(machine)
        ends = expected(to, costs=costs, more=THRESHOLD + 1 if resets else 0)
        [condition] = ends.conditions
        machine.until_condition(condition)
        if to == "next":
            machine.until("the end of the trial", lambda: machine.last_known_good() == "next")
        case.check(ends, machine.observe())


def expected(to: str, *, costs: int = 0, more: int = 0) -> Expected:
    """Return the expectation after "next" or "deadly" was assigned. more: additional starts with "deadly"."""
    crashes = to == "deadly"
    needed = THRESHOLD + 2 if crashes else 1
    return Expected(
        valid=frozenset({"good", to}),
        runs=frozenset({"good" if crashes else to}),
        good=frozenset({"good" if crashes else to}),
        starts=(needed - costs, needed + costs + (more if crashes else 0)),
        conditions=frozenset({BACK if crashes else GOOD_NEXT}),
        doomed=frozenset({"deadly"}) if crashes else frozenset(),
        doomed_starts=THRESHOLD + 1 + costs + more if crashes else 0,
    )
