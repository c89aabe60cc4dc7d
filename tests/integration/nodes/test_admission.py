# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real node under admission policies: its kubelet registers and stays Ready, its agent reports, it is given back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from support.api.binaries import minor_of
from support.machines import Testbed, Unavailable
from support.session.unavailable import leave_out

POLICIES_SINCE = 30
CLUSTER: dict[str, Any] = {
    "cluster_admission": True,
    "cluster_runner_subjects": [{"kind": "User", "name": "runner", "pools": ["workers"]}],
    "cluster_break_glass_subjects": [{"kind": "User", "name": "admin"}],
}


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    try:
        minor = minor_of("kube-apiserver")
        if minor < POLICIES_SINCE:
            pytest.skip(f"kube-apiserver is 1.{minor}, and ValidatingAdmissionPolicies came with 1.{POLICIES_SINCE}")
        started = Testbed.start("admission", 1)
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


def test_a_node_from_its_registration_to_its_removal(bed: Testbed) -> None:
    node = bed.nodes[0]
    node.provision(**CLUSTER)
    other, runner = bed.api.client("other", ["system:masters"]), bed.api.client("runner")
    assignment = {"metadata": {"annotations": {"configok.dev/config-source": "{}"}}}

    def is_refused() -> bool:
        try:
            other.patch(paths.node_status(node.name), assignment, dry_run=True)
        except Forbidden as error:
            return "configok-nodes" in str(error)
        return False

    node.wait("the policies are in force", is_refused)

    # The kubelet registers again, and says that it is Ready. Only an administrator sets the pool.
    bed.client.delete(paths.node(node.name))
    node.run(["systemctl", "restart", "kubelet.service"])
    node.wait_ready(120)
    label = {"metadata": {"labels": {"node-restriction.kubernetes.io/pool": "workers"}}}
    other.patch(paths.node(node.name), label)

    source = bed.publish({"kubelet": {"maxPods": 77}}, pool="workers")
    (done,) = assign_nodes(runner, source, names=[node.name])
    assert not done.error
    node.wait_config_ok("True", 120, assignment=done.assignment)
    assert node.get()["metadata"]["labels"]["configok.dev/config"] == source.name

    (back,) = assign_nodes(runner, None, names=[node.name])
    assert not back.error
    node.wait_config_ok("True", 120, assignment=back.assignment)
    node.remove()
    assert "configok.dev/config-status" not in node.get()["metadata"]["annotations"]
    assert bed.client.find(paths.admission_policy("configok-nodes")) is None
