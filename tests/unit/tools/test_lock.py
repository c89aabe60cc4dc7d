# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The locks in requirements/locks: they belong to the requirements files, and have a hash of everything."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import lock

ROOT = Path(__file__).resolve().parents[3]
NAMES = [kind.title for kind in lock.LOCKS]


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    """A copy of the requirements directory."""
    return Path(shutil.copytree(lock.REQUIREMENTS, tmp_path / "requirements"))


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def files(requirements: Path, *names: str) -> list[Path]:
    return [requirements / f"{name}.txt" for name in names]


def test_the_locks_of_this_checkout_belong_to_its_requirements() -> None:
    assert lock.problems(lock.REQUIREMENTS) == []


@pytest.mark.parametrize("kind", lock.LOCKS, ids=NAMES)
def test_each_requirement_is_pinned_within_its_range(kind: lock.Lock) -> None:
    pinned = [Requirement(lock.without_hashes(pin)) for pin in lock.all_pins(kind, lock.REQUIREMENTS)]
    for line in (line for file in kind.files(lock.REQUIREMENTS) for line in lock.requirement_lines(file)):
        requirement = Requirement(line)
        versions = [next(iter(pin.specifier)).version for pin in pinned if pin.name.lower() == requirement.name.lower()]
        assert versions, f"{line} is not in {kind.title}.txt"
        assert all(requirement.specifier.contains(version) for version in versions), (line, versions)


@pytest.mark.parametrize("kind", lock.LOCKS, ids=NAMES)
def test_a_lock_names_no_place_to_install_from(kind: lock.Lock) -> None:
    text = kind.path(lock.REQUIREMENTS).read_text()
    assert not re.search(r"://|@|^-(?!r )", text, re.MULTILINE)


def test_a_changed_requirement_needs_a_new_lock(requirements: Path) -> None:
    append(requirements / "molecule.txt", "docutils>=0.21\n")
    assert lock.problems(requirements) == [
        "requirements/locks/run-test-molecule.txt is not of the present requirements/run.txt, requirements/test.txt,"
        " requirements/molecule.txt: run make locks"
    ]


def test_a_change_of_the_first_file_concerns_all_that_are_installed_with_it(requirements: Path) -> None:
    append(requirements / "run.txt", "docutils>=0.21\n")
    stale = [problem.split()[0] for problem in lock.problems(requirements)]
    names = ("run-events", "run-test-lint", "run-test-molecule", "run-test", "run")
    assert stale == [f"requirements/locks/{name}.txt" for name in names]


def test_a_comment_needs_no_new_lock(requirements: Path) -> None:
    append(requirements / "run.txt", "\n# A reason.\n")
    text = (requirements / "test.txt").read_text()
    (requirements / "test.txt").write_text(text.replace("pytest>=8.4,<10", "pytest>=8.4,<10  # a reason"))
    assert lock.problems(requirements) == []


def test_a_pin_without_a_hash_is_refused(requirements: Path) -> None:
    append(requirements / "locks/bench.txt", "docutils==0.21\n")
    assert lock.problems(requirements) == ["requirements/locks/bench.txt has no hash of docutils==0.21: run make locks"]


def test_missing_and_superfluous_locks(requirements: Path) -> None:
    (requirements / "locks/bench.txt").rename(requirements / "locks/other.txt")
    assert lock.problems(requirements) == [
        "requirements/locks/bench.txt does not exist: run make locks",
        "requirements/locks/other.txt is of no set in tools/lock.py: remove it, or add the set",
    ]


def test_the_lock_of_files(requirements: Path) -> None:
    path = lock.find(files(requirements, "run", "test"), (3, 13), use_locks=True)
    assert path == requirements / "locks/run-test.txt"


@pytest.mark.parametrize(
    ("names", "python", "use_locks", "reason"),
    [
        (["run"], (3, 11), False, "LOCKS=no"),
        (["test"], (3, 11), True, "tools/lock.py has no lock of these files together"),
        (["run", "test", "lint"], (3, 10), True, "the lock is for Python 3.11 and newer"),
        (["run"], (3, 9), True, "the lock is for Python 3.10 and newer"),
    ],
)
def test_why_there_is_no_lock(
    requirements: Path, names: list[str], python: tuple[int, int], use_locks: bool, reason: str
) -> None:
    with pytest.raises(lock.LockError, match=f"^{re.escape(reason)}$"):
        lock.find(files(requirements, *names), python, use_locks)


def test_a_stale_lock_does_not_serve(requirements: Path) -> None:
    append(requirements / "run.txt", "docutils>=0.21\n")
    with pytest.raises(lock.LockError, match=r"run-test\.txt is not of the present"):
        lock.find(files(requirements, "run", "test"), (3, 11), use_locks=True)


def test_a_lock_repeats_only_what_the_included_one_may_not_install() -> None:
    base = ["a==1 \\\n    --hash=sha256:1", "b==2 ; sys_platform == 'win32' \\\n    --hash=sha256:2"]
    assert lock.covers(base, "a==1 ; python_version >= '3.11' \\\n    --hash=sha256:1")
    assert lock.covers(base, "b==2 ; sys_platform == 'win32' \\\n    --hash=sha256:2")
    assert not lock.covers(base, "b==2 \\\n    --hash=sha256:2")
    assert not lock.covers(base, "a==2 \\\n    --hash=sha256:3")


def test_the_environments_of_the_makefile_have_locks() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", "")
    rules = re.findall(r"^(\.venv[^:\n]*):([^\n]*)\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert len(rules) == 7
    for stamp, needs, commands in rules:
        names = tuple(re.findall(r"requirements/(\w+)\.txt", commands))
        kind = next((kind for kind in lock.LOCKS if kind.names == names), None)
        assert kind, f"{stamp}: there is no lock of {names}"
        assert f"requirements/locks/{kind.title}.txt" in needs.split(), f"{stamp} does not depend on its lock"
