# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The revisions of a pool, and the way back to one. Private to configok.node."""

from __future__ import annotations

from typing import Any

from .._kube._client import Client
from .._kube._errors import NotFound
from .._kube._paths import config_map
from .._nodeconfig._bundle import Bundle, InvalidBundle
from .._nodeconfig._config_source import ConfigSource
from ._errors import RolloutError
from ._record import COMPLETE, Record, Revision
from ._target import Target

__all__ = ["history", "read_target", "undo_revision"]


def undo_revision(record: Record, to_revision: int | None = None) -> Revision | None:
    """Return the revision that an undo goes to, None for the init config.

    to_revision: its number, 0 for the init config; without it, the newest one before the present one whose rollout was
    completed and that is not known to be bad; an undo that was begun goes on to where it was going. Raises RolloutError
    when there is no such revision.
    """
    if to_revision == 0:
        return None
    if to_revision is not None:
        for one in record.revisions:
            if one.number == to_revision:
                return one
        known = ", ".join(str(one.number) for one in record.revisions) or "none"
        raise RolloutError(f"pool {record.pool} has no revision {to_revision}: it has {known}; 0 is the init config")
    if record.rollout is None:
        raise RolloutError(f"pool {record.pool} has never been rolled out: there is nothing to undo")
    rollout, latest = record.rollout, record.latest
    if not rollout.ended and (rollout.target.is_init or (latest is not None and rollout.revision < latest.number)):
        # An undo that was killed or paused goes on; it does not go back one more.
        return record.revision_of(rollout.target)
    if record.rollout.target.is_init:
        raise RolloutError(f"pool {record.pool} is on the init config: there is nothing before it")
    present = record.rollout.revision
    bad = {one.uid for one in record.bad}
    uid = record.rollout.target.uid
    for one in reversed(record.revisions):
        if one.number < present and one.result == COMPLETE and one.uid not in bad and one.uid != uid:
            return one
    return None


def read_target(client: Client, revision: Revision | None) -> Target:
    """Return the target that a revision is, read and verified; None is the init config. Raises RolloutError,
    KubeError.
    """
    if revision is None:
        return Target.init()
    where = f"revision {revision.number} (ConfigMap {revision.namespace}/{revision.name})"
    source = ConfigSource(revision.namespace, revision.name, revision.uid)
    try:
        found = client.get(config_map(revision.namespace, revision.name))
        return Target.of_bundle(Bundle.from_config_map(found, source))
    except NotFound as error:
        raise RolloutError(f"{where} was deleted: publish its config again") from error
    except InvalidBundle as error:
        raise RolloutError(f"{where} cannot be used: {error}") from error


def history(record: Record) -> list[dict[str, Any]]:
    """Return the revisions as plain data, the newest first; current says which one the pool was last taken to."""
    current = record.rollout.revision if record.rollout is not None else None
    return [{**vars(one), "current": one.number == current} for one in reversed(record.revisions)]
