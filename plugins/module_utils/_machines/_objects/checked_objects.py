# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read one object of the kinds of Machines: check it strictly and fill in its defaults."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from ..._componentconfig._codec.document import Document
from ..._componentconfig._codec.plain_values import merge
from ..._componentconfig._scalars.field_path import Path, value_at
from ..._componentconfig._schema.kinds import KUBELET_CONFIGURATION
from ..._componentconfig._schema.releases import is_kubernetes_version, newest_minor
from ..._componentconfig.check import check
from ..._componentconfig.declared_kinds import apply_defaults, check_types
from ..._componentconfig.findings import Finding
from ..._machine_kinds.kinds import machine_kind

KUBELET_API_VERSION = "kubelet.config.k8s.io/v1beta1"


class CheckedObject(NamedTuple):
    """An object with its defaults, without fields that are unknown or of a wrong type, and what is wrong with it."""

    data: dict[str, Any]
    findings: list[Finding]


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
    merged = _merged(document, path, upper_path, skip)
    if machine_kind(merged.get("apiVersion"), merged.get("kind")) is None:
        return CheckedObject(merged, [])
    checked = read_object(Document(merged, document.file, (), document.is_json))
    return CheckedObject(checked.data, _located(checked.findings, document, path, upper_path))


def kubelet_refusals(document: Document, path: Path, upper_path: Path = (), version: str = "") -> list[Finding]:
    """Return why fields of a KubeletConfiguration inside a document are refused by a kubelet of a version.

    upper_path: as for `read_part`. version: "", or one that the data do not cover, for the newest one.
    """
    fields = _merged(document, path, upper_path, ())
    if not fields:
        return []
    data = {"apiVersion": KUBELET_API_VERSION, "kind": KUBELET_CONFIGURATION, **fields}
    versions = [version] if version and is_kubernetes_version(version) else []
    whole = Document(data, document.file, (), document.is_json)
    findings = [finding for finding in check(whole, versions=versions) if finding.is_refusal]
    return [finding._replace(versions=()) for finding in _located(findings, document, path, upper_path)]


def _merged(document: Document, path: Path, upper_path: Path, skip: Container[str]) -> dict[str, Any]:
    """Return a mapping inside a document, with another one merged over it; {} if neither is a mapping."""
    parts = [value_at(document.data, part) for part in (path, upper_path) if part]
    mappings = [part for part in parts if isinstance(part, dict)]
    upper = [{key: value for key, value in part.items() if key not in skip} for part in mappings[1:]]
    return merge([*mappings[:1], *upper])


def _located(findings: Iterable[Finding], document: Document, path: Path, upper_path: Path) -> list[Finding]:
    """Return findings about a merged mapping with the places of its fields in the document."""
    located = []
    for finding in findings:
        is_of_upper = upper_path and finding.path and value_at(document.data, upper_path + finding.path) is not None
        located.append(document.locate(finding._replace(path=(upper_path if is_of_upper else path) + finding.path)))
    return located
