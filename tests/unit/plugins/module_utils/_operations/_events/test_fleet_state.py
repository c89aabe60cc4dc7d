# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which events the changes of Nodes and records make, and when."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.configok.node.plugins.module_utils._operations._events._fleet_state import (
    EventSettings,
    FleetState,
)
from ansible_collections.configok.node.plugins.module_utils._operations._events._seen_node import SeenNode
from ansible_collections.configok.node.plugins.module_utils._operations._events._seen_pool import see_pool
from ansible_collections.configok.node.plugins.module_utils._operations._events.event import Event
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    BadConfig,
    Record,
    Rollout,
    RolloutStart,
    TimelineEntry,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.fuzz.settings import fuzz
from support.rollouts.views import a_source, a_target, a_view

NOW = "2026-01-01T00:00:00Z"
WORKER = {"pool": "workers"}
ASSIGNED: dict[str, Any] = {"source": a_source(1), "labels": WORKER}
FAILED: dict[str, Any] = {**ASSIGNED, "config_ok": "False", "cause": "CrashLoop", "reason": "crashed 4 times"}
UNKNOWN: dict[str, Any] = {**ASSIGNED, "config_ok": "Unknown", "cause": "FetchFailed"}
ADOPTING: dict[str, Any] = {**ASSIGNED, "config_ok": "Unknown", "cause": "Adopting"}
JOINED: dict[str, Any] = {"labels": WORKER}


def a_rollout(phase: str = "Complete", *, revision: int = 1, nodes: tuple[str, ...] = (), **changes: Any) -> Rollout:
    rollout = Rollout(
        revision,
        a_target(1),
        phase,
        (Wave("canary", nodes, 0.0),),
        len(nodes),
        NOW,
        NOW,
        RolloutStart(selector="pool=workers"),
        waves_done=1,
        timeline=(TimelineEntry(NOW, phase),),
    )
    return replace(rollout, **changes)


class Rig:
    """A cluster that an event source follows, with a clock of its own."""

    def __init__(self, *rollouts: tuple[str, Rollout], known: bool = True) -> None:
        self.now = 1000.0
        self.state = FleetState(EventSettings())
        for pool, rollout in rollouts:
            self.record(pool, rollout)
        self.state.knows_nodes = self.state.knows_pools = known

    def record(self, pool: str, rollout: Rollout | None, **changes: Any) -> None:
        self.state.see_pool(see_pool(Record(pool, rollout=rollout, **changes)))

    def node(self, name: str, *, since: str = NOW, heard: float | None = None, **changes: Any) -> None:
        self.state.see_node(SeenNode(a_view(name, **changes), since, heard))

    def events(self, after: float = 0.0) -> list[dict[str, Any]]:
        self.now += after
        return [event.to_dict() for event in self.state.take_events(self.now)]

    def kinds(self, after: float = 0.0) -> list[str]:
        return [event["kind"] for event in self.events(after)]


@pytest.fixture
def rig() -> Rig:
    return Rig(("workers", a_rollout()))


def test_nothing_is_reported_before_nodes_and_records_are_known() -> None:
    rig = Rig(("workers", a_rollout("Halted")), known=False)
    rig.node("n1", **FAILED)
    assert rig.events(100) == []
    rig.state.knows_nodes = True
    assert rig.events(100) == []
    rig.state.knows_pools = True
    assert rig.kinds() == ["rollout_halted", "config_failed"]


@pytest.mark.parametrize(
    ("view", "kinds"),
    [
        (ASSIGNED, []),
        ({**ASSIGNED, "in_trial": True}, []),
        (ADOPTING, []),
        ({**ASSIGNED, "answered_id": 0}, []),
        ({**ASSIGNED, "agent": False}, []),
        (FAILED, ["config_failed"]),
        (UNKNOWN, ["config_unknown"]),
        ({**ASSIGNED, "ready": False}, ["config_unknown"]),
    ],
)
def test_after_a_start_only_what_is_not_fine_is_reported(rig: Rig, view: dict[str, Any], kinds: list[str]) -> None:
    rig.node("n1", **view)
    assert rig.kinds(100) == kinds


def test_each_change_of_a_node_is_reported_once(rig: Rig) -> None:
    rig.node("n1", **ASSIGNED)
    assert rig.kinds() == []
    for _again in range(3):
        rig.node("n1", **FAILED)
    assert rig.kinds() == ["config_failed"]
    rig.node("n1", **FAILED)
    assert rig.kinds() == []
    rig.node("n1", **UNKNOWN)
    assert rig.kinds() == ["config_unknown"]
    rig.node("n1", **ADOPTING)
    assert rig.kinds() == []
    rig.node("n1", **{**ASSIGNED, "in_trial": True})
    assert rig.kinds() == ["config_recovered"]
    rig.node("n1", **ASSIGNED)
    assert rig.kinds() == []


def test_the_failure_of_another_assignment_is_news_once_it_is_answered(rig: Rig) -> None:
    rig.node("n1", **FAILED)
    [first] = rig.events()
    rig.node("n1", **{**FAILED, "assigned_id": 2, "answered_id": 1})
    assert rig.events() == []
    rig.node("n1", **{**FAILED, "assigned_id": 2})
    [second] = rig.events()
    assert (first["key"], second["key"]) == (f"uid-of-n1/1/{NOW}", f"uid-of-n1/2/{NOW}")


def test_a_node_of_the_same_name_is_another_node(rig: Rig) -> None:
    rig.node("n1", **FAILED)
    assert rig.kinds() == ["config_failed"]
    rig.node("n1", **{**FAILED, "uid": "another"})
    assert [event["uid"] for event in rig.events()] == ["another"]
    rig.state.lose_node("n1")
    rig.node("n1", **{**FAILED, "uid": "another"})
    assert rig.kinds() == ["config_failed"]


def test_an_event_says_what_the_agent_says_and_where_the_node_belongs() -> None:
    rig = Rig(("workers", a_rollout()), ("control", a_rollout("Wave 1", start=RolloutStart(selector="pool=control"))))
    rig.node("n1", **FAILED)
    [event] = rig.events()
    assert event == {
        "kind": "config_failed",
        "key": f"uid-of-n1/1/{NOW}",
        "node": "n1",
        "uid": "uid-of-n1",
        "pools": ["workers"],
        "outside_of": ["control"],
        "state": "failed",
        "ready": True,
        "assignment": 1,
        "config_ok": "False",
        "reason": "crashed 4 times",
        "message": "",
        "cause": "CrashLoop",
        "since": NOW,
        "at_start": True,
    }


def test_only_what_was_so_before_the_source_began_is_marked(rig: Rig) -> None:
    rig.node("n1", **FAILED)
    assert [event["at_start"] for event in rig.events()] == [True]
    rig.node("n2", **FAILED)
    rig.record("workers", a_rollout("Halted", revision=2))
    assert [event["at_start"] for event in rig.events()] == [False, False]


@pytest.mark.parametrize("selector", ["pool=workers,size>3", ""])
def test_a_moving_pool_whose_selector_is_not_understood_has_no_nodes_outside(selector: str) -> None:
    start = RolloutStart(selector=selector)
    rig = Rig(("others", a_rollout("Wave 1", start=start)))
    rig.node("n1", **FAILED)
    assert [event["outside_of"] for event in rig.events() if "node" in event] == [[]]


def test_a_node_on_its_way_out_is_not_unknown(rig: Rig) -> None:
    rig.node("n1", **{**ASSIGNED, "ready": False, "taints": (("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),)})
    assert rig.events() == []


@pytest.mark.parametrize(
    "text",
    [
        "{{ lookup('pipe', 'id') }}{%raw%}{#c#}{{{{",
        "x{",
        "#jinja2:variable_start_string:'[[',variable_end_string:']]',z: [[ lookup('pipe', 'id') ]]",
        '\'\\x7b\\x7b lookup("pipe", "id") \\x7d\\x7d\'',
        "'#jin' 'ja2:variable_start_string:[['",
        'u"{" "{ 1 }}"',
    ],
)
def test_no_text_of_a_node_is_a_template(rig: Rig, text: str) -> None:
    """A rulebook puts an event into a playbook, where Ansible would evaluate it on the machine that runs it."""
    rig.node("n1", **{**FAILED, "reason": text, "message": text, "cause": text})
    [event] = rig.events()
    for value in (event["reason"], event["message"], event["cause"], event["reason"] + event["message"]):
        assert not set(value) & set("{}\\'\""), value
        assert "#jinja2" not in value
        rendered = NativeEnvironment().from_string("{{ event }}").render(event=value)
        assert isinstance(rendered, str)
        assert rendered == value


def test_nodes_that_join_are_collected_until_none_has_come_for_a_while(rig: Rig) -> None:
    for number in range(3):
        rig.node(f"n{number}", **JOINED)
        assert rig.events(4) == []
    [event] = rig.events(5)
    assert (event["kind"], event["pool"], event["revision"]) == ("nodes_joined", "workers", 1)
    assert (event["count"], event["nodes"], event["target"]) == (3, ["n0", "n1", "n2"], a_target(1).name)
    assert event["key"] == f"workers/1/{a_target(1).uid}/uid-of-n0"
    assert (event["reconcile"], event["why_not"]) == (True, "")


def test_nodes_that_join_without_end_are_reported_twice_a_minute(rig: Rig) -> None:
    batches = []
    for number in range(60):
        rig.node(f"n{number}", **JOINED)
        batches += rig.events(1)
    batches += rig.events(30)
    assert sum(event["count"] for event in batches) == 60
    assert len(batches) == 2


def test_an_event_names_a_hundred_nodes_and_counts_all(rig: Rig) -> None:
    for number in range(5000):
        rig.node(f"n{number:04d}", **JOINED)
    assert rig.events() == []
    [event] = rig.events(30)
    assert (event["count"], len(event["nodes"]), event["nodes"][0]) == (5000, 100, "n0000")


@pytest.mark.parametrize(
    "view",
    [
        {**JOINED, "labels": {}},
        {**JOINED, "agent": False},
        {**JOINED, "ready": False},
        {**JOINED, "deleting": True},
        {**JOINED, "taints": (("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),)},
        {**JOINED, "source_error": "damaged"},
        ASSIGNED,
        {**ASSIGNED, "source": a_source(2)},
    ],
    ids=lambda view: ",".join(view),
)
def test_a_node_that_needs_no_config_has_not_joined(rig: Rig, view: dict[str, Any]) -> None:
    rig.node("n1", **view)
    assert "nodes_joined" not in rig.kinds() + rig.kinds(30)


@pytest.mark.parametrize("phase", ["Canary", "Wave 1", "Soaking", "Paused", "Halted", "Aborted", "Unproven"])
def test_no_node_joins_a_pool_whose_rollout_is_not_complete(phase: str) -> None:
    rig = Rig(("workers", a_rollout(phase)))
    rig.node("n1", **JOINED)
    assert "nodes_joined" not in rig.kinds() + rig.kinds(30)
    rig.record("workers", a_rollout())
    assert "nodes_joined" in rig.kinds() + rig.kinds(30)


def test_no_node_joins_the_init_config() -> None:
    rig = Rig(("workers", a_rollout(target=Target.init())))
    rig.node("n1", **JOINED)
    assert rig.kinds() + rig.kinds(30) == []


def test_a_node_joins_once_at_each_revision(rig: Rig) -> None:
    rig.node("n1", **JOINED)
    assert rig.kinds() + rig.kinds(30) == ["nodes_joined"]
    rig.node("n1", **JOINED)
    assert rig.kinds() + rig.kinds(30) == []
    rig.record("workers", a_rollout(revision=2, started_at="later"))
    assert rig.kinds() + rig.kinds(30) == ["rollout_completed", "nodes_joined"]


def test_a_node_that_is_assigned_in_the_meantime_has_not_joined(rig: Rig) -> None:
    rig.node("n1", **JOINED)
    assert rig.kinds() == []
    rig.node("n1", **ASSIGNED)
    assert rig.kinds() + rig.kinds(30) == []


def test_a_config_that_is_remembered_as_bad_is_not_rolled_out_by_itself(rig: Rig) -> None:
    target = a_target(1)
    rig.record(
        "workers",
        a_rollout(),
        bad_configs=(BadConfig(target.uid, target.name, target.content_hash, "it crashed", NOW),),
    )
    rig.node("n1", **JOINED)
    [event] = rig.events() + rig.events(30)
    assert event["reconcile"] is False
    assert "it crashed" in event["why_not"]


def test_a_config_that_is_cleared_is_rolled_out_to_nodes_that_had_joined(rig: Rig) -> None:
    target = a_target(1)
    bad = BadConfig(target.uid, target.name, target.content_hash, "it crashed", NOW)
    rig.record("workers", a_rollout(), bad_configs=(bad,))
    rig.node("n1", **JOINED)
    assert [event["reconcile"] for event in rig.events() + rig.events(30)] == [False]
    rig.node("n1", **JOINED)
    assert rig.events() + rig.events(30) == []
    rig.record("workers", a_rollout())
    assert [event["reconcile"] for event in rig.events() + rig.events(30)] == [True]


def test_a_node_joins_each_of_its_pools() -> None:
    rig = Rig(("workers", a_rollout()), ("gpus", a_rollout(start=RolloutStart(selector="gpu"))))
    rig.node("n1", **JOINED)
    assert [event["pool"] for event in rig.events() + rig.events(30)] == ["workers"]
    rig.node("n1", labels={"gpu": ""})
    assert [event["pool"] for event in rig.events() + rig.events(30)] == ["gpus"]


def test_a_node_that_leaves_the_pool_in_time_has_not_joined(rig: Rig) -> None:
    rig.node("n1", **JOINED)
    assert rig.events() == []
    rig.node("n1", labels={})
    assert rig.events() + rig.events(30) == []


def test_what_depends_on_records_waits_until_they_are_watched_again(rig: Rig) -> None:
    rig.node("n1", **JOINED)
    assert rig.events() == []
    rig.state.pause_records()
    assert rig.events(60) == []
    rig.state.resume_records(rig.now)
    assert rig.events(1) == []
    rig.record("workers", a_rollout("Canary", revision=2, started_at="later"))
    assert rig.events() + rig.events(60) == []


def test_no_agent_is_silent_because_the_source_was_cut_off(rig: Rig) -> None:
    rig.state.silence.set_server_time(50_000.0, rig.now)
    rig.node("n1", heard=50_000.0, **ASSIGNED)
    rig.node("n2", heard=50_000.0, **ASSIGNED)
    assert rig.events() == []
    rig.state.silence.pause()
    assert rig.events(4000) == []
    rig.state.silence.resume(rig.now)
    rig.node("n1", heard=54_100.0, **ASSIGNED)
    assert rig.events(800) == []
    assert [event["node"] for event in rig.events(200)] == ["n2"]


def test_nodes_that_join_wait_while_an_operator_decides_on_drift() -> None:
    """A reconcile would take all of them back."""
    rig = passed_pool(5)
    for name in ("n001", "n002"):
        rig.node(name, **drifted(name))
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [False]
    rig.node("new", **JOINED)
    [event] = rig.events() + rig.events(5)
    assert (event["reconcile"], event["why_not"]) == (False, "2 nodes of the pool drifted: an operator decides first")
    for name in ("n001", "n002"):
        rig.node(name, **{**ASSIGNED, "assigned_id": 3})
    assert rig.events() == []
    assert rig.state.due <= rig.now
    assert [(event["kind"], event["reconcile"]) for event in rig.events() + rig.events(5)] == [("nodes_joined", True)]


def test_drift_that_was_seen_during_a_rollout_is_news_when_it_is_complete() -> None:
    rig = passed_pool(40, "Paused")
    rig.node("n001", **drifted("n001"))
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [False]
    rig.record("workers", a_rollout(nodes=tuple(f"n{number:03d}" for number in range(40))))
    events = rig.events() + rig.events(5)
    assert [(event["kind"], event.get("reconcile")) for event in events] == [
        ("rollout_completed", None),
        ("drifted", True),
    ]
    rig.node("new", **JOINED)
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [True]


def test_a_drifted_node_that_leaves_and_comes_back_has_drifted() -> None:
    rig = passed_pool(40)
    rig.node("n001", **drifted("n001"))
    assert rig.events() == []
    rig.node("n001", **{**drifted("n001"), "labels": {}})
    assert rig.events() + rig.events(30) == []
    rig.node("n001", **drifted("n001"))
    assert [event["kind"] for event in rig.events() + rig.events(5)] == ["drifted"]


def drifted(name: str, assignment: int = 2) -> dict[str, Any]:
    return {**ASSIGNED, "source": a_source(9), "assigned_id": assignment, "uid": f"uid-of-{name}"}


def passed_pool(size: int, phase: str = "Complete") -> Rig:
    names = tuple(f"n{number:03d}" for number in range(size))
    rig = Rig(("workers", a_rollout(phase, nodes=names)))
    for name in names:
        rig.node(name, **ASSIGNED)
    assert [event for event in rig.events() if "node" in event] == []
    return rig


def test_a_drifted_node_is_reconciled_once_and_then_reported() -> None:
    rig = passed_pool(40)
    rig.node("n001", **drifted("n001"))
    [event] = rig.events() + rig.events(5)
    assert (event["kind"], event["pool"], event["nodes"], event["reconcile"]) == ("drifted", "workers", ["n001"], True)
    assert event["reasons"] == [
        f"n001: it had passed, then another client assigned it {a_source(9).name} (assignment 2)"
    ]
    rig.node("n001", **{**ASSIGNED, "assigned_id": 3})
    assert rig.events() + rig.events(60) == []
    rig.node("n001", **drifted("n001", 4))
    [event] = rig.events() + rig.events(5)
    assert (event["reconcile"], event["why_not"]) == (
        False,
        "another client changed 1 node again: stop it first",
    )


def test_drift_that_ends_before_it_is_reported_does_not_count() -> None:
    rig = passed_pool(40)
    for _again in range(3):
        rig.node("n001", **drifted("n001"))
        assert rig.events() == []
        rig.node("n001", **ASSIGNED)
        assert rig.events() + rig.events(30) == []
    rig.node("n001", **drifted("n001"))
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [True]


@pytest.mark.parametrize("phase", ["Wave 1", "Paused", "Halted", "Aborted"])
def test_drift_continues_no_rollout(phase: str) -> None:
    rig = passed_pool(40, phase)
    rig.node("n001", **drifted("n001"))
    [event] = rig.events() + rig.events(5)
    assert (event["reconcile"], event["why_not"]) == (False, f"the rollout of the pool is {phase}")


@pytest.mark.parametrize(
    ("view", "kind"),
    [
        ({"labels": WORKER, "uid": "new", "agent": False}, []),
        ({"labels": WORKER, "uid": "new"}, ["nodes_joined"]),
        ({"labels": WORKER, "answered_id": 1}, ["drifted"]),
    ],
    ids=["registered again", "registered again with an agent", "lost its assignment"],
)
def test_a_node_without_an_assignment_has_joined_or_drifted_never_both(view: dict[str, Any], kind: list[str]) -> None:
    rig = passed_pool(40)
    rig.node("n001", **view)
    assert [name for name in rig.kinds() + rig.kinds(30) if name != "config_unknown"] == kind


@pytest.mark.parametrize(("size", "moved", "reconcile"), [(40, 2, True), (40, 3, False), (5, 1, True), (5, 2, False)])
def test_many_nodes_that_drift_within_a_minute_are_reported_only(size: int, moved: int, reconcile: bool) -> None:
    rig = passed_pool(size)
    for number in range(moved):
        rig.node(f"n{number:03d}", **drifted(f"n{number:03d}"))
    [event] = rig.events() + rig.events(5)
    assert (event["count"], event["reconcile"]) == (moved, reconcile)
    assert reconcile or f"{moved} of {size} nodes of the pool" in event["why_not"]


def test_a_minute_later_drift_is_reconciled_again() -> None:
    rig = passed_pool(40)
    for number in range(3):
        rig.node(f"n{number:03d}", **drifted(f"n{number:03d}"))
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [False]
    rig.now += 61
    rig.node("n030", **drifted("n030"))
    assert [event["reconcile"] for event in rig.events() + rig.events(5)] == [True]


def test_thousands_of_nodes_that_drift_or_go_cost_little() -> None:
    rig = passed_pool(5000)
    began = time.process_time()
    for number in range(5000):
        rig.node(f"n{number:03d}", **drifted(f"n{number:03d}"))
    [event] = rig.events() + rig.events(30)
    for number in range(5000):
        rig.state.lose_node(f"n{number:03d}")
    assert event["count"] == 5000
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("phase", "kind"),
    [("Paused", "rollout_paused"), ("Halted", "rollout_halted"), ("Complete", "rollout_completed"), ("Soaking", "")],
)
def test_the_phases_of_a_rollout_that_wait_for_an_operator_are_reported_once(phase: str, kind: str) -> None:
    rig = Rig(("workers", a_rollout("Wave 1")))
    assert rig.kinds() == []
    rig.record("workers", a_rollout(phase, reason="its gate\x1b[2J"))
    events = rig.events()
    assert [event["kind"] for event in events] == [kind] * bool(kind)
    assert all("\x1b" not in event["reason"] for event in events)
    entries: tuple[TimelineEntry, ...] = (TimelineEntry(NOW, phase), TimelineEntry("later", phase, runner="another"))
    rig.record("workers", a_rollout(phase, runner="another", timeline=entries))
    assert rig.events() == []
    entries = (*entries, TimelineEntry("then", "Wave 2"), TimelineEntry("at last", phase))
    rig.record("workers", a_rollout(phase, timeline=entries))
    assert [event["since"] for event in rig.events()] == ["at last"] * bool(kind)


@pytest.mark.parametrize(("phase", "count"), [("Paused", 1), ("Halted", 1), ("Complete", 0), ("Wave 1", 0)])
def test_after_a_start_rollouts_that_are_not_fine_are_reported(phase: str, count: int) -> None:
    assert len(Rig(("workers", a_rollout(phase))).events()) == count


def test_a_silent_agent_is_reported_once_by_the_clock_of_the_server(rig: Rig) -> None:
    rig.state.silence.set_server_time(50_000.0, rig.now)
    rig.node("n1", heard=49_000.0, **ASSIGNED)
    rig.node("n2", heard=None, **ASSIGNED)
    assert rig.events() == []
    assert rig.state.not_heard == 1
    [event] = rig.events(801) + rig.events(30)
    assert (event["kind"], event["node"], event["key"]) == ("agent_silent", "n1", "uid-of-n1/1/49000")
    assert event["silent_seconds"] >= 1800
    assert rig.events(60) == []
    rig.node("n1", heard=51_000.0, **ASSIGNED)
    assert rig.events(60) == []
    [event] = rig.events(2000)
    assert event["kind"] == "agent_silent"


def test_no_agent_is_silent_while_the_time_of_the_server_is_not_known(rig: Rig) -> None:
    rig.node("n1", heard=1.0, **ASSIGNED)
    assert rig.events(1e6) == []


STATES = [ASSIGNED, FAILED, UNKNOWN, ADOPTING, JOINED, drifted("n"), {**FAILED, "assigned_id": 2}]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["n0", "n1", "n2"]), st.sampled_from([*STATES, None, "Paused", "Complete"]), st.floats(0, 40)
    ),
    max_size=25,
)


@fuzz(200)
@given(STEPS)
def test_a_source_that_starts_again_tells_what_is_not_fine_and_nothing_else(steps: list[Any]) -> None:
    """Whatever has happened, and a second source that only lists makes no event that the first has not made."""
    rig = Rig(("workers", a_rollout(nodes=("n0", "n1", "n2"))))
    reported: list[dict[str, Any]] = []
    present: dict[str, dict[str, Any]] = {}
    phase = "Complete"
    for name, state, seconds in steps:
        if isinstance(state, str):
            rig.record("workers", a_rollout(state, nodes=("n0", "n1", "n2")))
            phase = state
        elif state is None:
            rig.state.lose_node(name)
            present.pop(name, None)
        else:
            present[name] = {**state, "uid": f"uid-of-{name}"}
            rig.node(name, **present[name])
        reported += rig.events(seconds)
    reported += rig.events(60)
    again = Rig(("workers", a_rollout(phase, nodes=("n0", "n1", "n2"))))
    for name, state in present.items():
        again.node(name, **state)
    listed = again.events() + again.events(60)
    bad = {name for name, state in present.items() if state.get("config_ok") == "False" or state == UNKNOWN}
    assert {event["node"] for event in listed if event["kind"] in ("config_failed", "config_unknown")} >= bad
    per_node = ("config_failed", "config_unknown")
    drifting = {name for event in listed if event["kind"] == "drifted" for name in event["nodes"]}
    assert drifting <= {name for event in reported if event["kind"] == "drifted" for name in event["nodes"]}
    assert drifting == {
        name for name, state in present.items() if state.get("assigned_id") == 2 and "config_ok" not in state
    }
    keys = {(event["kind"], event["key"]) for event in listed if event["kind"] in per_node}
    assert keys <= {(event["kind"], event["key"]) for event in reported}


def test_an_event_is_plain_data() -> None:
    rig = Rig(("workers", a_rollout("Halted")))
    for name, view in (("n1", FAILED), ("n2", JOINED), ("n3", UNKNOWN)):
        rig.node(name, **view)
    for event in rig.state.take_events(rig.now):
        assert isinstance(event, Event)
        assert all(isinstance(value, (str, int, bool, list)) for value in event.to_dict().values())
