# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish bundles as revisions of their pool; find and read the revision that an undo goes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import AlreadyExists, Forbidden, KubeError, NotFound
from ..._kube.api_paths import config_map, config_maps
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle import Bundle, InvalidBundle
from ..._nodeconfig.well_known import (
    ANNOTATION_AUTHOR,
    ANNOTATION_CHANGE_CAUSE,
    LABEL_POOL,
    missing_namespace,
)
from ..._trust.statement import InvalidStatement, Statement
from .. import RolloutError, RolloutRefused
from ..plan import Target
from .record import COMPLETE, Record, Revision
from .record_store import read_record, update_record

Endorse = Callable[[dict[str, Any], Record], dict[str, Any]]  # returns a bundle with its statement and signatures
# Returns whether the statement of a published bundle is genuine, so that its numbers count. Raises RolloutRefused.
Vouch = Callable[[Bundle, Statement, Record], bool]


@dataclass(frozen=True)
class PublishedRevision:
    """A published bundle.

    config_map: the object, in check mode without uid if it does not exist yet. created: whether it is new. is_recorded:
    whether the record has it; otherwise the next rollout adds it, as this revision.
    """

    config_map: dict[str, Any]
    target: Target
    revision: int
    changed: bool
    created: bool = False
    is_recorded: bool = True


def publish_bundle(
    client: Client,
    bundle: dict[str, Any],
    *,
    now: str,
    check: bool = False,
    endorse: Endorse | None = None,
    vouch: Vouch | None = None,
) -> PublishedRevision:
    """Create the ConfigMap of a bundle, unless it exists, and record it as the latest revision.

    The same content gives the same object and revision, so publishing it again changes nothing, and signs nothing.
    endorse: is called before a bundle is created. vouch: is called for a statement that was published before and that
    the record does not know; without it, the numbers of that statement do not count. check: let the API server
    validate the bundle (dryRun=All), and change nothing. An identity that may not write records publishes without a
    revision. Raises RolloutRefused for a config that failed in this pool before, RolloutError, KubeError.
    """
    pool = bundle["metadata"]["labels"][LABEL_POOL]
    record = read_record(client, pool)
    _refuse_bad_config(record, _target(bundle))
    stored, created = _get_or_create(client, bundle, check, lambda new: endorse(new, record) if endorse else new)
    target = _target(stored)
    if stored["data"] != bundle["data"]:
        raise RolloutError(
            f"the ConfigMap {target.name} exists with other content: its name has only ten digits of the hash, "
            "so this is not an accident. Find out who created it, and delete it"
        )
    annotations = bundle["metadata"].get("annotations") or {}
    statement = read_statement(stored)
    is_genuine = statement is not None and (
        created
        or record.has_statement(target.uid, statement.sequence, statement.floor)
        or (vouch is not None and vouch(parse_bundle(stored), statement, record))
    )
    numbers = {"sequence": statement.sequence, "floor": statement.floor} if statement and is_genuine else {}

    def add(current: Record) -> Record:
        _refuse_bad_config(current, target)
        if current.latest is not None and current.latest.uid == target.uid:
            # The record of a neighbouring version may have lost the numbers, or the bundle was signed since.
            return current.with_statement(target.uid, **numbers) if numbers else current
        return current.with_revision(
            target,
            time=now,
            author=annotations.get(ANNOTATION_AUTHOR, ""),
            cause=annotations.get(ANNOTATION_CHANGE_CAUSE, ""),
            **numbers,
        )

    if check:
        after = add(record)
        written = after != record
    else:
        try:
            after, written = update_record(client, pool, add)
        except Forbidden:
            planned = add(record)
            if planned == record:
                raise  # nothing was to be written: the identity may not read
            number = planned.latest.number if planned.latest else 0
            return PublishedRevision(stored, target, number, created, created, is_recorded=False)
    latest = after.latest
    return PublishedRevision(stored, target, latest.number if latest else 0, created or written, created)


def record_machines(
    client: Client, pool: str, target: Target, *, author: str, cause: str, now: str
) -> tuple[Revision, bool]:
    """Record what Machines declare as the latest revision, unless it is that already, or is rolled out now.

    Return the revision, and whether it was written. Raises RolloutRefused for a target that has failed before,
    RolloutError, KubeError.
    """

    def add(record: Record) -> Record:
        _refuse_bad_config(record, target)
        if record.declared_revision(target) is not None:
            return record
        return record.with_revision(target, time=now, author=author, cause=cause)

    record, written = update_record(client, pool, add)
    revision = record.declared_revision(target)
    if revision is None:
        raise RolloutError(f"the record of pool {pool} has lost its revisions while it was written: run it again")
    return revision, written


def read_statement(config_map_object: dict[str, Any]) -> Statement | None:
    """Return the statement of a bundle's ConfigMap, None without one about this content. Raises RolloutError."""
    return bundle_statement(parse_bundle(config_map_object))


def foreign_statement(name: str, statement: Statement, pool: str) -> str:
    """Return why a published bundle is not used: another party has given it a statement."""
    return (
        f"the ConfigMap {name} is there with a statement (sequence {statement.sequence}, floor {statement.floor}) that "
        f"neither a signer of this run nor the record of pool {pool} vouches for: find out who created it, and delete "
        "it, or publish a change"
    )


def bundle_statement(bundle: Bundle) -> Statement | None:
    """Return the statement of a bundle, None without one about its content."""
    try:
        statement = Statement.parse(bundle.statement) if bundle.statement else None
    except InvalidStatement:
        return None
    is_its_own = statement is not None and (statement.pool, statement.content_hash) == (
        bundle.pool,
        bundle.content_hash,
    )
    return statement if is_its_own else None


def _refuse_bad_config(record: Record, target: Target) -> None:
    refusal = record.refusal_to_publish(target)
    if refusal is not None:
        raise RolloutRefused([refusal])


def _get_or_create(
    client: Client, bundle: dict[str, Any], check: bool, endorse: Callable[[dict[str, Any]], dict[str, Any]]
) -> tuple[dict[str, Any], bool]:
    """Return the ConfigMap of a bundle, and whether it was created."""
    namespace, name = bundle["metadata"]["namespace"], bundle["metadata"]["name"]
    path = config_map(namespace, name)
    present = client.find(path)
    if present is not None:
        return present, False
    bundle = endorse(bundle)
    try:
        created = client.create(config_maps(namespace), bundle, dry_run=check)
        return (bundle if check else created), True  # a dry run returns a uid that no object will ever have
    except AlreadyExists:
        return client.get(path), False
    except NotFound as error:
        if check:
            return bundle, True  # the first --check runs before the namespace exists
        raise RolloutError(missing_namespace(namespace)) from error
    except Forbidden as error:
        raise RolloutError(
            f"{name} is not published yet, and may not be created with these credentials: publish it with "
            f"configok.node.config_bundle and those of a publisher, then run it again ({error})"
        ) from error


def _target(config_map_object: dict[str, Any]) -> Target:
    """Return the target of a bundle from build_bundle or the API, published or (in check mode) not yet."""
    return replace(target_of(parse_bundle(config_map_object)), uid=config_map_object["metadata"].get("uid", ""))


def parse_bundle(config_map_object: dict[str, Any]) -> Bundle:
    """Return the verified bundle of a ConfigMap; a bundle that is not published has the nil uid. Raises RolloutError.

    The nil uid stands in for the check only.
    """
    metadata = dict(config_map_object["metadata"])
    metadata["uid"] = metadata.get("uid", "") or "00000000-0000-0000-0000-000000000000"
    try:
        return Bundle.from_config_map({**config_map_object, "metadata": metadata})
    except InvalidBundle as error:
        raise RolloutError(str(error)) from error


def target_of(bundle: Bundle) -> Target:
    """Return a bundle as the target of a rollout."""
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
    if rollout.target.is_machines:
        raise RolloutError(
            f"{record.pool} is a rollout of Machines: change the Machine files back, and run configok.node.machines"
        )
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
    if not revision.namespace:
        raise RolloutError(
            f"revision {revision.number} of {revision.name} is what Machine files declared: change the files back, and "
            "run configok.node.machines"
        )
    if revision.pruned:
        raise RolloutError(
            f"{where} was pruned at {revision.pruned}: publish its config again with configok.node.rollout, or undo to "
            "another revision"
        )
    source = ConfigSource(revision.namespace, revision.name, revision.uid)
    try:
        bundle_map = client.get(config_map(revision.namespace, revision.name))
        return target_of(Bundle.from_config_map(bundle_map, source))
    except NotFound as error:
        raise RolloutError(f"{where} was deleted: publish its config again") from error
    except InvalidBundle as error:
        raise RolloutError(f"{where} cannot be used: {error}") from error


def missing_bundle(client: Client, source: ConfigSource, *, of_machines: bool = False) -> str:
    """Return why nodes can no longer fetch a bundle, "" while they can or while the API server does not say."""
    advice = "publish it again, or name another in the Machine files" if of_machines else "run the rollout again"
    try:
        bundle_map = client.get(config_map(source.namespace, source.name), metadata_only=True)
    except NotFound:
        return f"the bundle {source.name} was deleted: {advice}" + ("" if of_machines else ", which publishes it again")
    except KubeError:
        return ""
    if bundle_map["metadata"].get("uid") == source.uid:
        return ""
    advice = "run it again" if of_machines else advice
    return f"the bundle {source.name} was deleted and made again: {advice}, which assigns the new one"
