# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of the file that a component reads something else wins over. Private to configok.node.

Flags and ``--config-dir`` drop-ins win over the kubelet's file, the flags over the drop-ins. From notes alone, so
that the daemon and ``status`` need neither YAML nor the engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._componentconfig._flags._kubelet_flags import shadowed_by_flags
from .._storage._store import Store
from ._command_line import command_line, drop_in_fields

__all__ = ["overridden", "shadowed"]

_SAID = 20  # fields; the rest is counted


def overridden(store: Store, component: str, fields: Sequence[str]) -> set[str]:
    """Return which of these fields a flag or a drop-in sets, whatever the file says. Raises OSError."""
    by_flag = {one.partition(" ")[0] for one in shadowed_by_flags(command_line(store, component), fields)}
    by_drop_in = {field for theirs in drop_in_fields(store, component).values() for field in theirs}
    # An empty map is one field, and a drop-in adds keys to it.
    return by_flag | {
        field for field in fields if any(one == field or one.startswith(f"{field}.") for one in by_drop_in)
    }


def shadowed(store: Store, component: str, config: str) -> tuple[str, ...]:
    """Return the shadowed fields of the file with this hash, each with what shadows it. Raises OSError."""
    if component != "kubelet" or not config:
        return ()  # kube-proxy and the others take no flags beside --config
    fields = [str(field) for field in store.read_note(component, config).get("fields") or ()]
    found = shadowed_by_flags(command_line(store, component), fields)
    by_flag = {one.partition(" ")[0] for one in found}
    for path, theirs in drop_in_fields(store, component).items():
        for field in theirs:
            if field in fields and field not in by_flag and not any(field.startswith(f"{one}.") for one in by_flag):
                found.append(f"{field} ({path})")
    more = len(found) - _SAID
    return (*found[:_SAID], f"and {more} more") if more > 0 else tuple(found)
