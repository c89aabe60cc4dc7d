# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a Node by what its host calls itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from .node_view import NodeView

_HOSTNAME = "kubernetes.io/hostname"


class NodeHosts:
    """The Nodes of a pool by the names of their hosts.

    A host may call itself by its Node's name, or by the label that the kubelet gives it. If only one side has a domain,
    and no other Node has the same first part, that is enough.
    """

    def __init__(self, views: Iterable[NodeView]) -> None:
        full = {
            host.lower(): view.name for view in views for host in (view.labels.get(_HOSTNAME, view.name), view.name)
        }
        owners: dict[str, set[str]] = {}  # the Nodes with a first part
        for host, name in full.items():
            owners.setdefault(_short(host), set()).add(name)
        self._names = full
        self._by_first_part = {part: name for part, names in owners.items() if len(names) == 1 for name in names}
        self._without_domain = {host: name for host, name in self._by_first_part.items() if host in full}

    def node_of(self, host: str) -> str:
        """Return the name of the Node of a host, "" if it is none of them."""
        host = host.lower()
        shortened = self._by_first_part if host == _short(host) else self._without_domain
        return self._names.get(host) or shortened.get(_short(host)) or ""


def _short(host: str) -> str:
    return host.partition(".")[0]
