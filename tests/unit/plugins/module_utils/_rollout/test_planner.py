# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planning: every node in one place, the canary covers, waves spread, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._canary import (
    choose_canary,
    spread_over_zones,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import is_broken, make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import Pool, parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._report.rendering import render_plan
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.fuzz.settings import fuzz
from support.rollouts.views import a_source, a_target, a_view

EMPTY = Record("workers")


def pool(**policy: Any) -> Pool:
    return parse_pool({"pool": "workers", "selector": "pool=workers", "policy": policy})


def names(count: int) -> list[str]:
    return [f"n{number:03d}" for number in range(count)]


def test_percents_are_what_is_reached_with_the_canary_and_the_last_wave_reaches_all() -> None:
    made = make_plan([a_view(name) for name in names(100)], pool(), a_target(), EMPTY)
    assert [(wave.name, len(wave.nodes)) for wave in made.waves] == [
        ("canary", 3),
        ("wave 1", 7),
        ("wave 2", 20),
        ("wave 3", 70),
    ]
    assert (made.limits.max_unavailable, made.limits.failure_budget, made.refusals) == (10, 1, ())
    short = make_plan([a_view(name) for name in names(100)], pool(waves=["10%"]), a_target(), EMPTY)
    assert [len(wave.nodes) for wave in short.waves] == [3, 7, 90]
    counts = make_plan([a_view(name) for name in names(100)], pool(waves=[5, "50%", 100]), a_target(), EMPTY)
    assert [len(wave.nodes) for wave in counts.waves] == [3, 2, 45, 50]


def test_the_canary_covers_the_pool_and_what_it_leaves_uncovered_is_named() -> None:
    views = [a_view(name, zone="a") for name in names(20)]
    views[3] = a_view("n003", zone="b")
    views[7] = a_view("n007", zone="a", kubelet_version="v1.34.1")
    made = make_plan(views, pool(canary={"count": 3, "cover": ["kubeletVersion", "zone"]}), a_target(), EMPTY)
    assert set(made.wave("canary").nodes) == {"n000", "n003", "n007"}
    assert made.uncovered == ()
    fewer = make_plan(views, pool(canary={"count": 2, "cover": ["kubeletVersion", "zone"]}), a_target(), EMPTY)
    assert fewer.uncovered == ("kubeletVersion=v1.35.0, zone=b (1 node)",)
    covered = make_plan(views, pool(canary={"count": 1, "cover": ["rack"]}), a_target(), EMPTY)
    assert covered.uncovered == ()


def test_the_canary_shows_new_values_before_common_combinations() -> None:
    views = [a_view(f"a{number}", zone="a", os_image="Debian") for number in range(9)]
    views += [a_view(f"b{number}", zone="b", os_image="Debian") for number in range(8)]
    views += [a_view("c", zone="c", os_image="Flatcar")]
    choice = choose_canary(views, 2, ("zone", "osImage"), {})
    assert choice.nodes == ("a0", "c")
    assert choice.uncovered == ("zone=b, osImage=Debian (8 nodes)",)


def test_a_canary_by_label_takes_only_nodes_that_have_it() -> None:
    views = [a_view(name, labels={"canary": "yes"} if name == "n005" else {}) for name in names(10)]
    made = make_plan(views, pool(canary={"labels": {"canary": "yes"}}), a_target(), EMPTY)
    assert made.wave("canary").nodes == ("n005",)


@pytest.mark.parametrize(
    ("labels", "sentences"),
    [
        ({"canary": "no"}, ["policy.canary.labels: no node of the pool has the labels canary=no"]),
        (
            {"canary": "yes", "tier": "x"},
            ["policy.canary.labels: no node of the pool has the labels canary=yes,tier=x"],
        ),
        (
            {"tier": "x"},
            ["policy.canary.labels: no node with the labels tier=x can be moved: there would be no canary"],
        ),
        ({"tier": "done"}, []),  # the nodes that the operator wants to go first use it already
        ({"canary": "yes"}, []),
        ({}, []),
    ],
)
def test_labels_that_give_no_canary_are_refused(labels: dict[str, str], sentences: list[str]) -> None:
    views = [
        *(a_view(name, labels={"canary": "yes"}) for name in names(10)),
        a_view("without-agent", agent=False, labels={"tier": "x"}),
        a_view("on-it", source=a_source(), labels={"tier": "done"}),
    ]
    assert list(make_plan(views, pool(canary={"labels": labels}), a_target(), EMPTY).refusals) == sentences


@pytest.mark.parametrize(("in_trial", "canary"), [(True, ("on-it",)), (False, ())])
def test_a_labelled_node_that_is_in_its_trial_on_the_target_is_the_canary(
    in_trial: bool, canary: tuple[str, ...]
) -> None:
    views = [*map(a_view, names(10)), a_view("on-it", source=a_source(), in_trial=in_trial, labels={"tier": "first"})]
    made = make_plan(views, pool(canary={"labels": {"tier": "first"}}), a_target(), EMPTY)
    assert [wave.nodes for wave in made.waves if wave.name == "canary"] == ([canary] if canary else [])
    assert made.unmoved.already_on_target == (() if canary else ("on-it",))
    assert sum(len(wave.nodes) for wave in made.waves) == 10 + len(canary)


@pytest.mark.parametrize(
    ("cover", "sentence"),
    [
        ("kubeletversion", "policy.canary.cover: 'kubeletversion' is neither one of kubeletVersion, osImage, "),
        ("racks", "nor a label of a node of the pool: did you mean rack?"),
    ],
)
def test_a_canary_that_is_to_cover_what_no_node_has_is_refused(cover: str, sentence: str) -> None:
    views = [a_view(name, labels={"rack": "1"}) for name in names(10)]
    (refusal,) = make_plan(views, pool(canary={"cover": ["zone", cover]}), a_target(), EMPTY).refusals
    assert sentence in refusal
    assert make_plan(views, pool(canary={"cover": ["zone", "rack", "architecture"]}), a_target(), EMPTY).refusals == ()


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (a_view("x", agent=False), "no agent has ever reported"),
        (a_view("x", agent=False, status_error="a number has 4300 digits"), "cannot be read: a number has 4300 digits"),
        (a_view("x", kubelet_version="banana"), "its kubelet says that its version is 'banana'"),
        (a_view("x", kubelet_version="v1.2.3"), "its kubelet says that its version is 'v1.2.3'"),
        (a_view("x", kubelet_version="v1.100.0"), "its kubelet says that its version is 'v1.100.0'"),
        (a_view("x", deleting=True), "being deleted"),
        *(
            (a_view("x", taints=((taint, "", "NoSchedule"),)), f"an autoscaler has tainted it with {taint}")
            for taint in (
                "ToBeDeletedByClusterAutoscaler",
                "DeletionCandidateOfClusterAutoscaler",
                "karpenter.sh/disrupted",
                "karpenter.sh/disruption",
            )
        ),
        (a_view("x", agent_version="9.9.9\x1b[2J"), "its agent 9.9.9 [2J does not work"),
        (a_view("x", agent_version="0.7.0"), "its agent 0.7.0 does not work with collection 0.1.0"),
        (a_view("x", agent_version="1.1.0"), "its agent 1.1.0 does not work"),
        (a_view("x", config_ok="Unknown", cause="OptedOut"), "dynamic configuration is turned off"),
    ],
)
def test_nodes_that_cannot_be_moved_are_left_out_with_why(view: NodeView, reason: str) -> None:
    made = make_plan([view, *(a_view(name) for name in names(20))], pool(), a_target(), EMPTY)
    assert [skipped.node for skipped in made.unmoved.skipped] == ["x"]
    assert reason in made.unmoved.skipped[0].reason


def test_nodes_that_an_autoscaler_removes_do_not_count_as_down() -> None:
    down = [a_view(name, ready=False, config_ok="True") for name in ("x", "y")]
    others = [a_view(name) for name in names(4)]
    (refusal,) = make_plan([*down, *others], pool(maxUnavailable=2), a_target(), EMPTY).refusals
    assert "2 nodes are down already (x, y)" in refusal
    leaving = [replace(view, taints=(("karpenter.sh/disrupted", "", "NoSchedule"),)) for view in down]
    made = make_plan([*leaving, *others], pool(maxUnavailable=2), a_target(), EMPTY)
    assert made.refusals == ()
    assert [skipped.node for skipped in made.unmoved.skipped] == ["x", "y"]


@pytest.mark.parametrize("version", ["0.0.9", "0.1.7", "0.2.0", "dev"])
def test_agents_of_neighbouring_versions_are_moved(version: str) -> None:
    made = make_plan([a_view("x", agent_version=version), *map(a_view, names(5))], pool(), a_target(), EMPTY)
    assert made.unmoved.skipped == ()


BROKEN_NODES = [
    a_view("n004", source=a_source(9), active=None, config_ok="False", cause="CrashLoop", component="failing"),
    a_view("n005", source=a_source(9), active=None, config_ok="False", ready=False),
    a_view("n006", source=a_source(9), active=None, config_ok="Unknown", ready=None),
]


def with_broken(count: int = 20) -> list[NodeView]:
    broken = {view.name: view for view in BROKEN_NODES}
    return [broken.get(name, a_view(name)) for name in names(count)]


def test_broken_nodes_have_a_lane_of_their_own_after_the_canary() -> None:
    made = make_plan(with_broken(), pool(maxUnavailable=1), a_target(), EMPTY)
    assert [wave.name for wave in made.waves][:2] == ["canary", "broken"]
    assert made.waves[1] == Wave("broken", ("n004", "n005", "n006"), 120.0)
    assert not set(made.waves[0].nodes) & {view.name for view in BROKEN_NODES}
    assert made.refusals == ()


@pytest.mark.parametrize("shown", ["by a node", "by the record", "by its content", "init"])
def test_broken_nodes_go_first_with_a_config_that_has_passed_on_others(shown: str) -> None:
    views, target, record = with_broken(), a_target(), EMPTY
    if shown == "by a node":
        views.append(a_view("on", source=a_source()))
    elif shown == "init":
        target = Target.init()
        views = BROKEN_NODES + [a_view(name, source=a_source(9)) for name in names(4)]
    else:
        second = replace(target, uid=a_source(8).uid) if shown == "by its content" else target
        record = record.with_revision(second, time="then", author="", cause="").with_result(1, "Complete")
    assert [wave.name for wave in make_plan(views, pool(), target, record).waves][:2] == ["broken", "canary"]
    halted = EMPTY.with_revision(a_target(), time="then", author="", cause="").with_result(1, "Halted")
    assert make_plan(with_broken(), pool(), a_target(), halted).waves[0].name == "canary"
    trying = [*with_broken(), a_view("on", source=a_source(), in_trial=True)]
    assert make_plan(trying, pool(), a_target(), EMPTY).waves[0].name == "canary"


@pytest.mark.parametrize("cause", ["Failing", "Suspect"])
@pytest.mark.parametrize("begun", [False, True])
def test_a_node_that_says_only_by_its_cause_that_it_fails_is_broken_and_no_canary(cause: str, begun: bool) -> None:
    views = [a_view("n000", config_ok="False", cause=cause, component="unknown"), *map(a_view, names(5)[1:])]
    if not begun:
        made = make_plan(views, pool(canary={"count": 5}), a_target(), EMPTY)
        assert [(wave.name, len(wave.nodes)) for wave in made.waves] == [("canary", 4), ("broken", 1)]
        return
    # It is in a wave to come: it does not take the place of a canary that has vanished.
    waves = (Wave("canary", ("gone",), 5.0), Wave("wave 1", tuple(names(5)), 2.0))
    rollout = Rollout(1, a_target(), "Paused", waves, 6, "then", "then")
    made = make_plan(views, pool(), a_target(), replace(EMPTY, rollout=rollout))
    assert made.wave("canary").nodes == ("n001",)


def test_a_node_whose_last_known_good_is_healthy_again_is_not_broken() -> None:
    assert is_broken(a_view("n", config_ok="False", cause="Suspect"))
    assert not is_broken(a_view("n", config_ok="Unknown", cause="Suspect"))


def test_a_healthy_node_that_refused_its_last_config_is_not_broken() -> None:
    views = [a_view(name, source=a_source(9), active=None, config_ok="False", cause="CrashLoop") for name in names(2)]
    made = make_plan(views, pool(canary={"count": 1}, maxUnavailable=1), a_target(), EMPTY)
    assert [(wave.name, len(wave.nodes)) for wave in made.waves] == [("canary", 1), ("wave 1", 1)]


def test_nodes_on_the_target_are_skipped_only_when_they_say_so_for_this_assignment() -> None:
    on = a_view("on", source=a_source(), assigned_id=4)
    behind = a_view("behind", source=a_source(), assigned_id=4, answered_id=3)
    made = make_plan([on, behind, *map(a_view, names(5))], pool(), a_target(), EMPTY)
    assert made.unmoved.already_on_target == ("on",)
    assert "behind" in {name for wave in made.waves for name in wave.nodes}
    everywhere = make_plan([on], pool(), a_target(), EMPTY)
    assert (everywhere.waves, everywhere.has_work) == ((), False)
    assert make_plan([a_view("a")], pool(), Target.init(), EMPTY).unmoved.already_on_target == ("a",)
    unpublished = make_plan([on], pool(), a_target(published=False), EMPTY)
    assert unpublished.unmoved.already_on_target == ()


@pytest.mark.parametrize(
    ("count", "policy", "sentence"),
    [
        (4, {"maxUnavailable": 4}, "maxUnavailable 4 allows everything"),
        (4, {"failureBudget": 4}, "failureBudget 4 allows everything"),
        (0, {}, "no Node matches the selector 'pool=workers'"),
    ],
)
def test_budgets_that_allow_everything_are_refused(count: int, policy: dict[str, Any], sentence: str) -> None:
    made = make_plan([a_view(name) for name in names(count)], pool(**policy), a_target(), EMPTY)
    assert sentence in made.refusals[0]


@pytest.mark.complaint("flightctl #892: a budget that can never be met starves silently")
def test_a_budget_that_nodes_down_have_used_up_is_refused_and_not_starved_on() -> None:
    views = [a_view(name, ready=name > "n001") for name in names(10)]
    made = make_plan(views, pool(maxUnavailable=2), a_target(), EMPTY)
    assert "2 nodes are down already (n000, n001), and maxUnavailable 2 of 10 is 2" in made.refusals[0]
    assert make_plan(views, pool(maxUnavailable=3), a_target(), EMPTY).refusals == ()


def test_a_config_that_failed_before_is_refused_by_uid_and_by_content() -> None:
    record = EMPTY.with_bad_config(a_target(), "n1 crashed", "2026-01-01T00:00:00Z")
    views = [a_view(name) for name in names(5)]
    assert "n1 crashed" in make_plan(views, pool(), a_target(), record).refusals[0]
    same_content = replace(a_target(), uid=a_source(2).uid)
    assert "n1 crashed" in make_plan(views, pool(), same_content, record).refusals[0]
    assert make_plan(views, pool(), a_target(2), record).refusals == ()


def test_a_canary_shorter_than_the_trial_causes_a_loud_warning() -> None:
    made = make_plan(
        [a_view(name) for name in names(5)], pool(canary={"soak": "1m"}), a_target(trial=Trial(600.0)), EMPTY
    )
    assert made.warnings[0].startswith("THE CANARY'S SOAK OF 60s IS SHORTER THAN THE TRIAL OF 600s")


@pytest.mark.complaint("nmstate #473: wrong denominator when nodes go NotReady")
def test_a_resumed_rollout_keeps_its_waves_and_its_size() -> None:
    target = a_target()
    waves = (Wave("canary", ("n000",), 5.0), Wave("wave 1", ("n001", "gone"), 2.0))
    rollout = Rollout(1, target, "Paused", waves, 50, "then", "then", waves_done=1)
    views = [a_view("n000", source=a_source()), a_view("n001"), a_view("late"), a_view("mute", agent=False)]
    made = make_plan(views, pool(), target, replace(EMPTY, rollout=rollout))
    assert made.is_resumed
    assert made.waves == (Wave("canary", ("n000",), 5.0, True), Wave("wave 1", ("n001", "late"), 2.0, False))
    assert (made.unmoved.vanished, made.pool_size, made.limits.max_unavailable) == (("gone",), 50, 1)
    assert [skipped.node for skipped in made.unmoved.skipped] == ["mute"]
    second = make_plan(views, pool(), a_target(2), replace(EMPTY, rollout=rollout))
    assert not second.is_resumed


@pytest.mark.parametrize(("before", "after"), [((), [("canary", 1), ("wave 1", 2)]), (("canary",), [("wave 1", 3)])])
def test_late_nodes_never_join_the_lane_of_broken_nodes(before: tuple[str, ...], after: list[tuple[str, int]]) -> None:
    target = a_target()
    waves = (*(Wave(name, ("n000",), 5.0) for name in before), Wave("broken", ("n004", "n005"), 2.0))
    rollout = Rollout(1, target, "Paused", waves, 3, "then", "then")
    late = [a_view(name) for name in ("late1", "late2", "late3")]
    views = [*BROKEN_NODES, *(a_view("n000") for _name in before), *late]
    made = make_plan(views, pool(canary={"count": 1}), target, replace(EMPTY, rollout=rollout))
    assert made.waves[: len(waves)] == waves
    assert [(wave.name, len(wave.nodes)) for wave in made.waves[len(waves) :]] == after
    assert [(skipped.node, skipped.reason) for skipped in made.unmoved.skipped] == [
        ("n006", "it is broken, and appeared after the rollout began: run it again afterwards")
    ]


def test_late_broken_nodes_join_no_wave_that_a_failure_stops() -> None:
    target = a_target()
    rollout = Rollout(1, target, "Wave 1", (Wave("wave 1", tuple(names(5)), 2.0),), 5, "then", "then")
    views = [*map(a_view, names(5)), a_view("late", ready=False), a_view("fine")]
    made = make_plan(views, pool(maxUnavailable=2), target, replace(EMPTY, rollout=rollout))
    assert made.waves[-1].nodes == (*names(5), "fine")
    assert [skipped.node for skipped in made.unmoved.skipped] == ["late"]


def test_nodes_that_are_not_ready_are_moved_and_count_all_the_same() -> None:
    """A config may help them, whatever the reason; if it is another one, no more than maxUnavailable are down."""
    down = [a_view(name, ready=False, ready_reason="PLEG") for name in names(10)]
    everything = make_plan(down, pool(), a_target(), EMPTY)
    assert [(wave.name, len(wave.nodes)) for wave in everything.waves] == [("broken canary", 3), ("broken", 7)]
    assert everything.refusals == ()
    some = make_plan([*down[:2], *map(a_view, names(20)[2:])], pool(maxUnavailable=3), a_target(), EMPTY)
    assert next(wave.nodes for wave in some.waves if wave.name == "broken") == ("n000", "n001")
    assert some.refusals == ()
    many = make_plan([*down[:3], *map(a_view, names(20)[3:])], pool(maxUnavailable=3), a_target(), EMPTY)
    assert "3 nodes are down already (n000, n001, n002)" in many.refusals[0]


@pytest.mark.parametrize("policy", [{"labels": {"cannary": "yes"}}, {"labels": {"tier": "lane"}}, {"cover": ["racks"]}])
def test_a_canary_for_late_nodes_that_cannot_be_meant_is_refused(policy: dict[str, Any]) -> None:
    target = a_target()
    rollout = Rollout(1, target, "Paused", (Wave("broken", ("n004",), 2.0),), 1, "then", "then")
    lane = replace(BROKEN_NODES[0], labels={"tier": "lane"})
    late = [a_view(name, labels={"canary": "yes"}) for name in ("late1", "late2", "late3", "late4", "late5")]
    record = replace(EMPTY, rollout=rollout)
    (refusal,) = make_plan([lane, *late], pool(canary=policy), target, record).refusals
    assert refusal.startswith("policy.canary.")
    assert make_plan([lane, *late], pool(canary={"labels": {"canary": "yes"}}), target, record).refusals == ()
    assert make_plan([lane], pool(canary=policy), target, record).refusals == (), "no canary is to be chosen"


def test_a_late_node_that_is_in_its_trial_on_the_target_is_the_canary_of_late_nodes() -> None:
    target = a_target()
    rollout = Rollout(1, target, "Paused", (Wave("broken", ("n004",), 2.0),), 1, "then", "then")
    trying = a_view("on-it", source=a_source(), in_trial=True, labels={"tier": "first"})
    views = [BROKEN_NODES[0], a_view("late"), trying]
    made = make_plan(views, pool(canary={"labels": {"tier": "first"}}), target, replace(EMPTY, rollout=rollout))
    assert [(wave.name, wave.nodes) for wave in made.waves[1:]] == [("canary", ("on-it",)), ("wave 1", ("late",))]


def test_waves_are_spread_over_zones() -> None:
    views = [a_view(f"a{number}", zone="a") for number in range(8)] + [
        a_view(f"b{number}", zone="b") for number in range(4)
    ]
    zones = [view.zone for view in spread_over_zones(views)]
    for end in (3, 6, 9, 12):
        assert zones[:end].count("b") == end // 3


def test_choosing_a_canary_of_thousands_is_quick_enough_to_plan_with() -> None:
    views = [a_view(f"n{number:05d}", zone=f"z{number % 3}") for number in range(15000)]
    choice = choose_canary(views, 100, ("zone",), {})
    assert len(set(choice.nodes)) == 100


@st.composite
def pools(draw: st.DrawFn) -> list[NodeView]:
    count = draw(st.integers(1, 25))
    views = []
    for number in range(count):
        kind = draw(st.integers(0, 7))
        kinds: list[dict[str, Any]] = [
            {},
            {},
            {},
            {"source": a_source()},
            {"agent": False},
            {"ready": False},
            {"config_ok": "False", "source": a_source(9), "active": None},
            {"deleting": True},
        ]
        zone = draw(st.sampled_from(["a", "b", "c"]))
        version = draw(st.sampled_from(["v1.34.0", "v1.35.0"]))
        views.append(a_view(f"n{number:02d}", zone=zone, kubelet_version=version, **kinds[kind]))
    return views


@fuzz(150)
@given(
    views=pools(),
    waves=st.sampled_from([["100%"], ["10%", "30%", "100%"], [1, 5], ["50%"], [2, "60%"]]),
    count=st.integers(1, 30),
    seed=st.randoms(use_true_random=False),
)
def test_every_node_is_in_exactly_one_place_in_a_stable_order(
    views: list[NodeView], waves: list[Any], count: int, seed: Any
) -> None:
    config = pool(waves=waves, canary={"count": count})
    made = make_plan(views, config, a_target(), EMPTY)
    places = [name for wave in made.waves for name in wave.nodes]
    places += [*made.unmoved.already_on_target, *(skipped.node for skipped in made.unmoved.skipped)]
    assert sorted(places) == sorted(view.name for view in views)
    assert all(wave.nodes for wave in made.waves)
    shuffled = list(views)
    seed.shuffle(shuffled)
    assert make_plan(shuffled, config, a_target(), EMPTY) == made
    assert render_plan(made)


def test_the_text_says_what_a_person_wants_to_know() -> None:
    views = [a_view(name, zone="ab"[int(name[1:]) % 2]) for name in names(30)] + [a_view("mute", agent=False)]
    text = "\n".join(render_plan(make_plan(views, pool(), a_target(), EMPTY)))
    for part in (
        "Pool workers: 31 nodes, to revision 1 (workers-0000000001)",
        "WAVE     NODES   SOAK   WHICH",
        "canary   3       11m    n000",
        "At most 3 nodes unavailable at a time; halt after more than 1 failure (in the canary: at the first); "
        "5m for a node to answer",
        "Left out:\n  mute: no agent has ever reported from it",
    ):
        assert part in text, text


def test_fields_that_a_flag_overrides_are_named_with_their_nodes() -> None:
    """kubernetes #131355: flags silently win over the file."""
    flag = ("maxPods (--max-pods)",)
    views = [a_view("n1", shadowed=flag), a_view("n2"), a_view("n3", shadowed=flag)]
    plan = make_plan(views, pool(), a_target(2), Record("workers"))
    assert "kubelet maxPods (--max-pods) overrides the bundle on 2 nodes (n1, n3)" in plan.warnings
