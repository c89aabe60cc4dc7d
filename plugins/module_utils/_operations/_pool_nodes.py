# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what a pool and its nodes use now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .._cluster.local_configs import read_local_configs
from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, NotFound
from .._kube.api_paths import config_map, config_maps
from .._nodeconfig.assignment import ConfigSource
from .._nodeconfig.bundle import Bundle, InvalidBundle
from .._nodeconfig.local_config import LocalConfig
from .._nodeconfig.well_known import LABEL_POOL, NAMESPACE_ROLLOUTS
from .._rollout._nodes.node_list import MAX_CONNECTIONS
from .._rollout._nodes.node_view import NodeView
from .._rollout._record.record import COMPLETE, Record
from .._rollout._record.record_store import decode_records

MAX_BUNDLES = 50  # that nodes say they use, and that are read at once; a pool uses a few


class PoolNodes(NamedTuple):
    """The nodes of a pool that would take a bundle, and what they use now.

    local_configs: by the hash that nodes report. bundles: the documents of the bundles in use that can be read.
    """

    views: Sequence[NodeView]
    local_configs: Mapping[str, LocalConfig]
    bundles: Mapping[ConfigSource, Mapping[str, str]]

    def local_config_of(self, view: NodeView) -> LocalConfig | None:
        """Return the node's own config, None when it is not published."""
        return None if view.answer.status is None else self.local_configs.get(view.answer.status.local_config)


def read_pool_nodes(client: Client, views: Iterable[NodeView]) -> PoolNodes:
    """Read what these nodes use now. Raises KubeError."""
    movable = [view for view in views if view.has_agent and not view.leaving]
    bundles = read_bundles(client, sorted({view.active for view in movable if view.active is not None})[:MAX_BUNDLES])
    hashes = {view.answer.status.local_config for view in movable if view.answer.status is not None}
    local_configs = read_local_configs(client, hashes, workers=MAX_CONNECTIONS)
    return PoolNodes(movable, local_configs, {source: bundle.documents for source, bundle in bundles.items()})


def read_bundles(client: Client, sources: Iterable[ConfigSource]) -> dict[ConfigSource, Bundle]:
    """Return the bundles that can be read: a node can report any source. Raises KubeError."""
    bundles = {}
    for source in sources:
        try:
            bundles[source] = Bundle.from_config_map(client.get(config_map(source.namespace, source.name)), source)
        except (NotFound, Forbidden, InvalidBundle):
            continue
    return bundles


@dataclass(frozen=True)
class PoolRecords:
    """The records of pools, None if they may not be listed. unreadable: a sentence for each damaged one."""

    records: tuple[Record, ...] | None = ()
    unreadable: tuple[str, ...] = ()


def read_pool_records(client: Client, other_than: str = "") -> PoolRecords:
    """Return the records of all pools but one, of all without a name. Raises KubeError."""
    try:
        items = client.list(config_maps(NAMESPACE_ROLLOUTS), label_selector=LABEL_POOL).items
    except NotFound:  # before the cluster is prepared
        return PoolRecords()
    except Forbidden:
        return PoolRecords(None)
    records, unreadable = decode_records(item for item in items if item["metadata"].get("name") != other_than)
    return PoolRecords(tuple(records), tuple(unreadable))


def last_bundle(record: Record) -> tuple[str, str] | None:
    """Return namespace and name of the bundle of a pool's last complete rollout, both "" for the init config.

    None: no rollout of the pool is complete.
    """
    rollout = record.rollout
    if rollout is not None and rollout.phase == COMPLETE:
        target = rollout.target
        return (target.namespace, target.name) if target.namespace else ("", "")
    complete = [revision for revision in record.revisions if revision.result == COMPLETE]
    return (complete[-1].namespace, complete[-1].name) if complete else None
