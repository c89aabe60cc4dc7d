# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded API server: enough of Kubernetes for a demo and for tests.

Private to configok.node: no compatibility is promised.
One contract suite runs against it and against the real server, and keeps it honest. What the
embedded one does not support, it refuses with 501. Its objects live in memory.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from .authorization import ANONYMOUS, Action, User, authorize
from .http_server import HttpServer, Request, Response
from .listing import check_version, list_objects
from .negotiation import PATCH_TYPES, decoded, decoded_object, is_dry_run, partial_form, patcher
from .operations import Operations
from .request_log import Call, RequestLog
from .resources import RESOURCES, Target, parse_path
from .selectors import required_name
from .statuses import ApiError, not_implemented, unauthorized, unsupported_media_type
from .storage import Storage, encode, metadata_only
from .watching import Watch, WatchClock

__all__ = ["ADMIN", "Call", "EmbeddedApiServer", "RequestLog"]

ADMIN = User("admin", ("system:masters",))
VERSION = "v1.35.0"
_MAX_BODY = 3 * 1024 * 1024
_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


Intercept = Callable[[Request, User, Callable[[], Response]], Optional[Response]]


class EmbeddedApiServer:
    """An API server in this process.

    `intercept(request, user, perform)` is asked before every request, in the thread of its connection: None lets it
    through, a Response answers instead (see `refusal`); it may sleep, and may call `perform()` and lose or cut what
    that answers. `stop()` and `start()` make an outage: port, objects and identities stay.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls_cert_file: str | None = None,
        tls_key_file: str | None = None,
        client_ca_file: str | None = None,
        history: int = 10_000,
        bookmark_interval: float = 60.0,
        clock: WatchClock | None = None,
    ) -> None:
        """Prepare the server; it listens from start() on.

        tls_*: serve TLS, and take client certificates of client_ca_file as identities (CN: user, O: groups). history:
        the number of changes kept for watches, for each resource. bookmark_interval: seconds. clock: measures the time
        of watches.
        """
        self._host = host
        self._port = port
        self._ca_file = client_ca_file
        self._tls: ssl.SSLContext | None = None
        if tls_cert_file:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(tls_cert_file, tls_key_file)
            if client_ca_file:
                self._tls.load_verify_locations(client_ca_file)
                self._tls.verify_mode = ssl.CERT_OPTIONAL
        self._http: HttpServer | None = None
        self._tokens: dict[str, User] = {}
        self._bookmark_interval = bookmark_interval
        self._clock = clock or WatchClock()
        self.storage = Storage(history=history)
        self.operations = Operations(self.storage)
        self.requests = RequestLog()
        self.intercept: Intercept | None = None
        namespaces = next(resource for resource in RESOURCES if resource.name == "namespaces")
        for name in _NAMESPACES:
            self.operations.create(ADMIN, Target(namespaces), {"metadata": {"name": name}}, dry_run=False)

    # --- running

    def start(self) -> EmbeddedApiServer:
        """Listen, in threads of its own; returns itself. Raises OSError when the port is taken."""
        if self._http is None:
            self._http = HttpServer(self.handle, host=self._host, port=self._port, tls=self._tls, max_body=_MAX_BODY)
            self._port = self._http.port
            self._http.start()
        return self

    def stop(self) -> None:
        """Close the port and all connections, end all watches; objects and identities stay for another start()."""
        if self._http is not None:
            http, self._http = self._http, None
            self.end_watches()
            http.stop()
            self.end_watches()

    def serve_forever(self, stop: threading.Event | None = None) -> None:
        """Run until `stop` is set, or without an end."""
        self.start()
        try:
            (stop or threading.Event()).wait()
        finally:
            self.stop()

    def __enter__(self) -> EmbeddedApiServer:
        return self.start()

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where it listens, once it was started."""
        return f"{'https' if self._tls else 'http'}://{self._host}:{self._port}"

    # --- identities

    def add_token(self, token: str, user: str, groups: Sequence[str] = ()) -> None:
        """Let this bearer token be that user, in those groups."""
        self._tokens[token] = User(user, (*groups, "system:authenticated"))

    def kubeconfig_for(self, user: str, groups: Sequence[str] = (), *, path: str, token: str | None = None) -> str:
        """Write a kubeconfig (mode 0600; JSON, which is YAML) with a bearer token of this user; returns the path."""
        token = token or os.urandom(16).hex()
        self.add_token(token, user, groups)
        cluster: dict[str, Any] = {"server": self.url}
        if self._ca_file:
            cluster["certificate-authority"] = self._ca_file
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "sandbox",
            "clusters": [{"name": "sandbox", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": token}}],
            "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": user}}],
        }
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(config, file, indent=2)
            file.write("\n")
        return path

    def _authenticate(self, request: Request) -> User:
        subject: Any = request.certificate.get("subject")
        if subject:
            pairs = [pair for names in subject for pair in names]
            name = next((value for key, value in pairs if key == "commonName"), "")
            groups = tuple(value for key, value in pairs if key == "organizationName")
            return User(name, (*groups, "system:authenticated"))
        scheme, _space, token = request.headers.get("authorization", "").partition(" ")
        if not scheme:
            return ANONYMOUS
        if scheme.lower() != "bearer" or token not in self._tokens:
            raise unauthorized()
        return self._tokens[token]

    # --- hooks for tests

    def compact(self) -> None:
        """Forget the history: watches and lists that continue from an older version get 410."""
        self.storage.compact()

    def end_watches(self, user: str | None = None) -> int:
        """End all watches, or those of one user, as if their time were up. Return how many."""
        ended = [watcher for watcher in self.storage.watchers() if user is None or watcher.user == user]
        for watcher in ended:
            watcher.queue.put(None)
        return len(ended)

    def drop_connections(self) -> None:
        """Close all connections without a word."""
        if self._http is not None:
            self._http.drop_connections()

    @staticmethod
    def refusal(status: int, *, retry_after: float | None = None, message: str = "refused by the test") -> Response:
        """Return an answer for `intercept`: 429, 500, 503, ... with the Status body of the real server."""
        reason = {429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}
        details = {"retryAfterSeconds": int(retry_after)} if retry_after else None
        headers = {"Retry-After": str(int(retry_after))} if retry_after is not None else {}
        error = ApiError(status, reason.get(status, ""), message, details=details)
        return Response(status, encode(error.body()), headers)

    # --- answering

    def handle(self, request: Request) -> Response:
        """Answer one request. Tests call it without a socket."""
        user, target = ANONYMOUS, None
        verb = _VERBS.get(request.method, request.method.lower())
        try:
            user = self._authenticate(request)
            if request.too_large:
                raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {_MAX_BODY}")
            target = parse_path(request.path)
            if target is not None and verb == "get" and not target.name:
                verb = "watch" if _flag(request.query, "watch") else "list"

            def perform() -> Response:
                try:
                    return self._perform(request, user, verb, target)
                except ApiError as error:
                    return _refused(error)

            response = self.intercept(request, user, perform) if self.intercept else None
            if response is None:
                response = perform()
        except ApiError as error:
            response = _refused(error)
        name = f"{target.resource.name}/{target.subresource}".rstrip("/") if target else request.path
        where = (target.namespace, target.name) if target else ("", "")
        self.requests.add(Call(user.name, verb, name, *where, response.status))
        return response

    def _perform(self, request: Request, user: User, verb: str, target: Target | None) -> Response:
        if target is None:
            return _without_resource(request)
        for header in request.headers:
            if header.startswith("impersonate-"):
                raise not_implemented("impersonation")
        query = request.query
        selected = ""
        if verb in ("list", "watch"):
            selected = required_name(target.resource, query.get("fieldSelector", ""))
        authorize(
            user,
            Action(verb, target.resource, target.subresource, target.namespace, target.name, selected),
            self.storage,
        )
        partial = partial_form(request, verb)
        if verb == "watch":
            return self._watch(request, user, target, partial)
        if verb == "list":
            return Response(200, list_objects(self.storage, target, query, partial))
        if verb == "get":
            check_version(self.storage, query)
            return Response(200, self.operations.get(target).encoded(partial) + b"\n")
        status, item = self._write(request, user, verb, target)
        if partial and item.get("kind") != "Status":
            item = metadata_only(item, partial)
        return Response(status, encode(item) + b"\n")

    def _write(self, request: Request, user: User, verb: str, target: Target) -> tuple[int, dict[str, Any]]:
        query = request.query
        if query.get("fieldValidation", "Ignore") not in ("Ignore", "Warn", ""):
            raise not_implemented("fieldValidation other than Ignore")
        dry_run = is_dry_run(verb, query.get("dryRun", ""))
        media = request.headers.get("content-type", "application/json").partition(";")[0].strip()
        if verb == "patch":
            if media == "application/apply-patch+yaml":
                raise not_implemented("server-side apply")
            if media not in PATCH_TYPES:
                raise unsupported_media_type(list(PATCH_TYPES))
            patch = decoded(request)
            return 200, self.operations.patch(user, target, patcher(media, patch, target), dry_run=dry_run)
        if media == "application/yaml":
            raise not_implemented("bodies in YAML")
        if request.body and media != "application/json":
            raise unsupported_media_type(["application/json"])
        if verb == "delete":
            if not target.name:
                raise not_implemented("the deletion of a collection")
            options = decoded_object(request) if request.body else {}
            dry_run = dry_run or is_dry_run(verb, "".join(options.get("dryRun") or ()))
            return 200, self.operations.delete(user, target, options, dry_run=dry_run)
        body = decoded_object(request)
        if verb == "create":
            if target.name:
                raise ApiError(
                    405, "MethodNotAllowed", "the server does not allow this method on the requested resource"
                )
            return 201, self.operations.create(user, target, body, dry_run=dry_run)
        if verb == "update" and target.name:
            item, created = self.operations.replace(user, target, body, dry_run=dry_run)
            return 201 if created else 200, item
        raise ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")

    def _watch(self, request: Request, user: User, target: Target, partial: str) -> Response:
        watch = Watch(
            self.storage,
            target,
            request.query,
            partial,
            user=user.name,
            bookmark_interval=self._bookmark_interval,
            clock=self._clock,
        )

        def stream(write: Callable[[bytes], None]) -> None:
            forget = request.closed(lambda: watch.watcher.queue.put(None))
            try:
                watch.run(write)
            finally:
                forget()

        return Response(200, stream=stream)


def _without_resource(request: Request) -> Response:
    path = request.path
    if request.method == "GET" and path in ("/healthz", "/livez", "/readyz"):
        return Response(200, b"ok", {"Content-Type": "text/plain; charset=utf-8"})
    if request.method == "GET" and path == "/version":
        major, minor = VERSION.lstrip("v").split(".")[:2]
        version = {"major": major, "minor": minor, "gitVersion": VERSION, "platform": "embedded"}
        return Response(200, encode(version) + b"\n")
    raise not_implemented(f"the path {path}")


def _flag(query: Mapping[str, str], name: str) -> bool:
    return query.get(name, "") in ("true", "1")


def _refused(error: ApiError) -> Response:
    return Response(error.code, encode(error.body()) + b"\n")
