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

from .._componentconfig._diff import diff
from .._componentconfig._documents._decode import decode
from .._componentconfig._documents._findings import WARNING, DecodeError, Finding, show
from .._componentconfig._judge import judge
from .._kube._client import Client
from .._kube._errors import NotFound
from .._kube._paths import config_map
from .._nodeconfig._bundle import Bundle, InvalidBundle
from .._rollout._record import COMPLETE, Record
from ._errors import ConfigRefused, UnusableDocument

__all__ = [
    "change_lines",
    "changes",
    "judge_documents",
    "present_documents",
    "read_documents",
    "text_diff",
]


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


def judge_documents(documents: Mapping[str, tuple[str, str]], versions: Sequence[str]) -> list[Finding]:
    """Judge all documents for these Kubernetes versions and return the warnings.

    versions: "1.35" or "v1.35.2"; none means the newest one known. Raises ConfigRefused with all findings,
    UnusableDocument for what is no version.
    """
    findings: list[Finding] = []
    for component, (file, text) in sorted(documents.items()):
        try:
            found = judge(
                [(file, text.encode("utf-8", "surrogateescape"))],
                component=component,
                versions=versions,
                bundle=True,
                denied_fields=(),
            )
        except ValueError as error:
            raise UnusableDocument(str(error)) from error
        findings.extend(found.findings)
    refused = [f"{one.level}: {one}" for one in findings if one.level != WARNING]
    if refused:
        more = f" (and {len(refused) - 1} more)" if refused[1:] else ""
        raise ConfigRefused(
            f"the config is refused, nothing was published: {refused[0]}{more}",
            [one.as_dict() for one in findings],
            [f"{one.level}: {one}" for one in findings],
        )
    return findings


def present_documents(client: Client, record: Record) -> dict[str, str]:
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


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the fields in which two bundles differ: component, path, both values as short text, secrets redacted."""
    found = []
    for component in sorted({*before, *after}):
        old, new = _data(before.get(component)), _data(after.get(component))
        for change in diff(old, new):
            if not old and change.path in ("apiVersion", "kind"):
                continue  # of a config that is new, this says nothing
            path = tuple(change.path.split("."))
            found.append(
                {
                    "component": component,
                    "path": change.path,
                    "before": show(change.old, path),
                    "after": show(change.new, path),
                }
            )
    return found


def change_lines(name: str, revision: int, found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the changes as lines for people. name, revision: of the bundle that brings them."""
    if not found:
        return [f"{name} is revision {revision}: it changes no field of what the pool uses."]
    width = max(len(f"{one['component']} {one['path']}") for one in found)
    lines = [
        f"  {one['component'] + ' ' + one['path']:{width}}  {one['before'] or '<unset>'} -> {one['after'] or '<unset>'}"
        for one in found
    ]
    return [f"{name} is revision {revision}. What it changes:", *lines]


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


def _data(text: str | None) -> Any:
    if text is None:
        return {}
    try:
        return decode(text, file="published").data
    except DecodeError:
        return {}
