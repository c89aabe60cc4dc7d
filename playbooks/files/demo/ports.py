# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for servers that are started next, which no other run of the demo or the tests takes meanwhile (Linux)."""

from __future__ import annotations

import errno
import random
import socket
from collections import deque

__all__ = ["free_port", "free_ports"]

_PORTS = range(20000, 30000)
"""Below the NodePorts and below those that Linux gives to clients (net.ipv4.ip_local_port_range), of which any
connection may take one before the server listens."""

_claims: deque[socket.socket] = deque(maxlen=256)
"""Claims of the latest ports; by the time that one is dropped, its server listens."""


def free_ports(count: int, address: str = "127.0.0.1") -> list[int]:
    """Return `count` different ports of `address` on which no process listens, and which no other caller gets.

    A port is claimed for this process until it ends, or 256 later ones are claimed.
    Raises OSError if there are not enough, or `address` is not one of this machine.
    """
    ports: list[int] = []
    for port in random.sample(_PORTS, len(_PORTS)):
        if len(ports) == count:
            break
        if _claimed(port) and _is_free(address, port):
            ports.append(port)
    if len(ports) < count:
        raise OSError(f"{count} ports are needed on {address}; of {_PORTS[0]} to {_PORTS[-1]}, {len(ports)} are free")
    return ports


def free_port(address: str = "127.0.0.1") -> int:
    """Return one port, as free_ports does."""
    return free_ports(1, address)[0]


def _claimed(port: int) -> bool:
    # The kernel drops a name in its abstract namespace with the process; it is per network namespace, as ports are.
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0configok-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _is_free(address: str, port: int) -> bool:
    try:
        socket.create_server((address, port)).close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True
