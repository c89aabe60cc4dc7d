# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`pytest -n 2` says at its end what a run without workers says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.session.workers import TOGETHER, number_of_worker, printable

ROOT = Path(__file__).resolve().parents[3]
CONFTEST = """
import pytest
from support.api.servers import Unavailable
from support.session.workers import close_with

@pytest.fixture(scope="session")
def _real_or_why():
    return Unavailable("there are no binaries")

def pytest_sessionfinish(session):
    close_with(session.config, "closed by a worker")
"""
TESTS = """
import hypothesis, hypothesis.strategies
from support.fuzz.settings import fuzz

def test_is_left_out(real_api):
    pass

@fuzz(5)
@hypothesis.given(hypothesis.strategies.integers())
def test_tries_examples(value):
    pass

def test_fails_with_half_of_a_surrogate_pair():
    assert "\\ud800" == ""
"""


def run(directory: Path, *arguments: str) -> str:
    """Return the output of pytest on two files of the same tests."""
    shutil.copy(ROOT / "tests/conftest.py", directory)
    inner = directory / "inner"
    inner.mkdir()
    (inner / "conftest.py").write_text(CONFTEST)
    for name in ("test_a.py", "test_b.py"):
        (inner / name).write_text(TESTS)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CONFIGOK_"))}
    paths = [str(ROOT / name) for name in ("tests", "playbooks/files/demo", "build/collections")]
    command = [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", *arguments]
    command += ["-c", os.devnull, f"--basetemp={directory / 'temporary'}", "--rootdir", str(directory), str(directory)]
    done = subprocess.run(
        command,
        cwd=directory,
        env={**kept, "PYTHONPATH": os.pathsep.join(paths), "CONFIGOK_FUZZ": "2"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_closing_lines_count_the_tests_of_all_workers(tmp_path: Path, workers: str) -> None:
    output = run(tmp_path, "-n", workers, "--hypothesis-seed=7")
    assert "NOT RUN on the real API server: 2 tests, because there are no binaries" in output
    assert "fuzz: 2 tests, 20 examples, 2 failed, " in output
    assert "2 failed, 2 passed, 2 skipped" in output
    assert output.count("closed by a worker") == int(workers)


def test_a_text_that_cannot_be_encoded_is_escaped() -> None:
    assert printable({"a\ud800": ["b", ("c\udfff", 1)]}) == {"a\\ud800": ["b", ("c\\udfff", 1)]}


def test_the_names_of_workers_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw12")
    assert number_of_worker() == 12
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    assert number_of_worker() == 0


def test_folders_whose_tests_stay_together_exist() -> None:
    assert all((ROOT / folder).is_dir() for folder in TOGETHER)
