# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flow_control on a real API server, which says in the headers of each answer which flow the request took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._flow_control import FLOW_CONTROL_VERSIONS
from ansible_collections.configok.node.plugins.module_utils._cluster.access import plan_removal
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.modules import cluster_access
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster, look
from support.api.servers import Real
from support.api.wire import Answer
from support.session.patience import LONGEST_WAIT

_FLOW = "X-Kubernetes-PF-FlowSchema-UID"
_RBAC = "rbac.authorization.k8s.io"
_KINDS = ("PriorityLevelConfiguration", "FlowSchema")


class FlowControl:
    """cluster_access with its option flow_control on the real API server, for one runner."""

    def __init__(self, api: Real, runner: str) -> None:
        self.api = api
        self.runner = runner
        self.client = api.client()
        self.version = next(version for version in FLOW_CONTROL_VERSIONS if self._is_served(version))

    def _is_served(self, version: str) -> bool:
        return bool(self.api.wire().get(paths.flow_schemas(version)).status == 200)

    def set(self, **arguments: Any) -> dict[str, Any]:
        """Run the module; return its result, of which only the objects of flow control are kept."""
        mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
        subject = {"kind": "User", "name": self.runner}
        subjects = {"runner_subjects": [subject], "machine_subjects": []}
        options = {"kubeconfig": self.api.admin_kubeconfig, **subjects, **arguments}
        result = run_module(cluster_access.main, options, **mode)
        assert not result.get("failed"), result
        changes = [item for item in result["objects"] if item["kind"] in _KINDS]
        return {**result, "objects": [(item["kind"], item["name"], item["change"]) for item in changes]}

    def uids(self) -> dict[str, str]:
        """Return the names of the FlowSchemas, by uid."""
        items = self.client.list(paths.flow_schemas(self.version)).items
        return {item["metadata"]["uid"]: item["metadata"]["name"] for item in items}

    def flow_of(self, ask: Callable[[], Answer], expected: str | None = None, seconds: float = 10.0) -> str:
        """Return the FlowSchema of a request; wait for the expected one: the API server sees new ones a bit later."""
        names = self.uids()
        deadline = time.monotonic() + seconds
        while True:
            name = names.get(ask().headers.get(_FLOW, ""), "none")
            if expected in (None, name) or time.monotonic() > deadline:
                return name
            time.sleep(0.05)

    def dispatched(self, schema: str) -> float:
        """Return how many requests of a FlowSchema the API server has begun, from its metrics."""
        metrics = str(self.api.wire().get("/metrics").body).splitlines()
        mark = "apiserver_flowcontrol_dispatched_requests_total{"
        return sum(float(line.split()[-1]) for line in metrics if line.startswith(mark) and f'"{schema}"' in line)


@pytest.fixture
def flow(real_api: Real, unique: str) -> Iterator[FlowControl]:
    control = FlowControl(real_api, f"{unique}-runner")
    yield control
    control.set(flow_control=False)


def test_agents_and_runners_take_flows_of_their_own_and_kubelets_keep_theirs(flow: FlowControl, unique: str) -> None:
    made = flow.set(flow_control=True, bundle_namespaces=[unique], diff=True)
    assert made["objects"] == [
        (kind, name, "created") for name in ("configok-agents", "configok-runner") for kind in _KINDS
    ]
    assert "FlowSchema configok-agents" in made["diff"]["after"]
    assert flow.set(flow_control=True)["changed"] is False
    assert flow.set()["changed"] is False, "what is there stays"

    flow.client.create(paths.NODES, {"metadata": {"name": unique}})
    node, runner = flow.api.node_wire(unique), flow.api.wire(flow.runner)
    for namespace in ("configok-system", unique):
        read = paths.config_map(namespace, "workers-0123456789")
        assert flow.flow_of(partial(node.get, read), "configok-agents") == "configok-agents"
    assert flow.flow_of(lambda: runner.get(paths.NODES, limit=1), "configok-runner") == "configok-runner"
    assert flow.dispatched("configok-agents") >= 2

    own = paths.node(unique)
    others = {
        "a kubelet's heartbeat": lambda: node.strategic(paths.node_status(unique), {"status": {}}),
        "a kubelet's own Node": lambda: node.get(own),
        "a pod's ConfigMap": lambda: node.get(paths.config_map("default", "theirs")),
        "another user": lambda: flow.api.wire(f"{unique}-other").get(paths.NODES),
        "the runner, elsewhere": lambda: runner.get(paths.config_maps("default")),
    }
    for what, ask in others.items():
        assert not flow.flow_of(ask).startswith("configok-"), what
    for request in (
        lambda: runner.get(paths.lease("configok-rollouts", "workers")),
        lambda: runner.get(paths.config_map("configok-rollouts", "workers")),
        lambda: runner.get(paths.config_map("configok-system", "workers-0123456789")),
        lambda: runner.merge(own, {"metadata": {"annotations": {"a": "b"}}}),
    ):
        assert flow.flow_of(request) == "configok-runner"
    flow.client.delete(own)


def test_an_identity_that_changes_machines_takes_the_flow_of_runners(flow: FlowControl, unique: str) -> None:
    options = {"runner_subjects": [], "machine_subjects": [{"kind": "User", "name": unique}]}
    flow.set(flow_control=True, **options)
    user = flow.api.wire(unique)
    assert flow.flow_of(lambda: user.get(paths.NODES, limit=1), "configok-runner") == "configok-runner"
    assert flow.flow_of(lambda: user.get(paths.CERTIFICATE_REQUESTS)) == "configok-runner"
    assert flow.set(**options)["changed"] is False


def test_changed_limits_are_set_again_and_defaults_are_not_a_change(flow: FlowControl) -> None:
    flow.set(flow_control=True)
    path = paths.priority_level(flow.version, "configok-agents")
    queuing = {"limited": {"limitResponse": {"queuing": {"queueLengthLimit": 1}}}}
    flow.client.patch(path, {"spec": queuing})
    for check in (True, False):
        [changed] = flow.set(check=check)["objects"]
        assert changed == ("PriorityLevelConfiguration", "configok-agents", "changed")
    assert flow.client.get(path)["spec"]["limited"]["limitResponse"]["queuing"]["queueLengthLimit"] == 50
    assert flow.set()["changed"] is False


def test_false_and_absent_remove_them(flow: FlowControl) -> None:
    flow.set(flow_control=True)
    without_runner = flow.set(runner_subjects=[])["objects"]
    assert [change for _kind, name, change in without_runner if name == "configok-runner"] == ["deleted", "deleted"]
    flow.set()
    absent = flow.set(state="absent", force=True, check=True)["objects"]
    assert absent == [
        (kind, name, "deleted") for name in ("configok-runner", "configok-agents") for kind in _KINDS[::-1]
    ]
    assert flow.set(flow_control=False)["objects"] == absent
    assert look(flow.client, paths.flow_schema(flow.version, "configok-agents")) is None
    assert flow.set()["objects"] == []


def test_an_identity_without_these_permissions_can_do_all_the_rest(
    real_api: Real, flow: FlowControl, unique: str
) -> None:
    rules = [{"apiGroups": ["", _RBAC], "resources": ["*"], "verbs": ["*"]}]
    flow.client.create(paths.CLUSTER_ROLES, {"metadata": {"name": unique}, "rules": rules})
    reference = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": unique}
    subjects = [{"kind": "User", "name": unique, "apiGroup": _RBAC}]
    binding = {"metadata": {"name": unique}, "roleRef": reference, "subjects": subjects}
    flow.client.create(paths.CLUSTER_ROLE_BINDINGS, binding)
    flow.set(flow_control=True)
    options = {"kubeconfig": real_api.kubeconfig_for(unique)}
    deadline = time.monotonic() + LONGEST_WAIT
    while (unset := run_module(cluster_access.main, options)).get("failed") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert unset["changed"] is False, unset
    refused = run_module(cluster_access.main, {**options, "flow_control": True})
    assert "flowschemas" in refused["msg"]
    flows, policies = plan_removal(real_api.client(unique), force=True, force_namespaces=False).warnings
    assert "configok-agents and configok-runner are not removed" in flows
    assert "configok-nodes and configok-bundles are not removed" in policies
    flow.client.delete(paths.cluster_role_binding(unique))
    flow.client.delete(paths.cluster_role(unique))


def test_flow_control_is_refused_with_a_message_on_a_server_without_it(cluster: SandboxCluster) -> None:
    result = run_module(cluster_access.main, {"kubeconfig": cluster.kubeconfig, "flow_control": True})
    assert result["msg"].startswith("the API server has no FlowSchemas, so flow_control cannot be set")
    assert look(cluster.client, paths.namespace("configok-system")) is None
    assert run_module(cluster_access.main, {"kubeconfig": cluster.kubeconfig, "flow_control": False})["changed"] is True
