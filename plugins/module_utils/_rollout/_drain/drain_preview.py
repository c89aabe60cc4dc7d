# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say before a rollout which nodes would refuse a drain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import PODS
from ..._text import count_of, first_names
from ._pods import reduce_pod, select_pods
from ._settings import DrainSettings

_NAMES_SHOWN = 4


def preview_drains(client: Client, nodes: Collection[str], settings: DrainSettings) -> list[str]:
    """Return a warning for the nodes that would refuse a drain now. Costs one paged list of the pods of all nodes.

    A list that fails is a warning, too: the rollout itself asks again for each node.
    """
    if not nodes:
        return []
    try:
        pods = client.list(PODS, transform=lambda pod: _reduce(pod, nodes)).items
    except KubeError as error:
        return [f"whether {count_of(len(nodes), 'node')} can be drained is not known: {error}"]
    return drain_warnings(pods, settings)


def drain_warnings(pods: Iterable[Mapping[str, Any]], settings: DrainSettings) -> list[str]:
    """Return a sentence for each reason for which nodes would refuse a drain. Pure.

    pods: as reduced by this file. Budgets are not considered: a drain waits for them.
    """
    by_node: dict[str, list[Mapping[str, Any]]] = {}
    for pod in pods:
        if pod:
            by_node.setdefault(pod["node"], []).append(pod["pod"])
    refusing: dict[str, str] = {}
    for node, own in sorted(by_node.items()):
        refusals = select_pods(own, settings).refusals
        if refusals:
            refusing[node] = "; ".join(refusals)
    if not refusing:
        return []
    first, reason = next(iter(refusing.items()))
    return [
        f"{count_of(len(refusing), 'node')} ({first_names(list(refusing), _NAMES_SHOWN)}) would refuse the drain, "
        f"which pauses the rollout, for example {first}: {reason}"
    ]


def _reduce(pod: Mapping[str, Any], nodes: Collection[str]) -> dict[str, Any]:
    node = str((pod.get("spec") or {}).get("nodeName") or "")
    return {"node": node, "pod": reduce_pod(pod)} if node in nodes else {}
