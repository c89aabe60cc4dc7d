# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time spans, as specified in systemd.time(7)."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.time_span import parse_time_span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30),
        ("30s", 30),
        (" 30 sec ", 30),
        ("5min", 300),
        ("1min 30s", 90),
        ("1min30", 90),
        ("1h 2m 3s 4ms", 3723.004),
        ("2 h", 7200),
        ("1.5min", 90),
        ("1d", 86400),
        ("1w", 604800),
        ("500000us", 0.5),
        ("500000\u00b5s", 0.5),
        ("0", 0),
        ("infinity", float("inf")),
    ],
)
def test_a_span_is_its_seconds(text: str, seconds: float) -> None:
    assert parse_time_span(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", " ", "s", "-1", "5 parsecs", "1min x", "infinity 1", "\u0661", "1e3", "9" * 1000])
def test_a_text_that_is_not_a_span_has_no_seconds(text: str) -> None:
    assert parse_time_span(text) is None
