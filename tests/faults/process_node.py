# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver with real processes: the packed agent under its supervisor, killed by SIGKILL at a durable step."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord, DamagedFile
from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError, NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import read_condition
from faults.invariants import UNKNOWN, Condition, Observation
from support.agents.node import COLLECTION, STUB, AgentNode
from support.configs.kubelet import KUBELET_HEADER
from support.session.patience import LONGEST_WAIT

__all__ = ["DEADLY", "INIT", "ProcessNode"]

INIT = 110  # maxPods of the init config
DEADLY = {"podsPerCore": 13}  # valid, but the stub kubelet exits because of it
_KILLER = COLLECTION / "tests/support/agents/step_killer.py"
# Keeps a copy of what the component reads at each start, then becomes the component.
_COMPONENT = 'cp "$0" "$1/$(ls "$1" | wc -l).yaml" && shift && exec "$@"'


class ProcessNode(AgentNode):
    """A node whose configs have names; its agent is restarted when it exits, as by systemd."""

    def __init__(self, directory: Path, archive: Path, client: Client, kubeconfig: str, agents: str = "") -> None:
        """client: the administrator's. kubeconfig: the node's; agents: a different kubeconfig for the agent."""
        self.client = client
        self.copies = directory / "started-with"
        self.copies.mkdir()
        self.steps = directory / "steps"
        self.steps.mkdir()
        config = directory / "state/components/kubelet/config.yaml"
        stub = [sys.executable, str(STUB), f"--config={config}", f"--kubeconfig={kubeconfig}", "--hostname-override=n1"]
        super().__init__(
            directory,
            archive,
            agents or kubeconfig,
            ["/bin/sh", "-c", _COMPONENT, str(config), str(self.copies), *stub],
        )
        self.names: dict[Any, str] = {INIT: "init"}
        self.uids: dict[str, str] = {}
        self.alive = False  # whether the agent should run
        self._assignments = 0
        self._begun_at = 0
        self._published = 0

    @classmethod
    def prepared(cls, directory: Path, archive: Path, client: Client, kubeconfig: str, agents: str = "") -> ProcessNode:
        """Prepare the cluster; return a node with an agent that runs its init config."""
        apply_steps(client, plan_setup(client, Access()).steps, dry_run=False)
        directory.mkdir()
        node = cls(directory, archive, client, kubeconfig, agents)
        node.start("supervisor")
        node.start("run")
        node.alive = True
        return node

    def command(self, *arguments: str) -> list[str]:
        whole = super().command(*arguments)
        at = whole.index(str(self.archive))
        return [*whole[:at], str(_KILLER), str(self.steps), *whole[at:]]

    def revive(self) -> None:
        """Restart the agent if it was killed."""
        if self.alive and self.processes["run"].poll() is not None:
            self.start("run")

    def until(self, what: str, condition: Callable[[], Any], timeout: float = LONGEST_WAIT) -> Any:
        def revived() -> Any:
            self.revive()
            return condition()

        return super().until(what, revived, timeout)

    # Kills

    def kill_at(self, actor: str, step: int) -> None:
        """Kill an actor at its nth step, counted from now."""
        for path in self.steps.glob("*"):
            path.unlink()
        (self.steps / "kill").write_text(f"{actor} {step}")

    def was_killed(self) -> bool:
        """Return whether the step was reached."""
        return (self.steps / "killed").exists()

    # The operator

    def publish(self, name: str, *, trial: Trial, **fields: Any) -> ConfigSource:
        """Publish a bundle under a name; maxPods distinguishes it from the others."""
        self._published += 1
        values = {"maxPods": INIT + self._published, **fields}
        text = KUBELET_HEADER + yaml.safe_dump(values)
        made = self.client.create(config_maps("configok-system"), build_bundle("pool", {"kubelet": text}, trial=trial))
        source = ConfigSource("configok-system", made["metadata"]["name"], made["metadata"]["uid"])
        self.name(values["maxPods"], source.uid, name)
        return source

    def name(self, value: int, uid: str, name: str) -> None:
        """Set the name of a config."""
        self.names[value] = name
        self.uids[uid] = name

    def rename(self, old: str, new: str) -> None:
        """Rename a config."""
        for known in (self.names, self.uids):
            for key in [key for key, name in known.items() if name == old]:
                known[key] = new

    def assign(self, source: ConfigSource | None) -> int:
        """Assign a config source."""
        self._assignments += 1
        self.client.patch(node_path("n1"), assignment_patch(source, Assignment(self._assignments)))
        return self._assignments

    def begin(self) -> None:
        """Count starts from here."""
        self._begun_at = self.starts()

    # Observations

    def starts(self) -> int:
        return len(list(self.copies.iterdir()))

    def started_with(self) -> tuple[str, ...]:
        """Return the names of the configs of all starts since begin()."""
        return tuple(self._named(self.copies / f"{number}.yaml") for number in range(self._begun_at, self.starts()))

    def _named(self, path: Path) -> str:
        try:
            values = yaml.safe_load(path.read_text())
        except (OSError, ValueError, yaml.YAMLError):
            return UNKNOWN
        return self.names.get(values.get("maxPods"), UNKNOWN) if isinstance(values, dict) else UNKNOWN

    def last_known_good(self) -> str:
        """Return its name, or "" if it is lost."""
        try:
            record = ConfigRecord.decode((self.state / "last-known-good").read_bytes())
        except (OSError, DamagedFile):
            return ""
        return "init" if record.source is None else self.uids.get(record.uid or "", "")

    def config_ok(self) -> Condition:
        """Return ConfigOK, with names instead of uids."""
        try:
            condition = read_condition(self.client.get(node_path("n1")))
        except NotFound:
            condition = None  # the kubelet has not registered it yet
        condition = condition or {"status": "", "message": ""}
        message = str(condition["message"])
        for uid, name in self.uids.items():
            message = message.replace(uid, name)
        return Condition(str(condition["status"]), message)

    def until_condition(self, condition: Condition, timeout: float = LONGEST_WAIT) -> float:
        """Wait until ConfigOK equals the condition; return the seconds that it took."""
        began = time.monotonic()

        def is_reported() -> bool:
            try:
                return self.config_ok() == condition
            except KubeError:
                return False

        self.until(" ".join(condition), is_reported, timeout)
        return time.monotonic() - began

    def observe(self, kept: str | None = None) -> Observation:
        """Return the observations that the invariants check."""
        started = self.started_with()
        runs = self._named(self.config) if self.unit().state == "active" else ""
        if started and runs and started[-1] != runs:
            runs = started[-1]
        return Observation(started, runs, self.last_known_good(), self.config_ok(), kept)

    def remove(self) -> None:
        """End all processes."""
        self.alive = False
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)
