# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout asks of the provider of a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..._kube.api_client import Client
from ..goals import HostAction, MachineGoal


@dataclass(frozen=True)
class MachineRequest:
    """What a provider is to do with the host of one machine.

    goal: what it is to become; for a rollback, the versions are those of goal.previous. timeout: seconds. client: for
    requests, survives an outage. should_stop: returns whether to give up; a change that has begun on a host is finished
    or rolled back first. rollout: the change is part of; a rollback undoes an update of the same rollout.
    """

    machine: str
    action: HostAction
    goal: MachineGoal
    timeout: float
    client: Client
    should_stop: Callable[[], bool] = field(default=lambda: False, compare=False)
    rollout: str = ""


class ChangeNotBegun(Exception):
    """A change of a host that has not begun, because the run ends: the host is as it was."""


# Has the provider change a host. Returns why that failed, "" for success. Raises ChangeNotBegun. Blocks; is called in
# many threads.
ChangeMachine = Callable[[MachineRequest], str]


@dataclass(frozen=True)
class HostOptions:
    """How hosts are changed.

    change: has the provider change a host. timeout: seconds for one change. node_timeout: seconds for a Node to be
    registered, or to return. rollout: its identity, which a run that continues the rollout has too.
    """

    change: ChangeMachine
    timeout: float
    node_timeout: float
    rollout: str = ""
