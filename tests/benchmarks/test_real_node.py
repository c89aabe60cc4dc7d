# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures changes on a real node, against bare restarts of its kubelet in the same run, and the idle agent."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import events
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from support.api.audit import Request, Requests
from support.machines import Node, Testbed, Unavailable

ROUNDS = int(os.environ.get("CONFIGOK_BENCH_ROUNDS", "5"))
IDLE_SECONDS = float(os.environ.get("CONFIGOK_BENCH_IDLE", "600"))
SETTLING = 0.5  # the agent's default settlingTime
OWN_TIME = 4  # checks of a config, by the same node's command: what the agent may take beyond a restart
THRESHOLD = 1
# A valid duration in which no container runtime answers, so that the kubelet exits.
DEADLY = {"runtimeRequestTimeout": "1ns"}
Row = Callable[..., None]

_VALIDATE = """
import subprocess, time
begun = time.monotonic()
config = "/var/lib/configok/components/kubelet/config.yaml"
subprocess.run(["configok-agent", "validate", config], check=True, capture_output=True)
print(time.monotonic() - begun)
"""
_RESTART = """
import socket, ssl, subprocess, time, urllib.request

def answers():
    if urllib.request.urlopen("http://127.0.0.1:10248/healthz", timeout=2).status != 200:
        return False
    with socket.create_connection(("127.0.0.1", 10250), timeout=2) as plain, context.wrap_socket(plain):
        return True

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
begun = time.monotonic()
subprocess.run(["systemctl", "restart", "kubelet"], check=True)
while True:
    try:
        if answers():
            break
    except OSError:
        pass
    time.sleep(0.02)
print(time.monotonic() - begun)
"""


class Bench:
    """The node, with a clock."""

    def __init__(self, bed: Testbed, node: Node) -> None:
        self.bed = bed
        self.node = node
        self._serial = 100

    def bare_restart(self) -> float:
        """Restart the kubelet as an administrator would; return the seconds until it is healthy and has settled.

        It is healthy as for the agent: /healthz answers, and its port serves. The Lease is renewed at once.
        """
        return float(self.node.run(["python3", "-c", _RESTART], timeout=120).stdout) + SETTLING

    def own_check(self) -> float:
        """Return the seconds in which the agent's command validates the config in use: a part of every adoption."""
        return float(self.node.run(["python3", "-c", _VALIDATE], timeout=60).stdout)

    def assign(self, values: dict[str, Any] | None, *, threshold: int = THRESHOLD, trial: str = "3s") -> int:
        """Assign a config that is unique to the round; return the assignment."""
        self._serial += 1
        changed = {"maxPods": self._serial, **(values or {})}
        source = self.bed.publish({"kubelet": changed}, trial={"trialDuration": trial, "crashLoopThreshold": threshold})
        return self.bed.assign(self.node, source)

    def answer(self, assignment: int, status: str, *, in_trial: bool | None = None) -> ConfigStatus:
        """Wait until the node answers the assignment with this status."""

        def reported() -> ConfigStatus | None:
            node = self.node.get()
            condition, answered = read_condition(node), read_status(node)
            if condition is None or answered is None or answered.assignment != assignment:
                return None
            good = condition["status"] == status and in_trial in (None, answered.in_trial)
            return answered if good else None

        answered: ConfigStatus = self.node.wait(f"ConfigOK {status}", reported, timeout=180, poll=0.02)
        return answered

    def change(self, values: dict[str, Any] | None, status: str, **options: Any) -> float:
        """Assign a config; return the seconds until the node reports it."""
        begun = time.monotonic()
        self.answer(self.assign(values, **options), status)
        return time.monotonic() - begun

    def wait_until_all_is_told(self) -> None:
        """Wait until the agent has nothing to send: Events are sent in order, so the last adoption's is the last."""
        status = read_status(self.node.get())
        active = status.active if status is not None else None
        assert active is not None
        message = f"adopted {active.name} (UID: {active.uid})"

        def is_reported() -> bool:
            return any(event.get("message") == message for event in self.bed.client.list(events("default")).items)

        self.node.wait("the Event of the last adoption", is_reported, timeout=120, poll=1)

    def requests(self) -> Requests:
        """Return the agent's requests from now on."""
        return Requests(self.bed.api.directory, f"system:node:{self.node.name}", "configok-agent/")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    try:
        started = Testbed.start("bench")
    except Unavailable as problem:
        pytest.fail(f"these figures need a real node: {problem}", pytrace=False)
    with started as bed:
        node = bed.nodes[0]
        node.provision()
        node.wait_config_ok("True")
        yield Bench(bed, node)


@pytest.fixture(scope="module")
def bare(bench: Bench) -> Callable[[], float]:
    """Return the seconds of a bare restart, measured before each change, which then need not wait."""

    def measure() -> float:
        seconds = bench.bare_restart()
        time.sleep(2)
        return seconds

    return measure


def test_adopt(bench: Bench, bare: Callable[[], float], row: Row) -> None:
    baseline, seconds, requests, checks = [], [], [], []
    for _round in range(ROUNDS):
        baseline.append(bare())
        seen = bench.requests()
        begun = time.monotonic()
        assignment = bench.assign(None)
        bench.answer(assignment, "True")
        seconds.append(time.monotonic() - begun)
        time.sleep(1)  # requests that no change waits for, such as Events
        made = [f"{request.verb} {request.uri}" for request in seen.read() if request.verb != "watch"]
        requests.append(len(made))
        checks.append(bench.own_check())
        print(f"adopt: {baseline[-1]:.2f} s bare, {seconds[-1]:.2f} s, {checks[-1]:.2f} s to validate; {made}")
        bench.answer(assignment, "True", in_trial=False)
    row("adopt", statistics.median(seconds), "s", baseline=statistics.median(baseline))
    beyond = [adopted - restarted for adopted, restarted in zip(seconds, baseline)]
    row(
        "adopt-beyond-restart",
        statistics.median(beyond),
        "s",
        baseline=statistics.median(checks),
        most_ratio=OWN_TIME,
    )
    row("agent-requests-per-change", max(requests), "", most=5)


def test_invalid(bench: Bench, row: Row) -> None:
    starts = bench.node.kubelet_starts()
    seconds = [bench.change({"kubeAPIQPS": -1}, "False") for _round in range(ROUNDS)]
    restarts = bench.node.kubelet_starts() - starts
    print(f"invalid: {seconds}, {restarts} restarts")
    assert restarts == 0
    row("invalid", statistics.median(seconds), "s", most=1.0)


def test_a_crashing_config_is_rolled_back_within_its_bound(bench: Bench, bare: Callable[[], float], row: Row) -> None:
    """The bound is computed from this run: the node's records have the times to crash and the delays.

    The agent acts twice: it adopts the config, and it returns from it.
    """
    seconds, bounds = [], []
    bench.change(None, "True")
    for _round in range(ROUNDS):
        restart = bare()
        seconds.append(bench.change(DEADLY, "False", trial="10m"))
        crashes, delays = _crashes(bench.node)
        bounds.append((THRESHOLD + 1) * crashes + delays + restart + 2 * OWN_TIME * bench.own_check())
        print(
            f"deadly: {seconds[-1]:.2f} s of {bounds[-1]:.2f}: {crashes:.2f} s to a crash, {delays:.2f} s of delays, "
            f"{restart:.2f} s bare"
        )
    row("deadly", statistics.median(seconds), "s", baseline=statistics.median(bounds), most_ratio=1.0)


def _crashes(node: Node) -> tuple[float, float]:
    """Return the mean time to a crash, and the sum of the restart delays, of the last threshold + 1 crashes."""
    output = node.run(["sh", "-c", "cat /var/lib/configok/kubelet-*/startups"]).stdout
    starts = json.loads(output)[-(THRESHOLD + 2) :]
    crashed = [start["end"]["sinceBoot"] - start["sinceBoot"] for start in starts[:-1]]
    delays = [after["sinceBoot"] - before["end"]["sinceBoot"] for before, after in zip(starts, starts[1:])]
    return statistics.mean(crashed), sum(delays)


@pytest.fixture
def newest_python() -> Iterator[Bench]:
    """Return a node of the distribution with the newest Python."""
    with Testbed.start("bench-newest-python", distribution="trixie") as bed:
        node = bed.nodes[0]
        node.provision()
        node.wait_config_ok("True")
        yield Bench(bed, node)


@pytest.mark.contract("manners.idle")
def test_idle_daemon(bench: Bench, newest_python: Bench, row: Row) -> None:
    """Idle nodes, with their distributions' Python: both have adopted configs, and have rolled one back."""
    for _round in range(ROUNDS):
        newest_python.change(None, "True")
    newest_python.change(DEADLY, "False", trial="10m")
    for used in (bench, newest_python):
        assignment = used.assign(None)
        used.answer(assignment, "True", in_trial=False)
        used.wait_until_all_is_told()
    pid = bench.node.agent_pid()
    seen = bench.requests()
    before, begun = _cpu_seconds(bench.node, pid), time.monotonic()
    time.sleep(IDLE_SECONDS)
    percent = 100 * (_cpu_seconds(bench.node, pid) - before) / (time.monotonic() - begun)
    row("agent-rss-mb", bench.node.resident_mb(pid), "MB", most=32)
    python = newest_python.node.run(["python3", "--version"]).stdout.strip()
    print(f"the other node: {python}")
    other = newest_python.node
    row("agent-rss-newest-python-mb", other.resident_mb(other.agent_pid()), "MB", most=32)
    row("agent-cpu-percent", percent, "%", most=0.1)
    entries = seen.read()
    watches = [request for request in entries if request.verb == "watch"]
    # The server ends a watch after about five minutes, and the agent opens a new one.
    assert len(watches) <= 1 + IDLE_SECONDS / 290, entries
    writes = [request for request in entries if request.verb not in ("get", "list", "watch")]
    print(f"at rest: {[f'{request.verb} {request.uri}' for request in entries]}")
    row("agent-requests-at-rest", _per_hour(writes), "an hour", most=8)


def _per_hour(requests: Sequence[Request]) -> float:
    """Return the requests per hour, by the time between them, or by the idle time if there is only one."""
    times = sorted(request.at for request in requests)
    if len(times) > 1:
        return 3600 * (len(times) - 1) / (times[-1] - times[0])
    return 3600 * len(times) / IDLE_SECONDS


def _cpu_seconds(node: Node, pid: str) -> float:
    """Return the user and system time of a process and of the children it has waited for."""
    fields = node.read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
