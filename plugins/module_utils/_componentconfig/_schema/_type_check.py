# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check every field of a document against its type, and find the documents inside it, as one minor knows them.

Documents inside others are the arguments of scheduler plugins and the configuration of admission plugins.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Callable, NamedTuple

from .. import ConfigError
from .._codec.plain_values import HEAD_FIELDS, head_values, missing_head_fields
from .._scalars._suggestion import MAX_SUGGESTIONS, most_similar
from .._scalars.duration import nanoseconds
from .._scalars.field_path import Path
from .._scalars.numbers import parse_quantity
from ..findings import RULE_UNKNOWN_FIELD, Finding, Level
from ._defaults import zero_value
from .kinds import Kind, fact_at, find_kind, kinds
from .releases import minor_name


@dataclass
class TypeCheck:
    """A document as a component of a minor reads it: `data` lacks fields that are unknown or of a wrong type.

    `broken_fields` are the top-level fields with a value of a wrong type: no rule checks them. Of declared
    kinds they are the paths of these values, without indexes: all of a Machine is in one field, spec.
    """

    data: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    broken_fields: set[str] = field(default_factory=set)


ADMISSION_KINDS = {
    "ResourceQuota": ("ResourceQuotaConfiguration", "Configuration"),
    "EventRateLimit": ("Configuration",),
    "PodTolerationRestriction": ("Configuration",),
    "PodSecurity": ("PodSecurityConfiguration",),
    "MutatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "ValidatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "MutatingAdmissionPolicy": ("MutatingAdmissionPolicyConfiguration",),
    "ValidatingAdmissionPolicy": ("ValidatingAdmissionPolicyConfiguration",),
}
"""The admission plugins whose configuration is a kind, with the names of that kind; other plugins read any data."""


def _typed(type_name: str, *names: str) -> dict[str, dict[str, Any]]:
    return {name: {"type": type_name} for name in names}


_OBJECT_META: Mapping[str, Mapping[str, Any]] = {
    **_typed("string", "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "clusterName"),
    **_typed("int64", "generation", "deletionGracePeriodSeconds"),
    **_typed("time", "creationTimestamp", "deletionTimestamp"),
    **_typed("map<string>", "labels", "annotations"),
    "finalizers": {"type": "list<string>"},
    "ownerReferences": {
        "type": "list<object>",
        "fields": {
            **_typed("string", "apiVersion", "kind", "name", "uid"),
            **_typed("bool", "controller", "blockOwnerDeletion"),
        },
    },
    "managedFields": {
        "type": "list<object>",
        "fields": {
            **_typed("string", "manager", "operation", "apiVersion", "fieldsType", "subresource"),
            "time": {"type": "time"},
            "fieldsV1": {"type": "any"},
        },
    },
}
"""The fields of an ObjectMeta, which the data do not list."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*")


def _string(value: Any) -> str:
    if isinstance(value, str):
        return ""
    return "must be a string" if isinstance(value, (dict, list)) else "must be a string: write it in quotes"


def _bool(value: Any) -> str:
    return "" if isinstance(value, bool) else "must be true or false, without quotes"


def _integer(value: Any, bits: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return "must be a whole number, without quotes"
    is_in_range = -(2**bits) <= value < 2**bits
    return "" if is_in_range else f"must be a whole number between {-(2**bits)} and {2**bits - 1}"


def _float(value: Any) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "" if is_number else "must be a number, without quotes"


def _duration(value: Any) -> str:
    if not isinstance(value, str):
        return "must be a duration in quotes, for example 90s, 1m30s or 500ms"
    return "" if _can(nanoseconds, value) else "must be a duration, for example 90s, 1m30s or 500ms"


def _duration_or_nanoseconds(value: Any) -> str:
    return _duration(value) if isinstance(value, str) else _integer(value, 63)


def _quantity(value: Any) -> str:
    is_amount = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return "" if is_amount and _can(parse_quantity, value) else "must be a quantity, for example 500m, 2 or 100Mi"


def _time(value: Any) -> str:
    is_time = isinstance(value, str) and _TIME.fullmatch(value) and _can(datetime.fromisoformat, value[:19])
    return "" if is_time else "must be a time, for example 2026-01-31T12:00:00Z"


def _bytes(value: Any) -> str:
    if not isinstance(value, str):
        return _string(value)
    return "" if _BASE64.fullmatch(value) and _can(binascii.a2b_base64, value) else "must be base64"


def _int_or_string(value: Any) -> str:
    return "" if isinstance(value, str) else _integer(value, 31)


def _can(parse: Callable[[Any], Any], value: Any) -> bool:
    """Return whether a function parses a value."""
    try:
        parse(value)
    except (ConfigError, ValueError):
        return False
    return True


_SCALARS: Mapping[str, Callable[[Any], str]] = {
    "string": _string,
    "enum": _string,
    "bool": _bool,
    "int32": lambda value: _integer(value, 31),
    "int64": lambda value: _integer(value, 63),
    "int": lambda value: _integer(value, 63),
    "float": _float,
    "duration": _duration,
    "durationOrNanoseconds": _duration_or_nanoseconds,
    "quantity": _quantity,
    "time": _time,
    "bytes": _bytes,
    "intOrString": _int_or_string,
    "any": lambda _value: "",
}
"""The scalar types, with functions that return what a value must be, "" if it is."""
_INTEGERS = ("int32", "int64", "int", "durationOrNanoseconds", "intOrString")


class _Checker:
    def __init__(self, kind: Kind, minor: int, is_json: bool, rule_checked_fields: frozenset[str]) -> None:
        self.kind = kind
        self.minor = minor
        self.is_json = is_json
        self.rule_checked_fields = rule_checked_fields
        self.result = TypeCheck()
        self.unknown_count = 0

    def report(self, path: Path, message: str, rule: str) -> None:
        self.result.findings.append(Finding(path, message, rule))
        if rule != RULE_UNKNOWN_FIELD:
            names = [part for part in path if isinstance(part, str)] if self.kind.is_declared else path[:1]
            self.result.broken_fields.add(".".join(map(str, names)))
            if self.kind.is_declared:
                self.result.broken_fields.add(".".join(map(str, path)))  # one of several in a list

    def object(self, value: dict[str, Any], fields: Mapping[str, Any], path: Path) -> dict[str, Any]:
        result = {}
        for key, item in value.items():
            field_path = path + (key,)
            if not path and key in HEAD_FIELDS:
                result[key] = item
                continue
            entry = fields.get(key)
            unknown = self._unknown(key, entry, fields, path)
            if unknown is not None:
                self.report(field_path, unknown, RULE_UNKNOWN_FIELD)
            elif item is None and self._refuses_null(entry):
                self.report(field_path, "must be a duration, for example 90s, and not null: leave it out", "type")
            elif item is not None and entry is not None:
                checked = self.value(item, str(fact_at(entry, "type", self.minor)), entry, field_path)
                if checked is not None:
                    result[key] = checked
        return result

    def _unknown(
        self, key: str, entry: Mapping[str, Any] | None, fields: Mapping[str, Any], parent: Path
    ) -> str | None:
        if entry is not None:
            since, last = entry.get("since", 0), entry.get("last")
            if since > self.minor:
                return f"unknown field: {self.kind.kind} knows it from Kubernetes {minor_name(since)}"
            if last is not None and last < self.minor:
                return f"unknown field: {self.kind.kind} knew it up to Kubernetes {minor_name(last)}"
            return None
        self.unknown_count += 1
        names = fields if parent else (*HEAD_FIELDS, *fields)
        similar = ""
        if self.unknown_count <= MAX_SUGGESTIONS:
            same = [name for name in names if name.lower() == key.lower()]
            similar = same[0] if same else most_similar(key, names, 0.8)
        return f"unknown field of {self.kind.kind}" + (f", did you mean {similar}?" if similar else "")

    def _refuses_null(self, entry: Mapping[str, Any] | None) -> bool:
        """Return whether a field is a duration that refuses null: Go reads null as an empty text there."""
        return entry is not None and fact_at(entry, "type", self.minor) == "duration" and "nullable" not in entry

    def value(self, value: Any, type_name: str, entry: Mapping[str, Any], path: Path) -> Any:
        """Return the value as the component reads it; None, with a finding, for one that it refuses."""
        if type_name.startswith("list<"):
            if not isinstance(value, list):
                self.report(path, "must be a list", "type")
                return None
            inner = type_name[5:-1]
            items = [
                self.value(zero_value(inner) if item is None else item, inner, entry, path + (index,))
                for index, item in enumerate(value)
            ]
            return [item for item in items if item is not None]
        if type_name.startswith("map<"):
            if not isinstance(value, dict):
                self.report(path, "must be a mapping", "type")
                return None
            inner = type_name[4:-1]
            pairs = {
                key: self.value(zero_value(inner) if item is None else item, inner, entry, path + (key,))
                for key, item in value.items()
            }
            return {key: item for key, item in pairs.items() if item is not None}
        if type_name in ("object", "objectMeta"):
            if not isinstance(value, dict):
                self.report(path, "must be a mapping", "type")
                return None
            return self.object(value, entry.get("fields", {}) if type_name == "object" else _OBJECT_META, path)
        return self._scalar(value, type_name, entry, path)

    def _scalar(self, value: Any, type_name: str, entry: Mapping[str, Any], path: Path) -> Any:
        # In YAML 110.0 becomes 110 on its way through JSON; in a JSON file it stays a fraction and is refused.
        if type_name in _INTEGERS and isinstance(value, float) and value.is_integer() and not self.is_json:
            value = int(value)
        wrong = _SCALARS[type_name](value)
        if wrong:
            self.report(path, wrong, "type")
            return None
        allowed = fact_at(entry, "enum", self.minor)
        if (
            allowed
            and isinstance(value, str)
            and value not in allowed
            and (value or isinstance(path[-1], int))  # "" stands for the default, but not in a list
            and ".".join(str(part) for part in path if not isinstance(part, int)) not in self.rule_checked_fields
        ):
            message = "must be one of " + ", ".join(item for item in allowed if item)
            if "enumLevel" in entry:
                self.result.findings.append(Finding(path, message, "enum", Level(entry["enumLevel"])))
            else:
                self.report(path, message, "enum")
        return value


def check_types(
    data: dict[str, Any], kind: Kind, minor: int, *, is_json: bool, rule_checked_fields: frozenset[str] = frozenset()
) -> TypeCheck:
    """Check every field of a document against what one minor knows of its kind.

    rule_checked_fields: field paths, without the indices of lists, whose allowed values are left to the rules.
    """
    checker = _Checker(kind, minor, is_json, rule_checked_fields)
    checker.result.data = checker.object(data, kind.fields, ())
    # Rules look at the version, which the document may have under a key of another case.
    for key, value in zip(HEAD_FIELDS, (kind.api_version, kind.kind)):
        checker.result.data.setdefault(key, value)
    return checker.result


class EmbeddedDocument(NamedTuple):
    """A document at a path of another document."""

    path: Path
    data: dict[str, Any]
    kind: Kind


def embedded_documents(kind: Kind, data: Mapping[str, Any], minor: int) -> Iterator[EmbeddedDocument | Finding]:
    """Yield the documents inside data of a kind, and a finding for each one that cannot be read."""
    if kind.kind == "KubeSchedulerConfiguration":
        for index, profile in enumerate(data.get("profiles") or ()):
            for number, entry in enumerate(profile.get("pluginConfig") or ()):
                path: Path = ("profiles", index, "pluginConfig", number, "args")
                yield from _plugin_args(kind, entry.get("name", ""), entry.get("args"), path, minor)
    elif kind.kind == "AdmissionConfiguration":
        for index, plugin in enumerate(data.get("plugins") or ()):
            names = ADMISSION_KINDS.get(plugin.get("name", ""))
            if names is not None and _is_read(names[0], minor):
                yield from _admission(names, plugin.get("configuration"), ("plugins", index, "configuration"), minor)


def _is_read(name: str, minor: int) -> bool:
    """Return whether a minor has a kind; without it, an admission plugin reads no configuration."""
    return any(kind.kind == name and kind.known_at(minor) for kind in kinds())


def _plugin_args(parent: Kind, plugin: str, args: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    args_kind = find_kind(parent.api_version, f"{plugin}Args")
    if args_kind is None or not args_kind.known_at(minor) or args is None:
        return  # a third-party plugin: only that plugin knows its arguments
    if not isinstance(args, dict):
        yield Finding(path, f"must be a mapping: a {args_kind.kind}", "embedded")
        return
    head = {key: args.get(key) for key in HEAD_FIELDS}
    for key, value in head.items():
        if value is not None and not isinstance(value, str):
            yield Finding(path + (key,), "must be a string", "embedded")
            return
    data = {**args, "apiVersion": head["apiVersion"] or args_kind.api_version, "kind": head["kind"] or args_kind.kind}
    if data["kind"] != args_kind.kind:
        yield Finding(path + ("kind",), f"the arguments of {plugin} are a {args_kind.kind}", "embedded")
        return
    yield from _known_document(data, data, (args_kind.kind,), path, minor)


def _admission(names: tuple[str, ...], value: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield Finding(path, f"must be a mapping: a {names[0]}", "embedded")
        return
    head = head_values(value)
    for key in missing_head_fields(head):
        yield Finding(path + (key,), "is required, as a string", "embedded")
        return
    yield from _known_document(head, value, names, path, minor)


def _known_document(
    head: Mapping[str, Any], data: dict[str, Any], names: tuple[str, ...], path: Path, minor: int
) -> Iterator[EmbeddedDocument | Finding]:
    kind = find_kind(head["apiVersion"], head["kind"])
    if head["kind"] not in names:
        yield Finding(path + ("kind",), f"must be {' or '.join(names)}", "embedded")
    elif kind is None or not kind.known_at(minor):
        yield Finding(
            path + ("apiVersion",), f"this Kubernetes version knows no such version of {names[0]}", "embedded"
        )
    else:
        yield EmbeddedDocument(path, data, kind)
