# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find which components of the control plane a test can ask."""

from __future__ import annotations

import pytest

from support.api.binaries import Unavailable, minor_of
from support.session.unavailable import leave_out

__all__ = ["minor_at_hand"]

_NOT_BUILT = ("kube-scheduler",)
"""Components that no script in support/bin builds: a test of them needs KUBEBUILDER_ASSETS."""


def minor_at_hand(component: str) -> int:
    """Return the minor of a component; skip the test, or with CONFIGOK_REQUIRE_REAL=1 fail it, where it is missing.

    One that no script builds is skipped in any case.
    """
    try:
        return minor_of(component)
    except Unavailable as problem:
        if component in _NOT_BUILT:
            pytest.skip(f"{component} is not built here: it is tested where KUBEBUILDER_ASSETS has it")
        leave_out(problem)
