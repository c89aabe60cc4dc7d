# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow control takes the reads of bundles and the runner's requests, and nothing of the kubelets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._access_objects import (
    Access,
    desired_objects,
    possible_objects,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._access_plan import path_of, plan_present
from ansible_collections.configok.node.plugins.module_utils._cluster._flow_control import FLOW_CONTROL_VERSIONS

RUNNER = {"kind": "ServiceAccount", "name": "rollouts", "namespace": "awx"}
ACCESS = Access(runner_subjects=[RUNNER], node_configz=False, bundle_namespaces=["team-a"], flow_control=True)


def flow_objects(version: str = "v1", access: Access = ACCESS) -> dict[str, Any]:
    """Return the flow control objects of an access, by kind and name."""
    return {
        f"{item['kind']} {item['metadata']['name']}": item
        for item in desired_objects(access, version)
        if item["apiVersion"].startswith("flowcontrol")
    }


def test_a_level_comes_before_the_schema_that_names_it() -> None:
    assert list(flow_objects()) == [
        "PriorityLevelConfiguration configok-agents",
        "FlowSchema configok-agents",
        "PriorityLevelConfiguration configok-runner",
        "FlowSchema configok-runner",
    ]


def test_nodes_share_a_level_only_for_what_kubelets_never_read() -> None:
    [rule] = flow_objects()["FlowSchema configok-agents"]["spec"]["rules"]
    assert rule["subjects"] == [{"kind": "Group", "group": {"name": "system:nodes"}}]
    reads = {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]}
    assert rule["resourceRules"] == [{**reads, "namespaces": ["configok-system", "team-a"]}]


def test_runners_have_the_level_for_exactly_what_their_roles_permit() -> None:
    [rule] = flow_objects()["FlowSchema configok-runner"]["spec"]["rules"]
    account = {"namespace": "awx", "name": "rollouts"}
    assert rule["subjects"] == [{"kind": "ServiceAccount", "serviceAccount": account}]
    granted = {
        (item["metadata"].get("namespace"), resource, verb)
        for item in desired_objects(ACCESS)
        if item["metadata"]["name"] == "configok-runner" and "rules" in item
        for part in item["rules"]
        for resource in part["resources"]
        for verb in part["verbs"]
    }
    limited = {
        (None if part.get("clusterScope") else namespace, resource, verb)
        for part in rule["resourceRules"]
        for namespace in part["namespaces"]
        for resource in part["resources"]
        for verb in part["verbs"]
    }
    assert limited == granted


def test_a_permission_that_is_not_a_request_is_in_no_flow_schema() -> None:
    """RBAC lets it approve for a signer, which an API server asks itself; no FlowSchema may have that verb."""
    access = Access(machine_subjects=[RUNNER], flow_control=True)
    [rule] = flow_objects(access=access)["FlowSchema configok-runner"]["spec"]["rules"]
    resources = {resource for part in rule["resourceRules"] for resource in part["resources"]}
    assert {"nodes", "secrets", "certificatesigningrequests/approval"} <= resources
    assert "signers" not in resources
    assert not any("approve" in part["verbs"] for part in rule["resourceRules"])


@pytest.mark.parametrize("kind", ["User", "Group"])
def test_people_and_groups_are_subjects_too(kind: str) -> None:
    access = Access(runner_subjects=[{"kind": kind, "name": "operators"}], flow_control=True)
    [rule] = flow_objects(access=access)["FlowSchema configok-runner"]["spec"]["rules"]
    assert rule["subjects"] == [{"kind": kind, kind.lower(): {"name": "operators"}}]


def test_without_runners_only_the_agents_have_a_level() -> None:
    assert set(flow_objects(access=Access(runner_subjects=[], flow_control=True))) == {
        "PriorityLevelConfiguration configok-agents",
        "FlowSchema configok-agents",
    }


@pytest.mark.parametrize("version", FLOW_CONTROL_VERSIONS)
def test_every_version_has_its_own_name_for_shares(version: str) -> None:
    level = flow_objects(version)["PriorityLevelConfiguration configok-agents"]
    assert level["apiVersion"] == f"flowcontrol.apiserver.k8s.io/{version}"
    assert path_of(level).startswith(f"/apis/flowcontrol.apiserver.k8s.io/{version}/prioritylevelconfigurations/")
    assured = version in ("v1beta1", "v1beta2")
    limited = level["spec"]["limited"]
    assert ("assuredConcurrencyShares" in limited, "nominalConcurrencyShares" in limited) == (assured, not assured)
    assert ("lendablePercent" in limited) == (not assured)


@pytest.mark.parametrize("name", ["configok-agents", "configok-runner"])
def test_the_hands_are_small_enough_for_the_api_server(name: str) -> None:
    """The API server deals hands from a hash of 60 bits."""
    queuing = flow_objects()[f"PriorityLevelConfiguration {name}"]["spec"]["limited"]["limitResponse"]["queuing"]
    assert math.log2(math.perm(queuing["queues"], queuing["handSize"])) <= 60


def test_the_reads_of_a_tenth_of_15000_nodes_may_wait() -> None:
    level = flow_objects()["PriorityLevelConfiguration configok-agents"]["spec"]["limited"]
    queuing = level["limitResponse"]["queuing"]
    assert queuing["queues"] * queuing["queueLengthLimit"] >= 2 * 1500


def as_stored(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as the API server stores it, with a default that we do not write."""
    spec = item.get("spec")
    if item["kind"] == "PriorityLevelConfiguration":
        spec = {**item["spec"], "limited": {"borrowingLimitPercent": 50, **item["spec"]["limited"]}}
    stored = {**item, "metadata": {**item["metadata"], "resourceVersion": "7"}}
    return {**stored, "spec": spec} if spec else stored


def test_defaults_of_the_api_server_are_not_a_difference_but_other_limits_are() -> None:
    possible = possible_objects(["team-a"], "v1")
    present: dict[str, Any] = {path_of(item): None for item in possible}
    present.update({path_of(item): as_stored(item) for item in desired_objects(ACCESS, "v1")})
    assert plan_present(ACCESS, possible, present, "v1") == []
    level = next(item for item in present.values() if item and item["kind"] == "PriorityLevelConfiguration")
    level["spec"]["limited"]["nominalConcurrencyShares"] = 1
    [step] = plan_present(ACCESS, possible, present, "v1")
    assert step.before is not None
    assert step.before["spec"]["limited"]["nominalConcurrencyShares"] == 1
    assert step.body is not None
    assert step.body["metadata"]["resourceVersion"] == "7"
    assert step.body["spec"]["limited"]["nominalConcurrencyShares"] == 10


def test_unset_keeps_it_as_it_is_and_follows_the_other_options() -> None:
    possible = possible_objects(["team-a"], "v1")
    unset = Access(runner_subjects=[RUNNER], node_configz=False, bundle_namespaces=[])
    nothing: dict[str, Any] = {path_of(item): None for item in possible}
    assert not [step for step in plan_present(unset, possible, nothing, "v1") if "Flow" in step.item["kind"]]
    present = {**nothing, **{path_of(item): as_stored(item) for item in desired_objects(ACCESS, "v1")}}
    changed = {step.item["metadata"]["name"]: step for step in plan_present(unset, possible, present, "v1")}
    body = changed["configok-agents"].body
    assert body is not None
    assert body["spec"]["rules"][0]["resourceRules"][0]["namespaces"] == ["configok-system"]
