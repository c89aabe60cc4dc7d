# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what the data have of each Kubernetes release to the support matrix, from schema/releases.json.

    python tools/write_releases.py [--check]

With --check, exits with 1 if the page is out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/support.md"
BEGIN, END = "<!-- written by tools/write_releases.py: begin -->", "<!-- written by tools/write_releases.py: end -->"
HEAD = ("| Kubernetes | layers | from | of | missing |", "| --- | --- | --- | --- | --- |")
LAYERS = ("fields", "defaults", "gates", "flags", "rules", "meanings")


def rows(releases: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the rows of the table, one for each release and source; the first of a release has what it lacks."""
    for release, layers in releases.items():
        by_source: dict[tuple[str, str], list[str]] = {}
        for layer, row in layers.items():
            name = f"{layer} (in part)" if row.get("part") else layer
            by_source.setdefault((row["source"], row["date"]), []).append(name)
        missing = ", ".join(layer for layer in LAYERS if layer not in layers)
        for (source, date), names in by_source.items():
            yield f"| {release} | {', '.join(names)} | {source} | {date} | {missing} |"
            missing = ""


def page(text: str, releases: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page with its table written again."""
    table = "\n".join((BEGIN, *HEAD, *rows(releases), END))
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _match: table, text, flags=re.DOTALL)


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or compare it with --check; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if the page is out of date")
    options = parser.parse_args(arguments)
    releases = json.loads((ROOT / "schema/releases.json").read_text(encoding="utf-8"))["releases"]
    before = PAGE.read_text(encoding="utf-8")
    after = page(before, releases)
    if options.check:
        if before != after:
            print(f"{PAGE.relative_to(ROOT)} is out of date: run make docs", file=sys.stderr)
        return int(before != after)
    PAGE.write_text(after, encoding="utf-8")
    print(f"make docs: {len(releases)} releases in {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
