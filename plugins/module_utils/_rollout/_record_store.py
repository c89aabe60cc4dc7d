# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record as a ConfigMap, checked both ways. Private to configok.node."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from .._kube._api_client import Client
from .._kube._api_errors import Conflict, NotFound
from .._kube._api_paths import config_map, config_maps
from .._nodeconfig._assignment import ConfigSource, InvalidConfigSource
from .._nodeconfig._bundle_trial import InvalidTrial
from .._nodeconfig._well_known import LABEL_POOL, NAMESPACE_ROLLOUTS, missing_namespace
from ._plan import Target, Wave
from ._record import BadConfig, ClearedConfig, FailedNode, Record, Revision, Rollout
from ._rollout_errors import InvalidRecord, RolloutError
from ._timing import Clock

__all__ = ["FORMAT", "MAX_BYTES", "decode_record", "encode_record", "clear_bad_config", "read_record", "update_record"]

FORMAT = 1
MAX_BYTES = 1024 * 1024 - 16 * 1024  # what a ConfigMap may hold, less room for metadata
_MAX_UNPACKED = 16 * 1024 * 1024
_KEY = "record"
_KEY_NODES = "nodes"


def encode_record(record: Record, *, resource_version: str = "") -> dict[str, Any]:
    """Return the ConfigMap that holds the record. Raises InvalidRecord when it would not fit.

    Key "record" is JSON for people and tools. Key "nodes" holds the frozen waves, and what each node used before, as
    base64 of zlib: the names of 15,000 nodes would not fit otherwise.
    """
    data = {_KEY: json.dumps(_encode(record), indent=1)}
    if record.rollout is not None:
        data[_KEY_NODES] = _pack(_encode_nodes(record.rollout))
    size = sum(len(text.encode()) for text in data.values())
    if size > MAX_BYTES:
        raise InvalidRecord(f"the record of pool {record.pool} would have {size} bytes, a ConfigMap holds {MAX_BYTES}")
    metadata: dict[str, Any] = {
        "name": record.pool,
        "namespace": NAMESPACE_ROLLOUTS,
        "labels": {LABEL_POOL: record.pool},
    }
    if resource_version:
        metadata["resourceVersion"] = resource_version
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def decode_record(config_map: Mapping[str, Any]) -> Record:
    """Read a ConfigMap that encode_record made. Raises InvalidRecord with a sentence that names it."""
    name = str((config_map.get("metadata") or {}).get("name", ""))
    where = f"the record of pool {name} (ConfigMap {NAMESPACE_ROLLOUTS}/{name})"
    data = config_map.get("data") or {}
    try:
        value = json.loads(data[_KEY])
        if value["format"] != FORMAT:
            raise InvalidRecord(f"{where} has format {value['format']!r}, this version knows only {FORMAT}")
        if value["pool"] != name:
            raise InvalidRecord(f"{where} says that it is of pool {value['pool']!r}")
        return _decode(value, data)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, zlib.error, binascii.Error) as error:
        what = f"{type(error).__name__}: {str(error)[:200]}"
        raise InvalidRecord(f"{where} is damaged ({what}): restore it, or delete it to begin a new history") from error


def _encode(record: Record) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "pool": record.pool,
        "rollout": None if record.rollout is None else _encode_rollout(record.rollout),
        # Version 0.1.0 reads a bad config with its own fields only, so what came later stands beside them.
        "bad": [{key: text for key, text in vars(one).items() if key != "confirmed"} for one in record.bad_configs],
        "unconfirmed": [one.uid for one in record.bad_configs if not one.confirmed],
        "forgotten": [dict(vars(one)) for one in record.cleared_configs],
        "revisions": [dict(vars(one)) for one in record.revisions],
    }


def _encode_rollout(rollout: Rollout) -> dict[str, Any]:
    return {
        "phase": rollout.phase,
        "reason": rollout.reason,
        "revision": rollout.revision,
        "target": rollout.target.to_dict(),
        "started": rollout.started_at,
        "changed": rollout.changed_at,
        "runner": rollout.runner,
        "size": rollout.size,
        "selector": rollout.selector,
        "finished": rollout.waves_done,
        "cursor": rollout.assigned_up_to,
        "takingBack": rollout.is_rolling_back,
        "forgetBad": rollout.forget_bad,
        "waves": [{"name": wave.name, "nodes": len(wave.nodes), "soak": wave.soak} for wave in rollout.waves],
        "exceptions": [dict(vars(one)) for one in rollout.failed_nodes],
    }


def _encode_nodes(rollout: Rollout) -> dict[str, Any]:
    sources: list[ConfigSource | None] = []
    places: dict[ConfigSource | None, int] = {}
    for source in rollout.previous_sources.values():
        if source not in places:
            places[source] = len(sources)
            sources.append(source)
    moving = (
        rollout.waves[rollout.waves_done].nodes
        if rollout.soaked_seconds and rollout.waves_done < len(rollout.waves)
        else ()
    )
    return {
        "waves": [list(wave.nodes) for wave in rollout.waves],
        "soaked": [rollout.soaked_seconds.get(name, 0) for name in moving],
        "down": list(rollout.not_ready_at_start),
        "returning": list(rollout.rolling_back),
        "already": list(rollout.already_on_target),
        "sources": [None if source is None else source.to_dict() for source in sources],
        "before": [
            [places[rollout.previous_sources[node]] if node in rollout.previous_sources else -1 for node in wave.nodes]
            for wave in rollout.waves
        ],
    }


def _pack(value: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()


def _unpack(text: str) -> Any:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), _MAX_UNPACKED)
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError("the nodes are cut off, or too many")
    return json.loads(data)


def _decode(value: dict[str, Any], data: Mapping[str, str]) -> Record:
    rollout = value["rollout"]
    return Record(
        pool=str(value["pool"]),
        revisions=tuple(_decode_revision(one) for one in value["revisions"]),
        bad_configs=tuple(
            BadConfig(**_texts(BadConfig, one, "confirmed"), confirmed=one["uid"] not in value.get("unconfirmed", ()))
            for one in value["bad"]
        ),
        cleared_configs=tuple(
            ClearedConfig(**_texts(ClearedConfig, one, "assigned"), assigned=bool(one["assigned"]))
            for one in value.get("forgotten", ())
        ),
        rollout=None if rollout is None else _decode_rollout(rollout, _unpack(data[_KEY_NODES])),
    )


def _texts(kind: type[Any], value: Mapping[str, Any], *others: str) -> dict[str, str]:
    """Return the fields of a dataclass that are texts: all but the others. What a newer version added is left out."""
    names = {one.name for one in fields(kind)}.difference(others)
    return {key: str(text) for key, text in value.items() if key in names}


def _decode_revision(value: dict[str, Any]) -> Revision:
    number = int(value["number"])
    return Revision(number, **_texts(Revision, value, "number"))


def _decode_rollout(value: dict[str, Any], nodes: dict[str, Any]) -> Rollout:
    if [len(names) for names in nodes["waves"]] != [wave["nodes"] for wave in value["waves"]]:
        raise ValueError("its waves do not have the nodes that it says")
    try:
        target = Target.from_dict(value["target"])
        sources = [None if one is None else ConfigSource.from_dict(one) for one in nodes["sources"]]
    except (InvalidTrial, InvalidConfigSource) as error:
        raise ValueError(str(error)) from error
    before = {
        str(name): sources[place]
        for names, places in zip(nodes["waves"], nodes["before"])
        for name, place in zip(names, places)
        if place >= 0
    }
    finished = int(value["finished"])
    # Records of older versions do not have it.
    moving = nodes["waves"][finished] if nodes.get("soaked") else []
    soaked = {str(name): int(seconds) for name, seconds in zip(moving, nodes.get("soaked") or ()) if seconds}
    return Rollout(
        revision=int(value["revision"]),
        target=target,
        phase=str(value["phase"]),
        waves=tuple(
            Wave(str(wave["name"]), tuple(str(name) for name in names), float(wave["soak"]))
            for wave, names in zip(value["waves"], nodes["waves"])
        ),
        size=int(value["size"]),
        started_at=str(value["started"]),
        changed_at=str(value["changed"]),
        waves_done=finished,
        assigned_up_to=int(value["cursor"]),
        reason=str(value["reason"]),
        runner=str(value["runner"]),
        not_ready_at_start=tuple(str(name) for name in nodes["down"]),
        failed_nodes=tuple(FailedNode(**_texts(FailedNode, one)) for one in value["exceptions"]),
        previous_sources=before,
        is_rolling_back=bool(value["takingBack"]),
        forget_bad=bool(value.get("forgetBad", False)),
        rolling_back=tuple(str(name) for name in nodes.get("returning", ())),
        soaked_seconds=soaked,
        selector=str(value.get("selector", "")),  # older versions did not write it down
        already_on_target=tuple(str(name) for name in nodes.get("already", ())),
    )


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
        raise RolloutError(missing_namespace(NAMESPACE_ROLLOUTS)) from error


def clear_bad_config(
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
        return record if bad is None else record.with_cleared_config(bad, reason=reason, author=author, time=now)

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
    for bad in record.bad_configs:
        if bad.name == name:
            return bad
    if any(one.name == name for one in record.cleared_configs):
        return None
    known = ", ".join(bad.name for bad in record.bad_configs)
    advice = f"it refuses {known}: name one of them as bundle" if known else "it refuses none"
    raise RolloutError(f"pool {record.pool} does not refuse {name or 'a config'}: {advice}")


def _last(record: Record) -> str:
    return record.rollout.target.name if record.rollout is not None else ""
