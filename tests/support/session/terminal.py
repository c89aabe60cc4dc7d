# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the progress of a long suite, past pytest's capture."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["say"]


def say(config: pytest.Config, line: str) -> None:
    """Write a separate line to the terminal immediately. A worker of pytest-xdist has none, and writes nothing."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    with capture.global_and_fixture_disabled():
        reporter.ensure_newline()
        reporter.write_line(line)
