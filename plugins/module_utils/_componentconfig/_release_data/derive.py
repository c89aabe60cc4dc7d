# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make release data from what binaries and running components say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .. import ConfigError
from .._flags._flag_set import flag_set
from .._flags._pflag import Flag, parse_flag_value
from .._scalars.field_path import value_at
from .._schema._defaults import apply_defaults
from .._schema._feature_gates import gate_names, gate_state
from .._schema.kinds import KUBELET, KUBELET_CONFIGURATION, MAIN_KINDS, Kind, fact_at
from .._schema.releases import minor_name, newest_minor, parse_minor
from ._changes import kind_of_defaults
from ._help_text import GateDefault, HelpText
from .file_format import COMPONENTS, DataLayer, ProbedGate, ReleaseData, Source
from .probe import Binary, Candidates
from .running_component import leaf_fields


class KnownBinary(NamedTuple):
    """A binary whose SHA-256 is known, and what it says of itself."""

    binary: Binary
    sha256: str

    @property
    def source(self) -> Source:
        """The binary as a source of data."""
        return Source("binary", self.binary.help.component, self.binary.version, self.sha256)


class Running(NamedTuple):
    """What running components say: their version, "" if unknown, their gates, and the fields of the kubelet."""

    version: str = ""
    gates: Mapping[str, GateDefault] | None = None
    configz: Mapping[str, Any] | None = None

    @property
    def source(self) -> Source:
        """The components as a source of data."""
        return Source("running component", version=self.version)


def candidates(running: Running, names: Sequence[str], minor: int) -> Candidates:
    """Return what to ask a binary of a minor for.

    It is what the newest shipped release up to the minor has, and also the gates of running components and `names`.
    """
    base = min(minor, newest_minor())
    states = {name: gate_state(name, base) for name in gate_names()}
    known = {name: GateDefault(state.stage, state.default) for name, state in states.items() if state and state.stage}
    new = dict.fromkeys(names, GateDefault("Alpha", False))
    flags = {
        component: [flag.name for flag in shipped.flags.values() if flag.known_at(base)]
        for component in COMPONENTS
        if (shipped := flag_set(component)) is not None
    }
    return Candidates({**new, **known, **(running.gates or {})}, flags)


def derive(binaries: Sequence[KnownBinary], running: Running, date: str, version: str = "") -> ReleaseData:
    """Return the data of the one release that all sources have.

    version: of the running component, if nothing else names it. Raises ConfigError for sources of several releases, for
    two binaries of one component, and for binaries that contradict each other.
    """
    components = [known.binary.help.component for known in binaries]
    if len(set(components)) < len(components):
        raise ConfigError("two binaries are of the same component: give each component once")
    versions = [*(known.binary.version for known in binaries), running.version, version]
    minors = sorted({parse_minor(text) for text in versions if text})
    if not minors:
        raise ConfigError("the release is not known: give a binary, metrics with kubernetes_build_info, or the version")
    if len(minors) > 1:
        raise ConfigError(f"the sources are of several releases: {', '.join(map(minor_name, minors))}")
    minor = minors[0]
    running = running._replace(version=running.version or version)
    layers = (_gates(binaries, running, minor), _flags(binaries), _defaults(binaries, running, minor))
    gates, flags, defaults = (replace(layer, date=date) if layer.sources else DataLayer() for layer in layers)
    return ReleaseData(minor, gates, flags, defaults)


def _gates(binaries: Sequence[KnownBinary], running: Running, minor: int) -> DataLayer:
    gates: dict[str, ProbedGate] = {}
    for known in binaries:
        for name, gate in known.binary.gates.items():
            present = gates.get(name, gate)
            if present != gate:
                raise ConfigError(f"the binaries contradict each other over the gate {name}: are they of one build?")
            gates[name] = gate
    asked = tuple(known.source for known in binaries if known.binary.gates)
    for name, state in (running.gates or {}).items():
        probed = gates.get(name)
        if probed is None:
            last = gate_state(name, min(minor, newest_minor()))
            is_locked = last is not None and last.locked and last.default == state.default
            gates[name] = ProbedGate(state.stage, state.default, is_locked, is_assumed=bool(asked))
        elif probed.is_assumed:
            gates[name] = ProbedGate(state.stage, state.default, probed.locked)
    assumed = tuple(sorted(name for name, gate in gates.items() if gate.is_assumed))
    used = (*asked, *((running.source,) if running.gates else ()))
    rows = {name: gate._replace(is_assumed=False) for name, gate in sorted(gates.items())}
    return DataLayer(rows, used, assumed=assumed)


def _flags(binaries: Sequence[KnownBinary]) -> DataLayer:
    flags = {known.binary.help.component: dict(known.binary.help.flags) for known in binaries}
    return DataLayer(flags, tuple(known.source for known in binaries))


def _defaults(binaries: Sequence[KnownBinary], running: Running, minor: int) -> DataLayer:
    values: dict[str, dict[str, Any]] = {}
    used: list[Source] = []
    for known in binaries:
        component = known.binary.help.component
        defaults = dict(defaults_of_help(known.binary.help, minor))
        if defaults:
            values[MAIN_KINDS[component]] = defaults
            used.append(known.source)
    if running.configz is not None:
        fields = values.setdefault(KUBELET_CONFIGURATION, {})
        fields.update({**_absent_fields(running.configz, minor), **running.configz})
        used.append(running.source._replace(name=KUBELET))
    return DataLayer(values, tuple(used))


def _absent_fields(configz: Mapping[str, Any], minor: int) -> dict[str, None]:
    """Return the fields that have a default in the newest shipped release, and that a /configz leaves out."""
    kind = kind_of_defaults(KUBELET_CONFIGURATION)
    if kind is None:
        return {}
    effective = apply_defaults({}, kind, min(minor, newest_minor()))
    paths = {path for path in leaf_fields(effective, kind.fields) if not _is_empty(effective, path)}
    return dict.fromkeys(sorted(paths - set(configz)))


def _is_empty(data: Mapping[str, Any], path: str) -> bool:
    return value_at(data, tuple(path.split("."))) in ("", 0, False, None, [], {}, "0s")


def defaults_of_help(help_text: HelpText, minor: int) -> Iterator[tuple[str, Any]]:
    """Yield the defaults of fields that a component's help shows as those of their flags, by path with dots.

    Fields whose default is another one without a file are left out. None is the zero of the field's type.
    """
    known = flag_set(help_text.component)
    kind = kind_of_defaults(MAIN_KINDS.get(help_text.component, ""))
    if known is None or kind is None:
        return
    base = min(minor, newest_minor())
    for flag in known.flags.values():
        shown = help_text.flags.get(flag.name)
        has_own = flag.defaults or any(variant.default is not None for variant in flag.variants)
        is_plain = flag.field and not (has_own or flag.only_enables or flag.list_position or flag.port_of)
        if shown is None or not is_plain or flag.form == "mapBool" or flag.wins_since is not None:
            continue
        entry = kind.entry_at(flag.field, base)
        if entry is not None:
            yield ".".join(map(str, flag.field)), _value_of(flag, shown.default, kind, base)


def _value_of(flag: Flag, default: str | None, kind: Kind, minor: int) -> Any:
    if default is None:
        return None
    entry = kind.entry_at(flag.field, minor) or {}
    is_list = default.startswith("[") and default.endswith("]")
    try:
        return parse_flag_value(flag.form, [default[1:-1] if is_list else default], str(fact_at(entry, "type", minor)))
    except ConfigError as error:
        raise ConfigError(f"the default of --{flag.name} in the help cannot be read: {error}") from None
