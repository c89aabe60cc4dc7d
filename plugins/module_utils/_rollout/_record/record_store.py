# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record as a ConfigMap: encode, decode, read and update it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from ..._foreign import load_json
from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, KubeError, NotFound
from ..._kube.api_paths import config_map, config_maps
from ..._nodeconfig.assignment import ConfigSource, InvalidConfigSource
from ..._nodeconfig.bundle_trial import InvalidTrial
from ..._nodeconfig.strict_mapping import integer
from ..._nodeconfig.well_known import LABEL_POOL, NAMESPACE_ROLLOUTS, missing_namespace
from .. import InvalidRecord, RolloutError
from ..plan import Target, Wave
from ._control import RECORD_KEYS, Control
from .record import (
    BadConfig,
    ClearedConfig,
    FailedNode,
    PresentWave,
    PreviousMachine,
    Record,
    Revision,
    Rollout,
    RolloutStart,
    TimelineEntry,
)

FORMAT = 1
MAX_BYTES = 1024 * 1024 - 16 * 1024  # the limit of a ConfigMap, minus room for metadata
_MAX_UNPACKED = 16 * 1024 * 1024
_MAX_SECONDS = 2**31
_RECORD_KEY, _NODES_KEY = RECORD_KEYS
_count = integer(0, 2**63 - 1)
_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {"int": _count, "bool": bool}  # by the type of a field; else a text
_Flat = TypeVar("_Flat")


def encode_record(
    record: Record, *, resource_version: str = "", packed_nodes: PackedNodes | None = None
) -> dict[str, Any]:
    """Return the ConfigMap of a record. Raises InvalidRecord when it would not fit.

    Key "record" is human-readable JSON. Key "nodes" holds the frozen waves and the previous source of each node,
    as base64 of zlib: the names of 15,000 nodes would not fit otherwise. The keys of the control are plain text, so
    that a person can write them. packed_nodes: keeps the text of "nodes" between records of the same rollout.
    """
    data = {_RECORD_KEY: json.dumps(_encode(record), indent=1), **record.control.to_data()}
    if record.rollout is not None:
        data[_NODES_KEY] = (packed_nodes or PackedNodes()).text_of(record.rollout)
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
    """Decode the ConfigMap of a record. Raises InvalidRecord, whose message names it."""
    name = str((config_map.get("metadata") or {}).get("name", ""))
    where = f"the record of pool {name} (ConfigMap {NAMESPACE_ROLLOUTS}/{name})"
    data = config_map.get("data") or {}
    try:
        value = load_json(data[_RECORD_KEY])
        if value["format"] != FORMAT:
            raise InvalidRecord(f"{where} has format {value['format']!r}, this version knows only {FORMAT}")
        if value["pool"] != name:
            raise InvalidRecord(f"{where} says that it is of pool {value['pool']!r}")
        return _decode(value, data)
    except (LookupError, TypeError, ValueError, AttributeError, zlib.error) as error:
        cause = f"{type(error).__name__}: {str(error)[:200]}"
        raise InvalidRecord(f"{where} is damaged ({cause}): restore it, or delete it to begin a new history") from error


def decode_records(items: Iterable[Mapping[str, Any]]) -> tuple[list[Record], list[str]]:
    """Return the records in ConfigMaps, and a sentence for each that cannot be read."""
    records, unreadable = [], []
    for item in items:
        try:
            records.append(decode_record(item))
        except InvalidRecord as error:
            unreadable.append(str(error))
    return records, unreadable


def _encode(record: Record) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "pool": record.pool,
        "rollout": None if record.rollout is None else _encode_rollout(record.rollout),
        "bad": [{key: text for key, text in vars(bad).items() if key != "confirmed"} for bad in record.bad_configs],
        "unconfirmed": [_identity(vars(bad)) for bad in record.bad_configs if not bad.confirmed],
        "forgotten": [dict(vars(cleared)) for cleared in record.cleared_configs],
        "revisions": [_encode_revision(revision) for revision in record.revisions],
    }


def _identity(bad: Mapping[str, Any]) -> str:
    """Return what names a bad config: the uid of a bundle, the hash of Machines."""
    return str(bad["uid"] or bad["content_hash"])


def _encode_revision(revision: Revision) -> dict[str, Any]:
    """Return a revision as plain data; without a statement it has no sequence and no floor."""
    value = dict(vars(revision))
    if not revision.sequence:
        del value["sequence"], value["floor"]
    return value


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
        "selector": rollout.start.selector,
        "finished": rollout.waves_done,
        "cursor": rollout.present_wave.assigned_up_to,
        "takingBack": rollout.is_rolling_back,
        "forgetBad": rollout.start.forget_bad,
        "waves": [{"name": wave.name, "nodes": len(wave.nodes), "soak": wave.soak} for wave in rollout.waves],
        "exceptions": [dict(vars(failed)) for failed in rollout.failed_nodes],
        "timeline": [dict(vars(entry)) for entry in rollout.timeline],
    }


def _encode_nodes(rollout: Rollout) -> dict[str, Any]:
    start, present_wave = rollout.start, rollout.present_wave
    sources: list[ConfigSource | None] = []
    indexes: dict[ConfigSource | None, int] = {}
    for source in start.previous_sources.values():
        if source not in indexes:
            indexes[source] = len(sources)
            sources.append(source)
    machines = start.previous_machines
    moving = (
        rollout.waves[rollout.waves_done].nodes
        if present_wave.soaked_seconds and rollout.waves_done < len(rollout.waves)
        else ()
    )
    return {
        "waves": [list(wave.nodes) for wave in rollout.waves],
        "soaked": [present_wave.soaked_seconds.get(name, 0) for name in moving],
        "down": list(present_wave.not_ready_at_start),
        "returning": list(rollout.rolling_back),
        "already": list(start.already_on_target),
        "sources": [None if source is None else source.to_dict() for source in sources],
        "before": [
            [indexes[start.previous_sources[node]] if node in start.previous_sources else -1 for node in wave.nodes]
            for wave in rollout.waves
        ],
        **({"machines": {name: list(was) for name, was in machines.items()}} if machines else {}),
    }


class PackedNodes:
    """The text of the key "nodes", which is packed again only when a rollout has changed in it: that takes a while."""

    def __init__(self) -> None:
        self._parts: tuple[Any, ...] = ()
        self._text = ""

    def text_of(self, rollout: Rollout) -> str:
        """Return the text for a rollout."""
        parts = (
            rollout.waves,
            rollout.present_wave.soaked_seconds,
            rollout.present_wave.not_ready_at_start,
            rollout.rolling_back,
            rollout.start,
        )
        has_soaked = bool(rollout.present_wave.soaked_seconds)  # of the nodes of the wave that moves
        is_same = len(parts) == len(self._parts) and all(old is new for old, new in zip(self._parts, parts))
        if not is_same or has_soaked:
            self._parts, self._text = parts, _pack(_encode_nodes(rollout))
        return self._text


def _pack(value: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()


def _unpack(text: str) -> Any:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), _MAX_UNPACKED)
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError("the nodes are cut off, or too many")
    return load_json(data)


def _decode(value: dict[str, Any], data: Mapping[str, str]) -> Record:
    rollout, unconfirmed = value["rollout"], value["unconfirmed"]
    return Record(
        pool=str(value["pool"]),
        revisions=tuple(_decode_flat(Revision, revision) for revision in value["revisions"]),
        bad_configs=tuple(
            _decode_flat(BadConfig, bad, confirmed=_identity(bad) not in unconfirmed) for bad in value["bad"]
        ),
        cleared_configs=tuple(
            _decode_flat(ClearedConfig, cleared, assigned=cleared["assigned"]) for cleared in value["forgotten"]
        ),
        rollout=None if rollout is None else _decode_rollout(rollout, _unpack(data[_NODES_KEY])),
        control=Control.from_data(data),
    )


def _decode_flat(kind: type[_Flat], value: Mapping[str, Any], **more: Any) -> _Flat:
    """Return a dataclass of texts, whole numbers and booleans. Omits fields, and keeps words, of a newer version.

    more: fields that replace those of the value.
    """
    converters = {part.name: _CONVERTERS.get(str(part.type), str) for part in fields(cast(Any, kind))}
    return kind(**{key: converters[key](part) for key, part in {**value, **more}.items() if key in converters})


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _MAX_SECONDS:
        raise ValueError(f"{str(value)[:20]} is not a number of seconds")
    return float(value)


def _decode_rollout(value: dict[str, Any], nodes: dict[str, Any]) -> Rollout:
    if [len(names) for names in nodes["waves"]] != [wave["nodes"] for wave in value["waves"]]:
        raise ValueError("its waves do not have the nodes that it says")
    try:
        target = Target.from_dict(value["target"])
        sources = [None if source is None else ConfigSource.from_dict(source) for source in nodes["sources"]]
    except (InvalidTrial, InvalidConfigSource) as error:
        raise ValueError(str(error)) from error
    previous_sources = {
        str(name): sources[index]
        for names, indexes in zip(nodes["waves"], nodes["before"])
        for name, index in zip(names, indexes)
        if index >= 0
    }
    waves_done = _count(value["finished"])
    if waves_done > len(nodes["waves"]):
        raise ValueError("more of its waves have ended than it has")
    moving = nodes["waves"][waves_done] if nodes["soaked"] else []
    soaked = {str(name): _count(seconds) for name, seconds in zip(moving, nodes["soaked"]) if seconds}
    return Rollout(
        revision=_count(value["revision"]),
        target=target,
        phase=str(value["phase"]),
        waves=tuple(
            Wave(str(wave["name"]), tuple(str(name) for name in names), _seconds(wave["soak"]))
            for wave, names in zip(value["waves"], nodes["waves"])
        ),
        size=_count(value["size"]),
        started_at=str(value["started"]),
        changed_at=str(value["changed"]),
        start=RolloutStart(
            selector=str(value["selector"]),
            forget_bad=bool(value["forgetBad"]),
            already_on_target=tuple(str(name) for name in nodes["already"]),
            previous_sources=previous_sources,
            previous_machines={
                str(name): PreviousMachine(*map(str, was)) for name, was in nodes.get("machines", {}).items()
            },
        ),
        waves_done=waves_done,
        present_wave=PresentWave(_count(value["cursor"]), tuple(str(name) for name in nodes["down"]), soaked),
        reason=str(value["reason"]),
        runner=str(value["runner"]),
        failed_nodes=tuple(_decode_flat(FailedNode, failed) for failed in value["exceptions"]),
        is_rolling_back=bool(value["takingBack"]),
        rolling_back=tuple(str(name) for name in nodes["returning"]),
        timeline=tuple(_decode_flat(TimelineEntry, entry) for entry in value["timeline"]),
    )


_MAX_ATTEMPTS = 8


def read_record(client: Client, pool: str) -> Record:
    """Return the record of a pool, an empty one for a pool without a record or a cluster without the namespace.

    Raises InvalidRecord, KubeError.
    """
    return _read_with_object(client, pool)[0]


class RecordStore:
    """Reads and writes the record of one pool.

    It keeps the record that it has read or written last, so that an update needs one request. Not safe for several
    threads.
    """

    def __init__(self, client: Client, pool: str) -> None:
        self._client = client
        self._pool = pool
        self._known: tuple[Record, dict[str, Any]] | None = None
        self._packed_nodes = PackedNodes()

    def read(self) -> Record:
        """Return the present record, an empty one for a pool without a record. Raises InvalidRecord, KubeError."""
        record, present = _read_with_object(self._client, self._pool)
        self._known = None if present is None else (record, present)
        return record

    def update(self, change: Callable[[Record], Record]) -> tuple[Record, bool]:
        """Change the record and write it with its resourceVersion; start again after a conflict.

        A write whose answer was lost finds the record that it meant to write, and has succeeded. Each new phase of the
        rollout is added to its timeline. change: receives the record, may be called again, and ends the update by
        raising. Returns the present record, and whether anything was written. Raises RolloutError, KubeError.
        """
        conflict: KubeError | None = None
        new_record: Record | None = None
        for _attempt in range(_MAX_ATTEMPTS):
            if self._known is None:
                self.read()
            record, present = self._known or (Record(self._pool), None)
            if record == new_record:
                return record, True
            changed_record = change(record)
            if changed_record == record:
                return record, False
            new_record = changed_record.with_timeline()
            try:
                self._known = (new_record, self._write(new_record, present))
                return new_record, True
            except (Conflict, NotFound) as error:  # AlreadyExists, too; NotFound: it was deleted since it was read
                conflict, self._known = error, None
        raise RolloutError(f"the record of pool {self._pool} changes too often to be written: {conflict}")

    def _write(self, record: Record, present: dict[str, Any] | None) -> dict[str, Any]:
        if present is None:
            return _create(self._client, record)
        version = str(present["metadata"].get("resourceVersion", ""))
        path = config_map(NAMESPACE_ROLLOUTS, self._pool)
        body = encode_record(record, resource_version=version, packed_nodes=self._packed_nodes)
        return self._client.replace(path, body)


def update_record(client: Client, pool: str, change: Callable[[Record], Record]) -> tuple[Record, bool]:
    """Read the record of a pool, change it and write it. The parameters and errors are those of RecordStore.update."""
    return RecordStore(client, pool).update(change)


def _read_with_object(client: Client, pool: str) -> tuple[Record, dict[str, Any] | None]:
    record_map = client.find(config_map(NAMESPACE_ROLLOUTS, pool))
    return (Record(pool) if record_map is None else decode_record(record_map)), record_map


def _create(client: Client, record: Record) -> dict[str, Any]:
    try:
        return client.create(config_maps(NAMESPACE_ROLLOUTS), encode_record(record))
    except NotFound as error:
        raise RolloutError(missing_namespace(NAMESPACE_ROLLOUTS)) from error
