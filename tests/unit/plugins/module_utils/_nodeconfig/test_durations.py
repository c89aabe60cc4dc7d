# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations as written in settings, and in human-readable form."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import (
    InvalidDuration,
    condition_duration,
    describe_duration,
    setting_duration,
)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10m", 600.0),
        ("1h30m", 5400.0),
        ("500ms", 0.5),
        ("1.5s", 1.5),
        ("0.1h", 360.0),
        ("1m1m", 120.0),
        ("0", 0.0),
        ("720h", 2592000.0),
        (0, 0.0),
        (90, 90.0),
        (0.5, 0.5),
        (f"{'0' * 61}10m", 600.0),
    ],
)
def test_the_duration_of_a_setting_is_parsed(value: Any, seconds: float) -> None:
    assert setting_duration(value, "it") == seconds


@pytest.mark.parametrize(
    "value",
    [
        "",
        "10",
        "m",
        "-1s",
        "+1s",
        ".5s",
        "1.s",
        "1us",
        "1 m",
        "1m\n",
        "1d",
        "\u0661s",
        "720h1ms",
        "9" * 63 + "h",
        f"{'0' * 63}1m",
        -1,
        2592001,
        10**400,
        float("nan"),
        float("inf"),
        True,
        None,
        ["1m"],
    ],
)
def test_what_a_setting_may_not_be(value: Any) -> None:
    with pytest.raises(InvalidDuration) as caught:
        setting_duration(value, "soak")
    sentence = f"soak {str(value)[:50]!r} must be a duration such as 10m, 90s or 1h30m, at most 720h"
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("seconds", "text"), [(120, "2m"), (90, "90s"), (0.5, "500ms"), (1.5, "1.5s"), (0, "0ms")])
def test_a_duration_is_written_for_the_condition(seconds: float, text: str) -> None:
    assert condition_duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (0.5, "0.5s"), (90, "90s"), (120, "2m"), (150, "2m30s"), (660, "11m"), (3900, "1h5m")],
)
def test_a_duration_is_written_for_a_rollout(seconds: float, text: str) -> None:
    assert describe_duration(seconds) == text
