# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle changes: field by field, and by the nodes with the same changes, as lines and as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig._codec.plain_values import merge
from .._componentconfig._options import COMPONENT_OPTIONS
from .._componentconfig._schema.kinds import find_kind
from .._componentconfig._schema.releases import is_kubernetes_version, minor_name, newest_minor, parse_minor
from .._componentconfig.compare import FieldChange, diff, effective_diff, summary_of
from .._componentconfig.disruption import check_overrides, disruption_of, heaviest_class
from .._componentconfig.findings import Finding, InvalidConfig, Level, not_judged
from .._kube.api_client import Client
from .._kube.api_errors import NotFound
from .._kube.api_paths import config_map
from .._nodeconfig.bundle import Bundle, InvalidBundle
from .._nodeconfig.denials import denials, node_values
from .._nodeconfig.denied_fields import DenyPolicy
from .._nodeconfig.local_config import LocalConfig
from .._rollout import UnusableDocument
from .._rollout._nodes.node_view import NodeView
from .._rollout._record.record import Record
from .._text import count_of, first_names
from ._pool_nodes import PoolNodes, last_bundle
from .option_validator import NO_OPTION_VALIDATOR, OptionValidator

_MAX_GROUPS = 5
_NAMES_SHOWN = 4

Changes = list[tuple[str, FieldChange]]  # component and change
Overrides = Mapping[str, Mapping[str, str]]


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
    if not namespace:  # the init config, or a record of Machines
        return {}
    try:
        return dict(Bundle.from_config_map(client.get(config_map(namespace, name))).documents)
    except (NotFound, InvalidBundle):
        return {}


def diff_documents(
    before: Mapping[str, str],
    after: Mapping[str, str],
    versions: Sequence[str] = (),
    overrides: Overrides | None = None,
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


class NodeGroup(NamedTuple):
    """Nodes that have the same changes. changes: None when their present values are not known."""

    nodes: tuple[str, ...]
    changes: Changes | None

    def __str__(self) -> str:
        return _nodes_text(self.nodes)


def render_changes(name: str, groups: Sequence[NodeGroup]) -> list[str]:
    """Return changes as human-readable lines.

    name: of their cause, for example "workers-0a1b2c3d4e is revision 2". groups: empty without changes.
    """
    if not groups:
        return [f"{name}: it changes no field of what the pool uses."]
    lines = []
    for number, group in enumerate(groups[:_MAX_GROUPS]):
        start = f"{name}. " if number == 0 else ""
        where = f" on {group}" if group.nodes and (groups[1:] or group.changes is None) else ""
        if group.changes is None:
            reason = "what they use now is not published (configok.node.provision publishes init configs)"
            lines.append(f"{start}What it changes{where} is not known: {reason}.")
        else:
            lines += [f"{start}What it changes{where}:", *_table(group.changes)]
    if groups[_MAX_GROUPS:]:
        lines.append(f"On {len(groups) - _MAX_GROUPS} more groups of nodes it changes something else.")
    return lines


def _table(changes: Changes) -> list[str]:
    fields = [f"{component} {change.change.path}" for component, change in changes]
    values = [" -> ".join(value or "<unset>" for value in change.shown) for _component, change in changes]
    widths = [min(max(map(len, texts)), limit) for texts, limit in ((fields, 72), (values, 40))]
    lines = [
        f"  {field:{widths[0]}}  {value:{widths[1]}}  [{change.disruption}]"
        for field, value, (_component, change) in zip(fields, values, changes)
    ]
    return [*lines, f"  overall: {summary_of([change for _component, change in changes])}"]


def field_changes(groups: Iterable[NodeGroup]) -> list[dict[str, Any]]:
    """Return the known changes as plain data, for a module's result."""
    return [
        {"component": component, **change.as_dict(), "nodes": list(group.nodes)}
        for group in groups
        for component, change in group.changes or ()
    ]


def _nodes_text(names: Sequence[str]) -> str:
    return f"{count_of(len(names), 'node')} ({first_names(names, _NAMES_SHOWN)})"


def group_changes(pool: PoolNodes, after: Mapping[str, str], overrides: Overrides | None = None) -> list[NodeGroup]:
    """Return the changes that documents make, by nodes with the same changes, the largest group first.

    Omits nodes without changes. after: empty for the init config. Raises UnusableDocument for an invalid override.
    """
    for documents in (after, *pool.bundles.values()):
        diff_documents({}, documents, (), overrides)  # validates overrides even when no node's values are known
    cache: dict[Any, Changes | None] = {}
    names_by_text: dict[Any, list[str]] = {}
    changes_by_text: dict[Any, Changes | None] = {}
    for view in pool.views:
        key = (view.active, view.answer.status and view.answer.status.local_config, _minor(view))
        if key not in cache:
            cache[key] = _changes_on(pool, view, after, overrides or {})
        changes = cache[key]
        text = None
        if changes is not None:
            text = tuple((component, str(change), change.disruption.name) for component, change in changes)
        changes_by_text[text] = changes
        if changes != []:
            names_by_text.setdefault(text, []).append(view.name)
    groups = (NodeGroup(tuple(names), changes_by_text[text]) for text, names in names_by_text.items())
    return sorted(groups, key=_by_size)


def _by_size(group: NodeGroup) -> tuple[bool, int, tuple[str, ...]]:
    return group.changes is None, -len(group.nodes), group.nodes


def _minor(view: NodeView) -> int:
    return (
        parse_minor(view.system.kubelet_version)
        if is_kubernetes_version(view.system.kubelet_version)
        else newest_minor()
    )


def _changes_on(pool: PoolNodes, view: NodeView, after: Mapping[str, str], overrides: Overrides) -> Changes | None:
    before = {} if view.active is None else pool.bundles.get(view.active)
    local_config, minor = pool.local_config_of(view), _minor(view)
    if before is None:
        return None
    in_both = before.keys() & after.keys()
    changes = diff_documents(
        {component: before[component] for component in in_both},
        {component: after[component] for component in in_both},
        [minor_name(minor)],
        overrides,
    )
    for component in sorted((before.keys() | after.keys()) - in_both):
        if local_config is None:
            return None
        if component in local_config.components:
            old, new = (
                _effective_config(documents.get(component), local_config, component) for documents in (before, after)
            )
            differences = effective_diff(old, new, (minor, minor), overrides.get(component))
            changes += [(component, change) for change in differences]
    return changes


def _effective_config(document: str | None, local_config: LocalConfig, component: str) -> dict[str, Any]:
    """Return the config that a component reads: a bundle's document under the instance config, or the init config."""
    own = local_config.components[component]
    return dict(own.init) if document is None else merge([decode_or_empty(document), own.instance])


def denied_findings(
    pool: PoolNodes, documents: Mapping[str, SourceDocument], validator: OptionValidator = NO_OPTION_VALIDATOR
) -> list[Finding]:
    """Return the fields that nodes of the pool deny, with the nodes.

    Returns warnings for nodes whose policy and values are not known. documents: by component. validator: of
    ComponentOptions.
    """
    names_by_finding: dict[Finding, list[str]] = {}
    cache: dict[Any, list[Finding]] = {}
    for view in pool.views:
        key = (view.answer.status and view.answer.status.local_config, _minor(view))
        if key not in cache:
            local_config = pool.local_config_of(view)
            cache[key] = [
                finding
                for component, document in sorted(documents.items())
                for finding in _denied(component, document, local_config, _minor(view), validator)
            ]
        for finding in cache[key]:
            names_by_finding.setdefault(finding, []).append(view.name)
    return [
        finding
        if finding.level is Level.NOT_JUDGED
        else finding._replace(message=f"{finding.message}: {_nodes_text(names)}", nodes=tuple(names))
        for finding, names in names_by_finding.items()
    ]


def _denied(
    component: str, source: SourceDocument, local_config: LocalConfig | None, minor: int, validator: OptionValidator
) -> list[Finding]:
    if local_config is not None and component not in local_config.components:
        return []  # the node does not run it, and ignores the document
    try:
        document = decode(source.text, file=source.name)
    except InvalidConfig:
        return []  # validating the document reports it
    kind = str(document.data.get("kind", "")) if isinstance(document.data, dict) else ""
    if kind == COMPONENT_OPTIONS and kind not in validator.denials:
        what = "what nodes deny of flags and files"
        return [document.locate(not_judged(("kind",), what, "this check does not read ComponentOptions"))]
    if local_config is None:
        policy, own, level = DenyPolicy(), node_values(kind, {}, {}), Level.WARNING
        suffix = "; what these nodes allow, and which value they have, is not published"
    else:
        local = local_config.components[component]
        policy, own, level = local.deny, node_values(kind, local.init, local.instance), Level.POLICY
        suffix = ""
    return [
        document.locate(finding._replace(message=finding.message + suffix, level=level), look_up=False)
        for finding in denials(document.data, policy, own, minor, validator.denials)
    ]
