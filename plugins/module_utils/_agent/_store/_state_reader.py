# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a NodeState from the store, for prestart, ``status`` and the controller alike."""

from __future__ import annotations

from collections.abc import Sequence

from .._agent_configuration import AgentConfiguration, ComponentConfiguration
from .._interfaces import Clock
from .._state.active_config import ActiveConfig, select_active
from .._state.node_state import ComponentFiles, NodeState, Records
from .._state.records import LOCAL_CONFIG, ConfigRecord
from .._state.start_history import BadConfig, Start, crashes_since_adoption, starts_of_newest_config
from ._rendered_files import init_config_hash, read_or_restore, same_values
from ._store import Store, digest


def read_node_state(
    configuration: AgentConfiguration, store: Store, clock: Clock, *, with_files: bool = False
) -> NodeState:
    """Return the node's state as its own files have it, and set damaged ones aside. Raises OSError.

    The caller holds the store's lock. with_files: read also files and damaged_files, which only the controller needs.
    """
    records = store.read_records()
    versions = {
        name: store.tracking_version(name, component.version) for name, component in configuration.components.items()
    }
    startups = {name: store.read_startups(name, version) for name, version in versions.items()}
    bad_configs: dict[str, BadConfig] = {}
    for name, version in versions.items():
        bad_configs.update(store.read_bad_configs(name, version))
    boot_id = clock.boot_id()
    crashes = {name: _crashes_of_active(records, startups[name], boot_id) for name in versions}
    state = NodeState(
        records,
        _active(configuration, store, records, bad_configs, crashes),
        versions,
        startups,
        bad_configs,
        crashes,
    )
    if not with_files:
        return state
    files = {
        name: _read_files(component, store, state.last_start(name), boot_id)
        for name, component in configuration.components.items()
    }
    return state._replace(files=files, damaged_files=tuple(store.damaged_files()))


def _active(
    configuration: AgentConfiguration,
    store: Store,
    records: Records,
    bad_configs: dict[str, BadConfig],
    crashes: dict[str, int],
) -> ActiveConfig:
    if not configuration.dynamic_config:
        return ActiveConfig(LOCAL_CONFIG, "current")
    current = records.current
    return select_active(
        current,
        records.last_known_good,
        never_written=records.never_written,
        bad=bad_configs,
        crashes={name: count for name, count in crashes.items() if current is not None and current.covers(name)},
        usable={
            "current": _is_usable(configuration, store, current),
            "last-known-good": _is_usable(configuration, store, records.last_known_good),
        },
    )


def _crashes_of_active(records: Records, startups: Sequence[Start], boot_id: str) -> int:
    """Return the component's crashes since the later of boot and adoption of the config in use."""
    current = records.current
    if current is not None and current.source is not None:
        adopted = current.boot_id, current.since_boot
    else:  # the local config's adoption is not recorded: it is in use since the first start that read its file
        startups, adopted = starts_of_newest_config(startups), ("", 0.0)
    return crashes_since_adoption(startups, boot_id=boot_id, adopted_boot_id=adopted[0], adopted_since_boot=adopted[1])


def _is_usable(configuration: AgentConfiguration, store: Store, record: ConfigRecord | None) -> bool:
    if record is None or record.source is None:
        return False
    return all(
        read_or_restore(configuration.components[name], store, record, file) is not None
        for name, file in record.files.items()
        if name in configuration.components
    )


def _read_files(component: ComponentConfiguration, store: Store, start: Start | None, boot_id: str) -> ComponentFiles:
    data = store.read_config(component.name)
    config = digest(data or b"")
    return ComponentFiles(
        config=config,
        is_missing=data is None,
        same_as_started=start is None or same_values(component.name, store, start.config, config),
        init_config=init_config_hash(component, store),
        switched_since=store.switched_since(component.name, boot_id),
    )
