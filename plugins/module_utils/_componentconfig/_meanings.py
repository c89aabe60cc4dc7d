# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what means something else after an upgrade: values, gates and flags. See schema/upgrade_notes.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ._field_notes import Meaning, Note, NotedConfig, applies, field_notes, is_about, parse_note, subjects_of
from ._schema.kinds import Kind
from ._schema.releases import minor_name


@lru_cache(maxsize=1)
def notes() -> tuple[Note, ...]:
    """Return all notes, the oldest first."""
    from ._data._upgrade_notes import NOTES

    return tuple(sorted((*field_notes(), *map(parse_note, json.loads(NOTES))), key=lambda note: note.since))


def notes_about_gate(gate: str) -> list[Note]:
    """Return the notes about a gate."""
    return [note for note in notes() if gate == note.about.gate or gate in note.about.gates]


def general_notes(kind: Kind, minors: tuple[int, int]) -> list[Note]:
    """Return the notes about the component that reads files of a kind, for what lies between two minors."""
    return [note for note in _notes_between(kind, minors) if note.is_general]


def meanings(config: NotedConfig, minors: tuple[int, int]) -> Iterator[Meaning]:
    """Yield what a config means differently on the two sides of an upgrade, in either direction."""
    for note in _notes_between(config.kind, minors):
        if not note.is_general and applies(note, config):
            for meaning in subjects_of(note, config):
                yield meaning._replace(is_of_downgrade=minors[1] < minors[0])


def explanation(note: Note) -> str:
    """Return the change with its condition, for an explanation of the field or gate."""
    conditions = [text for text in (_in_words(note.condition), f"if {note.host}" if note.host else "") if text]
    when = ", ".join(conditions)
    before = f" (up to {minor_name(note.since - 1)}: {note.before})" if note.before else ""
    planned = " (planned)" if note.is_planned else ""
    text = f"from {minor_name(note.since)} on{planned}" + (f", {when}" if when else "")
    return f"{text}: {note.after}{before}" + (f"; {note.keep}" if note.keep else "")


def _notes_between(kind: Kind, minors: tuple[int, int]) -> list[Note]:
    return [note for note in notes() if min(minors) < note.since <= max(minors) and is_about(note, kind)]


def _in_words(condition: Mapping[str, Any]) -> str:
    """Return a condition for a message, "" for none."""
    words = {
        "equals": "if it is {}",
        "notEquals": "if it is not {}",
        "written": "if it is set",
        "absent": "if it is not set",
        "contains": "with {}",
        "moreThan": "with more than {} item",
        "gateOn": "if {} was on",
        "gateOff": "if {} is off",
        "gateTurnsOn": "unless {} was on before or is switched off",
    }
    if "anyOf" in condition:
        return " or ".join(_in_words(part) for part in condition["anyOf"])
    names = [name for name in condition if name != "written" or len(condition) == 1]
    return " and ".join(words[name].format(condition[name]) for name in names)
