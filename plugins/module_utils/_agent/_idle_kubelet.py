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
_LATE = 600.0  # seconds after which a missing Pod has another reason, such as an upgrade that pulls an image


class IdleKubelet:
    """Remembers on which manifests the kubelet has acted, and for which it was restarted: once for each."""

    def __init__(self, restart: Callable[[], object]) -> None:
        """restart: restarts the kubelet if it runs. Raises ServiceManagerError."""
        self._restart = restart
        self._decided: dict[str, float] = {}  # by component: when the manifest was replaced

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
        if replaced_at == 0 or self._decided.get(component) == replaced_at:
            return
        age, has_acted = now - replaced_at, any(run.started(epoch_of_boot) >= replaced_at for run in runs)
        if not has_acted and age < grace + _MARGIN:
            return
        self._decided[component] = replaced_at
        if has_acted or age > _LATE:
            return
        log.warning(
            "the kubelet is restarted: it has started no Pod of %s for %d s",
            component,
            age,
            extra={"component": component},
        )
        try:
            self._restart()
        except ServiceManagerError as error:
            log.error("the kubelet was not restarted: %s", error, extra={"component": component})
