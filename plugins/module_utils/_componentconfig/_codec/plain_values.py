# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, merge, canonicalize and fingerprint decoded values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..._foreign import load_json
from .. import ConfigError

HEAD_FIELDS = ("apiVersion", "kind")
"""The fields that identify the kind of a document."""


def head_values(data: Mapping[str, Any], *, is_json: bool = False) -> dict[str, Any]:
    """Return the apiVersion and kind of decoded data as Kubernetes reads them, None for a missing one.

    Kubernetes reads them before all other fields and in any case (`Kind`); the last key wins. It sorts the keys of YAML
    first, so that the usual case wins there. A value that is not a string is returned at once, as Go refuses it.
    """
    head: dict[str, Any] = {}
    for name in HEAD_FIELDS:
        keys = [key for key in data if isinstance(key, str) and key.casefold() == name.casefold()]
        values = [data[key] for key in (keys if is_json else sorted(keys)) if data[key] is not None]
        wrong = next((value for value in values if not isinstance(value, str)), None)
        head[name] = wrong if wrong is not None else next(reversed(values), None)
    return head


def missing_head_fields(head: Mapping[str, Any]) -> list[str]:
    """Return which of the apiVersion and kind, as `head_values` returns them, are not text or are empty."""
    return [name for name in HEAD_FIELDS if not isinstance(head[name], str) or not head[name]]


def decode_values(text: str, file: str) -> Any:
    """Return the values in a JSON or YAML text as Kubernetes reads them. Raises InvalidConfig, ImportError for PyYAML.

    file: what messages call the text.
    """
    try:
        return load_json(text)
    except ValueError:
        pass  # not JSON, so YAML
    from .document import decode  # not at the top: reading JSON needs neither the decoder nor PyYAML

    return json_values(decode(text, file=file).data)


def fingerprint(values: Any) -> str:
    """Return a hash that is the same for the same decoded values, whatever their order and notation.

    Nothing counts as absent: an empty value or null may switch a default off, which only the schema knows. Nodes keep
    fingerprints, so the text that is hashed must never change.
    """
    import hashlib  # not at the top: importing the package costs less without it

    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def merge(documents: Sequence[Any]) -> dict[str, Any]:
    """Merge decoded documents (later ones win) as Kubernetes 1.32 and newer merge the kubelet's drop-ins.

    Objects and maps are merged by key, lists and scalars are replaced, null resets a field to its default. The inputs
    stay as they are.
    """
    result: dict[str, Any] = {}
    for document in documents:
        result = _merge(result, document)
    return result


def _merge(lower: Any, upper: Any) -> Any:
    if not isinstance(upper, dict):
        return upper
    result = dict(lower) if isinstance(lower, dict) else {}
    for key, value in upper.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merge(result.get(key), value)
    return result


def canonical(data: Any) -> bytes:
    """Return canonical JSON of decoded data: sorted keys, no spaces, UTF-8, a whole number without its fraction.

    Raises ConfigError for values that JSON cannot hold (NaN, infinity, keys that are not strings).
    """
    values = json_values(data)
    try:
        text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"cannot be written as JSON: {error}") from error


def json_values(data: Any) -> Any:
    """Return decoded data as Kubernetes converts YAML to JSON: 110.0 is 110.

    Raises ConfigError for a key that is not a string.
    """
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise ConfigError("a key is not a string")
        return {key: json_values(value) for key, value in data.items()}
    if isinstance(data, list):
        return [json_values(value) for value in data]
    if isinstance(data, float) and data.is_integer() and abs(data) < 1e21:
        return int(data)
    return data
