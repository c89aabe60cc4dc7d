# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people request of the rollout while a run moves it."""

from __future__ import annotations

from collections.abc import Callable

from ..._kube.api_client import Client
from .._outage import Interruption, Outage
from .._record._control import Control
from .._record._control_watcher import ControlWatcher
from ..timing import Clock


class FollowedControl:
    """Follows what people request of a pool's rollout, and shows which requests are not obeyed.

    client: for the watch of the record. say: shows a line to the user.
    """

    def __init__(
        self, client: Client, pool: str, clock: Clock, *, outage: Outage, say: Callable[[str], object]
    ) -> None:
        self._client = client
        self._pool = pool
        self._clock = clock
        self._say = say
        self._interruption = Interruption(outage, clock)
        self._watcher: ControlWatcher | None = None
        self._checked: Control | None = None
        self._shown_late = ""
        self._problems: list[str] = []

    def follow(self, control: Control, wake: Callable[[], object]) -> None:
        """Follow the requests until end().

        control: as the record has it since this rollout has started: requests of an earlier one are gone. wake: is
        called when the requests change.
        """
        if self._watcher is None:
            watcher = ControlWatcher(self._client, self._pool, self._clock, wake, control=control)
            self._watcher = watcher.__enter__()

    def end(self) -> None:
        """Stop following the requests."""
        if self._watcher is not None:
            self._watcher.__exit__()
            self._watcher = None

    @property
    def present(self) -> Control:
        """Return what people request of the rollout now."""
        return Control() if self._watcher is None else self._watcher.control

    def say_problems(self) -> None:
        """Show a line for each request that is not obeyed, or is seen late, unless it was shown before."""
        control, error = self.present, None if self._watcher is None else self._watcher.error
        late = f"requests such as pause may be seen late: {error}"
        if self._interruption.is_due(error) and late != self._shown_late:
            self._shown_late = late
            self._say(late)
        if control is self._checked:  # by identity: this is called for every event of a Node
            return
        self._checked = control
        problems = control.problems(self._pool)
        for problem in problems:
            if problem not in self._problems:
                self._say(problem)
        self._problems = problems
