# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests systemd's own rating of the agent's unit, and that the docs give a reason for each remaining exposure."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import BOOT_ID
from ansible_collections.configok.node.plugins.module_utils._host import host_facts
from support.ansible_runs.role import render
from support.session.unavailable import leave_out

DOCS = Path(__file__).resolve().parents[4] / "docs/security.md"
MOST = 17  # tenths: 1.7; systemd calls anything up to 2.0 "OK", a unit without a sandbox has 9.6
FIRST_OFFLINE = 250  # the systemd that can rate a unit which it does not run


@pytest.fixture(scope="module")
def analyze() -> str:
    """Return the path of a systemd-analyze that can rate a unit offline."""
    path = shutil.which("systemd-analyze")
    if path is None:
        leave_out("systemd-analyze is missing (package systemd)")
    text = subprocess.run([str(path), "--version"], capture_output=True, text=True, check=True).stdout
    if int(text.split()[1].partition(".")[0].partition("~")[0]) < FIRST_OFFLINE:
        leave_out(f"{text.splitlines()[0]} cannot rate a unit offline, {FIRST_OFFLINE} can")
    return str(path)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Return the unit as the role writes it by default."""
    path = tmp_path / "configok-agent.service"
    # verify asks for the program; any that is there will do.
    path.write_text(render("configok-agent.service.j2", __node_agent_command="/bin/sh"))
    return path


def rate(analyze: str, unit: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Rate the unit, without a running systemd."""
    command = [analyze, "security", "--offline=true", "--no-pager", *options, str(unit)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


@pytest.mark.contract("manners.sandboxed")
def test_the_exposure_is_under_the_threshold(analyze: str, unit: Path) -> None:
    result = rate(analyze, unit, f"--threshold={MOST}")
    assert result.returncode == 0, result.stdout + result.stderr
    [overall] = re.findall(r"Overall exposure level for configok-agent.service: ([0-9.]+)", result.stdout)
    assert f"rates it {overall} " in DOCS.read_text(), "docs/security.md gives another figure"
    unit.write_text("[Service]\nExecStart=/bin/sh\n")
    assert (
        rate(analyze, unit, f"--threshold={MOST}").returncode != 0
    )  # the rating does fail for a unit without a sandbox


@pytest.mark.contract("manners.sandboxed")
def test_each_remaining_exposure_has_its_reason_in_the_docs(analyze: str, unit: Path) -> None:
    ratings: list[dict[str, Any]] = json.loads(rate(analyze, unit, "--json=short").stdout)
    exposed = {str(rating["name"]).rstrip("=") for rating in ratings if rating["exposure"] not in (None, "")}
    section = DOCS.read_text().replace("\\|", "|").partition("## The sandbox")[2].partition("\n## ")[0]
    explained = {
        name for row in re.findall(r"^\| (.*?) \|", section, re.M) for name in re.findall(r"`([^`]+?)=?`", row)
    }
    assert exposed, "the rating says that nothing is exposed"
    assert exposed <= explained
    assert explained <= {str(rating["name"]).rstrip("=") for rating in ratings}, (
        "the docs explain what systemd does not know"
    )


def test_no_metrics_outlive_an_agent_that_was_killed(analyze: str, unit: Path) -> None:
    assert "ExecStopPost" not in unit.read_text()
    options = {"metricsFile": "/var/lib/prometheus/node-exporter/configok.prom"}
    text = render("configok-agent.service.j2", __node_agent_command="/bin/sh", node_agent_options=options)
    assert "\nReadWritePaths=-/var/lib/prometheus/node-exporter\n" in text
    assert f"\nExecStopPost=-/bin/rm -f {options['metricsFile']}\n" in text
    unit.write_text(text)
    assert rate(analyze, unit, f"--threshold={MOST}").returncode == 0


def test_a_child_that_the_kernel_ends_for_its_memory_does_not_end_the_agent(unit: Path) -> None:
    assert "\nOOMPolicy=continue\n" in unit.read_text()


def test_systemd_knows_every_line_of_the_unit(analyze: str, unit: Path) -> None:
    result = subprocess.run(
        [analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False, timeout=30
    )
    ours = [line for line in result.stderr.splitlines() if "configok" in line]
    assert ours == []


def test_another_proc_tells_the_agent_nothing_else(unit: Path) -> None:
    """Its sandbox brings a /proc without a container's mounts for the boot id, swaps and memory."""
    text = unit.read_text()
    assert f"\nEnvironment={BOOT_ID}=%b\n" in text
    [bound] = re.findall(r"^BindReadOnlyPaths=(.+)", text, re.M)
    facts = set(re.findall(r'"proc/(?!sys/)([^"]+)"', Path(str(host_facts.__file__)).read_text()))
    assert facts
    assert set(bound.split()) == {f"-/proc/{name}" for name in facts}
    assert not re.search(r"^(ProcSubset|PrivatePIDs)=", text, re.M)


@pytest.mark.contract("manners.kubelet-not-sandboxed")
def test_nothing_of_the_components_own_unit_is_sandboxed() -> None:
    """Mounts made in a sandbox would not reach the host: pods would get no volumes."""
    kubelet = {"name": "kubelet", "made_directory": False, "variable": "KUBELET_CONFIG_ARGS"}
    lines = render("drop-in.conf.j2", __node_component=kubelet).splitlines()
    settings = {line.partition("=")[0] for line in lines if re.match("[A-Z]", line)}
    starting = {"EnvironmentFile", "ExecStartPre", "ExecStopPost"}
    again = {"StartLimitIntervalSec", "Restart", "RestartSec", "RestartPreventExitStatus"}
    assert settings == starting | again
