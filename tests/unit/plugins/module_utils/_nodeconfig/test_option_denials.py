# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node refuses in the options of a component of its control plane."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import (
    FLAG_COMPONENTS,
    bundle_flags,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denials import denials, node_values
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.option_denials import OPTION_DENIALS
from support.configs.options import AUDIT_POLICY, component_options

ROOT = Path(__file__).resolve().parents[5]
ALL = ("*",)
NOTHING = node_values("ComponentOptions", {}, {})


def fields(document: Mapping[str, Any], *allowed: str) -> list[str]:
    return [finding.field for finding in denials(document, DenyPolicy(allowed=allowed), NOTHING, 34, OPTION_DENIALS)]


def test_without_the_check_of_options_no_bundle_may_hold_them() -> None:
    for allowed in ((), ("flags",), ALL):
        refusals = list(denials(component_options({"profiling": False}), DenyPolicy(allowed=allowed), NOTHING, 34))
        assert [finding.field for finding in refusals] == ["kind"]


GOOD = {
    "audit-log-maxage": 30,
    "enable-admission-plugins": ["NodeRestriction", "AlwaysPullImages"],
    "feature-gates": {"AllAlpha": False},
    "runtime-config": {"resource.k8s.io/v1beta1": True},
    "profiling": False,
    "tls-min-version": "VersionTLS13",
    "v": 4,
}


def test_a_bundle_sets_what_the_allow_list_has() -> None:
    document = component_options(GOOD, {"audit.yaml": {"content": AUDIT_POLICY}})
    assert fields(document) == []


@pytest.mark.parametrize(
    "flag",
    [
        "audit-log-path",
        "audit-webhook-config-file",
        "authentication-config",
        "client-ca-file",
        "cors-allowed-origins",
        "etcd-servers",
        "oidc-issuer-url",
        "service-account-issuer",
        "token-auth-file",
        "tls-cert-file",
        "vmodule",
        "not-a-flag",
    ],
)
def test_any_other_flag_is_denied_until_the_node_allows_it(flag: str) -> None:
    document = component_options({flag: "x"})
    assert fields(document) == [f"flags.{flag}"]
    assert fields(component_options({flag: None})) == [f"flags.{flag}"]
    assert fields(document, f"flags.{flag}") == []
    assert fields(document, "flags") == []
    assert fields(document, *ALL) == []
    assert fields(component_options({flag.replace("-", "_"): "x"}), f"flags.{flag}") == []


@pytest.mark.parametrize(
    "flags",
    [
        {"v": 8},
        {"v": "10"},
        {"tls-min-version": "VersionTLS10"},
        {"tls-cipher-suites": ["TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA"]},
        {"tls-cipher-suites": '"TLS_RSA_WITH_AES_128_CBC_SHA"'},
        {"disable-admission-plugins": ["ValidatingAdmissionWebhook"]},
        {"feature-gates": None},
        {"admission-control-config-file": "/var/x.yaml"},
        {"audit-policy-file": "/etc/y"},
    ],
)
def test_a_value_that_weakens_the_component_is_denied_until_the_node_allows_it(flags: Mapping[str, Any]) -> None:
    (name,) = flags
    assert fields(component_options(flags)) == [f"flags.{name}"]
    assert fields(component_options(flags), f"flags.{name}") == []


REFUSED: list[Mapping[str, Any]] = [
    {"enable-admission-plugins": ["PodSecurity"]},
    {"enable-admission-plugins": "PodSecurity"},
    {"enable-admission-plugins": None},
    {"enable_admission_plugins": []},
    {"disable-admission-plugins": ["NodeRestriction"]},
    {"disable-admission-plugins": "PodSecurity, ValidatingAdmissionPolicy"},
    {"admission-control": ["NodeRestriction"]},
    {"authorization-mode": ["Node"]},
    {"authorization-mode": "RBAC"},
    {"authorization-mode": ["Node", "RBAC", "AlwaysAllow"]},
    {"authorization-mode": None},
    {"feature-gates": {"ValidatingAdmissionPolicy": False}},
    {"feature-gates": "ValidatingAdmissionPolicy=0"},
    {"runtime-config": {"admissionregistration.k8s.io/v1": False}},
    {"runtime-config": "api/all=false"},
    {"secure-port": 6444},
    {"bind-address": "0.0.0.0"},
    {"advertise-address": "10.0.0.9"},
    {"anonymous-auth": False},
    {"encryption-provider-config": "/x"},
    {"encryption-provider-config": None},
    {"disable-admission-plugins": '"NodeRestriction"'},
    {"disable-admission-plugins": ['"ValidatingAdmissionPolicy"']},
    {"feature-gates=ValidatingAdmissionPolicy": False},
    {"--profiling": False},
    {"feature-gates": {"kube:ValidatingAdmissionPolicy": False}},
    {"feature-gates": {"AllBeta": False}},
    {"runtime-config": {"v1": False}},
    {"v": "$(KUBERNETES_SERVICE_PORT)"},
    {"disable-admission-plugins": "$(PLUGINS)"},
]


@pytest.mark.parametrize("flags", REFUSED, ids=json.dumps)
def test_what_trust_and_probes_rest_on_is_refused_whatever_the_node_allows(flags: Mapping[str, Any]) -> None:
    (name,) = flags
    for allowed in ((), ALL, ("flags",), (f"flags.{name}",)):
        refusals = list(denials(component_options(flags), DenyPolicy(allowed=allowed), NOTHING, 34, OPTION_DENIALS))
        assert [finding.path for finding in refusals] == [("flags", name)]
        assert refusals[0].message.startswith("is refused: ")


def authorization(*types: str) -> dict[str, Any]:
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration"}
    return {"authz.yaml": {"content": {**head, "authorizers": [{"type": kind} for kind in types]}}}


def test_authorizers_come_from_a_file_only_if_the_node_allows_it_and_never_without_node_and_rbac() -> None:
    good, bad = (component_options(files=authorization(*types)) for types in (("Node", "RBAC"), ("Webhook", "RBAC")))
    assert fields(good) == ["files[authz.yaml]"]
    assert fields(good, "flags.authorization-config") == []
    assert fields(good, "files") == []
    assert fields(bad, *ALL) == ["files[authz.yaml].content.authorizers"]


def test_encryption_keys_never_come_in_a_bundle() -> None:
    content = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration", "resources": []}
    document = component_options(files={"enc.yaml": {"content": content}})
    assert "files[enc.yaml].content" in fields(document, *ALL)
    on_nodes = component_options(files={"enc.yaml": {"flag": "encryption-provider-config", "path": "/etc/enc.yaml"}})
    assert fields(on_nodes) == ["files[enc.yaml].path"]
    assert fields(on_nodes, *ALL) == []


def admission(*plugins: Mapping[str, Any]) -> dict[str, Any]:
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration"}
    return {"admission.yaml": {"content": {**head, "plugins": list(plugins)}}}


def test_admission_plugins_that_ask_servers_are_denied() -> None:
    limits = {"apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration", "limits": []}
    good = admission({"name": "EventRateLimit", "path": "limits.yaml"}, {"name": "PodSecurity", "configuration": {}})
    assert fields(component_options(files={**good, "limits.yaml": {"content": limits}})) == []
    assert fields(component_options(files=admission({"name": "ImagePolicyWebhook", "path": "x.yaml"}))) == [
        "files[admission.yaml].content.plugins[0]"
    ]
    assert fields(component_options(files=admission({"name": "EventRateLimit", "path": "/etc/x"}))) == [
        "files[admission.yaml].content.plugins[0].path"
    ]


def test_a_scheduler_configuration_has_no_credentials_and_no_extenders() -> None:
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    for more, denied in (({"parallelism": 8}, []), ({"extenders": [{"urlPrefix": "http://x"}]}, [".extenders"])):
        files = {"s": {"content": {**config, **more}}}
        document = component_options(files=files, component="kube-scheduler")
        assert fields(document) == [f"files.s.content{name}" for name in denied]


@pytest.mark.parametrize("value", [1001, "0x7fffffff", -1, "-1"])
def test_the_number_of_requests_has_bounds_however_it_is_written(value: Any) -> None:
    for component in ("kube-controller-manager", "kube-scheduler"):
        document = component_options({"kube-api-burst": value}, component=component)
        assert fields(document) == ["flags.kube-api-burst"]


@pytest.mark.parametrize(
    ("flag", "content"),
    [
        ("authorization-config", "kind: AuthorizationConfiguration\nauthorizers: [{type: AlwaysAllow}]\n"),
        ("authentication-config", "kind: AuthenticationConfiguration\nanonymous: {enabled: false}\n"),
        ("encryption-provider-config", "kind: EncryptionConfiguration\n"),
        ("token-auth-file", "token,admin,1,system:masters"),
        ("audit-webhook-config-file", "users: [{user: {token: abcdefgh}}]"),
        ("authentication-config", {"kind": "AuthenticationConfiguration", "anonymous": {"enabled": False}}),
        ("authorization-config", {"kind": "AuthorizationConfiguration", "authorizers": [{"type": ["Node"]}]}),
        ("", {"kind": "EncryptionConfig", "apiVersion": "v1"}),
        ("", "kind: EncryptionConfig"),
    ],
)
def test_what_cannot_be_checked_or_holds_secrets_is_refused_whatever_the_node_allows(flag: str, content: Any) -> None:
    document = component_options(files={"f": {"flag": flag, "content": content}})
    for allowed in ((), ALL, ("files",)):
        refusals = denials(document, DenyPolicy(allowed=allowed), NOTHING, 34, OPTION_DENIALS)
        assert any(finding.message.startswith("is refused: ") for finding in refusals), allowed


@pytest.mark.parametrize("component", ["kube-proxy", "", None])
def test_a_component_with_flags_that_are_not_known_is_refused(component: Any) -> None:
    document = {**component_options({"profiling": False}), "component": component}
    assert fields(document, *ALL) == ["component"]


def test_of_etcd_only_some_flags_change_whatever_the_node_allows() -> None:
    taken = component_options({"quota-backend-bytes": 8 << 30, "snapshot-count": None}, component="etcd")
    assert fields(taken) == []
    flags = {"data-dir": "/tmp", "quota-backend-bytes": 1, "force-new-cluster": None}
    refused = component_options(flags, {"a": {"flag": "cert-file", "path": "/a"}}, component="etcd")
    for allowed in ((), ALL, ("flags",), ("files",)):
        refusals = denials(refused, DenyPolicy(allowed=allowed), NOTHING, 34, OPTION_DENIALS)
        messages = {finding.field: finding.message for finding in refusals}
        assert messages.keys() >= {"flags.data-dir", "flags.force-new-cluster", "files.a"}
        assert "of etcd only auto-compaction-mode, " in messages["flags.data-dir"]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("flags.event-ttl", {"flags": {"event_ttl": "1h"}}),
        ("flags.event_ttl", {"flags": {"event-ttl": None}}),
        ("flags.audit-policy-file", {"files": {"p": {"content": AUDIT_POLICY}}}),
        ("files.p.content.rules", {"files": {"p": {"content": AUDIT_POLICY}}}),
        ("files.*.content", {"files": {"p": {"content": AUDIT_POLICY}}}),
    ],
)
def test_what_the_node_denies_in_addition_is_denied_however_it_is_written(pattern: str, parts: Any) -> None:
    policy = DenyPolicy(additional=(pattern,))
    assert len(list(denials(component_options(**parts), policy, NOTHING, 34, OPTION_DENIALS))) == 1


def test_a_path_is_denied_also_for_a_flag_of_the_list() -> None:
    document = component_options(files={"p": {"flag": "audit-policy-file", "path": "/etc/shadow"}})
    assert fields(document) == ["files.p.path"]
    assert fields(document, "files") == []


def test_a_text_is_denied() -> None:
    document = component_options(files={"p": {"flag": "audit-policy-file", "content": "rules: []"}})
    assert fields(document) == ["files.p.content", "files.p"]


def test_fields_that_the_node_denies_in_addition_are_denied() -> None:
    policy = DenyPolicy(additional=("flags.event-ttl",))
    refusals = denials(component_options({"event-ttl": "1h", "profiling": False}), policy, NOTHING, 34, OPTION_DENIALS)
    assert [finding.field for finding in refusals] == ["flags.event-ttl"]


WORDS_OF_WHAT_IS_DENIED = ("address", "authorization", "cert", "etcd", "key", "kubeconfig", "oidc", "path", "webhook")


@pytest.mark.parametrize("component", FLAG_COMPONENTS)
def test_no_flag_of_the_allow_list_names_an_identity_an_address_or_a_path(component: str) -> None:
    names = bundle_flags(component)
    assert names
    assert [name for name in names if any(word in name.split("-") for word in WORDS_OF_WHAT_IS_DENIED)] == []
