# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""With admission policies in force, users and agents do all their work: provision, roll out, drain, report, remove."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_change, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from support.agents.fleet import start_fleet
from support.ansible_runs.playbooks import Playbooks, quick_pool
from support.api.clusters import look
from support.api.namespaces import finish_deletions
from support.api.real_pods import RealPods
from support.api.servers import Real
from support.rollouts.simulated_nodes import SimulatedNodes
from support.session.patience import LONGEST_WAIT

DRAIN = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"
GLASS = "glass"
ASSIGNMENT = {"metadata": {"annotations": {"configok.dev/config-source": "{}"}}}


class Cluster:
    """A cluster, and users of its roles: each user is named as its role."""

    def __init__(self, api: Real, directory: Path) -> None:
        self.api, self.directory = api, directory
        self.glass = api.client(GLASS, ["system:masters"])
        self.admin = api.client()

    def user(self, name: str) -> Playbooks:
        groups = ["system:masters"] if name == GLASS else []
        return Playbooks(self.directory, self.api.kubeconfig_for(name, groups))

    def provision(self, pool: str, label: str) -> str:
        """Set up the policies with the playbook provision, and wait until they are in force. Return its output."""
        variables: dict[str, Any] = {
            "provision_hosts": "none",
            "cluster_runner_subjects": [{"kind": "User", "name": "runner", "pools": [pool]}],
            "cluster_publisher_subjects": [{"kind": "User", "name": "publisher", "pools": [pool]}],
            "cluster_assigner_subjects": [
                {"kind": "User", "name": "assigner", "pools": [pool]},
                {"kind": "User", "name": "of-others", "pools": ["others"]},
            ],
            "cluster_break_glass_subjects": [{"kind": "User", "name": GLASS}],
            "cluster_admission": True,
            "cluster_admission_pool_label": label,
        }
        done = self.user(GLASS).run("provision", "-e", json.dumps(variables), pool=False)
        assert done.code == 0, done.output
        body = {"metadata": {"name": f"{pool}-probe", **ASSIGNMENT["metadata"]}}
        deadline = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < deadline:
            try:
                self.admin.create(paths.NODES, body, dry_run=True)
            except Forbidden:
                return done.output
            time.sleep(0.1)
        raise AssertionError("the policies are not in force")


@pytest.fixture
def policed(policed_api: Real, tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(policed_api, tmp_path)
    yield cluster
    apply_change(cluster.glass, plan_setup(cluster.glass, Access(admission=False)), workers=4, dry_run=False)


def boot(client: Client, name: str) -> None:
    client.patch(paths.node_status(name), {"status": {"nodeInfo": {"bootID": "b0"}}}, kind="strategic")


def test_a_rollout_with_drains_by_runners_of_the_pool(policed: Cluster, unique: str) -> None:
    output = policed.provision(unique, "node-restriction.kubernetes.io/pool")
    assert "is not named in break_glass_subjects" not in output
    names = [f"{unique}-{number}" for number in range(3)]
    with ExitStack() as stack:
        simulated = stack.enter_context(SimulatedNodes(policed.glass))
        for name in names:
            simulated.add(name, labels={"pool": unique, "node-restriction.kubernetes.io/pool": unique})
            boot(policed.glass, name)
        pods = [stack.enter_context(RealPods(policed.api, name)) for name in names]
        runner, assigner = policed.user("runner"), policed.user("assigner")

        runner.write(quick_pool(unique), "maxPods: 60\n")
        first = runner.run("rollout")
        assert first.code == 0, first.output

        for own in pods:
            own.add("db")
        drain = {"timeout": "60s", "force": True}
        runner.write(quick_pool(unique, policy={**quick_pool()["policy"], "drain": drain}), DRAIN)
        refused = assigner.run("rollout")
        assert refused.code != 0, "it publishes nothing"
        assert "configmaps" in refused.output
        other = policed.user("of-others").run("undo")
        assert other.code != 0
        assert f"is not a runner of pool {unique}" in other.output
        drained = runner.run("rollout")
        assert drained.code == 0, drained.output
        assert f"cordoned {names[0]}" in drained.output
        assert [own.items() for own in pods] == [[], [], []]
        undone = assigner.run("undo")
        assert undone.code == 0, undone.output
        for name in names:
            item = policed.admin.get(paths.node(name))
            assert item["metadata"]["labels"]["configok.dev/config"] == first.stats["target"]
            assert not item["spec"].get("unschedulable")
            assert "configok.dev/cordoned-by" not in item["metadata"]["annotations"]

        removed = policed.user(GLASS).run(
            "remove", "-e", "provision_hosts=none", "-e", "cluster_force=true", pool=False
        )
        assert removed.code == 0, removed.output
    assert look(policed.admin, paths.admission_policy("configok-nodes")) is None
    assert "configok.dev/config-status" not in policed.admin.get(paths.node(names[0]))["metadata"].get(
        "annotations", {}
    )
    finish_deletions(policed.admin)
    for name in names:
        policed.admin.delete(paths.node(name))


def test_real_agents_report_and_adopt(policed: Cluster, unique: str) -> None:
    output = policed.provision(unique, "example.com/pool")
    assert "a node can set its own label example.com/pool" in output
    with start_fleet(policed.api, unique, 3, policed.directory) as fleet:
        fleet.user = policed.user("runner")
        done = fleet.user.run("rollout")
        assert done.code == 0, done.output
        (bundle,) = fleet.bundles().values()
        assert fleet.all_use(bundle["metadata"]["uid"])
        with pytest.raises(Forbidden, match="admin is not a runner of pool"):
            policed.admin.patch(paths.node_status(fleet.names[0]), ASSIGNMENT)
        lie = {"metadata": {"labels": {"configok.dev/config-ok": "False"}}}
        with pytest.raises(Forbidden, match="only the node itself"):
            policed.admin.patch(paths.node_status(fleet.names[0]), lie)
