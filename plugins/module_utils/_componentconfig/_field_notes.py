# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which values of a document mean something else from a Kubernetes minor on.

The facts are schema/upgrade_notes.json; those that are not about fields are in _meanings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ._scalars.field_path import Path, format_path, value_at
from ._schema._feature_gates import FeatureGates
from ._schema.kinds import MAIN_KINDS, Kind, fact_at
from ._schema.releases import minor_name
from .findings import Finding, Level, show

NoteLevel = Literal[
    "meaning",
    "default",
    "accepted",
    "refused",
    "behavior",
    "locked",
    "stage",
    "warning",
    "deprecated",
    "undeprecated",
    "new",
]
"""What is different from a minor on; `meaning`: one value means two things, `accepted`: it was refused before."""

RULE_MEANING = "meaning"
_GATES_FIELD = "featureGates"


class NoteSubject(NamedTuple):
    """What a note is about: a field, a gate, gates, flags, or an API version; all empty for the component itself."""

    kind: str = ""
    api_version: str = ""
    field: Path = ()
    gate: str = ""
    gates: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Note:
    """A change that a release brings.

    since: the first minor with the new state. before, after: the states as phrases. keep: a sentence about what keeps
    the old state, "" for none. host: what the host must be like, which no config shows. what: the subject of a note
    about the component itself, in words. condition: see `_is_met`. is_dangerous: the new state is worth a warning by
    itself. is_planned: the release is not out yet.
    """

    id: str
    since: int
    component: str
    level: NoteLevel
    condition: Mapping[str, Any]
    before: str = ""
    after: str = ""
    keep: str = ""
    host: str = ""
    what: str = ""
    about: NoteSubject = NoteSubject()
    is_dangerous: bool = False
    is_planned: bool = False

    def __str__(self) -> str:
        return "; ".join(part for part in (*self.states, self.keep) if part)

    @property
    def states(self) -> tuple[str, str]:
        """Both states, each with its minors."""
        planned = " (planned)" if self.is_planned else ""
        before = f"up to {minor_name(self.since - 1)}: {self.before}"
        return before, f"from {minor_name(self.since)} on{planned}: {self.after}"

    @property
    def is_general(self) -> bool:
        """Whether it is about the component itself, whatever its files hold."""
        return self.about._replace(kind="") == NoteSubject()

    def as_dict(self) -> dict[str, Any]:
        """Return the note as plain data, for a module's result."""
        return {
            "note": self.id,
            "since": minor_name(self.since),
            "subject": self.what,
            "before": self.before,
            "after": self.after,
        }


class NotedConfig(NamedTuple):
    """What notes look at.

    data: a document of a kind, with the flags merged over it. settings: the gates that the document or the flags set.
    flags: the names of the flags in use, without dashes.
    """

    kind: Kind
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    flags: frozenset[str] = frozenset()


class Meaning(NamedTuple):
    """A note that applies to a config: what it is about, a field's path and value, or a gate or a flag.

    is_of_downgrade: whether the config comes to the older state.
    """

    note: Note
    subject: str
    path: Path = ()
    value: Any = None
    kind: str = ""
    source: str = ""
    is_of_downgrade: bool = False

    def __str__(self) -> str:
        shown = show(self.value, self.path)
        value = f": {shown or '<unset>'}" if self.note.about.field == self.path else ""
        place = f" ({self.source})" if self.source else ""
        host = f", if {self.note.host}" if self.note.host else ""
        states = "; ".join(reversed(self.note.states)) if self.is_of_downgrade else str(self.note)
        return f"meaning: {self.subject}{value}{place}{host}: {states}"

    def as_dict(self) -> dict[str, Any]:
        """Return the meaning as plain data, for a module's result."""
        return {
            **self.note.as_dict(),
            "subject": self.subject,
            "value": show(self.value, self.path),
            "keep": self.note.keep,
            "condition": self.note.host,
            "kind": self.kind,
            "place": self.source,
        }


@lru_cache(maxsize=1)
def field_notes() -> tuple[Note, ...]:
    """Return the notes about fields."""
    from ._data._field_notes import NOTES

    return tuple(map(parse_note, json.loads(NOTES)))


def parse_note(row: Mapping[str, Any]) -> Note:
    """Return the note of a row of the data."""
    texts = {key: " ".join(row[key]) for key in ("before", "after", "keep", "host", "what") if key in row}
    return Note(
        row["id"],
        row["since"],
        row["component"],
        row["level"],
        row.get("condition", {}),
        about=NoteSubject(
            kind=row.get("kind", ""),
            api_version=row.get("apiVersion", ""),
            field=tuple(row["field"].split(".")) if "field" in row else (),
            gate=row.get("gate", ""),
            gates=tuple(row.get("gates", ())),
            flags=tuple(row.get("flags", ())),
        ),
        is_dangerous=bool(row.get("danger")),
        is_planned=bool(row.get("planned")),
        **texts,
    )


def notes_about_field(kind: Kind, path: Path) -> list[Note]:
    """Return the notes about a field of a kind, or about a field around it."""
    return [
        note for note in field_notes() if is_about(note, kind) and path[: len(note.about.field)] == note.about.field
    ]


def meanings_of_field(config: NotedConfig, path: Path, minor: int) -> Iterator[Meaning]:
    """Yield what a field's value means since a minor or an earlier one."""
    for note in notes_about_field(config.kind, path):
        if note.since <= minor and note.level != "refused" and applies(note, config):
            yield from subjects_of(note, config)


def is_about(note: Note, kind: Kind) -> bool:
    """Return whether a note is about files of a kind: those of its kind, else those that its component is run with."""
    if note.about.kind:
        return note.about.kind == kind.kind
    if note.component == "all":
        return kind.component != "kubeadm" and MAIN_KINDS.get(kind.component, kind.kind) == kind.kind
    return note.component == kind.component and MAIN_KINDS.get(kind.component, kind.kind) == kind.kind


def applies(note: Note, config: NotedConfig) -> bool:
    """Return whether a config meets the condition of a note; its flags and other gates are left to `subjects_of`."""
    if note.about.api_version and note.about.api_version != config.kind.api_version:
        return False
    if note.about.gate:
        was_on, is_on = _switch(note.about.gate, note.since, config.settings)
        if was_on == is_on:
            return False
    return not note.about.field or _is_met(note.condition, note, config)


def _switch(gate: str, since: int, settings: Mapping[str, Any]) -> tuple[bool, bool]:
    """Return whether a gate is on at the minor before a note's, and at the note's."""
    before, after = (FeatureGates(minor, settings).is_on(gate) for minor in (since - 1, since))
    return before, after


def _is_met(condition: Mapping[str, Any], note: Note, config: NotedConfig) -> bool:
    """Return whether a config meets all parts of a condition.

    equals, notEquals: the effective value. written, absent: whether the document or a flag sets it. contains: an item
    of a list; moreThan: the number of its items. gateOn: a gate before the note's minor; gateOff: from it on;
    gateTurnsOn: a gate that it switches. anyOf: one of several conditions.
    """
    written = value_at(config.data, note.about.field)
    entries = config.kind.entries_along(note.about.field)
    value = fact_at(entries[-1], "default", note.since) if written is None else written
    items = value if isinstance(value, list) else []
    for name, operand in condition.items():
        if name == "anyOf":
            met = any(_is_met(part, note, config) for part in operand)
        elif name in ("gateOn", "gateOff", "gateTurnsOn"):
            was_on, is_on = _switch(operand, note.since, config.settings)
            met = {"gateOn": was_on, "gateOff": not is_on, "gateTurnsOn": is_on and not was_on}[name]
        elif name == "written":
            met = written is not None
        elif name == "absent":
            met = written in (None, "", [], {})
        elif name == "contains":
            met = operand in items
        elif name == "moreThan":
            met = len(items) > operand
        else:
            met = _is_equal(value, operand) == (name == "equals")
        if not met:
            return False
    return True


def _is_equal(value: Any, operand: Any) -> bool:
    """Return whether two values are the same in YAML, where false is not 0."""
    return bool(value == operand) and isinstance(value, bool) == isinstance(operand, bool)


def subjects_of(note: Note, config: NotedConfig) -> Iterator[Meaning]:
    """Yield a note once for each flag or gate in use that it is about, or once for its gate, field or API version."""
    kind = config.kind.kind
    if note.about.flags:
        for flag in note.about.flags:
            if flag in config.flags:
                yield Meaning(note, f"--{flag}", kind=kind)
    elif note.about.gate or note.about.gates:
        for gate in (note.about.gate,) if note.about.gate else note.about.gates:
            if note.about.gate or isinstance(config.settings.get(gate), bool):
                path: Path = (_GATES_FIELD, gate)
                yield Meaning(note, format_path(path), path, config.settings.get(gate), kind)
    else:
        path = note.about.field or ("apiVersion",)
        yield Meaning(note, format_path(path), path, value_at(config.data, path), kind)


def meaning_findings(config: NotedConfig, minors: Sequence[int]) -> Iterator[tuple[Finding, list[int]]]:
    """Yield a warning, with the minors that it is for, for each value that does not mean the same to all minors.

    A value whose new meaning is dangerous has a warning with the new minors alone, too.
    """
    for note in field_notes():
        is_candidate = note.level == "meaning" and is_about(note, config.kind)
        if not is_candidate or value_at(config.data, note.about.field) is None or not applies(note, config):
            continue
        newer = [minor for minor in minors if minor >= note.since]
        if newer and len(newer) < len(minors):
            host = f"if {note.host}, " if note.host else ""
            message = f"{host}means two things in these versions: {note}"
            yield Finding(note.about.field, message, RULE_MEANING, Level.WARNING), list(minors)
        elif newer and note.is_dangerous:
            message = f"means {note.after} (up to Kubernetes {minor_name(note.since - 1)}: {note.before}); {note.keep}"
            yield Finding(note.about.field, message, RULE_MEANING, Level.WARNING), newer
