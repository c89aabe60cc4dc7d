# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests of nodes and runners, from the audit log of a real API server: user, verb, path and time, no bodies."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

__all__ = ["RUNNER", "Request", "Requests", "audit_flags"]

RUNNER = "runner"  # the user whose requests are logged, in addition to those of nodes

_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:nodes"]},
        {"level": "Metadata", "users": [RUNNER]},
        {"level": "None"},
    ],
}


def audit_flags(directory: Path) -> list[str]:
    """Return the flags that make a kube-apiserver keep the log, in this directory."""
    policy = directory / "audit-policy.json"
    policy.write_text(json.dumps(_POLICY))
    return [f"--audit-policy-file={policy}", f"--audit-log-path={directory / 'audit.log'}"]


class Request(NamedTuple):
    """One request: the verb as Kubernetes calls it, the path with its query, and when it came, in seconds (epoch)."""

    id: str
    verb: str
    uri: str
    at: float = 0.0


class Requests:
    """The requests of one user agent, from now on."""

    def __init__(self, directory: Path, user: str, agent: str) -> None:
        """directory: of the API server. user: whose requests. agent: how the user agent begins."""
        self._log = directory / "audit.log"
        self._user = user
        self._agent = agent
        self._from = self._log.stat().st_size if self._log.exists() else 0  # the first request makes it

    def read(self) -> list[Request]:
        """Return those that have begun or ended since, each once."""
        requests = {}
        with self._log.open("rb") as file:
            file.seek(self._from)
            for line in file:
                entry = json.loads(line)
                if entry["user"]["username"] == self._user and entry.get("userAgent", "").startswith(self._agent):
                    at = datetime.fromisoformat(entry["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()
                    requests[entry["auditID"]] = Request(entry["auditID"], entry["verb"], entry["requestURI"], at)
        return list(requests.values())
