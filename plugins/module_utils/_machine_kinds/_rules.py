# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Machines, MachineSets, Clusters, Providers and the configs of the shipped providers.

The rules have the ids of schema/machines_validation_rules.json. What concerns several objects is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from .._componentconfig._scalars.field_path import Path
from .._componentconfig.declared_kinds import (
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    in_range,
    is_dns_name,
    is_ip,
    is_label_key,
    is_label_value,
    is_port,
    network,
    objects_must,
    required,
    split_host_port,
    split_url,
    values_at,
    values_must,
)

_DNS_NAME = "must be a DNS-1123 subdomain: lower-case letters, digits, - and ., as in worker-1"
_LABEL_KEY = "must be the key of a label: [prefix/]name of at most 63 letters, digits, -, _ and ."
_LABEL_VALUE = "must be the value of a label: at most 63 letters, digits, -, _ and ."
_KUBELET_LABELS = ("kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch")
_OWN_PREFIX = "configok.dev/"
_LIFECYCLE_PREFIX = "node.kubernetes.io/"
_LIFECYCLE_TAINTS = frozenset(
    (
        "disk-pressure",
        "memory-pressure",
        "network-unavailable",
        "not-ready",
        "out-of-service",
        "pid-pressure",
        "unreachable",
        "unschedulable",
    )
)
_MAX_CLUSTER_DNS = 3  # the kubelet writes them into resolv.conf, which has three
_OWN_FLAGS = frozenset(
    (
        "bootstrap-kubeconfig",
        "config",
        "container-runtime",
        "container-runtime-endpoint",
        "hostname-override",
        "kubeconfig",
        "node-labels",
        "register-with-taints",
    )
)
_WHOLE_VERSION = re.compile(r"v?1\.[0-9]{1,3}\.[0-9]{1,3}(?:[-+~][0-9A-Za-z.+~-]*)?")
_VERSION = re.compile(r"v?[0-9][0-9A-Za-z.+~:-]*")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_ROLE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*(?:\.[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*)?")
_FLAG = re.compile(r"[a-z0-9][a-z0-9-]*")
_UNSAFE_IN_FLAG = re.compile(r"[\s'\"$\\%]")
_PLACEHOLDER = re.compile(r"\{[A-Za-z]\w*\}")
_PLACEHOLDERS = frozenset(("{kubelet}", "{kubeletMinor}", "{runtime}"))
_DEBIAN_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_RPM_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]+")


def _is_broken(config: EffectiveConfig, field: str) -> bool:
    """Return whether a field, or one around it, has a value of a wrong type, which has a finding already."""
    return any(f"{field}.".startswith(f"{broken}.") for broken in config.broken_fields)


def _required_objects(*fields: str) -> Rule:
    """Return the rule that objects are there; of several missing ones inside each other, only the outermost counts."""

    def check(config: EffectiveConfig) -> Violations:
        for field in fields:
            *parents, name = field.split(".")
            holder = config.written(*parents)
            if isinstance(holder, Mapping) and holder.get(name) is None and not _is_broken(config, field):
                yield (*parents, name), "is required"

    return check


def _name_rule() -> Rule:
    return all_of(
        _required_objects("metadata"),
        required("metadata.name", "is required: a DNS-1123 subdomain"),
        values_must("metadata.name", lambda name: not name or is_dns_name(name), _DNS_NAME),
    )


def _label_rule(*patterns: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        for pattern in patterns:
            for path, labels in values_at(config.data, pattern):
                yield from _label_violations(path, labels)

    return check


def _label_violations(path: Path, labels: Mapping[str, str]) -> Violations:
    for key, value in labels.items():
        if not is_label_key(key):
            yield path + (key,), _LABEL_KEY
        elif not is_label_value(value):
            yield path + (key,), _LABEL_VALUE


def _node_labels(pattern: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        for path, labels in values_at(config.data, pattern):
            yield from _label_violations(path, labels)
            for key in labels:
                if key in _KUBELET_LABELS:
                    yield path + (key,), "must not be declared: the kubelet sets this label"
                elif key.startswith(_OWN_PREFIX):
                    yield path + (key,), f"must not begin with {_OWN_PREFIX}: configok.node sets these labels"

    return check


def _taints(pattern: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        seen: list[tuple[Path, Any]] = []
        for path, taint in values_at(config.data, f"{pattern}[]"):
            key, value = taint.get("key", ""), taint.get("value", "")
            if not key:
                if not _is_broken(config, f"{pattern}.key"):
                    yield path + ("key",), "is required"
            elif not is_label_key(key):
                yield path + ("key",), _LABEL_KEY
            elif key.startswith(_LIFECYCLE_PREFIX) and key[len(_LIFECYCLE_PREFIX) :] in _LIFECYCLE_TAINTS:
                yield path + ("key",), "must not be declared: Kubernetes sets this taint by the state of the node"
            elif key.startswith(_OWN_PREFIX):
                yield path + ("key",), f"must not begin with {_OWN_PREFIX}: configok.node sets these taints"
            if not is_label_value(value):
                yield path + ("value",), _LABEL_VALUE
            # Another taint of the list with a wrong effect does not hide that this one has none.
            is_wrong = ".".join(map(str, (*path, "effect"))) in config.broken_fields
            if not taint.get("effect") and not is_wrong:
                yield path + ("effect",), "is required: NoSchedule, PreferNoSchedule or NoExecute"
            seen.append((path, (key, taint.get("effect"))))
        yield from duplicates(seen, "must not stand twice: the key and the effect are those of an earlier taint")

    return check


def _bundle(spec: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        for path, source in values_at(config.data, f"{spec}.configSource"):
            reference = source.get("configMap") or {}
            for name in ("namespace", "name"):
                value = reference.get(name, "")
                if _is_broken(config, f"{spec}.configSource.configMap.{name}"):
                    continue
                if not value:
                    yield path + ("configMap", name), "is required"
                elif not is_dns_name(value):
                    yield path + ("configMap", name), _DNS_NAME

    return check


def _runtime(spec: str) -> Rule:
    field = f"{spec}.versions.containerRuntime"

    def check(config: EffectiveConfig) -> Violations:
        for path, runtime in values_at(config.data, field):
            if not runtime.get("name") and not _is_broken(config, f"{field}.name"):
                yield path + ("name",), "is required: containerd, cri-o or docker"
            version = runtime.get("version", "")
            if version and not _VERSION.fullmatch(version):
                yield path + ("version",), 'must be a version, for example "1.7.24"'

    return check


def _provider_config(spec: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        for path, values in values_at(config.data, spec):
            provider = values.get("providerConfig")
            if not provider:
                # One of a wrong type has a finding already, and the rule is left out.
                yield path + ("providerConfig",), "is required: an object with apiVersion and kind, such as DebianHost"
                continue
            for name in ("apiVersion", "kind"):
                value = provider.get(name)
                if not isinstance(value, str) or not value:
                    yield path + ("providerConfig", name), "is required, as a string"

    return check


def _spec_rules(spec: str) -> dict[str, Rule]:
    """Return the rules of a Machine's spec at a path."""
    return {
        "cluster": values_must(f"{spec}.cluster", lambda name: not name or is_dns_name(name), _DNS_NAME),
        "kubelet": values_must(
            f"{spec}.versions.kubelet",
            lambda version: not version or _WHOLE_VERSION.fullmatch(version) is not None,
            "must be a whole version, for example 1.34.9",
        ),
        "runtime": _runtime(spec),
        "config-source": objects_must(
            spec,
            lambda values: not values.get("pool") or values.get("configSource") is None,
            "is not allowed together with pool: a node has one config source",
            "configSource",
        ),
        "bundle": _bundle(spec),
        "pool": values_must(f"{spec}.pool", is_label_value, _LABEL_VALUE.replace("the value of a label", "a pool")),
        "node-labels": _node_labels(f"{spec}.nodeLabels"),
        "taints": _taints(f"{spec}.taints"),
        "provider": _provider_config(spec),
    }


def _selector(config: EffectiveConfig) -> Violations:
    labels = config.written("spec", "template", "metadata", "labels") or {}
    for key, value in (config.written("spec", "selector", "matchLabels") or {}).items():
        if labels.get(key) != value:
            yield ("spec", "selector", "matchLabels", key), "must be a label of spec.template.metadata.labels"


def _hosts(config: EffectiveConfig) -> Violations:
    names: list[tuple[Path, Any]] = []
    for path, host in values_at(config.data, "spec.hosts[]"):
        name = host.get("name")
        if not isinstance(name, str) or not name:
            yield path + ("name",), "is required, as a string"
        elif not is_dns_name(name):
            yield path + ("name",), _DNS_NAME
        else:
            names.append((path + ("name",), name))
        labels = host.get("labels")
        if labels is not None and not isinstance(labels, dict):
            yield path + ("labels",), "must be a mapping"
        for key, value in labels.items() if isinstance(labels, dict) else ():
            if not isinstance(value, str):
                yield path + ("labels", key), "must be a string: write it in quotes"
        if isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values()):
            yield from _label_violations(path + ("labels",), labels)
        for field in ("apiVersion", "kind"):
            if field in host:
                yield path + (field,), "belongs in spec.template.spec.providerConfig: a set has one provider"
    yield from duplicates(names, "must not stand twice: another host of the set has this name")


def _is_endpoint(text: str) -> bool:
    url = split_url(text, strict_colons=True)
    if url is None or url.query or url.fragment or url.path.strip("/") or "@" in url.authority:
        return False
    return url.scheme == "https" and _is_authority(url.authority)


def _is_authority(text: str) -> bool:
    host, port = split_host_port(text) or (text.strip("[]"), "443")
    return (is_ip(host) or is_dns_name(host.lower())) and is_port(port)


def _is_service_cidr(text: str) -> bool:
    networks = [network(part.strip()) for part in text.split(",")]
    families = {part.version for part in networks if part is not None}
    return not text or len(families) == len(networks)


def _api_version(config: EffectiveConfig) -> Violations:
    value = config.written("spec", "apiVersion") or ""
    path: Path = ("spec", "apiVersion")
    group, slash, version = value.partition("/")
    if not value:
        yield path, "is required: group/version, for example example.com/v1"
    elif not slash or not is_dns_name(group) or not is_dns_name(version):
        yield path, "must be group/version, for example example.com/v1"
    elif group == "configok.dev" or group.endswith(".configok.dev"):
        yield path, "must be of a group of your own: those of configok.dev belong to configok.node"


def _package_rule(name: re.Pattern[str], description: str) -> Rule:
    def names(config: EffectiveConfig) -> Iterator[tuple[Path, str]]:
        for field in ("kubelet", "containerRuntime"):
            yield ("packages", field), config.written("packages", field) or ""
        yield from values_at(config.data, "packages.extra[]")

    def check(config: EffectiveConfig) -> Violations:
        for path, value in names(config):
            if (value or isinstance(path[-1], int)) and not name.fullmatch(value):
                yield path, f"must be the name of a package: {description}"
        unknown = set(_PLACEHOLDER.findall(config.written("packages", "source") or "")) - _PLACEHOLDERS
        if unknown:
            known = ", ".join(sorted(_PLACEHOLDERS))
            yield ("packages", "source"), f"has the unknown placeholder {min(unknown)}, they are {known}"
        if config.written("packages", "key") and not config.written("packages", "source"):
            yield ("packages", "key"), "is used with source only, which is not set"

    return check


def _kubelet_flags(config: EffectiveConfig) -> Violations:
    for flag, value in (config.written("kubeletFlags") or {}).items():
        path = ("kubeletFlags", flag)
        if not _FLAG.fullmatch(flag):
            yield path, "must be the name of a flag without dashes before it, for example node-ip"
        elif flag in _OWN_FLAGS:
            yield path, "must not be declared: the provider sets this flag"
        elif _UNSAFE_IN_FLAG.search(value):
            yield path, "must not have spaces, quotes, $, \\ or %"


def _cni(config: EffectiveConfig) -> Violations:
    cni = config.written("cni")
    if not cni:
        return
    if not cni.get("name") and not _is_broken(config, "cni.name"):
        yield ("cni", "name"), "is required"
    if not cni.get("plugins") and not _is_broken(config, "cni.plugins"):
        yield ("cni", "plugins"), "is required: at least one plugin"
    for path, plugin in values_at(config.data, "cni.plugins[]"):
        if not isinstance(plugin.get("type"), str) or not plugin["type"]:
            yield path + ("type",), "is required, as a string"


def _archives(config: EffectiveConfig) -> Violations:
    archives = list(values_at(config.data, "archives[]"))
    if not archives:
        yield ("archives",), "is required: at least one archive"
    for path, archive in archives:
        for field in ("component", "version", "path", "sha256"):
            if not archive.get(field) and not _is_broken(config, f"archives.{field}"):
                yield path + (field,), "is required"
        if archive.get("version") and not _VERSION.fullmatch(archive["version"]):
            yield path + ("version",), "must be a version, for example 1.34.9"
        if archive.get("sha256") and not _SHA256.fullmatch(archive["sha256"]):
            yield path + ("sha256",), "must be a SHA-256 checksum: 64 hexadecimal digits"
    pairs = ((path, (item.get("component"), item.get("version", "").lstrip("v"))) for path, item in archives)
    yield from duplicates(pairs, "must not stand twice: an earlier archive has this component and version")


def _empty_or(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: not value or pattern.fullmatch(value) is not None


_CONNECTION = all_of(
    values_must(
        "address",
        lambda address: not address or is_ip(address) or is_dns_name(address.lower()),
        "must be an IP address or a DNS name; the port has a field of its own",
    ),
    in_range("port", 1, 65535, "between 1 and 65535"),
)
_HOST: Mapping[str, Rule] = {"connection": _CONNECTION, "kubelet-flags": _kubelet_flags, "cni": _cni}
MACHINE_RULES: Mapping[str, Mapping[str, Rule]] = {
    "Machine": {
        "spec": _required_objects("spec"),
        "name": _name_rule(),
        "labels": _label_rule("metadata.labels"),
        **_spec_rules("spec"),
    },
    "MachineSet": {
        "spec": _required_objects("spec", "spec.template", "spec.template.spec", "spec.hosts"),
        "name": _name_rule(),
        "labels": _label_rule("metadata.labels", "spec.template.metadata.labels", "spec.selector.matchLabels"),
        "selector": _selector,
        **_spec_rules("spec.template.spec"),
        "hosts": _hosts,
    },
    "Cluster": {
        "spec": _required_objects("spec"),
        "name": _name_rule(),
        "labels": _label_rule("metadata.labels"),
        "endpoint": values_must(
            "spec.endpoint",
            lambda text: not text or _is_endpoint(text),
            "must be a URL with https, host and perhaps port, for example https://10.0.0.10:6443",
        ),
        "kubernetes-version": values_must(
            "spec.kubernetesVersion",
            lambda version: not version or _WHOLE_VERSION.fullmatch(version) is not None,
            "must be a whole version, for example 1.34.9",
        ),
        "service-cidr": values_must(
            "spec.network.serviceCIDR",
            _is_service_cidr,
            "must be a CIDR, for example 10.96.0.0/16, or an IPv4 and an IPv6 one with a comma between them",
        ),
        "dns-domain": values_must(
            "spec.network.dnsDomain",
            lambda domain: not domain or is_dns_name(domain),
            "must be a DNS name, for example cluster.local",
        ),
        "cluster-dns": all_of(
            values_must("spec.network.clusterDNS[]", is_ip, "must be an IP address"),
            lambda config: duplicates(values_at(config.data, "spec.network.clusterDNS[]")),
            values_must(
                "spec.network.clusterDNS",
                lambda addresses: len(addresses) <= _MAX_CLUSTER_DNS,
                f"must be at most {_MAX_CLUSTER_DNS} addresses",
            ),
        ),
    },
    "Provider": {
        "spec": _required_objects("spec"),
        "name": _name_rule(),
        "labels": _label_rule("metadata.labels"),
        "api-version": _api_version,
        "kind": all_of(
            required("spec.kind", "is required: a name in CamelCase, as in CloudHost"),
            values_must("spec.kind", _empty_or(_KIND), "must be a name in CamelCase, as in CloudHost"),
        ),
        "role": all_of(
            required("spec.role", "is required: a role, for example example.cloud.host"),
            values_must("spec.role", _empty_or(_ROLE), "must be the name of a role, for example example.cloud.host"),
        ),
    },
    "DebianHost": {**_HOST, "packages": _package_rule(_DEBIAN_PACKAGE, "lower-case letters, digits, +, - and .")},
    "RPMHost": {**_HOST, "packages": _package_rule(_RPM_PACKAGE, "letters, digits, +, -, _ and .")},
    "BinaryHost": {**_HOST, "archives": _archives},
    "External": {
        "connection": _CONNECTION,
        "playbooks": required("create|delete", "is required: the path of a playbook"),
    },
}
"""The rules by kind."""
