# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of one Machine, as data. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .._objects.types import Runtime


class MachinePhase(Enum):
    """The phase of a Machine."""

    PROVISIONING = "Provisioning"
    RUNNING = "Running"
    UPDATING = "Updating"
    DELETING = "Deleting"
    FAILED = "Failed"


@dataclass(frozen=True)
class MachineStatus:
    """The status of one Machine.

    node: "" without a Node. config_desired, config_observed: the names of config sources, "" without a Machine or
    without a Node. action: what a run would do. reason: "" for a healthy one.
    """

    name: str
    phase: MachinePhase
    node: str = ""
    node_uid: str = ""
    kubelet_desired: str = ""
    kubelet_observed: str = ""
    runtime_desired: Runtime | None = None
    runtime_observed: Runtime | None = None
    config_desired: str = ""
    config_observed: str = ""
    config_ok: str = ""
    action: str = "none"
    reason: str = ""
