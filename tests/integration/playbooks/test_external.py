# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role of the provider External: it waits for what the user's playbook has created, and changes nothing itself."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.playbooks import ROOT, PlaybookRun, finish, quick_pool, start
from support.api.bootstrap import Signer
from support.api.clusters import look, prepare
from support.api.servers import Real
from support.rollouts.simulated_nodes import SimulatedNodes


class _Healthz(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def healthz() -> Iterator[int]:
    """The port of a kubelet's health check."""
    server = HTTPServer(("127.0.0.1", 0), _Healthz)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def run(directory: Path, tasks: str, **variables: Any) -> PlaybookRun:
    """Include the role's tasks as the playbook for machines does."""
    include = {"ansible.builtin.include_role": {"name": "configok.node.external", "tasks_from": tasks}}
    provider = {"create": "create.yml", "delete": "delete.yml", "values": {}}
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"machine": {"name": "worker-1", "provider": provider}, **variables},
        "tasks": [include, {"ansible.builtin.debug": {"var": "machine_refusals"}}],
    }
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    return finish(start(["play.yml"], directory=directory, kubeconfig="/nonexistent"))


def test_it_waits_until_the_kubelet_is_healthy(healthz: int, tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": healthz})
    assert done.code == 0, done.output
    assert done.changed == 0


def test_a_kubelet_without_a_health_check_is_not_waited_for(tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": 0})
    assert done.code == 0, done.output


def test_a_host_without_a_kubelet_fails_and_the_message_says_what_is_missing(tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": 1}, external_timeout=2)
    assert done.code != 0
    text = " ".join(done.output.split())
    assert "worker-1: the kubelet does not answer at http://127.0.0.1:1/healthz of the new host after 2 s" in text
    assert "The playbook create.yml must start a kubelet named worker-1 with machine_bootstrap_kubeconfig" in text


def test_a_host_is_never_changed_in_place(tmp_path: Path) -> None:
    done = run(tmp_path, "update")
    assert done.code != 0
    assert "replaces hosts, and cannot change one in place" in " ".join(done.output.split())


@pytest.mark.parametrize("tasks", ["validate", "plan", "delete"])
def test_the_other_tasks_leave_the_host_alone(tasks: str, tmp_path: Path) -> None:
    done = run(tmp_path, tasks)
    assert done.code == 0, done.output
    assert done.changed == 0


def test_both_playbooks_must_be_named(tmp_path: Path) -> None:
    done = run(tmp_path, "validate", machine={"name": "worker-1", "provider": {"create": "create.yml", "delete": ""}})
    assert done.code != 0
    assert "spec.providerConfig.create and spec.providerConfig.delete must name the playbooks" in " ".join(
        done.output.split()
    )


# --- the user's playbooks, on a real API server, with the identity of a run

KUBELET = """
import sys
from pathlib import Path
sys.path[:0] = PATHS
from support.api.bootstrap import BootstrappingKubelet
name, directory, kubeconfig, version = sys.argv[1:]
kubelet = BootstrappingKubelet(Path(directory), name, Path(kubeconfig).read_text())
kubelet.ask()
ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "posting ready status"}
kubelet.register(nodeInfo={"kubeletVersion": f"v{version}", "containerRuntimeVersion": "containerd://1.7.24"},
                 conditions=[ready], addresses=[{"type": "InternalIP", "address": "10.0.0.11"}])
"""
CREATE = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.file: {path: "hosts/{{ machine.name }}", state: directory, mode: "0700"}
    - ansible.builtin.copy:
        content: "{{ machine_bootstrap_kubeconfig }}"
        dest: "hosts/{{ machine.name }}/given"
        mode: "0600"
      no_log: true
    - ansible.builtin.shell: echo {{ machine_action }} {{ machine.provider['values'].flavor }} >> log
    - ansible.builtin.command:
        argv: ["{{ ansible_playbook_python }}", kubelet.py, "{{ machine.name }}", "hosts/{{ machine.name }}",
               "hosts/{{ machine.name }}/given", "{{ machine.kubelet_version }}"]
        creates: "hosts/{{ machine.name }}/kubelet.conf"
"""
DELETE = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.shell: echo {{ machine_action }} {{ machine.addresses | join(' ') }} >> log
    - ansible.builtin.file: {path: "hosts/{{ machine.name }}", state: absent}
"""
RUNNER = "external-runner"


def write_machine(directory: Path, api: Real, name: str, flavor: str, **spec: Any) -> None:
    group = "machines.configok.dev/v1alpha1"
    provider = {
        "apiVersion": "provider.configok.dev/v1alpha1",
        "kind": "External",
        "create": "create.yml",
        "delete": "delete.yml",
        "values": {"flavor": flavor},
        "provision": False,
    }
    whole = {"versions": {"kubelet": api.version}, "nodeLabels": {"a": "b"}, "providerConfig": provider, **spec}
    objects = [
        {"apiVersion": group, "kind": "Cluster", "metadata": {"name": "east"}, "spec": {"endpoint": api.url}},
        {"apiVersion": group, "kind": "Machine", "metadata": {"name": name}, "spec": whole},
    ]
    (directory / "machines").mkdir(exist_ok=True)
    (directory / "machines/all.yml").write_text(yaml.safe_dump_all(objects))


@pytest.mark.slow
def test_the_users_playbooks_create_replace_and_delete_a_host(real_api: Real, unique: str, tmp_path: Path) -> None:
    admin = real_api.client()
    prepare(admin, Access(machine_subjects=[{"kind": "User", "name": RUNNER}]))
    for name, text in (
        ("create.yml", CREATE),
        ("delete.yml", DELETE),
        ("kubelet.py", KUBELET.replace("PATHS", repr([str(ROOT / "tests"), str(ROOT / "build/collections")]))),
    ):
        (tmp_path / name).write_text(text)
    settings = {"machine_files": ["machines"], "policy": quick_pool()["policy"], "machine_rollout": unique}
    (tmp_path / "run.yml").write_text(json.dumps(settings))
    outputs = []

    def reconcile(*arguments: str) -> PlaybookRun:
        command = ["configok.node.machines", "-e", "@run.yml", "-e", "rollout_lease_duration=1", "-vvv", *arguments]
        done = finish(start(command, directory=tmp_path, kubeconfig=real_api.kubeconfig_for(RUNNER)))
        outputs.append(done.output)
        return done

    def uid() -> str:
        return str(admin.get(paths.node(unique))["metadata"]["uid"])

    def log() -> list[str]:
        return (tmp_path / "log").read_text().splitlines() if (tmp_path / "log").exists() else []

    with SimulatedNodes(admin), Signer(real_api.client(), real_api.authority):
        write_machine(tmp_path, real_api, unique, "small")
        planned = reconcile("--check")
        assert planned.code == 0, planned.output
        assert f"create {unique}" in planned.output
        assert log() == []
        created = reconcile()
        assert created.code == 0, created.output
        assert admin.get(paths.node(unique))["metadata"]["labels"]["a"] == "b"
        first = uid()
        again = reconcile()
        assert (again.code, again.changed) == (0, 0), again.output
        assert log() == ["create small"]

        write_machine(tmp_path, real_api, unique, "large")
        replaced = reconcile()
        assert replaced.code == 0, replaced.output
        assert log() == ["create small", "delete 10.0.0.11", "create large"]
        assert uid() != first
        assert admin.get(paths.node(unique))["metadata"]["labels"]["a"] == "b"

        write_machine(tmp_path, real_api, unique, "large", state="Absent")
        deleted = reconcile()
        assert deleted.code == 0, deleted.output
        assert log()[-1] == "delete 10.0.0.11"
        assert look(admin, paths.node(unique)) is None
    text = "".join(outputs)
    assert not re.search(r"cfgk\d\d\.[a-z0-9]{16}", text), "a bootstrap token is in the output"
    secrets = admin.list(paths.secrets("kube-system"), label_selector="app.kubernetes.io/managed-by=configok.node")
    assert secrets.items == []
