# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's main loop on the embedded API server: threads, notifications and the watch."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    API_VERSION,
    KIND,
    load_configuration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._app import App
from ansible_collections.configok.node.plugins.module_utils._agent._background import BackgroundTask
from ansible_collections.configok.node.plugins.module_utils._agent._notify import Notifications, Wakeup, notify_agent
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import SystemClock
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import NodeWatch
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, config_maps, node
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    read_condition,
    read_status,
)
from embedded_apiserver.server import EmbeddedApiServer
from support.agents.bench import NODE, Bench
from support.session.patience import LONGEST_WAIT, wait_until
from support.session.signals import send_unnoticed


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with EmbeddedApiServer() as api:
        api.kubeconfig_for("admin", ["system:masters"], path=str(tmp_path / "kubeconfig"))
        with Client(from_kubeconfig(str(tmp_path / "kubeconfig"))) as client:
            client.create("/api/v1/namespaces", {"metadata": {"name": "configok-system"}})
            client.create(NODES, {"metadata": {"name": NODE}})
            yield client


def eventually(client: Client, check: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the Node as soon as the check accepts it."""
    node_object: dict[str, Any] = {}

    def is_there() -> bool:
        nonlocal node_object
        node_object = client.get(node(NODE))
        return check(node_object)

    wait_until(is_there, lambda: node_object)
    return node_object


def message(node_object: dict[str, Any]) -> str:
    return str((read_condition(node_object) or {}).get("message"))


class LiveBench(Bench):
    """A bench whose components restart at once and are always healthy."""

    def restart(self, component: str) -> bool:
        self.stop(component)
        self.start(component)
        return True

    def probe(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        return ProbeResult(True)


@pytest.mark.contract("run.follows-its-node", "notify.reads-again", "events.on-the-node")
def test_a_running_daemon_follows_its_node_and_stops_at_once(tmp_path: Path, client: Client) -> None:
    bench = LiveBench(tmp_path, settling_time=0.05)
    bench.clock = SystemClock()  # type: ignore[assignment]
    bench.start("kubelet")  # in this boot
    wake, stop = Notifications(bench.configuration.run_directory), threading.Event()
    context = bench.new_context()._replace(api=client, new_task=partial(BackgroundTask, wake.task_done))
    app = App(context, wake)
    thread = threading.Thread(target=app.run, args=(stop, threading.Event()))
    thread.start()
    try:
        eventually(client, lambda node_object: message(node_object) == "using current (init)")
        bundle = client.create(config_maps("configok-system"), build_bundle("pool", {"kubelet": "maxPods: 120\n"}))
        source = ConfigSource("configok-system", bundle["metadata"]["name"], bundle["metadata"]["uid"])
        client.patch(node(NODE), assignment_patch(source, Assignment(1)), kind="merge")
        node_object = eventually(
            client, lambda node_object: message(node_object) == f"using current (UID: {source.uid})"
        )
        status = read_status(node_object)
        assert status is not None
        assert (status.assignment, status.active) == (1, source)
        assert bench.reads() == "maxPods: 120\n"
        events = client.list("/api/v1/namespaces/default/events").items
        assert [event["reason"] for event in events] == ["ConfigAdopted"]
        bench.stop("kubelet")  # poststop notifies the agent: no probe interval has to pass
        eventually(client, lambda node_object: message(node_object) == f"current (UID: {source.uid}) not in use")
    finally:
        stop.set()
        wake.notify()
        thread.join(timeout=LONGEST_WAIT)
        wake.close()
    assert not thread.is_alive()


def written_configuration(bench: Bench, **fields: Any) -> Path:
    """Write the agent's own config, as the agent reads it again on a reload."""
    path = bench.directory / "agent.yaml"
    value = {"apiVersion": API_VERSION, "kind": KIND, "nodeName": NODE, "kubeconfig": "/nowhere"}
    path.write_text(json.dumps({**value, "components": {"kubelet": {}}, **fields}))
    return path


@pytest.mark.parametrize(
    ("fields", "starts_again"),
    [
        ({}, False),
        ({"trust": {"mode": "off"}}, False),
        ({"trust": "nonsense"}, False),
        ({"healthTimeout": "2 minutes"}, False),
        ({"healthTimeout": "3m"}, True),
        ({"components": {"kubelet": {}, "kube-proxy": {}}}, True),
    ],
)
def test_a_reload_starts_the_agent_again_only_for_what_it_reads_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], starts_again: bool
) -> None:
    monkeypatch.setattr(NodeWatch, "_follow", lambda watch: watch._stop.wait())
    bench = Bench(tmp_path)
    context = bench.new_context()._replace(configuration=load_configuration(str(written_configuration(bench))))
    wake, stop, reload = Notifications(), threading.Event(), threading.Event()
    written_configuration(bench, **fields)
    reload.set()
    app = App(context, wake)
    hurried: list[bool] = []

    def reconcile(*_arguments: Any, **_options: Any) -> float:
        stop.set()
        wake.notify()
        return float("inf")

    app.controller.reconcile = reconcile  # type: ignore[method-assign]
    app.controller.retry_soon = lambda: hurried.append(True)  # type: ignore[method-assign]
    assert app.run(stop, reload) is starts_again
    assert (stop.is_set(), bool(hurried)) == (not starts_again, not starts_again)
    assert not reload.is_set()
    wake.close()


def test_notifications_arrive_however_deep_the_directory_is(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    notify_agent(str(deep))  # without a listener this is not an error
    nudges = Notifications(str(deep))
    assert nudges.wait(0.0) is Wakeup.TIMEOUT
    notify_agent(str(deep))
    notify_agent(str(deep))
    assert nudges.wait(LONGEST_WAIT) is Wakeup.NOTIFIED
    assert nudges.wait(0.0) is Wakeup.TIMEOUT
    nudges.notify()
    assert nudges.wait(LONGEST_WAIT) is Wakeup.NOTIFIED
    nudges.close()
    notify_agent(str(deep))  # the listener is closed


def test_a_signal_just_before_a_wait_ends_it() -> None:
    """The handler of the agent only sets an event: a reload or an end would wait for the next notification."""
    received: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, _frame: received.append(number))
    nudges = Notifications()
    try:
        nudges.notify_of_signals()
        send_unnoticed(signal.SIGHUP)
        assert nudges.wait(LONGEST_WAIT) is Wakeup.NOTIFIED
        assert received == [signal.SIGHUP]
    finally:
        nudges.close()
        signal.signal(signal.SIGHUP, before)
    assert signal.set_wakeup_fd(-1) == -1
