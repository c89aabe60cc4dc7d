# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The supervisor does with a component what systemd does with a unit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MakeNode = Callable[..., Any]

# Appends its environment to a file, then does what the file "mode" next to it says.
COMPONENT = """
import os, signal, sys, time
directory = sys.argv[1]
mode = open(directory + "/mode").read()
with open(directory + "/starts", "a") as stream:
    stream.write(os.environ["INVOCATION_ID"] + "\\n")
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "exit":
    sys.exit(7)
open(directory + "/runs", "w").write(os.environ["INVOCATION_ID"])
if mode == "child":
    if os.fork() == 0:
        open(directory + "/child", "w").write(str(os.getpid()))
        time.sleep(1000)
time.sleep(1000)
"""


def component(directory: Path, mode: str) -> list[str]:
    (directory / "mode").write_text(mode)
    (directory / "component.py").write_text(COMPONENT)
    return [sys.executable, "-I", str(directory / "component.py"), str(directory)]


def recorded(node: Any) -> list[dict[str, Any]]:
    """Return what prestart and poststop recorded."""
    files = list(node.state.glob("kubelet-*/startups"))
    starts: list[dict[str, Any]] = json.loads(files[0].read_text()) if files else []
    return starts


@pytest.mark.contract("supervisor.as-systemd")
def test_start_restart_stop_and_start_again(
    make_node: MakeNode, tmp_path: Path, is_alive: Callable[[int], bool]
) -> None:
    node = make_node(command=component(tmp_path, "run"))
    supervisor = node.start("supervisor")
    first = node.until_active()
    assert len(first.invocation) == 32
    assert is_alive(first.pid)
    assert node.config.exists()  # prestart came first

    node.ask("restart")
    second = node.until_active(after=first.invocation)
    assert not is_alive(first.pid)

    node.ask("stop")
    node.until("stopped", lambda: node.unit().state == "stopped" and not is_alive(second.pid))
    node.ask("restart")  # what an administrator has stopped stays stopped
    assert node.unit().state == "stopped"
    node.ask("start")
    third = node.until_active(after=second.invocation)

    starts = node.until("three starts, two ends", lambda: recorded(node) if len(recorded(node)) == 3 else None)
    assert [start["invocation"] for start in starts] == [first.invocation, second.invocation, third.invocation]
    node.ask("shutdown")
    assert supervisor.wait(10) == 0
    assert not is_alive(third.pid)
    assert not (node.run / "kubelet.sock").exists()


@pytest.mark.contract("supervisor.as-systemd")
def test_a_component_that_keeps_exiting_is_restarted_without_a_limit(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(command=component(tmp_path, "exit"))
    node.start("supervisor")
    starts = tmp_path / "starts"
    # More often than systemd's five, where its default gives up.
    node.until("seven starts", lambda: starts.exists() and len(starts.read_text().split()) >= 7)
    assert len(set(starts.read_text().split())) >= 7  # an invocation id for each
    assert "SERVICE_RESULT=exit-code EXIT_CODE=exited EXIT_STATUS=7" in node.logs()
    # Well again without help.
    (tmp_path / "mode").write_text("run")
    runs = tmp_path / "runs"  # not one that is about to exit: a signal would come too late for it
    unit = node.until(
        "it runs", lambda: node.unit() if runs.exists() and runs.read_text() == node.unit().invocation else None
    )
    os.kill(unit.pid, signal.SIGSEGV)
    node.until("the signal", lambda: "EXIT_STATUS=SEGV" in node.logs())
    node.until_active(after=unit.invocation)


def test_what_cannot_be_run_ends_with_203(make_node: MakeNode) -> None:
    node = make_node(command=["/nonexistent/kubelet"])
    node.start("supervisor")
    node.until("exit 203", lambda: "EXIT_STATUS=203" in node.logs())


def test_leftovers_of_a_component_are_ended_with_it(
    make_node: MakeNode, tmp_path: Path, is_alive: Callable[[int], bool]
) -> None:
    node = make_node(command=component(tmp_path, "child"))
    node.start("supervisor")
    unit = node.until_active()
    file = tmp_path / "child"
    child = int(node.until("its child", lambda: file.read_text() if file.exists() else None))
    os.kill(unit.pid, signal.SIGKILL)
    node.until("the child is ended", lambda: not is_alive(child))


def test_a_killed_supervisor_leaves_no_process_and_can_start_again(
    make_node: MakeNode, tmp_path: Path, is_alive: Callable[[int], bool]
) -> None:
    node = make_node(command=component(tmp_path, "stubborn"))
    node.start("supervisor")
    unit = node.until_active()
    node.kill("supervisor")
    node.until("the component is ended", lambda: not is_alive(unit.pid))
    (tmp_path / "mode").write_text("run")
    node.start("supervisor")
    node.until_active(after=unit.invocation)


def test_there_is_one_supervisor_for_a_component(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(command=component(tmp_path, "run"))
    node.start("supervisor")
    unit = node.until_active()
    second = subprocess.run(node.supervisor_command(), capture_output=True, text=True, check=False, timeout=30)
    assert (second.returncode, second.stderr.count("\n")) == (1, 1)
    assert "has a supervisor already" in second.stderr
    assert node.unit() == unit
