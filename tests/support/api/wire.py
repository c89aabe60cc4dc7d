# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bare HTTP to an API server: what goes over the wire, with nothing of ours in between."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import urlencode

import urllib3

__all__ = ["Answer", "Watching", "Wire"]

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"


class Answer(NamedTuple):
    """A whole answer; body is decoded JSON, or text if it is not JSON."""

    status: int
    body: Any
    headers: Mapping[str, str]


class Wire:
    """HTTP as one user: the `user` part of a kubeconfig, with a token or with certificate data."""

    def __init__(self, url: str, ca_file: Path | None, user: Mapping[str, str], directory: Path) -> None:
        self.url = url
        self._headers: dict[str, str] = {}
        options: dict[str, Any] = {"maxsize": 32, "timeout": urllib3.Timeout(total=30), "retries": False}
        if ca_file is not None:
            options.update(ca_certs=str(ca_file), cert_reqs="CERT_REQUIRED")
        if "token" in user:
            self._headers["Authorization"] = f"Bearer {user['token']}"
        if "client-key-data" in user:
            with tempfile.NamedTemporaryFile(dir=directory, suffix=".pem", delete=False) as file:
                for part in ("client-certificate-data", "client-key-data"):
                    file.write(base64.b64decode(user[part]))
            options.update(cert_file=file.name, key_file=file.name)
        self._pool = urllib3.PoolManager(**options)

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content_type: str = "application/json",
        accept: str = "application/json",
        headers: Mapping[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        """Send one request and return the answer; body is JSON or bytes. Raises OSError without an answer."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {**self._headers, "Accept": accept, "Content-Type": content_type, **(headers or {})}
        try:
            answer = self._pool.request(method, self._address(path, query), body=data, headers=sent)
        except urllib3.exceptions.HTTPError as problem:
            raise OSError(str(problem)) from problem
        try:
            decoded = json.loads(answer.data)
        except ValueError:
            decoded = answer.data.decode(errors="replace")
        return Answer(answer.status, decoded, answer.headers)

    def get(self, path: str, **options: Any) -> Answer:
        """GET."""
        return self.request("GET", path, **options)

    def post(self, path: str, body: Any, **options: Any) -> Answer:
        """POST."""
        return self.request("POST", path, body, **options)

    def put(self, path: str, body: Any, **options: Any) -> Answer:
        """PUT."""
        return self.request("PUT", path, body, **options)

    def delete(self, path: str, body: Any = None, **options: Any) -> Answer:
        """DELETE."""
        return self.request("DELETE", path, body, **options)

    def merge(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a merge patch."""
        return self.request("PATCH", path, body, content_type=MERGE, **options)

    def strategic(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a strategic merge patch."""
        return self.request("PATCH", path, body, content_type=STRATEGIC, **options)

    def json_patch(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a JSON patch."""
        return self.request("PATCH", path, body, content_type=JSON_PATCH, **options)

    def watch(self, path: str, *, accept: str = "application/json", seconds: float = 10.0, **query: Any) -> Watching:
        """Begin a watch; `seconds` is the longest wait for one event."""
        address = self._address(path, {"watch": "true", **query})
        timeout = urllib3.Timeout(connect=5, read=seconds)
        sent = {**self._headers, "Accept": accept}
        return Watching(self._pool.request("GET", address, headers=sent, preload_content=False, timeout=timeout))

    def _address(self, path: str, query: Mapping[str, Any]) -> str:
        return self.url + path + (f"?{urlencode(query)}" if query else "")


class Watching:
    """A running watch: iterate over its events, or take the next few."""

    def __init__(self, answer: Any) -> None:
        self.status: int = answer.status
        self._answer = answer
        self._lines = self._read()

    def _read(self) -> Iterator[dict[str, Any]]:
        buffer = b""
        for chunk in self._answer.stream(None):
            buffer += chunk
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                if line.strip():
                    yield json.loads(line)
        if buffer.strip():
            yield json.loads(buffer)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._lines

    def take(self, count: int) -> list[dict[str, Any]]:
        """Return the next `count` events."""
        return [next(self._lines) for _each in range(count)]

    def close(self) -> None:
        """Hang up."""
        self._answer.close()

    def __enter__(self) -> Watching:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
