# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a run: signals, at any moment, and the end of ansible-playbook."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._signals import interruptible
from support.session.patience import wait_until
from support.session.signals import send_unnoticed

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def test_two_signals_at_once_interrupt_a_run_once() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # also in the threads that start from here on
    with interruptible():
        for number in SIGNALS:  # to this thread: others of the process may not block it
            signal.pthread_kill(threading.get_ident(), number)
        with pytest.raises(KeyboardInterrupt):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # both are pending for one check of the interpreter
        for number in SIGNALS:  # the lock is released meanwhile
            signal.raise_signal(number)
    assert before == [signal.getsignal(number) for number in SIGNALS]


# A worker with a session of its own, whose parent is killed.
ORPHAN = """
import os, sys, time
from ansible_collections.configok.node.plugins.plugin_utils._signals import interruptible

if os.fork():
    time.sleep(60)
os.setsid()
try:
    with interruptible():
        open(sys.argv[1], "w").write("running")
        time.sleep(60)
except KeyboardInterrupt:
    open(sys.argv[1], "w").write("interrupted")
"""


def test_a_run_whose_ansible_playbook_is_killed_is_interrupted(tmp_path: Path) -> None:
    def wait_for(text: str) -> None:
        wait_until(lambda: state.exists() and state.read_text() == text)

    state = tmp_path / "state"
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN, str(state)])
    wait_for("running")
    parent.kill()
    parent.wait()
    wait_for("interrupted")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_just_before_a_wait_ends_it(number: signal.Signals) -> None:
    results: SimpleQueue[str] = SimpleQueue()
    began = time.monotonic()
    send_unnoticed(number)
    with pytest.raises(KeyboardInterrupt), interruptible():
        results.get(timeout=30)
    assert time.monotonic() - began < 10


def test_a_signal_just_before_a_wait_stops_what_it_waits_for() -> None:
    process = subprocess.Popen(["sleep", "30"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    send_unnoticed(signal.SIGINT)
    with process, interruptible(process.terminate):
        assert list(process.stdout) == []
    assert process.returncode == -signal.SIGTERM


def test_nothing_of_it_is_left() -> None:
    """A signal that is repeated later would end something else."""
    handled: list[int] = []
    before = [signal.signal(number, lambda number, _frame: handled.append(number)) for number in SIGNALS]
    descriptors = len(os.listdir("/proc/self/fd"))
    try:
        for _time in range(20):
            with interruptible(lambda: None):
                signal.raise_signal(signal.SIGINT)
        assert "signal-repeater" not in {thread.name for thread in threading.enumerate()}
        time.sleep(0.2)
        assert handled == []
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        for number, handler in zip(SIGNALS, before):
            signal.signal(number, handler)
