# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merges decoded configs as the kubelet merges its drop-in directory, Kubernetes 1.32 and newer.

Objects and maps by key, lists as wholes, scalars replaced, null takes a field back to its default. Private to
configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .._exceptions import ConfigError

__all__ = ["canonical", "json_values", "merge"]


def merge(documents: Sequence[Any]) -> dict[str, Any]:
    """Merge decoded documents, later ones win; the inputs are left as they are."""
    result: dict[str, Any] = {}
    for document in documents:
        result = _merge(result, document)
    return result


def _merge(below: Any, above: Any) -> Any:
    if not isinstance(above, dict):
        return above
    result = dict(below) if isinstance(below, dict) else {}
    for key, value in above.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merge(result.get(key), value)
    return result


def canonical(data: Any) -> bytes:
    """Canonical JSON of decoded data: keys sorted, no spaces, UTF-8, a float that is a whole number written as one.

    Raises ValueError for what JSON cannot hold (NaN, infinity, keys that are no strings).
    """
    values = json_values(data)
    try:
        text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"cannot be written as JSON: {error}") from error


def json_values(data: Any) -> Any:
    """Return decoded data as Kubernetes makes JSON of YAML: 110.0 is 110. Raises ValueError for a key that is no
    string."""
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise ConfigError("a key is not a string")
        return {key: json_values(value) for key, value in data.items()}
    if isinstance(data, list):
        return [json_values(value) for value in data]
    if isinstance(data, float) and data.is_integer() and abs(data) < 1e21:
        return int(data)
    return data
