# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What provisioning and removing show with --diff: which file changes, no secret, and no long list of files."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from support.ansible_runs.playbooks import ROOT, PlaybookRun, Playbooks, finish, start
from support.ansible_runs.role import load, render
from support.api.clusters import SandboxCluster, prepare
from support.configs.kubelet import KUBELET_HEADER

TOKEN = "marked-token-0f3a"
COMPONENT: dict[str, Any] = {
    "name": "kubelet",
    "unit": "kubelet.service",
    "variable": "KUBELET_CONFIG_ARGS",
    "exec_start": "",
    "flags_only": False,
    "made_directory": True,
    "agent_options": {},
    "version_command": ["/bin/true"],
}


def run_tasks(directory: Path, files: list[str], *options: str, **variables: Any) -> PlaybookRun:
    """Run files of tasks of the role, with its directories below this one."""
    (directory / "init").mkdir(exist_ok=True)
    (directory / "instance").mkdir(exist_ok=True)
    (directory / "environment").mkdir(exist_ok=True)
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {"ansible.builtin.set_fact": {"__node_inits": {}}},
            *[
                {"ansible.builtin.include_role": {"name": "configok.node.node", "tasks_from": f"{name}.yml"}}
                for name in files
            ],
            {"ansible.builtin.meta": "end_play"},  # there is no systemd for the handlers
        ],
    }
    facts = {
        "__node_configuration_directory": str(directory),
        "__node_unit_directory": str(directory / "units"),
        "__node_component": {**COMPONENT, "config": str(directory / "config.yaml")},
        **variables,
    }
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    (directory / "facts.json").write_text(json.dumps(facts))
    return finish(start(["play.yml", "-e", "@facts.json", *options], directory=directory, kubeconfig=""))


@pytest.mark.contract("manners.no-secret")
@pytest.mark.parametrize("options", [["--check", "--diff"], ["--diff", "-v"]], ids=["check", "verbose"])
def test_no_secret_of_the_kubelets_config_is_shown(tmp_path: Path, options: list[str]) -> None:
    secret = f"staticPodURLHeader:\n  Authorization: [{TOKEN}]\n"
    (tmp_path / "config.yaml").write_text(f"{KUBELET_HEADER}{secret}")
    run = run_tasks(tmp_path, ["init_source", "init_config"], *options)
    assert run.code == 0, run.output
    assert run.changed == 2
    assert TOKEN not in run.output
    if "--check" not in options:
        assert "encoded" not in run.output
        assert all(TOKEN in (tmp_path / name / "kubelet.yaml").read_text() for name in ("init", "instance"))


@pytest.mark.contract("manners.no-secret")
def test_a_refused_init_config_is_not_shown(tmp_path: Path) -> None:
    rehearsal = load("tasks/rehearse.yml")[1]["block"]
    validation = [task for task in rehearsal if "init config" in task["name"]]
    assert len(validation) == 3
    encoded = base64.b64encode(f"{KUBELET_HEADER}x: {TOKEN}\n".encode()).decode()
    play = {"hosts": "localhost", "gather_facts": False, "tasks": validation}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    facts = {
        "node_python": "/bin/false",
        "node_validate_init_config": True,
        "__node_staged_archive": "a",
        "__node_staged_configuration": "c",
        "__node_inits": {"kubelet": {"path": "/init.yaml", "encoded": encoded}},
    }
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    run = finish(start(["play.yml", "-e", "@facts.json"], directory=tmp_path, kubeconfig=""))
    assert run.code == 2, run.output
    assert "item=kubelet" in run.output
    assert encoded not in run.output


@pytest.mark.contract("manners.no-secret")
@pytest.mark.parametrize(
    ("file", "task", "code"),
    [
        ("units", "Merge discovered unit facts with user overrides", 0),
        ("agent", "Wait for the agent to write the component configs", 2),
        ("verify", "Verify that every component is still active", 2),
    ],
)
def test_no_secret_of_an_instance_config_is_shown(tmp_path: Path, file: str, task: str, code: int) -> None:
    [chosen] = [candidate for candidate in load(f"tasks/{file}.yml") if candidate["name"] == task]
    chosen.get("ansible.builtin.wait_for", {})["timeout"] = 1
    own = {"name": "kubelet", "instance_config": {"staticPodURLHeader": {"Authorization": [TOKEN]}}}
    unit = {"name": "kubelet", "unit": "kubelet.service", "active": True}
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [chosen]}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    facts: dict[str, Any] = {
        "node_components": [own],
        "__node_services": [own],
        "__node_pods": [],
        "__node_units": {"components": [unit]},
        "__node_merged": {"components": [{**unit, "active": False}]},
        "__node_state_directory": str(tmp_path),
        "__node_agent_unit": "configok-agent.service",
    }
    if file != "units":
        facts["__node_components"] = [{**unit, **own}]
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    run = finish(start(["play.yml", "-v", "-e", "@facts.json"], directory=tmp_path, kubeconfig=""))
    assert run.code == code, run.output
    assert TOKEN not in run.output


def test_the_diff_of_a_template_names_its_target(tmp_path: Path) -> None:
    target = tmp_path / "units/kubelet.service.d/zz-configok.conf"
    target.parent.mkdir(parents=True)
    run = run_tasks(tmp_path, ["drop_in"], "--check", "--diff")
    assert run.code == 0, run.output
    assert f"+++ after: {target}" in run.output
    assert "ansible-local" not in run.output
    assert run_tasks(tmp_path, ["drop_in"], "--diff").code == 0
    expected = render(
        "drop-in.conf.j2",
        __node_component=COMPONENT,
        __node_configuration_directory=str(tmp_path),
        __node_agent_command=(
            f"/usr/bin/python3 -I /usr/local/lib/configok/configok-agent.pyz --config={tmp_path}/agent.yaml"
        ),
    )
    assert target.read_text() == expected
    assert run_tasks(tmp_path, ["drop_in"], "--diff").changed == 0


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("roles/*/tasks/*.yml")), ids=lambda path: f"{path.parts[-3]}-{path.stem}"
)
def test_no_task_uses_the_template_module_whose_diff_names_a_copy(path: Path) -> None:
    assert "ansible.builtin.template:" not in path.read_text()


def test_the_files_below_a_directory_that_is_removed_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "program/cache").mkdir(parents=True)
    (tmp_path / "program/cache/compiled.pyc").touch()
    [remove] = [task for task in load("tasks/absent.yml") if task["name"] == "Remove the agent's files"]
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [remove]}
    names = ("link", "program_directory", "configuration_directory", "state_directory", "run_directory")
    facts = {f"__node_{name}": str(tmp_path / name.partition("_")[0]) for name in names}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    run = finish(start(["play.yml", "-e", "@facts.json", "--check", "--diff"], directory=tmp_path, kubeconfig=""))
    assert run.code == 0, run.output
    assert "compiled.pyc" not in run.output
    assert f"item={tmp_path / 'program'}" in run.output


def test_what_is_removed_from_the_cluster_is_shown_once_and_in_short(cluster: SandboxCluster, tmp_path: Path) -> None:
    prepare(cluster.client, Access(runner_subjects=({"kind": "User", "name": "runner"},)))
    for number in range(40):
        cluster.add_node(f"n{number:02}", annotations={"configok.dev/config-status": "{}"})
    user = Playbooks(tmp_path, cluster.kubeconfig)
    run = user.run("remove", "-e", "provision_hosts=none", "--check", "--diff", pool=False)
    assert run.code == 0, run.output
    assert run.output.count("ClusterRoleBinding configok-runner") == 1
    assert "and 30 more" in run.output
    assert len(run.output.splitlines()) < 70, run.output
