# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator on the embedded API server: each behaviour, what it creates, and what it leaves alone."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import simulate

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView, node_view
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from fleet_simulator.node_objects import LABEL_SIMULATED, LEASE_NAMESPACE
from fleet_simulator.scenario import parse_scenario
from fleet_simulator.simulator import FleetSimulator, SimulatorError, remove_simulation
from support.api.clusters import prepare
from support.api.servers import Embedded, start_embedded
from support.configs.kubelet import kubelet_config
from support.session.patience import LONGEST_WAIT, wait_until

SELECTOR = "pool=workers"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Embedded]:
    server = start_embedded(tmp_path / "api")
    prepare(server.client())
    yield server
    server.stop()


@pytest.fixture
def client(api: Embedded) -> Iterator[Client]:
    with api.client(pool_size=16) as client:
        yield client


def scenario(*behaviours: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a scenario with one node for each behaviour, which answers at once: test-n0-00000, test-n1-00000..."""
    groups = [
        {
            "name": f"n{number}",
            "count": 1,
            "labels": {"pool": "workers"},
            "behaviour": {"answer": "50ms", **behaviour},
        }
        for number, behaviour in enumerate(behaviours)
    ]
    return {"simulation": "test", "groups": groups, "leases": 0, "heartbeats": 0, **fields}


class Fleet:
    """A simulator that runs, and the control side."""

    def __init__(self, client: Client, simulator: FleetSimulator, lines: list[str]) -> None:
        self.client, self.simulator, self.lines = client, simulator, lines

    def assign(self, max_pods: int = 60, *, trial: float = 600.0) -> Target:
        """Publish a config and assign it to all nodes."""
        bundle = build_bundle("workers", {"kubelet": kubelet_config(f"maxPods: {max_pods}")}, trial=Trial(trial, 3))
        target = publish_bundle(self.client, bundle, now="2026-01-01T00:00:00Z").target
        assign_nodes(self.client, target.source, selector=SELECTOR)
        return target

    def view(self, number: int = 0) -> NodeView | None:
        item = self.client.find(paths.node(f"test-n{number}-00000"))
        return None if item is None else node_view(item)

    def wait(self, holds: Callable[[NodeView], object], number: int = 0) -> NodeView:
        """Wait until there is a Node that meets a condition; return it."""
        view: NodeView | None = None

        def is_there() -> bool:
            nonlocal view
            view = self.view(number)
            return view is not None and bool(holds(view))

        wait_until(is_there, lambda: view)
        assert view is not None
        return view

    def wait_until_gone(self, number: int) -> None:
        """Wait until a Node is deleted."""
        wait_until(lambda: self.view(number) is None)


def status_of(view: NodeView) -> ConfigStatus:
    """Return a Node's structured status, an empty one for a Node without it."""
    return view.answer.status or ConfigStatus()


@contextmanager
def simulated(client: Client, value: dict[str, Any]) -> Iterator[Fleet]:
    lines: list[str] = []
    simulator = FleetSimulator(client, parse_scenario(value), report=lines.append)
    thread = threading.Thread(target=simulator.run)
    thread.start()
    try:
        assert simulator.started.wait(LONGEST_WAIT)
        yield Fleet(client, simulator, lines)
    finally:
        simulator.stop.set()
        thread.join(20)
    assert not thread.is_alive()


def nodes(client: Client) -> list[str]:
    return [item["metadata"]["name"] for item in client.list(paths.NODES).items]


def test_nodes_are_ready_and_fine_on_their_init_config_and_are_removed(client: Client) -> None:
    group = {"zones": ["a", "b"], "kubeletVersions": ["v1.33.2", "v1.34.1"], "instanceTypes": ["large"]}
    value = scenario({})
    value["groups"] = [{**value["groups"][0], "count": 3, **group}]
    with simulated(client, value):
        items = client.list(paths.NODES, label_selector=f"{LABEL_SIMULATED}=test").items
        views = [node_view(item) for item in items]
        assert [(view.ready, view.answer.config_ok, view.zone, view.system.kubelet_version) for view in views] == [
            (True, "True", "a", "v1.33.2"),
            (True, "True", "b", "v1.34.1"),
            (True, "True", "a", "v1.33.2"),
        ]
        # No Pod is scheduled to a hollow node, and none that is there may stay.
        taints = {(taint["key"], taint["effect"]) for item in items for taint in item["spec"]["taints"]}
        assert taints >= {(LABEL_SIMULATED, "NoSchedule"), (LABEL_SIMULATED, "NoExecute")}
    assert nodes(client) == []


def test_a_good_node_acknowledges_adopts_and_ends_its_trial(client: Client) -> None:
    with simulated(client, scenario({"answer": "300ms"})) as fleet:
        target = fleet.assign(trial=0.3)
        view = fleet.wait(lambda view: status_of(view).cause == "Adopting")
        assert (view.answer.config_ok, view.answered_id, view.assigned.id) == ("Unknown", 1, 1)
        view = fleet.wait(lambda view: view.is_on(target.source))
        assert (status_of(view).in_trial, status_of(view).last_known_good) == (True, None)
        view = fleet.wait(lambda view: not status_of(view).in_trial)
        assert status_of(view).last_known_good == target.source


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("crashes", "crashed 4 times during its trial"),
        ("unhealthy", "not healthy within 50ms: healthz: connection refused"),
        ("refuses", "simulated: this hollow node refuses the config"),
    ],
)
def test_a_node_that_fails_says_why_and_stays_on_its_config(client: Client, outcome: str, reason: str) -> None:
    with simulated(client, scenario({"outcome": outcome})) as fleet:
        fleet.assign()
        view = fleet.wait(lambda view: view.answer.config_ok == "False")
        assert (view.active, view.answered_id) == (None, view.assigned.id)
        assert reason in view.answer.reason


def test_an_outcome_may_be_that_of_some_configs_only(client: Client) -> None:
    with simulated(client, scenario({"outcome": "crashes", "onlyWith": "maxPods: 13"})) as fleet:
        good = fleet.assign(60)
        fleet.wait(lambda view: view.is_on(good.source))
        fleet.assign(13)
        view = fleet.wait(lambda view: view.answer.config_ok == "False")
        assert view.answered_id == 2


def test_a_silent_node_says_nothing_and_one_that_hangs_only_acknowledges(client: Client) -> None:
    with simulated(client, scenario({"outcome": "silent"}, {"outcome": "hangs"}, {})) as fleet:
        target = fleet.assign()
        fleet.wait(lambda view: view.is_on(target.source), 2)
        silent, hangs = (fleet.wait(lambda _view: True, number) for number in (0, 1))
        assert (silent.assigned.id, silent.answered_id, silent.answer.config_ok) == (1, 0, "True")
        assert (hangs.answered_id, hangs.answer.config_ok) == (1, "Unknown")


def test_lying_nodes_report_success_for_work_that_they_did_not_do(client: Client) -> None:
    with simulated(client, scenario({"outcome": "claims"}, {"outcome": "repeats"})) as fleet:
        target = fleet.assign()
        claims = fleet.wait(lambda view: view.answered_id == 1)
        assert (claims.answer.config_ok, claims.active) == ("True", None)
        repeats = fleet.wait(lambda view: view.active == target.source, 1)
        assert (repeats.answer.config_ok, repeats.answered_id) == ("True", 0)


def test_nodes_join_vanish_and_flap(client: Client) -> None:
    behaviours = (
        {"joinsAfter": "500ms"},
        {"vanishes": {"after": "100ms", "from": "assignment"}},
        {"flaps": {"every": "400ms", "for": "200ms"}},
        {"ready": False},
        {"vanishes": {"after": "1s"}},
    )
    with simulated(client, scenario(*behaviours)) as fleet:
        assert fleet.view(0) is None
        down = fleet.wait(lambda _view: True, 3)
        assert down.ready is False
        fleet.assign()
        fleet.wait_until_gone(1)
        fleet.wait(lambda _view: True, 0)
        target = fleet.assign(61)
        fleet.wait(lambda view: view.is_on(target.source), 0)
        for _turn in range(2):
            fleet.wait(lambda view: view.ready is False, 2)
            fleet.wait(lambda view: view.ready is True, 2)
        fleet.wait_until_gone(4)
    assert nodes(client) == []


def test_leases_are_renewed_and_removed(client: Client) -> None:
    with simulated(client, scenario({}, leases="100ms")):
        path = paths.lease(LEASE_NAMESPACE, "test-n0-00000")
        first = client.get(path)
        wait_until(lambda: client.get(path)["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"])
    assert client.list(paths.leases(LEASE_NAMESPACE)).items == []


def test_a_bundle_that_is_missing_is_reported_and_fetched_once_for_all_nodes(api: Embedded, client: Client) -> None:
    with simulated(client, scenario({}, {}, {})) as fleet:
        api.server.requests.clear()
        target = fleet.assign()
        for number in range(3):
            fleet.wait(lambda view: view.is_on(target.source), number)
        reads = [call for call in api.server.requests.calls() if (call.verb, call.name) == ("get", target.name)]
        assert len(reads) <= 2  # one is the publisher's
        assert target.source is not None
        missing = target.source._replace(name="workers-0123456789")
        assign_nodes(client, missing, selector=SELECTOR)
        view = fleet.wait(lambda view: status_of(view).cause == "FetchFailed")
        assert "not found" in view.answer.reason


def test_a_node_that_it_did_not_create_is_left_alone(client: Client) -> None:
    client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "test-n1-00000"}})
    lines: list[str] = []
    simulator = FleetSimulator(client, parse_scenario(scenario({}, {})), report=lines.append)
    with pytest.raises(SimulatorError, match="this simulation did not create it, and leaves it as it is"):
        simulator.run()
    assert nodes(client) == ["test-n1-00000"]


def test_a_node_that_was_registered_again_is_left_alone(client: Client) -> None:
    with simulated(client, scenario({})) as fleet:
        client.delete(paths.node("test-n0-00000"))
        labels = {"pool": "workers", LABEL_SIMULATED: "test"}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "test-n0-00000", "labels": labels}}
        client.create(paths.NODES, body)
        fleet.assign()
        time.sleep(0.5)
        assert fleet.wait(lambda _view: True).answer.status is None
    assert nodes(client) == ["test-n0-00000"]


def test_what_a_killed_simulator_has_left_is_removed_on_request(client: Client) -> None:
    first = FleetSimulator(client, parse_scenario(scenario({}, {})), report=lambda _line: None)
    first._create_all()  # and then it is killed
    labelled = {"name": "real", "labels": {LABEL_SIMULATED: "test"}}
    client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": labelled})
    with pytest.raises(SimulatorError, match="the cluster has 3 Nodes of simulation test already"):
        FleetSimulator(client, parse_scenario(scenario({})), report=lambda _line: None).run()
    lines: list[str] = []
    remove_simulation(client, "test", report=lines.append)
    assert nodes(client) == ["real"]
    assert lines == ["removed 2 Nodes", "left 1 Nodes that have the label, and that no simulator has created"]


def command(api: Embedded, directory: Path, value: str) -> list[str]:
    path = directory / "scenario.yml"
    path.write_text(value)
    return [str(path), "--kubeconfig", api.admin_kubeconfig]


ONE_NODE = "{simulation: test, groups: [{name: n0, count: 1}]}"


def test_the_command_runs_for_a_while(api: Embedded, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate.main([*command(api, tmp_path, ONE_NODE), "--duration", "200ms"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output == ["created 1 Nodes with label configok.dev/simulated=test", "removed 1 Nodes"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("{simulation: test, groups: []}", "groups: must be a list of at least one group of nodes"),
        ("{simulation: ", "is not YAML: "),
    ],
)
def test_the_command_refuses_a_wrong_scenario(
    api: Embedded, tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str, sentence: str
) -> None:
    assert simulate.main(command(api, tmp_path, value)) == 2
    assert sentence in capsys.readouterr().err


def test_the_command_checks_a_scenario_without_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scenario.yml"
    path.write_text(ONE_NODE)
    assert simulate.main([str(path), "--kubeconfig", "/nowhere", "--check"]) == 0
    assert capsys.readouterr().out == "the scenario has 1 nodes\n"


def test_the_command_names_a_file_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate.main(["/nowhere/scenario.yml"]) == 2
    assert "the scenario cannot be read: " in capsys.readouterr().err


@pytest.mark.parametrize("how", ["signal", "closed input"])
def test_the_command_removes_its_nodes_however_it_is_stopped(api: Embedded, tmp_path: Path, how: str) -> None:
    process = subprocess.Popen(
        [sys.executable, simulate.__file__, *command(api, tmp_path, ONE_NODE), "--supervised"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdin.write(json.dumps({"kubeconfig": api.admin_kubeconfig}) + "\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith("created 1 Nodes")
    if how == "signal":
        process.send_signal(signal.SIGINT)
    else:
        process.stdin.close()
        process.stdin = io.StringIO()
    assert process.stdout.read() == "removed 1 Nodes\n"
    assert process.wait(LONGEST_WAIT) == 0
    process.stdout.close()
    assert nodes(api.client()) == []
