# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sliding window: bounded, without leaks, and it always ends."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._gate import (
    DONT_KNOW,
    FAIL,
    GONE,
    PASS,
    WAIT,
    GateResult,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._window import (
    FAILED,
    IN_FLIGHT,
    PASSED,
    SOAKING,
    STRUCK_OUT,
    UNKNOWN,
    WAITING,
    Window,
    WindowStep,
)
from support.fuzz.settings import fuzz

UP = GateResult(WAIT, "soaking", 1.0)


def a_window(count: int = 6, **changes: Any) -> Window:
    return Window([f"n{number}" for number in range(count)], **{"limit": 2, "budget": 1, "timeout": 100.0, **changes})


def test_a_slot_is_free_as_soon_as_its_node_is_up_without_waiting_for_the_slowest() -> None:
    window = a_window()
    assert window.step(0).assign == ("n0", "n1")
    assert window.step(1).assign == ()
    window.answer("n1", UP)
    assert window.step(2).assign == ("n2",)
    assert window.state("n0") == IN_FLIGHT


def test_nodes_that_are_down_count_and_those_of_the_lane_can_be_moved() -> None:
    window = a_window(down=["other", "n3"], lane=True)
    assert window.step(0).assign == ("n3",), "n3 is unavailable as it is"
    window.set_down("other", False)
    assert window.step(1).assign == ("n0",)


def test_in_a_wave_nodes_that_are_down_come_last() -> None:
    window = a_window(4, down=["n0", "n1"])
    assert window.step(0).assign == (), "two of two are unavailable"
    window.set_down("n1", False)
    assert window.step(1).assign == ("n1",)
    window.answer("n1", GateResult(PASS))
    assert window.step(2).assign == ("n2",)
    window.answer("n2", GateResult(PASS))
    assert window.step(3).assign == ("n3",)
    window.answer("n3", GateResult(PASS))
    assert window.step(4).assign == ("n0",), "nothing else is left"


def test_no_more_is_assigned_at_a_time_than_is_asked_for() -> None:
    window = a_window(limit=5)
    assert window.step(0, 2).assign == ("n0", "n1")
    assert window.step(0, 2).assign == ("n2", "n3")


def test_a_canary_that_vanishes_pauses_and_one_that_nobody_passed_has_not_passed() -> None:
    window = a_window(2, canary=True)
    window.step(0)
    window.answer("n0", GateResult(PASS))
    window.answer("n1", GateResult(GONE, "the Node was deleted"))
    assert (window.step(1).outcome, window.step(1).full) == ("pause", "the canary has lost n1: the Node was deleted")
    assert a_window(0, canary=True).step(0).outcome == "pause"
    wave = a_window(1)
    wave.step(0)
    wave.answer("n0", GateResult(GONE, "the Node was deleted"))
    assert wave.step(1).outcome == "done"


def test_nothing_stops_the_lane_of_broken_nodes() -> None:
    window = a_window(4, lane=True, budget=0, down=["other"])
    assert window.step(0).assign == ("n0",)
    window.answer("n0", GateResult(FAIL, "it crashed"))
    assert window.step(1).assign == ("n1",)
    window.answer("n1", GateResult(DONT_KNOW, "silence"))
    window.set_down("elsewhere", True)
    assert window.step(2) == WindowStep()
    assert window.step(103).outcome == "done"
    assert window.counts[UNKNOWN] == 3
    assert window.reason("n3").startswith("it was not assigned: nodes down for another reason: 2")


def test_nodes_of_earlier_waves_that_fail_late_stop_the_lane() -> None:
    window = a_window(4, lane=True, budget=1)
    assert window.step(0).assign == ("n0", "n1")
    window.answer("n0", GateResult(FAIL, "it crashed"))
    window.late_failure("c0", "late")
    assert window.step(1).assign == ("n2",), "the lane's own failures spend nothing"
    window.late_failure("c1", "late too")
    assert window.step(2) == WindowStep(), "what is under way gets its verdict"
    window.answer("n1", GateResult(PASS))
    window.answer("n2", GateResult(PASS))
    step = window.step(3)
    assert (step.outcome, step.full) == ("halt", "2 nodes have failed, the budget is 1: c0: late")


def test_one_failure_is_within_a_budget_of_one_and_two_halt() -> None:
    window = a_window()
    window.step(0)
    window.answer("n0", GateResult(FAIL, "it crashed"))
    assert window.step(1).assign == ("n2",)
    window.answer("n1", GateResult(FAIL, "it crashed too"))
    assert window.step(2).outcome == "", "n2 gets its verdict first"
    window.answer("n2", UP)
    step = window.step(3)
    assert (step.outcome, step.assign) == ("halt", ())
    assert step.full == "2 nodes have failed, the budget is 1: n0: it crashed"
    assert window.ended() == {"n0": FAILED, "n1": FAILED}


def test_a_node_that_passed_and_fails_later_spends_from_the_budget() -> None:
    window = a_window(2, budget=0)
    window.step(0)
    for name in ("n0", "n1"):
        window.answer(name, GateResult(PASS))
    window.answer("n0", GateResult(FAIL, "late"))
    assert window.step(1).outcome == "halt"
    earlier = a_window(2, budget=0)
    earlier.late_failure("elsewhere", "late")
    assert "elsewhere: late" in earlier.step(0).full


def test_no_verdict_pauses_and_frees_its_slot() -> None:
    window = a_window(3, limit=1)
    window.step(0)
    assert window.step(100).outcome == ""
    step = window.step(100.5)
    assert step.outcome == "pause"
    assert "no verdict on n0: the gate said nothing within 100s" in step.full
    assert window.in_flight == ()
    assert window.counts[WAITING] == 2


def test_a_wave_that_only_others_hold_up_waits_for_them_and_then_pauses() -> None:
    window = a_window(3, limit=1, down=["other"])
    assert window.step(0).outcome == ""
    window.set_down("other", False)
    assert window.step(1).assign == ("n0",)
    window = a_window(3, limit=1, down=["other"])
    window.step(0)
    assert "nodes down for another reason: 1, " in window.step(101).reason


def test_a_wave_without_nodes_is_done() -> None:
    assert a_window(0).step(0).outcome == "done"


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
    window = Window(nodes, limit=limit, budget=budget, down=unavailable, timeout=timeout)
    fates = st.sampled_from(["up", "up", "up", "fail", "silent", "gone", "unknown", "fail in soak", "comes back"])
    turns = st.sampled_from([False, False, False, True])  # whether a node of the pool goes down now, or comes back
    fate: dict[str, str] = {}
    at: dict[str, float] = {}
    now, step = 0.0, window.step(0.0)
    most = 0
    while not step.outcome:
        in_flight = set(window.in_flight)
        assert len(in_flight) <= limit
        # What is down counts at every assignment, whenever it went down; what is down anyway may be moved.
        if set(step.assign) - unavailable:
            assert len(in_flight | unavailable) <= limit
        for name in step.assign:
            assert name not in fate, "a node is assigned once"
            fate[name], at[name] = data.draw(fates), now
        if data.draw(turns):
            name = data.draw(st.sampled_from([*nodes, "elsewhere"]))
            unavailable ^= {name}
            window.set_down(name, name in unavailable)
        most = max(most, len(in_flight))
        now += 1.0
        assert now < (count + 1) * (timeout + soak + 2) + 2 * timeout, "it ends"
        for name, what in fate.items():
            if window.state(name) == IN_FLIGHT and now >= at[name] + 1:
                if what in ("up", "fail in soak", "comes back"):
                    window.answer(name, UP)
                    if what == "comes back":
                        unavailable.discard(name)
                        window.set_down(name, False)
                elif what in ("fail", "gone", "unknown"):
                    window.answer(name, GateResult({"fail": FAIL, "gone": GONE, "unknown": DONT_KNOW}[what], what))
            elif window.state(name) == SOAKING and now >= at[name] + soak:
                window.answer(name, GateResult(FAIL if what == "fail in soak" else PASS, what))
        step = window.step(now)
    assert window.in_flight == ()
    states = [window.state(name) for name in nodes]
    assert sum(window.counts.values()) == count
    failed = states.count(FAILED)
    if step.outcome == "halt":
        assert failed > budget
    elif step.outcome == "done":
        assert failed <= budget
        assert set(states) <= {PASSED, FAILED, STRUCK_OUT}
    else:
        assert UNKNOWN in states or unavailable
    assert count == 0 or most > 0 or unavailable or step.outcome == "pause"


def test_nodes_that_were_not_assigned_wait_again_where_they_stood() -> None:
    window = Window(["a", "b", "c"], limit=2, budget=0, timeout=60.0)
    step = window.step(0.0)
    assert step.assign == ("a", "b")
    window.withdraw(step.assign)
    assert (window.in_flight, window.counts[WAITING]) == ((), 3)
    assert window.step(1.0).assign == ("a", "b")
