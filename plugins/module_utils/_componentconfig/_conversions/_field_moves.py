# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a conversion cannot keep, and how that is noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._scalars._field_path import Path
from .._schema._defaults import is_zero
from .._schema._kinds import Kind
from .._schema._releases import known_minors

__all__ = [
    "Hint",
    "Loss",
    "Losses",
    "arguments_to_list",
    "arguments_to_map",
    "drop_unknown_fields",
    "fit_fields",
    "move",
    "objects_at",
    "rename",
]


@dataclass(frozen=True)
class Loss:
    """A value that stands at a path of the document, and why the target version cannot keep it."""

    path: Path
    value: Any
    why: str


class Losses:
    """The losses of one conversion, in the order in which they were met."""

    def __init__(self) -> None:
        self.found: list[Loss] = []

    def add(self, path: Path, value: Any, why: str) -> None:
        """Note one."""
        self.found.append(Loss(path, value, why))


def objects_at(data: Any, names: tuple[str, ...], path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects at a field path, `*` for every element of a list, each with its own path."""
    if not names:
        if isinstance(data, dict):
            yield path, data
    elif names[0] == "*":
        for index, item in enumerate(data if isinstance(data, list) else ()):
            yield from objects_at(item, names[1:], path + (index,))
    elif isinstance(data, dict):
        yield from objects_at(data.get(names[0]), names[1:], path + (names[0],))


def rename(data: dict[str, Any], path: str, new: str) -> None:
    """Call the field at a path otherwise, in its place."""
    *above, old = path.split(".")
    for _path, parent in objects_at(data, tuple(above)):
        if old in parent:
            items = [(new if key == old else key, value) for key, value in parent.items()]
            parent.clear()
            parent.update(items)


def move(data: dict[str, Any], path: str, new: str) -> None:
    """Take a value to another path, whose objects are made; an object that it leaves empty goes. Paths without `*`."""
    *above, name = path.split(".")
    for _path, parent in list(objects_at(data, tuple(above))):
        value = parent.pop(name, None)
        if value is None:
            continue
        if not parent and above:
            rest = next(objects_at(data, tuple(above[:-1])))[1]
            del rest[above[-1]]
        *around, last = new.split(".")
        place = data
        for part in around:
            if not isinstance(place.get(part), dict):
                place[part] = {}
            place = place[part]
        place.setdefault(last, value)


def arguments_to_list(data: dict[str, Any], path: str) -> None:
    """A map of arguments as a list of names and values, in the order of the document."""
    *above, name = path.split(".")
    for _path, parent in objects_at(data, tuple(above)):
        if isinstance(parent.get(name), dict):
            parent[name] = [{"name": key, "value": value} for key, value in parent[name].items()]


def arguments_to_map(data: dict[str, Any], path: str, losses: Losses) -> None:
    """A list of names and values as a map of arguments; of those with one name the last wins, as in kubeadm."""
    *above, name = path.split(".")
    for here, parent in objects_at(data, tuple(above)):
        if not isinstance(parent.get(name), list):
            continue
        last: dict[str, tuple[int, Any]] = {}
        for index, item in enumerate(parent[name]):
            if not isinstance(item, dict):
                continue
            key = str(item.get("name") or "")
            if key in last:
                why = f"the version writes arguments as a map: {key} can be given once"
                losses.add(here + (name, last[key][0]), parent[name][last[key][0]], why)
            last[key] = index, item.get("value") or ""
        parent[name] = {key: value for key, (_index, value) in last.items()}


class Hint(NamedTuple):
    """What to say where a field cannot be kept, and values whose loss changes nothing."""

    why: str
    harmless: tuple[Any, ...] = ()


def drop_unknown_fields(
    data: dict[str, Any], source: Kind, target: Kind, losses: Losses, hints: Mapping[str, Hint]
) -> None:
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
            field_path = path + (key,)
            if len(path) == self.depth and key in ("apiVersion", "kind"):
                continue
            if key not in target:
                self._lost(data.pop(key), source.get(key), field_path)
                continue
            below = source.get(key, {}).get("fields"), target[key].get("fields")
            if below[0] is not None and below[1] is not None:
                full = bool(data[key])
                self._inside(data[key], str(target[key].get("type")), below[0], below[1], field_path)
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
