# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboots: which host is rebooted, and what counts as rebooted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node, node_status
from ansible_collections.configok.node.plugins.module_utils._rollout import RebootFailed
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import RebootSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import (
    InventoryHost,
    find_host,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.rebooter import Rebooter, RebootRequest
from support.rollouts.world import MakeWorld, World

SETTINGS = RebootSettings(allowed=True, timeout=300.0)


def boot(world: World, boot_id: str) -> None:
    status = {"nodeInfo": {"bootID": boot_id}, "addresses": [{"type": "InternalIP", "address": "10.0.0.7"}]}
    world.client.patch(node_status("n00"), {"status": status}, kind="strategic")


class Machine:
    """The machine of a node. after: seconds until its kubelet reports the new boot, None for never."""

    def __init__(self, world: World, *, after: float | None = 40.0, failure: str = "") -> None:
        self.world, self.after, self.failure = world, after, failure
        self.requests: list[RebootRequest] = []

    def __call__(self, request: RebootRequest) -> str:
        self.requests.append(request)
        self.world.nodes.set_ready("n00", None)
        self.world.clock.sleep(20.0)
        if self.after is not None:
            self.world.later(self.after, self._come_back)
        return self.failure

    def _come_back(self) -> None:
        boot(self.world, "b2")
        self.world.clock.sleep(5.0)
        self.world.nodes.set_ready("n00", True)


def a_world(make_world: MakeWorld) -> World:
    world = make_world(1)
    boot(world, "b1")
    return world


def reboot(world: World, run: Callable[[RebootRequest], str], settings: RebootSettings = SETTINGS) -> list[str]:
    lines: list[str] = []
    Rebooter(world.client, settings, world.clock, run, report=lines.append).reboot("n00")
    return lines


def test_a_node_is_rebooted_when_it_is_ready_with_another_boot_id(make_world: MakeWorld) -> None:
    world = a_world(make_world)
    machine = Machine(world)
    began = world.clock.monotonic()
    assert reboot(world, machine) == ["rebooting n00", "rebooted n00"]
    assert 65.0 <= world.clock.monotonic() - began < 70.0
    assert machine.requests == [RebootRequest("n00", ("10.0.0.7",), "b1", 300.0)]
    view = world.nodes.view("n00")
    assert (view.system.boot_id, view.ready) == ("b2", True)


def test_without_permission_no_machine_is_touched(make_world: MakeWorld) -> None:
    world = a_world(make_world)
    machine = Machine(world)
    with pytest.raises(RebootFailed, match=r"policy\.reboot\.allowed does not allow a reboot"):
        reboot(world, machine, RebootSettings())
    assert machine.requests == []


def test_a_machine_that_cannot_be_rebooted_is_reported_at_once(make_world: MakeWorld) -> None:
    world = a_world(make_world)
    began = world.clock.monotonic()
    with pytest.raises(RebootFailed, match=r"it was not rebooted: host n00: unreachable"):
        reboot(world, Machine(world, after=None, failure="host n00: unreachable"))
    assert world.clock.monotonic() - began < 25.0


def test_a_playbook_that_fails_after_the_reboot_is_not_a_failure(make_world: MakeWorld) -> None:
    """Its connection may be lost for longer than it waits, while the node is back."""
    world = a_world(make_world)

    def run(_request: RebootRequest) -> str:
        boot(world, "b2")
        return "timeout"

    assert reboot(world, run) == ["rebooting n00", "rebooted n00"]


@pytest.mark.parametrize(
    ("boot_id", "words"),
    [("b1", "its Node still reports the boot before, 5m after its reboot was begun"), ("b2", "it is not Ready, 5m")],
)
def test_a_node_that_does_not_come_back_is_given_up_in_time(make_world: MakeWorld, boot_id: str, words: str) -> None:
    world = a_world(make_world)

    def run(_request: RebootRequest) -> str:
        boot(world, boot_id)
        world.nodes.set_ready("n00", False)
        return ""

    began = world.clock.monotonic()
    with pytest.raises(RebootFailed, match=words):
        reboot(world, run)
    assert 300.0 <= world.clock.monotonic() - began < 305.0


def test_a_node_without_a_boot_id_is_not_rebooted(make_world: MakeWorld) -> None:
    world = make_world(1)
    machine = Machine(world)
    with pytest.raises(RebootFailed, match="its Node reports no boot id"):
        reboot(world, machine)
    assert machine.requests == []


def test_a_node_that_is_deleted_is_not_waited_for(make_world: MakeWorld) -> None:
    world = a_world(make_world)

    def run(_request: RebootRequest) -> str:
        world.client.delete(node("n00"))
        return ""

    with pytest.raises(RebootFailed, match="the Node was deleted while it was rebooted"):
        reboot(world, run)
    with pytest.raises(RebootFailed, match="the Node was deleted"):
        reboot(world, run)


def test_a_run_that_ends_does_not_wait_for_the_node(make_world: MakeWorld) -> None:
    world = a_world(make_world)
    stop_at = world.clock.monotonic() + 50.0
    rebooter = Rebooter(world.client, SETTINGS, world.clock, Machine(world, after=200.0))
    with pytest.raises(RebootFailed, match="the wait for its reboot was interrupted"):
        rebooter.reboot("n00", lambda: world.clock.monotonic() >= stop_at)
    assert world.clock.monotonic() - stop_at <= 1.2


# --- the host of a Node

HOSTS = [
    InventoryHost("localhost", address="127.0.0.1"),
    InventoryHost("n1", address="10.0.0.1"),
    InventoryHost("machine-2", node_name="n2", address="10.0.0.2"),
    InventoryHost("n2", node_name="n3", address="10.0.0.3"),
    InventoryHost("machine-4", address="10.0.0.4"),
    InventoryHost("machine-5", address="10.0.0.5"),
    InventoryHost("machine-5-bmc", address="10.0.0.5"),
    InventoryHost("machine-6", node_name="n6"),
    InventoryHost("machine-7", node_name="n6"),
]


@pytest.mark.parametrize(
    ("name", "address", "host"),
    [
        ("n1", "", "n1"),
        ("n1", "10.0.0.4", "n1"),
        ("n2", "10.0.0.2", "machine-2"),
        ("n3", "", "n2"),
        ("n4", "10.0.0.4", "machine-4"),
    ],
)
def test_the_host_of_a_node_is_found_by_name_or_address(name: str, address: str, host: str) -> None:
    assert find_host(name, [address], HOSTS) == host


@pytest.mark.parametrize(
    ("name", "address", "words"),
    [
        ("n9", "10.0.0.9", "the inventory has no host for Node n9: give the host the Node's name, or set its variable"),
        ("n9", "", "the inventory has no host for Node n9"),
        ("n9", "10.0.0.2", "the inventory has no host for Node n9"),
        ("n5", "10.0.0.5", r"the inventory has 2 hosts for Node n5 \(machine-5, machine-5-bmc\): set the variable"),
        ("n6", "", r"the inventory has 2 hosts for Node n6 \(machine-6, machine-7\)"),
    ],
)
def test_a_host_that_is_not_certain_is_refused(name: str, address: str, words: str) -> None:
    with pytest.raises(RebootFailed, match=words):
        find_host(name, [address], HOSTS)
