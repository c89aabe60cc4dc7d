# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge the kubelet's config with its drop-ins as each minor does, write drop-ins, and compare configs below drop-ins.

1.28 merges decoded objects. 1.29 to 1.31 decode the merged drop-ins over the main file's object. From 1.32 on all files
are one JSON merge patch (schema/kubelet_dropin_merge.json; cmd/kubelet/app/server.go of each minor): the main file is
encoded without its empty lists and maps, even if the directory has no file, and defaults are filled in afterwards.

Below, None as drop-ins means that the kubelet has no --config-dir.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Callable, cast

from . import ConfigError
from ._codec.document import Document
from ._codec.plain_values import HEAD_FIELDS, merge
from ._codec.yaml_text import encode
from ._scalars.field_path import value_at
from ._schema._defaults import apply_defaults, effective_value, is_zero
from ._schema._feature_gates import FeatureGates
from ._schema.kinds import KUBELET, KUBELET_CONFIGURATION, Kind, fact_at, find_kind, is_present_at
from ._schema.releases import minors_from
from .compare import diff, effective_differences, is_equal, is_same_config
from .findings import Finding, Level, show
from .load import Config

_EVICTION = "evictionHard"
_EVICTION_SWITCH = "mergeDefaultEvictionSettings"
Data = Mapping[str, Any]


class DropInMerge(str, Enum):
    """A way to merge drop-ins."""

    OBJECTS = "objects"
    INTERNAL = "internal"
    VERSIONED = "versioned"


@dataclass(frozen=True)
class DropInSupport:
    """How a minor merges drop-ins, and the environment variable that it needs to read them ("" for none)."""

    merge: DropInMerge
    environment: str = ""

    def note(self, field: str) -> str:
        """Return what is particular about a top-level field, or about this way to merge."""
        notes = {row[1]: " ".join(row[2]) for row in _drop_in_data()["rules"]}
        return str(_drop_in_data()["fields"].get(field, notes[self.merge.value]))


@lru_cache(maxsize=1)
def _drop_in_data() -> dict[str, Any]:
    from ._data._kubelet import DROP_INS

    return cast("dict[str, Any]", json.loads(DROP_INS))


def support_at(minor: int) -> DropInSupport | None:
    """Return how a minor merges drop-ins, None for one without --config-dir."""
    rows = [row for row in _drop_in_data()["rules"] if row[0] <= minor]
    if not rows:
        return None
    environment = _drop_in_data()["environment"]
    return DropInSupport(DropInMerge(rows[-1][1]), environment["name"] if minor <= environment["last"] else "")


def merge_drop_ins(main: Data, drop_ins: Sequence[Data] | None, kind: Kind, minor: int) -> dict[str, Any]:
    """Return the config that the kubelet of a minor merges from its main file and its drop-ins, in their order.

    All are decoded documents of `kind`; none is changed. A minor without --config-dir uses the main file alone. See
    `effective_with_drop_ins` for the config with its defaults.
    """
    support = support_at(minor)
    if support is None or drop_ins is None:
        return dict(main)
    bodies = [{key: value for key, value in drop_in.items() if key not in HEAD_FIELDS} for drop_in in drop_ins]
    return _MERGERS[support.merge](main, bodies, kind, minor)


def effective_with_drop_ins(main: Data, drop_ins: Sequence[Data] | None, kind: Kind, minor: int) -> dict[str, Any]:
    """Return the config of main file and drop-ins with all defaults, as the kubelet uses it."""
    merged = merge_drop_ins(main, drop_ins, kind, minor)
    result = apply_defaults(merged, kind, minor)
    support = support_at(minor)
    if drop_ins is None:
        return result
    if support is not None and _sets_eviction(drop_ins):
        result[_EVICTION] = merged[_EVICTION]
    if support is not None and support.merge is DropInMerge.INTERNAL:
        # Defaults are filled into the main file alone: a zero in a drop-in is a value.
        return _with_zeros(result, merge(drop_ins), kind.fields, minor)
    return result


def empty_value_findings(main: Data, drop_ins: Sequence[Any] | None, kind: Kind, minor: int) -> Iterator[Finding]:
    """Yield the empty values of the main file that have no effect: the kubelet uses their defaults."""
    if drop_ins is None:
        return
    for change in diff(apply_defaults(main, kind, minor), effective_with_drop_ins(main, (), kind, minor)):
        message = f"has no effect: with --config-dir, an empty value of this file means the default, {show(change.new)}"
        yield Finding(change.field_path, message, "drop-ins", Level.WARNING)


def merge_drop_in_documents(main: Document, drop_ins: Sequence[Document] | None, kind: Kind, minor: int) -> Document:
    """Merge documents whose data are mappings: each field knows the file and line that set it."""
    if support_at(minor) is None or drop_ins is None:
        return main
    data = merge_drop_ins(main.data, [drop_in.data for drop_in in drop_ins], kind, minor)
    lines, files = dict(main.lines), dict(main.files) or dict.fromkeys(main.lines, main.file)
    for drop_in in drop_ins:
        for path, line in drop_in.lines.items():
            value = value_at(drop_in.data, path)
            if isinstance(value, dict) or value == value_at(data, path):
                lines[path], files[path] = line, drop_in.file
    findings = (*main.findings, *(finding for drop_in in drop_ins for finding in drop_in.findings))
    return Document(data, main.file, findings, False, lines, files)


def _merge_objects(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    result = _with_eviction_defaults(main, drop_ins, kind, minor)
    for drop_in in drop_ins:
        result = _overlay(result, _without_zeros(apply_defaults(drop_in, kind, minor), kind.fields, minor))
    return result


def _merge_internal(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    return _overlay(_with_eviction_defaults(main, drop_ins, kind, minor), merge(drop_ins))


def _merge_versioned(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    encoded = _without_empties(_with_eviction_defaults(main, drop_ins, kind, minor), kind.fields, minor)
    result = merge([encoded, *drop_ins])
    if _sets_eviction(drop_ins):
        result.setdefault(_EVICTION, {})  # a null has reset it after the defaults were filled in
    return result


_MERGERS: Mapping[DropInMerge, Callable[[Data, Sequence[Data], Kind, int], dict[str, Any]]] = {
    DropInMerge.OBJECTS: _merge_objects,
    DropInMerge.INTERNAL: _merge_internal,
    DropInMerge.VERSIONED: _merge_versioned,
}


def _sets_eviction(drop_ins: Sequence[Data]) -> bool:
    """Return whether a drop-in sets evictionHard, whose defaults are filled in before the drop-ins are read."""
    return any(name in drop_in for drop_in in drop_ins for name in (_EVICTION, _EVICTION_SWITCH))


def _with_eviction_defaults(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    """Return the main file, with the defaults of evictionHard if a drop-in sets it."""
    if not _sets_eviction(drop_ins):
        return dict(main)
    settings = main.get("featureGates")
    gates = FeatureGates(minor, settings if isinstance(settings, Mapping) else {})
    return {**main, _EVICTION: effective_value(_EVICTION, main, kind.fields, minor, gates)}


def _overlay(lower: Any, upper: Data) -> dict[str, Any]:
    """Merge objects and maps by key and replace all other values; null keeps the lower value."""
    result = dict(lower) if isinstance(lower, Mapping) else {}
    for key, value in upper.items():
        if value is not None:
            result[key] = _overlay(result.get(key), value) if isinstance(value, Mapping) else value
    return result


def _without_zeros(data: Data, fields: Data, minor: int) -> dict[str, Any]:
    """Return an object without the fields whose value is the zero of its Go type; maps keep all their keys."""
    result = {}
    for key, value in data.items():
        entry = fields.get(key, {})
        if isinstance(value, Mapping) and entry.get("type") == "object":
            value = _without_zeros(value, entry.get("fields", {}), minor)
        if value and not (entry.get("type") == "duration" and is_zero(value, {"type": "duration"}, minor)):
            result[key] = value
    return result


def _without_empties(data: Data, fields: Data, minor: int) -> dict[str, Any]:
    """Return an object without its empty lists and maps, except evictionHard, which has no default after the merge.

    A zero of another type is absent anyway as soon as it is decoded.
    """
    result = {}
    for key, value in data.items():
        entry = fields.get(key, {})
        type_name = str(fact_at(entry, "type", minor)) if is_present_at(entry, minor) else ""
        if type_name == "object" and isinstance(value, Mapping):
            value = _without_empties(value, entry.get("fields", {}), minor)
        elif key != _EVICTION and ((type_name[:5], value) in (("list<", []), ("map<", {}))):
            continue
        result[key] = value
    return result


def _with_zeros(result: Data, drop_in_values: Data, fields: Data, minor: int) -> dict[str, Any]:
    """Return an effective object with the zeros that drop-ins set for fields with a default."""
    changed = dict(result)
    for key, value in drop_in_values.items():
        entry = fields.get(key, {})
        if isinstance(value, Mapping) and entry.get("type") == "object" and isinstance(result.get(key), Mapping):
            changed[key] = _with_zeros(result[key], value, entry.get("fields", {}), minor)
        elif key in result and value is not None and is_zero(value, entry, minor):
            changed[key] = value
    return changed


_STEP = 10


@dataclass(frozen=True)
class DropIn:
    """One file of the drop-in directory: its name, its data, and the layer that it was written from."""

    name: str
    data: dict[str, Any]
    layer: str

    @property
    def text(self) -> str:
        """The file's content as YAML."""
        return encode(self.data)


def write_drop_ins(config: Config) -> list[DropIn]:
    """Return the layers as drop-ins whose names sort from the lowest layer up: 10-base.conf, 20-workers.conf.

    Raises ConfigError for a config that is not the kubelet's.
    """
    _require_kubelet(config)
    width = len(str(_STEP * len(config.layers)))
    drop_ins = []
    for number, layer in enumerate(config.layers, 1):
        stem = layer.file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
        name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "layer"
        head = {key: layer.data[key] for key in HEAD_FIELDS}
        drop_ins.append(DropIn(f"{_STEP * number:0{width}}-{name}.conf", {**head, **layer.data}, layer.file))
    return drop_ins


def drop_in_findings(config: Config, minor: int) -> Iterator[Finding]:
    """Yield what keeps the kubelet of a minor from reading the layers as drop-ins with the same result.

    The main file below the drop-ins is assumed to set only its apiVersion and kind. Raises ConfigError for a
    config that is not the kubelet's.
    """
    kind, data = _require_kubelet(config), config.data
    support = support_at(minor)
    if support is None:
        message = "the kubelet has no --config-dir yet: give it the merged file"
        yield Finding((), message, "drop-ins", Level.POLICY)
        return
    head = {key: data[key] for key in HEAD_FIELDS}
    used = effective_with_drop_ins(head, [layer.data for layer in config.layers], kind, minor)
    for change in diff(apply_defaults(data, kind, minor), used):
        path = change.field_path
        expected, actual = (show(value, path) or "nothing" for value in (change.old, change.new))
        message = f"as drop-ins the kubelet makes {actual} of it, not {expected}: {support.note(str(path[0]))}"
        yield Finding(path, message, "drop-ins", Level.POLICY)
    if support.environment:
        message = f"the kubelet only looks at drop-ins with {support.environment} in its environment"
        yield Finding((), message, "drop-ins", Level.WARNING)


def _require_kubelet(config: Config) -> Kind:
    kind = config.kind
    if kind is None or kind.kind != KUBELET_CONFIGURATION:
        raise ConfigError(f"only a {KUBELET_CONFIGURATION} can be written as drop-ins")
    return kind


def is_same_with_drop_ins(drop_ins: Sequence[Any] | None, old: Any, new: Any, version: str = "") -> bool:
    """Return whether a component reads the same from two decoded configs, with the same drop-ins over both.

    A drop-in may set the field from which another field has its default, so a value that equals today's default may not
    be the default then. drop_ins: decoded, lowest first; only the kubelet reads them. version: as for `is_same_config`.
    """
    if not is_same_config(old, new, version):
        return False
    kind = find_kind(old.get("apiVersion"), old.get("kind")) if isinstance(old, dict) else None
    if is_equal(old, new) or kind is None or kind.component != KUBELET or drop_ins is None:
        return True
    if not all(isinstance(drop_in, dict) for drop_in in drop_ins):
        return False
    return not any(
        effective_differences(
            effective_with_drop_ins(old, drop_ins, kind, minor),
            effective_with_drop_ins(new, drop_ins, kind, minor),
            kind,
            minor,
        )
        for minor in minors_from(version)
    )
