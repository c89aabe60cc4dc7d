# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says beside a failure why the component died: with its own last words. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..._nodeconfig import _config_ok as words
from ..._nodeconfig._config_ok import Verdict
from .._basis._errand import PATIENCE
from .._basis._ports import Clock, Errand
from .._deciding._local import Local
from .._storage._tracking import Start, is_crash

__all__ = ["LastMessages", "Messages", "last_crash"]

Messages = Callable[[str], str]  # invocation -> what the component said last in it, "" where nobody knows
_DIED = ("CrashLoop", "NotHealthy", "Suspect", "Failing")
_WINDOW = 600.0  # seconds; a crash that was longer ago has nothing to do with the failure


def last_crash(local: Local, boot_id: str, *, until: float = float("inf")) -> tuple[str, Start] | None:
    """Return the component that crashed last in a boot, no later than ``until`` (seconds since boot), and its start."""
    crashes = [
        (start.end.since_boot, name, start)
        for name, starts in local.startups.items()
        for start in starts
        if start.boot_id == boot_id and start.end is not None and is_crash(start.end) and start.end.since_boot <= until
    ]
    if not crashes:
        return None
    _when, name, start = max(crashes, key=lambda crash: crash[:2])
    return name, start


class LastMessages:
    """Adds them to verdicts. Once said, they stay for as long as the verdict does: one transition, one write."""

    def __init__(self, messages: Messages, clock: Clock, errand: Errand) -> None:
        """messages: asked in the errand, since it may hang."""
        self._messages = messages
        self._clock = clock
        self._errand = errand
        self._asked: tuple[Verdict, str] | None = None  # for which verdict, and of which component
        self._said: tuple[Verdict, Verdict] | None = None  # the verdict without and with the message

    def explain(self, verdict: Verdict, local: Local) -> Verdict | None:
        """Return the verdict with the message, or as it is where there is none; None while that is not known yet."""
        if self._said is not None and self._said[0] == verdict:
            return self._said[1]
        if self._asked is None or self._asked[0] != verdict:
            self._errand.drop()
            self._asked = None
            crash = self._crash(verdict, local)
            if crash is None:
                return verdict
            self._asked = verdict, crash[0]
            self._errand.start(partial(self._messages, crash[1].invocation))
        if not self._errand.wait(PATIENCE):
            return None
        message, component = self._errand.take(), self._asked[1]
        self._asked = None
        explained = words.with_last_message(verdict, component, message) if message else verdict
        self._said = verdict, explained
        return explained

    def _crash(self, verdict: Verdict, local: Local) -> tuple[str, Start] | None:
        if verdict.cause not in _DIED:
            return None
        boot_id, until = self._clock.boot_id(), self._clock.since_boot()
        outcome = local.snapshot.answered.outcome
        if verdict.cause in ("CrashLoop", "NotHealthy") and outcome is not None:
            if outcome.boot_id != boot_id:
                return None
            until = outcome.since_boot  # what last-known-good did after the roll-back is another matter
        crash = last_crash(local, boot_id, until=until)
        if crash is None or crash[1].end is None or crash[1].end.since_boot < until - _WINDOW:
            return None
        return crash
