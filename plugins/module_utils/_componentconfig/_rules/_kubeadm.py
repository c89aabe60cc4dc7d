# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's rules about a cluster, by id in schema/kubeadm_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._values._names import is_dns_name
from .._values._networks import Network, is_ip, is_port, network, split_host_port, split_url
from .._values._versions import name as minor_name
from .._values._versions import parse_minor
from ._context import Context, Fault, Rule, RuleSet, value_table
from ._kubeadm_nodes import INIT_RULES, JOIN_RULES, RESET_RULES, UPGRADE_RULES, is_kubernetes_version, named_arguments
from ._shapes import all_of, checked, found

__all__ = ["KUBEADM_RULE_SETS"]

_FAMILY = "kubeadm"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(
    rf"(?:[A-Za-z0-9.-]+(?::[0-9]+)?|\[[0-9A-Fa-f:]+\](?::[0-9]+)?|{_PATH_PART})(?:/{_PATH_PART})*"
)
_LARGEST_DIFFERENCE = 16
"""Bits between the pods' network and that of a node."""


def _dual_stack(c: Context) -> bool:
    given = (c.data.get("featureGates") or {}).get("IPv6DualStack")
    return c.minor >= 23 or (c.minor >= 21 if given is None else bool(given))


def _networks(text: str) -> list[Network] | None:
    networks = [network(part) for part in text.split(",")]
    return [one for one in networks if one is not None] if None not in networks else None


def _subnet(c: Context, field: str, least: int) -> Iterator[Fault]:
    path, text = ("networking", field), c.given("networking", field) or ""
    networks = _networks(text) if text else []
    if networks is None:
        yield path, "must be a CIDR, for example 10.96.0.0/12"
    elif not _dual_stack(c) and len(networks) > 1:
        yield path, "must be one CIDR"
    elif len(networks) > 2 or len({one.version for one in networks}) != len(networks):
        yield path, "must be one CIDR, or an IPv4 and an IPv6 one separated by a comma"
    for one in networks or ():
        if one.num_addresses < least:
            yield path, f"{one} is too small: at least {least} addresses are needed"


def _service_subnet(c: Context) -> Iterator[Fault]:
    yield from _subnet(c, "serviceSubnet", 10)
    for one in _networks(c.given("networking", "serviceSubnet") or "") or ():
        if one.max_prefixlen - one.prefixlen > 20:
            yield ("networking", "serviceSubnet"), f"{one} is too large: /{one.max_prefixlen - 20} is the largest"


def _pod_subnet(c: Context) -> Iterator[Fault]:
    yield from _subnet(c, "podSubnet", 14)


def _argument(c: Context, name: str) -> str | None:
    """What the controller manager is told by an argument, the last of its name; a map up to v1beta3, then a list."""
    given: Any = c.given("controllerManager", "extraArgs") or {}
    pairs = given.items() if isinstance(given, dict) else [(one.get("name"), one.get("value", "")) for one in given]
    return next((value for given_name, value in reversed(list(pairs)) if given_name == name), None)


def _node_mask(c: Context) -> Iterator[Fault]:
    path = ("networking", "podSubnet")
    if c.minor >= 21 and _argument(c, "allocate-node-cidrs") == "false":
        return
    for one in _networks(c.given(*path) or "") or ():
        argument = f"node-cidr-mask-size-ipv{one.version}" if _dual_stack(c) else "node-cidr-mask-size"
        told = _argument(c, argument)
        if told and not re.fullmatch(r"[-+]?[0-9]{1,9}", told):
            yield path, f"needs a whole number as {argument} in controllerManager.extraArgs"
            continue
        mask = int(told) if told else 24 if one.version == 4 else 64
        if one.prefixlen > mask:
            yield path, f"{one} is smaller than the network of one node, which has a mask of {mask}"
        elif mask - one.prefixlen > _LARGEST_DIFFERENCE:
            yield path, f"{one} may be at most {_LARGEST_DIFFERENCE} bits larger than a node's mask of {mask}"


def _endpoint(text: str) -> bool:
    host, port = split_host_port(text) or (text, "")
    return (not port or is_port(port)) and (is_ip(host) or is_dns_name(host))


def _version_old(c: Context) -> Iterator[Fault]:
    text = c.given("kubernetesVersion") or ""
    if re.match(r"v?1\.[0-9]", text) and is_kubernetes_version(text) and parse_minor(text) < c.minor - 1:
        yield ("kubernetesVersion",), f"kubeadm of {minor_name(c.minor)} deploys {minor_name(c.minor - 1)} and newer"


def _gates(c: Context) -> Iterator[Fault]:
    table = {gate: (parse_minor(since), parse_minor(last)) for gate, since, last in value_table("gates", _FAMILY)}
    for gate in c.data.get("featureGates") or ():
        since, last = table.get(gate, (0, 0))
        if not last:
            yield ("featureGates", gate), "no feature gate of kubeadm's own; those of a component go into its extraArgs"
        elif not since <= c.minor <= last:
            yield ("featureGates", gate), f"kubeadm has it from {minor_name(since)} to {minor_name(last)}"


def _is_san(text: str) -> bool:
    return is_ip(text) or is_dns_name(text) or is_dns_name(text, wildcard=True)


def _etcd_one(c: Context) -> Iterator[Fault]:
    if c.given("etcd", "local") is not None and c.given("etcd", "external") is not None:
        yield ("etcd",), "must not have both local and external"


def _etcd_client(c: Context) -> Iterator[Fault]:
    for path, external in found(c.data, "etcd.external"):
        ca, certificate, key = (bool(external.get(f"{part}File")) for part in ("ca", "cert", "key"))
        if certificate != key:
            yield path, "must have both certFile and keyFile, or neither"
        elif certificate and not ca:
            yield path + ("caFile",), "is required with certFile and keyFile"


def _etcd_endpoints(c: Context) -> Iterator[Fault]:
    for path, external in found(c.data, "etcd.external"):
        safe = any(external.get(f"{part}File") for part in ("ca", "cert", "key"))
        for below, endpoint in found(external, "endpoints[]"):
            url = split_url(endpoint)
            if url is None or not url.scheme or (safe and url.scheme != "https"):
                yield path + below, "must be a URL with the scheme https" if safe else "must be a URL with a scheme"


def _absolute(pattern: str) -> Rule:
    return checked(pattern, lambda path: not path or path.startswith("/"), "must be an absolute path")


_RULES: dict[str, Rule] = {
    "dns-domain": checked("networking.dnsDomain", lambda text: not text or is_dns_name(text), "must be a DNS name"),
    "service-subnet": _service_subnet,
    "pod-subnet": _pod_subnet,
    "pod-subnet-node-mask": _node_mask,
    "certificates-dir": _absolute("certificatesDir"),
    "control-plane-endpoint": checked(
        "controlPlaneEndpoint",
        lambda text: not text or _endpoint(text),
        "must be an IP address or a DNS name, with a port from 1 to 65535 if any",
    ),
    "kubernetes-version": checked(
        "kubernetesVersion",
        lambda text: not text or is_kubernetes_version(text),
        "must be a version as v1.31.0, or a label as stable-1.31",
    ),
    "kubernetes-version-old": _version_old,
    "cluster-gates": _gates,
    "cert-sans": all_of(
        *(
            checked(f"{pattern}[]", _is_san, "must be an IP address or a DNS name, *. before it for a wildcard")
            for pattern in ("apiServer.certSANs", "etcd.local.serverCertSANs", "etcd.local.peerCertSANs")
        )
    ),
    "extra-args": all_of(
        *(
            named_arguments(f"{part}.extraArgs")
            for part in ("apiServer", "controllerManager", "scheduler", "etcd.local")
        )
    ),
    "image-repository": all_of(
        *(
            checked(
                pattern,
                lambda text: not text or bool(_REPOSITORY.fullmatch(text)),
                "must be a registry and a path in lower case, for example registry.example.com/k8s",
            )
            for pattern in ("imageRepository", "dns.imageRepository", "etcd.local.imageRepository")
        )
    ),
    "etcd-one": _etcd_one,
    "etcd-paths": all_of(
        _absolute("etcd.local.dataDir"), *(_absolute(f"etcd.external.{part}File") for part in ("ca", "cert", "key"))
    ),
    "etcd-client": _etcd_client,
    "etcd-endpoints": _etcd_endpoints,
}

KUBEADM_RULE_SETS: dict[str, tuple[RuleSet, ...]] = {
    kind: (RuleSet(_FAMILY, kind, rules),)
    for kind, rules in {
        "InitConfiguration": INIT_RULES,
        "JoinConfiguration": JOIN_RULES,
        "ClusterConfiguration": _RULES,
        "ResetConfiguration": RESET_RULES,
        "UpgradeConfiguration": UPGRADE_RULES,
    }.items()
}
"""The rules by kind."""
