# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that no bundle may give to fields that it may set, by kind and by what the node has of its own.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, Union

from ._bundle_policy import matching_fields
from ._codec._plain_values import merge
from ._compare import effective_diff, effective_values
from ._denied_fields import DenyPolicy
from ._exceptions import ConfigError
from ._findings import Finding, Level, show
from ._scalars._duration import parse_duration
from ._scalars._field_path import Path, lookup
from ._schema._kinds import Kind, kinds

__all__ = [
    "KEPT",
    "MAXIMA",
    "MINIMA",
    "NodeValues",
    "STRENGTHS",
    "UNBOUNDED",
    "denials",
    "select_denied_fields",
    "denied_value_findings",
    "omission_findings",
    "node_values",
    "unknown_fields",
]

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


class NodeValues(NamedTuple):
    """What a node has of its own for a kind: in all (values), and what of it is laid over every bundle (instance)."""

    values: Mapping[str, Any]
    instance: Mapping[str, Any]


def _denied(path: Path, message: str, value: Any) -> Finding:
    return Finding(path, message, "denied", Level.POLICY, show(value, path))


def denied_value_findings(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Finding]:
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
            yield _denied((field,), message, data[field])


def _above(data: Mapping[str, Any], kind: str) -> Iterator[Finding]:
    for field, most in MAXIMA.get(kind, {}).items():
        for path, value in matching_fields(data, field):
            if isinstance(value, (int, float)) and value > most:
                yield _denied(path, f"above {most} the field is denied, {_UNLESS}", value)
    for field in UNBOUNDED.get(kind, ()):
        if data.get(field) == 0:
            yield _denied((field,), f"0 means no limit: the field is denied, {_UNLESS}", 0)


def omission_findings(data: Mapping[str, Any], kind: str, own: NodeValues, minor: int) -> Iterator[Finding]:
    """Yield the fields that a decoded document does not set although the node would be weaker without them."""
    strengths = STRENGTHS.get(kind, {})
    fields = [field for field in strengths if data.get(field) is None and own.values.get(field) is not None]
    if fields:
        now = effective_values(own.values, _head(data), minor)
        then = effective_values(merge([data, own.instance]), _head(data), minor)
        for field in fields:
            yield from _if_weaker(field, lookup(then, (field,)), lookup(now, (field,)), "left out it is ", kind)
    field = _SUITES.get(kind, "")
    suites = own.values.get(field)
    strong = isinstance(suites, list) and bool(suites) and not any(_is_weak(suite) for suite in suites)
    if strong and not data.get(field) and not own.instance.get(field):
        message = f"left out it may be weaker than what the node has: denied, {_UNLESS}"
        yield _denied((field,), message, None)


def _weaker(data: Mapping[str, Any], kind: str, own: Mapping[str, Any], minor: int) -> Iterator[Finding]:
    fields = [field for field in STRENGTHS.get(kind, {}) if data.get(field) is not None]
    if not fields:
        return
    effective = effective_values(own, _head(data), minor)
    for field in fields:
        yield from _if_weaker(field, data[field], lookup(effective, (field,)), "", kind)


def _head(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in ("apiVersion", "kind") if key in data}


def _if_weaker(field: str, value: Any, least: Any, what: str, kind: str) -> Iterator[Finding]:
    strengths = STRENGTHS[kind][field]
    asked, needed = (_strength(strengths, "" if one is None else one) for one in (value, least))
    if asked is not None and needed is not None and asked < needed:
        than = f" {show(least, (field,))}" if least else ""
        yield _denied((field,), f"{what}weaker than what the node has{than}: denied, {_UNLESS}", value)


def _below(data: Mapping[str, Any], kind: str) -> Iterator[Finding]:
    for field, least in MINIMA.get(kind, {}).items():
        value = data.get(field)
        seconds = _seconds(value)
        if seconds is not None and seconds != 0 and seconds < least:
            yield _denied((field,), f"below {least}s the field is denied, {_UNLESS}", value)


def _seconds(value: Any) -> float | None:
    """Return a number of seconds or a duration in seconds; None for what is neither, which is for others to refuse."""
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ConfigError:
            return None
    return value if isinstance(value, (int, float)) else None


def _strength(strengths: _Strengths, value: Any) -> int | None:
    """Return how strong a value is; None for one that the table does not know, which is for others to refuse."""
    return strengths.get(value) if isinstance(value, (str, bool)) else None


def _weak_suites(data: Mapping[str, Any], kind: str, own: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the cipher suites that Go calls insecure, and that the node does not name itself."""
    field = _SUITES.get(kind, "")
    suites, known = data.get(field), own.get(field)
    for index, suite in enumerate(suites if isinstance(suites, list) else ()):
        if _is_weak(suite) and suite not in (known if isinstance(known, list) else ()):
            yield _denied((field, index), f"a weak cipher suite is denied, {_UNLESS}", suite)


def _is_weak(suite: Any) -> bool:
    name = str(suite)
    return name.startswith("TLS_RSA_") or name.endswith("_CBC_SHA256") or "_RC4_" in name or "_3DES_" in name


_HEAD = (("apiVersion",), ("kind",))


def node_values(kind: str, init: Any, instance: Any) -> NodeValues:
    """Return what a node has of its own for a kind: its init config with its instance config laid over it.

    A config of another kind has no value of this one.
    """
    layers = [
        layer if isinstance(layer, dict) and layer.get("kind", kind) == kind else {} for layer in (init, instance)
    ]
    return NodeValues(merge(layers), layers[1])


def denials(data: Any, policy: DenyPolicy, own: NodeValues, minor: int) -> Iterator[Finding]:
    """Yield the fields of a decoded document that a node refuses, those included that it must not leave out.

    own: as own_values returns it. A denied field that has the node's own value, defaults of the minor filled in, is
    harmless and passes. A field set to null is not set.
    """
    if not isinstance(data, dict):
        return
    kind = str(data.get("kind", ""))
    if policy.denies_kind(kind):
        message = f"no bundle may hold a {kind or 'document without a kind'} here"
        advice = "unless the node's own config allows its fields (allowedFields)"
        yield _denied(("kind",), f"{message}, {advice}", data.get("kind"))
        return
    refused = list(_fields(data, policy, kind))
    judged = [*(problem.path for problem in refused), *(path for path, _value in _all_matching(data, policy.allowed))]
    refused += [one for one in denied_value_findings(data, kind, own.values, minor) if not _covered(one.path, judged)]
    if refused:
        changes = [one.change.parts for one in effective_diff(own.values, merge([own.values, data]), (minor, minor))]
        yield from (one for one in refused if any(_overlap(one.path, change) for change in changes))
    for problem in omission_findings(data, kind, own, minor):
        if not any(pattern in ("*", *problem.path) for pattern in policy.allowed):
            yield problem


def select_denied_fields(data: Any, policy: DenyPolicy, kind: str) -> dict[str, Any]:
    """Return the part of a decoded config that a policy denies in bundles, whatever a node's own values are; objects
    are split, lists are not."""
    found: dict[str, Any] = {}
    for problem in _fields(data, policy, kind):
        names = _names(problem.path)
        target = found
        for name in names[:-1]:
            target = target.setdefault(name, {})
        target[names[-1]] = lookup(data, tuple(names))
    return found


def _names(path: Path) -> list[str]:
    """Return a path up to the first list in it."""
    return [part for part in takewhile(lambda part: isinstance(part, str), path) if isinstance(part, str)]


def _fields(data: Any, policy: DenyPolicy, kind: str) -> Iterator[Finding]:
    """Yield the fields that a policy denies, each once."""
    allowed = [path for path, _value in _all_matching(data, policy.allowed)]
    seen: set[Path] = set(_HEAD)
    for path, value in _all_matching(data, policy.patterns(kind)):
        for left, part in _without(path, value, allowed):
            if left not in seen:
                seen.add(left)
                advice = "it belongs in the node's own config, unless that allows it (allowedFields)"
                yield _denied(left, f"the field is denied: {advice}", part)


def _all_matching(data: Any, patterns: Iterable[str]) -> Iterator[tuple[Path, Any]]:
    for pattern in patterns:
        yield from matching_fields(data, pattern)


def _without(path: Path, value: Any, allowed: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
    """Yield a field, or of one that is allowed in part the parts that are not."""
    if _covered(path, allowed):
        return
    if isinstance(value, (dict, list)) and any(one[: len(path)] == path for one in allowed):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if part is not None:
                yield from _without((*path, key), part, allowed)
    else:
        yield path, value


def _covered(path: Path, allowed: Sequence[Path]) -> bool:
    return any(path[: len(one)] == one for one in allowed)


def _overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def unknown_fields(patterns: Iterable[str], kind: str = "") -> list[str]:
    """Return the field paths that match no field of a kind in any of its versions; without a kind, of no kind at all.

    A kind without data cannot be looked up: all its paths count as known.
    """
    known = [one for one in kinds() if kind in ("", one.kind)]
    if not known:
        return []
    return [pattern for pattern in patterns if not any(_knows(one, pattern) for one in known)]


def _knows(kind: Kind, pattern: str) -> bool:
    return _is_field(kind.fields, pattern.replace("[]", ".*").split("."))


def _is_field(fields: Mapping[str, Any], parts: Sequence[str]) -> bool:
    """Return whether parts lead to a field of an object."""
    entries = list(fields.values()) if parts[0] == "*" else [fields[parts[0]]] if parts[0] in fields else []
    return any(_is_below(entry, parts[1:]) for entry in entries)


def _is_below(entry: Mapping[str, Any], parts: Sequence[str]) -> bool:
    """Return whether parts lead to something inside a field; the keys of a map are anybody's."""
    if not parts:
        return True
    kind = str(entry.get("type", "string"))
    if kind == "any" or (kind.startswith("map<") and "fields" not in entry):
        return True
    if kind.startswith(("map<", "list<")):
        parts = parts[1:]
    return not parts or ("fields" in entry and _is_field(entry["fields"], parts))
