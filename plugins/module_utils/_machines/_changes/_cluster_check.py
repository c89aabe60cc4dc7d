# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the config that a machine is to use with what its Cluster says. Pure."""

from __future__ import annotations

from dataclasses import replace

from .._objects.cluster_values import cluster_contradictions, missing_cluster_values
from .config_inputs import INIT_CONFIG, KUBELET, ConfigInputs, effective_config
from .plan_change import machine_name
from .types import CLUSTER_PATH, MachineAction, MachineChange


def with_cluster_check(change: MachineChange, inputs: ConfigInputs) -> MachineChange:
    """Return a change with what in its config contradicts the Cluster.

    That refuses the change, and is a warning for a machine that is left as it is. An init config that the change writes
    again does not count. A value that the config of a new machine lacks is a warning.
    """
    machine, cluster = change.machine, change.cluster
    if machine is None or cluster is None or change.action is MachineAction.DELETE or machine.state == "Absent":
        return change
    is_new = change.action in (MachineAction.CREATE, MachineAction.REPLACE)
    observed = None if is_new else change.observed
    config = effective_config(inputs, change.name, observed, change.source, KUBELET)
    is_written = any(changed.path.startswith(CLUSTER_PATH) for changed in change.fields)
    if config is None or is_written:
        return change
    source = change.source
    name = INIT_CONFIG if source is None else f"bundle {source.namespace}/{source.name}"
    place = f"{machine_name(machine)}: {name}"
    contradictions = tuple(cluster_contradictions(cluster, config, place))
    if not change.is_change:
        return replace(change, warnings=(*change.warnings, *contradictions))
    missing = tuple(missing_cluster_values(cluster, config, place)) if is_new else ()
    return replace(change, refusals=(*change.refusals, *contradictions), warnings=(*change.warnings, *missing))
