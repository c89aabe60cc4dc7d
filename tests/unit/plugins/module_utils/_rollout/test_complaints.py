# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Complaints about other systems that no other test of rollouts covers."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    request_pause,
    resume,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run.runner import PoolRunner
from support.configs.kubelet import kubelet_config
from support.rollouts.scenario import scenario
from support.rollouts.scripted_fleet import Fleet, script
from support.rollouts.world import POLICY, QUICK, MakeWorld, World

ALICE = Requester("alice", "a storm", "2026-01-01T00:00:00Z")


def roll_out_storage(world: World) -> None:
    """Roll out another pool of the same cluster."""
    pool = parse_pool({"pool": "storage", "selector": "pool=storage", "policy": POLICY})
    bundle = build_bundle("storage", {"kubelet": kubelet_config("maxPods: 50")}, trial=Trial(1.0, 3))
    target = publish_bundle(world.client, bundle, now=world.clock.now()).target
    nodes = list_nodes(world.client, selector=pool.selector)
    plan = make_plan(nodes, pool, target, read_record(world.client, "storage"))
    with PoolRunner(world.client, pool, RunOptions("another run", lambda _progress: None, world.clock, 5.0)) as runner:
        runner.run(plan)


@pytest.mark.complaint("MCO docs: pausing also stopped certificate rotation")
def test_a_pause_stops_one_rollout_and_nothing_else(make_world: MakeWorld) -> None:
    world = make_world(6)
    for number in range(4):
        world.nodes.add(f"s{number}", labels={"pool": "storage"})
    target = world.publish(100)
    moved: list[int] = []

    def count() -> None:
        moved.append(sum(name.startswith("n") for name, _id, _source in world.nodes.assignments))

    def meanwhile() -> None:
        world.later(5.0, count)  # what was being assigned when it was paused has its assignment by then
        world.later(6.0, lambda: roll_out_storage(world))
        world.later(299.0, count)
        world.later(300.0, lambda: update_record(world.client, "workers", resume))

    world.when("canary: done", lambda: update_record(world.client, "workers", lambda r: request_pause(r, ALICE)))
    world.when("PAUSED: paused by alice", meanwhile)
    assert world.rollout(target)[-1].phase == "Complete"
    assert moved[0] == moved[1] < 6, "the paused pool moves no node"
    storage = read_record(world.client, "storage").rollout
    assert storage is not None
    assert storage.phase == "Complete"
    assert all(world.nodes.view(f"s{number}").answer.config_ok == "True" for number in range(4))


@pytest.mark.complaint("kubernetes #100277: a kubelet restart flips readiness of pods")
def test_a_restart_that_flips_readiness_counts_as_unavailability_not_as_failure_and_a_soak_follows() -> None:
    restarts = script((1.0, "adopting"), (0.5, "not ready"), (20.0, "ready"), (0.5, "not ready"), (5.0, "ready"))
    restarts = script(*((step.after, step.action) for step in restarts.steps), (2.0, "good"))
    with scenario(Fleet((restarts,) * 7), {**QUICK, "soak": "15s", "maxUnavailable": 2, "waves": ["100%"]}) as moved:
        moved.run()
        assert moved.rollout is not None
        assert (moved.phase, moved.rollout.failed_nodes) == ("Complete", ())
        for move in moved.timeline.moves:
            assert len(move.in_flight | set(move.down) | {move.node}) <= 2, move
        (*_canary, wave) = moved.timeline.closed
        assert all(track.soaked(wave.at) >= 15.0 for track in wave.tracks.values())
