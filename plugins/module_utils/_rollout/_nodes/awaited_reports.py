# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait until nodes report a status of ConfigOK, but not for one that will not come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..._nodeconfig.config_status import ConfigOkStatus
from .. import RolloutError
from ..timing import Clock
from .node_view import NodeView

_LASTING = 30.0  # seconds; a False that an agent has not changed in this time stays
_POLL_INTERVAL = 2.0  # seconds


class AwaitedReports:
    """What nodes report, and since when. expected: the status of ConfigOK that each of them is to have."""

    def __init__(self, expected: ConfigOkStatus) -> None:
        self._expected = expected
        self._since: dict[str, tuple[str, float]] = {}

    def update(self, views: Iterable[NodeView], now: float) -> tuple[list[NodeView], list[NodeView]]:
        """Return the nodes that do not report the expected status, and those of them that report False for good."""
        late = [view for view in views if view.answer.config_ok != self._expected]
        for view in late:
            present = self._since.get(view.name)
            if present is None or present[0] != view.report:
                self._since[view.name] = (view.report, now)
        lasting = [view for view in late if now - self._since[view.name][1] >= _LASTING]
        return late, [view for view in lasting if view.answer.config_ok == "False"]


def await_reports(
    read: Callable[[], Sequence[NodeView]], expected: ConfigOkStatus, timeout: float, clock: Clock
) -> Sequence[NodeView]:
    """Return the nodes as soon as each of them reports the expected status.

    timeout: seconds. Raises RolloutError with the report of a node when the time is over, or if it is False for good.
    """
    reports, deadline = AwaitedReports(expected), clock.monotonic() + timeout
    while True:
        views, now = read(), clock.monotonic()
        late, lasting = reports.update(views, now)
        if not late:
            return views
        if lasting:
            raise RolloutError(f"{lasting[0].name}: {lasting[0].report}")
        if now >= deadline:
            raise RolloutError(f"{late[0].name}: {late[0].report} (after {timeout:g}s)")
        clock.sleep(min(_POLL_INTERVAL, deadline - now))
