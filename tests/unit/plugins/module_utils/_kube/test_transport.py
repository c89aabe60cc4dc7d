# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS, and credentials that change under a running client."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme
import urllib3

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube import transport
from ansible_collections.configok.node.plugins.module_utils._kube._interrupt import Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import (
    Credentials,
    from_kubeconfig,
    ssl_context,
)

N1 = paths.node("n1")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def api(authority: trustme.CA, tls_server: Callable[[Any], Any]) -> Any:
    """A server with a certificate for 127.0.0.1 and api.example that requires a client certificate of the same CA."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "api.example").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_OPTIONAL
    return tls_server(context)


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.crt"
    authority.cert_pem.write_to_path(path)
    return str(path)


def identity(authority: trustme.CA, name: str) -> trustme.LeafCert:
    return authority.issue_cert(f"{name}@nodes.example", common_name=f"system:node:{name}")


def seen(request: Any) -> str | None:
    """Return the common name that the server saw."""
    if not request.peer:
        return None
    names = dict(part[0] for part in request.peer["subject"])
    return names.get("commonName")


def test_the_server_is_checked(api: Any, ca_file: str, connect: Any, clock: Any) -> None:
    connect(Credentials(api.url, ca_file=ca_file)).get(N1)
    with pytest.raises(errors.Unreachable, match="CERTIFICATE_VERIFY_FAILED") as caught:
        connect(Credentials(api.url)).get(N1)
    assert not caught.value.transient
    assert clock.slept == []  # A certificate error is not retried.
    assert len(api.requests) == 1


def test_no_ca_but_the_clusters_is_trusted(
    api: Any, authority: trustme.CA, ca_file: str, tmp_path: Path, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's urllib3 1.26 adds the system's CAs to every context, unless this is disabled."""
    system = tmp_path / "ca-certificates.crt"
    system.write_bytes(authority.cert_pem.bytes())

    class Debian(urllib3.HTTPSConnectionPool):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{"ca_certs": str(system), **options})

    monkeypatch.setattr(urllib3, "HTTPSConnectionPool", Debian)
    clusters = tmp_path / "cluster.crt"
    trustme.CA().cert_pem.write_to_path(clusters)
    with pytest.raises(errors.Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
        connect(Credentials(api.url, ca_file=str(clusters))).get(N1)
    assert api.requests == []
    connect(Credentials(api.url, ca_file=ca_file)).get(N1)


def test_the_ca_may_be_data(api: Any, authority: trustme.CA, connect: Any) -> None:
    connect(Credentials(api.url, ca_data=authority.cert_pem.bytes())).get(N1)
    assert len(api.requests) == 1


def test_the_name_in_the_certificate_is_checked(api: Any, ca_file: str, connect: Any) -> None:
    connect(Credentials(api.url, ca_file=ca_file, tls_server_name="api.example")).get(N1)
    with pytest.raises(errors.Unreachable, match=r"Hostname mismatch|doesn't match") as caught:
        connect(Credentials(api.url, ca_file=ca_file, tls_server_name="other.example")).get(N1)
    assert not caught.value.transient
    assert len(api.requests) == 1


def test_the_address_in_the_certificate_is_checked(
    authority: trustme.CA, tls_server: Callable[[Any], Any], ca_file: str, connect: Any
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.2").configure_cert(context)
    other = tls_server(context)
    with pytest.raises(errors.Unreachable, match=r"mismatch|doesn't match"):
        connect(Credentials(other.url, ca_file=ca_file)).get(N1)
    assert other.requests == []


def test_without_verification_any_server_is_trusted(api: Any, connect: Any, recwarn: pytest.WarningsRecorder) -> None:
    connect(Credentials(api.url, verify=False, tls_server_name="other.example")).get(N1)
    assert len(api.requests) == 1
    assert not [warning for warning in recwarn if "Insecure" in warning.category.__name__]


def test_client_certificate_from_data_leaves_no_file(
    api: Any, authority: trustme.CA, ca_file: str, connect: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    made: list[tuple[int, int]] = []
    load = ssl.SSLContext.load_cert_chain

    def spy(self: ssl.SSLContext, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
        made.append((os.stat(keyfile).st_mode & 0o777, os.stat(os.path.dirname(keyfile)).st_mode & 0o777))
        load(self, certfile, keyfile, password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", spy)
    leaf = identity(authority, "n1")
    connect(
        Credentials(
            api.url,
            ca_file=ca_file,
            cert_data=b"".join(blob.bytes() for blob in leaf.cert_chain_pems),
            key_data=leaf.private_key_pem.bytes(),
        )
    ).get(N1)
    assert seen(api.requests[0]) == "system:node:n1"
    assert made == [(0o600, 0o700)]
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"ca_file": "/nowhere/ca.crt"}, "the CA /nowhere/ca.crt cannot be used"),
        ({"ca_data": b"nonsense"}, r"the CA \(inline\) cannot be used"),
        (
            {"cert_file": "/nowhere/c.pem", "key_file": "/nowhere/k.pem"},
            "/nowhere/c.pem and /nowhere/k.pem cannot be used",
        ),
        ({"cert_file": "/nowhere/c.pem"}, "the client certificate /nowhere/c.pem has no key"),
        ({"cert_data": b"x", "key_data": b"y"}, r"\(inline\) and \(inline\) cannot be used"),
    ],
)
def test_a_part_that_cannot_be_used_is_named(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.CredentialsError, match=words):
        ssl_context(Credentials("https://127.0.0.1", **parts))


def test_an_encrypted_key_does_not_ask(tmp_path: Path, authority: trustme.CA) -> None:
    from cryptography.hazmat.primitives import serialization

    leaf = identity(authority, "n1")
    key = serialization.load_pem_private_key(leaf.private_key_pem.bytes(), None)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"x")
    )
    with pytest.raises(errors.CredentialsError, match="encrypted"):
        ssl_context(Credentials("https://x", cert_data=leaf.cert_chain_pems[0].bytes(), key_data=secret))


class Kubelet:
    """The files of a kubelet: a rotation switches the symbolic link kubelet-client-current.pem."""

    def __init__(self, directory: Path, authority: trustme.CA, url: str, ca_file: str) -> None:
        self._authority = authority
        self._pki = directory / "pki"
        self._pki.mkdir()
        self._number = 0
        self.current = self._pki / "kubelet-client-current.pem"
        self.rotate("n1")
        self.kubeconfig = directory / "kubelet.conf"
        self.kubeconfig.write_text(
            f"""
apiVersion: v1
kind: Config
current-context: default
contexts: [{{name: default, context: {{cluster: c, user: u, namespace: default}}}}]
clusters: [{{name: c, cluster: {{server: "{url}", certificate-authority: {ca_file}}}}}]
users:
- name: u
  user:
    client-certificate: pki/kubelet-client-current.pem
    client-key: pki/kubelet-client-current.pem
"""
        )

    def rotate(self, name: str, content: bytes | None = None) -> None:
        self._number += 1
        target = self._pki / f"kubelet-client-{self._number}.pem"
        target.write_bytes(content or identity(self._authority, name).private_key_and_cert_chain_pem.bytes())
        link = self._pki / "new"
        link.symlink_to(target.name)
        link.rename(self.current)


@pytest.fixture
def kubelet(tmp_path: Path, authority: trustme.CA, api: Any, ca_file: str) -> Kubelet:
    return Kubelet(tmp_path, authority, api.url, ca_file)


@pytest.mark.contract("manners.credentials")
def test_a_rotated_certificate_is_used_by_a_new_connection(
    api: Any, kubelet: Kubelet, connect: Any, clock: Any
) -> None:
    client = connect(from_kubeconfig(str(kubelet.kubeconfig)))
    client.get(N1)
    clock.now += 10
    client.get(N1)
    kubelet.rotate("n1-renewed")
    client.get(N1)  # Files are checked at most once a second.
    clock.now += 1
    client.get(N1)
    client.get(N1)
    assert [seen(request) for request in api.requests] == ["system:node:n1"] * 3 + ["system:node:n1-renewed"] * 2
    assert [request.connection for request in api.requests] == [1, 1, 1, 2, 2]


@pytest.mark.contract("manners.credentials")
def test_a_half_written_rotation_changes_nothing_until_it_is_whole(
    api: Any, kubelet: Kubelet, connect: Any, clock: Any
) -> None:
    client = connect(from_kubeconfig(str(kubelet.kubeconfig)))
    client.get(N1)
    kubelet.rotate("n1", b"-----BEGIN CERTIFICATE-----\nMIIB")
    clock.now += 1
    client.get(N1)
    kubelet.rotate("n1-renewed")
    clock.now += 1
    client.get(N1)
    assert [seen(request) for request in api.requests] == ["system:node:n1"] * 2 + ["system:node:n1-renewed"]


@pytest.mark.contract("manners.credentials")
def test_401_looks_at_the_files_at_once(api: Any, kubelet: Kubelet, connect: Any, replies: Any) -> None:
    client = connect(from_kubeconfig(str(kubelet.kubeconfig)))
    client.get(N1)
    kubelet.rotate("n1-renewed")
    api.says(replies.status(401, "Unauthorized"), replies.answer())
    client.patch(N1, {})
    assert [seen(request) for request in api.requests] == ["system:node:n1"] * 2 + ["system:node:n1-renewed"]


@pytest.mark.contract("manners.credentials")
def test_a_replaced_kubeconfig_is_read_again(api: Any, kubelet: Kubelet, connect: Any, clock: Any) -> None:
    client = connect(from_kubeconfig(str(kubelet.kubeconfig)))
    client.get(N1)
    text = kubelet.kubeconfig.read_text()
    kubelet.kubeconfig.write_text("{")  # Not complete yet.
    clock.now += 1
    client.get(N1)
    kubelet.kubeconfig.write_text(text.replace("user: u, ", ""))
    clock.now += 1
    client.get(N1)
    assert [seen(request) for request in api.requests] == ["system:node:n1", "system:node:n1", None]


@pytest.mark.contract("manners.credentials")
def test_a_kubeconfig_that_was_replaced_before_the_first_request_is_read_again(
    api: Any, kubelet: Kubelet, connect: Any
) -> None:
    client = connect(from_kubeconfig(str(kubelet.kubeconfig)))
    kubelet.kubeconfig.write_text(kubelet.kubeconfig.read_text().replace("user: u, ", ""))
    client.interruptible(Interrupt()).get(N1)
    client.get(N1)
    assert [seen(request) for request in api.requests] == [None, None]


def test_a_token_file_is_read_again(server: Any, tmp_path: Path, connect: Any, clock: Any) -> None:
    token = tmp_path / "token"
    token.write_text("one\n")
    client = connect(Credentials(server.url, token_file=str(token)))
    client.get(N1)
    token.write_text("second\n")
    client.get(N1)
    clock.now += 1
    client.get(N1)
    token.unlink()
    clock.now += 1
    client.get(N1)
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer one", "Bearer one", "Bearer second", "Bearer second"]


@pytest.mark.parametrize(
    "server", ["http://10.0.0.1:8080", "http://api.example", "http://127.0.0.1.example:1", "api:6443"]
)
@pytest.mark.parametrize("secret", [{"token": "s"}, {"token_file": "/nowhere/token"}, {"basic": ("u", "p")}])
def test_a_secret_is_not_sent_where_others_could_read_it(connect: Any, server: str, secret: dict[str, Any]) -> None:
    with pytest.raises(errors.CredentialsError, match="has no https, so others on the way could read the token"):
        connect(Credentials(server, **secret)).get(N1)


@pytest.mark.parametrize(
    "server", ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://10.255.255.1"]
)
def test_a_secret_stays_on_this_machine_or_is_encrypted(connect: Any, server: str) -> None:
    with pytest.raises(errors.CredentialsError, match="the token file /nowhere/token cannot be read"):
        connect(Credentials(server, token_file="/nowhere/token")).get(N1)


def test_a_missing_token_file_is_named(connect: Any) -> None:
    with pytest.raises(errors.CredentialsError, match="the token file /nowhere/token cannot be read"):
        connect(Credentials("http://127.0.0.1:1", token_file="/nowhere/token")).get(N1)


def test_files_are_checked_at_most_once_a_second(
    server: Any, tmp_path: Path, connect: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    client = connect(Credentials(server.url, token_file=str(token)))
    client.get(N1)
    looks = []
    stat = os.stat

    def look(path: Any, **more: Any) -> os.stat_result:
        looks.append(path)
        return stat(path, **more)

    monkeypatch.setattr(os, "stat", look)
    for _again in range(30):
        clock.now += 0.1
        client.get(N1)
    assert 2 <= len(looks) <= 3


@pytest.mark.contract("condition.after-an-outage")
def test_the_kernel_finds_a_dead_peer_in_half_a_minute() -> None:
    with socket.socket() as probe:
        for level, name, value in transport._socket_options():
            probe.setsockopt(level, name, value)

        def seconds(name: int) -> int:
            return probe.getsockopt(socket.IPPROTO_TCP, name)

        idle = seconds(socket.TCP_KEEPIDLE) + seconds(socket.TCP_KEEPINTVL) * seconds(socket.TCP_KEEPCNT)
        assert probe.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert idle <= 30
        assert probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
