# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check now and then that the bundles of a wave still exist."""

from __future__ import annotations

from ..._kube.api_client import Client
from .._record.revisions import missing_bundle
from ._wave_job import WaveJob

_INTERVAL = 5.0  # seconds


class BundleCheck:
    """Checks the bundles that the nodes of a wave have to fetch. One that was missing once stays missing."""

    def __init__(self, client: Client, job: WaveJob) -> None:
        self._client = client
        self._bundles = job.bundles
        self._of_machines = job.of_machines
        self._checked_at = float("-inf")
        self._problem = ""

    def problem(self, now: float) -> str:
        """Return why a bundle can no longer be assigned, "" while it can. Raises KubeError."""
        if now - self._checked_at >= _INTERVAL and not self._problem:
            self._checked_at = now
            problems = (missing_bundle(self._client, source, of_machines=self._of_machines) for source in self._bundles)
            self._problem = next(filter(None, problems), "")
        return self._problem
