# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what this agent has done since it was started.

Nothing is kept on disk: Prometheus expects the counters of a restarted process to begin at zero, and a number read
back from a file could not be trusted.
"""

from __future__ import annotations

from typing import Literal

# Seconds from the adoption to health: a kubelet's restart takes 6, healthTimeout ends it after 120.
BUCKETS = (1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 30.0, 60.0, 120.0)

# API requests: follow the Node, fetch a bundle, write the status.
Operation = Literal["watch", "fetch", "status"]
OPERATIONS: tuple[Operation, ...] = ("watch", "fetch", "status")


class Counters:
    """Counters as the metrics show them. The watch counts in its own thread, under its own key."""

    def __init__(self, components: list[str]) -> None:
        """Begin at zero. components: the names of those that this node runs."""
        self.adoptions = 0
        self.refusals = 0
        self.rollbacks = 0
        self.restarts = dict.fromkeys(components, 0)
        self.errors: dict[Operation, int] = dict.fromkeys(OPERATIONS, 0)
        self.adoption_seconds = 0.0
        self.adoption_buckets = [0] * (len(BUCKETS) + 1)  # not cumulative; the last is +Inf

    def observe_adoption(self, seconds: float) -> None:
        """Count an adoption that ended well, and how long it took."""
        self.adoption_seconds += seconds
        self.adoption_buckets[sum(seconds > bound for bound in BUCKETS)] += 1
