# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to a supervisor: answers, refusals, and a missing supervisor."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._service_managers import (
    Supervisors,
    decode_unit,
    encode_unit,
    request,
    socket_address,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit

UNIT = Unit("kubelet.service", "active", "ab" * 16, 42, 17.5)


@contextmanager
def answering(directory: Path, answer: bytes) -> Iterator[list[bytes]]:
    """Listen as the supervisor of the kubelet, record each request, and always give the same answer."""
    requests: list[bytes] = []
    with socket_address(str(directory), "kubelet") as address, socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _address = server.accept()
                except OSError:
                    return
                with connection:
                    requests.append(connection.recv(100))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield requests
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def test_a_unit_survives_the_wire() -> None:
    assert decode_unit(json.loads(json.dumps(encode_unit(UNIT)))) == UNIT


def test_words_are_sent_and_units_come_back_however_deep_the_directory(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    with answering(deep, json.dumps(encode_unit(UNIT)).encode() + b"\n") as requests:
        supervisors = Supervisors(str(deep), {"kubelet": "kubelet.service"})
        assert supervisors.unit("kubelet") == UNIT
        supervisors.restart("kubelet")
    assert requests == [b"unit\n", b"restart\n"]


def test_no_socket_is_a_missing_unit_and_no_restart(tmp_path: Path) -> None:
    supervisors = Supervisors(str(tmp_path), {"kubelet": "kubelet.service"})
    assert supervisors.unit("kubelet") == Unit("kubelet.service", "missing")
    with pytest.raises(ServiceManagerError, match="the supervisor of kubelet does not answer: No such file"):
        supervisors.restart("kubelet")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b'{"error": "unknown request"}\n', "refused unit: unknown request"),
        (b"nonsense\n", "no answer that can be read"),
        (b"", "no answer that can be read"),
        (b'{"name": "x"}\n', "no answer that can be read"),
        (b"[]\n", "no answer that can be read"),
    ],
)
def test_bad_answers(tmp_path: Path, answer: bytes, message: str) -> None:
    with answering(tmp_path, answer), pytest.raises(ServiceManagerError, match=message):
        request(str(tmp_path), "kubelet", "unit")
