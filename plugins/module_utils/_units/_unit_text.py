# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a unit and its drop-ins, as systemd merges them. Private to configok.node.

systemd.syntax(7) has the rules: sections, comments, lines joined by a backslash at their end, an empty assignment that
takes back those before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["assigned", "last_assigned"]

_COMMENTS = ("#", ";")


def assigned(texts: Sequence[str], section: str, key: str) -> list[str]:
    """Return what a unit assigns to a key that holds a list, in order: what is left after the last empty assignment.

    texts: of the unit, then of its drop-ins, in systemd's order. A value keeps its line breaks, each behind its
    backslash, so that it can be written down as it was.
    """
    found: list[str] = []
    for text in texts:
        for where, name, value in _assignments(text):
            if (where, name) == (section, key):
                found = [*found, value] if value else []
    return found


def last_assigned(texts: Sequence[str], section: str, key: str) -> str:
    """Return what a unit assigns last to a key that holds one value, "" where nothing."""
    found = assigned(texts, section, key)
    return found[-1] if found else ""


def _assignments(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in _logical_lines(text):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        if equals:
            yield section, key.strip(), value.strip()


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines that say something, those joined that belong together; comments between them are left out."""
    pending: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(_COMMENTS) or (not stripped and not pending):
            continue
        pending.append(line)
        if not _is_continued(line):
            yield "\n".join(pending).strip()
            pending = []
    if pending:
        yield "\n".join(pending).strip()[:-1].rstrip()


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
