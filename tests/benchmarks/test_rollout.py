# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a rollout of 500 to 5,000 hollow nodes, through the playbook that a user runs, on a real API server.

The hollow nodes answer after a scripted time. What the rollout takes beyond the ideal schedule is the runner's own
time: that of Ansible, of validation, plan and requests, and the time in which a slot is free.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from fleet_simulator.hollow_node import answer_times
from fleet_simulator.scenario import Behaviour
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, start
from support.api.audit import RUNNER, Request, Requests
from support.api.clusters import prepare
from support.api.servers import Real, Unavailable, start_real
from support.rollouts.hollow_fleet import hollow_fleet
from support.rollouts.ideal_schedule import MovedWave, ideal_seconds

Row = Callable[..., None]

SIZES = (500, 1000, 2000, 5000)
ANSWER = (4.0, 8.0)  # seconds until a node reports the result: a kubelet needs 5.8 to restart
QUICK_ANSWER = (2.0, 2.0)  # of nodes so quick that this machine's API server is the limit
CANARIES = 3
MAX_UNAVAILABLE = 0.1  # of the pool
BY_HAND = 100  # nodes, for the playbook that a user would write
USER_AGENT = "configok.node/"
AFTER_THE_RUN = 1.0  # seconds in which the last lines reach the audit log


def policy(**changes: Any) -> dict[str, Any]:
    return {
        "canary": {"count": CANARIES, "soak": "0s"},
        "waves": ["10%", "30%", "100%"],
        "soak": "0s",
        "maxUnavailable": "10%",
        "failureBudget": 1,
        "nodeTimeout": "5m",
        "restartDelay": "10ms",
        "timeToCrash": "10ms",
        "healthTimeout": "1s",
        **changes,
    }


def scenario(count: int, name: str, answer: tuple[float, float] = ANSWER) -> dict[str, Any]:
    """Return a fleet of nodes as large as real ones, which are in three zones and change every five minutes at rest."""
    group = {
        "name": "w",
        "count": count,
        "labels": {"pool": name},
        "zones": ["a", "b", "c"],
        "behaviour": {"answer": list(answer)},
    }
    return {"simulation": name, "leases": 0, "heartbeats": "5m", "images": 45, "groups": [group]}


@dataclass(frozen=True)
class Measured:
    """One rollout. seconds: of the whole ansible-playbook; ideal: of its schedule; requests: of the runner."""

    nodes: int
    seconds: float
    ideal: float
    requests: list[Request]
    peak_mb: float
    noop_seconds: float

    @property
    def own_seconds(self) -> float:
        """Return the runner's own time."""
        return self.seconds - self.ideal


class Runner:
    """A user with a pool file, whose runs are measured."""

    def __init__(self, api: Real, directory: Path, pool: str) -> None:
        self.api = api
        self.kubeconfig = api.kubeconfig_for(RUNNER, ["system:masters"])
        self.user = Playbooks(directory, self.kubeconfig)
        self.user.write(
            {
                "pool": pool,
                "selector": f"pool={pool}",
                "layers": ["base.yaml", "pool.yaml"],
                "trial": {"trialDuration": "10m", "crashLoopThreshold": 3},
                "policy": policy(),
            },
            "maxPods: 77\n",
        )

    def rollout(self) -> tuple[PlaybookRun, float, float]:
        """Run the playbook; return its result, its seconds, and the peak of its largest process in MB."""
        peak = 0

        def watch_memory() -> None:
            nonlocal peak
            while process.poll() is None:
                peak = max([peak, *(peak_memory(pid) for pid in with_descendants(process.pid))])
                time.sleep(0.5)

        begun = time.monotonic()
        process = self.user.start("rollout")
        threading.Thread(target=watch_memory, daemon=True).start()
        run = finish(process)
        seconds = time.monotonic() - begun
        assert run.code == 0, run.output[-3000:]
        return run, seconds, peak / 1024

    def empty(self) -> float:
        """Return the seconds of a playbook that does nothing."""
        directory = self.user.directory
        play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": []}
        (directory / "empty.yml").write_text(json.dumps([play]))
        begun = time.monotonic()
        assert finish(start(["empty.yml"], directory=directory, kubeconfig=self.kubeconfig)).code == 0
        return time.monotonic() - begun


def with_descendants(pid: int) -> Iterator[int]:
    yield pid
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in children:
            yield from with_descendants(int(child))


def peak_memory(pid: int) -> int:
    """Return the peak of a process's resident memory in KiB, 0 for a process that has ended."""
    try:
        match = re.search(r"VmHWM:\s+([0-9]+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(match.group(1)) if match else 0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """An API server without the Nodes of other benchmarks.

    It shares two cores with the nodes and the runner. With fewer garbage collections it takes a third less of them.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("GOGC", "400")
        try:
            server = start_real(tmp_path_factory.mktemp("rollout-api"))
        except Unavailable as problem:
            pytest.fail(f"benchmarks need the real API server: {problem}", pytrace=False)
    with server.client() as client:
        prepare(client)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def measured(cluster: Real, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Measured]:
    return {size: measure(cluster, size, tmp_path_factory.mktemp(f"rollout-{size}")) for size in SIZES}


def pool_name(size: int, answer: tuple[float, float]) -> str:
    return f"bench-{size}-{answer[0]:g}"


def measure(cluster: Real, size: int, directory: Path, *, answer: tuple[float, float] = ANSWER) -> Measured:
    pool = pool_name(size, answer)
    runner = Runner(cluster, directory, pool)
    with hollow_fleet(cluster.admin_kubeconfig, scenario(size, pool, answer), directory):
        log = Requests(cluster.directory, RUNNER, USER_AGENT)
        _run, seconds, peak = runner.rollout()
        time.sleep(AFTER_THE_RUN)
        requests = log.read()
        with cluster.client() as client:
            rollout = read_record(client, pool).rollout
        assert rollout is not None
        assert rollout.phase == "Complete"
        assert sum(len(wave.nodes) for wave in rollout.waves) == size
        behaviour = Behaviour(answer=answer)
        waves = [MovedWave([next(answer_times(name, behaviour)) for name in wave.nodes]) for wave in rollout.waves]
        _again, noop_seconds, _peak = runner.rollout()
    ideal = ideal_seconds(waves, window=int(MAX_UNAVAILABLE * size))
    return Measured(size, seconds, ideal, requests, peak, noop_seconds)


def beyond_lists(requests: list[Request]) -> int:
    """Return the number of requests that are not a page of a list."""
    return len([request for request in requests if request.verb != "list" or "limit=" not in request.uri])


def test_rollout(measured: dict[int, Measured], row: Row) -> None:
    """The runner's own time is at most a tenth of the ideal schedule for 5,000 nodes."""
    figures = {size: (result.own_seconds, result.ideal) for size, result in measured.items()}
    row("rollout-500", figures[500][0], "s", baseline=figures[500][1])
    row("rollout-1000", figures[1000][0], "s", baseline=figures[1000][1])
    row("rollout-2000", figures[2000][0], "s", baseline=figures[2000][1])
    row("rollout-5000", figures[5000][0], "s", baseline=figures[5000][1], most_ratio=0.1)


def test_rollout_of_quick_nodes(cluster: Real, row: Row, tmp_path: Path) -> None:
    """Without a limit: what API server, nodes and runner take together is more than this machine has."""
    size = max(SIZES)
    result = measure(cluster, size, tmp_path, answer=QUICK_ANSWER)
    row("rollout-5000-quick", result.own_seconds, "s", baseline=result.ideal)


def test_the_cost_per_node_does_not_grow(measured: dict[int, Measured], row: Row) -> None:
    """The runner's own time grows no faster than the number of nodes, from each size to the next."""
    costs = [1000 * measured[size].own_seconds / size for size in SIZES]
    grows = any(after > before for before, after in zip(costs, costs[1:]))
    row("rollout-ms-per-node", costs[-1], "ms", baseline=costs[0], most_ratio=1.0, also=not grows)


def test_requests_per_node(measured: dict[int, Measured], row: Row) -> None:
    """At most 1.1 requests per node beyond paged lists."""
    result = measured[max(SIZES)]
    row("rollout-requests-per-node", beyond_lists(result.requests) / result.nodes, "requests", most=1.1)


def test_memory(measured: dict[int, Measured], row: Row) -> None:
    row("rollout-runner-mb", measured[max(SIZES)].peak_mb, "MB", most=250)


def test_a_run_with_nothing_to_do(cluster: Real, measured: dict[int, Measured], row: Row, tmp_path: Path) -> None:
    """Within 10 s of an empty playbook."""
    empty = Runner(cluster, tmp_path, "empty").empty()
    row("rollout-noop-5000", measured[max(SIZES)].noop_seconds, "s", baseline=empty, most=empty + 10.0)


def test_as_a_user_would_today(cluster: Real, row: Row, tmp_path: Path) -> None:
    """A play with serial: kubernetes.core.k8s assigns, k8s_info waits for ConfigOK; against the playbook rollout."""
    community = os.environ.get("CONFIGOK_COMMUNITY")
    if not community:
        pytest.skip("CONFIGOK_COMMUNITY is not set: kubernetes.core is not here to compare with (make bench sets it)")
    ours = measure(cluster, BY_HAND, tmp_path)
    directory = tmp_path / "by-hand"
    directory.mkdir()
    with hollow_fleet(cluster.admin_kubeconfig, scenario(BY_HAND, "by-hand"), directory):
        bundle = bundle_source(cluster, pool_name(BY_HAND, ANSWER))
        (directory / "play.json").write_text(json.dumps([play_by_hand(bundle)]))
        names = ",".join(f"by-hand-w-{number:05d}" for number in range(BY_HAND))
        begun = time.monotonic()
        run = finish(
            start(
                ["-i", f"{names},", "-f", "10", "play.json"],
                directory=directory,
                kubeconfig=cluster.admin_kubeconfig,
                collections=Path(community),
            ),
            timeout=1800,
        )
        seconds = time.monotonic() - begun
    assert run.code == 0, run.output[-3000:]
    row("rollout-100-k8s-serial", seconds, "s", baseline=ours.seconds, most=1800)


def bundle_source(cluster: Real, pool: str) -> str:
    """Return the config source of a pool's bundle, as the annotation has it."""
    with cluster.client() as client:
        rollout = read_record(client, pool).rollout
    assert rollout is not None
    assert rollout.target.source is not None
    return rollout.target.source.encode()


def play_by_hand(source: str) -> dict[str, Any]:
    """Return the play: three nodes first, then a tenth of the pool at a time."""
    node = {"api_version": "v1", "kind": "Node", "name": "{{ inventory_hostname }}"}
    annotations = {"configok.dev/config-source": source, "configok.dev/assignment": "1"}
    condition = "node.resources[0].status.conditions | selectattr('type', 'eq', 'ConfigOK') | first"
    answered = "(node.resources[0].metadata.annotations['configok.dev/config-status'] | from_json).assignment == 1"
    return {
        "hosts": "all",
        "connection": "local",
        "gather_facts": False,
        "serial": [CANARIES, "10%"],
        "max_fail_percentage": 0,
        "tasks": [
            {
                "kubernetes.core.k8s": {
                    "state": "patched",
                    **node,
                    "definition": {"metadata": {"annotations": annotations}},
                }
            },
            {
                "kubernetes.core.k8s_info": node,
                "register": "node",
                "until": [f"({condition}).status == 'True'", answered],
                "retries": 60,
                "delay": 1,
            },
        ],
    }
