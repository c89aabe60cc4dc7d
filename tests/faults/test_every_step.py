# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fault at every durable step of every change: killed, powered off, disk full, disk read-only."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import NamedTuple

import pytest

from faults.bench_node import BenchNode, Change, node_before, undisturbed
from faults.ledger import Ledger
from faults.pod_node import WRITER, PodNode
from support.agents.lossy_disk import LossyDisk, PowerLost

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
RECOVERY = 900.0  # seconds after a fault, longer than any backoff
DRIVERS: dict[str, type[BenchNode]] = {"in process": BenchNode, "static Pod in process": PodNode}


class Stage(NamedTuple):
    """A change on a kind of node. where: which kind. phase: the name of the change."""

    where: str
    driver: type[BenchNode]
    phase: str
    change: Change


def stages(*wheres: str) -> list[pytest.ParameterSet]:
    """Return all changes on these kinds of nodes, as parameters of a test."""
    return [
        pytest.param(Stage(where, DRIVERS[where], phase, change), id=f"{where}, {phase}")
        for where in wheres
        for phase, change in DRIVERS[where].changes.items()
    ]


def sampled(steps: int, every: int, driver: type[BenchNode]) -> range:
    """Return the steps to try: all in a full run, else every nth, and fewer where a case takes longer."""
    return range(0, steps, every if every == 1 else every * driver.cost)


@pytest.mark.complaint(
    "enhancements #281: removed: it needed stronger reliability promises and a limit on what may change"
)
@pytest.mark.parametrize("stage", stages(*DRIVERS))
def test_the_agent_is_killed(ledger: Ledger, tmp_path: Path, every: int, stage: Stage) -> None:
    """The component keeps running, and the next agent completes the change without an unnecessary restart."""
    where, driver, phase, change = stage
    steps, starts = undisturbed(tmp_path / "whole", change, ["agent"], driver)
    for step in sampled(steps, every, driver):
        with (
            ledger.case(where, "agent killed at a durable step", phase, f"step {step}") as case,
            node_before(tmp_path / "node", change, driver) as node,
        ):
            with node.on_disk(LossyDisk(step, kill=True), ["agent"]), pytest.raises(PowerLost):
                node.run(change.seconds)
            kept = node.last_known_good()
            node.run(3, agent=False)  # systemd starts it again after a while
            node.daemon = node.new_daemon()
            node.run(RECOVERY)
            case.check(change.expected((starts, starts + change.seen_by_the_next)), node.observe(kept))


@pytest.mark.parametrize(
    ("stage", "actor"),
    [
        *(
            pytest.param(*stage.values, actor, id=f"{stage.id}, {actor}")
            for actor in ("prestart", "poststop")
            for stage in stages("in process")
        ),
        *(pytest.param(*stage.values, WRITER, id=str(stage.id)) for stage in stages("static Pod in process")),
    ],
)
def test_a_child_is_killed(ledger: Ledger, tmp_path: Path, every: int, stage: Stage, actor: str) -> None:
    """Its parent continues as if it had exited: the component has a complete file or manifest, old or new."""
    where, driver, phase, change = stage
    steps, starts = undisturbed(tmp_path / "whole", change, [actor], driver)
    fault = "manifest's writer killed at a durable step" if actor == WRITER else f"{actor} killed at a durable step"
    for step in sampled(steps, every, driver):
        with (
            ledger.case(where, fault, phase, f"step {step}") as case,
            node_before(tmp_path / "node", change, driver) as node,
        ):
            with node.on_disk(_OneKill(step), [actor], children_are_killed=True):
                node.run(change.seconds)
            node.run(RECOVERY)
            # A start or an end that was not recorded cannot be counted, which costs one more start.
            case.check(change.expected((starts, starts + 1), doomed_more=1), node.observe())


class _OneKill(LossyDisk):
    """Kills one process; later processes are not affected."""

    def __init__(self, step: int) -> None:
        super().__init__(step, kill=True)
        self._kills = step

    def _step(self) -> None:
        try:
            super()._step()
        except PowerLost:
            self._fails = -1
            raise


@pytest.mark.complaint(
    "enhancements #281: removed: it needed stronger reliability promises and a limit on what may change"
)
@pytest.mark.parametrize("undo", [False, True], ids=["renames kept", "renames lost"])
@pytest.mark.parametrize("stage", stages(*DRIVERS))
def test_the_power_is_cut(ledger: Ledger, tmp_path: Path, every: int, stage: Stage, undo: bool) -> None:
    """The power is cut between any two writes; unsynced data is lost."""
    where, driver, phase, change = stage
    steps, starts = undisturbed(tmp_path / "whole", change, driver=driver)
    fault = "power cut, unsynced renames lost" if undo else "power cut, unsynced files torn"
    for step in sampled(steps, every, driver):
        with (
            ledger.case(where, fault, phase, f"step {step}") as case,
            node_before(tmp_path / "node", change, driver) as node,
        ):
            with node.on_disk(LossyDisk(step, power=True, undo=undo)), pytest.raises(PowerLost):
                node.run(change.seconds)
            kept = node.last_known_good()
            node.reboot()
            node.run(RECOVERY)
            # The boot counts as a start, and resets the crash count.
            expected = change.expected((1, starts + 1 + change.crash_loop), doomed_more=change.crash_loop)
            case.check(expected, node.observe(kept))
            case.holds("I2", node.store.damaged_files() == [], f"damaged by a cut: {node.store.damaged_files()}")


DISKS = {
    "disk full at one step": (errno.ENOSPC, 1),
    "disk read-only at one step": (errno.EROFS, 1),
    "input/output error at one step": (errno.EIO, 1),
    "disk full for a while": (errno.ENOSPC, 25),
    "disk read-only for a while": (errno.EROFS, 25),
}


@pytest.mark.parametrize("fault", DISKS)
@pytest.mark.parametrize("stage", stages(*DRIVERS))
def test_the_disk_refuses(ledger: Ledger, tmp_path: Path, every: int, stage: Stage, fault: str) -> None:
    """A write fails at any step, once or for a while: components keep running, and the change completes normally."""
    where, driver, phase, change = stage
    number, lasts = DISKS[fault]
    steps, starts = undisturbed(tmp_path / "whole", change, driver=driver)
    for step in sampled(steps, every, driver):
        with (
            ledger.case(where, fault, phase, f"step {step}") as case,
            node_before(tmp_path / "node", change, driver) as node,
        ):
            with node.on_disk(LossyDisk(step, number=number, lasts=lasts)):
                node.run(change.seconds)
                kept = node.last_known_good()
                node.run(RECOVERY)
            # A start or an end that was not recorded cannot be counted.
            more = lasts if change.to == "deadly" else 1
            case.check(change.expected((starts, starts + more), doomed_more=more), node.observe(kept))
