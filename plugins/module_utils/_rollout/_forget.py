# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearing a config that failed in a pool, on the word of an operator. Private to configok.node."""

from __future__ import annotations

from .._kube._client import Client
from ._clock import Clock
from ._errors import RolloutError
from ._record import BadConfig, Record
from ._record_store import read_record, update_record

__all__ = ["forget_config"]


def forget_config(
    client: Client, pool: str, bundle: str | None, *, reason: str, author: str, clock: Clock, check: bool = False
) -> tuple[str, bool]:
    """Clear a bad config of a pool; its next rollout lets nodes forget that they refused it.

    bundle: the name of its ConfigMap; None means the config of the pool's last rollout. check: change nothing. Returns
    the name and whether the record changed. Raises RolloutError, KubeError.
    """
    if not reason.strip():
        raise RolloutError("reason is empty: say why the config may be tried again; it is kept in the record")
    if not author.strip():
        raise RolloutError("author is empty: say who clears the config, with -e author=...; it is kept in the record")
    now = clock.now()

    def clear(record: Record) -> Record:
        bad = _refused(record, bundle)
        return record if bad is None else record.with_forgotten(bad, reason=reason, author=author, time=now)

    record = read_record(client, pool)
    bad = _refused(record, bundle)
    name = bad.name if bad is not None else bundle or _last(record)
    if check or bad is None:
        return name, bad is not None
    _record, changed = update_record(client, pool, clear)
    return name, changed


def _refused(record: Record, bundle: str | None) -> BadConfig | None:
    """Return the bad config of this name, None where it is cleared already. Raises RolloutError for others."""
    name = bundle or _last(record)
    for bad in record.bad:
        if bad.name == name:
            return bad
    if any(one.name == name for one in record.forgotten):
        return None
    known = ", ".join(bad.name for bad in record.bad)
    advice = f"it refuses {known}: name one of them as bundle" if known else "it refuses none"
    raise RolloutError(f"pool {record.pool} does not refuse {name or 'a config'}: {advice}")


def _last(record: Record) -> str:
    return record.rollout.target.name if record.rollout is not None else ""
