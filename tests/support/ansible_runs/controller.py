# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the job templates of awx/ as AWX does: ansible-runner, with a project, an inventory and variables in files."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from support.ansible_runs.inventories import read_inventory
from support.ansible_runs.playbooks import kill

__all__ = ["PROJECT", "Controller", "Job", "controller_objects"]

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "awx"
_LINKS = ("success_nodes", "failure_nodes", "always_nodes")
_NO_HOME = "/proc/sys"  # nothing can be written there, not even by root


class _Loader(yaml.SafeLoader):
    """Reads the files in awx/controller: text with the tag !unsafe is text."""


_Loader.add_constructor("!unsafe", lambda _loader, node: node.value)


def controller_objects() -> dict[str, list[dict[str, Any]]]:
    """Return the objects in awx/controller, by the variable of the collection that makes them."""
    objects: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((PROJECT / "controller").glob("*.yml")):
        variables = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # a SafeLoader
        objects.update({name: value for name, value in variables.items() if name.startswith("controller_")})
    return objects


def _template(name: str) -> dict[str, Any]:
    [template] = [item for item in controller_objects()["controller_templates"] if item["name"] == name]
    return template


@dataclass(frozen=True)
class Job:
    """A job that has ended. log: what a user sees of it; events: as ansible-runner reports them to AWX."""

    status: str
    log: str
    events: Sequence[Mapping[str, Any]]

    @cached_property
    def artifacts(self) -> dict[str, Any]:
        """Return the values of set_stats, which AWX hands to the next job of a workflow."""
        ends = [event["event_data"] for event in self.events if event["event"] == "playbook_on_stats"]
        return dict(ends[-1].get("artifact_data") or {}) if ends else {}

    @property
    def changed(self) -> int:
        """Return the number of changed tasks."""
        ends = [event["event_data"] for event in self.events if event["event"] == "playbook_on_stats"]
        return sum((ends[-1]["changed"] if ends else {}).values())

    def when(self, text: str) -> datetime:
        """Return when the first event with this text was reported."""
        return min(datetime.fromisoformat(event["created"]) for event in self.events if text in event["stdout"])


@dataclass
class Controller:
    """A directory for jobs, and a copy of the project.

    credential: the variables that the job's credential sets. extra_variables: instead of those of the templates.
    ssh_key: the private key of a machine credential, for which the job has an ssh-agent.
    """

    directory: Path
    credential: Mapping[str, str]
    user: str = "alice"
    extra_variables: Mapping[str, Any] = field(default_factory=dict)
    ssh_key: str = ""
    project: Path = field(init=False)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.project = self.directory / "project"
        shutil.copytree(PROJECT, self.project)

    def start(self, template: str, **answers: Any) -> tuple[subprocess.Popen[str], Path]:
        """Start a job from a template with these answers to its survey; return the process and its artifacts."""
        number = next(self._numbers)
        definition = _template(template)
        private = self.directory / f"job-{number}"
        shutil.copytree(self.project, private / "project")
        for name in ("inventory", "env", "tmp"):
            (private / name).mkdir()
        inventory = private / "inventory/hosts"
        inventory.write_text(self._inventory(definition["inventory"]))
        inventory.chmod(0o700)
        (private / "env/extravars").write_text(self._extra_variables(number, definition, answers))
        (private / "env/envvars").write_text(json.dumps(self._environment(number, private)))
        if self.ssh_key:
            (private / "env/ssh_key").write_text(self.ssh_key)
        options = (["--check"] if definition["job_type"] == "check" else []) + (
            ["--diff"] if definition.get("diff_mode") else []
        )
        (private / "env/cmdline").write_text(shlex.join(options))
        process = subprocess.Popen(
            [sys.executable, "-m", "ansible_runner", "run", private, "-p", definition["playbook"], "--ident", "job"],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": _NO_HOME},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.directory,
        )
        return process, private / "artifacts/job"

    def run(self, template: str, **answers: Any) -> Job:
        """Run a job from a template to its end."""
        return self.finish(*self.start(template, **answers))

    def run_workflow(self, name: str, approve: Callable[[], bool], **answers: Any) -> dict[str, Job | bool]:
        """Run a workflow as a controller does, nodes without a link between them at the same time.

        approve: gives the decision of an approval node. Returns the job or the decision of each node that ran.
        """
        [workflow] = [item for item in controller_objects()["controller_workflows"] if item["name"] == name]
        steps = {step["identifier"]: step for step in workflow["simplified_workflow_nodes"]}
        ended: dict[str, Job | bool] = {}

        def run(identifier: str) -> None:
            step = steps[identifier]
            if "approval_node" in step:
                ended[identifier] = passed = approve()
            else:
                template = _template(step["unified_job_template"])
                asked = {question["variable"] for question in template["survey_spec"]["spec"]}
                variables = {**answers, **step.get("extra_data", {})}
                job = self.run(template["name"], **{key: value for key, value in variables.items() if key in asked})
                ended[identifier] = job
                passed = job.status == "successful"
            with ThreadPoolExecutor() as executor:
                list(executor.map(run, step.get("success_nodes" if passed else "failure_nodes", [])))

        linked = {target for step in steps.values() for link in _LINKS for target in step.get(link, [])}
        for identifier in set(steps) - linked:
            run(identifier)
        return ended

    def finish(self, process: subprocess.Popen[str], artifacts: Path) -> Job:
        """Wait until a job has ended."""
        try:
            output, _nothing = process.communicate(timeout=300)
        except BaseException:
            kill(process)
            raise
        if not (artifacts / "status").exists():
            raise AssertionError(output)
        events = [json.loads(path.read_text()) for path in (artifacts / "job_events").glob("*-*.json")]
        return Job(
            (artifacts / "status").read_text(),
            (artifacts / "stdout").read_bytes().decode(),
            sorted(events, key=lambda event: int(event["counter"])),
        )

    def _inventory(self, name: str) -> str:
        """Return what AWX writes for an inventory: a program that prints its hosts."""
        paths = [
            item["source_path"]
            for item in controller_objects()["controller_inventory_sources"]
            if item["inventory"] == name
        ]
        content = {"_meta": {"hostvars": {}}, "all": {"hosts": [], "vars": {}}}
        for path in paths:
            content = read_inventory(self.project / path, environment=dict(self.credential)).data
        return f"#!/bin/sh\necho {shlex.quote(json.dumps(content))}\n"

    def _extra_variables(self, number: int, template: Mapping[str, Any], answers: Mapping[str, Any]) -> str:
        """Return what AWX writes: its own variables, those of the template, and answers, which are never templates."""
        own = {"job_id": number, "job_launch_type": "manual", "job_template_name": template["name"]}
        if self.user:
            own["user_name"] = self.user
        variables = {f"{prefix}_{name}": value for prefix in ("awx", "tower") for name, value in own.items()}
        asked = {question["variable"]: question for question in template["survey_spec"]["spec"]}
        unknown = set(answers) - set(asked)
        missing = {name for name, question in asked.items() if question["required"]} - set(answers)
        if unknown or missing:
            raise AssertionError(f"the survey of {template['name']}: not asked {unknown}, not answered {missing}")
        # An answer that is left empty has its default, except for numbers, which are left out.
        defaults = {name: "" for name, question in asked.items() if question["type"] == "text"}
        lines = [yaml.safe_dump({**variables, **template.get("extra_vars", {}), **self.extra_variables})]
        for name, value in {**defaults, **answers}.items():
            lines.append(f"{name}: !unsafe {json.dumps(value)}\n" if isinstance(value, str) else f"{name}: {value}\n")
        return "---\n" + "".join(lines)

    def _environment(self, number: int, private: Path) -> dict[str, str]:
        return {
            **self.credential,
            "JOB_ID": str(number),
            "AWX_PRIVATE_DATA_DIR": str(private),
            "ANSIBLE_FORCE_COLOR": "True",
            "ANSIBLE_HOST_KEY_CHECKING": "False",
            "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True",
            "ANSIBLE_RETRY_FILES_ENABLED": "False",
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"),
            "ANSIBLE_LOCAL_TEMP": str(private / "tmp"),
            "HOME": _NO_HOME,
        }
