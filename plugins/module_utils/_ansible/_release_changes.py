# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle changes on groups of nodes, as lines for people and as data of a result.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._cluster._local_configs import read_local_configs
from .._componentconfig._codec._document import decode
from .._componentconfig._codec._plain_values import merge
from .._componentconfig._compare import effective_diff
from .._componentconfig._denials import denials, node_values
from .._componentconfig._denied_fields import DenyPolicy
from .._componentconfig._disruption import disruption_classes, heaviest_class
from .._componentconfig._findings import Finding, InvalidConfig, Level
from .._componentconfig._scalars._wording import count_of, first_names
from .._componentconfig._schema._releases import minor_name, newest_minor, parse_minor
from .._kube._api_client import Client
from .._kube._api_errors import Forbidden, NotFound
from .._kube._api_paths import config_map
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._bundle import Bundle, InvalidBundle
from .._nodeconfig._local_config import LocalConfig
from .._rollout._node_access import MAX_CONNECTIONS
from .._rollout._node_view import NodeView
from .._rollout._plan import Target
from .._rollout._versions import is_kubernetes_version
from ._release import Changes, decode_or_empty, diff_documents

__all__ = [
    "NodeGroup",
    "PoolNodes",
    "UndoChanges",
    "render_changes",
    "denied_findings",
    "field_changes",
    "group_changes",
    "read_pool_nodes",
    "compare_undo",
    "some_nodes",
]

_GROUPS_SHOWN = 5
_NAMES_SHOWN = 4


class NodeGroup(NamedTuple):
    """Nodes on which a bundle changes the same. changes: None where it is not known what they have now."""

    nodes: tuple[str, ...]
    changes: Changes | None

    def __str__(self) -> str:
        return some_nodes(self.nodes)


def render_changes(minor_name: str, groups: Sequence[NodeGroup]) -> list[str]:
    """Return changes as lines for people.

    name: of what brings them, for example "workers-0a1b2c3d4e is revision 2". groups: none where nothing changes.
    """
    if not groups:
        return [f"{minor_name}: it changes no field of what the pool uses."]
    lines = []
    for number, group in enumerate(groups[:_GROUPS_SHOWN]):
        start = f"{minor_name}. " if number == 0 else ""
        where = f" on {group}" if group.nodes and (groups[1:] or group.changes is None) else ""
        if group.changes is None:
            reason = "what they use now is not published (configok.node.provision publishes init configs)"
            lines.append(f"{start}What it changes{where} is not known: {reason}.")
        else:
            lines += [f"{start}What it changes{where}:", *_table(group.changes)]
    if groups[_GROUPS_SHOWN:]:
        lines.append(f"On {len(groups) - _GROUPS_SHOWN} more groups of nodes it changes something else.")
    return lines


def _table(found: Changes) -> list[str]:
    fields = [f"{component} {one.change.path}" for component, one in found]
    values = [" -> ".join(value or "<unset>" for value in one.shown) for _component, one in found]
    widths = [min(max(map(len, texts)), most) for texts, most in ((fields, 72), (values, 40))]
    lines = [
        f"  {field:{widths[0]}}  {value:{widths[1]}}  [{one.disruption}]"
        for field, value, (_component, one) in zip(fields, values, found)
    ]
    worst = heaviest_class(one.disruption.name for _component, one in found) or ""
    return [*lines, f"  all in all: {worst}: {disruption_classes()[worst]}"]


def field_changes(groups: Iterable[NodeGroup]) -> list[dict[str, Any]]:
    """Return the changes as plain data, for a module's result; what is not known is left out."""
    return [
        {"component": component, **one.as_dict(), "nodes": list(group.nodes)}
        for group in groups
        for component, one in group.changes or ()
    ]


def some_nodes(names: Sequence[str]) -> str:
    """Return "3 nodes (a, b, c)"."""
    return f"{count_of(len(names), 'node')} ({first_names(names, _NAMES_SHOWN)})"


_MOST_BUNDLES = 50  # that are read for a plan; a pool uses a few
Overrides = Mapping[str, Mapping[str, str]]


class PoolNodes(NamedTuple):
    """The nodes of a pool that would take a bundle, and what they use now."""

    views: Sequence[NodeView]
    locals: Mapping[str, LocalConfig]  # by the hash that nodes report
    bundles: Mapping[ConfigSource, Mapping[str, str]]  # documents of the bundles in use, as far as they can be read

    def local(self, view: NodeView) -> LocalConfig | None:
        """Return what a node has of its own, None where that is not published."""
        return None if view.status is None else self.locals.get(view.status.local_config)


def read_pool_nodes(client: Client, views: Iterable[NodeView]) -> PoolNodes:
    """Read what these nodes use now. Raises KubeError."""
    taking = [view for view in views if view.has_agent and not view.deleting]
    bundles = {}
    for source in sorted({view.active for view in taking if view.active is not None})[:_MOST_BUNDLES]:
        try:
            bundles[source] = Bundle.from_config_map(client.get(config_map(source.namespace, source.name)), source)
        except (NotFound, Forbidden, InvalidBundle):
            continue  # a node can name anything; what it uses is then not known
    claimed = {view.status.local_config for view in taking if view.status is not None}
    local_configs = read_local_configs(client, claimed, workers=MAX_CONNECTIONS)
    return PoolNodes(taking, local_configs, {key: one.documents for key, one in bundles.items()})


def group_changes(pool: PoolNodes, after: Mapping[str, str], overrides: Overrides | None = None) -> list[NodeGroup]:
    """Return what documents change on the nodes of a pool, the largest group first; nodes that they change nothing on
    are left out. after: empty for the init config. Raises UnusableDocument for an override that cannot be meant."""
    for documents in (after, *pool.bundles.values()):
        diff_documents({}, documents, (), overrides)  # overrides are judged even where no node says what it has
    known: dict[Any, Changes | None] = {}
    groups: dict[Any, list[str]] = {}
    found: dict[Any, Changes | None] = {}
    for view in pool.views:
        key = (view.active, view.status and view.status.local_config, _minor(view))
        if key not in known:
            known[key] = _changes_on(pool, view, after, overrides or {})
        seen = known[key]
        text = None if seen is None else tuple((component, str(one), one.disruption.name) for component, one in seen)
        found[text] = seen
        if seen != []:
            groups.setdefault(text, []).append(view.name)
    return sorted((NodeGroup(tuple(names), found[text]) for text, names in groups.items()), key=_by_size)


def _by_size(group: NodeGroup) -> tuple[bool, int, tuple[str, ...]]:
    return group.changes is None, -len(group.nodes), group.nodes


def _minor(view: NodeView) -> int:
    return parse_minor(view.kubelet_version) if is_kubernetes_version(view.kubelet_version) else newest_minor()


def _changes_on(pool: PoolNodes, view: NodeView, after: Mapping[str, str], overrides: Overrides) -> Changes | None:
    before = {} if view.active is None else pool.bundles.get(view.active)
    local, minor = pool.local(view), _minor(view)
    if before is None:
        return None
    both = before.keys() & after.keys()
    result = diff_documents(
        {one: before[one] for one in both}, {one: after[one] for one in both}, [minor_name(minor)], overrides
    )
    for component in sorted((before.keys() | after.keys()) - both):
        if local is None:
            return None
        if component in local:
            old, new = (_resulting(documents.get(component), local, component) for documents in (before, after))
            differing = effective_diff(old, new, (minor, minor), overrides.get(component))
            result += [(component, one) for one in differing]
    return result


def _resulting(document: str | None, local: LocalConfig, component: str) -> dict[str, Any]:
    """Return the config that a component reads: a bundle's document under the instance config, or the init config."""
    own = local[component]
    return dict(own.init) if document is None else merge([decode_or_empty(document), own.instance])


def denied_findings(pool: PoolNodes, documents: Mapping[str, tuple[str, str]]) -> list[Finding]:
    """Return the fields that nodes of the pool deny, with the nodes; a warning where it is not known what they allow
    and have. documents: component -> (name for messages, text)."""
    held: dict[Finding, list[str]] = {}
    known: dict[Any, list[Finding]] = {}
    for view in pool.views:
        key = (view.status and view.status.local_config, _minor(view))
        if key not in known:
            local = pool.local(view)
            known[key] = [
                one
                for component, (file, text) in sorted(documents.items())
                for one in _denied(component, file, text, local, _minor(view))
            ]
        for one in known[key]:
            held.setdefault(one, []).append(view.name)
    return [
        one._replace(message=f"{one.message}: {some_nodes(names)}", nodes=tuple(names)) for one, names in held.items()
    ]


def _denied(component: str, file: str, text: str, local: LocalConfig | None, minor: int) -> list[Finding]:
    if local is not None and component not in local:
        return []  # the node does not run it, and ignores the document
    try:
        document = decode(text, file=file)
    except InvalidConfig:
        return []  # found when the document is judged
    kind = str(document.data.get("kind", "")) if isinstance(document.data, dict) else ""
    if local is None:
        found, level = denials(document.data, DenyPolicy(), node_values(kind, {}, {}), minor), Level.WARNING
        unsure = "; what these nodes allow, and which value they have, is not published"
    else:
        own = node_values(kind, local[component].init, local[component].instance)
        found, level, unsure = denials(document.data, local[component].deny, own, minor), Level.POLICY, ""
    return [
        document.locate(finding._replace(message=finding.message + unsure, level=level), look_up=False)
        for finding in found
    ]


class UndoChanges(NamedTuple):
    """What going back changes. refusals: fields that nodes deny now, one sentence each."""

    changes: Sequence[NodeGroup]
    refusals: tuple[str, ...]
    lines: Sequence[str]


def compare_undo(client: Client, views: Sequence[NodeView], target: Target) -> UndoChanges:
    """Compare what these nodes use with a published bundle or the init config. Raises KubeError, InvalidBundle."""
    pool = read_pool_nodes(client, views)
    if target.is_init:
        return _way_back("This is the way back to the init config", group_changes(pool, {}), ())
    found = client.get(config_map(target.namespace, target.name))
    documents = dict(Bundle.from_config_map(found, target.source).documents)
    moving = pool._replace(views=[view for view in pool.views if view.active != target.source])
    denied = denied_findings(moving, {component: (component, text) for component, text in documents.items()})
    refusals = tuple(str(one) for one in denied if one.level is Level.POLICY)
    return _way_back(f"This is the way back to {target.name}", group_changes(pool, documents), refusals)


def _way_back(minor_name: str, diff_documents: Sequence[NodeGroup], refusals: tuple[str, ...]) -> UndoChanges:
    return UndoChanges(diff_documents, refusals, render_changes(minor_name, diff_documents))
