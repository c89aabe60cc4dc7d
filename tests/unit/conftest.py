# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The closing line of ``make fuzz``."""

from __future__ import annotations

import re
import time
from collections.abc import Generator
from typing import Any

import pytest

from support.fuzz.settings import FACTOR

_begun = time.monotonic()
_examples: dict[str, int] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Remember how many examples Hypothesis has tried, from its own statistics."""
    found = re.findall(r"(\d+) (?:passing|failing|invalid)", getattr(item, "hypothesis_statistics", ""))
    if found:
        _examples[item.nodeid] = sum(int(number) for number in found)
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if FACTOR == 1:
        return
    failed = len(terminalreporter.stats.get("failed", []))
    terminalreporter.write_line(
        f"fuzz: {len(_examples)} tests, {sum(_examples.values())} examples, {failed} failed, "
        f"{time.monotonic() - _begun:.0f} s, seed {config.getoption('--hypothesis-seed')}"
    )
