# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of fuzz tests: few, fixed examples in ``make unit``; many random ones in ``make fuzz``.

``make test`` tries half as many as ``make unit``. CONFIGOK_FUZZ multiplies the number of examples. Above 1 they are
random, and a failure prints how to repeat it.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

__all__ = ["fuzz"]

FACTOR = float(os.environ.get("CONFIGOK_FUZZ") or "1")


def fuzz(examples: int, **more: Any) -> settings:
    """Return the settings of a fuzz test. examples: their number in the quick run. Tests that limit time measure it."""
    return settings(
        max_examples=max(1, round(examples * FACTOR)),
        derandomize=FACTOR <= 1,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        **more,
    )
