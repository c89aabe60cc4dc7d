# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records transitions: in the log, in counters, and as Events on the Node."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

from ..._kube.api_errors import AlreadyExists, KubeError
from ..._kube.api_paths import events
from ..._kube.retry import Backoff
from ..._text import sanitize
from .._agent_context import AgentContext
from .._log import ADOPTED, HEALTHY, PROMOTED, REFUSED, SUSPECT, log
from .._state.actions import SyncTransition
from .._state.desired_state import DesiredState
from .._state.records import ConfigRecord
from .._state.trial_period import TrialTransition

EventReason = Literal["ConfigAdopted", "ConfigRefused", "ConfigRolledBack"]
_MESSAGE_IDS: Mapping[TrialTransition, str] = {"healthy": HEALTHY, "promoted": PROMOTED, "suspect": SUSPECT}


class ChangeRecorder:
    """Records each transition once: in the log, in a counter, and as an Event if it matters to the cluster."""

    def __init__(self, context: AgentContext, events: EventRecorder) -> None:
        self._events = events
        self._counters = context.counters
        self._clock = context.clock
        self._adopting: tuple[str, float] | None = None  # the uid, and when its preparation started

    def config_synced(
        self, transition: SyncTransition, detail: str, desired: DesiredState, *, started_at: float = 0.0
    ) -> None:
        """Record the result of an assignment.

        detail: the config, and for a refusal the reason. started_at: of the preparation, in seconds since boot.
        """
        fields = {"assignment": desired.answered.id, "uid": "init" if desired.source is None else desired.source.uid}
        if transition == "refused":
            self._counters.refusals += 1
            log.warning("refused %s", detail, extra={**fields, "message_id": REFUSED})
            self._events.record("ConfigRefused", detail, warning=True)
        elif transition in ("adopted", "unassigned"):
            self._counters.adoptions += 1
            self._adopting = None if desired.source is None else (desired.source.uid, started_at)
            log.info("adopted %s", detail, extra={**fields, "message_id": ADOPTED})
            self._events.record("ConfigAdopted", f"adopted {detail}")
        else:
            log.info("%s %s", transition, detail, extra=fields)

    def trial_changed(self, transition: TrialTransition, record: ConfigRecord, detail: str) -> None:
        """Record a transition of a record's trial, and the duration of its adoption. detail: why, or ""."""
        write = log.info if transition in ("healthy", "promoted", "cleared") else log.error
        fields = {"message_id": _MESSAGE_IDS[transition]} if transition in _MESSAGE_IDS else {}
        if detail:
            fields["detail"] = detail
        write("config %s", transition, extra={"uid": record.uid or "init", **fields})
        is_adopted = transition in ("healthy", "promoted")
        if is_adopted and self._adopting is not None and record.uid == self._adopting[0]:
            self._counters.observe_adoption(self._clock.since_boot() - self._adopting[1])
            self._adopting = None

    def rolled_back(self, message: str, reason: str) -> None:
        """Record a rollback, of this process or of a hook. message, reason: of the verdict that follows it."""
        self._counters.rollbacks += 1
        self._events.record("ConfigRolledBack", f"{message}: {reason}", warning=True)


NAMESPACE = "default"  # where Events on Nodes live
MAX_QUEUED = 16
BURST = 16  # Events that may be sent in a row; then one for each INTERVAL, so that a full queue is sent in a minute
INTERVAL = 3.0  # seconds
_MAX_MESSAGE = 1024  # characters, the limit of Kubernetes
_MAX_NODE = 236  # characters of a Node's name in the name of an Event, which may have 253
_PERMANENT = range(400, 500)  # the next attempt would fail as well: no permission, an object that is not accepted
_RETRIED = (401, 408, 429)  # the exceptions


class NodeEvent(NamedTuple):
    """An Event to send: a CamelCase reason, a sentence, its first and last time (RFC 3339), and their number."""

    reason: EventReason
    message: str
    warning: bool
    first: str
    last: str
    times: int = 1


def event_body(node_name: str, event: NodeEvent) -> dict[str, Any]:
    """Return the Event as the API expects it.

    Its name is a hash of its content. An Event that was sent by an agent that was killed before the answer is sent
    again, answered with 409, and not created twice.
    """
    text = "\0".join((event.reason, event.message, event.first))
    unique = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{node_name[:_MAX_NODE].rstrip('.-')}.{unique}", "namespace": NAMESPACE},
        # Like the kubelet: the Node's name as its uid, by which kubectl describe finds Events of Nodes.
        "involvedObject": {"kind": "Node", "name": node_name, "uid": node_name, "apiVersion": "v1"},
        "reason": event.reason,
        "message": event.message,
        "type": "Warning" if event.warning else "Normal",
        "source": {"component": "configok-agent", "host": node_name},
        "reportingComponent": "configok-agent",
        "reportingInstance": node_name[:128],
        "firstTimestamp": event.first,
        "lastTimestamp": event.last,
        "count": event.times,
    }


class EventRecorder:
    """Sends Events in the background, at a limited rate."""

    def __init__(self, context: AgentContext) -> None:
        self._node_name = context.configuration.node_name
        self._api = context.api
        self._clock = context.clock
        self._task = context.new_task()
        self._sending: NodeEvent | None = None
        self._waiting: list[NodeEvent] = []
        self._backoff = Backoff(first=1.0, longest=300.0)
        self._allowance = float(BURST)
        self._allowance_at = self._clock.since_boot()

    def record(self, reason: EventReason, message: str, *, warning: bool = False) -> None:
        """Queue an Event for advance(). One that is queued already is only counted; a full queue drops its oldest."""
        message, now = " ".join(sanitize(message).split())[:_MAX_MESSAGE], self._clock.now()
        for index, event in enumerate(self._waiting):
            if (event.reason, event.message) == (reason, message):
                self._waiting[index] = event._replace(last=now, times=event.times + 1)
                return
        self._waiting.append(NodeEvent(reason, message, warning, now, now))
        if len(self._waiting) > MAX_QUEUED:
            dropped = self._waiting.pop(0)
            log.warning("an Event was dropped: too many wait", extra={"event": dropped.reason})

    @property
    def next_due(self) -> float:
        """When advance() has something to do next, in seconds since boot."""
        if not self._waiting or self._sending is not None:
            return float("inf")  # the end of a request wakes the daemon
        return max(self._backoff.until, self._allowance_at + (1.0 - self._allowance) * INTERVAL)

    def advance(self) -> None:
        """Send the queued Events that may be sent now, and collect the answers. Failures are logged, never raised."""
        while True:
            if self._sending is None:
                if self._clock.since_boot() < self.next_due:
                    return
                self._spend_allowance()
                self._sending = self._waiting.pop(0)
                body = event_body(self._node_name, self._sending)
                self._task.start(partial(self._api.create, events(NAMESPACE), body))
            if not self._task.done:
                return
            event, self._sending = self._sending, None
            if not self._sent(event):
                self._waiting.insert(0, event)
                return

    def retry_soon(self, within: float) -> None:
        """Send the queued Events within this many seconds, since the API answers again."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def _spend_allowance(self) -> None:
        now = self._clock.since_boot()
        self._allowance = min(float(BURST), self._allowance + (now - self._allowance_at) / INTERVAL) - 1.0
        self._allowance_at = now

    def _sent(self, event: NodeEvent) -> bool:
        """Return whether the Event needs no further attempt."""
        try:
            self._task.result()
        except AlreadyExists:
            pass  # created by an earlier attempt
        except KubeError as error:
            log.warning("an Event was not created: %s", error, extra={"event": event.reason})
            if error.status not in _PERMANENT or error.status in _RETRIED:
                self._backoff.failed(self._clock.since_boot(), error.retry_after)
                return False
        self._backoff.reset()
        return True
