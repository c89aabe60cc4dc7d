# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the API server's files for admission plugins, tracing, egress and audit; two more files have the others.

The rules have the ids of schema/kube_apiserver_validation_rules.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._scalars._syntax import is_dns_label, is_dns_name, is_grpc_target, is_label_key, is_label_value
from .._scalars.field_path import Path
from ._admission_plugins import ADMISSION_PLUGIN_RULES
from ._kube_apiserver_access import AUTHENTICATION_RULES, AUTHORIZATION_RULES
from ._kube_apiserver_encryption import ENCRYPTION_RULES
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    absolute,
    all_of,
    in_range,
    needs_gate,
    objects_must,
    present,
    required,
    unique,
    values_at,
    values_must,
)

_LEVELS = ("privileged", "baseline", "restricted")
_VERSION = re.compile(r"latest|v1\.(?:0|[1-9][0-9]{0,30})")


def _kubeconfig(config: EffectiveConfig) -> Violations:
    file = config.written("kubeConfigFile") or ""
    if not file.startswith("/") and (file or config.minor <= 35):
        yield ("kubeConfigFile",), "must be an absolute path"


def _tolerations(config: EffectiveConfig) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield from values_at(config.data, "default[]")
    yield from values_at(config.data, "whitelist[]")


def _toleration_key(config: EffectiveConfig) -> Violations:
    for path, toleration in _tolerations(config):
        key = toleration.get("key", "")
        if key and not is_label_key(key):
            yield path + ("key",), "must be the key of a label"
        elif not key and toleration.get("operator") != "Exists":
            yield path + ("operator",), "must be Exists without a key"


def _toleration_value(config: EffectiveConfig) -> Violations:
    for path, toleration in _tolerations(config):
        value, operator = toleration.get("value", ""), toleration.get("operator", "")
        if operator == "Exists" and value:
            yield path + ("value",), "must be empty with operator Exists"
        elif operator in ("", "Equal") and not is_label_value(value):
            yield path + ("value",), "must be the value of a label"


def _toleration_gate(config: EffectiveConfig) -> Violations:
    for path, toleration in _tolerations(config):
        is_comparison = toleration.get("operator") in ("Lt", "Gt")
        if is_comparison and not config.gates.is_on("TaintTolerationComparisonOperators"):
            yield path + ("operator",), "needs the feature gate TaintTolerationComparisonOperators on the command line"


def _is_security_version(text: str) -> bool:
    return _VERSION.fullmatch(text) is not None and (text == "latest" or int(text[3:]) < 2**63)


_QUOTA: dict[str, Rule] = {"quota-resource": required("limitedResources[].resource")}
_STATIC: dict[str, Rule] = {
    "static-manifests": absolute("staticManifestsDir"),
    "static-manifests-gate": needs_gate(
        "staticManifestsDir", "ManifestBasedAdmissionControlConfig", where="on the command line"
    ),
}
_KUBECONFIG: dict[str, Rule] = {"webhook-kubeconfig": _kubeconfig}

ADMISSION_RULES: dict[str, dict[str, Rule]] = {
    "AdmissionConfiguration": {
        "admission-both": objects_must(
            "plugins[]",
            lambda plugin: not plugin.get("path") or plugin.get("configuration") is None,
            "is not read with configuration",
            "path",
        ),
        **ADMISSION_PLUGIN_RULES,
    },
    "WebhookAdmissionConfiguration": {**_KUBECONFIG, **_STATIC},
    "ValidatingAdmissionPolicyConfiguration": _STATIC,
    "MutatingAdmissionPolicyConfiguration": _STATIC,
    "ResourceQuotaConfiguration": _QUOTA,
    "eventratelimit.Configuration": {
        "limits": required("limits", "must hold at least one limit"),
        "limit-type": required("limits[].type"),
        "limit-burst": in_range("limits[].burst", 1, None, "> 0", absent=0),
        "limit-qps": in_range("limits[].qps", 1, None, "> 0", absent=0),
        "limit-cache": objects_must(
            "limits[]",
            lambda limit: limit.get("type") == "Server" or limit.get("cacheSize", 0) >= 0,
            "must be >= 0",
            "cacheSize",
        ),
    },
    "podtolerationrestriction.Configuration": {
        "toleration-key": _toleration_key,
        "toleration-value": _toleration_value,
        "toleration-seconds": objects_must(
            _tolerations,
            lambda toleration: toleration.get("tolerationSeconds") is None or toleration.get("effect") == "NoExecute",
            "must be NoExecute with tolerationSeconds",
            "effect",
        ),
        "toleration-gate": _toleration_gate,
    },
    "PodSecurityConfiguration": {
        "security-level": values_must(
            "defaults.enforce|audit|warn", ("", *_LEVELS).__contains__, "must be one of " + ", ".join(_LEVELS)
        ),
        "security-version": values_must(
            "defaults.enforce-version|audit-version|warn-version",
            lambda version: not version or _is_security_version(version),
            "must be latest or a version, for example v1.31",
        ),
        "exempt-namespaces": values_must("exemptions.namespaces[]", is_dns_label, "must be the name of a namespace"),
        "exempt-classes": values_must(
            "exemptions.runtimeClasses[]", is_dns_name, "must be the name of a runtime class"
        ),
        "exempt-users": values_must("exemptions.usernames[]", bool, "must not be empty"),
        "exempt-twice": unique("exemptions.usernames[]|namespaces[]|runtimeClasses[]"),
    },
}
"""The rules by kind; kinds named Configuration have the first word of their group before it."""


_STAGES = ("RequestReceived", "ResponseStarted", "ResponseComplete", "Panic")

TRACING_RULES: dict[str, Rule] = {
    "sampling-rate": in_range("samplingRatePerMillion", 0, 1_000_000, "between 0 and 1000000"),
    "tracing-endpoint": values_must(
        "endpoint", is_grpc_target, "must be host:port, or a URL with the scheme dns, unix or unix-abstract"
    ),
}


def _egress_name(config: EffectiveConfig) -> Violations:
    allowed = ("controlplane", "cluster", "etcd") + (("master",) if config.minor <= 22 else ())
    for path, name in values_at(config.data, "egressSelections[].name", absent=""):
        if name.lower() not in allowed and name != "master":
            yield path, "must be one of " + ", ".join(allowed)


def _egress_master(config: EffectiveConfig) -> Violations:
    for path, name in values_at(config.data, "egressSelections[].name"):
        if name == "master":
            yield path, "is the old name of controlplane"


def _egress_name_unique(config: EffectiveConfig) -> Violations:
    seen: set[str] = set()
    for path, name in values_at(config.data, "egressSelections[].name"):
        name = "controlplane" if name == "master" and config.minor >= 23 else name.lower()
        if config.minor >= 23 and name in seen:
            yield path, "must not stand twice"
        elif config.minor < 23 and {"master", "controlplane"} <= seen | {name} and name not in seen:
            yield path, "master and controlplane exclude each other"
        seen.add(name)


def _egress_transport(config: EffectiveConfig) -> Violations:
    for path, connection in values_at(config.data, "egressSelections[].connection"):
        protocol, transport = connection.get("proxyProtocol"), connection.get("transport")
        set_transports = [name for name in ("tcp", "uds") if name in (transport or {})]
        transport_path = path + ("transport",)
        if protocol == "Direct" and transport is not None:
            yield transport_path, "is not allowed with Direct"
        elif protocol == "HTTPConnect" and len(set_transports) != 1:
            yield transport_path, "must have exactly one of tcp and uds with HTTPConnect"
        elif protocol == "GRPC" and "uds" not in set_transports:
            yield transport_path, "must have uds with GRPC"


def _egress_uds(config: EffectiveConfig) -> Violations:
    for path, connection in values_at(config.data, "egressSelections[].connection"):
        for below, uds in values_at(connection, "transport.uds"):
            if connection.get("proxyProtocol") != "Direct" and not uds.get("udsName"):
                yield path + below + ("udsName",), "is required"


def _egress_tcp(config: EffectiveConfig) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield each TCP transport that the API server reads, with its path: those of HTTPConnect."""
    for path, connection in values_at(config.data, "egressSelections[].connection"):
        if connection.get("proxyProtocol") == "HTTPConnect":
            for below, tcp in values_at(connection, "transport.tcp"):
                yield path + below, tcp


def _egress_tls(config: EffectiveConfig) -> Violations:
    for path, tcp in _egress_tcp(config):
        url, tls = tcp.get("url", ""), tcp.get("tlsConfig")
        if url.startswith("http://") and tls is not None:
            yield path + ("tlsConfig",), "is not allowed with http://"
        elif url.startswith("https://"):
            for field in ("clientCert", "clientKey"):
                if not (tls or {}).get(field):
                    yield path + ("tlsConfig", field), "is required with https://"


EGRESS_RULES: dict[str, Rule] = {
    "egress-name": _egress_name,
    "egress-master": _egress_master,
    "egress-name-unique": _egress_name_unique,
    "egress-protocol": all_of(
        present("egressSelections[].connection"), required("egressSelections[].connection.proxyProtocol")
    ),
    "egress-transport": _egress_transport,
    "egress-uds": _egress_uds,
    "egress-url": objects_must(
        _egress_tcp,
        lambda tcp: tcp.get("url", "").startswith(("http://", "https://")),
        "must begin with http:// or https://",
        "url",
    ),
    "egress-http": objects_must(
        _egress_tcp,
        lambda tcp: not tcp.get("url", "").startswith("http://"),
        "must begin with https://: kube-apiserver crashes on http:// because tlsConfig is missing",
        "url",
    ),
    "egress-tls": _egress_tls,
}


def _audit_group(config: EffectiveConfig) -> Violations:
    for path, group in values_at(config.data, "rules[].resources[].group"):
        if group and not is_dns_name(group) and not (group == "*" and config.minor >= 36):
            yield path, "must be the name of an API group, without a version"


def _stages(pattern: str) -> Rule:
    return values_must(pattern, _STAGES.__contains__, "must be one of " + ", ".join(_STAGES))


AUDIT_RULES: dict[str, Rule] = {
    "audit-rules": required("rules", "must hold at least one rule"),
    "audit-level": required("rules[].level"),
    "audit-urls": values_must(
        "rules[].nonResourceURLs[]",
        lambda url: url == "*" or (url.startswith("/") and "*" not in url[:-1]),
        "must begin with /, and have * only at its end",
    ),
    "audit-urls-alone": objects_must(
        "rules[]",
        lambda rule: not (rule.get("nonResourceURLs") and (rule.get("resources") or rule.get("namespaces"))),
        "is not allowed together with resources or namespaces",
        "nonResourceURLs",
    ),
    "audit-group": _audit_group,
    "audit-names": objects_must(
        "rules[].resources[]",
        lambda resource: resource.get("resources") or not resource.get("resourceNames"),
        "needs resources",
        "resourceNames",
    ),
    "audit-stages": all_of(_stages("omitStages[]"), _stages("rules[].omitStages[]")),
}


APISERVER_RULES: dict[str, dict[str, Rule]] = {
    **ADMISSION_RULES,
    "EncryptionConfiguration": ENCRYPTION_RULES,
    "TracingConfiguration": TRACING_RULES,
    "EgressSelectorConfiguration": EGRESS_RULES,
    "Policy": AUDIT_RULES,
    "AuthenticationConfiguration": AUTHENTICATION_RULES,
    "AuthorizationConfiguration": AUTHORIZATION_RULES,
}
"""The rules by kind; kinds named Configuration have the first word of their group before it."""
