# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzed answers of systemd, a supervisor, a child process or a health endpoint: each is parsed or refused."""

from __future__ import annotations

import http.client
import io
import socket
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent import _probes
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import (
    CommandResult,
    ServiceManagerError,
)
from ansible_collections.configok.node.plugins.module_utils._agent._probes import LiveConfigProbe
from ansible_collections.configok.node.plugins.module_utils._agent._service_managers import parse_unit
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    ValidateCommand,
    ValidateDocumentCommand,
    ValidationUnavailable,
)
from fake_systemd import SupervisorError, request
from support.fuzz.hostile import TEXTS, damaged, json_texts, lines_of, mutated, parse_twice
from support.fuzz.settings import fuzz

SHOWN = [
    *("LoadState=", "loaded", "masked", "not-found", "ActiveState=", "active", "failed", "inactive", "\n", "="),
    *("MainPID=", "42", "ActiveEnterTimestampMonotonic=", "InvocationID=", "Job=", "UnitFileState=", "Restart="),
]
FINDINGS = [{"file": "f", "line": 1, "path": "maxPods", "value": "x", "message": "m", "level": "policy", "rule": "r"}]
UNIT = {"name": "kubelet.service", "state": "active", "invocation": "i1", "pid": 42, "activeSince": 1.5}
HEALTHY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


@fuzz(200)
@given(lines_of(SHOWN, most=20) | lines_of(SHOWN).map(lambda rest: f"LoadState=loaded\nActiveState=active\n{rest}"))
def test_any_output_of_systemctl_show_is_read_or_refused(text: str) -> None:
    outcome = parse_twice(parse_unit, "kubelet.service", text, refused=ServiceManagerError)
    if outcome.error is None:
        assert outcome.value.state in ("active", "starting", "stopped", "failed", "masked", "missing")


@fuzz(100)
@given(json_texts(UNIT))
def test_any_answer_of_a_supervisor_is_read(text: str) -> None:
    class Connection:
        def __init__(self, *_given: object) -> None:
            self._answer = io.BytesIO(text.encode("utf-8", "surrogatepass"))

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_given: object) -> None:
            pass

        def recv(self, size: int) -> bytes:
            return self._answer.read(size)

        def settimeout(self, seconds: float) -> None: ...

        def connect(self, address: str) -> None: ...

        def sendall(self, data: bytes) -> None: ...

    with mock.patch.object(socket, "socket", Connection):
        parse_twice(request, "/", "kubelet", "unit", refused=SupervisorError)


@fuzz(150)
@given(json_texts(FINDINGS) | json_texts({"findings": FINDINGS}), TEXTS, st.integers(-15, 255))
def test_any_answer_of_a_validating_child_is_parsed_or_refused(out: str, err: str, code: int) -> None:
    def run(*_given: object, **_more: object) -> CommandResult:
        return CommandResult(code, out, err)

    validate, validate_document = ValidateCommand(run, ["agent"]), ValidateDocumentCommand(run, ["agent"])
    options: dict[str, Any] = {"inputs": NodeInputs(), "present": None, "host_only": False}
    outcome = parse_twice(lambda: validate("kubelet", "{}", "v1.35.0"), refused=ValidationUnavailable)
    if outcome.error is None:
        assert all(isinstance(finding, dict) for finding in outcome.value)
    outcome = parse_twice(
        lambda: validate_document("kubelet", "{}", "v1.35.0", **options), refused=ValidationUnavailable
    )
    if outcome.error is None:
        assert all(isinstance(finding, dict) for finding in outcome.value.findings)


@fuzz(150)
@given(json_texts({"differences": ["maxPods"], "unknown": ""}), TEXTS)
def test_any_output_of_a_child_that_compares_is_read(out: str, err: str) -> None:
    def compare() -> ProbeResult | None:
        return LiveConfigProbe(lambda *_given, **_more: CommandResult(1, out, err), ["agent"])("kubelet", "i1")

    result = parse_twice(compare).value
    assert result is None or not result.ok


@fuzz(150)
@given(damaged(HEALTHY))
def test_any_answer_of_a_health_endpoint_is_read(data: bytes) -> None:
    class Connection(io.RawIOBase):
        def makefile(self, _mode: str) -> io.BytesIO:
            return io.BytesIO(data)

        def sendall(self, sent: bytes) -> None: ...

        def setsockopt(self, *_given: int) -> None: ...

    def status() -> Any:
        try:
            return _probes.http_status("http://127.0.0.1:10248/healthz", 1.0)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return type(error).__name__  # the errors that the prober reports as unhealthy

    with mock.patch.object(socket, "create_connection", side_effect=lambda *_given, **_more: Connection()):
        parse_twice(status)


@fuzz(100)
@given(json_texts("2026-11-21T10:00:00.123456Z").map(lambda text: text.strip('"')) | TEXTS)
def test_the_time_of_a_lease(text: str) -> None:
    parse_twice(_probes._parse_micro_time, text)


@fuzz(100)
@given(mutated({"healthzPort": 10248, "healthzBindAddress": "127.0.0.1", "port": 10250, "address": "::"}))
def test_any_config_has_addresses(values: Any) -> None:
    from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
        ComponentConfiguration,
    )

    if isinstance(values, dict):  # the agent reads any other value as an empty config
        for name in ("kubelet", "kube-proxy"):
            component = ComponentConfiguration(name, f"{name}.service")
            assert isinstance(parse_twice(_probes.health_address, component, values).value, str)
            parse_twice(_probes.serving_address, component, values)
