# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delete the old bundles of a pool that nothing needs. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._componentconfig._scalars._wording import count_of
from .._kube._api_client import Client
from .._kube._api_errors import Conflict, Forbidden, KubeError, NotFound
from .._kube._api_paths import NODES, config_map, config_maps
from .._nodeconfig._untrusted import sanitize
from .._nodeconfig._well_known import NAMESPACE_ROLLOUTS
from . import InvalidRecord, RolloutError
from ._control import RECORD_KEYS
from ._pool_lock import PoolLock
from ._pruning import PruneChoice, beyond_limit, choose_bundles, mark_pruned
from ._record import Record, Revision
from ._record_store import decode_record, read_record, update_record
from ._revisions import find_undo_revision
from ._timing import Clock

__all__ = ["PruneResult", "prune_after_rollout", "prune_bundles"]

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
    if check:
        return PruneResult(pool, limit, _prune(client, read_record(client, pool), limit, None, clock, check), check)
    if not beyond_limit(read_record(client, pool), limit):
        return PruneResult(pool, limit, PruneChoice((), ()))
    lock = PoolLock(client, pool, runner, clock=clock)
    lock.acquire(lambda _line: None)
    try:
        # Read again: a run may have ended since.
        record = read_record(client, pool)
        choice = _prune(client, record, limit, lambda change: update_record(client, pool, change), clock, check)
    finally:
        lock.release()
    return PruneResult(pool, limit, choice)


def prune_after_rollout(client: Client, record: Record, limit: int, *, update: UpdateRecord, clock: Clock) -> str:
    """Prune at the end of a run, which holds the lock of the pool; return a line for the user, "" for nothing to say.

    update: changes the record. A pool without a bundle beyond the limit costs no request. A bundle that cannot be
    deleted does not fail the run.
    """
    try:
        choice = _prune(client, record, limit, update, clock, check=False)
    except Forbidden as error:
        return (
            f"old bundles of pool {record.pool} stay: {error}: apply the role configok.node.cluster with "
            "cluster_runner_prune, or run configok.node.prune with another identity"
        )
    except (KubeError, RolloutError) as error:
        return f"old bundles of pool {record.pool} stay: {error}"
    if not choice.deleted:
        return ""
    return f"{count_of(len(choice.deleted), 'old bundle')} of pool {record.pool} deleted"


def _prune(
    client: Client, record: Record, limit: int, update: UpdateRecord | None, clock: Clock, check: bool
) -> PruneChoice:
    candidates = beyond_limit(record, limit)
    if not candidates:
        return PruneChoice((), ())
    undo = _undo_uid(record)
    choice = choose_bundles(candidates, _all_records(client, record), _all_nodes(client), undo)
    deleted: list[Revision] = []
    try:
        for revision in choice.deleted:
            _delete(client, revision, check)
            deleted.append(revision)
    finally:
        # Deleted, then recorded: after a kill in between, the next run finds it gone and records it.
        if deleted and update is not None:
            uids, now = frozenset(revision.uid for revision in deleted), clock.now()
            update(lambda present: mark_pruned(present, uids, now))
    return choice


def _delete(client: Client, revision: Revision, check: bool) -> None:
    try:
        client.delete(config_map(revision.namespace, revision.name), uid=revision.uid, dry_run=check)
    except (NotFound, Conflict):
        return  # it is gone; another object of the same name is not touched


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
