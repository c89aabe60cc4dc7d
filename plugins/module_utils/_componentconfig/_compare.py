# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two configs, field by field, and what that asks of a node.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ._codec._document import Document
from ._codec._plain_values import canonical
from ._disruption import Disruption, check_overrides, disruption_classes, disruption_of, heaviest_class
from ._exceptions import ConfigError
from ._findings import show
from ._load import load
from ._scalars._duration import nanoseconds
from ._scalars._field_path import Path, format_path, lookup
from ._scalars._numbers import parse_quantity
from ._schema._defaults import apply_defaults
from ._schema._kinds import Kind, at_minor, find_kind, prune
from ._schema._releases import parse_known_minor

__all__ = [
    "Change",
    "Comparison",
    "FieldChange",
    "Side",
    "compare",
    "diff",
    "differences",
    "effective_diff",
    "effective_values",
]

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
    before, after = (effective_values(data, head, minor) for data, minor in zip((old, new), minors))
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


def effective_values(data: Any, head: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """A decoded config with the defaults of its kind at a minor; head: apiVersion and kind of one that has none."""
    given = {**head, **data} if isinstance(data, dict) else dict(head)
    kind = find_kind(given.get("apiVersion"), given.get("kind"))
    pruned = apply_defaults(given, kind, minor) if kind is not None else prune(given)
    return dict(pruned)


def _same(change: Change, kind: Kind, minor: int) -> bool:
    """Whether two values are one to the component, though they are written in two ways."""
    entry = _entries(change, kind)[-1]
    type_name = str(at_minor(entry, "type", minor)) if entry else ""
    try:
        if type_name.startswith("duration"):
            return _nanoseconds(change.old) == _nanoseconds(change.new)
        return type_name == "quantity" and parse_quantity(change.old) == parse_quantity(change.new)
    except (TypeError, ConfigError):
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


_WIDTH = 72


@dataclass(frozen=True)
class Side:
    """One of the two: its layers, each a file name and its text, lowest first, and the version that reads them.

    No layers are a config that says nothing: the component's defaults. "" is the newest version that the data cover.
    """

    layers: Sequence[tuple[str, str | bytes]] = ()
    version: str = ""


@dataclass(frozen=True)
class Comparison:
    """The fields that differ, the heaviest class among them (None where none does), and both effective configs."""

    changes: list[FieldChange]
    heaviest: str | None
    both: tuple[dict[str, Any], dict[str, Any]]

    @property
    def lines(self) -> list[str]:
        """The changes as lines for people, and what the heaviest asks."""
        if self.heaviest is None:
            return ["no field differs"]
        width = min(max(len(str(one)) for one in self.changes), _WIDTH)
        shown = [
            f"{one!s:{width}}  [{one.disruption}]" + (f"  ({one.place})" if one.place else "") for one in self.changes
        ]
        return [*shown, f"all in all: {self.heaviest}: {disruption_classes()[self.heaviest]}"]


def compare(before: Side, after: Side, overrides: Mapping[str, str] | None = None) -> Comparison:
    """Compare the effective configs of two sides; overrides: classes of disruption by field path.

    Raises ComponentConfigError with a sentence for a layer that cannot be used, for two kinds, for a version or an
    override that is none, and ImportError where PyYAML is missing.
    """
    documents = [_document(side.layers) for side in (before, after)]
    old, new = (document.data if document else {} for document in documents)
    kinds = [str(data["kind"]) for data in (old, new) if data]
    if not kinds:
        raise ConfigError("there is nothing to compare: neither side has a config")
    if len(set(kinds)) > 1:
        raise ConfigError(f"{kinds[0]} and {kinds[1]} cannot be compared: both must be of one kind")
    _refuse_unknown([document for document in documents if document])
    minors = parse_known_minor(before.version), parse_known_minor(after.version)
    head = {key: (new or old)[key] for key in ("apiVersion", "kind")}
    changes = [replace(one, place=_place(documents[1], one)) for one in effective_diff(old, new, minors, overrides)]
    worst = heaviest_class(one.disruption.name for one in changes)
    return Comparison(changes, worst, (effective_values(old, head, minors[0]), effective_values(new, head, minors[1])))


def _refuse_unknown(documents: Sequence[Document]) -> None:
    """Raise for one version of a kind that is known and one that is not, as no component reads both."""
    unknown = [one for one in documents if find_kind(one.data["apiVersion"], one.data["kind"]) is None]
    if 0 < len(unknown) < len(documents):
        data = unknown[0].data
        place = unknown[0].file_of(("apiVersion",))
        raise ConfigError(f"{place}: {data['apiVersion']} {data['kind']} is no kind that is known here")


def _document(layers: Sequence[tuple[str, str | bytes]]) -> Document | None:
    if not layers:
        return None
    rendered = load(layers)
    if rendered.document is None:
        raise ConfigError(str(rendered.findings[0]))
    return rendered.document


def _place(document: Document | None, one: FieldChange) -> str:
    """The layer and line that say the new value; "" for a default."""
    path = one.change.parts
    if document is None or lookup(document.data, path) is None:
        return ""
    line = document.line_of(path)
    return document.file_of(path) + ("" if line is None else f":{line}")
