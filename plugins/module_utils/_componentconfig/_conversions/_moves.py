# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that other versions call otherwise, have elsewhere, or write in another form.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._values._paths import Path
from ._losses import Losses

__all__ = ["arguments_to_list", "arguments_to_map", "move", "objects_at", "rename"]


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
