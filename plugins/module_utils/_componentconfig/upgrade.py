# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what happens to a file, and to the flags next to it, when the component moves to another Kubernetes minor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import ConfigError
from ._codec.document import Document
from ._collector import ArgumentCheck
from ._field_notes import RULE_MEANING, Meaning, NotedConfig
from ._flags._flag_set import flag_set, values_by_flag
from ._flags._pflag import parse_command_line
from ._flags.component_flags import ComponentFlags
from ._flags.kubelet_flags import FEATURE_GATES
from ._gate_effects import FieldEffect, field_effects, gate_without_effect
from ._meanings import general_notes, meanings, notes
from ._scalars.field_path import Path, overlaps, value_at
from ._schema._feature_gates import FeatureGates, gate_names, gate_state
from ._schema.kinds import Kind, find_kind, is_present_at
from ._schema.releases import known_minor_of, minor_name
from ._upgrade_changes import Cause, FieldUpgrade, FlagUpgrade, GateUpgrade, Upgrade
from .certainty import upgrade_findings
from .check import check
from .compare import FieldChange, effective_diff, effective_values, is_default, is_written, source_of
from .findings import Finding, Level, judged, not_judged_causes
from .load import Config

__all__ = ["Cause", "FieldUpgrade", "FlagUpgrade", "GateUpgrade", "Upgrade", "upgrade"]

_GATES_FLAG = "feature-gates"


class _Sides(NamedTuple):
    """A document as the components of two minors see it: with the flags of its own component merged over it."""

    document: Document
    kind: Kind
    minors: tuple[int, int]
    merged: tuple[Document, Document]
    flags: ComponentFlags | None

    @property
    def data(self) -> tuple[Any, Any]:
        """The decoded document before and after."""
        return self.merged[0].data, self.merged[1].data

    @property
    def settings(self) -> dict[str, Any]:
        """The feature gates that the document or the flags set."""
        in_file = self.data[1].get(FEATURE_GATES) if FEATURE_GATES in self.kind.fields else None
        return {**(in_file if isinstance(in_file, dict) else {}), **self.gates_of_flags}

    @property
    def gates_of_flags(self) -> dict[str, bool]:
        """The feature gates that the flags set."""
        return self.flags.gates(self.kind.component) if self.flags is not None else {}

    def place_of(self, path: Path) -> str:
        """Return the file and line, or the flag, that sets a value, "" if nothing does."""
        document = self.merged[1]
        if value_at(document.data, path) is None:
            return ""
        line = document.line_of(path) if not document.file_of(path).startswith("--") else None
        return document.file_of(path) + ("" if line is None else f":{line}")


def upgrade(
    config: Config,
    from_version: str,
    to_version: str = "",
    *,
    flags: Sequence[str] = (),
    overrides: Mapping[str, str] | None = None,
    arguments: ArgumentCheck | None = None,
) -> Upgrade:
    """Return what changes for a file when the component that reads it moves from one Kubernetes minor to another.

    from_version, to_version: the Kubernetes versions, "" for the newest that the data cover. flags:
    the component's command line without the program, one word each. overrides: the user's own classes of disruption,
    by field path. arguments: checks the flags inside kubeadm's files.

    Raises ConfigError for versions of one minor or outside the data, for a kind that is not known, and for an override
    that cannot be.
    """
    minors = known_minor_of(from_version), known_minor_of(to_version)
    if minors[0] == minors[1]:
        raise ConfigError(f"both versions are of Kubernetes {minor_name(minors[0])}: an upgrade needs two minors")
    main = config.kind
    if main is None:
        raise ConfigError(f"{config.data['apiVersion']} {config.data['kind']} is not a known kind")
    command_line = ComponentFlags(flags) if flags else None
    documents = list(_sides_of(config, main, command_line, minors))
    fields = [change for sides in documents for change in _field_upgrades(sides, overrides)]
    # Several documents may switch the same gate, and be read by the same component.
    gates = dict.fromkeys(gate for sides in documents for gate in _gate_upgrades(sides))
    general = {note.id for sides in documents for note in general_notes(sides.kind, minors)}
    by_minor = [_findings(config, main, command_line, arguments, minor) for minor in minors]
    before, after = map(judged, by_minor)
    open_findings = [finding for finding in dict.fromkeys([*by_minor[0], *by_minor[1]]) if finding.path]
    known = set(map(_finding_key, before))
    findings = [finding for finding in after if _finding_key(finding) not in known]
    refusals = [finding for finding in after if finding.is_refusal and _finding_key(finding) in known]
    flag_changes = _flag_upgrades(main, flags, minors)
    sorted_gates = sorted(gates, key=lambda gate: gate.gate)
    changed_meanings = [
        meaning for sides in documents for meaning in _meaning_changes(sides, after, flag_changes, sorted_gates)
    ]
    effective = [effective_values(data, {}, minor) for data, minor in zip(documents[0].data, minors)]
    return Upgrade(
        minors,
        frozenset(sides.kind.component for sides in documents),
        fields,
        sorted_gates,
        flag_changes,
        findings,
        changed_meanings,
        [note for note in notes() if note.id in general],
        (effective[0], effective[1]),
        refusals,
        not_judged_causes([*upgrade_findings(minors), *open_findings]),
    )


def _sides_of(config: Config, main: Kind, flags: ComponentFlags | None, minors: tuple[int, int]) -> Iterator[_Sides]:
    """Yield the documents of known kinds; the flags are those of the component that reads the first."""
    for document in config.documents:
        kind = find_kind(document.data.get("apiVersion"), document.data.get("kind"))
        if kind is None:
            continue
        own_flags = flags if kind.component == main.component else None
        merged = [
            own_flags.merged_over(document, kind, minor) if own_flags is not None else document for minor in minors
        ]
        yield _Sides(document, kind, minors, (merged[0], merged[1]), own_flags)


def _findings(
    config: Config, main: Kind, flags: ComponentFlags | None, arguments: ArgumentCheck | None, minor: int
) -> list[Finding]:
    """Return what is wrong with a config at a minor; of several documents, the flags are checked by themselves."""
    checked_flags = flags if not config.others else None
    findings = check(config, versions=[minor_name(minor)], flags=checked_flags, arguments=arguments)
    if flags is not None and config.others:
        findings += flags.findings(config.document, main, minor)
    return [finding for finding in findings if finding.rule != RULE_MEANING]  # an upgrade has all meanings


def _field_upgrades(sides: _Sides, overrides: Mapping[str, str] | None) -> Iterator[FieldUpgrade]:
    """Yield the fields whose effective value changes.

    A flag may set, given or by default, what becomes a field later: the component has the value all the time.
    """
    kind, minors = sides.kind, sides.minors
    if not all(kind.known_at(minor) for minor in minors):
        return
    flags = sides.flags if sides.flags is not None else ComponentFlags(())
    beyond = [
        {
            path: value
            for path, value in flags.values_without_field(kind, minor).items()
            if kind.entry_at(path, other) is not None
        }
        for minor, other in zip(minors, reversed(minors))
    ]
    gates = FeatureGates(minors[0], sides.settings), FeatureGates(minors[1], sides.settings)
    for change in effective_diff(*sides.data, minors, overrides, beyond):
        path = change.change.field_path
        values = change.change.old, change.change.new
        off = gate_without_effect(kind, path, values, gates) if kind.component != "kubeadm" else None
        placed = FieldChange(change.change, change.disruption, source_of(change, sides.merged[1]))
        yield FieldUpgrade(placed, _cause_of(change, sides), kind.kind, off)


def _cause_of(change: FieldChange, sides: _Sides) -> Cause:
    path = change.change.field_path
    entries = sides.kind.entries_along(path)
    was_known, is_known = (all(is_present_at(entry, minor) for entry in entries) for minor in sides.minors)
    if not is_known:
        return "gone"
    if was_known:
        return "default"
    if is_written(change.change, sides.data) and not is_default(change.change, sides.kind, sides.minors):
        return "read"
    return "new" if change.change.old is None else "default"


def _gate_upgrades(sides: _Sides) -> Iterator[GateUpgrade]:
    """Yield the gates that a file or a flag sets and whose state changes, and all others that are switched."""
    kind, minors = sides.kind, sides.minors
    if kind.component == "kubeadm" or not (FEATURE_GATES in kind.fields or sides.flags is not None):
        return  # kubeadm's gates are its own
    settings, by_flag = sides.settings, sides.gates_of_flags
    old, new = FeatureGates(minors[0], settings), FeatureGates(minors[1], settings)
    refusals = dict(new.refused_settings())
    for gate in gate_names():
        before, after = (gate_state(gate, minor) for minor in minors)
        if before == after:
            continue
        setting = settings.get(gate)
        is_set = isinstance(setting, bool)
        is_switched = old.is_on(gate) != new.is_on(gate)
        if is_set or (is_switched and any(side.is_known(gate) for side in (old, new))):
            yield GateUpgrade(
                gate,
                setting if is_set else None,
                str(before) if before is not None else "",
                str(after) if after is not None else "",
                old.is_on(gate),
                new.is_on(gate),
                refusals.get(gate, ""),
                sides.place_of((FEATURE_GATES, gate)) if gate not in by_flag else f"--{_GATES_FLAG}",
            )


def _flag_upgrades(kind: Kind, arguments: Sequence[str], minors: tuple[int, int]) -> list[FlagUpgrade]:
    """Return the flags of a command line that only the old minor has, and those that the new one reads differently."""
    known = flag_set(kind.component)
    if known is None:
        return list(_noted_flags(kind, arguments, minors))
    old, new = minors
    changes = []
    for flag, _values in values_by_flag(parse_command_line(arguments, known.flags).uses, known.flags):
        if not flag.known_at(new):
            if not flag.known_at(old):
                continue  # no news: what both minors refuse is among the findings
            if flag.last is not None and flag.last < new:
                reason = f"Kubernetes {minor_name(flag.last + 1)} and newer do not have it"
            else:
                reason = f"it comes with Kubernetes {minor_name(flag.since)}"
            changes.append(FlagUpgrade(flag.name, True, reason + (f": {flag.advice.drop}" if flag.advice.drop else "")))
        elif flag.wins_since is not None and (flag.wins_since <= old) != (flag.wins_since <= new):
            reason = f"from Kubernetes {minor_name(flag.wins_since)} on it wins over the file"
            changes.append(FlagUpgrade(flag.name, False, reason))
    return changes


def _noted_flags(kind: Kind, arguments: Sequence[str], minors: tuple[int, int]) -> Iterator[FlagUpgrade]:
    """Yield the flags that the new minor does not have, of a component of which only the changes are known."""
    config = NotedConfig(kind, {}, {}, ComponentFlags(arguments).names(kind.component))
    is_downgrade = minors[1] < minors[0]
    for meaning in meanings(config, minors):
        name, since = meaning.subject[2:], minor_name(meaning.note.since)
        if meaning.note.about.flags and meaning.note.level == "refused" and not is_downgrade:
            yield FlagUpgrade(name, True, f"Kubernetes {since} and newer do not have it")
        elif meaning.note.about.flags and meaning.note.level == "new" and is_downgrade:
            yield FlagUpgrade(name, True, f"it comes with Kubernetes {since}")


def _meaning_changes(
    sides: _Sides, findings: Sequence[Finding], flags: Sequence[FlagUpgrade], gates: Sequence[GateUpgrade]
) -> Iterator[Meaning | FieldEffect]:
    """Yield what a document means differently, unless a finding, a flag or a gate of the upgrade says it."""
    told_flags = {f"--{flag.name}" for flag in flags}
    told_gates = {(FEATURE_GATES, gate.gate) for gate in gates if gate.setting is not None}
    names = sides.flags.names(sides.kind.component) if sides.flags is not None else frozenset[str]()
    config = NotedConfig(sides.kind, sides.data[1], sides.settings, names)
    noted: set[Path] = set()
    for meaning in meanings(config, sides.minors):
        path, note = meaning.path, meaning.note
        is_refused = note.level == "refused" and not note.about.gate and _is_refused(path, findings)
        if is_refused or meaning.subject in told_flags or (note.about.gates and path in told_gates):
            continue
        noted.add(path)
        yield meaning._replace(source=sides.place_of(path))
    for effect in field_effects(sides.kind, sides.data[1], sides.settings, sides.minors):
        if not any(overlaps(effect.path, path) for path in noted):
            yield effect._replace(source=sides.place_of(effect.path))


def _is_refused(path: Path, findings: Sequence[Finding]) -> bool:
    return any(
        finding.level is Level.COMPONENT and finding.path and overlaps(path, finding.path) for finding in findings
    )


def _finding_key(finding: Finding) -> tuple[Any, ...]:
    """Return what makes a finding the same in two minors, however it is worded."""
    return finding.file, finding.path, finding.rule, finding.level
