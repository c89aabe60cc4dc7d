# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule for missing requirements: a test is skipped with the reason, or fails with CONFIGOK_REQUIRE_REAL=1."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

__all__ = ["NOT_RUN", "leave_out"]

NOT_RUN = "not run on the real API server"
"""The property of a test with the reason, which the summary counts."""


def leave_out(why: object) -> NoReturn:
    """Skip the test, or its fixture; with CONFIGOK_REQUIRE_REAL=1, as in CI, fail it. why: one sentence."""
    if os.environ.get("CONFIGOK_REQUIRE_REAL") == "1":
        pytest.fail(f"CONFIGOK_REQUIRE_REAL=1: {why}", pytrace=False)
    pytest.skip(str(why))
