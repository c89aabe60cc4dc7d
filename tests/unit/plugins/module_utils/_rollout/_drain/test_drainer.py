# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drain: cordon, evictions, budgets, the end of the pods; and what is left when it fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node, node_status
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._drainer import Drainer, DrainResult
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import (
    FIELD_MANAGER,
    is_reboot_pending,
    marking_pool,
    own_cordons,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._outage import (
    Outage,
    OutageClock,
    OutageTolerantClient,
)
from support.rollouts.faulty_clients import Away, Dying, Killed, Losing
from support.rollouts.simulated_pods import Budget
from support.rollouts.world import MakeWorld, World

SETTINGS = DrainSettings(timeout=120.0)


def never() -> bool:
    return False


def a_drainer(
    world: World, settings: DrainSettings = SETTINGS, *, pool: str = "workers", client: Any = None
) -> Drainer:
    return Drainer(client or world.client, pool, settings, world.clock)


def drain(world: World, settings: DrainSettings = SETTINGS, **options: Any) -> DrainResult:
    return a_drainer(world, settings, **options).drain(world.nodes.view("n00"), never)


def state(world: World, name: str = "n00") -> tuple[bool, str]:
    """Return whether a Node is cordoned, and the pool in its mark."""
    view = world.nodes.view(name)
    return view.unschedulable, marking_pool(view)


CLEAN = (False, "")
CORDONED = (True, "workers")


def test_a_node_is_cordoned_and_emptied(make_world: MakeWorld) -> None:
    world = make_world(2)
    for number in range(3):
        world.pods.add("n00", f"web-{number}", ends_after=10.0)
    world.pods.add("n00", "proxy", owner="DaemonSet")
    world.pods.add("n00", "etcd", owner="Node", mirror=True)
    world.pods.add("n01", "elsewhere")
    world.server.requests.clear()
    began = world.clock.monotonic()
    assert drain(world) == DrainResult(True)
    assert 10.0 <= world.clock.monotonic() - began < 13.0
    assert world.pods.on("n00") == ["proxy", "etcd"]
    assert world.pods.on("n01") == ["elsewhere"]
    assert state(world) == CORDONED
    assert [name for _time, name, _status in world.pods.evictions] == ["web-0", "web-1", "web-2"]
    assert world.server.requests.count(verb="patch") == 1, "cordon and mark are one PATCH"
    assert a_drainer(world).uncordon("n00")
    assert state(world) == CLEAN


def test_an_empty_node_is_only_cordoned(make_world: MakeWorld) -> None:
    world = make_world(1)
    assert drain(world) == DrainResult(True)
    assert state(world) == CORDONED


@pytest.mark.parametrize(
    ("options", "setting"), [({"owner": ""}, "force"), ({"empty_dir": True}, "delete_empty_dir_data")]
)
def test_a_pod_that_would_be_lost_refuses_the_drain_before_the_node_is_cordoned(
    make_world: MakeWorld, options: dict[str, Any], setting: str
) -> None:
    world = make_world(1)
    world.pods.add("n00", "web")
    world.pods.add("n00", "precious", **options)
    world.server.requests.clear()
    result = drain(world)
    assert not result.drained
    assert result.reason.startswith("default/precious: ")
    assert world.server.requests.count(verb="patch") == 0
    assert world.pods.evictions == []
    assert drain(world, DrainSettings(timeout=120.0, **{setting: True})) == DrainResult(True)
    assert world.pods.on("n00") == []


def test_a_pod_that_a_budget_protects_is_asked_for_again_every_five_seconds(make_world: MakeWorld) -> None:
    world = make_world(1)
    budget = Budget("web", allowed=1, restored_after=20.0)
    for number in range(3):
        world.pods.add("n00", f"web-{number}", budgets=(budget,))
    lines: list[str] = []
    drainer = Drainer(world.client, "workers", SETTINGS, world.clock, report=lines.append)
    assert drainer.drain(world.nodes.view("n00"), never) == DrainResult(True)
    evicted = [time for time, _name, status in world.pods.evictions if status == 201]
    assert all(later - earlier >= 20.0 for earlier, later in zip(evicted, evicted[1:])), "the budget is kept"
    second = [time for time, name, _status in world.pods.evictions if name == "web-1"]
    assert all(later - earlier >= 5.0 for earlier, later in zip(second, second[1:]))
    message = "The disruption budget web needs 2 healthy pods and has 2 currently"
    assert lines == [
        "cordoned n00",
        f"n00 waits for default/web-1: {message}",
        f"n00 waits for default/web-2: {message}",
    ]


def test_retry_after_is_kept(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web")
    world.pods.refusal = world.pods.blocked(Budget("web"), retry_after=30)
    assert not drain(world).drained
    times = [time for time, _name, _status in world.pods.evictions]
    assert len(times) == 5
    assert all(later - earlier >= 30.0 for earlier, later in zip(times, times[1:]))


def test_a_budget_that_never_allows_an_eviction_ends_the_drain_in_time_and_the_cordon_with_it(
    make_world: MakeWorld,
) -> None:
    world = make_world(1)
    world.pods.add("n00", "api")
    world.pods.add("n00", "slow", ends_after=1000.0)
    for number in range(3):
        world.pods.add("n00", f"db-{number}", budgets=(Budget("db"),))
    began = world.clock.monotonic()
    result = drain(world)
    needs = "The disruption budget db needs 2 healthy pods and has 2 currently"
    assert result == DrainResult(
        False,
        f"4 pods are left after 2m: default/db-0: {needs}; default/db-1: {needs}; default/db-2: {needs} (and 1 more)",
    )
    assert 120.0 <= world.clock.monotonic() - began < 125.0
    assert state(world) == CLEAN


@pytest.mark.parametrize(
    ("evicted", "words"),
    [(True, "it was evicted and has not ended"), (False, "it is being deleted and has not ended")],
)
def test_a_pod_that_does_not_end_is_named(make_world: MakeWorld, evicted: bool, words: str) -> None:
    world = make_world(1)
    pod = world.pods.add("n00", "slow", ends_after=1000.0)
    if not evicted:
        world.pods.end(pod)
    assert drain(world).reason == f"1 pod is left after 2m: default/slow: {words}"
    assert len(world.pods.evictions) == (1 if evicted else 0), "it is not evicted again"


def test_the_first_releases_of_the_api_have_another_version_of_evictions(make_world: MakeWorld) -> None:
    world = make_world(2)
    world.pods.minor = 20
    for number in range(3):
        world.pods.add("n00", f"web-{number}")
    world.pods.add("n01", "web-3")
    drainer = a_drainer(world)
    assert drainer.drain(world.nodes.view("n00"), never).drained
    assert drainer.drain(world.nodes.view("n01"), never).drained
    versions = [body["apiVersion"] for body in world.pods.bodies]
    assert versions == ["policy/v1"] + ["policy/v1beta1"] * 4, "one refusal is enough to know"
    world.pods.minor = 35
    world.pods.add("n00", "web-5")
    assert drain(world).drained
    assert world.pods.bodies[-1]["apiVersion"] == "policy/v1"


def test_a_drain_learns_the_version_of_evictions_while_another_one_does(make_world: MakeWorld) -> None:
    world = make_world(2)
    world.pods.minor = 20
    for name in ("n00", "n01"):
        world.pods.add(name, f"web-of-{name}")
    others: list[DrainResult] = []

    class Slow:
        """Answers the first eviction only after the other node is drained."""

        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def create(self, path: str, body: dict[str, Any], **options: Any) -> Any:
            if not others and body["kind"] == "Eviction":
                others.append(DrainResult(False))
                others.append(drainer.drain(world.nodes.view("n01"), never))
            return world.client.create(path, body, **options)

    drainer = a_drainer(world, client=Slow())
    assert drainer.drain(world.nodes.view("n00"), never) == DrainResult(True)
    assert others[-1] == DrainResult(True)
    assert [body["apiVersion"] for body in world.pods.bodies] == [
        "policy/v1", "policy/v1beta1", "policy/v1", "policy/v1beta1",
    ]  # fmt: skip


def test_an_eviction_is_of_one_uid_and_has_the_grace_period_of_the_policy(make_world: MakeWorld) -> None:
    world = make_world(1)
    pod = world.pods.add("n00", "web")
    assert drain(world).drained
    assert world.pods.bodies[-1] == {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": "web", "namespace": "default"},
        "deleteOptions": {"preconditions": {"uid": pod.uid}},
    }
    world.pods.add("n00", "web")
    assert drain(world, DrainSettings(timeout=120.0, grace_period=0)).drained
    assert world.pods.bodies[-1]["deleteOptions"]["gracePeriodSeconds"] == 0


def test_finished_pods_are_removed_and_pods_that_are_being_deleted_are_waited_for(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "job", owner="", phase="Succeeded", budgets=(Budget("jobs"),))
    ending = world.pods.add("n00", "ending", ends_after=30.0)
    world.pods.end(ending)
    began = world.clock.monotonic()
    assert drain(world).drained
    assert world.clock.monotonic() - began >= 29.0
    assert [name for _time, name, _status in world.pods.evictions] == ["job"]


def test_a_pod_that_came_while_the_node_was_cordoned_is_evicted_too(make_world: MakeWorld) -> None:
    """The scheduler may bind a pod right before the cordon, and the API server's cache may not have it yet."""
    world = make_world(1)
    world.pods.cache_lag = 3600.0
    world.pods.add("n00", "late")
    assert drain(world).drained
    assert world.pods.on("n00") == []


def test_a_node_with_many_pods_is_read_page_by_page(make_world: MakeWorld) -> None:
    world = make_world(1)
    for number in range(1200):
        world.pods.add("n00", f"web-{number}", ends_after=5.0)
    assert drain(world).drained
    assert [query["limit"] for query in world.pods.lists if "continue" in query] == ["500", "500"]
    assert all(query["fieldSelector"] == "spec.nodeName=n00" for query in world.pods.lists)
    fresh = [query for query in world.pods.lists if query.get("resourceVersion") != "0" and "continue" not in query]
    assert len(fresh) == 2, "the others are answered from the API server's cache"


def test_a_pod_with_two_budgets_can_never_be_evicted(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web", budgets=(Budget("a", 1), Budget("b", 1)))
    began = world.clock.monotonic()
    result = drain(world)
    assert result.reason == "default/web cannot be evicted: This pod has more than one PodDisruptionBudget"
    assert world.clock.monotonic() - began < 5.0, "it is not asked for again"
    assert state(world) == CLEAN


@pytest.mark.parametrize("cause", ["", "NamespaceTerminating"])
def test_an_eviction_that_is_forbidden_ends_the_drain_unless_its_namespace_is_being_deleted(
    make_world: MakeWorld, cause: str
) -> None:
    world = make_world(1)
    pod = world.pods.add("n00", "web")
    details = {"causes": [{"reason": cause}]} if cause else {}
    world.pods.refusal = (403, {"kind": "Status", "message": "no", "reason": "Forbidden", "details": details})
    world.later(20.0, lambda: world.pods.end(pod))
    result = drain(world)
    if cause:
        assert result == DrainResult(True)
    else:
        assert result.reason == "default/web cannot be evicted: POST pods/web/eviction in default: no (403 Forbidden)"
        assert state(world) == CLEAN


def test_a_drain_stops_within_a_second_and_takes_its_cordon_back(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web", budgets=(Budget("web"),))
    stop_at = world.clock.monotonic() + 33.0
    result = a_drainer(world).drain(world.nodes.view("n00"), lambda: world.clock.monotonic() >= stop_at)
    assert result == DrainResult(False, "the drain was interrupted")
    assert world.clock.monotonic() - stop_at <= 1.2
    assert state(world) == CLEAN


# --- whose cordon it is


def cordon_by_hand(world: World, cordoned: bool = True) -> None:
    patch = {"spec": {"unschedulable": True if cordoned else None}}
    world.client.patch(node("n00"), patch, field_manager="kubectl-cordon")


def test_a_cordon_that_an_operator_made_is_used_and_stays(make_world: MakeWorld) -> None:
    world = make_world(1)
    cordon_by_hand(world)
    world.pods.add("n00", "web")
    assert drain(world).drained
    assert world.pods.on("n00") == []
    assert state(world) == (True, "")
    assert not a_drainer(world).uncordon("n00")
    assert state(world) == (True, "")
    world.pods.add("n00", "db", budgets=(Budget("db"),))
    assert not drain(world).drained
    assert state(world) == (True, ""), "nor does a drain that fails take it back"


def test_two_pools_never_uncordon_each_others_nodes(make_world: MakeWorld) -> None:
    world = make_world(1)
    assert drain(world).drained
    other = a_drainer(world, pool="workers-2")
    result = other.drain(world.nodes.view("n00"), never)
    assert result == DrainResult(
        False,
        "the rollout of pool workers has cordoned it and would uncordon it: let that rollout end, or run it again",
    )
    assert not other.uncordon("n00")
    assert state(world) == CORDONED
    assert own_cordons([world.nodes.view("n00")], "workers-2") == ()
    assert a_drainer(world).uncordon("n00")
    assert other.drain(world.nodes.view("n00"), never).drained
    assert state(world) == (True, "workers-2")


def test_a_mark_without_a_cordon_is_taken_over(make_world: MakeWorld) -> None:
    """An operator has uncordoned what a killed run of another pool had cordoned."""
    world = make_world(1)
    assert drain(world, pool="workers-2").drained
    cordon_by_hand(world, cordoned=False)
    assert drain(world).drained
    assert state(world) == CORDONED


def test_where_an_operator_has_uncordoned_only_the_mark_is_removed(make_world: MakeWorld) -> None:
    world = make_world(1)
    assert drain(world).drained
    cordon_by_hand(world, cordoned=False)
    assert own_cordons([world.nodes.view("n00")], "workers") == ("n00",)
    assert not a_drainer(world).uncordon("n00")
    assert state(world) == CLEAN


def test_where_an_operator_has_cordoned_again_the_cordon_stays(make_world: MakeWorld) -> None:
    world = make_world(1)
    assert drain(world).drained

    class Managed:
        """A client of an API server whose managed fields show who has cordoned."""

        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def find(self, path: str) -> Any:
            fields = [{"manager": "kubectl-cordon", "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}]
            item = world.client.get(path)
            return {**item, "metadata": {**item["metadata"], "managedFields": fields}}

    assert not a_drainer(world, client=Managed()).uncordon("n00")
    assert state(world) == (True, "")


def boot(world: World, boot_id: str) -> None:
    world.client.patch(node_status("n00"), {"status": {"nodeInfo": {"bootID": boot_id}}}, kind="strategic")


def test_the_mark_says_that_a_reboot_is_pending_until_the_node_has_another_boot_id(make_world: MakeWorld) -> None:
    world = make_world(1)
    boot(world, "b1")
    assert a_drainer(world).drain(world.nodes.view("n00"), never, reboot=True).drained
    assert is_reboot_pending(world.nodes.view("n00"), "workers")
    boot(world, "b2")
    assert not is_reboot_pending(world.nodes.view("n00"), "workers")
    assert a_drainer(world).drain(world.nodes.view("n00"), never, reboot=True).drained
    assert is_reboot_pending(world.nodes.view("n00"), "workers"), "that boot was before this drain"
    assert drain(world).drained
    assert not is_reboot_pending(world.nodes.view("n00"), "workers"), "this change needs no reboot"
    assert a_drainer(world).uncordon("n00")
    assert state(world) == CLEAN


def test_a_reboot_of_a_node_that_an_operator_has_cordoned_leaves_the_cordon(make_world: MakeWorld) -> None:
    world = make_world(1)
    boot(world, "b1")
    cordon_by_hand(world)
    for _run in range(2):
        assert a_drainer(world).drain(world.nodes.view("n00"), never, reboot=True).drained
        assert is_reboot_pending(world.nodes.view("n00"), "workers")
    assert state(world) == CORDONED
    assert not a_drainer(world).uncordon("n00")
    assert state(world) == (True, "")


def test_a_damaged_mark_uncordons_nothing(make_world: MakeWorld) -> None:
    world = make_world(1)
    patch = {"metadata": {"annotations": {"configok.dev/cordoned-by": "workers"}}, "spec": {"unschedulable": True}}
    world.client.patch(node("n00"), patch)
    assert not a_drainer(world).uncordon("n00")
    assert world.nodes.view("n00").unschedulable


def test_a_node_that_was_deleted_is_neither_drained_nor_uncordoned(make_world: MakeWorld) -> None:
    world = make_world(1)
    view = world.nodes.view("n00")
    world.client.delete(node("n00"))
    assert a_drainer(world).drain(view, never) == DrainResult(False, "the Node was deleted")
    assert not a_drainer(world).uncordon("n00")


def test_the_api_server_knows_the_cordon_by_its_field_manager(make_world: MakeWorld) -> None:
    """It is what tells a cordon of a rollout from one that an operator has made since."""
    world = make_world(1)
    managers = []

    class Watching:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def patch(self, path: str, body: Any, **options: Any) -> Any:
            managers.append(options["field_manager"])
            return world.client.patch(path, body, **options)

    drainer = a_drainer(world, client=Watching())
    assert drainer.drain(world.nodes.view("n00"), never).drained
    assert drainer.uncordon("n00")
    assert managers == [FIELD_MANAGER, FIELD_MANAGER]


# --- kills, lost answers, outages


@pytest.mark.complaint("kubespray #6545: nodes left cordoned by repeated failing runs")
def test_no_node_stays_cordoned_after_repeated_failing_runs(make_world: MakeWorld) -> None:
    """kubespray #6545 and #6281, system-upgrade-controller #71: nodes were left cordoned by runs that failed again."""
    world = make_world(1)
    world.pods.add("n00", "db", budgets=(Budget("db"),))
    for _run in range(3):
        assert not drain(world).drained
        assert state(world) == CLEAN


@pytest.mark.complaint("kubespray #6545: nodes left cordoned by repeated failing runs")
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_a_run_that_is_killed_at_any_write_leaves_only_cordons_that_the_next_run_finds(
    make_world: MakeWorld, after: bool
) -> None:
    """The same complaint: the runs were killed, and the next one took the cordon for an operator's."""
    at = 0
    while True:
        at += 1
        world = make_world(1)
        for number in range(2):
            world.pods.add("n00", f"web-{number}")
        dying = Dying(world.client, at, after=after)
        drainer = a_drainer(world, client=dying)
        try:
            assert drainer.drain(world.nodes.view("n00"), never).drained
            assert drainer.uncordon("n00")
        except Killed:
            pass
        if not dying.dead:
            break
        view = world.nodes.view("n00")
        assert view.unschedulable is (view.name in own_cordons([view], "workers"))
        following = a_drainer(world)
        assert following.drain(view, never).drained
        assert following.uncordon("n00")
        assert state(world) == CLEAN
        assert world.pods.on("n00") == []
    assert at == 5, "cordon, two evictions, uncordon"


@pytest.mark.parametrize("resend", [False, True], ids=["no answer", "sent again by the client"])
def test_the_answer_to_any_write_may_be_lost(make_world: MakeWorld, resend: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(1)
        for number in range(2):
            world.pods.add("n00", f"web-{number}")
        losing = Losing(world.client, at, resend=resend)
        outage = Outage(world.clock, lambda _line: None)
        client = OutageTolerantClient(losing, outage, before_write=lambda: None)  # type: ignore[arg-type]
        drainer = a_drainer(world, client=client)
        assert drainer.drain(world.nodes.view("n00"), never).drained
        drainer.uncordon("n00")
        assert state(world) == CLEAN
        assert world.pods.on("n00") == []
        if not losing.lost:
            break
    assert at == 5


def test_an_outage_is_survived_and_not_charged_to_the_node(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web", ends_after=60.0)
    away = Away(world, 200.0, lambda name, path: name == "create" and path.endswith("/eviction"))
    outage = Outage(world.clock, lambda _line: None)
    client = OutageTolerantClient(away, outage, before_write=lambda: None)  # type: ignore[arg-type]
    drainer = Drainer(client, "workers", SETTINGS, OutageClock(world.clock, outage))
    assert drainer.drain(world.nodes.view("n00"), never) == DrainResult(True)
    assert len(away.refused) > 10


def test_an_error_of_the_runner_is_not_charged_to_the_node(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web")
    away = Away(world, 1000.0, lambda name, path: name == "create" and path.endswith("/eviction"))
    with pytest.raises(Unreachable):
        drain(world, client=away)
    assert own_cordons([world.nodes.view("n00")], "workers") == ("n00",), "the next run finds it"


def test_missing_permissions_are_a_sentence_with_the_remedy(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.pods.add("n00", "web")

    class Unprivileged:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def list(self, _path: str, **_options: Any) -> Any:
            raise Forbidden("pods is forbidden", status=403, where="GET pods")

    assert drain(world, client=Unprivileged()) == DrainResult(
        False, "GET pods: pods is forbidden (403): the role configok.node.cluster grants runners what a drain needs"
    )
    assert state(world) == CLEAN


def test_the_mark_says_since_when(make_world: MakeWorld) -> None:
    world = make_world(1)
    assert drain(world).drained
    annotations = world.client.get(node("n00"))["metadata"]["annotations"]
    assert json.loads(annotations["configok.dev/cordoned-by"])["time"].startswith("2026-01-01T00:0")
