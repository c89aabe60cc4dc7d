# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the documents of bundles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._codec.document import decode
from ..._componentconfig._schema.kinds import find_kind
from ..._componentconfig._schema.releases import newest_minor, parse_minor
from ..._componentconfig.compare import FieldChange, diff
from ..._componentconfig.disruption import check_overrides, disruption_of, heaviest_class
from ..._componentconfig.findings import InvalidConfig
from ..._kube.api_client import Client
from ..._kube.api_errors import NotFound
from ..._kube.api_paths import config_map
from ..._nodeconfig.bundle import Bundle, InvalidBundle
from ..._rollout import UnusableDocument
from ..._rollout._record.record import Record
from .._pool_nodes import last_bundle

Changes = list[tuple[str, FieldChange]]  # component and change


class SourceDocument(NamedTuple):
    """The document of a component. name: for messages; layers: the files that text is merged from, if there are any."""

    name: str
    text: str
    layers: tuple[tuple[str, bytes], ...] = ()


def current_documents(client: Client, record: Record) -> dict[str, str]:
    """Return the documents of the pool's last complete rollout, none for the init config. Raises KubeError.

    A missing or damaged bundle gives no documents: they are shown to the user, and no decision depends on them.
    """
    namespace, name = last_bundle(record) or ("", "")
    if not name:
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
