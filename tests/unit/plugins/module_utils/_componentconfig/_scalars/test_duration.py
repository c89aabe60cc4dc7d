# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations as Go reads and writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.duration import (
    format_duration,
    nanoseconds,
    parse_duration,
)
from support.fuzz.settings import fuzz


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("0s", 0),
        ("5m30s", 330 * 10**9),
        ("1h", 3600 * 10**9),
        ("1.5h", 5400 * 10**9),
        (".5s", 5 * 10**8),
        ("5.s", 5 * 10**9),
        ("100ms", 10**8),
        ("1us", 1000),
        ("1\u00b5s", 1000),
        ("1ns", 1),
        ("-1m", -60 * 10**9),
        ("+1m", 60 * 10**9),
        ("1s1s", 2 * 10**9),
        ("0.000000001s", 1),
    ],
)
def test_a_duration_is_parsed_as_go_does(text: str, value: int) -> None:
    assert nanoseconds(text) == value
    assert parse_duration(text) == value / 1e9


@pytest.mark.parametrize(
    "text", ["", "-", "1", "1 s", "s", ".s", "1d", "1H", "1h-1m", "1e3s", "3000000h", "soon", "1s ", "9" * 5000 + "s"]
)
def test_text_that_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a duration"):
        nanoseconds(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (90, "1m30s"), (3600, "1h"), (0.5, "500ms"), (0.0005, "500us"), (1.5, "1.5s"), (-60, "-1m")],
)
def test_a_duration_is_written_as_go_does(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@fuzz(100)
@given(st.integers(-(9 * 10**12), 9 * 10**12))
def test_what_is_written_is_read_back(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds)
