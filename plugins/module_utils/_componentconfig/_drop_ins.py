# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kubelet makes of its config file and the drop-ins of its --config-dir, by Kubernetes minor.

1.28 lays decoded objects over each other; 1.29 to 1.31 decode the merged drop-ins over the main file's object; from
1.32 on all are one JSON merge patch (schema/kubelet_dropin_merge.json; cmd/kubelet/app/server.go of each minor).
Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, cast

from ._codec._document import Document
from ._codec._plain_values import merge
from ._codec._yaml import encode
from ._compare import diff
from ._findings import Finding, Level, show
from ._scalars._field_path import lookup
from ._schema._defaults import apply_defaults, effective_value, is_zero
from ._schema._feature_gates import FeatureGates
from ._schema._kinds import Kind

__all__ = [
    "DropIn",
    "DropInSupport",
    "drop_in_problems",
    "drop_in_warnings",
    "drop_ins",
    "lay_documents_over",
    "merge_drop_ins",
    "support_at",
    "effective_with_drop_ins",
]

_EVICTION = "evictionHard"
_EVICTION_SWITCH = "mergeDefaultEvictionSettings"
_HEAD = ("apiVersion", "kind")
Data = Mapping[str, Any]


@dataclass(frozen=True)
class DropInSupport:
    """How a minor merges drop-ins: the rule's name, and the environment variable without which the kubelet does not
    look at them ("" for none)."""

    name: str
    environment: str = ""

    def note(self, field: str) -> str:
        """What is particular about a top-level field, or about the rule."""
        notes = {row[1]: " ".join(row[2]) for row in _drop_in_data()["rules"]}
        return str(_drop_in_data()["fields"].get(field, notes[self.name]))


@lru_cache(maxsize=1)
def _drop_in_data() -> dict[str, Any]:
    from ._data._kubelet import DROP_INS

    return cast("dict[str, Any]", json.loads(DROP_INS))


def support_at(minor: int) -> DropInSupport | None:
    """The rule of a minor; None for one that has no --config-dir."""
    rows = [row for row in _drop_in_data()["rules"] if row[0] <= minor]
    if not rows:
        return None
    environment = _drop_in_data()["environment"]
    return DropInSupport(rows[-1][1], environment["name"] if minor <= environment["last"] else "")


def merge_drop_ins(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    """The config that the kubelet of a minor makes of its main file and its drop-ins, in their order, as a document.

    All are decoded documents of `kind`; none is changed. A minor without --config-dir uses the main file alone. See
    `used_with` for what the kubelet then uses.
    """
    rule = support_at(minor)
    said = [{key: value for key, value in one.items() if key not in _HEAD} for one in drop_ins]
    if rule is None or not said:
        return dict(main)
    return _RULES[rule.name](main, said, kind, minor)


def effective_with_drop_ins(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    """The same with all defaults filled in, as the kubelet uses it."""
    laid = merge_drop_ins(main, drop_ins, kind, minor)
    result = apply_defaults(laid, kind, minor)
    rule = support_at(minor)
    if rule is not None and _fills(drop_ins):
        result[_EVICTION] = laid[_EVICTION]
    if rule is not None and rule.name == "internal":
        # Defaults are filled into the main file alone: a zero of a drop-in stands for itself.
        return _with_zeros(result, merge(drop_ins), kind.fields, minor)
    return result


def lay_documents_over(main: Document, drop_ins: Sequence[Document], kind: Kind, minor: int) -> Document:
    """The same for documents whose data are mappings: every field that a drop-in decides knows its file and line."""
    data = merge_drop_ins(main.data, [one.data for one in drop_ins], kind, minor)
    if support_at(minor) is None or not drop_ins:
        return main
    lines, files = dict(main.lines), dict(main.files) or dict.fromkeys(main.lines, main.file)
    for one in drop_ins:
        for path, line in one.lines.items():
            said = lookup(one.data, path)
            if isinstance(said, dict) or said == lookup(data, path):
                lines[path], files[path] = line, one.file
    findings = (*main.findings, *(found for one in drop_ins for found in one.findings))
    return Document(data, main.file, findings, False, lines, files)


def _objects(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    result = _filled(main, drop_ins, kind, minor)
    for one in drop_ins:
        result = _overlay(result, _without_zeros(apply_defaults(one, kind, minor), kind.fields, minor))
    return result


def _internal(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    return _overlay(_filled(main, drop_ins, kind, minor), merge(drop_ins))


def _versioned(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    result = merge([_filled(main, drop_ins, kind, minor), *drop_ins])
    if _fills(drop_ins):
        result.setdefault(_EVICTION, {})  # taken back by null: the defaults were filled in before, and come no more
    return result


_RULES: Mapping[str, Callable[[Data, Sequence[Data], Kind, int], dict[str, Any]]] = {
    "objects": _objects,
    "internal": _internal,
    "versioned": _versioned,
}


def _fills(drop_ins: Sequence[Data]) -> bool:
    """Whether a drop-in says something of evictionHard, whose defaults are filled in before it is looked at."""
    return any(name in one for one in drop_ins for name in (_EVICTION, _EVICTION_SWITCH))


def _filled(main: Data, drop_ins: Sequence[Data], kind: Kind, minor: int) -> dict[str, Any]:
    """The main file with the defaults of evictionHard where a drop-in is about to say something of it."""
    if not _fills(drop_ins):
        return dict(main)
    given = main.get("featureGates")
    gates = FeatureGates(minor, given if isinstance(given, Mapping) else {})
    return {**main, _EVICTION: effective_value(_EVICTION, main, kind.fields, minor, gates)}


def _overlay(below: Any, above: Data) -> dict[str, Any]:
    """Objects and maps by key, all else replaced; null leaves what is below."""
    result = dict(below) if isinstance(below, Mapping) else {}
    for key, value in above.items():
        if value is not None:
            result[key] = _overlay(result.get(key), value) if isinstance(value, Mapping) else value
    return result


def _without_zeros(data: Data, fields: Data, minor: int) -> dict[str, Any]:
    """An object without the fields whose value is the zero of its type, as Go has it; maps keep all their keys."""
    result = {}
    for key, value in data.items():
        field = fields.get(key, {})
        if isinstance(value, Mapping) and field.get("type") == "object":
            value = _without_zeros(value, field.get("fields", {}), minor)
        if value and not (field.get("type") == "duration" and is_zero(value, {"type": "duration"}, minor)):
            result[key] = value
    return result


def _with_zeros(result: Data, said: Data, fields: Data, minor: int) -> dict[str, Any]:
    """A resolved object with the zeros that a document says for fields which have a default."""
    changed = dict(result)
    for key, value in said.items():
        field = fields.get(key, {})
        if isinstance(value, Mapping) and field.get("type") == "object" and isinstance(result.get(key), Mapping):
            changed[key] = _with_zeros(result[key], value, field.get("fields", {}), minor)
        elif key in result and value is not None and is_zero(value, field, minor):
            changed[key] = value
    return changed


_STEP = 10


@dataclass(frozen=True)
class DropIn:
    """One file of the directory: its name, its data, and the layer that it is from."""

    name: str
    data: dict[str, Any]
    layer: str

    @property
    def text(self) -> str:
        """The file's content."""
        return encode(self.data)


def drop_ins(layers: Sequence[Document]) -> list[DropIn]:
    """The layers, lowest first, as drop-ins whose names sort in that order: 10-base.conf, 20-workers.conf."""
    width = len(str(_STEP * len(layers)))
    found = []
    for number, layer in enumerate(layers, 1):
        stem = layer.file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
        name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "layer"
        head = {key: layer.data[key] for key in _HEAD}
        found.append(DropIn(f"{_STEP * number:0{width}}-{name}.conf", {**head, **layer.data}, layer.file))
    return found


def drop_in_problems(layers: Sequence[Document], merged: Any, kind: Kind, minor: int) -> Iterator[Finding]:
    """Where a kubelet of a minor makes something else of the drop-ins than of the merged file.

    The main file below the drop-ins is taken to say nothing but its apiVersion and kind.
    """
    rule = support_at(minor)
    if rule is None:
        message = "the kubelet has no --config-dir yet: give it the merged file"
        yield Finding((), message, "drop-ins", Level.POLICY)
        return
    head = {key: merged[key] for key in _HEAD}
    used = effective_with_drop_ins(head, [layer.data for layer in layers], kind, minor)
    for change in diff(apply_defaults(merged, kind, minor), used):
        wanted, made = (show(value, change.parts) or "nothing" for value in (change.old, change.new))
        message = f"as drop-ins the kubelet makes {made} of it, not {wanted}: {rule.note(str(change.parts[0]))}"
        yield Finding(change.parts, message, "drop-ins", Level.POLICY)


def drop_in_warnings(minor: int) -> Iterator[Finding]:
    """What a kubelet of a minor needs beside --config-dir to look at drop-ins."""
    rule = support_at(minor)
    if rule is not None and rule.environment:
        message = f"the kubelet only looks at drop-ins with {rule.environment} in its environment"
        yield Finding((), message, "drop-ins", Level.WARNING)
