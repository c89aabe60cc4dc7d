# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node to test the agent on whose component is a static Pod: the kubelet is a fake, and the manifests are real.

The Pod behaves as its flag ``kube-api-qps`` says: with CRASHES it crashes shortly after each start, with SICK it runs
and never becomes healthy, INVALID does not validate.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._agent_context import AgentContext
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_rendering import CannotWrite
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_update import ManifestUpdate
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit, UnitState
from ansible_collections.configok.node.plugins.module_utils._agent._static_pod_services import StaticPods
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import LockTimeout
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import InvalidManifest, read_manifest
from support.agents.bench import CRASH_AFTER, STARTS_IN, Bench
from support.agents.shown_pods import ShownPods
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

__all__ = ["COMPONENT", "CRASHES", "INVALID", "SICK", "PodBench", "image_of", "options_text", "queries_per_second"]

COMPONENT = "kube-scheduler"
CRASHES, SICK, INVALID = 50, 60, 70
_BACK_OFF = 10.0  # seconds before the kubelet starts a container that has crashed; doubled by each further crash
_EPOCH = 1_000_000_000.0  # when the clock began, in seconds since 1970
_IMAGE = re.compile(rb"image: (\S+)")
_FLAG = re.compile(r"""kube-api-qps["':= ]+([0-9]+)""")


def options_text(value: int) -> str:
    """Return a document of options with a value of the flag."""
    return json.dumps(component_options({"kube-api-qps": value}, component=COMPONENT))


def queries_per_second(text: str) -> int:
    """Return the value of the flag in a document or a manifest, 0 if it is not set."""
    flag = _FLAG.search(text)
    return int(flag[1]) if flag else 0


def image_of(manifest: bytes) -> str:
    """Return the image that a manifest names."""
    image = _IMAGE.search(manifest)
    return image[1].decode() if image else ""


class PodBench(Bench):
    """A node whose kube-scheduler is a static Pod."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.manifest = directory / "manifests" / f"{COMPONENT}.yaml"
        self.manifest.parent.mkdir()
        self.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT)))
        self.shown = ShownPods(directory, COMPONENT)
        self.running = b""  # the manifest of the Pod that the kubelet runs, empty if it runs none
        self.images: list[str] = []  # of each start
        self._uid = ""
        self._crashes = 0  # of the running Pod
        self._pids = 100
        super().__init__(directory, ("kubelet", COMPONENT), init=None, **settings)
        self.version_of = lambda name: self.pods.version(name) if name == COMPONENT else "v1.20.2"

    def component_configuration(self, name: str) -> ComponentConfiguration:
        """Return what the agent's config says of a component, without its configs."""
        if name != COMPONENT:
            return super().component_configuration(name)
        return ComponentConfiguration(name, "", manifest=str(self.manifest))

    @property
    def kubelet_acts(self) -> bool:
        """Whether the kubelet reads manifests and starts containers. What runs needs it no longer."""
        return self.processes["kubelet"].mood != "sick"

    @kubelet_acts.setter
    def kubelet_acts(self, acts: bool) -> None:
        self.processes["kubelet"].mood = "" if acts else "sick"

    def publish(
        self, text: str = "", *, trial: Trial | None = None, uid: str = "", documents: Mapping[str, str] | None = None
    ) -> ConfigSource:
        """Publish a bundle for the static Pod and return its source."""
        return super().publish(trial=trial, uid=uid, documents=documents or {COMPONENT: text})

    def new_context(self) -> AgentContext:
        """Return the context of an agent that was just started."""
        context = super().new_context()
        components = {COMPONENT: self.configuration.components[COMPONENT]}
        self.pods = StaticPods(
            components,
            context.store,
            self.clock,
            self.run_child,
            ["static-pod"],
            files=self.shown.files,
            epoch=self._epoch,
        )
        return context

    def _epoch(self) -> float:
        return _EPOCH + self.clock.passed

    def child_store(self) -> Store:
        """Return the store of one child."""
        return Store(self.configuration.state_directory, now=self.clock.now)

    def run_child(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        """Do in this process what the command static-pod does."""
        root = str(self.directory / "options")
        update = ManifestUpdate(self.configuration, COMPONENT, self.child_store(), self.clock, root=root)
        try:
            update.check() if "--check" in argv else update.write()
        except (CannotWrite, LockTimeout, OSError) as error:
            return CommandResult(1, "", f"configok-agent: {error}\n")
        finally:
            self.sync()
        return CommandResult(0, "", "")

    # The interfaces that the agent calls

    def unit(self, component: str) -> Unit:
        return super().unit(component) if component != COMPONENT else self.pods.unit(component)

    def restart(self, component: str) -> bool:
        if component != COMPONENT:
            return super().restart(component)
        self.restarts.append(component)
        return self.pods.restart(component)

    def probe(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        process = self.processes[component]
        if component != COMPONENT:
            return super().probe(component, effective, unit)
        if queries_per_second(self.running.decode()) == SICK:
            return ProbeResult(False, "healthz: 500")
        if process.state != "active" or self.clock.since_boot() - process.started < STARTS_IN:
            return ProbeResult(False, "healthz: connection refused")
        return ProbeResult(True)

    def _validate(self, component: str, text: str) -> list[dict[str, Any]]:
        self.validated.append(component)
        if queries_per_second(text) == INVALID:
            return [{"path": "flags.kube-api-qps", "message": f"must not be {INVALID}", "level": "component"}]
        return []

    # The kubelet

    def sync(self) -> None:
        """Act on the folder of manifests: a manifest that has changed is another Pod, one that is not a Pod ends it."""
        present = self.manifest.read_bytes() if self.manifest.exists() else b""
        if not self.kubelet_acts or present == self.running:
            return
        self.running = present
        self.stop(COMPONENT)
        try:
            read_manifest(present, str(self.manifest))
        except InvalidManifest:
            self.running = b""
            return
        self.shown.remove_pod(self._uid)
        self._uid, self._crashes = hashlib.sha256(present).hexdigest()[:32], 0
        self.processes[COMPONENT].state = "starting"
        self._later(COMPONENT, 0.2, lambda: self.start(COMPONENT))

    def start(self, component: str) -> None:
        """Start the container of the Pod once more."""
        if component != COMPONENT:
            super().start(component)
            return
        if not self.kubelet_acts:
            self._later(component, 1.0, lambda: self.start(component))
            return
        if not self.running:
            self.sync()
            return
        self.shown.end_processes()
        process = self.processes[component]
        process.state, process.next = "active", None
        process.started = self.clock.since_boot()
        process.starts += 1
        self.images.append(image_of(self.running))
        self._pids += 1
        self.shown.start(self._uid, self.shown.attempts(self._uid), at=self._epoch())
        self.shown.process(component, self._uid, self._pids, process.started)
        if queries_per_second(self.running.decode()) == CRASHES:
            self._later(component, CRASH_AFTER, lambda: self.crash(component))

    def stop(self, component: str, *, state: UnitState = "stopped") -> None:
        """End the process of the Pod."""
        if component != COMPONENT:
            super().stop(component, state=state)
            return
        self.shown.end_processes()
        self.processes[component].state, self.processes[component].next = state, None

    def crash(self, component: str, *, result: str = "exit-code", code: str = "exited", status: str = "1") -> None:
        """End the process by itself; the kubelet starts the container again after its back-off."""
        if component != COMPONENT:
            super().crash(component, result=result, code=code, status=status)
            return
        self.stop(component, state="starting")
        self._crashes += 1
        self._later(component, _BACK_OFF * 2 ** (self._crashes - 1), lambda: self.start(component))

    def _cycle(self) -> float:
        self.sync()
        due = super()._cycle()
        self.sync()
        return due
