# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The regular expressions of users."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .evaluation import evaluate


@dataclass(frozen=True)
class Pattern:
    """A regular expression; its methods raise InvalidText if a search takes too long."""

    text: str

    def is_in(self, text: str) -> bool:
        """Return whether a part of a text matches."""
        return bool(evaluate("search", self.text, lines=[text])[0])

    def matching(self, names: Iterable[str]) -> frozenset[str]:
        """Return the names that match as a whole."""
        lines = sorted(set(names))
        results = evaluate("match", self.text, lines=lines)
        return frozenset(line for line, matches in zip(lines, results) if matches)


def parse_pattern(text: str) -> Pattern:
    """Return a pattern that can be used. Raises InvalidText."""
    evaluate("search", text, lines=[])
    return Pattern(text)
