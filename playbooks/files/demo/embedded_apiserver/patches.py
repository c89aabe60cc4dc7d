# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge, strategic merge and JSON patches of the embedded API server: pure.

Private to configok.node: no compatibility is promised.
No function changes its arguments; results share what did not change with the original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .statuses import ApiError, bad_request, not_implemented

__all__ = ["MERGE_KEYS", "json_patch", "merge_patch", "strategic_merge_patch"]

# Lists that merge, by path within the kind, and the key by which: from the patchStrategy and patchMergeKey tags of the
# real server's types. An empty key means a list of scalars that merges as a set. Every other list is replaced.
MERGE_KEYS: dict[str, dict[str, str]] = {
    "": {"metadata.finalizers": "", "metadata.ownerReferences": "uid"},
    "Node": {"status.conditions": "type", "status.addresses": "type", "spec.podCIDRs": ""},
}


def merge_patch(original: Any, patch: Any) -> Any:
    """Return a merge patch's result (RFC 7386): null removes, objects merge, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    merged: dict[str, Any] = dict(original) if isinstance(original, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def strategic_merge_patch(original: Mapping[str, Any], patch: Mapping[str, Any], *, kind: str) -> dict[str, Any]:
    """Return a strategic merge patch's result. Directives other than delete and replace are refused with 501.

    original, patch: decoded objects; kind: `Node`, which says which lists merge (see MERGE_KEYS).
    Raises ApiError 400 for a patch without its merge key, 501 for directives that are not done.
    """
    keys = {**MERGE_KEYS[""], **MERGE_KEYS.get(kind, {})}
    return _strategic_map(original, patch, keys, "")


def _strategic_map(
    original: Mapping[str, Any], patch: Mapping[str, Any], keys: Mapping[str, str], path: str
) -> dict[str, Any]:
    directive = patch.get("$patch")
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    if directive is not None:
        raise bad_request(f"unknown patch type found: {directive}")
    merged = dict(original)
    for key, value in patch.items():
        if key.startswith("$"):
            raise not_implemented(f"the strategic merge directive {key}")
        below = f"{path}.{key}" if path else key
        old = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            merged[key] = _strategic_map(old, value, keys, below)
        elif isinstance(value, list) and isinstance(old, list) and below in keys:
            merged[key] = _strategic_list(old, value, keys[below])
        else:
            _refuse_directives(value)
            merged[key] = value
    return merged


def _refuse_directives(value: Any) -> None:
    """Raise ApiError if a value has a directive. The real server would store it."""
    if isinstance(value, Mapping):
        if any(key.startswith("$") for key in value):
            raise not_implemented("strategic merge directives below a field that is new")
        for item in value.values():
            _refuse_directives(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_directives(item)


def _strategic_list(original: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    if not key:
        return list(dict.fromkeys([*original, *patch]))
    kept = list(original)
    changes: list[Mapping[str, Any]] = []
    replace = False
    for item in patch:
        if not isinstance(item, Mapping):
            raise bad_request(f"a list that merges by {key} holds objects")
        if item.get("$patch") == "replace":
            replace = True
            continue
        if key not in item:
            raise ApiError(500, "", f"map: {dict(item)!r} does not contain declared merge key: {key}")
        if item.get("$patch") == "delete":
            kept = [old for old in kept if old.get(key) != item[key]]
        elif "$patch" in item:
            raise bad_request(f"unknown patch type found: {item['$patch']}")
        else:
            changes.append(item)
    if replace:
        return list(changes)
    merged = list(kept)
    for change in changes:
        for at, old in enumerate(merged):
            if old.get(key) == change[key]:
                merged[at] = _strategic_map(old, change, {}, "")
                break
        else:
            _refuse_directives(change)
            merged.append(change)
    return _in_order(merged, [change[key] for change in changes], [old.get(key) for old in kept], key)


def _in_order(merged: list[Any], patched: list[Any], before: list[Any], key: str) -> list[Any]:
    """Return the items in the order of the real server: the patch's order for its items, merged with that of the rest.

    An item of the rest comes first only if both items existed before, in this order.
    """
    named = sorted((item for item in merged if item[key] in patched), key=lambda item: patched.index(item[key]))
    rest = [item for item in merged if item[key] not in patched]
    woven: list[Any] = []
    while named and rest:
        both = rest[0][key] in before and named[0][key] in before
        first = both and before.index(rest[0][key]) < before.index(named[0][key])
        woven.append(rest.pop(0) if first else named.pop(0))
    return woven + named + rest


def json_patch(original: Any, operations: Any) -> Any:
    """Return a JSON patch's result (RFC 6902). Raises ApiError 400 for a malformed patch, 422 for an unfit one."""
    if not isinstance(operations, list):
        raise bad_request("error decoding patch: a JSON patch is a list of operations")
    document = original
    for operation in operations:
        if not isinstance(operation, Mapping) or "op" not in operation or "path" not in operation:
            raise bad_request("error decoding patch: an operation needs op and path")
        document = _json_operation(document, operation)
    return document


def _misfit(why: str) -> ApiError:
    return ApiError(422, "Invalid", f"the server rejected our request due to an error in our request: {why}")


def _tokens(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise _misfit(f"{pointer!r} is not a JSON pointer")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def _index(token: str, size: int) -> int:
    if not (token.isascii() and token.isdigit()) or int(token) >= size:
        raise _misfit(f"no list item {token}")
    return int(token)


def _look_up(document: Any, tokens: Sequence[str]) -> Any:
    for token in tokens:
        if isinstance(document, Mapping) and token in document:
            document = document[token]
        elif isinstance(document, list):
            document = document[_index(token, len(document))]
        else:
            raise _misfit(f"nothing at {token!r}")
    return document


def _edit(document: Any, tokens: Sequence[str], operation: str, value: Any) -> Any:
    if not tokens:
        return value
    token, rest = tokens[0], tokens[1:]
    if isinstance(document, Mapping):
        changed = dict(document)
        if (rest or operation != "add") and token not in changed:
            raise _misfit(f"nothing at {token!r}")
        if rest:
            changed[token] = _edit(changed[token], rest, operation, value)
        elif operation == "remove":
            del changed[token]
        else:
            changed[token] = value
        return changed
    if isinstance(document, list):
        items = list(document)
        if not rest and operation == "add":
            items.insert(len(items) if token == "-" else _index(token, len(items) + 1), value)
            return items
        at = _index(token, len(items))
        if rest:
            items[at] = _edit(items[at], rest, operation, value)
        elif operation == "remove":
            del items[at]
        else:
            items[at] = value
        return items
    raise _misfit(f"nothing at {token!r}")


def _json_operation(document: Any, operation: Mapping[str, Any]) -> Any:
    name, tokens = operation["op"], _tokens(operation["path"])
    if name in ("add", "replace", "test") and "value" not in operation:
        raise _misfit(f"{name} without a value")
    if name == "test":
        present = _look_up(document, tokens) if operation["value"] is not None else _look_up_or_none(document, tokens)
        if present != operation["value"]:
            raise _misfit(f"testing value {operation['path']} failed")
        return document
    if name in ("add", "replace", "remove"):
        return _edit(document, tokens, name, operation.get("value"))
    if name in ("copy", "move"):
        source = _tokens(operation.get("from", ""))
        value = _look_up(document, source)
        if name == "move":
            document = _edit(document, source, "remove", None)
        return _edit(document, tokens, "add", value)
    raise _misfit(f"unknown operation {name!r}")


def _look_up_or_none(document: Any, tokens: Sequence[str]) -> Any:
    try:
        return _look_up(document, tokens)
    except ApiError:
        return None
