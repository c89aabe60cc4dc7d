# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin the packages of the virtual environments, with hashes, in requirements/locks.

    python tools/lock.py renew [--upgrade]        resolve requirements/*.txt with uv, and write the locks
    python tools/lock.py check                    fail if a lock does not belong to its requirements files
    python tools/lock.py find REQUIREMENTS...     print the lock of these files for the Python that runs this

A lock is for files that are installed together. It holds what the lock that it includes (``-r``) does not: the lock of
the same files without the last one. One lock serves all Pythons and platforms, with environment markers. ``find`` needs
only the standard library, because tools/make-venv calls it in a new environment.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"


class LockError(Exception):
    """Raised if there is no lock that fits; the text is the reason."""


@dataclass(frozen=True)
class Lock:
    """A lock: the requirements files that it pins, and the oldest Python that it is for."""

    names: tuple[str, ...]
    oldest: str = "3.10"
    # Install these packages and nothing that they depend on.
    alone: bool = False

    @property
    def title(self) -> str:
        """Return the files' names without their endings, as in the lock's own name."""
        return "-".join(self.names)

    def path(self, requirements: Path) -> Path:
        """Return the lock's file."""
        return requirements / "locks" / f"{self.title}.txt"

    def files(self, requirements: Path) -> list[Path]:
        """Return the requirements files."""
        return [requirements / f"{name}.txt" for name in self.names]

    @property
    def base(self) -> Lock | None:
        """Return the lock that this one includes."""
        return next((lock for lock in LOCKS if lock.names == self.names[:-1]), None)


# Those of .venv: one resolution of all of them, so that each is a subset of it.
SHARED = (
    Lock(("run",)),
    Lock(("run", "test")),
    Lock(("run", "test", "molecule")),
    Lock(("run", "test", "lint"), oldest="3.11"),
)
LOCKS = (
    *SHARED,
    Lock(("oldest", "test")),
    Lock(("run", "events")),
    # The package ansible 12 is for Python 3.11 and newer.
    Lock(("bench",), oldest="3.11", alone=True),
    Lock(("lock",)),
)


def requirement_lines(file: Path) -> list[str]:
    """Return the requirements of a file, without comments."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the requirements of files; comments do not change it."""
    text = "".join(f"{file.name}\n" + "".join(f"{line}\n" for line in requirement_lines(file)) for file in files)
    return hashlib.sha256(text.encode()).hexdigest()


def header(lock: Lock, requirements: Path) -> str:
    """Return the first lines of a lock."""
    names = " ".join(f"requirements/{name}.txt" for name in lock.names)
    text = f"# Written by `make locks`, from {names}\n# for Python {lock.oldest} and newer.\n"
    text += f"# SHA-256 of the requirements: {digest(lock.files(requirements))}\n"
    return text + (f"\n-r {lock.base.title}.txt\n" if lock.base else "") + "\n"


def pins(text: str) -> list[str]:
    """Return the pins of a lock or of uv's output, each with its hashes."""
    return re.findall(r"^[A-Za-z0-9].*(?:\n[ \t]+\S.*)*", text, re.MULTILINE)


def all_pins(lock: Lock, requirements: Path) -> list[str]:
    """Return the pins of a lock and of the locks that it includes; of one that does not exist yet, none."""
    path = lock.path(requirements)
    own = pins(path.read_text(encoding="utf-8")) if path.exists() else []
    return own + (all_pins(lock.base, requirements) if lock.base else [])


def without_hashes(pin: str) -> str:
    """Return the requirement of a pin: name, version, marker."""
    return pin.split("\n", 1)[0].rstrip("\\ ")


def covers(base: Iterable[str], pin: str) -> bool:
    """Return whether a lock that is included installs what a pin does, wherever the pin does."""
    requirement = without_hashes(pin)
    installed = {without_hashes(other) for other in base}
    return requirement in installed or requirement.split(" ;")[0] in installed


def problem(lock: Lock, requirements: Path) -> str | None:
    """Return why a lock does not belong to its requirements files, or None."""
    path = lock.path(requirements)
    names = ", ".join(f"requirements/{name}.txt" for name in lock.names)
    if not path.exists():
        return f"requirements/locks/{path.name} does not exist: run make locks"
    if not path.read_text(encoding="utf-8").startswith(header(lock, requirements)):
        return f"requirements/locks/{path.name} is not of the present {names}: run make locks"
    bare = [without_hashes(pin) for pin in pins(path.read_text(encoding="utf-8")) if "--hash=sha256:" not in pin]
    if bare:
        return f"requirements/locks/{path.name} has no hash of {', '.join(bare)}: run make locks"
    return problem(lock.base, requirements) if lock.base else None


def problems(requirements: Path) -> list[str]:
    """Return why locks do not belong to their requirements files, and which locks are of no files."""
    faults = {problem(lock, requirements) for lock in LOCKS} - {None}
    known = {lock.path(requirements) for lock in LOCKS}
    faults |= {
        f"requirements/locks/{path.name} is of no set in tools/lock.py: remove it, or add the set"
        for path in (requirements / "locks").glob("*")
        if path not in known
    }
    return sorted(filter(None, faults))


def find(files: Sequence[Path], python: tuple[int, int], use_locks: bool) -> Path:
    """Return the lock of requirements files for a version of Python. Raises LockError."""
    if not use_locks:
        raise LockError("LOCKS=no")
    names = tuple(file.stem for file in files)
    lock = next((lock for lock in LOCKS if lock.names == names), None)
    if lock is None:
        raise LockError("tools/lock.py has no lock of these files together")
    requirements = files[0].parent
    reason = problem(lock, requirements)
    if reason:
        raise LockError(reason)
    if python < tuple(int(part) for part in lock.oldest.split(".")):
        raise LockError(f"the lock is for Python {lock.oldest} and newer")
    return lock.path(requirements)


def resolve(source: str, lock: Lock, constraints: Sequence[str], old: Sequence[str], upgrade: bool) -> list[str]:
    """Return the pins of requirements, resolved with uv; ``old`` pins stay if they fit, unless ``upgrade``."""
    with tempfile.TemporaryDirectory(prefix="configok-lock-") as name:
        directory = Path(name)
        (directory / "in.txt").write_text(source, encoding="utf-8")
        (directory / "constraints.txt").write_text("\n".join(map(without_hashes, constraints)), encoding="utf-8")
        output = directory / "out.txt"
        output.write_text("\n".join(old) + "\n", encoding="utf-8")  # uv prefers the versions of its output file
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", lock.oldest]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--constraints", "constraints.txt"]
        command += ["--no-deps"] * lock.alone + ["--upgrade"] * upgrade
        # uv checks certificates against those of the system, as pip is usually configured to do.
        environment = {"UV_SYSTEM_CERTS": "1", **os.environ}
        subprocess.run([*command, "--output-file", "out.txt", "in.txt"], cwd=directory, env=environment, check=True)
        return pins(output.read_text(encoding="utf-8"))


def source_of(lock: Lock, requirements: Path) -> list[str]:
    """Return the requirements of a lock, limited to the Pythons that it is for."""
    lines = [line for file in lock.files(requirements) for line in requirement_lines(file)]
    limit = f"python_version >= '{lock.oldest}'"
    return [
        f"{line.split(';')[0].strip()} ; " + (f"({line.split(';')[1].strip()}) and {limit}" if ";" in line else limit)
        for line in lines
    ]


def renew(requirements: Path, upgrade: bool) -> None:
    """Write all locks."""
    (requirements / "locks").mkdir(exist_ok=True)
    sources = dict.fromkeys(line for lock in SHARED for line in source_of(lock, requirements))
    old = dict.fromkeys(pin for lock in SHARED for pin in all_pins(lock, requirements))
    shared = resolve("\n".join(sources), SHARED[0], [], list(old), upgrade)
    for lock in LOCKS:
        constraints = shared if lock in SHARED else []
        own = resolve(
            "\n".join(source_of(lock, requirements)), lock, constraints, all_pins(lock, requirements), upgrade
        )
        base = all_pins(lock.base, requirements) if lock.base else []
        rest = [pin for pin in own if not covers(base, pin)]
        text = header(lock, requirements) + "".join(f"{pin}\n" for pin in rest)
        lock.path(requirements).write_text(text, encoding="utf-8")
        print(f"lock: requirements/locks/{lock.title}.txt: {len(own)} pins, {len(rest)} of its own")


def main(arguments: Sequence[str]) -> int:
    """Carry out a command; return the exit code."""
    parser = argparse.ArgumentParser(description="Pin the packages of the virtual environments, with hashes.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("renew", help="write the locks").add_argument("--upgrade", action="store_true")
    commands.add_parser("check", help="compare the locks with the requirements files")
    commands.add_parser("find", help="print the lock of files").add_argument("files", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "renew":
        renew(REQUIREMENTS, options.upgrade)
    elif options.command == "check":
        faults = problems(REQUIREMENTS)
        print("\n".join(faults or ["lock: all locks belong to their requirements files"]))
        return 1 if faults else 0
    else:
        try:
            print(find(options.files, sys.version_info[:2], os.environ.get("LOCKS") != "no"))
        except LockError as error:
            print(error)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
