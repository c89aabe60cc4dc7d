# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends the process of a Pod that the kubelet has forgotten, and that keeps the port of its component.

A kubelet that was restarted while no API server answers starts the Pod of a manifest that changes, and does not end the
one before it (kubernetes/kubernetes#112814). The new one then ends again and again, for as long as the API is away; and
if the component is the only API server, that is forever.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ._log import log
from ._pod_files import PodProcess, PodRun

_MARGIN = 30.0  # seconds beyond its grace period in which the kubelet ends a Pod that it knows
_HAS_NO_PORT = "address already in use"

Send = Callable[[PodProcess, int], None]


class Rivalry(NamedTuple):
    """A process of an older Pod, and the newer Pod that it keeps from running.

    uid: of the newer one. attempt: its last start when the two were seen first, at `since`, in seconds since boot.
    asked_at: when the process was asked to end, None before.
    """

    process: PodProcess
    uid: str
    attempt: int
    since: float
    asked_at: float | None = None

    def next_signal(self, run: PodRun, grace: float, now: float) -> int | None:
        """Return the signal that is due for the process, None if none is.

        run: the newer Pod, which does not run; that the kubelet starts it again shows that it is the one of the
        manifest. grace: the seconds that its Pod has to end.
        """
        if self.asked_at is not None:
            return signal.SIGKILL if now - self.asked_at >= grace else None
        is_forgotten = now - self.since >= grace + _MARGIN and run.attempt > self.attempt
        return signal.SIGTERM if is_forgotten else None


def rivalry_of(
    before: Rivalry | None, run: PodRun, runs: Sequence[PodRun], *, replaced_at: float, now: float
) -> Rivalry | None:
    """Return the rivalry of the newest Pod, run, with the process of an older one; None without any.

    before: the one that was seen last. The newer Pod runs for a moment whenever the kubelet starts it. replaced_at:
    when the present manifest took the place of another one: what has started since then is of the present one, or of
    a second manifest in the folder, and is not left over.
    """
    older = [
        other.process
        for other in runs
        if other.uid != run.uid and other.process is not None and other.process.started < replaced_at
    ]
    if not older:
        return None
    process = min(older, key=lambda process: process.started)
    if before is not None and (before.process, before.uid) == (process, run.uid):
        return before
    return Rivalry(process, run.uid, run.attempt, now)


class LeftOverPods:
    """Remembers rivalries by component, and ends those that the kubelet does not end. send: sends a signal."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._rivalries: dict[str, Rivalry] = {}

    def forget(self, component: str) -> None:
        """Forget what was seen of a component, for example because its manifest is not that of the agent."""
        self._rivalries.pop(component, None)

    def end(
        self,
        component: str,
        run: PodRun,
        runs: Sequence[PodRun],
        *,
        replaced_at: float,
        grace: float,
        now: float,
        ending_reason: Callable[[str], str],
    ) -> str:
        """Send the signal that is due, if any; return why the newest Pod, run, cannot be judged, "" if it can be.

        The manifest must be the one that the agent has written. replaced_at, grace, now: in seconds, since boot but for
        grace. ending_reason: returns why a start has ended, by its name. Raises OSError.
        """
        rivalry = rivalry_of(self._rivalries.get(component), run, runs, replaced_at=replaced_at, now=now)
        if rivalry is None:
            self.forget(component)
            return ""
        self._rivalries[component] = rivalry
        is_ending = rivalry.asked_at is None and now - rivalry.since < grace
        # The kubelet keeps the newest log only.
        if run.process is not None or is_ending or _HAS_NO_PORT not in ending_reason(run.invocation):
            return ""
        reason = (
            f"{component} of an older Pod (pid {rivalry.process.pid}) keeps its port, and the kubelet does not end it"
        )
        number = rivalry.next_signal(run, grace, now)
        if number is not None:
            log.warning("%s: %s", reason, signal.Signals(number).name, extra={"component": component})
            self._rivalries[component] = rivalry._replace(asked_at=now)
            try:
                self._send(rivalry.process, number)
            except OSError as error:
                log.error("%s is not ended: %s", reason, error, extra={"component": component})
        return reason


def signal_sender(is_running: Callable[[PodProcess], bool]) -> Send:
    """Return what sends a signal to a process, and to no later one of the same number.

    is_running: whether it is there. The sender raises OSError.
    """

    def send(process: PodProcess, number: int) -> None:
        try:
            descriptor = os.pidfd_open(process.pid)
        except ProcessLookupError:
            return
        except (AttributeError, OSError):  # kernels before 5.3, and sandboxes that do not know the call
            if is_running(process):
                os.kill(process.pid, number)
            return
        try:
            if is_running(process):
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)

    return send
