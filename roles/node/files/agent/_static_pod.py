# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""static-pod: bring the manifest of a component in line with its options, as the agent does it."""

from __future__ import annotations

from ._agent._agent_configuration import AgentConfiguration
from ._agent._etcd_guard import SNAPSHOTS, EtcdGuard
from ._agent._manifest_rendering import CannotWrite
from ._agent._manifest_update import ManifestUpdate
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._componentconfig.component_options import DIRECTORY, ETCD
from ._output import complain, show

__all__ = ["restore_init_manifest", "update_static_pod"]

_OK, _REFUSED = 0, 1


def update_static_pod(
    configuration: AgentConfiguration, store: Store, component: str, *, only_check: bool, can_reload: bool
) -> int:
    """Print what was done; return 0, or 1 if the manifest was left alone. Raises LockTimeout, OSError.

    only_check: write nothing but the agent's note on the manifest. can_reload: whether the component can show that it
    has read a file again.
    """
    settings = configuration.components[component]
    update = _update(configuration, store, component)
    try:
        if only_check:
            show(update.check().problem or f"{settings.manifest} is as the agent left it")
            return _OK
        has_changed = update.write(can_reload=can_reload)
    except CannotWrite as error:
        complain(str(error))
        return _REFUSED
    show(f"{settings.manifest} {'was written' if has_changed else 'has the options in use already'}")
    return _OK


def _update(configuration: AgentConfiguration, store: Store, component: str) -> ManifestUpdate:
    guard = None
    if component == ETCD:
        snapshots = f"{configuration.state_directory}/{SNAPSHOTS}"
        guard = EtcdGuard(configuration.components[ETCD].manifest, snapshots)
    return ManifestUpdate(configuration, component, store, SystemClock(), root=DIRECTORY, guard=guard)


def restore_init_manifest(configuration: AgentConfiguration, store: Store, component: str) -> int:
    """Print what was done; return 0, or 1 if the manifest was left alone. Raises LockTimeout, OSError."""
    path = configuration.components[component].manifest
    try:
        has_changed = _update(configuration, store, component).restore_init()
    except CannotWrite as error:
        complain(str(error))
        return _REFUSED
    show(f"{path} is the init manifest again" if has_changed else f"{path} has no options of this agent")
    return _OK
