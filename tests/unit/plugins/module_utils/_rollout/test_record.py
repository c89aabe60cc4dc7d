# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record is read as it was written, it fits into a ConfigMap, and damage is reported."""

from __future__ import annotations

import json
import random
import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidRecord, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.transitions import finish_rollback
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import (
    WaveOutcome,
    WindowStep,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    BadConfig,
    ClearedConfig,
    FailedNode,
    PresentWave,
    PreviousMachine,
    Record,
    Revision,
    RevisionResult,
    Rollout,
    RolloutStart,
    moving_phase,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    MAX_BYTES,
    decode_record,
    encode_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import find_undo_revision
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import revision_history
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import MachineGoal
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.fuzz.settings import fuzz
from support.rollouts.views import a_source, a_target

NOW = "2026-01-01T00:00:00Z"


def a_record(nodes: list[str], **changes: Any) -> Record:
    record = Record("workers").with_revision(a_target(), time=NOW, author="me", cause="why")
    half = len(nodes) // 2
    waves = (Wave("canary", tuple(nodes[:half]), 660.0), Wave("wave 1", tuple(nodes[half:]), 120.0))
    fields: dict[str, Any] = {
        "start": RolloutStart(previous_sources=dict.fromkeys(nodes[::2])),
        "present_wave": PresentWave(not_ready_at_start=tuple(nodes[:3])),
        **changes,
    }
    return replace(record, rollout=Rollout(1, a_target(), "Wave 1", waves, len(nodes), NOW, NOW, **fields))


@fuzz(60)
@given(
    nodes=st.lists(st.from_regex(r"[a-z0-9]{1,12}", fullmatch=True), unique=True, max_size=20),
    finished=st.integers(0, 2),
    cursor=st.integers(0, 9),
    reason=st.text(max_size=40),
    back=st.booleans(),
)
def test_what_is_written_is_read(nodes: list[str], finished: int, cursor: int, reason: str, back: bool) -> None:
    before = {name: (None, a_source(1), a_source(2))[number % 3] for number, name in enumerate(nodes)}
    record = a_record(
        nodes,
        start=RolloutStart("pool=workers", already_on_target=tuple(nodes[:2]), previous_sources=before),
        waves_done=finished,
        present_wave=PresentWave(cursor, tuple(nodes[:3])),
        reason=reason,
        is_rolling_back=back,
    )
    record = record.with_bad_config(a_target(3), "bad", NOW).with_result(1, "Complete")
    assert decode_record(encode_record(record)) == record
    assert decode_record(encode_record(replace(record, rollout=None))) == replace(record, rollout=None)


def test_the_init_config_as_a_target_is_kept() -> None:
    record = replace(a_record(["a", "b"]), rollout=Rollout(0, Target.init(), "Complete", (), 2, NOW, NOW))
    assert decode_record(encode_record(record)) == record


def test_the_machines_of_a_rollout_and_their_failures_are_kept() -> None:
    target = Target.of_machines("machines-1", "1" * 16, {"a": MachineGoal(None)})
    other = Target.of_machines("machines-2", "2" * 16, {})
    record = a_record(["a", "b"])
    assert record.rollout is not None
    machines = {"a": PreviousMachine("uid", "v1.34.8", "containerd", "1.7.24")}
    record = replace(
        record, rollout=replace(record.rollout, target=target, start=RolloutStart(previous_machines=machines))
    )
    record = record.with_bad_config(target, "it broke", "now", confirmed=False).with_bad_config(other, "too", "now")
    stored = decode_record(encode_record(record))
    assert stored == record
    assert [bad.confirmed for bad in stored.bad_configs] == [False, True]
    assert "if the change is at fault, change the Machine files" in (stored.refusal(target) or "")


def test_15000_nodes_fit_with_names_that_do_not_compress_and_all_bounds_reached() -> None:
    chance = random.Random(1)
    nodes = ["".join(chance.choices(string.ascii_lowercase + string.digits, k=44)) for _number in range(15000)]
    record = a_record(nodes)
    for number in range(200):
        record = record.with_revision(a_target(number), time=NOW, author="a" * 400, cause="c" * 400)
        record = record.with_bad_config(a_target(number), "r" * 400, NOW)
    assert record.rollout is not None
    revision = {name: FailedNode(name, "gone", "wave 1", "r" * 400) for name in nodes}
    rollout = record.rollout.with_failed_nodes(revision)
    for number in range(200):
        rollout = replace(rollout, runner="r" * 100, reason=f"{number}" * 400).with_timeline()
    record = replace(record, rollout=rollout)
    config_map = encode_record(record)
    assert len(json.dumps(config_map)) < 1024 * 1024
    assert decode_record(config_map) == record


def test_what_a_newer_version_adds_to_an_entry_is_left_out() -> None:
    exceptions = (FailedNode("a", "failed", "canary", "no answer"),)
    bad = (BadConfig("uid", "name", "hash", "reason", "time"),)
    forgotten = (ClearedConfig("uid", "name", "hash", "failure", "time", "reason", "author"),)
    revisions = (Revision(1, "name", "namespace", "uid", "hash", "time"),)
    record = a_record(["a"], failed_nodes=exceptions)
    record = replace(record, bad_configs=bad, cleared_configs=forgotten, revisions=revisions)
    config_map = encode_record(record)
    data = json.loads(config_map["data"]["record"])
    for entries in (data["bad"], data["forgotten"], data["revisions"], data["rollout"]["exceptions"], [data]):
        entries[0]["added"] = "later"
    config_map["data"]["record"] = json.dumps(data)
    assert decode_record(config_map) == record


def test_a_record_that_would_not_fit_is_refused_before_it_is_sent() -> None:
    chance = random.Random(1)
    nodes = ["".join(chance.choices(string.ascii_lowercase, k=250)) for _number in range(15000)]
    with pytest.raises(InvalidRecord, match=f"a ConfigMap holds {MAX_BYTES}"):
        encode_record(a_record(nodes))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("record", None),
        ("record", "{"),
        ("record", "[]"),
        ("record", '{"format": 1, "pool": "workers"}'),
        ("nodes", None),
        ("nodes", "AAAA"),
        ("nodes", "not base64!"),
    ],
)
def test_a_damaged_record_is_refused_with_a_message_that_names_it(key: str, text: str | None) -> None:
    config_map = encode_record(a_record(["a", "b"]))
    if text is None:
        del config_map["data"][key]
    else:
        config_map["data"][key] = text
    with pytest.raises(InvalidRecord, match=r"the record of pool workers .* is damaged"):
        decode_record(config_map)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -5, 10**300, 2**63, 1.5, True, "1", None, [1]])
@pytest.mark.parametrize(
    "place",
    [
        ("revisions", 0, "number"),
        ("revisions", 0, "sequence"),
        ("revisions", 0, "floor"),
        ("rollout", "revision"),
        ("rollout", "size"),
        ("rollout", "finished"),
        ("rollout", "cursor"),
        ("rollout", "waves", 0, "soak"),
    ],
    ids=lambda place: ".".join(map(str, place)),
)
def test_a_number_that_no_run_writes_is_damage(place: tuple[str | int, ...], number: Any) -> None:
    config_map = encode_record(a_record(["a", "b"]))
    value = json.loads(config_map["data"]["record"])
    part = value
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = number
    config_map["data"]["record"] = json.dumps(value)
    if place[-1] == "soak" and number == 1.5:
        return  # a duration
    with pytest.raises(InvalidRecord, match=r"the record of pool workers \(ConfigMap .*/workers\) is damaged"):
        decode_record(config_map)


def test_a_record_of_another_format_or_pool_is_refused() -> None:
    config_map = encode_record(a_record(["a"]))
    value = json.loads(config_map["data"]["record"])
    config_map["data"]["record"] = json.dumps({**value, "format": 2})
    with pytest.raises(InvalidRecord, match="has format 2"):
        decode_record(config_map)
    config_map["data"]["record"] = json.dumps({**value, "pool": "other"})
    with pytest.raises(InvalidRecord, match="says that it is of pool 'other'"):
        decode_record(config_map)


def test_nodes_that_have_drifted_are_not_forgotten_when_others_are_taken_back() -> None:
    drifted, failed = FailedNode("a", "drifted", "wave 1", ""), FailedNode("b", "failed", "wave 1", "")
    record = a_record(["a", "b", "c"], failed_nodes=(failed, drifted), is_rolling_back=True)
    lost = FailedNode("c", "unknown", "rollback", "")
    back = finish_rollback(record, WindowStep(outcome=WaveOutcome.DONE), 1, {"c": lost}, now=NOW).rollout
    assert back is not None
    assert set(back.failed_nodes) == {drifted, failed, lost}


def test_the_newest_word_on_a_node_counts_and_failures_are_kept_first() -> None:
    rollout = a_record(["a"]).rollout
    assert rollout is not None
    many = {f"n{number}": FailedNode(f"n{number}", "gone", "wave 1", "") for number in range(300)}
    rollout = rollout.with_failed_nodes(many).with_failed_nodes({"x": FailedNode("x", "failed", "wave 1", "no")})
    assert rollout.failures == 1
    assert rollout.failed_nodes[0].node == "x"
    assert rollout.without_failed_nodes(frozenset(["x"])).failures == 0


@pytest.mark.parametrize(
    ("waves", "exceptions", "passed"),
    [
        ((("broken", 2),), ["n0", "n1"], False),
        ((("broken", 2),), ["n0"], True),
        ((("canary", 1), ("broken", 1)), ["n1"], True),
        # More than are kept: what is not named may be what was cut off.
        ((("broken", 300),), [f"n{number}" for number in range(300)], False),
        ((("canary", 1), ("broken", 299)), [f"n{number}" for number in range(1, 300)], True),
        ((), [], False),
    ],
)
def test_whether_a_node_has_passed(waves: tuple[tuple[str, int], ...], exceptions: list[str], passed: bool) -> None:
    names = iter(f"n{number}" for number in range(300))
    made = tuple(Wave(name, tuple(next(names) for _node in range(count)), 0.0) for name, count in waves)
    rollout = Rollout(1, a_target(), "Wave 0", made, 300, NOW, NOW, waves_done=len(made))
    rollout = rollout.with_failed_nodes({name: FailedNode(name, "unknown", "broken", "") for name in exceptions})
    assert rollout.has_passed == passed
    assert not replace(rollout, waves_done=0).has_passed


@pytest.mark.parametrize(
    ("wave", "phase"), [("canary", "Canary"), ("wave 3", "Wave 3"), ("broken", "Wave 0"), ("wave 12", "Wave 12")]
)
def test_a_moving_wave_has_its_phase(wave: str, phase: str) -> None:
    assert moving_phase(wave) == phase


def with_results(*results: RevisionResult) -> Record:
    record = Record("workers")
    for number, result in enumerate(results, start=1):
        record = record.with_revision(a_target(number), time=NOW, author="", cause="").with_result(number, result)
    last = len(results)
    return replace(record, rollout=Rollout(last, a_target(last), results[-1], (), 3, NOW, NOW))


@pytest.mark.parametrize(
    ("results", "to", "number"),
    [
        (("Complete", "Complete"), None, 1),
        (("Complete", "Halted", "Halted"), None, 1),
        (("Complete",), None, None),
        (("Halted", "Paused"), None, None),
        (("Complete", "Unproven", "Complete"), None, 1),
        (("Complete", "Complete", "Complete"), 1, 1),
        (("Complete", "Complete"), 0, None),
    ],
)
def test_undo_goes_to_the_newest_revision_that_was_completed(
    results: tuple[RevisionResult, ...], to: int | None, number: int | None
) -> None:
    revision = find_undo_revision(with_results(*results), to)
    assert (revision.number if revision else None) == number


def test_an_undo_after_an_undo_goes_further_back() -> None:
    record = with_results("Complete", "Complete", "Complete")
    assert record.rollout is not None
    on_second = replace(record, rollout=replace(record.rollout, revision=2, target=a_target(2)))
    revision = find_undo_revision(on_second)
    assert revision is not None
    assert revision.number == 1


def test_a_killed_undo_resumes_to_the_same_revision() -> None:
    record = with_results("Complete", "Complete", "Complete")
    assert record.rollout is not None
    undone = replace(record, rollout=replace(record.rollout, revision=2, target=a_target(2), phase="Wave 1"))
    revision = find_undo_revision(undone)
    assert revision is not None
    assert revision.number == 2
    to_init = replace(record, rollout=Rollout(0, Target.init(), "Paused", (), 3, NOW, NOW))
    assert find_undo_revision(to_init) is None
    # A rollout in progress to the newest revision is not an undo: it is what the undo reverts.
    forward = replace(record, rollout=replace(record.rollout, phase="Paused"))
    revision = find_undo_revision(forward)
    assert revision is not None
    assert revision.number == 2


def test_an_undo_that_has_nowhere_to_go_says_so() -> None:
    with pytest.raises(RolloutError, match="has no revision 9: it has 1, 2; 0 is the init config"):
        find_undo_revision(with_results("Complete", "Complete"), 9)
    with pytest.raises(RolloutError, match="never been rolled out"):
        find_undo_revision(Record("workers"))
    on_init = replace(with_results("Complete"), rollout=Rollout(0, Target.init(), "Complete", (), 3, NOW, NOW))
    with pytest.raises(RolloutError, match="nothing before it"):
        find_undo_revision(on_init)


def test_history_is_newest_first_and_says_which_is_current() -> None:
    assert [
        (entry["number"], entry["result"], entry["current"])
        for entry in revision_history(with_results("Complete", "Halted"))
    ] == [
        (2, "Halted", True),
        (1, "Complete", False),
    ]
