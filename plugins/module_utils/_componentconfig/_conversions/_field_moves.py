# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drop, move and rename fields, and record the losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._codec.plain_values import HEAD_FIELDS
from .._scalars.field_path import Path
from .._schema._defaults import is_zero
from .._schema.kinds import Kind
from .._schema.releases import known_minors


@dataclass(frozen=True)
class Loss:
    """A value at a path of the document, and why the target version cannot keep it."""

    path: Path
    value: Any
    reason: str


def objects_at(data: Any, names: tuple[str, ...], path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the objects at a field path, `*` for every element of a list, each with its own path."""
    if not names:
        if isinstance(data, dict):
            yield path, data
    elif names[0] == "*":
        for index, item in enumerate(data if isinstance(data, list) else ()):
            yield from objects_at(item, names[1:], path + (index,))
    elif isinstance(data, dict):
        yield from objects_at(data.get(names[0]), names[1:], path + (names[0],))


def rename(data: dict[str, Any], path: str, new: str) -> None:
    """Rename the field at a path, in its place."""
    *parents, old = path.split(".")
    for _path, parent in objects_at(data, tuple(parents)):
        if old in parent:
            items = [(new if key == old else key, value) for key, value in parent.items()]
            parent.clear()
            parent.update(items)


def move(data: dict[str, Any], path: str, new: str) -> None:
    """Move a value to another path, making its objects; drop an object that it leaves empty. Paths have no `*`."""
    *parents, name = path.split(".")
    for _path, parent in list(objects_at(data, tuple(parents))):
        value = parent.pop(name, None)
        if value is None:
            continue
        if not parent and parents:
            grandparent = next(objects_at(data, tuple(parents[:-1])))[1]
            del grandparent[parents[-1]]
        *new_parents, last = new.split(".")
        target = data
        for part in new_parents:
            if not isinstance(target.get(part), dict):
                target[part] = {}
            target = target[part]
        target.setdefault(last, value)


def arguments_to_list(data: dict[str, Any], path: str) -> None:
    """Turn a map of arguments into a list of names and values, in the order of the document."""
    *parents, name = path.split(".")
    for _path, parent in objects_at(data, tuple(parents)):
        if isinstance(parent.get(name), dict):
            parent[name] = [{"name": key, "value": value} for key, value in parent[name].items()]


def arguments_to_map(data: dict[str, Any], path: str, losses: list[Loss]) -> None:
    """Turn a list of names and values into a map of arguments; of equal names the last wins, as in kubeadm."""
    *parents, name = path.split(".")
    for parent_path, parent in objects_at(data, tuple(parents)):
        if not isinstance(parent.get(name), list):
            continue
        last: dict[str, tuple[int, Any]] = {}
        for index, item in enumerate(parent[name]):
            if not isinstance(item, dict):
                continue
            key = str(item.get("name") or "")
            if key in last:
                reason = f"the version writes arguments as a map: {key} can be given once"
                losses.append(Loss(parent_path + (name, last[key][0]), parent[name][last[key][0]], reason))
            last[key] = index, item.get("value") or ""
        parent[name] = {key: value for key, (_index, value) in last.items()}


class LossHint(NamedTuple):
    """Why a field cannot be kept, and values whose loss changes nothing."""

    reason: str
    harmless: tuple[Any, ...] = ()


def drop_unknown_fields(
    data: dict[str, Any],
    source: Kind,
    target: Kind,
    losses: list[Loss],
    hints: Mapping[str, LossHint],
    path: Path = (),
) -> None:
    """Drop fields that the version `target` lacks from data of the version `source`, in place.

    hints: by the path of a field, without indexes and keys; each applies to all fields inside it. path: of the data in
    the document, at which the paths of losses begin, but not those of hints.
    """
    _FieldDropper(losses, hints, target.api_version, len(path)).object(data, source.fields, target.fields, path)


class _FieldDropper(NamedTuple):
    """Drops fields and records the losses. depth: the length of the path of the data in the document."""

    losses: list[Loss]
    hints: Mapping[str, LossHint]
    version: str
    depth: int

    def object(self, data: dict[str, Any], source: Mapping[str, Any], target: Mapping[str, Any], path: Path) -> None:
        for key in list(data):
            field_path = path + (key,)
            if len(path) == self.depth and key in HEAD_FIELDS:
                continue
            if key not in target:
                self._record(data.pop(key), source.get(key), field_path)
                continue
            source_fields, target_fields = source.get(key, {}).get("fields"), target[key].get("fields")
            if source_fields is not None and target_fields is not None:
                was_set = bool(data[key])
                self._each_object(data[key], str(target[key].get("type")), source_fields, target_fields, field_path)
                if was_set and data[key] == {} and "nullable" not in target[key]:
                    del data[key]

    def _each_object(
        self, value: Any, type_name: str, source: Mapping[str, Any], target: Mapping[str, Any], path: Path
    ) -> None:
        if type_name == "object":
            items: list[tuple[Path, Any]] = [(path, value)]
        elif isinstance(value, list):
            items = [(path + (index,), item) for index, item in enumerate(value)]
        else:
            items = [(path + (key,), item) for key, item in value.items()] if isinstance(value, dict) else []
        for item_path, item in items:
            if isinstance(item, dict):
                self.object(item, source, target, item_path)

    def _record(self, value: Any, entry: Mapping[str, Any] | None, path: Path) -> None:
        """Record a dropped value; of an object its fields, which may have hints of their own."""
        if _is_meaningless(value, entry):
            return
        subfields = _subfields(value, entry)
        if all(_is_meaningless(item, inner) for _key, item, inner in subfields):
            self._append(path, value)
        for key, item, inner in subfields:
            self._record(item, inner, path + (key,))

    def _append(self, path: Path, value: Any) -> None:
        names = [part for part in path[self.depth :] if isinstance(part, str)]
        fields = [".".join(names[:length]) for length in range(len(names), 0, -1)]
        hint = next((self.hints[field] for field in fields if field in self.hints), None)
        hint = hint or LossHint(f"{self.version} does not have the field")
        if value not in hint.harmless:
            self.losses.append(Loss(path, value, hint.reason))


def _subfields(value: Any, entry: Mapping[str, Any] | None) -> list[tuple[str, Any, Mapping[str, Any] | None]]:
    """Return the fields of an object with their entries; of anything else none."""
    if entry is None or entry.get("type") != "object" or not isinstance(value, dict):
        return []
    return [(key, item, entry.get("fields", {}).get(key)) for key, item in value.items()]


def _is_meaningless(value: Any, entry: Mapping[str, Any] | None) -> bool:
    if value is None or entry is None:
        return value is None
    subfields = _subfields(value, entry)
    if value in ({}, []) or (subfields and all(_is_meaningless(item, inner) for _key, item, inner in subfields)):
        return "nullable" not in entry and "default" not in entry
    return is_zero(value, entry, known_minors()[-1]) and "default" not in entry
