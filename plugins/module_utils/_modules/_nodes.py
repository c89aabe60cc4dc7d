# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Nodes a module is about: by name or by label selector.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._kube._client import Client
from .._rollout._errors import RolloutError
from .._rollout._node_view import NodeView
from .._rollout._observe import observe

__all__ = ["NODES_ARGUMENT_SPEC", "observe_all"]

# Documented in the doc fragment configok.node.nodes, plugins/doc_fragments/nodes.py; the two must be equal.
NODES_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "nodes": {"type": "list", "elements": "str"},
    "label_selector": {"type": "str"},
}


def observe_all(client: Client, names: Sequence[str] | None, label_selector: str | None) -> list[NodeView]:
    """Return the Nodes of these names, or of this selector; neither means all. Sorted by name.

    Raises RolloutError for names that no Node has, and KubeError.
    """
    views = observe(client, selector=label_selector or "", names=names)
    missing = sorted(set(names or ()) - {view.name for view in views})
    if missing:
        raise RolloutError(f"there is no Node {missing[0]}" + (f", nor {len(missing) - 1} more" if missing[1:] else ""))
    return views
