# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle changes on groups of nodes, as lines for people and as data of a result.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .._componentconfig._disruption import classes, heaviest
from ._documents import Changes

__all__ = ["ChangedNodes", "change_lines", "field_changes", "some_nodes"]

_GROUPS_SHOWN = 5
_NAMES_SHOWN = 4


class ChangedNodes(NamedTuple):
    """Nodes on which a bundle changes the same. changes: None where it is not known what they have now."""

    nodes: tuple[str, ...]
    changes: Changes | None

    def __str__(self) -> str:
        return some_nodes(self.nodes)


def change_lines(name: str, groups: Sequence[ChangedNodes]) -> list[str]:
    """Return changes as lines for people.

    name: of what brings them, for example "workers-0a1b2c3d4e is revision 2". groups: none where nothing changes.
    """
    if not groups:
        return [f"{name}: it changes no field of what the pool uses."]
    lines = []
    for number, group in enumerate(groups[:_GROUPS_SHOWN]):
        start = f"{name}. " if number == 0 else ""
        where = f" on {group}" if group.nodes and (groups[1:] or group.changes is None) else ""
        if group.changes is None:
            reason = "what they use now is not published (configok.node.provision publishes init configs)"
            lines.append(f"{start}What it changes{where} is not known: {reason}.")
        else:
            lines += [f"{start}What it changes{where}:", *_table(group.changes)]
    if groups[_GROUPS_SHOWN:]:
        lines.append(f"On {len(groups) - _GROUPS_SHOWN} more groups of nodes it changes something else.")
    return lines


def _table(found: Changes) -> list[str]:
    fields = [f"{component} {one.change.path}" for component, one in found]
    values = [" -> ".join(value or "<unset>" for value in one.shown) for _component, one in found]
    widths = [min(max(map(len, texts)), most) for texts, most in ((fields, 72), (values, 40))]
    lines = [
        f"  {field:{widths[0]}}  {value:{widths[1]}}  [{one.disruption}]"
        for field, value, (_component, one) in zip(fields, values, found)
    ]
    worst = heaviest(one.disruption.name for _component, one in found) or ""
    return [*lines, f"  all in all: {worst}: {classes()[worst]}"]


def field_changes(groups: Iterable[ChangedNodes]) -> list[dict[str, Any]]:
    """Return the changes as plain data, for a module's result; what is not known is left out."""
    return [
        {"component": component, **one.as_dict(), "nodes": list(group.nodes)}
        for group in groups
        for component, one in group.changes or ()
    ]


def some_nodes(names: Sequence[str]) -> str:
    """Return "3 nodes (a, b, c)"."""
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if names[_NAMES_SHOWN:] else ""
    return f"{len(names)} node{'' if len(names) == 1 else 's'} ({shown}{more})"
