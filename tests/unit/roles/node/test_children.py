# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a component ended, in systemd's words (systemd.exec(5), $SERVICE_RESULT)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

Entry = Callable[[str], ModuleType]
CORE = 0x80


@pytest.mark.parametrize(
    ("status", "timeout", "variables"),
    [
        (0, False, ("success", "exited", "0")),
        (7 << 8, False, ("exit-code", "exited", "7")),
        (signal.SIGTERM, False, ("success", "killed", "TERM")),
        (signal.SIGKILL, False, ("signal", "killed", "KILL")),
        (signal.SIGKILL, True, ("timeout", "killed", "KILL")),
        (signal.SIGSEGV | CORE, False, ("core-dump", "dumped", "SEGV")),
        (36, False, ("signal", "killed", "36")),  # a real-time signal has no name
    ],
)
def test_end(entry: Entry, status: int, timeout: bool, variables: tuple[str, str, str]) -> None:
    end = entry("_children").end_of(int(status), killed_after_timeout=timeout)
    assert end.variables() == dict(zip(("SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS"), variables, strict=True))


def test_without_a_main_process_only_the_result_is_set(entry: Entry) -> None:
    assert entry("_children").End("exit-code").variables() == {"SERVICE_RESULT": "exit-code"}


def test_a_function_in_a_child_says_its_code_and_cannot_come_back(entry: Entry) -> None:
    def fail() -> int:
        raise RuntimeError

    for function, code in ((lambda: 78, 78), (fail, 1)):
        pid = entry("_children").call(function)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code


def test_a_signal_right_after_the_start_is_not_lost(entry: Entry) -> None:
    children = entry("_children")
    for _again in range(20):
        pid = children.start([sys.executable, "-S", "-c", "import time; time.sleep(20)"], {})
        children.kill_group(pid, signal.SIGTERM)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGTERM
