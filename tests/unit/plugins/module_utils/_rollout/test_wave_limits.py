# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sliding window: bounded, without leaks, and it always ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._gate import GateResult, Verdict
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import Phase
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import (
    WaveOutcome,
    Window,
    WindowLimits,
    WindowStep,
)
from support.fuzz.settings import fuzz

UP = GateResult(Verdict.WAIT, "soaking", 1.0)


def a_window(count: int = 6, *, max_unavailable: int = 2, failure_budget: int = 1, **options: Any) -> Window:
    limits = WindowLimits(max_unavailable, failure_budget, 100.0)
    return Window([f"n{number}" for number in range(count)], limits, **options)


def test_a_slot_is_free_as_soon_as_its_node_is_up_without_waiting_for_the_slowest() -> None:
    window = a_window()
    assert window.next_step(0).to_assign == ("n0", "n1")
    assert window.next_step(1).to_assign == ()
    window.record("n1", UP)
    assert window.next_step(2).to_assign == ("n2",)
    assert window.state("n0") is Phase.IN_FLIGHT


def test_nodes_that_are_down_count_and_those_of_the_lane_can_be_moved() -> None:
    window = a_window(unavailable=["other", "n3"], is_broken_wave=True)
    assert window.next_step(0).to_assign == ("n3",), "n3 is unavailable as it is"
    window.set_unavailable("other", False)
    assert window.next_step(1).to_assign == ("n0",)


def test_in_a_wave_nodes_that_are_down_come_last() -> None:
    window = a_window(4, unavailable=["n0", "n1"])
    assert window.next_step(0).to_assign == (), "two of two are unavailable"
    window.set_unavailable("n1", False)
    assert window.next_step(1).to_assign == ("n1",)
    window.record("n1", GateResult(Verdict.PASS))
    assert window.next_step(2).to_assign == ("n2",)
    window.record("n2", GateResult(Verdict.PASS))
    assert window.next_step(3).to_assign == ("n3",)
    window.record("n3", GateResult(Verdict.PASS))
    assert window.next_step(4).to_assign == ("n0",), "nothing else is left"


def test_no_more_is_assigned_at_a_time_than_is_asked_for() -> None:
    window = a_window(max_unavailable=5)
    assert window.next_step(0, 2).to_assign == ("n0", "n1")
    assert window.next_step(0, 2).to_assign == ("n2", "n3")


def test_a_canary_that_vanishes_pauses_and_a_canary_without_a_passed_node_has_not_passed() -> None:
    window = a_window(2, is_canary=True)
    window.next_step(0)
    window.record("n0", GateResult(Verdict.PASS))
    window.record("n1", GateResult(Verdict.GONE, "the Node was deleted"))
    step = window.next_step(1)
    assert (step.outcome, step.full_reason) == (WaveOutcome.PAUSE, "the canary has lost n1: the Node was deleted")
    assert a_window(0, is_canary=True).next_step(0).outcome == WaveOutcome.PAUSE
    wave = a_window(1)
    wave.next_step(0)
    wave.record("n0", GateResult(Verdict.GONE, "the Node was deleted"))
    assert wave.next_step(1).outcome == WaveOutcome.DONE


def test_nothing_stops_the_lane_of_broken_nodes() -> None:
    window = a_window(4, is_broken_wave=True, failure_budget=0, unavailable=["other"])
    assert window.next_step(0).to_assign == ("n0",)
    window.record("n0", GateResult(Verdict.FAIL, "it crashed"))
    assert window.next_step(1).to_assign == ("n1",)
    window.record("n1", GateResult(Verdict.UNKNOWN, "silence"))
    window.set_unavailable("elsewhere", True)
    assert window.next_step(2) == WindowStep()
    assert window.next_step(103).outcome == WaveOutcome.DONE
    assert window.counts[Phase.UNKNOWN] == 3
    assert window.run("n3").reason.startswith("it was not assigned: nodes down for another reason: 2")


def test_nodes_of_earlier_waves_that_fail_late_stop_the_lane() -> None:
    window = a_window(4, is_broken_wave=True, failure_budget=1)
    assert window.next_step(0).to_assign == ("n0", "n1")
    window.record("n0", GateResult(Verdict.FAIL, "it crashed"))
    window.late_failure("c0", "late")
    assert window.next_step(1).to_assign == ("n2",), "the lane's own failures spend nothing"
    window.late_failure("c1", "late too")
    assert window.next_step(2) == WindowStep(), "what is under way gets its verdict"
    window.record("n1", GateResult(Verdict.PASS))
    window.record("n2", GateResult(Verdict.PASS))
    step = window.next_step(3)
    assert (step.outcome, step.full_reason) == (WaveOutcome.HALT, "2 nodes have failed, the budget is 1: c0: late")


def test_one_failure_is_within_a_budget_of_one_and_two_halt() -> None:
    window = a_window()
    window.next_step(0)
    window.record("n0", GateResult(Verdict.FAIL, "it crashed"))
    assert window.next_step(1).to_assign == ("n2",)
    window.record("n1", GateResult(Verdict.FAIL, "it crashed too"))
    assert window.next_step(2).outcome is None, "n2 gets its verdict first"
    window.record("n2", UP)
    step = window.next_step(3)
    assert (step.outcome, step.to_assign) == (WaveOutcome.HALT, ())
    assert step.full_reason == "2 nodes have failed, the budget is 1: n0: it crashed"
    assert [name for name, run in window.runs() if run.phase is Phase.FAILED] == ["n0", "n1"]


def test_a_node_that_passed_and_fails_later_spends_from_the_budget() -> None:
    window = a_window(2, failure_budget=0)
    window.next_step(0)
    for name in ("n0", "n1"):
        window.record(name, GateResult(Verdict.PASS))
    window.record("n0", GateResult(Verdict.FAIL, "late"))
    assert window.next_step(1).outcome == WaveOutcome.HALT
    earlier = a_window(2, failure_budget=0)
    earlier.late_failure("elsewhere", "late")
    assert "elsewhere: late" in earlier.next_step(0).full_reason


def test_no_verdict_pauses_and_frees_its_slot() -> None:
    window = a_window(3, max_unavailable=1)
    window.next_step(0)
    assert window.next_step(100).outcome is None
    step = window.next_step(100.5)
    assert step.outcome == WaveOutcome.PAUSE
    assert "no verdict on n0: the gate said nothing within 100s" in step.full_reason
    assert window.in_flight == ()
    assert window.counts[Phase.WAITING] == 2


def test_a_wave_that_only_others_hold_up_waits_for_them_and_then_pauses() -> None:
    window = a_window(3, max_unavailable=1, unavailable=["other"])
    assert window.next_step(0).outcome is None
    window.set_unavailable("other", False)
    assert window.next_step(1).to_assign == ("n0",)
    window = a_window(3, max_unavailable=1, unavailable=["other"])
    window.next_step(0)
    assert "nodes down for another reason: 1 (other), " in window.next_step(101).reason


def test_a_wave_without_nodes_is_done() -> None:
    assert a_window(0).next_step(0).outcome == WaveOutcome.DONE


@pytest.mark.complaint("system-upgrade-controller #77: concurrency exceeded in 30 % of the runs")
@pytest.mark.complaint("kubernetes-nmstate PR #854: a budget slot leaked")
@fuzz(200)
@given(
    count=st.integers(0, 12),
    limit=st.integers(1, 5),
    budget=st.integers(0, 3),
    down=st.sets(st.integers(0, 14), max_size=3),
    data=st.data(),
)
def test_it_is_bounded_leaks_no_slot_and_ends(
    count: int, limit: int, budget: int, down: set[int], data: st.DataObject
) -> None:
    timeout, soak = 10.0, 5.0
    nodes = [f"n{number}" for number in range(count)]
    unavailable = {f"n{number}" for number in down}
    window = Window(nodes, WindowLimits(limit, budget, timeout), unavailable=unavailable)
    fates = st.sampled_from(["up", "up", "up", "fail", "silent", "gone", "unknown", "fail in soak", "comes back"])
    turns = st.sampled_from([False, False, False, True])  # whether a node of the pool goes down now, or comes back
    fate: dict[str, str] = {}
    at: dict[str, float] = {}
    now, step = 0.0, window.next_step(0.0)
    maximum = 0
    while step.outcome is None:
        in_flight = set(window.in_flight)
        assert len(in_flight) <= limit
        # What is down counts at every assignment, whenever it went down; what is down anyway may be moved.
        if set(step.to_assign) - unavailable:
            assert len(in_flight | unavailable) <= limit
        for name in step.to_assign:
            assert name not in fate, "a node is assigned once"
            fate[name], at[name] = data.draw(fates), now
        if data.draw(turns):
            name = data.draw(st.sampled_from([*nodes, "elsewhere"]))
            unavailable ^= {name}
            window.set_unavailable(name, name in unavailable)
        maximum = max(maximum, len(in_flight))
        now += 1.0
        assert now < (count + 1) * (timeout + soak + 2) + 2 * timeout, "it ends"
        for name, what in fate.items():
            if window.state(name) is Phase.IN_FLIGHT and now >= at[name] + 1:
                if what in ("up", "fail in soak", "comes back"):
                    window.record(name, UP)
                    if what == "comes back":
                        unavailable.discard(name)
                        window.set_unavailable(name, False)
                elif what in ("fail", "gone", "unknown"):
                    window.record(name, GateResult(Verdict(what), what))
            elif window.state(name) is Phase.SOAKING and now >= at[name] + soak:
                window.record(name, GateResult(Verdict.FAIL if what == "fail in soak" else Verdict.PASS, what))
        step = window.next_step(now)
    assert window.in_flight == ()
    states = [window.state(name) for name in nodes]
    assert sum(window.counts.values()) == count
    failed = states.count(Phase.FAILED)
    if step.outcome == WaveOutcome.HALT:
        assert failed > budget
    elif step.outcome == WaveOutcome.DONE:
        assert failed <= budget
        assert set(states) <= {Phase.PASSED, Phase.FAILED, Phase.GONE}
    else:
        assert Phase.UNKNOWN in states or unavailable
    assert count == 0 or maximum > 0 or unavailable or step.outcome == WaveOutcome.PAUSE


def test_nodes_that_were_not_assigned_wait_again_where_they_stood() -> None:
    window = Window(["a", "b", "c"], WindowLimits(2, 0, 60.0))
    step = window.next_step(0.0)
    assert step.to_assign == ("a", "b")
    window.take_back_assignments(step.to_assign)
    assert (window.in_flight, window.counts[Phase.WAITING]) == ((), 3)
    assert window.next_step(1.0).to_assign == ("a", "b")
