# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found in a config: one typed record for each fault.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ._exceptions import ConfigError
from ._scalars._field_path import Path, format_path
from ._scalars._secrets import is_secret

__all__ = [
    "COMPONENT",
    "InvalidConfig",
    "Finding",
    "LEVELS",
    "MOST_FINDINGS",
    "POLICY",
    "Problem",
    "WARNING",
    "bounded",
    "finding",
    "in_reading_order",
    "show",
    "worst",
]

COMPONENT = "component"
"""The component itself would refuse the config, at load, at validation or at start."""
POLICY = "policy"
"""The component would run; we refuse it: unknown or duplicate fields, secrets, denied fields, relative paths in a
bundle."""
WARNING = "warning"
"""Worth a word, refused by nobody."""
LEVELS = (COMPONENT, POLICY, WARNING)

MOST_FINDINGS = 100
"""Of one judgement; nobody reads more, and a bundle of 128 kB can hold 20,000 faults."""
_SHOWN = 60
_LONGEST_MESSAGE = 1000
_LONGEST_PATH = 300


@dataclass(frozen=True)
class Finding:
    """One fault. `value` is text that is safe to show; `rule` names the check; `versions` the Kubernetes minors it
    holds for, `nodes` the nodes of a pool, where they are known."""

    file: str
    line: int | None
    path: str
    value: str | None
    message: str
    level: str
    rule: str = ""
    versions: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    stands_for: int = 0
    """How many findings that are not shown it counts; 0 for one that speaks for itself."""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.path, self.value, self.message) if part)

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data, for a module's result or a JSON report."""
        return {
            "file": self.file,
            "line": self.line,
            "path": self.path,
            "value": self.value,
            "message": self.message,
            "level": self.level,
            "rule": self.rule,
            "versions": list(self.versions),
            "nodes": list(self.nodes),
        }


class InvalidConfig(ConfigError):
    """The text is not a document at all; `finding` says where and why."""

    def __init__(self, found: Finding) -> None:
        super().__init__(str(found))
        self.finding = found


def show(value: Any, path: Path = ()) -> str | None:
    """A decoded value as one short line of JSON; None for nothing, secrets never in clear."""
    if value is None:
        return None
    if is_secret(value, path):
        return "(a secret, not shown)"
    text = _printable(json.dumps(value, ensure_ascii=False, default=str)[: 2 * _SHOWN])
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _printable(text: str) -> str:
    """The text on one line, without what a terminal would do instead of showing it: keys may hold anything."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def finding(
    file: str, line: int | None, path: Path, value: Any, message: str, level: str = COMPONENT, rule: str = ""
) -> Finding:
    """Make a Finding from a path tuple and a decoded value."""
    place = _printable(format_path(path))
    place = place if len(place) <= _LONGEST_PATH else place[: _LONGEST_PATH - 3] + "..."
    said = _printable(message[:_LONGEST_MESSAGE])
    return Finding(file, line, place, show(value, path), said[:_LONGEST_MESSAGE], level, rule)


def in_reading_order(found: Finding) -> tuple[int, str, int, str]:
    """Return the key that sorts findings: by line, path, level and message."""
    return found.line or 0, found.path, LEVELS.index(found.level), found.message


def bounded(findings: Sequence[Finding]) -> list[Finding]:
    """Return at most MOST_FINDINGS of the findings, in their order, and one more that counts the rest.

    Refusals come before warnings, so that the first one is always among them; the last finding has the worst level of
    the rest. Findings that were bounded before may be among them.
    """
    single = [one for one in findings if not one.stands_for]
    rest = [one for one in findings if one.stands_for]
    by_weight = sorted(range(len(single)), key=lambda index: (single[index].level == WARNING, index))
    kept = [single[index] for index in sorted(by_weight[:MOST_FINDINGS])]
    rest += [single[index] for index in by_weight[MOST_FINDINGS:]]
    if not rest:
        return kept
    count = sum(one.stands_for or 1 for one in rest)
    message = f"{count} more findings are not shown: mend these first"
    level = worst(rest) or WARNING
    return [*kept, Finding(rest[0].file, None, "", None, message, level, "more", stands_for=count)]


def worst(findings: Iterable[Finding]) -> str | None:
    """The heaviest level among findings, None where there is none."""
    found = {one.level for one in findings}
    return next((level for level in LEVELS if level in found), None)


@dataclass(frozen=True)
class Problem:
    """A fault at a field path, before it has a file, a line and a level."""

    path: Path
    message: str
    rule: str
    value: Any = None
