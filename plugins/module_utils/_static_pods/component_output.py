# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from a component's output why it ended."""

from __future__ import annotations

from collections.abc import Iterable

from .._text import sanitize

_LONGEST = 300  # characters


def ending_reason(lines: Iterable[str]) -> str:
    """Return the line that says why a component ended, "" without any line.

    It is the last one, unless flags cannot be read: then there is help before or after the reason.
    """
    texts = [line.strip() for line in lines if line.strip()]
    reasons = [text for text in texts if text.startswith("Error: ")] or texts[-1:]
    return sanitize(reasons[-1], _LONGEST) if reasons else ""
