# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the flags of a component for a minor, wherever they are written: on a command line or inside another file."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .. import ConfigError
from .._scalars._unexpanded import UNEXPANDED, is_unexpanded
from .._scalars.field_path import Path
from .._schema._feature_gates import FeatureGates
from .._schema.releases import minor_name
from ..findings import (
    RULE_GATES_KNOWN,
    RULE_GATES_NEEDED,
    RULE_NOT_JUDGED,
    RULE_UNKNOWN_FLAG,
    Finding,
    Level,
    not_judged,
    show,
)
from ._flag_set import FlagSet, known_flags, plain_values
from ._flag_values import refused_values
from ._pflag import REPEATABLE, Flag, parse_flag_value
from .kubelet_flags import FEATURE_GATES

GATES_FLAG = "feature-gates"
_OF_KUBERNETES = "kube:"
"""What may stand before the name of a gate from Kubernetes 1.31 on: some components have a library with own gates."""
RULE_FLAGS = "flags"
WITHOUT_FILE = ("kube-apiserver", "kube-controller-manager")
"""Components that read no file with fields and feature gates."""
_FILE_OPTIONAL = ("kube-scheduler",)
_MAX_SUGGESTIONS = 50
_MAX_NAME = 80
"""The number of unknown flags, and the length of a name, for which a similar name is searched."""


class Argument(NamedTuple):
    """A flag of a component inside a file: where it stands, its name, and its value.

    name: as it is written, without the dashes that the reader of the file puts before it. error: why the argument is
    not a flag, "" for a flag.
    """

    path: Path
    name: str
    value: str
    error: str = ""

    @property
    def shown_value(self) -> str | None:
        """The value as it is safe to show: flags such as --storage-driver-password hold a secret by their names."""
        return show(self.value, (self.name.rpartition("-")[2],)) if self.path[-1:] != ("name",) else None


def flags_of(component: str) -> FlagSet:
    """Return the flags of a component; of one whose flags are not known, that of the feature gates."""
    known = known_flags(component)
    return known if known is not None else FlagSet(component, {GATES_FLAG: Flag(GATES_FLAG, "mapBool")}, False)


def gates_of(uses: Mapping[str, Sequence[str]]) -> dict[str, bool]:
    """Return the feature gates that flags set, {} if the component would refuse their values."""
    try:
        gates = parse_flag_value("mapBool", plain_values("mapBool", uses.get(GATES_FLAG, ())))
        return {name.removeprefix(_OF_KUBERNETES): is_on for name, is_on in gates.items()}
    except ConfigError:
        return {}


def flag_findings(
    component: str,
    arguments: Iterable[Argument],
    minor: int,
    *,
    is_whole: bool = True,
    gates_minor: int | None = None,
) -> Iterator[Finding]:
    """Yield what is wrong with flags of a component inside a file, each at the path of its argument.

    The file of the component, which may set feature gates too, is not known. Some components have flags only.
    is_whole: whether these are all flags of the component; what others decide is left out otherwise. gates_minor: the
    minor whose feature gates hold, by default that of the flags.
    """
    uses: dict[str, list[str]] = {}
    last: dict[str, Argument] = {}
    for argument in arguments:
        written, equals, rest = argument.name.partition("=")
        error = argument.error or _wrong_name(written)
        if error:
            yield Finding(argument.path, error, RULE_FLAGS, value=argument.shown_value)
            continue
        name = written.replace("_", "-")
        uses.setdefault(name, []).append(f"{rest}={argument.value}" if equals else argument.value)
        last[name] = argument
    gates = FeatureGates(minor if gates_minor is None else gates_minor, gates_of(uses))
    flags = flags_of(component)
    problems = flag_problems(
        flags,
        uses,
        minor,
        gates,
        reads_file="config" in uses,
        knows_file=is_whole and (component in WITHOUT_FILE or (component in _FILE_OPTIONAL and "config" not in uses)),
        knows_others=is_whole,
    )
    for flag, finding in problems:
        place = "".join(f"{part}: " for part in (f"--{flag}", *map(str, finding.path[1:])))
        message = finding.message if finding.rule == RULE_NOT_JUDGED else f"{place}{finding.message}"
        yield finding._replace(path=last[flag].path, message=message, value=last[flag].shown_value)


def _wrong_name(name: str) -> str:
    if not name:
        return "must be the name of a flag, without dashes before it"
    if name.startswith("-"):
        return f"two dashes are put before the name of a flag: write {name.lstrip('-') or 'its name'}"
    return ""


def flag_problems(
    flags: FlagSet,
    uses: Mapping[str, Sequence[str]],
    minor: int,
    gates: FeatureGates,
    *,
    reads_file: bool,
    checks_gates: bool = True,
    knows_file: bool = True,
    knows_others: bool = True,
) -> Iterator[tuple[str, Finding]]:
    """Yield what is wrong with the flags of a component: each flag's name, and a finding at a field's path or at ().

    uses: the values of all uses of each flag, known or not. reads_file: whether the component reads a config file.
    checks_gates: whether to check the settings of feature gates, which otherwise the rules of a file with gates do.
    knows_file: whether `gates` has the gates of the file. knows_others: whether `uses` has all flags; if not, none is
    compared with one that is not there.
    """
    plain: dict[str, list[str]] = {}
    unexpanded: set[str] = set()
    unknown_names = 0
    for name, values in uses.items():
        flag = flags.flags.get(name)
        if flag is None:
            unknown_names += 1
            finding = unknown_flag(name, flags, minor, suggests=unknown_names <= _MAX_SUGGESTIONS)
            if finding is not None:
                yield name, finding
            continue
        if any(map(is_unexpanded, values)):
            unexpanded.add(name)
            yield name, not_judged((), "the value of a flag", UNEXPANDED)
        plain[name] = plain_values(flag.form, values)
    for name, values in plain.items():
        if not values:
            continue
        for finding in _findings_of(flags.flags[name], values, flags, minor, reads_file=reads_file):
            yield name, finding
            if finding.level is not Level.WARNING:
                break
        else:
            unknown = unexpanded if knows_others else _Unknown(plain, unexpanded)
            refused = refused_values(flags.component, name, plain, minor, gates, knows_file=knows_file, unknown=unknown)
            for rule, message, level in refused:
                yield name, Finding((), message, rule, level)
    if checks_gates and GATES_FLAG in plain:
        for finding in _gate_findings(gates):
            yield GATES_FLAG, finding


@dataclass(frozen=True)
class _Unknown(Container[str]):
    """The flags whose values are not known: those that are not among the known ones, or are not expanded yet."""

    known: Mapping[str, Sequence[str]]
    unexpanded: Container[str]

    def __contains__(self, name: object) -> bool:
        return name in self.unexpanded or (bool(name) and name not in self.known)


def unknown_flag(name: str, flags: FlagSet, minor: int, *, suggests: bool = True) -> Finding | None:
    """Return the finding about a flag of an unknown name, None if it may be one of a component with unknown flags.

    suggests: whether to search for a similar name, which is expensive.
    """
    import difflib  # not at the top: most command lines need no suggestion

    if is_unexpanded(name):
        return not_judged((), "a part of the command line", UNEXPANDED)
    if flags.has_own_releases:
        return not_judged((), "a flag", f"not all releases of {flags.component} are known")
    if not flags.are_read(minor):
        return not_judged((), "a flag", unread_flags(flags, minor))
    is_name = suggests and len(name) <= _MAX_NAME
    similar = difflib.get_close_matches(name.lower(), flags.flags, 1, 0.85) if is_name else []
    if similar:
        return Finding((), f"{flags.component} has no such flag, did you mean --{similar[0]}?", RULE_UNKNOWN_FLAG)
    if known_flags(flags.component) is None:
        return None
    return Finding((), f"{flags.component} has no such flag", RULE_UNKNOWN_FLAG)


def unread_flags(flags: FlagSet, minor: int) -> str:
    """Return why nothing is known of the flags that a component has at a minor and not before it."""
    return f"the flags of {flags.component} in Kubernetes {minor_name(minor)} are not known"


def _findings_of(
    flag: Flag, values: Sequence[str], flags: FlagSet, minor: int, *, reads_file: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a flag whatever the others are: its minors, its type and its values."""
    if flag.last is not None and flag.last < minor:
        yield Finding((), f"{flags.component} has it up to Kubernetes {minor_name(flag.last)} only", RULE_FLAGS)
        return
    if minor < flag.since:
        yield Finding((), f"{flags.component} has it from Kubernetes {minor_name(flag.since)} on", RULE_FLAGS)
        return
    try:
        for written in () if flag.form in REPEATABLE else values:  # each is parsed, though only the last one counts
            parse_flag_value(flag.form, [written])
        value = parse_flag_value(flag.form, values)
    except ConfigError as error:
        yield Finding((), str(error), RULE_FLAGS)
        return
    if reads_file and flag.field and not flags.win_over_file(flag, minor):
        yield Finding((), f"{flags.component} ignores it when it reads a config file", RULE_FLAGS, Level.WARNING)
        return
    if flag.form not in REPEATABLE and len(set(values)) > 1:
        yield Finding((), f"is given {len(values)} times: the last value wins", RULE_FLAGS, Level.WARNING)
    allowed = flag.values_at(minor)
    for item in value if isinstance(value, list) else [value]:
        if allowed and item not in allowed:
            message = f"{show(item)}: must be one of {', '.join(filter(None, allowed))}"
            yield Finding((), message, RULE_FLAGS)


def _gate_findings(gates: FeatureGates) -> Iterator[Finding]:
    for gate, message in gates.refused_settings():
        yield Finding((FEATURE_GATES, gate), message, RULE_GATES_KNOWN)
    for gate, dependency in gates.unmet_dependencies():
        message = f"the gate {gate} may only be on while {dependency} is on"
        yield Finding((FEATURE_GATES, gate), message, RULE_GATES_NEEDED)
