# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check kubeadm's files: cluster, init, join, reset and upgrade, by id in schema/kubeadm_validation_rules.json."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from .._scalars._syntax import (
    Network,
    is_dns_name,
    is_ip,
    is_label_key,
    is_label_value,
    is_loopback,
    is_port,
    network,
    split_host_port,
    split_url,
)
from .._schema.releases import minor_name, parse_minor
from . import value_table
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    absolute,
    all_of,
    in_range,
    objects_must,
    required,
    values_at,
    values_must,
)

_TOKEN = re.compile(r"[a-z0-9]{6}\.[a-z0-9]{16}")
_TOKEN_WORDS = "must be 6 and 16 of a-z and 0-9 with a dot between them"
_GROUP = re.compile(r"system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]")
_KEY = re.compile(r"[0-9A-Fa-f]{64}")
_HASH = re.compile(r"[Ss][Hh][Aa]256:[0-9A-Fa-f]{64}")
_USAGES = ("signing", "authentication")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNMOUNT = ("MNT_FORCE", "MNT_DETACH", "MNT_EXPIRE", "UMOUNT_NOFOLLOW")
_VERSION = re.compile(
    r"(?:(?:release|ci|ci-cross)/)?(?:v?[0-9]+\.[0-9]+\.[0-9]+[-0-9a-zA-Z_.+]*|(?:latest|stable)+(?:-[1-9](?:\.[1-9][0-9]?)?)?)"
)


def _is_version_or_label(text: str) -> bool:
    """Return whether kubeadm resolves a text to a version: v1.31.0, stable, latest-1.31, ci/latest."""
    return _VERSION.fullmatch(text) is not None


def _kubernetes_version(pattern: str) -> Rule:
    return values_must(
        pattern,
        lambda text: not text or _is_version_or_label(text),
        "must be a version as v1.31.0, or a label as stable-1.31",
    )


def _named_arguments(pattern: str) -> Rule:
    """Return the rule that every argument has a name; up to v1beta3 arguments are a map, so they always do."""
    return required(f"{pattern}[].name", "is required: the argument's name without dashes")


def _is_alone(errors: Sequence[str]) -> bool:
    names = {error.lower() for error in errors}
    return len(names) <= 1 or "all" not in names


def _all_alone(pattern: str) -> Rule:
    return values_must(pattern, _is_alone, "all must stand alone")


def _is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None


def _token_groups(config: EffectiveConfig) -> Violations:
    for path, token in values_at(config.data, "bootstrapTokens[]"):
        usages = token.get("usages") or _USAGES
        for index, group in enumerate(token.get("groups") or ()):
            if not _GROUP.fullmatch(group):
                yield path + ("groups", index), "must be system:bootstrappers: and a name of a-z, 0-9, : and -"
        # Groups always have a value, since they have a default: so the usages must fit.
        if "authentication" not in usages:
            yield path + ("usages",), "must hold authentication, since tokens have groups"


def _is_of_windows(socket: str) -> bool:
    """Return whether a socket says that it is for kubeadm on Windows, whose scheme is npipe."""
    return socket.startswith("npipe:")


def _is_socket(text: str) -> bool:
    url = split_url(text)
    is_path_or_unix = url is not None and (url.scheme == "unix" or (not url.scheme and url.path.startswith("/")))
    return not text or is_path_or_unix or _is_of_windows(text)


def _is_socket_url(text: str) -> bool:
    url = split_url(text if text.startswith("unix") else f"unix://{text}")
    return not text or (url is not None and url.scheme == "unix") or _is_of_windows(text)


def _cri_url(pattern: str) -> Rule:
    return values_must(pattern, _is_socket_url, "must be an absolute path after unix://")


def _node(endpoint: str, key: str) -> dict[str, Rule]:
    return {
        "node-name": values_must(
            "nodeRegistration.name", lambda name: not name or is_dns_name(name.strip().lower()), "must be a DNS name"
        ),
        "cri-socket": values_must(
            "nodeRegistration.criSocket", _is_socket, "must be an absolute path, or a URL with the scheme unix"
        ),
        "cri-socket-url": _cri_url("nodeRegistration.criSocket"),
        "cri-socket-scheme": values_must(
            "nodeRegistration.criSocket",
            lambda socket: not socket or socket.startswith("unix://") or _is_of_windows(socket),
            "kubeadm puts unix:// before it: write that",
        ),
        "node-taints": all_of(
            values_must("nodeRegistration.taints[].key", is_label_key, "must be the key of a label", absent=""),
            values_must("nodeRegistration.taints[].value", is_label_value, "must be the value of a label"),
            values_must(
                "nodeRegistration.taints[].effect",
                _EFFECTS.__contains__,
                "must be one of " + ", ".join(_EFFECTS),
                absent="",
            ),
        ),
        "kubelet-args": _named_arguments("nodeRegistration.kubeletExtraArgs"),
        "ignored-errors": _all_alone("nodeRegistration.ignorePreflightErrors"),
        "ignored-errors-all": values_must(
            "nodeRegistration.ignorePreflightErrors[]",
            lambda error: error.lower() != "all",
            "all is only taken on the command line: name the errors",
        ),
        "endpoint-address": values_must(
            f"{endpoint}.advertiseAddress", lambda address: not address or is_ip(address), "must be an IP address"
        ),
        "endpoint-loopback": values_must(
            f"{endpoint}.advertiseAddress",
            lambda address: not is_loopback(address),
            "must be an address that other nodes reach: with a loopback address, kubeadm looks for a global one on lo",
        ),
        "endpoint-port": in_range(f"{endpoint}.bindPort", 0, 65535, "between 1 and 65535"),
        "certificate-key": values_must(
            key, lambda text: not text or bool(_KEY.fullmatch(text)), "must be 32 bytes in hexadecimal"
        ),
    }


INIT_RULES: dict[str, Rule] = {
    "token": values_must("bootstrapTokens[].token", _is_token, _TOKEN_WORDS),
    "token-expiry": values_must(
        "bootstrapTokens[].expires", lambda _expires: False, "cannot be used: it excludes ttl, which always has a value"
    ),
    "token-usages": values_must(
        "bootstrapTokens[].usages[]", lambda usage: usage in _USAGES, "must be signing or authentication"
    ),
    "token-groups": _token_groups,
    **_node("localAPIEndpoint", "certificateKey"),
}


def _discovery_one(config: EffectiveConfig) -> Violations:
    methods = [name for name in ("bootstrapToken", "file") if config.written("discovery", name) is not None]
    if len(methods) != 1:
        yield ("discovery",), "must have exactly one of bootstrapToken and file"


def _hash_format(config: EffectiveConfig) -> Violations:
    hashes = (config.written("discovery", "bootstrapToken") or {}).get("caCertHashes") or []
    # kubeadm checks only the first one.
    if hashes and not _HASH.fullmatch(hashes[0]):
        yield ("discovery", "bootstrapToken", "caCertHashes", 0), "must be sha256: and 64 hexadecimal digits"


def _is_kubeconfig_place(text: str) -> bool:
    url = split_url(text)
    return url is not None and url.scheme in ("", "https", "file") and bool(url.path or url.authority)


JOIN_RULES: dict[str, Rule] = {
    "discovery-one": _discovery_one,
    "discovery-endpoint": values_must(
        "discovery.bootstrapToken.apiServerEndpoint",
        lambda endpoint: split_host_port(endpoint) is not None,
        "must be host:port",
        absent="",
    ),
    "discovery-hashes": objects_must(
        "discovery.bootstrapToken",
        lambda token: token.get("caCertHashes") or token.get("unsafeSkipCAVerification"),
        "is required: without it anyone can be the API server (unsafeSkipCAVerification: true accepts that)",
        "caCertHashes",
    ),
    "discovery-hash-format": _hash_format,
    "discovery-token": all_of(
        values_must("discovery.bootstrapToken.token", _is_token, _TOKEN_WORDS, absent=""),
        values_must("discovery.tlsBootstrapToken", lambda text: not text or _is_token(text), _TOKEN_WORDS),
    ),
    "discovery-file": values_must(
        "discovery.file.kubeConfigPath",
        _is_kubeconfig_place,
        "must be a path, or a URL with the scheme https",
        absent="",
    ),
    "ca-path": values_must(
        "caCertPath",
        lambda path: not path or (path.startswith("/") and path.endswith(".crt")),
        "must be an absolute path that ends in .crt",
    ),
    **_node("controlPlane.localAPIEndpoint", "controlPlane.certificateKey"),
}

RESET_RULES: dict[str, Rule] = {
    "cri-socket-url": _cri_url("criSocket"),
    "reset-certificates-dir": absolute("certificatesDir"),
    "unmount-flags": values_must(
        "unmountFlags[]", lambda flag: flag in _UNMOUNT, "must be one of " + ", ".join(_UNMOUNT)
    ),
    "reset-ignored-errors": _all_alone("ignorePreflightErrors"),
}

UPGRADE_RULES: dict[str, Rule] = {
    "upgrade-patches": values_must(
        "apply|node.patches.directory", lambda path: path.startswith("/"), "must be an absolute path", absent=""
    ),
    "upgrade-ignored-errors": _all_alone("apply|node|plan.ignorePreflightErrors"),
    "upgrade-version": _kubernetes_version("apply|plan|diff.kubernetesVersion"),
}


_COMPONENT: Final = "kubeadm"
_HOST_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(
    rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*(?::[0-9]+)?|\[[0-9A-Fa-f:]+\](?::[0-9]+)?|{_PATH_PART})(?:/{_PATH_PART})*"
)
_LARGEST_DIFFERENCE = 16
"""The largest difference in bits between the mask of a node's network and that of the pods."""


def _dual_stack(config: EffectiveConfig) -> bool:
    gate_setting = (config.data.get("featureGates") or {}).get("IPv6DualStack")
    return config.minor >= 23 or (config.minor >= 21 if gate_setting is None else bool(gate_setting))


def _networks(text: str) -> list[Network] | None:
    networks = [network(part) for part in text.split(",")]
    return [subnet for subnet in networks if subnet is not None] if None not in networks else None


def _subnet(config: EffectiveConfig, field: str, minimum: int) -> Violations:
    path, text = ("networking", field), config.written("networking", field) or ""
    networks = _networks(text) if text else []
    if networks is None:
        yield path, "must be a CIDR, for example 10.96.0.0/12"
    elif not _dual_stack(config) and len(networks) > 1:
        yield path, "must be one CIDR"
    elif len(networks) > 2 or len({subnet.version for subnet in networks}) != len(networks):
        yield path, "must be one CIDR, or an IPv4 and an IPv6 one separated by a comma"
    for subnet in networks or ():
        if subnet.num_addresses < minimum:
            yield path, f"{subnet} is too small: at least {minimum} addresses are needed"


def _service_subnet(config: EffectiveConfig) -> Violations:
    yield from _subnet(config, "serviceSubnet", 10)
    for subnet in _networks(config.written("networking", "serviceSubnet") or "") or ():
        if subnet.max_prefixlen - subnet.prefixlen > 20:
            yield ("networking", "serviceSubnet"), f"{subnet} is too large: /{subnet.max_prefixlen - 20} is the largest"


def _pod_subnet(config: EffectiveConfig) -> Violations:
    yield from _subnet(config, "podSubnet", 14)


def _argument(config: EffectiveConfig, name: str) -> str | None:
    """Return the last value of a controller manager's argument; arguments are a map up to v1beta3, then a list."""
    arguments: Any = config.written("controllerManager", "extraArgs") or {}
    pairs = (
        arguments.items()
        if isinstance(arguments, dict)
        else [(argument.get("name"), argument.get("value", "")) for argument in arguments]
    )
    return next((value for argument_name, value in reversed(list(pairs)) if argument_name == name), None)


def _node_mask(config: EffectiveConfig) -> Violations:
    path = ("networking", "podSubnet")
    if config.minor >= 21 and _argument(config, "allocate-node-cidrs") == "false":
        return
    for subnet in _networks(config.written(*path) or "") or ():
        argument = f"node-cidr-mask-size-ipv{subnet.version}" if _dual_stack(config) else "node-cidr-mask-size"
        mask_text = _argument(config, argument)
        if mask_text and not re.fullmatch(r"[-+]?[0-9]{1,9}", mask_text):
            yield path, f"needs a whole number as {argument} in controllerManager.extraArgs"
            continue
        mask = int(mask_text) if mask_text else 24 if subnet.version == 4 else 64
        if subnet.prefixlen > mask:
            yield path, f"{subnet} is smaller than the network of one node, which has a mask of {mask}"
        elif mask - subnet.prefixlen > _LARGEST_DIFFERENCE:
            yield path, f"{subnet} may be at most {_LARGEST_DIFFERENCE} bits larger than a node's mask of {mask}"


def _endpoint(text: str) -> bool:
    host, port = split_host_port(text) or (text, "")
    return (not port or is_port(port)) and (is_ip(host) or is_dns_name(host))


def _version_old(config: EffectiveConfig) -> Violations:
    text = config.written("kubernetesVersion") or ""
    if re.match(r"v?1\.[0-9]", text) and _is_version_or_label(text) and parse_minor(text) < config.minor - 1:
        message = f"kubeadm of {minor_name(config.minor)} deploys {minor_name(config.minor - 1)} and newer"
        yield ("kubernetesVersion",), message


def _gates(config: EffectiveConfig) -> Violations:
    table = {gate: (parse_minor(since), parse_minor(last)) for gate, since, last in value_table("gates", _COMPONENT)}
    for gate in config.data.get("featureGates") or ():
        since, last = table.get(gate, (0, 0))
        if not last:
            yield ("featureGates", gate), "no feature gate of kubeadm's own; those of a component go into its extraArgs"
        elif not since <= config.minor <= last:
            yield ("featureGates", gate), f"kubeadm has it from {minor_name(since)} to {minor_name(last)}"


_SAN_WORDS = "must be an IP address or a DNS name, *. before it for a wildcard"


def _is_san(text: str) -> bool:
    return is_ip(text) or is_dns_name(text) or is_dns_name(text, wildcard=True)


def _etcd_client(config: EffectiveConfig) -> Violations:
    for path, external in values_at(config.data, "etcd.external"):
        ca, certificate, key = (bool(external.get(f"{part}File")) for part in ("ca", "cert", "key"))
        if certificate != key:
            yield path, "must have both certFile and keyFile, or neither"
        elif certificate and not ca:
            yield path + ("caFile",), "is required with certFile and keyFile"


def _etcd_endpoints(config: EffectiveConfig) -> Violations:
    for path, external in values_at(config.data, "etcd.external"):
        safe = any(external.get(f"{part}File") for part in ("ca", "cert", "key"))
        for below, endpoint in values_at(external, "endpoints[]"):
            url = split_url(endpoint, strict_colons=config.minor >= 36)
            if url is None or not url.scheme or (safe and url.scheme != "https"):
                yield path + below, "must be a URL with the scheme https" if safe else "must be a URL with a scheme"


_RULES: dict[str, Rule] = {
    "dns-domain": values_must("networking.dnsDomain", lambda text: not text or is_dns_name(text), "must be a DNS name"),
    "service-subnet": _service_subnet,
    "pod-subnet": _pod_subnet,
    "pod-subnet-node-mask": _node_mask,
    "certificates-dir": absolute("certificatesDir"),
    "control-plane-endpoint": values_must(
        "controlPlaneEndpoint",
        lambda text: not text or _endpoint(text),
        "must be an IP address or a DNS name, with a port from 1 to 65535 if any",
    ),
    "kubernetes-version": _kubernetes_version("kubernetesVersion"),
    "kubernetes-version-old": _version_old,
    "cluster-gates": _gates,
    "cert-sans": all_of(
        values_must("apiServer.certSANs[]", lambda text: _is_san(text.lower()), _SAN_WORDS),
        values_must("etcd.local.serverCertSANs[]|peerCertSANs[]", _is_san, _SAN_WORDS),
    ),
    "extra-args": all_of(
        _named_arguments("apiServer|controllerManager|scheduler.extraArgs"), _named_arguments("etcd.local.extraArgs")
    ),
    "image-repository": all_of(
        *(
            values_must(
                pattern,
                lambda text: not text or bool(_REPOSITORY.fullmatch(text)),
                "must be a registry and a path in lower case, for example registry.example.com/k8s",
            )
            for pattern in ("imageRepository", "dns.imageRepository", "etcd.local.imageRepository")
        )
    ),
    "etcd-one": objects_must(
        "etcd",
        lambda etcd: etcd.get("local") is None or etcd.get("external") is None,
        "must not have both local and external",
    ),
    "etcd-paths": all_of(absolute("etcd.local.dataDir"), absolute("etcd.external.caFile|certFile|keyFile")),
    "etcd-client": _etcd_client,
    "etcd-endpoints": _etcd_endpoints,
    "etcd-endpoints-given": required("etcd.external.endpoints", "must have at least one endpoint"),
}

KUBEADM_RULES: dict[str, dict[str, Rule]] = {
    "InitConfiguration": INIT_RULES,
    "JoinConfiguration": JOIN_RULES,
    "ClusterConfiguration": _RULES,
    "ResetConfiguration": RESET_RULES,
    "UpgradeConfiguration": UPGRADE_RULES,
}
"""The rules by kind."""
