# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes without a kubelet: a thread that answers assignments as agents do, each node as the test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client, Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError, NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, node, node_status
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Timing
from ansible_collections.configok.node.plugins.module_utils._kube.watch import watch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok as verdicts
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView, node_view
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock

__all__ = ["ADOPTS", "CRASHES", "GOOD", "NO_RUNTIME", "SILENT", "SUSPECT", "UNTRUSTED", "SimulatedNodes", "status_of"]

# What a node does with a config.
GOOD = "good"
CRASHES = "crashes"  # acknowledges, then says ConfigOK False and stays on what it had
ADOPTS = "adopts"  # acknowledges, and never says more
SILENT = "silent"  # says nothing
UNTRUSTED = "untrusted"  # says at once that no signer vouches for it, and stays on what it had

SUSPECT = "suspect"  # acknowledges, then says that last-known-good fails as well
NO_RUNTIME = "no runtime"  # says at once that it restarts nothing on such a host, and stays on what it had

Behaviour = Callable[[str, "ConfigSource | None"], str]
_NOW = "2026-01-01T00:00:00Z"


def status_of(
    view: NodeView, source: ConfigSource | None, behaviour: str, *, version: str = "0.1.0"
) -> list[tuple[verdicts.ConfigOk, ConfigStatus]]:
    """Return the statuses that an agent reports in turn when its Node is assigned source."""
    before = None if view.answer.status is None else view.answer.status.active
    what = verdicts.ConfigInUse("current", None if source is None else source.uid)
    old = verdicts.ConfigInUse("last-known-good", None if before is None else before.uid)
    base = ConfigStatus(
        assignment=view.assigned.id,
        assigned=source,
        active=source,
        last_known_good=before,
        components={"kubelet": ComponentStatus(version="v1.35.0", state="healthy")},
        agent_version=version,
    )
    confirmed = view.assigned.id if view.assigned.confirm_after == 0 else 0
    adopting = (verdicts.adopting(what.label), base._replace(cause="Adopting"))
    if behaviour == GOOD:
        return [adopting, (verdicts.good(what), base._replace(cause="Good", confirmed=confirmed))]
    if behaviour == CRASHES and source is not None:
        verdict = verdicts.crash_loop(old, source.uid, 4)
        return [adopting, (verdict, base._replace(active=before, cause="CrashLoop", error=verdict.reason))]
    if behaviour == SUSPECT and source is not None:
        verdict = verdicts.both_fail(old, source.uid)
        return [adopting, (verdict, base._replace(active=before, cause="Suspect", error=verdict.reason))]
    if behaviour == NO_RUNTIME and source is not None:
        using = old._replace(record="current")
        verdict = verdicts.host_not_ready(using, what.label, "the container runtime does not answer")
        return [(verdict, base._replace(active=before, cause="HostNotReady", error=verdict.reason))]
    if behaviour == UNTRUSTED and source is not None:
        verdict = verdicts.untrusted(old, source.uid, "the bundle is not signed")
        return [(verdict, base._replace(active=before, cause="Untrusted", error=verdict.reason))]
    return [adopting] if behaviour == ADOPTS else []


class SimulatedNodes:
    """Nodes in a cluster and the thread that answers for them. A context manager.

    behaviour: what the node of that name does with a config source; may be replaced at any time. frozen: the nodes
    whose agents confirm nothing. delays: seconds before
    a node says that it adopts a config, and from then until it reports the result; without delays it answers at once.
    """

    def __init__(
        self, client: Client, *, clock: Clock | None = None, delays: tuple[float, float] | None = None
    ) -> None:
        self.client = client
        self._clock = clock or Clock()
        self._delays = delays
        self.behaviour: Behaviour = lambda _name, _source: GOOD
        self.assignments: list[tuple[str, int, ConfigSource | None]] = []
        self.local_configs: dict[str, str] = {}  # by node, the hash of what it has of its own
        self.frozen: set[str] = set()
        self.static_pods: tuple[str, ...] = ()  # which all nodes run, in addition to the kubelet
        self._soaking: dict[str, NodeView] = {}  # as they were when they became good
        self._done: dict[str, int] = {}
        self._stop = threading.Event()
        self._synced = threading.Event()
        self._ended = threading.Event()
        self._interrupt = Interrupt()

    def __enter__(self) -> SimulatedNodes:
        self._clock.start(self._run, "simulated-nodes")
        self._clock.wait(self._synced, 10.0)  # its list is not counted among the requests of a test
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._interrupt.trip()
        self._clock.wait(self._ended, 10.0)

    def add(
        self,
        name: str,
        *,
        labels: Mapping[str, str] | None = None,
        zone: str = "",
        ready: bool = True,
        agent: bool = True,
        version: str = "v1.35.0",
        local_config: str = "",
    ) -> None:
        """Create a Node of pool=workers whose agent, if it has one, is fine on the init config."""
        self.local_configs[name] = local_config
        all_labels = {"pool": "workers", **({"topology.kubernetes.io/zone": zone} if zone else {}), **(labels or {})}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": all_labels}}
        view = node_view(self.client.create(NODES, body))
        status = {
            "conditions": [{"type": "Ready", "status": "True" if ready else "False", "reason": "Test"}],
            "nodeInfo": {"kubeletVersion": version, "osImage": "Debian GNU/Linux 12", "architecture": "amd64"},
        }
        self.client.patch(node_status(name), {"status": status}, kind="strategic")
        if agent:
            self.say(name, *status_of(view, None, GOOD)[-1])

    def say(self, name: str, verdict: verdicts.ConfigOk, status: ConfigStatus) -> None:
        """Write what an agent says."""
        label = status.active.name if status.active else "init"
        running = {name: ComponentStatus(state="healthy") for name in self.static_pods}
        components = {**status.components, **running}
        status = status._replace(local_config=self.local_configs.get(name, ""), components=components)
        self.client.patch(node_status(name), status_patch(verdict, status, label, now=_NOW), kind="strategic")

    def report(self, view: NodeView, status: ConfigStatus) -> None:
        """Write another structured status with the condition that a Node has."""
        self.say(view.name, verdicts.ConfigOk("True", view.answer.message, view.answer.reason, status.cause), status)

    def set_ready(self, name: str, ready: bool | None) -> None:
        """Make a Node Ready, NotReady, or (None) Unknown."""
        status = {True: "True", False: "False", None: "Unknown"}[ready]
        condition = {"type": "Ready", "status": status, "reason": "Test"}
        self.client.patch(node_status(name), {"status": {"conditions": [condition]}}, kind="strategic")

    def view(self, name: str) -> NodeView:
        """Return a Node as it is."""
        return node_view(self.client.get(node(name)))

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self._ended.set()

    def _follow(self) -> None:
        for event in watch(
            self.client,
            NODES,
            stop=self._stop,
            timing=Timing(lambda seconds: self._clock.wait(self._stop, seconds), self._clock.monotonic),
            interrupt=self._interrupt,
        ):
            if event.type == "SYNCED":
                self._synced.set()
            if event.object is None:
                continue
            view = node_view(event.object)
            if event.type == "DELETED":
                self._done.pop(view.name, None)  # another Node of this name counts from the beginning
                self._soaking.pop(view.name, None)
                continue
            self._watch_soak(view)
            if view.assigned.id <= max(view.answered_id, self._done.get(view.name, 0)):
                continue
            self._done[view.name] = view.assigned.id
            self.assignments.append((view.name, view.assigned.id, view.assigned.source))
            statuses = status_of(view, view.assigned.source, self.behaviour(view.name, view.assigned.source))
            if self._delays is None:
                self._answer(view, statuses)
            else:
                self._clock.start(partial(self._answer, view, statuses), f"agent of {view.name}")

    def _watch_soak(self, view: NodeView) -> None:
        """Have a node that has become good confirm it after its soak, as its agent does."""
        is_good = (
            view.is_on(view.assigned.source)
            and view.assigned.confirm_after is not None
            and view.confirmed_id != view.assigned.id
        )
        if not is_good:
            self._soaking.pop(view.name, None)
        elif view.name not in self._soaking or self._soaking[view.name].assigned.id != view.assigned.id:
            self._soaking[view.name] = view
            self._clock.start(partial(self._confirm, view), f"soak of {view.name}")

    def _confirm(self, view: NodeView) -> None:
        self._clock.wait(self._stop, view.assigned.confirm_after or 0.0)
        is_over = self._stop.is_set() or self._soaking.get(view.name) is not view
        if is_over or view.name in self.frozen or view.answer.status is None:
            return
        try:
            self.report(view, view.answer.status._replace(confirmed=view.assigned.id))
        except NotFound:
            return
        except KubeError:
            if not self._stop.is_set():
                raise

    def _answer(self, view: NodeView, statuses: list[tuple[verdicts.ConfigOk, ConfigStatus]]) -> None:
        for number, (verdict, status) in enumerate(statuses):
            if self._delays is not None:
                self._clock.sleep(self._delays[number])
                if self._done[view.name] != view.assigned.id:
                    return  # the node is assigned something else by now
            try:
                self.say(view.name, verdict, status)
            except NotFound:
                return
            except KubeError:
                if not self._stop.is_set():
                    raise
