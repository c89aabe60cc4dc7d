# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stub kubelet: does with its config file what a kubelet does, and nothing else.

It reads one KubeletConfiguration, refuses what its own small validation refuses, serves /healthz and /configz,
registers its Node, says that it is Ready and renews its Lease. One legal value kills it: that is what a rollout must
survive.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import Any

import yaml

from product import load

VERSION = "v1.35.0"
# Valid (podsPerCore may be any number from 0), so it passes every validation; this stub exits because of it.
DEADLY_FIELD = "podsPerCore"
DEADLY_VALUE = 13
LEASE_NAMESPACE = "kube-node-lease"
LEASE_SECONDS = 40  # as the kubelet's nodeLeaseDurationSeconds
HEARTBEAT_SECONDS = 10.0  # as the kubelet: a quarter of it

_WHOLE_NUMBERS = ("maxPods", "podsPerCore", "kubeAPIBurst", "maxOpenFiles")


class InvalidConfig(ValueError):
    """The component would not start with this config file."""


def check(text: str) -> dict[str, Any]:
    """Decode and validate a config file's text. Raises InvalidConfig with the first thing that is wrong."""
    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise InvalidConfig(f"failed to decode: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(config, dict):
        raise InvalidConfig("failed to decode: not an object")
    if (config.get("apiVersion"), config.get("kind")) != ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"):
        raise InvalidConfig("failed to decode: no kind KubeletConfiguration is registered for this version")
    for field in _WHOLE_NUMBERS:
        value = config.get(field, 0)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidConfig(f"failed to decode: {field}: not a whole number")
        if value < 0:
            raise InvalidConfig(f"invalid configuration: {field} must not be a negative number")
    port = config.get("healthzPort", 10248)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise InvalidConfig("invalid configuration: healthzPort must be between 0 and 65535")
    return config


def run(argv: Sequence[str], *, write: Callable[[str], None], stop: threading.Event) -> int:
    """Run until ``stop`` is set, and return the exit code: 0, or 1 for what a kubelet would not start with.

    argv: a kubelet's flags, as far as they are known here. write: takes the log lines.
    """
    parser = argparse.ArgumentParser(prog="stub-kubelet")
    parser.add_argument("--config", required=False)
    parser.add_argument("--kubeconfig", required=False)
    parser.add_argument("--hostname-override", default="")
    parser.add_argument("--node-labels", default="")
    parser.add_argument("--starts-log", default="", help="a file that gets one line at each start, for tests")
    parser.add_argument("--version", action="store_true")
    flags = parser.parse_args(list(argv))
    if flags.version:
        write(f"Kubernetes {VERSION}")
        return 0
    if flags.starts_log:
        with open(flags.starts_log, "a", encoding="utf-8") as log:
            log.write(f"{_now()}\n")
    try:
        with open(flags.config, encoding="utf-8") as file:
            config = check(file.read())
    except (OSError, UnicodeDecodeError, InvalidConfig) as error:
        write(f"failed to run Kubelet: {flags.config}: {error}")
        return 1
    if config.get(DEADLY_FIELD) == DEADLY_VALUE:
        write(f"fatal: {DEADLY_FIELD} is {DEADLY_VALUE}, which crashes this component")
        return 255
    try:
        _serve_health(config)
    except OSError as error:
        write(f"failed to run Kubelet: healthz: {error}")
        return 1
    if flags.kubeconfig:
        labels = dict(pair.split("=", 1) for pair in flags.node_labels.split(",") if pair)
        client = _NodeClient(flags.kubeconfig, flags.hostname_override, labels)
        threading.Thread(target=client.keep_registered, args=(write, stop), daemon=True).start()
    write("started")
    stop.wait()
    return 0


def _serve_health(config: dict[str, Any]) -> None:
    if not config.get("healthzPort", 10248):
        return
    configz = json.dumps({"kubeletconfig": config}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = {"/healthz": b"ok", "/configz": configz}.get(self.path)
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(answer or b"")))
            self.end_headers()
            self.wfile.write(answer or b"")

        def log_message(self, *_args: Any) -> None:
            """Log no requests."""

    address = (config.get("healthzBindAddress", "127.0.0.1"), config.get("healthzPort", 10248))
    server = ThreadingHTTPServer(address, Handler)
    # The interval matters only for a shutdown, which never comes: the process ends.
    threading.Thread(target=server.serve_forever, args=(60.0,), daemon=True).start()


class _NodeClient:
    """Registers this component's Node and renews its Lease.

    It imports the API client when it is made: --version does not need it, and a demo starts many components at once.
    """

    def __init__(self, kubeconfig: str, name: str, labels: dict[str, str]) -> None:
        self._paths = load("_kube.api_paths")
        self._errors = load("_kube.api_errors")
        credentials = load("_kube.credentials").from_kubeconfig(kubeconfig)
        self._client = load("_kube.api_client").Client(credentials, load("_kube.transport").ClientSettings(pool_size=1))
        self._name = name
        self._labels = labels

    def keep_registered(self, write: Callable[[str], None], stop: threading.Event) -> None:
        """Register, then renew the Lease until ``stop`` is set."""
        registered = False
        while not stop.is_set():
            try:
                if not registered:
                    self._register()
                    registered = True
                self._renew_lease()
            except self._errors.KubeError as error:
                # A kubelet survives an API server that is unavailable.
                write(f"heartbeat: {error}")
            stop.wait(HEARTBEAT_SECONDS if registered else 1.0)

    def _register(self) -> None:
        labels = {**self._labels, "kubernetes.io/hostname": self._name}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self._name, "labels": labels}}
        try:
            self._client.create(self._paths.NODES, body)
        except self._errors.AlreadyExists:
            self._client.get(self._paths.node(self._name))
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "kubelet is posting ready status",
            "lastHeartbeatTime": _now(),
        }
        info = {"kubeletVersion": VERSION, "osImage": "Sandbox", "architecture": "amd64", "operatingSystem": "linux"}
        patch = {"status": {"conditions": [ready], "nodeInfo": info}}
        self._client.patch(self._paths.node_status(self._name), patch, kind="strategic")

    def _renew_lease(self) -> None:
        spec = {"holderIdentity": self._name, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": _now(micro=True)}
        try:
            self._client.patch(self._paths.lease(LEASE_NAMESPACE, self._name), {"spec": spec})
        except self._errors.NotFound:
            metadata = {"name": self._name}
            body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
            self._client.create(self._paths.leases(LEASE_NAMESPACE), body)


def _now(*, micro: bool = False) -> str:
    """Return the time in RFC 3339. A Lease's MicroTime has six digits of a second, other times have none."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")


def main() -> int:
    """Run as a process: SIGTERM and Ctrl-C end it."""
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    return run(sys.argv[1:], write=lambda line: print(line, flush=True), stop=stop)


if __name__ == "__main__":
    sys.exit(main())
