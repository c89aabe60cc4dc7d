# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of components inside other files, and what the data say of the control plane's flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_findings import (
    Argument,
    flag_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import (
    FlagSet,
    flag_set,
    known_flags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import FORMS

ROOT = Path(__file__).resolve().parents[6]
OPTIONS: list[dict[str, Any]] = json.loads((ROOT / "schema/control_plane_options.json").read_text(encoding="utf-8"))
BOTH = ("kube-scheduler", "kube-proxy")


def flags_of(component: str) -> FlagSet:
    flags = known_flags(component)
    assert flags is not None
    return flags


def minor(version: str) -> int:
    return int(version.partition(".")[2])


def findings_of(component: str, version: str, *pairs: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the level and message of each finding."""
    arguments = [Argument((index,), name, value) for index, (name, value) in enumerate(pairs)]
    return [(str(finding.level), finding.message) for finding in flag_findings(component, arguments, minor(version))]


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: f"{row['component']} {row['flag']}")
def test_the_data_of_a_flag_agree(row: dict[str, Any]) -> None:
    flag = flags_of(row["component"]).flags[row["flag"]]
    since = 0 if row["since"] == "1.20" and flag.since == 0 else minor(row["since"])
    assert (flag.since, flag.last) == (since, minor(row["until"]) if "until" in row else None)
    assert flag.form == row["type"] or flag.form == "profileName"
    assert flag.form in FORMS
    allowed = set(flag.values_at(36))
    assert allowed - {""} == set(row.get("values", ()))
    assert not allowed or row.get("default", "") in {*allowed, ""}


@pytest.mark.parametrize("component", BOTH)
def test_no_flag_of_a_component_is_missing_in_the_options(component: str) -> None:
    flags = flag_set(component)
    assert flags is not None
    assert set(flags.flags) == {row["flag"] for row in OPTIONS if row["component"] == component}


@pytest.mark.parametrize("component", ["kube-apiserver", "kube-controller-manager"])
def test_defaults_that_help_prints_are_values_of_their_forms(component: str) -> None:
    for row in OPTIONS:
        if row["component"] == component and row.get("default") and not row["defaultFrom"].startswith("tree literal"):
            flag = flags_of(component).flags[row["flag"]]
            FORMS[flag.form]([row["default"].strip("[]")])


@pytest.mark.parametrize(
    ("component", "version", "name", "value", "level", "message"),
    [
        ("kubelet", "1.27", "container-runtime", "remote", "component", "it up to Kubernetes 1.26 only"),
        ("kubelet", "1.35", "pod-infra-container-image", "a", "component", "it up to Kubernetes 1.34 only"),
        ("kubelet", "1.27", "config-dir", "/a", "component", "it from Kubernetes 1.28 on"),
        ("kubelet", "1.30", "max-pods", "many", "component", '"many": must be a whole number'),
        ("kube-apiserver", "1.24", "insecure-port", "0", "component", "it up to Kubernetes 1.23 only"),
        ("kube-apiserver", "1.21", "feature-gates", "BlockVolume=true", "component", "gone since Kubernetes 1.21"),
        ("kube-apiserver", "1.36", "feature-gates", "APIServerTracing=false", "component", "is locked"),
        ("kube-apiserver", "1.36", "feature-gates", "A=on", "component", '"on": must be true or false'),
        ("kube-apiserver", "1.30", "authorization-mode", "RBAC,Nodes", "component", '"Nodes": must be one of'),
        ("kube-apiserver", "1.30", "bind-address", "localhost", "component", "must be an IP address"),
        ("kube-apiserver", "1.30", "service-node-port-range", "30000", "", ""),
        ("kube-apiserver", "1.30", "service-node-port-range", "32767-30000", "component", "must be a range of ports"),
        ("kube-apiserver", "1.30", "max-requests-inflight", "4e2", "component", "must be a whole number"),
        ("kube-apiserver", "1.30", "request-timeout", "60", "component", "must be a duration"),
        ("kube-apiserver", "1.30", "tls-sni-cert-key", "a.crt", "component", "must be certificate,key"),
        ("kube-apiserver", "1.30", "audit-log-mode", "async", "component", "must be one of batch"),
        ("kube-apiserver", "1.24", "audit-log-version", "audit.k8s.io/v1beta1", "component", "must be one of audit"),
        ("kube-apiserver", "1.23", "audit-log-version", "audit.k8s.io/v1beta1", "", ""),
        ("kube-apiserver", "1.30", "runtime-config", "apps/v1", "", ""),
        ("kube-apiserver", "1.30", "runtime-config", "api/all=true,apps/v1=false", "", ""),
        ("kube-apiserver", "1.30", "runtime-config", "api/all", "component", "must be true or false"),
        ("kube-apiserver", "1.30", "runtime-config", "apps/v1=no", "component", "must be true or false"),
        ("kube-apiserver", "1.30", "oidc-required-claim", "group", "component", "must be a list of key=value"),
        ("kube-apiserver", "1.30", "profiling", "no", "component", "must be true or false"),
        ("kube-apiserver", "1.30", "Profiling", "true", "component", "did you mean --profiling?"),
        ("kube-apiserver", "1.30", "audit_log_path", "/a", "", ""),
        ("kube-apiserver", "1.30", "audit-log-paht", "/a", "component", "did you mean --audit-log-path?"),
        ("kube-apiserver", "1.30", "nonsense", "1", "component", "kube-apiserver has no such flag"),
        ("kube-apiserver", "1.30", "--profiling", "true", "component", "before the name of a flag: write profiling"),
        ("kube-apiserver", "1.30", "-v", "2", "component", "before the name of a flag: write v"),
        ("kube-apiserver", "1.30", "", "2", "component", "must be the name of a flag"),
        ("kube-apiserver", "1.30", "v=2", "x", "component", '--v: "2=x": must be a whole number'),
        ("kube-apiserver", "1.30", "etcd-servers", "${ETCD}", "not-judged", "the value of a flag"),
        ("kube-controller-manager", "1.37", "concurrent-service-syncs", "1", "component", "up to Kubernetes 1.36 only"),
        ("kube-controller-manager", "1.36", "concurrent-disruption-syncs", "1", "component", "from Kubernetes 1.37 on"),
        ("kube-controller-manager", "1.37", "concurrent-disruption-syncs", "1", "", ""),
        ("kube-controller-manager", "1.27", "leader-elect-resource-lock", "endpoints", "component", "one of leases"),
        ("kube-controller-manager", "1.23", "leader-elect-resource-lock", "endpoints", "", ""),
        ("kube-scheduler", "1.22", "algorithm-provider", "a", "component", "up to Kubernetes 1.21 only"),
        ("kube-scheduler", "1.28", "lock-object-name", "a", "component", "up to Kubernetes 1.27 only"),
        ("kube-proxy", "1.28", "proxy-mode", "nftables", "component", "must be one of iptables, ipvs"),
        ("kube-proxy", "1.30", "metrics-bind-address", "localhost:1", "component", "must be an IP address"),
        ("etcd", "1.30", "nonsense", "1", "not-judged", "a flag"),
        ("etcd", "1.30", "heartbeat-interval", "0", "component", "must be at least 1"),
        ("etcd", "1.30", "heartbeat-interval", "201", "component", "5 times of it must be at most --election-timeout"),
        ("etcd", "1.30", "heartbeat-interval", "200", "", ""),
        ("etcd", "1.30", "election-timeout", "499", "component", "must be at least 5 times --heartbeat-interval"),
        ("etcd", "1.30", "election-timeout", "50001", "component", "must be between 1 and 50000"),
        ("etcd", "1.30", "auto-compaction-mode", "none", "component", "must be one of periodic, revision"),
        ("etcd", "1.30", "auto-compaction-retention", "1.5", "component", "must be a number of hours or revisions"),
        ("etcd", "1.30", "auto-compaction-retention", "1h30m", "", ""),
        ("etcd", "1.30", "auto-compaction-retention", "-5m", "policy", "etcd compacts without a pause"),
        ("etcd", "1.30", "log-level", "DEBUG", "component", "must be one of debug, info"),
    ],
)  # fmt: skip
def test_a_flag_in_a_file_has_the_finding_of_its_version(
    component: str, version: str, name: str, value: str, level: str, message: str
) -> None:
    findings = findings_of(component, version, (name, value))
    assert [text for text, _message in findings] == ([level] if level else [])
    assert all(message in text for _level, text in findings)


def test_a_name_twice_warns_where_the_last_value_wins() -> None:
    last = ("warning", "--v: is given 2 times: the last value wins")
    assert findings_of("kube-apiserver", "1.30", ("v", "2"), ("v", "4")) == [last]
    assert findings_of("kube-apiserver", "1.30", ("audit-log-path", "a"), ("audit_log_path", "b"))[0][0] == "warning"
    assert findings_of("kube-apiserver", "1.30", ("v", "2"), ("v", "2")) == []
    assert findings_of("kube-apiserver", "1.30", ("service-account-issuer", "a"), ("service-account-issuer", "b")) == []
    assert (
        findings_of("kube-apiserver", "1.30", ("feature-gates", "AllAlpha=true"), ("feature-gates", "AllBeta=true"))
        == []
    )


def test_each_of_several_values_is_parsed() -> None:
    assert findings_of("kube-apiserver", "1.30", ("v", "high"), ("v", "4"))[0][0] == "component"


def test_a_gate_that_the_file_of_the_component_may_set_is_a_warning() -> None:
    assert [level for level, _text in findings_of("kubelet", "1.29", ("cloud-provider", "azure"))] == ["warning"]
    assert [level for level, _text in findings_of("kubelet", "1.29", ("cloud-provider", "aws"))] == ["component"]


def test_a_finding_is_at_its_argument() -> None:
    arguments = [Argument(("a", 0), "v", "x"), Argument(("a", 1), "", "", "'y' is no flag")]
    assert {finding.path for finding in flag_findings("kubelet", arguments, 30)} == {("a", 0), ("a", 1)}
