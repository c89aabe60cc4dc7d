# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of admission plugins, connections, traces and audit: each broken once, kept once."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

V1 = "apiserver.config.k8s.io/v1"
SECURITY = "pod-security.admission.config.k8s.io/v1"
TCP = {"url": "http://proxy:1"}
TLS = {"clientCert": "/c", "clientKey": "/k"}


def limit(**fields: Any) -> Config:
    return {"limits": [{"type": "User", "qps": 1, "burst": 1, **fields}]}


def tolerated(**fields: Any) -> Config:
    return {"default": [{"key": "a", **fields}], "whitelist": [{"key": "b"}]}


def egress(protocol: str | None, *, name: str = "cluster", transport: Any = None) -> Config:
    return {"egressSelections": [{"name": name, "connection": {"proxyProtocol": protocol, "transport": transport}}]}


def named(*names: str) -> Config:
    return {"egressSelections": [egress("Direct", name=name)["egressSelections"][0] for name in names]}


def http(url: str, tls: Any = None) -> Config:
    return egress("HTTPConnect", transport={"tcp": {"url": url, "tlsConfig": tls}})


def audit(**fields: Any) -> Config:
    return {"rules": [{"level": "None", **fields}]}


def admitted(name: str, **fields: Any) -> Config:
    return {"plugins": [{"name": name, **fields}]}


ADMISSION_PLUGINS = [
    (20, ["PodSecurity", "DenyServiceExternalIPs"], ["PodSecurityPolicy", "DenyEscalatingExec", "EventRateLimit"]),
    (21, ["DenyEscalatingExec", "DenyExecOnPrivileged"], ["DenyServiceExternalIPs", "PodSecurityPolicy"]),
    (24, ["ValidatingAdmissionPolicy"], ["PodSecurity", "PodSecurityPolicy", "SecurityContextDeny"]),
    (25, ["PodSecurityPolicy", ""], ["PodSecurity", "ImagePolicyWebhook"]),
    (29, ["DefaultPodSecurity", "podsecurity", "PodSecurity "], ["ClusterTrustBundleAttest", "SecurityContextDeny"]),
    (31, ["SecurityContextDeny", "PersistentVolumeLabel", "MutatingAdmissionPolicy"], ["ValidatingAdmissionPolicy"]),
    (35, ["PodGroupProtection", "JobValidation"], ["PodTopologyLabels", "NodeDeclaredFeatureValidator"]),
    (36, ["example.com/Own"], ["PodGroupProtection", "PodResizeValidator", "AlwaysAdmit"]),
]
"""A minor, names that it does not have, and names that it has."""


CASES: dict[tuple[str, str], list[Case]] = {
    (V1, "AdmissionConfiguration"): [
        Case(
            "admission-twice",
            31,
            [{"plugins": [{"name": "a"}, {"name": "a"}]}],
            [{"plugins": [{"name": "a"}, {"name": "b"}]}],
        ),
        Case(
            "admission-both",
            31,
            [{"plugins": [{"name": "a", "path": "b", "configuration": {"c": 1}}]}],
            [{"plugins": [{"name": "a", "path": "b"}, {"name": "c", "configuration": {"d": 1}}]}],
        ),
        *(
            Case("admission-unknown", minor, [admitted(name) for name in broken], [admitted(name) for name in kept])
            for minor, broken, kept in ADMISSION_PLUGINS
        ),
        Case(
            "admission-unread",
            31,
            [admitted("AlwaysPullImages", configuration={"a": 1}), admitted("NodeRestriction", path="/a")],
            [admitted("AlwaysPullImages"), admitted("PodNodeSelector", path="/a"), admitted("Own", path="/a")],
        ),
        Case(
            "admission-unread",
            35,
            [admitted("ValidatingAdmissionPolicy", path="/a")],
            [admitted("PodSecurity", path="/a")],
        ),
        Case(
            "admission-unread",
            36,
            [admitted("Priority", path="/a")],
            [admitted("ValidatingAdmissionPolicy", path="/a")],
        ),
    ],
    (V1, "WebhookAdmissionConfiguration"): [
        Case(
            "webhook-kubeconfig", 31, [{"kubeConfigFile": "a"}, {"kubeConfigFile": ""}, {}], [{"kubeConfigFile": "/a"}]
        ),
        Case(
            "webhook-kubeconfig", 36, [{"kubeConfigFile": "a"}], [{"kubeConfigFile": "/a"}, {"kubeConfigFile": ""}, {}]
        ),
        Case("static-manifests-gate", 36, [{"staticManifestsDir": "/a"}], [{"staticManifestsDir": ""}, {}]),
        Case("static-manifests", 36, [{"staticManifestsDir": "a"}], [{"staticManifestsDir": "/a"}]),
    ],
    ("apiserver.config.k8s.io/v1alpha1", "WebhookAdmission"): [
        Case("webhook-kubeconfig", 31, [{"kubeConfigFile": "a"}, {}], [{"kubeConfigFile": "/a"}]),
    ],
    (V1, "ValidatingAdmissionPolicyConfiguration"): [
        Case("static-manifests", 36, [{"staticManifestsDir": "a"}], [{"staticManifestsDir": "/a"}]),
        Case("static-manifests-gate", 36, [{"staticManifestsDir": "/a"}], [{}]),
    ],
    (V1, "MutatingAdmissionPolicyConfiguration"): [
        Case("static-manifests", 36, [{"staticManifestsDir": "a"}], [{"staticManifestsDir": "/a"}]),
        Case("static-manifests-gate", 36, [{"staticManifestsDir": "/a"}], [{}]),
    ],
    (V1, "ResourceQuotaConfiguration"): [
        Case("quota-resource", 31, [{"limitedResources": [{}]}], [{"limitedResources": [{"resource": "pods"}]}, {}]),
    ],
    ("resourcequota.admission.k8s.io/v1beta1", "Configuration"): [
        Case("quota-resource", 31, [{"limitedResources": [{}]}], [{"limitedResources": [{"resource": "pods"}]}]),
    ],
    ("eventratelimit.admission.k8s.io/v1alpha1", "Configuration"): [
        Case("limits", 31, [{}, {"limits": []}], [limit()]),
        Case("limit-type", 31, [limit(type=None)], [limit(type="Server")]),
        Case("limit-burst", 31, [limit(burst=0), limit(burst=None)], [limit(burst=1)]),
        Case("limit-qps", 31, [limit(qps=0), limit(qps=None)], [limit(qps=1)]),
        Case("limit-cache", 31, [limit(cacheSize=-1)], [limit(cacheSize=0), limit(type="Server", cacheSize=-1)]),
    ],
    ("podtolerationrestriction.admission.k8s.io/v1alpha1", "Configuration"): [
        Case(
            "toleration-key",
            31,
            [tolerated(key="a b"), tolerated(key=""), {"whitelist": [{}]}],
            [tolerated(), tolerated(key="", operator="Exists")],
        ),
        Case(
            "toleration-value",
            31,
            [tolerated(operator="Exists", value="b"), tolerated(value="a b")],
            [tolerated(value="b"), tolerated(operator="Exists")],
        ),
        Case(
            "toleration-seconds",
            31,
            [tolerated(tolerationSeconds=1), tolerated(tolerationSeconds=1, effect="NoSchedule")],
            [tolerated(tolerationSeconds=1, effect="NoExecute"), tolerated(effect="NoSchedule")],
        ),
        Case("toleration-gate", 35, [tolerated(operator="Lt", value="1")], [tolerated(operator="Equal", value="1")]),
    ],
    (SECURITY, "PodSecurityConfiguration"): [
        Case(
            "security-level",
            31,
            [{"defaults": {"enforce": "strict"}}, {"defaults": {"warn": "Baseline"}}],
            [{"defaults": {"enforce": "restricted", "audit": "", "warn": "privileged"}}],
        ),
        Case(
            "security-version",
            31,
            [
                {"defaults": {"enforce-version": "1.31"}},
                {"defaults": {"audit-version": "v1.031"}},
                {"defaults": {"warn-version": "v1.9223372036854775808"}},
            ],
            [{"defaults": {"enforce-version": "v1.31", "audit-version": "latest", "warn-version": ""}}],
        ),
        Case(
            "exempt-namespaces",
            31,
            [{"exemptions": {"namespaces": ["a.b"]}}, {"exemptions": {"namespaces": [""]}}],
            [{"exemptions": {"namespaces": ["kube-system"]}}],
        ),
        Case(
            "exempt-classes",
            31,
            [{"exemptions": {"runtimeClasses": ["A"]}}],
            [{"exemptions": {"runtimeClasses": ["a.b"]}}],
        ),
        Case("exempt-users", 31, [{"exemptions": {"usernames": [""]}}], [{"exemptions": {"usernames": ["a:B c"]}}]),
        Case(
            "exempt-twice",
            31,
            [{"exemptions": {field: ["a", "a"]}} for field in ("usernames", "namespaces", "runtimeClasses")],
            [{"exemptions": {"usernames": ["a"], "namespaces": ["a"]}}],
        ),
    ],
    ("apiserver.config.k8s.io/v1beta1", "TracingConfiguration"): [
        Case(
            "sampling-rate",
            31,
            [{"samplingRatePerMillion": -1}, {"samplingRatePerMillion": 1000001}],
            [{"samplingRatePerMillion": 1000000}],
        ),
        Case(
            "tracing-endpoint",
            31,
            [{"endpoint": "http://a:1"}, {"endpoint": "unix:a"}, {"endpoint": " a:4317"}],
            [{"endpoint": "a:4317"}, {"endpoint": "dns://a:1"}, {"endpoint": ""}, {"endpoint": "UNIX:///a"}],
        ),
    ],
    ("apiserver.k8s.io/v1beta1", "EgressSelectorConfiguration"): [
        Case(
            "egress-name", 31, [named("Master"), named("")], [named("Cluster", "etcd", "controlplane"), named("master")]
        ),
        Case("egress-master", 31, [named("master")], [named("controlplane")]),
        Case("egress-name", 22, [named("other")], [named("master")]),
        Case(
            "egress-name-unique",
            31,
            [named("etcd", "Etcd"), named("master", "controlplane")],
            [named("etcd", "cluster")],
        ),
        Case("egress-name-unique", 22, [named("master", "controlplane")], [named("etcd", "etcd"), named("master")]),
        Case(
            "egress-protocol",
            31,
            [egress(None), egress(""), {"egressSelections": [{"name": "cluster"}]}],
            [egress("Direct")],
        ),
        Case(
            "egress-transport",
            31,
            [
                egress("Direct", transport={}),
                egress("HTTPConnect"),
                egress("HTTPConnect", transport={"tcp": TCP, "uds": {"udsName": "/a"}}),
                egress("GRPC", transport={"tcp": TCP}),
            ],
            [
                egress("Direct"),
                egress("HTTPConnect", transport={"tcp": TCP}),
                egress("HTTPConnect", transport={"uds": {"udsName": "/a"}}),
                egress("GRPC", transport={"uds": {"udsName": "/a"}}),
            ],
        ),
        Case(
            "egress-uds",
            31,
            [egress("GRPC", transport={"uds": {}})],
            [egress("GRPC", transport={"uds": {"udsName": "/a"}})],
        ),
        Case("egress-url", 31, [http("proxy:1"), http("")], [http("http://proxy:1"), http("https://proxy:1", TLS)]),
        Case(
            "egress-http",
            31,
            [http("http://proxy:1")],
            [http("https://proxy:1", TLS), egress("Direct", transport={"tcp": TCP})],
        ),
        Case(
            "egress-tls",
            31,
            [http("https://a"), http("https://a", {"clientCert": "/c"}), http("http://a", TLS)],
            [http("https://a", TLS), http("http://a")],
        ),
    ],
    ("audit.k8s.io/v1", "Policy"): [
        Case("audit-rules", 31, [{}, {"rules": []}], [audit()]),
        Case("audit-level", 31, [audit(level=""), audit(level=None)], [audit()]),
        Case(
            "audit-urls",
            31,
            [audit(nonResourceURLs=[url]) for url in ("a", "", "/a*b", "**")],
            [audit(nonResourceURLs=["*", "/a", "/a*"])],
        ),
        Case(
            "audit-urls-alone",
            31,
            [audit(nonResourceURLs=["/a"], namespaces=["b"]), audit(nonResourceURLs=["/a"], resources=[{"group": ""}])],
            [audit(nonResourceURLs=["/a"], users=["b"]), audit(namespaces=["b"])],
        ),
        Case(
            "audit-group",
            31,
            [audit(resources=[{"group": "apps/v1"}]), audit(resources=[{"group": "*"}])],
            [audit(resources=[{"group": "apps"}, {"group": ""}])],
        ),
        Case("audit-group", 36, [audit(resources=[{"group": "A"}])], [audit(resources=[{"group": "*"}])]),
        Case(
            "audit-names",
            31,
            [audit(resources=[{"resourceNames": ["a"]}])],
            [audit(resources=[{"resourceNames": ["a"], "resources": ["pods"]}])],
        ),
        Case(
            "audit-stages",
            20,
            [{"omitStages": ["Done"]}, audit(omitStages=["requestReceived"])],
            [{"omitStages": ["Panic"]}, audit(omitStages=["RequestReceived"])],
        ),
    ],
}


@pytest.mark.parametrize(("version", "kind"), sorted(CASES))
def test_every_rule_has_a_case(version: str, kind: str) -> None:
    assert {case.rule for case in CASES[version, kind]} == names_of_rules(version, kind)


@pytest.mark.parametrize(
    ("head", "case"),
    [(head, case) for head, cases in CASES.items() for case in cases],
    ids=[f"{head[1]}-{case.rule}-{case.minor}" for head, cases in CASES.items() for case in cases],
)
def test_each_rule_refuses_its_bad_configs_alone(head: tuple[str, str], case: Case) -> None:
    assert_case({"apiVersion": head[0], "kind": head[1]}, case)


def rules_by_field(plugin: str, configuration: Any, minor: int = 31) -> dict[str, str]:
    config = {"plugins": [{"name": plugin, "configuration": configuration}]}
    findings = check(encode({"apiVersion": V1, "kind": "AdmissionConfiguration", **config}), versions=[f"1.{minor}"])
    return {finding.field.replace("plugins[0].configuration", "").lstrip("."): finding.rule for finding in findings}


def test_a_plugins_configuration_is_validated_as_its_own_kind() -> None:
    security = {"apiVersion": SECURITY, "kind": "PodSecurityConfiguration"}
    assert rules_by_field("PodSecurity", security) == {}
    assert rules_by_field("PodSecurity", {**security, "defaults": {"enforce": "x"}, "more": 1}) == {
        "defaults.enforce": "security-level",
        "more": "unknown-field",
    }
    assert rules_by_field("PodSecurity", security, minor=24) == {"apiVersion": "embedded"}
    assert rules_by_field("PodSecurity", {"defaults": {}}) == {"apiVersion": "embedded"}
    assert rules_by_field("PodSecurity", {**security, "kind": "Other"}) == {"kind": "embedded"}
    assert rules_by_field("PodSecurity", "text") == {"": "embedded"}
    assert rules_by_field("EventRateLimit", {**security}) == {"kind": "embedded"}


def test_the_policy_plugins_read_no_configuration_up_to_1_35() -> None:
    for plugin in ("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"):
        head = {"apiVersion": V1, "kind": f"{plugin}Configuration"}
        assert rules_by_field(plugin, {"more": 1}, minor=35) == {"plugins[0].name": "admission-unread"}
        assert rules_by_field(plugin, {**head, "more": 1}, minor=36) == {"more": "unknown-field"}
        text = encode({**head, "more": 1})
        assert [finding.level for finding in check(text, versions=["1.36"])] == ["component"]


def test_values_of_quota_scopes_are_not_checked() -> None:
    scope = {"scopeName": "Other", "operator": "Near", "values": ["a"]}
    limited = {"resource": "a", "matchScopes": [scope]}
    quota = {"apiVersion": V1, "kind": "ResourceQuotaConfiguration", "limitedResources": [limited]}
    assert [(finding.rule, finding.level) for finding in check(encode(quota))] == [("enum", "warning")] * 2


def test_the_types_in_a_policys_metadata_are_checked() -> None:
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", **audit()}
    good: Config = {
        "name": "a",
        "labels": {"a": "b"},
        "creationTimestamp": None,
        "managedFields": [{"fieldsV1": {"f:a": {}}}],
    }
    assert check(encode({**policy, "metadata": good})) == []
    for bad in (
        {"name": 5},
        {"labels": {"a": 5}},
        {"creationTimestamp": "x"},
        {"creationTimestamp": "2026-13-01T00:00:00Z"},
        {"generation": "1"},
        {"finalizers": "a"},
    ):
        findings = check(encode({**policy, "metadata": bad}))
        assert [(finding.rule, finding.level) for finding in findings] == [("type", "component")], bad


def test_null_is_not_a_stage() -> None:
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", **audit(omitStages=[None])}
    assert [finding.rule for finding in check(encode(policy))] == ["enum"]


def test_what_other_plugins_read_is_their_matter() -> None:
    assert rules_by_field("PodNodeSelector", {"podNodeSelectorPluginConfig": {}}) == {}


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_an_audit_policy_had_older_versions_up_to_1_23(version: str) -> None:
    config = {"apiVersion": f"audit.k8s.io/{version}", "kind": "Policy", "rules": [{"level": "Metadata"}]}
    assert check(encode(config), versions=["1.20", "1.23"]) == []
    assert [finding.rule for finding in check(encode({**config, "rules": []}), versions=["1.20"])] == ["audit-rules"]
    assert [finding.level for finding in check(encode(config), versions=["1.24"])] == ["component"]


@pytest.mark.parametrize(
    ("name", "minor", "configuration", "message"),
    [
        ("DefaultPodSecurity", 29, {}, "did you mean PodSecurity?"),
        ("podsecurity", 29, {}, "did you mean PodSecurity?"),
        ("EventRateLimits", 29, {}, "did you mean EventRateLimit?"),
        ("Restricted", 29, {"apiVersion": SECURITY, "kind": "PodSecurityConfiguration"}, "mean PodSecurity?"),
        ("Xyz", 29, {}, "so it ignores the entry"),
        ("PodSecurity", 21, {}, "is an admission plugin from Kubernetes 1.22 on"),
        ("PodSecurityPolicy", 25, {}, "has not been an admission plugin since Kubernetes 1.25"),
        ("", 29, {}, "is required"),
    ],
)
def test_an_unknown_admission_plugin_is_named_with_what_was_meant(
    name: str, minor: int, configuration: Config, message: str
) -> None:
    plugin = {"name": name, "configuration": configuration}
    text = encode({"apiVersion": V1, "kind": "AdmissionConfiguration", "plugins": [plugin]})
    findings = [finding for finding in check(text, versions=[f"1.{minor}"]) if finding.rule == "admission-unknown"]
    assert [(finding.field, finding.level.value) for finding in findings] == [("plugins[0].name", "warning")]
    assert message in findings[0].message


def test_many_unknown_admission_plugins_are_validated_in_bounded_time() -> None:
    plugins = [{"name": f"Plugin{number}" * 12} for number in range(2000)]
    text = encode({"apiVersion": V1, "kind": "AdmissionConfiguration", "plugins": plugins})
    started = time.monotonic()
    check(text, versions=["1.29", "1.36"])
    assert time.monotonic() - started < 10  # seconds; one of them takes about 1
