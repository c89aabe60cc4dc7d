# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, validate and compare the documents of a bundle before it is published.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig._check import check
from .._componentconfig._codec._document import decode
from .._componentconfig._compare import FieldChange, diff
from .._componentconfig._disruption import check_overrides, disruption_of, heaviest_class
from .._componentconfig._file_documents import load_for_check
from .._componentconfig._findings import Finding, InvalidConfig, bounded
from .._componentconfig._load import Config, load
from .._componentconfig._scalars._wording import and_more
from .._componentconfig._schema._kinds import find_kind
from .._componentconfig._schema._releases import newest_minor, parse_minor
from .._kube._api_client import Client
from .._kube._api_errors import NotFound
from .._kube._api_paths import config_map
from .._nodeconfig._bundle import Bundle, InvalidBundle
from .._rollout import ConfigRefused, UnusableDocument
from .._rollout._record._record import COMPLETE, Record
from ._cel import cel_checker

__all__ = [
    "Changes",
    "SourceDocument",
    "current_documents",
    "decode_or_empty",
    "diff_documents",
    "read_documents",
    "read_layered_document",
    "text_diff",
    "validate_documents",
]


Changes = list[tuple[str, FieldChange]]  # component and change


class SourceDocument(NamedTuple):
    """The document of a component. name: for messages; layers: the files that text is merged from, if there are any."""

    name: str
    text: str
    layers: tuple[tuple[str, bytes], ...] = ()


def read_documents(documents: Mapping[str, Any] | None, src: Mapping[str, str] | None) -> dict[str, SourceDocument]:
    """Return the document of each component.

    documents: component -> text, or data that is encoded as JSON; src: component -> path. Raises UnusableDocument.
    """
    sources: dict[str, SourceDocument] = {}
    for component, value in (documents or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, indent=2, sort_keys=True) + "\n"
        sources[component] = SourceDocument(component, text)
    for component, path in (src or {}).items():
        if component in sources:
            raise UnusableDocument(f"the config of {component} is given twice, as a document and as a file")
        try:
            with open(path, encoding="utf-8") as stream:
                sources[component] = SourceDocument(path, stream.read())
        except (OSError, ValueError) as error:  # ValueError also for a path with a null character
            raise UnusableDocument(f"the config of {component} cannot be read from {path}: {error}") from error
    return sources


def read_layered_document(files: Sequence[str], component: str) -> SourceDocument:
    """Return the document that layers are merged to, the lowest first.

    Raises UnusableDocument for a file that cannot be read, ConfigRefused for one that is not a config.
    """
    layers = []
    for path in files:
        try:
            with open(path, "rb") as stream:
                layers.append((path, stream.read()))
        except (OSError, ValueError) as error:  # ValueError for a path with a null character
            raise UnusableDocument(
                f"layers: {path} cannot be read: {getattr(error, 'strerror', None) or error}"
            ) from error
    try:
        return SourceDocument(files[-1], _load(tuple(layers), component).text, tuple(layers))
    except InvalidConfig as error:
        raise _refusal(list(error.findings)) from error


def _load(layers: tuple[tuple[str, bytes], ...], component: str) -> Config:
    return load_for_check(*layers[0], component) if len(layers) == 1 else load(layers)


def validate_documents(
    documents: Mapping[str, SourceDocument],
    versions: Sequence[str],
    nodes: Mapping[str, str] | None = None,
    denied: Sequence[Finding] = (),
) -> list[Finding]:
    """Validate all documents for these Kubernetes versions and return the warnings.

    versions: "1.35" or "v1.35.2"; nodes: the version of each, by name; without both, the newest known version. denied:
    findings about fields that nodes deny. Raises ConfigRefused with all findings, UnusableDocument for an invalid
    version.
    """
    findings: list[Finding] = [*denied]
    for component, document in sorted(documents.items()):
        try:
            findings += _check_document(document, component, versions, nodes)
        except ConfigError as error:
            raise UnusableDocument(str(error)) from error
    findings = bounded(findings)
    if any(finding.is_refusal for finding in findings):
        raise _refusal(findings)
    return findings


def _refusal(findings: Sequence[Finding]) -> ConfigRefused:
    refused = [f"{finding.level}: {finding}" for finding in findings if finding.is_refusal]
    return ConfigRefused(
        f"the config is refused, nothing was published: {refused[0]}{and_more(len(refused) - 1)}",
        [finding.as_dict() for finding in findings],
        [f"{finding.level}: {finding}" for finding in findings],
    )


def _check_document(
    document: SourceDocument, component: str, versions: Sequence[str], nodes: Mapping[str, str] | None
) -> list[Finding]:
    layers = document.layers or ((document.name, document.text.encode("utf-8", "surrogateescape")),)
    try:
        config = _load(layers, component)
    except InvalidConfig as error:
        return list(error.findings)
    return check(config, component=component, versions=versions, nodes=nodes, bundle=True, expressions=cel_checker)


def current_documents(client: Client, record: Record) -> dict[str, str]:
    """Return the documents of the pool's last complete rollout, none for the init config. Raises KubeError.

    A missing or damaged bundle gives no documents: they are shown to the user, and no decision depends on them.
    """
    rollout = record.rollout
    if rollout is not None and rollout.phase == COMPLETE:
        namespace, name = rollout.target.namespace, rollout.target.name
    else:
        complete = [revision for revision in record.revisions if revision.result == COMPLETE]
        namespace, name = (complete[-1].namespace, complete[-1].name) if complete else ("", "")
    if not namespace:
        return {}
    try:
        return dict(Bundle.from_config_map(client.get(config_map(namespace, name))).documents)
    except (NotFound, InvalidBundle):
        return {}


def diff_documents(
    before: Mapping[str, str],
    after: Mapping[str, str],
    versions: Sequence[str] = (),
    overrides: Mapping[str, Mapping[str, str]] | None = None,
) -> Changes:
    """Return the fields in which the documents of two bundles differ, without defaults, with their components.

    versions: of the nodes, none for the newest known: the disruption of a change is the heaviest one among them.
    overrides: the user's own disruption classes, by component and field path. Raises UnusableDocument for an override
    that is invalid.
    """
    minors = sorted({parse_minor(version) for version in versions}) or [newest_minor()]
    changes = []
    for component in sorted({*before, *after}):
        old, new = decode_or_empty(before.get(component)), decode_or_empty(after.get(component))
        kind, own_classes = str((new or old).get("kind", "")), (overrides or {}).get(component) or {}
        try:
            if not isinstance(own_classes, Mapping):
                raise ConfigError("must be classes by field path")
            check_overrides(own_classes, find_kind((new or old).get("apiVersion"), kind))
        except ConfigError as error:
            raise UnusableDocument(f"disruption_overrides of {component}: {error}") from error
        for change in diff(old, new):
            if not old and change.path in ("apiVersion", "kind"):
                continue  # these say nothing about a new config
            disruptions = (disruption_of(change.field_path, kind, minor, (old, new), own_classes) for minor in minors)
            by_class = {disruption.name: disruption for disruption in disruptions}
            changes.append((component, FieldChange(change, by_class[heaviest_class(by_class) or ""])))
    return changes


def text_diff(before: Mapping[str, str], after: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the differing documents as text, for --diff. A bundle with a secret is refused before this."""
    return [
        {
            "before_header": component,
            "after_header": component,
            "before": before.get(component, ""),
            "after": after.get(component, ""),
        }
        for component in sorted({*before, *after})
        if before.get(component) != after.get(component)
    ]


def decode_or_empty(text: str | None) -> dict[str, Any]:
    """Return a document's values, no values for a text that cannot be decoded."""
    try:
        data = decode(text or "", file="published").data
    except InvalidConfig:
        return {}
    return data if isinstance(data, dict) else {}
