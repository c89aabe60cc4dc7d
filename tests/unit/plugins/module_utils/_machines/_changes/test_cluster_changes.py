# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to change on all machines of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import (
    changed_names,
    plan_cluster,
    refusals_of,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import (
    MachineAction,
    MachineChange,
)
from support.rollouts.declared_machines import EAST, SERVER, SOURCE, a_catalog, a_machine, an_observed

NONE = ConfigInputs()


def test_every_selected_machine_is_in_the_plan() -> None:
    catalog = a_catalog(*(a_machine(name, kubelet_version="1.35.0") for name in ("c", "a", "b")))
    observed = {"a": an_observed("a", kubelet="v1.35.0"), "b": an_observed("b")}
    changes = plan_cluster(catalog, observed, NONE, server_version=SERVER)
    assert [(change.name, change.action.value) for change in changes] == [
        ("a", "none"),
        ("b", "update"),
        ("c", "create"),
    ]
    assert changed_names(changes) == ["b", "c"]
    selected = plan_cluster(catalog, observed, NONE, server_version=SERVER, selected=["b", "elsewhere"])
    assert [change.name for change in selected] == ["b"]


def test_a_node_that_lost_its_file_is_left_alone_and_named() -> None:
    ours = MachineAnnotation("lost", "DebianHost", "").encode()
    observed = {"lost": an_observed("lost", annotation=ours), "foreign": an_observed("foreign")}
    (change,) = plan_cluster(a_catalog(), observed, NONE, server_version=SERVER)
    assert (change.name, change.action, change.machine) == ("lost", MachineAction.NONE, None)
    assert "declare it with state Absent first" in change.warnings[0]


def test_a_cluster_that_contradicts_its_api_server_is_refused_once() -> None:
    catalog = a_catalog(a_machine("a"), a_machine("b"))
    wrong = replace(catalog, clusters={"east": replace(EAST, kubernetes_version="1.34.0")})
    observed = {name: an_observed(name) for name in "ab"}
    (refusal,) = refusals_of(plan_cluster(wrong, observed, NONE, server_version=SERVER))
    assert "spec.kubernetesVersion: 1.34.0 contradicts the API server" in refusal


def test_a_machine_without_a_provider_is_named() -> None:
    with pytest.raises(MachinesError, match=r"no Provider declares .*DebianHost \(known: none\)"):
        plan_cluster(a_catalog(a_machine(), providers=()), {}, NONE, server_version=SERVER)


# A gate that kubelet 1.34 still knows, and 1.35 does not.
GATED = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfeatureGates: {ComponentSLIs: true}\n"


def assigned(versions: dict[str, str]) -> list[MachineChange]:
    """Return the changes of machines without a declared kubelet, by the versions that their Nodes report."""
    pools = ConfigInputs(pools={"workers": SOURCE}, bundles={SOURCE: {"kubelet": GATED}})
    catalog = a_catalog(*(a_machine(name, kubelet_version="", pool="workers") for name in versions))
    observed = {name: an_observed(name, kubelet=version) for name, version in versions.items()}
    return plan_cluster(catalog, observed, pools, server_version=SERVER)


@pytest.mark.parametrize("version", ["v1.35.0", "v1.36.0", "evil"])
def test_the_version_that_one_node_reports_leaves_that_node_out(version: str) -> None:
    changes = assigned({"a": version, "b": "v1.34.9", "c": "v1.34.9"})
    assert changed_names(changes) == ["b", "c"]
    assert refusals_of(changes) == []
    (warning,) = {text for change in changes for text in change.warnings if "left out" in text}
    assert warning.startswith("machines/workers.yaml:3: Machine a: ")
    assert warning.endswith("left out, because only its Node reports that version: declare spec.versions.kubelet")


def test_versions_that_half_of_the_nodes_report_refuse_the_run() -> None:
    changes = assigned({"a": "v1.35.0", "b": "v1.35.0", "c": "v1.34.9", "d": "v1.34.9"})
    assert len(refusals_of(changes)) == 2
    assert "kubelet 1.35.0 would refuse the bundle" in refusals_of(changes)[0]


def test_versions_outside_the_skew_are_left_out_however_many_they_are() -> None:
    changes = assigned({"a": "v1.36.0", "b": "v1.36.0", "c": "v1.34.9"})
    assert (changed_names(changes), refusals_of(changes)) == (["c"], [])
