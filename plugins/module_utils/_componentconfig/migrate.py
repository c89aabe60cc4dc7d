# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn a component's flags into a config file and the flags that must stay; the component then does the same."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ._codec.document import decode
from ._codec.plain_values import HEAD_FIELDS
from ._codec.yaml_text import encode
from ._flags._flag_findings import flag_problems, flags_of, gates_of, unknown_flag
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
from ._flags.component_flags import ComponentFlags
from ._flags.kubelet_flags import FEATURE_GATES
from ._options import OPTIONS_HEAD
from ._options._migration import flags_to_options
from ._scalars._unexpanded import UNEXPANDED, is_unexpanded
from ._scalars.field_path import Path, dotted, format_path, leaf_paths
from ._scalars.secrets import redact
from ._schema._defaults import apply_defaults, is_zero
from ._schema._feature_gates import FeatureGates
from ._schema.kinds import MAIN_KINDS, Kind, fact_at, find_kind, kinds
from ._schema.path_fields import absolute_paths, resolve_paths
from ._schema.releases import known_minor_of, minor_name, nearest_known_minor
from .check import check
from .compare import diff
from .findings import RULE_SECRET, Finding, InvalidConfig, Level, finding_lines, located, show
from .instance_fields import INSTANCE_FIELDS
from .option_check import OPTION_CHECK

COMMAND_LINE = "command line"
"""The file name in findings about flags."""

_CONFIG = "config"
_PATHS = {"kubelet": "/var/lib/kubelet/config.yaml"}
_FLAGS_ONLY = frozenset(("etcd", "kube-apiserver", "kube-controller-manager"))


class KeptFlag(NamedTuple):
    """A flag that stays: its name, its arguments, the reason, and whether its value belongs to one node.

    `words` are the arguments of the command line that set the flag.
    """

    name: str
    words: tuple[str, ...]
    reason: str
    is_of_node: bool = False

    @property
    def shown_words(self) -> tuple[str, ...]:
        """`words` without a value that is a secret by its look or by the end of the flag's name."""
        value = self.words[-1] if len(self.words) > 1 else self.words[0].partition("=")[2]
        shown = redact(value, (self.name.rpartition("-")[2],))
        return self.words if shown == value else (f"--{self.name}={shown}",)


class DroppedFlag(NamedTuple):
    """A flag that is no longer needed: its name, the field with its value or "", and the reason."""

    name: str
    field: str
    reason: str


@dataclass(frozen=True)
class Migration:
    """The result of a migration.

    `text` is the config file, "" if there can be none, which a finding of the component's level explains. `flags` stay,
    `dropped` do not. `instance_config` has the fields whose values belong to one node. `before` and `after` are today's
    effective config and the new one; they are the same unless a finding says otherwise.
    """

    text: str = ""
    flags: tuple[KeptFlag, ...] = ()
    dropped: tuple[DroppedFlag, ...] = ()
    instance_config: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown_text(self) -> str:
        """`text`, or "" if a finding says that it holds a secret."""
        return "" if any(finding.rule == RULE_SECRET for finding in self.findings) else self.text

    @property
    def lines(self) -> list[str]:
        """The result for each flag, and the findings, as human-readable lines."""
        lines = [f"--{flag.name} stays: {flag.reason}" for flag in self.flags]
        lines += [f"--{flag.name} goes: {flag.reason}" for flag in self.dropped]
        for name, value in self.instance_config.items():
            shown = json.dumps(redact(value, (name,)))
            lines.append(f"{name} belongs to this node, put it into its instance config: {shown}")
        return lines + finding_lines(self.findings)


def migrate(
    component: str,
    argv: Sequence[str],
    *,
    version: str = "",
    config: tuple[str, str | bytes] | None = None,
    drop_ins: Sequence[tuple[str, str | bytes]] = (),
    directory: str = "/",
    path: str = "",
) -> Migration:
    """Return a component's config file and the flags that must stay.

    That of a component which reads no config file is its ComponentOptions, and the flags stay in its manifest.

    argv: its command line, program first. version: the Kubernetes version of the component that reads the file, "" for
    the newest that the data cover. config: name and text of the file that it reads today, None for none. drop_ins:
    those of --config-dir, lowest first. directory: its working directory. path: that of the new file, by default the
    present one.

    Flags and files that cannot be used are findings. Raises ConfigError for a version that cannot be parsed or is not
    known.
    """
    minor = known_minor_of(version)
    if component in _FLAGS_ONLY:
        return _to_options(component, argv, minor)
    try:
        flags = _require_flag_set(component)
        command_line = _with_new_names(parse_command_line(argv[1:], flags.flags), flags)
        current = _current_config(command_line, _newest_kind(component, minor), minor, config, drop_ins, directory)
    except InvalidConfig as error:
        return Migration(findings=error.findings)
    flags = flags.on_command_line(command_line.uses, minor)
    return _Migrator(flags, command_line, current, config[0] if config else "", path).run()


def _require_flag_set(component: str) -> FlagSet:
    flags = flag_set(component)
    if flags is None:
        known = ", ".join(components_with_flags())
        raise _refusal(f"the flags of {component} are not known here, those of {known} are")
    return flags


def _to_options(component: str, argv: Sequence[str], minor: int) -> Migration:
    """Return the ComponentOptions with what a bundle may set of a component's flags, and the flags that stay."""
    flags = flags_of(component)
    command_line = parse_command_line(argv[1:], flags.flags)
    made = flags_to_options(flags, command_line, minor)
    findings = [_flag_finding(message, Level.COMPONENT) for message in command_line.errors]
    document = {**OPTIONS_HEAD, "component": component, **({"flags": made.options} if made.options else {})}
    text = encode(document)
    findings += check(
        text,
        file=f"{component}.yaml",
        component=component,
        versions=[minor_name(minor)],
        bundle=True,
        flags=ComponentFlags(argv[1:]),
        arguments=OPTION_CHECK,
    )
    kept = [
        KeptFlag(use.name, use.arguments, made.staying[use.name])
        for use in command_line.uses
        if use.name in made.staying
    ]
    moved = [DroppedFlag(name, f"flags.{name}", f"it is flags.{name} now") for name in made.options]
    return Migration(text, tuple(kept), tuple(moved), findings=tuple(findings))


def _newest_kind(component: str, minor: int) -> Kind:
    """Return the kind that a component reads, in the newest version that the minor knows."""
    nearest = nearest_known_minor(minor)
    schemas = [kind for kind in kinds() if kind.kind == MAIN_KINDS[component] and kind.known_at(nearest)]
    return max(schemas, key=lambda kind: kind.since)


def _with_new_names(command_line: CommandLine, flags: FlagSet) -> CommandLine:
    """Return the command line with replaced flags under the names of the flags that replaced them."""
    uses = []
    for use in command_line.uses:
        flag = flags.flags.get(use.name)
        new = flag.advice.replaced_by if flag is not None else ""
        uses.append(FlagUse(new, use.value, (f"--{new}={use.value}",)) if new else use)
    return CommandLine(tuple(uses), command_line.errors)


def _current_config(
    command_line: CommandLine,
    kind: Kind,
    minor: int,
    config: tuple[str, str | bytes] | None,
    drop_ins: Sequence[tuple[str, str | bytes]],
    directory: str,
) -> CurrentConfig:
    named = _last_value(command_line, _CONFIG)
    if named and config is None:
        raise _refusal(f"it reads {named}, whose text is needed, too")
    data: Mapping[str, Any] = {"apiVersion": kind.api_version, "kind": kind.kind}
    if config is not None:
        data = _decode_mapping(*config)
        file_kind = find_kind(data.get("apiVersion"), data.get("kind"))
        if file_kind is None or file_kind.kind != kind.kind:
            raise _refusal(f"{config[0]} must be a {kind.kind} of {kind.api_version}")
        kind = file_kind
        data = resolve_paths(data, kind.kind, posixpath.dirname(posixpath.join(directory, config[0])))
    set_by = {
        dotted(path): file
        for file, text in drop_ins
        for path in leaf_paths(_decode_mapping(file, text), nulls=True)
        if path[0] not in HEAD_FIELDS
    }
    return CurrentConfig(kind, minor, data, set_by, config is not None, directory)


def _decode_mapping(file: str, text: str | bytes) -> dict[str, Any]:
    data = decode(text, file=file).data
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise _refusal(f"{file} must be a mapping with apiVersion and kind")
    return data


def _last_value(command_line: CommandLine, name: str) -> str:
    return next((use.value for use in reversed(command_line.uses) if use.name == name), "")


class _Migrator(NamedTuple):
    """What is to be migrated: the known flags, the command line, today's config with its file name, the new path."""

    flag_set: FlagSet
    command_line: CommandLine
    current: CurrentConfig
    file: str
    path: str

    def run(self) -> Migration:
        """Return the file and the flags that together make the same effective config as today."""
        flags, current = self.flag_set.flags, self.current
        uses = {flag.name: values for flag, values in values_by_flag(self.command_line.uses, flags)}
        decisions = {name: decide_flag(flags[name], uses, self.flag_set, current) for name in uses if name != _CONFIG}
        data = self._without_config_file(uses)
        for decision in decisions.values():
            if isinstance(decision, ToField):
                data = set_field(data, decision.path, decision.value)
        component = self.flag_set.component
        target_path = self.path or self.file or _PATHS.get(component, f"/etc/kubernetes/{component}.yaml")
        kept = self._kept_flags(decisions, target_path)
        findings = [*self._findings_of_flags(uses, {flag.name for flag in kept}), *self._refusals(decisions)]
        arguments_today = [argument for use in self.command_line.uses for argument in use.arguments]
        unexpanded = [name for name, values in uses.items() if any(map(is_unexpanded, values))]
        before = self._effective_values(self._without_config_file(unexpanded), arguments_today)
        arguments = [argument for flag in kept for argument in flag.words]
        for path, value in _lost_defaults(before, self._effective_values(data, arguments, reads_file=True), data):
            data = set_field(data, path, value)  # in the file another field would change this default
        after = self._effective_values(data, arguments, reads_file=True)
        is_refused = any(finding.level is Level.COMPONENT for finding in findings)
        findings += [
            _flag_finding(f"{change.path} would be {show(change.new)} instead of {show(change.old)}", Level.COMPONENT)
            for change in (() if is_refused else diff(before, after))
        ]
        instance = {name: data.pop(name) for name in INSTANCE_FIELDS.get(current.kind.kind, ()) if data.get(name)}
        text = encode(_in_file_order(data, current.data, current.kind.fields))
        findings += check(
            text,
            file=posixpath.basename(target_path),
            component=component,
            versions=[minor_name(current.minor)],
            bundle=True,
        )
        return Migration(text, kept, _dropped_flags(decisions), instance, tuple(findings), before, after)

    def _without_config_file(self, used: Collection[str]) -> dict[str, Any]:
        """Return today's config; without a file the defaults that only flags have, except for flags that are used."""
        data = dict(self.current.data)
        if self.current.reads_file:
            return data
        for flag in self.flag_set.flags.values():
            default = flag.default_at(self.current.minor)
            if default is not None and flag.name not in used:
                data = set_field(data, flag.field, default)
        return data

    def _kept_flags(self, decisions: Mapping[str, FlagDecision], target_path: str) -> tuple[KeptFlag, ...]:
        flags = self.flag_set.flags
        kept = [KeptFlag(_CONFIG, (f"--{_CONFIG}={target_path}",), flags[_CONFIG].advice.keep)]
        for use in self.command_line.uses:
            decision = decisions.get(use.name)
            if isinstance(decision, Stays):
                kept.append(KeptFlag(use.name, use.arguments, decision.reason, flags[use.name].is_of_node))
            elif use.name not in flags and is_unexpanded(use.name):
                kept.append(KeptFlag(use.name, use.arguments, f"it has {UNEXPANDED}"))
        return tuple(kept)

    def _findings_of_flags(self, uses: Mapping[str, Sequence[str]], kept: Collection[str]) -> Iterator[Finding]:
        """Yield what is wrong with flags that are not known, and with the values of flags that stay."""
        known, minor = self.flag_set, self.current.minor
        for name in dict.fromkeys(use.name for use in self.command_line.uses if use.name not in known.flags):
            finding = unknown_flag(name, known, minor)
            if finding is not None:
                yield located(finding, name if is_unexpanded(name) else f"--{name}")
        staying = {name: values for name, values in uses.items() if name in kept and known.flags[name].known_at(minor)}
        in_file = self.current.data.get(FEATURE_GATES)
        gates = FeatureGates(minor, {**(in_file if isinstance(in_file, dict) else {}), **gates_of(uses)})
        for flag, finding in flag_problems(known, staying, minor, gates, reads_file=True, checks_gates=False):
            if finding.level is not Level.WARNING:
                yield located(finding, f"--{flag}")

    def _refusals(self, decisions: Mapping[str, FlagDecision]) -> list[Finding]:
        refused = [
            f"--{name}: {decision.reason}" for name, decision in decisions.items() if isinstance(decision, Refused)
        ]
        return [_flag_finding(message, Level.COMPONENT) for message in (*self.command_line.errors, *refused)]

    def _effective_values(
        self, data: Mapping[str, Any], arguments: Sequence[str], *, reads_file: bool | None = None
    ) -> dict[str, Any]:
        """Return a config with its defaults and the flags that win over it: no default follows from a flag."""
        current, known = self.current, self.flag_set
        reads = current.reads_file if reads_file is None else reads_file
        if known.ignored_with_file and reads:
            uses = parse_command_line(arguments, known.flags).uses
            winning = [use for use in uses if wins_over_file(known.flags.get(use.name), current)]
            arguments = [argument for use in winning for argument in use.arguments]
        defaulted = apply_defaults(data, current.kind, current.minor)
        with_flags, _origins = apply_flags(defaulted, ["", *arguments], current.kind, current.minor)
        absolute = absolute_paths(with_flags, current.kind.kind, current.directory)
        return _without_zero_values(absolute, current.kind.fields, current.minor)


def _lost_defaults(before: Any, after: Any, written: Any, parents: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield today's values that neither the new file sets nor its defaults."""
    for name, value in before.items():
        new_value, written_value = after.get(name), written.get(name) if isinstance(written, Mapping) else None
        if isinstance(value, dict) and isinstance(new_value, dict) and not isinstance(written_value, list):
            yield from _lost_defaults(value, new_value, written_value, (*parents, name))
        elif value != new_value and written_value is None:
            yield (*parents, name), value


def _refusal(message: str) -> InvalidConfig:
    return InvalidConfig([_flag_finding(message, Level.COMPONENT)])


def _flag_finding(message: str, level: Level) -> Finding:
    return located(Finding((), message, "flags", level), COMMAND_LINE)


def _dropped_flags(decisions: Mapping[str, FlagDecision]) -> tuple[DroppedFlag, ...]:
    dropped = []
    for name, decision in decisions.items():
        if isinstance(decision, ToField):
            path = format_path(decision.path)
            dropped.append(DroppedFlag(name, path, f"it is {path} now"))
        elif isinstance(decision, Dropped):
            dropped.append(DroppedFlag(name, "", decision.reason))
    return tuple(dropped)


def _in_file_order(data: Mapping[str, Any], present: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in the order of the present file, new fields after them in the order of the kind."""
    names = [name for name in present if name in data]
    names += [name for name in fields if name in data and name not in present]
    names += [name for name in data if name not in names]
    result = {}
    for name in names:
        inner = fields.get(name, {}).get("fields")
        value, order = data[name], present.get(name)
        if isinstance(value, dict) and inner:
            value = _in_file_order(value, order if isinstance(order, dict) else {}, inner)
        result[name] = value
    return result


def _without_zero_values(data: Mapping[str, Any], fields: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """Return values without those that mean the same as absent, which flags may set."""
    result = {}
    for name, value in data.items():
        entry = fields.get(name, {})
        inner = entry.get("fields")
        if inner and isinstance(value, dict) and str(entry.get("type")) == "object":
            value = _without_zero_values(value, inner, minor)
        elif inner and isinstance(value, list):
            value = [_without_zero_values(item, inner, minor) if isinstance(item, dict) else item for item in value]
        if fact_at(entry, "default", minor) is not None or not (value in ([], {}) or is_zero(value, entry, minor)):
            result[name] = value
    return result
