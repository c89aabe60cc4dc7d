# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates objects; the embedded API server refuses the others with 422: names, labels, and the rules of each kind.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from .resources import Resource
from .statuses import invalid

__all__ = ["validate"]

_MEBIBYTE = 1024 * 1024
_ANNOTATIONS_SIZE = 256 * 1024
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_CONFIG_MAP_KEY = re.compile(r"[-._a-zA-Z0-9]+")

_SUBDOMAIN_MESSAGE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_MESSAGE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_QUALIFIED_MESSAGE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_MESSAGE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

Cause = tuple[str, str, str]


def _invalid(field: str, value: Any, why: str) -> Cause:
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    return ("FieldValueInvalid", field, f"Invalid value: {shown}: {why}")


def _required(field: str, why: str = "") -> Cause:
    return ("FieldValueRequired", field, f"Required value: {why}" if why else "Required value")


def _too_long(field: str, limit: int) -> Cause:
    return ("FieldValueTooLong", field, f"Too long: must have at most {limit} bytes")


def _forbidden(field: str, why: str) -> Cause:
    return ("FieldValueForbidden", field, f"Forbidden: {why}")


def _unsupported(field: str, value: str, supported: list[str]) -> Cause:
    listed = ", ".join(f'"{choice}"' for choice in supported)
    return ("FieldValueNotSupported", field, f'Unsupported value: "{value}": supported values: {listed}')


def validate(resource: Resource, item: Mapping[str, Any], old: Mapping[str, Any] | None) -> None:
    """Raise ApiError 422 with every cause, as the real server does. old: the object before an update."""
    causes = [*_metadata(resource, item["metadata"], old), *_KINDS[resource.kind](item, old)]
    if causes:
        raise invalid(resource.kind, resource.group, item["metadata"].get("name", ""), causes)


def _name_problems(rule: str, name: str) -> list[str]:
    if rule == "path":
        if name in (".", "..") or "/" in name or "%" in name:
            return ["may not be '.' or '..' and may not contain '/' or '%'"]
        return []
    if rule == "label":
        if len(name) > 63:
            return ["must be no more than 63 characters"]
        return [] if _LABEL.fullmatch(name) else [_LABEL_MESSAGE]
    if len(name) > 253:
        return ["must be no more than 253 characters"]
    return [] if _SUBDOMAIN.fullmatch(name) else [_SUBDOMAIN_MESSAGE]


def _qualified_name_problem(key: str) -> str:
    prefix, slash, name = key.rpartition("/")
    if slash and (not _SUBDOMAIN.fullmatch(prefix) or len(prefix) > 253):
        return f"prefix part {_SUBDOMAIN_MESSAGE}"
    if len(name) > 63:
        return "name part must be no more than 63 characters"
    return "" if _NAME_PART.fullmatch(name) else _QUALIFIED_MESSAGE


def _metadata(resource: Resource, metadata: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    causes: list[Cause] = []
    name = metadata.get("name", "")
    if not name:
        causes.append(_required("metadata.name", "name or generateName is required"))
    else:
        causes += [_invalid("metadata.name", name, why) for why in _name_problems(resource.name_rule, name)]
    before: Mapping[str, Any] = old["metadata"] if old else {}
    labels: Mapping[str, str] = metadata.get("labels") or {}
    if labels is not before.get("labels"):
        for key, value in labels.items():
            if why := _qualified_name_problem(key):
                causes.append(_invalid("metadata.labels", key, why))
            if len(value) > 63:
                causes.append(_invalid("metadata.labels", value, "must be no more than 63 characters"))
            elif not _LABEL_VALUE.fullmatch(value):
                causes.append(_invalid("metadata.labels", value, _VALUE_MESSAGE))
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    if annotations is not before.get("annotations"):
        for key in annotations:
            if why := _qualified_name_problem(key.lower()):
                causes.append(_invalid("metadata.annotations", key, why))
        if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _ANNOTATIONS_SIZE:
            causes.append(_too_long("metadata.annotations", _ANNOTATIONS_SIZE))
    for finalizer in metadata.get("finalizers") or ():
        if why := _qualified_name_problem(finalizer):
            causes.append(_invalid("metadata.finalizers", finalizer, why))
    return causes


def _node(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    causes: list[Cause] = []
    spec: Mapping[str, Any] = item.get("spec") or {}
    seen: set[tuple[str, str]] = set()
    for at, taint in enumerate(spec.get("taints") or ()):
        where = f"metadata.taints[{at}]"
        if why := _qualified_name_problem(taint["key"]):
            causes.append(_invalid(f"{where}.key", taint["key"], why))
        if not taint["effect"]:
            causes.append(_required(f"{where}.effect"))
        elif taint["effect"] not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
            causes.append(_unsupported(f"{where}.effect", taint["effect"], effects))
        if (taint["key"], taint["effect"]) in seen:
            message = f"Duplicate value: {taint}: taints must be unique by key and effect pair"
            causes.append(("FieldValueDuplicate", where, message))
        seen.add((taint["key"], taint["effect"]))
    if old is not None:
        before: Mapping[str, Any] = old.get("spec") or {}
        for field in ("providerID", "podCIDRs"):
            if before.get(field) and before[field] != spec.get(field):
                name = "podCIDR" if field == "podCIDRs" else field
                why = f'node updates may not change {name} except from "" to valid'
                causes.append(_forbidden(f"spec.{field}", why))
    return causes


def _namespace(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    return []


def _config_map(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    causes: list[Cause] = []
    data: Mapping[str, str] = item.get("data") or {}
    binary: Mapping[str, str] = item.get("binaryData") or {}
    if old is not None and old.get("immutable"):
        why = "field is immutable when `immutable` is set"
        if not item.get("immutable"):
            causes.append(_forbidden("immutable", why))
        causes += [
            _forbidden(field, why)
            for field, now in (("data", data), ("binaryData", binary))
            if now != (old.get(field) or {})
        ]
    for field, keys in (("data", data), ("binaryData", binary)):
        for key in keys:
            if len(key) > 253:
                causes.append(_invalid(f"{field}[{key}]", key, "must be no more than 253 characters"))
            elif not _CONFIG_MAP_KEY.fullmatch(key) or key == "." or key.startswith(".."):
                why = (
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  "
                    "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                )
                causes.append(_invalid(f"{field}[{key}]", key, why))
    causes += [_invalid(f"data[{key}]", key, "duplicate of key present in binaryData") for key in data if key in binary]
    size = sum(len(value.encode()) for value in data.values())
    size += sum(len(base64.b64decode(value)) for value in binary.values())
    if size > _MEBIBYTE:
        causes.append(_too_long("[]", _MEBIBYTE))
    return causes


def _event(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    namespace, about = item["metadata"].get("namespace", ""), item["involvedObject"].get("namespace", "")
    causes: list[Cause] = []
    if item.get("eventTime") is None:
        if namespace != (about or "default"):
            causes.append(_invalid("involvedObject.namespace", about, "does not match event.namespace"))
        return causes
    if not about and namespace not in ("default", "kube-system"):
        causes.append(_invalid("involvedObject.namespace", about, "does not match event.namespace"))
    if not item["reportingComponent"]:
        causes.append(_required("reportingController"))
    if not item["reportingInstance"]:
        causes.append(_required("reportingInstance"))
    causes += [_required(field) for field in ("action", "reason") if not item.get(field)]
    return causes


def _lease(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    spec: Mapping[str, Any] = item.get("spec") or {}
    causes: list[Cause] = []
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        causes.append(_invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        causes.append(_invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
    return causes


def _role(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    causes: list[Cause] = []
    for at, rule in enumerate(item.get("rules") or ()):
        if not rule["verbs"]:
            causes.append(_required(f"rules[{at}].verbs", "verbs must contain at least one value"))
        if rule.get("nonResourceURLs"):
            continue
        if not rule.get("apiGroups"):
            causes.append(_required(f"rules[{at}].apiGroups", "resource rules must supply at least one api group"))
        if not rule.get("resources"):
            causes.append(_required(f"rules[{at}].resources", "resource rules must supply at least one resource"))
    return causes


def _binding(item: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    causes: list[Cause] = []
    reference = item["roleRef"]
    kinds = ["Role", "ClusterRole"] if item["kind"] == "RoleBinding" else ["ClusterRole"]
    if reference["kind"] not in kinds:
        causes.append(_unsupported("roleRef.kind", reference["kind"], kinds))
    if not reference["name"]:
        causes.append(_required("roleRef.name"))
    for at, subject in enumerate(item.get("subjects") or ()):
        if not subject["name"]:
            causes.append(_required(f"subjects[{at}].name"))
        if subject["kind"] not in ("ServiceAccount", "User", "Group"):
            kinds = ["ServiceAccount", "User", "Group"]
            causes.append(_unsupported(f"subjects[{at}].kind", subject["kind"], kinds))
    if old is not None and reference != old["roleRef"]:
        causes.append(_invalid("roleRef", reference, "cannot change roleRef"))
    return causes


_KINDS = {
    "Node": _node,
    "Namespace": _namespace,
    "ConfigMap": _config_map,
    "Event": _event,
    "Lease": _lease,
    "Role": _role,
    "ClusterRole": _role,
    "RoleBinding": _binding,
    "ClusterRoleBinding": _binding,
}
