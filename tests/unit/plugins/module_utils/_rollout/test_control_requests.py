# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause, resume, abort and approve as changes of the record: made twice, they change it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    abort_rollout,
    approve,
    request_abort,
    request_pause,
    resume,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import PresentWave, Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    decode_record,
    encode_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave

ALICE = Requester("alice", "the network is slow", "2026-11-24T10:00:00Z")
BOB = Requester("bob", "", "2026-11-24T11:00:00Z")
TARGET = Target("workers-0a1b2c3d4e", "configok-system", "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11", "0a1b2c3d4e")
WAVES = tuple(Wave(name, (f"n{number}",), 1.0) for number, name in enumerate(("canary", "wave 1", "wave 2")))
EMPTY = Record("workers")
PAUSE = Control("pause", "alice", "the network is slow", time="2026-11-24T10:00:00Z")


def record(phase: str = "Wave 1", **changes: Any) -> Record:
    rollout = Rollout(1, TARGET, phase, WAVES, 3, "begun", "changed", **{"waves_done": 1, **changes})
    published = EMPTY.with_revision(TARGET, time="begun", author="", cause="")
    return replace(published, rollout=rollout)


@pytest.mark.parametrize("present", [EMPTY, record(), record("Complete"), record("Paused")])
def test_a_pause_is_recorded_whether_or_not_a_rollout_is_under_way(present: Record) -> None:
    paused = request_pause(present, ALICE)
    assert paused == replace(present, control=PAUSE)
    assert request_pause(paused, BOB) == paused
    assert decode_record(encode_record(paused)) == paused
    resumed = resume(paused)
    assert resumed == present
    assert resume(resumed) == resumed


def test_a_resume_keeps_approvals_and_clears_what_is_not_understood() -> None:
    assert resume(replace(EMPTY, control=Control("halt", approved="wave 1"))).control == Control(approved="wave 1")


def test_an_abort_replaces_a_pause_and_nothing_replaces_an_abort() -> None:
    aborted = request_abort(request_pause(record(), BOB), ALICE)
    assert aborted.control == replace(PAUSE, request="abort")
    assert request_abort(aborted, BOB) == aborted
    sentence = "is to be aborted by alice at 2026-11-24T10:00:00Z: the network is slow: it cannot"
    with pytest.raises(RolloutError, match=f"{sentence} pause"):
        request_pause(aborted, BOB)
    with pytest.raises(RolloutError, match=f"{sentence} resume"):
        resume(aborted)


@pytest.mark.parametrize("present", [EMPTY, record("Complete"), record("Halted"), record("Aborted")])
def test_without_a_rollout_under_way_there_is_nothing_to_abort(present: Record) -> None:
    assert request_abort(present, ALICE) == present
    assert abort_rollout(present, "now") == present


def test_a_leftover_abort_does_not_bind_a_pool_at_rest() -> None:
    leftover = replace(record("Complete"), control=Control("abort"))
    assert request_pause(leftover, ALICE).control == PAUSE
    assert resume(leftover).control == Control()


def test_an_aborted_rollout_names_the_user_and_clears_its_requests() -> None:
    requested = request_abort(record(), ALICE)
    aborted = abort_rollout(requested, "now")
    assert aborted.rollout is not None
    assert aborted.rollout.has_ended
    assert (aborted.rollout.phase, aborted.rollout.changed_at) == ("Aborted", "now")
    assert aborted.rollout.reason == "aborted by alice at 2026-11-24T10:00:00Z: the network is slow"
    assert aborted.control == Control()
    assert aborted.revisions[-1].result == "Aborted"
    assert abort_rollout(aborted, "later") == aborted


def test_a_rollback_is_aborted_too_and_its_revision_stays_halted() -> None:
    rolling_back = record("Halted", is_rolling_back=True).with_result(1, "Halted")
    aborted = abort_rollout(request_abort(rolling_back, ALICE), "now")
    assert aborted.rollout is not None
    assert (aborted.rollout.phase, aborted.rollout.has_ended) == ("Aborted", True)
    assert aborted.revisions[-1].result == "Halted"


@pytest.mark.parametrize(
    ("before", "waves", "approved"),
    [
        ("", ["wave 1"], "wave 1"),
        ("", ["Wave  2 ", "canary"], "canary, wave 2"),
        ("wave 1", ["wave 2"], "wave 1, wave 2"),
        ("wave 1", ["all"], "all"),
        ("nonsense", ["wave 2"], "wave 2"),
        ("", [], "wave 1"),
    ],
)
def test_an_approval_is_added_to_those_before(before: str, waves: Sequence[str], approved: str) -> None:
    waiting = replace(record("Paused"), control=Control(approved=before))
    approved_record = approve(waiting, waves, BOB)
    assert approved_record.control == Control(approved=approved, approved_by="bob", approved_at="2026-11-24T11:00:00Z")
    assert approve(approved_record, waves, ALICE) == approved_record
    assert decode_record(encode_record(approved_record)) == approved_record


@pytest.mark.parametrize(
    "now",
    [
        record("Paused"),
        record("Wave 1", present_wave=PresentWave(1)),
        record("Paused", present_wave=PresentWave(1), waves_done=2),
    ],
)
@pytest.mark.parametrize("waves", [[], ["wave 1"]])
def test_an_approval_that_is_given_already_changes_nothing(now: Record, waves: Sequence[str]) -> None:
    approved = replace(now, control=approve(record("Paused"), [], BOB).control)
    assert approve(approved, waves, ALICE) == approved
    with pytest.raises(RolloutError, match="has no wave 7"):
        approve(approved, ["wave 7"], ALICE)


@pytest.mark.parametrize("waves", [[], ["wave 1"]])
def test_an_approval_is_remembered_after_the_end_and_is_void_for_the_next_rollout(waves: Sequence[str]) -> None:
    ended = abort_rollout(request_abort(approve(record(), ["wave 1"], BOB), ALICE), "now")
    assert ended.control == Control(approved="wave 1", approved_by="bob", approved_at="2026-11-24T11:00:00Z")
    assert approve(ended, waves, ALICE) == ended
    assert not ended.control.for_new_rollout().approved_waves
    with pytest.raises(RolloutError, match="pool workers is Aborted: there is no wave to approve"):
        approve(ended, ["wave 2"], ALICE)


@pytest.mark.parametrize(
    ("present", "waves", "sentence"),
    [
        (EMPTY, ["all"], "pool workers has never been rolled out: there is no wave to approve"),
        (record("Complete"), [], "pool workers is Complete: there is no wave to approve"),
        (record("Paused"), ["wave 7"], "has no wave 7: it has canary, wave 1, wave 2, or all"),
        (record("Wave 1"), [], "is in Wave 1 and waits for no approval: to approve a wave in advance, name it"),
        (record("Paused", present_wave=PresentWave(1)), [], "waits for no approval"),
    ],
)
def test_what_does_not_wait_is_approved_only_by_name(present: Record, waves: Sequence[str], sentence: str) -> None:
    with pytest.raises(RolloutError, match=sentence):
        approve(present, waves, ALICE)


@pytest.mark.parametrize(
    "change",
    [
        lambda present: request_pause(present, ALICE),
        lambda present: request_abort(present, ALICE),
        lambda present: approve(present, ["all"], ALICE),
        resume,
        lambda present: abort_rollout(present, "now"),
    ],
)
def test_requests_leave_the_rollout_of_the_pool_to_its_runner(change: Callable[[Record], Record]) -> None:
    present = record()
    after = change(present)
    assert replace(after, control=Control(), rollout=present.rollout, revisions=present.revisions) == present
