# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test suites as processes: every line of a suite is shown with the suite's name as prefix."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence

__all__ = ["Suite"]

_KEPT = 60  # lines of the output that are kept
_FAILED_TEST = ("FAILED ", "ERROR ")  # how pytest's short summary names one (-rEf in pyproject.toml)


class Suite:
    """A suite that runs.

    `lines` holds the end of its output; `failed_tests`, what pytest says of each failed test; `processor_seconds`, what
    it and all processes have used that it has waited for.
    """

    def __init__(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str] | None = None, label: str = ""
    ) -> None:
        """Start the suite. label: the prefix of each line (default: the name)."""
        self.name = name
        self.lines: deque[str] = deque(maxlen=_KEPT)
        self.failed_tests: list[str] = []
        self.seconds = 0.0
        self.processor_seconds = 0.0
        self._label = label or name
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._show, name=f"output of {name}")
        self._reader.start()

    def wait(self) -> int:
        """Wait until the suite ends, and return its exit code."""
        self._reader.join()
        _pid, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - self._began
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        return self._process.returncode

    def _show(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith(_FAILED_TEST):
                self.failed_tests.append(line.rstrip("\n"))
            print(f"{self._label}: {line}", end="", flush=True)
