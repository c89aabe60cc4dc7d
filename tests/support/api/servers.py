# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API servers for tests: the embedded one and the real one, behind the same few words.

api = start_embedded(directory)            # or start_real(directory), which raises Unavailable
api.url, api.kind, api.admin_kubeconfig
api.kubeconfig_for("system:node:n1", groups=["system:nodes"])
api.node_kubeconfig("n1")
api.client()                               # our own client, as system:masters or as `user`
api.wire("alice")                          # bare HTTP, for the contract suite
api.stop()
"""

from __future__ import annotations

import abc
import base64
import contextlib
import json
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import urllib3
from ports import free_port, free_ports

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings
from embedded_apiserver.server import EmbeddedApiServer
from support.api.audit import audit_flags
from support.api.binaries import Unavailable, find, release_of
from support.api.pki import Authority
from support.api.wire import Wire
from support.session.patience import LONGEST_WAIT

__all__ = ["ADMIN", "ApiServer", "Embedded", "Real", "Unavailable", "start_embedded", "start_real"]

ADMIN = "admin"
_MASTERS = ("system:masters",)


class ApiServer(abc.ABC):
    """What both servers have in common. Files are kept in `directory`."""

    kind: str
    url: str
    ca_file: Path | None

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.directory.mkdir(parents=True, exist_ok=True)
        self._wires: list[Wire] = []

    @abc.abstractmethod
    def _user(self, user: str, groups: Sequence[str]) -> dict[str, str]:
        """Return the `user` part of a kubeconfig."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Stop it (to start it again: `Embedded.server`, `Real.start`)."""

    @abc.abstractmethod
    def compact(self) -> None:
        """Forget the history: what continues from an older version (watch, list) gets 410."""

    @property
    def admin_kubeconfig(self) -> str:
        """The path of a kubeconfig of group system:masters."""
        return self.kubeconfig_for(ADMIN, _MASTERS)

    def kubeconfig_for(self, user: str, groups: Sequence[str] = (), path: str | Path | None = None) -> str:
        """Write a kubeconfig file for a user in groups; the same file again for the same user. Returns its path."""
        stem = re.sub(r"[^A-Za-z0-9.-]", "_", "+".join((user, *groups)))
        target = Path(path) if path is not None else self.directory / f"{stem}.kubeconfig"
        if path is None and target.exists():
            return str(target)
        cluster = {"server": self.url}
        if self.ca_file is not None:
            cluster["certificate-authority-data"] = base64.b64encode(self.ca_file.read_bytes()).decode()
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": user, "user": self._user(user, groups)}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
        }
        target.touch(mode=0o600)
        target.write_text(json.dumps(config, indent=2))
        return str(target)

    def node_kubeconfig(self, node: str, path: str | Path | None = None) -> str:
        """Return the path of a kubeconfig like that of the node's kubelet."""
        return self.kubeconfig_for(f"system:node:{node}", ["system:nodes"], path)

    def client(self, user: str = ADMIN, groups: Sequence[str] = (), **options: Any) -> Client:
        """Our own client, as that user."""
        groups = groups or (_MASTERS if user == ADMIN else ())
        return Client(from_kubeconfig(self.kubeconfig_for(user, groups)), ClientSettings(**options))

    def wire(self, user: str = ADMIN, groups: Sequence[str] = ()) -> Wire:
        """Bare HTTP as that user; an empty name means without credentials."""
        groups = groups or (_MASTERS if user == ADMIN else ())
        parts = self._user(user, groups) if user else {}
        wire = Wire(self.url, self.ca_file, parts, self.directory)
        self._wires.append(wire)
        return wire

    def node_wire(self, node: str) -> Wire:
        """Bare HTTP as that node."""
        return self.wire(f"system:node:{node}", ["system:nodes"])

    def __enter__(self) -> ApiServer:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def _close_wires(self) -> None:
        for wire in self._wires:
            wire.close()
        self._wires.clear()


class Embedded(ApiServer):
    """The embedded server in this process; `server` has its hooks (intercept, requests, compact, stop and start)."""

    kind = "embedded"

    def __init__(self, directory: Path, *, tls: bool = False, **options: Any) -> None:
        super().__init__(directory)
        self.ca_file = None
        self.authority: Authority | None = None
        if tls:
            self.authority = Authority(directory / "pki")
            self.ca_file = self.authority.ca_file
            certificate, key = self.authority.issue_files("server", "server", addresses=["127.0.0.1", "localhost"])
            options.update(
                tls_cert_file=str(certificate), tls_key_file=str(key), client_ca_file=str(self.authority.ca_file)
            )
        self.server = EmbeddedApiServer(**options).start()
        self.url = self.server.url

    def _user(self, user: str, groups: Sequence[str]) -> dict[str, str]:
        if self.authority is not None:
            return _certificate_user(self.authority, user, groups)
        token = "+".join((user, *groups))
        self.server.add_token(token, user, groups)
        return {"token": token}

    def compact(self) -> None:
        self.server.compact()

    def stop(self) -> None:
        self._close_wires()
        self.server.stop()


class Real(ApiServer):
    """etcd and kube-apiserver in processes of their own, with Node and RBAC authorization; etcd on loopback.

    With controllers, also kube-controller-manager.
    """

    kind = "real"

    def __init__(
        self,
        directory: Path,
        *,
        address: str = "127.0.0.1",
        feature_gates: Mapping[str, bool] | None = None,
        controllers: Sequence[str] = (),
        flags: Sequence[str] = (),
    ) -> None:
        """Start both and wait until they are ready. Raises Unavailable where the binaries are missing.

        address: where kube-apiserver listens. controllers: those of kube-controller-manager that run too.
        feature_gates: more of them; DynamicKubeletConfig is off where the version still has it, as it is today. flags:
        more of kube-apiserver.
        """
        super().__init__(directory)
        self._programs = find("etcd"), find("kube-apiserver")
        self._controllers = tuple(controllers)
        self._flags = tuple(flags)
        self._controller_manager = find("kube-controller-manager") if controllers else None
        self.authority = Authority(directory / "pki")
        self.ca_file = self.authority.ca_file
        self.version = release_of(self._programs[1])
        self._gates = dict(feature_gates or {})
        if self.minor < 24:
            self._gates.setdefault("DynamicKubeletConfig", False)
        self.pids: dict[str, int] = {}
        self._processes: list[tuple[subprocess.Popen[bytes], IO[bytes]]] = []
        self._address = address
        self._ports = *free_ports(2), free_port(address)
        self.etcd_url = f"http://127.0.0.1:{self._ports[0]}"
        self.url = f"https://{address}:{self._ports[2]}"
        names = [address, "127.0.0.1", "localhost"]
        self._serving = self.authority.issue_files("server", "server", addresses=names)
        self._to_kubelets = self.authority.issue_files("to-kubelets", ADMIN, _MASTERS)
        _account, self._account_key = self.authority.issue_files("service-accounts", "service-accounts")
        self.start()

    @property
    def minor(self) -> int:
        """The minor version: 20 for 1.20."""
        return int(self.version.split(".")[1])

    def _user(self, user: str, groups: Sequence[str]) -> dict[str, str]:
        return _certificate_user(self.authority, user, groups)

    def start(self) -> None:
        """Start both, also again after stop(): at the same address, with the same data. Waits until they are ready."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        etcd, apiserver = self._programs
        _client_port, peer_port, port = self._ports
        endpoint = self.etcd_url
        peer = f"http://127.0.0.1:{peer_port}"
        flags = [
            f"--data-dir={self.directory / 'etcd'}",
            f"--listen-client-urls={endpoint}",
            f"--advertise-client-urls={endpoint}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
        ]
        if "unsafe-no-fsync" in _help(etcd):
            flags.append("--unsafe-no-fsync")
        self._run("etcd", [str(etcd), *flags])
        flags = [
            f"--etcd-servers={endpoint}",
            f"--bind-address={self._address}",
            f"--advertise-address={self._address}",
            f"--secure-port={port}",
            f"--tls-cert-file={self._serving[0]}",
            f"--tls-private-key-file={self._serving[1]}",
            f"--kubelet-client-certificate={self._to_kubelets[0]}",
            f"--kubelet-client-key={self._to_kubelets[1]}",
            "--kubelet-preferred-address-types=InternalIP",  # nothing here resolves the names of nodes
            f"--client-ca-file={self.ca_file}",
            f"--cert-dir={self.directory / 'generated'}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--disable-admission-plugins=ServiceAccount",  # no test makes service accounts
            "--service-account-issuer=https://configok.test",
            f"--service-account-key-file={self._account_key}",
            f"--service-account-signing-key-file={self._account_key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--enable-bootstrap-token-auth",
            "--allow-privileged=true",
            *audit_flags(self.directory),
            *self._flags,
        ]
        if self._gates:
            gates = ",".join(f"{name}={str(value).lower()}" for name, value in self._gates.items())
            flags.append(f"--feature-gates={gates}")
        self._run("kube-apiserver", [str(apiserver), *flags])
        self._wait_until_ready()
        if self._controller_manager:
            self._start_controllers(self._controller_manager)

    def _start_controllers(self, program: Path) -> None:
        flags = [
            f"--kubeconfig={self.admin_kubeconfig}",
            f"--controllers={','.join(self._controllers)}",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}",
            f"--cert-dir={self.directory / 'generated'}",
            f"--cluster-signing-cert-file={self.ca_file}",
            f"--cluster-signing-key-file={self.authority.write_key()}",
        ]
        if self.minor < 24:
            flags.append("--port=0")  # the one without TLS
        self._run("kube-controller-manager", [str(program), *flags])

    def _run(self, name: str, command: Sequence[str]) -> None:
        log = (self.directory / f"{name}.log").open("ab")
        # Not to be left behind when the test run is killed.
        guard = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        process = subprocess.Popen(
            [*guard, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory
        )
        self._processes.append((process, log))
        self.pids[name] = process.pid

    def _wait_until_ready(self, seconds: float = LONGEST_WAIT) -> None:
        deadline = time.monotonic() + seconds
        wire = self.wire()
        while True:
            for process, log in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{process.args!r} ended with {process.returncode}: {_tail(Path(log.name))}")
            with contextlib.suppress(OSError):
                ready = wire.request("GET", "/readyz")
                if ready.status == 200:
                    listed = wire.request("GET", "/api/v1/namespaces").body
                    names = {item["metadata"]["name"] for item in listed["items"]}
                    if {"default", "kube-node-lease"} <= names:
                        return
            if time.monotonic() > deadline:
                raise RuntimeError(f"kube-apiserver is not ready after {seconds:.0f} s: {_tail(Path(log.name))}")
            time.sleep(0.1)

    def compact(self) -> None:
        """Compact etcd. Only what kube-apiserver reads from etcd notices: Events, and lists that are continued."""
        pool = urllib3.PoolManager()
        status = json.loads(pool.request("POST", f"{self.etcd_url}/v3/maintenance/status", body=b"{}").data)
        body = json.dumps({"revision": status["header"]["revision"], "physical": True}).encode()
        answer = pool.request("POST", f"{self.etcd_url}/v3/kv/compaction", body=body)
        pool.clear()
        if answer.status != 200 and b"has been compacted" not in answer.data:
            raise RuntimeError(f"etcd did not compact: {answer.data!r}")

    def kill(self) -> None:
        """Kill both at once: connections break without an answer."""
        for process, _log in self._processes:
            process.kill()
        self.stop()

    def stop(self) -> None:
        self._close_wires()
        for process, log in reversed(self._processes):
            process.terminate()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()
        self._processes.clear()


def start_embedded(directory: Path, *, tls: bool = False, **options: Any) -> Embedded:
    """Start the embedded server; options are those of EmbeddedApiServer."""
    return Embedded(directory, tls=tls, **options)


def start_real(
    directory: Path,
    *,
    address: str = "127.0.0.1",
    feature_gates: Mapping[str, bool] | None = None,
    controllers: Sequence[str] = (),
) -> Real:
    """Start etcd and kube-apiserver. Raises Unavailable with one sentence if they are not available."""
    return Real(directory, address=address, feature_gates=feature_gates, controllers=controllers)


def _certificate_user(authority: Authority, user: str, groups: Sequence[str]) -> dict[str, str]:
    certificate, key = authority.issue(user, groups)
    return {
        "client-certificate-data": base64.b64encode(certificate).decode(),
        "client-key-data": base64.b64encode(key).decode(),
    }


def _help(program: Path) -> str:
    done = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _tail(path: Path, lines: int = 5) -> str:
    return " | ".join(path.read_text(errors="replace").splitlines()[-lines:])
