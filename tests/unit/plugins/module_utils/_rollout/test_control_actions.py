# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person pauses, resumes, aborts and approves, with and without a runner, and the answer says what happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, events, lease
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Operation,
    abort_rollout,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.transitions import start_rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    pool_status,
    render_status,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.control_actions import (
    ControlRequest,
    ControlResult,
    control_rollout,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from ansible_collections.configok.node.plugins.modules import rollout_control
from support.ansible_runs.modules import run_module
from support.rollouts.world import MakeWorld, World

AT = "at 2026-01-01T00:0"


def ask(
    world: World, operation: Operation, *, check: bool = False, client: Any = None, **options: Any
) -> ControlResult:
    request = ControlRequest(operation, **{"author": "alice", **options})
    return control_rollout(client or world.client, "workers", request, clock=world.clock, check=check)


def line(result: ControlResult) -> str:
    (only,) = result.lines()
    return only


@pytest.fixture
def begun(make_world: MakeWorld) -> World:
    """A pool whose rollout was begun, and whose runner was killed a while ago."""
    world = make_world(6)
    plan = world.plan(world.publish(100))
    views = list_nodes(world.client, selector="pool=workers")
    update_record(world.client, "workers", lambda record: start_rollout(record, plan, views, world.clock.now()))
    return world


class Runner:
    """A runner that holds the lock and obeys after a while, as the real one does."""

    def __init__(self, world: World, obeys_after: float, obey: Callable[[Record], Record] | None) -> None:
        self._world = world
        self._obey = obey
        self.lock = PoolLock(world.client, "workers", "bob@bastion", clock=world.clock, duration=15.0)
        self.lock.acquire(lambda _line: None)
        self._ends = world.clock.monotonic() + obeys_after
        world.clock.start(self._run, "runner")

    def _run(self) -> None:
        while self._world.clock.monotonic() < self._ends:
            self._world.clock.sleep(0.5)
            self.lock.renew_if_due()
        if self._obey is not None:
            record, _changed = update_record(self._world.client, "workers", self._obey)
            if record.rollout is not None and record.rollout.has_ended:
                self.lock.release()


def phase(name: str, reason: str = "") -> Callable[[Record], Record]:
    def change(record: Record) -> Record:
        assert record.rollout is not None
        return replace(record, rollout=replace(record.rollout, phase=name, reason=reason, changed_at="now"))

    return change


def test_a_pause_is_confirmed_as_soon_as_the_runner_has_obeyed(begun: World) -> None:
    Runner(begun, 3.0, phase("Paused", "paused by alice"))
    asked = begun.clock.monotonic()
    result = ask(begun, "pause", reason="the network is slow")
    assert (result.changed, result.is_obeyed) == (True, True)
    assert begun.clock.monotonic() - asked <= 5.0
    assert line(result) == "pool workers is Paused: paused by alice"
    assert begun.record().control == Control("pause", "alice", "the network is slow", time=begun.record().control.time)
    again = ask(begun, "pause")
    assert (again.changed, again.is_obeyed) == (False, True)


def test_a_runner_that_does_not_obey_in_time_is_named_and_the_request_stays(begun: World) -> None:
    Runner(begun, 600.0, None)
    asked = begun.clock.monotonic()
    result = ask(begun, "pause", wait=20.0)
    assert 20.0 <= begun.clock.monotonic() - asked <= 22.0
    assert line(result) == (
        "the pause of pool workers is recorded, but bob@bastion has not obeyed it within 20s; pool workers is Planned"
    )
    assert not result.is_obeyed
    assert begun.record().control.is_pause


def test_the_line_says_that_the_user_may_not_read_leases(begun: World) -> None:
    class Blind:
        def __getattr__(self, name: str) -> Any:
            return getattr(begun.client, name)

        def find(self, path: str) -> Any:
            if path == lease("configok-rollouts", "workers"):
                raise Forbidden("you may not", where="GET lease", status=403)
            return begun.client.find(path)

    result = ask(begun, "pause", wait=2.0, client=Blind())
    assert "its runner, whose name this user may not read, has not obeyed it within 2s" in line(result)
    assert result.moved_by is None


def test_without_a_runner_a_pause_is_for_the_next_run_and_a_resume_says_to_run_it(begun: World) -> None:
    assert line(ask(begun, "pause")) == (
        "pool workers is Planned; no runner moves it, and the next run waits until configok.node.resume"
    )
    assert line(ask(begun, "resume")) == (
        "pool workers is Planned; no runner moves it: run configok.node.rollout (or undo) again to continue"
    )
    again = ask(begun, "resume")
    assert (again.changed, line(again)) == (False, "no pause of pool workers is requested; pool workers is Planned")


def test_a_pool_at_rest_pauses_when_its_next_rollout_begins(make_world: MakeWorld) -> None:
    world = make_world(6)
    first = ask(world, "pause")
    assert line(first) == (
        "pool workers has never been rolled out; its next rollout waits until configok.node.resume before it assigns "
        "anything"
    )
    assert first.changed
    assert line(ask(world, "resume")).endswith("; its next rollout no longer waits")
    assert line(ask(world, "resume")).endswith("; there is nothing to resume")
    world.rollout(world.publish(100))
    assert line(ask(world, "abort")) == "pool workers is Complete; there is nothing to abort"
    assert world.record().control == Control()


def test_an_abort_of_a_live_runner_waits_until_it_has_ended(begun: World) -> None:
    Runner(begun, 3.0, lambda record: abort_rollout(record, "now"))
    result = ask(begun, "abort", reason="another config")
    assert result.is_obeyed
    assert line(result).startswith(f"pool workers is Aborted: aborted by alice {AT}")
    assert line(result).endswith(": another config")
    assert begun.rollout_recorded().has_ended


def test_an_abort_without_a_runner_takes_the_lock_and_ends_the_rollout(begun: World) -> None:
    result = ask(begun, "abort", reason="another config")
    assert (result.changed, result.is_obeyed) == (True, True)
    assert line(result).startswith(f"pool workers is Aborted: aborted by alice {AT}")
    assert begun.record().control == Control()
    assert begun.record().revisions[-1].result == "Aborted"
    assert begun.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""
    again = ask(begun, "abort")
    assert (again.changed, again.is_obeyed) == (False, False)
    assert line(again).endswith("; there is nothing to abort")


def test_an_abort_after_a_kill_waits_for_the_lock_of_the_dead_runner(begun: World) -> None:
    PoolLock(begun.client, "workers", "dead", clock=begun.clock, duration=15.0).acquire(lambda _line: None)
    asked = begun.clock.monotonic()
    result = ask(begun, "abort")
    assert result.is_obeyed
    assert begun.clock.monotonic() - asked >= 15.0
    assert begun.rollout_recorded().phase == "Aborted"


def test_an_abort_that_does_not_wait_only_records_the_request(begun: World) -> None:
    result = ask(begun, "abort", wait=0)
    assert line(result) == "the abort of pool workers is recorded; pool workers is Planned"
    assert begun.record().control.is_abort


def test_a_pool_that_was_aborted_can_be_rolled_out_and_undone_again(begun: World) -> None:
    ask(begun, "abort")
    target = begun.publish(100)
    assert begun.rollout(target)[-1].phase == "Complete"
    assert begun.record().revisions[-1].result == "Complete"


def test_an_approval_is_confirmed_when_the_waiting_runner_continues(begun: World) -> None:
    update_record(begun.client, "workers", phase("Paused", "canary waits for an approval"))
    Runner(begun, 2.0, phase("Canary"))
    result = ask(begun, "approve", reason="looks good")
    assert result.is_obeyed
    assert line(result) == "the approval of pool workers is recorded; pool workers is Canary"
    assert begun.record().control.approved == "canary"


def test_an_approval_that_is_given_already_names_who_gave_it(begun: World) -> None:
    update_record(begun.client, "workers", phase("Paused", "canary waits for an approval"))
    first = ask(begun, "approve", reason="looks good", wait=0)
    assert first.changed
    update_record(begun.client, "workers", phase("Canary"))
    for waves in ((), ("canary",)):
        again = ask(begun, "approve", author="bob", waves=waves)
        assert not again.changed
        assert line(again).startswith(f"canary is approved already, by alice {AT}")
        assert line(again).endswith(": looks good; pool workers is Canary")
    update_record(begun.client, "workers", lambda record: abort_rollout(record, "now"))
    late = ask(begun, "approve", author="bob")
    assert not late.changed
    assert line(late).startswith("canary is approved already, by alice")
    assert line(late).endswith("; pool workers is Aborted: aborted")


@pytest.mark.parametrize(
    ("operation", "end"), [("pause", "Planned"), ("resume", "Planned"), ("abort", "Aborted"), ("approve", "Paused")]
)
def test_a_request_that_is_made_twice_at_the_same_moment_succeeds_twice(
    begun: World, operation: Operation, end: str
) -> None:
    if operation == "approve":
        update_record(begun.client, "workers", phase("Paused", "canary waits for an approval"))
    if operation == "resume":
        ask(begun, "pause", wait=0)
    both = [asked_later(begun, 1.0, operation, author=author) for author in ("alice", "bob")]
    begun.until(lambda: all(both))
    assert begun.rollout_recorded().phase == end
    changed = [result.changed for answers in both for _seconds, result in answers]
    assert any(changed)
    assert operation in ("resume", "abort") or not all(changed), "who asked is recorded once"


def test_a_wave_is_approved_in_advance_by_its_name(begun: World) -> None:
    Runner(begun, 600.0, None)
    asked = begun.clock.monotonic()
    result = ask(begun, "approve", waves=("wave 1", "wave 2"))
    assert begun.record().control.approved == "wave 1, wave 2"
    assert result.is_obeyed, "nothing waits for it"
    assert begun.clock.monotonic() - asked < 1.0


def test_check_mode_writes_nothing_and_a_request_needs_an_author(begun: World) -> None:
    version = begun.client.get(config_map("configok-rollouts", "workers"))["metadata"]["resourceVersion"]
    for operation in ("pause", "abort"):
        would = ask(begun, operation, check=True)
        assert would.changed
        assert line(would) == f"the {operation} of pool workers would be recorded; pool workers is Planned"
    assert not ask(begun, "resume", check=True).changed
    with pytest.raises(RolloutError, match="author is empty: name the person asking to pause"):
        ask(begun, "pause", author=" ")
    assert begun.client.get(config_map("configok-rollouts", "workers"))["metadata"]["resourceVersion"] == version


def test_what_is_not_understood_in_the_record_is_reported(begun: World) -> None:
    begun.client.patch(config_map("configok-rollouts", "workers"), {"data": {"request": "stop", "approved": "yes"}})
    lines = ask(begun, "approve", waves=["wave 1"]).lines()
    assert len(lines) == 2, "the approval is understood again"
    assert lines[1].startswith("request 'stop' of pool workers is ignored")


def test_events_on_the_record_say_who_requested_what_and_why(begun: World) -> None:
    ask(begun, "pause", reason="the network is slow")
    ask(begun, "pause", reason="again")
    ask(begun, "resume", author="bob")
    ask(begun, "approve", waves=["wave 1"], reason="fine")
    ask(begun, "abort", reason="over")
    recorded = {
        event["reason"]: (event["type"], event["message"])
        for event in begun.client.list(events("configok-rollouts")).items
        if event["reason"] != "RolloutStarted"
    }
    assert recorded["RolloutPauseRequested"] == ("Warning", "by alice: the network is slow")
    assert recorded["RolloutResumed"] == ("Normal", "by bob")
    assert recorded["RolloutApproved"] == ("Normal", "wave 1, by alice: fine")
    assert recorded["RolloutAbortRequested"] == ("Warning", "by alice: over")
    assert recorded["RolloutAborted"][0] == "Warning"
    assert len(recorded) == 5, "the second pause is no news"


def test_the_module_returns_what_the_record_says(begun: World) -> None:
    begun.server.start()  # the module asks over HTTP
    arguments = {"host": begun.server.url, "api_key": "admin", "pool": "workers", "author": "alice"}
    would = run_module(rollout_control.main, {**arguments, "state": "pause"}, check=True)
    assert (would["changed"], would["requested"], would["phase"]) == (True, "", "Planned")
    assert would["diff"]["before"] == {}
    assert would["diff"]["after"]["request"] == "pause"
    paused = run_module(rollout_control.main, {**arguments, "state": "pause", "wait": 0})
    assert (paused["changed"], paused["requested"], paused["obeyed"]) == (True, "pause", False)
    approved = run_module(rollout_control.main, {**arguments, "state": "approve", "waves": "wave 1, wave 2"})
    assert approved["approved"] == "wave 1, wave 2"
    assert approved["moved_by"] == ""
    aborted = run_module(rollout_control.main, {**arguments, "state": "abort"})
    assert (aborted["changed"], aborted["obeyed"], aborted["phase"]) == (True, True, "Aborted")
    assert aborted["text"] == [f"pool workers is Aborted: {aborted['reason']}"]


def asked_later(
    world: World, seconds: float, operation: Operation, **options: Any
) -> list[tuple[float, ControlResult]]:
    """Make a request in another terminal after `seconds`. The list gets how long it took, and its result."""
    results: list[tuple[float, ControlResult]] = []

    def run() -> None:
        began = world.clock.monotonic()
        result = ask(world, operation, **options)
        results.append((world.clock.monotonic() - began, result))

    world.later(seconds, run)
    return results


def test_a_running_rollout_is_paused_and_resumed_within_seconds(make_world: MakeWorld) -> None:
    world = make_world(12)
    paused = asked_later(world, 12.0, "pause", reason="the network is slow")
    resumed = asked_later(world, 200.0, "resume")
    results = world.rollout(world.publish(100))
    assert results[-1].phase == "Complete"
    for seconds, result in (*paused, *resumed):
        assert (result.is_obeyed, result.moved_by) == (True, "run 1")
        assert seconds <= 5.0
    assert line(paused[0][1]).startswith(f"pool workers is Paused: paused by alice {AT}")
    assert line(resumed[0][1]).startswith("the end of the pause of pool workers is recorded; pool workers is ")
    assert world.record().control == Control()


def test_a_running_rollout_is_aborted_within_seconds(make_world: MakeWorld) -> None:
    world = make_world(12)
    aborted = asked_later(world, 12.0, "abort", reason="another config")
    assert world.rollout(world.publish(100))[-1].phase == "Aborted"
    ((seconds, result),) = aborted
    assert seconds <= 5.0
    assert result.is_obeyed
    assert line(result).endswith(": another config")
    assert world.record().revisions[-1].result == "Aborted"


def test_a_waiting_rollout_continues_when_it_is_approved(make_world: MakeWorld) -> None:
    world = make_world(6)
    approved = asked_later(world, 100.0, "approve", reason="looks good")
    assert world.rollout(world.publish(100), approval={"before": ["wave 1"]})[-1].phase == "Complete"
    ((seconds, result),) = approved
    assert seconds <= 5.0
    assert line(result) == "the approval of pool workers is recorded; pool workers is Wave 1"


def test_status_shows_requests_that_are_not_obeyed_yet(begun: World) -> None:
    views = list_nodes(begun.client, selector="pool=workers")
    assert pool_status(begun.record(), views)["requested"] == ""
    ask(begun, "pause", reason="the network is slow")
    begun.client.patch(config_map("configok-rollouts", "workers"), {"data": {"approved": "wave one"}})
    status = pool_status(begun.record(), views)
    assert status["requested"].startswith(f"paused by alice {AT}")
    assert status["approved"] == "wave one"
    lines = render_status(status, views, [])
    assert lines[1] == f"  to be {status['requested']}"
    assert lines[2].startswith("  approved 'wave one' of pool workers approves nothing")
    update_record(begun.client, "workers", phase("Paused", f"{status['requested']}: resume it to continue"))
    assert "to be paused" not in str(render_status(pool_status(begun.record(), views), views, []))


def test_a_run_names_what_it_does_not_understand_once(make_world: MakeWorld) -> None:
    world = make_world(6)
    path = config_map("configok-rollouts", "workers")
    world.later(60.0, lambda: world.client.patch(path, {"data": {"approved": "wave one"}}))
    asked_later(world, 120.0, "approve", waves=["wave 1"])
    assert world.rollout(world.publish(100), approval={"before": ["wave 1"]})[-1].phase == "Complete"
    assert [text for text in world.lines() if "approves nothing" in text] == [
        "approved 'wave one' of pool workers approves nothing (ConfigMap configok-rollouts/workers): 'wave one' is not "
        "a wave: write canary, wave 1, ..., separated by commas, or all"
    ]


def test_a_run_that_may_not_watch_its_record_says_so_and_still_obeys(make_world: MakeWorld) -> None:
    world = make_world(6)

    class NoWatch:
        """A client that may not watch ConfigMaps, as a runner of an earlier release."""

        def __init__(self, client: Any) -> None:
            self._client = client

        def __getattr__(self, name: str) -> Any:
            return getattr(self._client, name)

        def interruptible(self, interrupt: Any) -> Any:
            return NoWatch(self._client.interruptible(interrupt))

        def stream(self, path: str, **options: Any) -> Any:
            if "configmaps" in path:
                raise Forbidden("you may not watch", where=f"WATCH {path}", status=403)
            return self._client.stream(path, **options)

    paused = asked_later(world, 12.0, "pause")
    asked_later(world, 60.0, "resume")
    assert world.rollout(world.publish(100), client=NoWatch(world.client))[-1].phase == "Complete"
    assert sum("requests such as pause may be seen late" in text for text in world.lines()) == 1
    assert paused[0][1].is_obeyed
    assert paused[0][0] <= 5.0
