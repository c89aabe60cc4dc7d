# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the node says of itself: on transitions, and a rare heartbeat. Private to configok.node."""

from __future__ import annotations

import random as _random
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from ..._kube._api_errors import KubeError
from ..._kube._api_paths import node_status
from ..._kube._retry import is_transient
from ..._nodeconfig._config_ok import Verdict
from ..._nodeconfig._config_status import ConfigStatus, status_patch
from .._basis._backoff import Backoff
from .._basis._errand import PATIENCE
from .._basis._message_ids import CONDITION
from .._basis._ports import Clock, Errand, Journal
from .._basis._tally import Tally

__all__ = ["MIN_INTERVAL", "Reporter", "Writer"]

# Seconds between two writes about the same config: a component that flaps costs no more than a kubelet's own Lease.
MIN_INTERVAL = 10.0


class Writer(Protocol):
    """The one request that is needed here."""

    def patch(self, path: str, body: dict[str, Any], *, kind: str) -> Any: ...


def _subject(said: tuple[Verdict, ConfigStatus, str] | None) -> tuple[object, ...]:
    """Return what a status is about: while that stays the same, a change is the component's own."""
    if said is None:
        return ()
    verdict, status, _label = said
    adopting = verdict.cause == "Adopting"
    return (status.assignment, status.assigned, status.active, status.last_known_good, status.in_trial, adopting)


class Reporter:
    """One status PATCH per transition, retried with back-off until it is written.

    What is said about another assignment or config is written at once. Transitions about the same one that follow each
    other within MIN_INTERVAL are written as one, the last of them; where that stands on the Node already, none is
    written, and the journal alone has them.
    """

    def __init__(
        self,
        node_name: str,
        client: Writer,
        clock: Clock,
        journal: Journal,
        tally: Tally,
        errand: Errand,
        *,
        heartbeat_interval: float,
        random: Callable[[], float] = _random.random,
    ) -> None:
        """errand: in which a write is made. heartbeat_interval: seconds without one after which one is made (20 %
        jitter)."""
        self._node_name = node_name
        self._client = client
        self._clock = clock
        self._journal = journal
        self._tally = tally
        self._errand = errand
        self._interval = heartbeat_interval
        self._random = random
        self._backoff = Backoff(first=1.0, longest=60.0, random=random)
        self._wanted: tuple[Verdict, ConfigStatus, str] | None = None
        self._sending: tuple[Verdict, ConfigStatus, str] | None = None
        self._written: tuple[Verdict, ConfigStatus, str] | None = None
        self._status = ""  # of the condition, as far as it is known to be on the Node
        self._heartbeat = 0.0
        self._earliest = 0.0  # when another status about the same config may be written
        self.trouble = ""  # why the last write was not made
        self.written_at = ""  # RFC 3339, of the last write
        self._rest(clock.since_boot())

    @property
    def wanted(self) -> tuple[Verdict, ConfigStatus, str] | None:
        """What was said last, written or not."""
        return self._wanted

    @property
    def is_written(self) -> bool:
        """Whether what was said last stands on the Node."""
        return self._wanted is not None and self._wanted == self._written

    def found(self, annotation: str | None, verdict: Verdict, status: ConfigStatus, label: str) -> None:
        """Take what stands on the Node already as written: an agent that restarts has nothing to say."""
        if self._written is None and annotation is not None and annotation == status.encode():
            self._written = self._wanted = (verdict, status, label)
            self._status = verdict.status

    def begin(self) -> None:
        """It is another Node object: nothing was said to it yet."""
        self.gone()
        self._wanted = None

    def gone(self) -> None:
        """The Node does not say it any more (restored): it is to be written again."""
        self._errand.drop()  # what is under way was meant for what was there before
        self._sending = None
        self._written = None
        self._status = ""

    def say(self, verdict: Verdict, status: ConfigStatus, label: str) -> None:
        """Have this written, now or as soon as it can be. label: the bundle's name, "init" or "default"."""
        wanted = (verdict.cut(), status, label)
        if _subject(wanted) != _subject(self._wanted):
            self._backoff.reset()
        if wanted != self._wanted:
            level = "info" if verdict.status == "True" else "warning"
            self._journal(
                level,
                verdict.message,
                status=verdict.status,
                reason=verdict.reason,
                cause=verdict.cause,
                uid="init" if status.active is None else status.active.uid,
                assignment=status.assignment,
                message_id=CONDITION,
            )
        self._wanted = wanted
        self.attend()

    def hurry(self, within: float) -> None:
        """The API answers again: write what is not written within so many seconds."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def attend(self) -> None:
        """Write what is due, an unwritten answer or a heartbeat; and see what came of it, as soon as that is known."""
        patience = 0.0
        if self._sending is None:
            if self._wanted is None or self._clock.since_boot() < self.due:
                return
            self._send(self._wanted)
            patience = PATIENCE
        if self._errand.wait(patience):
            self._sent()

    def _send(self, wanted: tuple[Verdict, ConfigStatus, str]) -> None:
        self._sending = wanted
        verdict, status, label = wanted
        patch = status_patch(verdict, status, label, now=self._clock.now())
        if verdict.status == self._status:  # no transition: the time of the last one stays on the Node
            del patch["status"]["conditions"][0]["lastTransitionTime"]
        self._errand.start(partial(self._client.patch, node_status(self._node_name), patch, kind="strategic"))

    def _sent(self) -> None:
        sent, self._sending = self._sending, None
        try:
            self._errand.take()
        except KubeError as error:
            transient = is_transient(error, idempotent=True)
            self._backoff.failed(self._clock.since_boot(), error.retry_after, transient=transient)
            self._tally.errors["status"] += 1
            self.trouble = str(error)
            self._journal("warning", f"the status was not written: {error}")
            return
        self._backoff.reset()
        self.trouble = ""
        self.written_at = self._clock.now()
        self._written = sent
        self._status = "" if sent is None else sent[0].status
        self._earliest = self._clock.since_boot() + MIN_INTERVAL
        self._rest(self._clock.since_boot())

    def _rest(self, now: float) -> None:
        self._heartbeat = now + self._interval * (0.8 + 0.4 * self._random())

    @property
    def due(self) -> float:
        """When attend() has something to do next, in seconds since boot."""
        if self._wanted is None or self._sending is not None:
            return float("inf")  # what is being sent wakes the daemon when it is done
        if self._wanted == self._written:
            return max(self._heartbeat, self._backoff.until)
        is_news = _subject(self._wanted) != _subject(self._written)
        return self._backoff.until if is_news else max(self._earliest, self._backoff.until)
