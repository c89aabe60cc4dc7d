# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records a transition: in the log, as an Event on the Node, and in a counter. Private to configok.node."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, Literal, NamedTuple

from ..._kube._api_errors import AlreadyExists, KubeError
from ..._kube._api_paths import events
from ..._kube._retry import Backoff
from ..._nodeconfig._untrusted import sanitize
from .._agent_context import AgentContext
from .._log import ADOPTED, CONFIRMED, PROMOTED, REFUSED, SUSPECT, log
from .._state._actions import SyncTransition
from .._state._desired_state import DesiredState
from .._state._records import ConfigRecord
from .._state._trial_period import TrialTransition

__all__ = [
    "BURST",
    "ChangeRecorder",
    "EventReason",
    "EventRecorder",
    "MAX_QUEUED",
    "INTERVAL",
    "NodeEvent",
    "event_body",
]

_DONE = {"confirmed": CONFIRMED, "promoted": PROMOTED, "suspect": SUSPECT}


EventReason = Literal["ConfigAdopted", "ConfigRefused", "ConfigRolledBack"]


class ChangeRecorder:
    """Records each transition once, in all three."""

    def __init__(self, context: AgentContext, events: EventRecorder) -> None:
        self._events = events
        self._counters = context.counters
        self._clock = context.clock
        self._adopting: tuple[str, float] | None = None  # the uid, and since when (seconds since boot)

    def config_synced(
        self, transition: SyncTransition, detail: str, desired: DesiredState, *, started_at: float = 0.0
    ) -> None:
        """Record the result of an assignment. started_at: when its preparation was started, in seconds since boot."""
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

    def trial_changed(self, done: TrialTransition, record: ConfigRecord, detail: str) -> None:
        """Record what the trial came to."""
        write = log.info if done in ("confirmed", "promoted", "cleared") else log.error
        fields = {"message_id": _DONE[done]} if done in _DONE else {}
        if detail:
            fields["detail"] = detail
        write("config %s", done, extra={"uid": record.uid or "init", **fields})
        if done in ("confirmed", "promoted") and self._adopting is not None and record.uid == self._adopting[0]:
            self._counters.observe_adoption(self._clock.since_boot() - self._adopting[1])
            self._adopting = None

    def rolled_back(self, message: str, reason: str) -> None:
        """Record a rollback, whichever process did it, once its outcome is known."""
        self._counters.rollbacks += 1
        self._events.record("ConfigRolledBack", f"{message}: {reason}", warning=True)


NAMESPACE = "default"  # where Events on Nodes live
MAX_QUEUED = 16
BURST = 16  # Events that may be sent in a row; after that one for each INTERVAL, so that what waits is sent in a minute
INTERVAL = 3.0  # seconds
_MAX_MESSAGE = 1024  # what Kubernetes allows
_MAX_NODE = 236  # characters of a Node's name in an Event's, which has room for 253
# An answer that will not be another one the next time: no permission, an object that is not accepted.
_PERMANENT = range(400, 500)
_RETRIED = (401, 408, 429)


class NodeEvent(NamedTuple):
    """Something that happened: a CamelCase reason, a sentence, and when it was first and last so (RFC 3339)."""

    reason: EventReason
    message: str
    warning: bool
    first: str
    last: str
    times: int = 1


def event_body(node_name: str, event: NodeEvent) -> dict[str, Any]:
    """Return the Event.

    Its name is that of its content: what was sent already, by an agent that was killed before it knew, is answered
    with 409 and not there twice.
    """
    text = "\0".join((event.reason, event.message, event.first))
    unique = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{node_name[:_MAX_NODE].rstrip('.-')}.{unique}", "namespace": NAMESPACE},
        # As the kubelet does it: the Node's name instead of its uid. kubectl describe looks for that.
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
        self._counted = self._clock.since_boot()

    def record(self, reason: EventReason, message: str, *, warning: bool = False) -> None:
        """Queue an Event for advance().

        A repetition of a queued Event is counted there. Of too many, the oldest is dropped.
        """
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
            return float("inf")  # what is being sent wakes the daemon when it is done
        return max(self._backoff.until, self._counted + (1.0 - self._allowance) * INTERVAL)

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
        """Send what is queued, up to ``within`` seconds from now: the API answers again."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def _spend_allowance(self) -> None:
        now = self._clock.since_boot()
        self._allowance = min(float(BURST), self._allowance + (now - self._counted) / INTERVAL) - 1.0
        self._counted = now

    def _sent(self, event: NodeEvent) -> bool:
        """Return whether the Event needs no further attempt."""
        try:
            self._task.result()
        except AlreadyExists:
            pass  # sent before
        except KubeError as error:
            log.warning("an Event was not created: %s", error, extra={"event": event.reason})
            if error.status not in _PERMANENT or error.status in _RETRIED:
                self._backoff.failed(self._clock.since_boot(), error.retry_after)
                return False
        self._backoff.reset()
        return True
