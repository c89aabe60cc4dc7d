# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by field: for every field of a minor, by its type: values that fit, zero, null, and values that do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import fact_at, find_kind
from support.configs.kubelet import KUBELET_KIND

from .case import Case, config

__all__ = ["by_field"]

# Values of every type, those that fit and those that do not, for all fields.
_VALUES: Mapping[str, tuple[Any, ...]] = {
    "bool": (True, False, "true", 1),
    "int32": (3, 0, -1, "3", 1.5, 2.0, 2**31, True),
    "int64": (3, 0, -1, "3", 1.5, 2**63 - 1, 2**63),
    "duration": ("90s", "0s", "-1s", None, 90, "90", "1d", "1h30m", ""),
    "string": ("none", "", 5, True, ["none"]),
    "enum": ("none", "", 5),
    "object": ({}, [], "none", {"nobody": 1}),
    "list<string>": ([], "none", {}, [5], [None]),
    "map<string>": ({}, [], "none", {"cpu": 1}, {"cpu": None}),
    "map<bool>": ({}, [], {"AllAlpha": "true"}, {"AllAlpha": None}),
    "list<int32>": ([], [0], [-1], ["0"], "none", None),
    "list<object>": ([], "none", {}, [5], [None], [{}], [{"nobody": 1}]),
    "float": (0.5, 0, 1, -1, 2, "0.5", True),
    "quantity": ("64Ki", 0, 5, "", "x", "-1", True),
    "durationOrNanoseconds": ("90s", "0s", "-1s", None, 90, "90", "1d", ""),
    "map<list<string>>": ({}, {"X-Seen": ["by"]}, {"X-Seen": "by"}, {"X-Seen": None}, []),
}


def by_field(minor: int) -> Iterator[Case]:
    """Return, for each field of the minor, a case for each value of its type and of its schema."""
    kind = find_kind(KUBELET_KIND["apiVersion"], KUBELET_KIND["kind"])
    assert kind is not None
    yield from _cases_of("", kind.fields, minor)
    known = {name: str(fact_at(kind.fields[name], "type", minor)) for name, _field in _known(kind.fields, minor)}
    yield config("field every one null that may be", {name: None for name in known if known[name] != "duration"})
    yield config("field every one misspelt", {name[:-1] + "_": 1 for name in known})


def _known(fields: Mapping[str, Any], minor: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the fields that the minor has."""
    return [
        (name, field) for name, field in fields.items() if field.get("since", 0) <= minor <= field.get("last", minor)
    ]


def _cases_of(parent: str, fields: Mapping[str, Any], minor: int) -> Iterator[Case]:
    for name, field in _known(fields, minor):
        path = parent + name
        kind = str(fact_at(field, "type", minor))
        values = [*_VALUES[kind], *(fact_at(field, "enum", minor) or ())]
        for shown, value in {repr(value): value for value in values}.items():
            yield config(f"field {path} {shown}", {path: value})
        if kind == "object":
            yield from _cases_of(f"{path}.", field["fields"], minor)
