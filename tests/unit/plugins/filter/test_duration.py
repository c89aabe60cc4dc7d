# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter duration: conversion to seconds and back."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.filter.duration import duration
from support.fuzz.settings import fuzz


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("1m30s", 90.0),
        ("500ms", 0.5),
        ("0", 0.0),
        ("-1h", -3600.0),
        (90, "1m30s"),
        (90.5, "1m30.5s"),
        (0, "0s"),
        (0.001, "1ms"),
        (7200, "2h"),
    ],
)
def test_a_duration_is_converted_in_both_directions(value: Any, result: Any) -> None:
    seconds = duration(value)
    assert (seconds, type(seconds)) == (result, type(result))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("90", "duration: not a duration: '90' (write for example 90s, 1m30s, 500ms)"),
        ("1 day", "not a duration: '1 day'"),
        (True, "duration needs text or a number of seconds, not bool"),
        (None, "duration needs text or a number of seconds, not NoneType"),
        (10**12, "not a duration"),
        (float("inf"), "duration: "),
        (float("nan"), "duration: "),
    ],
)
def test_a_value_that_is_not_a_duration_is_refused(value: Any, sentence: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        duration(value)
    assert sentence in str(caught.value)


@fuzz(200)
@given(st.integers(-(10**9), 10**9))
def test_seconds_are_read_back(seconds: int) -> None:
    assert duration(duration(seconds)) == seconds
