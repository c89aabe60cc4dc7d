# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clear a bad config in the record of a pool, so that it may be tried again."""

from __future__ import annotations

from ..._kube.api_client import Client
from .. import RolloutError
from .record import BadConfig, Record
from .record_store import read_record, update_record


def clear_bad_config(
    client: Client, pool: str, bundle: str | None, *, reason: str, author: str, now: str, check: bool = False
) -> tuple[str, bool]:
    """Clear a bad config of a pool; its next rollout lets nodes forget that they refused it.

    bundle: the name of its ConfigMap; None means the config of the pool's last rollout. check: change nothing. Returns
    the name and whether the record changed. Raises RolloutError, KubeError.
    """
    if not reason.strip():
        raise RolloutError("reason is empty: say why the config may be tried again; it is kept in the record")
    if not author.strip():
        raise RolloutError("author is empty: say who clears the config, with -e author=...; it is kept in the record")

    def clear(record: Record) -> Record:
        bad = _find_bad_config(record, bundle)
        return record if bad is None else record.with_cleared_config(bad, reason=reason, author=author, time=now)

    record = read_record(client, pool)
    bad = _find_bad_config(record, bundle)
    name = bad.name if bad is not None else bundle or _last_target_name(record)
    if check or bad is None:
        return name, bad is not None
    _record, changed = update_record(client, pool, clear)
    return name, changed


def _find_bad_config(record: Record, bundle: str | None) -> BadConfig | None:
    """Return the bad config of this name, None for a cleared one. Raises RolloutError for other names."""
    name = bundle or _last_target_name(record)
    for bad in record.bad_configs:
        if bad.name == name:
            return bad
    if any(cleared.name == name for cleared in record.cleared_configs):
        return None
    refused = ", ".join(bad.name for bad in record.bad_configs)
    advice = f"it refuses {refused}: name one of them as bundle" if refused else "it refuses none"
    raise RolloutError(f"pool {record.pool} does not refuse {name or 'a config'}: {advice}")


def _last_target_name(record: Record) -> str:
    return record.rollout.target.name if record.rollout is not None else ""
