# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what happens to a file, and to the flags next to it, when the component moves to another Kubernetes minor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from . import ConfigError
from ._check import check
from ._codec._document import Document
from ._compare import FieldChange, effective_diff, effective_values, source_of, summary_of
from ._disruption import heaviest_class
from ._findings import Finding, Level
from ._flags._component_flags import ComponentFlags
from ._flags._flag_set import flag_set, values_by_flag
from ._flags._kubelet_flags import FEATURE_GATES
from ._flags._pflag import parse_command_line
from ._load import Config
from ._scalars._field_path import value_at
from ._scalars._wording import first_names
from ._schema._feature_gates import FeatureGates, gate_names, gate_state
from ._schema._kinds import Kind, find_kind, is_present_at
from ._schema._releases import known_minor_of, minor_name, newest_minor

__all__ = ["Cause", "FieldUpgrade", "FlagUpgrade", "GateUpgrade", "Upgrade", "upgrade"]

Cause = Literal["default", "new", "gone", "read"]
"""Why a field changes: its default is another one, it is new with a default, it is gone, or the file's value is read
for the first time."""

_CAUSES: Mapping[Cause, str] = {
    "default": "the default changes",
    "new": "new, with this default",
    "gone": "the field is gone",
    "read": "not read before",
}
_GATES_FLAG = "feature-gates"
_GATES_SHOWN = 12


class FieldUpgrade(NamedTuple):
    """A field whose effective value changes, why, and the kind of its document."""

    change: FieldChange
    cause: Cause
    kind: str

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data, for a module's result."""
        return {**self.change.as_dict(), "place": self.change.source, "cause": self.cause, "kind": self.kind}


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
        states = f"{self.before or 'unknown'} -> {self.after or 'unknown'}"
        place = f"  ({self.source})" if self.source else ""
        return f"{FEATURE_GATES}.{self.gate} is set to {str(self.setting).lower()}: {states}{place}"

    def as_dict(self) -> dict[str, Any]:
        """Return the gate as plain data, for a module's result."""
        return {
            "gate": self.gate,
            "setting": self.setting,
            "before": self.before,
            "after": self.after,
            "was_on": self.was_on,
            "is_on": self.is_on,
            "refusal": self.refusal,
            "place": self.source,
        }


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

    findings: those that the new minor brings. refusals: those that both minors have. effective: the effective config
    before and after, of the first document.
    """

    minors: tuple[int, int]
    fields: list[FieldUpgrade]
    gates: list[GateUpgrade]
    flags: list[FlagUpgrade]
    findings: list[Finding]
    effective: tuple[dict[str, Any], dict[str, Any]]
    refusals: list[Finding]

    def __bool__(self) -> bool:
        """Return whether anything changes."""
        return bool(self.fields or self.gates or self.flags or self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return what changes as plain data, for a module's result or a JSON report."""
        return {
            "field_changes": [field.as_dict() for field in self.fields],
            "gate_changes": [gate.as_dict() for gate in self.gates],
            "flag_changes": [flag.as_dict() for flag in self.flags],
            "findings": [finding.as_dict() for finding in self.findings],
            "valid": not self.is_refused,
            "disruption": self.heaviest,
            "lines": self.lines,
        }

    @property
    def heaviest(self) -> str | None:
        """The heaviest class of disruption among the fields, None without any."""
        return heaviest_class(field.change.disruption.name for field in self.fields)

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
        lines += [f"{field.change}  [{field.change.disruption}]  ({self._why(field)})" for field in self.fields]
        lines += [str(gate) for gate in self.gates if gate.setting is not None and not self._has_finding(gate)]
        lines += self._unset_gates()
        if not lines:
            lines = [f"nothing changes from Kubernetes {minor_name(self.minors[0])} to {minor_name(self.minors[1])}"]
        lines += [f"{finding.level}, as before: {finding}" for finding in self.refusals]
        if max(self.minors) > newest_minor():
            newest = minor_name(newest_minor())
            lines.append(f"gates and defaults of {minor_name(max(self.minors))} are not known yet: as in {newest}")
        return lines + ([f"all in all: {summary_of([field.change for field in self.fields])}"] if self.fields else [])

    def _why(self, field: FieldUpgrade) -> str:
        return _CAUSES[field.cause] + (f", {field.change.source}" if field.change.source else "")

    def _has_finding(self, gate: GateUpgrade) -> bool:
        return any(finding.path == (FEATURE_GATES, gate.gate) for finding in self.findings)

    def _unset_gates(self) -> Iterator[str]:
        unset = [gate for gate in self.gates if gate.setting is None]
        for is_on, is_new, text in (
            (True, False, "feature gates that turn on"),
            (False, False, "feature gates that turn off"),
            (True, True, "new feature gates that are on"),
        ):
            names = [gate.gate for gate in unset if gate.is_on == is_on and (not gate.before) == is_new]
            if names:
                yield f"{text}, unless set: {first_names(names, _GATES_SHOWN)}"


def upgrade(
    config: Config,
    from_version: str,
    to_version: str = "",
    *,
    flags: Sequence[str] = (),
    overrides: Mapping[str, str] | None = None,
) -> Upgrade:
    """Return what changes for a file when the component that reads it moves from one Kubernetes minor to another.

    from_version, to_version: the Kubernetes versions, "" for the newest that the data cover. flags:
    the component's command line without the program, one word each. overrides: the user's own classes of disruption,
    by field path.

    Raises ConfigError for versions of one minor or outside the data, for a kind that is not known, and for an override
    that cannot be.
    """
    minors = known_minor_of(from_version), known_minor_of(to_version)
    if minors[0] == minors[1]:
        raise ConfigError(f"both versions are of Kubernetes {minor_name(minors[0])}: an upgrade needs two minors")
    main = config.kind
    if main is None:
        raise ConfigError(f"{config.data['apiVersion']} {config.data['kind']} is no kind that is known here")
    command_line = ComponentFlags(flags) if flags else None
    fields: list[FieldUpgrade] = []
    gates: list[GateUpgrade] = []
    effective: list[dict[str, Any]] = []
    for document in config.documents:
        kind = find_kind(document.data.get("apiVersion"), document.data.get("kind"))
        if kind is None:
            continue
        own_flags = command_line if kind.component == main.component else None
        sides = [
            own_flags.merged_over(document, kind, minor).data if own_flags is not None else document.data
            for minor in minors
        ]
        if all(kind.known_at(minor) for minor in minors):
            changes = effective_diff(sides[0], sides[1], minors, overrides)
            fields += [_field_upgrade(change, document, sides, kind, minors) for change in changes]
        gates += _gate_upgrades(document, sides[1], kind, own_flags, minors)
        effective = effective or [effective_values(side, {}, minor) for side, minor in zip(sides, minors)]
    gates = sorted(dict.fromkeys(gates), key=lambda gate: gate.gate)  # several documents may switch the same
    flag_changes = _flag_upgrades(main, flags, minors)
    checked_flags = None if config.others else command_line  # of several documents, the flags are those of one
    before, after = (check(config, versions=[minor_name(minor)], flags=checked_flags) for minor in minors)
    known = set(map(_finding_key, before))
    findings = [finding for finding in after if _finding_key(finding) not in known]
    refusals = [finding for finding in after if finding.is_refusal and _finding_key(finding) in known]
    return Upgrade(minors, fields, gates, flag_changes, findings, (effective[0], effective[1]), refusals)


def _field_upgrade(
    change: FieldChange, document: Document, sides: Sequence[Any], kind: Kind, minors: tuple[int, int]
) -> FieldUpgrade:
    path = change.change.field_path
    entries = kind.entries_along(path)
    was_known, is_known = (all(is_present_at(entry, minor) for entry in entries) for minor in minors)
    cause: Cause = "default"
    if not is_known:
        cause = "gone"
    elif not was_known:
        cause = "read" if any(value_at(data, path) is not None for data in sides) else "new"
    placed = FieldChange(change.change, change.disruption, source_of(change, document))
    return FieldUpgrade(placed, cause, kind.kind)


def _gate_upgrades(
    document: Document, data: Mapping[str, Any], kind: Kind, flags: ComponentFlags | None, minors: tuple[int, int]
) -> Iterator[GateUpgrade]:
    """Yield the gates that a file or a flag sets and whose state changes, and all others that are switched."""
    by_flag = flags.gates(kind.component) if flags is not None else {}
    has_field = FEATURE_GATES in kind.fields
    if kind.component == "kubeadm" or not (has_field or flags is not None):  # kubeadm's gates are its own
        return
    in_file = data.get(FEATURE_GATES)
    settings = {**(in_file if has_field and isinstance(in_file, dict) else {}), **by_flag}
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
                _place_of(document, gate) if gate not in by_flag else f"--{_GATES_FLAG}",
            )


def _place_of(document: Document, gate: str) -> str:
    path = (FEATURE_GATES, gate)
    line = document.line_of(path) if value_at(document.data, path) is not None else None
    return "" if line is None else f"{document.file_of(path)}:{line}"


def _flag_upgrades(kind: Kind, arguments: Sequence[str], minors: tuple[int, int]) -> list[FlagUpgrade]:
    """Return the flags of a command line that the new minor does not have, and those that it reads differently."""
    known = flag_set(kind.component)
    if known is None:
        return []
    old, new = minors
    changes = []
    for flag, _values in values_by_flag(parse_command_line(arguments, known.flags).uses, known.flags):
        if not flag.known_at(new):
            if flag.last is not None and flag.last < new:
                reason = f"Kubernetes {minor_name(flag.last + 1)} and newer do not have it"
            else:
                reason = f"it comes with Kubernetes {minor_name(flag.since)}"
            changes.append(FlagUpgrade(flag.name, True, reason + (f": {flag.drop_reason}" if flag.drop_reason else "")))
        elif flag.wins_since is not None and (flag.wins_since <= old) != (flag.wins_since <= new):
            reason = f"from Kubernetes {minor_name(flag.wins_since)} on it wins over the file"
            changes.append(FlagUpgrade(flag.name, False, reason))
    return changes


def _finding_key(finding: Finding) -> tuple[Any, ...]:
    """Return what makes a finding the same in two minors, however it is worded."""
    return finding.file, finding.path, finding.rule, finding.level
