# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bridge for a testbed, and a network namespace with one link to it for each machine.

Testbed N has 198.18.N.0/24, of the range that RFC 2544 sets aside for tests; the API server listens on this machine,
which is .1. Nothing is routed beyond, and a machine has no default route: a kubelet asks for the metadata of some
clouds when it starts, and waits 6 s if they are routed and do not answer. A machine's namespace outlives its boots, so
no machine configures its network.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._commands import run
from ._sweep import prefix

__all__ = ["Link", "Network"]

_FIRST_HOST = 10


@dataclass(frozen=True)
class Link:
    """A machine's link to the bridge. interface: the link's end on this machine."""

    namespace: str
    interface: str
    address: str

    @property
    def namespace_path(self) -> str:
        return f"/run/netns/{self.namespace}"

    def down(self) -> None:
        """Disconnect the machine: every packet is lost, and no connection is closed."""
        run(["ip", "link", "set", self.interface, "down"])

    def up(self) -> None:
        """Connect it again."""
        run(["ip", "link", "set", self.interface, "up"])


class Network:
    """The bridge of testbed `number`. `_sweep.sweep` removes it, with all links."""

    def __init__(self, number: int) -> None:
        """Create the bridge; `address` is this machine's."""
        self._bridge = prefix(number)
        self._net = f"198.18.{number}"
        self._count = 0
        self.address = f"{self._net}.1"
        run(["ip", "link", "add", self._bridge, "type", "bridge"])
        run(["ip", "address", "add", f"{self.address}/24", "dev", self._bridge])
        run(["ip", "link", "set", self._bridge, "up"])

    def attach(self) -> Link:
        """Create a namespace whose eth0 has the next address."""
        self._count += 1
        name = f"{self._bridge}-{self._count}"
        link = Link(name, name, f"{self._net}.{_FIRST_HOST + self._count}")
        run(["ip", "netns", "add", name])
        run(["ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name])
        run(["ip", "link", "set", name, "master", self._bridge, "up"])
        run(["ip", "-n", name, "link", "set", "lo", "up"])
        run(["ip", "-n", name, "address", "add", f"{link.address}/24", "dev", "eth0"])
        run(["ip", "-n", name, "link", "set", "eth0", "up"])
        return link
