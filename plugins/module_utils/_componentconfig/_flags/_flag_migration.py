# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide for each flag whether it becomes a field, stays, is dropped or is refused."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .. import ConfigError
from .._scalars._unexpanded import UNEXPANDED, is_unexpanded
from .._scalars.field_path import Path, dotted, format_path
from .._schema._defaults import effective_value, is_zero
from .._schema._feature_gates import FeatureGates
from .._schema.kinds import Kind, fact_at
from .._schema.path_fields import PATH_FIELDS, is_relative
from .._schema.releases import minor_name
from ._flag_set import FlagSet, combine_with_file
from ._pflag import Flag, parse_flag_value
from .kubelet_flags import FEATURE_GATES


@dataclass(frozen=True)
class ToField:
    """The flag's value becomes the value of a field."""

    path: Path
    value: Any


@dataclass(frozen=True)
class Stays:
    """The flag stays on the command line; the reason is a sentence without subject."""

    reason: str


@dataclass(frozen=True)
class Dropped:
    """The flag is dropped without loss."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """The flag can neither become a field nor stay."""

    reason: str


FlagDecision = Union[ToField, Stays, Dropped, Refused]


@dataclass(frozen=True)
class CurrentConfig:
    """The config with which a component starts today.

    data: the values of its file. drop_ins: the fields that drop-ins set, as paths with dots, each with the drop-in's
    file. directory: its working directory.
    """

    kind: Kind
    minor: int
    data: Mapping[str, Any]
    drop_ins: Mapping[str, str]
    reads_file: bool
    directory: str = "/"


def decide_flag(flag: Flag, uses: Mapping[str, Sequence[str]], flags: FlagSet, current: CurrentConfig) -> FlagDecision:
    """Return the decision about a flag. uses: the values of all uses of each flag, this one among them, in order."""
    minor, values = current.minor, uses[flag.name]
    of_file = flag.only_without_file or (flag.field and not wins_over_file(flag, current))
    if flags.ignored_with_file and current.reads_file and of_file:
        return Dropped(f"{flags.component} ignores it with --config")
    if any(map(is_unexpanded, values)):
        reason = f"its value has {UNEXPANDED}"
        return Refused(f"{reason}: expand it first") if flags.ignored_with_file and of_file else Stays(reason)
    if flag.advice.refuse_empty and values[-1] in ("", "0"):
        return Refused(flag.advice.refuse_empty)
    if flag.port_of:
        return _decide_port(flag, uses)
    entry = current.kind.entry_at(flag.field, minor) if flag.field else None
    if entry is None:
        return _decide_without_field(flag, minor)
    try:
        value = parse_flag_value(flag.form, values, str(fact_at(entry, "type", minor)))
    except ConfigError as error:
        return Refused(f"{error}: the component refuses it, too")
    if flag.only_enables and not value:
        return Dropped("it says what the file says without it")
    value = combine_with_file(flag, current.data, value)
    drop_in = _shadowing_drop_in(flag.field, value, current.drop_ins)
    if drop_in:
        return Stays(f"{drop_in} sets {format_path(flag.field)} too, and wins over the file")
    file_value = _file_meaning(flag.field, value, current)
    if file_value is not None:
        effect = "gets its defaults too:" if isinstance(value, dict) else "means the default,"
        reason = f"in the file {json.dumps(value)} {effect} {json.dumps(file_value)}"
        return Refused(f"{reason}, and a flag is ignored with it") if flags.ignored_with_file else Stays(reason)
    port = next((other.name for other in flags.flags.values() if other.port_of == flag.name and other.name in uses), "")
    if port and _lacks_port(value):
        value = f"[{value}]:{uses[port][-1]}" if ":" in value else f"{value}:{uses[port][-1]}"
    return ToField(flag.field, _with_absolute_path(flag.field, value, current))


def _decide_port(flag: Flag, uses: Mapping[str, Sequence[str]]) -> FlagDecision:
    address = uses.get(flag.port_of, ("",))[-1]
    if _lacks_port(address):
        return Dropped(f"the address of --{flag.port_of} has it now")
    return Dropped("it has no effect: the address has a port of its own")


def _lacks_port(address: str) -> bool:
    """Return whether an address is an IP without a port, not a name."""
    if address.startswith("["):
        return False
    return bool(address) and (address.count(":") > 1 or ":" not in address)


def wins_over_file(flag: Flag | None, current: CurrentConfig) -> bool:
    """Return whether a flag wins over the file of a component that ignores most flags with a file."""
    return flag is not None and flag.wins_since is not None and flag.wins_since <= current.minor


def _decide_without_field(flag: Flag, minor: int) -> FlagDecision:
    if flag.known_at(minor):
        if flag.advice.keep:
            return Stays(flag.advice.keep)
        return (
            Refused(flag.advice.refuse) if flag.advice.refuse else Stays("the file of this version has no field for it")
        )
    if flag.advice.refuse and not flag.advice.drop:
        return Refused(flag.advice.refuse)
    if flag.last is not None and flag.last < minor:
        removal = f"Kubernetes {minor_name(flag.last + 1)} and newer do not have it"
        return Dropped(f"{removal}: {flag.advice.drop}") if flag.advice.drop else Refused(removal)
    return Refused(f"Kubernetes {minor_name(minor)} does not have it: it comes with {minor_name(flag.since)}")


def _shadowing_drop_in(path: Path, value: Any, drop_ins: Mapping[str, str]) -> str:
    """Return the drop-in that sets the field, or a field around or inside it; of feature gates, one of the keys."""
    names = [f"{dotted(path)}.{key}" for key in value] if path == (FEATURE_GATES,) else [dotted(path)]
    return next((file for field, file in drop_ins.items() if any(_overlap(field, name) for name in names)), "")


def _overlap(first: str, second: str) -> bool:
    return first == second or first.startswith(f"{second}.") or second.startswith(f"{first}.")


def _file_meaning(path: Path, value: Any, current: CurrentConfig) -> Any:
    """Return the effective value if the file sets this one, None if it is the same."""
    fields: Mapping[str, Any] = current.kind.fields
    siblings: Any = current.data
    for part in path[:-1]:
        fields = fields[str(part)]["fields"]
        siblings = siblings.get(part) if isinstance(siblings, Mapping) else None
    last = str(path[-1])
    settings = current.data.get(FEATURE_GATES)
    gates = FeatureGates(current.minor, settings if isinstance(settings, Mapping) else {})
    siblings = siblings if isinstance(siblings, Mapping) else {}
    effective = effective_value(last, {**siblings, last: value}, fields, current.minor, gates)
    return None if effective == value or is_zero(effective, fields[last], current.minor) else effective


def _with_absolute_path(path: Path, value: Any, current: CurrentConfig) -> Any:
    """Return the value, a relative path as absolute: a flag begins at the working directory, a field at the file."""
    name = dotted(path)
    paths: Collection[str] = PATH_FIELDS.get(current.kind.kind, ())
    if name in paths and is_relative(name, value):
        return posixpath.normpath(posixpath.join(current.directory, value))
    return value
