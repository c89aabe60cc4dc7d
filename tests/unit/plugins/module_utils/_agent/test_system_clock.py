# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real clock: one boot id for the agent in its sandbox and for the hooks outside of it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import BOOT_ID, SystemClock

KERNEL = Path("/proc/sys/kernel/random/boot_id")


@pytest.mark.contract("time.since-boot")
def test_seconds_are_since_boot() -> None:
    assert SystemClock().since_boot() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=60)
    assert SystemClock().since_boot() != pytest.approx(time.time(), abs=60)


def test_what_the_unit_says_is_the_boot_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BOOT_ID, "ff92f510eea34bd992ed836255b19b3a")
    assert SystemClock().boot_id() == "ff92f510-eea3-4bd9-92ed-836255b19b3a"


@pytest.mark.parametrize("text", ["", "%b", "ff92f510-eea3-4bd9-92ed-836255b19b3a"])
def test_else_it_is_the_kernels(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(BOOT_ID, text)
    assert SystemClock().boot_id() == KERNEL.read_text().strip()
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", SystemClock().boot_id())
