# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout survives lost answers and an API server that is away, and charges neither to a node."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    Forbidden,
    KubeError,
    ServerError,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import lease
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Timing
from ansible_collections.configok.node.plugins.module_utils._rollout import ApiUnavailable, LockLost, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._outage import Notice, Outage
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._run._session import RunSession
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from support.rollouts.faulty_clients import Away, Losing
from support.rollouts.local_transport import LocalTransport
from support.rollouts.simulated_nodes import ADOPTS, CRASHES, GOOD, status_of
from support.rollouts.virtual_clock import VirtualClock
from support.rollouts.world import MakeWorld, World

LEASE = lease("configok-rollouts", "workers")


def check_complete(world: World, target: Any, nodes: int) -> None:
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.failed_nodes) == ("Complete", ())
    assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(nodes))
    assert len(world.nodes.assignments) == nodes, "no node was assigned twice"
    assert not any("is locked by" in line for line in world.lines()), "no run waits for its own lock"


@pytest.mark.parametrize("resend", [False, True], ids=["no answer", "sent again by the client"])
def test_the_answer_to_any_write_may_be_lost(make_world: MakeWorld, resend: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(5)
        target = world.publish(100)
        losing = Losing(world.client, at, resend=resend)
        results = world.rollout(target, client=losing)
        if not losing.lost:
            break
        assert (losing.lost, results[-1].phase) == (losing.lost, "Complete")
        check_complete(world, target, 5)
    assert at > 20, "the rollout has at least so many writes"


@pytest.mark.parametrize("resend", [False, True], ids=["no answer", "sent again by the client"])
def test_the_answer_to_any_write_may_be_lost_while_nodes_are_taken_back(make_world: MakeWorld, resend: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(4)
        first = world.publish(100)
        world.rollout(first)
        second = world.publish(200)
        made = world.plan(second, onFailure="rollback", failureBudget=0, waves=["100%"])
        doomed = made.wave("wave 1").nodes[0]

        def behave(name: str, source: Any, doomed: str = doomed, bad: Any = second.source) -> str:
            return CRASHES if (name, source) == (doomed, bad) else GOOD

        world.nodes.behaviour = behave
        world.move(made, "canary")
        losing = Losing(world.client, at, resend=resend)
        result = world.move(made, "wave 1", client=losing)
        if not losing.lost:
            break
        assert (losing.lost, result.phase) == (losing.lost, "Halted")
        assert "taken back" in result.reason
        assert [failed.node for failed in result.failed_nodes] == [doomed]
        for number in range(4):
            view = world.nodes.view(f"n{number:02d}")
            assert view.name == doomed or view.is_on(first.source), losing.lost
    assert at > 8, "the wave and the way back have at least so many writes"


def test_a_revision_published_after_a_lost_answer_changes_nothing(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    made = world.plan(target)

    class Published(Losing):
        """The last write of the record is answered, but a revision was published before the client asked again."""

        def __getattr__(self, name: str) -> Any:
            if name != "replace":
                return getattr(world.client, name)

            def replace(path: str, body: dict[str, Any], **options: Any) -> Any:
                answer = world.client.replace(path, body, **options)
                if not self.lost and '"phase": "Complete"' in (body.get("data") or {}).get("record", ""):
                    self.lost = path
                    world.publish(200)
                    raise Unreachable("no answer", where=path)
                return answer

            return replace

    losing = Published(world.client, 0, resend=False)
    results = [world.move(made, wave.name, client=losing, runner="one run") for wave in made.waves]
    assert losing.lost
    assert results[-1].phase == "Complete"
    assert [revision.result for revision in world.record().revisions] == ["Complete", ""]


def test_an_update_whose_answer_was_lost_says_that_it_has_written(make_world: MakeWorld) -> None:
    world = make_world(0)
    world.publish(100)
    losing: Any = Losing(world.client, 1, resend=True)
    _record, changed = update_record(losing, "workers", lambda record: record.with_result(1, "Complete"))
    assert changed
    assert [revision.result for revision in world.record().revisions] == ["Complete"]


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("create", "/leases"),
        ("replace", "/leases/workers"),
        ("patch", "/nodes/n"),
        ("get", "/configmaps/workers"),
        ("replace", "/configmaps/workers"),
    ],
)
def test_a_control_plane_that_restarts_for_minutes_costs_nothing(make_world: MakeWorld, verb: str, path: str) -> None:
    world = make_world(5)
    target = world.publish(100)
    away = Away(world, 240.0, lambda name, where: name == verb and path in where)
    # A node has less time than the outage takes: the time in which it cannot answer does not count.
    assert world.rollout(target, client=away, nodeTimeout="200s")[-1].phase == "Complete"
    assert away.refused
    check_complete(world, target, 5)
    lines = "\n".join(world.lines())
    assert "the API server does not answer" in lines
    assert "nothing is assigned meanwhile, waiting up to " in lines
    assert "the API server answers again after 24" in lines


def test_nodes_that_move_while_the_server_is_away_keep_their_time(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: ADOPTS
    away = Away(world, 280.0, lambda name, path: name == "replace" and path == LEASE and bool(world.nodes.assignments))

    class Recovers(Away):
        def __getattr__(self, name: str) -> Any:
            method = getattr(away, name)

            def call(*args: Any, **kwargs: Any) -> Any:
                answer = method(*args, **kwargs)
                if away.until is not None:  # back: the agents answer now, too
                    world.nodes.behaviour = lambda _name, _source: GOOD
                    for node, _id, source in list(world.nodes.assignments):
                        view = world.nodes.view(node)
                        if view.answer.config_ok != "True":
                            world.nodes.say(node, *status_of(view, source, GOOD)[-1])
                return answer

            return method if name == "interruptible" else call

    results = world.rollout(target, client=Recovers(world, 0, lambda _name, _path: False), nodeTimeout="200s")
    assert results[-1].phase == "Complete", results[-1].reason
    assert world.record().bad_configs == ()


def test_a_longer_outage_ends_the_run_with_the_advice_to_run_it_again(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    away = Away(world, 1000.0, lambda name, path: name == "patch" and "/nodes/" in path)
    with pytest.raises(
        ApiUnavailable, match=r"has not answered for 30\ds .*nothing else is assigned.*run it again to continue"
    ):
        world.rollout(target, client=away)
    assert world.nodes.assignments == []
    world.clock.sleep(6.0)
    assert world.rollout(target)[-1].phase == "Complete"


def test_a_run_that_comes_back_and_finds_its_lock_taken_assigns_nothing(make_world: MakeWorld) -> None:
    world = make_world(4)
    made = world.plan(world.publish(100))

    class Robbed(Away):
        def __getattr__(self, name: str) -> Any:
            method = super().__getattr__(name)

            def call(*args: Any, **kwargs: Any) -> Any:
                if self.until is not None and len(self.refused) == 3:
                    self.refused.append("thief")
                    PoolLock(world.client, "workers", "thief", clock=world.clock, duration=5.0).acquire(
                        lambda _line: None
                    )
                return method(*args, **kwargs)

            return method if name == "interruptible" else call

    away = Robbed(world, 60.0, lambda name, path: name == "patch" and "/nodes/" in path)
    with pytest.raises(LockLost, match="thief has its lock now"):
        world.move(made, "canary", client=away)
    assert world.nodes.assignments == []


def test_a_lock_that_may_not_be_renewed_ends_the_run_and_is_charged_to_no_node(make_world: MakeWorld) -> None:
    world = make_world(12)
    made = world.plan(world.publish(100))

    class Revoked:
        """A client that may no longer renew the lock when the threads begin to assign."""

        revoked = False

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def call(path: str, *args: Any, **kwargs: Any) -> Any:
                if name == "replace" and path == LEASE and self.revoked:
                    raise Forbidden("you may not", where="PUT leases/workers", status=403)
                answer = method(path, *args, **kwargs)
                if name == "replace" and path != LEASE and '"cursor": 0' not in args[0]["data"]["record"]:
                    self.revoked = True
                    world.clock.sleep(4.0)  # the renewal is due in the threads that assign
                return answer

            return call if name == "replace" else method

    with pytest.raises(RolloutError, match="the lock of pool workers cannot be renewed: PUT leases/workers"):
        world.move(made, "canary", client=Revoked())
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.failed_nodes) == ("Canary", ())


def test_credentials_that_expired_end_the_run_and_are_charged_to_no_node(make_world: MakeWorld) -> None:
    world = make_world(4)
    made = world.plan(world.publish(100))

    class Expired:
        def __getattr__(self, name: str) -> Any:
            def patch(*_args: Any, **_kwargs: Any) -> Any:
                raise Unreachable("the certificate has expired", where="PATCH nodes/n00", transient=False)

            return patch if name == "patch" else getattr(world.client, name)

    with pytest.raises(KubeError, match="the certificate has expired"):
        world.move(made, "canary", client=Expired())
    assert world.rollout_recorded().failed_nodes == ()


def test_time_for_nodes_stops_during_an_outage_and_the_screen_shows_the_outage() -> None:
    clock = VirtualClock(begins=100.0)
    lines: list[str] = []
    outage = Outage(clock, lines.append)
    seen: list[float] = []
    errors: list[KubeError] = [Unreachable("no answer", where="GET x")] * 100
    errors[3] = Forbidden("not yet", where="GET x", status=403)  # a server that has just started

    def work() -> str:
        seen.append(outage.monotonic())
        if errors:
            raise errors.pop(0)
        return "done"

    assert outage.retry_while_away(work) == "done"
    assert set(seen) == {100.0}
    assert (clock.monotonic(), outage.monotonic()) == (200.0, 100.0)
    clock.sleep(5)
    assert outage.monotonic() == 105.0
    assert lines == [
        "the API server does not answer (GET x: no answer): nothing is assigned meanwhile, waiting up to 300s for it",
        "the API server does not answer (GET x: no answer): nothing is assigned meanwhile, waiting up to 240s for it",
        "the API server answers again after 100s: continuing",
    ]


def test_a_refusal_is_not_an_outage_and_a_server_that_asks_for_a_year_is_asked_again_sooner() -> None:
    clock = VirtualClock(begins=100.0)
    lines: list[str] = []
    outage = Outage(clock, lines.append)

    def denied() -> None:
        raise Forbidden("you may not", where="GET x", status=403)

    with pytest.raises(Forbidden):
        outage.retry_while_away(denied)
    answers: list[KubeError] = [Unreachable("no answer", where="GET x")]
    answers[0].retry_after = 31536000.0

    def slow() -> None:
        if answers:
            raise answers.pop()

    outage.retry_while_away(slow)
    assert clock.monotonic() == 130.0


def test_a_request_that_alone_is_refused_is_given_up_while_others_are_answered() -> None:
    clock = VirtualClock(begins=100.0)
    lines: list[str] = []
    outage = Outage(clock, lines.append)
    tries: list[float] = []

    def refused() -> None:
        tries.append(clock.monotonic())
        assert len(tries) < 100, "it is repeated for ever"
        clock.sleep(5.0)  # the client's own retries
        raise ServerError("the webhook is down", where="PATCH nodes/n00", status=500)

    with pytest.raises(ServerError, match="the webhook is down"):
        outage.retry_while_away(refused, before_each=lambda: outage.retry_while_away(lambda: None))
    assert 100 < clock.monotonic() - tries[0] < 150
    assert len(lines) == 2, "it is no outage that begins and ends with each try"


def test_a_node_whose_patch_alone_is_refused_gets_no_verdict(make_world: MakeWorld) -> None:
    world = make_world(4)
    made = world.plan(world.publish(100))
    refused = made.wave("canary").nodes[0]

    class Webhook:
        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def patch(path: str, *args: Any, **kwargs: Any) -> Any:
                if path.endswith(f"/nodes/{refused}"):
                    world.clock.sleep(5.0)
                    raise ServerError("the webhook is down", where=f"PATCH nodes/{refused}", status=500)
                return method(path, *args, **kwargs)

            return patch if name == "patch" else method

    result = world.move(made, "canary", client=Webhook())
    assert result.phase == "Paused"
    assert [(failed.node, failed.kind) for failed in result.failed_nodes] == [(refused, "unknown")]
    assert "the webhook is down" in result.reason


def test_a_lock_that_need_not_be_renewed_does_not_end_an_outage(make_world: MakeWorld) -> None:
    world = make_world(0)
    clock = VirtualClock(begins=100.0)
    lines: list[str] = []
    session = RunSession(
        world.client,
        "workers",
        runner="one run",
        report=lambda progress: lines.append(progress.line),
        clock=clock,
        lease_duration=15.0,
        longest_outage=300.0,
    )
    errors: list[KubeError] = [Unreachable("no answer", where="PATCH nodes/n00")] * 4

    def work() -> None:
        if errors:
            raise errors.pop()

    with session.hold_lock():
        session.outage.retry_while_away(work, before_each=session.keep_lock)
    assert [line for line in lines if "answers again" in line] == [
        "the API server answers again after 4s: continuing",
    ]


def test_nodes_that_went_down_during_an_outage_count_before_the_next_are_assigned(make_world: MakeWorld) -> None:
    world = make_world(6)
    made = world.plan(world.publish(100), nodeTimeout="200s")
    others = sorted({f"n{number:02d}" for number in range(6)} - set(made.wave("canary").nodes))

    class Falling:
        """The server is away when the first step is written, and two other nodes go down meanwhile."""

        fell = False

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def replace(path: str, body: dict[str, Any], **options: Any) -> Any:
                if path != LEASE and not self.fell and '"cursor": 0' not in body["data"]["record"]:
                    self.fell = True
                    for name in others[:2]:
                        world.nodes.set_ready(name, False)
                    world.clock.sleep(1.0)  # the watcher has seen it by then
                    raise Unreachable("connection refused", where=f"PUT {path}", sent=False)
                return method(path, body, **options)

            return replace if name == "replace" else method

    falling = Falling()
    result = world.move(made, "canary", client=falling)
    assert falling.fell
    assert world.nodes.assignments == []
    assert result.phase == "Paused"
    assert "nodes down for another reason: 2 (n02, n03), and maxUnavailable is 2" in result.reason


def test_a_trouble_that_lasts_is_shown_at_once_and_then_with_pauses_that_grow() -> None:
    notice = Notice()
    assert [second for second in range(500) if notice.is_due(float(second))] == [0, 60, 180, 420]
    notice.end()
    assert [second for second in range(500, 800) if notice.is_due(float(second))] == [500, 560, 680]
    notice.end()
    assert not notice.is_due(800.0, is_shown=True)
    assert [second for second in range(801, 900) if notice.is_due(float(second))] == [860]


@pytest.mark.parametrize("seconds", [20.0, 70.0])
def test_a_server_that_is_away_is_shown_once_and_its_nodes_are_watched_again_at_once(
    make_world: MakeWorld, seconds: float
) -> None:
    world = make_world(6)
    target = world.publish(100)
    times: dict[str, float] = {}

    def away() -> None:
        ends = world.clock.monotonic() + seconds
        world.server.intercept = lambda _request, user, _perform: (
            world.server.refusal(503) if user.name == "runner" and world.clock.monotonic() < ends else None
        )
        world.server.end_watches()

    world.server.add_token("runner", "runner", ("system:masters",))
    client = Client(
        Credentials(server="http://in-this-process", token="runner"),
        timing=Timing(world.clock.sleep, world.clock.monotonic),
        transport=LocalTransport(world.server, "runner", cast("VirtualClock", world.clock)),
    )
    world.when("assigned n0", away)

    def note(words: str) -> None:
        world.when(words, lambda: times.setdefault(words, world.clock.monotonic()))

    for words in ("answers again", "watched again"):
        note(words)
    assert world.rollout(target, client=client)[-1].phase == "Complete", world.lines()
    lines = world.lines()
    (answered,) = [number for number, line in enumerate(lines) if "the API server answers again" in line]
    shown = [
        line for line in lines if "is interrupted" in line or "does not answer" in line or "may be seen late" in line
    ]
    assert len([line for line in shown if "is interrupted" in line]) <= 1
    assert len(shown) <= 3 + (seconds > 60), lines
    assert not set(shown) & set(lines[answered:])
    assert times["watched again"] - times["answers again"] < 2.0


def test_a_cluster_that_cannot_be_reached_ends_a_run_that_has_moved_nothing_within_seconds(
    make_world: MakeWorld,
) -> None:
    world = make_world(3)
    world.server.intercept = lambda _request, _user, _perform: world.server.refusal(503)
    began = world.clock.monotonic()
    with (
        world.runner() as runner,
        pytest.raises(ApiUnavailable, match=r"the nodes could not be listed for 10s .*: nothing was assigned; run it"),
    ):
        runner.nodes()
    assert world.clock.monotonic() - began < 20.0
    assert len(world.lines()) == 1
