# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognize component configs, documents that hold them, and ordinary manifests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from .._codec.document import Document
from .._schema.kinds import find_kind, is_of_known_group, kinds
from .._schema.releases import by_name
from ..findings import not_judged

KUBERNETES = "Kubernetes"
"""The name of Kubernetes among the tools."""
_KEY = r"(?m)(?:^|[{{,])[ \t]*[\"']?{}[\"']?[ \t]*:[ \t]*[\"']?"
_GROUP = re.compile(_KEY.format("apiVersion") + r"([\w.-]+/)", re.IGNORECASE)
_KIND = re.compile(_KEY.format("kind") + r"(\w+)", re.IGNORECASE)
_OF_KUBERNETES = ".k8s.io"


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    from .._data._document_containers import CONTAINERS

    return cast("dict[str, Any]", json.loads(CONTAINERS))


def container_rows(document: Document) -> list[Mapping[str, Any]]:
    """Return the rows of the table of containers that a document matches: by its kind, or by its keys without one.

    A row without parts is that of a kind which has no place for configs.
    """
    data = document.data
    if not isinstance(data, dict):
        return []
    head = document.head
    if head["apiVersion"] or head["kind"]:
        rows = _rows_by_kind().get(f"{head['apiVersion']} {head['kind']}", ())
    else:
        rows = tuple(row for row in _facts()["containers"] if "has" in row and _matches(data, row))
    return list(rows)


@lru_cache(maxsize=1)
def _rows_by_kind() -> dict[str, tuple[Mapping[str, Any], ...]]:
    rows: dict[str, tuple[Mapping[str, Any], ...]] = {}
    for row in _facts()["containers"]:
        for version in row.get("apiVersions", ()):
            key = f"{version} {row['kind']}"
            rows[key] = (*rows.get(key, ()), row)
    for group, grouped in _facts()["holdNothing"].items():
        for name, versions in by_name(grouped).items():
            row = {"tool": tool_of(group + versions[0]), "parts": ()}
            rows.update({f"{group}{version} {name}": (row,) for version in versions})
    return rows


def _matches(data: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    where = row.get("where", {})
    return any(key in data for key in row["has"]) and all(data.get(key) == where[key] for key in where)


def parts_of(row: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the parts of a row of containers, each with its path in the outer file."""
    parts = row["parts"]
    for part in _facts()["shapes"][parts] if isinstance(parts, str) else parts:
        yield ".".join(filter(None, (row.get("below", ""), part["at"]))), part


def is_component_config(document: Document) -> bool:
    """Return whether a document is meant as a component config.

    It is of a known kind, or of an API group that has such kinds; without an apiVersion, its kind is distinctive.
    """
    if not isinstance(document.data, dict):
        return False
    head = document.head
    api_version, kind = head["apiVersion"], head["kind"]
    if not isinstance(api_version, str) or not api_version:
        return isinstance(kind, str) and kind in _distinctive_kinds()
    return is_of_known_group(api_version) or find_kind(api_version, kind) is not None


def names_component_config(text: str) -> bool:
    """Return whether a text names a kind or a group of component configs; for a text that cannot be decoded."""
    if any(map(is_of_known_group, _GROUP.findall(text))):
        return True
    return any(name in _distinctive_kinds() for name in _KIND.findall(text))


def names_container(text: str) -> bool:
    """Return whether a text begins a line with a key by which a file of another tool is known, which has no kind."""
    return _container_keys().search(text) is not None


@lru_cache(maxsize=1)
def _container_keys() -> re.Pattern[str]:
    keys = sorted({key for row in _facts()["containers"] for key in row.get("has", ()) if "-" in key})
    return re.compile(rf"(?m)^[\"']?(?:{'|'.join(map(re.escape, keys))})[\"']?[ \t]*:")


@lru_cache(maxsize=1)
def _distinctive_kinds() -> frozenset[str]:
    """Return the names of known kinds that say without an apiVersion what a file is, unlike Config or Policy."""
    names = {kind.kind for kind in kinds()} - {"Config", "Configuration"}
    return frozenset(name for name in names if name.endswith(("Config", "Configuration")))


def doubtful_document(document: Document, what: str, why: str, path: Any = ()) -> Document:
    """Return a document that is not validated, with a finding that says why, at a path of the given document."""
    finding = document.locate(not_judged(path, what, why), look_up=False)
    return document._replace(data={}, findings=(finding,), lines={}, embedding=None, flags=(), is_validated=False)


def doubts_about(document: Document, *, is_alone: bool, is_meant: bool = False) -> Iterator[Document]:
    """Yield the reason why a document of another kind is not validated; nothing for an ordinary manifest.

    is_alone: whether the file has no other document: one without apiVersion and kind is then not a config's. is_meant:
    whether it is meant as a config, so that it is refused unless it is of another tool.
    """
    head = document.head
    api_version, kind = str(head["apiVersion"] or ""), str(head["kind"] or "")
    tool = tool_of(api_version)
    if document.data in (None, {}, []):
        return
    if tool:
        yield doubtful_document(document, f"a kind of {tool}", f"{api_version} {kind} is not known here", ("kind",))
    elif is_meant:
        return
    elif not api_version and not kind:
        if not is_alone:
            yield doubtful_document(document, "a document", "it has no apiVersion and kind")
    elif not _is_manifest(document, api_version):
        name = " ".join(filter(None, (api_version, kind)))
        yield doubtful_document(document, "a document", f"{name} is not a known kind", ("kind",))


def tool_of(api_version: str) -> str:
    """Return the tool whose API group a version is of, "" for none that is known."""
    group = api_version.partition("/")[0]
    for tool, groups in _facts()["tools"].items():
        if any(group == known or group.endswith("." + known) for known in groups):
            return str(tool)
    return ""


def _is_manifest(document: Document, api_version: str) -> bool:
    """Return whether a document is an object of an API: of one of Kubernetes' own groups, or with a name."""
    if not api_version:
        return False
    group = api_version.partition("/")[0]
    if "." not in group or (group.endswith(_OF_KUBERNETES) and not group.endswith(".config" + _OF_KUBERNETES)):
        return True
    metadata = document.data.get("metadata")
    return "kustomize" in group or (isinstance(metadata, dict) and bool({"name", "generateName"} & metadata.keys()))
