# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of each profile on a node whose kubelet runs with it: a function asserts it and returns the evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import parse_quantity
from support.machines import Node

__all__ = ["EFFECTS"]

_MIB = 1024 * 1024
_HANDSHAKE = """import socket, ssl, sys
context = ssl._create_unverified_context()
context.maximum_version = ssl.TLSVersion.TLSv1_2
context.set_ciphers(sys.argv[1])
try:
    context.wrap_socket(socket.create_connection(("127.0.0.1", 10250), 5)).close()
except ssl.SSLError:
    sys.exit(3)
"""
_ASK = """import ssl, sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=5, context=ssl._create_unverified_context()).status)
except urllib.error.HTTPError as error:
    print(error.code)
except urllib.error.URLError as error:
    print(type(error.reason).__name__)
"""


def _lock(node: Node) -> str:
    held = node.wait("inhibitor lock", lambda: "kubelet" in node.run(["systemd-inhibit", "--list"]).stdout)
    assert held
    return "the kubelet holds an inhibitor lock on shutdown"


def _json_lines(node: Node) -> str:
    started = node.run(["systemctl", "show", "--property=ActiveEnterTimestamp", "--value", "kubelet"]).stdout.strip()
    journal = ["journalctl", "--unit=kubelet.service", "--output=cat", f"--since={started.split(' ', 1)[1][:19]}"]

    def lines() -> list[str]:
        return [line for line in node.run(journal).stdout.splitlines() if line.startswith("{")]

    json_lines = node.wait("JSON lines in the journal", lines)
    assert all("msg" in json.loads(line) for line in json_lines)
    return "each line of its log is a JSON object"


def _allocatable(node: Node) -> str:
    def is_reserved() -> bool:
        status = node.get()["status"]
        reserved = {
            name: int((parse_quantity(status["capacity"][name]) - parse_quantity(status["allocatable"][name])) * 1000)
            for name in ("cpu", "memory")
        }
        return reserved == {"cpu": 200, "memory": 1200 * _MIB * 1000}

    assert node.wait("allocatable that is less by what is reserved", is_reserved)
    return "allocatable is less by 200m CPU and 1200Mi"


def _ciphers(node: Node) -> str:
    def refused(cipher: str) -> int:
        return node.run(["python3", "-c", _HANDSHAKE, cipher], check=False).returncode

    assert refused("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256") == 0
    assert refused("AES128-GCM-SHA256") == 3
    return "a TLS suite without forward secrecy is refused"


def _anonymous(node: Node) -> str:
    answers = [
        node.run(["python3", "-c", _ASK, url]).stdout.strip()
        for url in ("https://127.0.0.1:10250/pods", "http://127.0.0.1:10255/pods")
    ]
    assert answers == ["401", "ConnectionRefusedError"]
    return "a client without a certificate is answered 401, and the read-only port is closed"


EFFECTS: Mapping[str, Callable[[Node], str]] = {
    "graceful-shutdown": _lock,
    "graceful-shutdown-by-priority": _lock,
    "json-logs": _json_lines,
    "reservation": _allocatable,
    "hardening": _ciphers,
    "hardening-access": _anonymous,
}
"""By the name of the profile."""
