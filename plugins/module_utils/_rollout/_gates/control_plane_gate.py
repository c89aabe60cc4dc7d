# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate of a control-plane pool: all API servers and etcd members of the cluster are Ready. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._text import first_names, sanitize
from ._asked_gate import AskedGate
from .answers import ServerAnswer

NAMESPACE = "kube-system"
SELECTOR = "tier=control-plane,component in (kube-apiserver,etcd)"
"""The Pods that the gate looks at: mirrors of the static Pods, by the labels that kubeadm gives them."""

ROLES = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
"""The labels that kubeadm gives nodes with an API server; the latter before 1.24."""

_API_SERVER = "kube-apiserver"
_NAMES_SHOWN = 3
_MAX_TEXT = 200


@dataclass(frozen=True)
class ControlPlaneGate(AskedGate):
    """All mirror Pods of API servers and etcd members are Ready, and each node of the control plane has an API server.

    What is not Ready may be restarting, so the gate never says no: it does not know, and its timeout ends that.
    apart_from: nodes whose Pods may be in any state, because they are what the rollout repairs.
    """

    apart_from: frozenset[str] = frozenset()

    def evaluate(self, mirror_pods: Sequence[Mapping[str, Any]], nodes: Collection[str]) -> ServerAnswer:
        """Return what these Pods say, on the nodes that have the label of a control plane."""
        servers = {_node(pod): pod for pod in mirror_pods if _labels(pod).get("component") == _API_SERVER}
        if not servers:
            return self.unknown(f"no Pod in {NAMESPACE} has the labels tier=control-plane, component={_API_SERVER}")
        missing = sorted({*nodes} - {*servers} - self.apart_from)
        if missing:
            return self.unknown(f"no Pod of {_API_SERVER} on {first_names(missing, _NAMES_SHOWN)}")
        not_ready = sorted(
            _name(pod) for pod in mirror_pods if not _is_ready(pod) and _node(pod) not in self.apart_from
        )
        if not_ready:
            return self.unknown(f"not Ready: {first_names(not_ready, _NAMES_SHOWN)}")
        return ServerAnswer(self.yes())


def _is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    ready = {condition.get("type"): condition.get("status") for condition in conditions}.get("Ready")
    return ready == "True" and not (pod.get("metadata") or {}).get("deletionTimestamp")


def _labels(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    return (pod.get("metadata") or {}).get("labels") or {}


def _name(pod: Mapping[str, Any]) -> str:
    return sanitize((pod.get("metadata") or {}).get("name") or "a Pod", _MAX_TEXT)


def _node(pod: Mapping[str, Any]) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")
