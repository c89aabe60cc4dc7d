# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare a component's live config with the file that it was started with.

The live config has every default, so only the fields of the file are looked up in it, each value as the component uses
it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from . import ConfigError
from ._codec.plain_values import HEAD_FIELDS
from ._rules._rule import EffectiveConfig
from ._scalars.duration import nanoseconds
from ._scalars.field_path import Path, dotted, format_path, leaf_paths, value_at
from .findings import show

# Fields that the kubelet itself changes when it starts, or does not show.
_NOT_COMPARED = frozenset(("staticPodURLHeader",))
_RESERVED_CPU = frozenset((("kubeReserved", "cpu"), ("systemReserved", "cpu")))


def differences(config: EffectiveConfig, live: Any, overridden: Collection[str]) -> list[str]:
    """Return a sentence for each field of the file that has another value in the live config.

    config: the file, as its version of the component sees it. live: the decoded live config. overridden: the fields
    that a flag or a drop-in sets, paths with dots, which are left out.
    """
    return [
        f"{format_path(path)}: is {show(actual, path) or 'not set'}, and {show(expected, path)} was given"
        for path, expected, actual in _differing(config, live)
        if not _is_overridden(dotted(path), overridden)
    ]


def _is_overridden(path: str, fields: Collection[str]) -> bool:
    return any(path == field or path.startswith(f"{field}.") for field in fields)


def _differing(config: EffectiveConfig, live: Any) -> Iterator[tuple[Path, Any, Any]]:
    for path in leaf_paths(config.data):
        names = [str(part) for part in path]
        if names[0] in (*HEAD_FIELDS, *_NOT_COMPARED) or _is_replaced(config, path):
            continue
        expected, actual = config.get(*names), value_at(live, path)
        entry = config.entry(*names)
        if _is_zero(expected) and not _is_meaningful_zero(expected, entry):
            continue  # a component may omit a zero
        if not _is_same(expected, actual, str(entry.get("type"))):
            yield path, expected, actual


def _is_replaced(config: EffectiveConfig, path: Path) -> bool:
    if path == ("cgroupDriver",):
        return config.gates.is_on("KubeletCgroupDriverFromCRI")
    return path in _RESERVED_CPU and bool(config.get("reservedSystemCPUs"))


def _is_meaningful_zero(zero: Any, entry: Mapping[str, Any]) -> bool:
    """Return whether a zero is not the same as absent: the field is a pointer in Go, or the zero replaces a default."""
    if isinstance(zero, Mapping) and entry.get("type") == "object":
        return False  # its fields are compared one by one
    return "nullable" in entry or (zero in ([], {}) and "default" in entry)


def _is_zero(value: Any) -> bool:
    return value in (None, "", 0, False, "0s") or value == [] or value == {}


def _is_same(expected: Any, actual: Any, type_name: str) -> bool:
    if actual is None:
        return _is_zero(expected)
    if type_name.startswith("duration") and isinstance(expected, str) and isinstance(actual, str):
        try:
            return nanoseconds(expected) == nanoseconds(actual)
        except ConfigError:
            return expected == actual
    if isinstance(expected, list) and expected and isinstance(expected[0], Mapping):
        return isinstance(actual, list) and len(actual) == len(expected)  # the component fills in their defaults
    return bool(expected == actual)
