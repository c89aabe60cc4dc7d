# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the daemon leaves for ``status``: what it said last, and whether the API answers. Private to configok.node.

One small file in the run directory, which is gone after a reboot. It decides nothing: a missing or damaged one only
leaves lines of ``status`` empty.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..._nodeconfig._config_ok import Verdict
from .._storage._files import Files

__all__ = ["Report", "read_report", "write_report"]

_FILE = "report.json"


class Report(NamedTuple):
    """The daemon's side of the story; times are RFC 3339, "" where there is none."""

    agent_version: str = ""
    pid: int = 0
    started_at: str = ""
    condition: Verdict | None = None  # ConfigOK as it was said last
    written: bool = False  # whether that stands on the Node
    written_at: str = ""  # the last write
    trouble: str = ""  # why the API cannot be had now

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``status --json`` shows it."""
        return {
            "agentVersion": self.agent_version,
            "pid": self.pid,
            "startedAt": self.started_at,
            "configOK": None if self.condition is None else self.condition._asdict(),
            "written": self.written,
            "writtenAt": self.written_at,
            "apiTrouble": self.trouble,
        }


def write_report(run_directory: str, report: Report) -> None:
    """Replace the file. Raises OSError."""
    Files(run_directory).write(_FILE, json.dumps(report.to_dict(), indent=1).encode() + b"\n")


def read_report(run_directory: str) -> Report | None:
    """Return what the daemon wrote last, None where there is nothing that can be read."""
    try:
        value = json.loads(Files(run_directory).read(_FILE) or b"null")
        said = value["configOK"]
        return Report(
            agent_version=str(value["agentVersion"]),
            pid=int(value["pid"]),
            started_at=str(value["startedAt"]),
            condition=None if said is None else _verdict(said),
            written=value["written"] is True,
            written_at=str(value["writtenAt"]),
            trouble=str(value["apiTrouble"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _verdict(said: Any) -> Verdict:
    return Verdict(str(said["status"]), str(said["message"]), str(said["reason"]), str(said["cause"]))
