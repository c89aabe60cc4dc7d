# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide for how long agents have been silent, by the clock of the API server. Pure: all times are given."""

from __future__ import annotations

_CHECK = 30.0  # seconds between two looks for silent agents
_GRACE = 900.0  # seconds after an interruption in which agents write again: they do it every ten minutes


class AgentSilence:
    """When to look for silent agents, and how long they have been silent.

    due: when to look next, in seconds of the caller's clock.
    """

    def __init__(self, silent_after: float) -> None:
        """Know no time of the API server yet. silent_after: seconds."""
        self.due = 0.0
        self._silent_after = silent_after
        self._server_ahead: float | None = None  # of the caller's clock, in seconds

    def set_server_time(self, seconds: float, now: float) -> None:
        """Note the time of the API server, in seconds since 1970, as it was at `now`."""
        self._server_ahead = seconds - now

    def pause(self) -> None:
        """Note that the Nodes are not watched: no agent is heard."""
        self.due = float("inf")

    def resume(self, now: float) -> None:
        """Note that the Nodes are watched again; agents that were cut off, too, write soon."""
        self.due = now + _GRACE

    def takes_turn(self, now: float) -> bool:
        """Return whether to look now, and set when to look next."""
        if now < self.due:
            return False
        self.due = now + _CHECK
        return self._server_ahead is not None

    def seconds(self, heard: float, now: float) -> float:
        """Return how long an agent has been silent, 0.0 if it is not. heard: when it last wrote, by the API server."""
        silence = now + (self._server_ahead or 0.0) - heard
        return silence if silence > self._silent_after else 0.0
