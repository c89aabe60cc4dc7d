# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the command runner: output, exit codes, and time limits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from support.agents.node import alive
from support.session.patience import wait_until

Entry = Callable[[str], ModuleType]


def test_a_command_has_input_output_exit_code_and_locale(entry: Entry) -> None:
    result = entry("_processes").run_command(
        ["/bin/sh", "-c", 'cat; echo "$LC_ALL $MORE" >&2; exit 3'], timeout=10, env={"MORE": "x"}, stdin="in"
    )
    assert (result.code, result.out, result.err) == (3, "in", "C x\n")


def test_what_is_not_there(entry: Entry) -> None:
    result = entry("_processes").run_command(["/nonexistent"], timeout=10)
    assert (result.code, result.err) == (127, "/nonexistent: No such file or directory")


def test_what_takes_too_long_is_ended_with_all_it_started(entry: Entry) -> None:
    began = time.monotonic()
    result = entry("_processes").run_command(["/bin/sh", "-c", "sleep 20 & sleep 20"], timeout=0.2)
    assert (result.code, result.err) == (124, "/bin/sh: no answer within 0.2s")
    assert time.monotonic() - began < 15


HOLDS_THE_PIPE = (
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"  # as a daemon does: the group of the command does not reach it
    "    time.sleep(30)\n"
    "    os._exit(0)\n"
)


def test_a_timeout_holds_while_a_daemon_of_the_command_holds_the_pipe(entry: Entry) -> None:
    began = time.monotonic()
    result = entry("_processes").run_command([sys.executable, "-c", HOLDS_THE_PIPE + "time.sleep(30)"], timeout=0.5)
    assert result.code == 124
    assert time.monotonic() - began < 15


def test_a_command_that_ends_is_not_waited_for_through_its_daemon(entry: Entry) -> None:
    began = time.monotonic()
    program = HOLDS_THE_PIPE + "print('said'); raise SystemExit(3)"
    result = entry("_processes").run_command([sys.executable, "-c", program], timeout=20)
    assert (result.code, result.out) == (3, "said\n")
    assert time.monotonic() - began < 15


def test_what_a_command_leaves_in_its_group_ends_with_it(entry: Entry, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    entry("_processes").run_command(["/bin/sh", "-c", f"sleep 20 & echo $! > {pid_file}"], timeout=5)
    began = time.monotonic()
    wait_until(lambda: not alive(int(pid_file.read_text())))
    assert time.monotonic() - began < 15, "it ends by itself after 20 s"


def test_output_without_end_is_cut_and_takes_no_memory(entry: Entry) -> None:
    processes = entry("_processes")
    result = processes.run_command(
        ["/bin/sh", "-c", "yes | head -c 20000000; yes no | head -c 9000000 >&2"], timeout=20
    )
    assert result.code == 0
    assert len(result.out) == len(result.err) == processes.MAX_OUTPUT


def test_a_command_that_does_not_read_its_input_ends_all_the_same(entry: Entry) -> None:
    assert entry("_processes").run_command(["/bin/true"], timeout=5, stdin="x" * 1_000_000).code == 0
    result = entry("_processes").run_command(["/bin/cat"], timeout=5, stdin="ä" * 500_000)
    assert (result.code, result.out) == (0, "ä" * 500_000)


def test_a_signal_is_a_negative_code(entry: Entry) -> None:
    assert entry("_processes").run_command(["/bin/sh", "-c", "kill -9 $$"], timeout=5).code == -9
