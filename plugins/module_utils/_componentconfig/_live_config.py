# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component says it runs with, compared with the file that it was given. Private to configok.node.

Pure. The live config has every default; so only what the file says is looked up in it, each value as the component
understands it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ._exceptions import ConfigError
from ._findings import show
from ._rules._rule import EffectiveConfig
from ._scalars._duration import nanoseconds
from ._scalars._field_path import Path, format_path

__all__ = ["differences"]

# What the kubelet itself changes of its config as it starts, or does not show.
_ITS_OWN = frozenset(("staticPodURLHeader",))
_RESERVED_CPU = frozenset((("kubeReserved", "cpu"), ("systemReserved", "cpu")))


def differences(context: EffectiveConfig, live: Any, overridden: Collection[str]) -> list[str]:
    """Return a sentence for each field that the live config has otherwise than the file.

    context: the file, as its version of the component sees it. live: the decoded live config. overridden: the fields
    that a flag or a drop-in sets, paths with dots, which are left out.
    """
    return [
        f"{format_path(path)}: is {show(found, path) or 'not set'}, and {show(wanted, path)} was given"
        for path, wanted, found in _compared(context, live)
        if not _is_below(".".join(str(part) for part in path), overridden)
    ]


def _is_below(path: str, fields: Collection[str]) -> bool:
    return any(path == field or path.startswith(f"{field}.") for field in fields)


def _compared(context: EffectiveConfig, live: Any) -> Iterator[tuple[Path, Any, Any]]:
    for path in _leaves(context.data):
        names = [str(part) for part in path]
        if names[0] in _ITS_OWN or _is_replaced(context, path):
            continue
        wanted, found = context.get(*names), _at(live, path)
        field = _field(context, names)
        if _is_zero(wanted) and not _is_value(wanted, field):
            continue  # absent
        if not _same(wanted, found, str(field.get("type"))):
            yield path, wanted, found


def _is_replaced(context: EffectiveConfig, path: Path) -> bool:
    if path == ("cgroupDriver",):
        return context.gates.on("KubeletCgroupDriverFromCRI")
    return path in _RESERVED_CPU and bool(context.get("reservedSystemCPUs"))


def _leaves(data: Mapping[str, Any], above: Path = ()) -> Iterator[Path]:
    for key, value in data.items():
        path = (*above, key)
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        elif path not in (("apiVersion",), ("kind",)) and value is not None:
            yield path


def _at(live: Any, path: Path) -> Any:
    for part in path:
        live = live.get(part) if isinstance(live, Mapping) else None
    return live


def _field(context: EffectiveConfig, names: list[str]) -> Mapping[str, Any]:
    fields, field = context.fields, {}
    for name in names:
        field = fields.get(name, {})
        fields = field.get("fields") or {}
    return field


def _is_value(zero: Any, field: Mapping[str, Any]) -> bool:
    """Return whether a zero says something: it stands behind a pointer in Go, or switches a default off."""
    if isinstance(zero, Mapping) and field.get("type") == "object":
        return False  # its fields say something, each for itself
    return "nullable" in field or (zero in ([], {}) and "default" in field)


def _is_zero(value: Any) -> bool:
    return value in (None, "", 0, False, "0s") or value == [] or value == {}


def _same(wanted: Any, found: Any, type_name: str) -> bool:
    if found is None:
        return _is_zero(wanted)
    if type_name.startswith("duration") and isinstance(wanted, str) and isinstance(found, str):
        try:
            return nanoseconds(wanted) == nanoseconds(found)
        except ConfigError:
            return wanted == found
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], Mapping):
        return isinstance(found, list) and len(found) == len(wanted)  # their defaults are the component's to fill in
    return bool(wanted == found)
