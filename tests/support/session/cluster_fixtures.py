# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster for the tests of modules and action plugins: the embedded API server in this process, and its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube._credentials import from_kubeconfig
from embedded_apiserver.server import EmbeddedApiServer
from support.api.clusters import SandboxCluster, prepare
from support.rollouts.simulated_nodes import SimulatedNodes

__all__ = ["cluster", "nodes"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[SandboxCluster]:
    """An embedded API server, empty."""
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
