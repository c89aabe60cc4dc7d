# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A single probe of a component: what it checks, at which address, and how it describes a failure."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._instance_addresses import HEALTH_URL, instance_url
from ansible_collections.configok.node.plugins.module_utils._agent._probes import (
    HealthProber,
    handshake,
    health_address,
    http_status,
    serving_address,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit, UnitState
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError, NotFound, Unreachable

KUBELET = ComponentConfiguration("kubelet", "kubelet.service", lease=True)
PROXY = ComponentConfiguration("kube-proxy", "kube-proxy.service", serving_probe=False)
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
RUNNING = Unit("kubelet.service", "active", "ab" * 16, 42, active_since=90.0)


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def since_boot(self) -> float:
        return self.seconds

    def boot_id(self) -> str:
        return "boot"

    def now(self) -> str:
        return "2026-01-02T03:04:05Z"


class Leases:
    """A client that returns one Lease, or raises an error."""

    def __init__(self, renewal: datetime | KubeError | None) -> None:
        self.renewal = renewal
        self.paths: list[str] = []

    def get(self, path: str) -> dict[str, Any]:
        self.paths.append(path)
        if isinstance(self.renewal, KubeError):
            raise self.renewal
        return {"spec": {"renewTime": self.renewal.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if self.renewal else None}}


class World:
    """A prober on a world that a test can set."""

    def __init__(
        self, component: ComponentConfiguration = KUBELET, leases: Leases | None = None, *, settling: float = 0.0
    ) -> None:
        self.status: int | OSError = 200
        self.tls: OSError | None = None
        self.checks: list[Any] = []
        self.slept = 0.0
        self.listens_after = 0.0  # seconds; until then, every connection is refused
        configuration = AgentConfiguration("n1", "/k", {component.name: component}, settling_time=settling)
        self.clock = Clock()
        self.prober = HealthProber(
            configuration,
            self.clock,
            leases,
            http_status=self._http,
            handshake=self._tls,
            wall=lambda: NOW,
            sleep=self._sleep,
        )

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def _http(self, url: str, timeout: float) -> int:
        self.checks.append(url)
        if self.slept < self.listens_after:
            raise ConnectionRefusedError(111, "Connection refused")
        if isinstance(self.status, OSError):
            raise self.status
        return self.status

    def _tls(self, host: str, port: int, timeout: float) -> None:
        self.checks.append((host, port))
        if self.tls is not None:
            raise self.tls


@pytest.mark.parametrize(
    ("component", "flags", "expected"),
    [
        ("kube-apiserver", ["--advertise-address=10.0.0.1", "--secure-port=443"], "https://10.0.0.1:443/readyz"),
        ("kube-apiserver", ["--bind-address=0.0.0.0"], "https://127.0.0.1:6443/readyz"),
        ("kube-apiserver", ["--advertise-address=fd00::1"], "https://[fd00::1]:6443/readyz"),
        ("kube-controller-manager", ["--bind-address=127.0.0.1"], "https://127.0.0.1:10257/healthz"),
        ("kube-scheduler", ["--bind-address", "10.0.0.1"], "https://10.0.0.1:10259/healthz"),
        ("etcd", [], ""),
        ("etcd", ["--listen-metrics-urls=http://127.0.0.1:2381"], "http://127.0.0.1:2381/health"),
        ("etcd", ["--listen-metrics-urls=http://0.0.0.0:2381,http://10.0.0.1:1"], "http://127.0.0.1:2381/health"),
        ("etcd", ["--listen-metrics-urls=http://127.0.0.1:a"], ""),
        ("etcd", ["--listen-metrics-urls=http://[::]:2381"], "http://[::1]:2381/health"),
    ],
)
def test_a_static_pod_is_healthy_by_its_own_instance(component: str, flags: list[str], expected: str) -> None:
    effective = {HEALTH_URL: instance_url(component, [component, *flags])}
    assert health_address(ComponentConfiguration(component, "", manifest="/m"), effective) == expected


@pytest.mark.contract("probe.effective-addresses")
@pytest.mark.parametrize(
    ("component", "effective", "expected"),
    [
        (KUBELET, {}, "http://127.0.0.1:10248/healthz"),
        (KUBELET, {"healthzPort": 0}, ""),
        (KUBELET, {"healthzPort": 1, "healthzBindAddress": "0.0.0.0"}, "http://127.0.0.1:1/healthz"),
        (KUBELET, {"healthzBindAddress": "::"}, "http://[::1]:10248/healthz"),
        (KUBELET, {"healthzBindAddress": "10.0.0.1"}, "http://10.0.0.1:10248/healthz"),
        (PROXY, {}, "http://127.0.0.1:10256/healthz"),
        (PROXY, {"healthzBindAddress": "[::]:99"}, "http://[::1]:99/healthz"),
        (PROXY, {"healthzBindAddress": "10.0.0.1:0"}, ""),
        (PROXY, {"healthzBindAddress": "0.0.0.0"}, "http://127.0.0.1:10256/healthz"),
        (PROXY, {"healthzBindAddress": "fd00::1"}, "http://[fd00::1]:10256/healthz"),
        (ComponentConfiguration("other", "o.service"), {}, ""),
        (ComponentConfiguration("other", "o.service", health_url="https://h/x"), {}, "https://h/x"),
    ],
)
def test_the_health_address_is_that_of_the_effective_config(
    component: ComponentConfiguration, effective: dict[str, Any], expected: str
) -> None:
    assert health_address(component, effective) == expected


@pytest.mark.contract("probe.effective-addresses")
@pytest.mark.parametrize(
    ("component", "effective", "expected"),
    [
        (KUBELET, {}, ("127.0.0.1", 10250)),
        (KUBELET, {"address": "10.0.0.1", "port": 7}, ("10.0.0.1", 7)),
        (KUBELET, {"enableServer": False}, None),
        (KUBELET, {"port": 0}, None),
        (ComponentConfiguration("kubelet", "kubelet.service", serving_probe=False), {}, None),
        (PROXY, {}, None),
    ],
)
def test_the_serving_address_is_that_of_the_effective_config(
    component: ComponentConfiguration, effective: dict[str, Any], expected: Any
) -> None:
    assert serving_address(component, effective) == expected


@pytest.mark.contract("probe.looks-at")
def test_a_healthy_component_passes_all_probes() -> None:
    leases = Leases(NOW - timedelta(seconds=9))
    world = World(leases=leases)
    assert world.prober("kubelet", {}, RUNNING) == ProbeResult(True)
    assert world.checks == ["http://127.0.0.1:10248/healthz", ("127.0.0.1", 10250)]
    assert leases.paths == ["/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1"]
    # One renewal is enough: the trial's probes send no more requests until the next invocation.
    world.prober("kubelet", {}, RUNNING)
    assert len(leases.paths) == 1
    world.prober("kubelet", {}, Unit("kubelet.service", "active", "cd" * 16, 43, active_since=95.0))
    assert len(leases.paths) == 2


@pytest.mark.contract("probe.looks-at")
def test_the_lease_is_asked_for_once_the_rest_has_settled() -> None:
    """A Lease is renewed a moment after the kubelet serves; an earlier request would be useless."""
    leases = Leases(NOW - timedelta(seconds=11))
    world = World(leases=leases, settling=0.5)
    world.status = 500
    assert not world.prober("kubelet", {}, RUNNING).ok
    world.status = 200
    assert world.prober("kubelet", {}, RUNNING).ok
    assert leases.paths == []
    assert not world.prober("kubelet", {}, RUNNING).ok
    leases.renewal = NOW
    assert world.prober("kubelet", {}, RUNNING).ok
    assert len(leases.paths) == 2


@pytest.mark.contract("probe.looks-at")
@pytest.mark.parametrize("state", ["starting", "stopped", "masked", "failed", "missing"])
def test_a_unit_that_does_not_run_is_asked_nothing(state: UnitState) -> None:
    world = World()
    assert world.prober("kubelet", {}, Unit("kubelet.service", state)) == ProbeResult(
        False, f"kubelet.service is {state}"
    )
    assert world.checks == []


@pytest.mark.contract("probe.looks-at")
def test_health_endpoint_says_no() -> None:
    world = World()
    world.status = 500
    assert world.prober("kubelet", {}, RUNNING).detail == "http://127.0.0.1:10248/healthz: answers 500"
    world.status = ConnectionRefusedError(111, "Connection refused")
    assert world.prober("kubelet", {}, RUNNING).detail == "http://127.0.0.1:10248/healthz: connection refused"


STARTED_LONG_AGO = RUNNING._replace(active_since=60.0)


def test_a_component_that_has_just_started_has_a_moment_to_listen() -> None:
    world = World()
    world.listens_after = 0.3
    assert world.prober("kubelet", {}, RUNNING) == ProbeResult(True)
    assert 0.3 <= world.slept < 0.33


@pytest.mark.parametrize(("unit", "most"), [(RUNNING, 0.5), (STARTED_LONG_AGO, 0.0)])
def test_a_component_that_does_not_listen_is_not_waited_for(unit: Unit, most: float) -> None:
    world = World()
    world.listens_after = 1.0
    assert world.prober("kubelet", {}, unit) == ProbeResult(False, "http://127.0.0.1:10248/healthz: connection refused")
    assert world.slept <= most


@pytest.mark.contract("probe.looks-at")
def test_serving_port_does_not_serve() -> None:
    world = World()
    world.tls = TimeoutError("timed out")
    assert world.prober("kubelet", {}, RUNNING) == ProbeResult(False, "serving port 10250: timed out")


@pytest.mark.contract("probe.looks-at")
@pytest.mark.parametrize(
    ("renewal", "detail"),
    [
        (NOW - timedelta(seconds=11), "Lease kube-node-lease/n1 was not renewed since the restart"),
        (None, "Lease kube-node-lease/n1 was not renewed since the restart"),
        (NotFound("no such lease", status=404), "Lease kube-node-lease/n1 is not there"),
        (Unreachable("connection refused"), ""),  # without an answer there is no verdict
    ],
)
def test_a_lease_must_be_renewed_since_the_restart(renewal: datetime | KubeError | None, detail: str) -> None:
    assert World(leases=Leases(renewal)).prober("kubelet", {}, RUNNING) == ProbeResult(not detail, detail)


@pytest.mark.contract("probe.looks-at")
def test_a_kubelet_has_time_to_renew_its_lease_after_an_outage_of_the_api() -> None:
    leases = Leases(Unreachable("connection refused"))
    world = World(leases=leases)
    assert world.prober("kubelet", {}, RUNNING).ok
    leases.renewal = NOW - timedelta(seconds=3600)
    world.clock.seconds += 29
    assert world.prober("kubelet", {}, RUNNING).ok
    world.clock.seconds += 2
    assert not world.prober("kubelet", {}, RUNNING).ok


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 503)
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), _Health)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join(5)
    server.server_close()


def test_a_real_http_status_is_read(server: HTTPServer) -> None:
    assert http_status(f"http://127.0.0.1:{server.server_port}/healthz", 2) == 200
    assert http_status(f"http://127.0.0.1:{server.server_port}/other", 2) == 503


def test_a_real_handshake_requires_tls(server: HTTPServer) -> None:
    with pytest.raises(ssl.SSLError):
        handshake("127.0.0.1", server.server_port, 2)
