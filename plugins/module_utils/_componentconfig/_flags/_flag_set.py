# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a component's flags: their form, the field each stands for, the versions that have it.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from .._exceptions import ConfigError
from .._scalars._field_path import Path, lookup
from .._schema._kinds import Kind, at_minor
from ._kubelet_flags import FEATURE_GATES
from ._pflag import Flag, FlagUse, parse_command_line, parse_flag_value

__all__ = [
    "FlagSet",
    "combine_with_file",
    "components_with_flags",
    "field_at",
    "flag_set",
    "set_field",
    "values_by_flag",
    "apply_flags",
]


@dataclass(frozen=True)
class FlagSet:
    """The flags of a component by name. ignores_flags: beside a file it ignores those that stand for fields."""

    component: str
    flags: Mapping[str, Flag]
    ignores_flags: bool


@lru_cache(maxsize=1)
def _flag_data() -> dict[str, Any]:
    from .._data._component_flags import FLAGS

    return cast("dict[str, Any]", json.loads(FLAGS))


def components_with_flags() -> tuple[str, ...]:
    """The components whose flags are known."""
    return tuple(_flag_data())


@cache
def flag_set(component: str) -> FlagSet | None:
    """The flags of a component, None where they are not known."""
    facts = _flag_data().get(component)
    if facts is None:
        return None
    reasons = {name: " ".join(pieces) for name, pieces in facts["reasons"].items()}
    flags = {name: _flag(name, row, reasons) for name, row in facts["flags"].items()}
    return FlagSet(component, flags, facts["ignoresFlags"])


def _flag(name: str, row: Mapping[str, Any], reasons: Mapping[str, str]) -> Flag:
    defaults = row.get("defaults") or ([[0, row["default"]]] if "default" in row else [])
    return Flag(
        name,
        form=row.get("type", "string"),
        field=tuple(row["field"].split(".")) if "field" in row else (),
        since=row.get("since", 0),
        last=row.get("last"),
        stays=reasons.get(row.get("stays", ""), ""),
        is_of_node=row.get("stays") == "node",
        gone=" ".join(row.get("gone", ())),
        refused=" ".join(row.get("refused", ())),
        refused_empty=" ".join(row.get("refusedEmpty", ())),
        becomes=row.get("becomes", ""),
        port_of=row.get("portOf", ""),
        wins_since=row.get("winsOverFile"),
        only_on=row.get("onlyOn", False),
        only_without_file=row.get("onlyWithoutFile", False),
        adds=row.get("adds", ""),
        defaults=tuple((since, value) for since, value in defaults),
    )


def apply_flags(data: Any, argv: Sequence[str], kind: Kind, minor: int) -> tuple[Any, dict[Path, str]]:
    """Return the decoded config with the flags of a command line laid over it, and which flag set which field.

    ``argv`` begins with the program. A flag wins over its whole field, feature gates by key; a few add to a list. A
    flag whose value the kubelet would refuse is left out, as is one whose field the minor does not have.
    """
    known = flag_set(kind.component)
    if not isinstance(data, dict) or known is None:
        return data, {}
    result, origins = dict(data), {}
    for flag, texts in values_by_flag(parse_command_line(argv[1:], known.flags).given, known.flags):
        field = field_at(kind, flag.field, minor)
        if field is None:
            continue
        try:
            value = parse_flag_value(flag.form, texts, str(at_minor(field, "type", minor)))
        except ConfigError:
            continue
        if flag.only_on and not value:
            continue
        result = set_field(result, flag.field, combine_with_file(flag, result, value))
        below = [(*flag.field, key) for key in value] if flag.field == (FEATURE_GATES,) else [flag.field]
        origins.update(dict.fromkeys(below, f"--{flag.name}"))
    return result, origins


def combine_with_file(flag: Flag, data: Mapping[str, Any], value: Any) -> Any:
    """Return what the field has with a flag's value: that alone, or with the values that the data say already."""
    present = lookup(data, flag.field) if flag.adds else None
    if not isinstance(present, list):
        return value
    return [*present, *value] if flag.adds == "behind" else [*value, *present]


def values_by_flag(given: Iterable[FlagUse], flags: Mapping[str, Flag]) -> list[tuple[Flag, list[str]]]:
    """Return the known flags, in the order of their last use, each with the values of all its uses."""
    texts: dict[str, list[str]] = {}
    for use in given:
        if use.name in flags:
            texts[use.name] = [*texts.pop(use.name, ()), use.text]
    return [(flags[name], values) for name, values in texts.items()]


def field_at(kind: Kind, path: Path, minor: int) -> Mapping[str, Any] | None:
    """Return what is known of a field, None where the kind does not have it at that minor."""
    fields: Mapping[str, Any] = kind.fields
    field: Mapping[str, Any] | None = None
    for part in path:
        field = fields.get(str(part))
        if field is None or not field.get("since", 0) <= minor <= field.get("last", minor):
            return None
        fields = field.get("fields") or {}
    return field


def set_field(data: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with a value at a path; feature gates are merged by key, anything else is replaced."""
    name = str(path[0])
    present = data.get(name)
    if len(path) > 1:
        value = set_field(present if isinstance(present, Mapping) else {}, path[1:], value)
    elif name == FEATURE_GATES and isinstance(present, Mapping):
        value = {**present, **value}
    return {**data, name: value}
