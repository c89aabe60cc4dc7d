# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render tables as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned columns, three spaces apart; a column without text is omitted."""
    used = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    widths = {column: max(len(row[column]) for row in (heads, *rows)) for column in used}
    return ["   ".join(row[column].ljust(widths[column]) for column in used).rstrip() for row in (heads, *rows) if used]
