# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A good config is assigned while the host would fail any restart: nothing is restarted, and it is adopted later."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
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
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from support.agents.node import AgentNode
from support.agents.runtime_socket import RuntimeSocket
from support.api.servers import Embedded
from support.configs.kubelet import KUBELET_HEADER
from support.session.patience import LONGEST_WAIT


@pytest.fixture
def runtime() -> Iterator[RuntimeSocket]:
    """The socket of the node's container runtime."""
    with tempfile.TemporaryDirectory(prefix="cri-") as directory:
        started = RuntimeSocket(Path(directory) / "runtime.sock")
        yield started
        started.stop()


class SickHost:
    """A node on its init config whose kubelet uses a runtime and a kubeconfig that can be taken away."""

    def __init__(self, api: Embedded, make_node: Callable[..., AgentNode], runtime: RuntimeSocket, path: Path) -> None:
        self.client = api.client()
        apply_steps(self.client, plan_setup(self.client, Access()).steps, dry_run=False)
        self.kubeconfig = path
        path.write_text(Path(api.node_kubeconfig("n1")).read_text())
        self.node = make_node(str(path), healthTimeout="60s")
        self.node.change(lambda data: data["components"]["kubelet"].update(hostChecks=True))
        # What the host check asks of a real kubelet's host in addition.
        own = f"containerRuntimeEndpoint: {runtime.endpoint}\nfailSwapOn: false\nfailCgroupV1: false\n"
        for name in ("instance.yaml", "init.yaml"):
            with (self.node.directory / name).open("a") as stream:
                stream.write(own)
        self.node.start("supervisor")
        self.node.start("run")
        self.until("Init", "")

    def assign(self, number: int, document: str) -> ConfigSource:
        """Publish a bundle and assign it."""
        bundle = build_bundle("workers", {"kubelet": KUBELET_HEADER + document}, trial=Trial(5, 3))
        created = self.client.create(config_maps("configok-system"), bundle)
        source = ConfigSource("configok-system", created["metadata"]["name"], created["metadata"]["uid"])
        self.client.patch(node_path("n1"), assignment_patch(source, Assignment(number)))
        return source

    def until(self, cause: str, reason: str, timeout: float = LONGEST_WAIT) -> ConfigStatus:
        """Wait until ConfigOK has this cause, and return the status; its reason holds a text."""

        def reported() -> ConfigStatus | None:
            try:
                status = read_status(self.client.get(node_path("n1")))
            except NotFound:
                return None  # the kubelet has not registered it yet
            return status if status is not None and status.cause == cause else None

        status: ConfigStatus = self.node.until(f"the cause {cause}", reported, timeout)
        condition = read_condition(self.client.get(node_path("n1"))) or {}
        assert reason in condition["reason"], condition
        return status

    def until_adopted(self, source: ConfigSource) -> None:
        """Wait until the node uses a config by itself."""
        self.node.until("adoption", lambda: self.node.record("current", source.uid))
        assert self.until("Good", "all checks passed").active == source


@pytest.fixture
def host(
    embedded_api: Embedded, make_node: Callable[..., AgentNode], runtime: RuntimeSocket, tmp_path: Path
) -> SickHost:
    """The node, which is healthy."""
    return SickHost(embedded_api, make_node, runtime, tmp_path / "kubelet.conf")


@pytest.mark.contract("host.before-restart", "condition.host-not-ready")
def test_a_runtime_that_is_stopped_costs_no_restart_and_no_mark(host: SickHost, runtime: RuntimeSocket) -> None:
    before = host.node.unit()
    runtime.stop()
    source = host.assign(1, "maxPods: 50\n")
    status = host.until(
        "HostNotReady",
        f"(UID: {source.uid}) waits for this host: the container runtime does not answer at {runtime.endpoint}: ",
    )
    assert (status.active, status.assignment) == (None, 1)
    assert (host.node.unit(), host.node.starts()) == (before, 1)
    runtime.start()
    host.until_adopted(source)
    assert host.node.starts() == 2


@pytest.mark.contract("host.before-restart")
def test_a_kubeconfig_that_is_moved_away_costs_no_restart_and_no_mark(host: SickHost) -> None:
    before = host.node.unit()
    away = host.kubeconfig.with_suffix(".away")
    host.kubeconfig.rename(away)
    source = host.assign(1, "maxPods: 50\n")
    host.until("HostNotReady", f"waits for this host: the kubeconfig {host.kubeconfig} cannot be read")
    assert (host.node.unit(), host.node.starts()) == (before, 1)
    away.rename(host.kubeconfig)
    host.until_adopted(source)
    assert host.node.starts() == 2
