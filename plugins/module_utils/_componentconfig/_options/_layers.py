# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge what null means for a flag: it is removed from the manifest, also if no lower layer sets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def with_removed_flags(layers: Sequence[Mapping[str, Any]], merged: Mapping[str, Any]) -> dict[str, Any]:
    """Return merged ComponentOptions with the flags that the highest layer which names them removes, as null."""
    flags = dict[str, Any]()
    for layer in layers:
        of_layer = layer.get("flags")
        if "flags" in layer and of_layer is None:
            flags.clear()
        flags.update(of_layer if isinstance(of_layer, dict) else {})
    removed = {name: None for name, value in flags.items() if value is None}
    if not removed:
        return dict(merged)
    present = merged.get("flags")
    return {**merged, "flags": {**(present if isinstance(present, dict) else {}), **removed}}
