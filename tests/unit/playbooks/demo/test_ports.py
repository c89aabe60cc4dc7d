# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A port for a server that starts next belongs to one server only."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import ports
import pytest
from ports import free_port, free_ports

DEMO = Path(__file__).resolve().parents[4] / "playbooks/files/demo"
OTHER = "from ports import free_ports\nprint(*free_ports(3), flush=True)\ninput()"


def test_no_port_is_given_twice() -> None:
    assert len({port for _call in range(40) for port in free_ports(3)}) == 120


def test_two_processes_never_get_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], cwd=DEMO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        taken = [int(port) for port in other.stdout.readline().split()]
        monkeypatch.setattr(ports, "_PORTS", taken)
        with pytest.raises(OSError, match=r"^1 ports are needed on 127\.0\.0\.1; of \d+ to \d+, 0 are free$"):
            free_port()
        other.communicate("\n")
    assert sorted(free_ports(3)) == sorted(taken), "they are free again once that process has ended"


def test_a_port_on_which_a_process_listens_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = free_ports(2)
    monkeypatch.setattr(ports, "_PORTS", [first, second])
    ports._claims.clear()
    with socket.create_server(("127.0.0.1", first)):
        assert free_port() == second


def test_no_client_connection_takes_such_a_port() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert max(free_ports(20)) < lowest


def test_an_address_of_another_machine_is_refused_by_the_kernel() -> None:
    with pytest.raises(OSError, match="Cannot assign requested address"):
        free_port("192.0.2.1")
