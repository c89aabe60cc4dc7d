# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs Prometheus' own checker, if it is available."""

from __future__ import annotations

import subprocess

from ..api.binaries import Unavailable, find
from .unavailable import leave_out

__all__ = ["promtool"]


def promtool(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run promtool; if it is missing, skip the test, or fail it with CONFIGOK_REQUIRE_REAL=1."""
    try:
        program = find("promtool", made_by="prepare-prometheus")
    except Unavailable as error:
        leave_out(error)
    command = [str(program), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
