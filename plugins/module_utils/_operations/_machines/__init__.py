# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move the Machines of a cluster."""

from __future__ import annotations

from ._machine_hosts import HostAnswer, HostRequest
from ._machine_rollout import MachineRollout, PlannedMachines

__all__ = ["HostAnswer", "HostRequest", "MachineRollout", "PlannedMachines"]
