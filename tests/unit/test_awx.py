# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in awx/ agree with each other, with the playbooks of the collection, and with ansible-builder."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, nodes

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import setting_duration
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import (
    MACHINE_VARIABLES,
    POOL_FILE,
)
from support.ansible_runs.controller import PROJECT, controller_objects
from support.ansible_runs.inventories import read_inventory
from support.api.clusters import SandboxCluster

ROOT = Path(__file__).resolve().parents[2]
OBJECTS = controller_objects()
TEMPLATES = {item["name"]: item for item in OBJECTS["controller_templates"]}
WORKFLOWS = {item["name"]: item for item in OBJECTS.get("controller_workflows", [])}
READERS = {"read_pool", "read_machines", "execution-environment"}
THIN = sorted(path.stem for path in PROJECT.glob("*.yml") if path.stem not in READERS)
# They need SSH to nodes, no cluster at all, or write files; a rollout runs reboot, and a run of machines runs machine.
NOT_IN_A_CONTROLLER = {"compare", "demo", "export", "machine", "provision", "reboot", "remove", "simulate"}

# What the roles of infra.aap_configuration read of an object, as far as it is used here.
_COMMON = {"name", "description", "organization"}
FIELDS = {
    "controller_projects": _COMMON
    | {"scm_type", "scm_url", "scm_branch", "scm_update_on_launch", "default_environment", "wait"},
    "controller_execution_environments": _COMMON | {"image", "pull"},
    "controller_inventories": _COMMON,
    "controller_inventory_sources": _COMMON
    | {"inventory", "source", "source_project", "source_path", "credential", "execution_environment"}
    | {"overwrite", "overwrite_vars", "update_on_launch"},
    "controller_credential_types": {"name", "description", "kind", "inputs", "injectors"},
    "controller_credentials": _COMMON | {"credential_type", "inputs"},
    "controller_templates": _COMMON
    | {"job_type", "project", "playbook", "inventory", "execution_environment", "credentials", "extra_vars"}
    | {"allow_simultaneous", "ask_variables_on_launch", "survey_enabled", "survey_spec", "diff_mode", "timeout"},
    "controller_workflows": _COMMON
    | {"allow_simultaneous", "survey_enabled", "survey_spec", "simplified_workflow_nodes"},
    "controller_schedules": _COMMON | {"unified_job_template", "rrule", "extra_data", "enabled"},
}
NODE_FIELDS = {"identifier", "unified_job_template", "approval_node", "extra_data"}
LINKS = ("success_nodes", "failure_nodes", "always_nodes")
QUESTION_FIELDS = {"question_name", "question_description", "required", "type", "variable"}
SCALARS = {"text", "textarea", "password", "integer", "float", "multiplechoice"}


def strings(value: Any) -> Iterator[str]:
    """Yield all strings of a YAML document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key == "when":
                conditions = part if isinstance(part, list) else [part]
                yield from (f"{{{{ {condition} }}}}" for condition in conditions)
            else:
                yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def variables_of(path: Path) -> set[str]:
    """Return the variables that a playbook, and the tasks that it includes, read."""
    text = path.read_text(encoding="utf-8")
    names = set(POOL_FILE.keys[""]) if re.search(r"^ +configok\.node\.rollout:", text, re.MULTILINE) else set()
    if re.search(r"^ +configok\.node\.machines:", text, re.MULTILINE):
        names |= set(MACHINE_VARIABLES.keys[""])
    for string in strings(yaml.safe_load(text)):
        template = Environment(autoescape=True).parse(string)
        names |= {name.name for name in template.find_all(nodes.Name) if name.ctx == "load"}
        included = path.parent / string
        if re.fullmatch(r"tasks/\w+\.yml|\w+\.yml", string) and included.is_file():
            names |= variables_of(included)
    return names


def accepted_variables(template: dict[str, Any]) -> set[str]:
    """Return the variables that a job template's playbook reads, in the project and in the collection."""
    names = set()
    for play in yaml.safe_load((PROJECT / template["playbook"]).read_text(encoding="utf-8")):
        target = play["import_playbook"]
        collection = target.startswith("configok.node.")
        file = ROOT / "playbooks" / f"{target.rpartition('.')[2]}.yml" if collection else PROJECT / target
        names |= variables_of(file)
    return names


def test_there_is_a_playbook_and_a_template_for_each_playbook_of_the_collection() -> None:
    assert set(THIN) == {path.stem for path in (ROOT / "playbooks").glob("*.yml")} - NOT_IN_A_CONTROLLER
    assert {item["playbook"].removesuffix(".yml") for item in TEMPLATES.values()} == set(THIN)


@pytest.mark.parametrize("name", THIN)
def test_a_thin_playbook_reads_the_pool_and_imports_the_one_of_its_name(name: str) -> None:
    read, imported = yaml.safe_load((PROJECT / f"{name}.yml").read_text(encoding="utf-8"))
    assert read["import_playbook"] == ("read_machines.yml" if name == "machines" else "read_pool.yml")
    assert read.get("vars", {}) == ({"pool_hosts": "clusters"} if name == "clusters" else {})
    assert imported["import_playbook"] == f"configok.node.{name}"
    accepted = variables_of(ROOT / f"playbooks/{name}.yml")
    assert "author" not in accepted or "awx_user_name" in accepted, "a job has no USER"


def test_objects_have_fields_that_exist_and_names_that_differ() -> None:
    assert set(OBJECTS) == set(FIELDS)
    for kind, items in OBJECTS.items():
        names = [item["name"] for item in items]
        assert len(set(names)) == len(names)
        for item in items:
            assert set(item) - {"<<"} <= FIELDS[kind], item["name"]


def test_objects_name_objects_that_exist() -> None:
    names = {kind: {item["name"] for item in items} for kind, items in OBJECTS.items()}
    for item in TEMPLATES.values():
        assert (PROJECT / item["playbook"]).is_file()
        assert item["job_type"] in ("run", "check")
        assert item["project"] in names["controller_projects"]
        assert item["inventory"] in names["controller_inventories"]
        assert item["execution_environment"] in names["controller_execution_environments"]
        assert set(item["credentials"]) <= names["controller_credentials"]
    for item in OBJECTS["controller_inventory_sources"]:
        assert (PROJECT / item["source_path"]).is_file()
        assert item["source"] == "scm"
        assert item["source_project"] in names["controller_projects"]
        assert item["inventory"] in names["controller_inventories"]
        assert {item.get("credential"), None} <= names["controller_credentials"] | {None}
    for item in OBJECTS["controller_projects"]:
        assert item["default_environment"] in names["controller_execution_environments"]
    for item in OBJECTS["controller_credentials"]:
        assert item["credential_type"] in {*names["controller_credential_types"], "Machine"}


def test_what_a_check_mode_job_shows_is_a_diff() -> None:
    checks = [item for item in TEMPLATES.values() if item["job_type"] == "check"]
    assert len(checks) >= 2
    assert all(item["diff_mode"] for item in checks)


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_surveys_ask_for_scalars_that_the_playbook_reads(template: dict[str, Any]) -> None:
    accepted = accepted_variables(template)
    assert set(template.get("extra_vars", {})) <= accepted
    for question in template["survey_spec"]["spec"]:
        assert question["variable"] in accepted, "no playbook reads it"
        check_question(question)


def check_question(question: dict[str, Any]) -> None:
    """Check a survey's question as a controller does."""
    bounds = {"text": {"min", "max"}, "integer": {"min", "max"}, "multiplechoice": {"choices"}}[question["type"]]
    assert QUESTION_FIELDS <= set(question) <= QUESTION_FIELDS | bounds | {"default"}
    assert question["type"] in SCALARS
    if question["type"] == "multiplechoice":
        assert question["default"] in question["choices"]
    if question["variable"] == "pool_file":
        assert question["required"]
        assert question["choices"] == sorted(path.stem for path in (PROJECT / "pools").glob("*.yml"))


def test_the_pool_files_are_valid_and_their_layers_exist() -> None:
    for path in (PROJECT / "pools").glob("*.yml"):
        pool = parse_pool(yaml.safe_load(path.read_text(encoding="utf-8")))
        for layer in pool.layers:
            document = yaml.safe_load((PROJECT / layer).read_text(encoding="utf-8"))
            assert document["kind"] == "KubeletConfiguration"


def test_a_controller_reads_the_inventories_of_the_project(cluster: SandboxCluster) -> None:
    cluster.add_node("n1", version="v1.35.1")
    environment = {
        "KUBECONFIG": cluster.kubeconfig,
        "HOME": "/proc/sys",
        "ANSIBLE_HOME": str(Path(cluster.kubeconfig).parent),
    }
    machines = read_inventory(PROJECT / "inventories/machines.inventory.yml", environment=environment)
    assert machines.group("version_1_35_1") == ["n1"], machines.problem
    clusters = read_inventory(PROJECT / "inventories/clusters.yml", environment=environment)
    assert clusters.group("clusters") == clusters.hosts
    canaries = {
        question["default"]
        for template in TEMPLATES.values()
        for question in template["survey_spec"]["spec"]
        if question["variable"] == "cluster_canary"
    }
    assert canaries <= set(clusters.hosts)


def test_the_machines_are_valid_and_in_the_run() -> None:
    run = yaml.safe_load((PROJECT / "runs/machines.yml").read_text(encoding="utf-8"))
    assert set(run) <= set(MACHINE_VARIABLES.keys[""])
    catalog = machine_catalog([PROJECT / path for path in run["machine_files"]])
    assert [machine.name for machine in catalog.machines] == ["worker-1", "worker-2"]
    assert {machine.pool for machine in catalog.machines} == {path.stem for path in (PROJECT / "pools").glob("*.yml")}


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
def test_a_workflow_links_templates_and_approvals_that_exist(workflow: dict[str, Any]) -> None:
    asked = {question["variable"] for question in workflow["survey_spec"]["spec"]}
    for question in workflow["survey_spec"]["spec"]:
        check_question(question)
    steps = {node["identifier"]: node for node in workflow["simplified_workflow_nodes"]}
    assert len(steps) == len(workflow["simplified_workflow_nodes"])
    linked = set()
    for node in steps.values():
        assert set(node) <= NODE_FIELDS | set(LINKS)
        assert ("unified_job_template" in node) != ("approval_node" in node)
        linked |= {target for link in LINKS for target in node.get(link, [])}
        if "approval_node" in node:
            assert set(node["approval_node"]) == {"name", "description", "timeout"}
            waits = TEMPLATES["configok rollout"]["extra_vars"]["rollout_wait_timeout"]
            assert setting_duration(waits) == node["approval_node"]["timeout"]
            continue
        questions = TEMPLATES[node["unified_job_template"]]["survey_spec"]["spec"]
        assert set(node.get("extra_data", {})) <= {question["variable"] for question in questions}
        required = {question["variable"] for question in questions if question["required"]}
        assert required <= asked | set(node.get("extra_data", {}))
    assert linked <= set(steps)
    assert len(set(steps) - linked) == 1, "one node is the first"


@pytest.mark.parametrize("schedule", OBJECTS.get("controller_schedules", []), ids=lambda item: str(item["name"]))
def test_a_schedule_answers_the_survey_of_its_template(schedule: dict[str, Any]) -> None:
    template = TEMPLATES[schedule["unified_job_template"]]
    asked = {question["variable"]: question for question in template["survey_spec"]["spec"]}
    assert set(schedule["extra_data"]) <= set(asked)
    assert {name for name, question in asked.items() if question["required"]} <= set(schedule["extra_data"])
    begins, recurs = schedule["rrule"].split(" ")
    datetime.strptime(begins, "DTSTART:%Y%m%dT%H%M%SZ")
    rule = recurs.removeprefix("RRULE:")
    parts = dict(part.split("=") for part in rule.split(";"))
    assert parts.pop("FREQ") in ("HOURLY", "DAILY", "WEEKLY")
    assert int(parts.pop("INTERVAL")) > 0
    assert set(parts) <= {"BYDAY"}


def test_plans_of_pools_and_of_machines_are_scheduled() -> None:
    scheduled = {schedule["unified_job_template"] for schedule in OBJECTS["controller_schedules"]}
    assert {"configok plan", "configok plan of machines"} <= scheduled
    moving = {name for name in scheduled if TEMPLATES[name]["job_type"] == "run"}
    assert moving == {"configok status", "configok reconcile"}, "nothing new is rolled out by the clock"


def builder(*arguments: str | Path) -> str:
    """Run ansible-builder and return its output."""
    command = [Path(sys.executable).with_name("ansible-builder"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_ansible_builder_accepts_the_execution_environment(tmp_path: Path) -> None:
    builder("create", "-f", "execution-environment.yml", "-c", tmp_path, "--output-filename", "Containerfile")
    container_file = (tmp_path / "Containerfile").read_text()
    assert "ansible-galaxy collection install" in container_file
    assert "ansible-runner" in container_file
    requirements = yaml.safe_load((tmp_path / "_build/requirements.yml").read_text())
    assert requirements == yaml.safe_load((PROJECT / "collections/requirements.yml").read_text())


def test_ansible_builder_finds_what_the_collection_needs(tmp_path: Path) -> None:
    installed = tmp_path / "ansible_collections/configok/node"
    installed.parent.mkdir(parents=True)
    installed.symlink_to(ROOT)
    builder("introspect", tmp_path, "--write-pip", tmp_path / "pip.txt", "--write-bindep", tmp_path / "bindep.txt")
    needed = {re.split(r"[<>=\s]", line)[0].lower() for line in (tmp_path / "pip.txt").read_text().splitlines()}
    assert {"kubernetes", "urllib3", "jmespath", "tzdata"} <= needed  # PyYAML comes with ansible-core
