# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When static Pods are restarted, what keeps them from that, and in which order they follow each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._components import ComponentManager
from ansible_collections.configok.node.plugins.module_utils._agent._counters import Counters
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._state.active_config import ActiveConfig
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import (
    ComponentsObservation,
    ProbeResult,
    Unit,
    UnitState,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import (
    ComponentFiles,
    NodeState,
    Records,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
    ConfigRecord,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.agents.background import Hangs
from support.agents.bench import Bench

API_SERVER, MANAGER, SCHEDULER = "kube-apiserver", "kube-controller-manager", "kube-scheduler"
OLD, NEW = "old", "new"
RECORD = ConfigRecord(source=ConfigSource("configok-system", "pool-a", "u"), files={API_SERVER: NEW, SCHEDULER: NEW})


class Node:
    """Static Pods whose kubelet and whose manifests are the test."""

    def __init__(self, directory: Path) -> None:
        bench = Bench(directory)
        pods = {name: ComponentConfiguration(name, "", manifest=f"/m/{name}") for name in (SCHEDULER, API_SERVER)}
        context = bench.new_context()._replace(
            configuration=bench.configuration._replace(components=pods),
            services=self,
            prober=lambda *_arguments: ProbeResult(True),
            counters=Counters(list(pods)),
        )
        self.clock = bench.clock
        self.units = {name: Unit(name, "active", "a/0", 1, 900.0, config=OLD) for name in pods}
        self.files = {name: ComponentFiles(NEW, switched_since=self.clock.seconds) for name in pods}
        self.restarted: list[str] = []
        self.error = ""
        self.hangs = False
        self.components = ComponentManager(context)

    def unit(self, component: str) -> Unit:
        return self.units[component]

    def restart(self, component: str) -> bool:
        self.restarted.append(component)
        if self.hangs:
            raise Hangs
        if self.error:
            raise ServiceManagerError(self.error)
        return True

    def observe(self, *, in_trial: bool = True, record: ConfigRecord = RECORD) -> ComponentsObservation:
        """Observe, and request what is due."""
        good = None if in_trial else record
        records = Records(record, good or LOCAL_CONFIG, AnsweredAssignment(), never_written=False)
        state = NodeState(records, ActiveConfig(record, "current"), {}, {}, {}, {}, self.files)
        self.components.refresh()
        self.components.probe_soon()
        observed = self.components.observe(state, steady=False)
        assert observed is not None
        for name, config in observed.restarts_due.items():
            self.components.restart(name, config)
        return observed

    def write(self, component: str, *, is_started: bool = True) -> None:
        """Have the manifest written, and a healthy Pod of it started."""
        invocation = "b/0" if is_started else "a/0"
        self.units[component] = Unit(component, "active", invocation, 2, self.clock.seconds, config=NEW)
        self.files[component] = self.files[component]._replace(same_as_started=is_started)


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


@pytest.mark.parametrize("state", ["active", "starting"])
def test_another_manifest_is_written_also_while_the_pod_waits_for_its_next_start(node: Node, state: UnitState) -> None:
    """Nothing else changes what a Pod reads that crashes at once and is in back-off."""
    unit = node.units[API_SERVER]
    node.units[API_SERVER] = unit._replace(state=state, pid=None)
    assert API_SERVER in node.observe().restarts_due


def test_a_change_of_several_begins_with_the_api_server_and_waits_for_it(node: Node) -> None:
    assert list(node.observe().restarts_due) == [API_SERVER]
    node.write(API_SERVER)
    for _second in range(3):
        node.clock.advance(1)
        observed = node.observe()
    assert node.restarted == [API_SERVER, SCHEDULER]
    assert observed.healthy is not True, "the scheduler is not restarted yet"


def test_a_rollback_waits_for_none(node: Node) -> None:
    assert list(node.observe(in_trial=False).restarts_due) == [API_SERVER, SCHEDULER]


def test_a_pod_of_the_manifest_before_is_not_healthy(node: Node) -> None:
    """The manifest is written, and the kubelet has yet to act."""
    for name in node.units:
        node.write(name, is_started=False)
    node.clock.advance(10)
    observed = node.observe()
    assert (observed.healthy, observed.restarts_due) == (False, {})


def test_a_kubelet_that_does_not_act_says_nothing_about_the_options(node: Node) -> None:
    node.write(API_SERVER, is_started=False)
    node.write(SCHEDULER)
    node.clock.advance(61)
    observed = node.observe()
    assert observed.stopped == f"the kubelet has not acted on /m/{API_SERVER} for 60 s"
    assert (observed.healthy, observed.failed) == (None, "")


def test_the_time_of_the_kubelet_begins_with_the_last_change(node: Node) -> None:
    """The restart for the one before was carried out long ago, and the one for this one is on its way."""
    node.observe()
    assert node.restarted == [API_SERVER]
    node.clock.advance(100)
    for name in node.units:
        node.write(name)
    node.files[API_SERVER] = ComponentFiles(NEW, switched_since=node.clock.seconds, same_as_started=False)
    assert node.observe().stopped == ""
    node.clock.advance(61)
    assert "the kubelet has not acted" in node.observe().stopped


def test_a_manifest_that_cannot_be_written_says_nothing_about_the_options_and_is_tried_again(node: Node) -> None:
    node.error = "static Pod kube-apiserver: Read-only file system"
    node.observe()
    node.clock.advance(400)
    observed = node.observe()
    assert (observed.stopped, observed.healthy, observed.failed) == (node.error, None, "")
    assert node.restarted.count(API_SERVER) == 2
    node.error = ""
    node.clock.advance(400)
    node.observe()
    assert node.observe().stopped == ""


def test_a_restart_that_takes_long_says_nothing_about_the_options(node: Node) -> None:
    """The data of etcd are saved before. The time to become healthy begins when the manifest is written."""
    node.hangs = True
    node.observe()
    node.clock.advance(400)
    observed = node.observe()
    assert observed.stopped == f"{API_SERVER} is not restarted yet: what comes before that takes long"
    assert (observed.healthy, observed.failed) == (None, "")
    node.hangs = False
    node.observe()
    node.write(API_SERVER, is_started=False)
    node.clock.advance(50)
    observed = node.observe()
    assert (observed.stopped, observed.failed) == ("", "")


def test_a_pod_that_has_ended_and_does_not_come_back_fails_in_its_time(node: Node) -> None:
    """A directory that the manifest mounts is not on this node, for example."""
    node.write(SCHEDULER)
    node.write(API_SERVER, is_started=False)
    node.units[API_SERVER] = node.units[API_SERVER]._replace(state="starting", pid=None)
    for _minute in range(3):
        node.clock.advance(60)
        observed = node.observe()
    assert (observed.failed, observed.stopped) == (API_SERVER, "")


@pytest.mark.parametrize("is_involved", [True, False], ids=["changed with it", "of no change"])
def test_a_component_that_ends_with_its_api_server_has_not_failed(node: Node, is_involved: bool) -> None:
    """A controller manager ends ten seconds after its API server, and starts again and again until that serves."""
    record = RECORD if is_involved else RECORD._replace(files={SCHEDULER: NEW})
    for name in node.units:
        node.write(name)
    for _second in range(4):
        node.clock.advance(1)
        observed = node.observe(record=record)
    assert observed.healthy is True
    for name, unit in list(node.units.items()):
        node.units[name] = unit._replace(state="starting", pid=None)
    for _second in range(100):
        node.clock.advance(1)
        observed = node.observe(record=record)
        assert observed.failed != SCHEDULER
    node.units[API_SERVER] = node.units[API_SERVER]._replace(state="active", pid=3, invocation="b/1")
    for _second in range(200):
        node.clock.advance(1)
        observed = node.observe(record=record)
    assert observed.failed == SCHEDULER, "it does not come back with its API server"


def test_a_component_is_judged_although_its_api_server_is_left_alone(node: Node) -> None:
    record = RECORD._replace(files={SCHEDULER: NEW})
    node.units[API_SERVER] = node.units[API_SERVER]._replace(state="foreign", reason="changed")
    node.write(SCHEDULER)
    for _second in range(4):
        node.clock.advance(1)
        observed = node.observe(record=record)
    assert observed.healthy is True


def test_nothing_follows_a_component_that_is_left_alone(node: Node) -> None:
    node.units[API_SERVER] = node.units[API_SERVER]._replace(state="foreign", reason="changed")
    assert node.observe().restarts_due == {}
