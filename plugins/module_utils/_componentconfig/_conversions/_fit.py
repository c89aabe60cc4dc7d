# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A document without the fields that a version does not have, each noted unless it says nothing.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kinds._defaults import is_zero
from .._kinds._schema import Kind, known_minors
from .._values._paths import Path
from ._losses import Losses

__all__ = ["Hint", "fit", "fit_fields"]


class Hint(NamedTuple):
    """What to say where a field cannot be kept, and values whose loss changes nothing."""

    why: str
    harmless: tuple[Any, ...] = ()


def fit(data: dict[str, Any], source: Kind, target: Kind, losses: Losses, hints: Mapping[str, Hint]) -> None:
    """Take out of data of the version `source`, in place, what `target` does not have.

    `hints` are by the path of a field, without indexes and keys, and count for all below it.
    """
    fit_fields(data, source.fields, target.fields, (), losses, hints, target.api_version)


def fit_fields(
    data: dict[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    path: Path,
    losses: Losses,
    hints: Mapping[str, Hint],
    version: str,
) -> None:
    """The same for an object that stands at a path, given what both versions know of its fields.

    Where `hints` count, they do below `path`.
    """
    _Fit(losses, hints, version, len(path)).object(data, source, target, path)


class _Fit:
    def __init__(self, losses: Losses, hints: Mapping[str, Hint], version: str, depth: int) -> None:
        self.losses = losses
        self.hints = hints
        self.version = version
        self.depth = depth

    def object(self, data: dict[str, Any], source: Mapping[str, Any], target: Mapping[str, Any], path: Path) -> None:
        for key in list(data):
            here = path + (key,)
            if len(path) == self.depth and key in ("apiVersion", "kind"):
                continue
            if key not in target:
                self._lost(data.pop(key), source.get(key), here)
                continue
            below = source.get(key, {}).get("fields"), target[key].get("fields")
            if below[0] is not None and below[1] is not None:
                full = bool(data[key])
                self._inside(data[key], str(target[key].get("type")), below[0], below[1], here)
                if full and data[key] == {} and "nullable" not in target[key]:
                    del data[key]

    def _inside(self, value: Any, kind: str, source: Mapping[str, Any], target: Mapping[str, Any], path: Path) -> None:
        if kind == "object":
            items: list[tuple[Path, Any]] = [(path, value)]
        elif isinstance(value, list):
            items = [(path + (index,), item) for index, item in enumerate(value)]
        else:
            items = [(path + (key,), item) for key, item in value.items()] if isinstance(value, dict) else []
        for here, item in items:
            if isinstance(item, dict):
                self.object(item, source, target, here)

    def _lost(self, value: Any, field: Mapping[str, Any] | None, path: Path) -> None:
        """Note a value that goes; an object by its fields, each of which may be known better."""
        if _says_nothing(value, field):
            return
        parts = _parts(value, field)
        if all(_says_nothing(item, below) for _key, item, below in parts):
            self._note(path, value)
        for key, item, below in parts:
            self._lost(item, below, path + (key,))

    def _note(self, path: Path, value: Any) -> None:
        names = [part for part in path[self.depth :] if isinstance(part, str)]
        fields = [".".join(names[:length]) for length in range(len(names), 0, -1)]
        hint = next((self.hints[field] for field in fields if field in self.hints), None)
        hint = hint or Hint(f"{self.version} does not have the field")
        if value not in hint.harmless:
            self.losses.add(path, value, hint.why)


def _parts(value: Any, field: Mapping[str, Any] | None) -> list[tuple[str, Any, Mapping[str, Any] | None]]:
    """The fields of an object with what is known of them; none of anything else."""
    if field is None or field.get("type") != "object" or not isinstance(value, dict):
        return []
    return [(key, item, field.get("fields", {}).get(key)) for key, item in value.items()]


def _says_nothing(value: Any, field: Mapping[str, Any] | None) -> bool:
    if value is None or field is None:
        return value is None
    parts = _parts(value, field)
    if value in ({}, []) or (parts and all(_says_nothing(item, below) for _key, item, below in parts)):
        return "nullable" not in field and "default" not in field
    return is_zero(value, field, known_minors()[-1]) and "default" not in field
