# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of components, in systemd's terms (systemd.exec(5), $SERVICE_RESULT)."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from supervisor import End, end_of, kill_group, reap, start


@pytest.mark.parametrize(
    ("code", "status", "timeout", "variables"),
    [
        (os.CLD_EXITED, 0, False, ("success", "exited", "0")),
        (os.CLD_EXITED, 7, False, ("exit-code", "exited", "7")),
        (os.CLD_KILLED, signal.SIGTERM, False, ("success", "killed", "TERM")),
        (os.CLD_KILLED, signal.SIGKILL, False, ("signal", "killed", "KILL")),
        (os.CLD_KILLED, signal.SIGKILL, True, ("timeout", "killed", "KILL")),
        (os.CLD_DUMPED, signal.SIGSEGV, False, ("core-dump", "dumped", "SEGV")),
        (os.CLD_KILLED, 36, False, ("signal", "killed", "36")),  # a real-time signal has no name
    ],
)
def test_the_end_of_a_process_is_described_as_systemd_does(
    code: int, status: int, timeout: bool, variables: tuple[str, str, str]
) -> None:
    end = end_of(code, int(status), killed_after_timeout=timeout)
    assert end.variables() == dict(zip(("SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS"), variables, strict=True))


def test_without_a_main_process_only_the_result_is_set() -> None:
    assert End("exit-code").variables() == {"SERVICE_RESULT": "exit-code"}


def test_a_child_that_has_ended_is_described_as_systemd_does_it() -> None:
    for statement, variables in (
        ("import sys; sys.exit(78)", ("exit-code", "exited", "78")),
        ("import os; os.kill(os.getpid(), 9)", ("signal", "killed", "KILL")),
    ):
        process = start([sys.executable, "-S", "-c", statement], {})
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        ended = reap(process)
        assert ended is not None
        assert end_of(*ended) == End(*variables)


def test_a_signal_right_after_the_start_is_not_lost() -> None:
    for _again in range(20):
        process = start([sys.executable, "-S", "-c", "import time; time.sleep(20)"], {})
        assert os.getpgid(process.pid) == process.pid
        kill_group(process.pid, signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
