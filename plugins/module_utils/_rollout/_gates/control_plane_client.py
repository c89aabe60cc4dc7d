# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the API server for the Pods of the control plane and for leaders, for their gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError, NotFound
from ..._kube.api_paths import NODES, lease, pods
from ..._text import sanitize
from .answers import ServerAnswer
from .control_plane_gate import NAMESPACE, ROLES, SELECTOR, ControlPlaneGate
from .leadership_gate import Leader, Leadership, LeadershipGate, leader_of, not_judged

_MAX_TEXT = 200
_NO_ELECTION = "--leader-elect=false"


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


class LeadershipQuestion:
    """Asks for the leader again and again: one answer alone does not show that it is alive.

    monotonic: seconds, also while the API server is away. say: shows a line, once for each leader that is not judged.
    """

    def __init__(
        self, client: Client, gate: LeadershipGate, monotonic: Callable[[], float], say: Callable[[str], object]
    ) -> None:
        self._client = client
        self._gate = gate
        self._monotonic = monotonic
        self._say = say
        self._said = ""
        self._seen = Leadership()

    def ask(self) -> ServerAnswer:
        """Return what the Lease says now. An error is an answer, too: the gate does not know."""
        try:
            leader = read_leader(self._client, self._gate.component)
            now = self._monotonic()
            self._seen = self._seen.with_leader(leader, now)
            if not self._seen.is_renewed(now) and self._is_without_election():
                return ServerAnswer(self._gate.yes())
        except KubeError as error:
            return self._gate.unknown(sanitize(error, _MAX_TEXT))
        self._say_what_is_not_judged(now)
        return self._gate.evaluate(self._seen, now)

    def _say_what_is_not_judged(self, now: float) -> None:
        leader = self._seen.leader
        if leader is None or not self._seen.is_renewed(now) or self._gate.has_moved(leader.host) is not None:
            return
        sentence = not_judged(self._gate.component, leader)
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)

    def _is_without_election(self) -> bool:
        """Return whether each instance acts on its own: it is started so."""
        selector = f"tier=control-plane,component={self._gate.component}"
        command_lines = self._client.list(pods(NAMESPACE), label_selector=selector, transform=_command_line).items
        return bool(command_lines) and all(_NO_ELECTION in words["words"] for words in command_lines)


def read_leader(client: Client, component: str) -> Leader | None:
    """Return the leader of a component by its Lease, None without one. Raises KubeError."""
    try:
        return leader_of(client.get(lease(NAMESPACE, component)))
    except NotFound:
        return None


def _command_line(pod: Mapping[str, Any]) -> dict[str, Any]:
    containers = (pod.get("spec") or {}).get("containers") or ()
    return {"words": [word for part in containers for key in ("command", "args") for word in part.get(key) or ()]}
