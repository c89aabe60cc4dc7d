# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the embedded API server, in the shape that Kubernetes gives them.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ApiError",
    "already_exists",
    "bad_request",
    "conflict",
    "expired",
    "forbidden",
    "invalid",
    "no_such_api",
    "not_found",
    "not_implemented",
    "success",
    "unauthorized",
    "unsupported_media_type",
]


class ApiError(Exception):
    """An answer other than success; `body()` is the Status object that goes over the wire."""

    def __init__(
        self, code: int, reason: str, message: str, *, details: dict[str, Any] | None = None, continue_: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.continue_ = continue_

    def body(self) -> dict[str, Any]:
        """Return the Status object, with its fields in the order of the real server."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continue_} if self.continue_ else {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details:
            status["details"] = self.details
        status["code"] = self.code
        return status


def success(details: dict[str, Any]) -> dict[str, Any]:
    """Return the Status of a deletion that took effect at once."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    if kind:
        details["kind"] = kind
    return details


def _qualified(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource


def unauthorized() -> ApiError:
    """Return the error for unknown credentials."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def forbidden(resource: str, group: str, name: str, why: str) -> ApiError:
    """Return the error for a request that the user may not make; `why` is the part after the name of the object."""
    what = _qualified(resource, group) + (f' "{name}"' if name else "")
    return ApiError(403, "Forbidden", f"{what} is forbidden: {why}", details=_details(name, group, resource))


def not_found(resource: str, group: str, name: str) -> ApiError:
    """Return the error for an object that does not exist."""
    return ApiError(
        404, "NotFound", f'{_qualified(resource, group)} "{name}" not found', details=_details(name, group, resource)
    )


def already_exists(resource: str, group: str, name: str) -> ApiError:
    """Return the error for the creation of an object that exists."""
    return ApiError(
        409,
        "AlreadyExists",
        f'{_qualified(resource, group)} "{name}" already exists',
        details=_details(name, group, resource),
    )


def conflict(resource: str, group: str, name: str, why: str | None = None) -> ApiError:
    """Return the error for a resourceVersion or uid that is not the object's own."""
    why = why or "the object has been modified; please apply your changes to the latest version and try again"
    return ApiError(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {_qualified(resource, group)} "{name}": {why}',
        details=_details(name, group, resource),
    )


def expired(message: str, *, continue_: str = "") -> ApiError:
    """Return the error for a version that is older than the history kept."""
    return ApiError(410, "Expired", message, continue_=continue_)


def bad_request(message: str) -> ApiError:
    """Return the error for a malformed request."""
    return ApiError(400, "BadRequest", message)


def invalid(kind: str, group: str, name: str, causes: list[tuple[str, str, str]]) -> ApiError:
    """Return the error for an invalid object. Causes are (reason, field, message), as in details.causes."""
    sentences = [f"{field}: {message}" for _reason, field, message in causes]
    joined = sentences[0] if len(sentences) == 1 else "[" + ", ".join(sentences) + "]"
    details = _details(name, group, kind)
    details["causes"] = [{"reason": reason, "message": message, "field": field} for reason, field, message in causes]
    return ApiError(422, "Invalid", f'{_qualified(kind, group)} "{name}" is invalid: {joined}', details=details)


def unsupported_media_type(accepted: list[str]) -> ApiError:
    """Return the error for a body in a format that the resource does not take."""
    return ApiError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: " + ", ".join(accepted),
    )


def no_such_api() -> ApiError:
    """Return the error for a path of an API group or version that the server does not have."""
    return ApiError(404, "NotFound", "the server could not find the requested resource")


def not_implemented(what: str) -> ApiError:
    """Return the error for a feature that the embedded server lacks."""
    return ApiError(501, "NotImplemented", f"the embedded API server does not implement {what}")
