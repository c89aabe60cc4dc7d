# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""machines: reads files, plans, asks the providers and moves; the providers' hosts are those of the test."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.action import machines
from ansible_collections.configok.node.plugins.module_utils._cluster.local_configs import publish_local_config
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    LocalComponent,
    LocalConfig,
    encode_local_config,
    local_hash,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CORDONED_BY
from ansible_collections.configok.node.plugins.module_utils._operations._machine_plan import _machine_configs
from ansible_collections.configok.node.plugins.module_utils._operations._machine_plan.machine_changes import (
    read_statuses,
    select_machines,
)
from ansible_collections.configok.node.plugins.module_utils._operations._machines import (
    HostAnswer,
    HostRequest,
    _machine_rollout,
)
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._rollout import PoolLocked
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import CordonMark
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    COMPLETE,
    HALTED,
    PAUSED,
    Rollout,
    RolloutStart,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.modules import machines as documentation
from support.ansible_runs.actions import run_machines
from support.ansible_runs.in_process import publish
from support.ansible_runs.module_documentation import documented_options
from support.api.clusters import SandboxCluster, look, prepare
from support.configs.kubelet import kubelet_config
from support.machine_files import cluster_api_machine
from support.rollouts.simulated_nodes import CRASHES, GOOD, SimulatedNodes, status_of
from support.rollouts.simulated_pods import SimulatedPods
from support.rollouts.toy_hosts import PROVIDER

GROUP = "machines.configok.dev/v1alpha1"
OLD, NEW, BROKEN = "1.34.1", "1.34.2", "1.34.3"
POLICY = {
    "canary": {"count": 1, "soak": 0},
    "waves": ["100%"],
    "soak": 0,
    "maxUnavailable": 1,
    "failureBudget": 0,
    "nodeTimeout": "20s",
    "restartDelay": "10ms",
    "timeToCrash": "10ms",
    "healthTimeout": "100ms",
}
Act = Callable[..., dict[str, Any]]


@dataclass
class Hosts:
    """Providers without playbooks: what they were asked, and what the test lets them answer."""

    nodes: SimulatedNodes
    refusals: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    planned: list[HostRequest] = field(default_factory=list)
    changed: list[HostRequest] = field(default_factory=list)
    closed: int = 0

    def plan(self, requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        self.planned += requests
        return {
            request.name: HostAnswer(
                refusals=(self.refusals[request.name],) if request.name in self.refusals else (),
                warnings=self.warnings,
                versions=self.versions,
            )
            for request in requests
        }

    def change(self, request: HostRequest) -> HostAnswer:
        self.changed.append(request)
        version = request.machine["kubelet_version"]
        failure = self.failures.get((request.action, version), "")
        if not failure and request.action == "create":
            self.nodes.add(request.name)
        if not failure and request.action in ("create", "update", "rollback"):
            self.report(request.name, version, request.machine["runtime"].get("version", "1.7.24"))
        return HostAnswer(failure, warnings=self.warnings)

    def close(self) -> None:
        self.closed += 1

    def report(self, name: str, kubelet: str, runtime: str = "1.7.24") -> None:
        info = {"kubeletVersion": f"v{kubelet}", "containerRuntimeVersion": f"containerd://{runtime}"}
        self.nodes.client.patch(paths.node_status(name), {"status": {"nodeInfo": info}}, kind="strategic")

    def log(self) -> list[tuple[str, str, str]]:
        return [(request.action, request.name, request.machine["kubelet_version"]) for request in self.changed]


@pytest.fixture
def hosts(cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """Three machines w1, w2 and w3 of an older version, in a cluster that was prepared and has no pods."""
    prepare(cluster.client)
    pods = SimulatedPods(Clock())
    answer = cluster.server.handle
    cluster.server.stop()
    monkeypatch.setattr(cluster.server, "handle", lambda request: pods.handle(request, answer))
    cluster.server.start()
    with SimulatedNodes(cluster.client) as nodes:
        made = Hosts(nodes)
        for name in ("w1", "w2", "w3"):
            nodes.add(name, version=f"v{OLD}")
            made.report(name, OLD)
        monkeypatch.setattr(machines, "MachinePlaybook", lambda *_arguments, **_options: made)
        yield made


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(Display(), "display", lines.append)
    monkeypatch.chdir(tmp_path)
    return lines


@pytest.fixture
def act(cluster: SandboxCluster) -> Act:
    """Return a function that runs the action plugin as a task would, with the files in the directory machines."""

    def run(*, check: bool = False, diff: bool = False, **arguments: Any) -> dict[str, Any]:
        options = {"kubeconfig": cluster.kubeconfig, "machine_files": ["machines"], "policy": POLICY, **arguments}
        return run_machines({"lease_duration": 1, **options}, check=check, diff=diff)

    return run


def machine(name: str, kubelet: str = OLD, **spec: Any) -> dict[str, Any]:
    provider = {"apiVersion": "toy.example.com/v1", "kind": "ToyHost", **spec.pop("providerConfig", {})}
    versions = {"kubelet": kubelet, "containerRuntime": {"name": "containerd", "version": "1.7.24"}}
    labels = spec.pop("labels", {})
    whole = {"cluster": "east", "versions": versions, "providerConfig": provider, **spec}
    return {"apiVersion": GROUP, "kind": "Machine", "metadata": {"name": name, "labels": labels}, "spec": whole}


def write(*objects: dict[str, Any], cluster: str = "east") -> None:
    Path("machines").mkdir(exist_ok=True)
    own = {"apiVersion": GROUP, "kind": "Cluster", "metadata": {"name": cluster}, "spec": {}}
    own["spec"] = {
        "endpoint": "https://10.0.0.1:6443",
        "network": {"clusterDNS": ["10.96.0.10"], "dnsDomain": "a.example"},
    }
    text = "".join(f"---\n{json.dumps(item)}\n" for item in (own, PROVIDER, *objects))
    Path("machines/all.yml").write_text(text)


def versions(cluster: SandboxCluster) -> set[str]:
    """Return the resourceVersion of each object that a run may change."""
    lists = (paths.NODES, *(paths.config_maps(name) for name in ("configok-system", "configok-rollouts")))
    return {item["metadata"]["resourceVersion"] for path in lists for item in cluster.client.list(path).items}


def test_a_version_goes_up_and_then_nothing_is_left_to_do(
    act: Act, hosts: Hosts, cluster: SandboxCluster, shown: list[str]
) -> None:
    write(*(machine(name, NEW) for name in ("w1", "w2", "w3")))
    done = act(change_cause="CVE", author="alice")
    assert done.get("failed") is None, done["reason"]
    assert (done["changed"], done["pool"], done["phase"], done["revision"]) == (True, "machines", "Complete", 1)
    assert sorted(hosts.log()) == [("update", name, NEW) for name in ("w1", "w2", "w3")]
    statuses = {item["name"]: (item["phase"], item["action"]) for item in done["machines"]}
    assert statuses == dict.fromkeys(("w1", "w2", "w3"), ("Running", "none"))
    assert any(line.startswith("NAME") and "CONFIGOK" in line for line in shown), "the table at the end"
    revision = read_record(cluster.client, "machines").revisions[-1]
    assert (revision.author, revision.cause, revision.name) == ("alice", "CVE", done["target"])
    before = versions(cluster)
    again = act()
    assert (again["changed"], again["phase"], again["target"]) == (False, "Complete", done["target"])
    assert versions(cluster) == before
    assert len(hosts.changed) == 3
    assert hosts.closed == 2


def test_the_provider_gets_what_is_declared(act: Act, hosts: Hosts) -> None:
    declared = machine("w1", NEW, nodeLabels={"disk": "ssd"}, providerConfig={"address": "10.1.1.1"})
    write(declared, machine("w2"))
    act()
    [asked], [changed] = hosts.planned, hosts.changed
    assert (asked.action, asked.planned, changed.action) == ("plan", "update", "update")
    assert asked.machine["changes"] == ["spec.versions.kubelet", "spec.nodeLabels[disk]"]
    assert "changes" not in changed.machine
    assert changed.provider.role == "toy"
    assert changed.machine["provider"] == {"address": "10.1.1.1"}
    assert changed.machine["node_labels"] == {"disk": "ssd"}
    assert changed.machine["runtime"] == {"name": "containerd", "version": "1.7.24"}
    assert str(changed.machine["source"]).startswith("machines/all.yml:")
    assert changed.addresses == ("10.1.1.1",)
    assert changed.cluster["name"] == "east"
    assert changed.kubelet_config == {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "clusterDNS": ["10.96.0.10"],
        "clusterDomain": "a.example",
    }


def test_a_host_is_changed_at_the_addresses_of_the_plan(
    act: Act, hosts: Hosts, cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Node reports its own addresses: later ones are not those whose host the plan has checked."""

    def report(address: str) -> None:
        body = {"status": {"addresses": [{"type": "InternalIP", "address": address}]}}
        cluster.client.patch(paths.node_status("w1"), body, kind="merge")

    def plan(requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        answers = Hosts.plan(hosts, requests)
        report("10.6.6.6")
        return answers

    report("10.0.0.11")
    monkeypatch.setattr(hosts, "plan", plan)
    write(machine("w1", NEW))
    assert act()["phase"] == "Complete"
    assert [request.addresses for request in (*hosts.planned, *hosts.changed)] == [("10.0.0.11",)] * 2


def test_another_rollout_of_the_same_machines_in_progress_is_waited_for(
    act: Act, hosts: Hosts, cluster: SandboxCluster
) -> None:
    target = Target.of_machines("machines-0123456789", "0" * 64, {})
    other = Rollout(1, target, PAUSED, (Wave("canary", ("w1", "w2"), 1.0),), 2, "", "")
    update_record(cluster.client, "others", lambda record: replace(record, rollout=other))
    write(machine("w1", NEW), machine("w3"))
    refused = act()
    assert refused["failed"] is True
    assert refused["msg"].startswith(
        "the rollout others of Machines is in progress (Paused) and changes 1 of these nodes: w1"
    )
    assert hosts.changed == hosts.planned == []
    write(machine("w1"), machine("w3", NEW))
    assert act()["phase"] == "Complete"


def test_a_run_that_was_refused_the_lock_has_changed_what_it_has_written(
    act: Act, hosts: Hosts, cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> None:
        raise PoolLocked("pool machines is being moved by bob")

    write(machine("w1", NEW), machine("w2"), machine("w3"))
    monkeypatch.setattr(PoolLock, "acquire", refuse)
    refused = [act(), act()]
    assert {result["msg"] for result in refused} == {"pool machines is being moved by bob"}
    assert [result["changed"] for result in refused] == [True, False], "the revision was recorded once"
    assert [revision.number for revision in read_record(cluster.client, "machines").revisions] == [1]
    assert hosts.changed == []


def meanwhile(hosts: Hosts, monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Do something once while the providers are asked, which takes minutes, and before the lock is taken."""
    plan, left = hosts.plan, [do]

    def asked(requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        while left:
            left.pop()()
        return plan(requests)

    monkeypatch.setattr(hosts, "plan", asked)


@pytest.mark.usefixtures("tokens")
def test_what_another_run_has_done_meanwhile_is_not_done_again(
    act: Act, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    first: list[dict[str, Any]] = []

    def run_with_other_files() -> None:
        write(machine("w1", NEW), machine("w2"), machine("new"))
        first.append(act())

    meanwhile(hosts, monkeypatch, run_with_other_files)
    write(machine("w1", NEW, nodeLabels={"a": "b"}), machine("w2"), machine("new", nodeLabels={"a": "b"}))
    second = act()
    assert [result["phase"] for result in (*first, second)] == ["Complete", "Complete"]
    assert sorted(hosts.log()) == [("create", "new", OLD), ("update", "w1", NEW)]
    assert [hosts.nodes.view(name).labels.get("a") for name in ("w1", "w2", "new")] == ["b", None, "b"]


def test_a_host_that_needs_work_since_the_providers_were_asked_refuses_the_run(
    act: Act, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(machine("w1", NEW), machine("w2"))
    meanwhile(hosts, monkeypatch, lambda: hosts.report("w2", "1.33.0"))
    refused = act()
    assert refused["msg"] == "w2 was changed while this was planned: run it again"
    assert hosts.changed == []
    assert act()["phase"] == "Complete"
    assert sorted(hosts.log()) == [("update", "w1", NEW), ("update", "w2", OLD)]


def test_machines_that_are_declared_as_before_are_another_revision(
    act: Act, hosts: Hosts, cluster: SandboxCluster
) -> None:
    for number, version in enumerate((NEW, OLD, NEW), 1):
        write(machine("w1", version))
        result = act()
        assert (result["phase"], result["revision"]) == ("Complete", number)
        record = read_record(cluster.client, "machines")
        assert record.rollout is not None
        assert (record.rollout.revision, record.latest and record.latest.number) == (number, number)
        assert [revision.result for revision in record.revisions] == ["Complete"] * number
    assert len(hosts.changed) == 3
    assert act()["changed"] is False


def test_a_check_shows_all_machines_as_a_table_with_why_they_failed(act: Act, hosts: Hosts, shown: list[str]) -> None:
    write(machine("w1", BROKEN), machine("w2"))
    hosts.failures["update", BROKEN] = "the kubelet does not start"
    assert act()["phase"] == "Halted"
    shown.clear()
    result = act(check=True)
    (head,) = (number for number, line in enumerate(shown) if line.startswith("NAME"))
    first, second = shown[head + 1 : head + 3]
    assert first.split()[:4] == ["w1", "w1", OLD, "->"]
    assert "Failed" in first
    assert "the kubelet does not start" in first
    assert "Running" in second
    assert {item["name"]: item["phase"] for item in result["machines"]} == {"w1": "Failed", "w2": "Running"}


class Credentials:
    """Bootstrap credentials without an API server that takes tokens."""

    kubeconfig = "secret"

    def __init__(self, *_arguments: Any, **_options: Any) -> None: ...

    def __enter__(self) -> Credentials:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def wait_for_node(self, *_arguments: Any) -> str:
        return ""


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let machines join as with an API server that takes tokens, which the sandbox does not."""
    monkeypatch.setattr(_machine_rollout, "BootstrapCredentials", Credentials)
    monkeypatch.setattr(_machine_rollout, "cluster_ca", lambda _client: "SERVER")
    monkeypatch.setattr(_machine_rollout, "client_ca", lambda _client: "CLIENTS")
    monkeypatch.setattr(_machine_rollout, "creation_refusals", lambda _client: [])
    monkeypatch.setattr(_machine_rollout, "bootstrap_refusals", lambda _client, _name: [])


@pytest.mark.usefixtures("tokens")
def test_a_provider_knows_that_a_new_machine_has_no_node(act: Act, hosts: Hosts) -> None:
    write(machine("w1", NEW), machine("new", taints=[{"key": "gpu", "effect": "NoSchedule"}]))
    assert act()["phase"] == "Complete"
    created = {request.name: request for request in hosts.changed}["new"]
    assert created.machine["has_node"] is False
    assert created.machine["taints"] == [{"key": "gpu", "value": "", "effect": "NoSchedule"}]
    assert created.bootstrap_kubeconfig == "secret"
    assert created.cluster["ca_certificate"] == "SERVER"
    assert created.cluster["client_ca_certificate"] == "CLIENTS"
    assert "secret" not in repr(created)
    assert "has_node" not in {request.name: request for request in hosts.changed}["w1"].machine


def test_the_notes_of_a_provider_are_shown(act: Act, hosts: Hosts, shown: list[str]) -> None:
    hosts.warnings = ("kubelet v1.34.2 has no --gone: removed from /etc/default/kubelet",)
    write(machine("w1", NEW))
    act(check=True)
    assert any(line.endswith(f"Machine w1: {hosts.warnings[0]}") for line in shown), shown
    shown.clear()
    act()
    assert any(line.endswith(f"w1: {hosts.warnings[0]}") and "Machine" not in line for line in shown), shown


def test_the_plan_shows_the_packages_that_a_provider_would_install(act: Act, hosts: Hosts, shown: list[str]) -> None:
    hosts.versions = (("kubelet", f"{NEW}-1.1"),)
    write(machine("w1", NEW))
    act(check=True)
    assert f"    packages: kubelet {NEW}-1.1" in shown


def test_check_mode_changes_nothing(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    write(machine("w1", NEW), machine("w2", nodeLabels={"disk": "ssd"}), machine("w3"))
    cluster.server.requests.clear()
    planned = act(check=True, diff=True)
    assert (planned["changed"], planned["phase"]) == (True, "Planned")
    assert [call.verb for call in cluster.writes()] == []
    assert hosts.changed == []
    assert [request.name for request in hosts.planned] == ["w1"], "only hosts that change are asked"
    assert {item["name"]: item["action"] for item in planned["machines"]} == {
        "w1": "update",
        "w2": "update",
        "w3": "none",
    }
    [first, second] = planned["diff"]
    assert OLD in first["before"]
    assert NEW in first["after"]
    assert "disk" in second["after"]
    assert act(check=True, machine_preflight=False)["phase"] == "Planned"
    assert len(hosts.planned) == 1


def test_labels_and_taints_need_no_host(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    write(machine("w1", nodeLabels={"disk": "ssd"}, taints=[taint]), machine("w2"))
    assert act()["phase"] == "Complete"
    assert hosts.planned == hosts.changed == []
    node = cluster.client.get(paths.node("w1"))
    assert node["metadata"]["labels"]["disk"] == "ssd"
    assert taint in node["spec"]["taints"]
    write(machine("w1"), machine("w2"))
    assert act()["phase"] == "Complete"
    node = cluster.client.get(paths.node("w1"))
    assert "disk" not in node["metadata"]["labels"]
    assert taint not in node["spec"].get("taints", [])
    assert act()["changed"] is False


def test_a_failed_change_is_rolled_back_and_halts(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    hosts.failures["update", BROKEN] = f"kubelet {BROKEN} does not start"
    write(*(machine(name, BROKEN) for name in ("w1", "w2", "w3")))
    halted = act()
    assert (halted["failed"], halted["phase"]) == (True, "Halted")
    [failed] = halted["exceptions"]
    assert f"kubelet {BROKEN} does not start" in failed["reason"]
    canary = failed["node"]
    assert hosts.log() == [("update", canary, BROKEN), ("rollback", canary, OLD)]
    assert not cluster.client.get(paths.node(canary))["spec"].get("unschedulable")
    status = {item["name"]: item["phase"] for item in halted["machines"]}
    assert (status[canary], sorted(status.values())) == ("Failed", ["Failed", "Running", "Running"])
    write(*(machine(name, NEW) for name in ("w1", "w2", "w3")))
    assert act()["phase"] == "Complete"


def test_a_deleted_machine_is_gone(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    write(machine("w1"), machine("w2", state="Absent"), machine("w3"))
    assert act()["phase"] == "Complete"
    assert hosts.log() == [("delete", "w2", OLD)]
    assert look(cluster.client, paths.node("w2")) is None
    assert act()["changed"] is False
    write(machine("w1"), machine("w3"))
    assert act()["changed"] is False


REFUSALS: list[tuple[list[dict[str, Any]], dict[str, Any], str]] = [
    ([machine("w1", "1.99.0")], {}, "Machine w1: spec.versions.kubelet: 1.99.0 is newer than the API server"),
    ([machine("w1", pool="gone")], {}, "pool gone was never rolled out: run configok.node.rollout with its pool file"),
    (
        [machine("w1", configSource={"configMap": {"namespace": "configok-system", "name": "gone"}})],
        {},
        "the bundle configok-system/gone does not exist: publish it, or name one that is published",
    ),
    ([machine("w1", NEW)], {"policy": {**POLICY, "forbid": ["drain"]}}, "is forbidden by policy.forbid"),
    ([machine("w1", NEW)], {"policy": {"maxUnavailabel": 1}}, "policy.maxUnavailabel: unknown field"),
    ([machine("w1")], {"machine_cluster": "west"}, "the files have no Cluster west: they have east"),
    ([machine("w1")], {"machine_selector": "a=b"}, "none of the 3 Machines of the cluster east matches"),
    ([machine("w1")], {"machine_files": ["nowhere.yml"]}, "nowhere.yml: cannot be read: No such file or directory"),
    ([machine("w1")], {"machine_rollout": "Not A Name"}, "machine_rollout: 'Not A Name': it must be a DNS label"),
    ([machine("w1")], {"lease_duration": 0}, "lease_duration must be from 1 to 300 seconds, not 0"),
    ([], {}, "the files have no Machine of the cluster east"),
]


@pytest.mark.parametrize(("objects", "options", "sentence"), REFUSALS)
def test_refusals_have_messages_and_nothing_is_changed(
    act: Act,
    hosts: Hosts,
    cluster: SandboxCluster,
    objects: list[dict[str, Any]],
    options: dict[str, Any],
    sentence: str,
) -> None:
    # The second one changes too: a refusal stops all machines.
    write(*objects, *([machine("w2", NEW), machine("w3", NEW)] if objects else []))
    if not options and objects and objects[0]["spec"]["versions"]["kubelet"] == OLD:
        objects[0]["spec"]["nodeLabels"] = {"disk": "ssd"}
        write(*objects, machine("w2", NEW), machine("w3", NEW))
    cluster.server.requests.clear()
    for check in (True, False):
        result = act(check=check, **options)
        assert result["failed"] is True
        assert sentence in result["msg"], result["msg"]
        assert "Traceback" not in result["msg"]
        assert result["phase"] == "Error"
    assert hosts.changed == []
    assert [call.verb for call in cluster.writes()] == []


def test_a_refusal_by_a_provider_stops_the_run(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    hosts.refusals["w2"] = f"the repository has no kubelet {NEW}"
    write(machine("w1", NEW), machine("w2", NEW), machine("w3"))
    refused = act()
    assert refused["failed"] is True
    assert refused["msg"].startswith("machines/all.yml:")
    assert refused["msg"].endswith(f"Machine w2: the repository has no kubelet {NEW}")
    assert hosts.changed == []


def test_invalid_files_are_refused_with_all_errors(act: Act, hosts: Hosts, shown: list[str]) -> None:
    write({**machine("w1"), "speck": 1}, machine("w1"), {"apiVersion": GROUP, "kind": "Machien"})
    result = act()
    assert result["failed"] is True
    assert len(result["errors"]) >= 2
    assert all(error.startswith("machines/all.yml:") for error in result["errors"])
    assert [line for line in shown if line.startswith("error: machines/all.yml:")]


def record_of(cluster: SandboxCluster, pool: str, phase: str, target: Target) -> None:
    rollout = Rollout(1, target, phase, (), 1, "", "2026-01-01T00:00:00Z", RolloutStart("pool=workers"))
    update_record(cluster.client, pool, lambda record: replace(record, rollout=rollout))


@pytest.mark.parametrize(
    ("phase", "is_refused", "words"),
    [
        (COMPLETE, False, ""),
        (HALTED, False, "the last rollout of pool workers is Halted"),
        (PAUSED, True, "pool workers has a rollout in progress (Paused): resume it"),
        ("Wave 1", True, "pool workers has a rollout in progress (Wave 1): wait until it has ended"),
    ],
)
def test_the_config_is_that_of_the_pool(
    act: Act,
    hosts: Hosts,
    cluster: SandboxCluster,
    shown: list[str],
    phase: str,
    is_refused: bool,
    words: str,
) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"))
    record_of(cluster, "workers", phase, Target.from_dict(bundle))
    write(machine("w1", NEW, pool="workers"), machine("w2"))
    result = act()
    assert bool(result.get("failed")) is is_refused, result
    if words:
        assert words in "\n".join(shown)
    active = hosts.nodes.view("w1").assigned.source
    if phase == COMPLETE:
        assert active is not None
        assert active.name == bundle["name"]
    else:
        assert active is None, "a pool without a settled config leaves the node as it is"
    assert hosts.log() == ([] if is_refused else [("update", "w1", NEW)])


def test_machines_of_a_pool_on_its_init_config_are_unchanged(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    record_of(cluster, "workers", COMPLETE, Target.init())
    write(machine("w1", pool="workers"), machine("w2"))
    assert (act()["changed"], hosts.changed) == (False, [])


def test_a_config_source_is_pinned_to_the_published_bundle(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"))
    named = {"configMap": {"namespace": "configok-system", "name": bundle["name"]}}
    write(machine("w1", configSource=named), machine("w2"))
    assert act()["phase"] == "Complete"
    source = hosts.nodes.view("w1").assigned.source
    assert source is not None
    assert source.uid == bundle["uid"]
    assert act()["changed"] is False
    wrong = {"configMap": {**named["configMap"], "uid": "00000000-0000-4000-8000-000000000000"}}
    write(machine("w1", NEW, configSource=wrong), machine("w2"))
    assert "it was deleted and published again; give its present uid, or none" in act()["msg"]


def test_however_many_bundles_nodes_use_those_that_are_declared_are_validated(
    act: Act, hosts: Hosts, cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_machine_configs, "MAX_BUNDLES", 0)
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"))
    named = {"configMap": {"namespace": "configok-system", "name": bundle["name"]}}
    write(machine("w1", configSource=named))
    assert act()["phase"] == "Complete"


def test_a_bundle_that_contradicts_the_cluster_is_refused(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("clusterDomain: other.example"))
    record_of(cluster, "workers", COMPLETE, Target.from_dict(bundle))
    write(machine("w1", pool="workers"), machine("w2"))
    result = act()
    assert f"Machine w1: bundle configok-system/{bundle['name']}: clusterDomain" in result["msg"]
    assert "a.example" in result["msg"]
    assert hosts.nodes.view("w1").assigned.source is None


def test_what_files_say_without_a_counterpart_is_noted(act: Act, hosts: Hosts, shown: list[str]) -> None:
    owned = [
        {**cluster_api_machine(name, bootstrap={"dataSecretName": "x"}), "status": {"nodeRef": {"name": name}}}
        for name in ("w2", "w3", *(f"x{number}" for number in range(20)))
    ]
    write(machine("w1", NEW), *owned)
    done = act()
    assert (done["phase"], hosts.log()) == ("Complete", [("update", "w1", NEW)]), done["reason"]
    statuses = {item["name"]: item for item in done["machines"]}
    assert (statuses["w2"]["action"], statuses["w2"]["versions"]["desired"]["kubelet"]) == ("none", "1.34.9")
    notes = shown[shown.index("Notes:") :][:12]
    assert notes[1] == "  machines/all.yml:8: Machine w2: spec.bootstrap has no counterpart here"
    assert notes[11] == "  ... and 12 more"
    assert any("left as it is: Cluster API owns the machine" in line for line in shown)


def test_a_machine_of_the_present_wave_that_has_passed_is_running(
    act: Act, hosts: Hosts, cluster: SandboxCluster
) -> None:
    labels = {"disk": "ssd"}
    for name in ("w4", "w5"):
        hosts.nodes.add(name, version=f"v{OLD}")
        hosts.report(name, OLD)
    names = tuple(f"w{number}" for number in range(1, 6))
    write(*(machine(name, nodeLabels=labels) for name in names))
    assert act()["phase"] == "Complete"  # adopts the Nodes
    write(*(machine(name, NEW, nodeLabels=labels) for name in names))
    target = Target.of_machines("machines-0123456789", "0" * 64, {})
    rollout = Rollout(2, target, "Wave 1", (Wave("wave 1", names[:4], 0.0),), 5, "", "2026-01-01T00:00:00Z")
    update_record(cluster.client, "machines", lambda record: replace(record, rollout=rollout))
    for name in ("w1", "w2", "w3"):
        hosts.report(name, NEW)
    mark = {ANNOTATION_CORDONED_BY: CordonMark("machines", "2026-01-01T00:00:00Z").encode()}
    cluster.client.patch(paths.node("w2"), {"metadata": {"annotations": mark}, "spec": {"unschedulable": True}})
    hosts.nodes.set_ready("w3", False)
    planned = act(check=True)
    assert {item["name"]: (item["phase"], item["action"]) for item in planned["machines"]} == {
        "w1": ("Running", "none"),  # has passed
        "w2": ("Updating", "update"),  # still cordoned
        "w3": ("Updating", "update"),  # not Ready yet
        "w4": ("Updating", "update"),  # not begun
        "w5": ("Running", "update"),  # of a later wave
    }
    selection = select_machines(machine_catalog(["machines"]), "", "")
    reported = {status.name: status.phase.value for status in read_statuses(cluster.client, selection, "machines", {})}
    assert reported == {item["name"]: item["phase"] for item in planned["machines"]}


def test_only_selected_machines_are_changed(act: Act, hosts: Hosts) -> None:
    write(machine("w1", NEW, labels={"zone": "a"}), machine("w2", NEW, labels={"zone": "b"}), machine("w3"))
    done = act(machine_selector="zone in (a),!gpu")
    assert (done["phase"], hosts.log()) == ("Complete", [("update", "w1", NEW)])
    assert [item["name"] for item in done["machines"]] == ["w1"]


def test_a_version_that_is_a_template_reaches_no_playbook(act: Act, hosts: Hosts) -> None:
    """A node that lies must not run code on the control machine."""
    hosts.failures["update", NEW] = "it does not start"
    hosts.report("w1", "1.34.1", "{{ lookup('pipe', 'id') }}")
    write(machine("w1", NEW), machine("w2"))
    result = act()
    assert result["failed"] is True
    assert all("{{" not in json.dumps(dict(request.machine)) for request in hosts.changed)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"machine_files": ["machines"], "machine_selctor": "a=b"}, "machine_selctor: unknown variable of"),
        ({"machine_files": ["machines"], "maxUnavailable": 2}, "did you mean policy.maxUnavailable?"),
        ({"machine_file": ["machines"]}, "machine_file: unknown variable of configok.node.machines: did you mean"),
        ({"machine_files": ["machines"], "shop": "x"}, "give variables of your own with another -e"),
    ],
)
def test_misspelt_variables_are_refused(
    cluster: SandboxCluster, hosts: Hosts, tmp_path: Path, content: dict[str, Any], sentence: str
) -> None:
    write(machine("w1", NEW), machine("w2"))
    file = tmp_path / "machines.yml"
    file.write_text(json.dumps(content))
    options = {"kubeconfig": cluster.kubeconfig}
    result = run_machines(options, variables=content, extra_vars=[f"@{file}"])
    assert result["failed"] is True
    assert sentence in result["msg"], result["msg"]
    assert hosts.planned == []


def test_the_variables_of_the_play_are_the_options(cluster: SandboxCluster, hosts: Hosts, tmp_path: Path) -> None:
    write(machine("w1", NEW, labels={"zone": "a"}), machine("w2", NEW))
    content = {
        "machine_files": ["machines"],
        "policy": POLICY,
        "machine_selector": "zone=a",
        "machine_rollout": "zone-a",
        "machine_preflight": False,
        "machine_cluster": "east",
        "change_cause": "CVE",
    }
    file = tmp_path / "machines.yml"
    file.write_text(json.dumps(content))
    options = {"kubeconfig": cluster.kubeconfig, "lease_duration": 1}
    variables = {**content, "awx_user_name": "bob"}
    done = run_machines(options, variables=variables, extra_vars=[f"@{file}"])
    assert (done["phase"], done["pool"]) == ("Complete", "zone-a"), done
    assert (hosts.planned, hosts.log()) == ([], [("update", "w1", NEW)])
    revision = read_record(cluster.client, "zone-a").revisions[-1]
    assert (revision.author, revision.cause) == ("bob", "CVE")


def documented_keys(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of documented values, each with those inside it."""
    return {name: documented_keys(value.get("contains", {})) for name, value in fields.items()}


def check_keys(value: Any, keys: Mapping[str, Any], place: str) -> None:
    """Check that a value has exactly the documented keys, at all depths."""
    for item in value if isinstance(value, list) else [value]:
        if item is not None and keys:
            assert set(item) == set(keys), place
            for name, inner in keys.items():
                check_keys(item[name], inner, f"{place}.{name}")


def test_the_result_is_what_is_documented(act: Act, hosts: Hosts) -> None:
    returned = yaml.safe_load(documentation.RETURN)
    always = {name for name, value in returned.items() if value["returned"] == "always"}
    on_success = {name for name, value in returned.items() if value["returned"] == "success"}
    write(machine("w1", NEW), machine("w2"), machine("w4", state="Absent"))
    planned = act(check=True)
    assert set(planned) == {*always, *on_success, "changed"}
    assert set(act(diff=True)) == {*always, *on_success, "changed", "diff"}
    hosts.failures["update", BROKEN] = "it does not start"
    write(machine("w1", BROKEN), machine("w2"))
    halted = act()
    assert halted["exceptions"]
    for result in (planned, halted):
        assert result["machines"]
        assert result["summary"]["total"] == len(result["machines"])
        for name, keys in documented_keys(returned).items():
            if name in result:
                check_keys(result[name], keys, name)
        check_keys(result["summary"]["attention"], documented_keys(returned["machines"]["contains"]), "attention")
    for name in ("phases", "actions"):
        assert set(planned["summary"][name]) == set(returned["summary"]["contains"][name]["sample"])
    write(machine("w1", "1.99.0"), machine("w2"))
    assert set(act()) == {*always, "changed", "failed", "msg"}
    write({**machine("w1"), "speck": 1})
    assert set(act()) == {*always, "changed", "failed", "msg", "errors"}
    assert set(machines.ARGUMENT_SPEC) == set(documented_options(documentation))


def test_a_change_of_the_provider_config_alone_reaches_the_hosts_once(act: Act, hosts: Hosts) -> None:
    labels = {"disk": "ssd"}
    write(*(machine(name, nodeLabels=labels) for name in ("w1", "w2")))
    assert act()["phase"] == "Complete"  # adopts the Nodes
    assert hosts.changed == []
    write(*(machine(name, nodeLabels=labels, providerConfig={"flavor": "large"}) for name in ("w1", "w2")))
    done = act()
    assert (done["changed"], done["phase"]) == (True, "Complete")
    assert sorted(hosts.log()) == [("update", name, OLD) for name in ("w1", "w2")]
    assert act()["changed"] is False
    assert len(hosts.changed) == 2


def test_another_network_of_the_cluster_reaches_the_hosts_once(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    write(machine("w1", nodeLabels={"disk": "ssd"}))
    assert act()["phase"] == "Complete"
    text = Path("machines/all.yml").read_text()
    publish_init_config(cluster, hosts, "w1", "a.example")
    assert act()["changed"] is False
    Path("machines/all.yml").write_text(text.replace("a.example", "b.example"))
    done = act()
    assert (done["changed"], done["phase"], hosts.log()) == (True, "Complete", [("update", "w1", OLD)])
    assert hosts.changed[0].kubelet_config["clusterDomain"] == "b.example"
    publish_init_config(cluster, hosts, "w1", "b.example")
    assert act()["changed"] is False


def publish_init_config(cluster: SandboxCluster, hosts: Hosts, name: str, domain: str) -> None:
    """Let a node report an init config with this domain, which is published."""
    init = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "clusterDomain": domain}
    text = encode_local_config(LocalConfig({"kubelet": LocalComponent({**init, "clusterDNS": ["10.96.0.10"]}, {})}))
    publish_local_config(cluster.client, text)
    hosts.nodes.local_configs[name] = local_hash(text)
    hosts.nodes.say(name, *status_of(hosts.nodes.view(name), None, GOOD)[-1])


def test_a_second_run_after_a_failure_fails_too(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"))
    named = {"configMap": {"namespace": "configok-system", "name": bundle["name"]}}
    hosts.nodes.behaviour = lambda _name, source: CRASHES if source else GOOD
    write(machine("w1", configSource=named))
    assert (act()["phase"], act()["phase"]) == ("Halted", "Halted")
    again = act()
    assert (again["failed"], again["changed"], again["phase"]) == (True, False, "Halted")


def test_a_machine_whose_node_cannot_be_changed_refuses_the_plan(act: Act, hosts: Hosts) -> None:
    hosts.nodes.add("k1", agent=False)
    hosts.report("k1", OLD)
    write(machine("k1", NEW), machine("w1", NEW))
    refused = act()
    assert refused["failed"] is True
    assert "Machine k1: its Node cannot be changed: no agent has ever reported from it" in refused["msg"]
    assert hosts.changed == []
    write(machine("k1"), machine("w1", NEW))
    assert act()["phase"] == "Complete"


def test_a_node_that_has_refused_its_config_gets_another_version(
    act: Act, hosts: Hosts, cluster: SandboxCluster
) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"))
    named = {"configMap": {"namespace": "configok-system", "name": bundle["name"]}}
    hosts.nodes.behaviour = lambda _name, source: CRASHES if source else GOOD
    write(machine("w1", configSource=named))
    assert act()["phase"] == "Halted"
    hosts.nodes.behaviour = lambda _name, _source: GOOD
    write(machine("w1", NEW, configSource=named))
    assert act()["phase"] == "Complete"
    assert hosts.log() == [("update", "w1", NEW)]


def test_machines_that_another_program_owns_are_left_alone(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    write(machine("w1", NEW))
    owned = {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Machine",
        "metadata": {"name": "w2"},
        "spec": {
            "clusterName": "east",
            "version": f"v{NEW}",
            "infrastructureRef": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "M", "name": "w2"},
        },
        "status": {"nodeRef": {"name": "w2"}},
    }
    absent = {**owned, "metadata": {"name": "w9"}, "status": {}}
    with Path("machines/all.yml").open("a") as file:
        file.write("".join(f"---\n{json.dumps(item)}\n" for item in (owned, absent)))
    before = cluster.client.get(paths.node("w2"))["metadata"]["resourceVersion"]
    done = act()
    assert (done["phase"], hosts.log()) == ("Complete", [("update", "w1", NEW)])
    assert cluster.client.get(paths.node("w2"))["metadata"]["resourceVersion"] == before


def test_a_selector_leaves_the_other_machines_out(act: Act, hosts: Hosts, shown: list[str]) -> None:
    labels = {"disk": "ssd"}
    declared = [machine(name, labels={"zone": zone}, nodeLabels=labels) for name, zone in (("w1", "a"), ("w2", "b"))]
    write(*declared)
    assert act()["phase"] == "Complete"
    hosts.nodes.set_ready("w2", False)  # would use up maxUnavailable
    shown.clear()
    write(machine("w1", NEW, labels={"zone": "a"}, nodeLabels=labels), declared[1])
    done = act(machine_selector="zone=a")
    assert (done["phase"], hosts.log()) == ("Complete", [("update", "w1", NEW)])
    assert [item["name"] for item in done["machines"]] == ["w1"]
    assert not [line for line in shown if "w2" in line]


def test_the_canary_is_one_of_the_heaviest_changes(act: Act, hosts: Hosts) -> None:
    write(machine("w1", nodeLabels={"disk": "ssd"}), machine("w2", BROKEN), machine("w3", BROKEN))
    hosts.failures = {("update", BROKEN): "it does not start"}
    done = act(policy={**POLICY, "failureBudget": 2, "maxUnavailable": 2})
    assert done["phase"] == "Halted"
    assert [entry for entry in hosts.log() if entry[0] == "update"] == [("update", "w2", BROKEN)]


def test_the_canary_soaks_as_long_as_the_trial_of_the_bundle(act: Act, hosts: Hosts, cluster: SandboxCluster) -> None:
    bundle = publish(cluster.kubeconfig, kubelet_config("maxPods: 60"), trial_duration="30m")
    write(machine("w1", configSource={"configMap": {"namespace": "configok-system", "name": bundle["name"]}}))
    policy = {**POLICY, "canary": {"count": 1}}
    planned = act(check=True, policy=policy)
    assert [line.split() for line in planned["text"] if line.startswith("canary")] == [["canary", "1", "31m", "w1"]]


def test_the_outcome_is_written_as_json(act: Act, hosts: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "status.json"
    keys = {"changed", "pool", "revision", "target", "phase", "reason", "exceptions", "machines", "summary"}
    write(machine("w1", NEW), machine("w2"))
    planned = act(check=True, dest="status.json")
    assert json.loads(file.read_text()) == {key: planned[key] for key in keys}
    assert planned["phase"] == "Planned"
    assert planned["machines"][0]["versions"]["desired"]["kubelet"] == NEW
    assert act(dest=str(file))["phase"] == "Complete"
    again = act(dest="status.json")
    assert again["changed"] is False, "the file is not a change"
    assert json.loads(file.read_text()) == {key: again[key] for key in keys}
    write(machine("w1", "1.37.99"), machine("w2"))
    assert act(dest="status.json")["failed"] is True
    refused = json.loads(file.read_text())
    assert refused["phase"] == "Error"
    assert refused["reason"] == refused["machines"][0]["reason"] != ""
    assert sorted(path.name for path in tmp_path.iterdir() if "status" in path.name) == ["status.json"]


def test_the_outcome_does_not_follow_a_link_of_another_user(tmp_path: Path) -> None:
    victim, dest = tmp_path / "victim", tmp_path / "team/status.json"
    victim.write_text("precious")
    dest.parent.mkdir()
    (tmp_path / f"team/status.json.{os.getpid()}.tmp").symlink_to(victim)
    machines._write(str(dest), "{}\n")
    assert (victim.read_text(), dest.read_text(), dest.stat().st_mode & 0o777) == ("precious", "{}\n", 0o644)
    assert len(list(dest.parent.iterdir())) == 2


def test_an_outcome_that_cannot_be_written_fails_with_a_message(act: Act, hosts: Hosts, tmp_path: Path) -> None:
    write(machine("w1", NEW), machine("w2"))
    refused = act(dest="none/status.json")
    assert refused["msg"] == "the directory of dest none/status.json does not exist: create it, or choose another dest"
    assert hosts.changed == []
    (tmp_path / "taken").mkdir()
    failed = act(dest="taken")
    assert failed["msg"] == f"the outcome cannot be written to {tmp_path}/taken: Is a directory: choose another dest"
    assert (failed["failed"], failed["phase"]) == (True, "Complete")
