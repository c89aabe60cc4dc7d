# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Prometheus and a real Alertmanager on loopback, and metrics for them that tests set.

metrics = Metrics()
with metrics, Prometheus(directory, metrics.address) as prometheus:
    metrics.set('errors{node="a"}', 1)
    prometheus.wait_for("errors == 1")
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
import yaml
from ports import free_port

from ..api.binaries import Unavailable, find
from ..session.unavailable import leave_out

__all__ = ["Alertmanager", "Metrics", "Prometheus"]

_SCRAPE = "200ms"
_DEADLINE = 30.0  # seconds until a server is ready, or has seen a value


class Metrics:
    """An exporter: serves the samples that a test sets. `address` is its host and port."""

    def __init__(self) -> None:
        self._samples: dict[str, float] = {}
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = "".join(f"{name} {value}\n" for name, value in list(exporter._samples.items())).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Metrics:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def set(self, sample: str, value: float) -> None:
        """Set a sample by its name with labels, as in the exposition format."""
        self._samples[sample] = value

    def clear(self) -> None:
        """Remove all samples: Prometheus marks them as stale."""
        self._samples.clear()


class _Server:
    """A server in a process of its own, which keeps its data in `directory`."""

    program: str
    ready: str

    def __init__(self, directory: Path, *, scheme: str = "http", ca_file: Path | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._port = free_port()
        self.address = f"127.0.0.1:{self._port}"
        self.url = f"{scheme}://{self.address}"
        self._ca_file = ca_file
        self._http = urllib3.PoolManager(ca_certs=str(ca_file) if ca_file else None)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def command(self) -> list[str]:
        """Return the program with its options."""
        raise NotImplementedError

    def start(self) -> None:
        """Start it and wait until it is ready; if it is missing, skip the test, or fail it in CI."""
        command = self.command()
        log = self.directory / "log"
        with open(log, "ab") as stream:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
        try:
            self._wait(lambda: self.get(self.ready)[0] == 200, f"{self.program} is not ready")
        except AssertionError as error:
            self.stop()
            raise AssertionError(f"{error}: {log.read_text()[-2000:]}") from None

    def stop(self) -> None:
        """Kill it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(30)

    def get(self, path: str) -> tuple[int, bytes]:
        """Return status and body of a path; 0 without an answer."""
        try:
            answer = self._http.request("GET", self.url + path, retries=False, timeout=5.0)
        except urllib3.exceptions.HTTPError:
            return 0, b""
        return answer.status, answer.data

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _DEADLINE
        while not is_done():
            if self._process is None or self._process.poll() is not None:
                raise AssertionError(f"{self.program} has ended")
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} after {_DEADLINE:.0f}s")
            time.sleep(0.05)


class Alertmanager(_Server):
    """An Alertmanager that notifies no receiver."""

    program = "prometheus-alertmanager"
    ready = "/-/ready"

    def command(self) -> list[str]:
        config = self.directory / "alertmanager.yml"
        config.write_text(yaml.safe_dump({"route": {"receiver": "none"}, "receivers": [{"name": "none"}]}))
        return [
            str(_find(self.program, "alertmanager")),
            f"--config.file={config}",
            f"--storage.path={self.directory / 'data'}",
            f"--web.listen-address={self.address}",
            "--cluster.listen-address=",
        ]

    def silence(self, alert: str) -> None:
        """Silence the alerts of this name for an hour."""
        now = time.time()
        body = {
            "matchers": [{"name": "alertname", "value": alert, "isRegex": False, "isEqual": True}],
            "startsAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
            "endsAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 3600)),
            "createdBy": "test",
            "comment": "test",
        }
        answer = self._http.request(
            "POST",
            f"{self.url}/api/v2/silences",
            body=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status == 200, answer.data

    def wait_for(self, alert: str) -> None:
        """Wait until an alert of this name has arrived."""

        def has_arrived() -> bool:
            _status, body = self.get("/api/v2/alerts")
            return any(item["labels"]["alertname"] == alert for item in json.loads(body or b"[]"))

        self._wait(has_arrived, f"the alert {alert} has not arrived")


class Prometheus(_Server):
    """A Prometheus that scrapes one exporter. alerts: rules, an expression by name, each with labels {team: test}.

    alertmanager: the address of one. tls: files of a certificate and its key, with the CA of both.
    """

    program = "prometheus"
    ready = "/-/ready"

    def __init__(
        self,
        directory: Path,
        exporter: str,
        *,
        alerts: Mapping[str, str] | None = None,
        alertmanager: str = "",
        tls: tuple[Path, Path, Path] | None = None,
    ) -> None:
        super().__init__(directory, scheme="https" if tls else "http", ca_file=tls[2] if tls else None)
        self._exporter = exporter
        self._alerts = dict(alerts or {})
        self._alertmanager = alertmanager
        self._tls = tls

    def command(self) -> list[str]:
        rules = [
            {"alert": name, "expr": expression, "labels": {"team": "test"}} for name, expression in self._alerts.items()
        ]
        config: dict[str, Any] = {
            "global": {"scrape_interval": _SCRAPE, "scrape_timeout": _SCRAPE, "evaluation_interval": _SCRAPE},
            "scrape_configs": [{"job_name": "test", "static_configs": [{"targets": [self._exporter]}]}],
            "rule_files": [self._write("rules.yml", {"groups": [{"name": "test", "rules": rules}]})],
        }
        if self._alertmanager:
            targets = [{"static_configs": [{"targets": [self._alertmanager]}]}]
            config["alerting"] = {"alertmanagers": targets}
        options = [
            f"--config.file={self._write('prometheus.yml', config)}",
            f"--storage.tsdb.path={self.directory / 'data'}",
            f"--web.listen-address={self.address}",
            # The first alerts are sent before the Alertmanager is known; they would be repeated after a minute.
            "--rules.alert.resend-delay=1s",
        ]
        if self._tls:
            certificate, key, _ca_file = self._tls
            web = {"tls_server_config": {"cert_file": str(certificate), "key_file": str(key)}}
            options.append(f"--web.config.file={self._write('web.yml', web)}")
        return [str(_find(self.program)), *options]

    def wait_for(self, query: str) -> None:
        """Wait until a query has a result."""

        def has_result() -> bool:
            status, body = self.get(f"/api/v1/query?{urlencode({'query': query})}")
            return status == 200 and bool(json.loads(body)["data"]["result"])

        self._wait(has_result, f"{query} has no result")

    def wait_for_rules(self, condition: Callable[[Sequence[Mapping[str, Any]]], bool]) -> None:
        """Wait until all rules are evaluated and meet a condition."""

        def is_met() -> bool:
            _status, body = self.get("/api/v1/rules")
            rules = [rule for group in json.loads(body)["data"]["groups"] for rule in group["rules"]] if body else []
            return bool(rules) and all(rule["health"] != "unknown" for rule in rules) and condition(rules)

        self._wait(is_met, "the rules are not as they should be")

    def _write(self, name: str, content: Any) -> str:
        path = self.directory / name
        path.write_text(yaml.safe_dump(content))
        return str(path)


def _find(*programs: str) -> Path:
    """Return the path of the first program that exists; without one, skip the test, or fail it in CI."""
    for program in programs:
        with suppress(Unavailable):
            return find(program, made_by="prepare-prometheus")
    return leave_out(f"{programs[0]} was not found (tests/support/bin/prepare-prometheus makes it available)")
