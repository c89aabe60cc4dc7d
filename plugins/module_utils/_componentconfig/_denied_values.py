# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that no bundle may give to fields that it may set, by kind and by what the node has of its own.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Union

from ._diff import resolved
from ._documents._findings import show
from ._kinds._types import Problem
from ._merge import merge
from ._policy import matching_fields
from ._values._duration import parse_duration
from ._values._paths import lookup

__all__ = ["KEPT", "MAXIMA", "MINIMA", "STRENGTHS", "UNBOUNDED", "OwnValues", "denied_values", "left_out"]

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

MINIMA: Mapping[str, Mapping[str, int]] = {
    # How often each node asks for itself: at most once a second. A Lease is renewed four times as often as it lasts.
    _KUBELET: {"nodeStatusUpdateFrequency": 1, "nodeStatusReportFrequency": 1, "nodeLeaseDurationSeconds": 4},
}
"""Fields that a bundle may set down to so many seconds; 0 is the default, and below 0 the kubelet never pauses."""

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

UNBOUNDED: Mapping[str, tuple[str, ...]] = {
    # Not eventRecordQPS, whose 0 hardening guides ask for, so that no Event is lost.
    _KUBELET: ("registryPullQPS",),
}
"""Fields of MAXIMA whose value 0 means that there is no limit."""

KEPT: Mapping[str, tuple[str, ...]] = {
    # Whoever answers the names that pods look up can be whatever they talk to.
    _KUBELET: ("clusterDNS", "resolvConf"),
}
"""Fields that a bundle may not set to another value than the node's own config, where that has one."""

_SUITES: Mapping[str, str] = {_KUBELET: "tlsCipherSuites"}


class OwnValues(NamedTuple):
    """What a node has of its own for a kind: in all (values), and what of it is laid over every bundle (instance)."""

    values: Mapping[str, Any]
    instance: Mapping[str, Any]


def denied_values(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Problem]:
    """Yield the fields of a decoded document whose values a node refuses; a field set to null is not set.

    own: the node's own values. A field that has the node's own value may be yielded too.
    """
    yield from _above(data, kind)
    yield from _below(data, kind)
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
    for field in UNBOUNDED.get(kind, ()):
        if data.get(field) == 0:
            yield Problem((field,), f"0 means no limit: the field is denied, {_UNLESS}", "denied", 0)


def left_out(data: Mapping[str, Any], kind: str, own: OwnValues, minor: int) -> Iterator[Problem]:
    """Yield the fields that a decoded document does not set although the node would be weaker without them."""
    strengths = STRENGTHS.get(kind, {})
    fields = [field for field in strengths if data.get(field) is None and own.values.get(field) is not None]
    if fields:
        now = resolved(own.values, _head(data), minor)
        then = resolved(merge([data, own.instance]), _head(data), minor)
        for field in fields:
            yield from _if_weaker(field, lookup(then, (field,)), lookup(now, (field,)), "left out it is ", kind)
    field = _SUITES.get(kind, "")
    suites = own.values.get(field)
    strong = isinstance(suites, list) and bool(suites) and not any(_is_weak(suite) for suite in suites)
    if strong and not data.get(field) and not own.instance.get(field):
        message = f"left out it may be weaker than what the node has: denied, {_UNLESS}"
        yield Problem((field,), message, "denied")


def _weaker(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Problem]:
    fields = [field for field in STRENGTHS.get(kind, {}) if data.get(field) is not None]
    if not fields:
        return
    effective = resolved(own, _head(data), minor)
    for field in fields:
        yield from _if_weaker(field, data[field], lookup(effective, (field,)), "", kind)


def _head(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in ("apiVersion", "kind") if key in data}


def _if_weaker(field: str, value: Any, least: Any, what: str, kind: str) -> Iterator[Problem]:
    strengths = STRENGTHS[kind][field]
    asked, needed = (_strength(strengths, "" if one is None else one) for one in (value, least))
    if asked is not None and needed is not None and asked < needed:
        than = f" {show(least, (field,))}" if least else ""
        yield Problem((field,), f"{what}weaker than what the node has{than}: denied, {_UNLESS}", "denied", value)


def _below(data: Mapping[str, Any], kind: str) -> Iterator[Problem]:
    for field, least in MINIMA.get(kind, {}).items():
        value = data.get(field)
        seconds = _seconds(value)
        if seconds is not None and seconds != 0 and seconds < least:
            yield Problem((field,), f"below {least}s the field is denied, {_UNLESS}", "denied", value)


def _seconds(value: Any) -> float | None:
    """Return a number of seconds or a duration in seconds; None for what is neither, which is for others to refuse."""
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ValueError:
            return None
    return value if isinstance(value, (int, float)) else None


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
