# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent rests in every situation of the table of messages: it wakes only a few times a minute.

After each attempt the next one is due in the future, with the API and without.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _controller
from ansible_collections.configok.node.plugins.module_utils._agent._controller import Controller
from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import NodeAnnotations
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeState
from ansible_collections.configok.node.plugins.module_utils._agent._store._state_reader import read_node_state
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import NODE, Bench

pytestmark = pytest.mark.usefixtures("no_fsync")

MINUTES = 30  # more than two heartbeats
PER_MINUTE = 105  # probes of a component that has just failed to become active: the most frequent wake-ups
PER_MINUTE_IN_THE_LONG_RUN = 20  # probes, and attempts to write while the API is unreachable


def local(bench: Bench) -> None:
    bench.run(5)


def opted_out(bench: Bench) -> None:
    bench.configure(dynamic_config=False)
    bench.run(5)


def in_trial(bench: Bench) -> None:
    bench.run(5)
    bench.assign(bench.publish("maxPods: 121\n", trial=Trial(100_000.0, 3)))
    bench.run(20)


def trial_about_to_end(bench: Bench) -> None:
    bench.run(5)
    bench.assign(bench.publish("maxPods: 121\n", trial=Trial(30.0, 3)))
    bench.run(5)


def good(bench: Bench) -> None:
    bench.good_node()


def just_adopted(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("maxPods: 121\n"))
    bench.run(0.02)


def never_restarted(bench: Bench) -> None:
    bench.good_node()
    bench.refuse_restarts = True
    bench.assign(bench.publish("maxPods: 121\n"))
    bench.run(5)


def crash_loop_begins(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n"))
    bench.run(0.2)


def crash_loop(bench: Bench) -> None:
    crash_loop_begins(bench)
    bench.run(30)


def known_bad(bench: Bench) -> None:
    crash_loop(bench)
    bench.assign(bench.status.assigned)
    bench.run(5)


def not_healthy_yet(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: sick\n"))
    bench.run(20)


def suspect(bench: Bench) -> None:
    not_healthy_yet(bench)
    bench.processes["kubelet"].mood = "sick"
    bench.run(600)


def failing_init_config(bench: Bench) -> None:
    bench.run(5)
    bench.processes["kubelet"].mood = "sick"
    bench.run(5)


def failing_after_the_trial(bench: Bench) -> None:
    bench.good_node()
    for _again in range(5):
        bench.crash("kubelet")
        bench.run(5)


def invalid_config(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: invalid\n"))
    bench.run(10)


def invalid_source(bench: Bench) -> None:
    in_trial(bench)
    bench.api.node["metadata"]["annotations"]["configok.dev/config-source"] = "{}"
    bench.run(5)


def not_fetched(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 121\n")
    bench.api.config_maps.clear()
    bench.assign(source)
    bench.run(20)


def stopped(bench: Bench) -> None:
    in_trial(bench)
    bench.stop("kubelet")
    bench.run(5)


def never_active(bench: Bench) -> None:
    in_trial(bench)
    bench.stop("kubelet", state="starting")
    bench.run(5)


def gave_up(bench: Bench) -> None:
    in_trial(bench)
    bench.stop("kubelet", state="failed")
    bench.run(5)


def assignment_lost(bench: Bench) -> None:
    in_trial(bench)
    bench.api.node["metadata"]["annotations"].clear()
    bench.run(5)


def registered_again(bench: Bench) -> None:
    bench.good_node()
    bench.api.node["metadata"] = {"name": NODE, "uid": "another", "annotations": {}}
    bench.run(5)


def stale_assignment(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("maxPods: 122\n"), id=9)
    bench.run(5)
    bench.assign(None, id=3)
    bench.run(5)


def rebooted(bench: Bench) -> None:
    in_trial(bench)
    bench.reboot()
    bench.run(5)


def unassigned(bench: Bench) -> None:
    bench.good_node()
    bench.assign(None)
    bench.run(0.02)


def damaged(bench: Bench) -> None:
    bench.good_node()
    for name in ("current", "last-known-good", "assignment"):
        (bench.directory / "state" / name).write_bytes(b"{ torn")


SITUATIONS = [
    local,
    opted_out,
    in_trial,
    trial_about_to_end,
    good,
    just_adopted,
    never_restarted,
    crash_loop_begins,
    crash_loop,
    known_bad,
    not_healthy_yet,
    suspect,
    failing_init_config,
    failing_after_the_trial,
    invalid_config,
    invalid_source,
    not_fetched,
    stopped,
    never_active,
    gave_up,
    assignment_lost,
    registered_again,
    stale_assignment,
    rebooted,
    unassigned,
    damaged,
]


@pytest.mark.parametrize("api", ["present", "away", "away since the agent started", "away with news"])
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_the_agent_rests(tmp_path: Path, situation: Callable[[Bench], None], api: str) -> None:
    bench = Bench(tmp_path)
    situation(bench)
    if api == "away with news":  # assigned just before the outage: it can be neither fetched nor answered
        bench.assign(bench.publish("maxPods: 199\n"))
    if api != "present":
        bench.api.down = Unreachable("connection refused", where="PATCH nodes/n1")
    if api == "away since the agent started":
        bench.restart_agent()
        bench.blind = True
    bench.run(60)
    minutes = []
    for _minute in range(MINUTES):
        before = bench.cycles
        bench.run(60)
        minutes.append(bench.cycles - before)
    assert max(minutes) <= PER_MINUTE, minutes
    assert sum(minutes[-10:]) / 10 <= PER_MINUTE_IN_THE_LONG_RUN, minutes
    if situation in (local, good) and api != "away with news":
        # bench.run() itself causes two cycles a minute.
        assert sum(minutes) <= (3 if api == "present" else 7) * MINUTES, minutes


def test_each_round_reads_the_state_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    counts = {"reads": 0, "rounds": 0}
    run_round = Controller._run_round

    def count_read(*arguments: Any, **options: Any) -> NodeState:
        counts["reads"] += 1
        return read_node_state(*arguments, **options)

    def count_round(controller: Controller, node: NodeAnnotations | None) -> bool:
        counts["rounds"] += 1
        return run_round(controller, node)

    monkeypatch.setattr(_controller, "read_node_state", count_read)
    monkeypatch.setattr(Controller, "_run_round", count_round)
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n"))
    bench.run(60)
    assert counts["reads"] == counts["rounds"] > 20
    counts.update(reads=0, rounds=0)
    bench.cycles = 0
    bench.run(3600)
    assert counts["reads"] == counts["rounds"] == bench.cycles, "a node at rest reads as often as it wakes"
