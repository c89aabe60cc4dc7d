# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that no bundle may give to fields that it may set, by kind and by what the node has of its own.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Union

from ._diff import resolved
from ._documents._findings import show
from ._kinds._types import Problem
from ._policy import matching_fields
from ._values._paths import lookup

__all__ = ["KEPT", "MAXIMA", "STRENGTHS", "denied_values"]

_UNLESS = "unless the node's own config allows it (allowedFields)"
_KUBELET = "KubeletConfiguration"
_PER_SECOND = 1000

MAXIMA: Mapping[str, Mapping[str, int]] = {
    _KUBELET: {
        # From 8 on, requests and their answers are written to the journal, with the secrets in them.
        "logging.verbosity": 7,
        # A pool of nodes that ask this often is a load generator.
        "kubeAPIQPS": _PER_SECOND,
        "kubeAPIBurst": _PER_SECOND,
        "eventRecordQPS": _PER_SECOND,
        "eventBurst": _PER_SECOND,
        "registryPullQPS": _PER_SECOND,
        "registryBurst": _PER_SECOND,
    },
    "KubeProxyConfiguration": {"logging.verbosity": 7},
}
"""Fields that a bundle may set up to a value."""

_Strengths = Mapping[Union[str, bool], int]

STRENGTHS: Mapping[str, Mapping[str, _Strengths]] = {
    _KUBELET: {
        "tlsMinVersion": {
            "VersionTLS10": 0,
            "VersionTLS11": 1,
            "": 2,  # what the kubelet takes by itself
            "VersionTLS12": 2,
            "VersionTLS13": 3,
        },
        "seccompDefault": {False: 0, True: 1},
        "imagePullCredentialsVerificationPolicy": {
            "NeverVerify": 0,
            # Which images are exempt: neither set holds the other.
            "NeverVerifyPreloadedImages": 1,
            "NeverVerifyAllowlistedImages": 1,
            "AlwaysVerify": 2,
        },
    },
}
"""Fields that a bundle may not set to less than what the node has: how strong each value is."""

KEPT: Mapping[str, tuple[str, ...]] = {
    # Whoever answers the names that pods look up can be whatever they talk to.
    _KUBELET: ("clusterDNS", "resolvConf"),
}
"""Fields that a bundle may not set to another value than the node's own config, where that has one."""

_SUITES: Mapping[str, str] = {_KUBELET: "tlsCipherSuites"}


def denied_values(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Problem]:
    """Yield the fields of a decoded document whose values a node refuses; a field set to null is not set.

    own: the node's own values, as own_values returns them. A field that has the node's own value may be yielded too.
    """
    yield from _above(data, kind)
    yield from _weaker(data, kind, own, minor)
    yield from _weak_suites(data, kind, own)
    for field in KEPT.get(kind, ()):
        if data.get(field) is not None and own.get(field) not in (None, []):
            message = f"the node's own config has another value: the field is denied, {_UNLESS}"
            yield Problem((field,), message, "denied", data[field])


def _above(data: Mapping[str, Any], kind: str) -> Iterator[Problem]:
    for field, most in MAXIMA.get(kind, {}).items():
        for path, value in matching_fields(data, field):
            if isinstance(value, (int, float)) and value > most:
                yield Problem(path, f"above {most} the field is denied, {_UNLESS}", "denied", value)


def _weaker(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Problem]:
    fields = [field for field in STRENGTHS.get(kind, {}) if data.get(field) is not None]
    if not fields:
        return
    head = {key: data[key] for key in ("apiVersion", "kind") if key in data}
    effective = resolved(own, head, minor)
    for field in fields:
        strengths = STRENGTHS[kind][field]
        value, least = data[field], lookup(effective, (field,))
        asked, needed = (_strength(strengths, one) for one in (value, "" if least is None else least))
        if asked is not None and needed is not None and asked < needed:
            than = f" {show(least, (field,))}" if least else ""
            yield Problem((field,), f"weaker than what the node has{than}: denied, {_UNLESS}", "denied", value)


def _strength(strengths: _Strengths, value: Any) -> int | None:
    """Return how strong a value is; None for one that the table does not know, which is for others to refuse."""
    return strengths.get(value) if isinstance(value, (str, bool)) else None


def _weak_suites(data: Mapping[str, Any], kind: str, own: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the cipher suites that Go calls insecure, and that the node does not name itself."""
    field = _SUITES.get(kind, "")
    suites, known = data.get(field), own.get(field)
    for index, suite in enumerate(suites if isinstance(suites, list) else ()):
        if _is_weak(suite) and suite not in (known if isinstance(known, list) else ()):
            yield Problem((field, index), f"a weak cipher suite is denied, {_UNLESS}", "denied", suite)


def _is_weak(suite: Any) -> bool:
    name = str(suite)
    return name.startswith("TLS_RSA_") or name.endswith("_CBC_SHA256") or "_RC4_" in name or "_3DES_" in name
