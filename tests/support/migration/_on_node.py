# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a test node: starts kubelets, many at a time, and asks each for its /configz.

Reads JSON from standard input: `workers`, and `runs`, each a list of name, arguments, port, and files (path in
/etc/kubernetes or /var/lib/kubelet to text). Writes JSON: name to a pair of the config, or null, and the kubelet's last
output.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

_HOME = Path("/var/tmp/migration")
_CERTIFICATE = "/etc/kubernetes/own.pem"  # certificate and key, for a client and for our server
_PLACES = {"/var/lib/kubelet": "state", "/etc/kubernetes": "etc"}
# Separate network and mounts, and writable control groups.
_ENTER = r"""
ip link set lo up
for pair in /var/lib/kubelet:state /etc/kubernetes:etc; do mount --bind "$1/${pair#*:}" "${pair%:*}" || exit 99; done
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw "$hierarchy" 2>/dev/null; done
exec python3 "$2" "$1"
"""
_LONGEST = 60.0  # seconds
_POLL = 0.2
_FATAL = re.compile(r"^(?:F\d{4} .*|panic: .*)$", re.MULTILINE)
_API = ("127.0.0.1", 6443)


class _Api(BaseHTTPRequestHandler):
    """An API server that accepts every identity and allows every request."""

    def do_GET(self) -> None:
        self._answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))  # protobuf; the path is sufficient, and JSON is accepted
        *_above, group, api_version, resource = self.path.partition("?")[0].split("/")
        answers = {
            "tokenreviews": ("TokenReview", {"authenticated": True, "user": {"username": "somebody"}}),
            "subjectaccessreviews": ("SubjectAccessReview", {"allowed": True}),
        }
        if resource not in answers:
            self.do_GET()
            return
        kind, status = answers[resource]
        self._answer(201, {"kind": kind, "apiVersion": f"{group}/{api_version}", "spec": {}, "status": status})

    def do_PATCH(self) -> None:
        self.do_GET()

    def _answer(self, code: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""


def _serve_api() -> None:
    server = HTTPServer(_API, _Api)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _ask(port: int) -> Any:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(_CERTIFICATE)
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)
    try:
        connection.request("GET", "/configz", headers={"Authorization": "Bearer token"})
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise OSError(f"/configz answered {answer.status} {text[:200]!r}")
    return json.loads(text)["kubeletconfig"]


def run_one(place: Path) -> None:
    """Start a kubelet in its own namespaces, and write its config, or the reason why it has none."""
    run = json.loads((place / "run.json").read_text())
    _serve_api()
    log = place / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["kubelet", *run["words"]], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/"
        )
        config, why = _watch(process, run["port"])
        process.kill()
        process.wait()
    message = "" if config is not None else f"{why}: {_last_words(log.read_text(errors='replace'))}"
    (place / "answer.json").write_text(json.dumps([config, message]))


def _watch(process: subprocess.Popen[bytes], port: int) -> tuple[Any, str]:
    deadline = time.monotonic() + _LONGEST
    why = "it was too slow"
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return None, f"it ended with {process.returncode}"
        try:
            return _ask(port), ""
        except (OSError, http.client.HTTPException) as error:
            why = str(error)
        time.sleep(_POLL)
    return None, why


def _last_words(text: str) -> str:
    fatal = _FATAL.search(text)
    return fatal.group() if fatal is not None else text[-1000:]


def _run(number: int, words: list[str], port: int, files: dict[str, str]) -> Any:
    place = _HOME / str(number)
    (place / "state").mkdir(parents=True)
    shutil.copytree("/etc/kubernetes", place / "etc")
    for path, text in files.items():
        root = next(place for place in _PLACES if path.startswith(f"{place}/"))
        target = place / _PLACES[root] / path[len(root) + 1 :]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    (place / "run.json").write_text(json.dumps({"words": words, "port": port}))
    enter = ["unshare", "--net", "--mount", "--propagation", "slave", "sh", "-c", _ENTER, "sh", str(place), __file__]
    done = subprocess.run(enter, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    answer = place / "answer.json"
    answers = json.loads(answer.read_text()) if answer.exists() else [None, (done.stderr or done.stdout)[-3000:]]
    shutil.rmtree(place, ignore_errors=True)
    return answers


def main() -> None:
    """Run all kubelets and write the answers."""
    request: dict[str, Any] = json.load(sys.stdin)
    shutil.rmtree(_HOME, ignore_errors=True)
    with ThreadPoolExecutor(request["workers"]) as pool:
        runs = {
            name: pool.submit(_run, number, words, port, files)
            for number, (name, words, port, files) in enumerate(request["runs"])
        }
    json.dump({name: run.result() for name, run in runs.items()}, sys.stdout)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if len(sys.argv) > 1:
        run_one(Path(sys.argv[1]))
    else:
        main()
