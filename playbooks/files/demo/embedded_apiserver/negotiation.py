# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a request to the embedded API server asks for: forms, dry run, bodies, kinds of patch.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .http_server import Request
from .patches import json_patch, merge_patch, strategic_merge_patch
from .resources import Target
from .statuses import ApiError, bad_request, invalid, not_implemented

__all__ = ["PATCH_TYPES", "decoded", "decoded_object", "is_dry_run", "partial_form", "patcher"]

PATCH_TYPES = ("application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json")


def partial_form(request: Request, verb: str) -> str:
    """Return the apiVersion of the metadata-only form that the request accepts, or "" for whole objects."""
    accepted = "PartialObjectMetadataList" if verb == "list" else "PartialObjectMetadata"
    for choice in request.headers.get("accept", "application/json").split(","):
        media, *parameters = (part.strip() for part in choice.split(";"))
        options = dict(parameter.partition("=")[::2] for parameter in parameters)
        if media not in ("application/json", "*/*", "application/*"):
            continue
        if "as" not in options:
            return ""
        if options["as"] == accepted and options.get("g") == "meta.k8s.io" and options.get("v") in ("v1", "v1beta1"):
            return f"meta.k8s.io/{options['v']}"
    raise ApiError(
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json, "
        f"application/json;as={accepted};g=meta.k8s.io;v=v1",
    )


def is_dry_run(verb: str, value: str) -> bool:
    """Return whether a write is only tried. Raises ApiError 422 for a value that is not All."""
    if value not in ("", "All"):
        kind = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}.get(
            verb, "DeleteOptions"
        )
        message = f'Unsupported value: []string{{"{value}"}}: supported values: "All"'
        raise invalid(kind, "meta.k8s.io", "", [("FieldValueNotSupported", "dryRun", message)])
    return value == "All"


def decoded(request: Request) -> Any:
    """Return the body, decoded from JSON. Raises ApiError 400."""
    if request.headers.get("transfer-encoding"):
        raise not_implemented("chunked request bodies")
    try:
        return json.loads(request.body)
    except ValueError as problem:
        raise bad_request(f"couldn't get version/kind; json parse error: {problem}") from None


def decoded_object(request: Request) -> dict[str, Any]:
    """Return the body, which must be an object. Raises ApiError 400."""
    value = decoded(request)
    if not isinstance(value, dict):
        raise bad_request("couldn't get version/kind; json parse error: the body is not an object")
    return value


def patcher(media: str, patch: Any, target: Target) -> Callable[[Mapping[str, Any]], Any]:
    """Return the function from the present object to the patched one. media: one of PATCH_TYPES."""
    if media == "application/json-patch+json":
        return lambda item: json_patch(item, patch)
    if media == "application/merge-patch+json":
        return lambda item: merge_patch(item, patch)
    if not isinstance(patch, Mapping):
        raise bad_request("a strategic merge patch is an object")
    # The real server silently ignores another kind in a strategic merge patch.
    fields = {key: value for key, value in patch.items() if key not in ("kind", "apiVersion")}
    return lambda item: strategic_merge_patch(item, fields, kind=target.resource.kind)
