# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing records. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._kube._client import Client
from .._kube._errors import Conflict, NotFound
from .._kube._paths import config_map, config_maps
from .._nodeconfig._names import NAMESPACE_ROLLOUTS
from ._errors import RolloutError
from ._record import Record
from ._record_format import decode_record, encode_record

__all__ = ["read_record", "update_record"]

_ATTEMPTS = 8


def read_record(client: Client, pool: str) -> Record:
    """Return the record of a pool: an empty one where there is none, or not even the namespace (the first --check).

    Raises InvalidRecord, KubeError.
    """
    return _read(client, pool)[0]


def update_record(client: Client, pool: str, change: Callable[[Record], Record]) -> tuple[Record, bool]:
    """Read the record, change it, write it with its resourceVersion; read again when somebody else was faster.

    A write whose answer was lost finds what it wanted to write, and has succeeded. change: is given the record as it is
    now, and may be called again; what it raises ends the update. Returns the record as it stands, and whether anything
    was written. Raises RolloutError, KubeError.
    """
    conflict: Conflict | None = None
    wanted: Record | None = None
    for _attempt in range(_ATTEMPTS):
        record, found = _read(client, pool)
        if record == wanted:
            return record, True
        wanted = change(record)
        if wanted == record:
            return record, False
        try:
            if found is None:
                _create(client, wanted)
            else:
                version = str(found["metadata"].get("resourceVersion", ""))
                client.replace(config_map(NAMESPACE_ROLLOUTS, pool), encode_record(wanted, resource_version=version))
            return wanted, True
        except Conflict as error:  # AlreadyExists, too
            conflict = error
    raise RolloutError(f"the record of pool {pool} changes too often to be written: {conflict}")


def _read(client: Client, pool: str) -> tuple[Record, dict[str, Any] | None]:
    try:
        found = client.get(config_map(NAMESPACE_ROLLOUTS, pool))
    except NotFound:
        return Record(pool), None
    return decode_record(found), found


def _create(client: Client, record: Record) -> None:
    try:
        client.create(config_maps(NAMESPACE_ROLLOUTS), encode_record(record))
    except NotFound as error:
        raise RolloutError(
            f"the namespace {NAMESPACE_ROLLOUTS} does not exist: "
            "prepare the cluster with the role configok.node.cluster"
        ) from error
