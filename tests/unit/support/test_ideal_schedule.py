# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.rollouts.ideal_schedule import MovedWave, ideal_seconds


@pytest.mark.parametrize(
    ("waves", "window", "seconds"),
    [
        ([], 5, 0.0),
        ([MovedWave([], soak=10.0)], 5, 0.0),
        ([MovedWave([2.0])], 5, 2.0),
        ([MovedWave([2.0] * 5)], 5, 2.0),
        ([MovedWave([2.0] * 6)], 5, 4.0),
        ([MovedWave([2.0] * 10, soak=3.0)], 5, 7.0),
        # A slow node holds one slot, and the others move through the rest of the window.
        ([MovedWave([10.0, 1.0, 1.0, 1.0, 1.0])], 2, 10.0),
        ([MovedWave([1.0, 1.0, 1.0, 1.0, 10.0])], 2, 12.0),
        # A canary and three waves of a pool of 100 nodes, with a window of 10.
        ([MovedWave([2.0] * 3, 5.0), *(MovedWave([2.0] * count, 1.0) for count in (7, 20, 70))], 10, 7 + 3 + 5 + 15),
    ],
)
def test_a_window_slides_and_waves_follow_each_other(waves: list[MovedWave], window: int, seconds: float) -> None:
    assert ideal_seconds(waves, window=window) == pytest.approx(seconds)


ANSWERS = st.lists(st.integers(1, 60).map(float), min_size=1, max_size=30)


@given(ANSWERS, st.integers(1, 8))
def test_no_schedule_is_shorter_than_its_work_or_longer_than_one_node_at_a_time(
    answers: list[float], window: int
) -> None:
    seconds = ideal_seconds([MovedWave(answers)], window=window)
    assert max(*answers, sum(answers) / window) <= seconds + 1e-9
    assert seconds <= sum(answers)


@given(st.integers(1, 100), st.integers(1, 20))
def test_equal_nodes_move_in_full_windows(count: int, window: int) -> None:
    assert ideal_seconds([MovedWave([2.0] * count)], window=window) == 2.0 * math.ceil(count / window)
