# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals of a rollout of machines, and its name."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
    provider_hash,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import plan_cluster
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.goals import content_hash_of, goals_of
from ansible_collections.configok.node.plugins.module_utils._machines._changes.plan_change import plan_change
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Machine, Runtime, Taint
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import MachineGoal
from support.rollouts.declared_machines import (
    EXTERNAL,
    SERVER,
    SOURCE,
    a_catalog,
    a_machine,
    an_observed,
    surroundings,
)

INPUTS = ConfigInputs(pools={"workers": SOURCE}, bundles={SOURCE: {}})


def goal_of(machine: Machine, node: Any, **options: Any) -> MachineGoal:
    """Return the goal of one machine."""
    return goals_of([plan_change(machine, node, surroundings(**options))])[machine.name]


def left_by(machine: Machine, **changes: Any) -> str:
    """Return the annotation that a run leaves."""
    left = MachineAnnotation(
        machine.name,
        machine.provider.kind,
        provider_hash(machine.provider),
        tuple(machine.node_labels),
        kubelet=machine.kubelet_version,
        runtime=machine.runtime,
    )
    return replace(left, **changes).encode()


def test_a_new_machine_gets_everything() -> None:
    machine = a_machine(pool="workers", taints=(Taint("t", "x", "NoSchedule"),))
    goal = goal_of(machine, None, inputs=INPUTS)
    assert (goal.action, goal.source, goal.needs_host, goal.needs_drain) == ("create", SOURCE, True, False)
    assert (goal.kubelet_version, goal.runtime) == ("1.34.9", ("containerd", "1.7.24"))
    assert (goal.labels, goal.taints) == ({"example.com/disk": "ssd"}, (("t", "x", "NoSchedule"),))
    left = MachineAnnotation.parse(goal.annotation)
    assert (left.machine, left.labels, left.taints) == ("worker-1", ("example.com/disk",), ("t:NoSchedule",))
    assert goal.previous == {}


def test_an_update_records_what_to_roll_back_to() -> None:
    goal = goal_of(a_machine(kubelet_version="1.35.0", runtime=Runtime("containerd", "1.7.25")), an_observed())
    assert (goal.action, goal.needs_host, goal.needs_drain) == ("update", True, True)
    assert goal.previous == {"kubelet": "1.34.9", "runtime": ("containerd", "1.7.24")}
    left = MachineAnnotation.parse(goal.annotation)
    assert (left.kubelet, left.runtime) == ("1.35.0", Runtime("containerd", "1.7.25"))
    assert left.previous == {"kubelet": "1.34.9", "runtime": "containerd 1.7.24"}


def test_the_rollback_has_the_parts_of_a_version_that_the_node_does_not_report() -> None:
    old = a_machine(runtime=Runtime("containerd", "1.7.24~ds1-5"))
    node = an_observed(runtime="containerd://1.7.24~ds1", annotation=left_by(old))
    goal = goal_of(replace(old, runtime=Runtime("containerd", "1.7.24~ds1-6")), node)
    assert goal.needs_host
    assert goal.previous["runtime"] == ("containerd", "1.7.24~ds1-5")
    done = an_observed(
        runtime="containerd://1.7.24~ds1",
        annotation=left_by(replace(old, runtime=Runtime("containerd", "1.7.24~ds1-6"))),
    )
    assert not goal_of(replace(old, runtime=Runtime("containerd", "1.7.24~ds1-6")), done).needs_host


def test_the_rollback_has_a_version_although_an_earlier_file_named_only_the_kind() -> None:
    old = a_machine(runtime=Runtime("containerd", ""))
    node = an_observed(annotation=left_by(old))
    assert node.is_ours
    goal = goal_of(replace(old, runtime=Runtime("containerd", "1.7.25")), node)
    assert goal.previous["runtime"] == ("containerd", "1.7.24")


@pytest.mark.parametrize("written", [False, True])
def test_the_run_after_a_killed_one_still_knows_what_to_roll_back_to(written: bool) -> None:
    # The host has the new version already; the annotation is that of before, or was written already.
    old, new = a_machine(), a_machine(kubelet_version="1.35.0")
    first = goal_of(new, an_observed(annotation=left_by(old)))
    text = first.annotation if written else left_by(old)
    node = replace(an_observed(kubelet="v1.35.0", annotation=text), cordoned_by="machines")
    change = plan_change(new, node, surroundings(), unfinished=True)
    goal = goals_of([change])["worker-1"]
    assert goal.needs_host
    assert goal.previous == first.previous
    assert MachineAnnotation.parse(goal.annotation).previous == MachineAnnotation.parse(first.annotation).previous


def test_the_annotation_keeps_the_hash_of_a_provider_config_that_changes() -> None:
    old = a_machine()
    new = replace(old, provider=replace(old.provider, fields={**old.provider.fields, "kubeletFlags": {"v": "2"}}))
    before = MachineAnnotation.parse(left_by(old)).provider_hash
    first = goal_of(new, an_observed(annotation=left_by(old)))
    assert MachineAnnotation.parse(first.annotation).previous["providerHash"] == before
    # A second run of it, and a change of the version alone.
    node = replace(an_observed(annotation=first.annotation), cordoned_by="machines")
    again = goals_of([plan_change(new, node, surroundings(), unfinished=True)])["worker-1"]
    assert MachineAnnotation.parse(again.annotation).previous["providerHash"] == before
    later = goal_of(replace(new, kubelet_version="1.35.0"), an_observed(annotation=first.annotation))
    assert "providerHash" not in MachineAnnotation.parse(later.annotation).previous


def test_labels_and_taints_that_are_declared_no_more_are_named() -> None:
    old = a_machine(node_labels={"a": "1", "b": "2"})
    text = left_by(old, taints=("t:NoSchedule",))
    taints = [{"key": "t", "effect": "NoSchedule"}, {"key": "t", "effect": "NoExecute"}]
    goal = goal_of(
        replace(old, node_labels={"a": "1"}), an_observed(labels={"a": "1", "b": "2"}, taints=taints, annotation=text)
    )
    assert goal.labels == {"a": "1", "b": None}
    assert goal.untaint == ("t:NoSchedule",)
    assert (goal.needs_host, goal.needs_drain) == (False, False)


def test_a_node_that_fits_and_is_nobodys_keeps_its_annotations() -> None:
    goal = goal_of(a_machine(), an_observed())
    assert (goal.action, goal.annotation, goal.needs_host, goal.needs_drain) == ("update", "", False, False)
    assert goal_of(a_machine(kubelet_version="1.35.0"), an_observed()).annotation


def test_a_replacement_starts_from_nothing() -> None:
    old = a_machine(node_labels={"a": "1", "b": "2"})
    goal = goal_of(
        replace(old, node_labels={"a": "1"}, kubelet_version="1.35.0"),
        an_observed(labels={"a": "1", "b": "2"}, annotation=left_by(old)),
        provider=EXTERNAL,
    )
    assert (goal.action, goal.labels, goal.untaint, goal.previous) == ("replace", {"a": "1"}, (), {})
    assert goal.needs_drain


def test_a_deletion_keeps_the_config_until_the_node_is_gone() -> None:
    goal = goal_of(a_machine(state="Absent"), an_observed(source=SOURCE))
    assert (goal.action, goal.source, goal.needs_host, goal.needs_drain) == ("delete", SOURCE, True, True)
    gone = goal_of(a_machine(state="Absent"), None)
    assert (gone.action, gone.needs_host, gone.needs_drain) == ("delete", False, False)


def test_a_node_that_no_file_declares_has_no_goal() -> None:
    lost = {"lost": an_observed("lost", annotation=MachineAnnotation("lost", "DebianHost", "").encode())}
    changes = plan_cluster(a_catalog(a_machine("a")), lost, INPUTS, server_version=SERVER)
    assert set(goals_of(changes)) == {"a"}


def hash_at(machines: list[Machine], nodes: dict[str, Any]) -> str:
    """Return the hash of a run of these machines, with these Nodes."""
    return content_hash_of(plan_cluster(a_catalog(*machines), nodes, INPUTS, server_version=SERVER))


def test_the_hash_stays_the_same_while_machines_are_being_moved() -> None:
    machines = [a_machine(name, kubelet_version="1.35.0", pool="workers") for name in ("a", "b", "c")]
    machines.append(a_machine("d", state="Absent"))
    begun = {"b": an_observed("b"), "c": an_observed("c"), "d": an_observed("d")}
    after = {
        name: an_observed(name, kubelet="v1.35.0", source=SOURCE, annotation=left_by(a_machine(name))) for name in "abc"
    }
    assert hash_at(machines, begun) == hash_at(machines, after)
    assert hash_at(random.Random(1).sample(machines, 4), {}) == hash_at(machines, begun)


@pytest.mark.parametrize(
    "change",
    [
        {"kubelet_version": "1.35.0"},
        {"runtime": None},
        {"pool": "workers"},
        {"node_labels": {}},
        {"taints": (Taint("t", "", "NoSchedule"),)},
        {"state": "Absent"},
        {"provider": replace(a_machine().provider, fields={"address": "10.0.0.12", "user": "root"})},
        {
            "provider": replace(
                a_machine().provider, fields={**a_machine().provider.fields, "packages": {"source": "x"}}
            )
        },
    ],
)
def test_the_hash_is_another_one_when_something_else_is_declared(change: dict[str, Any]) -> None:
    nodes = {"worker-1": an_observed()}
    assert hash_at([a_machine()], nodes) != hash_at([a_machine(**change)], nodes)


def test_where_and_how_a_machine_is_written_is_not_part_of_the_hash() -> None:
    other = a_machine(origin="elsewhere.yaml:1", labels={"zone": "a"}, machine_set="workers")
    assert hash_at([a_machine()], {}) == hash_at([other], {})
