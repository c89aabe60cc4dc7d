# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep what Nodes say apart from the other sources of an inventory. Private to configok.node."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Set
from typing import Any, Final, Literal

from ansible_collections.configok.node.plugins.module_utils._machines.inventory import CONTROLLER_NAMES, InventoryHost

__all__ = ["OtherSources", "SafeInventory", "unsafe_directory"]

_CONNECTION: Final = "ansible_"  # how the variables begin that say how a host is connected to


def unsafe_directory(directory: str) -> str:
    """Return why others may change what is in a directory, "" if they may not."""
    path = os.path.realpath(directory)
    while True:
        status = os.stat(path)
        if status.st_uid not in (0, os.geteuid()):
            return f"{path} belongs to uid {status.st_uid}"
        # In a directory such as /tmp, others may not rename what is not theirs.
        is_shared = path != os.path.realpath(directory) and status.st_mode & stat.S_ISVTX
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not is_shared:
            return f"{path} has mode {stat.S_IMODE(status.st_mode):04o}"
        if path == os.path.dirname(path):
            return ""
        path = os.path.dirname(path)


class SafeInventory:
    """An inventory in which what Nodes say changes no host, and no group, of another source.

    A group with the name of a host, or of the controller, would take its place: such names follow from labels, which a
    kubelet can change. No expression over a Node decides how a host of another source is connected to.
    """

    def __init__(self, inventory: Any, hosts: Set[str], others: OtherSources, display: Any) -> None:
        self._inventory = inventory
        self._hosts = hosts
        self._others = others
        self._display = display
        self._current = ""
        self._keeps_connection = False
        self._refused: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inventory, name)

    def begin(self, host: InventoryHost) -> str:
        """Add a host, whose variables and groups follow."""
        self._keeps_connection = "node" in host.variables and self._others.has(host)
        self._current = str(self._inventory.add_host(host.name))
        if not self._keeps_connection:
            self._others.claim(host)
        return self._current

    def _is_refused(self, group: str) -> bool:
        is_host = group in self._hosts or (group in self._inventory.hosts and group not in self._inventory.groups)
        if (is_host or group in CONTROLLER_NAMES) and group not in self._refused:
            self._refused.add(group)
            holder = "a host" if is_host else "the controller"
            self._display.warning(f"the group {group} is left out: its name is that of {holder}, so give it a prefix")
        return group in self._refused

    def add_group(self, group: str) -> str:
        if self._is_refused(group):
            return group
        if group not in self._inventory.groups:
            self._others.claim_group(group)
        return str(self._inventory.add_group(group))

    def add_host(self, host: str, group: str | None = None) -> str:
        return str(self._inventory.add_host(host, None if group and self._is_refused(group) else group))

    def add_child(self, group: str, child: str) -> bool:
        # A child that is a refused group has the name of another host, which must not get into the parent of the group.
        is_refused = self._is_refused(group) or (child in self._refused and child != self._current)
        return False if is_refused else bool(self._inventory.add_child(group, child))

    def set_variable(self, entity: str, name: str, value: Any) -> None:
        if not (self._keeps_connection and name.startswith(_CONNECTION)):
            self._inventory.set_variable(entity, name, value)


class OtherSources:
    """Gives way to the other sources of an inventory, whichever of them is read first.

    A kubelet reports host names and addresses. A name that another source has is replaced by that of the Node, and a
    host of another source is connected to as that source says. Ansible has no hook for sources that are read later, so
    this takes the place of add_host and add_group of the inventory.
    """

    def __init__(self, inventory: Any, display: Any) -> None:
        self._inventory = inventory
        self._display = display
        self._own_sources: set[str] = set()
        self._hosts: dict[str, InventoryHost] = {}  # those of Nodes, which no other source has
        self._groups: set[str] = set()
        self._add_host, self._add_group = inventory.add_host, inventory.add_group
        inventory.add_host, inventory.add_group = self.add_host, self.add_group

    @classmethod
    def of(cls, inventory: Any, display: Any) -> OtherSources:
        """Return those of an inventory, for the source that is read now."""
        present = getattr(inventory.add_host, "__self__", None)
        others = present if isinstance(present, cls) else cls(inventory, display)
        others._own_sources.add(inventory.current_source)
        return others

    def has(self, host: InventoryHost) -> bool:
        """Return whether another source has a host of this name, or another Node of one that was read before."""
        known = self._hosts.get(host.name)
        is_known = known is not None and known.variables["node"]["uid"] == host.variables.get("node", {}).get("uid")
        return host.name in self._inventory.hosts and not is_known

    def fit(self, host: InventoryHost) -> InventoryHost | None:
        """Return the host as it fits with the sources that were read before, None if its name is that of a group."""
        if "name" in host.reported and (self.has(host) or host.name in self._inventory.groups):
            host = self._under_own_name(host)
        if host.name in self._inventory.groups:
            kind = "Node" if "node" in host.variables else "Machine"
            self._display.warning(f"{kind} {host.node_name} is left out: its name is that of a group")
            return None
        return self._without_connection(host) if host.reported and self.has(host) else host

    def _under_own_name(self, host: InventoryHost) -> InventoryHost:
        self._display.warning(
            f"Node {host.node_name} does not get the name {host.name} that it reports: another source has that name"
        )
        return host.under_own_name()

    def _without_connection(self, host: InventoryHost) -> InventoryHost:
        self._display.warning(
            "another source has hosts with the names of Nodes: its connection variables are used, and the addresses "
            "that these Nodes report are ignored"
        )
        return host.without_connection()

    def claim(self, host: InventoryHost) -> None:
        """Take note of a host that a Node has made."""
        if "node" in host.variables:
            self._hosts[host.name] = host

    def claim_group(self, group: str) -> None:
        """Take note of a group that was made of what a Node says."""
        self._groups.add(group)

    def add_host(self, host: str, group: str | None = None, port: Any = None) -> str:
        """Add a host as the inventory does."""
        if self._is_read_later():
            if host in self._hosts:
                self._give_host(host)
            if host in self._groups:
                self._give_group(host)
        return str(self._add_host(host, group, port))

    def add_group(self, group: str) -> str:
        """Add a group as the inventory does."""
        if self._is_read_later() and group in self._hosts:
            self._give_host(group, "group")
        return str(self._add_group(group))

    def _is_read_later(self) -> bool:
        """Return whether another source is read now: it may have any host that Nodes have named."""
        source = self._inventory.current_source
        return source is not None and source not in self._own_sources

    def _give_host(self, name: str, to: Literal["host", "group"] = "host") -> None:
        """Let another source have the name of a host, whose Node keeps its own name if it can."""
        host, present = self._hosts.pop(name), self._inventory.hosts[name]
        is_declared = host.variables.keys() - host.reported
        for variable in [key for key in present.vars if key.startswith(_CONNECTION) and key not in is_declared]:
            if to == "host" and "name" not in host.reported:
                del present.vars[variable]
        if "name" in host.reported:
            groups = [group.name for group in self._inventory.groups.values() if present in group.hosts]
            self._inventory.remove_host(present)
            own = self.fit(self._under_own_name(host))
            if own is not None:
                self._add_again(own, present, groups)
        elif to == "group":
            self._display.warning(f"Node {name} is left out: its name is that of a group")
            self._inventory.remove_host(present)
        else:
            self._without_connection(host)

    def _add_again(self, host: InventoryHost, present: Any, groups: Iterable[str]) -> None:
        """Add a host that was added under another name, with its composed variables and groups."""
        is_new = host.name not in self._inventory.hosts
        self._add_host(host.name)
        for key, value in present.vars.items():
            if is_new or not key.startswith((_CONNECTION, "inventory_")):
                self._inventory.hosts[host.name].set_variable(key, value)
        for group in groups:
            self._inventory.add_child(group, host.name)
        if is_new:
            self.claim(host)

    def _give_group(self, name: str) -> None:
        """Remove a group whose name is that of a host of another source."""
        self._groups.discard(name)
        group = self._inventory.groups.get(name)
        if group is not None:
            self._display.warning(f"the group {name} is left out: its name is that of a host, so give it a prefix")
            for parent in list(group.parent_groups):
                parent.child_groups.remove(group)
            self._inventory.remove_group(group)
