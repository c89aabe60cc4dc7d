# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of nodes and other small things that tests of a rollout's decisions are made of."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import (
    AgentAnswer,
    AssignedConfig,
    NodeSystem,
    NodeView,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target

__all__ = ["UID", "a_source", "a_target", "a_view"]

UID = "00000000-0000-4000-8000-00000000000{}"


def a_source(number: int = 1) -> ConfigSource:
    """Return the config source of the bundle with this number."""
    return ConfigSource("configok-system", f"workers-{number:010d}", UID.format(number))


def a_target(number: int = 1, *, trial: Trial | None = None, published: bool = True) -> Target:
    """Return the bundle with this number as a target."""
    source = a_source(number)
    uid = source.uid if published else ""
    return Target(source.name, source.namespace, uid, f"{number:064d}", ("kubelet",), trial or Trial(600.0, 3))


def a_view(name: str, **changes: Any) -> NodeView:
    """Return a node that is Ready, and healthy on the config that it is assigned.

    agent=False: without an agent. changes: zone, labels and the other attributes of the view and of its parts.
    """
    source = changes.pop("source", None)
    assigned_id = changes.pop("assigned_id", 0 if source is None else 1)
    answered_id = changes.pop("answered_id", assigned_id)
    active = changes.pop("active", source)
    agent = changes.pop("agent", True)
    cause = changes.pop("cause", "Good")
    labels = dict(changes.pop("labels", {}))
    if "zone" in changes:
        labels["topology.kubernetes.io/zone"] = changes.pop("zone")
    version = changes.pop("agent_version", "0.1.0")
    state = changes.pop("component", "healthy")
    in_trial = changes.pop("in_trial", False)
    shadowed = changes.pop("shadowed", ())
    confirmed = changes.pop("confirmed", 0)
    system = {key: changes.pop(key) for key in NodeSystem._fields if key in changes}
    answer = {key: changes.pop(key) for key in AgentAnswer._fields if key in changes}
    source_error, confirm_after = changes.pop("source_error", ""), changes.pop("confirm_after", None)
    status = ConfigStatus(
        assignment=answered_id,
        assigned=source,
        active=active,
        cause=cause,
        in_trial=in_trial,
        components={"kubelet": ComponentStatus(state=state, shadowed=shadowed)},
        agent_version=version,
        confirmed=confirmed,
    )
    fields: dict[str, Any] = {
        "uid": f"uid-of-{name}",
        "system": NodeSystem(**{"kubelet_version": "v1.35.0", "os_image": "Debian", **system}),
        "ready": True,
        "labels": labels,
        "assigned": AssignedConfig(source, source_error, assigned_id, confirm_after),
        "answer": AgentAnswer(**{"config_ok": "True" if agent else "", "status": status if agent else None, **answer}),
    }
    return NodeView(name, **{**fields, **changes})
