# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a page of docs/development from the rows of a test run; shared by the tools/write_*.py.

A page of docs/ is of runs with one minor. The page of a run with a minor that has none goes to build/pages.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "KeepPage", "Row", "place_of", "releases", "table", "write_page"]

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = "1.20"  # the minor of the runs that docs/development shows

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


def place_of(page: Path, rows: Iterable[Row]) -> Path:
    """Return where the page of these rows goes.

    The page itself is of the minor PUBLISHED. Another minor has a page of its own next to it, conformance-1.36.md, or,
    as long as that does not exist, in build/pages.
    """
    measured = releases(rows)
    published = all(release.startswith(f"{PUBLISHED}.") for release in measured.split(", "))
    if not measured or published:
        return page
    own = page.with_name(f"{page.stem}-{measured.rpartition('.')[0]}.md")
    if own.exists():
        return own
    return ROOT / "build/pages" / f"{page.stem}-{measured.replace(', ', '-')}.md"


def write_page(page: Path, rows: Path, render: Callable[[list[Row]], str], command: str) -> int:
    """Write a page from the rows in a file of JSON lines; return the exit code.

    render: returns the page; raises ValueError for rows that are incomplete or unknown, and KeepPage
    command: the command that writes the rows
    """
    tool = Path(sys.argv[0]).stem
    try:
        read = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
        text = render(read)
    except (OSError, ValueError) as error:
        print(f"{tool}: {error}: run {command} first", file=sys.stderr)
        return 1
    except KeepPage as reason:
        print(f"{tool}: {reason}, {page.relative_to(ROOT)} is left as it is", file=sys.stderr)
        return 0
    place = place_of(page, read)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    if place != page:
        named = f"{place.relative_to(ROOT)}, and {page.relative_to(ROOT)} is left as it is"
        print(f"{tool}: the run was not with Kubernetes {PUBLISHED}: its page is {named}", file=sys.stderr)
    return 0
