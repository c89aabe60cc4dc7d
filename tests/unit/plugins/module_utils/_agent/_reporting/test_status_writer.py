# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status writer retries until the status is written, and writes no more often than needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import (
    MIN_INTERVAL,
    NodeReport,
    RunReport,
    StatusWriter,
    read_report,
    write_report,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    Forbidden,
    KubeError,
    ServerError,
    TooManyRequests,
)
from ansible_collections.configok.node.plugins.module_utils._kube.retry import Backoff
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import (
    ConfigInUse,
    ConfigOk,
    adopting,
    failing,
    good,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from support.agents.bench import FakeApi, FakeClock
from support.agents.context import new_context
from support.agents.log_lines import record_log

STATUS = ConfigStatus(assignment=1)
GOOD = good(ConfigInUse("current", "u"))
FAILING = failing(ConfigInUse("current", "u"), "the health endpoint does not answer")


def new_writer(api: FakeApi, clock: FakeClock, random: float = 0.5) -> StatusWriter:
    return StatusWriter(new_context(api, clock), random=lambda: random)


def update(writer: StatusWriter, verdict: ConfigOk, status: ConfigStatus, label: str) -> None:
    """Report as the agent does, which starts what is due at the end of its round."""
    writer.update(verdict, status, label)
    writer.advance()


@pytest.mark.contract("condition.on-transitions")
def test_each_transition_is_written_once() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    update(writer, adopting("UID: u"), STATUS, "pool")
    update(writer, adopting("UID: u"), STATUS, "pool")
    update(writer, GOOD, STATUS, "pool")
    assert len(api.patches) == 2
    assert "lastTransitionTime" in api.patches[1]["status"]["conditions"][0]


@pytest.mark.contract("condition.until-written", "manners.back-off")
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ServerError("no", status=500), [1.0, 2.0, 4.0, 8.0, 12.0, 12.0, 12.0, 12.0]),  # may end at any moment
        (Forbidden("no", status=403), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]),
    ],
    ids=["failed", "refused"],
)
def test_it_is_tried_again_with_growing_pauses_until_it_is_written(error: KubeError, expected: list[float]) -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    api.down = error
    update(writer, GOOD, STATUS, "pool")
    pauses = []
    for _attempt in range(8):
        pauses.append(writer.due - clock.seconds)
        writer.advance()  # not due yet
        clock.advance(pauses[-1])
        writer.advance()
    assert pauses == expected
    assert len(api.requests) == 9
    api.down = None
    clock.advance(60.0)
    writer.advance()
    assert len(api.patches) == 1


@pytest.mark.contract("manners.back-off")
def test_retry_after_is_obeyed() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    api.down = TooManyRequests("slow", status=429, retry_after=90.0)
    update(writer, GOOD, STATUS, "pool")
    assert writer.due - clock.seconds == 90.0
    update(writer, adopting("UID: u"), STATUS, "pool")  # a new transition does not shorten the wait
    writer.retry_soon(5.0)
    assert writer.due - clock.seconds == 90.0
    assert len(api.requests) == 1


@pytest.mark.contract("condition.after-an-outage")
def test_what_was_put_off_is_written_soon_after_the_api_is_back() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    api.down = Forbidden("no", status=403)
    update(writer, GOOD, STATUS, "pool")
    for _attempt in range(8):
        clock.advance(writer.due - clock.seconds)
        writer.advance()
    assert writer.due - clock.seconds == 60.0
    writer.retry_soon(5.0)
    assert writer.due - clock.seconds == 2.5  # with jitter: the API was unreachable for all nodes


def test_a_late_answer_blocks_nothing_and_is_used_when_it_comes() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    api.hanging = True
    update(writer, adopting("UID: u"), STATUS, "pool")
    update(writer, GOOD, STATUS, "pool")
    writer.advance()
    assert writer.is_sending
    assert writer.latest == (GOOD, STATUS, "pool")  # taken at once, and sent after the answer to the first
    assert writer.due == float("inf")
    api.hanging = False
    writer.advance()
    assert len(api.patches) == 1  # the first transition
    assert writer.due <= clock.seconds
    writer.advance()
    assert len(api.patches) == 2
    assert writer.is_written


@pytest.mark.contract("condition.on-transitions")
def test_a_heartbeat_only_when_nothing_was_written_for_long() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    update(writer, GOOD, STATUS, "pool")
    clock.advance(599.0)
    writer.advance()
    assert len(api.patches) == 1
    clock.advance(1.0)
    writer.advance()
    assert len(api.patches) == 2
    assert "lastTransitionTime" not in api.patches[1]["status"]["conditions"][0]
    api.down = ServerError("no", status=500)
    clock.advance(600.0)
    writer.advance()
    assert writer.due > clock.seconds  # a failing heartbeat causes no busy loop


@pytest.mark.contract("condition.long-is-cut")
def test_the_journal_has_all_of_what_is_cut() -> None:
    api, log = FakeApi(), record_log([])
    writer = new_writer(api, FakeClock())
    update(writer, GOOD._replace(reason="x" * 5000), STATUS, "pool")
    assert [(message, fields["reason"]) for _level, message, fields in log] == [(GOOD.message, "x" * 5000)]
    assert len(api.patches[0]["status"]["conditions"][0]["reason"]) == 512


@pytest.mark.contract("condition.on-transitions")
@pytest.mark.parametrize(("random", "expected"), [(0.0, 480.0), (1.0, 720.0)])
def test_the_heartbeat_has_20_percent_jitter(random: float, expected: float) -> None:
    clock = FakeClock()
    writer = new_writer(FakeApi(), clock, random)
    update(writer, GOOD, STATUS, "pool")
    assert writer.due - clock.seconds == pytest.approx(expected)


def test_a_status_that_the_node_already_has_is_not_written_again() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    writer.accept_existing(STATUS.encode(), NodeReport(GOOD, STATUS, "pool"))
    update(writer, GOOD, STATUS, "pool")
    assert api.patches == []
    writer.mark_lost()
    update(writer, GOOD, STATUS, "pool")
    assert len(api.patches) == 1


def test_backoff_is_jittered_and_bounded() -> None:
    for random, first in ((0.0, 0.8), (1.0, 1.2)):
        backoff = Backoff(first=1.0, longest=10.0, random=lambda random=random: random)  # type: ignore[misc]
        assert backoff.failed(0.0) == pytest.approx(first)
        for _again in range(100):
            until = backoff.failed(0.0)
        assert until == pytest.approx(10.0 * first)
        assert not backoff.due(until - 0.1)
        backoff.reset()
        assert backoff.due(0.0)


@pytest.mark.contract("manners.flapping")
def test_a_component_that_flaps_is_reported_at_once_and_then_now_and_then() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    update(writer, GOOD, STATUS, "pool")
    clock.advance(60.0)
    for second in range(600):
        update(writer, GOOD if second % 2 else FAILING, STATUS, "pool")
        clock.advance(1.0)
        writer.advance()
        if second == 0:
            assert len(api.patches) == 2  # the first transition waits for nothing
    assert len(api.patches) <= 2 + 600 / MIN_INTERVAL
    update(writer, FAILING, STATUS, "pool")
    clock.advance(max(0.0, writer.due - clock.seconds) if not writer.is_written else 0.0)
    writer.advance()
    assert writer.is_written
    assert api.patches[-1]["status"]["conditions"][0]["status"] == FAILING.status


@pytest.mark.contract("manners.flapping")
def test_a_change_that_is_over_before_it_is_written_is_only_logged() -> None:
    api, clock, log = FakeApi(), FakeClock(), record_log([])
    writer = new_writer(api, clock)
    update(writer, GOOD, STATUS, "pool")
    update(writer, FAILING, STATUS, "pool")
    update(writer, GOOD, STATUS, "pool")
    clock.advance(MIN_INTERVAL)
    writer.advance()
    assert (len(api.patches), writer.is_written) == (1, True)
    assert [fields["status"] for _level, _message, fields in log] == [GOOD.status, FAILING.status, GOOD.status]


@pytest.mark.contract("manners.flapping")
def test_an_answer_to_another_assignment_waits_for_no_interval() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    update(writer, adopting("UID: u"), STATUS, "pool")
    update(writer, GOOD, STATUS._replace(in_trial=True), "pool")
    update(writer, GOOD, STATUS, "pool")
    update(writer, GOOD, STATUS._replace(assignment=2), "pool")
    assert len(api.patches) == 4


@pytest.mark.contract("manners.flapping", "manners.back-off")
def test_a_component_that_flaps_does_not_hurry_writes_that_fail() -> None:
    api, clock = FakeApi(), FakeClock()
    writer = new_writer(api, clock)
    api.down = ServerError("no", status=500)
    for second in range(60):
        update(writer, GOOD if second % 2 else FAILING, STATUS, "pool")
        clock.advance(1.0)
        writer.advance()
    assert len(api.requests) <= 10


@pytest.mark.parametrize("condition", [None, GOOD])
def test_the_run_report_has_the_condition_after_the_start_of_the_agent(
    tmp_path: Path, condition: ConfigOk | None
) -> None:
    report = RunReport("0.1.0", 7, "2026-01-01T00:00:00Z", condition, written=True, api_error="GET nodes/n1: refused")
    keys = ["agentVersion", "pid", "startedAt", "configOK", "written", "writtenAt", "apiTrouble"]
    assert list(report.to_dict()) == keys
    write_report(str(tmp_path), report)
    assert read_report(str(tmp_path)) == report
