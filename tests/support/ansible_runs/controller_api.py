# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a controller's API that ansible-rulebook uses to launch job templates, and nothing behind it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlparse

__all__ = ["ControllerApi", "Launch", "controller_api"]


class Launch(NamedTuple):
    """A job: its template, its extra variables, and when it began and ends, in seconds of a monotonic clock."""

    template: str
    variables: dict[str, Any]
    began: float
    ends: float


class ControllerApi:
    """The job templates of a controller, and the jobs that were launched."""

    def __init__(self, templates: Sequence[str], job_seconds: float) -> None:
        """Have templates of these names, whose jobs take this long."""
        self.launches: list[Launch] = []
        self.hooks: list[dict[str, Any]] = []
        self.url = ""
        self._lock = threading.Lock()
        self._templates = list(templates)
        self._job_seconds = job_seconds

    def get(self, path: str, query: dict[str, list[str]]) -> dict[str, Any]:
        """Return the answer to a GET."""
        if path.endswith("/unified_job_templates/"):
            names = [name for name in self._templates if name == query.get("name", [""])[0]]
            return {"results": [self._template(name) for name in names], "next": None}
        if "id__in" in query:
            return {"results": [self._job(int(number)) for number in query["id__in"][0].split(",")]}
        return {"version": "24.6.1"}

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Launch a job, or keep what was posted to /hook."""
        if path == "/hook":
            self.hooks.append(body)
            return {}
        now = time.monotonic()
        template = self._templates[int(path.rstrip("/").split("/")[-2])]
        with self._lock:
            self.launches.append(Launch(template, body.get("extra_vars") or {}, now, now + self._job_seconds))
            return self._job(len(self.launches) - 1)

    def _template(self, name: str) -> dict[str, Any]:
        number = self._templates.index(name)
        asks = dict.fromkeys(("ask_limit_on_launch", "ask_labels_on_launch", "ask_inventory_on_launch"), False)
        return {
            "id": number,
            "type": "job_template",
            "name": name,
            "ask_variables_on_launch": False,
            **asks,
            "related": {"launch": f"/api/v2/job_templates/{number}/launch/"},
            "summary_fields": {"organization": {"name": "Default"}},
        }

    def _job(self, number: int) -> dict[str, Any]:
        has_ended = time.monotonic() >= self.launches[number].ends
        return {
            "id": number,
            "url": f"/api/v2/jobs/{number}/",
            "status": "successful" if has_ended else "running",
            "created": "2026-01-01T00:00:00Z",
            "artifacts": {},
        }


@contextmanager
def controller_api(templates: Sequence[str], *, job_seconds: float = 0.0) -> Iterator[ControllerApi]:
    """Serve the API on loopback."""
    api = ControllerApi(templates, job_seconds)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlparse(self.path)
            self._answer(api.get(parts.path, parse_qs(parts.query)))

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answer(api.post(self.path, json.loads(text or b"{}")))

        def _answer(self, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()
