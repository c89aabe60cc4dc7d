# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config that contradicts the Cluster stops the plan, and both places are named."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes._cluster_check import with_cluster_check
from ansible_collections.configok.node.plugins.module_utils._machines._changes._config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes._types import (
    MachineAction,
    MachineChange,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects._types import Cluster
from support.rollouts.declared_machines import SOURCE, a_machine

HEADER = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
EAST = Cluster("east", cluster_dns=("10.96.0.10",), origin="m.yaml:9")
CREATE, UPDATE, NONE, DELETE = MachineAction.CREATE, MachineAction.UPDATE, MachineAction.NONE, MachineAction.DELETE
OTHER, SAME, LACKING = 'clusterDNS: ["10.0.0.1"]', 'clusterDNS: ["10.96.0.10"]', "maxPods: 9"


@pytest.mark.parametrize(
    ("action", "text", "refusals", "warnings"),
    [
        (CREATE, SAME, 0, 0),
        (CREATE, OTHER, 1, 0),
        (CREATE, LACKING, 0, 1),
        (UPDATE, OTHER, 1, 0),
        (UPDATE, LACKING, 0, 0),
        (NONE, OTHER, 0, 1),
        (NONE, SAME, 0, 0),
        (DELETE, OTHER, 0, 0),
    ],
)
def test_a_bundle_and_the_cluster(action: MachineAction, text: str, refusals: int, warnings: int) -> None:
    inputs = ConfigInputs(bundles={SOURCE: {"kubelet": HEADER + text}})
    change = MachineChange("worker-1", action, a_machine(), None, source=SOURCE, cluster=EAST)
    checked = with_cluster_check(change, inputs)
    assert (len(checked.refusals), len(checked.warnings)) == (refusals, warnings)
    for sentence in checked.refusals:
        assert "Cluster east (m.yaml:9): change one of them" in sentence
        assert SOURCE.name in sentence


def test_without_a_cluster_or_a_config_there_is_nothing_to_compare() -> None:
    change = MachineChange("worker-1", UPDATE, a_machine(), None, source=SOURCE)
    assert with_cluster_check(change, ConfigInputs()) == change
    of_east = MachineChange("worker-1", UPDATE, a_machine(), None, source=SOURCE, cluster=EAST)
    assert with_cluster_check(of_east, ConfigInputs()) == of_east
