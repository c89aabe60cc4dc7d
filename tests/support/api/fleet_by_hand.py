# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pool whose agents and rollouts are a test: it writes what they would write."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import (
    config_map,
    config_maps,
    node,
    node_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    Record,
    Rollout,
    RolloutStart,
    TimelineEntry,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import encode_record
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.api.clusters import prepare
from support.api.populations import add_node

__all__ = ["FleetByHand"]

NOW = "2026-01-01T00:00:00Z"


class FleetByHand:
    """A pool, whose Nodes and record a test writes by hand, on any API server."""

    def __init__(self, client: Client, pool: str) -> None:
        self.client = client
        self.pool = pool
        prepare(client)
        self.source = ConfigSource("configok-system", f"{pool}-0123456789", "00000000-0000-4000-8000-000000000001")

    def add(self, name: str, *, assigned: bool = True) -> str:
        """Add a Node of the pool, Ready and with an agent; return its name."""
        name = f"{self.pool}-{name}"
        add_node(self.client, name, labels={"pool": self.pool}, source=self.source if assigned else None)
        return name

    def report(self, name: str, status: str, reason: str = "it crashed") -> None:
        condition = {"type": "ConfigOK", "status": status, "reason": reason, "message": "m", "lastTransitionTime": NOW}
        self.client.patch(node_status(name), {"status": {"conditions": [condition]}}, kind="strategic")

    def write_record(self, phase: str, revision: int = 1, passed: Sequence[str] = ()) -> None:
        """Write the record of a pool whose rollout is in this phase, and in which these nodes have passed."""
        target = Target(self.source.name, self.source.namespace, self.source.uid, "0" * 64, ("kubelet",))
        rollout = Rollout(
            revision,
            target,
            phase,
            (Wave("canary", tuple(passed), 0.0),),
            len(passed),
            NOW,
            NOW,
            RolloutStart(selector=f"pool={self.pool}"),
            waves_done=1,
            timeline=(TimelineEntry(NOW, phase),),
        )
        item = encode_record(Record(self.pool, rollout=rollout))
        path = config_map(NAMESPACE_ROLLOUTS, self.pool)
        if self.client.find(path) is None:
            self.client.create(config_maps(NAMESPACE_ROLLOUTS), item)
        else:
            self.client.replace(path, item)

    def assign_another(self, name: str) -> None:
        """Assign a Node another bundle, as another client does."""
        other = self.source._replace(name=f"{self.pool}-9999999999")
        self.client.patch(node(name), assignment_patch(other, Assignment(2)), kind="merge")

    def assign(self, name: str) -> None:
        """Assign a Node what the pool is on."""
        self.client.patch(node(name), assignment_patch(self.source, Assignment(1)), kind="merge")
