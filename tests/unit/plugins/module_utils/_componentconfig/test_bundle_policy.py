# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the policy on configs that a component would accept."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.bundle_policy import (
    bundle_findings,
    denied_field_findings,
)

CONFIG: dict[str, Any] = {
    "staticPodPath": "/etc/kubernetes/manifests",
    "maxPods": None,
    "authentication": {"anonymous": {"enabled": True}, "x509": {"clientCAFile": "/ca"}},
    "evictionHard": {"memory.available": "1Gi"},
    "registerWithTaints": [{"key": "a"}, {"key": "b"}],
}


@pytest.mark.contract("validate.denied-fields")
@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("staticPodPath", ["staticPodPath"]),
        ("authentication", ["authentication"]),
        ("authentication.*", ["authentication.anonymous", "authentication.x509"]),
        ("authentication.x509.clientCAFile", ["authentication.x509.clientCAFile"]),
        ("registerWithTaints.*.key", ["registerWithTaints[0].key", "registerWithTaints[1].key"]),
        ("registerWithTaints[].key", ["registerWithTaints[0].key", "registerWithTaints[1].key"]),
        ("evictionHard.memory.available", ["evictionHard[memory.available]"]),
        ("maxPods", []),
        ("staticPod", []),
        ("staticPodPath.x", []),
        ("", []),
    ],
)
def test_a_denied_field_is_found_with_all_that_is_in_it(pattern: str, paths: list[str]) -> None:
    findings = list(denied_field_findings(CONFIG, [pattern]))
    assert [finding.field for finding in findings] == paths
    assert {finding.level for finding in findings} <= {"policy"}
    assert {finding.rule for finding in findings} <= {"denied"}


def test_a_field_is_denied_once() -> None:
    findings = list(denied_field_findings(CONFIG, ["staticPodPath", "*"]))
    assert len(findings) == len([value for value in CONFIG.values() if value is not None])


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_nothing_is_denied_in_data_that_is_not_a_mapping(data: object) -> None:
    assert list(denied_field_findings(data, ["a.b", "a"])) == []


def test_relative_paths_and_instance_fields_are_found_in_bundles() -> None:
    data = {"staticPodPath": "manifests", "resolvConf": "/etc/resolv.conf", "providerID": "x", "registerWithTaints": []}
    assert {(finding.path, finding.rule) for finding in bundle_findings(data, "KubeletConfiguration")} == {
        (("staticPodPath",), "relative-path"),
        (("providerID",), "instance-field"),
    }


def test_relative_paths_in_a_list_are_found() -> None:
    data = {"extenders": [{"tlsConfig": {"caFile": "/ca"}}, {"tlsConfig": {"caFile": "ca"}}]}
    findings = list(bundle_findings(data, "KubeSchedulerConfiguration"))
    assert [finding.path for finding in findings] == [("extenders", 1, "tlsConfig", "caFile")]
