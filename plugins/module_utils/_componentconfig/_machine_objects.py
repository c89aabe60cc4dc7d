# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read one object of the kinds of Machines: check it strictly and fill in its defaults.

Only what imports this file ships these kinds and their rules: nodes and most modules have no use for them.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from ._check import check
from ._codec._document import Document
from ._codec._plain_values import merge
from ._data import _machines as _shipped_data
from ._findings import Finding
from ._rules import _machines as _shipped_rules
from ._scalars._field_path import Path, value_at
from ._scalars._syntax import is_label_key, is_label_value
from ._schema._defaults import apply_defaults
from ._schema._kinds import Kind, find_kind, machine_kinds
from ._schema._releases import newest_minor
from ._schema._type_check import check_types

__all__ = [
    "CheckedObject",
    "is_label_key",
    "is_label_value",
    "machine_kind",
    "machine_kinds",
    "read_object",
    "read_part",
]

_SHIPPED = (_shipped_data, _shipped_rules)


class CheckedObject(NamedTuple):
    """An object with its defaults, without fields that are unknown or of a wrong type, and what is wrong with it."""

    data: dict[str, Any]
    findings: list[Finding]


def machine_kind(api_version: Any, kind: Any) -> Kind | None:
    """Return a Machine's kind or one of those around it, None for any other."""
    known = find_kind(api_version, kind)
    return known if known is not None and known.is_of_machines else None


def read_object(document: Document) -> CheckedObject:
    """Check a document whose kind `machine_kind` knows, and return its values with all defaults.

    The kinds do not depend on the version of Kubernetes.
    """
    findings = [finding._replace(versions=()) for finding in check(document)]
    kind = machine_kind(document.data.get("apiVersion"), document.data.get("kind"))
    if kind is None:
        return CheckedObject({}, findings)
    checked = check_types(document.data, kind, newest_minor(), is_json=document.is_json)
    return CheckedObject(apply_defaults(checked.data, kind, newest_minor()), findings)


def read_part(document: Document, path: Path, upper_path: Path = (), skip: Container[str] = ()) -> CheckedObject:
    """Check a mapping inside a document as `read_object` does, and return its values with all defaults.

    upper_path: of a mapping in the document that is merged over the one at path, without the fields to skip.
    """
    lower, upper = value_at(document.data, path), value_at(document.data, upper_path) if upper_path else {}
    if not isinstance(lower, dict) or not isinstance(upper, dict):
        return CheckedObject({}, [])
    upper = {key: value for key, value in upper.items() if key not in skip}
    merged = merge([lower, upper])
    if machine_kind(merged.get("apiVersion"), merged.get("kind")) is None:
        return CheckedObject(merged, [])
    checked = read_object(Document(merged, document.file, (), document.is_json))
    findings = []
    for finding in checked.findings:
        is_of_upper = bool(finding.path) and value_at(upper, finding.path) is not None
        place = finding._replace(path=(upper_path if is_of_upper else path) + finding.path)
        findings.append(document.locate(place))
    return CheckedObject(checked.data, findings)
