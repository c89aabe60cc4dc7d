# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts, ends and crashes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import DamagedFile
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import (
    MAX_STARTUPS,
    BadConfig,
    End,
    Start,
    append_start,
    crashes_since_adoption,
    crashes_with_config,
    decode_bad_configs,
    decode_startups,
    encode_bad_configs,
    encode_startups,
    is_crash,
    record_end,
)
from support.fuzz.settings import fuzz

CRASH = End("exit-code", "exited", "1", 20.0, "t")


@pytest.mark.contract("crash.what-counts", "crash.not-by-an-administrator", "poststop.after-a-failed-prestart")
@pytest.mark.parametrize(
    ("end", "crash"),
    [
        (End("exit-code", "exited", "1"), True),
        (End("signal", "killed", "SEGV"), True),
        (End("core-dump", "dumped", "ABRT"), True),
        (End("oom-kill", "killed", "KILL"), True),
        (End("watchdog", "killed", "ABRT"), True),
        (End("exit-code", "exited", "199"), True),
        (End("exit-code", "exited", "244"), True),
        (End("exit-code", "exited", "200"), False),  # an exit code of systemd itself: the component never ran
        (End("exit-code", "exited", "243"), False),
        (End("success", "exited", "0"), False),  # an administrator's stop
        (End("success", "killed", "TERM"), False),
        (End("exit-code", "", ""), False),  # an ExecStartPre failed
        (End("", "", ""), False),
    ],
)
def test_what_a_crash_is(end: End, crash: bool) -> None:
    assert is_crash(end) is crash


def _start(number: int, at: float, *, boot: str = "b1", end: End | None = CRASH, config: str = "c") -> Start:
    return Start(f"i{number}", boot, at, "t", config, end)


@pytest.mark.contract("crashloop.counts-since")
def test_crashes_count_since_the_later_of_boot_and_adoption() -> None:
    starts = [
        _start(1, 5.0, boot="b0"),
        _start(2, 9.0),
        _start(3, 10.0),
        _start(4, 11.0),
        _start(5, 12.0, end=None),
    ]
    assert crashes_since_adoption(starts, boot_id="b1", adopted_boot_id="b1", adopted_since_boot=10.0) == 2
    assert crashes_since_adoption(starts, boot_id="b1", adopted_boot_id="b0", adopted_since_boot=10.0) == 3
    assert crashes_since_adoption(starts, boot_id="b2", adopted_boot_id="b1", adopted_since_boot=10.0) == 0
    assert crashes_with_config(starts, boot_id="b1", since=0.0, config="c") == 3
    assert crashes_with_config(starts, boot_id="b1", since=21.0, config="c") == 0
    assert crashes_with_config(starts, boot_id="b1", since=0.0, config="another") == 0


@pytest.mark.contract("starts.paired-by-invocation")
def test_starts_and_ends_are_paired_by_invocation() -> None:
    starts = append_start(append_start([], _start(1, 1.0, end=None)), _start(2, 2.0, end=None))
    startups = record_end(starts, "i1", "b1", CRASH)
    assert startups is not None
    assert [start.end for start in startups] == [CRASH, None]
    assert record_end(starts, "i3", "b1", CRASH) is None
    assert record_end(starts, "i1", "b2", CRASH) is None


def test_a_second_prestart_of_one_invocation_replaces_the_first() -> None:
    starts = append_start([_start(1, 1.0, end=None)], _start(1, 1.5, end=None))
    assert [start.since_boot for start in starts] == [1.5]


@pytest.mark.contract("files.startups")
def test_the_list_is_bounded() -> None:
    starts: list[Start] = []
    for number in range(3 * MAX_STARTUPS):
        starts = append_start(starts, _start(number, float(number)))
    assert len(starts) == MAX_STARTUPS
    assert starts[-1].invocation == f"i{3 * MAX_STARTUPS - 1}"


TEXT = st.text(max_size=20)
MARKS = st.builds(BadConfig, TEXT, TEXT, TEXT, TEXT, st.integers(0, 10), st.floats(0, 1e6), TEXT)
ENDS = st.none() | st.builds(End, TEXT, TEXT, TEXT, st.floats(0, 1e6), TEXT)


@pytest.mark.contract("files.startups")
@fuzz(100)
@given(st.lists(st.builds(Start, TEXT, TEXT, st.floats(0, 1e6), TEXT, TEXT, ENDS), max_size=5))
def test_startups_are_decoded_as_they_were_encoded(starts: list[Start]) -> None:
    assert decode_startups(encode_startups(starts)) == starts


@pytest.mark.contract("files.bad-configs")
@fuzz(100)
@given(st.dictionaries(TEXT, MARKS, max_size=5))
def test_bad_configs_are_decoded_as_they_were_encoded(bad: dict[str, BadConfig]) -> None:
    assert decode_bad_configs(encode_bad_configs(bad)) == bad


@pytest.mark.parametrize("within", ["NaN", "Infinity", '"2m"', '"5"', "null"])
def test_a_mark_without_a_number_of_seconds_is_damaged(within: str) -> None:
    data = encode_bad_configs({"u": BadConfig("t", "r", "NotHealthy", within=7.5)})
    with pytest.raises(DamagedFile):
        decode_bad_configs(data.replace(b"7.5", within.encode()))


@fuzz(100)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_damaged(data: bytes) -> None:
    for decode in (decode_startups, decode_bad_configs):
        try:
            decode(data)
        except DamagedFile:
            continue
