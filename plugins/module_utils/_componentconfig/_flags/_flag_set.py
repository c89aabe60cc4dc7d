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

from .._scalars._field_path import Path, lookup
from .._schema._kinds import Kind, at_minor
from ._kubelet_flags import FEATURE_GATES
from ._pflag import Given, read_command_line, read_value

__all__ = ["Flag", "FlagSet", "beside", "components_with_flags", "field_at", "flag_set", "put", "uses_of", "with_flags"]


@dataclass(frozen=True)
class Flag:
    """One flag. Sentences have no subject, and are "" where there is none.

    form: how its value is written, a name of `_forms`. field: the path of the field it stands for, () for none.
    since, last: the minors that have the flag. stays: why it stays on the command line where the file has no field for
    it; is_of_node: as such a value belongs to one node. gone: why nothing is lost when it goes with its last minor.
    refused, refused_empty: what to do, where it cannot go on beside a file, at all or with an empty value.
    becomes: the flag that replaced it. port_of: the flag whose address this port completes. wins_since: the minor since
    which it wins over the file, where a file makes the component ignore the other flags. only_on: it can switch its
    field on, not off. only_without_file: it stands for no field, and has no effect beside a file.
    adds: where it adds its values to those of the file, "before" or "behind" them.
    """

    name: str
    form: str = "string"
    field: Path = ()
    since: int = 0
    last: int | None = None
    stays: str = ""
    is_of_node: bool = False
    gone: str = ""
    refused: str = ""
    refused_empty: str = ""
    becomes: str = ""
    port_of: str = ""
    wins_since: int | None = None
    only_on: bool = False
    only_without_file: bool = False
    adds: str = ""
    defaults: tuple[tuple[int, Any], ...] = ()

    def known_at(self, minor: int) -> bool:
        """Whether that minor's component takes the flag."""
        return self.since <= minor and (self.last is None or minor <= self.last)

    def default_at(self, minor: int) -> Any:
        """The value of its field without the flag and without a file, where a file's default is another one; None where
        both are the same."""
        found = None
        for since, value in self.defaults:
            if since <= minor:
                found = value
        return found


@dataclass(frozen=True)
class FlagSet:
    """The flags of a component by name. ignores_flags: beside a file it ignores those that stand for fields."""

    component: str
    flags: Mapping[str, Flag]
    ignores_flags: bool


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    from .._data._flags import TEXT

    return cast("dict[str, Any]", json.loads(TEXT))


def components_with_flags() -> tuple[str, ...]:
    """The components whose flags are known."""
    return tuple(_facts())


@cache
def flag_set(component: str) -> FlagSet | None:
    """The flags of a component, None where they are not known."""
    facts = _facts().get(component)
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


def with_flags(data: Any, argv: Sequence[str], kind: Kind, minor: int) -> tuple[Any, dict[Path, str]]:
    """Return the decoded config with the flags of a command line laid over it, and which flag set which field.

    ``argv`` begins with the program. A flag wins over its whole field, feature gates by key; a few add to a list. A
    flag whose value the kubelet would refuse is left out, as is one whose field the minor does not have.
    """
    known = flag_set(kind.component)
    if not isinstance(data, dict) or known is None:
        return data, {}
    result, origins = dict(data), {}
    for flag, texts in uses_of(read_command_line(argv[1:], known.flags).given, known.flags):
        field = field_at(kind, flag.field, minor)
        if field is None:
            continue
        try:
            value = read_value(flag.form, texts, str(at_minor(field, "type", minor)))
        except ValueError:
            continue
        if flag.only_on and not value:
            continue
        result = put(result, flag.field, beside(flag, result, value))
        below = [(*flag.field, key) for key in value] if flag.field == (FEATURE_GATES,) else [flag.field]
        origins.update(dict.fromkeys(below, f"--{flag.name}"))
    return result, origins


def beside(flag: Flag, data: Mapping[str, Any], value: Any) -> Any:
    """Return what the field has with a flag's value: that alone, or with the values that the data say already."""
    present = lookup(data, flag.field) if flag.adds else None
    if not isinstance(present, list):
        return value
    return [*present, *value] if flag.adds == "behind" else [*value, *present]


def uses_of(given: Iterable[Given], flags: Mapping[str, Flag]) -> list[tuple[Flag, list[str]]]:
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


def put(data: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with a value at a path; feature gates are merged by key, anything else is replaced."""
    name = str(path[0])
    present = data.get(name)
    if len(path) > 1:
        value = put(present if isinstance(present, Mapping) else {}, path[1:], value)
    elif name == FEATURE_GATES and isinstance(present, Mapping):
        value = {**present, **value}
    return {**data, name: value}
