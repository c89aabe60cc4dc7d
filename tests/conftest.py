# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures that tests of several directories share.

`api` runs a test on the embedded API server and again on the real one. Where there is no real one, the summary says in
one line which tests were not run and why; with CONFIGOK_REQUIRE_REAL=1 that is a failure. Constants that tests share
are in `support`: a conftest cannot be imported.

With `-n`, each worker has session fixtures of its own. What the closing lines need is in the reports of the tests, so
that it reaches the process that prints them.
"""

from __future__ import annotations

import importlib
import itertools
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, PACKAGE, pack, sources
from embedded_apiserver.server import EmbeddedApiServer
from support.api.binaries import minor_of
from support.api.clusters import SandboxCluster, prepare
from support.api.servers import ApiServer, Embedded, Real, Unavailable, start_embedded, start_real
from support.fuzz.settings import FACTOR
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.world import MakeWorld, World
from support.session.guard import end, guard
from support.session.terminal import say
from support.session.unavailable import NOT_RUN, leave_out, leave_out_of_this_release
from support.session.workers import CLOSING_LINES, Scheduling, number_of_worker, printable

POLICIES_SINCE = 30
COLLECTION = Path(__file__).resolve().parents[1]

# The names of what a test adds to its reports.
EXAMPLES = "examples of Hypothesis"

_MARK = pytest.StashKey[str]()
_NUMBERS = itertools.count(number_of_worker() * 10_000 + 1)
_BEGAN = time.monotonic()
_NOT_RUN: dict[str, list[str]] = {}
_EXAMPLES: dict[str, int] = {}
_CLOSING_LINES: list[str] = []
_CONFIGS: list[pytest.Config] = []

# On a busy machine the time of an example says nothing. Tests that limit time measure it.
settings.register_profile("configok", deadline=None)
settings.load_profile("configok")


def pytest_configure(config: pytest.Config) -> None:
    """Leave no process behind, however the run ends; workers are processes of the run."""
    _CONFIGS.append(config)
    if not hasattr(config, "workerinput"):
        config.stash[_MARK] = guard()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After an interrupt, end the workers: xdist would wait for tests that have not heard of it."""
    mark = session.config.stash.get(_MARK, "")
    if mark and exitstatus == pytest.ExitCode.INTERRUPTED and session.config.getoption("numprocesses", None):
        end(mark)


@pytest.fixture(autouse=True)
def _leaves_no_wakeup_descriptor() -> Iterator[None]:
    """A descriptor for signals that a test leaves behind breaks a later test, after its number is used again."""
    yield
    assert signal.set_wakeup_fd(-1) == -1, "the test leaves a descriptor for signals (signal.set_wakeup_fd)"


# --- API servers


@pytest.fixture(scope="session")
def _real_or_why(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real | Unavailable]:
    """The real API server, started once, or the reason why there is none."""
    try:
        server = start_real(tmp_path_factory.mktemp("real"))
    except Unavailable as problem:
        yield problem
        return
    yield server
    server.stop()


@pytest.fixture
def real_api(_real_or_why: Real | Unavailable, request: pytest.FixtureRequest) -> Real:
    """kube-apiserver with etcd, one for the whole session: use names of your own."""
    if not isinstance(_real_or_why, Real):
        request.node.user_properties.append((NOT_RUN, str(_real_or_why)))
        leave_out(_real_or_why)
    return _real_or_why


@pytest.fixture(scope="session")
def _policed_or_why(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real | str]:
    """An API server of its own that has admission policies, or the reason why there is none."""
    minor = minor_of("kube-apiserver")
    if minor < POLICIES_SINCE:
        yield (
            f"kube-apiserver is 1.{minor}, and ValidatingAdmissionPolicies came with 1.{POLICIES_SINCE}: "
            "their expressions were only evaluated (tests/unit)"
        )
        return
    server = start_real(tmp_path_factory.mktemp("policed"))
    yield server
    server.stop()


@pytest.fixture
def policed_api(request: pytest.FixtureRequest) -> Real:
    """A real API server, apart from that of other tests: admission policies are for a whole cluster."""
    request.getfixturevalue("real_api")  # so that its absence is reported as for every other test
    server = request.getfixturevalue("_policed_or_why")
    if not isinstance(server, Real):
        leave_out_of_this_release(request, server)
    return server


@pytest.fixture(scope="session")
def _shared_embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    server = start_embedded(tmp_path_factory.mktemp("embedded"))
    yield server
    server.stop()


@pytest.fixture
def embedded_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """An embedded API server for this test alone, with its hooks."""
    server = start_embedded(tmp_path_factory.mktemp("embedded"))
    yield server
    server.stop()


@pytest.fixture(params=["embedded", "real"])
def api(request: pytest.FixtureRequest) -> ApiServer:
    """Both API servers in turn; each is shared by the session: use names of your own (see `unique`)."""
    name = "_shared_embedded" if request.param == "embedded" else "real_api"
    server = request.getfixturevalue(name)
    assert isinstance(server, ApiServer)
    return server


@pytest.fixture
def unique() -> str:
    """A name that no other test uses."""
    return f"t{next(_NUMBERS):04d}"


# --- clusters in this process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[SandboxCluster]:
    """An embedded API server over HTTP, empty, with its administrator's client and kubeconfig."""
    with EmbeddedApiServer() as server:
        kubeconfig = server.kubeconfig_for("admin", ["system:masters"], path=str(tmp_path / "admin.kubeconfig"))
        with Client(from_kubeconfig(kubeconfig)) as client:
            yield SandboxCluster(server, client, kubeconfig)


@pytest.fixture
def nodes(cluster: SandboxCluster) -> Iterator[SimulatedNodes]:
    """Four nodes of pool=workers whose agents answer, in a cluster that was prepared."""
    prepare(cluster.client)
    with SimulatedNodes(cluster.client) as simulated:
        for number in range(1, 5):
            simulated.add(f"n{number}", zone="ab"[number % 2])
        yield simulated


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Return a function that makes a World of so many nodes in three zones, in virtual time."""
    worlds: list[World] = []

    def make(count: int, *, latency: float = 0.005) -> World:
        worlds.append(World.start(count, latency=latency))
        return worlds[-1]

    yield make
    for world in worlds:
        world.stop()


# --- the agent


@pytest.fixture
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for a real disk."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed agent."""
    path = tmp_path_factory.mktemp("archive") / ARCHIVE
    path.write_bytes(pack(COLLECTION))
    return path


@pytest.fixture(scope="session")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ModuleType]]:
    """Import one of the files of roles/node/files/agent by its name; they lie as they do in the archive."""
    directory = tmp_path_factory.mktemp("agent")
    for name, content in sources(COLLECTION).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    sys.path.insert(0, str(directory))
    yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")
    sys.path.remove(str(directory))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


# --- control machines


@pytest.fixture(params=[pytest.param("oldest", marks=pytest.mark.slow), "newest"])
def control(request: pytest.FixtureRequest) -> Path:
    """The virtual environments with the oldest, and then with the newest, Python and ansible-core of this machine."""
    directory = COLLECTION / f".venv-{request.param}"
    if not (directory / "bin/ansible-playbook").exists():
        leave_out(f"there is no {directory.name}: make venv-{request.param} makes it")
    return directory


# --- closing lines


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Add to the report how many examples Hypothesis has tried, from its own statistics."""
    counts = re.findall(r"(\d+) (?:passing|failing|invalid)", getattr(item, "hypothesis_statistics", ""))
    if counts and all(name != EXAMPLES for name, _value in item.user_properties):
        item.user_properties.append((EXAMPLES, sum(int(count) for count in counts)))
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test as soon as it fails, since the run may not reach its end; remember what the closing lines need."""
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = str(getattr(crash, "message", report.longrepr)).partition("\n")[0]
        say(_CONFIGS[-1], f"\nfailed: {report.nodeid}: {reason[:200]}")
    if report.when != "teardown":  # the last report of a test, which has all properties
        return
    for name, value in report.user_properties:
        if name == NOT_RUN:
            _NOT_RUN.setdefault(str(value), []).append(report.nodeid)
        elif name == EXAMPLES:
            _EXAMPLES[report.nodeid] = int(str(value))


# --- workers (pytest-xdist)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Give the tests of a file to one worker."""
    return Scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the closing lines of a worker, which has no terminal."""
    _CLOSING_LINES.extend(getattr(node, "workeroutput", {}).get(CLOSING_LINES, []))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Replace what workers cannot send: halves of surrogate pairs, in the texts of failures."""
    return printable((yield))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not run on the real API server, and close `make fuzz` with its figures."""
    for why, tests in _NOT_RUN.items():
        terminalreporter.write_line(f"NOT RUN on the real API server: {len(tests)} tests, because {why}", yellow=True)
    for line in _CLOSING_LINES:
        terminalreporter.write_line(line)
    if FACTOR != 1 and _EXAMPLES:
        failed = len(terminalreporter.stats.get("failed", []))
        terminalreporter.write_line(
            f"fuzz: {len(_EXAMPLES)} tests, {sum(_EXAMPLES.values())} examples, {failed} failed, "
            f"{time.monotonic() - _BEGAN:.0f} s, seed {config.getoption('--hypothesis-seed')}"
        )
