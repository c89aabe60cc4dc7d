# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pool of sandbox nodes on an API server, and the playbooks that a user would run on it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import _paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._names import (
    NAMESPACE_BUNDLES,
    NAMESPACE_ROLLOUTS,
)
from support.apiserver import ApiServer
from support.sandbox import Sandbox, start_sandbox

__all__ = ["Fleet", "start_fleet"]

HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"


class Fleet:
    """One pool, its nodes, its directory with pool.yml and kubelet.yaml, and ansible-playbook."""

    def __init__(self, api: ApiServer, sandbox: Sandbox | None, pool: str, names: list[str], directory: Path) -> None:
        self.api, self.sandbox, self.pool, self.names, self.directory = api, sandbox, pool, names, directory
        self.client = api.client()

    # --- what a user does --------------------------------------------------------------------------------------------

    def write(self, *lines: str, **policy: Any) -> None:
        """Write the pool file and its layer."""
        pool = {
            "pool": self.pool,
            "selector": f"example.com/pool={self.pool}",
            "layers": ["kubelet.yaml"],
            "trial": {"trialDuration": "2s", "crashLoopThreshold": 2},
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
        (self.directory / "pool.yml").write_text(json.dumps(pool, indent=2))
        (self.directory / "kubelet.yaml").write_text(HEAD + "".join(f"{line}\n" for line in lines))

    def start(self, playbook: str, *arguments: str, ansible: str = "") -> subprocess.Popen[str]:
        """Start a playbook; ansible: the path of another ansible-playbook than that of this environment."""
        command = [ansible or str(Path(sys.executable).parent / "ansible-playbook"), f"configok.node.{playbook}"]
        environment = {
            **os.environ,
            "PWD": str(self.directory),
            "KUBECONFIG": self.api.admin_kubeconfig,
            "ANSIBLE_HOME": str(self.directory / "ansible"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
        }
        return subprocess.Popen(
            [*command, "-e", "@pool.yml", *arguments],
            cwd=self.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, playbook: str, *arguments: str, ansible: str = "") -> tuple[int, str]:
        """Run a playbook to its end; return its exit code and what it said."""
        process = self.start(playbook, *arguments, ansible=ansible)
        output, _nothing = process.communicate(timeout=300)
        return process.returncode, output

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a playbook and all its workers at once, as a power cut of the control machine would."""
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)

    # --- what can be seen --------------------------------------------------------------------------------------------

    def status(self, name: str) -> tuple[dict[str, Any], ConfigStatus]:
        """Return a node's condition and structured status, empty ones while it has none."""
        node = self.client.get(paths.node(name))
        return read_condition(node) or {}, read_status(node) or ConfigStatus()

    def all(self, holds: Callable[[dict[str, Any], ConfigStatus], bool], names: list[str] | None = None) -> bool:
        """Say whether something holds for all nodes (or these)."""
        try:
            return all(holds(*self.status(name)) for name in names or self.names)
        except NotFound:
            return False

    def wait(self, what: str, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until something is so; fail with what was waited for."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {seconds:g} s: {what}: {[self.status(n) for n in self.names]}")
            time.sleep(0.2)

    def phase(self) -> str:
        """Return the phase in the pool's record, "" before there is one."""
        try:
            record = self.client.get(paths.config_map(NAMESPACE_ROLLOUTS, self.pool))
        except NotFound:
            return ""
        found = re.search(r'"phase": ?"([^"]+)"', json.dumps(record["data"]).replace('\\"', '"'))
        return found.group(1) if found else ""

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


@contextmanager
def start_fleet(api: ApiServer, pool: str, count: int, directory: Path) -> Iterator[Fleet]:
    """Prepare the cluster as the playbook provision does, start nodes, and wait until all say ConfigOK True."""
    names = [f"{pool}-{number:02d}" for number in range(1, count + 1)]
    with start_sandbox(api) as sandbox:
        fleet = Fleet(api, sandbox, pool, names, directory)
        fleet.write("maxPods: 60")
        code, output = fleet.run("provision", "-e", "provision_hosts=none")
        assert code == 0, output
        try:
            sandbox.add(names, pool=pool)
            fleet.wait("all nodes say ConfigOK", lambda: fleet.all(lambda said, _status: said.get("status") == "True"))
            yield fleet
        finally:
            sandbox.stop()
            for name in names:
                try:
                    fleet.client.delete(paths.node(name))
                except NotFound:
                    continue  # the test ended before it was registered
            fleet.client.close()
