# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare two configs by their effective values and say what each change asks of a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import ConfigError
from ._codec.document import Document
from ._codec.plain_values import HEAD_FIELDS, canonical
from ._field_notes import NotedConfig, meanings_of_field
from ._options import COMPONENT_OPTIONS
from ._scalars.duration import nanoseconds
from ._scalars.field_path import Path, format_path, value_at
from ._scalars.numbers import parse_quantity
from ._schema._defaults import apply_defaults
from ._schema._option_forms import OPTION_FORMS
from ._schema.kinds import STATIC_POD, Kind, fact_at, find_kind, nested_objects, prune
from ._schema.releases import known_minor_of, minors_from
from .certainty import missing_layer_findings
from .disruption import Disruption, check_overrides, disruption_of, heaviest_class
from .findings import NotJudged, not_judged_causes, show
from .load import Config


@dataclass(frozen=True)
class Change:
    """One field that differs; None stands for absent."""

    path: str
    old: Any
    new: Any
    field_path: Path = field(default=(), compare=False)


@dataclass(frozen=True)
class FieldChange:
    """One field in which two effective configs differ, and what changing it asks of a node.

    source: the file and line that set the new value, "" if they are not known or it is a default. value_meaning: what
    the new value means since a release, "" if no release has changed it.
    """

    change: Change
    disruption: Disruption
    source: str = ""
    value_meaning: str = ""

    def __str__(self) -> str:
        before, after = self.shown
        return f"{self.change.path}: {before or '<unset>'} -> {after or '<unset>'}"

    @property
    def shown(self) -> tuple[str | None, str | None]:
        """Both values as short text without secrets; None for absent."""
        return show(self.change.old, self.change.field_path), show(self.change.new, self.change.field_path)

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data, for a module's result."""
        before, after = self.shown
        change = {"path": self.change.path, "before": before, "after": after, **self.disruption.as_dict()}
        return {**change, "value_meaning": self.value_meaning} if self.value_meaning else change


_MAX_WIDTH = 72


@dataclass(frozen=True)
class Comparison:
    """The fields that differ, the heaviest class among them (None without any), and both effective configs.

    not_judged: what the data do not have of a release of one side.
    """

    changes: list[FieldChange]
    heaviest: str | None
    effective: tuple[dict[str, Any], dict[str, Any]]
    not_judged: Sequence[NotJudged] = ()

    @property
    def lines(self) -> list[str]:
        """The changes as human-readable lines, what was not judged, and what the heaviest change asks."""
        not_judged = [f"not judged: {cause}" for cause in self.not_judged]
        if self.heaviest is None:
            return ["no field differs" + (", as far as the data say" if not_judged else ""), *not_judged]
        width = min(max(len(str(change)) for change in self.changes), _MAX_WIDTH)
        rows = []
        for change in self.changes:
            place = f"  ({change.source})" if change.source else ""
            rows.append(f"{change!s:{width}}  [{change.disruption}]{place}")
            rows += [change.value_meaning] if change.value_meaning else []
        return [*rows, *not_judged, f"overall: {summary_of(self.changes)}"]


def summary_of(changes: Sequence[FieldChange]) -> str:
    """Return the heaviest class of some changes, at least one, and its meaning for each component that it is of."""
    heaviest = heaviest_class(change.disruption.name for change in changes)
    meanings = dict.fromkeys(change.disruption.meaning for change in changes if change.disruption.name == heaviest)
    return f"{heaviest}: {'; '.join(meanings)}"


def compare(
    before: Config | None,
    after: Config | None,
    versions: tuple[str, str] = ("", ""),
    overrides: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two effective configs; None stands for the component's defaults.

    versions: the Kubernetes versions of the component that reads each, "" for the newest that the data cover.
    overrides: the user's own classes of disruption, by field path.

    Raises ConfigError without any config, for two kinds, for an unknown version and for an override that cannot be.
    """
    configs = [config for config in (before, after) if config is not None]
    if not configs:
        raise ConfigError("there is nothing to compare: neither side has a config")
    names = [str(config.data["kind"]) for config in configs]
    if len(set(names)) > 1:
        raise ConfigError(f"{names[0]} and {names[1]} cannot be compared: both must be of one kind")
    _require_known_kinds(configs)
    old, new = (config.data if config is not None else {} for config in (before, after))
    minors = known_minor_of(versions[0]), known_minor_of(versions[1])
    head = {key: configs[-1].data[key] for key in HEAD_FIELDS}
    document = after.document if after is not None else None
    changes = [
        replace(
            change,
            source=source_of(change, document),
            value_meaning=_value_meaning(change, after, max(minors)),
        )
        for change in effective_diff(old, new, minors, overrides)
    ]
    heaviest = heaviest_class(change.disruption.name for change in changes)
    effective = effective_values(old, head, minors[0]), effective_values(new, head, minors[1])
    missing = [finding for minor in dict.fromkeys(minors) for finding in missing_layer_findings(minor)]
    return Comparison(changes, heaviest, effective, not_judged_causes(missing))


def _value_meaning(change: FieldChange, config: Config | None, minor: int) -> str:
    """Return what releases up to a minor have changed about the new value of a field, "" for nothing."""
    kind = config.kind if config is not None else None
    if config is None or kind is None:
        return ""
    settings = config.data.get("featureGates")
    noted = NotedConfig(kind, config.data, settings if isinstance(settings, Mapping) else {})
    return "; ".join(map(str, meanings_of_field(noted, change.change.field_path, minor)))


def _require_known_kinds(configs: Sequence[Config]) -> None:
    """Raise ConfigError if one API version of a kind is known and the other is not: no component reads both."""
    unknown = [config for config in configs if config.kind is None]
    if 0 < len(unknown) < len(configs):
        data = unknown[0].data
        file = unknown[0].document.file_of(("apiVersion",))
        raise ConfigError(f"{file}: {data['apiVersion']} {data['kind']} is not a known kind")


def source_of(change: FieldChange, document: Document | None) -> str:
    """Return the layer and line that set the new value, "" for a default."""
    path = change.change.field_path
    if document is None or value_at(document.data, path) is None:
        return ""
    line = document.line_of(path)
    return document.file_of(path) + ("" if line is None else f":{line}")


def effective_diff(
    old: Any,
    new: Any,
    minors: tuple[int, int],
    overrides: Mapping[str, str] | None = None,
    beyond: Sequence[Mapping[Path, Any]] = ({}, {}),
) -> list[FieldChange]:
    """Return the fields in which two decoded configs differ to components of two minors, defaults filled in.

    Values with the same meaning are equal: null and absent, an empty value unless a default or a pointer gives it a
    meaning, a default written out, `60s` and `1m`. One of the two may be empty: it then stands for
    the defaults of the other's kind. overrides: the user's own classes of disruption, by field path. beyond: what each
    side has from elsewhere, by field path. Raises ConfigError for an override that cannot be.
    """
    sides = [data for data in (old, new) if isinstance(data, dict)]
    is_options = any(data.get("kind") == COMPONENT_OPTIONS for data in sides)
    keys = (*HEAD_FIELDS, "component") if is_options else HEAD_FIELDS
    head = {key: data[key] for data in sides for key in keys if data.get(key)}
    before, after = (
        _with_values(effective_values(data, head, minor), values)
        for data, minor, values in zip((old, new), minors, beyond)
    )
    kind = find_kind(head.get("apiVersion"), head.get("kind"))
    check_overrides(overrides or {}, kind)
    changes = []
    for change in effective_differences(before, after, kind, minors[1]):
        by_version = (
            kind is not None
            and _is_new_in_later_minor(change, kind, minors)
            and (not is_written(change, (old, new)) or is_default(change, kind, minors))
        )
        disruption = disruption_of(
            change.field_path,
            str(head.get("kind")),
            minors[1],
            (before, after),
            overrides,
            from_version_change=by_version,
        )
        changes.append(FieldChange(change, disruption))
    return changes


def _with_values(data: dict[str, Any], values: Mapping[Path, Any]) -> dict[str, Any]:
    for (*parents, name), value in values.items():
        place: dict[Any, Any] = data
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = value
    return data


def effective_differences(before: Any, after: Any, kind: Kind | None, minor: int) -> list[Change]:
    """Return the fields in which two effective configs of a kind differ to a component, however they are written."""
    return [change for change in diff(before, after) if kind is None or not is_same_value(change, kind, minor)]


def is_written(change: Change, sides: Iterable[Any]) -> bool:
    """Return whether one of two decoded configs sets the field of a change."""
    return any(value_at(data, change.field_path) is not None for data in sides)


def is_default(change: Change, kind: Kind, minors: tuple[int, int]) -> bool:
    """Return whether both values of a change are what the minor uses anyway, however they are written."""
    head = {"apiVersion": kind.api_version, "kind": kind.kind}
    for value, minor in zip((change.old, change.new), minors):
        default = value_at(effective_values({}, head, minor), change.field_path)
        pair = replace(change, old=default, new=value)
        if not is_equal(default, value) and not is_same_value(pair, kind, minor):
            return False
    return True


def _is_new_in_later_minor(change: Change, kind: Kind, minors: tuple[int, int]) -> bool:
    """Return whether only the later of two minors has the field."""
    entries = kind.entries_along(change.field_path)
    return None in (change.old, change.new) and any(entry.get("since", 0) > min(minors) for entry in entries)


def effective_values(data: Any, head: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """Return a decoded config with its kind's defaults at a minor. head: apiVersion and kind, if it has none."""
    values = {**head, **data} if isinstance(data, dict) else dict(head)
    kind = find_kind(values.get("apiVersion"), values.get("kind"))
    if kind is not None and kind.component == STATIC_POD and OPTION_FORMS:
        return OPTION_FORMS[0].effective(values, lambda content: effective_values(content, {}, minor))
    return dict(apply_defaults(values, kind, minor) if kind is not None else prune(values))


def is_same_value(change: Change, kind: Kind, minor: int) -> bool:
    """Return whether the component reads two values as one, though they are written differently."""
    entry = kind.entries_along(change.field_path)[-1]
    type_name = str(fact_at(entry, "type", minor)) if entry else ""
    try:
        if type_name.startswith("duration"):
            return _nanoseconds(change.old) == _nanoseconds(change.new)
        return type_name == "quantity" and parse_quantity(change.old) == parse_quantity(change.new)
    except (TypeError, ConfigError):
        return False


def _nanoseconds(value: Any) -> int:
    return value if isinstance(value, int) else nanoseconds(value)


def diff(old: Any, new: Any) -> list[Change]:
    """Return the fields in which two decoded configs differ, by path. Lists are compared as wholes; null is absent."""
    changes: list[Change] = []
    _collect_changes(old, new, (), changes)
    return sorted(changes, key=lambda change: change.path)


def _collect_changes(old: Any, new: Any, path: Path, changes: list[Change]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _collect_changes(old.get(key), new.get(key), path + (key,), changes)
    elif isinstance(old, dict) and old and new is None:
        for key, value in old.items():
            _collect_changes(value, None, path + (key,), changes)
    elif isinstance(new, dict) and new and old is None:
        for key, value in new.items():
            _collect_changes(None, value, path + (key,), changes)
    elif canonical(old) != canonical(new):
        changes.append(Change(format_path(path), old, new, path))


def is_same_config(old: Any, new: Any, version: str = "") -> bool:
    """Return whether a component reads the same from two decoded configs; False when that is not certain.

    Defaults and nullability decide, field by field: `maxPods: 110` and `clusterDNS: []` are what a kubelet does anyway,
    while `evictionHard: {}` switches a default off. The answer holds for the component of this Kubernetes version and
    of every later one that the data cover, because the file stays when the component is upgraded. With "" the version
    is unknown, and all minors must agree. Raises ConfigError for a version that cannot be parsed.
    """
    minors = minors_from(version)
    if is_equal(old, new):
        return True
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    heads = [(data.get("apiVersion"), data.get("kind")) for data in (old, new)]
    kind = find_kind(*heads[0])
    if kind is None or heads[0] != heads[1] or not minors:
        return False
    if not is_equal(*(_unknown_parts(data, kind.fields) for data in (old, new))):
        return False
    return not any(effective_diff(old, new, (minor, minor)) for minor in minors)


def is_equal(old: Any, new: Any) -> bool:
    """Return whether two decoded configs hold the same values."""
    try:
        return canonical(old) == canonical(new)
    except ConfigError:
        return False  # dates and the like, which JSON cannot hold


def _unknown_parts(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an object that the data know at no minor: their meaning is not known either."""
    result: dict[str, Any] = {}
    for key, value in data.items():
        entry = fields.get(key)
        if entry is None:
            result[key] = value
        elif "fields" in entry:
            unknown_items = [
                (path, _unknown_parts(item, entry["fields"])) for path, item in nested_objects(value, entry)
            ]
            if any(unknown for _path, unknown in unknown_items):
                result[key] = unknown_items
    return result
