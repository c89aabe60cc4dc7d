# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the fields and values of a bundle that one node refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Callable, NamedTuple, Union

from .._componentconfig import ConfigError
from .._componentconfig._codec.plain_values import HEAD_FIELDS, merge
from .._componentconfig._options import COMPONENT_OPTIONS
from .._componentconfig._scalars.duration import parse_duration
from .._componentconfig._scalars.field_path import Path, is_below_any, overlaps, value_at
from .._componentconfig._schema.kinds import KUBELET_CONFIGURATION, kinds
from .._componentconfig.bundle_policy import matching_fields
from .._componentconfig.compare import effective_diff, effective_values
from .._componentconfig.findings import RULE_DENIED, Finding, Level, show
from .denied_fields import DenyPolicy

_UNLESS_ALLOWED = "unless the node's own config allows it (allowedFields)"
_PER_SECOND = 1000

MAXIMA: Mapping[str, Mapping[str, int]] = {
    KUBELET_CONFIGURATION: {
        # From 8 on, requests and responses are logged with the secrets in them.
        "logging.verbosity": 7,
        # A pool of nodes that send requests at a higher rate is a load generator.
        "kubeAPIQPS": _PER_SECOND,
        "kubeAPIBurst": _PER_SECOND,
        "eventRecordQPS": _PER_SECOND,
        "eventBurst": _PER_SECOND,
        "registryPullQPS": _PER_SECOND,
        "registryBurst": _PER_SECOND,
    },
    "KubeProxyConfiguration": {"logging.verbosity": 7},
}
"""Fields that a bundle sets to this value at most."""

MINIMA: Mapping[str, Mapping[str, int]] = {
    # Each node sends requests for itself at most once a second. A Lease is renewed four times during its duration.
    KUBELET_CONFIGURATION: {
        "nodeStatusUpdateFrequency": 1,
        "nodeStatusReportFrequency": 1,
        "nodeLeaseDurationSeconds": 4,
    },
}
"""Fields that a bundle sets to so many seconds at least; 0 is the default, and below 0 the kubelet never pauses."""

_Strengths = Mapping[Union[str, bool], int]

STRENGTHS: Mapping[str, Mapping[str, _Strengths]] = {
    KUBELET_CONFIGURATION: {
        "tlsMinVersion": {
            "VersionTLS10": 0,
            "VersionTLS11": 1,
            "": 2,  # the default
            "VersionTLS12": 2,
            "VersionTLS13": 3,
        },
        "seccompDefault": {False: 0, True: 1},
        "imagePullCredentialsVerificationPolicy": {
            "NeverVerify": 0,
            # These two exempt different images: neither set contains the other.
            "NeverVerifyPreloadedImages": 1,
            "NeverVerifyAllowlistedImages": 1,
            "AlwaysVerify": 2,
        },
    },
}
"""Fields that a bundle never makes weaker than the node has them, with the strength of each value."""

ZERO_IS_UNLIMITED: Mapping[str, Mapping[str, int]] = {
    # Up to 1.36, with 0 Events are recorded at the rate of the client library: 5 a second.
    KUBELET_CONFIGURATION: {"registryPullQPS": 0, "eventRecordQPS": 37},
}
"""Fields of MAXIMA whose value 0 means no limit, with the minor from which on it does."""

NODE_DECIDES: Mapping[str, tuple[str, ...]] = {
    # A DNS server that pods ask can redirect all their connections.
    KUBELET_CONFIGURATION: ("clusterDNS", "resolvConf"),
}
"""Fields that a bundle never sets to another value than the node's own config has, if that sets them."""

_CIPHER_SUITES: Mapping[str, str] = {KUBELET_CONFIGURATION: "tlsCipherSuites"}


DenialsOfKind = Callable[[Mapping[str, Any], DenyPolicy], Iterator[Finding]]
"""Finds what a node refuses in a decoded document of a kind that DENIED_FIELDS cannot describe."""


class NodeValues(NamedTuple):
    """A node's own values for a kind: all of them (values), and those that are merged over every bundle (instance)."""

    values: Mapping[str, Any]
    instance: Mapping[str, Any]


def _denied(path: Path, message: str, value: Any) -> Finding:
    return Finding(path, message, RULE_DENIED, Level.POLICY, show(value, path))


def denied_value_findings(data: Mapping[str, Any], kind: str, node: Mapping[str, Any], minor: int) -> Iterator[Finding]:
    """Yield the fields of a decoded document whose values a node refuses; a field set to null is not set.

    node: the node's own values. A field that has the node's own value may be yielded too.
    """
    yield from _over_maximum(data, kind, minor)
    yield from _under_minimum(data, kind)
    yield from _weaker_values(data, kind, node, minor)
    yield from _weak_suites(data, kind, node)
    for field in NODE_DECIDES.get(kind, ()):
        if data.get(field) is not None and node.get(field) not in (None, []):
            message = f"the node's own config has another value: the field is denied, {_UNLESS_ALLOWED}"
            yield _denied((field,), message, data[field])


def _over_maximum(data: Mapping[str, Any], kind: str, minor: int) -> Iterator[Finding]:
    for field, maximum in MAXIMA.get(kind, {}).items():
        for path, value in matching_fields(data, field):
            if isinstance(value, (int, float)) and value > maximum:
                yield _denied(path, f"above {maximum} the field is denied, {_UNLESS_ALLOWED}", value)
    for field, since in ZERO_IS_UNLIMITED.get(kind, {}).items():
        if data.get(field) == 0 and minor >= since:
            yield _denied((field,), f"0 means no limit: the field is denied, {_UNLESS_ALLOWED}", 0)


def omission_findings(data: Mapping[str, Any], kind: str, node: NodeValues, minor: int) -> Iterator[Finding]:
    """Yield the fields that a decoded document does not set although the node would be weaker without them."""
    strengths = STRENGTHS.get(kind, {})
    fields = [field for field in strengths if data.get(field) is None and node.values.get(field) is not None]
    if fields:
        current = effective_values(node.values, _head(data), minor)
        resulting = effective_values(merge([data, node.instance]), _head(data), minor)
        for field in fields:
            yield from _if_weaker(
                field, value_at(resulting, (field,)), value_at(current, (field,)), "left out it is ", kind
            )
    field = _CIPHER_SUITES.get(kind, "")
    suites = node.values.get(field)
    strong = isinstance(suites, list) and bool(suites) and not any(is_weak_suite(suite) for suite in suites)
    if strong and not data.get(field) and not node.instance.get(field):
        message = f"left out it may be weaker than what the node has: denied, {_UNLESS_ALLOWED}"
        yield _denied((field,), message, None)


def _weaker_values(data: Mapping[str, Any], kind: str, node: Mapping[str, Any], minor: int) -> Iterator[Finding]:
    fields = [field for field in STRENGTHS.get(kind, {}) if data.get(field) is not None]
    if not fields:
        return
    effective = effective_values(node, _head(data), minor)
    for field in fields:
        yield from _if_weaker(field, data[field], value_at(effective, (field,)), "", kind)


def _head(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in HEAD_FIELDS if key in data}


def _if_weaker(field: str, value: Any, node_value: Any, prefix: str, kind: str) -> Iterator[Finding]:
    strengths = STRENGTHS[kind][field]
    strength, minimum = (_strength(strengths, "" if item is None else item) for item in (value, node_value))
    if strength is not None and minimum is not None and strength < minimum:
        than = f" {show(node_value, (field,))}" if node_value else ""
        yield _denied((field,), f"{prefix}weaker than what the node has{than}: denied, {_UNLESS_ALLOWED}", value)


def _under_minimum(data: Mapping[str, Any], kind: str) -> Iterator[Finding]:
    for field, minimum in MINIMA.get(kind, {}).items():
        value = data.get(field)
        seconds = _seconds(value)
        if seconds is not None and seconds != 0 and seconds < minimum:
            yield _denied((field,), f"below {minimum}s the field is denied, {_UNLESS_ALLOWED}", value)


def _seconds(value: Any) -> float | None:
    """Return a number or a duration in seconds; None for any other value, which other checks refuse."""
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ConfigError:
            return None
    return value if isinstance(value, (int, float)) else None


def _strength(strengths: _Strengths, value: Any) -> int | None:
    """Return how strong a value is; None for one that the table does not have, which other checks refuse."""
    return strengths.get(value) if isinstance(value, (str, bool)) else None


def _weak_suites(data: Mapping[str, Any], kind: str, node: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the cipher suites that Go calls insecure, except those that the node itself names."""
    field = _CIPHER_SUITES.get(kind, "")
    suites, node_suites = data.get(field), node.get(field)
    for index, suite in enumerate(suites if isinstance(suites, list) else ()):
        if is_weak_suite(suite) and suite not in (node_suites if isinstance(node_suites, list) else ()):
            yield _denied((field, index), f"a weak cipher suite is denied, {_UNLESS_ALLOWED}", suite)


def is_weak_suite(suite: Any) -> bool:
    """Return whether Go calls a cipher suite insecure, by its name."""
    name = str(suite)
    return name.startswith("TLS_RSA_") or name.endswith("_CBC_SHA256") or "_RC4_" in name or "_3DES_" in name


def node_values(kind: str, init: Any, instance: Any) -> NodeValues:
    """Return a node's own values for a kind: its init config with its instance config merged over it.

    A config of another kind has no value of this one.
    """
    layers = [
        layer if isinstance(layer, dict) and layer.get("kind", kind) == kind else {} for layer in (init, instance)
    ]
    return NodeValues(merge(layers), layers[1])


def denials(
    data: Any,
    policy: DenyPolicy,
    node: NodeValues,
    minor: int,
    by_kind: Mapping[str, DenialsOfKind] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Yield the fields of a decoded document that a node refuses, and those that the document must not leave out.

    node: as `node_values` returns it. A denied field is harmless and passes if it has the node's own value, defaults of
    the minor filled in. A field set to null is not set. by_kind: see OPTION_DENIALS; without them, no bundle may hold
    ComponentOptions.
    """
    if not isinstance(data, dict):
        return
    kind = str(data.get("kind", ""))
    if kind in by_kind:
        yield from by_kind[kind](data, policy)
        return
    if policy.denies_kind(kind) or kind == COMPONENT_OPTIONS:
        message = f"no bundle may hold a {kind or 'document without a kind'} here"
        advice = "unless the node's own config allows its fields (allowedFields)"
        yield _denied(("kind",), f"{message}, {advice}", data.get("kind"))
        return
    refused = list(_denied_field_findings(data, policy, kind))
    covered = [
        *(finding.path for finding in refused),
        *(path for path, _value in _matches_of_any(data, policy.allowed)),
    ]
    values = denied_value_findings(data, kind, node.values, minor)
    refused += [finding for finding in values if not is_below_any(finding.path, covered)]
    if refused:
        differing = effective_diff(node.values, merge([node.values, data]), (minor, minor))
        paths = [difference.change.field_path for difference in differing]
        yield from (finding for finding in refused if any(overlaps(finding.path, path) for path in paths))
    for finding in omission_findings(data, kind, node, minor):
        if not any(pattern in ("*", *finding.path) for pattern in policy.allowed):
            yield finding


def select_denied_fields(data: Any, policy: DenyPolicy, kind: str) -> dict[str, Any]:
    """Return the part of a decoded config that a policy denies in bundles, whatever a node's own values are.

    Objects are split, lists are not.
    """
    selected: dict[str, Any] = {}
    for finding in _denied_field_findings(data, policy, kind):
        names = _names_before_list(finding.path)
        target = selected
        for name in names[:-1]:
            target = target.setdefault(name, {})
        target[names[-1]] = value_at(data, tuple(names))
    return selected


def _names_before_list(path: Path) -> list[str]:
    """Return the part of a path before its first index."""
    return [part for part in takewhile(lambda part: isinstance(part, str), path) if isinstance(part, str)]


def _denied_field_findings(data: Any, policy: DenyPolicy, kind: str) -> Iterator[Finding]:
    """Yield the fields that a policy denies, each once."""
    allowed = [path for path, _value in _matches_of_any(data, policy.allowed)]
    seen: set[Path] = {(key,) for key in HEAD_FIELDS}
    for path, value in _matches_of_any(data, policy.patterns(kind)):
        for part_path, part in _not_allowed_parts(path, value, allowed):
            if part_path not in seen:
                seen.add(part_path)
                advice = "it belongs in the node's own config, unless that allows it (allowedFields)"
                yield _denied(part_path, f"the field is denied: {advice}", part)


def _matches_of_any(data: Any, patterns: Iterable[str]) -> Iterator[tuple[Path, Any]]:
    for pattern in patterns:
        yield from matching_fields(data, pattern)


def _not_allowed_parts(path: Path, value: Any, allowed: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
    """Yield a field, or only the parts that are not allowed of one that is allowed in part."""
    if is_below_any(path, allowed):
        return
    if isinstance(value, (dict, list)) and any(allowed_path[: len(path)] == path for allowed_path in allowed):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if part is not None:
                yield from _not_allowed_parts((*path, key), part, allowed)
    else:
        yield path, value


def unknown_field_patterns(patterns: Iterable[str], kind: str = "") -> list[str]:
    """Return the field patterns that match no field of a kind in any of its versions; without a kind, of any kind.

    The fields of a kind without data are not known, so that all patterns count as known.
    """
    schemas = [schema for schema in kinds() if kind in ("", schema.kind)]
    if not schemas:
        return []
    return [pattern for pattern in patterns if not any(schema.has_pattern(pattern) for schema in schemas)]
