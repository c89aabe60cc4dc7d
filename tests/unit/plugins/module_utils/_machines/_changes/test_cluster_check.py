# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config that contradicts the Cluster stops the plan, and both places are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
    provider_hash,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import with_cluster_check
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.plan_change import (
    Surroundings,
    plan_change,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import (
    ChangedField,
    MachineAction,
    MachineChange,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    BundleReference,
    Capabilities,
    Cluster,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import LocalComponent, LocalConfig
from support.rollouts.declared_machines import DEBIAN, EXTERNAL, SERVER, SOURCE, a_machine, an_observed

HEADER = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
EAST = Cluster("east", cluster_dns=("10.96.0.10",), origin="m.yaml:9")
CREATE, UPDATE, NONE, DELETE = MachineAction.CREATE, MachineAction.UPDATE, MachineAction.NONE, MachineAction.DELETE
REPLACE = MachineAction.REPLACE
LOCAL = "0" * 20
REFERENCE = BundleReference(SOURCE.namespace, SOURCE.name, SOURCE.uid)
OURS = MachineAnnotation(
    "worker-1", "DebianHost", provider_hash(a_machine().provider), ("example.com/disk",), kubelet="1.34.9"
).encode()
OTHER, SAME, LACKING = 'clusterDNS: ["10.0.0.1"]', 'clusterDNS: ["10.96.0.10"]', "maxPods: 9"


def with_init(dns: list[str]) -> ConfigInputs:
    """Return what is known of a node with these clusterDNS in its init config."""
    init = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "clusterDNS": dns}
    return ConfigInputs(local_configs={LOCAL: LocalConfig({"kubelet": LocalComponent(init, {})})})


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
def test_a_bundle_that_contradicts_its_cluster_is_refused(
    action: MachineAction, text: str, refusals: int, warnings: int
) -> None:
    inputs = ConfigInputs(bundles={SOURCE: {"kubelet": HEADER + text}})
    change = MachineChange("worker-1", action, a_machine(), None, source=SOURCE, cluster=EAST)
    checked = with_cluster_check(change, inputs)
    assert (len(checked.refusals), len(checked.warnings)) == (refusals, warnings)
    for sentence in checked.refusals:
        assert "Cluster east (m.yaml:9): change one of them" in sentence
        assert SOURCE.name in sentence


def test_an_init_config_that_the_change_writes_again_contradicts_nothing() -> None:
    machine, node, inputs = a_machine(), an_observed(annotation=OURS, local_config=LOCAL), with_init(["10.0.0.1"])
    for fields in ((), (ChangedField("Cluster.spec.network.clusterDNS", ["10.0.0.1"], ["10.96.0.10"], "drain"),)):
        change = MachineChange("worker-1", UPDATE, machine, node, fields, cluster=EAST)
        assert bool(with_cluster_check(change, inputs).refusals) == (not fields)
    # The new host of a machine that is replaced gets an init config of its own.
    assert not with_cluster_check(MachineChange("worker-1", REPLACE, machine, node, cluster=EAST), inputs).refusals


def test_another_value_of_the_cluster_is_written_to_the_hosts_that_a_run_has_changed() -> None:
    inputs = with_init(["10.0.0.1"])
    context = Surroundings(DEBIAN, EAST, SERVER, inputs)
    change = plan_change(a_machine(), an_observed(annotation=OURS, local_config=LOCAL), context)
    assert change.fields == (ChangedField("Cluster.spec.network.clusterDNS", ["10.0.0.1"], ["10.96.0.10"], "drain"),)
    assert change.needs_host
    assert not with_cluster_check(change, inputs).refusals

    labels = {"example.com/disk": "hdd"}
    relabelled = plan_change(a_machine(node_labels=labels), an_observed(annotation=OURS, local_config=LOCAL), context)
    assert not with_cluster_check(relabelled, inputs).refusals

    assert not plan_change(a_machine(), an_observed(local_config=LOCAL), context).fields  # no run has changed its host
    fits = an_observed(annotation=OURS, local_config=LOCAL)
    assert not plan_change(a_machine(), fits, context._replace(inputs=with_init(["10.96.0.10"]))).fields
    on_bundle = ConfigInputs(
        references={REFERENCE: SOURCE}, bundles={SOURCE: {"kubelet": HEADER + SAME}}, local_configs=inputs.local_configs
    )
    machine = a_machine(config_source=REFERENCE)
    node = an_observed(annotation=OURS, local_config=LOCAL, source=SOURCE)
    assert not plan_change(machine, node, context._replace(inputs=on_bundle)).fields


def test_a_provider_that_cannot_write_the_init_config_refuses_or_replaces() -> None:
    node, inputs = an_observed(annotation=OURS, local_config=LOCAL), with_init(["10.0.0.1"])
    nothing = Capabilities(kubelet=False, runtime=False)
    fixed = plan_change(a_machine(), node, Surroundings(replace(DEBIAN, capabilities=nothing), EAST, SERVER, inputs))
    assert "cannot change the init config in place" in fixed.refusals[0]
    replaced = plan_change(a_machine(), node, Surroundings(EXTERNAL, EAST, SERVER, inputs))
    assert replaced.action is REPLACE


def test_without_a_cluster_or_a_config_there_is_nothing_to_compare() -> None:
    change = MachineChange("worker-1", UPDATE, a_machine(), None, source=SOURCE)
    assert with_cluster_check(change, ConfigInputs()) == change
    of_east = MachineChange("worker-1", UPDATE, a_machine(), None, source=SOURCE, cluster=EAST)
    assert with_cluster_check(of_east, ConfigInputs()) == of_east
