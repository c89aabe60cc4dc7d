# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that fail as processes, networks and API servers do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from support.rollouts.virtual_clock import SimulationEnded
from support.rollouts.world import World

__all__ = ["WRITES", "Away", "Dying", "Killed", "Losing"]

WRITES = ("create", "replace", "patch", "delete")


class Killed(SimulationEnded):
    """kill -9, as near as a test gets. It ends the other threads of the process, too, at their next request."""


class Dying:
    """A client whose process is killed at its nth write: before the request is sent, or after it was answered."""

    def __init__(self, client: Any, at: int, *, after: bool) -> None:
        self._client, self._left, self._after, self.dead = client, at, after, False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name in ("interruptible", "stream"):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.dead:
                raise Killed
            if name in WRITES:
                self._left -= 1
                if self._left == 0:
                    self.dead = True
                    if self._after:
                        method(*args, **kwargs)
                    raise Killed
            return method(*args, **kwargs)

        return call


class Losing:
    """A client that loses the answer to its nth write, which took effect.

    resend: whether the client's own retry sends the write again, as it does when the server is there at once.
    """

    def __init__(self, client: Any, at: int, *, resend: bool) -> None:
        self._client, self._left, self._resend, self.lost = client, at, resend, ""

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name not in WRITES:
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left != 0:
                return method(*args, **kwargs)
            self.lost = f"{name} {args[0]}"
            method(*args, **kwargs)
            if self._resend and name != "create":
                return method(*args, **kwargs)
            raise Unreachable("no answer", where=self.lost)

        return call


class Away:
    """A client whose server does not answer for `seconds`, from the first request on for which `begins` is true."""

    def __init__(self, world: World, seconds: float, begins: Callable[[str, str], bool]) -> None:
        self._world, self._seconds, self._begins = world, seconds, begins
        self.until: float | None = None
        self.refused: list[str] = []
        self.patched_while_away = 0

    @property
    def away(self) -> bool:
        return self.until is not None and self._world.clock.monotonic() < self.until

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._world.client, name)
        if name == "interruptible":
            return method

        def call(path: str, *args: Any, **kwargs: Any) -> Any:
            if self.until is None and self._begins(name, path):
                self.until = self._world.clock.monotonic() + self._seconds
            if self.away:
                self.refused.append(f"{name} {path}")
                raise Unreachable("connection refused", where=f"{name} {path}", sent=False)
            return method(path, *args, **kwargs)

        return call
