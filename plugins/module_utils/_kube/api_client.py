# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One small client for the Kubernetes API, dicts in and out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from .._foreign import load_json
from ._interrupt import Interrupt
from ._retry_after import parse_date, parse_retry_after
from .api_errors import Gone, KubeError, NotFound, Unreachable, UnusableAnswer, error_for, shorten
from .api_paths import VERSION, describe
from .api_servers import WhenTurned, at_instance, why_no_instances
from .credentials import Credentials
from .retry import ONCE, wait_before_retry
from .transport import ClientSettings, Lines, Response, Timing, Transport, path_of_url

__all__ = ["Client", "Interrupt", "Listing", "Object", "PatchType"]

Object = dict[str, Any]

Objects = list[Object]

PatchType = Literal["merge", "strategic", "json", "apply"]

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_PATCH_TYPES: dict[PatchType, str] = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}
_LIST_RESTARTS = 3
_MAX_PAGES = 1000
_FIRST_ANSWER = 10.0  # seconds; a server that has never answered is given up then
_INSTANCE_TIMEOUT = 5.0  # seconds


class Listing(NamedTuple):
    """The objects of a list, all pages, and the resourceVersion from which a watch continues."""

    items: list[Object]
    resource_version: str


class Client:
    """Requests to one API server; safe for many threads.

    Every method raises a KubeError that names the object. Within the bounds of settings.retries, 429 is retried after
    the server's Retry-After; 5xx, timeouts and broken connections only if the request is idempotent; 401 once, after
    the credentials were read again.
    """

    def __init__(
        self,
        credentials: Credentials,
        settings: ClientSettings | None = None,
        timing: Timing | None = None,
        transport: Transport | None = None,
    ) -> None:
        self.server = credentials.server
        self.namespace = credentials.namespace
        self._settings = settings or ClientSettings()
        self._timing = timing or Timing()
        self._transport = transport or Transport(credentials, self._settings, monotonic=self._timing.monotonic)
        self._has_answered = False

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the idle connections."""
        self._transport.close()

    def interruptible(self, interrupt: Interrupt) -> Client:
        """Return a client with one connection of its own that interrupt ends, and without retries."""
        clone = object.__new__(Client)
        clone.__dict__.update(self.__dict__)
        clone._settings = self._settings._replace(retries=ONCE)
        clone._transport = self._transport.clone(pool_size=1, interrupt=interrupt)
        return clone

    def anonymous_credentials(self) -> Credentials:
        """Return the address and the CA of the API server, without this client's identity."""
        return self._transport.credentials.without_identity()

    def why_no_instances(self) -> str:
        """Return why no other API server of the cluster may get this client's credentials, "" if each one may."""
        return why_no_instances(self._transport.credentials, path_of_url(self.server))

    def at_instance(self, url: str) -> Client:
        """Return a client of another API server of the cluster, without retries, to be closed."""
        settings = self._settings._replace(
            pool_size=1, timeout=min(_INSTANCE_TIMEOUT, self._settings.timeout), retries=ONCE
        )
        return Client(at_instance(self._transport.credentials, url), settings, self._timing)

    def ask_also(self, urls: Sequence[str], when_turned: WhenTurned) -> None:
        """Ask other API servers of the cluster, too: the next one when the one that is asked does not answer.

        Each must be one that `at_instance` has reached. when_turned: is called with the server that does not answer,
        and the next one, maybe in another thread.
        """
        self._transport.servers.set_others(urls, self._transport.credentials, when_turned)

    def get(self, path: str, *, metadata_only: bool = False, **query: object) -> Object:
        """Return the object at path; metadata_only leaves spec and status with the server."""
        return self._request("GET", path, query=query, accept=_METADATA if metadata_only else _JSON, idempotent=True)

    def find(self, path: str, *, metadata_only: bool = False) -> Object | None:
        """Return the object at path, or None if it does not exist."""
        try:
            return self.get(path, metadata_only=metadata_only)
        except NotFound:
            return None

    def server_time(self) -> float | None:
        """Return the time of the API server's clock in seconds since 1970, None if it does not say.

        It is that of an answer, in whole seconds. The request is sent once. Raises KubeError.
        """
        for first in (True, False):
            answer = self._transport.send("GET", VERSION, body=None, accept=_JSON, content_type=None, path=VERSION)
            if answer.status == 200:
                return parse_date(answer.date)
            if not (answer.status == 401 and first and self._transport.renew(answer.generation)):
                break
        raise self._error(answer, f"GET {VERSION}")

    def list(
        self,
        path: str,
        *,
        label_selector: str | None = None,
        field_selector: str | None = None,
        limit: int = 500,
        metadata_only: bool = False,
        resource_version: str | None = None,
        transform: Callable[[Object], Object] | None = None,
    ) -> Listing:
        """Return all objects at path, read in pages of limit (0: in one).

        resource_version: "0" lets the API server answer from its cache, which may lag behind and costs much less.
        transform: makes each object small as its page arrives, if whole objects would take too much memory. When a
        list takes so long that its continue token expires (410), it starts again, in the end without pages.
        """
        query = {
            "labelSelector": label_selector,
            "fieldSelector": field_selector,
            "resourceVersion": resource_version,
        }
        accept = _METADATA_LIST if metadata_only else _JSON
        for restart in range(_LIST_RESTARTS + 1):
            items: Objects = []
            version = ""
            try:
                for page in self._pages(path, query, limit if restart < _LIST_RESTARTS else 0, accept):
                    items += map(transform, page.items) if transform else page.items
                    version = page.resource_version
                return Listing(items, version)
            except Gone:
                if restart == _LIST_RESTARTS:
                    raise
        raise RuntimeError("unreachable")

    def create(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Create an object in the collection at path and return it. Never sent again if it may have been created."""
        return self._request("POST", path, query=_dry(dry_run), body=body, content_type=_JSON, idempotent=dry_run)

    def replace(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Replace the object at path and return it; raise Conflict if it no longer has body's resourceVersion."""
        pinned = bool((body.get("metadata") or {}).get("resourceVersion"))
        return self._request(
            "PUT", path, query=_dry(dry_run), body=body, content_type=_JSON, idempotent=pinned or dry_run
        )

    def patch(
        self,
        path: str,
        body: Any,
        *,
        kind: PatchType = "merge",
        dry_run: bool = False,
        field_manager: str | None = None,
        force: bool = False,
        metadata_only: bool = False,
        retry: bool = True,
    ) -> Object:
        """Patch the object at path and return it. kind: merge, strategic, json (a list), apply (needs a manager).

        metadata_only: the answer has no spec and status, which are most of a Node. retry: False sends it once.
        """
        query = _dry(dry_run)
        if field_manager:
            query["fieldManager"] = field_manager
        if force:
            query["force"] = "true"
        return self._request(
            "PATCH",
            path,
            query=query,
            body=body,
            content_type=_PATCH_TYPES[kind],
            accept=_METADATA if metadata_only else _JSON,
            idempotent=kind != "json" or dry_run,
            retry=retry,
        )

    def delete(
        self, path: str, *, uid: str | None = None, resource_version: str | None = None, dry_run: bool = False
    ) -> Object:
        """Delete the object at path; raise Conflict if its uid or resource_version differs from these."""
        preconditions = {k: v for k, v in (("uid", uid), ("resourceVersion", resource_version)) if v}
        body: Object = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if preconditions:
            body["preconditions"] = preconditions
        if dry_run:
            body["dryRun"] = ["All"]
        return self._request("DELETE", path, body=body, content_type=_JSON, idempotent=bool(uid) or dry_run)

    def stream(self, path: str, *, metadata_only: bool = False, read_timeout: float, **query: object) -> Lines:
        """Return the lines of a streamed answer (a watch, metrics) as they arrive, to be closed; raise if refused."""
        where = f"{'WATCH' if query.get('watch') else 'GET'} {describe(path)}"
        target = _target(path, query)
        accept = _METADATA if metadata_only else _JSON
        for first in (True, False):
            answer, lines = self._transport.stream(target, accept=accept, read_timeout=read_timeout, where=where)
            if answer.status == 200:
                return lines
            if not (answer.status == 401 and first and self._transport.renew(answer.generation)):
                break
        raise self._error(answer, where)

    def pages(
        self, path: str, *, label_selector: str | None = None, limit: int = 500, metadata_only: bool = False
    ) -> Iterator[Objects]:
        """Yield the objects at path, page by page, so that only one is in memory. May raise Gone halfway."""
        accept = _METADATA_LIST if metadata_only else _JSON
        for page in self._pages(path, {"labelSelector": label_selector}, limit, accept):
            yield page.items

    def _pages(self, path: str, selectors: Object, limit: int, accept: str) -> Iterator[Listing]:
        query: Object = {**selectors, "limit": limit or None}
        for _page in range(_MAX_PAGES):
            page = self._request("GET", path, query=query, accept=accept, idempotent=True)
            items, metadata = page.get("items") or [], page.get("metadata") or {}  # The last page may say null.
            if not isinstance(metadata, dict) or not _are_objects(items):
                raise UnusableAnswer("the answer is not a list of objects", where=f"GET {describe(path)}")
            yield Listing(items, str(metadata.get("resourceVersion") or ""))
            query["continue"] = metadata.get("continue")
            query["resourceVersion"] = None  # the token has one of its own
            if not query["continue"]:
                return
        raise UnusableAnswer(f"the list has more than {_MAX_PAGES} pages", where=f"GET {describe(path)}")

    def _request(
        self,
        method: str,
        path: str,
        *,
        idempotent: bool,
        query: Object | None = None,
        body: Any = None,
        content_type: str | None = None,
        accept: str = _JSON,
        retry: bool = True,
    ) -> Object:
        retries = self._settings.retries if retry else ONCE
        target = _target(path, query)
        data = None if body is None else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        attempt = 0
        waited = 0.0
        renewed = False
        began = self._timing.monotonic()
        while True:
            attempt += 1
            try:
                answer = self._transport.send(
                    method, target, body=data, accept=accept, content_type=content_type, path=path
                )
                self._has_answered = True
                if 200 <= answer.status < 300:
                    return _decode(answer.body, method, path)
                if answer.status == 401 and not renewed and self._transport.renew(answer.generation):
                    renewed = True
                    attempt -= 1
                    continue
                raise self._error(answer, f"{method} {describe(path)}")
            except KubeError as error:
                pause = wait_before_retry(
                    retries,
                    error,
                    attempt=attempt,
                    waited=waited,
                    idempotent=idempotent,
                    jitter=self._timing.random(),
                )
                away = not self._has_answered and self._timing.monotonic() - began >= _FIRST_ANSWER
                if pause is None or away or self._timing.sleep(pause):
                    raise
                waited += pause

    def _error(self, answer: Response, where: str) -> KubeError:
        wait = parse_retry_after(answer.retry_after, self._timing.wall())
        return error_for(answer.status, answer.body, where=where, retry_after=wait)


def _dry(dry_run: bool) -> Object:
    return {"dryRun": "All"} if dry_run else {}


def _target(path: str, query: Object | None) -> str:
    if not query:
        return path
    pairs = [(key, _text(value)) for key, value in query.items() if value is not None]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _are_objects(items: object) -> bool:
    return isinstance(items, list) and all(
        isinstance(item, dict) and isinstance(item.get("metadata") or {}, dict) for item in items
    )


def _decode(body: bytes, method: str, path: str) -> Object:
    try:
        data = load_json(body)
    except ValueError as exc:
        text = shorten(body[:100].decode("utf-8", "replace"))
        raise Unreachable(f"the answer is not JSON: {text}", where=f"{method} {describe(path)}") from exc
    if not isinstance(data, dict):
        raise Unreachable("the answer is not a JSON object", where=f"{method} {describe(path)}")
    return data
