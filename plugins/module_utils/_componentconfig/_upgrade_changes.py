# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define what an upgrade changes for a file: its fields, gates, flags, findings and meanings, as lines and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from .._text import first_names
from ._field_notes import Meaning, Note
from ._flags.kubelet_flags import FEATURE_GATES
from ._gate_effects import FieldEffect, acts_on, components_of_gate
from ._schema.releases import minor_name
from .compare import FieldChange, summary_of
from .disruption import Disruption, disruption_classes, heaviest_class
from .findings import Finding, Level, NotJudged

Cause = Literal["default", "new", "gone", "read"]
"""Why a field changes: its default is another one, it is new with a default, it is gone, or the file's value is read
for the first time."""

_CAUSES: Mapping[Cause, str] = {
    "default": "the default changes",
    "new": "new, with this default",
    "gone": "the field is gone",
    "read": "not read before",
}
_GATES_SHOWN = 12
_NO_DISRUPTION = "none"


class FieldUpgrade(NamedTuple):
    """A field whose effective value changes, why, and the kind of its document.

    off: the feature gate without which the change has no effect, and the minor in which it is off; None if the change
    has one.
    """

    change: FieldChange
    cause: Cause
    kind: str
    off: tuple[str, int] | None = None

    @property
    def disruption(self) -> str:
        """The class of disruption: the lightest one without an effect."""
        return _NO_DISRUPTION if self.off is not None else self.change.disruption.name

    @property
    def reason(self) -> str:
        """Why it changes, and where the value is from."""
        if self.off is not None:
            gate, minor = self.off
            return f"no effect: the feature gate {gate} is off in {minor_name(minor)}"
        return _CAUSES[self.cause] + (f", {self.change.source}" if self.change.source else "")

    def __str__(self) -> str:
        disruption = f"  [{self.change.disruption}]" if self.off is None else ""
        return f"{self.change}{disruption}  ({self.reason})"

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data, for a module's result."""
        change = {**self.change.as_dict(), "place": self.change.source, "cause": self.cause, "kind": self.kind}
        if self.off is not None:
            change.update(Disruption(_NO_DISRUPTION, disruption_classes()[_NO_DISRUPTION], self.reason).as_dict())
        return change


class GateUpgrade(NamedTuple):
    """A feature gate that changes.

    setting: what the file or a flag sets, None for nothing. before, after: the states of the gate, "" for a minor that
    does not have it yet. was_on, is_on: whether the component has it on. refusal: why the new minor refuses the
    setting, "" if it does not.
    """

    gate: str
    setting: bool | None
    before: str
    after: str
    was_on: bool
    is_on: bool
    refusal: str = ""
    source: str = ""

    def __str__(self) -> str:
        states = f"{self.before or 'new'} -> {self.after or 'not there yet'}"
        place = f"  ({self.source})" if self.source else ""
        return f"{FEATURE_GATES}.{self.gate} is set to {str(self.setting).lower()}: {states}{place}"

    def as_dict(self) -> dict[str, Any]:
        """Return the gate as plain data, for a module's result."""
        fields = self._asdict()
        place = fields.pop("source")
        return {**fields, "place": place, "components": list(components_of_gate(self.gate))}


class FlagUpgrade(NamedTuple):
    """A flag that changes: its name without dashes, whether the new minor refuses it, and what happens to it."""

    name: str
    is_refused: bool
    reason: str

    def __str__(self) -> str:
        return (f"{Level.COMPONENT}: " if self.is_refused else "") + f"--{self.name}: {self.reason}"

    def as_dict(self) -> dict[str, Any]:
        """Return the flag as plain data, for a module's result."""
        return {"name": self.name, "refused": self.is_refused, "reason": self.reason}


@dataclass(frozen=True)
class Upgrade:
    """What changes for a file between two minors.

    components: those that read the file. findings: those that the new minor brings. refusals: those that both minors
    have. meanings: the fields, gates and flags that mean something else, or have an effect on one side only. notes:
    what changes for the components, whatever the file holds. effective: the effective config before and after, of the
    first document. not_judged: what may change too.
    """

    minors: tuple[int, int]
    components: frozenset[str]
    fields: list[FieldUpgrade]
    gates: list[GateUpgrade]
    flags: list[FlagUpgrade]
    findings: list[Finding]
    meanings: list[Meaning | FieldEffect]
    notes: list[Note]
    effective: tuple[dict[str, Any], dict[str, Any]]
    refusals: list[Finding]
    not_judged: list[NotJudged]

    def __bool__(self) -> bool:
        """Return whether anything changes."""
        return any((self.fields, self.gates, self.flags, self.findings, self.meanings, self.notes))

    def as_dict(self) -> dict[str, Any]:
        """Return what changes as plain data, for a module's result or a JSON report."""
        return {
            "field_changes": [field.as_dict() for field in self.fields],
            "gate_changes": [gate.as_dict() for gate in self.gates],
            "flag_changes": [flag.as_dict() for flag in self.flags],
            "meaning_changes": [meaning.as_dict() for meaning in self.meanings],
            "notes": [note.as_dict() for note in self.notes],
            "findings": [finding.as_dict() for finding in self.findings],
            "not_judged": [cause.as_dict() for cause in self.not_judged],
            "valid": not self.is_refused,
            "disruption": self.heaviest,
            "lines": self.lines,
        }

    @property
    def heaviest(self) -> str | None:
        """The heaviest class of disruption among the fields, None without any."""
        return heaviest_class(field.disruption for field in self.fields)

    @property
    def is_refused(self) -> bool:
        """Whether the new minor refuses the file or a flag that the old one takes."""
        return any(finding.is_refusal for finding in self.findings) or any(flag.is_refused for flag in self.flags)

    @property
    def lines(self) -> list[str]:
        """The changes as human-readable lines: what is refused first, what a restart applies last."""
        flags = {f"--{flag.name}" for flag in self.flags}
        lines = [f"{finding.level}: {finding}" for finding in self.findings if finding.file not in flags]
        lines += [str(flag) for flag in self.flags]
        lines += map(str, self.meanings)
        lines += self._field_lines()
        lines += [str(gate) for gate in self.gates if gate.setting is not None and not self._has_finding(gate)]
        lines += self._unset_gates()
        lines += map(self._note_line, self.notes)
        if not lines:
            nothing = "nothing that the data know changes" if self.not_judged else "nothing changes"
            lines = [f"{nothing} from Kubernetes {minor_name(self.minors[0])} to {minor_name(self.minors[1])}"]
        lines += [f"{finding.level}, as before: {finding}" for finding in self.refusals if finding.file not in flags]
        lines += [f"not judged: {cause}" for cause in self.not_judged]
        changes = [field.change for field in self.fields if field.off is None]
        lines = list(dict.fromkeys(lines))  # documents of one kind may have the same
        return lines + ([f"overall: {summary_of(changes)}"] if changes else [])

    def _field_lines(self) -> Iterator[str]:
        """Yield the lines of the fields, with their kinds if documents of several kinds have changes."""
        several = len({field.kind for field in self.fields}) > 1
        return (f"{field.kind}: {field}" if several else str(field) for field in self.fields)

    def _note_line(self, note: Note) -> str:
        if self.minors[0] > self.minors[1]:
            return f"also up to {minor_name(note.since - 1)}: {note.what}: {note.before}"
        planned = " (planned)" if note.is_planned else ""
        return f"also from {minor_name(note.since)} on{planned}: {note.what}: {note.after}"

    def _has_finding(self, gate: GateUpgrade) -> bool:
        return any(finding.path == (FEATURE_GATES, gate.gate) for finding in self.findings)

    def _unset_gates(self) -> Iterator[str]:
        """Yield the gates that nothing sets and that the components act on, without those that have a meaning."""
        with_meaning = {meaning.path for meaning in self.meanings}
        unset = [gate for gate in self.gates if gate.setting is None and (FEATURE_GATES, gate.gate) not in with_meaning]
        own = [gate for gate in unset if any(acts_on(component, gate.gate) for component in self.components)]
        for is_on, is_new, text in (
            (True, False, "feature gates that turn on"),
            (False, False, "feature gates that turn off"),
            (True, True, "new feature gates that are on"),
        ):
            names = [gate.gate for gate in own if gate.is_on == is_on and (not gate.before) == is_new]
            if names:
                yield f"{text}, unless set: {first_names(names, _GATES_SHOWN)}"
        others = len(unset) - len(own)
        if others:
            yield f"feature gates that change: {others}{' more' if own else ''} that other components act on"
