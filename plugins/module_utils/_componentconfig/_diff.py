# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two configs, field by field, and what that asks of a node.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._disruption import Disruption, check_overrides, disruption_of
from ._documents._findings import show
from ._kinds._defaults import defaulted
from ._kinds._schema import Kind, at_minor, find_kind, prune
from ._values._canonical import canonical
from ._values._duration import nanoseconds
from ._values._paths import Path, format_path, lookup
from ._values._quantity import parse_quantity

__all__ = ["Change", "FieldChange", "diff", "differences", "effective_diff", "resolved"]

_HEAD = ("apiVersion", "kind")


@dataclass(frozen=True)
class Change:
    """One field that differs; None stands for absent."""

    path: str
    old: Any
    new: Any
    parts: Path = field(default=(), compare=False)


@dataclass(frozen=True)
class FieldChange:
    """One field in which two effective configs differ, what changing it asks of a node, and which file and line say the
    new value ("" for a default, or where that is not known)."""

    change: Change
    disruption: Disruption
    place: str = ""

    def __str__(self) -> str:
        before, after = self.shown
        return f"{self.change.path}: {before or '<unset>'} -> {after or '<unset>'}"

    @property
    def shown(self) -> tuple[str | None, str | None]:
        """Both values as short text; None for absent, secrets never in clear."""
        return show(self.change.old, self.change.parts), show(self.change.new, self.change.parts)

    def as_dict(self) -> dict[str, Any]:
        """It as plain data, for a module's result."""
        before, after = self.shown
        return {"path": self.change.path, "before": before, "after": after, **self.disruption.as_dict()}


def effective_diff(
    old: Any, new: Any, minors: tuple[int, int], overrides: Mapping[str, str] | None = None
) -> list[FieldChange]:
    """The fields in which two decoded configs differ once defaults are filled in, as components of two minors do.

    What means the same is the same: null and absent, also an empty value where neither a default nor a pointer gives it
    a meaning; a default written out; `60s` and `1m`. One of the two may be empty: it is then the defaults of the
    other's kind. overrides: the user's own classes of disruption by field path; raises ValueError for one that is none.
    """
    head = {key: data[key] for data in (old, new) if isinstance(data, dict) for key in _HEAD if data.get(key)}
    before, after = (resolved(data, head, minor) for data, minor in zip((old, new), minors))
    kind = find_kind(head.get("apiVersion"), head.get("kind"))
    check_overrides(overrides or {}, kind)
    found = []
    for change in differences(before, after, kind, minors[1]):
        said = any(lookup(data, change.parts) is not None for data in (old, new))
        by_version = kind is not None and not said and _of_one_version(change, kind, minors)
        asked = disruption_of(
            change.parts, str(head.get("kind")), minors[1], (before, after), overrides, by_version=by_version
        )
        found.append(FieldChange(change, asked))
    return found


def differences(before: Any, after: Any, kind: Kind | None, minor: int) -> list[Change]:
    """The fields in which two resolved configs of a kind differ to a component of a minor, however they are written."""
    return [change for change in diff(before, after) if kind is None or not _same(change, kind, minor)]


def _of_one_version(change: Change, kind: Kind, minors: tuple[int, int]) -> bool:
    """Whether only the later of two minors has the field."""
    return None in (change.old, change.new) and any(one.get("since", 0) > min(minors) for one in _entries(change, kind))


def _entries(change: Change, kind: Kind) -> list[Mapping[str, Any]]:
    fields, entries = kind.fields, list[Mapping[str, Any]]()
    for part in change.parts:
        entries.append(fields.get(str(part), {}))
        fields = entries[-1].get("fields", {})
    return entries


def resolved(data: Any, head: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """A decoded config with the defaults of its kind at a minor; head: apiVersion and kind of one that has none."""
    given = {**head, **data} if isinstance(data, dict) else dict(head)
    kind = find_kind(given.get("apiVersion"), given.get("kind"))
    pruned = defaulted(given, kind, minor) if kind is not None else prune(given)
    return dict(pruned)


def _same(change: Change, kind: Kind, minor: int) -> bool:
    """Whether two values are one to the component, though they are written in two ways."""
    entry = _entries(change, kind)[-1]
    type_name = str(at_minor(entry, "type", minor)) if entry else ""
    try:
        if type_name.startswith("duration"):
            return _nanoseconds(change.old) == _nanoseconds(change.new)
        return type_name == "quantity" and parse_quantity(change.old) == parse_quantity(change.new)
    except (TypeError, ValueError):
        return False


def _nanoseconds(value: Any) -> int:
    return value if isinstance(value, int) else nanoseconds(value)


def diff(old: Any, new: Any) -> list[Change]:
    """The fields in which two decoded configs differ, in the order of their paths.

    Objects and maps are compared by key, lists as wholes; null is absent.
    """
    changes: list[Change] = []
    _compare(old, new, (), changes)
    return sorted(changes, key=lambda change: change.path)


def _compare(old: Any, new: Any, path: Path, changes: list[Change]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _compare(old.get(key), new.get(key), path + (key,), changes)
    elif isinstance(old, dict) and old and new is None:
        for key, value in old.items():
            _compare(value, None, path + (key,), changes)
    elif isinstance(new, dict) and new and old is None:
        for key, value in new.items():
            _compare(None, value, path + (key,), changes)
    elif canonical(old) != canonical(new):
        changes.append(Change(format_path(path), old, new, path))
