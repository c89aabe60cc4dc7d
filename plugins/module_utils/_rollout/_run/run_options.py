# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of one run, apart from the policy of its pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .._drain.rebooter import RunReboot
from .._gates.answers import GateAnswer
from .._gates.gate_client import AskServer
from ..plan import Plan
from ..timing import Clock
from ._session import Report
from .host_change import ChangeMachine

ShouldStop = Callable[[], bool]
"""Returns whether to give up waiting for an answer, for example after an abort."""

AskWave = Callable[[str, Sequence[str], ShouldStop], GateAnswer]
"""Asks whether a wave of this name with these nodes may begin, or end; may take minutes."""


class RunOptions(NamedTuple):
    """How a run names itself, shows its progress, and holds its lock.

    runner: the name of this run for other users; unique for each run. report: is called with each change. clock: None
    for this machine's. lease_duration: whole seconds. wait_timeout: for how many seconds the run waits for a resume, an
    approval or a maintenance window before it ends as Paused. before_wave, after_wave: the user's own questions, None
    for none. ask_server: asks a gate's server, None for the real one. run_reboot: reboots a machine over the user's own
    connection, None if there is none. change_machine: has a provider change the host of a machine, None for a run
    that moves configs only. confirm_plan: makes the plan again once the lock is held, None to carry it out as it is.
    """

    runner: str
    report: Report
    clock: Clock | None = None
    lease_duration: float = 15.0
    wait_timeout: float = 3600.0
    before_wave: AskWave | None = None
    after_wave: AskWave | None = None
    ask_server: AskServer | None = None
    run_reboot: RunReboot | None = None
    change_machine: ChangeMachine | None = None
    confirm_plan: Callable[[Plan], Plan] | None = None
