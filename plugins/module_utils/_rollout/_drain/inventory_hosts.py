# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the inventory host of a Node. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..._text import first_names
from .. import RebootFailed

_NAMES_SHOWN = 4


@dataclass(frozen=True)
class InventoryHost:
    """A host of the inventory. node_name: of the role `node`; address: ansible_host; "" for what is not set."""

    name: str
    node_name: str = ""
    address: str = ""


def find_host(node_name: str, addresses: Iterable[str], hosts: Iterable[InventoryHost]) -> str:
    """Return the inventory name of a Node's host. addresses: of the Node.

    The host is the one whose variable node_name names the Node, else the one of the Node's own name, else the one that
    is reached at an address of the Node. Raises RebootFailed if there is none, or more than one.
    """
    hosts = list(hosts)
    known_addresses = {address for address in addresses if address}
    by_variable = [host.name for host in hosts if host.node_name == node_name]
    by_name = [host.name for host in hosts if host.name == node_name and host.node_name in ("", node_name)]
    by_address = [host.name for host in hosts if host.address in known_addresses and host.node_name in ("", node_name)]
    names = by_variable or by_name or by_address
    if not names:
        raise RebootFailed(
            f"the inventory has no host for Node {node_name}: give the host the Node's name, or set its variable "
            "node_name, and run the rollout with this inventory"
        )
    if names[1:]:
        raise RebootFailed(
            f"the inventory has {len(names)} hosts for Node {node_name} ({first_names(names, _NAMES_SHOWN)}): set the "
            "variable node_name of each"
        )
    return names[0]
