# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts and ends of a static Pod's container, from one check to the next."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._pod_history import (
    PodStart,
    record_pod_end,
    record_pod_start,
    was_replaced,
    with_config_in_use,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import Moment
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import Start, is_crash

BOOT, NOW = "boot-1", 100.0
INIT, NEXT = "config-init", "config-next"


def checked(
    startups: Sequence[Start],
    uid: str,
    attempt: int,
    config: str,
    *,
    at: float = NOW,
    rival: bool = False,
    settled: bool = True,
) -> list[Start]:
    """Return the startups after a check."""
    moment = Moment(at, BOOT, f"time-{at:g}")
    seen = PodStart(uid, attempt, at, rival)
    changed = record_pod_start(startups, seen, config=config, moment=moment, is_settled=settled)
    return list(startups) if changed is None else changed


def shown(startups: Sequence[Start]) -> list[tuple[str, str, str]]:
    """Return of each start its name, its config, and how it has ended."""
    return [
        (start.invocation, start.config, "" if start.end is None else "crashed" if is_crash(start.end) else "ended")
        for start in startups
    ]


def test_a_pod_that_is_replaced_has_not_crashed() -> None:
    startups = checked(checked([], "a", 0, INIT), "b", 0, NEXT)
    assert shown(startups) == [("a/0", INIT, "ended"), ("b/0", NEXT, "")]


@pytest.mark.parametrize(
    ("uid", "attempt", "replaced_at", "boot", "expected"),
    [
        ("a", 1, 50.0, BOOT, True),
        ("a", 0, 50.0, BOOT, True),
        ("a", 2, 50.0, BOOT, False),
        ("b", 0, 50.0, BOOT, False),
        ("b", 0, 65.0, BOOT, True),
        ("c", 0, 50.0, BOOT, False),
        ("a", 1, 0.0, BOOT, False),
        ("a", 1, 50.0, "boot-2", False),
    ],
    ids=[
        "the last start of the one before",
        "one before that",
        "a start since then",
        "the one of the manifest",
        "one whose manifest was replaced, too",
        "one that was never recorded",
        "no manifest was replaced",
        "a boot since then",
    ],
)
def test_a_pod_was_replaced_that_has_not_started_since_then(
    uid: str, attempt: int, replaced_at: float, boot: str, expected: bool
) -> None:
    startups: list[Start] = []
    for name, number, at in (("a", 0, 30.0), ("a", 1, 40.0), ("b", 0, 60.0)):
        startups = checked(startups, name, number, INIT, at=at)
    assert was_replaced(startups, uid, attempt, replaced_at=replaced_at, boot_id=boot) is expected


def test_a_pod_that_is_back_was_not_replaced() -> None:
    startups: list[Start] = []
    for name, at in (("a", 30.0), ("b", 60.0), ("a", 80.0)):
        startups = checked(startups, name, 0, INIT, at=at)
    assert not was_replaced(startups, "a", 0, replaced_at=70.0, boot_id=BOOT)
    assert was_replaced(startups, "b", 0, replaced_at=70.0, boot_id=BOOT)


def test_a_check_of_the_same_start_records_nothing() -> None:
    startups = checked([], "a", 0, INIT)
    seen = PodStart("a", 0, NOW)
    assert record_pod_start(startups, seen, config=INIT, moment=Moment(NOW + 1, BOOT, "")) is None


def test_another_start_of_the_container_is_a_crash_of_the_one_before() -> None:
    startups = checked(checked([], "a", 0, NEXT), "a", 1, NEXT, at=NOW + 20)
    assert shown(startups) == [("a/0", NEXT, "crashed"), ("a/1", NEXT, "")]
    assert startups[0].end is not None
    assert startups[0].end.since_boot == NOW + 20


def test_crashes_between_two_checks_are_counted() -> None:
    startups = checked(checked(checked([], "a", 0, INIT), "b", 0, NEXT), "b", 3, NEXT, at=NOW + 60)
    assert shown(startups)[1:] == [
        ("b/0", NEXT, "crashed"),
        ("b/1", NEXT, "crashed"),
        ("b/2", NEXT, "crashed"),
        ("b/3", NEXT, ""),
    ]


@pytest.mark.parametrize("before", [[], [Start("a/0", BOOT, 1.0, "", INIT)]], ids=["nothing", "another Pod"])
def test_what_came_before_the_first_check_of_a_pod_is_not_counted(before: list[Start]) -> None:
    """The kubelet continues to count where a Pod of the same manifest has ended: init manifests have high numbers."""
    assert shown(checked(before, "b", 7, NEXT))[-1:] == [("b/7", NEXT, "")]
    assert not any(ended == "crashed" for _name, _config, ended in shown(checked(before, "b", 7, NEXT)))


def test_a_log_that_is_being_rotated_is_not_another_start() -> None:
    startups = checked([], "a", 3, NEXT)
    assert checked(startups, "a", 2, NEXT) == startups


def test_a_pod_that_comes_back_has_not_crashed_meanwhile() -> None:
    """The same manifest gives the same uid, and the kubelet may continue to count."""
    startups = checked(checked(checked([], "a", 0, INIT), "b", 0, NEXT), "a", 1, INIT)
    assert shown(startups)[2:] == [("a/1", INIT, "")]


def test_an_end_without_the_port_does_not_count_as_a_crash() -> None:
    startups = checked(checked([], "b", 0, NEXT), "b", 1, NEXT, rival=True)
    assert shown(startups)[0] == ("b/0", NEXT, "ended")


def test_an_end_of_the_old_pod_is_not_charged_to_the_next_options() -> None:
    """The manifest is written, and the kubelet has not acted on it yet."""
    startups = checked(checked([], "a", 0, INIT), "a", 1, NEXT)
    assert shown(startups) == [("a/0", INIT, "ended"), ("a/1", INIT, "")]


def test_an_end_while_other_options_are_to_be_written_does_not_count() -> None:
    startups = checked(checked([], "a", 0, INIT), "a", 1, INIT, settled=False)
    assert shown(startups) == [("a/0", INIT, "ended"), ("a/1", INIT, "")]


def test_an_end_of_a_manifest_of_another_program_does_not_count() -> None:
    startups = checked(checked(checked([], "a", 0, NEXT), "x", 0, ""), "x", 1, "")
    assert shown(startups) == [("a/0", NEXT, "ended"), ("x/0", "", "ended"), ("x/1", "", "")]


def gone(
    startups: Sequence[Start], uid: str, attempt: int, config: str, *, rival: bool = False, settled: bool = True
) -> list[Start] | None:
    """Return the startups after a check that no longer finds the process of a start; None if nothing is new."""
    moment = Moment(NOW + 5, BOOT, "")
    return record_pod_end(
        startups, PodStart(uid, attempt, NOW, rival), config=config, moment=moment, is_settled=settled
    )


def test_a_process_that_has_gone_has_crashed_before_the_next_start() -> None:
    startups = checked([], "a", 0, NEXT)
    ended = gone(startups, "a", 0, NEXT)
    assert ended is not None
    assert shown(ended) == [("a/0", NEXT, "crashed")]
    assert gone(ended, "a", 0, NEXT) is None
    assert shown(checked(ended, "a", 1, NEXT, at=NOW + 20)) == [("a/0", NEXT, "crashed"), ("a/1", NEXT, "")]


def test_a_process_that_has_gone_without_its_port_has_not_crashed() -> None:
    ended = gone(checked([], "a", 0, NEXT), "a", 0, NEXT, rival=True)
    assert ended is not None
    assert shown(ended) == [("a/0", NEXT, "ended")]


def test_the_next_start_tells_about_a_process_that_is_not_charged_to_the_options() -> None:
    startups = checked([], "a", 0, INIT)
    assert gone(startups, "a", 0, NEXT) is None, "the manifest is another one by now"
    assert gone(startups, "a", 0, INIT, settled=False) is None
    assert gone(checked([], "a", 0, ""), "a", 0, "") is None, "another program wrote the manifest"
    assert gone(startups, "a", 1, INIT) is None
    assert gone([], "a", 0, INIT) is None
    assert gone([startups[0]._replace(boot_id="boot-0")], "a", 0, INIT) is None


def test_a_kubelet_that_replaces_a_pod_of_the_same_manifest_has_ended_its_process() -> None:
    """Some upgrades of a kubelet give all static Pods other uids."""
    ended = gone(checked([], "a", 0, NEXT), "a", 0, NEXT)
    assert ended is not None
    for settled in (True, False):  # the API server restarts, too
        after = checked(ended, "b", 0, NEXT, settled=settled)
        assert shown(after) == [("a/0", NEXT, "ended"), ("b/0", NEXT, "")]
    assert shown(checked(ended, "b", 0, INIT)) == [("a/0", NEXT, "crashed"), ("b/0", INIT, "")]


def test_a_boot_ends_everything_without_a_crash() -> None:
    before = [Start("a/0", "boot-0", 5000.0, "", NEXT)]
    assert shown(checked(before, "a", 1, NEXT)) == [("a/0", NEXT, ""), ("a/1", NEXT, "")]


def test_another_file_that_asks_for_the_same_is_what_runs() -> None:
    """Also of a Pod that the kubelet has yet to start; the one before it keeps its own."""
    startups = [Start("a/0", BOOT, 1.0, "", INIT), Start("b/0", BOOT, 2.0, "", NEXT)]
    assert [start.config for start in with_config_in_use(startups, NEXT, "same")] == [INIT, "same"]
