# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compare: the real command, and a server that answers as a kubelet does, with TLS and client certificates."""

from __future__ import annotations

import hashlib
import http.server
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.api.pki import Authority
from support.configs.kubelet import KUBELET_HEADER

pytestmark = pytest.mark.contract("probe.configz")


class Kubelet:
    """Serves /configz to clients that the authority knows, with a status and a config of the test's choice."""

    def __init__(self, directory: Path) -> None:
        self.status = 200
        self.config: dict[str, Any] = {"maxPods": 50}
        self.peers: list[str] = []
        authority = Authority(directory)
        self.authority = authority
        certificate, key = authority.issue_files("server", "kubelet", addresses=["127.0.0.1"])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(authority.ca_file)
        context.verify_mode = ssl.CERT_OPTIONAL
        kubelet = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                subject = dict(part[0] for part in (self.connection.getpeercert() or {}).get("subject", ()))
                kubelet.peers.append(f"{self.path} {subject.get('commonName')}")
                body = json.dumps({"kubeletconfig": kubelet.config}).encode()
                self.send_response(kubelet.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])


@pytest.fixture
def kubelet(tmp_path: Path) -> Iterator[Kubelet]:
    (tmp_path / "pki").mkdir()
    kubelet = Kubelet(tmp_path / "pki")
    yield kubelet
    kubelet.server.shutdown()
    kubelet.server.server_close()


@pytest.fixture
def node(make_node: Callable[..., Any], kubelet: Kubelet, tmp_path: Path) -> Any:
    """A node whose kubelet was given a config that names the server's port."""
    certificate, key = kubelet.authority.issue_files("client", "system:node:n1", ["system:nodes"])
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"client-certificate": str(certificate), "client-key": str(key)}}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
    node = make_node(str(tmp_path / "kubeconfig"))
    settings = json.loads((node.directory / "agent.yaml").read_text())
    settings["components"]["kubelet"]["servingProbe"] = True
    (node.directory / "agent.yaml").write_text(json.dumps(settings))
    node.config.parent.mkdir(parents=True)
    node.config.write_text(f"{KUBELET_HEADER}port: {kubelet.port}\nmaxPods: 50\n")
    kubelet.config["port"] = kubelet.port
    return node


def test_the_kubelet_is_queried_with_the_nodes_own_certificate(node: Any, kubelet: Kubelet) -> None:
    result = node.call("compare", "kubelet")
    assert (result.returncode, result.stdout) == (0, "the live config is what the file says\n"), result.stderr
    assert kubelet.peers == ["/configz system:node:n1"]
    kubelet.config["maxPods"] = 110
    result = node.call("compare", "kubelet")
    assert (result.returncode, result.stdout) == (1, "maxPods: is 110, and 50 was given\n")


def test_a_flag_that_overrides_the_file_is_not_a_difference(node: Any, kubelet: Kubelet) -> None:
    kubelet.config["maxPods"] = 20
    name = hashlib.sha256(node.config.read_bytes()).hexdigest()
    (node.config.parent / f"{name}.json").write_text(json.dumps({"fields": ["maxPods", "port"]}))
    (node.config.parent / "command-line.json").write_text(json.dumps({"argv": ["kubelet", "--max-pods=20"]}))
    result = node.call("compare", "kubelet")
    assert (result.returncode, result.stdout) == (0, "the live config is what the file says\n")


@pytest.mark.parametrize("status", [401, 403])
def test_a_kubelet_that_denies_access_leaves_the_result_unknown(node: Any, kubelet: Kubelet, status: int) -> None:
    kubelet.status = status
    result = node.call("compare", "--json", "kubelet")
    assert result.returncode == 2
    answer = json.loads(result.stdout)
    assert (answer["differences"], "grant nodes/configz" in answer["unknown"]) == ([], True)


def test_a_missing_kubelet_is_reported_in_one_sentence(node: Any, kubelet: Kubelet) -> None:
    kubelet.server.shutdown()
    kubelet.server.server_close()
    result = node.call("compare", "kubelet")
    assert (result.returncode, result.stdout.count("\n"), result.stderr) == (2, 1, "")
    assert f"https://127.0.0.1:{kubelet.port}/configz" in result.stdout
