# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notice nodes that had passed and have failed since, or are assigned another config.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from ..._nodeconfig._untrusted import sanitize
from .._decisions._gate import GateResult, Verdict
from .._decisions._window import FAILED, Window
from .._goals import Goal
from .._nodes._node_goals import describe_drift
from .._nodes._node_view import NodeView
from .._record._record import DRIFTED, FailedNode
from ._wave_job import WaveJob
from ._wave_progress import WaveProgress


class PassedNodes:
    """The nodes that have passed, in this wave and in earlier ones."""

    def __init__(self, job: WaveJob, window: Window, progress: WaveProgress) -> None:
        self._job = job
        self._window = window
        self._progress = progress
        self._late_failures: dict[str, FailedNode] = {}
        self._drifted_nodes: dict[str, FailedNode] = {}

    def failed_nodes(self) -> dict[str, FailedNode]:
        """Return the nodes that have drifted, and the late failures of earlier waves."""
        return {**self._drifted_nodes, **self._late_failures}

    def check(self, view: NodeView, passed_goal: Goal | None) -> GateResult | None:
        """Return a failure for a node that has passed in this wave, with its goal. Keep those of other nodes.

        passed_goal: None for a node that has not passed in this wave; it may have in an earlier one.
        """
        goal = passed_goal or self._job.expected_goals.get(view.name)
        if goal is None:
            return None
        self._record_drift(view, describe_drift(view, goal))
        wave = self._job.passed_in.get(view.name)
        if passed_goal is None and wave is None:
            return None
        status = view.status
        if view.config_ok != "False" or view.is_in_doubt or status is None or not view.has_answered(goal.source):
            return None
        if view.name in self._late_failures:
            return None
        reason = f"it had passed, then failed: {sanitize(status.error or status.cause, 1024)}"
        if passed_goal is not None:
            return GateResult(Verdict.FAIL, reason)
        if wave is not None:
            self._late_failures[view.name] = FailedNode(view.name, "failed", wave, reason)
            self._window.late_failure(view.name, reason)
            self._progress.changed(view.name, FAILED, reason)
        return None

    def _record_drift(self, view: NodeView, reason: str) -> None:
        if not reason:
            self._drifted_nodes.pop(view.name, None)
        elif view.name not in self._drifted_nodes:
            self._drifted_nodes[view.name] = FailedNode(view.name, DRIFTED, self._job.name, reason)
            self._progress.changed(view.name, DRIFTED, reason)
