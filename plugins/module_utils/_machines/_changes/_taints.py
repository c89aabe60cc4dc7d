# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taints as text. Pure."""

from __future__ import annotations

from .._objects.types import Taint


def taint_id(taint: Taint) -> str:
    """Return the key and effect of a taint, which together are unique on a Node."""
    return f"{taint.key}:{taint.effect}"


def taint_text(taint: Taint) -> str:
    """Return a taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else taint_id(taint)
