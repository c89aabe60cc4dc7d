# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run hollow nodes in one process: create them, follow them with one watch, answer for them, and remove them.

One thread decides, in the order in which things happen. Another follows the Nodes, and a few send requests over
connections that stay open. What the others learn reaches the deciding thread as a function in its inbox.
"""

from __future__ import annotations

import heapq
import itertools
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import NodeReport
from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import NodeAnnotations
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import Moment
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client, Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    AlreadyExists,
    Conflict,
    KubeError,
    NotFound,
)
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from ansible_collections.configok.node.plugins.module_utils._kube.watch import watch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, InvalidBundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import Cause

from .hollow_node import BOOT_ID, FetchedBundle, HollowNode
from .node_objects import (
    LABEL_SIMULATED,
    LEASE_NAMESPACE,
    HollowSpec,
    hollow_specs,
    is_hollow,
    lease_object,
    lease_renewal,
    node_object,
    ready_patch,
    rfc3339,
    status_of_node,
)
from .scenario import Scenario
from .senders import CONNECTIONS, Senders

__all__ = ["FleetSimulator", "SimulatorError", "remove_simulation"]

_RETRY = 1.0  # seconds after which a request that failed is sent again
_FETCH_AGAIN = 10.0  # seconds after which a bundle that could not be fetched is tried again
_REPORT_INTERVAL = 5.0  # seconds between two lines about what has changed
_LONGEST_WAIT = 1.0  # seconds for which the deciding thread waits at most, to see that it is to stop


class SimulatorError(Exception):
    """The simulation cannot run; the text is a sentence."""


class _Member:
    """A hollow node and what the simulator knows of its Node. uid: "" while there is no Node."""

    def __init__(self, spec: HollowSpec, node: HollowNode) -> None:
        self.spec = spec
        self.node = node
        self.uid = ""
        self.annotations = NodeAnnotations("")
        self.condition_status = ""  # of ConfigOK, as it was written last
        self.reports: deque[NodeReport] = deque()  # to be written, oldest first
        self.is_writing = False
        self.is_ready = spec.group.behaviour.ready
        self.is_gone = False  # deleted, by its own behaviour or by another client
        self.wakes_at = float("inf")
        self.is_vanishing = False


class FleetSimulator:
    """The hollow nodes of a scenario on one cluster. client: has CONNECTIONS connections. report: shows a line."""

    def __init__(
        self, client: Client, scenario: Scenario, *, report: Callable[[str], None], stop: threading.Event | None = None
    ) -> None:
        self.started = threading.Event()  # set once all nodes are created and followed
        self.stop = stop or threading.Event()
        self._client = client
        self._scenario = scenario
        self._show = report
        self._members = {
            spec.name: _Member(
                spec,
                HollowNode(
                    spec.name,
                    spec.group.behaviour,
                    dict.fromkeys(spec.group.components, spec.kubelet_version),
                ),
            )
            for spec in hollow_specs(scenario)
        }
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._senders = Senders(self.stop)
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._bundles: dict[ConfigSource, FetchedBundle | None] = {}
        self._waiting: dict[ConfigSource, dict[str, _Member]] = {}
        self._began = time.monotonic()
        self._watch_interrupt = Interrupt()
        self._counts: Counter[str] = Counter()
        self._shown = ""

    # Run

    def run(self, duration: float | None = None) -> None:
        """Create the Nodes, answer for them until stop is set or the duration is over, and remove them.

        Raises SimulatorError, KubeError.
        """
        self._refuse_leftovers()
        try:
            self._create_all()
            self._start_threads()
            self._loop(float("inf") if duration is None else time.monotonic() + duration)
        finally:
            self._end()

    def _refuse_leftovers(self) -> None:
        name = self._scenario.simulation
        present = self._client.list(paths.NODES, label_selector=f"{LABEL_SIMULATED}={name}", metadata_only=True).items
        if present:
            raise SimulatorError(
                f"the cluster has {len(present)} Nodes of simulation {name} already: it runs elsewhere, or it was "
                "killed; then remove them first"
            )

    def _create_all(self) -> None:
        self._began = time.monotonic()
        members = [member for member in self._members.values() if not member.spec.group.behaviour.joins_after]
        problem: KubeError | None = None
        for _member, result in run_parallel(self._create, members, workers=2 * CONNECTIONS):
            if isinstance(result, KubeError) and problem is None:
                problem = result
                self.stop.set()  # no further one is created
        if isinstance(problem, AlreadyExists):
            raise SimulatorError(f"{problem}: this simulation did not create it, and leaves it as it is")
        if problem is not None:
            raise problem
        self._show(f"created {len(members)} Nodes with label {LABEL_SIMULATED}={self._scenario.simulation}")

    def _create(self, member: _Member) -> str:
        """Create a Node, and its Lease, unless the simulation is to stop; return its uid."""
        if self.stop.is_set():
            return ""
        now, spec = rfc3339(time.time()), member.spec
        report = member.node.first_report(self._moment())
        node = self._client.create(paths.NODES, node_object(spec, report, images=self._scenario.images, now=now))
        member.condition_status = report.verdict.status
        member.uid = str(node["metadata"]["uid"])  # from here on it is removed at the end
        if self._scenario.leases:
            self._client.create(paths.leases(LEASE_NAMESPACE), lease_object(spec, member.uid, now=now))
        return member.uid

    def _start_threads(self) -> None:
        for member in self._members.values():
            self._schedule_life(member)
        self._senders.start()
        threading.Thread(target=self._follow, name="simulator-watch", daemon=True).start()
        self._at(time.monotonic() + _REPORT_INTERVAL, self._report_changes)

    def _loop(self, until: float) -> None:
        while not self.stop.is_set():
            now = time.monotonic()
            if now >= until:
                return
            while self._timers and self._timers[0][0] <= now:
                heapq.heappop(self._timers)[2]()
            next_timer = self._timers[0][0] if self._timers else until
            try:
                self._inbox.get(timeout=max(0.0, min(next_timer, until, now + _LONGEST_WAIT) - now))()
                while True:
                    self._inbox.get_nowait()()
            except Empty:
                continue

    def _end(self) -> None:
        """Stop the threads, and remove exactly the Nodes that this process has created."""
        self.stop.set()
        self._watch_interrupt.trip()
        self._senders.join()  # one of them may be creating a Node
        created = [(member.spec.name, member.uid) for member in self._members.values() if member.uid]
        failed = _remove_nodes(self._client, created, has_leases=self._scenario.leases > 0)
        self._show(f"removed {len(created) - len(failed)} Nodes")
        if failed:
            name, error = next(iter(failed.items()))
            raise SimulatorError(f"{len(failed)} Nodes could not be removed, among them {name}: {error}")

    def _at(self, when: float, run: Callable[[], None]) -> None:
        heapq.heappush(self._timers, (when, next(self._numbers), run))

    def _moment(self) -> Moment:
        return Moment(time.monotonic() - self._began, BOOT_ID, rfc3339(time.time()))

    # What a Node does by itself

    def _schedule_life(self, member: _Member) -> None:
        behaviour = member.spec.group.behaviour
        if behaviour.joins_after and not member.uid:
            self._at(self._began + behaviour.joins_after, partial(self._join, member))
            return
        if behaviour.vanishes_after is not None and not behaviour.since_assignment:
            self._at(self._began + behaviour.vanishes_after, partial(self._vanish, member))
        if behaviour.flapping is not None:
            self._at(time.monotonic() + behaviour.flapping.every, partial(self._flap, member, ready=False))
        for interval, run in (
            (self._scenario.leases, self._renew_lease),
            (self._scenario.heartbeats, self._beat),
        ):
            if interval:
                self._at(time.monotonic() + random.uniform(0.0, interval), partial(run, member))

    def _join(self, member: _Member) -> None:
        def joined(uid: str) -> None:
            self._counts["joined"] += 1
            self._schedule_life(member)
            if member.annotations.uid == uid:
                self._advance(member)

        self._request(member, partial(self._create, member), joined)

    def _vanish(self, member: _Member) -> None:
        if member.is_gone:
            return
        member.is_gone = True
        self._counts["vanished"] += 1
        name, uid = member.spec.name, member.uid
        self._request(member, partial(self._client.delete, paths.node(name), uid=uid))

    def _flap(self, member: _Member, *, ready: bool) -> None:
        flapping = member.spec.group.behaviour.flapping
        if member.is_gone or flapping is None:
            return
        self._set_ready(member, ready)
        after = flapping.down if not ready else flapping.every - flapping.down
        self._at(time.monotonic() + after, partial(self._flap, member, ready=not ready))

    def _set_ready(self, member: _Member, ready: bool) -> None:
        changed, member.is_ready = ready != member.is_ready, ready
        body = ready_patch(member.uid, ready=ready, now=rfc3339(time.time()), changed=changed)
        self._patch_status(member, body)

    def _beat(self, member: _Member) -> None:
        if not member.is_gone:
            self._set_ready(member, member.is_ready)
            self._at(time.monotonic() + self._scenario.heartbeats, partial(self._beat, member))

    def _renew_lease(self, member: _Member) -> None:
        if member.is_gone:
            return
        path = paths.lease(LEASE_NAMESPACE, member.spec.name)
        body = lease_renewal(rfc3339(time.time()))
        self._request(member, partial(self._client.patch, path, body, metadata_only=True))
        self._at(time.monotonic() + self._scenario.leases, partial(self._renew_lease, member))

    # The agent of a Node

    def _seen(self, name: str, annotations: NodeAnnotations) -> None:
        member = self._members[name]
        is_new = annotations.assignment is not None and annotations.assignment != member.annotations.assignment
        member.annotations = annotations
        if is_new:
            self._counts["assigned"] += 1
            self._schedule_vanishing(member)
        if member.uid == annotations.uid:
            self._advance(member)

    def _schedule_vanishing(self, member: _Member) -> None:
        behaviour = member.spec.group.behaviour
        if behaviour.since_assignment and behaviour.vanishes_after is not None and not member.is_vanishing:
            member.is_vanishing = True
            self._at(time.monotonic() + behaviour.vanishes_after, partial(self._vanish, member))

    def _deleted(self, name: str, uid: str) -> None:
        member = self._members[name]
        if member.uid == uid and not member.is_gone:
            member.is_gone = True
            self._counts["deleted by others"] += 1

    def _advance(self, member: _Member) -> None:
        """Let a node's agent act, and write what it reports."""
        if member.is_gone or not member.uid:
            return
        member.reports.extend(
            member.node.advance(member.annotations, self._moment(), partial(self._find_bundle, member))
        )
        due = self._began + member.node.due
        if due < float("inf") and due != member.wakes_at:
            member.wakes_at = due
            self._at(due, partial(self._wake, member, due))
        self._write(member)

    def _wake(self, member: _Member, due: float) -> None:
        if member.wakes_at == due:
            member.wakes_at = float("inf")
            self._advance(member)

    def _find_bundle(self, member: _Member, source: ConfigSource) -> FetchedBundle | None:
        """Return a bundle, which is fetched once for all nodes; a node that finds none acts again later."""
        if source not in self._bundles:
            self._bundles[source] = None
            self._waiting[source] = {}
            self._senders.submit(partial(self._fetch, source), is_answer=True)
        fetched = self._bundles[source]
        if fetched is None or fetched.bundle is None:
            self._waiting[source][member.spec.name] = member
        return fetched

    def _fetch(self, source: ConfigSource) -> None:
        try:
            config_map = self._client.get(paths.config_map(source.namespace, source.name))
            fetched = FetchedBundle(Bundle.from_config_map({"kind": "ConfigMap", **config_map}, source))
        except (KubeError, InvalidBundle) as error:
            fetched = FetchedBundle(error=str(error))
        self._inbox.put(partial(self._fetched, source, fetched))

    def _fetched(self, source: ConfigSource, fetched: FetchedBundle) -> None:
        self._bundles[source] = fetched
        members, self._waiting[source] = self._waiting[source], {}
        for member in members.values():
            self._advance(member)
        if fetched.bundle is None:
            self._at(time.monotonic() + _FETCH_AGAIN, partial(self._fetch_again, source))

    def _fetch_again(self, source: ConfigSource) -> None:
        del self._bundles[source]
        for member in self._waiting.pop(source).values():
            self._advance(member)

    def _write(self, member: _Member) -> None:
        """Write the oldest report that is not written yet, one at a time."""
        if member.is_writing or not member.reports:
            return
        report = member.reports.popleft()
        member.is_writing = True
        body = status_of_node(report, member.condition_status, member.uid, now=rfc3339(time.time()))
        is_answer = report.verdict.cause != Cause.ADOPTING
        self._patch_status(member, body, partial(self._written, member, report), is_answer=is_answer)

    def _written(self, member: _Member, report: NodeReport, _result: Any) -> None:
        member.condition_status = report.verdict.status
        member.is_writing = False
        self._counts[f"ConfigOK {report.verdict.status}"] += 1
        self._write(member)

    # Requests

    def _patch_status(
        self,
        member: _Member,
        body: dict[str, Any],
        then: Callable[[Any], None] | None = None,
        *,
        is_answer: bool = False,
    ) -> None:
        path = paths.node_status(member.spec.name)
        send = partial(self._client.patch, path, body, kind="strategic", metadata_only=True)
        self._request(member, send, then, is_answer=is_answer)

    def _request(
        self,
        member: _Member,
        send: Callable[[], Any],
        then: Callable[[Any], None] | None = None,
        *,
        is_answer: bool = False,
    ) -> None:
        """Send a request in another thread, until it succeeds or the Node is gone; then run a function."""

        def attempt() -> None:
            try:
                result = send()
            except (NotFound, Conflict):  # the Node was deleted, and perhaps registered again
                self._inbox.put(partial(self._lost, member))
            except KubeError as error:
                self._inbox.put(partial(self._failed, send_again, error))
            else:
                if then is not None:
                    self._inbox.put(partial(then, result))

        send_again = partial(self._senders.submit, attempt, is_answer=is_answer)
        send_again()

    def _lost(self, member: _Member) -> None:
        if not member.is_gone:
            member.is_gone = True
            self._counts["deleted by others"] += 1

    def _failed(self, send_again: Callable[[], None], error: KubeError) -> None:
        if not self._counts["failed requests"]:
            self._show(f"a request failed, and is sent again: {error}")
        self._counts["failed requests"] += 1
        self._at(time.monotonic() + _RETRY, send_again)

    # The watch

    def _follow(self) -> None:
        """Pass on what matters of the Nodes: what an agent watches of its own, and that a Node is gone."""
        seen: dict[str, NodeAnnotations] = {}
        for event in watch(
            self._client,
            paths.NODES,
            label_selector=f"{LABEL_SIMULATED}={self._scenario.simulation}",
            metadata_only=True,
            transform=_reduce,
            stop=self.stop,
            interrupt=self._watch_interrupt,
        ):
            if event.type == "SYNCED":
                self.started.set()
            if event.object is None:
                continue
            name = event.object["metadata"]["name"]
            if name not in self._members:
                continue  # another client has given it the label
            if event.type == "DELETED":
                self._inbox.put(partial(self._deleted, name, event.object["metadata"]["uid"]))
                seen.pop(name, None)
                continue
            annotations = annotations_of(event.object)._replace(status=None)  # written by the simulator itself
            if seen.get(name) != annotations:
                seen[name] = annotations
                self._inbox.put(partial(self._seen, name, annotations))

    # Show

    def _report_changes(self) -> None:
        line = ", ".join(f"{count} {what}" for what, count in sorted(self._counts.items()))
        if line and line != self._shown:
            self._shown = line
            self._show(line)
        self._at(time.monotonic() + _REPORT_INTERVAL, self._report_changes)


def _reduce(node: dict[str, Any]) -> dict[str, Any]:
    """Return what annotations_of() and the watch read of a Node."""
    metadata = node["metadata"]
    return {
        "metadata": {
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata.get("resourceVersion", ""),
            "annotations": metadata.get("annotations") or {},
        }
    }


def remove_simulation(client: Client, simulation: str, *, report: Callable[[str], None]) -> None:
    """Remove the Nodes that a killed simulator of this name has left, and their Leases. Raises SimulatorError."""
    nodes = client.list(paths.NODES, label_selector=f"{LABEL_SIMULATED}={simulation}").items
    hollow = [(node["metadata"]["name"], node["metadata"]["uid"]) for node in nodes if is_hollow(node)]
    failed = _remove_nodes(client, hollow, has_leases=True)
    report(f"removed {len(hollow) - len(failed)} Nodes")
    if len(nodes) > len(hollow):
        report(f"left {len(nodes) - len(hollow)} Nodes that have the label, and that no simulator has created")
    if failed:
        name, error = next(iter(failed.items()))
        raise SimulatorError(f"{len(failed)} Nodes could not be removed, among them {name}: {error}")


def _remove_nodes(client: Client, nodes: Iterable[tuple[str, str]], *, has_leases: bool) -> dict[str, KubeError]:
    """Delete Nodes by name and uid, and their Leases; return the errors by name."""

    def remove(node: tuple[str, str]) -> None:
        name, uid = node
        try:
            client.delete(paths.node(name), uid=uid)
        except (NotFound, Conflict):
            pass  # it is gone, or it is another Node now
        if has_leases:
            try:
                client.delete(paths.lease(LEASE_NAMESPACE, name))
            except NotFound:
                pass  # the garbage collector was faster

    return {
        name: error
        for (name, _uid), error in run_parallel(remove, nodes, workers=2 * CONNECTIONS)
        if isinstance(error, KubeError)
    }
