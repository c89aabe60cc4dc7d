# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a page of docs/development from the rows of a test run; shared by the tools/write_*.py."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "KeepPage", "Row", "releases", "table", "write_page"]

ROOT = Path(__file__).resolve().parent.parent

Row = Mapping[str, Any]


class KeepPage(Exception):
    """Raised for rows that cannot replace the page; the text says why."""


def table(columns: Sequence[str], lines: Iterable[Sequence[object]], numbers: Container[int] = ()) -> list[str]:
    """Return the lines of a Markdown table, and an empty line; ``numbers`` are the right-aligned columns."""
    rule = ["---:" if index in numbers else "---" for index in range(len(columns))]
    return [*("| " + " | ".join(map(str, cells)) + " |" for cells in (columns, rule, *lines)), ""]


def releases(rows: Iterable[Row]) -> str:
    """Return the Kubernetes releases that the rows were measured with."""
    return ", ".join(sorted({str(row["kubernetes"]) for row in rows if row.get("kubernetes")}))


def write_page(page: Path, rows: Path, render: Callable[[list[Row]], str], command: str) -> int:
    """Write a page from the rows in a file of JSON lines; return the exit code.

    render: returns the page; raises ValueError for rows that are incomplete or unknown, and KeepPage
    command: the command that writes the rows
    """
    tool = Path(sys.argv[0]).stem
    try:
        text = render([json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()])
    except (OSError, ValueError) as error:
        print(f"{tool}: {error}: run {command} first", file=sys.stderr)
        return 1
    except KeepPage as reason:
        print(f"{tool}: {reason}, {page.relative_to(ROOT)} is left as it is", file=sys.stderr)
        return 0
    page.write_text(text, encoding="utf-8")
    return 0
