# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delete the old bundles of a pool that nothing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, Forbidden, KubeError, NotFound
from ..._kube.api_paths import NODES, config_map, config_maps
from ..._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from ..._text import count_of, sanitize
from .. import InvalidRecord, RolloutError
from .._decisions._pruning import PruneChoice, beyond_limit, choose_bundles, mark_pruned
from .._record._control import RECORD_KEYS
from .._record.record import Record, Revision, record_uids
from .._record.record_store import decode_record, read_record, update_record
from .._record.revisions import find_undo_revision
from ..timing import Clock
from .pool_lock import PoolLock

UpdateRecord = Callable[[Callable[[Record], Record]], object]


@dataclass(frozen=True)
class PruneResult:
    """The bundles of a pool that were deleted, or would be in check mode, and those beyond the limit that stay."""

    pool: str
    limit: int
    choice: PruneChoice
    is_check: bool = False

    def lines(self) -> list[str]:
        """Return the result as human-readable lines."""
        verb = "would be deleted" if self.is_check else "was deleted"
        lines = [f"{_name(revision)} {verb}" for revision in self.choice.deleted]
        lines += [f"{_name(kept.revision)} stays: {kept.reason}" for kept in self.choice.kept]
        return lines or [f"pool {self.pool} has no bundle beyond the newest {self.limit}"]


def prune_bundles(
    client: Client, pool: str, limit: int, *, runner: str, clock: Clock, check: bool = False
) -> PruneResult:
    """Delete the pool's bundles beyond the newest `limit` that nothing names, while no runner moves the pool.

    check: let the API server validate the deletions (dryRun=All), and change nothing. Raises PoolLocked, RolloutError,
    KubeError.
    """
    pruning = _Pruning(client, lambda: read_record(client, pool), limit)
    if check:
        choice = pruning.choose()
        for revision in choice.deleted:
            pruning.delete(revision, check=True)
        return PruneResult(pool, limit, choice, is_check=True)
    if not beyond_limit(read_record(client, pool), limit):
        return PruneResult(pool, limit, PruneChoice((), ()))
    lock = PoolLock(client, pool, runner, clock=clock)
    try:
        lock.acquire(lambda _line: None)
        choice = pruning.run(lambda change: update_record(client, pool, change), clock)
    finally:
        lock.release()
    return PruneResult(pool, limit, choice)


def prune_after_rollout(
    client: Client, limit: int, *, read: Callable[[], Record], update: UpdateRecord, clock: Clock
) -> str:
    """Prune at the end of a run, which holds the lock of the pool; return a line for the user, "" for nothing to say.

    read, update: the record, as the run reads and writes it. A pool without a bundle beyond the limit costs one
    request. A bundle that cannot be deleted does not fail the run.
    """
    try:
        choice = _Pruning(client, read, limit).run(update, clock)
    except Forbidden as error:
        return (
            f"old bundles stay: {error}: apply the role configok.node.cluster with cluster_runner_prune, or run "
            "configok.node.prune with another identity"
        )
    except (KubeError, RolloutError) as error:
        return f"old bundles stay: {error}"
    return f"{count_of(len(choice.deleted), 'old bundle')} deleted" if choice.deleted else ""


class _Pruning:
    """Deletes the bundles of one pool. read: returns its present record."""

    def __init__(self, client: Client, read: Callable[[], Record], limit: int) -> None:
        self._client = client
        self._read = read
        self._limit = limit

    def choose(self) -> PruneChoice:
        """Return what is to be deleted and what stays. Raises RolloutError, KubeError."""
        record = self._read()
        candidates = beyond_limit(record, self._limit)
        if not candidates:
            return PruneChoice((), ())
        records = _all_records(self._client, record)
        choice = choose_bundles(candidates, records, _all_nodes(self._client), _undo_uid(record))
        # A bundle of the past may have been published again while the Nodes were listed.
        needed = record_uids(self._read())
        return replace(choice, deleted=tuple(revision for revision in choice.deleted if revision.uid not in needed))

    def run(self, update: UpdateRecord, clock: Clock) -> PruneChoice:
        """Delete what is to be deleted, and record it. Raises RolloutError, KubeError."""
        choice = self.choose()
        uids: set[str] = set()
        try:
            for revision in choice.deleted:
                self.delete(revision)
                uids.add(revision.uid)
        finally:
            # Deleted, then recorded: after a kill in between, the next run finds it gone and records it.
            if uids:
                now = clock.now()
                update(lambda record: mark_pruned(record, frozenset(uids), now))
        return choice

    def delete(self, revision: Revision, *, check: bool = False) -> None:
        """Delete the bundle of a revision; another object of the same name is not touched. Raises KubeError."""
        with suppress(NotFound, Conflict):
            path = config_map(revision.namespace, revision.name)
            self._client.delete(path, uid=revision.uid, dry_run=check)


def _undo_uid(record: Record) -> str:
    try:
        revision = find_undo_revision(record)
    except RolloutError:  # there is nothing to undo
        return ""
    return "" if revision is None else revision.uid


def _all_nodes(client: Client) -> Iterator[dict[str, Any]]:
    for page in client.pages(NODES, metadata_only=True):
        yield from page


def _all_records(client: Client, own: Record) -> Sequence[Record]:
    """Return the records of all pools. Raises RolloutError when one cannot be read, since it may name any bundle."""
    records = [own]
    for page in client.pages(config_maps(NAMESPACE_ROLLOUTS)):
        for item in page:
            name = str((item.get("metadata") or {}).get("name"))
            if RECORD_KEYS[0] not in (item.get("data") or {}) or name == own.pool:
                continue
            try:
                records.append(decode_record(item))
            except InvalidRecord as error:
                raise RolloutError(f"nothing is pruned: {error}") from error
    return records


def _name(revision: Revision) -> str:
    return f"revision {revision.number} ({sanitize(revision.name)})"
