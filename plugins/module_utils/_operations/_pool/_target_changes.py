# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what the nodes of a pool use with the target of a rollout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..._componentconfig.findings import Level
from ..._kube.api_client import Client
from ..._kube.api_paths import config_map
from ..._nodeconfig.bundle import Bundle
from ..._rollout._nodes.left_out import leave_out
from ..._rollout._nodes.node_view import NodeView
from ..._rollout.plan import Target
from .._pool_nodes import PoolNodes, read_pool_nodes
from ..bundle_changes import NodeGroup, Overrides, SourceDocument, denied_findings, group_changes, render_changes
from ..option_validator import NO_OPTION_VALIDATOR, OptionValidator


class TargetChanges(NamedTuple):
    """The changes of a rollout to a published target.

    refusals: fields that nodes deny now, one sentence each. left_out: nodes that the rollout leaves out, with the
    reason; the other parts are about the other nodes. before: the documents that most of the nodes that move use now.
    after: those of the target, none for the init config. bundle: None for the init config.
    """

    groups: Sequence[NodeGroup]
    refusals: tuple[str, ...]
    lines: Sequence[str]
    before: Mapping[str, str]
    after: Mapping[str, str]
    pool_nodes: PoolNodes
    bundle: Bundle | None
    left_out: Mapping[str, str] = {}


def compare_target(
    client: Client,
    views: Sequence[NodeView],
    target: Target,
    overrides: Overrides | None = None,
    validator: OptionValidator = NO_OPTION_VALIDATOR,
) -> TargetChanges:
    """Compare what these nodes use with a published bundle or the init config.

    overrides: the user's own disruption classes. validator: of ComponentOptions. Raises KubeError, InvalidBundle,
    UnusableDocument.
    """
    pool = read_pool_nodes(client, views)
    if target.is_init:
        groups = group_changes(pool, {}, overrides)
        lines = render_changes("The pool moves to the init config", groups)
        return TargetChanges(groups, (), lines, _documents_in_use(pool, target) or {}, {}, pool, None)
    bundle_map = client.get(config_map(target.namespace, target.name))
    bundle = Bundle.from_config_map(bundle_map, target.source)
    documents = dict(bundle.documents)
    moving = pool._replace(views=[view for view in pool.views if view.active != target.source])
    sources = {component: SourceDocument(component, text) for component, text in documents.items()}
    denied = denied_findings(moving, sources, validator)
    refused = [finding for finding in denied if finding.level is Level.POLICY]
    reasons = {name: f"it would refuse the config: {finding}" for finding in refused for name in finding.nodes}
    left_out = leave_out(reasons, len(moving.views))
    refusals = () if left_out else tuple(map(str, refused))
    pool = pool._replace(views=[view for view in pool.views if view.name not in left_out])
    groups = group_changes(pool, documents, overrides)
    lines = render_changes(f"The pool moves to {target.name}", groups)
    before = _documents_in_use(pool, target)
    in_use = documents if before is None else before
    return TargetChanges(groups, refusals, lines, in_use, documents, pool, bundle, left_out)


def _documents_in_use(pool: PoolNodes, target: Target) -> Mapping[str, str] | None:
    """Return the documents that most of the nodes that are not on the target use; None if none of them is known."""
    counts = Counter(view.active for view in pool.views if view.active != target.source)
    for source, _count in sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))):
        if source is None:
            return {}
        if source in pool.bundles:
            return pool.bundles[source]
    return None
