# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of a rollout share: signals, the end of ansible-playbook, and garbage collections."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._window import Progress
from ansible_collections.configok.node.plugins.plugin_utils._run import (
    interruptible,
    progress_line,
    spare_garbage_collections,
)

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def test_two_signals_at_once_interrupt_a_run_once() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # also in the threads that start from here on
    with interruptible():
        for number in SIGNALS:
            os.kill(os.getpid(), number)
        with pytest.raises(KeyboardInterrupt):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # both are pending for one check of the interpreter
        for number in SIGNALS:  # the lock is released meanwhile
            signal.raise_signal(number)
    assert before == [signal.getsignal(number) for number in SIGNALS]


# A worker with a session of its own, whose parent is killed.
ORPHAN = """
import os, sys, time
from ansible_collections.configok.node.plugins.plugin_utils._run import interruptible

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
        deadline = time.monotonic() + 30
        while not (state.exists() and state.read_text() == text):
            assert time.monotonic() < deadline
            time.sleep(0.05)

    state = tmp_path / "state"
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN, str(state)])
    wait_for("running")
    parent.kill()
    parent.wait()
    wait_for("interrupted")


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (Progress("", "pool a is locked by b"), "pool a is locked by b"),
        (Progress("canary", "canary: n1 waits"), "canary: n1 waits"),
    ],
)
def test_progress_line_begins_with_its_wave_if_it_has_one(progress: Progress, line: str) -> None:
    assert progress_line(progress) == line


def test_a_page_of_a_list_does_not_cause_a_full_garbage_collection() -> None:
    thresholds = gc.get_threshold()
    node = {"images": [{"names": [str(number)]} for number in range(45)]}
    text = json.dumps({"items": [node] * 500})
    try:
        spare_garbage_collections()
        before = gc.get_stats()[2]["collections"]
        pages = [json.loads(text) for _page in range(4)]
        assert len(pages) == 4
        assert gc.get_stats()[2]["collections"] == before
        assert gc.get_freeze_count() > 0
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
