# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests journald's own protocol against a socket in its place."""

from __future__ import annotations

import array
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

Entry = Callable[[str], ModuleType]


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[socket.socket]:
    """Yield a socket like journald's."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "socket"))
        server.settimeout(5)
        yield server


def test_values_of_one_line_and_of_more_are_encoded(entry: Entry) -> None:
    encode = entry("_journald").encode
    assert encode({"A": "b=c", "B": ""}) == b"A=b=c\nB=\n"
    assert encode({"A": "é\nx"}) == b"A\n\x04\0\0\0\0\0\0\0\xc3\xa9\nx\n"
    assert encode({"A": "\udc80"}) == b"A=?\n"  # a character that cannot be encoded is replaced


def test_each_entry_is_a_datagram(entry: Entry, journald: socket.socket) -> None:
    client = entry("_journald").Journald(journald.getsockname())
    assert client.send({"MESSAGE": "first"})
    assert client.send({"MESSAGE": "second"})
    assert (journald.recv(100), journald.recv(100)) == (b"MESSAGE=first\n", b"MESSAGE=second\n")


def test_what_is_too_large_for_a_datagram_comes_as_a_sealed_file(entry: Entry, journald: socket.socket) -> None:
    text = "x" * 4_000_000
    assert entry("_journald").Journald(journald.getsockname()).send({"MESSAGE": text})
    descriptors = array.array("i")
    data, [(_level, kind, sent)], _flags, _address = journald.recvmsg(100, socket.CMSG_SPACE(4))
    assert (data, kind) == (b"", socket.SCM_RIGHTS)
    descriptors.frombytes(sent)
    with open(descriptors[0], "rb+", buffering=0) as stream:
        stream.seek(0)
        assert stream.read() == f"MESSAGE={text}\n".encode()
        with pytest.raises(PermissionError):
            os.pwrite(stream.fileno(), b"y", 0)


def test_a_journald_that_is_gone_or_restarted_is_survived(entry: Entry, tmp_path: Path) -> None:
    client = entry("_journald").Journald(str(tmp_path / "socket"))
    assert not client.send({"MESSAGE": "no server"})
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as first:
        first.bind(str(tmp_path / "socket"))
        assert client.send({"MESSAGE": "a"})
    assert not client.send({"MESSAGE": "closed"})
    (tmp_path / "socket").unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as second:
        second.bind(str(tmp_path / "socket"))
        assert client.send({"MESSAGE": "b"})
        assert second.recv(100) == b"MESSAGE=b\n"


def test_a_journald_that_hangs_holds_nothing_up_for_long(entry: Entry, journald: socket.socket) -> None:
    client = entry("_journald").Journald(journald.getsockname())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        try:
            while True:
                filler.sendto(b"x", journald.getsockname())
        except BlockingIOError:
            pass  # full
    began = time.monotonic()
    assert client.send({"MESSAGE": "dropped"})  # stderr goes the same way
    assert time.monotonic() - began < 15
