# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check ComponentOptions: flags by release, files by their kinds, and both together with the manifest's flags."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.option_check import OPTION_CHECK
from support.configs.options import AUDIT_POLICY, KUBEADM_APISERVER, component_options

EVENT_LIMITS = {
    "apiVersion": "eventratelimit.admission.k8s.io/v1alpha1",
    "kind": "Configuration",
    "limits": [{"type": "Server", "qps": 10, "burst": 50}],
}


def admission(*plugins: Mapping[str, Any]) -> dict[str, Any]:
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration"}
    return {**head, "plugins": list(plugins)}


def findings_of(
    document: Any, version: str = "1.34", base: Sequence[str] | None = KUBEADM_APISERVER, component: str = ""
) -> list[Finding]:
    return check(
        json.dumps(document),
        file="options.yaml",
        component=component or None,
        versions=[version],
        flags=None if base is None else ComponentFlags(base),
        arguments=OPTION_CHECK,
    )


def texts(document: Any, version: str = "1.34", base: Sequence[str] | None = KUBEADM_APISERVER) -> list[str]:
    return [f"{finding.level}: {finding.field}: {finding.message}" for finding in findings_of(document, version, base)]


OIDC = {"oidc-issuer-url": "https://issuer.example", "oidc-client-id": "kubernetes"}
GOOD: dict[str, Mapping[str, Any]] = {
    "numbers, texts and switches": {"flags": {"audit-log-maxage": 30, "request-timeout": "90s", "profiling": False}},
    "a number as text": {"flags": {"audit-log-maxage": "30"}},
    "underscores": {"flags": {"audit_log_maxage": 30}},
    "a list": {"flags": {"enable-admission-plugins": ["NodeRestriction", "AlwaysPullImages"]}},
    "a list as text": {"flags": {"enable-admission-plugins": "NodeRestriction,AlwaysPullImages"}},
    "feature gates": {"flags": {"feature-gates": {"AllAlpha": False}}},
    "an API as a map": {"flags": {"runtime-config": {"api/alpha": False}}},
    "a flag to remove": {"flags": {"event-ttl": None}},
    "a file by its kind": {"files": {"audit.yaml": {"content": AUDIT_POLICY}}, "flags": {"audit-log-path": "-"}},
    "a file by its flag": {
        "files": {"a": {"flag": "audit-policy-file", "content": AUDIT_POLICY}},
        "flags": {"audit-log-path": "-"},
    },
    "a file that an admission plugin names": {
        "files": {
            "admission.yaml": {"content": admission({"name": "EventRateLimit", "path": "limits.yaml"})},
            "limits.yaml": {"content": EVENT_LIMITS},
        },
        "flags": {"enable-admission-plugins": ["NodeRestriction", "EventRateLimit"]},
    },
    "a file on each node": {"files": {"ca.crt": {"flag": "oidc-ca-file", "path": "/etc/ca.crt"}}, "flags": OIDC},
    "an emulated version": {"flags": {"emulated-version": "1.34"}},
}


@pytest.mark.parametrize("parts", GOOD.values(), ids=GOOD)
def test_good_options_have_no_finding(parts: Mapping[str, Any]) -> None:
    assert texts(component_options(**parts), "1.36") == []


FLAGS = "component: flags."
WRONG_FLAGS = [
    ({"audit-log-maxage": "x"}, "1.34", "audit-log-maxage: must be a whole number"),
    (
        {"audit-log-maxagee": 3},
        "1.34",
        "audit-log-maxagee: kube-apiserver has no such flag, did you mean --audit-log-maxage?",
    ),
    (
        {"audit-log-maxagee": None},
        "1.34",
        "audit-log-maxagee: kube-apiserver has no such flag, did you mean --audit-log-maxage?",
    ),
    (
        {"emulated-version": "1.30"},
        "1.30",
        "emulated-version: kube-apiserver has it from Kubernetes 1.31 on",
    ),
    ({"target-ram-mb": 5}, "1.34", "target-ram-mb: kube-apiserver has it up to Kubernetes 1.23 only"),
    ({"request-timeout": {"a": 1}}, "1.34", "request-timeout: must not be a mapping"),
    ({"request-timeout": [1]}, "1.34", "request-timeout: must not be a list"),
    ({"enable-admission-plugins": ["a,b"]}, "1.34", "enable-admission-plugins: an item must not have a comma"),
    (
        {"enable-admission-plugins": [["a"]]},
        "1.34",
        "enable-admission-plugins: must hold texts, numbers and true or false only",
    ),
    (
        {"enable-admission-plugins": ["NodeRestrict"]},
        "1.34",
        "enable-admission-plugins: "
        '"NodeRestrict" is not an admission plugin of Kubernetes 1.34: did you mean NodeRestriction?',
    ),
    ({"feature-gates": {"Sidecar": True}}, "1.34", "feature-gates: Sidecar: unknown feature gate"),
    ({"goaway-chance": 0.5}, "1.34", "goaway-chance: must be between 0 and 0.02"),
    (
        {"event-ttl": "1h", "event_ttl": "2h"},
        "1.34",
        "event_ttl: names the flag event-ttl once more: a flag has one key",
    ),
    ({"emulated-version": "1.30"}, "1.36", "emulated-version: must be between 1.33 and 1.36"),
    ({"emulated-version": "1.35.2"}, "1.36", "emulated-version: must be a version without its patch, such as 1.35"),
]


@pytest.mark.parametrize(("flags", "version", "message"), WRONG_FLAGS)
def test_a_wrong_flag_is_a_finding_at_its_place(flags: Mapping[str, Any], version: str, message: str) -> None:
    assert texts(component_options(flags), version) == [FLAGS + message]


def test_a_flag_of_audit_logs_is_compared_once_there_is_a_log() -> None:
    flags = {"audit-log-maxage": -1}
    assert texts(component_options(flags)) == []
    findings = texts(component_options({**flags, "audit-log-path": "-"}))
    assert findings == ["component: flags.audit-log-maxage: must be at least 0"]


def test_without_the_command_line_what_other_flags_decide_is_not_judged() -> None:
    findings = findings_of(component_options({"audit-log-maxage": -1}), base=None)
    assert [(finding.level, finding.field) for finding in findings] == [(Level.NOT_JUDGED, "flags.audit-log-maxage")]
    assert findings[0].why == "its command line is not given"


def test_flags_exclude_each_other_also_if_a_file_sets_one() -> None:
    document = component_options({"oidc-issuer-url": "https://issuer", "oidc-client-id": "x"}, AUTHENTICATION)
    message = "--authentication-config: cannot be used together with --oidc-issuer-url and --oidc-client-id"
    assert texts(document) == [f"component: files[authn.yaml]: {message}"]


AUTHENTICATION = {
    "authn.yaml": {
        "content": {
            "apiVersion": "apiserver.config.k8s.io/v1beta1",
            "kind": "AuthenticationConfiguration",
            "anonymous": {"enabled": True},
            "jwt": [],
        }
    }
}


def test_the_flags_of_the_manifest_count_unless_the_options_replace_them() -> None:
    base = [*KUBEADM_APISERVER, "--anonymous-auth=false"]
    document = component_options(files=AUTHENTICATION)
    message = "component: files[authn.yaml].content.anonymous: cannot be used together with --anonymous-auth"
    assert message in texts(document, base=base)
    assert texts({**document, "flags": {"anonymous-auth": None}}, base=base) == []


def test_what_the_manifest_needs_cannot_be_removed() -> None:
    base = ["--authorization-mode=Node,RBAC,Webhook", "--authorization-webhook-config-file=/x"]
    message = "with the flags of the manifest: --authorization-mode: Webhook needs --authorization-webhook-config-file"
    assert texts(component_options({"authorization-webhook-config-file": None}), base=base) == [
        f"component: : {message}, too"
    ]


def test_feature_gates_are_merged_by_key_with_those_of_the_manifest() -> None:
    gates = {"feature-gates": {"WatchListClient": True}}
    base = [*KUBEADM_APISERVER, "--feature-gates=Unheard=true"]
    assert len(texts(component_options(gates), base=base)) == 1
    assert texts(component_options({"feature-gates": None}), base=base) == []


WRONG_FILES: dict[str, tuple[Mapping[str, Any], str]] = {
    "a wrong value in a document": (
        {"p": {"content": {**AUDIT_POLICY, "rules": [{"level": "All"}]}}},
        "files.p.content.rules[0].level: must be one of None, Metadata, Request, RequestResponse",
    ),
    "an old version of a kind": (
        {"p": {"content": {**AUDIT_POLICY, "apiVersion": "audit.k8s.io/v1beta1"}}},
        "files.p.content.apiVersion: Kubernetes 1.34 does not read Policy in this version",
    ),
    "another kind than that of the flag": (
        {"p": {"flag": "tracing-config-file", "content": AUDIT_POLICY}},
        "files.p.content.kind: must be TracingConfiguration, which --tracing-config-file names",
    ),
    "a flag that names no file": (
        {"p": {"flag": "event-ttl", "content": AUDIT_POLICY}},
        "files.p.flag: kube-apiserver reads no file by --event-ttl",
    ),
    "neither content nor path": (
        {"p": {"flag": "audit-policy-file"}},
        "files.p: needs either content, or the path at which the file is on each node",
    ),
    "a relative path": (
        {"p": {"flag": "encryption-provider-config", "path": "enc.yaml"}},
        "files.p.path: must be an absolute path without . and .. in it",
    ),
    "a name with a slash": (
        {"a/b": {"flag": "audit-policy-file", "content": AUDIT_POLICY}},
        "files[a/b]: must be the name of a file: at most 63 letters, digits, -, _ and ., no dot first",
    ),
    "two files for a flag": (
        {"p": {"content": AUDIT_POLICY}, "q": {"content": AUDIT_POLICY}},
        "files.q: --audit-policy-file names one file only, which is p",
    ),
    "a plugin that names no file": (
        {"p": {"content": admission({"name": "EventRateLimit", "path": "limit.yaml"})}},
        "files.p.content.plugins[0].path: must be a key of files, or an absolute path",
    ),
    "a wrong configuration of a plugin": (
        {
            "p": {
                "content": admission(
                    {
                        "name": "PodSecurity",
                        "configuration": {
                            "apiVersion": "pod-security.admission.config.k8s.io/v1",
                            "kind": "PodSecurityConfiguration",
                            "defaults": {"enforce": "strict"},
                        },
                    }
                )
            }
        },
        "files.p.content.plugins[0].configuration.defaults.enforce: must be one of privileged, baseline, restricted",
    ),
}


@pytest.mark.parametrize(("files", "message"), WRONG_FILES.values(), ids=WRONG_FILES)
def test_a_wrong_file_is_a_finding_at_its_place(files: Mapping[str, Any], message: str) -> None:
    assert f"component: {message}" in texts(component_options({"audit-log-path": "-"}, files))


def test_a_flag_and_a_file_cannot_both_name_the_file() -> None:
    document = component_options({"audit-policy-file": "/x", "audit-log-path": "-"}, {"p": {"content": AUDIT_POLICY}})
    assert "component: flags.audit-policy-file: the file p sets this flag" in texts(document)


def test_a_file_that_nothing_reads_violates_policy() -> None:
    findings = findings_of(component_options(files={"limits.yaml": {"content": EVENT_LIMITS}}))
    assert [(finding.level, finding.field) for finding in findings] == [(Level.POLICY, "files[limits.yaml]")]


def test_an_audit_policy_without_a_log_is_a_warning_if_the_command_line_is_known() -> None:
    document = component_options(files={"p": {"content": AUDIT_POLICY}})
    assert [finding.level for finding in findings_of(document)] == [Level.WARNING]
    assert [finding.level for finding in findings_of(document, base=None)] == [Level.NOT_JUDGED]


def test_a_text_is_not_judged() -> None:
    document = component_options(files={"p": {"flag": "audit-webhook-config-file", "content": "clusters: []"}})
    assert [finding.level for finding in findings_of(document)] == [Level.NOT_JUDGED]


def test_an_emulated_version_decides_on_gates_and_files() -> None:
    document = component_options({"emulated-version": "1.33"}, AUTHENTICATION)
    assert texts(document, "1.36") == []
    newer = {**AUTHENTICATION["authn.yaml"]["content"], "apiVersion": "apiserver.config.k8s.io/v1"}
    document = component_options({"emulated-version": "1.33"}, {"authn.yaml": {"content": newer}})
    assert texts(document, "1.36") == [
        "component: files[authn.yaml].content.apiVersion: Kubernetes 1.33 does not read AuthenticationConfiguration in "
        "this version"
    ]
    gate = {"feature-gates": {"ConstrainedImpersonation": True}}
    assert texts(component_options(gate), "1.36") == []
    assert len(texts(component_options({**gate, "emulated-version": "1.34"}), "1.36")) == 1


def test_options_are_those_of_the_component_that_reads_them() -> None:
    document = component_options({"leader-elect": False}, component="kube-controller-manager")
    assert findings_of(document, base=[], component="kube-controller-manager") == []
    findings = findings_of(document, component="kube-apiserver")
    assert [finding.message for finding in findings] == ["must be kube-apiserver, whose options are read here"]


def test_a_scheduler_has_its_configuration_as_a_file() -> None:
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 0}
    document = component_options(files={"scheduler.yaml": {"content": config}}, component="kube-scheduler")
    findings = texts(document, base=["--leader-elect=true"])
    assert findings == ["component: files[scheduler.yaml].content.parallelism: must be > 0"]


def test_the_flags_of_etcd_are_not_judged() -> None:
    document = component_options({"heartbeat-interval": 500}, component="etcd")
    assert [finding.level for finding in findings_of(document, base=None)] == [Level.NOT_JUDGED]


def test_without_a_check_of_arguments_options_are_not_judged() -> None:
    findings = check(json.dumps(component_options({"nonsense": 1})), versions=["1.34"])
    assert [finding.level for finding in findings] == [Level.NOT_JUDGED]


def test_another_file_of_encryption_keys_violates_policy() -> None:
    document = component_options(files={"e": {"flag": "encryption-provider-config", "path": "/etc/enc.yaml"}})
    named = [*KUBEADM_APISERVER, "--encryption-provider-config=/etc/enc.yaml"]
    assert texts(document, base=named) == []
    for base in (KUBEADM_APISERVER, [*KUBEADM_APISERVER, "--encryption-provider-config=/other.yaml"]):
        assert [finding.level for finding in findings_of(document, base=base)] == [Level.POLICY]
    assert [finding.level for finding in findings_of(document, base=None)] == [Level.NOT_JUDGED]


def test_an_empty_list_replaces_that_of_the_manifest() -> None:
    base = [
        *KUBEADM_APISERVER,
        "--enable-admission-plugins=NodeRestriction",
        "--disable-admission-plugins=NodeRestriction",
    ]
    disjoint = "with the flags of the manifest: --enable-admission-plugins: --disable-admission-plugins names"
    assert any(disjoint in text for text in texts(component_options({"profiling": False}), base=base))
    assert texts(component_options({"disable-admission-plugins": []}), base=base) == []


def test_a_gate_of_the_manifest_is_not_blamed_on_the_options() -> None:
    document = component_options({"feature-gates": {"WatchListClient": False}})
    base = [*KUBEADM_APISERVER, "--feature-gates=Unheard=true,kube:AllAlpha=false"]
    assert texts(document, base=base) == [
        "component: : with the flags of the manifest: --feature-gates: Unheard: unknown feature gate"
    ]


@pytest.mark.parametrize("gates", [{"kube:AllAlpha": False}, "kube:AllAlpha=false"])
def test_a_gate_may_have_the_name_of_its_component(gates: Any) -> None:
    assert texts(component_options({"feature-gates": gates})) == []


@pytest.mark.parametrize(
    "flags",
    [
        {"enable-admission-plugins": "NodeRestriction, PodSecurity"},
        {"max-requests-inflight": " 5"},
        {"goaway-chance": " 0.01"},
        {"v": "0x10"},
        {"v": 2147483648},
        {"watch-cache-sizes": ["pods#99999999999999999999"]},
        {"audit-log-path": "-", "audit-log-mode": "batch", "audit-log-batch-buffer-size": 0},
        {"feature-gates=AllAlpha": False},
    ],
    ids=str,
)
def test_what_go_does_not_parse_is_refused(flags: Mapping[str, Any]) -> None:
    assert {finding.level for finding in findings_of(component_options(flags))} == {Level.COMPONENT}


def test_the_minor_before_is_that_of_the_component_and_not_of_the_emulated_one() -> None:
    flags = {"emulated-version": "1.34", "show-hidden-metrics-for-version": "1.35"}
    assert texts(component_options(flags), "1.36") == []


def test_what_a_release_has_whose_flags_are_not_read_is_not_judged() -> None:
    """1.37 is known but for the flags of its control plane, which were read up to 1.36."""
    not_read = "not-judged: : which flags the release no longer has"
    unknown = "not-judged: flags.brand-new: a flag"
    assert texts(component_options(flags={"brand-new": None}), "1.37") == [not_read, unknown]
    assert texts(component_options(flags={"brand-new": "1"}), "1.37") == [not_read, unknown]
    assert "flags.event-ttl" in "".join(texts(component_options(flags={"event-ttl": "x"}), "1.37"))
    assert texts(component_options(flags={"event-ttl": "2h"}), "1.36") == []
