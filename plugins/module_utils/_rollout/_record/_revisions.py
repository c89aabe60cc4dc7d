# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish bundles as revisions of their pool; find and read the revision that an undo goes to.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..._kube._api_client import Client
from ..._kube._api_errors import AlreadyExists, KubeError, NotFound
from ..._kube._api_paths import config_map, config_maps
from ..._nodeconfig._assignment import ConfigSource
from ..._nodeconfig._bundle import Bundle, InvalidBundle
from ..._nodeconfig._well_known import ANNOTATION_AUTHOR, ANNOTATION_CHANGE_CAUSE, LABEL_POOL, missing_namespace
from .. import RolloutError, RolloutRefused
from .._plan import Target
from ._record import COMPLETE, Record, Revision
from ._record_store import read_record, update_record

__all__ = ["PublishedRevision", "find_undo_revision", "missing_bundle", "publish_bundle", "read_target"]


@dataclass(frozen=True)
class PublishedRevision:
    """A published bundle. config_map: the object, in check mode without uid if it does not exist yet."""

    config_map: dict[str, Any]
    target: Target
    revision: int
    changed: bool


def publish_bundle(client: Client, bundle: dict[str, Any], *, now: str, check: bool = False) -> PublishedRevision:
    """Create the ConfigMap of a bundle, unless it exists, and record it as the latest revision.

    The same content gives the same object and revision, so publishing it again changes nothing. check: let the API
    server validate the bundle (dryRun=All), and change nothing. Raises RolloutRefused for a config that failed in this
    pool before, RolloutError, KubeError.
    """
    pool = bundle["metadata"]["labels"][LABEL_POOL]
    record = read_record(client, pool)
    _refuse_bad_config(record, _target(bundle))
    stored, created = _get_or_create(client, bundle, check)
    target = _target(stored)
    if stored["data"] != bundle["data"]:
        raise RolloutError(
            f"the ConfigMap {target.name} is there and holds something else: its name has ten digits of the hash only, "
            "so that this is no accident. Find out who created it, and delete it"
        )
    annotations = bundle["metadata"].get("annotations") or {}

    def add(current: Record) -> Record:
        _refuse_bad_config(current, target)
        if current.latest is not None and current.latest.uid == target.uid:
            return current
        return current.with_revision(
            target,
            time=now,
            author=annotations.get(ANNOTATION_AUTHOR, ""),
            cause=annotations.get(ANNOTATION_CHANGE_CAUSE, ""),
        )

    if check:
        after = add(record)
        written = after != record
    else:
        after, written = update_record(client, pool, add)
    latest = after.latest
    return PublishedRevision(stored, target, latest.number if latest else 0, created or written)


def _refuse_bad_config(record: Record, target: Target) -> None:
    refusal = record.refusal_to_publish(target)
    if refusal is not None:
        raise RolloutRefused([refusal])


def _get_or_create(client: Client, bundle: dict[str, Any], check: bool) -> tuple[dict[str, Any], bool]:
    """Return the ConfigMap of a bundle, and whether it was created."""
    namespace, name = bundle["metadata"]["namespace"], bundle["metadata"]["name"]
    path = config_map(namespace, name)
    present = client.find(path)
    if present is not None:
        return present, False
    try:
        created = client.create(config_maps(namespace), bundle, dry_run=check)
        return (bundle if check else created), True  # a dry run returns a uid that no object will ever have
    except AlreadyExists:
        return client.get(path), False
    except NotFound as error:
        if check:
            return bundle, True  # the first --check runs before the namespace exists
        raise RolloutError(missing_namespace(namespace)) from error


def _target(config_map_object: dict[str, Any]) -> Target:
    """Return the target of a bundle from build_bundle or the API, published or (in check mode) not yet."""
    metadata = dict(config_map_object["metadata"])
    uid = metadata.get("uid", "")
    # A bundle without a uid is checked like a published one: the nil uid stands in for the check only.
    metadata["uid"] = uid or "00000000-0000-0000-0000-000000000000"
    try:
        bundle = Bundle.from_config_map({**config_map_object, "metadata": metadata})
    except InvalidBundle as error:
        raise RolloutError(str(error)) from error
    return replace(_target_of(bundle), uid=uid)


def _target_of(bundle: Bundle) -> Target:
    source = bundle.source
    return Target(
        source.name,
        source.namespace,
        source.uid,
        bundle.content_hash,
        tuple(sorted(bundle.documents)),
        bundle.trial,
    )


def find_undo_revision(record: Record, to_revision: int | None = None) -> Revision | None:
    """Return the revision that an undo goes to, None for the init config.

    to_revision: its number, 0 for the init config. The default is the newest revision before the present one whose
    rollout is complete and that is not known to be bad; an undo that was started continues to its revision. Raises
    RolloutError when there is no such revision.
    """
    if to_revision == 0:
        return None
    if to_revision is not None:
        for revision in record.revisions:
            if revision.number == to_revision:
                return revision
        known = ", ".join(str(revision.number) for revision in record.revisions) or "none"
        raise RolloutError(f"pool {record.pool} has no revision {to_revision}: it has {known}; 0 is the init config")
    if record.rollout is None:
        raise RolloutError(f"pool {record.pool} has never been rolled out: there is nothing to undo")
    rollout, latest = record.rollout, record.latest
    if not rollout.has_ended and (rollout.target.is_init or (latest is not None and rollout.revision < latest.number)):
        # An undo that was killed or paused continues; it does not skip another revision.
        return record.revision_of(rollout.target)
    if record.rollout.target.is_init:
        raise RolloutError(f"pool {record.pool} is on the init config: there is nothing before it")
    present = record.rollout.revision
    excluded = {bad.uid for bad in record.bad_configs} | {record.rollout.target.uid}
    for revision in reversed(record.revisions):
        if revision.number < present and revision.result == COMPLETE and revision.uid not in excluded:
            return revision
    return None


def read_target(client: Client, revision: Revision | None) -> Target:
    """Return the verified target of a revision; None is the init config. Raises RolloutError, KubeError."""
    if revision is None:
        return Target.init()
    where = f"revision {revision.number} (ConfigMap {revision.namespace}/{revision.name})"
    if revision.pruned:
        raise RolloutError(
            f"{where} was pruned at {revision.pruned}: publish its config again with configok.node.rollout, or undo to "
            "another revision"
        )
    source = ConfigSource(revision.namespace, revision.name, revision.uid)
    try:
        bundle_map = client.get(config_map(revision.namespace, revision.name))
        return _target_of(Bundle.from_config_map(bundle_map, source))
    except NotFound as error:
        raise RolloutError(f"{where} was deleted: publish its config again") from error
    except InvalidBundle as error:
        raise RolloutError(f"{where} cannot be used: {error}") from error


def missing_bundle(client: Client, target: Target) -> str:
    """Return why nodes can no longer fetch the bundle, "" while they can or while the API server does not say."""
    source = target.source
    if source is None:
        return ""
    try:
        bundle_map = client.get(config_map(source.namespace, source.name), metadata_only=True)
    except NotFound:
        return f"the bundle {source.name} was deleted: run the rollout again, which publishes it anew"
    except KubeError:
        return ""
    if bundle_map["metadata"].get("uid") == source.uid:
        return ""
    return f"the bundle {source.name} was deleted and made again: run the rollout again, which assigns the new one"
