# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define the finding: what is wrong with a config, where, for which Kubernetes versions, and how serious it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

from . import ConfigError
from ._scalars.field_path import Path, format_path
from ._scalars.secrets import is_secret


class Level(str, Enum):
    """How serious a finding is, the most serious level first."""

    COMPONENT = "component"
    """The component itself refuses the config: when it loads it, validates it or starts with it."""
    POLICY = "policy"
    """The component would run; this package refuses the config: unknown or duplicate fields, secrets, denied fields,
    relative paths in a bundle."""
    NOT_JUDGED = "not-judged"
    """Whether the component accepts it is not known: the data of a release are not whole, or the input was not
    understood. The message says what was not judged and why."""
    WARNING = "warning"
    """The config is accepted."""

    def __str__(self) -> str:
        return self.value


RULE_SECRET = "secret"
RULE_NOT_JUDGED = "not-judged"
RULE_DENIED = "denied"
RULE_DUPLICATE = "duplicate"
RULE_UNKNOWN_FIELD = "unknown-field"
RULE_UNKNOWN_FLAG = "unknown-flag"
RULE_GATES_KNOWN = "gates-known"
RULE_GATES_NEEDED = "gates-deps"
"""Ids of rules that code compares; all others are only shown."""

MAX_FINDINGS = 100
"""The most findings that a check returns: users need no more, and a bundle of 128 kB can have 20,000."""
_MAX_VALUE = 60
_MAX_MESSAGE = 1000
_MAX_PATH = 300
_SERIOUSNESS = {level: index for index, level in enumerate(Level)}


class Finding(NamedTuple):
    """One thing that is wrong with a config.

    A rule sets path and message. The check adds the rule's id and its level, the document adds file, line and value.
    """

    path: Path
    message: str
    rule: str = ""
    level: Level = Level.COMPONENT
    value: str | None = None
    """The field's value as short JSON that is safe to show; see `show`."""
    file: str = ""
    line: int | None = None
    versions: tuple[str, ...] = ()
    """The Kubernetes minors for which it holds, if known."""
    nodes: tuple[str, ...] = ()
    """The nodes of a pool for which it holds, if known."""
    omitted: int = 0
    """The number of findings that are not shown and that it counts; 0 for an ordinary finding."""
    why: str = ""
    """Why its message, a noun phrase, was not judged; "" for all other levels."""

    @property
    def field(self) -> str:
        """The path as text that is safe to print."""
        text = _printable(format_path(self.path))
        return text if len(text) <= _MAX_PATH else text[: _MAX_PATH - 3] + "..."

    @property
    def is_refusal(self) -> bool:
        """Whether the config is refused because of it."""
        return self.level in (Level.COMPONENT, Level.POLICY)

    @property
    def text(self) -> str:
        """The path, the value and the message, without the place."""
        return ": ".join(part for part in (self.field, self.value, self.message, self.why) if part)

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (location, self.text) if part)

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data, for a module's result or a JSON report."""
        return {
            "file": self.file,
            "line": self.line,
            "path": self.field,
            "value": self.value,
            "message": f"{self.message}: {self.why}" if self.why else self.message,
            "level": self.level.value,
            "rule": self.rule,
            "versions": list(self.versions),
            "nodes": list(self.nodes),
        }


class InvalidConfig(ConfigError):
    """Raised for text that cannot be decoded and for layers that make no config; `findings` say where and why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(str(findings[0]))
        self.findings = tuple(findings)


def not_judged(path: Path, what: str, why: str) -> Finding:
    """Return the finding that something was not judged.

    what: a noun phrase, such as "defaults and gates of Kubernetes 1.38". why: a phrase, such as "the data of this
    release do not have them". Reports count the findings of one `what` and `why` as one line, so neither names a place.
    """
    return Finding(path, what, RULE_NOT_JUDGED, Level.NOT_JUDGED, why=why)


class NotJudged(NamedTuple):
    """One cause for which something was not judged: what and why, with all findings of it."""

    what: str
    why: str
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.what, self.why) if part)
        return f"{text} ({self.occurrences} places)" if self.occurrences > 1 else text

    @property
    def occurrences(self) -> int:
        """How often it occurs."""
        return sum(finding.omitted or 1 for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the cause as plain data, for a module's result or a JSON report."""
        return {
            "what": self.what,
            "why": self.why,
            "count": self.occurrences,
            "versions": sorted({version for finding in self.findings for version in finding.versions}),
            "places": [
                {"file": finding.file, "line": finding.line, "path": finding.field} for finding in self.findings
            ],
        }


def not_judged_causes(findings: Iterable[Finding]) -> list[NotJudged]:
    """Return what was not judged according to findings of any level, one entry for each cause, in their order."""
    causes: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.level is Level.NOT_JUDGED:
            causes.setdefault((finding.message, finding.why), []).append(finding)
    return [NotJudged(what, why, tuple(places)) for (what, why), places in causes.items()]


def judged(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that say what is wrong, without those that say that something was not judged."""
    return [finding for finding in findings if finding.level is not Level.NOT_JUDGED]


def finding_lines(findings: Sequence[Finding]) -> list[str]:
    """Return a line for each finding, and then one for each cause for which something was not judged."""
    lines = [f"{finding.level}: {finding}" for finding in judged(findings)]
    return lines + [f"not judged: {cause}" for cause in not_judged_causes(findings)]


class Verdict(str, Enum):
    """What a check says of a config."""

    PASSES = "passes"
    FAILS = "fails"
    NOT_JUDGED = "not judged"
    """Nothing that was judged fails, and something was not judged."""

    def __str__(self) -> str:
        return self.value


def verdict_of(findings: Iterable[Finding], failing: Sequence[Level]) -> Verdict:
    """Return the verdict of findings. failing: the levels at which a config fails."""
    levels = {finding.level for finding in findings}
    if not levels.isdisjoint(failing):
        return Verdict.FAILS
    return Verdict.NOT_JUDGED if Level.NOT_JUDGED in levels else Verdict.PASSES


def show(value: Any, path: Path = ()) -> str | None:
    """Return a decoded value as one short line of JSON, None for no value; secrets are never shown in clear."""
    if value is None:
        return None
    if is_secret(value, path):
        return "(a secret, not shown)"
    text = _printable(json.dumps(value, ensure_ascii=False, default=str)[: 2 * _MAX_VALUE])
    return text if len(text) <= _MAX_VALUE else text[: _MAX_VALUE - 3] + "..."


def _printable(text: str) -> str:
    """Return the text on one line, with escapes for everything that a terminal would not print: keys may hold it."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def located(finding: Finding, file: str, line: int | None = None) -> Finding:
    """Return the finding with its place; its message is made safe to print, since it may quote the config."""
    message, why = (_printable(text[:_MAX_MESSAGE])[:_MAX_MESSAGE] for text in (finding.message, finding.why))
    return finding._replace(file=file, line=line, message=message, why=why)


def reading_order(finding: Finding) -> tuple[int, str, int, str]:
    """Return the key that sorts findings by line, path, level and message."""
    return finding.line or 0, finding.field, _SERIOUSNESS[finding.level], finding.message


def bounded(findings: Iterable[Finding]) -> list[Finding]:
    """Return at most MAX_FINDINGS of the findings, in their order, and one more that counts the rest.

    The more serious ones are kept first, so that the first refusal is always among them. The last finding has the worst
    level of the rest. Findings that were bounded before may be among them.
    """
    listed, omitted = list[Finding](), list[Finding]()
    for finding in findings:
        (omitted if finding.omitted else listed).append(finding)
    by_weight = sorted(range(len(listed)), key=lambda index: (_weight(listed[index].level), index))
    kept = [listed[index] for index in sorted(by_weight[:MAX_FINDINGS])]
    omitted += [listed[index] for index in by_weight[MAX_FINDINGS:]]
    if not omitted:
        return kept
    count = sum(finding.omitted or 1 for finding in omitted)
    message = f"{count} more findings are not shown: fix these first"
    level = worst(omitted) or Level.WARNING
    return [*kept, Finding((), message, "more", level, file=omitted[0].file, omitted=count)]


def _weight(level: Level) -> int:
    """Return the rank in which findings are kept: both levels that refuse a config are equal."""
    return max(_SERIOUSNESS[level], _SERIOUSNESS[Level.POLICY])


def refusing_levels(fail_on: str) -> tuple[Level, ...]:
    """Return the levels at which a module or a command fails. fail_on: the mildest of them, or "never"."""
    levels = tuple(Level)
    return levels[: levels.index(Level(fail_on)) + 1] if fail_on != "never" else ()


def worst(findings: Iterable[Finding]) -> Level | None:
    """Return the most serious level among findings, None without findings."""
    return min((finding.level for finding in findings), key=_SERIOUSNESS.__getitem__, default=None)


def scope_of(*, knows_flags: bool, checks_host: bool) -> list[str]:
    """Return what a check leaves out by design, as noun phrases. It says nothing against what was checked.

    knows_flags: whether the flags of the component are given. checks_host: whether the host is checked.
    """
    left_out = ["the content of files, servers and addresses that a config names"]
    if not knows_flags:
        left_out.append("flags of the command line")
    if not checks_host:
        left_out.append("the host")
    return left_out
