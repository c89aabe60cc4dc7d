# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch has told so far, to be true after a new list. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["Known"]

Key = tuple[str, str]


class Known:
    """Which objects exist as far as has been told: only names and uids, since thousands may be followed."""

    def __init__(self) -> None:
        self._uids: dict[Key, str] = {}

    def note(self, kind: str, found: dict[str, Any]) -> str:
        """Take in one event of a watch and return its kind."""
        key, uid = _identity(found)
        if kind == "DELETED":
            self._uids.pop(key, None)
        else:
            self._uids[key] = uid
        return kind

    def replace(self, listed: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Take in a whole list and yield the events that lead there: DELETED for what is gone comes first.

        An object of the same name with another uid is another object. Of what is gone only name, namespace and uid
        are known.
        """
        objects = list(listed)
        now = dict(_identity(found) for found in objects)
        before, self._uids = self._uids, now
        for (namespace, name), uid in before.items():
            if now.get((namespace, name)) != uid:
                metadata = {"name": name, "uid": uid}
                if namespace:
                    metadata["namespace"] = namespace
                yield "DELETED", {"metadata": metadata}
        for found in objects:
            key, uid = _identity(found)
            yield ("MODIFIED" if before.get(key) == uid else "ADDED"), found


def _identity(found: dict[str, Any]) -> tuple[Key, str]:
    metadata = found.get("metadata") or {}
    return (str(metadata.get("namespace") or ""), str(metadata.get("name") or "")), str(metadata.get("uid") or "")
