# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The statement that people sign: what a bundle is, for which pool, and what it withdraws."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from .._foreign import InvalidText, load_json

SIGNATURE_NAMESPACE = "bundle@configok.dev"  # of SSHSIG: a signature for another purpose is none of a bundle
MAX_SEQUENCE = 10**15 - 1
_LAST_TIME = 253402300799  # the end of the year 9999, which stands for no end
_MAX_BYTES = 1024
_MAX_SIGNATURES = 16
_MAX_SIGNATURE = 8 * 1024
_POOL = re.compile(r"[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_SCHEME = re.compile(r"[0-9]{1,4}\Z")
_CLUSTER = re.compile(r"[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?\Z")
_TIME = re.compile(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z\Z")


class InvalidStatement(InvalidText):
    """A text that is not a statement."""


class Statement(NamedTuple):
    """What signers vouch for: this content is meant for this pool of this cluster.

    content_hash: all 64 digits. sequence: increases with each bundle of the pool, 1 to MAX_SEQUENCE. floor: the lowest
    sequence that nodes accept from now on, at most sequence. not_after: the last moment of adoption, RFC 3339 in UTC,
    "" for no end. cluster: the name or the uid by which the nodes know their cluster, "" for any.
    """

    pool: str
    content_hash: str
    hash_scheme: str
    sequence: int
    floor: int
    not_after: str = ""
    cluster: str = ""

    @property
    def audience(self) -> str:
        """Return the pool, and the cluster if the statement names one: floors and principals are of an audience."""
        return f"{self.pool}@{self.cluster}" if self.cluster else self.pool

    def encode(self) -> str:
        """Return the exact text that is signed: JSON without spaces, in this order, without a line end."""
        value: dict[str, Any] = {
            **({"cluster": self.cluster} if self.cluster else {}),
            "pool": self.pool,
            "contentHash": self.content_hash,
            "hashScheme": self.hash_scheme,
            "sequence": self.sequence,
            "floor": self.floor,
        }
        if self.not_after:
            value["notAfter"] = self.not_after
        return json.dumps(value, separators=(",", ":"))

    def as_dict(self) -> dict[str, Any]:
        """Return what users see of it as plain data."""
        return {
            "text": self.encode(),
            "sequence": self.sequence,
            "floor": self.floor,
            "not_after": self.not_after,
            "cluster": self.cluster,
        }

    @classmethod
    def parse(cls, text: str) -> Statement:
        """Read a statement; only the exact text of encode() is one. Raises InvalidStatement."""
        if len(text) > _MAX_BYTES:
            raise InvalidStatement(f"the statement has {len(text)} characters, at most {_MAX_BYTES} are allowed")
        try:
            value = load_json(text)
            statement = cls(
                value["pool"],
                value["contentHash"],
                value["hashScheme"],
                value["sequence"],
                value["floor"],
                value.get("notAfter", ""),
                value.get("cluster", ""),
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidStatement("the statement is not the JSON object that config_bundle writes") from error
        statement.validate()
        if statement.encode() != text:
            raise InvalidStatement(
                "the statement is not exactly the text that config_bundle writes: spaces, order, duplicate or unknown "
                "fields are not allowed"
            )
        return statement

    def validate(self) -> None:
        """Raise InvalidStatement for the first field with a value that is not allowed."""
        for name, value, pattern, allowed in (
            ("pool", self.pool, _POOL, "a DNS label of at most 52 characters"),
            ("contentHash", self.content_hash, _HASH, "64 hexadecimal digits"),
            ("hashScheme", self.hash_scheme, _SCHEME, "digits"),
        ):
            if not isinstance(value, str) or not pattern.match(value):
                raise InvalidStatement(f"{name} of the statement must be {allowed}")
        for name, number in (("sequence", self.sequence), ("floor", self.floor)):
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_SEQUENCE:
                raise InvalidStatement(f"{name} of the statement must be a whole number from 1 to {MAX_SEQUENCE}")
        if self.floor > self.sequence:
            raise InvalidStatement(
                f"floor {self.floor} of the statement is above its sequence {self.sequence}: it would withdraw itself"
            )
        if self.cluster != "" and not is_cluster(self.cluster):
            raise InvalidStatement("cluster of the statement must be a DNS name of at most 63 characters, or a uid")
        if not isinstance(self.not_after, str) or (self.not_after and not is_time(self.not_after)):
            raise InvalidStatement("notAfter of the statement must be a time such as 2026-12-31T00:00:00Z")


def is_cluster(value: object) -> bool:
    """Return whether a value may stand for a cluster: a DNS name of at most 63 characters, or a uid."""
    return isinstance(value, str) and _CLUSTER.match(value) is not None


def is_time(text: str) -> bool:
    """Return whether a text is a time in UTC that exists, such as 2026-12-31T00:00:00Z."""
    try:
        return _TIME.match(text) is not None and bool(datetime.fromisoformat(text[:-1]))
    except ValueError:
        return False


def encode_signatures(signatures: Sequence[str]) -> str:
    """Return the annotation with armored SSHSIG signatures. Raises InvalidStatement if there are too many."""
    _check_size(signatures)
    return json.dumps(list(signatures), separators=(",", ":"))


def parse_signatures(text: str) -> tuple[str, ...]:
    """Read the annotation; "" has no signatures. Raises InvalidStatement."""
    if not text:
        return ()
    if len(text) > 2 * _MAX_SIGNATURES * _MAX_SIGNATURE:
        raise InvalidStatement("the signatures are too long")
    try:
        signatures = load_json(text)
    except ValueError as error:
        raise InvalidStatement("the signatures are not JSON") from error
    if not isinstance(signatures, list) or not all(isinstance(signature, str) for signature in signatures):
        raise InvalidStatement("the signatures are not a list of strings")
    _check_size(signatures)
    return tuple(signatures)


def _check_size(signatures: Sequence[str]) -> None:
    if len(signatures) > _MAX_SIGNATURES or any(len(signature) > _MAX_SIGNATURE for signature in signatures):
        raise InvalidStatement(
            f"a bundle has at most {_MAX_SIGNATURES} signatures, each of at most {_MAX_SIGNATURE} characters"
        )


def format_time(seconds: float) -> str:
    """Return a time, in seconds since the epoch, as RFC 3339 in UTC, "" for one after the year 9999."""
    return "" if seconds > _LAST_TIME else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
