# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find other rollouts that have some of the same nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .._kube.api_client import Client
from .._kube.api_errors import BadRequest
from .._kube.api_paths import NODES
from .._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from .._rollout._record.record import Record
from .._rollout._report.rendering import NAMES_SHOWN
from .._text import first_names
from ._pool_nodes import PoolRecords


@dataclass(frozen=True)
class Overlap:
    """Nodes of the planned pool that also belong to another pool."""

    pool: str
    nodes: tuple[str, ...]


def find_overlaps(client: Client, others: PoolRecords, selector: str) -> list[Overlap] | None:
    """Return the other pools that have some of the nodes of a selector, sorted by name.

    None when their records may not be read. The API server compares the selectors: a Node that matches both belongs to
    both pools. Raises KubeError.
    """
    if others.records is None:
        return None
    overlaps = []
    for record in others.records:
        shared = _shared_nodes(client, record, selector)
        if shared:
            overlaps.append(Overlap(record.pool, shared))
    return sorted(overlaps, key=lambda overlap: overlap.pool)


def overlap_warnings(overlaps: Iterable[Overlap] | None) -> list[str]:
    """Return a sentence for each pool that shares nodes with the planned one."""
    if overlaps is None:
        return [
            f"whether other pools have the same nodes is not known, since ConfigMaps in {NAMESPACE_ROLLOUTS} may not "
            "be listed: apply the role configok.node.cluster again"
        ]
    return [
        f"pool {overlap.pool} has {len(overlap.nodes)} of these nodes as well, and each pool takes them from the "
        f"other: {first_names(overlap.nodes, NAMES_SHOWN)}"
        for overlap in overlaps
    ]


def machine_rollouts(others: PoolRecords, nodes: Iterable[str]) -> list[str]:
    """Return a sentence for each other rollout of Machines that is in progress and still moves some of these nodes.

    It assigns the config that their pools had when it was planned. Records that cannot be read count as none.
    """
    names = set(nodes)
    rollouts = [(record.pool, record.rollout) for record in others.records or ()]
    sentences = []
    for pool, rollout in rollouts:
        if rollout is None or rollout.has_ended or not rollout.target.is_machines:
            continue
        shared = sorted(names & {node for wave in rollout.waves[rollout.waves_done :] for node in wave.nodes})
        if shared:
            sentences.append(
                f"the rollout {pool} of Machines is in progress ({rollout.phase}) and changes {len(shared)} of these "
                f"nodes: {first_names(shared, NAMES_SHOWN)}: let configok.node.machines end it, or end it with "
                f"configok.node.abort -e pool={pool}"
            )
    return sentences


def _shared_nodes(client: Client, record: Record, selector: str) -> tuple[str, ...]:
    rollout = record.rollout
    if rollout is None or rollout.target.is_machines or (rollout.target.is_init and rollout.has_ended):
        return ()  # the pool assigns nothing, or what the pools of its Machines have
    try:
        shared = client.list(NODES, label_selector=f"{selector},{rollout.start.selector}", metadata_only=True)
    except BadRequest:
        return ()
    return tuple(sorted(str(item["metadata"]["name"]) for item in shared.items))
