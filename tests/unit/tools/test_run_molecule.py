# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a run of Molecule, by a program in its place that prints what Molecule does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CREATED = "INFO     \033[32mdefault\033[0m ➜ \033[33mcreate\033[0m: Executed: Successful"
SKIPPED = "INFO     one ➜ verify: Executed: Skipped (nothing to do)"
FAILED = "ERROR    one ➜ converge: Executed: Failed"


def run(directory: Path, said: str, code: int) -> tuple[int, list[str], str]:
    """Return the exit code, the lines that were printed, and the arguments that Molecule got."""
    (directory / "tools").mkdir()
    shutil.copy(ROOT / "tools/run_molecule.py", directory / "tools")
    for name in ("default", "one", "two"):
        (directory / "extensions/molecule" / name).mkdir(parents=True)
        (directory / "extensions/molecule" / name / "molecule.yml").touch()
    (directory / "said").write_text(said + "\n", encoding="utf-8")
    program = directory / "bin/molecule"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ntest -d "$MOLECULE_EPHEMERAL_DIRECTORY" && echo "$@" > arguments && cat said\nexit {code}\n'
    )
    program.chmod(0o755)
    ended = subprocess.run(
        [sys.executable, "tools/run_molecule.py"],
        cwd=directory,
        env={"PATH": f"{program.parent}:/usr/bin:/bin", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return ended.returncode, ended.stdout.splitlines(), (directory / "arguments").read_text()


def test_all_scenarios_but_that_of_the_nodes_are_run_and_counted(tmp_path: Path) -> None:
    code, lines, arguments = run(tmp_path, f"{CREATED}\nTASK\nINFO     one ➜ converge: Executed: Successful", 0)
    assert code == 0
    assert arguments == "test --scenario-name one --scenario-name two\n"
    assert lines == [
        "molecule: default create successful (0 s)",
        "molecule: one converge successful (0 s)",
        "molecule: 1 scenarios, 2 actions, 2 passed, 0 failed (0 s)",
    ]
    assert (
        (tmp_path / "build/molecule/log").read_text(encoding="utf-8").splitlines()[0].startswith("INFO     default ➜")
    )


def test_what_an_action_said_that_failed_is_shown(tmp_path: Path) -> None:
    code, lines, _arguments = run(tmp_path, f"{CREATED}\nfatal: a reason\n{FAILED}", 2)
    assert code == 2
    assert "fatal: a reason" in lines
    assert lines[-1] == "molecule: 1 scenarios, 2 actions, 1 passed, 1 failed (0 s)"


def test_an_action_that_was_left_out_has_not_passed(tmp_path: Path) -> None:
    code, lines, _arguments = run(tmp_path, f"{CREATED}\n{SKIPPED}", 0)
    assert (code, lines[-1]) == (1, "molecule: 1 scenarios, 2 actions, 1 passed, 1 failed (0 s)")


def test_a_failure_outside_of_any_action_is_a_failure(tmp_path: Path) -> None:
    code, lines, _arguments = run(tmp_path, "CRITICAL cannot read molecule.yml", 1)
    assert code == 1
    assert "CRITICAL cannot read molecule.yml" in lines
    assert lines[-1] == "molecule: 0 scenarios, 0 actions, 0 passed, 1 failed (0 s)"
