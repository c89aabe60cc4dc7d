# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about arguments of kube-scheduler's plugins: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

GROUP = "kubescheduler.config.k8s.io"


def required(**requirement: Any) -> Config:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    return {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def preferred(field: str, weight: int = 1, **requirement: Any) -> Config:
    terms = [{"weight": weight, "preference": {field: [requirement]}}]
    return {"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}


def spread(**fields: Any) -> Config:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **fields}
    return {"defaultingType": "List", "defaultConstraints": [constraint]}


def fit(**fields: Any) -> Config:
    return {"scoringStrategy": {"type": "LeastAllocated", **fields}}


def weighed(weight: int | None) -> Config:
    return {"resources": [{"name": "cpu", "weight": weight}]}


def ratio(*points: tuple[int, int]) -> Config:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return fit(type="RequestedToCapacityRatio", requestedToCapacityRatio={"shape": shape})


def shape(*points: tuple[int, int]) -> Config:
    return {"shape": [{"utilization": utilization, "score": score} for utilization, score in points]}


BAD_SHAPES = [((0, 0), (0, 10)), ((50, 0), (40, 10)), ((0, 11),), ((-1, 0),), ((101, 0),), ((0, -1),)]
RATIO = {"shape": [{"utilization": 0, "score": 0}]}

CASES: dict[str, list[Case]] = {
    "DefaultPreemptionArgs": [
        Case("preemption-percentage", 31, [{"minCandidateNodesPercentage": 101}], [{"minCandidateNodesPercentage": 0}]),
        Case("preemption-absolute", 31, [{"minCandidateNodesAbsolute": -1}], [{"minCandidateNodesAbsolute": 0}]),
        Case(
            "preemption-both-zero",
            31,
            [{"minCandidateNodesAbsolute": 0, "minCandidateNodesPercentage": 0}],
            [{"minCandidateNodesAbsolute": 0}, {}],
        ),
    ],
    "InterPodAffinityArgs": [
        Case("hard-affinity-weight", 31, [{"hardPodAffinityWeight": 101}], [{"hardPodAffinityWeight": 0}]),
    ],
    "NodeAffinityArgs": [
        Case(
            "node-selector-key",
            31,
            [required(key="a b", operator="Exists")],
            [
                required(key="example.com/a", operator="Exists"),
                preferred("matchFields", key="a", operator="In", values=["n"]),
                preferred("matchExpressions", 0, key="a b", operator="Exists"),
            ],
        ),
        Case(
            "node-selector-field",
            31,
            [preferred("matchFields", key="a", operator="In", values=["n"])],
            [preferred("matchFields", key="metadata.name", operator="In", values=["n"])],
        ),
        Case(
            "node-selector-values",
            31,
            [
                required(key="a", operator="In"),
                required(key="a", operator="Exists", values=["b"]),
                required(key="a", operator="Gt", values=["b"]),
                required(key="a", operator="Lt", values=["-1"]),
                required(key="a", operator="In", values=["b c"]),
                preferred("matchFields", key="metadata.name", operator="In", values=["n", "m"]),
            ],
            [required(key="a", operator="NotIn", values=["b", "c"]), required(key="a", operator="Lt", values=["1"])],
        ),
        Case(
            "node-selector-operator",
            31,
            [
                required(key="a"),
                required(key="a", operator="Like"),
                preferred("matchFields", key="metadata.name", operator="Exists"),
            ],
            [required(key="a", operator="DoesNotExist"), preferred("matchExpressions", 0, key="a", operator="Like")],
        ),
    ],
    "NodeLabelArgs": [
        Case(
            "labels-conflict",
            20,
            [
                {"presentLabels": ["a"], "absentLabels": ["b", "a"]},
                {"presentLabelsPreference": ["a"], "absentLabelsPreference": ["a"]},
            ],
            [{"presentLabels": ["a"], "absentLabelsPreference": ["a"]}],
        ),
    ],
    "NodeResourcesBalancedAllocationArgs": [
        Case("balanced-unique", 31, [{"resources": [{"name": "a"}, {"name": "a"}]}], [weighed(1)]),
        Case("balanced-weight", 31, [weighed(2)], [weighed(1), weighed(None), weighed(0)]),
    ],
    "NodeResourcesFitArgs": [
        Case("fit-ignored-resources", 31, [{"ignoredResources": ["a b"]}], [{"ignoredResources": ["example.com/a"]}]),
        Case("fit-ignored-groups", 31, [{"ignoredResourceGroups": ["a/b"]}], [{"ignoredResourceGroups": ["a.b"]}]),
        Case("fit-strategy", 31, [{"scoringStrategy": {}}], [fit(), {}]),
        Case("fit-weight", 31, [fit(**weighed(101)), fit(**weighed(-1))], [fit(**weighed(100)), fit(**weighed(0))]),
        Case(
            "fit-ratio",
            31,
            [fit(type="RequestedToCapacityRatio")],
            [fit(), ratio((0, 0))],
        ),
        Case("fit-ratio-other", 36, [fit(requestedToCapacityRatio=RATIO)], [fit(), ratio((0, 0))]),
        Case("fit-ratio-unused", 35, [fit(requestedToCapacityRatio=RATIO)], [fit(), ratio((0, 0))]),
        Case("fit-shape", 31, [ratio(), *(ratio(*points) for points in BAD_SHAPES)], [ratio((0, 0), (100, 10))]),
    ],
    "NodeResourcesLeastAllocatedArgs": [
        Case("least-weight", 20, [weighed(101), weighed(-1)], [weighed(100)]),
        Case("least-weight-given", 20, [weighed(0)], [weighed(1)]),
    ],
    "NodeResourcesMostAllocatedArgs": [Case("most-weight", 20, [weighed(101), weighed(-1)], [weighed(1)])],
    "PodTopologySpreadArgs": [
        Case(
            "spread-defaulting",
            31,
            [{**spread(), "defaultingType": "System"}, {**spread(), "defaultingType": None}],
            [spread(), {"defaultingType": "System"}, {}],
        ),
        Case(
            "spread-defaulting", 20, [{**spread(), "defaultingType": "System"}], [{**spread(), "defaultingType": None}]
        ),
        Case("spread-skew", 31, [spread(maxSkew=0), spread(maxSkew=None)], [spread(maxSkew=1)]),
        Case("spread-key", 31, [spread(topologyKey=""), spread(topologyKey="a b")], [spread(topologyKey="a.b/c")]),
        Case("spread-action", 31, [spread(whenUnsatisfiable=None)], [spread()]),
        Case(
            "spread-policies",
            31,
            [spread(nodeAffinityPolicy="honor"), spread(nodeTaintsPolicy="x")],
            [spread(nodeAffinityPolicy="Honor"), spread(nodeTaintsPolicy="Ignore"), spread(nodeTaintsPolicy=None)],
        ),
        Case("spread-selector", 31, [spread(labelSelector={})], [spread(labelSelector=None)]),
        Case(
            "spread-unique",
            31,
            [{"defaultConstraints": spread()["defaultConstraints"] + spread(maxSkew=2)["defaultConstraints"]}],
            [{"defaultConstraints": spread()["defaultConstraints"] + spread(topologyKey="a")["defaultConstraints"]}],
        ),
    ],
    "RequestedToCapacityRatioArgs": [
        Case("ratio-shape", 20, [{}, *(shape(*points) for points in BAD_SHAPES)], [shape((0, 10), (100, 0))]),
        Case("ratio-weight", 20, [weighed(-1)], [weighed(1000), weighed(0)]),
    ],
    "VolumeBindingArgs": [
        Case("bind-timeout", 31, [{"bindTimeoutSeconds": -1}], [{"bindTimeoutSeconds": 0}]),
        Case("bind-timeout-positive", 20, [{"bindTimeoutSeconds": 0}], [{"bindTimeoutSeconds": 1}, {}]),
        Case("bind-shape", 31, [shape(*points) for points in BAD_SHAPES], [shape((0, 0), (100, 10)), {}]),
        Case("bind-shape-gate", 31, [shape((0, 0))], [{}]),
    ],
    "DynamicResourcesArgs": [
        Case("filter-timeout", 35, [{"filterTimeout": "-1s"}], [{"filterTimeout": "0s"}, {}]),
        Case("binding-timeout", 35, [{"bindingTimeout": "999ms"}], [{"bindingTimeout": "1s"}, {}]),
        Case("binding-timeout-gate", 35, [{"bindingTimeout": "1s"}], [{}, {"filterTimeout": "1s"}]),
    ],
}


def version_of(minor: int) -> str:
    return "v1beta1" if minor < 22 else "v1"


@pytest.mark.parametrize("kind", sorted(CASES))
def test_every_rule_has_a_case(kind: str) -> None:
    version = version_of(CASES[kind][0].minor)
    assert {case.rule for case in CASES[kind]} == names_of_rules(f"{GROUP}/{version}", kind)


@pytest.mark.parametrize(
    ("kind", "case"),
    [(kind, case) for kind, cases in CASES.items() for case in cases],
    ids=[case.rule for cases in CASES.values() for case in cases],
)
def test_each_rule_refuses_its_bad_configs_alone(kind: str, case: Case) -> None:
    assert_case({"apiVersion": f"{GROUP}/{version_of(case.minor)}", "kind": kind}, case)


@pytest.mark.parametrize(
    ("kind", "minor", "config"),
    [
        ("NodeAffinityArgs", 36, preferred("matchExpressions", 0, key="a b", operator="Like")),
        ("NodeAffinityArgs", 36, preferred("matchFields", key="a", operator="In", values=["n"])),
        ("NodeResourcesFitArgs", 35, fit(requestedToCapacityRatio=RATIO)),
        ("PodTopologySpreadArgs", 36, spread(nodeAffinityPolicy="x", nodeTaintsPolicy="x")),
        ("DynamicResourcesArgs", 36, {"bindingTimeout": "1s"}),
    ],
)
def test_a_value_that_kube_scheduler_does_not_check_is_not_refused(kind: str, minor: int, config: Config) -> None:
    findings = check(encode({"apiVersion": f"{GROUP}/v1", "kind": kind, **config}), versions=[f"1.{minor}"])
    assert [finding for finding in findings if finding.level is not Level.WARNING] == []
