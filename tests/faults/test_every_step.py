# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fault at every durable step of every change: killed, powered off, disk full, disk read-only."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from faults.bench_node import CHANGES, node_before, undisturbed
from faults.ledger import Ledger
from support.agents.lossy_disk import LossyDisk, PowerLost

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
WHERE = "in process"
RECOVERY = 900.0  # seconds after a fault, longer than any backoff


@pytest.fixture(params=CHANGES)
def phase(request: pytest.FixtureRequest) -> str:
    """The name of a change."""
    return str(request.param)


@pytest.mark.complaint(
    "enhancements #281: removed: it needed stronger reliability promises and a limit on what may change"
)
def test_the_agent_is_killed(ledger: Ledger, tmp_path: Path, every: int, phase: str) -> None:
    """The component keeps running, and the next agent completes the change without an unnecessary restart."""
    change = CHANGES[phase]
    steps, starts = undisturbed(tmp_path / "whole", change, ["agent"])
    for step in range(0, steps, every):
        with (
            ledger.case(WHERE, "agent killed at a durable step", phase, f"step {step}") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            with node.on_disk(LossyDisk(step, kill=True), ["agent"]), pytest.raises(PowerLost):
                node.run(change.seconds)
            kept = node.last_known_good()
            node.run(3, agent=False)  # systemd starts it again after a while
            node.daemon = node.new_daemon()
            node.run(RECOVERY)
            case.check(change.expected((starts, starts)), node.observe(kept))


@pytest.mark.parametrize("actor", ["prestart", "poststop"])
def test_a_hook_is_killed(ledger: Ledger, tmp_path: Path, every: int, phase: str, actor: str) -> None:
    """systemd continues as if the hook had exited: the component starts with the existing, complete file."""
    change = CHANGES[phase]
    steps, starts = undisturbed(tmp_path / "whole", change, [actor])
    for step in range(0, steps, every):
        with (
            ledger.case(WHERE, f"{actor} killed at a durable step", phase, f"step {step}") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            with node.on_disk(_OneKill(step), [actor], hooks_are_killed=True):
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
def test_the_power_is_cut(ledger: Ledger, tmp_path: Path, every: int, phase: str, undo: bool) -> None:
    """The power is cut between any two writes; unsynced data is lost."""
    change = CHANGES[phase]
    steps, starts = undisturbed(tmp_path / "whole", change)
    fault = "power cut, unsynced renames lost" if undo else "power cut, unsynced files torn"
    for step in range(0, steps, every):
        with (
            ledger.case(WHERE, fault, phase, f"step {step}") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            with node.on_disk(LossyDisk(step, power=True, undo=undo)), pytest.raises(PowerLost):
                node.run(change.seconds)
            kept = node.last_known_good()
            node.reboot()
            node.run(RECOVERY)
            # The boot counts as a start, and resets the crash count.
            expected = change.expected((1, starts + 1 + change.threshold + 1), doomed_more=change.threshold + 1)
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
def test_the_disk_refuses(ledger: Ledger, tmp_path: Path, every: int, phase: str, fault: str) -> None:
    """A write fails at any step, once or for a while: components keep running, and the change completes normally."""
    change = CHANGES[phase]
    number, lasts = DISKS[fault]
    steps, starts = undisturbed(tmp_path / "whole", change)
    for step in range(0, steps, every):
        with (
            ledger.case(WHERE, fault, phase, f"step {step}") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            with node.on_disk(LossyDisk(step, number=number, lasts=lasts)):
                node.run(change.seconds)
                kept = node.last_known_good()
                node.run(RECOVERY)
            # A start or an end that was not recorded cannot be counted.
            more = lasts if change.to == "deadly" else 1
            case.check(change.expected((starts, starts + more), doomed_more=more), node.observe(kept))
