# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``forget-bad``: what a repair tool calls when a crash loop had another cause. Private to configok.node."""

from __future__ import annotations

from typing import Any

from ._basis._configuration import AgentConfiguration
from ._storage._lock import locked
from ._storage._store import Store
from ._system._clock import SystemClock
from ._system._nudge import nudge
from ._transaction import Transactions

__all__ = ["forget_bad"]

_WAIT = 5.0


def forget_bad(configuration: AgentConfiguration, uid: str | None) -> list[str]:
    """Forget one bad UID, or all of them (None); return those that were forgotten, sorted.

    The daemon is told: what is still assigned is then tried again. Raises Locked, OSError.
    """
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    with locked(store.lock, wait=_WAIT):
        forgotten = Transactions(configuration, store, clock, _silent).forget(uid)
    nudge(configuration.run_directory)
    return forgotten


def _silent(level: str, message: str, **fields: Any) -> None:
    """Forgetting is told by its caller."""
