# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Log lines with fields for journald, in its own protocol (systemd.io, JOURNAL_NATIVE_PROTOCOL)."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sys
from collections.abc import Mapping

__all__ = ["SOCKET", "Journald", "encode"]

SOCKET = "/run/systemd/journal/socket"
_TIMEOUT = 0.2  # seconds: a journald that hangs must not hold up the start of a component
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL


def encode(fields: Mapping[str, str]) -> bytes:
    """Return one entry: NAME=value lines. A value of several lines follows its name and its length instead."""
    parts = []
    for name, value in fields.items():
        data = value.encode("utf-8", "replace")
        if b"\n" in data:
            parts.append(name.encode() + b"\n" + len(data).to_bytes(8, "little") + data + b"\n")
        else:
            parts.append(name.encode() + b"=" + data + b"\n")
    return b"".join(parts)


class Journald:
    """Sends entries to journald. Each has its address, so that a restarted journald gets the next one."""

    def __init__(self, path: str = SOCKET) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(_TIMEOUT)

    def send(self, fields: Mapping[str, str]) -> bool:
        """Send an entry and return whether journald has it. Never raises."""
        entry = encode(fields)
        try:
            self._socket.sendto(entry, self._path)
        except OSError as error:
            if error.errno is None:
                return True  # it took too long: stderr, which goes to the same journald, would not take it either
            return error.errno in (errno.EMSGSIZE, errno.ENOBUFS) and self._send_large(entry)
        return True

    def _send_large(self, entry: bytes) -> bool:
        """Send an entry that does not fit a datagram, as a sealed file in memory."""
        try:
            descriptor = os.memfd_create("configok-agent", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            try:
                with open(descriptor, "wb", closefd=False) as stream:
                    stream.write(entry)
                fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptor.to_bytes(4, sys.byteorder))
                self._socket.sendmsg([], [rights], 0, self._path)
            finally:
                os.close(descriptor)
        except OSError:
            return False
        return True
