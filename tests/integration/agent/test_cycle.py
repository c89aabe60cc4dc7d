# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole cycle with real processes and the embedded API server: adopt, fall back, come through."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.api.servers import Embedded
from support.configs.kubelet import KUBELET_HEADER
from support.session.patience import LONGEST_WAIT

DEADLY = 13  # podsPerCore: legal, and the stub kubelet crashes on it


class World:
    """One node, the API server, and what an operator does."""

    def __init__(self, api: Embedded, make_node: Callable[..., Any]) -> None:
        self.api = api
        self.client: Client = api.client()
        apply_steps(self.client, plan_setup(self.client, Access()).steps, dry_run=False)
        self.node = make_node(api.node_kubeconfig("n1"))
        self._assignments = 0

    def assign(self, document: str, *, trial: Trial) -> ConfigSource:
        """Publish a bundle and assign it."""
        bundle = self.client.create(
            config_maps("configok-system"), build_bundle("workers", {"kubelet": KUBELET_HEADER + document}, trial=trial)
        )
        source = ConfigSource("configok-system", bundle["metadata"]["name"], bundle["metadata"]["uid"])
        self._assignments += 1
        self.client.patch(node_path("n1"), assignment_patch(source, Assignment(self._assignments)))
        return source

    def condition(self) -> dict[str, Any]:
        """Return ConfigOK as the API has it, empty before it is reported."""
        try:
            conditions = self.client.get(node_path("n1")).get("status", {}).get("conditions") or []
        except NotFound:
            return {}  # the kubelet has not registered it yet
        return next((condition for condition in conditions if condition["type"] == "ConfigOK"), {})

    def until_condition(self, status: str, message: str, timeout: float = LONGEST_WAIT) -> dict[str, Any]:
        """Wait until ConfigOK says so."""

        def reported() -> dict[str, Any] | None:
            now = self.condition()
            return now if (now.get("status"), now.get("message")) == (status, message) else None

        condition: dict[str, Any] = self.node.until(f"ConfigOK {status} {message}", reported, timeout)
        return condition


@pytest.fixture
def world(embedded_api: Embedded, make_node: Callable[..., Any]) -> World:
    """A node that runs its init config, with its agent."""
    started = World(embedded_api, make_node)
    started.node.start("supervisor")
    started.node.start("run")
    started.until_condition("True", "using current (init)")
    return started


def effective(world: World) -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load(world.node.config.read_text())
    return config


@pytest.mark.complaint("openshift-ansible #11007: an agent restart restarted kubelets with unchanged config")
@pytest.mark.contract("run.follows-its-node", "supervisor.agent-restart", "files.stable-path")
def test_adopt_promote_and_an_agent_that_is_killed_restarts_nothing(world: World) -> None:
    node = world.node
    before = node.unit()
    source = world.assign("maxPods: 50\n", trial=Trial(0.5, 3))
    world.until_condition("True", f"using current (UID: {source.uid})")
    adopted = node.until_active(after=before.invocation)
    assert effective(world)["maxPods"] == 50
    assert effective(world)["healthzPort"]  # the instance config lies over it
    assert node.starts() == 2
    node.until("promotion", lambda: node.record("last-known-good", source.uid))

    node.kill("run")
    node.start("run")
    lines = node.logs().count("\n")
    second = world.assign("maxPods: 50\n# the same values\n", trial=Trial(0.5, 3))
    world.until_condition("True", f"using current (UID: {second.uid})")
    assert node.unit() == adopted, lines
    assert node.starts() == 2


@pytest.mark.contract("validate.costs-no-restart")
def test_an_invalid_config_costs_no_restart(world: World) -> None:
    before = world.node.unit()
    source = world.assign("maxPods: -1\n", trial=Trial(5, 3))
    condition = world.node.until(
        "refused", lambda: now if (now := world.condition()).get("status") == "False" else None
    )
    assert f"failed to validate current (UID: {source.uid})" in condition["reason"]
    assert "maxPods" in condition["reason"]
    assert condition["message"] == "using last-known-good (init)"
    assert world.node.unit() == before
    assert world.node.starts() == 1


@pytest.mark.complaint("Talos #4724: one bad apply and the node is gone; health-based revert wanted")
@pytest.mark.contract("rollback.without-daemon-and-api", "prestart.needs-no-api")
def test_a_crash_loop_rolls_back_without_api_server_and_agent(world: World) -> None:
    node = world.node
    init = node.config.read_bytes()
    source = world.assign(f"podsPerCore: {DEADLY}\n", trial=Trial(60, 2))
    # Neither the API server nor the daemon is there when it counts.
    node.until("adoption", lambda: node.record("current", source.uid))
    world.api.server.stop()
    node.until("the first start with it", lambda: node.starts() > 1)
    node.kill("run")

    def back() -> bool:
        return bool(node.config.read_bytes() == init and node.unit().state == "active")

    node.until("the init config again", back)
    settled = node.until_active()
    # The init config, three crashes (the threshold of two exceeded), the init config again.
    node.until("five starts", lambda: node.starts() == 5)
    time.sleep(0.3)  # nothing more may happen in it
    assert node.unit() == settled
    assert node.starts() == 5
    assert source.uid in node.call("status", "--json").stdout

    world.api.server.start()
    node.start("run")
    condition = world.until_condition("False", "using last-known-good (init)")
    assert f"current (UID: {source.uid}) crashed" in condition["reason"]
    assert "times during its trial" in condition["reason"]
    assert node.unit() == settled


@pytest.mark.contract("lock.one-daemon")
def test_there_is_one_daemon(world: World) -> None:
    second = world.node.call("run")
    assert second.returncode == 1
    assert "another configok-agent runs" in second.stderr
    assert second.stderr.count("\n") == 1
