# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/in-ci.md run: the commands of its pipelines, and its hook."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from support.configs.kubelet import kubelet_config

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/in-ci.md").read_text(encoding="utf-8")
GOOD, BAD = kubelet_config("maxPods: 50"), kubelet_config("maxPods: -1")
INSTALL = "pip install git+https://github.com/configok/node@"
PIPELINES = {
    lines.split("\n", 1)[0].removeprefix("# "): yaml.safe_load(lines)
    for lines in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
}
GITHUB = PIPELINES[".github/workflows/component-configs.yml"]["jobs"]["validate"]["steps"]
GITLAB = PIPELINES[".gitlab-ci.yml"]["component-configs"]


@pytest.fixture
def project(tmp_path: Path, archive: Path) -> Path:
    """A repository with a config, and on PATH the agent and a pip that does nothing."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in (("configok-agent", f'exec {sys.executable} -I {archive} "$@"'), ("pip", ":")):
        (programs / name).write_text(f"#!/bin/sh\n{command}\n")
        (programs / name).chmod(0o755 | stat.S_IXUSR)
    project = tmp_path / "project"
    (project / "configs").mkdir(parents=True)
    (project / "configs/kubelet.yaml").write_text(GOOD)
    (project / "configs/values.yaml").write_text("image: x\n")
    return project


def run(project: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a CI system does, in the project."""
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command],
        cwd=project,
        env={"PATH": path, "HOME": str(project.parent), "GIT_CONFIG_GLOBAL": os.devnull},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def steps(config: str, project: Path) -> list[tuple[dict[str, Any], subprocess.CompletedProcess[str]]]:
    """Run our steps of the workflow for a config; after a failure, only those that always run."""
    (project / "configs/kubelet.yaml").write_text(config)
    ended: list[tuple[dict[str, Any], subprocess.CompletedProcess[str]]] = []
    for step in GITHUB:
        failed = any(result.returncode for _step, result in ended)
        if "run" in step and (not failed or step.get("if") == "always()"):
            ended.append((step, run(project, step["run"])))
    return ended


def test_the_workflow_passes_a_good_config(project: Path) -> None:
    results = [result for _step, result in steps(GOOD, project)]
    assert [(result.returncode, result.stdout) for result in results] == [(0, "")] * 3


def test_the_workflow_annotates_a_bad_config_and_reports_it(project: Path) -> None:
    _install, annotate, report = (result for _step, result in steps(BAD, project))
    assert (annotate.returncode, report.returncode) == (1, 0)
    assert annotate.stdout.startswith("::error file=configs/kubelet.yaml,line=3,")
    upload = next(step["with"] for step in GITHUB if "upload-sarif" in step.get("uses", ""))
    (sarif,) = json.loads((project / upload["sarif_file"]).read_text())["runs"]
    assert [result["level"] for result in sarif["results"]] == ["error"]


@pytest.mark.parametrize(("config", "code", "failures"), [(GOOD, 0, "0"), (BAD, 1, "2")])
def test_the_gitlab_job_writes_its_report(project: Path, config: str, code: int, failures: str) -> None:
    (project / "configs/kubelet.yaml").write_text(config)
    assert [run(project, line).returncode for line in GITLAB["script"]] == [0, code]
    assert GITLAB["artifacts"]["when"] == "always"
    report = ElementTree.fromstring((project / GITLAB["artifacts"]["reports"]["junit"]).read_text())
    assert report.get("failures") == failures


@pytest.mark.parametrize(("config", "code"), [(GOOD, 0), (BAD, 1)])
def test_the_hook_validates_the_files_that_it_is_given(project: Path, config: str, code: int) -> None:
    (project / "configs/kubelet.yaml").write_text(config)
    (used,) = PIPELINES[".pre-commit-config.yaml"]["repos"][0]["hooks"]
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    hook = hooks[used["id"]]
    assert (hook["language"], hook["types"]) == ("python", ["text"])
    names = ["configs/kubelet.yaml", "configs/values.yaml", "kubelet.d/10-pods.conf", "a.yml", "b.json", "c.py", "d.md"]
    assert [name for name in names if re.search(hook["files"], name)] == names[:5]
    command = [*hook["entry"].split(), *used["args"], *names[:2]]
    assert run(project, " ".join(command)).returncode == code


def test_the_shell_commands_of_the_page_run(project: Path) -> None:
    blocks = re.findall(r"```shell\n(.*?)```", PAGE, re.DOTALL)
    commit = "git -c user.name=a -c user.email=a@example.org commit -qam configs"
    ended = run(project, f"git init -q && git add . && {commit}")
    assert ended.returncode == 0, ended.stderr
    (project / "configs/kubelet.yaml").write_text(kubelet_config("maxPods: 60"))
    (project / "kubelet.env").write_text('KUBELET_ARGS="--node-ip=192.0.2.7"\nPATH=/bin\n')
    assert run(project, commit).returncode == 0
    ours = [block for block in blocks if "configok-agent " in block or block.startswith("pip ")]
    outputs = [run(project, block) for block in ours]
    assert [ended.returncode for ended in outputs] == [0, 0, 0, 0, 0], outputs
    assert outputs[-2].stdout.startswith("maxPods: 50 -> 60")
    assert "failCgroupV1: false -> true" in outputs[-1].stdout


def test_the_commands_install_one_release() -> None:
    lines = [step["run"] for step in GITHUB if "pip " in step.get("run", "")]
    lines += [line for line in GITLAB["script"] if "pip " in line] + re.findall(r"^pip .*", PAGE, re.MULTILINE)
    revision = PIPELINES[".pre-commit-config.yaml"]["repos"][0]["rev"]
    assert lines == [INSTALL + revision] * 3
