# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verify that the pods of a node had ended before a package of its host was changed.

drained_first.py TESTBED NODE PACKAGE[=VERSION] POD...     TESTBED: its directory

With a version, the first change to it counts, with "<none>" the first removal; without, the last change.

The kubelet deletes a pod that was evicted when its containers have ended: that is in the audit log of the API server.
When a package was changed is in dpkg's log. Prints both times. Exits 1 if they are the other way round, or missing.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from pathlib import Path


def main(testbed: str, node: str, package: str, *pods: str) -> int:
    """Compare the times; return the exit code."""
    ended = {}
    for line in (Path(testbed) / "api/audit.log").read_text().splitlines():
        request = json.loads(line)
        pod = (request.get("objectRef") or {}).get("name")
        if request["user"]["username"] == f"system:node:{node}" and request["verb"] == "delete" and pod in pods:
            ended[pod] = datetime.fromisoformat(request["stageTimestamp"].replace("Z", "+00:00"))
    log = (Path(testbed) / node / "root/var/log/dpkg.log").read_text().splitlines()
    name, _equals, version = package.partition("=")
    lines = [line.split() for line in log if f" upgrade {name}:" in line or f" remove {name}:" in line]
    changes = [words for words in lines if words[-1] == version][:1] if version else lines[-1:]
    print(f"pods ended: {ended}; change: {changes}")
    if not changes or not ended or set(ended) != set(pods):
        return 1
    # In seconds, and in the time zone of the host: UTC.
    changed = datetime.fromisoformat(f"{changes[0][0]}T{changes[0][1]}").replace(tzinfo=timezone.utc)
    return int(max(ended.values()).replace(microsecond=0) > changed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
