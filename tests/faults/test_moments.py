# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots, jumps of the wall clock, a second agent and outages of the API, at every moment of every change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from faults.bench_node import CHANGES, BenchNode, Change, node_before, undisturbed
from faults.ledger import Ledger

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
WHERE = "in process"
LONG = 900.0  # longer than any backoff
ENOUGH = 260.0  # longer than twice the health timeout
YEAR = 365 * 86400.0
AWAY = Unreachable("connection refused", where="nodes/n1")


@pytest.fixture(params=CHANGES)
def phase(request: pytest.FixtureRequest) -> str:
    """The name of a change."""
    return str(request.param)


def moments(change: Change) -> list[float]:
    """Return the moments of a change, in seconds since its assignment: dense while most events happen."""
    return [fifth / 5 for fifth in range(21)] + [second + 0.5 for second in range(4, min(12, int(change.seconds)))]


def _boots(node: BenchNode) -> None:
    node.reboot()


def _boots_in_good_order(node: BenchNode) -> None:
    node.daemon.close()
    node.stop("kubelet")
    node.reboot()


def _forward(node: BenchNode) -> None:
    node.clock.jump(3 * YEAR)


def _back(node: BenchNode) -> None:
    node.clock.jump(-3 * YEAR)


def _to_and_fro(node: BenchNode) -> None:
    _forward(node)
    node.run(0.3)
    _back(node)


def _ends_in_good_order(node: BenchNode) -> None:
    node.restart_agent()


def _restarted(node: BenchNode) -> None:
    node.stop("kubelet", state="starting")
    node.start("kubelet")


# fault -> the action, the starts that it costs, whether it resets the crash count
FAULTS: dict[str, tuple[Callable[[BenchNode], None], int, bool]] = {
    "power cut and boot": (_boots, 1, True),
    "clean reboot": (_boots_in_good_order, 1, True),
    "wall clock three years ahead": (_forward, 0, False),
    "wall clock three years back": (_back, 0, False),
    "wall clock back and forth": (_to_and_fro, 0, False),
    "agent restarted": (_ends_in_good_order, 0, False),
    "administrator restarts the component": (_restarted, 1, False),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_at_any_moment(ledger: Ledger, tmp_path: Path, every: int, phase: str, fault: str) -> None:
    change = CHANGES[phase]
    happens, costs, resets = FAULTS[fault]
    starts = undisturbed(tmp_path / "whole", change)[1]
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, fault, phase, f"after {moment} s") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            happens(node)
            kept = node.last_known_good()
            node.run(ENOUGH)
            more = change.threshold + 1 if resets else 0
            # A start by the fault can replace the agent's restart.
            expected = change.expected((starts - costs, starts + costs + more), doomed_more=more + costs)
            case.check(expected, node.observe(kept))


@pytest.mark.complaint("openshift-tools #4349: an API outage crashed the agent into mass restarts")
@pytest.mark.parametrize("seconds", [2.0, 400.0], ids=["short", "long"])
def test_the_api_is_away(ledger: Ledger, tmp_path: Path, every: int, phase: str, seconds: float) -> None:
    """The agent completes the change without the API, and reports the truth when it is back."""
    change = CHANGES[phase]
    starts = undisturbed(tmp_path / "whole", change)[1]
    fault = f"API away for {seconds:g} s"
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, fault, phase, f"after {moment} s") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            node.api.down = AWAY
            node.run(seconds)
            node.api.down = None
            node.run(LONG)
            case.check(change.expected((starts, starts)), node.observe())


def test_two_agents_at_once(ledger: Ledger, tmp_path: Path, every: int, phase: str) -> None:
    """A lock excludes a second agent; if its run directory and lock differ, the store's lock does."""
    change = CHANGES[phase]
    starts = undisturbed(tmp_path / "whole", change)[1]
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, "two agents at once", phase, f"after {moment} s") as case,
            node_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            second = node.new_daemon()
            for _turn in range(60):
                second.reconcile(annotations_of(node.api.node))
                node.run(0.1)
            kept = node.last_known_good()
            node.run(ENOUGH)
            # Both may request the same restart.
            case.check(change.expected((starts, starts + 2), doomed_more=1), node.observe(kept))
