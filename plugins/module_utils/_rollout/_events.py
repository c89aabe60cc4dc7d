# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events on the record of a pool, for who audits the cluster. Private to configok.node."""

from __future__ import annotations

import uuid

from .._kube._client import Client
from .._kube._errors import KubeError
from .._kube._paths import config_map, events
from .._nodeconfig._names import NAMESPACE_ROLLOUTS
from .._nodeconfig._text import sanitize
from ._record import COMPLETE, HALTED, PAUSED, Rollout

__all__ = ["tell_began", "tell_ended"]

_REASONS = {COMPLETE: "RolloutComplete", HALTED: "RolloutHalted", PAUSED: "RolloutPaused"}
_MAX_MESSAGE = 1024  # what the API server takes


def tell_began(client: Client, pool: str, rollout: Rollout, runner: str) -> None:
    """Tell that a rollout began."""
    message = f"{_what(rollout)}, nodes: {rollout.size}, waves: {len(rollout.waves)}, moved by {runner}"
    _tell(client, pool, "RolloutStarted", message, rollout.changed)


def tell_ended(client: Client, pool: str, rollout: Rollout) -> None:
    """Tell that a rollout is complete, halted or paused; in another phase there is nothing to tell."""
    if rollout.phase in _REASONS:
        message = f"{_what(rollout)}: {rollout.reason}" if rollout.reason else _what(rollout)
        _tell(client, pool, _REASONS[rollout.phase], message, rollout.changed)


def _what(rollout: Rollout) -> str:
    return "the init config" if rollout.target.is_init else f"revision {rollout.revision} ({rollout.target.name})"


def _tell(client: Client, pool: str, reason: str, message: str, now: str) -> None:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": NAMESPACE_ROLLOUTS, "name": pool}
    try:
        found = client.get(config_map(NAMESPACE_ROLLOUTS, pool), metadata_only=True)
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{pool}.{uuid.uuid4().hex[:16]}", "namespace": NAMESPACE_ROLLOUTS},
            "involvedObject": {**about, "uid": found["metadata"]["uid"]},
            "type": "Normal" if reason in ("RolloutStarted", "RolloutComplete") else "Warning",
            "reason": reason,
            "message": sanitize(message, _MAX_MESSAGE),
            "source": {"component": "configok.node"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        client.create(events(NAMESPACE_ROLLOUTS), body)
    except KubeError:
        return  # The record says it, too: no rollout ends for want of an Event.
