# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of a rollout share: lines and garbage collections."""

from __future__ import annotations

import gc
import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import InvalidDuration
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import Progress
from ansible_collections.configok.node.plugins.plugin_utils._run import (
    progress_line,
    read_wait_timeout,
    spare_garbage_collections,
)


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (Progress("", "pool a is locked by b"), "pool a is locked by b"),
        (Progress("canary", "canary: n1 waits"), "canary: n1 waits"),
    ],
)
def test_progress_line_begins_with_its_wave_if_it_has_one(progress: Progress, line: str) -> None:
    assert progress_line(progress) == line


@pytest.mark.parametrize(("value", "seconds"), [("90", 90.0), ("10m", 600.0), ("0", 0.0)])
def test_a_number_is_a_time_in_seconds(value: str, seconds: float) -> None:
    assert read_wait_timeout({"wait_timeout": value}) == seconds


@pytest.mark.parametrize("value", ["9" * 5000, "-1", "soon", "Infinity"])
def test_another_time_is_refused_with_the_name_of_the_option(value: str) -> None:
    with pytest.raises(InvalidDuration, match=r"wait_timeout .* must be a duration"):
        read_wait_timeout({"wait_timeout": value})


def test_a_page_of_a_list_does_not_cause_a_full_garbage_collection() -> None:
    thresholds = gc.get_threshold()
    node = {"images": [{"names": [str(number)]} for number in range(45)]}
    text = json.dumps({"items": [node] * 500})
    try:
        spare_garbage_collections()
        before = gc.get_stats()[2]["collections"]
        pages = [json.loads(text) for _page in range(4)]
        assert len(pages) == 4
        assert gc.get_stats()[2]["collections"] == before
        assert gc.get_freeze_count() > 0
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
