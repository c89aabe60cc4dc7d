# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check KubeProxyConfiguration as kube-proxy does, by id in schema/kubeproxy_validation_rules.json."""

from __future__ import annotations

import re
from operator import not_

from .._scalars._syntax import is_cidr, is_ip, is_ip_port, is_mapped_ip
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    effective_in_range,
    effective_must,
    hidden_metrics_rule,
    logging_rule,
    needs_gate,
    refused_gates,
    values_must,
)

KUBE_PROXY_RULES_CHECKED_ELSEWHERE = {
    "detect-mode": "the values of the field in the schema, by minor",
}
"""Rules without a function in this file, each with what checks it or why nothing can."""

_SCHEDULERS = frozenset(["rr", "wrr", "lc", "wlc", "lblc", "lblcr", "sh", "dh", "sed", "nq"])
_CONNTRACK = ("maxPerCore", "min", "tcpEstablishedTimeout", "tcpCloseWaitTimeout", "udpTimeout", "udpStreamTimeout")
_RANGE = re.compile(r"(?:([+-]?[0-9]{1,9})(?:([+-])([+-]?[0-9]{1,9}))?)?")


def _modes(config: EffectiveConfig) -> tuple[str, ...]:
    """Return the modes whose fields kube-proxy checks: always iptables, and its own."""
    mode = config.get("mode")
    return ("iptables", mode) if mode in ("ipvs", "nftables") else ("iptables",)


def _modes_of_periods(config: EffectiveConfig) -> tuple[str, ...]:
    """Return the modes whose periods kube-proxy checks: from 1.31 on only its own, which it takes for itself."""
    return _modes(config)[-1:] if config.minor >= 31 else _modes(config)


def _masquerade(config: EffectiveConfig) -> Violations:
    # Not get(): the schema's default is a placeholder, -999, for the pointer's own default, 14.
    for mode in _modes(config):
        value = config.written(mode, "masqueradeBit")
        if value is not None and not 0 <= value <= 31:
            yield (mode, "masqueradeBit"), "must be 0-31"


def _sync(config: EffectiveConfig) -> Violations:
    for mode in _modes_of_periods(config):
        period = config.nanoseconds(mode, "syncPeriod") or 0
        if period <= 0:
            yield (mode, "syncPeriod"), "must be > 0"
        elif period < (config.nanoseconds(mode, "minSyncPeriod") or 0):
            yield (mode, "syncPeriod"), f"must not be below {mode}.minSyncPeriod"


def _min_sync(config: EffectiveConfig) -> Violations:
    for mode in _modes_of_periods(config):
        if (config.nanoseconds(mode, "minSyncPeriod") or 0) < 0:
            yield (mode, "minSyncPeriod"), "must be >= 0"


def _ipvs_timeouts(config: EffectiveConfig) -> Violations:
    for field in ("tcpTimeout", "tcpFinTimeout", "udpTimeout"):
        if "ipvs" in _modes(config) and (config.nanoseconds("ipvs", field) or 0) < 0:
            yield ("ipvs", field), "must be >= 0"


def _port_range(config: EffectiveConfig) -> Violations:
    match = _RANGE.fullmatch((config.get("portRange") or "").strip())
    if match is None:
        yield ("portRange",), "must be a port, a range as 300-2000 or 300+100, or empty"
        return
    low, sign, high = match.groups()
    if low is None:
        return
    first = int(low)
    last = first if not sign else first + int(high) if sign == "+" else int(high)
    if not first <= last <= 65535:
        yield ("portRange",), "must rise, to 65535 at most"


def _node_ports(config: EffectiveConfig) -> Violations:
    addresses = config.get("nodePortAddresses") or []
    for index, address in enumerate(addresses):
        if address == "primary" and config.minor >= 29:
            if len(addresses) > 1:
                yield ("nodePortAddresses", index), "primary must stand alone"
        elif not is_cidr(address):
            yield ("nodePortAddresses", index), "must be a CIDR, for example 10.0.0.0/8"


_NODE_PORT_WORDS = ("primary", "localhost", "all")


def _detect(mode: str, field: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        if config.get("detectLocalMode") == mode and not config.get("detectLocal", field):
            yield ("detectLocal", field), f"is required with detectLocalMode: {mode}"

    return check


def _cluster_cidr(config: EffectiveConfig) -> Violations:
    value = config.get("clusterCIDR")
    if not value or not _validates_cluster_cidr(config):
        return
    parts = value.split(",")
    families = {":" in part for part in parts}
    if len(parts) > 1 and not config.gates.is_on("IPv6DualStack"):
        yield ("clusterCIDR",), "must be one CIDR while the feature gate IPv6DualStack is off"
    elif not all(is_cidr(part) for part in parts) or len(parts) > 2 or len(families) != len(parts):
        yield ("clusterCIDR",), "must be one CIDR, or an IPv4 and an IPv6 one separated by a comma"


def _validates_cluster_cidr(config: EffectiveConfig) -> bool:
    return config.minor < 31 or config.get("detectLocalMode") == "ClusterCIDR"


def _cluster_cidr_left_out(config: EffectiveConfig) -> Violations:
    parts = (config.get("clusterCIDR") or "").split(",")
    if parts != [""] and not _validates_cluster_cidr(config) and not all(is_cidr(part) for part in parts):
        yield ("clusterCIDR",), "must be a CIDR, for example 10.244.0.0/16: kube-proxy leaves out any other"


def _excludes(config: EffectiveConfig) -> Violations:
    for index, cidr in enumerate(config.get("ipvs", "excludeCIDRs") or []):
        if "ipvs" in _modes(config) and not is_cidr(cidr):
            yield ("ipvs", "excludeCIDRs", index), "must be a CIDR, for example 10.0.0.0/8"


def _scheduler(config: EffectiveConfig) -> Violations:
    value = config.get("ipvs", "scheduler")
    if config.get("mode") == "ipvs" and value and value not in _SCHEDULERS:
        yield ("ipvs", "scheduler"), "must be one of " + ", ".join(sorted(_SCHEDULERS))


def _listens(field: str) -> Rule:
    # kube-proxy adds the default port to an address without one, but not the brackets to ::ffff:1.2.3.4.
    return effective_must(
        field,
        lambda value: not value or is_ip_port(value) or (is_ip(value) and not is_mapped_ip(value)),
        "must be an IP address, or IP:port with a port from 1 to 65535",
    )


KUBE_PROXY_RULES: dict[str, Rule] = {
    "udp-idle": effective_in_range("udpIdleTimeout", 1, None, "> 0"),
    "config-sync": effective_in_range("configSyncPeriod", 1, None, "> 0"),
    "conntrack": all_of(*(effective_in_range(f"conntrack.{field}", 0, None, ">= 0") for field in _CONNTRACK)),
    "oom": effective_in_range("oomScoreAdj", -1000, 1000, "between -1000 and 1000"),
    "client-burst": effective_in_range("clientConnection.burst", 0, None, ">= 0"),
    "gates-known": refused_gates,
    # The schema allows kernelspace too, which is for Windows.
    "mode-linux": effective_must("mode", lambda mode: mode != "kernelspace", "kernelspace is for Windows"),
    "mode-windows": effective_must(
        "mode", lambda mode: mode in (None, "", "kernelspace"), "must be kernelspace on Windows, or empty"
    ),
    "masq-bit": _masquerade,
    "sync-period": _sync,
    "min-sync-period": _min_sync,
    "ipvs-timeouts": _ipvs_timeouts,
    "port-range": _port_range,
    "port-range-unread": effective_must("portRange", not_, "has no effect: kube-proxy no longer reads it"),
    "logging": logging_rule,
    "bind": effective_must("bindAddress", lambda address: is_ip(address or ""), "must be an IP address"),
    "healthz": _listens("healthzBindAddress"),
    "metrics": _listens("metricsBindAddress"),
    "nodeport-addresses": _node_ports,
    "nodeport-address-words": values_must(
        "nodePortAddresses[]",
        lambda address: address in _NODE_PORT_WORDS or is_cidr(address),
        "must be a CIDR, for example 10.0.0.0/8, or one of " + ", ".join(_NODE_PORT_WORDS),
    ),
    "mode-nftables-gate": needs_gate("mode", "NFTablesProxyMode", lambda mode: mode != "nftables", value="nftables"),
    "mode-ipvs-gate": needs_gate("mode", "KubeProxyIPVS", lambda mode: mode != "ipvs", value="ipvs"),
    "mode-left-out": effective_must(
        "mode", bool, "is iptables if it is left out, and nftables in a later release: write iptables to keep it"
    ),
    "detect-bridge": _detect("BridgeInterface", "bridgeInterface"),
    "detect-prefix": _detect("InterfaceNamePrefix", "interfaceNamePrefix"),
    "cluster-cidr": _cluster_cidr,
    "cluster-cidr-left-out": _cluster_cidr_left_out,
    "ipvs-excludes": _excludes,
    "ipvs-scheduler": _scheduler,
    "hidden-metrics": hidden_metrics_rule,
}
