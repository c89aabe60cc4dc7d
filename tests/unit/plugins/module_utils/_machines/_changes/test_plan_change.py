# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to change on one machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
    provider_hash,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.plan_change import plan_change
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import MachineAction
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    BundleReference,
    Capabilities,
    Machine,
    Provider,
    Runtime,
    Taint,
)
from support.rollouts.declared_machines import (
    DEBIAN,
    EXTERNAL,
    SOURCE,
    a_machine,
    an_observed,
    surroundings,
)

TEXT = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
POOL = ConfigInputs(pools={"workers": SOURCE}, bundles={SOURCE: {"kubelet": TEXT + "maxPods: 90\n"}})


def annotation(machine: Machine | None = None, **changes: Any) -> str:
    """Return the annotation that a run leaves on the Node of a machine."""
    machine = machine or a_machine()
    left = MachineAnnotation(
        machine.name,
        machine.provider.kind,
        provider_hash(machine.provider),
        tuple(machine.node_labels),
        tuple(f"{taint.key}:{taint.effect}" for taint in machine.taints),
        machine.kubelet_version,
        machine.runtime,
    )
    return replace(left, **changes).encode()


@pytest.mark.parametrize("ours", [True, False])
def test_a_node_that_fits_needs_nothing_whether_or_not_a_run_has_made_it(ours: bool) -> None:
    change = plan_change(a_machine(), an_observed(annotation=annotation() if ours else None), surroundings())
    assert change.action is MachineAction.NONE
    assert change.fields == ()
    assert change.refusals == change.warnings == ()
    assert not change.is_change
    assert not change.needs_host
    assert not change.needs_drain


FIELDS = [
    # what the Machine declares, what the Node is, the field, the action, the disruption, whether the host is changed
    ({"kubelet_version": "1.35.0"}, {}, "spec.versions.kubelet", "update", "drain", True),
    ({"kubelet_version": "1.33.0"}, {}, "spec.versions.kubelet", "update", "drain", True),
    ({"runtime": Runtime("containerd", "1.7.25")}, {}, "spec.versions.containerRuntime", "update", "drain", True),
    ({"node_labels": {"a": "b"}}, {}, "spec.nodeLabels[a]", "update", "live", False),
    ({}, {"labels": {"example.com/disk": "hdd"}}, "spec.nodeLabels[example.com/disk]", "update", "live", False),
    ({"taints": (Taint("a", "b", "NoSchedule"),)}, {}, "spec.taints[a:NoSchedule]", "update", "live", False),
    ({"taints": (Taint("a", "", "NoExecute"),)}, {}, "spec.taints[a:NoExecute]", "update", "drain", False),
    ({"pool": "workers"}, {}, "spec.pool", "update", "restart", False),
    ({}, {"source": SOURCE}, "spec.pool", "update", "restart", False),
]


@pytest.mark.parametrize(("declared", "node", "path", "action", "disruption", "host"), FIELDS)
def test_one_difference_is_one_field(
    declared: dict[str, Any], node: dict[str, Any], path: str, action: str, disruption: str, host: bool
) -> None:
    change = plan_change(a_machine(**declared), an_observed(**node), surroundings(inputs=POOL))
    assert [changed.path for changed in change.fields] == [path]
    assert (change.action.value, change.disruption, change.needs_host) == (action, disruption, host)
    assert change.needs_drain is host
    assert change.decision == "in place"
    assert change.refusals == ()


@pytest.mark.parametrize(
    ("declared", "path"),
    [
        ({"kubelet_version": "1.35.0"}, "spec.versions.kubelet"),
        ({"runtime": Runtime("containerd", "1.7.25")}, "spec.versions.containerRuntime"),
        ({"runtime": Runtime("cri-o", "1.34.1")}, "spec.versions.containerRuntime"),
    ],
)
def test_a_provider_that_cannot_change_it_in_place_replaces_the_machine_or_refuses(
    declared: dict[str, Any], path: str
) -> None:
    machine = a_machine(**declared)
    change = plan_change(machine, an_observed(), surroundings(EXTERNAL))
    assert (change.action, change.decision, change.refusals) == (MachineAction.REPLACE, "replacement", ())
    assert change.needs_drain
    frozen = replace(DEBIAN, capabilities=Capabilities(kubelet=False, runtime=False))
    (refusal,) = plan_change(machine, an_observed(), surroundings(frozen)).refusals
    assert refusal.startswith(
        f"machines/workers.yaml:3: Machine worker-1: {path}: its provider DebianHost cannot change"
    )
    assert "nor replace the machine" in refusal


def test_another_runtime_needs_its_own_capability() -> None:
    machine = a_machine(runtime=Runtime("cri-o", "1.34.1"))
    unable = replace(DEBIAN, capabilities=Capabilities(runtime_kind=False))
    assert "the kind of container runtime" in plan_change(machine, an_observed(), surroundings(unable)).refusals[0]
    able = replace(DEBIAN, capabilities=Capabilities(runtime_kind=True))
    change = plan_change(machine, an_observed(), surroundings(able))
    assert (change.action, change.disruption, change.refusals) == (MachineAction.UPDATE, "drain", ())
    assert change.needs_drain
    no_runtime = replace(DEBIAN, capabilities=Capabilities(runtime=False, runtime_kind=True))
    assert plan_change(machine, an_observed(), surroundings(no_runtime)).refusals


def test_only_what_an_earlier_run_has_set_is_removed() -> None:
    before = a_machine(
        node_labels={"a": "1", "b": "2"}, taints=(Taint("t", "", "NoSchedule"), Taint("u", "", "NoSchedule"))
    )
    taints = [{"key": key, "effect": "NoSchedule"} for key in "tuv"]
    node = an_observed(labels={"a": "1", "b": "2", "c": "3"}, taints=taints, annotation=annotation(before))
    after = replace(before, node_labels={"a": "1"}, taints=before.taints[:1])
    change = plan_change(after, node, surroundings())
    assert [(changed.path, changed.before, changed.after) for changed in change.fields] == [
        ("spec.nodeLabels[b]", "2", None),
        ("spec.taints[u:NoSchedule]", "u:NoSchedule", None),
    ]


def test_a_taint_with_another_effect_is_another_taint() -> None:
    before = a_machine(taints=(Taint("t", "x", "NoSchedule"),))
    node = an_observed(taints=[{"key": "t", "value": "x", "effect": "NoSchedule"}], annotation=annotation(before))
    change = plan_change(replace(before, taints=(Taint("t", "x", "NoExecute"),)), node, surroundings())
    assert [changed.path for changed in change.fields] == ["spec.taints[t:NoExecute]", "spec.taints[t:NoSchedule]"]
    assert "whatever their PodDisruptionBudgets say" in change.warnings[0]


def test_a_node_cannot_have_itself_freed_of_what_restricts_it() -> None:
    # A kubelet may write annotations of its own Node, but neither these labels nor taints.
    label = "pci.node-restriction.kubernetes.io/zone"
    lying = annotation(labels=("example.com/disk", label), taints=("node.kubernetes.io/not-ready:NoExecute",))
    taints = [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
    node = an_observed(labels={"example.com/disk": "ssd", label: "x"}, taints=taints, annotation=lying)
    change = plan_change(a_machine(), node, surroundings())
    assert change.action is MachineAction.NONE
    assert f"the label {label} stays on the Node" in change.warnings[0]


def test_another_provider_config_is_work_on_the_host() -> None:
    machine = a_machine()
    fields = {**machine.provider.fields, "kubeletFlags": {"v": "3"}}
    other = replace(machine, provider=replace(machine.provider, fields=fields))
    node = an_observed(annotation=annotation(machine))
    change = plan_change(other, node, surroundings())
    assert [changed.path for changed in change.fields] == ["spec.providerConfig"]
    assert (change.action, change.needs_host) == (MachineAction.UPDATE, True)
    assert plan_change(other, node, surroundings(EXTERNAL)).action is MachineAction.REPLACE
    # Of a Node that no run has written, nothing is known.
    assert plan_change(other, an_observed(), surroundings()).action is MachineAction.NONE
    moved = replace(machine, provider=replace(machine.provider, fields={"address": "10.9.9.9", "user": "admin"}))
    assert plan_change(moved, node, surroundings()).action is MachineAction.NONE


def test_a_machine_without_a_node_is_created() -> None:
    machine = a_machine(pool="workers", taints=(Taint("t", "", "NoSchedule"),))
    change = plan_change(machine, None, surroundings(inputs=POOL))
    assert (change.action, change.source, change.refusals) == (MachineAction.CREATE, SOURCE, ())
    assert change.needs_host
    assert not change.needs_drain
    assert [(changed.path, changed.after) for changed in change.fields] == [
        ("spec.versions.kubelet", "1.34.9"),
        ("spec.versions.containerRuntime", "containerd 1.7.24"),
        ("spec.pool", "workers-0a1b2c3d4e"),
        ("spec.nodeLabels[example.com/disk]", "ssd"),
        ("spec.taints[t:NoSchedule]", "t:NoSchedule"),
    ]


@pytest.mark.parametrize(
    ("provider", "declared", "refusal"),
    [
        (replace(DEBIAN, capabilities=Capabilities(create=False)), {}, "cannot create a machine"),
        (DEBIAN, {"kubelet_version": ""}, "spec.versions.kubelet: a machine without a Node needs it"),
        (DEBIAN, {"kubelet_version": "1.36.0"}, "newer than the API server"),
        (DEBIAN, {"pool": "workers"}, "spec.pool: pool workers has no complete rollout"),
        (DEBIAN, {"config_source": BundleReference("configok-system", "b-0")}, "configok-system/b-0 does not exist"),
    ],
)
def test_a_machine_that_cannot_be_created_is_refused(
    provider: Provider, declared: dict[str, Any], refusal: str
) -> None:
    (sentence,) = plan_change(a_machine(**declared), None, surroundings(provider)).refusals
    assert refusal in sentence
    assert sentence.startswith("machines/workers.yaml:3: Machine worker-1: ")


def test_a_creation_that_was_interrupted_goes_to_its_end() -> None:
    # The kubelet has registered, and the run was killed before the agent was installed.
    node = an_observed(has_agent=False, labels={})
    change = plan_change(a_machine(pool="workers"), node, surroundings(inputs=POOL), unfinished=True)
    assert (change.action, change.refusals) == (MachineAction.CREATE, ())
    # The same Node without such a run was made by other means: an agent has to come first.
    change = plan_change(a_machine(pool="workers"), node, surroundings(inputs=POOL))
    assert change.action is MachineAction.UPDATE
    assert "no agent reports from its Node" in change.refusals[0]


@pytest.mark.parametrize(("cordoned", "host"), [(True, True), (False, False)])
def test_a_machine_that_a_killed_run_was_moving_is_moved_again(cordoned: bool, host: bool) -> None:
    node = replace(an_observed(annotation=annotation()), cordoned_by="machines" if cordoned else "")
    change = plan_change(a_machine(), node, surroundings(), unfinished=True)
    assert (change.action, change.fields, change.needs_host) == (MachineAction.UPDATE, (), host)


def test_absent_deletes_the_machine() -> None:
    machine = a_machine(state="Absent")
    change = plan_change(machine, an_observed(annotation=annotation()), surroundings())
    assert (change.action, change.disruption, change.refusals) == (MachineAction.DELETE, "drain", ())
    assert change.needs_drain
    assert plan_change(machine, None, surroundings()).action is MachineAction.NONE
    bound = replace(DEBIAN, capabilities=Capabilities(delete=False))
    assert "cannot delete the machine" in plan_change(machine, an_observed(), surroundings(bound)).refusals[0]
    assert "no run has written its Node" in plan_change(machine, an_observed(), surroundings()).warnings[0]


def test_a_skew_that_is_there_already_is_a_warning_and_one_to_be_made_a_refusal() -> None:
    node = an_observed(kubelet="v1.31.0")
    present = plan_change(a_machine(kubelet_version="1.31.0"), node, surroundings())
    assert (present.action, present.refusals) == (MachineAction.NONE, ())
    assert "4 minors behind" in present.warnings[0]
    made = plan_change(a_machine(kubelet_version="1.31.0"), an_observed(kubelet="v1.33.0"), surroundings())
    assert "4 minors behind" in made.refusals[0]


@pytest.mark.parametrize(
    ("declared", "reported", "problem"),
    [("1.31.0", "v1.31.0", "4 minors behind"), ("", "v1.99.0", "newer than the API server")],
)
def test_a_skew_that_is_there_already_does_not_refuse_a_label(declared: str, reported: str, problem: str) -> None:
    node = an_observed(kubelet=reported)
    machine = a_machine(kubelet_version=declared, node_labels={"example.com/disk": "hdd"})
    change = plan_change(machine, node, surroundings())
    assert (change.action, change.refusals) == (MachineAction.UPDATE, ())
    assert problem in change.warnings[0]
    runtime = replace(machine, runtime=Runtime("containerd", "1.7.25"))
    installed = plan_change(runtime, node, surroundings())
    assert problem in (installed.refusals if declared else installed.by_reported)[0]
    flags = replace(machine, provider=replace(machine.provider, kind="External"))
    replaced = plan_change(flags, an_observed(kubelet=reported, annotation=annotation()), surroundings(EXTERNAL))
    assert replaced.action is MachineAction.REPLACE
    assert problem in (replaced.refusals if declared else replaced.by_reported)[0]


def test_the_config_is_validated_for_the_new_version() -> None:
    bad = replace(POOL, bundles={SOURCE: {"kubelet": TEXT + "featureGates: {ComponentSLIs: true}\n"}})
    node = an_observed(source=SOURCE)
    machine = a_machine(pool="workers", kubelet_version="1.35.0")
    assert "featureGates.ComponentSLIs" in plan_change(machine, node, surroundings(inputs=bad)).refusals[0]
    assert plan_change(machine, node, surroundings(inputs=POOL)).refusals == ()


_KEYS = st.sampled_from(["a", "b", "c", "example.com/d"])
_LABELS = st.dictionaries(_KEYS, st.sampled_from(["1", "2"]))
_TAINTS = st.dictionaries(st.tuples(_KEYS, st.sampled_from(["NoSchedule", "NoExecute"])), st.sampled_from(["", "x"]))


def _taints(chosen: dict[tuple[str, str], str]) -> tuple[Taint, ...]:
    return tuple(Taint(key, value, effect) for (key, effect), value in chosen.items())


@given(_LABELS, _LABELS, _LABELS, _TAINTS, _TAINTS, _TAINTS)
def test_after_a_run_there_is_nothing_to_do_and_nothing_else_was_touched(
    present: dict[str, str],
    earlier: dict[str, str],
    declared: dict[str, str],
    present_taints: dict[tuple[str, str], str],
    earlier_taints: dict[tuple[str, str], str],
    declared_taints: dict[tuple[str, str], str],
) -> None:
    last = a_machine(node_labels=earlier, taints=_taints(earlier_taints))
    machine = a_machine(node_labels=declared, taints=_taints(declared_taints))
    node = replace(an_observed(annotation=annotation(last)), labels=present, taints=_taints(present_taints))
    labels, taints = dict(present), dict(present_taints)
    for changed in plan_change(machine, node, surroundings()).fields:
        where, key = changed.path[:-1].split("[")
        if where == "spec.nodeLabels":
            labels.pop(key, None)
            labels.update({key: changed.after} if changed.after is not None else {})
        else:
            name, effect = key.split(":")
            taints.pop((name, effect), None)
            if changed.after is not None:
                taints[name, effect] = declared_taints[name, effect]
    assert labels == {**{key: value for key, value in present.items() if key not in earlier}, **declared}
    kept = {key: value for key, value in present_taints.items() if key not in earlier_taints}
    assert taints == {**kept, **declared_taints}
    done = replace(node, labels=labels, taints=_taints(taints))
    left = replace(node.annotation, labels=tuple(declared), taints=tuple(":".join(key) for key in declared_taints))
    again = replace(done, annotation=left)
    assert plan_change(machine, again, surroundings()).action is MachineAction.NONE
