# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real API server shows by its metrics that it has read a file again, or that it refuses it."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._agent import _reload_proof
from ansible_collections.configok.node.plugins.module_utils._agent._instance_client import InstanceClients
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    Reload,
    WrittenManifest,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._reload_proof import ReloadProof
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import SystemClock
from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._static_pods.reload_metrics import (
    ReloadState,
    read_reload_metrics,
    reload_state,
)
from support.api.binaries import minor_of
from support.api.clusters import prepare
from support.api.issuer import RELOADS_SINCE, Issuer
from support.api.pki import Authority
from support.api.servers import Real
from support.session.unavailable import leave_out_of_this_release

FLAG = "authentication-config"
NODE = "n1"
HASH_SINCE = 34


class Reloading:
    """An API server with a file that it reads again, and the agent's proof."""

    def __init__(self, api: Real, issuer: Issuer, file: Path, directory: Path) -> None:
        self.api, self.issuer, self.file = api, issuer, file
        self.store = Store(str(directory), now=lambda: "now")
        clients = InstanceClients(from_kubeconfig(api.node_kubeconfig(NODE)), Client)
        self.proof = ReloadProof(self.store, SystemClock(), clients, command_line=self.command_line)
        self.reload = Reload()
        self.unit = Unit("static Pod kube-apiserver", "active", "1", os.getpid(), active_since=0.0)

    def command_line(self, _pid: int) -> list[str]:
        """Return the arguments of the API server that name the file."""
        return ["kube-apiserver", f"--{FLAG}={self.file}"]

    def write(self, data: bytes, *, back: bool = False) -> None:
        """Replace the file as the agent does. back: whether that takes the content before back."""
        content, clock = hashlib.sha256(data).hexdigest(), SystemClock()
        tried = self.reload.since if back else 0.0
        self.reload = Reload(str(self.file), FLAG, content, clock.since_boot(), clock.boot_id(), tried)
        note = ManifestNote(written=WrittenManifest(reloaded={str(self.file): content}), reload=self.reload)
        write_manifest_note(self.store, "kube-apiserver", note)
        temporary = self.file.with_name(".new")
        temporary.write_bytes(data)
        os.rename(temporary, self.file)

    def probe(self) -> ProbeResult | None:
        return self.proof(f"{self.api.url}/readyz", self.unit)

    def end(self) -> ProbeResult | None:
        """Probe until the reload is decided."""
        while True:
            result = self.probe()
            if result is None or result.is_final:
                return result
            time.sleep(0.2)

    def state_by_time(self) -> ReloadState:
        """Return what releases before 1.34 show, whose metrics have no hash."""
        with closing(self.api.client().stream("/metrics", read_timeout=5)) as lines:
            metrics = read_reload_metrics(lines, [FLAG])[FLAG]._replace(in_use="")
        since = time.time() - SystemClock().since_boot() + self.reload.since
        return reload_state(metrics, content=self.reload.content, since=since)

    def wait_until_read(self) -> None:
        """Wait until the API server has read what takes a content back, which it would report of the next one."""
        ends = time.monotonic() + 30
        while self.state_by_time() is not ReloadState.IN_USE:
            assert time.monotonic() < ends
            time.sleep(0.2)

    def content(self, prefix: str, **options: str) -> bytes:
        """Return another content of the file."""
        return yaml.safe_dump(self.issuer.document(prefix, self.api.minor, **options)).encode()


@pytest.fixture(scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Real, Issuer, Path] | str]:
    """An API server that reads a file again, its issuer and the file, or the reason why there is none."""
    minor = minor_of("kube-apiserver")
    if minor < RELOADS_SINCE:
        yield f"kube-apiserver is 1.{minor}, and reads {FLAG} again since 1.{RELOADS_SINCE}"
        return
    directory = tmp_path_factory.mktemp("reload")
    issuer, file = Issuer(Authority(directory / "issuer")), directory / "authentication.yaml"
    file.write_text(yaml.safe_dump(issuer.document("a:", minor)))
    server = Real(directory / "api", flags=[f"--{FLAG}={file}"])
    yield server, issuer, file
    server.stop()
    issuer.stop()


@pytest.fixture
def reloading(request: pytest.FixtureRequest, tmp_path: Path) -> Reloading:
    request.getfixturevalue("real_api")  # so that its absence is reported as for every other test
    parts = request.getfixturevalue("_server")
    if isinstance(parts, str):
        leave_out_of_this_release(request, parts)
    server, issuer, file = parts
    with server.client() as admin:
        prepare(admin, Access(control_plane_nodes=[NODE]))
    reloading = Reloading(server, issuer, file, tmp_path)
    assert reloading.probe() is None
    assert reloading.proof.can_show()
    return reloading


def test_a_content_that_is_taken_is_shown(reloading: Reloading) -> None:
    for prefix in ("b:", "c:", "a:"):
        reloading.write(reloading.content(prefix))
        assert reloading.end() is None
        assert reloading.state_by_time() is ReloadState.IN_USE


def test_a_content_that_another_program_has_written_is_in_use_and_not_the_one_of_the_agent(
    reloading: Reloading, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Only from 1.34 on, the metrics say which content is in use."""
    if reloading.api.minor < HASH_SINCE:
        why = f"kube-apiserver is 1.{reloading.api.minor}, and shows the content in use since 1.{HASH_SINCE}"
        leave_out_of_this_release(request, why)
    monkeypatch.setattr(_reload_proof, "_COMPARE_EVERY", 0.5)
    before = reloading.content("e:")
    reloading.write(before)
    assert reloading.end() is None
    reloading.file.write_bytes(reloading.content("f:"))
    ends = time.monotonic() + 90  # it looks at the file once a minute unless the kernel reports a change
    while reloading.probe() is None:
        assert time.monotonic() < ends
        time.sleep(0.2)
    result = reloading.probe()
    assert result is not None
    assert f"it uses another content of {reloading.file}" in result.detail
    reloading.file.write_bytes(before)
    while reloading.probe() is not None:
        assert time.monotonic() < ends + 90
        time.sleep(0.2)


@pytest.mark.parametrize("problem", ["no document", "empty", "no issuer"])
def test_a_content_that_is_not_taken_is_a_failure_and_the_one_before_is_in_use(
    reloading: Reloading, problem: str
) -> None:
    before = reloading.file.read_bytes()
    unreachable = reloading.content("d:", url="https://127.0.0.1:1")
    reloading.write({"no document": b"no document", "empty": b"", "no issuer": unreachable}[problem])
    result = reloading.end()
    assert result is not None
    assert f"it refuses {reloading.file}" in result.detail
    assert reloading.state_by_time() is ReloadState.REFUSED
    reloading.write(before, back=True)
    assert reloading.end() is None
    if problem != "no issuer":  # the API server has asked for it for a minute, and has kept the content before
        reloading.wait_until_read()


def test_a_node_that_may_not_read_the_metrics_can_show_nothing(reloading: Reloading) -> None:
    with reloading.api.client() as admin:
        prepare(admin, Access(control_plane_nodes=[]))
    assert not reloading.proof.can_show()
