# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule for missing requirements: a test is skipped with the reason, or fails with CONFIGOK_REQUIRE_REAL=1."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

__all__ = ["NOT_RUN", "leave_out", "leave_out_of_this_release"]

NOT_RUN = "not run on the real API server"
"""The property of a test with the reason, which the summary counts."""


def leave_out(why: object) -> NoReturn:
    """Skip the test, or its fixture; with CONFIGOK_REQUIRE_REAL=1, as in CI, fail it. why: one sentence."""
    if os.environ.get("CONFIGOK_REQUIRE_REAL") == "1":
        pytest.fail(f"CONFIGOK_REQUIRE_REAL=1: {why}", pytrace=False)
    pytest.skip(str(why))


def leave_out_of_this_release(request: pytest.FixtureRequest, why: str) -> NoReturn:
    """Skip the test, which the release at hand cannot show; the summary counts it. why: one sentence."""
    request.node.user_properties.append((NOT_RUN, why))
    pytest.skip(why)
