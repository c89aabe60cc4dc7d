# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of tests that is ended, in whatever way, leaves no process behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.session.patience import LONGEST_WAIT, wait_until

ROOT = Path(__file__).resolve().parents[3]
# Processes like those that tests start: in a session of their own, deaf to SIGTERM, stopped, without an environment.
TEST = """
import os, pathlib, signal, subprocess, time

def start(name, *command, **options):
    process = subprocess.Popen(command, start_new_session=True, **options)
    pathlib.Path(f"{name}.new").write_text(str(process.pid))
    pathlib.Path(f"{name}.new").rename(f"{name}.pid")
    return process

def test_starts_processes():
    start("plain", "sleep", "600")
    start("deaf", "sh", "-c", "trap '' TERM; sleep 600 & while :; do wait; done")
    start("stopped", "sleep", "600").send_signal(signal.SIGSTOP)
    start("without-environment", "sh", "-c", "env -i sleep 600 & echo $! > inner.new; mv inner.new inner.pid; wait")
    pathlib.Path("started").touch()
    time.sleep(600)
"""
STARTED = ("plain", "deaf", "stopped", "without-environment", "inner")
MAKEFILE = """
test:
\t@for run in one; do $(PYTEST) || exit 1; done
"""

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a run, by `make` or without it, and waits until its test has started processes."""
    started: list[subprocess.Popen[bytes]] = []

    def start_run(*arguments: str, make: bool = False) -> subprocess.Popen[bytes]:
        shutil.copy(ROOT / "tests/conftest.py", tmp_path)
        (tmp_path / "test_inner.py").write_text(TEST)
        (tmp_path / "Makefile").write_text(MAKEFILE)
        paths = [str(ROOT / name) for name in ("tests", "playbooks/files/demo", "build/collections")]
        command = [sys.executable, "-m", "pytest", "-q", "-s", "--import-mode=importlib", "-c", os.devnull, *arguments]
        # Not among pytest's own directories: the end of a run removes those of earlier runs, which takes a minute.
        command += [f"--basetemp={tmp_path / 'temporary'}", "--rootdir", str(tmp_path), str(tmp_path)]
        run = subprocess.Popen(
            ["make", f"PYTEST={' '.join(command)}"] if make else command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(run)
        wait_until(lambda: (tmp_path / "started").exists() and (tmp_path / "inner.pid").exists())
        return run

    yield start_run
    for run in started:
        run.kill()
        run.wait()


def alive(directory: Path) -> list[str]:
    """Return which of the processes that the test has started are there."""
    names = {name: int((directory / f"{name}.pid").read_text()) for name in STARTED}
    return [name for name, pid in names.items() if is_alive(pid)]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        pytest.param(signal.SIGTERM, 0, id="SIGTERM"),
        pytest.param(signal.SIGINT, 2, id="SIGINT, with workers"),
        pytest.param(signal.SIGKILL, 0, id="SIGKILL"),
        pytest.param(signal.SIGKILL, 2, id="SIGKILL, with workers"),
    ],
)
def test_a_run_that_is_ended_by_a_signal_leaves_nothing_behind(
    start: Start, tmp_path: Path, number: signal.Signals, workers: int
) -> None:
    run = start(f"-n{workers}")
    assert alive(tmp_path) == list(STARTED)
    run.send_signal(number)
    run.wait(LONGEST_WAIT)
    wait_until(lambda: not alive(tmp_path))


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_make_that_is_killed_takes_its_run_with_it(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    run = start(make=True)
    assert alive(tmp_path) == list(STARTED)
    run.send_signal(number)
    run.wait(LONGEST_WAIT)
    wait_until(lambda: not alive(tmp_path))


def test_a_run_in_the_background_of_a_script_can_be_interrupted(start: Start, tmp_path: Path) -> None:
    """A shell without job control has what it starts in the background ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = start()
    finally:
        signal.signal(signal.SIGINT, before)
    run.send_signal(signal.SIGINT)
    run.wait(LONGEST_WAIT)
    wait_until(lambda: not alive(tmp_path))
