# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Encodes and decodes a node's records: config in use, config to fall back to, answer.

A record is JSON of a versioned kind with the hash of its own content, by which damage is detected. An empty ``current``
or ``last-known-good`` stands for the local config.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from ..._foreign import load_json
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle_trial import Trial
from ..._nodeconfig.config_status import SignerStatus

API_VERSION = "agent.config.configok.dev/v1alpha1"


class DamagedFile(ValueError):
    """One of the agent's own files does not hold what it should; the text says what is wrong."""


def encode_document(kind: str, content: Mapping[str, Any]) -> bytes:
    value = {"apiVersion": API_VERSION, "kind": kind, **content}
    value["hash"] = _content_hash(value)
    return json.dumps(value, sort_keys=True, indent=1).encode() + b"\n"


def _content_hash(value: Mapping[str, Any]) -> str:
    hashed = {key: part for key, part in value.items() if key != "hash"}
    return hashlib.sha256(json.dumps(hashed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def decode_document(data: bytes, kind: str) -> dict[str, Any]:
    try:
        value = load_json(data)
    except ValueError as error:
        raise DamagedFile(f"it is not JSON: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != kind or value.get("apiVersion") != API_VERSION:
        raise DamagedFile(f"it is not a {kind} of {API_VERSION}")
    if value.get("hash") != _content_hash(value):
        raise DamagedFile("its content does not have the hash that it names")
    return value


@contextmanager
def raising_damaged_file(problem: str) -> Iterator[None]:
    """Raise DamagedFile, which begins with the problem, if the fields of a decoded file are not what they should be."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise DamagedFile(f"{problem}: {error!r}") from error


_WRONG_FIELD = "a field is missing or wrong"


def _seconds(value: Any) -> float:
    if not math.isfinite(float(value)):
        raise ValueError(f"{value} is not a number of seconds")
    return float(value)


_CONVERTERS: Mapping[type, Callable[[Any], Any]] = {
    bool: lambda value: value is True,
    float: _seconds,
    int: int,
    str: str,
}


class FieldCodec:
    """Encodes and decodes fields of a NamedTuple, each of the type of its default; one without a default is a text."""

    def __init__(self, kind: type[Any], keys: Mapping[str, str] | None = None) -> None:
        """Choose the fields. Raises KeyError for a field of a type that cannot be decoded.

        keys: the key of each field; None for all fields, each under its name.
        """
        self._keys = {name: name for name in kind._fields} if keys is None else dict(keys)
        self._converters = {name: _CONVERTERS[type(kind._field_defaults.get(name, ""))] for name in self._keys}

    def encode(self, value: Any) -> dict[str, Any]:
        """Return the fields as JSON-able data."""
        return {key: getattr(value, name) for name, key in self._keys.items()}

    def decode(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields from JSON-able data. Raises KeyError, TypeError, ValueError, OverflowError."""
        return {name: self._converters[name](value[key]) for name, key in self._keys.items()}


class RecordTrust(NamedTuple):
    """The signers of a bundle as they were verified at its adoption.

    audience, sequence, floor: of its statement, if it was trusted; a floor of 0 raises none. problem: why it was not
    trusted, but adopted all the same, "" if it was.
    """

    audience: str = ""
    sequence: int = 0
    floor: int = 0
    signers: tuple[SignerStatus, ...] = ()
    problem: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return this as JSON-able data; the keys are those of the record, and of ``status --json``."""
        return {**self._asdict(), "signers": [signer._asdict() for signer in self.signers]}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> RecordTrust:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError."""
        signers = tuple(SignerStatus(**_SIGNER.decode(signer)) for signer in value["signers"])
        return cls(**_TRUST.decode(value), signers=signers)


_SIGNER = FieldCodec(SignerStatus)
_TRUST = FieldCodec(RecordTrust, {name: name for name in ("audience", "sequence", "floor", "problem")})


class ConfigRecord(NamedTuple):
    """One adopted config: ``current`` or ``last-known-good``.

    source: None for the local config, which sets nothing else. files: SHA-256 of the file that each component of the
    bundle reads. boot_id, since_boot (seconds): when it was adopted; adopted_at (RFC 3339): the same, human-readable.
    healthy_seconds: of its trial, during which the components were healthy. seen_healthy: whether a probe found them so
    since the adoption. dropped_components: those that the config before had a file for and this one does not,
    so that they reverted to their init config. trust: None if bundles were not verified when it was adopted. doubt: why
    a failure would not be charged to this config, until it is seen healthy; "" if it would be.
    """

    source: ConfigSource | None = None
    content_hash: str = ""
    assignment: int = 0
    node_uid: str = ""
    adopted_at: str = ""
    boot_id: str = ""
    since_boot: float = 0.0
    trial: Trial = Trial()
    healthy_seconds: float = 0.0
    seen_healthy: bool = False
    files: Mapping[str, str] = {}
    dropped_components: tuple[str, ...] = ()
    trust: RecordTrust | None = None
    doubt: str = ""

    def adopted_in(self, boot_id: str) -> float:
        """Return when this config was adopted, in seconds since a boot; 0 if that was before, or is not recorded."""
        return self.since_boot if self.source is not None and self.boot_id == boot_id else 0.0

    def covers(self, component: str) -> bool:
        """Return whether this config decides what the component reads, so that its crashes count for its trial."""
        return self.source is None or component in self.files or component in self.dropped_components

    @property
    def uid(self) -> str | None:
        """The bundle's uid, None for the local config."""
        return None if self.source is None else self.source.uid

    @property
    def trial_passed(self) -> bool:
        """Return whether the config was healthy for its whole trial, even if last-known-good is lost."""
        return self.seen_healthy and self.healthy_seconds >= self.trial.duration

    def encode(self) -> bytes:
        """Return the file's content; empty for the local config."""
        if self.source is None:
            return b""
        content = {
            "source": self.source.to_dict(),
            **_RECORD.encode(self),
            "trial": {**_TRIAL.encode(self.trial), **_TRIAL_SO_FAR.encode(self)},
            "files": dict(self.files),
            "dropped": list(self.dropped_components),
        }
        if self.trust is not None:
            content["trust"] = self.trust.to_dict()
        return encode_document("ConfigRecord", content)

    @classmethod
    def decode(cls, data: bytes) -> ConfigRecord:
        """Read a file's content. Raises DamagedFile."""
        if not data:
            return LOCAL_CONFIG
        value = decode_document(data, "ConfigRecord")
        with raising_damaged_file(_WRONG_FIELD):
            trial = value["trial"]
            return cls(
                source=ConfigSource.from_dict(value["source"]),
                **_RECORD.decode(value),
                trial=Trial(**_TRIAL.decode(trial)),
                **_TRIAL_SO_FAR.decode(trial),
                files={str(name): str(digest) for name, digest in value["files"].items()},
                dropped_components=tuple(str(name) for name in value["dropped"]),
                trust=None if value.get("trust") is None else RecordTrust.from_dict(value["trust"]),
            )


_RECORD = FieldCodec(
    ConfigRecord,
    {
        "content_hash": "contentHash",
        "assignment": "assignment",
        "node_uid": "nodeUID",
        "adopted_at": "adoptedAt",
        "boot_id": "bootID",
        "since_boot": "sinceBoot",
    },
)
_TRIAL = FieldCodec(Trial, {"duration": "duration", "crash_loop_threshold": "crashLoopThreshold"})
_TRIAL_SO_FAR = FieldCodec(
    ConfigRecord, {"healthy_seconds": "healthySeconds", "seen_healthy": "seenHealthy", "doubt": "doubt"}
)
LOCAL_CONFIG = ConfigRecord()


def same_config(first: ConfigRecord | None, second: ConfigRecord | None) -> bool:
    """Return whether two records have the same content and the same files, whatever their uids."""
    if first is None or second is None:
        return False
    return first.content_hash == second.content_hash and dict(first.files) == dict(second.files)


_FLOORS = "TrustFloors"


def encode_floors(floors: Mapping[str, int]) -> bytes:
    """Return the content of the file with the floors, by audience: the lowest sequence that this node accepts."""
    return encode_document(_FLOORS, {"floors": dict(floors)})


def decode_floors(data: bytes) -> dict[str, int]:
    """Read the content of that file. Raises DamagedFile."""
    value = decode_document(data, _FLOORS)
    with raising_damaged_file(_WRONG_FIELD):
        return {str(audience): int(floor) for audience, floor in value["floors"].items()}


def raised_floors(floors: Mapping[str, int], *records: ConfigRecord | None) -> dict[str, int]:
    """Return the floors, raised to those of records: a lost or damaged file lowers none while a record has it."""
    raised = dict(floors)
    for record in records:
        trust = None if record is None else record.trust
        if trust is not None and trust.floor > raised.get(trust.audience, 0):
            raised[trust.audience] = trust.floor
    return raised


FailureKind = Literal["InvalidConfig", "Untrusted", "KnownBad", "CrashLoop", "NotHealthy"]


class AssignmentFailure(NamedTuple):
    """How an assignment failed on this node.

    text: the first error, the reason of the bad mark, or what the probe found. crashes: their number, for CrashLoop.
    within: the seconds in which it was not healthy, for NotHealthy. time: RFC 3339, of the bad mark for KnownBad.
    boot_id, since_boot: when it failed. adopted_since_boot: when the config was adopted, 0 if before that boot.
    suspect: whether last-known-good is failing as well. doubt: why the config may not be at fault, so that it is not
    marked bad; "" if it is charged with the failure.
    """

    kind: FailureKind
    uid: str
    text: str = ""
    crashes: int = 0
    within: float = 0.0
    time: str = ""
    boot_id: str = ""
    since_boot: float = 0.0
    adopted_since_boot: float = 0.0
    suspect: bool = False
    doubt: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the failure as JSON-able data; the keys are those of the record, and of ``status --json``."""
        return self._asdict()

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> AssignmentFailure:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError."""
        return cls(**_FAILURE.decode(value))


_FAILURE = FieldCodec(AssignmentFailure)


class Confirmation(NamedTuple):
    """The confirmation that an assignment asks for: that its config has been good without a break.

    after: for how many seconds. boot_id, since_boot: when it became good, "" while it is not. invocations: by
    component, the one that was good then: another one is a break. is_given: whether the assignment is confirmed.
    """

    after: float = 0.0
    boot_id: str = ""
    since_boot: float = 0.0
    invocations: Mapping[str, str] = {}
    is_given: bool = False

    @property
    def is_counting(self) -> bool:
        """Return whether the config is good, and the confirmation is not given yet."""
        return bool(self.boot_id) and not self.is_given

    def to_dict(self) -> dict[str, Any]:
        """Return the confirmation as JSON-able data."""
        return {**_CONFIRMATION.encode(self), "invocations": dict(self.invocations)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Confirmation:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError, AttributeError."""
        invocations = {str(name): str(invocation) for name, invocation in value["invocations"].items()}
        return cls(**_CONFIRMATION.decode(value), invocations=invocations)


_CONFIRMATION = FieldCodec(
    Confirmation, {"after": "after", "boot_id": "bootID", "since_boot": "sinceBoot", "is_given": "given"}
)


class AnsweredAssignment(NamedTuple):
    """The highest assignment that this node has answered, and how it failed (None if it has not).

    node_uid: of the Node object that asked. source: None if it asked for the local config. retried: whether the config
    was tried once more after a failure for which it may not be at fault. Otherwise, what has failed is tried again only
    when it is assigned again, so this outlives bad marks, which are kept for each version of a component.
    confirmation: None if the assignment asks for none.
    """

    node_uid: str = ""
    id: int = 0
    source: ConfigSource | None = None
    failure: AssignmentFailure | None = None
    retried: bool = False
    confirmation: Confirmation | None = None

    @property
    def waits_for_recovery(self) -> bool:
        """Return whether something follows when last-known-good is healthy again: the failure is not settled."""
        return self.failure is not None and (self.failure.suspect or (bool(self.failure.doubt) and not self.retried))

    def with_failure(self, failure: AssignmentFailure) -> AnsweredAssignment:
        """Return the same assignment with this failure. Its confirmation begins again, if it is tried again."""
        confirmation = None if self.confirmation is None else Confirmation(self.confirmation.after)
        return self._replace(failure=failure, confirmation=confirmation)

    @property
    def confirmed_id(self) -> int:
        """Return the id of the assignment if it is confirmed, otherwise 0."""
        return self.id if self.confirmation is not None and self.confirmation.is_given else 0

    def encode(self) -> bytes:
        """Return the file's content."""
        return encode_document(
            "AnsweredAssignment",
            {
                **_ANSWERED.encode(self),
                "source": None if self.source is None else self.source.to_dict(),
                "outcome": None if self.failure is None else self.failure.to_dict(),
                "confirmation": None if self.confirmation is None else self.confirmation.to_dict(),
            },
        )

    @classmethod
    def decode(cls, data: bytes) -> AnsweredAssignment:
        """Read a file's content. Raises DamagedFile."""
        value = decode_document(data, "AnsweredAssignment")
        with raising_damaged_file(_WRONG_FIELD):
            return cls(
                **_ANSWERED.decode(value),
                source=None if value["source"] is None else ConfigSource.from_dict(value["source"]),
                failure=None if value["outcome"] is None else AssignmentFailure.from_dict(value["outcome"]),
                confirmation=None if value["confirmation"] is None else Confirmation.from_dict(value["confirmation"]),
            )


_ANSWERED = FieldCodec(AnsweredAssignment, {"node_uid": "nodeUID", "id": "id", "retried": "retried"})
