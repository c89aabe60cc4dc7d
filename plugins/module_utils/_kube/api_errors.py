# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong with the Kubernetes API, as types."""

from __future__ import annotations

from typing import Any

from .._foreign import load_json
from ._retry_after import bounded_retry_after

_LONGEST = 300
_LONGEST_REASON = 64


def shorten(text: str, limit: int = _LONGEST) -> str:
    """Return text on one line, cut to limit characters: answers may be long and may hold what must not be logged."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


class KubeError(Exception):
    """A request that failed.

    status: the HTTP status, or None if there was no answer. reason: the API's CamelCase word. message: its sentence.
    where: method and object ("PATCH nodes/n1"). retry_after: the seconds that the server asked to wait (at most
    MAX_RETRY_AFTER), or None. causes: the reasons in the Status' details ("DisruptionBudget"). cause_messages: their
    sentences.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        reason: str = "",
        where: str = "",
        retry_after: float | None = None,
        causes: tuple[str, ...] = (),
        cause_messages: tuple[str, ...] = (),
    ) -> None:
        self.message = shorten(message)
        self.status = status
        self.reason = shorten(reason, _LONGEST_REASON)
        self.where = where
        self.retry_after = bounded_retry_after(retry_after)
        self.causes = causes
        self.cause_messages = tuple(map(shorten, cause_messages))
        super().__init__(self.message)

    def __str__(self) -> str:
        """Return one sentence that names the object."""
        code = " ".join(str(part) for part in (self.status, self.reason) if part)
        return "".join((f"{self.where}: " if self.where else "", self.message, f" ({code})" if code else ""))


class BadRequest(KubeError):
    """400: the server did not understand the request."""


class Unauthorized(KubeError):
    """401: the credentials are not, or no longer, good."""


class Forbidden(KubeError):
    """403: the identity may not do this."""


class NotFound(KubeError):
    """404: the object, or its kind, does not exist."""


class Conflict(KubeError):
    """409: the object has changed since it was read."""


class AlreadyExists(Conflict):
    """409 with reason AlreadyExists: the object to be created is there."""


class Gone(KubeError):
    """410: the resourceVersion or the continue token is too old; list again."""


class TooLarge(KubeError):
    """413: the body is larger than the server takes."""


class Invalid(KubeError):
    """422: the object breaks a rule of its kind."""


class TooManyRequests(KubeError):
    """429: the server asks for patience, or a disruption budget forbids an eviction."""


class ServerError(KubeError):
    """5xx: the server failed."""


class NotImplementedByServer(ServerError):
    """501: the server does not do this."""


class Unreachable(KubeError):
    """No complete answer: connection, TLS, timeout, or a truncated body.

    sent is False only if the request certainly did not reach the server. transient is False if trying again soon does
    not help (the server's certificate is not trusted).
    """

    def __init__(self, message: str, *, where: str = "", sent: bool = True, transient: bool = True) -> None:
        super().__init__(message, where=where)
        self.sent = sent
        self.transient = transient


class UnusableAnswer(KubeError):
    """An answer that is not read, whatever its status: it is too long, or compressed. Sending again does not help."""


class CredentialsError(KubeError):
    """The credentials cannot be used; the message names the file."""


class MissingLibrary(KubeError):
    """A Python library is missing; import_error is the traceback for fail_json(exception=...)."""

    def __init__(self, library: str, import_error: str = "") -> None:
        super().__init__(f"the Python library {library} is missing")
        self.library = library
        self.import_error = import_error


_BY_STATUS: dict[int, type[KubeError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: TooLarge,
    422: Invalid,
    429: TooManyRequests,
    501: NotImplementedByServer,
}


def error_for(status: int, body: bytes, *, where: str, retry_after: float | None = None) -> KubeError:
    """Return the error for an HTTP answer, whose body is a Status object or a proxy's text."""
    try:
        data = load_json(body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        data = {"message": body.decode("utf-8", "replace").strip()}
    return error_of_status(data, status=status, where=where, retry_after=retry_after)


def error_of_status(
    data: dict[str, Any], *, where: str, status: int | None = None, retry_after: float | None = None
) -> KubeError:
    """Return the error for a Status object (also from the ERROR event of a watch, which has its own code)."""
    code = status if status is not None else data.get("code")
    if not isinstance(code, int) or isinstance(code, bool):
        code = 500
    reason = str(data.get("reason") or "")
    details = data.get("details")
    if not isinstance(details, dict):
        details = {}
    if retry_after is None:
        retry_after = bounded_retry_after(details.get("retryAfterSeconds") or None)
    kind = _BY_STATUS.get(code, ServerError if code >= 500 else KubeError)
    if kind is Conflict and reason == "AlreadyExists":
        kind = AlreadyExists
    return kind(
        str(data.get("message") or "the server gave no message"),
        status=code,
        reason=reason,
        where=where,
        retry_after=retry_after,
        causes=_texts_of(details.get("causes"), "reason"),
        cause_messages=tuple(filter(None, _texts_of(details.get("causes"), "message"))),
    )


def _texts_of(causes: object, field: str) -> tuple[str, ...]:
    if not isinstance(causes, list):
        return ()
    return tuple(str(cause.get(field) or "") for cause in causes if isinstance(cause, dict))
