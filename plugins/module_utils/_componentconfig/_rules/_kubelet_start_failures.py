# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check what ends a kubelet after validation, when it starts: its server, managers, reservations, evictions.

The rules have the ids of schema/kubelet_validation_rules.json. Values that the kubelet only logs are found too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from .. import ConfigError
from .._scalars._syntax import is_cidr, is_ip, split_url
from .._scalars.duration import nanoseconds
from .._scalars.numbers import parse_bool, parse_quantity
from .._schema._defaults import default_value
from .._schema.kinds import fact_at
from ..findings import Finding, Level
from . import value_facts, value_table
from ._pod_sysctls import unsafe_sysctls
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    effective_must,
    needs_gate,
    number_of,
    percentage_or_none,
    quantity_or_none,
    reserved_amounts,
    values_must,
)

_EVERYWHERE = ("0.0.0.0", "::")
_ADDRESS_OF = {"port": "address", "readOnlyPort": "address", "healthzPort": "healthzBindAddress"}
_HTTP2_SUITES = ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
_AES = ("AES_128_CBC_SHA", "AES_256_CBC_SHA", "AES_128_CBC_SHA256", "AES_128_GCM_SHA256", "AES_256_GCM_SHA384")
_CHACHA = ("CHACHA20_POLY1305", "CHACHA20_POLY1305_SHA256")
_CIPHERS = {
    "": ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"),
    "RSA_WITH_": ("RC4_128_SHA", "3DES_EDE_CBC_SHA", *_AES),
    "ECDHE_ECDSA_WITH_": ("RC4_128_SHA", *_AES, *_CHACHA),
    "ECDHE_RSA_WITH_": ("RC4_128_SHA", "3DES_EDE_CBC_SHA", *_AES, *_CHACHA),
}
"""The ciphers of the suites that Go has, by the exchange of keys; TLS 1.3 leaves that out of the name."""
_SUITES = frozenset(f"TLS_{exchange}{cipher}" for exchange, ciphers in _CIPHERS.items() for cipher in ciphers)


def _tls_version(config: EffectiveConfig) -> Violations:
    allowed = value_table("tlsMinVersion")
    if (config.get("tlsMinVersion") or "") not in allowed:
        yield ("tlsMinVersion",), "must be one of " + ", ".join(version for version in allowed if version)


def is_cipher_suite(name: str) -> bool:
    """Return whether components of Kubernetes know a cipher suite by this name."""
    return name in _SUITES


def _tls_suites_of_http2(config: EffectiveConfig) -> Violations:
    suites = config.get("tlsCipherSuites") or []
    applies = config.get("enableServer") and config.get("tlsMinVersion") != "VersionTLS13"
    if applies and suites and _SUITES.issuperset(suites) and not set(suites) & set(_HTTP2_SUITES):
        yield ("tlsCipherSuites",), "must hold one that HTTP/2 requires: " + " or ".join(_HTTP2_SUITES)


def _tls_pair(config: EffectiveConfig) -> Violations:
    fields = ("tlsCertFile", "tlsPrivateKeyFile")
    set_fields = [field for field in fields if config.get(field)]
    if len(set_fields) == 1 and config.get("enableServer"):
        missing = fields[1 - fields.index(set_fields[0])]
        yield (set_fields[0],), f"needs {missing} as well"


_CURVES = (23, 24, 25, 29, 4587, 4588, 4589)


def _tls_curves(config: EffectiveConfig) -> Violations:
    curves = config.get("tlsCurvePreferences") or []
    for index, curve in enumerate(curves):
        if curve not in _CURVES:
            yield ("tlsCurvePreferences", index), "must be the number of a curve that Go has, for example 29 (X25519)"
        elif curve in curves[:index]:
            yield ("tlsCurvePreferences", index), "is there twice"


def _address(config: EffectiveConfig) -> Violations:
    if (config.get("enableServer") or config.get("readOnlyPort")) and not is_ip(config.get("address") or ""):
        yield ("address",), "must be an IP address"


def _ports(config: EffectiveConfig) -> Violations:
    # With a port that is taken the health server only logs an error, the other two end the kubelet. The first varies.
    for field, second_field in (("readOnlyPort", "port"), ("healthzPort", "port"), ("readOnlyPort", "healthzPort")):
        same = config.get(field) and config.get(field) == config.get(second_field)
        served = config.get("enableServer") or second_field != "port"
        if same and served and _overlap(config.get(_ADDRESS_OF[field]), config.get(_ADDRESS_OF[second_field])):
            yield (field,), f"must differ from {second_field}, which is {config.get(second_field)}"


def _overlap(first: str, second: str) -> bool:
    return first == second or not {first, second}.isdisjoint(_EVERYWHERE)


_RULE = "only-logged"
_NAME = re.compile(
    r"(?=.{1,253}\.?$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?"
)


def logged_only_findings(config: EffectiveConfig) -> Iterator[Finding]:
    """Yield the values of a KubeletConfiguration that the kubelet would log and not use."""
    for index, address in enumerate(config.get("clusterDNS") or []):
        if not is_ip(address):
            message = "must be an IP address, for example 10.96.0.10: the kubelet leaves out any other, pods get no DNS"
            yield Finding(("clusterDNS", index), message, _RULE, Level.POLICY)
    domain = config.get("clusterDomain")
    if domain and not _NAME.fullmatch(domain):
        message = "must be a DNS domain, for example cluster.local: it is written into the resolv.conf of pods as it is"
        yield Finding(("clusterDomain",), message, _RULE, Level.POLICY)
    networks = config.get("podCIDR")
    if networks and not all(is_cidr(part) for part in networks.split(",")):
        message = (
            "must be a CIDR, or two with a comma, for example 10.1.0.0/24: the kubelet logs any other, and runs on"
        )
        yield Finding(("podCIDR",), message, _RULE, Level.POLICY)
    manifest = config.get("staticPodURL")
    if manifest and not _is_http(manifest):
        message = "must be an http or https URL: the kubelet logs any other at each check, and starts no static pod"
        yield Finding(("staticPodURL",), message, _RULE, Level.POLICY)
    bind = config.get("healthzBindAddress")
    if bind and config.get("healthzPort") and not (is_ip(bind) or _NAME.fullmatch(bind)):
        message = "must be an IP address or a host name: the kubelet logs any other, and serves no health endpoint"
        yield Finding(("healthzBindAddress",), message, _RULE, Level.POLICY)


def _is_http(text: str) -> bool:
    url = split_url(text)
    return url is not None and url.scheme.lower() in ("http", "https") and bool(url.authority)


STARTUP_RULES_CHECKED_ELSEWHERE = {
    "swap-on": "needs the host: whether it has active swap",
    "swap-cgroup-v1": "needs the host: which cgroup version it has",
    "qos-root": "needs the host: whether the cgroup exists",
    "kernel-defaults": "needs the host: its kernel flags",
    "alloc-negative": "needs the host: its capacity",
    "cpu-state": "needs the host: cpu_manager_state",
    "mem-numa": "needs the host: its NUMA nodes",
    "mem-state": "needs the host: memory_manager_state",
    "cgroup-driver-cri": "needs the host: what the container runtime answers",
}
"""Rules without a function in this file, each with what checks it or why nothing can."""

_OFF = ("0%", "100%")
_EXCLUDING_CPU_OPTIONS = (
    ("full-pcpus-only", "distribute-cpus-across-cores"),
    ("distribute-cpus-across-numa", "distribute-cpus-across-cores"),
    ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"),
    ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"),
)


def _reserved_keys(config: EffectiveConfig) -> Violations:
    keys = value_table("reservedResourceKeys")
    for field in ("kubeReserved", "systemReserved"):
        for key, value in (config.get(field) or {}).items():
            amount = quantity_or_none(value)
            if key == "cpu" and config.get("reservedSystemCPUs"):
                continue  # reservedSystemCPUs replaces it
            if key not in keys:
                yield (field, key), "must be one of " + ", ".join(keys)
            elif amount is None or amount < 0:
                yield (field, key), "must be a quantity >= 0, for example 500m or 100Mi"


def _policy(field: str, gate: str) -> Rule:
    """Return the rule that a policy has an allowed value; the kubelet checks it only while the manager's gate is on."""

    def check(config: EffectiveConfig) -> Violations:
        allowed = fact_at(config.fields[field], "enum", config.minor)
        if config.has_field(field) and config.gates.is_on(gate) and config.get(field) not in allowed:
            yield (field,), "must be one of " + ", ".join(allowed)

    return check


def _cpu_static(config: EffectiveConfig) -> Violations:
    is_static = config.get("cpuManagerPolicy") == "static" and config.gates.is_on("CPUManager")
    if not is_static or config.get("reservedSystemCPUs"):
        return
    amounts = reserved_amounts(config, "cpu").values()
    if None not in amounts and sum(filter(None, amounts)) <= 0:
        message = "static needs reserved CPUs: kubeReserved.cpu, systemReserved.cpu or reservedSystemCPUs"
        yield ("cpuManagerPolicy",), message


def _known_options(config: EffectiveConfig, field: str) -> Mapping[str, str]:
    """Return the options that a field may have at the minor, each with its stage."""
    return value_facts(field, config.minor) or {}


def _unknown_options(field: str, is_read: Callable[[EffectiveConfig], bool]) -> Rule:
    """Return the rule that a field has only known options; `is_read` tells whether the kubelet looks at them."""

    def check(config: EffectiveConfig) -> Violations:
        known = _known_options(config, field)
        for option in config.get(field) or {} if is_read(config) else ():
            if option not in known:
                allowed = "must be one of " + ", ".join(sorted(known))
                yield (field, option), allowed if known else "is not known to this version"

    return check


def _options(config: EffectiveConfig, field: str, group: str) -> Violations:
    known = _known_options(config, field)
    for option in config.get(field) or {}:
        stage = known.get(option, "stable")
        if stage != "stable":
            gate = f"{group}{stage.capitalize()}Options"
            if config.gates.is_known(gate) and not config.gates.is_on(gate):
                yield (field, option), f"is an option in {stage}: it needs the feature gate {gate}"


def _true_options(config: EffectiveConfig) -> set[str]:
    return {option for option, value in (config.get("cpuManagerPolicyOptions") or {}).items() if parse_bool(value)}


def _reads_cpu_options(config: EffectiveConfig) -> bool:
    return config.gates.is_on("CPUManagerPolicyOptions") and config.get("cpuManagerPolicy") != "none"


def _cpu_options(config: EffectiveConfig) -> Violations:
    options = config.get("cpuManagerPolicyOptions") or {}
    if not options:
        return
    if not config.gates.is_on("CPUManagerPolicyOptions"):
        yield ("cpuManagerPolicyOptions",), "needs the feature gate CPUManagerPolicyOptions"
        return
    if config.get("cpuManagerPolicy") == "none":
        yield ("cpuManagerPolicyOptions",), "must be empty with cpuManagerPolicy: none"
        return
    yield from _options(config, "cpuManagerPolicyOptions", "CPUManagerPolicy")
    for option, value in options.items():
        if parse_bool(value) is None:
            yield ("cpuManagerPolicyOptions", option), 'must be "true" or "false"'
    enabled = _true_options(config)
    for option, excluded in _EXCLUDING_CPU_OPTIONS:
        if option in enabled and excluded in enabled:
            yield ("cpuManagerPolicyOptions", excluded), f"excludes {option}"


def _cpu_align(config: EffectiveConfig) -> Violations:
    if "align-by-socket" in _true_options(config) and config.get("topologyManagerPolicy") == "single-numa-node":
        yield ("cpuManagerPolicyOptions", "align-by-socket"), "conflicts with topologyManagerPolicy: single-numa-node"


_POLICY_NONE_FIRST_SINCE = 27
_HUGE_PAGES = "hugepages-"


def _reads_topology_options(config: EffectiveConfig) -> bool:
    has_no_policy = config.get("topologyManagerPolicy") in (None, "none")
    is_read = config.minor < _POLICY_NONE_FIRST_SINCE or not has_no_policy
    return is_read and config.gates.is_on("TopologyManagerPolicyOptions")


def _topology_options(config: EffectiveConfig) -> Violations:
    field = "topologyManagerPolicyOptions"
    options = config.get(field) or {}
    if options and not config.gates.is_on("TopologyManagerPolicyOptions"):
        yield (field,), "needs the feature gate TopologyManagerPolicyOptions"
        return
    if not _reads_topology_options(config):
        return
    yield from _options(config, field, "TopologyManagerPolicy")
    for option, value in options.items():
        if option == "max-allowable-numa-nodes":
            if not re.fullmatch(r"\+?[0-9]{1,9}", value) or int(value) < 8:
                yield (field, option), "must be a whole number >= 8, in quotes"
        elif parse_bool(value) is None:
            yield (field, option), 'must be "true" or "false"'


def _memory_static(config: EffectiveConfig) -> Violations:
    if config.get("memoryManagerPolicy") != "Static" or not config.gates.is_on("MemoryManager"):
        return
    entries = config.get("reservedMemory") or []
    for index, entry in enumerate(entries):
        for resource in entry.get("limits", {}):
            # The node's own reservations have no huge pages, so these could only add up to 0, which is refused, too.
            if resource.startswith(_HUGE_PAGES):
                message = "must not be reserved with memoryManagerPolicy: Static: kubeReserved, systemReserved and"
                yield ("reservedMemory", index, "limits", resource), f"{message} evictionHard hold no huge pages"
    eviction = (config.get("evictionHard") or {}).get("memory.available", 0)
    parts = [*reserved_amounts(config, "memory").values(), quantity_or_none(eviction)]
    if None in parts:
        return  # a percentage needs the host, and another rule refuses an invalid quantity
    total = sum(filter(None, parts))
    reserved_total = sum(parse_quantity(entry.get("limits", {}).get("memory", 0)) for entry in entries)
    if reserved_total != total:
        yield (
            ("reservedMemory",),
            f"memory must add up to {int(total)} bytes: kubeReserved, systemReserved and evictionHard memory.available",
        )


def _evict_signals(config: EffectiveConfig) -> Violations:
    allowed = list(value_facts("evictionSignals", 20))
    if config.minor >= 29:
        allowed += ["containerfs.available", "containerfs.inodesFree"]
    for field in ("evictionHard", "evictionSoft", "evictionSoftGracePeriod", "evictionMinimumReclaim"):
        for signal in config.get(field) or {}:
            if signal not in allowed:
                yield (field, signal), "must be one of " + ", ".join(allowed)


def _evict_values(config: EffectiveConfig) -> Violations:
    maximum = 10_000 if config.minor == 20 else 100  # 1.20 accepts 150%: it compares the fraction with 100
    for field in ("evictionHard", "evictionSoft"):
        for signal, value in (config.get(field) or {}).items():
            amount = quantity_or_none(value)
            percent = percentage_or_none(value)
            if not (amount is not None and amount > 0) and not (percent is not None and 0 <= percent <= maximum):
                message = "must be a quantity above 0 or a percentage from 0% to 100%, for example 100Mi or 10%"
                yield (field, signal), message


def _evict_partial(config: EffectiveConfig) -> Violations:
    thresholds = config.get("evictionHard")
    if not thresholds or config.written("evictionHard") is None:
        return  # an empty map switches all of them off, as it says
    defaults = default_value("evictionHard", {}, config.fields, config.minor, config.gates)
    dropped = [f"{signal} ({value})" for signal, value in defaults.items() if signal not in thresholds]
    if dropped:
        remedy = "name these signals too, or set mergeDefaultEvictionSettings (from Kubernetes 1.33 on)"
        yield ("evictionHard",), f"drops the defaults of {', '.join(dropped)}: {remedy}"


def _evict_grace(config: EffectiveConfig) -> Violations:
    periods = config.get("evictionSoftGracePeriod") or {}
    for signal, value in (config.get("evictionSoft") or {}).items():
        if signal not in periods and value not in _OFF:
            yield ("evictionSoft", signal), f"needs evictionSoftGracePeriod[{signal}]"
    for signal, value in periods.items():
        try:
            is_valid = nanoseconds(value) >= 0
        except ConfigError:
            is_valid = False
        if not is_valid:
            yield ("evictionSoftGracePeriod", signal), "must be a duration >= 0, for example 1m30s"


def _can_be_reclaimed(value: str) -> bool:
    reclaimed, percent = quantity_or_none(value), percentage_or_none(value)
    return (reclaimed is not None and reclaimed >= 0) or (percent is not None and percent > 0)


def _qos_reserved(config: EffectiveConfig) -> Violations:
    for resource, value in (config.get("qosReserved") or {}).items():
        if resource != "memory":
            yield ("qosReserved", resource), "must be memory"
        elif not re.fullmatch(r"[0-9]{1,3}%", value) or int(value[:-1]) > 100:
            yield ("qosReserved", resource), "must be a whole percentage from 0% to 100%"


_ROTATION_OFF_SINCE = 21  # by a negative size


def _log_manager(config: EffectiveConfig) -> Violations:
    if not config.gates.is_on("CRIContainerLogRotation"):
        return
    size = config.get("containerLogMaxSize")
    amount = quantity_or_none(size)
    # The kubelet needs a whole number and does not convert 1.5Gi or 1000m to one.
    whole = amount is not None and amount.denominator == 1 and not ("." in size and size.endswith("i"))
    if not whole or size.endswith(("m", "u", "n")) or ((amount or 0) < 0 and config.minor < _ROTATION_OFF_SINCE):
        yield ("containerLogMaxSize",), "must be a whole quantity >= 0, for example 10Mi"
    if config.minor < 33 and config.get("containerLogMaxFiles") <= 1:  # from 1.33 on validation checks it
        yield ("containerLogMaxFiles",), "must be > 1"


def _iptables_bits(config: EffectiveConfig) -> Violations:
    if config.get("makeIPTablesUtilChains") and config.get("iptablesDropBit") == config.get("iptablesMasqueradeBit"):
        field, other_field = "iptablesDropBit", "iptablesMasqueradeBit"
        if config.written(field) is None:
            field, other_field = other_field, field
        yield (field,), f"must differ from {other_field}, which is {config.get(other_field)}"


def _cgroup_driver(config: EffectiveConfig) -> Violations:
    allowed = fact_at(config.fields["cgroupDriver"], "enum", config.minor)
    if config.get("cgroupDriver") not in allowed:
        yield ("cgroupDriver",), f"must be one of {', '.join(allowed)}: the kubelet takes all others for cgroupfs"


STARTUP_RULES: dict[str, Rule] = {
    "tls-min": _tls_version,
    "tls-suites": values_must(
        "tlsCipherSuites[]",
        is_cipher_suite,
        "must be a cipher suite by its Go name, for example TLS_AES_128_GCM_SHA256",
    ),
    "tls-suites-http2": _tls_suites_of_http2,
    "tls-pair": _tls_pair,
    "tls-pair-unserved": _tls_pair,
    "tls-curves": _tls_curves,
    "address-ip": _address,
    "ports-differ": _ports,
    "system-cgroups": effective_must("systemCgroups", lambda value: value != "/", 'must not be "/"'),
    "sync-frequency": effective_must("syncFrequency", lambda value: number_of(value or 0) > 0, "must be > 0"),
    "runtime-timeout": effective_must(
        "runtimeRequestTimeout",
        lambda value: number_of(value or 0) > 0,
        "must be > 0: no call of the container runtime would end in time",
    ),
    "iptables-bits": _iptables_bits,
    "cgroup-driver-values": _cgroup_driver,
    "reserved-keys": _reserved_keys,
    "cpu-policy": _policy("cpuManagerPolicy", "CPUManager"),
    "mem-policy": _policy("memoryManagerPolicy", "MemoryManager"),
    "cpu-static-reserved": _cpu_static,
    "cpu-options": _cpu_options,
    "cpu-options-known": _unknown_options("cpuManagerPolicyOptions", _reads_cpu_options),
    "cpu-align-socket": _cpu_align,
    "mem-static-sum": _memory_static,
    "topology-options": _topology_options,
    "topology-options-known": _unknown_options("topologyManagerPolicyOptions", _reads_topology_options),
    "evict-signals": _evict_signals,
    "evict-values": _evict_values,
    "evict-partial": _evict_partial,
    "evict-soft-grace": _evict_grace,
    "evict-reclaim": values_must(
        "evictionMinimumReclaim{}", _can_be_reclaimed, "must be a quantity >= 0 or a percentage above 0%"
    ),
    "qos-reserved": _qos_reserved,
    "unsafe-sysctls": unsafe_sysctls,
    "log-size": _log_manager,
    "seccomp-gate": needs_gate("seccompDefault", "SeccompDefault", value="true"),
}
