# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Nodes a module is about: by name or by label selector.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from .._kube._client import Client
from .._kube._errors import KubeError, NotFound
from .._kube._fanout import fan_out
from .._kube._paths import NODES, node

__all__ = ["NODES_ARGUMENT_SPEC", "find_nodes"]

# Documented in the doc fragment configok.node.nodes, plugins/doc_fragments/nodes.py; the two must be equal.
NODES_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "nodes": {"type": "list", "elements": "str"},
    "label_selector": {"type": "str"},
}

# Beyond so many names one list of all Nodes is less work for the API server than a request for each.
_FEW = 32


def find_nodes(
    client: Client, names: Sequence[str] | None, label_selector: str | None, *, metadata_only: bool, workers: int
) -> list[dict[str, Any]]:
    """Return the Nodes of these names, or of this selector, sorted by name; neither means all Nodes.

    Raises NotFound for the first name that no Node has, and KubeError.
    """
    if names is None or len(names) > _FEW:
        found = client.list(NODES, label_selector=label_selector or None, metadata_only=metadata_only).items
    else:
        found = []
        for _name, result in fan_out(
            lambda name: client.get(node(name), metadata_only=metadata_only), sorted(set(names)), workers=workers
        ):
            if isinstance(result, KubeError):
                raise result
            found.append(result)
    if names is not None:
        by_name = {item["metadata"]["name"]: item for item in found}
        for name in names:
            if name not in by_name:
                raise NotFound(f"there is no Node {name}", status=404, reason="NotFound")
        found = [by_name[name] for name in set(names)]
    return sorted(found, key=lambda item: str(item["metadata"]["name"]))
