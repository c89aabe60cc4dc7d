# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible does for every module holds for the action plugins too: with the oldest and the newest ansible-core."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.simulated_nodes import SimulatedNodes

POOL = "{{ lookup('file', 'pool.yml') | from_json }}"
ACTION: dict[str, Any] = {"configok.node.rollout": {"pool": POOL, "directory": "{{ layers }}"}}
MODULE: dict[str, Any] = {"configok.node.config_status_info": {}}
LOCALHOST = ("status", "pause", "export")  # the others have the same variables (tests/unit)


@pytest.fixture
def nodes(embedded_api: Embedded) -> Iterator[SimulatedNodes]:
    prepare(embedded_api.client())
    with SimulatedNodes(embedded_api.client()) as simulated:
        for number in range(3):
            simulated.add(f"n{number}")
        yield simulated


@pytest.fixture
def user(embedded_api: Embedded, nodes: SimulatedNodes, tmp_path: Path, control: Path) -> Playbooks:
    """A user with a pool file, and with the cluster in KUBECONFIG."""
    with_core = Playbooks(tmp_path, str(embedded_api.admin_kubeconfig), control)
    with_core.write(quick_pool(), "maxPods: 60\n")
    return with_core


@pytest.fixture
def foreign(user: Playbooks) -> Path:
    """A kubeconfig of another cluster, which does not know the user."""
    config = yaml.safe_load(Path(user.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": "foreign"}
    path = user.directory / "foreign"
    path.write_text(yaml.safe_dump(config))
    return path


def play(
    user: Playbooks, *tasks: Mapping[str, Any], directory: str = "", kubeconfig: str | None = None, **keywords: Any
) -> PlaybookRun:
    """Run the tasks on localhost in check mode, and show the message of each.

    directory: of the playbook, below the user's. kubeconfig: KUBECONFIG of the shell. keywords: those of the play.
    """
    shown = "{{ shown_%d.msg | default('ok', true) }}"
    steps = [{**task, "register": f"shown_{place}", "ignore_errors": True} for place, task in enumerate(tasks)]
    messages = [f"{place}: {shown % place}" for place in range(len(tasks))]
    variables = {"layers": str(user.directory), **keywords.pop("vars", {})}
    whole = {"hosts": "localhost", "gather_facts": False, "vars": variables, **keywords}
    path = user.directory / directory / "play.yml"
    path.parent.mkdir(exist_ok=True)
    (path.parent / "pool.yml").write_text((user.directory / "pool.yml").read_text())
    path.write_text(json.dumps([{**whole, "tasks": [*steps, {"ansible.builtin.debug": {"msg": messages}}]}]))
    command = [str(path), "--check", "-i", str(user.directory / "hosts.yml")]
    if not (user.directory / "hosts.yml").exists():
        command = command[:2]
    known = user.kubeconfig if kubeconfig is None else kubeconfig
    return finish(start(command, directory=user.directory, kubeconfig=known, venv=user.venv))


@pytest.mark.parametrize("variable", ["KUBECONFIG", "K8S_AUTH_KUBECONFIG"])
def test_an_action_acts_on_the_cluster_of_the_environment_of_its_task(
    user: Playbooks, foreign: Path, variable: str
) -> None:
    near = {**ACTION, "environment": {variable: user.kubeconfig}}
    keywords: dict[str, Any] = {"environment": {variable: "{{ staging }}"}, "vars": {"staging": str(foreign)}}
    done = play(user, MODULE, ACTION, near, **keywords)
    assert re.search('"0: .*Unauthorized', done.output), done.output
    assert re.search('"1: .*Unauthorized', done.output), done.output
    assert "2: ok" in done.output, "the environment of a task wins over that of its play"


def test_the_environment_of_a_task_ends_with_it(user: Playbooks, foreign: Path) -> None:
    looped = {**ACTION, "loop": [1, 2], "environment": {"KUBECONFIG": str(foreign)}}
    done = play(user, looped, ACTION)
    assert "1: ok" in done.output, done.output


@pytest.mark.slow
def test_relative_paths_begin_where_ansible_playbook_was_started(user: Playbooks, nodes: SimulatedNodes) -> None:
    """Not in PWD, which is that of the shell above, nor in the directory of the playbook."""
    (user.directory / "kube").write_text(Path(user.kubeconfig).read_text())
    nowhere = Playbooks(user.directory, str(user.directory / "nothing"), user.venv)
    for name, more in (("rollout", ("--check",)), ("status", ()), ("report", ("-e", "dest=out.html")), ("export", ())):
        done = nowhere.run(name, "-e", "kubeconfig=kube", *more)
        assert done.code == 0, done.output
    assert (user.directory / "out.html").is_file()
    assert (user.directory / "machines.yaml").is_file()
    sides = json.dumps({name: {"kubeconfig": "kube"} for name in ("before", "after")})
    compared = nowhere.run("compare", "-e", sides, pool=False)
    assert compared.code == 0, compared.output
    keywords: dict[str, Any] = {"module_defaults": {"group/configok.node.configok": {"kubeconfig": "kube"}}}
    own = play(nowhere, MODULE, ACTION, directory="plays", **keywords)
    assert "0: ok" in own.output, own.output
    assert "1: ok" in own.output, own.output
    environment: dict[str, Any] = {"environment": {"KUBECONFIG": "kube"}}
    own = play(nowhere, MODULE, ACTION, directory="plays", **environment)
    assert "0: ok" in own.output, own.output
    assert "1: ok" in own.output, own.output


def test_numbers_of_variables_stay_numbers(user: Playbooks, nodes: SimulatedNodes) -> None:
    kubelet = {**yaml.safe_load(KUBELET_HEADER), "maxPods": "{{ max_pods | int }}", "readOnlyPort": "{{ read_only }}"}
    pool = {key: value for key, value in quick_pool().items() if key != "layers"}
    user.write({**pool, "documents": {"kubelet": kubelet}}, "")
    done = user.run("rollout", "--check", "-e", "max_pods=60", "-e", "read_only={{ max_pods | int + 10195 }}")
    assert done.code == 0, done.output
    text = KUBELET_HEADER + "maxPods: {{ max_pods }}\n"
    user.write({**pool, "documents": {"kubelet": text}}, "")
    done = user.run("rollout", "--check", "-e", "max_pods=60")
    assert done.code == 0, done.output
    user.write({**pool, "documents": {"kubelet": {**kubelet, "maxPods": "{{ max_pods }}"}}}, "")
    refused = user.run("rollout", "--check", "-e", "max_pods=60", "-e", "read_only=10255")
    assert "its value is a template, and the value of a variable may be text: add the filter int" in refused.output


def test_variables_of_the_nodes_do_not_reach_this_machine(user: Playbooks) -> None:
    """An inventory whose nodes are reached with SSH and sudo has a localhost as well."""
    refusing = user.directory / "refusing"
    refusing.write_text("#!/bin/sh\necho 'this user may not become another' >&2\nexit 1\n")
    refusing.chmod(0o755)
    variables = {
        "ansible_become": True,
        "ansible_become_user": "nobody",
        "ansible_become_exe": str(refusing),
        "ansible_connection": "ssh",
        "ansible_ssh_executable": str(refusing),
        "ansible_python_interpreter": "/nonexistent/python",
    }
    hosts: dict[str, Any] = {"localhost": {}, "node-1": {}}
    (user.directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"vars": variables, "hosts": hosts}}))
    inventory = ("-i", "hosts.yml", "--become")
    done = user.run("rollout", *inventory)
    assert done.code == 0, done.output
    more = ("-e", "reason=because", "-e", "author=me", "-e", "wait=0")
    for name in LOCALHOST:
        ended = user.run(name, *inventory, *more)
        assert "may not become another" not in ended.output, name
        assert "UNREACHABLE" not in ended.output, name
        assert "/nonexistent" not in ended.output, name


def test_an_action_refuses_to_act_as_another_user_or_elsewhere(user: Playbooks) -> None:
    become = {**ACTION, "become": True, "become_user": "nobody"}
    elsewhere = {**ACTION, "delegate_to": "bastion"}
    late = {**ACTION, "async": 10, "poll": 1}
    refused = play(user, become, elsewhere, late)
    assert "0: become: rollout acts on the control machine as" in refused.output, refused.output
    assert "1: delegate_to: rollout acts on the control machine" in refused.output, refused.output
    assert re.search('"2: .*not support', refused.output), refused.output


def test_a_task_without_a_log_shows_no_lines(user: Playbooks) -> None:
    done = play(user, {**ACTION, "no_log": True})
    assert "Pool workers" not in done.output
    assert "Pool workers" in play(user, ACTION).output


def test_a_task_ends_when_its_time_is_over(user: Playbooks, nodes: SimulatedNodes) -> None:
    paused = user.run("pause", "-e", "author=me", "-e", "reason=because")
    assert paused.code == 0, paused.output
    done = play(user, {**ACTION, "timeout": 5, "check_mode": False})
    assert "imeout" in done.output or "time frame" in done.output, done.output
    assert nodes.assignments == []


def vaulted(user: Playbooks, *arguments: str) -> str:
    """Return what ansible-vault prints."""
    (user.directory / "password").write_text("secret\n")
    command = [str(user.venv / "bin/ansible-vault"), *arguments, "--vault-password-file=password"]
    return subprocess.run(command, cwd=user.directory, capture_output=True, text=True, check=True).stdout


def test_a_vaulted_variable_is_its_text(user: Playbooks) -> None:
    secret = vaulted(user, "encrypt_string", "pool=workers", "--name=selector")
    number = vaulted(user, "encrypt_string", "60", "--name=limit")
    pool = {key: value for key, value in quick_pool().items() if key not in ("selector", "layers")}
    kubelet = {**yaml.safe_load(KUBELET_HEADER), "maxPods": "{{ limit | int }}", "clusterDomain": "{{ domain }}"}
    (user.directory / "pool.yml").write_text(yaml.safe_dump({**pool, "documents": {"kubelet": kubelet}}) + secret)
    domain = vaulted(user, "encrypt_string", "cluster.local", "--name=domain")
    (user.directory / "secrets.yml").write_text(number + domain)
    done = user.run("rollout", "--check", "--vault-password-file=password", "-e", "@secrets.yml")
    assert done.code == 0, done.output


def test_a_layer_is_neither_encrypted_nor_a_template(user: Playbooks) -> None:
    layer = user.directory / "pool.yaml"
    layer.write_text(KUBELET_HEADER + 'maxPods: "{{ max_pods }}"\n')
    refused = user.run("rollout", "--check", "-e", "max_pods=60")
    assert "layers are not templates" in refused.output, refused.output
    layer.write_text(KUBELET_HEADER + "maxPods: {{ max_pods }}\n")
    refused = user.run("rollout", "--check", "-e", "max_pods=60")
    assert "layers are not templates" in refused.output, refused.output
    vaulted(user, "encrypt", str(layer))
    refused = user.run("rollout", "--check", "--vault-password-file=password")
    assert "pool.yaml is encrypted with ansible-vault" in refused.output, refused.output


def test_what_a_user_forgets_is_named(user: Playbooks) -> None:
    for more in ((), ("-e", "pool.yml")):
        refused = user.run("rollout", *more, pool=False)
        assert "give the pool file: -e @pool.yml" in refused.output, refused.output
    for playbook in ("history", "report", "pause"):
        refused = user.run(playbook, pool=False)
        assert "give the pool file: -e @pool.yml" in refused.output, refused.output
    refused = user.run("rollout", "-e", "policy=")
    assert "policy: must be a mapping, not text" in refused.output, refused.output
    refused = user.run("undo", "--check", "-e", "to_revision=")
    assert "unable to convert" not in refused.output
    assert "must not" not in refused.output
