# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of CPUs as the kernel and the kubelet write them. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["cpu_set"]

_RANGE = re.compile(r"\s*([0-9]{1,5})(?:-([0-9]{1,5}))?\s*")


def cpu_set(text: Any) -> frozenset[int]:
    """Return the CPUs of a list such as ``0-3,8``; what is no number or range up to 99999 is left out."""
    matches = (_RANGE.fullmatch(part) for part in str(text or "").split(","))
    found: set[int] = set()
    last = -1
    for first, end in sorted((int(one[1]), int(one[2] or one[1])) for one in matches if one is not None):
        found.update(range(max(first, last + 1), end + 1))  # each once, however often it is said
        last = max(last, end)
    return frozenset(found)
