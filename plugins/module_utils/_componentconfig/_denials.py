# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of a bundle's document a node refuses, by its deny policy and by the values that it has of its own.

Private to configok.node: no compatibility is promised. The node and the control side decide by this one function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from ._denied_fields import DenyPolicy
from ._denied_values import OwnValues, denied_values, left_out
from ._diff import effective_diff
from ._kinds._schema import Kind, kinds
from ._kinds._types import Problem
from ._merge import merge
from ._policy import matching_fields
from ._values._paths import Path, lookup

__all__ = ["denials", "denied_fields", "own_values", "unknown_fields"]

_HEAD = (("apiVersion",), ("kind",))


def own_values(kind: str, init: Any, instance: Any) -> OwnValues:
    """Return what a node has of its own for a kind: its init config with its instance config laid over it.

    A config of another kind has no value of this one.
    """
    layers = [
        layer if isinstance(layer, dict) and layer.get("kind", kind) == kind else {} for layer in (init, instance)
    ]
    return OwnValues(merge(layers), layers[1])


def denials(data: Any, policy: DenyPolicy, own: OwnValues, minor: int) -> Iterator[Problem]:
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
        yield Problem(("kind",), f"{message}, {advice}", "denied", data.get("kind"))
        return
    refused = list(_fields(data, policy, kind))
    judged = [*(problem.path for problem in refused), *(path for path, _value in _all_matching(data, policy.allowed))]
    refused += [one for one in denied_values(data, kind, own.values, minor) if not _covered(one.path, judged)]
    if refused:
        changes = [one.change.parts for one in effective_diff(own.values, merge([own.values, data]), (minor, minor))]
        yield from (one for one in refused if any(_overlap(one.path, change) for change in changes))
    for problem in left_out(data, kind, own, minor):
        if not any(pattern in ("*", *problem.path) for pattern in policy.allowed):
            yield problem


def denied_fields(data: Any, policy: DenyPolicy, kind: str) -> dict[str, Any]:
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


def _fields(data: Any, policy: DenyPolicy, kind: str) -> Iterator[Problem]:
    """Yield the fields that a policy denies, each once."""
    allowed = [path for path, _value in _all_matching(data, policy.allowed)]
    seen: set[Path] = set(_HEAD)
    for path, value in _all_matching(data, policy.patterns(kind)):
        for left, part in _without(path, value, allowed):
            if left not in seen:
                seen.add(left)
                advice = "it belongs in the node's own config, unless that allows it (allowedFields)"
                yield Problem(left, f"the field is denied: {advice}", "denied", part)


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
