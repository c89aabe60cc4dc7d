# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a pool: pool file, planner, gates, window, record, lock, runner. Private to configok.node.

The errors are here; the text of each is one sentence. Import any other name from the file that defines it. The
decisions are pure: _pool (what the pool file says), _decisions, _report. The rest does the work in a thin shell: _run
on top of _drain, _gates, _nodes and _record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "ApiUnavailable",
    "ConfigRefused",
    "Interrupted",
    "InvalidPool",
    "InvalidRecord",
    "LockLost",
    "PoolLocked",
    "RebootFailed",
    "RolloutError",
    "RolloutRefused",
    "UnusableDocument",
]


class RolloutError(Exception):
    """A rollout that cannot continue; its text is one sentence with the cause and the remedy."""


class InvalidPool(RolloutError):
    """An invalid pool file or policy; errors has one sentence for each error."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(self.errors))


class UnusableDocument(RolloutError):
    """A document that cannot be read, or exists twice."""


class ConfigRefused(RolloutError):
    """A config that must not be published; findings, as plain data, and lines explain it, including warnings."""

    def __init__(self, message: str, findings: Sequence[dict[str, Any]], lines: Sequence[str]) -> None:
        self.findings = list(findings)
        self.lines = list(lines)
        super().__init__(message)


class InvalidRecord(RolloutError):
    """A record that cannot be read, or does not fit into its ConfigMap."""


class RolloutRefused(RolloutError):
    """A rollout that must not start or continue; reasons has one sentence for each reason."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("; ".join(self.reasons))


class PoolLocked(RolloutError):
    """A pool that another runner moves; the text names the runner."""


class LockLost(RolloutError):
    """A lock that another runner took over while this one was stalled."""


class RebootFailed(RolloutError):
    """A node that was not rebooted, or did not come back; the text does not name it."""


class Interrupted(RolloutError):
    """An interruption by Ctrl-C: the record is right, and the next run continues."""


class ApiUnavailable(RolloutError):
    """An outage of the API server that lasts longer than a run waits."""
