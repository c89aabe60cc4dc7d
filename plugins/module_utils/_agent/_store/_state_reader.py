# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this node's own files say, read at one moment and judged by the pure decision. Private to configok.node.

The same for prestart, poststop, status and the daemon.
"""

from __future__ import annotations

from collections.abc import Sequence

from .._agent_configuration import AgentConfiguration
from .._interfaces import Clock
from .._state._active_config import ActiveConfig, select_active
from .._state._node_state import NodeState, Records
from .._state._records import LOCAL_CONFIG, ConfigRecord
from .._state._startups import BadConfig, Start, crashes_since_adoption, starts_of_newest_config
from ._rendered_files import read_or_restore
from ._store import Store

__all__ = ["read_node_state"]


def read_node_state(configuration: AgentConfiguration, store: Store, clock: Clock) -> NodeState:
    """Read everything; damaged files are set aside. Hold the store's lock. Raises OSError."""
    snapshot = store.snapshot()
    versions = {
        name: store.component_version(name, component.version) for name, component in configuration.components.items()
    }
    startups = {name: store.read_startups(name, version) for name, version in versions.items()}
    bad: dict[str, BadConfig] = {}
    for name, version in versions.items():
        bad.update(store.read_bad_configs(name, version))
    boot_id = clock.boot_id()
    crashes = {name: _crashes(snapshot, startups[name], boot_id) for name in versions}
    if not configuration.dynamic_config:
        choice = ActiveConfig(LOCAL_CONFIG, "current")
    else:
        counted = [name for name in versions if snapshot.current is not None and snapshot.current.involves(name)]
        choice = select_active(
            snapshot.current,
            snapshot.last_known_good,
            fresh=snapshot.fresh,
            bad=bad,
            crashes={name: count for name, count in crashes.items() if name in counted},
            usable={
                "current": _usable(configuration, store, snapshot.current),
                "last-known-good": _usable(configuration, store, snapshot.last_known_good),
            },
        )
    return NodeState(snapshot, choice, versions, startups, bad, crashes)


def _crashes(snapshot: Records, startups: Sequence[Start], boot_id: str) -> int:
    """Return the crashes of what is in use, since the later of boot and adoption."""
    current = snapshot.current
    if current is not None and current.source is not None:
        adopted = current.boot_id, current.since_boot
    else:  # the local config has no record of its adoption: it began with the first start that read its file
        startups, adopted = starts_of_newest_config(startups), ("", 0.0)
    return crashes_since_adoption(startups, boot_id=boot_id, adopted_boot_id=adopted[0], adopted_since_boot=adopted[1])


def _usable(configuration: AgentConfiguration, store: Store, record: ConfigRecord | None) -> bool:
    if record is None or record.source is None:
        return False
    return all(
        read_or_restore(configuration.components[name], store, record, digest) is not None
        for name, digest in record.files.items()
        if name in configuration.components
    )
