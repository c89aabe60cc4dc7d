# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two configs, field by field.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._values._canonical import canonical
from ._values._paths import Path, format_path

__all__ = ["Change", "diff"]


@dataclass(frozen=True)
class Change:
    """One field that differs; None stands for absent."""

    path: str
    old: Any
    new: Any


def diff(old: Any, new: Any) -> list[Change]:
    """The fields in which two decoded configs differ, in the order of their paths.

    Objects and maps are compared by key, lists as wholes; null is absent.
    """
    changes: list[Change] = []
    _compare(old, new, (), changes)
    return sorted(changes, key=lambda change: change.path)


def _compare(old: Any, new: Any, path: Path, changes: list[Change]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _compare(old.get(key), new.get(key), path + (key,), changes)
    elif isinstance(old, dict) and old and new is None:
        for key, value in old.items():
            _compare(value, None, path + (key,), changes)
    elif isinstance(new, dict) and new and old is None:
        for key, value in new.items():
            _compare(None, value, path + (key,), changes)
    elif canonical(old) != canonical(new):
        changes.append(Change(format_path(path), old, new))
