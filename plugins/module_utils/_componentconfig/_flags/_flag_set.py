# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Know a component's flags and apply a command line to a config."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Literal, cast

from .. import ConfigError
from .._scalars._unexpanded import is_unexpanded, without_unexpanded_parts
from .._scalars.field_path import Path, value_at
from .._schema._feature_gates import FeatureGates
from .._schema.kinds import Kind, fact_at
from .._schema.overlays import OverlayFlag, ReleaseOverlay, overlays
from .._schema.releases import by_name
from ..findings import Level
from ._flag_values import refused_values
from ._pflag import REPEATABLE, Flag, FlagUse, FlagVariant, MigrationAdvice, parse_command_line, parse_flag_value
from .kubelet_flags import FEATURE_GATES

_COMMA_FORMS: frozenset[str] = frozenset(
    ("list", "looseMap", "map", "mapBool", "mapLess", "stringToString", "taints", "intList", "vmodule")
)


@dataclass(frozen=True)
class FlagSet:
    """The flags of a component by name.

    ignored_with_file: with a file the component ignores the flags that have a field. has_own_releases: its flags do not
    follow from the minor of Kubernetes, so that it may have more than these. until: the last minor whose flags were
    read, None if `release_layers` says it.
    """

    component: str
    flags: Mapping[str, Flag]
    ignored_with_file: bool
    has_own_releases: bool = False
    until: int | None = None

    def are_read(self, minor: int) -> bool:
        """Return whether a flag that is not among these is none of a minor, as far as the component says."""
        return self.until is None or minor <= self.until

    def win_over_file(self, flag: Flag, minor: int) -> bool:
        """Return whether one of the flags wins over the component's file at a minor."""
        return not self.ignored_with_file or (flag.wins_since is not None and flag.wins_since <= minor)

    def on_command_line(self, uses: Iterable[FlagUse], minor: int) -> FlagSet:
        """Return the flags with the fields and defaults that they have on a command line at a minor."""
        values = {use.name: use.value for use in uses}
        changed = {name: flag.with_values(values, minor) for name, flag in self.flags.items() if flag.variants}
        return replace(self, flags={**self.flags, **changed}) if changed else self


_NEW_FLAG = "it is new with this release, and no field of the file is known for it"
# The types of values in help texts. Any other one is read as text, which takes every value.
_FORMS_OF_TYPES: Mapping[str, str] = {
    "": "bool",
    "int": "int",
    "int32": "int32",
    "int64": "int",
    "Level": "int",
    "float": "float",
    "float32": "float",
    "float64": "float",
    "duration": "duration",
    "strings": "list",
    "stringSlice": "list",
    "mapStringString": "map",
    "mapStringBool": "mapBool",
}


@lru_cache(maxsize=1)
def _flag_data() -> dict[str, Any]:
    from .._data._component_flags import FLAGS

    return cast("dict[str, Any]", json.loads(FLAGS))


def components_with_flags() -> tuple[str, ...]:
    """Return the components whose flags are known."""
    return tuple(_flag_data())


def flag_set(component: str) -> FlagSet | None:
    """Return the flags of a component, None if they are not known."""
    return _flag_set(component, overlays())


@cache
def _flag_set(component: str, added: tuple[ReleaseOverlay, ...]) -> FlagSet | None:
    facts = _flag_data().get(component)
    if facts is None:
        return None
    reasons = {name: " ".join(pieces) for name, pieces in facts["reasons"].items()}
    flags = {name: _flag(name, row, reasons) for name, row in sorted(by_name(facts["flags"]).items())}
    return FlagSet(component, _with_overlays(flags, component, added), facts["ignoresFlags"])


def _with_overlays(flags: Mapping[str, Flag], component: str, added: tuple[ReleaseOverlay, ...]) -> Mapping[str, Flag]:
    """Return the flags of a component with what release data add."""
    for overlay in added:
        if component in overlay.flags:
            flags = _with_overlay(flags, overlay.flags[component], overlay.minor)
    return flags


def _with_overlay(flags: Mapping[str, Flag], shown: Mapping[str, OverlayFlag], minor: int) -> dict[str, Flag]:
    """Return the flags with those that a release adds, and the last minor of those that it drops."""
    result = {
        name: replace(flag, last=minor - 1) if name not in shown and flag.known_at(minor) else flag
        for name, flag in flags.items()
    }
    for name, flag in shown.items():
        if name not in flags or not flags[name].known_at(minor):
            form = _FORMS_OF_TYPES.get(flag.type, "string")
            result[name] = Flag(name, form, since=minor, advice=MigrationAdvice(keep=_NEW_FLAG))
    return result


def _flag(name: str, row: Mapping[str, Any], reasons: Mapping[str, str]) -> Flag:
    defaults = row.get("defaults") or ([[0, row["default"]]] if "default" in row else [])
    return Flag(
        name,
        form=row.get("type", "string"),
        field=_field_path(name, row.get("field", "")),
        since=row.get("since", 0),
        last=row.get("last"),
        advice=MigrationAdvice(
            keep=reasons.get(row.get("stays", ""), ""),
            drop=" ".join(row.get("gone", ())),
            refuse=" ".join(row.get("refused", ())),
            refuse_empty=" ".join(row.get("refusedEmpty", ())),
            replaced_by=row.get("becomes", ""),
        ),
        is_of_node=row.get("stays") == "node",
        port_of=row.get("portOf", ""),
        wins_since=row.get("winsOverFile"),
        only_enables=row.get("onlyOn", False),
        only_without_file=row.get("onlyWithoutFile", False),
        list_position=row.get("adds", ""),
        defaults=tuple((since, value) for since, value in defaults),
        own_defaults=tuple((since, value) for since, value in row.get("ownDefaults", ())),
        values=tuple((since, values) for since, values in row.get("values", ())),
        variants=tuple(map(_variant, row.get("with", ()))),
    )


def _field_path(flag: str, field: str | Literal[True]) -> Path:
    """Return the path of a flag's field, () for "". True stands for the field of the flag's name in camel case."""
    if field is True:
        first, *words = flag.split("-")
        return (first + "".join(map(str.capitalize, words)),)
    return tuple(field.split(".")) if field else ()


def _variant(row: Mapping[str, Any]) -> FlagVariant:
    field = _field_path(row["flag"], row.get("field", ""))
    return FlagVariant(row["flag"], row["value"], row["since"], field, row.get("default"))


def known_flags(component: str) -> FlagSet | None:
    """Return the flags of a component, also of one that flags alone configure; None if they are not known."""
    return flag_set(component) or _flags_alone(component, overlays())


@cache
def _flags_alone(component: str, added: tuple[ReleaseOverlay, ...]) -> FlagSet | None:
    from .._data._control_plane_flags import FLAGS  # a node with a kubelet alone does not need them

    data = json.loads(FLAGS)
    if component not in data["own"]:
        return None
    parts = (data["shared"], data["own"][component])
    rows = [(form, row) for part in parts for form, rows in part.items() for row in rows]
    flags = {flag.name: flag for form, row in rows for flag in [_flag_of_row(form, row)]}
    has_own_releases = component in data["ownReleases"]
    until = max([data["until"], *(overlay.minor for overlay in added if component in overlay.flags)])
    return FlagSet(component, _with_overlays(flags, component, added), False, has_own_releases, until)


def _flag_of_row(form: str, row: Any) -> Flag:
    """Return the flag of a name, or of a row of its name, first minor, last minor and values."""
    if isinstance(row, str):
        return Flag(row, form)
    name, since, last, values = [*row, []][:4]
    return Flag(name, form, since=since, last=last, values=tuple((first, allowed) for first, allowed in values))


def apply_flags(data: Any, argv: Sequence[str], kind: Kind, minor: int) -> tuple[Any, dict[Path, str]]:
    """Return the decoded config with the flags of a command line merged over it, and the flag of each field set so.

    ``argv`` begins with the program. A flag wins over its whole field, feature gates by key; a few add to a list. A
    flag whose value the kubelet would refuse, or that has an unexpanded variable is left out, as is one whose field the
    minor does not have.
    """
    flags = flag_set(kind.component)
    if not isinstance(data, dict) or flags is None:
        return data, {}
    result, origins = dict(data), {}
    command_line = parse_command_line(argv[1:], flags.flags)
    uses = values_by_flag(command_line.uses, flags.on_command_line(command_line.uses, minor).flags)
    plain = {flag.name: plain_values(flag.form, values) for flag, values in uses}
    for flag, values in uses:
        entry = kind.entry_at(flag.field, minor)
        is_partial = flag.field != (FEATURE_GATES,) and any(map(is_unexpanded, values))
        if entry is None or is_partial or _is_refused(kind.component, flag, plain, minor):
            continue
        try:
            value = parse_flag_value(flag.form, plain[flag.name], str(fact_at(entry, "type", minor)))
        except ConfigError:
            continue
        if flag.only_enables and not value:
            continue
        result = set_field(result, flag.field, combine_with_file(flag, result, value))
        paths = [(*flag.field, key) for key in value] if flag.field == (FEATURE_GATES,) else [flag.field]
        origins.update(dict.fromkeys(paths, f"--{flag.name}"))
    return result, origins


def values_without_field(arguments: Sequence[str], kind: Kind, minor: int) -> dict[Path, Any]:
    """Return what the flags set that become fields later than a minor: by the field's path, given or by default.

    arguments: the command line without the program.
    """
    flags = flag_set(kind.component)
    if flags is None:
        return {}
    uses = parse_command_line(arguments, flags.flags).uses
    texts_by_name = {flag.name: texts for flag, texts in values_by_flag(uses, flags.flags)}
    values: dict[Path, Any] = {}
    for flag in flags.flags.values():
        entries = kind.entries_along(flag.field) if flag.known_at(minor) else []
        since = max((entry.get("since", 0) for entry in entries), default=0)
        if since <= minor or not flags.win_over_file(flag, minor):
            continue
        try:
            if flag.name in texts_by_name:
                value = parse_flag_value(flag.form, texts_by_name[flag.name], str(fact_at(entries[-1], "type", since)))
            else:
                value = flag.own_default_at(minor)
                value = fact_at(entries[-1], "default", since) if value is None else value
        except ConfigError:
            continue
        if value not in (None, "", [], {}):
            values[flag.field] = value
    return values


def _is_refused(component: str, flag: Flag, uses: Mapping[str, Sequence[str]], minor: int) -> bool:
    """Return whether a rule about a flag's values refuses them, apart from rules that a feature gate decides."""
    gates = FeatureGates(minor, {})
    refused = refused_values(component, flag.name, uses, minor, gates, knows_file=False)
    return any(level is Level.COMPONENT for _rule, _message, level in refused)


def plain_values(form: str, values: Sequence[str]) -> list[str]:
    """Return the values, or parts of them, without unexpanded variables.

    Returns no values if the last one decides and has a variable.
    """
    if form in _COMMA_FORMS:
        return [without_unexpanded_parts(value) for value in values]
    if form not in REPEATABLE and values and is_unexpanded(values[-1]):
        return []
    return [value for value in values if not is_unexpanded(value)]


def combine_with_file(flag: Flag, data: Mapping[str, Any], value: Any) -> Any:
    """Return the field's value with a flag: the flag's value alone, or added to the list of the data."""
    present = value_at(data, flag.field) if flag.list_position else None
    if not isinstance(present, list):
        return value
    return [*present, *value] if flag.list_position == "behind" else [*value, *present]


def values_by_flag(uses: Iterable[FlagUse], flags: Mapping[str, Flag]) -> list[tuple[Flag, list[str]]]:
    """Return the known flags, in the order of their last use, each with the values of all its uses."""
    values_by_name: dict[str, list[str]] = {}
    for use in uses:
        if use.name in flags:
            values_by_name[use.name] = [*values_by_name.pop(use.name, ()), use.value]
    return [(flags[name], values) for name, values in values_by_name.items()]


def set_field(data: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with a value at a path; feature gates are merged by key, anything else is replaced."""
    name = str(path[0])
    present = data.get(name)
    if len(path) > 1:
        value = set_field(present if isinstance(present, Mapping) else {}, path[1:], value)
    elif name == FEATURE_GATES and isinstance(present, Mapping):
        value = {**present, **value}
    return {**data, name: value}
