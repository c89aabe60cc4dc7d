# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component needs of its host at each start, and nothing that it does not use."""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _host_probes
from ansible_collections.configok.node.plugins.module_utils._agent._host_probes import (
    kubeconfig_path,
    runtime_endpoint,
    start_problem,
)
from support.agents.runtime_socket import RuntimeSocket

CONTAINERD = "unix:///run/containerd/containerd.sock"


@pytest.mark.parametrize(
    ("component", "values", "flags", "version", "endpoint"),
    [
        ("kubelet", {}, {}, "v1.27.0", CONTAINERD),
        ("kubelet", {}, {}, "v1.20.0", ""),  # it may use Docker without a socket
        ("kubelet", {}, {}, "", ""),
        ("kubelet", {"containerRuntimeEndpoint": "unix:///a"}, {}, "v1.36.0", "unix:///a"),
        ("kubelet", {}, {"container-runtime-endpoint": "unix:///b"}, "v1.20.0", "unix:///b"),
        (
            "kubelet",
            {"containerRuntimeEndpoint": "unix:///a"},
            {"container-runtime-endpoint": "unix:///b"},
            "v1.36.0",
            "unix:///b",
        ),
        ("kube-proxy", {}, {}, "v1.36.0", ""),
    ],
)
def test_the_runtime_that_a_component_uses_is_found(
    component: str, values: dict[str, Any], flags: dict[str, str], version: str, endpoint: str
) -> None:
    assert runtime_endpoint(component, values, flags, version) == endpoint


def test_the_kubeconfig_that_a_component_uses_is_found(tmp_path: Path) -> None:
    proxy = {"clientConnection": {"kubeconfig": "/etc/proxy.conf"}}
    assert kubeconfig_path("kube-proxy", proxy, {"kubeconfig": "/ignored"}) == "/etc/proxy.conf"
    assert kubeconfig_path("kube-proxy", {}, {}) == ""
    assert kubeconfig_path("kubelet", proxy, {"kubeconfig": "/etc/kubelet.conf"}) == "/etc/kubelet.conf"
    assert kubeconfig_path("kubelet", {}, {}) == ""
    assert kubeconfig_path("etcd", proxy, {"kubeconfig": "/x"}) == ""
    flags = {"kubeconfig": str(tmp_path / "kubelet.conf"), "bootstrap-kubeconfig": str(tmp_path / "bootstrap.conf")}
    assert kubeconfig_path("kubelet", {}, flags) == flags["kubeconfig"], "after the bootstrap, the other is removed"
    Path(flags["bootstrap-kubeconfig"]).touch()
    assert kubeconfig_path("kubelet", {}, flags) == flags["bootstrap-kubeconfig"], "it makes the first one"
    Path(flags["kubeconfig"]).touch()
    assert kubeconfig_path("kubelet", {}, flags) == flags["kubeconfig"]


@pytest.fixture
def runtime() -> Iterator[RuntimeSocket]:
    """A container runtime that answers."""
    with tempfile.TemporaryDirectory(prefix="cri-") as directory:
        started = RuntimeSocket(Path(directory) / "runtime.sock")
        yield started
        started.stop()


def runtime_problem(endpoint: str) -> str:
    return start_problem("kubelet", {"containerRuntimeEndpoint": endpoint}, {}, "v1.36.0")


def test_a_runtime_is_probed_by_its_answer(runtime: RuntimeSocket) -> None:
    assert runtime_problem(runtime.endpoint) == ""
    assert runtime_problem(str(runtime.path)) == "", "the old form, without a scheme"
    runtime.stop()
    refused = f"the container runtime does not answer at {runtime.endpoint}: connection refused"
    assert runtime_problem(runtime.endpoint) == refused
    runtime.path.unlink()
    assert runtime_problem(runtime.endpoint).endswith(": no such file or directory")
    runtime.start()
    assert runtime_problem(runtime.endpoint) == ""


def test_a_runtime_that_listens_and_never_answers_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_host_probes, "_TIMEOUT", 0.1)
    with tempfile.TemporaryDirectory(prefix="cri-") as directory, socket.socket(socket.AF_UNIX) as server:
        path = f"{directory}/runtime.sock"
        server.bind(path)
        server.listen()
        assert runtime_problem(f"unix://{path}").endswith(": timed out")


def test_an_endpoint_that_is_not_a_socket_of_this_host_is_not_probed() -> None:
    assert runtime_problem("tcp://10.0.0.1:3735") == ""


def kubeconfig(path: Path, server: str, **user: Any) -> str:
    """Write a kubeconfig; return its path."""
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(json.dumps(document))
    return str(path)


def kubeconfig_problem(path: str) -> str:
    return start_problem("kube-proxy", {"clientConnection": {"kubeconfig": path}}, {}, "v1.36.0")


def test_a_kubeconfig_that_can_be_used_or_not(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "k", "https://127.0.0.1:6443")
    assert kubeconfig_problem(path) == ""
    assert kubeconfig_problem(kubeconfig(tmp_path / "k", "https://[::1]:6443")) == ""
    assert kubeconfig_problem(kubeconfig(tmp_path / "k", "https://localhost:6443")) == ""
    assert kubeconfig_problem(kubeconfig(tmp_path / "k", "https://api.invalid", exec={"command": "login"})) == ""
    (tmp_path / "k").write_text("{{{garbage")
    assert kubeconfig_problem(path) == f"the kubeconfig {path} is not YAML (line 1)"
    (tmp_path / "k").unlink()
    assert kubeconfig_problem(path) == f"the kubeconfig {path} cannot be read: No such file or directory"


def test_an_api_server_whose_name_does_not_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str, _port: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    path = kubeconfig(tmp_path / "k", "https://api.example.com:6443")
    expected = f"api.example.com, the API server in {path}, does not resolve: temporary failure in name resolution"
    assert kubeconfig_problem(path) == expected
