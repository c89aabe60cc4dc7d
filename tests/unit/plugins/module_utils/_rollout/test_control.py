# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of people in the record: read, kept by every write, and obeyed only if they are understood."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool._approval import Approval, missing_approval
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    decode_record,
    encode_record,
)

PAUSED = {"request": "pause", "requestedBy": "alice", "requestReason": "the network is slow", "requestedAt": "10:00"}


def test_a_request_says_what_it_is_and_who_made_it_when_and_why() -> None:
    control = Control.from_data(PAUSED)
    assert (control.is_pause, control.is_abort) == (True, False)
    assert control.describe_request() == "paused by alice at 10:00: the network is slow"
    assert Control.from_data({"request": "abort\n"}).describe_request() == "aborted"
    assert Control().describe_request() == ""


def test_every_write_of_the_record_keeps_the_requests() -> None:
    data = {**PAUSED, "approved": "wave 1, wave 2", "approvedBy": "bob"}
    record = Record("workers", control=Control.from_data(data))
    stored = encode_record(record)
    assert {key: stored["data"][key] for key in data} == data
    assert decode_record(stored) == record
    assert set(encode_record(Record("workers"))["data"]) == {"record"}


@pytest.mark.parametrize("request_text", ["Pause", "stop", "pause abort", "resume", "true"])
def test_a_request_that_is_not_understood_is_kept_reported_and_not_obeyed(request_text: str) -> None:
    control = Control.from_data({"request": request_text})
    assert not control.is_pause
    assert not control.is_abort
    assert control.describe_request() == ""
    assert control.to_data() == {"request": request_text}
    assert control.problems("workers") == [
        f"request '{request_text}' of pool workers is ignored (ConfigMap configok-rollouts/workers): write pause or "
        "abort, or remove it"
    ]


@pytest.mark.parametrize(
    ("approved", "waves"),
    [
        ("wave 1", {"wave 1"}),
        (" Wave  1 ,canary", {"wave 1", "canary"}),
        ("wave-1,wave-2", {"wave 1", "wave 2"}),
        ("all", {"wave 1", "canary", "wave 2", "broken"}),
        ("", set()),
        (",", set()),
        ("wave 0", set()),
        ("wave one", set()),
        ("all, not wave 2", set()),
        ("wave 1; wave 2", set()),
    ],
)
def test_an_approval_is_for_the_named_waves_and_for_none_if_a_part_is_not_understood(
    approved: str, waves: set[str]
) -> None:
    control = Control.from_data({"approved": approved})
    assert {wave for wave in ("canary", "broken", "wave 1", "wave 2") if control.approves(wave)} == waves
    is_understood = bool(waves) or not approved.strip(", ")
    assert bool(control.problems("workers")) is not is_understood


def test_a_key_that_is_not_known_is_named() -> None:
    (problem,) = Control.from_data({"record": "{}", "nodes": "", "Request": "pause"}).problems("workers")
    assert "Request of pool workers is ignored" in problem
    assert "it has request, requestedBy" in problem


def test_a_text_of_others_is_bounded_and_safe_to_show() -> None:
    control = Control.from_data({"request": "\x1b[2J" + "x" * 5000, "requestReason": "y" * 100000})
    assert len(control.reason) == 1000
    (problem,) = control.problems("workers")
    assert "\x1b" not in problem
    assert len(problem) < 300
    noisy = Control.from_data({"request": "pause", "requestReason": "one\ntwo\x1b[2J"})
    assert noisy.describe_request().isprintable()


def test_a_pause_of_a_pool_at_rest_is_for_its_next_rollout_an_approval_is_not() -> None:
    assert Control.from_data({**PAUSED, "approved": "all"}).for_new_rollout() == Control.from_data(PAUSED)
    assert Control.from_data({"request": "abort", "approved": "all"}).for_new_rollout() == Control()


def test_a_policy_names_the_waves_that_need_an_approval() -> None:
    approval = parse_policy({"approval": {"before": ["Wave 1", "canary"]}}).approval
    assert approval == Approval(("wave 1", "canary"))
    assert [wave for wave in ("canary", "wave 1", "wave 2") if approval.is_needed(wave)] == ["canary", "wave 1"]
    assert parse_policy({"approval": {"before": "all"}}).approval.is_needed("wave 7")
    assert not parse_policy(None).approval.is_needed("wave 1")


@pytest.mark.parametrize(
    ("approval", "sentence"),
    [
        ({"before": ["first"]}, "policy.approval.before: 'first' is not a wave"),
        ({"before": "wave 1"}, "policy.approval.before: must be a list"),
        ({"befor": "all"}, "policy.approval.befor: unknown field: did you mean"),
        ("all", "policy.approval: must be a mapping"),
    ],
)
def test_a_policy_that_approves_something_else_is_refused(approval: Any, sentence: str) -> None:
    with pytest.raises(InvalidPool) as raised:
        parse_policy({"approval": approval})
    assert sentence in raised.value.errors[0]


def test_a_wave_that_waits_for_an_approval_says_how_to_give_it() -> None:
    approval = Approval(("wave 1",))
    assert missing_approval(approval, Control(), "workers", "canary") == ""
    assert missing_approval(approval, Control(approved="wave 1"), "workers", "wave 1") == ""
    assert missing_approval(approval, Control(approved="wave 2"), "workers", "wave 1") == (
        "wave 1 waits for an approval: approve it with ansible-playbook configok.node.approve -e pool=workers "
        "-e waves=wave-1, or abort the rollout"
    )


@pytest.mark.parametrize("limit", [0, 101, "ten", True])
def test_a_history_limit_is_a_number_from_1_to_100(limit: Any) -> None:
    assert parse_policy({"revisionHistoryLimit": 3}).revision_history_limit == 3
    assert parse_policy(None).revision_history_limit == 10
    with pytest.raises(InvalidPool, match=r"policy\.revisionHistoryLimit: must be a whole number from 1 to 100"):
        parse_policy({"revisionHistoryLimit": limit})
