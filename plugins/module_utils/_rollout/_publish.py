# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishing a bundle, and writing it down as a revision of its pool. Private to configok.node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._kube._client import Client
from .._kube._errors import AlreadyExists, NotFound
from .._kube._paths import config_map, config_maps
from .._nodeconfig._bundle import InvalidBundle
from .._nodeconfig._names import ANNOTATION_AUTHOR, ANNOTATION_CHANGE_CAUSE, LABEL_POOL
from ._clock import Clock
from ._errors import RolloutError, RolloutRefused
from ._record import Record
from ._record_store import read_record, update_record
from ._target import Target

__all__ = ["Published", "publish"]


@dataclass(frozen=True)
class Published:
    """A bundle in the cluster. config_map: the object (check mode: without uid when it is not there yet)."""

    config_map: dict[str, Any]
    target: Target
    revision: int
    changed: bool


def publish(client: Client, bundle: dict[str, Any], *, clock: Clock, check: bool = False) -> Published:
    """Create the ConfigMap that _nodeconfig's build_bundle made, unless it is there, and record it as the latest
    revision.

    The same content gives the same object and revision: doing it again changes nothing. check: let the API
    server judge the bundle (dryRun=All), and change nothing. Raises
    RolloutRefused for a config that failed in this pool before, RolloutError, KubeError.
    """
    pool = bundle["metadata"]["labels"][LABEL_POOL]
    record = read_record(client, pool)
    _refuse_bad(record, _target(bundle))
    stored, created = _stored(client, bundle, check)
    target = _target(stored)
    if stored["data"] != bundle["data"]:
        raise RolloutError(
            f"the ConfigMap {target.name} is there and holds something else: its name has ten digits of the hash only, "
            "so that this is no accident. Find out who created it, and delete it"
        )
    annotations = bundle["metadata"].get("annotations") or {}

    def add(current: Record) -> Record:
        _refuse_bad(current, target)
        if current.latest is not None and current.latest.uid == target.uid:
            return current
        return current.with_revision(
            target,
            time=clock.now(),
            author=annotations.get(ANNOTATION_AUTHOR, ""),
            cause=annotations.get(ANNOTATION_CHANGE_CAUSE, ""),
        )

    if check:
        after = add(record)
        written = after != record
    else:
        after, written = update_record(client, pool, add)
    latest = after.latest
    return Published(stored, target, latest.number if latest else 0, created or written)


def _refuse_bad(record: Record, target: Target) -> None:
    refusal = record.refusal_to_publish(target)
    if refusal is not None:
        raise RolloutRefused([refusal])


def _stored(client: Client, bundle: dict[str, Any], check: bool) -> tuple[dict[str, Any], bool]:
    namespace, name = bundle["metadata"]["namespace"], bundle["metadata"]["name"]
    path = config_map(namespace, name)
    try:
        return client.get(path), False
    except NotFound:
        pass
    try:
        created = client.create(config_maps(namespace), bundle, dry_run=check)
        return (bundle if check else created), True  # what a dry run returns has a uid that nothing will ever have
    except AlreadyExists:
        return client.get(path), False
    except NotFound as error:
        if check:
            return bundle, True  # the first --check comes before the namespace
        raise RolloutError(
            f"the namespace {namespace} does not exist: prepare the cluster with the role configok.node.cluster"
        ) from error


def _target(config_map_object: dict[str, Any]) -> Target:
    try:
        return Target.of_config_map(config_map_object)
    except InvalidBundle as error:
        raise RolloutError(str(error)) from error
