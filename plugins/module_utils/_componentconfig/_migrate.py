# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the flags of a component to a versioned file and the flags that must stay.

What the component does today it does with the result. Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ._check import check
from ._codec._document import decode
from ._codec._yaml import encode
from ._compare import diff
from ._denied_fields import INSTANCE_FIELDS
from ._findings import Finding, InvalidConfig, Level, located, show
from ._flags._flag_migration import (
    CurrentConfig,
    Dropped,
    FlagDecision,
    Refused,
    Stays,
    ToField,
    decide_flag,
    wins_over_file,
)
from ._flags._flag_set import FlagSet, apply_flags, components_with_flags, flag_set, set_field, values_by_flag
from ._flags._pflag import CommandLine, FlagUse, parse_command_line
from ._scalars._field_path import Path, format_path
from ._scalars._secrets import redacted
from ._schema._defaults import apply_defaults, is_zero
from ._schema._kinds import MAIN_KINDS, Kind, at_minor, find_kind, kinds
from ._schema._path_fields import resolve_paths
from ._schema._releases import known_minors
from ._schema._releases import minor_name as version

__all__ = ["COMMAND_LINE", "KeptFlag", "LeftFlag", "Migration", "migrate"]

COMMAND_LINE = "command line"
"""The file of findings about flags."""

_CONFIG = "config"
_PATHS = {"kubelet": "/var/lib/kubelet/config.yaml"}
_FLAGS_ONLY = frozenset(("kube-controller-manager", "kube-apiserver"))


class KeptFlag(NamedTuple):
    """A flag that stays: its name, its words for a command line, why, and whether only this node can have its value."""

    name: str
    words: tuple[str, ...]
    reason: str
    is_of_node: bool = False

    @property
    def shown_words(self) -> tuple[str, ...]:
        """`words`; without the value where that looks like a secret, or the flag's name ends as a secret's does."""
        value = self.words[-1] if len(self.words) > 1 else self.words[0].partition("=")[2]
        shown = redacted(value, (self.name.rpartition("-")[2],))
        return self.words if shown == value else (f"--{self.name}={shown}",)


class LeftFlag(NamedTuple):
    """A flag that is not needed any more: its name, the field that took its value or "", and why it may go."""

    name: str
    field: str
    reason: str


@dataclass(frozen=True)
class Migration:
    """The result. `text` is the file, "" where there can be none, which a finding of level "component" explains;
    `instance_config` the fields whose values belong to one node; `before` and `after` the effective configs of today
    and of the result, resolved, the same unless a finding says so."""

    text: str = ""
    flags: tuple[KeptFlag, ...] = ()
    left: tuple[LeftFlag, ...] = ()
    instance_config: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown_text(self) -> str:
        """`text`, "" where it holds a secret, which a finding says."""
        return "" if any(found.rule == "secret" for found in self.findings) else self.text

    @property
    def lines(self) -> list[str]:
        """What became of every flag, and what was found, for people."""
        lines = [f"--{one.name} stays: {one.reason}" for one in self.flags]
        lines += [f"--{one.name} goes: {one.reason}" for one in self.left]
        for minor_name, value in self.instance_config.items():
            shown = json.dumps(redacted(value, (minor_name,)))
            lines.append(f"{minor_name} belongs to this node, put it into its instance config: {shown}")
        return lines + [f"{found.level}: {found}" for found in self.findings]


def migrate(
    component: str,
    argv: Sequence[str],
    *,
    minor: int,
    config: tuple[str, str | bytes] | None = None,
    drop_ins: Sequence[tuple[str, str | bytes]] = (),
    directory: str = "/",
    path: str = "",
) -> Migration:
    """Return a component's config file and the flags that must stay beside it. Nothing is raised.

    argv: its command line, program first. minor: of the component that is to read the file. config: name and text of
    the file that it reads today, None for none. drop_ins: those of --config-dir, lowest first. directory: its working
    directory. path: where the file will be, by default where it is.
    """
    try:
        flags = _flags_of(component)
        kind = _kind_at(component, minor)
        line = _renamed(parse_command_line(argv[1:], flags.flags), flags)
        present = _present(line, kind, minor, config, drop_ins, directory)
    except InvalidConfig as error:
        return Migration(findings=error.findings)
    return _result(_Case(flags, line, present, config[0] if config else "", path))


@dataclass(frozen=True)
class _Case:
    """What is to be moved: the known flags, those given, what there is today, its file's name, the wanted path."""

    flags: FlagSet
    line: CommandLine
    present: CurrentConfig
    file: str
    path: str


def _flags_of(component: str) -> FlagSet:
    found = flag_set(component)
    if found is None and component in _FLAGS_ONLY:
        raise _refusal(f"{component} reads no config file of this kind: its flags are its config, leave them")
    if found is None:
        known = ", ".join(components_with_flags())
        raise _refusal(f"the flags of {component} are not known here, those of {known} are")
    return found


def _kind_at(component: str, minor: int) -> Kind:
    """The kind that a component reads, in the newest version that the minor knows."""
    known = known_minors()
    at = min(max(minor, known[0]), known[-1])
    found = [one for one in kinds() if one.kind == MAIN_KINDS[component] and one.known_at(at)]
    return max(found, key=lambda one: one.since)


def _renamed(line: CommandLine, flags: FlagSet) -> CommandLine:
    """The command line with flags that were replaced under the names of those that replaced them."""
    given = []
    for use in line.given:
        flag = flags.flags.get(use.name)
        new = flag.becomes if flag is not None else ""
        given.append(FlagUse(new, use.text, (f"--{new}={use.text}",)) if new else use)
    return CommandLine(tuple(given), line.problems)


def _present(
    line: CommandLine,
    kind: Kind,
    minor: int,
    config: tuple[str, str | bytes] | None,
    drop_ins: Sequence[tuple[str, str | bytes]],
    directory: str,
) -> CurrentConfig:
    named = _last(line, _CONFIG)
    if named and config is None:
        raise _refusal(f"it reads {named}, whose text is needed, too")
    data: Mapping[str, Any] = {"apiVersion": kind.api_version, "kind": kind.kind}
    if config is not None:
        data = _mapping(*config)
        found = find_kind(data.get("apiVersion"), data.get("kind"))
        if found is None or found.kind != kind.kind:
            raise _refusal(f"{config[0]} must be a {kind.kind} of {kind.api_version}")
        kind = found
        data = resolve_paths(data, kind.kind, posixpath.dirname(posixpath.join(directory, config[0])))
    set_by = {minor_name: file for file, text in drop_ins for minor_name in _leaves(_mapping(file, text))}
    return CurrentConfig(kind, minor, data, set_by, config is not None, directory)


def _mapping(file: str, text: str | bytes) -> dict[str, Any]:
    data = decode(text, file=file).data
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise _refusal(f"{file} must be a mapping with apiVersion and kind")
    return data


def _leaves(data: Mapping[str, Any], above: str = "") -> list[str]:
    """The paths of the fields that a document sets, with dots."""
    found = []
    for key, value in data.items():
        path = f"{above}{key}"
        if path in ("apiVersion", "kind"):
            continue
        found += _leaves(value, f"{path}.") if isinstance(value, dict) and value else [path]
    return found


def _last(line: CommandLine, minor_name: str) -> str:
    return next((use.text for use in reversed(line.given) if use.name == minor_name), "")


def _result(case: _Case) -> Migration:
    present, flags = case.present, case.flags.flags
    uses = {flag.name: texts for flag, texts in values_by_flag(case.line.given, flags)}
    outcomes = {
        minor_name: decide_flag(flags[minor_name], uses, case.flags, present)
        for minor_name in uses
        if minor_name != _CONFIG
    }
    data = _without_file(case, uses)
    for outcome in outcomes.values():
        if isinstance(outcome, ToField):
            data = set_field(data, outcome.path, outcome.value)
    place = case.path or case.file or _PATHS.get(case.flags.component, f"/etc/kubernetes/{case.flags.component}.yaml")
    kept, findings = _kept(case, outcomes, place)
    findings += _refused(case, outcomes)
    before = _effective(case, _without_file(case, ()), [word for use in case.line.given for word in use.words])
    words = [word for one in kept for word in one.words]
    for path, value in _fallen(before, _effective(case, data, words, reads_file=True), data):
        data = set_field(data, path, value)  # a default that followed from nothing, and now would from another field
    after = _effective(case, data, words, reads_file=True)
    findings += [
        _found(f"{change.path} would be {show(change.new)} instead of {show(change.old)}", Level.COMPONENT)
        for change in (() if any(one.level is Level.COMPONENT for one in findings) else diff(before, after))
    ]
    instance = {
        minor_name: data.pop(minor_name)
        for minor_name in INSTANCE_FIELDS.get(present.kind.kind, ())
        if data.get(minor_name)
    }
    text = encode(_ordered(data, present.data, present.kind.fields))
    findings += check(
        text,
        file=posixpath.basename(place),
        component=case.flags.component,
        versions=[version(present.minor)],
        bundle=True,
    )
    return Migration(text, kept, _left(outcomes), instance, tuple(findings), before, after)


def _fallen(before: Any, after: Any, said: Any, above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values of today that neither the new file says nor its defaults."""
    for minor_name, value in before.items():
        found, below = after.get(minor_name), said.get(minor_name) if isinstance(said, Mapping) else None
        if isinstance(value, dict) and isinstance(found, dict) and not isinstance(below, list):
            yield from _fallen(value, found, below, (*above, minor_name))
        elif value != found and below is None:
            yield (*above, minor_name), value


def _without_file(case: _Case, said: Collection[str]) -> dict[str, Any]:
    """Today's config; without a file with the defaults that only flags have, but for those that were said."""
    data = dict(case.present.data)
    if case.present.reads_file:
        return data
    for flag in case.flags.flags.values():
        default = flag.default_at(case.present.minor)
        if default is not None and flag.name not in said:
            data = set_field(data, flag.field, default)
    return data


def _kept(case: _Case, outcomes: Mapping[str, FlagDecision], place: str) -> tuple[tuple[KeptFlag, ...], list[Finding]]:
    flags = case.flags.flags
    kept = [KeptFlag(_CONFIG, (f"--{_CONFIG}={place}",), flags[_CONFIG].stays)]
    findings = []
    for use in case.line.given:
        outcome = outcomes.get(use.name)
        if use.name not in flags:
            findings.append(_found(f"--{use.name} is not known here, and stays as it is", Level.WARNING))
            kept.append(KeptFlag(use.name, use.words, "it is not known here"))
        elif isinstance(outcome, Stays):
            kept.append(KeptFlag(use.name, use.words, outcome.reason, flags[use.name].is_of_node))
    return tuple(kept), findings


def _refused(case: _Case, outcomes: Mapping[str, FlagDecision]) -> list[Finding]:
    refused = [f"--{minor_name}: {one.reason}" for minor_name, one in outcomes.items() if isinstance(one, Refused)]
    return [_found(message, Level.COMPONENT) for message in (*case.line.problems, *refused)]


def _refusal(message: str) -> InvalidConfig:
    return InvalidConfig([_found(message, Level.COMPONENT)])


def _found(message: str, level: Level) -> Finding:
    return located(Finding((), message, "flags", level), COMMAND_LINE)


def _left(outcomes: Mapping[str, FlagDecision]) -> tuple[LeftFlag, ...]:
    left = []
    for minor_name, outcome in outcomes.items():
        if isinstance(outcome, ToField):
            path = format_path(outcome.path)
            left.append(LeftFlag(minor_name, path, f"it is {path} now"))
        elif isinstance(outcome, Dropped):
            left.append(LeftFlag(minor_name, "", outcome.reason))
    return tuple(left)


def _ordered(data: Mapping[str, Any], first: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The keys in the order of the present file, what is new behind it in the order of the kind."""
    names = [minor_name for minor_name in first if minor_name in data]
    names += [minor_name for minor_name in fields if minor_name in data and minor_name not in first]
    names += [minor_name for minor_name in data if minor_name not in names]
    result = {}
    for minor_name in names:
        inner = fields.get(minor_name, {}).get("fields")
        value, below = data[minor_name], first.get(minor_name)
        if isinstance(value, dict) and inner:
            value = _ordered(value, below if isinstance(below, dict) else {}, inner)
        result[minor_name] = value
    return result


def _effective(
    case: _Case, data: Mapping[str, Any], words: Sequence[str], *, reads_file: bool | None = None
) -> dict[str, Any]:
    """A config with its defaults, and with the flags that win over it: a default never follows from a flag."""
    present, flags = case.present, case.flags
    reads = present.reads_file if reads_file is None else reads_file
    if flags.ignores_flags and reads:
        given = parse_command_line(words, flags.flags).given
        words = [word for use in given for word in use.words if wins_over_file(flags.flags.get(use.name), present)]
    said, _origins = apply_flags(
        apply_defaults(data, present.kind, present.minor), ["", *words], present.kind, present.minor
    )
    absolute = resolve_paths(said, present.kind.kind, present.directory)
    return _without_zeros(absolute, present.kind.fields, present.minor)


def _without_zeros(data: Mapping[str, Any], fields: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """Without what means the same as absent, which flags may say."""
    result = {}
    for minor_name, value in data.items():
        known = fields.get(minor_name, {})
        inner = known.get("fields")
        if inner and isinstance(value, dict) and str(known.get("type")) == "object":
            value = _without_zeros(value, inner, minor)
        elif inner and isinstance(value, list):
            value = [_without_zeros(one, inner, minor) if isinstance(one, dict) else one for one in value]
        if at_minor(known, "default", minor) is not None or not (value in ([], {}) or is_zero(value, known, minor)):
            result[minor_name] = value
    return result
