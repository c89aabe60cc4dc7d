# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of release data: what is known of one release, from which sources, and who has accepted it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .. import ConfigError
from .._codec.document import decode
from .._schema._feature_gates import Stage
from .._schema.overlays import OverlayFlag
from .._schema.releases import minor_name, parse_minor
from ..findings import show

API_VERSION = "data.configok.dev/v1alpha1"
KIND = "ReleaseData"
COMPONENTS = ("kubelet", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubeadm")
"""The components whose help is understood."""
SourceKind = Literal["binary", "running component"]
"""A program whose checksum is known, or an answer of a component, which does not say how it was built or set up."""

_MAX_BYTES = 4 * 1024 * 1024  # a file with all flags and gates of six components has 200 kB
_MAX_NODES = 100_000
_MAX_ROWS = 2000  # of one mapping; the longest, of gates, has 300
_MAX_TEXT = 4096  # characters of a flag's default
_GATE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,100}")
_FLAG = re.compile(r"[a-z][a-z0-9._-]{0,100}")
_FIELD_KIND = re.compile(r"[A-Z][A-Za-z]{0,60}")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9]{0,80}(?:\.[A-Za-z][A-Za-z0-9]{0,80}){0,10}")
_RELEASE = re.compile(r"1\.[0-9]{1,3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PERSON = re.compile(r"[^\x00-\x1f\x7f]{1,100}")
_VERSION = re.compile(r"v?1\.[0-9A-Za-z.+-]{1,80}")
_STAGES = ("Alpha", "Beta", "GA", "Deprecated")
_SOURCE_KINDS: tuple[SourceKind, ...] = ("binary", "running component")


class ProbedGate(NamedTuple):
    """The state of a gate. `is_assumed`: its default is not known from its source."""

    stage: Stage
    default: bool
    locked: bool
    is_assumed: bool = False


class Source(NamedTuple):
    """Where data come from: a component if it says which, its version if it says one, the SHA-256 of its binary."""

    kind: SourceKind
    name: str = ""
    version: str = ""
    sha256: str = ""


class Acceptance(NamedTuple):
    """The person that has accepted a difference from the newest known release, the time (UTC), and its hash."""

    by: str
    at: str
    diff: str


@dataclass(frozen=True)
class DataLayer:
    """The values of one layer, the day they were derived, and the names that no source says in full."""

    values: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    date: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def is_of_binaries(self) -> bool:
        """Whether a binary is among the sources."""
        return any(source.kind == "binary" for source in self.sources)


@dataclass(frozen=True)
class ReleaseData:
    """The data of one release.

    gates: a ProbedGate by name. flags: by component and name an OverlayFlag. defaults: by kind and path with dots a
    value, None for no default. acceptance: None if no person has accepted the data.
    """

    minor: int
    gates: DataLayer = field(default_factory=DataLayer)
    flags: DataLayer = field(default_factory=DataLayer)
    defaults: DataLayer = field(default_factory=DataLayer)
    acceptance: Acceptance | None = None

    @property
    def is_draft(self) -> bool:
        """Whether a running component is among the sources, so that a person has to accept the data."""
        return any(source.kind != "binary" for layer in _layers_of(self) for source in layer.sources)


def has_same_values(data: ReleaseData, other: ReleaseData) -> bool:
    """Return whether the data are of the same release and say the same, whatever their dates."""
    return data.minor == other.minor and all(
        (layer.values, layer.sources, layer.assumed) == (present.values, present.sources, present.assumed)
        for layer, present in zip(_layers_of(data), _layers_of(other))
    )


def _layers_of(data: ReleaseData) -> tuple[DataLayer, DataLayer, DataLayer]:
    return data.gates, data.flags, data.defaults


def write(data: ReleaseData) -> str:
    """Return the data as the text of a file."""
    from .._codec.yaml_text import encode

    values: dict[str, Callable[[Any], Any]] = {"gates": _gate_rows, "flags": _flag_rows, "defaults": _plain}
    layers = {}
    for name, rows in values.items():
        layer: DataLayer = getattr(data, name)
        if layer.sources:
            layers[name] = {
                "source": [_without_blanks(source) for source in layer.sources],
                "date": layer.date,
                **({"assumed": list(layer.assumed)} if layer.assumed else {}),
                "values": rows(layer.values),
            }
    head = {"apiVersion": API_VERSION, "kind": KIND, "release": minor_name(data.minor)}
    accepted: Any = data.acceptance._asdict() if data.acceptance is not None else False
    return encode({**head, "accepted": accepted, "layers": layers})


def _without_blanks(source: Source) -> dict[str, str]:
    return {key: value for key, value in source._asdict().items() if value}


def _gate_rows(gates: Mapping[str, ProbedGate]) -> dict[str, Any]:
    return {
        name: {"stage": gate.stage, "default": gate.default, **({"locked": True} if gate.locked else {})}
        for name, gate in sorted(gates.items())
    }


def _flag_rows(components: Mapping[str, Mapping[str, OverlayFlag]]) -> dict[str, Any]:
    return {
        component: {
            name: {"type": flag.type or "bool", **({} if flag.default is None else {"default": flag.default})}
            for name, flag in sorted(flags.items())
        }
        for component, flags in sorted(components.items())
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: dict(sorted(fields.items())) for kind, fields in sorted(values.items())}


def read(text: str | bytes, file: str = "release data") -> ReleaseData:
    """Return the data of a file's text. Raises ConfigError for anything that the format does not have.

    file: what messages call the text.
    """
    document = decode(text, file=file, max_bytes=_MAX_BYTES, max_nodes=_MAX_NODES)
    if document.findings:
        raise ConfigError(f"{file}: {document.findings[0]}")
    return _Reader(file).data(document.data)


class _Reader:
    """Reads decoded values strictly: every key, every type."""

    def __init__(self, file: str) -> None:
        self._file = file

    def _error(self, place: str, message: str) -> ConfigError:
        return ConfigError(f"{self._file}: {place}: {message}")

    def data(self, data: Any) -> ReleaseData:
        """Return the data of a document."""
        keys = ("apiVersion", "kind", "release", "accepted", "layers")
        document = self._mapping(data, "the file", keys, required=keys)
        for key, value in (("apiVersion", API_VERSION), ("kind", KIND)):
            if document[key] != value:
                raise self._error(key, f"must be {value}")
        release = self._text(document["release"], "release", _RELEASE, 'a release in quotes, such as "1.38"')
        layers = self._mapping(document["layers"], "layers", ("gates", "flags", "defaults"))
        if not layers:
            raise self._error("layers", "must have gates, flags or defaults")
        read_values: dict[str, Callable[[Any, str], dict[str, Any]]]
        read_values = {"gates": self._gates, "flags": self._flags, "defaults": self._defaults}
        return ReleaseData(
            parse_minor(release),
            acceptance=self._acceptance(document["accepted"]),
            **{name: self._layer(layer, f"layers.{name}", read_values[name]) for name, layer in layers.items()},
        )

    def _acceptance(self, value: Any) -> Acceptance | None:
        if value is False:
            return None
        row = self._mapping(value, "accepted", Acceptance._fields, required=Acceptance._fields, or_else=" or false")
        return Acceptance(
            self._text(row["by"], "accepted.by", _PERSON, "a name of at most 100 characters"),
            self._text(row["at"], "accepted.at", _TIME, "a time such as 2026-12-16T10:00:00Z"),
            self._text(row["diff"], "accepted.diff", _SHA256, "the hash of the difference"),
        )

    def _layer(self, value: Any, place: str, values: Callable[[Any, str], dict[str, Any]]) -> DataLayer:
        layer = self._mapping(
            value, place, ("source", "date", "assumed", "values"), required=("source", "date", "values")
        )
        rows = layer["source"]
        if not isinstance(rows, list) or not 0 < len(rows) <= 2 * len(COMPONENTS):
            raise self._error(f"{place}.source", "must be a list of sources")
        assumed = layer.get("assumed", [])
        if not isinstance(assumed, list) or len(assumed) > _MAX_ROWS:
            raise self._error(f"{place}.assumed", "must be a list of names")
        return DataLayer(
            values(layer["values"], f"{place}.values"),
            tuple(self._source(row, f"{place}.source[{number}]") for number, row in enumerate(rows)),
            self._text(layer["date"], f"{place}.date", _DATE, "a day in quotes, such as '2026-12-16'"),
            tuple(self._text(name, f"{place}.assumed", _GATE, "names of gates") for name in assumed),
        )

    def _source(self, value: Any, place: str) -> Source:
        row = self._mapping(value, place, Source._fields, required=("kind",))
        if row["kind"] not in _SOURCE_KINDS:
            raise self._error(f"{place}.kind", f"must be {' or '.join(_SOURCE_KINDS)}")
        is_binary = row["kind"] == "binary"
        if is_binary != ("sha256" in row) or (is_binary and "name" not in row):
            raise self._error(place, "a binary has its name and, as nothing else, its sha256")
        if row.get("name", COMPONENTS[0]) not in COMPONENTS:
            raise self._error(f"{place}.name", f"must be one of {', '.join(COMPONENTS)}")
        version = self._text(row.get("version", "v1.0"), f"{place}.version", _VERSION, "a Kubernetes version")
        sha256 = self._text(row.get("sha256", "0" * 64), f"{place}.sha256", _SHA256, "64 digits of 0-9a-f")
        return Source(
            row["kind"], row.get("name", ""), version if "version" in row else "", sha256 if is_binary else ""
        )

    def _gates(self, value: Any, place: str) -> dict[str, ProbedGate]:
        return {
            name: self._gate(row, f"{place}.{name}")
            for name, row in self._rows(value, place, _GATE, "a feature gate").items()
        }

    def _gate(self, value: Any, place: str) -> ProbedGate:
        row = self._mapping(value, place, ("stage", "default", "locked"), required=("stage", "default"))
        if row["stage"] not in _STAGES:
            raise self._error(f"{place}.stage", f"must be one of {', '.join(_STAGES)}")
        for key in ("default", "locked"):
            if not isinstance(row.get(key, False), bool):
                raise self._error(f"{place}.{key}", "must be true or false")
        return ProbedGate(row["stage"], row["default"], row.get("locked", False))

    def _flags(self, value: Any, place: str) -> dict[str, dict[str, OverlayFlag]]:
        components = self._mapping(value, place, COMPONENTS)
        return {
            component: {
                name: self._flag(row, f"{place}.{component}.{name}")
                for name, row in self._rows(flags, f"{place}.{component}", _FLAG, "a flag without dashes").items()
            }
            for component, flags in components.items()
        }

    def _flag(self, value: Any, place: str) -> OverlayFlag:
        row = self._mapping(value, place, ("type", "default"), required=("type",))
        for key in row:
            if not isinstance(row[key], str) or len(row[key]) > _MAX_TEXT:
                raise self._error(f"{place}.{key}", f"must be text of at most {_MAX_TEXT} characters")
        return OverlayFlag("" if row["type"] == "bool" else row["type"], row.get("default"))

    def _defaults(self, value: Any, place: str) -> dict[str, dict[str, Any]]:
        rows = self._rows(value, place, _FIELD_KIND, "a kind")
        return {
            kind: self._rows(fields, f"{place}.{kind}", _FIELD, "the path of a field") for kind, fields in rows.items()
        }

    def _mapping(
        self, value: Any, place: str, keys: tuple[str, ...], *, required: tuple[str, ...] = (), or_else: str = ""
    ) -> dict[str, Any]:
        """Return a mapping of fixed keys. or_else: what else the value may be, for the message."""
        if not isinstance(value, dict):
            raise self._error(place, f"must be a mapping of {', '.join(keys)}{or_else}")
        for key in value:
            if key not in keys:
                raise self._error(place, f"has the unknown key {show(key)}, allowed are {', '.join(keys)}")
        missing = [key for key in required if key not in value]
        if missing:
            raise self._error(place, f"needs {', '.join(missing)}")
        return value

    def _rows(self, value: Any, place: str, names: re.Pattern[str], what: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > _MAX_ROWS:
            raise self._error(place, f"must be a mapping with at most {_MAX_ROWS} keys, each {what}")
        wrong = [key for key in value if not isinstance(key, str) or not names.fullmatch(key)]
        if wrong:
            raise self._error(place, f"has the key {show(wrong[0])}, which is not {what}")
        return value

    def _text(self, value: Any, place: str, form: re.Pattern[str], what: str) -> str:
        if not isinstance(value, str) or not form.fullmatch(value):
            raise self._error(place, f"must be {what}")
        return value
