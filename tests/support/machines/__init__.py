# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real nodes for tests: machines with systemd, containerd and a kubelet, on their own API server.

with Testbed.start("faults", nodes=2, distribution="bookworm", layout="kubeadm") as bed:
    node = bed.nodes[0]
    node.provision()
    source = bed.publish({"kubelet": {"maxPods": 50}}, trial={"trialDuration": "10s"})
    node.wait_config_ok("True", assignment=bed.assign(node, source))

Needs root, and tests/support/bin/prepare-nodes; raises Unavailable otherwise.
"""

from __future__ import annotations

from support.api.binaries import Unavailable

from ._commands import CommandFailed
from ._control_plane import MANIFESTS, STATIC_PODS, ControlPlane
from ._control_plane_agent import ControlPlaneAgent
from ._node import Node, NodeSpec
from ._node_files import CERTIFICATE, KUBECONFIG
from ._provider_runs import ProviderRuns
from ._testbed import Testbed
from ._units import BARE, CONFIG_PATHS, LAYOUTS

__all__ = [
    "BARE",
    "CERTIFICATE",
    "CONFIG_PATHS",
    "KUBECONFIG",
    "LAYOUTS",
    "MANIFESTS",
    "STATIC_PODS",
    "CommandFailed",
    "ControlPlane",
    "ControlPlaneAgent",
    "Node",
    "NodeSpec",
    "ProviderRuns",
    "Testbed",
    "Unavailable",
]
