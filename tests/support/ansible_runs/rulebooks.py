# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-rulebook with the event source of this collection, in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from support.session.patience import LONGEST_WAIT

__all__ = ["ROOT", "running_rulebook", "why_no_rulebooks"]

ROOT = Path(__file__).resolve().parents[3]
_VENV = ROOT / ".venv-events"


def why_no_rulebooks() -> str:
    """Return why ansible-rulebook cannot run here, "" if it can."""
    if not (_VENV / "bin/ansible-rulebook").exists():
        return "there is no .venv-events: make .venv-events/.made makes it"
    return "" if shutil.which("java") else "ansible-rulebook needs Java 17: install a runtime (openjdk-17-jre-headless)"


@contextmanager
def running_rulebook(
    rulebook: Path, log: Path, *arguments: str, directory: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a rulebook in a directory until the end; what it prints is added to a file."""
    path = os.pathsep.join((str(_VENV / "bin"), os.environ["PATH"]))
    inventory = log.with_suffix(".inventory")
    inventory.write_text("localhost ansible_connection=local ansible_python_interpreter={{ansible_playbook_python}}\n")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [str(_VENV / "bin/ansible-rulebook"), "--rulebook", str(rulebook), "--inventory", str(inventory), *arguments],
        cwd=directory,
        env={**kept, "PATH": path, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"), **environment},
        stdin=subprocess.DEVNULL,
        stdout=log.open("ab"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(LONGEST_WAIT)
        finally:
            process.kill()
