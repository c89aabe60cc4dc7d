# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pool of sandbox nodes on an API server, and the playbooks that a user would run on it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    NAMESPACE_BUNDLES,
    NAMESPACE_ROLLOUTS,
)
from support.agents.sandbox import Sandbox, start_sandbox
from support.ansible_runs.playbooks import Playbooks
from support.api.clusters import prepare
from support.api.servers import ApiServer
from support.session.patience import LONGEST_WAIT

__all__ = ["Fleet", "start_fleet", "used"]


class Fleet:
    """A pool, its nodes, and the user whose directory has its pool file."""

    def __init__(self, api: ApiServer, sandbox: Sandbox | None, pool: str, names: list[str], directory: Path) -> None:
        self.sandbox, self.pool, self.names = sandbox, pool, names
        self.user = Playbooks(directory, api.admin_kubeconfig)
        self.client = api.client()

    def write(self, *lines: str, trial: str = "2s", **policy: Any) -> None:
        """Write the pool file, with times in seconds that real processes can keep, and its layer."""
        pool = {
            "pool": self.pool,
            "selector": f"example.com/pool={self.pool}",
            "layers": ["pool.yaml"],
            "trial": {"trialDuration": trial, "crashLoopThreshold": 2},
            "policy": {
                "canary": {"count": 2, "soak": "3s"},
                "waves": ["50%", "100%"],
                "soak": "0s",
                "maxUnavailable": "40%",
                "failureBudget": 0,
                "nodeTimeout": "60s",
                "restartDelay": "200ms",
                "timeToCrash": "5s",
                "healthTimeout": "20s",
                **policy,
            },
        }
        self.user.write(pool, "".join(f"{line}\n" for line in lines))

    def status(self, name: str) -> tuple[dict[str, Any], ConfigStatus]:
        """Return a node's condition and structured status, empty ones while it has none."""
        node = self.client.get(paths.node(name))
        return read_condition(node) or {}, read_status(node) or ConfigStatus()

    def all(self, holds: Callable[[dict[str, Any], ConfigStatus], bool], names: list[str] | None = None) -> bool:
        """Return whether a condition is met by all nodes (or by ``names``)."""
        try:
            return all(holds(*self.status(name)) for name in names or self.names)
        except NotFound:
            return False

    def all_use(self, uid: str) -> bool:
        """Return whether all nodes use the bundle with this UID, with ConfigOK True."""
        return self.all(lambda condition, status: condition["status"] == "True" and used(status) == uid)

    def wait(self, what: str, holds: Callable[[], bool], seconds: float = LONGEST_WAIT) -> None:
        """Wait until a condition is met; on a timeout, fail with its description."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {seconds:g} s: {what}: {[self.status(n) for n in self.names]}")
            time.sleep(0.2)

    def phase(self) -> str:
        """Return the phase in the pool's record, or "" before the record exists."""
        try:
            record = self.client.get(paths.config_map(NAMESPACE_ROLLOUTS, self.pool))
        except NotFound:
            return ""
        match = re.search(r'"phase": ?"([^"]+)"', json.dumps(record["data"]).replace('\\"', '"'))
        return match.group(1) if match else ""

    def bundles(self) -> Mapping[str, dict[str, Any]]:
        """Return the pool's bundles by name."""
        items = self.client.list(paths.config_maps(NAMESPACE_BUNDLES)).items
        return {
            item["metadata"]["name"]: item for item in items if item["metadata"]["name"].startswith(f"{self.pool}-")
        }

    def starts(self) -> dict[str, int]:
        """Return how often each node's component was started."""
        nodes = {} if self.sandbox is None else self.sandbox.nodes
        return {name: node.component_starts() for name, node in nodes.items()}


def used(status: ConfigStatus) -> str:
    """Return the UID of the bundle that a node uses, or "" if it uses none."""
    return status.active.uid if status.active else ""


@contextmanager
def start_fleet(api: ApiServer, pool: str, count: int, directory: Path) -> Iterator[Fleet]:
    """Prepare the cluster as the playbook provision does, start nodes, and wait until ConfigOK is True on all."""
    names = [f"{pool}-{number:02d}" for number in range(1, count + 1)]
    with start_sandbox(api) as sandbox:
        fleet = Fleet(api, sandbox, pool, names, directory)
        fleet.write("maxPods: 60")
        prepare(fleet.client)
        try:
            sandbox.add(names, pool=pool)
            fleet.wait(
                "all nodes say ConfigOK",
                lambda: fleet.all(lambda condition, _status: condition.get("status") == "True"),
            )
            yield fleet
        finally:
            sandbox.stop()
            for name in names:
                try:
                    fleet.client.delete(paths.node(name))
                except NotFound:
                    continue  # the test ended before it was registered
            fleet.client.close()
