# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of the embedded API server: selectors, pages, metadata only.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from .resources import Target
from .selectors import field_matcher, label_matcher
from .statuses import ApiError, bad_request, expired, not_implemented
from .storage import Storage, Stored, encode

__all__ = ["check_version", "list_objects"]

_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


def list_objects(storage: Storage, target: Target, query: Mapping[str, str], partial: str) -> bytes:
    """Return the encoded List for a collection. partial: apiVersion of the metadata-only form, empty for whole objects.

    Raises ApiError 400 for bad parameters, 410 for a continue token older than the snapshots kept, 504 for a
    version that does not exist yet.
    """
    resource = target.resource
    labels = label_matcher(query.get("labelSelector", ""))
    fields = field_matcher(resource, query.get("fieldSelector", ""))
    limit = _number(query, "limit")
    token = query.get("continue", "")
    version, start = 0, ("", "")
    if token:
        if query.get("resourceVersion") not in (None, ""):
            raise bad_request("specifying resource version is not allowed when using continue")
        version, start = _decode(token)
        at, objects = (version, storage.all(resource)) if version < 0 else storage.snapshot(resource, version)
        if objects is None:
            raise expired(_TOO_OLD, continue_=_encode(-1, start))
        at = storage.version if version < 0 else at
    else:
        check_version(storage, query)
        with storage.lock:
            if limit:
                at, objects = storage.snapshot(resource)
            else:
                at, objects = storage.version, storage.all(resource, target.namespace)
    chosen: list[Stored] = []
    rest = 0
    for position, stored in enumerate(objects or ()):
        if stored.key <= start or (target.namespace and stored.key[0] != target.namespace):
            continue
        if limit and len(chosen) == limit:
            # The real server stops at a full page without checking whether later objects match, so the last page can be
            # empty.
            remaining = (objects or [])[position:]
            rest = sum(1 for stored in remaining if not target.namespace or stored.key[0] == target.namespace)
            break
        if (labels is None or labels(stored.item)) and (fields is None or fields(stored.item)):
            chosen.append(stored)
            last = stored.key
    metadata: dict[str, Any] = {"resourceVersion": str(at)}
    if rest:
        metadata["continue"] = _encode(at, last)
        if labels is None and fields is None and not partial:  # left out of the metadata-only form
            metadata["remainingItemCount"] = rest
    kind, api_version = (
        ("PartialObjectMetadataList", partial) if partial else (f"{resource.kind}List", resource.api_version)
    )
    head = encode({"kind": kind, "apiVersion": api_version, "metadata": metadata})
    items = b",".join(stored.listed(partial) for stored in chosen)
    # The real server says null for an empty metadata-only list: a nil slice in Go.
    body = b"null" if partial and not chosen else b"[" + items + b"]"
    return head[:-1] + b',"items":' + body + b"}\n"


def _number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "")
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise bad_request(f'invalid value "{text}" of the parameter {name}')
    return int(text)


def check_version(storage: Storage, query: Mapping[str, str]) -> None:
    """Refuse to read a version that does not exist yet. Raises ApiError 504, as the real server does after a wait."""
    if query.get("resourceVersionMatch", "") not in ("", "NotOlderThan"):
        raise not_implemented("resourceVersionMatch other than NotOlderThan")
    version = _number(query, "resourceVersion")
    if version > storage.version:
        raise ApiError(
            504,
            "Timeout",
            f"Timeout: Too large resource version: {version}, current: {storage.version}",
            details={
                "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
                "retryAfterSeconds": 1,
            },
        )


def _encode(version: int, last: tuple[str, str]) -> str:
    token = {"v": "meta.k8s.io/v1", "rv": version, "start": list(last)}
    return base64.urlsafe_b64encode(json.dumps(token).encode()).decode().rstrip("=")


def _decode(token: str) -> tuple[int, tuple[str, str]]:
    try:
        decoded = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, name = decoded["start"]
        return int(decoded["rv"]), (str(namespace), str(name))
    except (ValueError, TypeError, KeyError, binascii.Error):
        raise bad_request("continue key is not valid: it was not made by this server") from None
