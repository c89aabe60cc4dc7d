# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks members of etcd by the JSON gateway of their client port, with the certificate that kubeadm made for probes.

The paths are those of etcd 3.4 and later. Numbers of 64 bits are texts in its JSON, and zero and false are left out.
Only the command ``static-pod`` imports this file.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from .._foreign import InvalidText, load_json
from .._kube.api_errors import CredentialsError
from .._kube.credentials import Credentials, ssl_context
from .._static_pods.etcd_members import Member, MemberStatus

_SILENCE = 2.0  # seconds
_LONGEST = 1 << 20  # bytes of an answer, and of a line of a snapshot, which holds 32 KiB of it
_NUMBER = re.compile("[0-9]{1,20}")
_HASH = hashlib.sha256().digest_size


class EtcdError(Exception):
    """A member gives no usable answer; the text says why."""


class NoAnswer(EtcdError):
    """A member does not answer at all: it does not run, hangs, or cannot be reached."""


class EtcdGateway:
    """The members of one etcd."""

    def __init__(self, ca_file: str, cert_file: str, key_file: str) -> None:
        """Use these files of certificates; they are read with the first question to a URL with https."""
        self._files = ca_file, cert_file, key_file
        self._context: ssl.SSLContext | None = None

    def members(self, url: str) -> tuple[Member, ...]:
        """Return all members, as the one at a URL knows them. Raises EtcdError."""
        rows = self._ask(url, "/v3/cluster/member/list").get("members")
        return tuple(
            Member(
                str(row.get("ID", "")),
                str(row.get("name", "")),
                tuple(map(str, row.get("clientURLs") or ())),
                bool(row.get("isLearner")),
            )
            for row in _mappings(rows)
        )

    def status(self, url: str) -> tuple[str, MemberStatus]:
        """Return the id of the member at a URL, and what it says of itself. Raises EtcdError."""
        answer = self._ask(url, "/v3/maintenance/status")
        header = answer.get("header")
        own = str(header.get("member_id", "")) if isinstance(header, Mapping) else ""
        leader = str(answer.get("leader", ""))
        numbers = [_NUMBER.fullmatch(str(answer.get(key, 0))) for key in ("raftIndex", "dbSize")]
        if not own or None in numbers:
            raise EtcdError(f"{url}: the answer is not that of etcd")
        index, size = (int(number[0]) for number in numbers if number is not None)
        return own, MemberStatus("" if leader == "0" else leader, index, size)

    def alarms(self, url: str) -> tuple[str, ...]:
        """Return the names of the alarms of all members, such as NOSPACE. Raises EtcdError."""
        rows = self._ask(url, "/v3/maintenance/alarm", b'{"action": "GET"}').get("alarms")
        return tuple(str(row.get("alarm", "")) for row in _mappings(rows))

    def snapshot(self, url: str, stream: BinaryIO) -> None:
        """Write the data of a member, with the hash behind them, as etcdctl does. Raises EtcdError, OSError."""
        digest, held = hashlib.sha256(), b""
        for line in self._lines(url, "/v3/maintenance/snapshot"):
            result = line.get("result")
            if not isinstance(result, Mapping):
                raise EtcdError(f"{url}: the snapshot ended early: {_message(line)}")
            try:
                blob = base64.b64decode(str(result.get("blob", "")), validate=True)
            except ValueError as error:
                raise EtcdError(f"{url}: a part of the snapshot is not base64") from error
            stream.write(blob)
            held += blob
            digest.update(held[:-_HASH])
            held = held[-_HASH:]
        if held != digest.digest():
            raise EtcdError(f"{url}: the snapshot does not have the hash that etcd wrote behind it")

    def _ask(self, url: str, path: str, body: bytes = b"{}") -> Mapping[str, Any]:
        with closing(self._request(url, path, body)) as connection:
            try:
                response = connection.getresponse()
                text = response.read(_LONGEST + 1)
            except (OSError, http.client.HTTPException) as error:
                raise _no_answer(url, error) from error
            if len(text) > _LONGEST:
                raise EtcdError(f"{url}: the answer has more than {_LONGEST} bytes")
            answer = _decoded(url, text)
            if response.status != http.client.OK:
                raise EtcdError(f"{url}: answers {response.status}: {_message(answer)}")
            return answer

    def _lines(self, url: str, path: str) -> Iterator[Mapping[str, Any]]:
        with closing(self._request(url, path, b"{}")) as connection:
            try:
                response = connection.getresponse()
                if response.status != http.client.OK:
                    answer = _decoded(url, response.read(_LONGEST))
                    raise EtcdError(f"{url}: answers {response.status}: {_message(answer)}")
                while True:
                    line = response.readline(_LONGEST)
                    if not line:
                        return
                    if line.strip():
                        yield _decoded(url, line)
            except (OSError, http.client.HTTPException) as error:
                raise _no_answer(url, error) from error

    def _request(self, url: str, path: str, body: bytes) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host = parts.hostname or ""
        connection: http.client.HTTPConnection
        try:
            if parts.scheme == "https":
                connection = http.client.HTTPSConnection(host, parts.port, timeout=_SILENCE, context=self._tls())
            else:
                connection = http.client.HTTPConnection(host, parts.port, timeout=_SILENCE)
            connection.request("POST", path, body, {"Content-Type": "application/json"})
        except CredentialsError as error:
            raise EtcdError(f"{url}: {error}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _no_answer(url, error) from error
        return connection

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            ca_file, cert_file, key_file = self._files
            self._context = ssl_context(Credentials("", ca_file=ca_file, cert_file=cert_file, key_file=key_file))
        return self._context


def _mappings(rows: Any) -> list[Mapping[str, Any]]:
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _decoded(url: str, text: bytes) -> Mapping[str, Any]:
    try:
        answer = load_json(text.decode())
    except (InvalidText, ValueError) as error:
        raise EtcdError(f"{url}: the answer is not JSON") from error
    if not isinstance(answer, Mapping):
        raise EtcdError(f"{url}: the answer is not that of etcd")
    return answer


def _message(answer: Mapping[str, Any]) -> str:
    error = answer.get("error")
    text = error.get("message") if isinstance(error, Mapping) else error or answer.get("message")
    return " ".join(str(text or "no reason").split())[:200]


def _no_answer(url: str, error: Exception) -> EtcdError:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    kind = EtcdError if isinstance(error, ssl.SSLError) else NoAnswer  # a member that refuses a certificate runs
    return kind(f"{url}: {' '.join(str(text).split())[:150].lower()}")
