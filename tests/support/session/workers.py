# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers of pytest-xdist: `pytest -n 2` runs tests in two processes side by side.

The tests of a file go to one worker, since they share costly fixtures. So do those of a folder in `TOGETHER`.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

__all__ = ["CLOSING_LINES", "TOGETHER", "Scheduling", "close_with", "number_of_worker", "printable"]

CLOSING_LINES = "closing lines"  # the key of what a worker hands over at its end
TOGETHER = (
    # Counted together, on one fleet.
    "tests/integration/attacks/",
    # Real agents in real time, some with little time to answer: a second fleet at the same time would make them late.
    "tests/integration/end_to_end/",
)


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # the package has no types
    """Give the tests of a file, or of a folder in TOGETHER, to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.split("::", 1)[0])


def number_of_worker() -> int:
    """Return the number of the worker that this process is; 0 in a run without workers."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


def close_with(config: pytest.Config, line: str) -> None:
    """Have the run end with a line. Call it at the end of the session; without workers it does nothing."""
    handed: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if handed is not None:
        handed.setdefault(CLOSING_LINES, []).append(line)


def printable(value: Any) -> Any:
    """Return data in which every text can be encoded: halves of surrogate pairs are escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {printable(key): printable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(printable(item) for item in value)
    return value
