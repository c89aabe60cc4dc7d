# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the bundles of a pool that may be deleted. Pure.

A bundle stays while a Node or a record names it. Nodes are searched for uids instead of being decoded, so that a status
that cannot be read still keeps what it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._nodeconfig.well_known import ANNOTATION_CONFIG_SOURCE, ANNOTATION_CONFIG_STATUS
from .._record.record import Record, Revision, record_uids

_UID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


@dataclass(frozen=True)
class KeptBundle:
    """A bundle beyond the limit that stays, and the reason in a few words."""

    revision: Revision
    reason: str


@dataclass(frozen=True)
class PruneChoice:
    """The bundles beyond the limit, one revision for each, the oldest first."""

    deleted: tuple[Revision, ...]
    kept: tuple[KeptBundle, ...]


def beyond_limit(record: Record, limit: int) -> list[Revision]:
    """Return one revision for each bundle that is not among the newest `limit`, the oldest first.

    A bundle may have several revisions, of which the newest counts. The latest revision, and one that was pruned, is
    never returned.
    """
    newest: dict[str, Revision] = {}
    for revision in reversed(record.revisions):
        if revision.uid:
            newest.setdefault(revision.uid, revision)
    return [revision for revision in list(newest.values())[max(1, limit) :] if not revision.pruned][::-1]


def choose_bundles(
    candidates: Iterable[Revision],
    records: Iterable[Record],
    nodes: Iterable[Mapping[str, Any]],
    undo_uid: str,
) -> PruneChoice:
    """Return what is deleted and what stays.

    records: of all pools; nodes: all Nodes of the cluster, of which the metadata suffices. undo_uid: of the bundle that
    the next undo of the pool would go to, "" for none.
    """
    by_uid = {revision.uid: revision for revision in candidates}
    reasons: dict[str, str] = {undo_uid: "the next undo goes there"} if undo_uid in by_uid else {}
    for record in records:
        for uid in record_uids(record) & by_uid.keys() - reasons.keys():
            reasons[uid] = f"the record of pool {record.pool} names it"
    for node in nodes:
        for uid in node_uids(node) & by_uid.keys() - reasons.keys():
            reasons[uid] = f"node {node['metadata']['name']} names it"
    return PruneChoice(
        tuple(revision for uid, revision in by_uid.items() if uid not in reasons),
        tuple(KeptBundle(revision, reasons[uid]) for uid, revision in by_uid.items() if uid in reasons),
    )


def node_uids(node: Mapping[str, Any]) -> frozenset[str]:
    """Return every uid that a Node's assignment and status name, readable or not."""
    annotations = (node.get("metadata") or {}).get("annotations") or {}
    texts = [str(annotations.get(key) or "") for key in (ANNOTATION_CONFIG_SOURCE, ANNOTATION_CONFIG_STATUS)]
    return frozenset(uid.lower() for text in texts for uid in _UID.findall(text))


def mark_pruned(record: Record, uids: frozenset[str], now: str) -> Record:
    """Return the record in which the revisions of these bundles are pruned; those that are already stay so."""
    return record.with_revisions(lambda revision: revision.uid in uids and not revision.pruned, pruned=now)
