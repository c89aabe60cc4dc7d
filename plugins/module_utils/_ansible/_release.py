# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents of a bundle before it is published: read, judged, compared.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .._componentconfig._codec._document import decode
from .._componentconfig._compare import FieldChange, diff
from .._componentconfig._disruption import check_overrides, disruption_of, heaviest_class
from .._componentconfig._exceptions import ConfigError
from .._componentconfig._findings import Finding, InvalidConfig, bounded
from .._componentconfig._judge import judge
from .._componentconfig._scalars._wording import and_more
from .._componentconfig._schema._kinds import find_kind
from .._componentconfig._schema._releases import newest_minor, parse_minor
from .._kube._api_client import Client
from .._kube._api_errors import NotFound
from .._kube._api_paths import config_map
from .._nodeconfig._bundle import Bundle, InvalidBundle
from .._rollout._record import COMPLETE, Record
from ._module_errors import ConfigRefused, UnusableDocument

__all__ = [
    "Changes",
    "diff_documents",
    "decode_or_empty",
    "validate_documents",
    "current_documents",
    "read_documents",
    "text_diff",
]


Changes = list[tuple[str, FieldChange]]  # with their components


def read_documents(documents: Mapping[str, Any] | None, src: Mapping[str, str] | None) -> dict[str, tuple[str, str]]:
    """Return component -> (name for messages, text).

    documents: component -> text, or data that is written as JSON; src: component -> path. Raises UnusableDocument.
    """
    found: dict[str, tuple[str, str]] = {}
    for component, value in (documents or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, indent=2, sort_keys=True) + "\n"
        found[component] = (component, text)
    for component, path in (src or {}).items():
        if component in found:
            raise UnusableDocument(f"the config of {component} is given twice, as a document and as a file")
        try:
            with open(path, encoding="utf-8") as stream:
                found[component] = (path, stream.read())
        except (OSError, UnicodeDecodeError) as error:
            raise UnusableDocument(f"the config of {component} cannot be read from {path}: {error}") from error
    return found


def validate_documents(
    documents: Mapping[str, tuple[str, str]],
    versions: Sequence[str],
    nodes: Mapping[str, str] | None = None,
    denied: Sequence[Finding] = (),
) -> list[Finding]:
    """Judge all documents for these Kubernetes versions and return the warnings.

    versions: "1.35" or "v1.35.2"; nodes: by name, the version of each; none of both means the newest one known.
    denied: what is known to be denied by nodes.
    Raises ConfigRefused with all findings, UnusableDocument for what is no version.
    """
    findings: list[Finding] = [*denied]
    for component, (file, text) in sorted(documents.items()):
        try:
            found = judge(
                [(file, text.encode("utf-8", "surrogateescape"))],
                component=component,
                versions=versions,
                nodes=nodes,
                bundle=True,
                denied_fields=(),
            )
        except ConfigError as error:
            raise UnusableDocument(str(error)) from error
        findings.extend(found.findings)
    findings = bounded(findings)
    refused = [f"{one.level}: {one}" for one in findings if one.is_refusal]
    if refused:
        raise ConfigRefused(
            f"the config is refused, nothing was published: {refused[0]}{and_more(len(refused) - 1)}",
            [one.as_dict() for one in findings],
            [f"{one.level}: {one}" for one in findings],
        )
    return findings


def current_documents(client: Client, record: Record) -> dict[str, str]:
    """Return the documents that the pool was last taken to; none for the init config. Raises KubeError.

    A bundle that is gone or damaged counts as none: this is for people to read, and nothing is decided by it.
    """
    rollout = record.rollout
    if rollout is not None and rollout.phase == COMPLETE:
        place = (rollout.target.namespace, rollout.target.name)
    else:
        completed = [one for one in record.revisions if one.result == COMPLETE]
        place = (completed[-1].namespace, completed[-1].name) if completed else ("", "")
    if not place[0]:
        return {}
    try:
        return dict(Bundle.from_config_map(client.get(config_map(*place))).documents)
    except (NotFound, InvalidBundle):
        return {}


def diff_documents(
    before: Mapping[str, str],
    after: Mapping[str, str],
    versions: Sequence[str] = (),
    overrides: Mapping[str, Mapping[str, str]] | None = None,
) -> Changes:
    """Return the fields in which two bundles differ, with their components: what the documents say, without defaults.

    versions: of the nodes, none for the newest known: what a change asks of a node is the heaviest of what it asks at
    one of them. overrides: by component, the user's own classes of that by field path. Raises UnusableDocument for an
    override that cannot be meant.
    """
    minors = sorted({parse_minor(version) for version in versions}) or [newest_minor()]
    found = []
    for component in sorted({*before, *after}):
        old, new = decode_or_empty(before.get(component)), decode_or_empty(after.get(component))
        kind, own = str((new or old).get("kind", "")), (overrides or {}).get(component) or {}
        try:
            if not isinstance(own, Mapping):
                raise ConfigError("must be classes by field path")
            check_overrides(own, find_kind((new or old).get("apiVersion"), kind))
        except ConfigError as error:
            raise UnusableDocument(f"disruption_overrides of {component}: {error}") from error
        for change in diff(old, new):
            if not old and change.path in ("apiVersion", "kind"):
                continue  # of a config that is new, this says nothing
            asked = {one.name: one for one in (disruption_of(change.parts, kind, at, (old, new), own) for at in minors)}
            found.append((component, FieldChange(change, asked[heaviest_class(asked) or ""])))
    return found


def text_diff(before: Mapping[str, str], after: Mapping[str, str]) -> list[dict[str, str]]:
    """Return what --diff shows: the documents that differ, as text; a bundle with a secret was refused before."""
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
    """Return a document's values, none for a text that cannot be decoded."""
    try:
        data = decode(text or "", file="published").data
    except InvalidConfig:
        return {}
    return data if isinstance(data, dict) else {}
