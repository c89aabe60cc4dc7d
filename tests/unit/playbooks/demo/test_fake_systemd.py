# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands for systemd in a sandbox: requests to a supervisor, and systemctl as the agent runs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import (
    CommandResult,
    ServiceManagerError,
)
from ansible_collections.configok.node.plugins.module_utils._agent._service_managers import Systemd
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit
from fake_systemd import (
    SupervisorError,
    decode_unit,
    encode_unit,
    request,
    socket_address,
    unit_properties,
    with_programs,
)

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
        assert request(str(deep), "kubelet", "unit") == UNIT
        assert request(str(deep), "kubelet", "restart") == UNIT
    assert requests == [b"unit\n", b"restart\n"]


def test_without_a_socket_there_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(SupervisorError, match="the supervisor of kubelet does not answer: No such file"):
        request(str(tmp_path), "kubelet", "restart")


class Sandbox:
    """The agent's view of systemd in a sandbox; this process is the supervisor."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "kubelet.unit"
        self._environment = with_programs(directory / "bin", directory)
        self.systemd = Systemd({"kubelet": UNIT.name}, self._run)

    def _run(self, argv: Sequence[str], **_options: object) -> CommandResult:
        done = subprocess.run(list(argv), env=self._environment, capture_output=True, text=True, check=False)
        return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "unit",
    [UNIT, UNIT._replace(state="starting", pid=None, active_since=None), UNIT._replace(state="stopped", pid=None)],
)
def test_the_agent_sees_the_unit_that_a_supervisor_has_written(tmp_path: Path, unit: Unit) -> None:
    sandbox = Sandbox(tmp_path)
    sandbox.file.write_text(unit_properties(unit, os.getpid()))
    seen = sandbox.systemd.unit("kubelet")
    assert seen[:4] == unit[:4]
    if unit.state == "active":
        assert seen.active_since == pytest.approx(unit.active_since, abs=0.01)


def test_a_restart_is_a_signal_to_the_supervisor(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    signals: list[int] = []
    previous = signal.signal(signal.SIGUSR1, lambda number, _frame: signals.append(number))
    try:
        sandbox.file.write_text(unit_properties(UNIT, os.getpid()))
        sandbox.systemd.restart("kubelet")
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert signals == [signal.SIGUSR1]


@pytest.mark.parametrize("leaves_a_file", [False, True])
def test_without_a_supervisor_the_unit_is_missing_and_is_not_restarted(tmp_path: Path, leaves_a_file: bool) -> None:
    sandbox = Sandbox(tmp_path)
    if leaves_a_file:
        ended = subprocess.Popen(["true"])
        ended.wait()
        sandbox.file.write_text(unit_properties(UNIT, ended.pid))
    assert sandbox.systemd.unit("kubelet") == Unit(UNIT.name, "missing")
    with pytest.raises(ServiceManagerError, match=r"Unit kubelet\.service not found"):
        sandbox.systemd.restart("kubelet")


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
    with answering(tmp_path, answer), pytest.raises(SupervisorError, match=message):
        request(str(tmp_path), "kubelet", "unit")
