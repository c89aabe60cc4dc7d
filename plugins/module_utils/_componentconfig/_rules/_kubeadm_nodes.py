# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's rules about nodes that come, go and are upgraded, by id in schema/kubeadm_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._values._names import is_dns_name, is_label_key, is_label_value
from .._values._networks import is_ip, split_host_port, split_url
from ._context import Context, Fault, Rule
from ._shapes import all_of, checked, found, required, within

__all__ = ["INIT_RULES", "JOIN_RULES", "RESET_RULES", "UPGRADE_RULES", "is_kubernetes_version", "named_arguments"]

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


def is_kubernetes_version(text: str) -> bool:
    """Whether kubeadm can make a version of it: v1.31.0, stable, latest-1.31, ci/latest."""
    return _VERSION.fullmatch(text) is not None


def named_arguments(pattern: str) -> Rule:
    """Arguments in a list have names; up to v1beta3 they are a map, and always have."""
    return required(f"{pattern}[].name", "is required: the argument's name without dashes")


def _all_alone(pattern: str) -> Rule:
    def check(c: Context) -> Iterator[Fault]:
        for path, errors in found(c.data, pattern):
            names = {error.lower() for error in errors}
            if "all" in names and len(names) > 1:
                yield path, "all must stand alone"

    return check


def _is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None


def _token_expiry(c: Context) -> Iterator[Fault]:
    for path, _expires in found(c.data, "bootstrapTokens[].expires"):
        yield path, "cannot be used: it excludes ttl, which always has a value"


def _token_groups(c: Context) -> Iterator[Fault]:
    for path, token in found(c.data, "bootstrapTokens[]"):
        usages = token.get("usages") or _USAGES
        for index, group in enumerate(token.get("groups") or ()):
            if not _GROUP.fullmatch(group):
                yield path + ("groups", index), "must be system:bootstrappers: and a name of a-z, 0-9, : and -"
        # Groups have a default as well: it is the usages that must fit.
        if "authentication" not in usages:
            yield path + ("usages",), "must hold authentication, since tokens have groups"


def _cri_socket(c: Context) -> Iterator[Fault]:
    socket = c.given("nodeRegistration", "criSocket") or ""
    url = split_url(socket)
    good = url is not None and (url.scheme == "unix" or (not url.scheme and url.path.startswith("/")))
    if socket and not good:
        yield ("nodeRegistration", "criSocket"), "must be an absolute path, or a URL with the scheme unix"


def _cri_scheme(c: Context) -> Iterator[Fault]:
    socket = c.given("nodeRegistration", "criSocket") or ""
    if socket and not socket.startswith("unix://"):
        yield ("nodeRegistration", "criSocket"), "kubeadm puts unix:// before it: write that"


def _taints(c: Context) -> Iterator[Fault]:
    for path, taint in found(c.data, "nodeRegistration.taints[]"):
        if not is_label_key(taint.get("key", "")):
            yield path + ("key",), "must be the key of a label"
        if not is_label_value(taint.get("value", "")):
            yield path + ("value",), "must be the value of a label"
        if taint.get("effect", "") not in _EFFECTS:
            yield path + ("effect",), "must be one of " + ", ".join(_EFFECTS)


def _node(endpoint: str, key: str) -> dict[str, Rule]:
    return {
        "node-name": checked(
            "nodeRegistration.name",
            lambda name: not name or is_dns_name(name.strip().lower()),
            "must be a DNS name",
        ),
        "cri-socket": _cri_socket,
        "cri-socket-scheme": _cri_scheme,
        "node-taints": _taints,
        "kubelet-args": named_arguments("nodeRegistration.kubeletExtraArgs"),
        "ignored-errors": _all_alone("nodeRegistration.ignorePreflightErrors"),
        "ignored-errors-all": checked(
            "nodeRegistration.ignorePreflightErrors[]",
            lambda error: error.lower() != "all",
            "all is only taken on the command line: name the errors",
        ),
        "endpoint-address": checked(
            f"{endpoint}.advertiseAddress", lambda address: not address or is_ip(address), "must be an IP address"
        ),
        "endpoint-port": within(f"{endpoint}.bindPort", 0, 65535, "between 1 and 65535"),
        "certificate-key": checked(
            key, lambda text: not text or bool(_KEY.fullmatch(text)), "must be 32 bytes in hexadecimal"
        ),
    }


INIT_RULES: dict[str, Rule] = {
    "token": checked("bootstrapTokens[].token", _is_token, _TOKEN_WORDS),
    "token-expiry": _token_expiry,
    "token-usages": checked(
        "bootstrapTokens[].usages[]", lambda usage: usage in _USAGES, "must be signing or authentication"
    ),
    "token-groups": _token_groups,
    **_node("localAPIEndpoint", "certificateKey"),
}


def _discovery_one(c: Context) -> Iterator[Fault]:
    given = [name for name in ("bootstrapToken", "file") if c.given("discovery", name) is not None]
    if len(given) != 1:
        yield ("discovery",), "must have exactly one of bootstrapToken and file"


def _discovery_hashes(c: Context) -> Iterator[Fault]:
    token = c.given("discovery", "bootstrapToken")
    if token is not None and not token.get("caCertHashes") and not token.get("unsafeSkipCAVerification"):
        message = "is required: without it anyone can be the API server (unsafeSkipCAVerification: true accepts that)"
        yield ("discovery", "bootstrapToken", "caCertHashes"), message


def _hash_format(c: Context) -> Iterator[Fault]:
    hashes = (c.given("discovery", "bootstrapToken") or {}).get("caCertHashes") or []
    # kubeadm looks at the first one only.
    if hashes and not _HASH.fullmatch(hashes[0]):
        yield ("discovery", "bootstrapToken", "caCertHashes", 0), "must be sha256: and 64 hexadecimal digits"


def _discovery_token(c: Context) -> Iterator[Fault]:
    bootstrap, tls = c.given("discovery", "bootstrapToken"), c.given("discovery", "tlsBootstrapToken") or ""
    if bootstrap is not None and not _is_token(bootstrap.get("token", "")):
        yield ("discovery", "bootstrapToken", "token"), _TOKEN_WORDS
    if tls and not _is_token(tls):
        yield ("discovery", "tlsBootstrapToken"), _TOKEN_WORDS


def _discovery_file(c: Context) -> Iterator[Fault]:
    for path, file in found(c.data, "discovery.file"):
        url = split_url(file.get("kubeConfigPath", ""))
        if url is None or url.scheme not in ("", "https", "file") or not (url.path or url.authority):
            yield path + ("kubeConfigPath",), "must be a path, or a URL with the scheme https"


JOIN_RULES: dict[str, Rule] = {
    "discovery-one": _discovery_one,
    "discovery-endpoint": checked(
        "discovery.bootstrapToken.apiServerEndpoint",
        lambda endpoint: split_host_port(endpoint) is not None,
        "must be host:port",
        absent="",
    ),
    "discovery-hashes": _discovery_hashes,
    "discovery-hash-format": _hash_format,
    "discovery-token": _discovery_token,
    "discovery-file": _discovery_file,
    "ca-path": checked(
        "caCertPath",
        lambda path: not path or (path.startswith("/") and path.endswith(".crt")),
        "must be an absolute path that ends in .crt",
    ),
    **_node("controlPlane.localAPIEndpoint", "controlPlane.certificateKey"),
}

RESET_RULES: dict[str, Rule] = {
    "reset-certificates-dir": checked(
        "certificatesDir", lambda path: not path or path.startswith("/"), "must be an absolute path"
    ),
    "unmount-flags": checked("unmountFlags[]", lambda flag: flag in _UNMOUNT, "must be one of " + ", ".join(_UNMOUNT)),
    "reset-ignored-errors": _all_alone("ignorePreflightErrors"),
}

UPGRADE_RULES: dict[str, Rule] = {
    "upgrade-patches": all_of(
        *(
            checked(
                f"{verb}.patches.directory", lambda path: path.startswith("/"), "must be an absolute path", absent=""
            )
            for verb in ("apply", "node")
        )
    ),
    "upgrade-ignored-errors": all_of(
        *(_all_alone(f"{verb}.ignorePreflightErrors") for verb in ("apply", "node", "plan"))
    ),
    "upgrade-version": all_of(
        *(
            checked(
                f"{verb}.kubernetesVersion",
                lambda text: not text or is_kubernetes_version(text),
                "must be a version as v1.31.0, or a label as stable-1.31",
            )
            for verb in ("apply", "plan", "diff")
        )
    ),
}
