# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One byte form for equal data, for hashes and comparison.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["canonical", "json_values"]


def canonical(data: Any) -> bytes:
    """Canonical JSON of decoded data: keys sorted, no spaces, UTF-8, a float that is a whole number written as one.

    Raises ValueError for what JSON cannot hold (NaN, infinity, keys that are no strings).
    """
    text = json.dumps(json_values(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def json_values(data: Any) -> Any:
    """Return decoded data as Kubernetes makes JSON of YAML: 110.0 is 110. Raises ValueError for a key that is no
    string."""
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise ValueError("a key is not a string")
        return {key: json_values(value) for key, value in data.items()}
    if isinstance(data, list):
        return [json_values(value) for value in data]
    if isinstance(data, float) and data.is_integer() and abs(data) < 1e21:
        return int(data)
    return data
