# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a conversion cannot keep, and how that is noted.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._values._paths import Path

__all__ = ["Loss", "Losses"]


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
