# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find which components of the control plane a test can ask."""

from __future__ import annotations

from support.api.binaries import Unavailable, find_or_build, minor_of
from support.session.unavailable import leave_out

__all__ = ["minor_at_hand"]


def minor_at_hand(component: str) -> int:
    """Return the minor of a component, which is built if it is missing.

    Skip the test, or with CONFIGOK_REQUIRE_REAL=1 fail it, where it cannot be built.
    """
    try:
        find_or_build(component)
        return minor_of(component)
    except Unavailable as problem:
        leave_out(problem)
