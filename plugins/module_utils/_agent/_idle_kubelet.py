# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts a kubelet that starts no Pod of a manifest that the agent has put in place.

A kubelet from 1.22.5 on that was started while no API server answers ends no Pod before it has read the Pods of its
node from one, and starts no other Pod of the same name meanwhile. If the Pod is the only API server, last-known-good
would never run: kubernetes/kubernetes#105543. A kubelet that is started again knows the present manifest alone. Some
releases of 1.22 and 1.23 forget a Pod in other cases until they are restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ._interfaces import ServiceManagerError
from ._log import log
from ._pod_files import PodRun

_MARGIN = 30.0  # seconds beyond the grace period of the Pod before, in which a kubelet starts the next one


class IdleKubelet:
    """Remembers for which manifests the kubelet was restarted: once for each."""

    def __init__(self, restart: Callable[[], object]) -> None:
        """restart: restarts the kubelet if it runs. Raises ServiceManagerError."""
        self._restart = restart
        self._restarted: dict[str, float] = {}  # by component: when the manifest was replaced

    def check(
        self,
        component: str,
        runs: Sequence[PodRun],
        *,
        replaced_at: float,
        grace: float,
        now: float,
        epoch_of_boot: float,
    ) -> None:
        """Restart the kubelet if no Pod of a component was started since its manifest was replaced.

        runs: the Pods of the component. replaced_at: when the agent, or the timer, has put the manifest in place, 0 if
        not since this boot. grace: the seconds that the Pod before has to end. replaced_at, now: in seconds since boot,
        which was at epoch_of_boot.
        """
        is_due = replaced_at > 0 and now - replaced_at >= grace + _MARGIN
        if not is_due or self._restarted.get(component) == replaced_at:
            return
        if any(_started(run, epoch_of_boot) >= replaced_at for run in runs):
            return
        self._restarted[component] = replaced_at
        log.warning(
            "the kubelet is restarted: it has started no Pod of %s for %d s",
            component,
            now - replaced_at,
            extra={"component": component},
        )
        try:
            self._restart()
        except ServiceManagerError as error:
            log.error("the kubelet was not restarted: %s", error, extra={"component": component})


def _started(run: PodRun, epoch_of_boot: float) -> float:
    """Return when a Pod has started its container last, in seconds since boot."""
    return run.logged_since - epoch_of_boot if run.process is None else run.process.started
