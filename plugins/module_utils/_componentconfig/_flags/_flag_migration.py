# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of each flag when its component moves to a file: into a field, kept, let go, or refused.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .._exceptions import ConfigError
from .._scalars._field_path import Path, format_path
from .._schema._defaults import effective_value, is_zero
from .._schema._feature_gates import FeatureGates
from .._schema._kinds import Kind, at_minor
from .._schema._path_fields import PATH_FIELDS, is_relative
from .._schema._releases import minor_name as version
from ._flag_set import FlagSet, combine_with_file, field_at
from ._kubelet_flags import FEATURE_GATES
from ._pflag import Flag, parse_flag_value

__all__ = ["Dropped", "ToField", "Stays", "FlagDecision", "CurrentConfig", "Refused", "decide_flag", "wins_over_file"]


@dataclass(frozen=True)
class ToField:
    """The flag's value goes into a field."""

    path: Path
    value: Any


@dataclass(frozen=True)
class Stays:
    """The flag stays on the command line; the reason is a sentence without subject."""

    reason: str


@dataclass(frozen=True)
class Dropped:
    """The flag goes, and nothing with it."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """The flag can neither go into the file nor stay."""

    reason: str


FlagDecision = Union[ToField, Stays, Dropped, Refused]


@dataclass(frozen=True)
class CurrentConfig:
    """What a component starts with today: its config as the file says it, the fields that drop-ins set (paths with
    dots, each with the drop-in's name), whether it reads a file, and the directory that it runs in."""

    kind: Kind
    minor: int
    data: Mapping[str, Any]
    drop_ins: Mapping[str, str]
    reads_file: bool
    directory: str = "/"


def decide_flag(flag: Flag, uses: Mapping[str, Sequence[str]], flags: FlagSet, present: CurrentConfig) -> FlagDecision:
    """Return what becomes of a flag. uses: of all flags, this one among them, the values of all uses in order."""
    minor, texts = present.minor, uses[flag.name]
    of_file = flag.only_without_file or (flag.field and not wins_over_file(flag, present))
    if flags.ignores_flags and present.reads_file and of_file:
        return Dropped(f"{flags.component} ignores it beside --config")
    if flag.refused_empty and texts[-1] in ("", "0"):
        return Refused(flag.refused_empty)
    if flag.port_of:
        return _port(flag, uses)
    field = field_at(present.kind, flag.field, minor) if flag.field else None
    if field is None:
        return _without_field(flag, minor)
    try:
        value = parse_flag_value(flag.form, texts, str(at_minor(field, "type", minor)))
    except ConfigError as error:
        return Refused(f"{error}: the component refuses it, too")
    if flag.only_on and not value:
        return Dropped("it says what the file says without it")
    value = combine_with_file(flag, present.data, value)
    shadow = _shadow(flag.field, value, present.drop_ins)
    if shadow:
        return Stays(f"{shadow} sets {format_path(flag.field)} too, and wins over the file")
    meant = _other_meaning(flag.field, value, present)
    if meant is not None:
        what = "gets its defaults too:" if isinstance(value, dict) else "means the default,"
        reason = f"in the file {json.dumps(value)} {what} {json.dumps(meant)}"
        return Refused(f"{reason}, and a flag is ignored beside it") if flags.ignores_flags else Stays(reason)
    port = next((one.name for one in flags.flags.values() if one.port_of == flag.name and one.name in uses), "")
    if port and _lacks_port(value):
        value = f"[{value}]:{uses[port][-1]}" if ":" in value else f"{value}:{uses[port][-1]}"
    return ToField(flag.field, _absolute(flag.field, value, present))


def _port(flag: Flag, uses: Mapping[str, Sequence[str]]) -> FlagDecision:
    address = uses.get(flag.port_of, ("",))[-1]
    if _lacks_port(address):
        return Dropped(f"the address of --{flag.port_of} has it now")
    return Dropped("it has no effect: the address has a port of its own")


def _lacks_port(address: str) -> bool:
    """Whether an address is an IP alone: no name and no port behind it."""
    if address.startswith("["):
        return False
    return bool(address) and (address.count(":") > 1 or ":" not in address)


def wins_over_file(flag: Flag | None, present: CurrentConfig) -> bool:
    """Whether a flag wins over the file of a component that ignores most flags beside one."""
    return flag is not None and flag.wins_since is not None and flag.wins_since <= present.minor


def _without_field(flag: Flag, minor: int) -> FlagDecision:
    if flag.known_at(minor):
        if flag.stays:
            return Stays(flag.stays)
        return Refused(flag.refused) if flag.refused else Stays("the file of this version has no field for it")
    if flag.refused and not flag.gone:
        return Refused(flag.refused)
    if flag.last is not None and flag.last < minor:
        gone = f"Kubernetes {version(flag.last + 1)} and newer do not have it"
        return Dropped(f"{gone}: {flag.gone}") if flag.gone else Refused(gone)
    return Refused(f"Kubernetes {version(minor)} does not have it: it comes with {version(flag.since)}")


def _shadow(path: Path, value: Any, drop_ins: Mapping[str, str]) -> str:
    """The drop-in that sets the field, or one above or below it; of feature gates, one of the keys."""
    minor_name = ".".join(str(part) for part in path)
    names = [f"{minor_name}.{key}" for key in value] if path == (FEATURE_GATES,) else [minor_name]
    return next((file for field, file in drop_ins.items() if any(_overlap(field, one) for one in names)), "")


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _other_meaning(path: Path, value: Any, present: CurrentConfig) -> Any:
    """What the file would make of this value with its defaults; None where it would take the value as it is."""
    fields: Mapping[str, Any] = present.kind.fields
    siblings: Any = present.data
    for part in path[:-1]:
        fields = fields[str(part)]["fields"]
        siblings = siblings.get(part) if isinstance(siblings, Mapping) else None
    last = str(path[-1])
    given = present.data.get(FEATURE_GATES)
    gates = FeatureGates(present.minor, given if isinstance(given, Mapping) else {})
    siblings = siblings if isinstance(siblings, Mapping) else {}
    used = effective_value(last, {**siblings, last: value}, fields, present.minor, gates)
    return None if used == value or is_zero(used, fields[last], present.minor) else used


def _absolute(path: Path, value: Any, present: CurrentConfig) -> Any:
    """A flag's relative path begins at the working directory, a field's at the file."""
    minor_name = ".".join(str(part) for part in path)
    paths: Collection[str] = PATH_FIELDS.get(present.kind.kind, ())
    if minor_name in paths and is_relative(minor_name, value):
        return posixpath.normpath(posixpath.join(present.directory, value))
    return value
