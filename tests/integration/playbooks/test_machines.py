# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook machines as a user runs it, with a provider of the user's own whose hosts are files."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.ansible_runs.in_process import publish
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, kill, quick_pool
from support.api.clusters import look, prepare
from support.api.servers import Embedded, Real
from support.configs.kubelet import kubelet_config
from support.configs.refused_fields import refused_fields
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.toy_hosts import PROVIDER, ToyHosts

GROUP = "machines.configok.dev/v1alpha1"
POLICY = {**quick_pool()["policy"], "maxUnavailable": 1, "drain": {"timeout": "20s", "force": True}}
SUBJECTS = ({"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "admin"},)
QUICKLY = ("-e", "rollout_lease_duration=1", "--connection=local", "-e", "ansible_become=false")


class Machines:
    """A user's directory with machines.yml and Machine files, a cluster, and the hosts of the toy provider.

    old, new, broken: versions of the kubelet that the API server allows. name: of the record; machines begin with it.
    behind: how many minors `old` is behind the others.
    """

    def __init__(
        self, client: Client, nodes: SimulatedNodes, directory: Path, kubeconfig: str, name: str, *, behind: int = 0
    ) -> None:
        self.client, self.nodes, self.name = client, nodes, name
        self.server_version = str(client.get("/version")["gitVersion"]).lstrip("v")
        minor = int(self.server_version.split(".")[1])
        self.old, self.new, self.broken = f"1.{minor - behind}.1", f"1.{minor}.2", f"1.{minor}.3"
        self.hosts = ToyHosts(directory, nodes, kubelet=self.old)
        (directory / "ansible.cfg").write_text(f"[defaults]\nroles_path = {self.hosts.roles}\n")
        self.user = Playbooks(directory, kubeconfig)

    def machine(self, name: str, kubelet: str = "", runtime: str = "1.7.24", **spec: Any) -> dict[str, Any]:
        """Return a Machine of the toy provider."""
        provider = {"apiVersion": "toy.example.com/v1", "kind": "ToyHost", **spec.pop("providerConfig", {})}
        versions = {"kubelet": kubelet or self.old, "containerRuntime": {"name": "containerd", "version": runtime}}
        whole = {"cluster": "east", "versions": versions, "providerConfig": provider, **spec}
        return {"apiVersion": GROUP, "kind": "Machine", "metadata": {"name": name}, "spec": whole}

    def write(self, *machines: dict[str, Any], **variables: Any) -> None:
        """Write the objects and machines.yml; variables: of it."""
        directory = self.user.directory / "machines"
        directory.mkdir(exist_ok=True)
        spec = {"endpoint": "https://10.0.0.1:6443", "kubernetesVersion": self.server_version}
        cluster = {"apiVersion": GROUP, "kind": "Cluster", "metadata": {"name": "east"}, "spec": spec}
        (directory / "all.yml").write_text(
            "".join(f"---\n{json.dumps(item)}\n" for item in (cluster, PROVIDER, *machines))
        )
        settings = {"machine_files": ["machines"], "machine_rollout": self.name, "policy": POLICY, **variables}
        (self.user.directory / "machines.yml").write_text(json.dumps(settings))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return self.user.start("machines", "-e", "@machines.yml", *QUICKLY, *arguments, pool=False)

    def run(self, *arguments: str) -> PlaybookRun:
        return finish(self.start(*arguments))

    def done(self, *arguments: str) -> PlaybookRun:
        """Run to the end, which is a success."""
        run = self.run(*arguments)
        assert (run.code, run.stats["phase"]) == (0, "Complete"), run.output
        return run

    def check_settled(self) -> None:
        """Check that another run changes nothing."""
        before, log = self.versions(), self.hosts.log()
        again = self.done()
        assert again.changed == 0, again.output
        assert (self.versions(), self.hosts.log()) == (before, log)

    def versions(self) -> set[str]:
        """Return the resourceVersion of each object that a run may change, without heartbeats and the lock."""
        lists = (paths.NODES, paths.config_maps("configok-rollouts"))
        return {item["metadata"]["resourceVersion"] for path in lists for item in self.client.list(path).items}

    def node(self, name: str) -> dict[str, Any]:
        return self.client.get(paths.node(name))

    def kubelet(self, name: str) -> str:
        return str(self.node(name)["status"]["nodeInfo"]["kubeletVersion"])


@pytest.fixture
def machines(real_api: Real, unique: str, tmp_path: Path) -> Iterator[Machines]:
    """A real API server, which has pods and certificates."""
    client = real_api.client()
    prepare(client, Access(machine_subjects=SUBJECTS))
    with SimulatedNodes(client) as nodes:
        user = Machines(client, nodes, tmp_path, real_api.admin_kubeconfig, unique)
        with user.hosts:
            yield user
    for item in client.list(paths.NODES).items:
        if item["metadata"]["name"].startswith(f"{unique}-"):
            client.delete(paths.node(item["metadata"]["name"]))


@pytest.fixture
def unprepared(embedded_api: Embedded, tmp_path: Path) -> Iterator[Machines]:
    """A cluster of its own, without the namespaces."""
    client = embedded_api.client()
    with SimulatedNodes(client) as nodes:
        user = Machines(client, nodes, tmp_path, embedded_api.admin_kubeconfig, "machines")
        with user.hosts:
            yield user


@pytest.fixture
def minor_behind(embedded_api: Embedded, tmp_path: Path) -> Iterator[Machines]:
    """A cluster of its own, whose machines have the kubelet of the minor before; it has no pods."""
    client = embedded_api.client()
    prepare(client, Access(machine_subjects=SUBJECTS))
    with SimulatedNodes(client) as nodes:
        user = Machines(client, nodes, tmp_path, embedded_api.admin_kubeconfig, "machines", behind=1)
        with user.hosts:
            yield user


def writes(api: Embedded) -> list[tuple[str, str]]:
    calls = api.server.requests.calls(user="admin")
    return [(call.verb, call.resource) for call in calls if call.verb not in ("get", "list", "watch")]


def test_check_mode_before_the_cluster_is_set_up(embedded_api: Embedded, unprepared: Machines) -> None:
    machines = unprepared
    machines.hosts.add("w1")
    machines.hosts.add("w2")
    machines.write(machines.machine("w1", machines.new), machines.machine("w2"))
    embedded_api.server.requests.clear()
    planned = machines.run("--check", "--diff", "-e", "dest=status.json")
    assert planned.code == 0, planned.output
    status = json.loads((machines.user.directory / "status.json").read_text())
    assert (status["phase"], status["summary"]) == ("Planned", planned.stats["machines"])
    assert [(item["name"], item["action"]) for item in status["machines"]] == [("w1", "update"), ("w2", "none")]
    assert (planned.stats["machines"]["total"], planned.stats["machines"]["attention"]) == (2, [])
    assert planned.stats["machines"]["actions"]["update"] == 1
    assert (planned.changed, planned.stats["phase"]) == (1, "Planned")
    assert "update in place w1, provider ToyHost, disruption drain, drained first" in planned.output
    assert f"-spec.versions.kubelet: {machines.old}" in planned.output
    assert f"+spec.versions.kubelet: {machines.new}" in planned.output
    assert writes(embedded_api) == []
    assert machines.hosts.log() == []
    assert look(machines.client, paths.namespace("configok-system")) is None
    refused = machines.run()
    assert refused.code != 0
    assert "prepare the cluster with the role configok.node.cluster" in refused.output
    assert machines.hosts.log() == []


def test_the_life_of_machines(machines: Machines) -> None:
    w1, w2, w3 = (f"{machines.name}-{number}" for number in (1, 2, 3))
    machines.hosts.add(w1)
    machines.hosts.add(w2)
    make = machines.machine
    labelled = make(w2, nodeLabels={"disk": "ssd"}, taints=[{"key": "gpu", "effect": "NoSchedule"}])
    machines.write(make(w1, machines.new), labelled, make(w3))
    machines.done()
    assert sorted(machines.hosts.log()) == [f"create {w3} {machines.old} 1.7.24", f"update {w1} {machines.new} 1.7.24"]
    assert [machines.kubelet(name) for name in (w1, w2, w3)] == [
        f"v{machines.new}",
        f"v{machines.old}",
        f"v{machines.old}",
    ]
    second = machines.node(w2)
    assert second["metadata"]["labels"]["disk"] == "ssd"
    assert {"key": "gpu", "effect": "NoSchedule"} in second["spec"]["taints"]
    assert not any(machines.node(name)["spec"].get("unschedulable") for name in (w1, w2, w3))
    machines.check_settled()

    # Down again, another runtime, labels and taints that are gone, and a machine that is deleted.
    machines.write(make(w1, machines.old), make(w2, runtime="1.7.25"), make(w3, state="Absent"))
    machines.done()
    assert sorted(machines.hosts.log()[2:]) == [
        f"delete {w3} {machines.old} 1.7.24",
        f"update {w1} {machines.old} 1.7.24",
        f"update {w2} {machines.old} 1.7.25",
    ]
    assert look(machines.client, paths.node(w3)) is None
    assert machines.hosts.host(w3) is None
    second = machines.node(w2)
    assert "disk" not in second["metadata"]["labels"]
    assert "gpu" not in json.dumps(second["spec"])
    machines.check_settled()
    machines.write(make(w1, machines.old), make(w2, runtime="1.7.25"))
    machines.check_settled()


@pytest.mark.slow
def test_a_version_that_does_not_start_is_rolled_back_at_the_canary(machines: Machines) -> None:
    names = [f"{machines.name}-{number}" for number in (1, 2, 3)]
    for name in names:
        machines.hosts.add(name)
    machines.hosts.break_version(machines.broken)
    machines.write(*(machines.machine(name, machines.broken) for name in names))
    halted = machines.run()
    assert (halted.code != 0, halted.stats["phase"]) == (True, "Halted"), halted.output
    [failed] = halted.stats["exceptions"]
    assert f"kubelet {machines.broken} does not start" in failed["reason"]
    canary = failed["node"]
    assert machines.hosts.log() == [
        f"update {canary} {machines.broken} 1.7.24",
        f"rollback {canary} {machines.old} 1.7.24",
    ]
    assert [machines.kubelet(name) for name in names] == [f"v{machines.old}"] * 3
    assert not any(machines.node(name)["spec"].get("unschedulable") for name in names)
    again = machines.run()
    assert again.code != 0
    assert "is refused" in again.output or "failed" in again.output, again.output
    assert len(machines.hosts.log()) == 2, "nothing was tried again"
    # Another version is another rollout.
    machines.write(*(machines.machine(name, machines.new) for name in names))
    machines.done()
    machines.check_settled()


def wait_for(running: subprocess.Popen[str], words: str) -> str:
    """Read the output of a run until a line has these words; return what was read."""
    assert running.stdout is not None
    lines = []
    for line in running.stdout:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


@pytest.mark.slow
def test_a_run_that_is_killed_in_the_middle_of_a_host_is_run_again(machines: Machines) -> None:
    w1, w2 = f"{machines.name}-1", f"{machines.name}-2"
    machines.hosts.add(w1)
    machines.hosts.add(w2)
    machines.write(machines.machine(w1, machines.new), machines.machine(w2, machines.new), machines.machine(f"{w2}x"))
    hold = machines.hosts.directory / "hold"
    hold.touch()
    running = machines.start()
    while not machines.hosts.log():
        assert running.poll() is None
        time.sleep(0.1)
    [begun] = machines.hosts.log()
    kill(running)
    canary = begun.split()[1]
    assert machines.node(canary)["spec"]["unschedulable"] is True
    planned = machines.run("--check")
    assert planned.code == 0, planned.output
    hold.unlink()
    done = machines.done()
    assert machines.hosts.log()[1] == begun, "the same host first"
    assert {machines.kubelet(name) for name in (w1, w2)} == {f"v{machines.new}"}
    assert machines.kubelet(f"{w2}x") == f"v{machines.old}"
    assert not any(machines.node(name)["spec"].get("unschedulable") for name in (w1, w2))
    assert done.stats["revision"] == 1
    machines.check_settled()


@pytest.mark.slow
def test_pause_and_resume_from_another_terminal(machines: Machines) -> None:
    names = [f"{machines.name}-{number}" for number in (1, 2, 3)]
    for name in names:
        machines.hosts.add(name)
    machines.write(*(machines.machine(name, machines.new) for name in names))
    hold = machines.hosts.directory / "hold"
    hold.touch()
    running = machines.start("-e", "rollout_wait_timeout=1s")
    while not machines.hosts.log():
        assert running.poll() is None
        time.sleep(0.1)
    pool = ("-e", f"pool={machines.name}", "-e", "author=alice")
    paused = machines.user.run("pause", *pool, "-e", "wait=0", pool=False)
    assert paused.code == 0, paused.output
    hold.unlink()
    stopped = finish(running)
    assert (stopped.code != 0, stopped.stats["phase"]) == (True, "Paused"), stopped.output
    assert len(machines.hosts.log()) == 1
    resumed = machines.user.run("resume", *pool, pool=False)
    assert resumed.code == 0, resumed.output
    machines.done()
    assert len(machines.hosts.log()) == 3
    machines.check_settled()


def test_another_kind_of_host_is_a_replacement(machines: Machines) -> None:
    """With a provider that only replaces, and whose providerConfig changes."""
    w1, _w2 = write_replacement(machines)
    uid = machines.node(w1)["metadata"]["uid"]
    planned = machines.run("--check")
    assert f"replace {w1}" in planned.output, planned.output
    machines.done()
    assert [line.split()[:2] for line in machines.hosts.log()] == [["delete", w1], ["create", w1]]
    assert machines.node(w1)["metadata"]["uid"] != uid
    assert machines.kubelet(w1) == f"v{machines.new}"
    machines.check_settled()


@pytest.mark.slow
def test_a_host_that_could_not_join_again_is_not_deleted(machines: Machines) -> None:
    w1, _w2 = write_replacement(machines)
    before = machines.node(w1)["spec"]
    machines.client.delete(paths.cluster_role_binding("configok-bootstrappers"))
    for options in (("--check",), ()):
        refused = machines.run(*options)
        assert refused.code != 0
        assert "system:bootstrappers:configok may not create CertificateSigningRequests" in refused.stats["reason"]
        assert "cluster_machine_subjects" in refused.stats["reason"]
    assert machines.hosts.log() == []
    assert machines.node(w1)["spec"] == before


def write_replacement(machines: Machines) -> tuple[str, str]:
    """Write two machines, of which the first is to be replaced; return their names."""
    w1, w2 = f"{machines.name}-1", f"{machines.name}-2"
    machines.hosts.add(w1)
    machines.hosts.add(w2)
    only = {"create": True, "delete": True, "kubelet": False, "containerRuntime": False, "replace": True}
    spec = {**PROVIDER["spec"], "capabilities": only}
    provider = {**PROVIDER, "metadata": {"name": "replacing"}, "spec": {**spec, "kind": "ReplacedHost"}}
    config = {"kind": "ReplacedHost"}
    machines.write(provider, machines.machine(w1, machines.new, providerConfig=config), machines.machine(w2))
    return w1, w2


def test_a_refusal_by_the_provider_stops_the_run(machines: Machines) -> None:
    names = [f"{machines.name}-{number}" for number in (1, 2)]
    for name in names:
        machines.hosts.add(name)
    machines.hosts.refuse("the disk is full.")
    machines.write(*(machines.machine(name, machines.new) for name in names))
    before = machines.versions()
    for options in ((), ("--check",)):
        refused = machines.run(*options)
        assert refused.code != 0
        assert f"Machine {names[0]}: the disk is full" in refused.stats["reason"]
    assert (machines.versions(), machines.hosts.log()) == (before, [])


def test_a_minor_that_refuses_the_bundle_in_use_stops_all(minor_behind: Machines) -> None:
    machines = minor_behind
    machines.hosts.add("w1")
    machines.hosts.add("w2")
    fields = refused_fields(machines.new, accepted_by=machines.old)
    [gate] = fields["featureGates"]
    text = kubelet_config(f"featureGates: {json.dumps(fields['featureGates'])}")
    bundle = publish(machines.user.kubeconfig, text, kubernetes_versions=[machines.old])
    source = {"configMap": {"namespace": "configok-system", "name": bundle["name"]}}

    def declare(*kubelets: str) -> None:
        made = [
            machines.machine(f"w{number}", kubelet, configSource=source) for number, kubelet in enumerate(kubelets, 1)
        ]
        machines.write(*made)

    declare(machines.old, machines.old)
    machines.done()  # the kubelets use it
    declare(f"{machines.old}1", machines.old)
    accepted = machines.run("--check")
    assert (accepted.code, accepted.changed) == (0, 1), "another version of the same minor accepts it"

    # Only the version changes, of one machine.
    declare(machines.old, machines.new)
    before = machines.versions()
    for options in (("--check",), ()):
        refused = machines.run(*options)
        assert refused.code != 0
        reason = refused.stats["reason"]
        assert reason.startswith("machines/all.yml:"), reason
        assert f"Machine w2: kubelet {machines.new} would refuse the bundle {bundle['name']}: " in reason
        assert f"{bundle['name']}:3: featureGates.{gate}: " in reason, "the line, and the field"
        assert "unknown feature gate: it is gone since Kubernetes" in reason
        assert "w1" not in reason
    assert (machines.versions(), machines.hosts.log()) == (before, [])


def test_the_oldest_and_the_newest_ansible(machines: Machines, control: Path) -> None:
    machines.user = replace(machines.user, venv=control)
    w1, w2 = (f"{machines.name}-{number}" for number in (1, 2))
    machines.hosts.add(w1)
    machines.hosts.add(w2)
    machines.hosts.break_version(machines.broken)
    machines.write(machines.machine(w1, machines.new), machines.machine(w2), machines.machine(f"{w2}x"))
    machines.done()
    assert (machines.kubelet(w1), machines.kubelet(f"{w2}x")) == (f"v{machines.new}", f"v{machines.old}")
    machines.check_settled()
    machines.write(machines.machine(w1, machines.broken), machines.machine(w2))
    halted = machines.run()
    assert halted.stats["phase"] == "Halted", halted.output
    assert f"kubelet {machines.broken} does not start" in halted.stats["reason"]
    assert machines.kubelet(w1) == f"v{machines.new}"
    machines.hosts.refuse("{{ 1 }} the disk is full")
    machines.write(machines.machine(w1), machines.machine(w2))
    assert "the disk is full" in machines.run("--check").stats["reason"]
