# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merges decoded configs as the kubelet merges its drop-in directory, Kubernetes 1.32 and newer.

Objects and maps by key, lists as wholes, scalars replaced, null takes a field back to its default. Private to
configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["merge"]


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
