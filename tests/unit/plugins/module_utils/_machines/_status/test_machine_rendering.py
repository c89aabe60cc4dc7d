# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of Machines, and the plan of a run."""

from __future__ import annotations

import re
from dataclasses import replace

from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import plan_cluster
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Runtime
from ansible_collections.configok.node.plugins.module_utils._machines._status._phases import (
    MachinePhase,
    MachineStatus,
    statuses_of,
)
from ansible_collections.configok.node.plugins.module_utils._machines._status._rendering import (
    diff_of,
    render_machine_plan,
    render_table,
)
from support.rollouts.declared_machines import SERVER, SOURCE, a_catalog, a_machine, an_observed

NO_NODE = "it has no Node yet"
INPUTS = ConfigInputs(pools={"workers": SOURCE}, bundles={SOURCE: {}})
MACHINES = [
    a_machine("n1", kubelet_version="1.35.0"),
    a_machine("n2", kubelet_version="1.35.0"),
    a_machine("n3", pool="workers"),
    a_machine("n4"),
    a_machine("n5", state="Absent"),
]
NODES = {name: an_observed(name) for name in ("n1", "n2", "n4", "n5")}
CHANGES = plan_cluster(a_catalog(*MACHINES), NODES, INPUTS, server_version=SERVER)


def test_the_table_is_kubectls() -> None:
    lines = render_table(statuses_of(CHANGES))
    heads = "NAME NODE KUBELET RUNTIME CONFIG CONFIGOK PHASE ACTION REASON"
    assert [re.split(" {3,}", line) for line in lines] == [
        heads.split(),
        ["n1", "n1", "1.34.9 -> 1.35.0", "containerd 1.7.24", "init", "True", "Running", "update"],
        ["n2", "n2", "1.34.9 -> 1.35.0", "containerd 1.7.24", "init", "True", "Running", "update"],
        ["n3", "<none>", "1.34.9", "containerd 1.7.24", SOURCE.name, "<none>", "Provisioning", "create", NO_NODE],
        ["n4", "n4", "1.34.9", "containerd 1.7.24", "init", "True", "Running", "none"],
        ["n5", "n5", "1.34.9", "containerd 1.7.24", "init", "True", "Deleting", "delete"],
    ]
    assert len({line.index(head) for line, head in ((lines[0], "ACTION"), (lines[1], "update"))}) == 1
    assert render_table([]) == ["No Machine matches."]


def test_a_wide_or_hostile_value_stays_in_its_column() -> None:
    status = MachineStatus(
        "n1", MachinePhase.FAILED, reason="x" * 500 + "\x1b[2J", runtime_observed=Runtime("a", "1\n2")
    )
    lines = render_table([status])
    assert len(lines) == 2
    assert all(line.isprintable() and len(line) < 260 for line in lines)


def test_the_plan_says_what_happens_to_each_machine() -> None:
    assert render_machine_plan(CHANGES) == [
        "create n3, provider DebianHost",
        "    spec.versions.kubelet              1.34.9",
        "    spec.versions.containerRuntime     containerd 1.7.24",
        "    spec.pool                          workers-0a1b2c3d4e",
        "    spec.nodeLabels[example.com/disk]  ssd",
        "update in place 2 machines (n1, n2), provider DebianHost, disruption drain, drained first",
        "    spec.versions.kubelet  1.34.9 -> 1.35.0  [drain]",
        "delete n5, provider DebianHost, drained first",
        "    spec.state  Present -> Absent  [drain]",
        "Nothing to do: n4",
        "Warnings:",
        "  2 machines (n1, n2): the init config of the node is not published, so only its agent validates it for"
        " kubelet 1.35.0: configok.node.provision publishes it",
        "  machines/workers.yaml:3: Machine n5: no run has written its Node: what the provider did not install stays on"
        " the host",
    ]


def test_machines_of_another_provider_or_that_are_drained_are_an_entry_of_their_own() -> None:
    machine = a_machine("n0", node_labels={"example.com/disk": "hdd"})
    other = replace(machine, name="n1", provider=replace(machine.provider, kind="External"))
    nodes = {name: an_observed(name) for name in ("n0", "n1", "n2")}
    nodes["n2"] = replace(nodes["n2"], cordoned_by="machines")
    machines = [machine, other, replace(machine, name="n2")]
    changes = plan_cluster(a_catalog(*machines), nodes, INPUTS, server_version=SERVER, unfinished={"n2"})
    lines = [line for line in render_machine_plan(changes) if line.startswith("update")]
    assert lines == [
        "update in place n0, provider DebianHost, disruption live",
        "update in place n1, provider External, disruption live",
        "update in place n2, provider DebianHost, disruption live, drained first",
    ]


def test_the_plan_names_the_packages_of_each_machine() -> None:
    both = (("kubelet", "1.35.0-1.1"), ("containerd", "1.7.24~ds1-6"))
    of_a_provider = {"n1": both, "n2": both[:1], "n5": ()}
    lines = render_machine_plan(CHANGES, of_a_provider)
    assert lines[5:11] == [
        "update in place n1, provider DebianHost, disruption drain, drained first",
        "    spec.versions.kubelet  1.34.9 -> 1.35.0  [drain]",
        "    packages: kubelet 1.35.0-1.1, containerd 1.7.24~ds1-6",
        "update in place n2, provider DebianHost, disruption drain, drained first",
        "    spec.versions.kubelet  1.34.9 -> 1.35.0  [drain]",
        "    packages: kubelet 1.35.0-1.1",
    ]
    together = render_machine_plan(CHANGES, {"n1": both, "n2": both})
    assert together[5].startswith("update in place 2 machines (n1, n2)")
    assert together.count(lines[7]) == 1


def test_refusals_come_first() -> None:
    changes = plan_cluster(
        a_catalog(a_machine("n1", kubelet_version="1.36.0")), {"n1": an_observed("n1")}, INPUTS, server_version=SERVER
    )
    lines = render_machine_plan(changes)
    assert lines[0] == "Refused:"
    assert "newer than the API server" in lines[1]


def test_a_plan_of_thousands_stays_readable() -> None:
    nodes = {
        f"n{number:04}": an_observed(f"n{number:04}", labels={"example.com/disk": str(number)}) for number in range(300)
    }
    machines = [a_machine(name) for name in nodes]
    lines = render_machine_plan(plan_cluster(a_catalog(*machines), nodes, INPUTS, server_version=SERVER))
    assert len(lines) < 210
    assert "... and 200 more changes" in lines


def test_the_diff_has_only_what_changes() -> None:
    diffs = diff_of(CHANGES)
    assert [diff["before_header"] for diff in diffs] == ["machine n1", "machine n2", "machine n3", "machine n5"]
    assert (diffs[0]["before"], diffs[0]["after"]) == (
        "spec.versions.kubelet: 1.34.9\n",
        "spec.versions.kubelet: 1.35.0\n",
    )
    assert diffs[2]["before"] == ""
    assert diffs[3]["after_header"] == "machine n5 (delete)"


def test_flags_that_the_provider_adjusts_are_named() -> None:
    flags = {"kubeletFlags": {"pod-infra-container-image": "pause:3"}}
    machine = replace(MACHINES[0], provider=replace(MACHINES[0].provider, fields=flags))
    changes = plan_cluster(a_catalog(machine), {"n1": NODES["n1"]}, INPUTS, server_version=SERVER)
    assert any(line.startswith("    adjusted: --pod-infra-container-image: ") for line in render_machine_plan(changes))
