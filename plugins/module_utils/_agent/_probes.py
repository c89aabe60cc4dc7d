# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes one component: health endpoint, serving port, Lease, live config.

The addresses are those of its effective config. An API server without an answer fails no probe. The settling time and
the deadlines are the component manager's.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .._foreign import load_json
from .._kube.api_errors import KubeError, NotFound, ServerError, Unauthorized, Unreachable
from .._kube.api_paths import lease
from ._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._instance_addresses import API_SERVER, HEALTH_URL, LOOPBACK_OF_ANY, local_url
from ._interfaces import Clock, CommandRunner
from ._log import log
from ._state.health import ProbeResult, Unit

_LEASES = "kube-node-lease"
_STARTING = 30.0  # seconds after its start in which a component may not listen yet; a slow kubelet takes 20
_ATTEMPTS = 25  # to connect meanwhile, in one probe: sooner than further rounds of the loop, and at less cost
_PAUSE = 0.02  # seconds between them
_ASKS_WHO = (401, 403)
_RENEWED_WITHIN = 30.0  # seconds after an outage of the API: a kubelet renews every 10 s, and may pause for 7 s
_Answer = TypeVar("_Answer")


def health_address(component: ComponentConfiguration, effective: Mapping[str, Any]) -> str:
    """Return the URL of the component's health endpoint, or "" if it has none or it is turned off."""
    if component.health_url:
        return component.health_url
    if component.manifest:
        return str(effective.get(HEALTH_URL) or "")
    if component.name == "kubelet":
        port = effective.get("healthzPort")
        port = 10248 if port is None else port
        return local_url("http", str(effective.get("healthzBindAddress") or ""), port, "/healthz") if port else ""
    if component.name == "kube-proxy":
        address = str(effective.get("healthzBindAddress") or "0.0.0.0")
        has_port = address.startswith("[") or address.count(":") == 1  # others are IP addresses
        host, port = address.rpartition(":")[::2] if has_port else (address, "10256")
        return local_url("http", host, port, "/healthz") if port not in ("", "0") else ""
    return ""


def serving_address(component: ComponentConfiguration, effective: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return host and port of the component's TLS server, or None if it has none or the probe is turned off."""
    if not component.serving_probe or component.name != "kubelet" or effective.get("enableServer") is False:
        return None
    port = effective.get("port")
    port = 10250 if port is None else port
    host = str(effective.get("address") or "0.0.0.0")
    return (LOOPBACK_OF_ANY.get(host, host), port) if isinstance(port, int) and port else None


def _unverified_tls() -> ssl.SSLContext:
    # The probe checks that the component serves, not its identity: kubelets sign their own certificates by default.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def http_status(url: str, timeout: float) -> int:
    """Return the HTTP status of a GET, without proxies and redirects. Raises OSError, http.client.HTTPException."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, parts.port, timeout=timeout, context=_unverified_tls()
        )
    else:
        connection = http.client.HTTPConnection(host, parts.port, timeout=timeout)
    try:
        connection.request("GET", (parts.path or "/") + ("?" + parts.query if parts.query else ""))
        return connection.getresponse().status
    finally:
        connection.close()


def handshake(host: str, port: int, timeout: float) -> None:
    """Shake hands as a TLS client and hang up. Raises OSError (ssl.SSLError is one)."""
    with socket.create_connection((host, port), timeout=timeout) as plain, _unverified_tls().wrap_socket(plain):
        pass


class HealthProber:
    """Implements the Prober protocol."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        clock: Clock,
        client: Any = None,
        *,
        timeout: float = 2.0,
        http_status: Callable[[str, float], int] = http_status,
        handshake: Callable[[str, int, float], None] = handshake,
        wall: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        live: Callable[[str, str], ProbeResult | None] | None = None,
        served: Callable[[str], ProbeResult | None] | None = None,
        reloaded: Callable[[str, Unit], ProbeResult | None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Create a prober. client: a _kube Client, or None to skip the Lease. timeout: seconds for each connection.

        live: (component, invocation) -> a failure if its live config differs from its file; None to skip that.
        served: address of this node's API server -> a failure if it refuses this node; None to skip that.
        reloaded: that address, and its Pod -> a failure if it does not use a file of its options; None to skip that.
        """
        self._configuration = configuration
        self._clock = clock
        self._client = client
        self._timeout = timeout
        self._http_status = http_status
        self._handshake = handshake
        self._wall = wall
        self._live = live
        self._served = served
        self._reloaded = reloaded
        self._sleep = sleep
        self._renewed: dict[str, str] = {}  # component -> invocation whose Lease was renewed: checked once
        self._unanswered_at = float("-inf")  # when the API server last gave no answer about a Lease
        self._settling: dict[str, str] = {}  # component -> invocation whose first Lease check was skipped

    def __call__(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        """Probe once, and return the first failure. effective: the decoded config that the component reads."""
        known = self._configuration.components[component]
        if unit.state != "active":
            return ProbeResult(False, f"{unit.name} is {unit.state}")
        now, since = self._clock.since_boot(), unit.active_since
        attempts = _ATTEMPTS if since is not None and now - since < _STARTING else 1
        return (
            self._health(known, effective, attempts)
            or self._serving(known, effective, attempts)
            or self._lease(known, unit)
            or self._compared(known, unit)
            or self._has_reloaded(known, effective, unit)
            or self._serves_node(known, effective)
            or _OK
        )

    def _connected(self, connect: Callable[[], _Answer], attempts: int) -> _Answer:
        """Return the result of connect(), which is tried up to `attempts` times while nothing listens."""
        for _attempt in range(attempts - 1):
            try:
                return connect()
            except ConnectionRefusedError:
                self._sleep(_PAUSE)
        return connect()

    def _health(
        self, component: ComponentConfiguration, effective: Mapping[str, Any], attempts: int
    ) -> ProbeResult | None:
        url = health_address(component, effective)
        if not url:
            return None
        try:
            status = self._connected(lambda: self._http_status(url, self._timeout), attempts)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return ProbeResult(False, f"{url}: {_error_text(error)}")
        if component.manifest and status in _ASKS_WHO:
            return None  # without anonymous requests; this node's own show what it serves
        return None if 200 <= status < 300 else ProbeResult(False, f"{url}: answers {status}")

    def _serving(
        self, component: ComponentConfiguration, effective: Mapping[str, Any], attempts: int
    ) -> ProbeResult | None:
        address = serving_address(component, effective)
        if address is None:
            return None
        try:
            self._connected(lambda: self._handshake(address[0], address[1], self._timeout), attempts)
        except OSError as error:
            return ProbeResult(False, f"serving port {address[1]}: {_error_text(error)}")
        return None

    def _serves_node(self, component: ComponentConfiguration, effective: Mapping[str, Any]) -> ProbeResult | None:
        if self._served is None or not component.manifest or component.name != API_SERVER:
            return None
        return self._served(health_address(component, effective))

    def _has_reloaded(
        self, component: ComponentConfiguration, effective: Mapping[str, Any], unit: Unit
    ) -> ProbeResult | None:
        if self._reloaded is None or not component.manifest or component.name != API_SERVER:
            return None
        return self._reloaded(health_address(component, effective), unit)

    def _compared(self, component: ComponentConfiguration, unit: Unit) -> ProbeResult | None:
        return self._live(component.name, unit.invocation) if self._live and component.name == "kubelet" else None

    def _lease(self, component: ComponentConfiguration, unit: Unit) -> ProbeResult | None:
        if not component.lease or self._client is None or unit.active_since is None:
            return None
        if unit.invocation and self._renewed.get(component.name) == unit.invocation:
            return None
        if self._configuration.settling_time > 0 and self._settling.get(component.name) != unit.invocation:
            # The kubelet renews it a moment after it serves. The next probe, without which nothing settles, needs one
            # request only.
            self._settling[component.name] = unit.invocation
            return None
        name = self._configuration.node_name
        try:
            lease_object = self._client.get(lease(_LEASES, name))
        except NotFound:
            return ProbeResult(False, f"Lease {_LEASES}/{name} is not there")
        except KubeError as error:
            if isinstance(error, (Unreachable, ServerError, Unauthorized)):
                self._unanswered_at = self._clock.since_boot()
            return None  # without an answer, the Lease shows nothing
        renewed = _parse_micro_time((lease_object.get("spec") or {}).get("renewTime"))
        now = self._clock.since_boot()
        if renewed is None or (self._wall() - renewed).total_seconds() > now - unit.active_since:
            if now - self._unanswered_at < _RENEWED_WITHIN:
                return None  # the kubelet had no answer, either
            return ProbeResult(False, f"Lease {_LEASES}/{name} was not renewed since the restart")
        self._renewed[component.name] = unit.invocation
        return None


_OK = ProbeResult(True)


def _error_text(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:150].lower()


def _parse_micro_time(text: Any) -> datetime | None:
    """Return a MicroTime of the API, or None if the text is not one."""
    if not isinstance(text, str) or not text.endswith("Z"):
        return None
    try:
        return datetime.fromisoformat(text[:-1]).replace(tzinfo=timezone.utc)  # strptime costs half a megabyte
    except ValueError:
        return None


_TIMEOUT = 5.0  # seconds: less than a probe may take


class LiveConfigProbe:
    """Compares the kubelet's live config with its file: runs ``configok-agent compare --json`` once per invocation."""

    def __init__(self, runner: CommandRunner, argv: Sequence[str]) -> None:
        """Create a probe. argv: the command without its arguments ``--json COMPONENT``."""
        self._runner = runner
        self._argv = tuple(argv)
        self._compared: dict[str, str] = {}  # component -> invocation whose live config is that of its file
        self._last_reason = ""

    def __call__(self, component: str, invocation: str) -> ProbeResult | None:
        """Return the first difference as a failure; None if there is none, or if the command gives no usable answer."""
        if invocation and self._compared.get(component) == invocation:
            return None
        result = self._runner([*self._argv, "--json", component], timeout=_TIMEOUT)
        try:
            answer = load_json(result.out)
            differences, unknown = list(answer["differences"]), str(answer["unknown"])
        except (ValueError, KeyError, TypeError):
            differences, unknown = [], " ".join(result.err.split())[-200:] or f"exit {result.code}"
        if unknown and unknown != self._last_reason:
            self._last_reason = unknown
            log.warning("the live config was not compared: %s", unknown, extra={"component": component})
        if not differences:
            self._compared[component] = invocation
            return None
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        return ProbeResult(False, f"live config: {differences[0]}{more}")
