# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subjects become parameters, or are refused in a sentence; and parameters that are there stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster import ClusterRefused
from ansible_collections.configok.node.plugins.module_utils._cluster._access_objects import (
    Access,
    desired_objects,
    possible_objects,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._access_plan import (
    AccessStep,
    admission_parameters,
    path_of,
    plan_absent,
    plan_present,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._admission_parameters import (
    check_pool_label,
    is_break_glass,
    literals,
    read_literals,
    subject_lines,
)

ALICE = {"kind": "User", "name": "alice", "namespace": None, "pools": None}
AWX = {"kind": "ServiceAccount", "namespace": "awx", "name": "rollouts", "pools": ["db", "workers"]}
UNSET = Access(bundle_namespaces=[])
ON = Access(
    runner_subjects=[ALICE],
    assigner_subjects=[AWX],
    publisher_subjects=[],
    admission=True,
    break_glass_subjects=[ALICE],
)
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
POSSIBLE = possible_objects([], admission=True)
NOTHING: dict[str, Any] = {path_of(item): None for item in POSSIBLE}


def stored(access: Access, parameters: dict[str, str] | None) -> dict[str, Any]:
    """Return the objects of an access as the API server has them."""
    items = desired_objects(access, None, parameters)
    return {
        **NOTHING,
        **{path_of(item): item | {"metadata": {**item["metadata"], "resourceVersion": "1"}} for item in items},
    }


def parameters_of(access: Access, present: dict[str, Any] | None = None) -> dict[str, str]:
    parameters = admission_parameters(access, NOTHING if present is None else present)
    assert parameters is not None
    return parameters


def names(steps: list[AccessStep]) -> list[tuple[str, str]]:
    return [(step.action, f"{step.item['kind']} {step.item['metadata']['name']}") for step in steps]


def test_each_subject_and_pool_is_a_line() -> None:
    group = {"kind": "Group", "name": "ops team"}
    assert subject_lines([ALICE, AWX, group, group], "runner_subjects").split("\n") == [
        "* User alice",
        "db User system:serviceaccount:awx:rollouts",
        "workers User system:serviceaccount:awx:rollouts",
        "* Group ops team",
    ]
    assert subject_lines([], "runner_subjects") == ""


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ({"kind": "Group", "name": "system:nodes"}, "kubelets or controllers of Kubernetes are among them"),
        ({"kind": "Group", "name": "system:authenticated"}, "kubelets or controllers"),
        ({"kind": "Group", "name": "system:serviceaccounts:kube-system"}, "kubelets or controllers"),
        ({"kind": "User", "name": "system:node:n1"}, "'system:node:n1' in runner_subjects must not be named"),
        ({"kind": "User", "name": "system:kube-controller-manager"}, "kubelets or controllers"),
        ({"kind": "User", "name": "a\nb"}, "printable characters"),
        ({"kind": "User", "name": ""}, "1 to 500 printable characters"),
        ({"kind": "User", "name": "a", "pools": ["a b"]}, "pool 'a b' of 'a' in runner_subjects must be a DNS label"),
        ({"kind": "User", "name": "a", "pools": ["a" * 53]}, "at most 52 characters"),
        ({"kind": "User", "name": "a", "pools": []}, "an empty list of pools"),
    ],
)
def test_subjects_that_must_not_be_named(subject: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusterRefused, match=message):
        subject_lines([subject], "runner_subjects")


def test_parameters_are_read_back_from_a_policy_as_they_were_written() -> None:
    names = ["o'neil", 'say "x"', "back\\slash", "ümläut", "\U0001f511"]
    lines = subject_lines([{"kind": "User", "name": name} for name in names], "runner_subjects")
    others = {"publishers": "", "assigners": "", "machines": "* User m", "breakGlass": "* Group g", "poolLabel": "a/b"}
    parameters = {"runners": lines, **others}
    variables = [{"name": key, "expression": text} for key, text in literals(parameters).items()]
    assert read_literals({"spec": {"variables": variables}}) == parameters
    for damaged in ("[", "variables.x", "[1]", '{"a": 1}', "1" * 5000, None, "[" * 100_000):
        assert read_literals({"spec": {"variables": [{"name": "runners", "expression": damaged}]}}) == {}
    assert read_literals({}) == {}


def test_a_list_has_a_limit() -> None:
    long = [{"kind": "User", "name": f"{number:0500}"} for number in range(200)]
    with pytest.raises(ClusterRefused, match="runner_subjects has 101599 characters, at most 60000"):
        subject_lines(long, "runner_subjects")
    with pytest.raises(ClusterRefused, match="runner_subjects has 501 pairs of subject and pool, at most 500"):
        subject_lines([{"kind": "User", "name": f"u{number}"} for number in range(501)], "runner_subjects")


@pytest.mark.parametrize("label", ["", "a b", "/x", "a/b/c", "x/" + "a" * 64, "a\n"])
def test_a_pool_label_that_no_node_can_have_is_refused(label: str) -> None:
    with pytest.raises(ClusterRefused, match="is not the key of a label"):
        check_pool_label(label)
    assert check_pool_label("topology.kubernetes.io/zone") == "topology.kubernetes.io/zone"


def test_break_glass_is_by_user_or_group() -> None:
    parameters = {"breakGlass": "* User alice\n* Group emergency"}
    assert is_break_glass("alice", [], parameters)
    assert is_break_glass("bob", ["x", "emergency"], parameters)
    assert not is_break_glass("emergency", ["alice"], parameters)
    assert not is_break_glass("alice", [], {})


def test_policies_come_last_and_go_first() -> None:
    steps = plan_present(replace(ON, bundle_namespaces=[]), POSSIBLE, NOTHING)
    assert names(steps)[-4:] == [
        ("create", "ValidatingAdmissionPolicy configok-nodes"),
        ("create", "ValidatingAdmissionPolicyBinding configok-nodes"),
        ("create", "ValidatingAdmissionPolicy configok-bundles"),
        ("create", "ValidatingAdmissionPolicyBinding configok-bundles"),
    ]
    present = stored(ON, parameters_of(ON))
    assert plan_present(ON, POSSIBLE, present) == []
    assert plan_present(UNSET, POSSIBLE, present) == [], "all of it stays without being asked for again"
    removed = plan_absent(POSSIBLE, {path: item and {**item} for path, item in present.items()})
    assert [name.split()[0] for _action, name in names(removed)[:4]] == [
        "ValidatingAdmissionPolicyBinding",
        "ValidatingAdmissionPolicy",
    ] * 2
    off = plan_present(replace(UNSET, admission=False), POSSIBLE, present)
    assert {action for action, _name in names(off)} == {"delete"}
    assert len(off) == 4


def test_subjects_that_are_bound_are_named_for_all_pools_at_first() -> None:
    present = stored(Access(runner_subjects=[ALICE], publisher_subjects=[AWX]), None)
    parameters = parameters_of(Access(admission=True), present)
    assert parameters["runners"] == "* User alice"
    assert parameters["publishers"] == "* User system:serviceaccount:awx:rollouts"
    assert parameters["breakGlass"] == ""
    assert parameters["poolLabel"] == "node-restriction.kubernetes.io/pool"


def test_what_an_option_does_not_set_stays() -> None:
    before = {**parameters_of(ON), "runners": "workers User alice", "poolLabel": "example.com/pool"}
    present = stored(ON, before)
    assert admission_parameters(UNSET, present) == before
    changed = parameters_of(replace(UNSET, break_glass_subjects=[], admission_pool_label="a/b"), present)
    assert changed == {**before, "breakGlass": "", "poolLabel": "a/b"}
    steps = plan_present(replace(UNSET, break_glass_subjects=[]), POSSIBLE, present)
    assert names(steps) == [
        ("patch", "ValidatingAdmissionPolicy configok-nodes"),
        ("patch", "ValidatingAdmissionPolicy configok-bundles"),
    ]
    assert [read_literals(step.body or {}) for step in steps] == [{**before, "breakGlass": ""}] * 2


def without_variables(present: dict[str, Any], *lost: str) -> dict[str, Any]:
    """Return objects whose policies have lost these variables."""
    damaged = dict(present)
    for name in ("configok-nodes", "configok-bundles"):
        item = present[f"{POLICIES}/{name}"]
        variables = [variable for variable in item["spec"]["variables"] if variable["name"] not in lost]
        damaged[f"{POLICIES}/{name}"] = {**item, "spec": {**item["spec"], "variables": variables}}
    return damaged


def test_lost_parameters_are_not_guessed() -> None:
    """The bindings of the roles would name the runner for every pool."""
    present = stored(ON, parameters_of(ON))
    damaged = without_variables(present, "assigners", "breakGlass")
    with pytest.raises(ClusterRefused, match=r"no longer say who may .* set assigner_subjects, break_glass_subjects "):
        plan_present(UNSET, POSSIBLE, damaged)
    assert plan_present(replace(UNSET, admission=False), POSSIBLE, damaged)
    assert len(plan_present(ON, POSSIBLE, damaged)) == 2


def test_one_policy_tells_the_parameters_of_the_other() -> None:
    present = stored(ON, parameters_of(ON))
    for name in ("configok-nodes", "configok-bundles"):
        steps = plan_present(UNSET, POSSIBLE, {**present, f"{POLICIES}/{name}": None})
        assert names(steps) == [("create", f"ValidatingAdmissionPolicy {name}")]
        assert steps[0].body == {**present[f"{POLICIES}/{name}"], "metadata": steps[0].item["metadata"]}
    bindings = {path: None for path in present if "bindings/configok-" in path and "admission" in path}
    assert len(plan_present(UNSET, POSSIBLE, {**present, **bindings})) == 2, "without its binding, a policy is void"


def test_a_policy_of_others_tells_nothing() -> None:
    present = stored(ON, parameters_of(ON))
    foreign = {
        path: item and {**item, "metadata": {"name": "x"}} for path, item in present.items() if "admission" in path
    }
    assert parameters_of(Access(admission=True), {**present, **foreign})["runners"] == "* User alice"
    assert parameters_of(Access(admission=True), {**present, **foreign})["breakGlass"] == ""


def test_a_field_that_would_make_a_policy_void_is_removed() -> None:
    present = stored(ON, parameters_of(ON))
    path = f"{POLICIES}/configok-nodes"
    never = [{"name": "never", "expression": "false"}]
    spec = {**present[path]["spec"], "matchConditions": never}
    spec["matchConstraints"] = {**spec["matchConstraints"], "excludeResourceRules": [{"resources": ["nodes"]}]}
    [step] = plan_present(UNSET, POSSIBLE, {**present, path: {**present[path], "spec": spec}})
    assert step.body is not None
    assert step.body["spec"]["matchConditions"] is None
    assert step.body["spec"]["matchConstraints"]["excludeResourceRules"] is None


def test_a_publisher_creates_and_an_assigner_only_reads_bundles() -> None:
    access = Access(publisher_subjects=[ALICE], assigner_subjects=[AWX], runner_prune=True)
    granted: dict[str, set[str]] = {}
    for item in desired_objects(access):
        for rule in item.get("rules", ()):
            place = item["metadata"].get("namespace", "")
            rights = {f"{verb} {resource} {place}" for verb in rule["verbs"] for resource in rule["resources"]}
            granted.setdefault(item["metadata"]["name"], set()).update(rights)
    assert granted["configok-publisher"] == {
        "get configmaps configok-system",
        "create configmaps configok-system",
        "get configmaps configok-rollouts",
    }
    assert "get configmaps configok-system" in granted["configok-assigner"]
    assert "create configmaps configok-system" not in granted["configok-assigner"]
    assert granted["configok-runner"] == granted["configok-publisher"] | granted["configok-assigner"]
    bound = {
        item["metadata"]["name"]: [subject["name"] for subject in item["subjects"]]
        for item in desired_objects(access)
        if item["kind"].endswith("Binding") and item["metadata"].get("namespace") == "configok-system"
    }
    assert bound["configok-publisher"] == ["alice"]
    assert bound["configok-assigner"] == bound["configok-runner-prune"] == ["rollouts"]


def test_the_roles_for_machines_are_there_with_their_subjects_alone() -> None:
    without = {item["metadata"]["name"] for item in desired_objects(Access(runner_subjects=[ALICE]))}
    access = Access(machine_subjects=[AWX])
    objects = desired_objects(access)
    assert {item["metadata"]["name"] for item in objects} - without == {"configok-machines", "configok-bootstrappers"}
    [binding] = [item for item in objects if item["metadata"]["name"] == "configok-bootstrappers"]
    assert binding["roleRef"]["name"] == "system:node-bootstrapper"
    assert [subject["name"] for subject in binding["subjects"]] == ["system:bootstrappers:configok"]
    present = stored(access, None)
    assert plan_present(UNSET, POSSIBLE, present) == []
    removed = plan_present(Access(machine_subjects=[]), POSSIBLE, present)
    assert {(step.action, step.item["metadata"]["name"]) for step in removed} == {
        ("delete", "configok-machines"),
        ("delete", "configok-bootstrappers"),
    }


def test_no_role_for_machines_reads_a_secret_or_deletes_others() -> None:
    """What creates Secrets and reads them can have the token of any service account of the namespace."""
    for item in desired_objects(Access(machine_subjects=[AWX])):
        for rule in item.get("rules", ()):
            if "secrets" not in rule["resources"]:
                continue
            assert item["metadata"]["namespace"] == "kube-system"
            assert rule["verbs"] in (["create"], ["delete"])
            names_of = rule.get("resourceNames", [])
            assert all(name.startswith("bootstrap-token-cfgk") for name in names_of)
            assert names_of or rule["verbs"] == ["create"]
