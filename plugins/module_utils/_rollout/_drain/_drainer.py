# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drain a node: cordon, evict, wait until the pods are gone; uncordon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, CredentialsError, Forbidden, KubeError, NotFound, Unauthorized, Unreachable
from ..._kube.api_paths import PODS, node
from ..._nodeconfig.durations import describe_duration
from ..._text import and_more, count_of, sanitize
from .. import RolloutError
from .._nodes.node_list import find_node
from .._nodes.node_view import NodeView, node_view
from ..timing import Clock
from ._eviction import EvictionOutcome, Evictor
from ._pods import PodRef, PodSelection, reduce_pod, select_pods
from ._settings import DrainSettings
from .cordon import (
    FIELD_MANAGER,
    CordonMark,
    cordon_patch,
    is_cordoned_by_others,
    is_reboot_pending,
    marking_pool,
    uncordon_patch,
)

_POLL = 2.0  # seconds between two looks at the pods of a node
_STEP = 1.0  # seconds after which a drain notices that it should stop
_RETRY = 5.0  # seconds before an eviction that was refused for now is sent again, as in kubectl
_MAX_ATTEMPTS = 8
_PODS_SHOWN = 3
_STOPPED = "the drain was interrupted"
_RUNNER_ERRORS = (CredentialsError, Unauthorized, Unreachable)  # not about a node: they end the run


@dataclass(frozen=True)
class DrainResult:
    """The end of a drain. reason: why the node was not drained, "" when it was."""

    drained: bool
    reason: str = ""


class Drainer:
    """Drains the nodes of one pool; safe for many threads, each with a node of its own.

    client: should survive outages of the API server. clock: measures the timeout; one that stands still during an
    outage charges no node for it. report: shows a line to the user. cordon_client: sends the PATCH that cordons.
    """

    def __init__(
        self,
        client: Client,
        pool: str,
        settings: DrainSettings,
        clock: Clock,
        *,
        report: Callable[[str], None] = lambda _line: None,
        cordon_client: Client | None = None,
    ) -> None:
        self._client = client
        self._cordon_client = cordon_client or client
        self._pool = pool
        self._settings = settings
        self._clock = clock
        self._report = report
        self._evictor = Evictor(client, settings.grace_period)
        self._cordoned: set[str] = set()  # names that this object has tried to cordon

    def drain(
        self, view: NodeView, should_stop: Callable[[], bool], *, reboot: bool = False, for_host: bool = False
    ) -> DrainResult:
        """Cordon a Node, evict its pods and wait until they are gone. Blocks until the timeout at most.

        A Node that is not drained in the end has no cordon of this pool left. A cordon that another client has made is
        used, and stays. should_stop: ends the drain within a second. reboot: the node has to be rebooted before it is
        uncordoned; the mark says so. for_host: its host is changed, which the next run has to know if this one is
        killed: the Node is marked even if an operator has cordoned it. Raises KubeError and RolloutError for what is
        not about this Node; its cordon is then found by the next run.
        """
        deadline = self._clock.monotonic() + self._settings.timeout

        def drain() -> str:
            refusals = self._pods_of(view.name, recent=False).refusals
            if refusals:  # before the Node is cordoned
                return "; ".join(refusals)
            failure = self._cordon(view, reboot=reboot, for_host=for_host)
            return failure or self._empty(view.name, deadline, should_stop)

        return self._carry_out(view, drain)

    def cordon(self, view: NodeView, *, reboot: bool = False, for_host: bool = False) -> DrainResult:
        """Cordon a Node as drain does, and evict nothing: the pods of a node whose kubelet is down would not end."""
        return self._carry_out(view, lambda: self._cordon(view, reboot=reboot, for_host=for_host))

    def _carry_out(self, view: NodeView, step: Callable[[], str]) -> DrainResult:
        try:
            reason = step()
        except _RUNNER_ERRORS:
            raise
        except Forbidden as error:
            reason = f"{error}: the role configok.node.cluster grants runners what a drain needs"
        except KubeError as error:
            reason = str(error)
        if reason and (view.name in self._cordoned or marking_pool(view) == self._pool):
            self.uncordon(view.name, keep_reboot=is_reboot_pending(view, self._pool))
        return DrainResult(not reason, reason)

    def uncordon(self, name: str, *, keep_reboot: bool = False) -> bool:
        """Uncordon a Node that a rollout of this pool has cordoned. Return whether it did. Raises KubeError.

        A Node without the pool's mark is left alone. Where an operator has uncordoned the Node meanwhile, or cordoned
        it again for another purpose, only the mark is removed. keep_reboot: if the mark says that the node has to be
        rebooted, it stays.
        """
        conflict: Conflict | None = None
        for _attempt in range(_MAX_ATTEMPTS):
            item = self._client.find(node(name))
            if item is None:
                return False
            view = node_view(item)
            mark = CordonMark.parse(view.cordoned_by)
            if mark is None or mark.pool != self._pool:
                return False
            keep_cordon = mark.keep_cordon or not view.unschedulable or is_cordoned_by_others(item)
            keep_mark = keep_reboot and bool(mark.reboot_from)
            if keep_mark and keep_cordon:
                return False
            version = view.resource_version
            patch = uncordon_patch(resource_version=version, keep_cordon=keep_cordon, keep_mark=keep_mark)
            try:
                self._client.patch(node(name), patch, metadata_only=True, field_manager=FIELD_MANAGER)
            except Conflict as error:
                conflict = error
            except NotFound:
                return False
            else:
                return not keep_cordon
        raise conflict or RolloutError(f"Node {name} changes too often to be uncordoned")

    def _cordon(self, view: NodeView, *, reboot: bool, for_host: bool) -> str:
        """Cordon and mark a Node. Return why that must not be, "" when the Node is cordoned."""
        conflict: Conflict | None = None
        for _attempt in range(_MAX_ATTEMPTS):
            present = CordonMark.parse(view.cordoned_by) if view.unschedulable else None
            if present is not None and present.pool != self._pool:
                return (
                    f"the rollout of pool {sanitize(present.pool)} has cordoned it and would uncordon it: "
                    "let that rollout end, or run it again"
                )
            reboot_from = view.system.boot_id if reboot else ""
            is_operators = view.unschedulable and (present is None or present.keep_cordon)
            if is_operators and not (present or reboot or for_host):
                return ""  # an operator will uncordon it
            if present is not None and present.reboot_from == reboot_from:
                return ""  # an earlier run has cordoned it
            mark = CordonMark(self._pool, self._clock.now(), reboot_from, is_operators)
            patch = cordon_patch(mark, resource_version=view.resource_version)
            self._cordoned.add(view.name)
            try:
                self._cordon_client.patch(node(view.name), patch, metadata_only=True, field_manager=FIELD_MANAGER)
            except Conflict as error:
                conflict = error
            except NotFound:
                return "the Node was deleted"
            else:
                if not view.unschedulable:
                    self._report(f"cordoned {view.name}")
                return ""
            seen = find_node(self._client, view.name)
            if seen is None:
                return "the Node was deleted"
            view = seen
        raise conflict or RolloutError(f"Node {view.name} changes too often to be cordoned")

    def _empty(self, name: str, deadline: float, should_stop: Callable[[], bool]) -> str:
        """Evict the pods of a cordoned Node and wait for their end. Return why they did not end, "" when they did."""
        pods = _Leaving()
        recent = True
        while True:
            selection = self._pods_of(name, recent=recent)
            if selection.refusals:
                return "; ".join(selection.refusals)
            if not selection.to_evict and recent:
                return ""
            for pod in selection.to_evict:
                if should_stop():
                    return _STOPPED
                if pods.is_due(pod, self._clock.monotonic()):
                    reason = self._evict(name, pod, pods)
                    if reason:
                        return reason
            recent = not selection.to_evict  # only the API server itself can say that none is left
            if self._clock.monotonic() >= deadline:
                return pods.describe(selection.to_evict, self._settings.timeout)
            if selection.to_evict and self._wait(should_stop):
                return _STOPPED

    def _evict(self, name: str, pod: PodRef, pods: _Leaving) -> str:
        """Evict a pod, or note when to try again. Return why it will never be evicted, "" otherwise."""
        outcome, reason, retry_after = self._evictor.evict(pod)
        if outcome is EvictionOutcome.REFUSED:
            return f"{pod} cannot be evicted: {reason}"
        if outcome is EvictionOutcome.BLOCKED:
            if pods.block(pod, reason, self._clock.monotonic() + max(_RETRY, retry_after)):
                self._report(f"{name} waits for {pod}: {reason}")
        else:
            pods.evicted(pod)
        return ""

    def _wait(self, should_stop: Callable[[], bool]) -> bool:
        """Wait until it is time to look at the pods again. Return whether to stop instead."""
        until = self._clock.monotonic() + _POLL
        while not should_stop():
            seconds = until - self._clock.monotonic()
            if seconds <= 0:
                return False
            self._clock.sleep(min(seconds, _STEP))
        return True

    def _pods_of(self, name: str, *, recent: bool) -> PodSelection:
        """Return the pods of a Node. recent: not from the API server's cache, which may lag behind."""
        listing = self._client.list(
            PODS,
            field_selector=f"spec.nodeName={name}",
            transform=reduce_pod,
            resource_version=None if recent else "0",
        )
        return select_pods(listing.items, self._settings)


class _Leaving:
    """The pods that leave a node: which were evicted, and which have to be evicted again, and when."""

    def __init__(self) -> None:
        self._evicted: set[str] = set()
        self._blocked: dict[str, tuple[float, str]] = {}

    def is_due(self, pod: PodRef, now: float) -> bool:
        """Return whether to evict a pod now."""
        return not pod.is_ending and pod.uid not in self._evicted and self._blocked.get(pod.uid, (now, ""))[0] <= now

    def evicted(self, pod: PodRef) -> None:
        """Note that a pod was evicted."""
        self._evicted.add(pod.uid)

    def block(self, pod: PodRef, reason: str, until: float) -> bool:
        """Note that a pod cannot be evicted for now. Return whether the reason is new."""
        _until, earlier = self._blocked.get(pod.uid, (0.0, ""))
        self._blocked[pod.uid] = (until, reason)
        return reason != earlier

    def describe(self, left: Sequence[PodRef], timeout: float) -> str:
        """Return why pods are left after the timeout, those that could not be evicted first."""
        pods = sorted(left, key=lambda pod: (pod.is_ending or pod.uid in self._evicted, str(pod)))
        reasons = [f"{pod}: {self._reason(pod)}" for pod in pods[:_PODS_SHOWN]]
        count = count_of(len(pods), "pod")
        verb = "is" if len(pods) == 1 else "are"
        more = and_more(len(pods) - _PODS_SHOWN)
        return f"{count} {verb} left after {describe_duration(timeout)}: {'; '.join(reasons)}{more}"

    def _reason(self, pod: PodRef) -> str:
        if pod.uid in self._evicted:
            return "it was evicted and has not ended"
        if pod.is_ending:
            return "it is being deleted and has not ended"
        return self._blocked.get(pod.uid, (0.0, "it could not be evicted in time"))[1]
