# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures changes of static Pods on a real control plane of one node, against bare renames of the same manifests."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.api.audit import Request, Requests
from support.configs.options import AUDIT_POLICY, component_options
from support.machines import ControlPlane, ControlPlaneAgent, Testbed, Unavailable

ROUNDS = int(os.environ.get("CONFIGOK_BENCH_POD_ROUNDS", "7"))
IDLE_SECONDS = float(os.environ.get("CONFIGOK_BENCH_POD_IDLE", "120"))
API_SERVER, MANAGER, SCHEDULER = "kube-apiserver", "kube-controller-manager", "kube-scheduler"
HEALTH = {
    API_SERVER: "https://127.0.0.1:6443/readyz",
    MANAGER: "https://127.0.0.1:10257/healthz",
    SCHEDULER: "https://127.0.0.1:10259/healthz",
}
AUDIT_LOGS = "/var/log/audit"
API_SERVER_SETTINGS = {
    "allowedFields": ["flags.etcd-servers", "flags.audit-log-path"],
    "hostPaths": [{"path": AUDIT_LOGS, "writable": True}],
}
SPARE_SECONDS = 5.0  # which a recovery may take beyond its parts
_BEGIN_SECONDS = 2.0  # until the program below looks at the manifest
_AFTER_STOP_SECONDS = 10.0  # in which the kubelet forgets a Pod: it starts one of that uid 20 s late until then
_LONGEST = 600  # seconds until a component is healthy
Row = Callable[..., None]

# Waits until the manifest is another file, and a new process of its component listens and is healthy: an API server
# that ends may still be there for its last requests. Writes the file itself if it has an argument for that: an
# annotation, or "" for the text on stdin.
_RENAME = """
import os, ssl, sys, time, urllib.request, yaml
from pathlib import Path

component, url, timeout, *annotation = sys.argv[1:]
manifest = Path("/etc/kubernetes/manifests") / f"{component}.yaml"
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

def processes():
    found = set()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            program = file.read_text().partition("\\0")[0]
        except OSError:
            continue
        if os.path.basename(program) == component:
            found.add(file.parent.name)
    return found

def listeners():
    lines = [line.split() for family in ("tcp", "tcp6") for line in Path(f"/proc/net/{family}").open()]
    port = f":{int(url.rpartition(':')[2].partition('/')[0]):04X}"
    sockets = {f"socket:[{line[9]}]" for line in lines if line[3] == "0A" and line[1].endswith(port)}
    return {process for process in processes() if sockets & set(files_of(process))}

def files_of(process):
    try:
        return [os.readlink(file) for file in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return []

def is_healthy():
    try:
        return urllib.request.urlopen(url, timeout=2, context=context).status == 200
    except OSError:
        return False

def write(text):
    temporary = manifest.with_name(f".{component}.tmp")
    with open(temporary, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, manifest)

deadline = time.monotonic() + float(timeout)
old, number = processes(), os.stat(manifest).st_ino
if annotation and annotation[0]:
    pod = yaml.safe_load(manifest.read_text())
    pod["metadata"].setdefault("annotations", {})["bench"] = annotation[0]
    write(yaml.safe_dump(pod))
elif annotation:
    write(sys.stdin.read())
while os.stat(manifest).st_ino == number:
    if time.monotonic() > deadline:
        sys.exit("the manifest was not replaced")
    time.sleep(0.01)
renamed = time.clock_gettime(time.CLOCK_BOOTTIME)
seen = {}
while True:
    for process in processes() - set(seen):
        seen[process] = time.clock_gettime(time.CLOCK_BOOTTIME)
    serving = listeners()
    if serving and not serving & old and is_healthy():
        break
    if time.monotonic() > deadline:
        sys.exit("the component is not healthy")
    time.sleep(0.02)
print(renamed, max(seen[process] for process in serving), time.clock_gettime(time.CLOCK_BOOTTIME))
"""


class Restart:
    """One restart of a static Pod, in seconds since boot.

    renamed: the manifest. started: the process that is healthy in the end. healthy: when it was.
    """

    def __init__(self, line: str) -> None:
        self.renamed, self.started, self.healthy = map(float, line.split())

    @property
    def seconds(self) -> float:
        """Return the time from the rename to health."""
        return self.healthy - self.renamed


class PodBench:
    """A control plane whose agent changes the options of all its components."""

    def __init__(self, control_plane: ControlPlane) -> None:
        self.control_plane = control_plane
        self.agent = ControlPlaneAgent(control_plane, {API_SERVER: API_SERVER_SETTINGS, MANAGER: {}, SCHEDULER: {}})
        self._threads = ThreadPoolExecutor(1)
        self._serial = 100
        self._options: dict[str, Mapping[str, Any]] = {}

    def assign(
        self,
        component: str,
        flags: Mapping[str, Any] | None = None,
        files: Mapping[str, Any] | None = None,
        *,
        trial: float,
    ) -> int:
        """Assign options of a component that are unique to the round, and those of the others as they are."""
        self._serial += 1
        unique = {"event-ttl": f"{self._serial}m"} if component == API_SERVER else {"kube-api-qps": self._serial}
        self._options[component] = component_options({**unique, **(flags or {})}, files, component=component)
        return self.agent.assign(self._options, Trial(trial, 1))

    def bare_rename(self, component: str) -> list[Restart]:
        """Rename a manifest with one more annotation, then the one before again; return both restarts."""
        before = self.control_plane.manifests()[f"{component}.yaml"].decode()
        self._serial += 1
        restarts = []
        for annotation, text in ((str(self._serial), ""), ("", before)):
            restarts.append(self._watch(component, annotation, text=text))
            time.sleep(_AFTER_STOP_SECONDS)
        return restarts

    def adopt(self, component: str) -> Restart:
        """Assign options; return the restart, when they are last-known-good."""
        watched = self.watch(component)
        number = self.assign(component, trial=3.0)
        restart = watched.result()
        self.agent.wait_answer(number, "True")
        self.agent.wait_answered(number, in_trial=False)
        return restart

    def record_requests(self) -> None:
        """Have the API server keep an audit log of the requests of nodes."""
        node = self.control_plane.node
        node.run(["mkdir", "-p", AUDIT_LOGS])
        flags, files = {"audit-log-path": f"{AUDIT_LOGS}/audit.log"}, {"audit-policy.yaml": {"content": AUDIT_POLICY}}
        number = self.assign(API_SERVER, flags, files, trial=3.0)
        self.agent.wait_answered(number, in_trial=False)

    def requests(self) -> Requests:
        """Return the agent's requests from now on."""
        node = self.control_plane.node
        return Requests(node.machine.view / AUDIT_LOGS.lstrip("/"), f"system:node:{node.name}", "configok-agent/")

    def watch(self, component: str) -> Future[Restart]:
        """Watch the next restart of a component that another one causes."""
        watched = self._threads.submit(self._watch, component)
        time.sleep(_BEGIN_SECONDS)
        return watched

    def crashes(self, component: str) -> list[Mapping[str, Any]]:
        """Return the two crashes that the agent has recorded of the newest config that crashed twice."""
        files = (self.control_plane.node.machine.view / "var/lib/configok").glob(f"{component}-*/startups")
        starts = [start for file in files for start in json.loads(file.read_text())]
        crashed = [start for start in starts if start["end"] and start["end"]["result"] == "exit-code"]
        twice = [start for start in crashed if [other["config"] for other in crashed].count(start["config"]) > 1]
        assert len(twice) > 1, starts
        assert twice[-1]["config"] == twice[-2]["config"], starts
        return twice[-2:]

    def _watch(self, component: str, *annotation: str, text: str = "") -> Restart:
        words = ["python3", "-c", _RENAME, component, HEALTH[component], str(_LONGEST), *annotation]
        return Restart(self.control_plane.node.run(words, text=text, timeout=_LONGEST + 60).stdout)


@pytest.fixture(scope="module")
def bench() -> Iterator[PodBench]:
    try:
        started = Testbed.start("bench-control-plane", prepare_cluster=False)
        with started as bed:
            yield PodBench(ControlPlane(bed))
    except Unavailable as problem:
        pytest.fail(f"these figures need a real node: {problem}", pytrace=False)


@pytest.fixture(scope="module")
def bare() -> dict[str, list[Restart]]:
    """The bare restarts of each component so far."""
    return {}


def adoption(bench: PodBench, bare: dict[str, list[Restart]], component: str) -> tuple[float, float]:
    """Return the medians of the seconds of an adoption, and of a bare restart."""
    bench.adopt(component)  # the first one mounts the folder of files, too
    seconds = []
    for _round in range(ROUNDS):
        restarts = bench.bare_rename(component)
        bare.setdefault(component, []).extend(restarts)
        seconds.append(bench.adopt(component).seconds)
        print(f"{component}: {[f'{restart.seconds:.2f}' for restart in restarts]} s bare, {seconds[-1]:.2f} s")
    return statistics.median(seconds), statistics.median(restart.seconds for restart in bare[component])


def test_adopt_of_the_api_server(bench: PodBench, bare: dict[str, list[Restart]], row: Row) -> None:
    seconds, baseline = adoption(bench, bare, API_SERVER)
    row("control-plane-adopt-kube-apiserver", seconds, "s", baseline=baseline, most_ratio=1.15)


def test_adopt_of_the_controller_manager(bench: PodBench, bare: dict[str, list[Restart]], row: Row) -> None:
    seconds, baseline = adoption(bench, bare, MANAGER)
    row("control-plane-adopt-kube-controller-manager", seconds, "s", baseline=baseline, most_ratio=1.15)


def test_adopt_of_the_scheduler(bench: PodBench, bare: dict[str, list[Restart]], row: Row) -> None:
    seconds, baseline = adoption(bench, bare, SCHEDULER)
    row("control-plane-adopt-kube-scheduler", seconds, "s", baseline=baseline, most_ratio=1.15)


def test_recovered(bench: PodBench, bare: dict[str, list[Restart]], row: Row) -> None:
    """The only API server crashes on its options, and its last-known-good answers again.

    The parts are those of this run: the pause of the kubelet and the second crash, as the agent has recorded them, and
    the start of a bare restart. What is left is the agent's decision, and the kubelet's time to notice and to stop.
    """
    restarts = bare.get(API_SERVER) or bench.bare_rename(API_SERVER)
    watched = bench.watch(API_SERVER)
    number = bench.assign(API_SERVER, {"etcd-servers": ["https://127.0.0.1:1"]}, trial=60.0)
    recovered = watched.result().healthy
    bench.agent.wait_answer(number, "False", "crashed 2 times during its trial")
    first, second = bench.crashes(API_SERVER)
    pause = max(0.0, second["sinceBoot"] - first["end"]["sinceBoot"])
    crash = second["end"]["sinceBoot"] - second["sinceBoot"]
    start = statistics.median(restart.healthy - restart.started for restart in restarts)
    seconds = recovered - first["end"]["sinceBoot"]
    print(
        f"recovered: {seconds:.2f} s; pause of the kubelet {pause:.2f} s, second crash after {crash:.2f} s, bare "
        f"start {start:.2f} s"
    )
    parts = pause + crash + start
    row("control-plane-recovered", seconds, "s", baseline=parts, most=parts + SPARE_SECONDS)


def test_memory(bench: PodBench, row: Row) -> None:
    """After all these changes, and some time at rest."""
    time.sleep(IDLE_SECONDS)
    node = bench.control_plane.node
    row("agent-rss-control-plane-mb", node.resident_mb(node.agent_pid()), "MB", most=34)


def test_requests(bench: PodBench, row: Row) -> None:
    """Of a change of the scheduler: what the agent asks the cluster, and what it asks the API server of its own node.

    Both are one server here. Its own is asked for the Node, for the status as a dry run, and for metrics.
    """
    bench.record_requests()
    to_cluster, to_own = [], []
    for _round in range(ROUNDS):
        seen = bench.requests()
        bench.adopt(SCHEDULER)
        made = [request for request in seen.read() if request.verb != "watch"]
        own = [request for request in made if _is_probe(request, bench.control_plane.node.name)]
        to_own.append(len(own))
        to_cluster.append(len(made) - len(own))
        print(f"requests: {[f'{request.verb} {request.uri}' for request in made]}")
    row("control-plane-requests-per-change", max(to_cluster), "", most=6)
    row("control-plane-requests-to-own-instance", max(to_own), "", most=60)


def _is_probe(request: Request, node: str) -> bool:
    path, _mark, query = request.uri.partition("?")
    is_dry_run = path == f"{node_path(node)}/status" and "dryRun=All" in query
    return is_dry_run or path == "/metrics" or (request.verb, path) == ("get", node_path(node))
