# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A service manager whose calls run in the background. Private to configok.node.

systemctl answers in milliseconds, but waits for a D-Bus that hangs; the daemon's loop must not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from .._basis._errand import PATIENCE
from .._basis._ports import Errand, ServiceError, ServiceManager, Unit

__all__ = ["BackgroundServices"]


class BackgroundServices:
    """The ServiceManager protocol on another one: each call waits a moment, and is left running when that is over."""

    def __init__(self, services: ServiceManager, components: Iterable[str], errand: Callable[[], Errand]) -> None:
        """errand: makes one for each component and each kind of call; the end of a late one wakes the daemon."""
        self._services = services
        names = list(components)
        self._units = {name: errand() for name in names}
        self._restarts = {name: errand() for name in names}

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceError, also while there is no answer yet."""
        errand = self._units[component]
        if not errand.under_way:  # else a late answer, which the daemon was woken for
            errand.start(partial(self._services.unit, component))
        unit: Unit = _answer(errand, component)
        return unit

    def restart(self, component: str) -> None:
        """Ask for a restart. Raises ServiceError, also while it is not known whether the restart was taken up."""
        errand = self._restarts[component]
        if errand.under_way and errand.wait(0.0):
            errand.drop()  # what became of an earlier restart is not the answer to this one
        if not errand.under_way:
            errand.start(partial(self._services.restart, component))
        _answer(errand, component)


def _answer(errand: Errand, component: str) -> Any:
    if not errand.wait(PATIENCE):
        raise ServiceError(f"the service manager has not answered about {component} yet")
    return errand.take()
