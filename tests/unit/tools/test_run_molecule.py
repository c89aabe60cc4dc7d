# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run of Molecule, which is replaced by a program with the same output."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CREATED = "INFO     default ➜ create: Executing\n" + (
    "INFO     \033[32mdefault\033[0m ➜ \033[33mcreate\033[0m: Executed: Successful"
)
CONVERGED = "INFO     one ➜ converge: Executing\nINFO     one ➜ converge: Executed: Successful"
SKIPPED = "INFO     one ➜ verify: Executing\nINFO     one ➜ verify: Executed: Skipped (nothing to do)"
FAILED = "ERROR    one ➜ converge: Executing\nERROR    one ➜ converge: Executed: Failed"
# Replace Molecule, and the command that removes the nodes.
MOLECULE = """#!/bin/sh
test -d "$MOLECULE_EPHEMERAL_DIRECTORY" || exit 9
test "$NODES_NAME" = "molecule-$PPID" || exit 9
echo "$@; $SCENARIO_NODES; $(test "$NODES_UNTIL" = $PPID && echo until)" > arguments
"""
MACHINES = """#!/bin/sh
echo "$@" > machines
"""


def prepare(directory: Path, output: str, then: str) -> subprocess.Popen[str]:
    """Start a run. output: printed by Molecule; then: the rest of its script."""
    (directory / "tools").mkdir()
    shutil.copy(ROOT / "tools/run_molecule.py", directory / "tools")
    guard = "tests/support/session/guard.py"
    (directory / guard).parent.mkdir(parents=True)
    shutil.copy(ROOT / guard, directory / guard)
    for name, text in (("default", "{}"), ("one", "ansible: {env: {SCENARIO_NODES: 'a,b'}}"), ("two", "{}")):
        (directory / "extensions/molecule" / name).mkdir(parents=True)
        (directory / "extensions/molecule" / name / "molecule.yml").write_text(text)
    (directory / "output").write_text(output + "\n", encoding="utf-8")
    for path, script in (("bin/molecule", MOLECULE + then), ("tests/support/bin/machines", MACHINES)):
        program = directory / path
        program.parent.mkdir(parents=True)
        program.write_text(script)
        program.chmod(0o755)
    return subprocess.Popen(
        [sys.executable, "tools/run_molecule.py", *(["one"] if "only one" in output else [])],
        cwd=directory,
        env={"PATH": f"{directory / 'bin'}:/usr/bin:/bin", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def run(directory: Path, output: str, code: int) -> tuple[int, list[str], str]:
    """Return the exit code, the lines that were printed, and the arguments that Molecule got."""
    running = prepare(directory, output, f"cat output; exit {code}\n")
    printed, _nothing = running.communicate(timeout=60)
    assert (directory / "machines").read_text() == f"down molecule-{running.pid}\n"
    return running.returncode, printed.splitlines(), (directory / "arguments").read_text()


def test_all_scenarios_but_that_of_the_nodes_are_run_and_counted(tmp_path: Path) -> None:
    code, lines, arguments = run(tmp_path, f"{CREATED}\nTASK\n{CONVERGED}", 0)
    assert code == 0
    assert arguments == "test --scenario-name one --scenario-name two; ; until\n"
    assert lines == [
        "molecule: default create: successful (0 s)",
        "molecule: one converge: successful (0 s)",
        "molecule: 1 scenarios, 2 actions, 2 passed, 0 failed (0 s)",
    ]
    assert (
        (tmp_path / "build/molecule/log").read_text(encoding="utf-8").splitlines()[0].startswith("INFO     default ➜")
    )


def test_only_the_nodes_of_the_scenarios_that_are_run_are_started(tmp_path: Path) -> None:
    _code, _lines, arguments = run(tmp_path, f"only one\n{CREATED}", 0)
    assert arguments == "test --scenario-name one; a,b; until\n"


def test_an_interrupt_ends_molecule_and_takes_the_nodes_away(tmp_path: Path) -> None:
    running = prepare(
        tmp_path,
        "INFO     one ➜ verify: Executing",
        "trap 'echo ended > ended; exit 1' INT\ncat output; sleep 60 & wait\n",
    )
    stdout = running.stdout
    assert stdout is not None
    assert stdout.read(len("molecule: one verify: ")) == "molecule: one verify: "
    running.send_signal(signal.SIGINT)
    assert stdout.read().splitlines() == [
        "interrupted: see build/molecule/log",
        "molecule: 0 scenarios, 0 actions, 0 passed, 1 failed (0 s)",
    ]
    assert running.wait(60) == 128 + signal.SIGINT
    assert (tmp_path / "ended").exists()
    assert (tmp_path / "machines").read_text() == f"down molecule-{running.pid}\n"


def test_a_second_run_in_a_checkout_leaves_the_first_alone(tmp_path: Path) -> None:
    first = prepare(tmp_path, "INFO     one ➜ verify: Executing", "cat output; sleep 60 & wait\n")
    assert first.stdout is not None
    assert first.stdout.read(len("molecule: one verify: ")) == "molecule: one verify: "
    second = subprocess.run(
        [sys.executable, "tools/run_molecule.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (second.returncode, second.stdout) == (
        2,
        "molecule: another run uses build/molecule in this checkout: wait until it has ended\n",
    )
    assert first.poll() is None
    assert not (tmp_path / "machines").exists()
    first.send_signal(signal.SIGTERM)
    first.stdout.read()
    assert first.wait(60) == 128 + signal.SIGTERM


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
