# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's directory in which the commands of a documentation page run, with the files that the page shows."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support.ansible_runs.playbooks import ROOT, PlaybookRun, finish, start
from support.documentation import commands, named_files

__all__ = ["PageProject"]


@dataclass(frozen=True)
class PageProject:
    """The directory of a user who follows a page of docs, and the cluster that KUBECONFIG names.

    replaced: values of the page, each of which must be in it, and what a test has instead. They hold for files and for
    commands.
    """

    page: str
    directory: Path
    kubeconfig: str
    replaced: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the page has the values that are replaced."""
        text = self.path.read_text(encoding="utf-8")
        for value in self.replaced:
            assert value in text, f"{value!r} is not in {self.page}"

    @property
    def path(self) -> Path:
        return ROOT / "docs" / self.page

    @property
    def commands(self) -> list[str]:
        """Return the commands of the page in its order. A test that unpacks them notices a new one."""
        return commands(self.path)

    def write(self, *names: str) -> None:
        """Write files as the page shows them."""
        files = named_files(self.path)
        for name in names:
            file = self.directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self._replace(files[name]))

    def run(self, command: str, *options: str) -> PlaybookRun:
        """Run a command of the page to its end. options: what the test adds to it."""
        program, *arguments = shlex.split(self._replace(command))
        if program == "ansible-playbook":
            return finish(start([*arguments, *options], directory=self.directory, kubeconfig=self.kubeconfig))
        done = subprocess.run(
            [program, *arguments, *options], cwd=self.directory, capture_output=True, text=True, check=False, timeout=60
        )
        return PlaybookRun(done.returncode, done.stdout + done.stderr)

    def done(self, command: str, *options: str) -> PlaybookRun:
        """Run a command to its end, which is a success."""
        run = self.run(command, *options)
        assert run.code == 0, run.output
        return run

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """Replace texts in a file; each of them must be there."""
        file = self.directory / name
        text = file.read_text()
        for old, new in changes:
            assert old in text, f"{old} is not in {name}: {text}"
            text = text.replace(old, new)
        file.write_text(text)

    def _replace(self, text: str) -> str:
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return text
