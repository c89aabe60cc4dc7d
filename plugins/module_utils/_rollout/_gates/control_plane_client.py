# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the API server for the Pods of the control plane, for their gate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import NODES, pods
from ..._text import sanitize
from .answers import ServerAnswer
from .control_plane_gate import NAMESPACE, ROLES, SELECTOR, ControlPlaneGate

_MAX_TEXT = 200


def evaluate_control_plane(client: Client, gate: ControlPlaneGate) -> ServerAnswer:
    """Evaluate a gate by the Pods of the cluster, once. An error is an answer, too: the gate does not know."""
    try:
        mirror_pods = client.list(pods(NAMESPACE), label_selector=SELECTOR, transform=_part).items
        nodes = {
            str(item["metadata"]["name"])
            for role in ROLES
            for item in client.list(NODES, label_selector=role, metadata_only=True).items
        }
    except KubeError as error:
        return gate.unknown(sanitize(error, _MAX_TEXT))
    return gate.evaluate(mirror_pods, nodes)


def _part(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a Pod that the gate reads."""
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    return {
        "metadata": {key: metadata.get(key) for key in ("name", "labels", "deletionTimestamp")},
        "spec": {"nodeName": (pod.get("spec") or {}).get("nodeName")},
        "status": {"conditions": status.get("conditions")},
    }
