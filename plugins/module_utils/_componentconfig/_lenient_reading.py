# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read files as the API server does where it knows the kind already, or decodes without Kubernetes' own codec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ._schema.kinds import Kind, fact_at, find_kind
from .findings import Finding, Level

_AUDIT_GROUP = "audit.k8s.io/"
_TRACING = "TracingConfiguration"
_TRACING_FIELDS = ("endpoint", "samplingRatePerMillion")
_EGRESS = "EgressSelectorConfiguration"
_EGRESS_LENIENT_LAST = 31
"""The last minor that reads egress selections without a look at the apiVersion, with keys in any case."""
_LEGACY_KEYS = {"imagePolicy": "ImagePolicyWebhook", "podNodeSelectorPluginConfig": "PodNodeSelector"}


class ImpliedHead(NamedTuple):
    """The apiVersion and kind that the API server reads a file as although the file does not say so.

    finding: the warning about it. last: the last minor that does so, None for all minors.
    """

    api_version: str
    kind: str
    finding: Finding
    last: int | None = None


def implied_head(head: Mapping[str, Any], data: Mapping[str, Any]) -> ImpliedHead | None:
    """Return what the API server fills in for a file's head, None if it takes the head as it is or refuses it."""
    api_version, kind = (head[name] or "" for name in ("apiVersion", "kind"))
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    if kind == _EGRESS and find_kind(api_version, kind) is None:
        finding = Finding(("apiVersion",), "is not checked", "kind", Level.WARNING)
        return ImpliedHead("apiserver.k8s.io/v1beta1", kind, finding, _EGRESS_LENIENT_LAST)
    only_tracing = not kind and bool(data) and all(key in _TRACING_FIELDS for key in data)
    if not api_version and (kind == _TRACING or only_tracing):
        finding = Finding(
            ("apiVersion",), "is missing: read as apiserver.config.k8s.io/v1alpha1", "kind", Level.WARNING
        )
        return ImpliedHead("apiserver.config.k8s.io/v1alpha1", _TRACING, finding)
    if kind:
        return None
    if api_version.startswith(_AUDIT_GROUP):
        kind = "Policy"
    elif find_kind(api_version, _TRACING) is not None and any(field in data for field in _TRACING_FIELDS):
        kind = _TRACING
    else:
        return None
    return ImpliedHead(api_version, kind, Finding(("kind",), f"is missing: read as {kind}", "kind", Level.WARNING))


def legacy_plugin(data: Mapping[str, Any]) -> str | None:
    """Return the admission plugin of a file without a kind in the form from before AdmissionConfiguration, or None."""
    return next((plugin for key, plugin in _LEGACY_KEYS.items() if key in data), None)


def lenient_values(data: dict[str, Any], kind: Kind, minor: int) -> dict[str, Any]:
    """Return a document's values as a lenient reader sees them: keys in the usual case, scalars for strings as text.

    Only the egress selections of old minors are read so; all other documents are returned as they are.
    """
    if kind.kind != _EGRESS or minor > _EGRESS_LENIENT_LAST:
        return data
    return _lenient_object(data, kind.fields, minor)


def _lenient_object(data: Mapping[str, Any], fields: Mapping[str, Any], minor: int) -> dict[str, Any]:
    names = {name.lower(): name for name in fields}
    result: dict[str, Any] = {}
    for key in sorted(data, key=str):  # YAML becomes JSON with sorted keys, and the last of equal ones wins
        name = key if key in fields else names.get(str(key).lower(), key)
        entry = fields.get(name)
        if entry is None:
            result[name] = data[key]
        elif data[key] is not None or name not in result:
            result[name] = _lenient_value(data[key], str(fact_at(entry, "type", minor)), entry, minor)
    return result


def _lenient_value(value: Any, type_name: str, entry: Mapping[str, Any], minor: int) -> Any:
    if isinstance(value, list) and type_name.startswith("list<"):
        return [_lenient_value(item, type_name[5:-1], entry, minor) for item in value]
    if isinstance(value, dict) and type_name == "object":
        return _lenient_object(value, entry.get("fields", {}), minor)
    if type_name in ("string", "enum") and isinstance(value, (bool, int, float)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value
