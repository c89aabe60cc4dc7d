# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Format, parse and follow field paths, which are tuples of keys and indexes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Union

from .. import ConfigError

Path = tuple[Union[str, int], ...]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PART = re.compile(r"""\.?([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]+)\]|\[([^\]]+)\]""")


def format_path(path: Path) -> str:
    """Write a path as Kubernetes does: ``logging.vmodule[0].verbosity``, ``evictionHard[memory.available]``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text


def parse_path(text: str) -> Path:
    """Read a path as `format_path` writes it. Raises ConfigError for other text."""
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            raise ConfigError(f"not a field path: {text}")
        name, index, key = match.groups()
        parts.append(int(index) if index is not None else name if name is not None else key)
        position = match.end()
    return tuple(parts)


def value_at(data: Any, path: Path) -> Any:
    """Return the value at a path in decoded data, None for no value."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(data, list) or part >= len(data):
                return None
            data = data[part]
        else:
            if not isinstance(data, dict):
                return None
            data = data.get(part)
    return data


def leaf_paths(data: Mapping[str, Any], *, nulls: bool = False) -> Iterator[Path]:
    """Yield the paths of the fields that decoded data set; a list is one field, and so is a mapping without keys.

    nulls: whether a field set to null counts.
    """
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from ((key, *path) for path in leaf_paths(value, nulls=nulls))
        elif nulls or value is not None:
            yield (key,)


def dotted(path: Path) -> str:
    """Write a path with dots alone: ``evictionHard.memory.available``."""
    return ".".join(str(part) for part in path)


def is_below_any(path: Path, parents: Iterable[Path]) -> bool:
    """Return whether the path is one of the parents or inside one of them."""
    return any(path[: len(parent)] == parent for parent in parents)


def overlaps(first: Path, second: Path) -> bool:
    """Return whether one of two paths is the other or inside the other."""
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]
