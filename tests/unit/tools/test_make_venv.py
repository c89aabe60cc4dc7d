# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of an environment's Python among those of a machine, and of its packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).resolve().parents[3]

# A Python of another version: it reports its version, and makes environments with only a link to it.
FAKE = """#!/bin/sh
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && ln -s "$0" "$3/bin/python" && ln -s /bin/true "$3/bin/pip" ;;
  "-m pip") echo "pip: $*" ;;
  *"lock.py find") exec {real} -c '{run_file}' "$@" ;;
  "--version ") echo "Python {version}" ;;
  *) shift; exec {real} -c 'import sys; sys.version_info = ({numbers}); code = sys.argv.pop(1); exec(code)' "$@" ;;
esac
"""


RUN_FILE = """import runpy, sys; sys.version_info = ({numbers}); sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine whose python3 is 3.11, with 3.12 too, and 3.10, 3.9 and 3.13 from pyenv."""
    places = {
        "bin/python3": "3.11.7",
        "bin/python3.12": "3.12.1",
        **{f"pyenv/versions/{version}/bin/python3": version for version in ("3.9.18", "3.10.13", "3.13.0")},
    }
    for place, version in places.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        numbers = ", ".join(version.split("."))
        run_file = RUN_FILE.format(numbers=numbers)
        path.write_text(FAKE.format(version=version, numbers=numbers, real=sys.executable, run_file=run_file))
        path.chmod(0o755)
    for number in (9, 10, 11, *range(13, 20)):  # the real machine's Pythons must not be found
        shim = tmp_path / f"bin/python3.{number}"
        shim.write_text("#!/bin/sh\nexit 127\n")
        shim.chmod(0o755)
    return tmp_path


def make(machine: Path, *arguments: str, files: Sequence[str] = ("run",), **variables: str) -> CompletedProcess[str]:
    environment = {"PATH": f"{machine}/bin:/usr/bin:/bin", "PYENV_ROOT": str(machine / "pyenv"), "HOME": str(machine)}
    environment |= variables
    return subprocess.run(
        [ROOT / "tools/make-venv", *arguments, *(ROOT / f"requirements/{name}.txt" for name in files)],
        cwd=machine,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("prefer", "oldest", "newest", "version"),
    [
        ("", "3.10", "-", "3.11.7"),
        ("--oldest", "3.10", "3.12", "3.10.13"),
        ("--newest", "3.10", "-", "3.13.0"),
        ("--newest", "3.10", "3.12", "3.12.1"),
        ("--oldest", "3.9", "-", "3.9.18"),
    ],
)
def test_the_best_python_is_chosen(machine: Path, prefer: str, oldest: str, newest: str, version: str) -> None:
    done = make(machine, *filter(None, [prefer]), "venv", oldest, newest)
    assert done.returncode == 0, done.stderr
    assert f"make-venv: venv: Python {version}\n" in done.stdout


def test_an_environment_follows_what_the_machine_has(machine: Path) -> None:
    assert "Python 3.13.0" in make(machine, "--newest", "venv", "3.10", "-").stdout
    assert "Python" not in make(machine, "--newest", "venv", "3.10", "-").stdout
    (machine / "pyenv/versions/3.13.0/bin/python3").unlink()
    assert "Python 3.12.1" in make(machine, "--newest", "venv", "3.10", "-").stdout


def test_the_reason_is_given_if_no_python_is_usable(machine: Path) -> None:
    done = make(machine, "--newest", "venv", "3.14", "-")
    assert done.returncode == 1
    assert "needs Python 3.14 or newer" in done.stderr


def test_the_locked_versions_are_installed_with_hashes(machine: Path) -> None:
    done = make(machine, "venv", "3.10", "-", files=["run", "test"])
    lock = ROOT / "requirements/locks/run-test.txt"
    assert f"with the hashes of {lock}\n" in done.stdout
    assert f"--require-hashes -r {lock}\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "files", "variables", "reason"),
    [
        ([], ["run"], {"LOCKS": "no"}, "LOCKS=no"),
        ([], ["test", "run"], {}, "tools/lock.py has no lock of these files together"),
        (["--oldest"], ["run", "test", "lint"], {}, "the lock is for Python 3.11 and newer"),
    ],
)
def test_without_a_lock_the_ranges_are_installed(
    machine: Path, arguments: list[str], files: list[str], variables: dict[str, str], reason: str
) -> None:
    done = make(machine, *arguments, "venv", "3.10", "-", files=files, **variables)
    ranges = " ".join(f"-r {ROOT}/requirements/{name}.txt" for name in files)
    assert f"without hashes: {reason}\n" in done.stdout
    assert f" {ranges}\n" in done.stdout
    assert "--require-hashes" not in done.stdout
