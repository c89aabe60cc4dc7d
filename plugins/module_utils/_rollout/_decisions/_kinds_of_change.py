# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Group machines by what a rollout does with them, since one kind of change proves nothing about another. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._nodes.node_view import NodeView
from ..goals import MachineGoal
from ..plan import Target

_REPLACE: Final = "replace the host"
_UPDATE: Final = "change the host"
_CREATE: Final = "create the machine"
_CONFIG: Final = "change the config, labels or taints"
_DELETE: Final = "delete the machine"
_HEAVIEST_FIRST: Final = (_REPLACE, _UPDATE, _CREATE, _CONFIG, _DELETE)


def kinds_of_change(views: Iterable[NodeView], target: Target) -> dict[str, list[NodeView]]:
    """Return the machines by the kind of their change, the heaviest kind first; {} for a rollout of a config."""
    kinds: dict[str, list[NodeView]] = {kind: [] for kind in _HEAVIEST_FIRST}
    for view in views:
        goal = target.goals.get(view.name)
        if goal is not None:
            kinds[_kind(goal)].append(view)
    return {kind: members for kind, members in kinds.items() if members}


def _kind(goal: MachineGoal) -> str:
    if goal.action == "update":
        return _UPDATE if goal.needs_host else _CONFIG
    return {"replace": _REPLACE, "create": _CREATE, "delete": _DELETE}[goal.action]
