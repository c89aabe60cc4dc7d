# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait until nodes report a status of ConfigOK, but not for one that will not come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..._nodeconfig.config_status import ConfigOkStatus
from .. import RolloutError
from ..timing import Clock
from .node_view import NodeView

_LASTING = 30.0  # seconds; a False that an agent has not changed in this time stays
_POLL_INTERVAL = 2.0  # seconds


def await_reports(
    read: Callable[[], Sequence[NodeView]], expected: ConfigOkStatus, timeout: float, clock: Clock
) -> Sequence[NodeView]:
    """Return the nodes as soon as each of them reports the expected status.

    timeout: seconds. Raises RolloutError with the report of a node when the time is over, or if it is False for good.
    """
    deadline = clock.monotonic() + timeout
    since: dict[str, tuple[str, float]] = {}  # by the names of nodes: what each reports, and since when
    while True:
        views, now = read(), clock.monotonic()
        late = [view for view in views if view.answer.config_ok != expected]
        for view in late:
            if view.name not in since or since[view.name][0] != view.report:
                since[view.name] = (view.report, now)
            elif view.answer.config_ok == "False" and now - since[view.name][1] >= _LASTING:
                raise RolloutError(f"{view.name}: {view.report}")
        if not late:
            return views
        if now >= deadline:
            raise RolloutError(f"{late[0].name}: {late[0].report} (after {timeout:g}s)")
        clock.sleep(min(_POLL_INTERVAL, deadline - now))
