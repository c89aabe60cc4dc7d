# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profiles, with the Kubernetes versions and feature gates that their pages name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

__all__ = ["DOCS", "ROOT", "Profile", "profiles"]

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs" / "profiles"
_ROW = re.compile(r"^\| 1\.(\d+)(?: (?:to|and) 1\.(\d+))? \| (?:none|`(\w+): true`) \|$", re.MULTILINE)
_INDEXED = re.compile(r"^\| \[([\w-]+)\]", re.MULTILINE)


class Profile(NamedTuple):
    """One profile: its file, its page, and by Kubernetes minor the gate that it needs, empty if none."""

    name: str
    path: Path
    page: str
    minors: Mapping[int, str]

    def __str__(self) -> str:
        return self.name

    @property
    def without_gates(self) -> Sequence[int]:
        """The minors that need no gate for it."""
        return sorted(minor for minor, gate in self.minors.items() if not gate)

    def gates(self, minor: int) -> Mapping[str, bool]:
        """Return the gates that it needs at a minor."""
        gate = self.minors.get(minor, "")
        return {gate: True} if gate else {}

    def fields(self) -> dict[str, Any]:
        """Return its fields, without apiVersion and kind."""
        document = yaml.safe_load(self.path.read_text(encoding="utf-8"))
        return {field: value for field, value in document.items() if field not in ("apiVersion", "kind")}


def profiles() -> list[Profile]:
    """Return all profiles in the order of the index."""
    names = _INDEXED.findall((DOCS / "README.md").read_text(encoding="utf-8"))
    return [_profile(name) for name in names]


def _profile(name: str) -> Profile:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    minors: dict[int, str] = {}
    for first, last, gate in _ROW.findall(page):
        minors.update(dict.fromkeys(range(int(first), int(last or first) + 1), gate))
    return Profile(name, ROOT / f"playbooks/files/profiles/{name}.yaml", page, minors)
