# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bootstrap credentials on a real API server: the token, the approval of one request, and nothing else."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster import ClusterRefused, bootstrap_credentials
from ansible_collections.configok.node.plugins.module_utils._cluster._bootstrap_objects import (
    TOKEN_IDS,
    new_token,
    secret_name,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._certificate_request import with_approval
from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._cluster.authorities import client_ca, cluster_ca
from ansible_collections.configok.node.plugins.module_utils._cluster.bootstrap_credentials import BootstrapCredentials
from ansible_collections.configok.node.plugins.module_utils._cluster.creation_checks import (
    bootstrap_refusals,
    creation_refusals,
)
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unauthorized
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from support.api.bootstrap import BootstrappingKubelet, certificate_request, request_pem
from support.api.clusters import prepare
from support.api.pki import Authority
from support.api.servers import Real
from support.session.patience import LONGEST_WAIT

RUNNER = "machine-runner"


@pytest.fixture
def runner(real_api: Real) -> Iterator[Client]:
    """A runner that may create machines, and nothing more."""
    prepare(real_api.client(), Access(machine_subjects=({"kind": "User", "name": RUNNER},)))
    with real_api.client(RUNNER) as client:
        yield client
    prepare(real_api.client(), Access(machine_subjects=()))
    for request in real_api.client().list(paths.CERTIFICATE_REQUESTS).items:
        real_api.client().delete(paths.certificate_request(request["metadata"]["name"]))


def tokens(api: Real) -> dict[str, dict[str, str]]:
    """Return the data of our Secrets, by name."""
    items = api.client().list(paths.secrets("kube-system"), label_selector="app.kubernetes.io/managed-by=configok.node")
    return {
        item["metadata"]["name"]: {
            key: base64.b64decode(value).decode() for key, value in (item.get("data") or {}).items()
        }
        for item in items.items
    }


def conditions(api: Real, name: str) -> list[str]:
    request = api.client().get(paths.certificate_request(name))
    return [condition["type"] for condition in (request.get("status") or {}).get("conditions") or ()]


def wait_until_refused(client: Client) -> None:
    """Wait until the API server no longer accepts a token: it keeps its answers on tokens for 10 s."""
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline:
        try:
            client.get(paths.node("any"))
        except Unauthorized:
            return
        except Forbidden:
            time.sleep(0.5)
    raise AssertionError


def test_a_machine_joins_with_the_credentials(
    real_api: Real, runner: Client, unique: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    admin = real_api.client()
    with BootstrapCredentials(runner, machine=unique) as credentials:
        (data,) = tokens(real_api).values()
        assert data["auth-extra-groups"] == "system:bootstrappers:configok"
        assert data["usage-bootstrap-authentication"] == "true"
        assert unique in data["description"]
        assert "usage-bootstrap-signing" not in data
        kubelet = BootstrappingKubelet(tmp_path, unique, credentials.kubeconfig)
        assert "has not asked for a certificate" in credentials.wait_for_node(0.0)
        kubelet.ask()
        kubelet.wait_for_approval()
        assert "is approved and not signed" in credentials.wait_for_node(1.0)
        node = kubelet.join(admin, real_api.authority)
        assert credentials.wait_for_node(30.0) == ""
        assert data["token-secret"] not in repr(credentials)
    assert tokens(real_api) == {}
    assert node.get(paths.node(unique))["metadata"]["name"] == unique
    wait_until_refused(kubelet.client)
    with pytest.raises(RuntimeError, match="outside of the block"):
        str(credentials.kubeconfig)
    assert data["token-secret"] not in caplog.text
    admin.delete(paths.node(unique))


def test_only_the_request_of_the_machine_is_approved(
    real_api: Real, runner: Client, unique: str, tmp_path: Path
) -> None:
    with BootstrapCredentials(runner, machine=unique) as credentials:
        kubelet = BootstrappingKubelet(tmp_path, unique, credentials.kubeconfig)
        create, mine = kubelet.client.create, f"system:node:{unique}"
        requests = {
            "other-node": (request_pem("system:node:control-plane"), {}),
            "admin": (request_pem(mine, ["system:masters"]), {}),
            "more": (request_pem(mine, ["system:nodes", "system:masters"]), {}),
            "names": (request_pem(mine, names=["kubernetes.default"]), {}),
            "user": (request_pem("kubernetes-admin"), {}),
            "signer": (request_pem(mine), {"signerName": "kubernetes.io/kube-apiserver-client"}),
        }
        for name, (pem, spec) in requests.items():
            create(paths.CERTIFICATE_REQUESTS, certificate_request(f"{unique}-{name}", pem, **spec))
        # Of another identity, which asks for the certificate of the machine.
        by_admin = certificate_request(f"{unique}-stranger", request_pem(mine))
        real_api.client().create(paths.CERTIFICATE_REQUESTS, by_admin)
        kubelet.ask()
        kubelet.wait_for_approval()
        create(paths.CERTIFICATE_REQUESTS, certificate_request(f"{unique}-second-key", request_pem(mine)))
        time.sleep(1.0)
        for name in (*requests, "stranger", "second-key"):
            assert conditions(real_api, f"{unique}-{name}") == []
        message = credentials.wait_for_node(0.0)
    assert f"{unique}-other-node was left alone: it is for 'system:node:control-plane'" in message
    assert f"{unique}-second-key was left alone: {kubelet.request} with another key came first" in message


def test_a_request_of_an_earlier_token_with_the_same_id_is_ignored(
    real_api: Real, runner: Client, unique: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap_credentials, "_take_id", lambda: new_token(TOKEN_IDS[0]))
    for attempt in ("first", "second"):
        with BootstrapCredentials(runner, machine=unique) as credentials:
            kubelet = BootstrappingKubelet(tmp_path / attempt, unique, credentials.kubeconfig)
            kubelet.ask()
            kubelet.wait_for_approval()
        time.sleep(1.1)  # the API server counts seconds


def test_the_token_is_deleted_when_the_creation_fails(real_api: Real, runner: Client, unique: str) -> None:
    before = threading.active_count()

    def create() -> None:
        with BootstrapCredentials(runner, machine=unique):
            assert len(tokens(real_api)) == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        create()
    assert tokens(real_api) == {}
    time.sleep(1.5)
    assert threading.active_count() <= before + 1


def test_sixteen_machines_join_at_a_time(real_api: Real, runner: Client, unique: str, tmp_path: Path) -> None:
    admin = real_api.client(pool_size=16)

    def join(number: int) -> str:
        name = f"{unique}-{number}"
        with BootstrapCredentials(runner, machine=name) as credentials:
            kubelet = BootstrappingKubelet(tmp_path / name, name, credentials.kubeconfig)
            kubelet.ask()
            kubelet.join(admin, real_api.authority)
            return credentials.wait_for_node(30.0)

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(join, range(16))) == [""] * 16
    assert tokens(real_api) == {}
    for number in range(16):
        admin.delete(paths.node(f"{unique}-{number}"))


def test_the_tokens_of_killed_runs_are_ignored_and_finally_removed(real_api: Real, runner: Client, unique: str) -> None:
    admin = real_api.client()
    labels = {"app.kubernetes.io/managed-by": "configok.node"}
    for token_id in TOKEN_IDS[:-1]:
        admin.create(paths.secrets("kube-system"), {"metadata": {"name": secret_name(token_id), "labels": labels}})
    with BootstrapCredentials(runner, machine=unique):
        assert len(tokens(real_api)) == 64
        with BootstrapCredentials(runner, machine=f"{unique}-b"):
            assert len(tokens(real_api)) == 2
    assert tokens(real_api) == {}


def test_a_node_that_was_there_before_counts_when_it_reports_again(real_api: Real, runner: Client, unique: str) -> None:
    admin = real_api.client()
    admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": unique}})

    def report(time_of: str) -> None:
        ready = {"type": "Ready", "status": "True", "reason": "r", "message": "m", "lastHeartbeatTime": time_of}
        admin.patch(paths.node_status(unique), {"status": {"conditions": [ready]}}, kind="strategic")

    report("2026-01-01T00:00:00Z")
    with BootstrapCredentials(runner, machine=unique) as credentials:
        assert "is not registered" in credentials.wait_for_node(1.0)
        report("2026-01-01T00:00:10Z")
        assert credentials.wait_for_node(5.0) == ""
        assert credentials.wait_for_node(5.0, lambda: True) == ""
    admin.delete(paths.node(unique))


def test_the_roles_allow_what_a_run_needs_and_nothing_more(real_api: Real, runner: Client, unique: str) -> None:
    admin = real_api.client()
    admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": unique}})
    ours = paths.secret("kube-system", secret_name(TOKEN_IDS[0]))
    other = paths.secret("kube-system", f"bootstrap-token-{unique}a")
    for path in (ours, other):
        runner.create(paths.secrets("kube-system"), {"metadata": {"name": path.rpartition("/")[2]}})
    change = {"metadata": {"labels": {"a": "b"}}, "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    runner.patch(paths.node(unique), change)
    runner.list(paths.NODES)
    runner.list(paths.PODS)
    runner.list(paths.CERTIFICATE_REQUESTS)
    for refused in (
        lambda: runner.get(ours),
        lambda: runner.patch(ours, {}),
        lambda: runner.list(paths.secrets("kube-system")),
        lambda: runner.delete(other),
        lambda: runner.create(paths.secrets("default"), {"metadata": {"name": unique}}),
        lambda: runner.create(paths.NODES, {"metadata": {"name": f"{unique}-b"}}),
        lambda: runner.patch(paths.node_status(unique), {"status": {}}, kind="strategic"),
        lambda: runner.create(paths.config_maps("configok-system"), {"metadata": {"name": unique}}),
        lambda: runner.create(paths.CERTIFICATE_REQUESTS, certificate_request(unique, request_pem())),
        lambda: runner.create(paths.CLUSTER_ROLE_BINDINGS, {"metadata": {"name": unique}}),
    ):
        with pytest.raises(Forbidden):
            refused()
    runner.delete(ours)
    runner.delete(paths.node(unique))
    admin.delete(other)
    # Another signer's request is not its to approve, whatever it asks for.
    name = f"{unique}-client"
    admin.create(
        paths.CERTIFICATE_REQUESTS,
        certificate_request(name, request_pem(), signerName="kubernetes.io/kube-apiserver-client"),
    )
    request = runner.get(paths.certificate_request(name))
    with pytest.raises(Forbidden, match="signer"):
        runner.replace(paths.certificate_approval(name), with_approval(request, "worker-1"))


def test_without_the_role_nothing_is_created(real_api: Real, unique: str) -> None:
    with pytest.raises(Forbidden, match="nodes"), BootstrapCredentials(real_api.client(unique), machine=unique):
        raise AssertionError
    assert tokens(real_api) == {}


def test_the_message_names_a_missing_binding_of_bootstrappers(real_api: Real, unique: str) -> None:
    admin = real_api.client()
    prepare(admin, Access(machine_subjects=()))
    with (
        pytest.raises(ClusterRefused, match=r"system:bootstrappers:configok may not create.*cluster_machine_subjects"),
        BootstrapCredentials(admin, machine=unique),
    ):
        raise AssertionError
    assert tokens(real_api) == {}


def test_what_stops_a_creation_is_found_before_any_host_is_touched(real_api: Real, runner: Client, unique: str) -> None:
    admin, stranger = real_api.client(), real_api.client(unique)
    assert [creation_refusals(client) for client in (admin, runner)] == [[], []]
    assert [bootstrap_refusals(client, unique) for client in (admin, runner)] == [[], []]
    unread, first, second = creation_refusals(stranger)
    assert unread == (
        "this run may not read ConfigMap kube-system/extension-apiserver-authentication, which has the CA of the "
        "kubelets' clients: prepare the cluster with the role configok.node.cluster and cluster_machine_subjects"
    )
    assert first.startswith(
        "this run may not create bootstrap tokens in kube-system: prepare the cluster with the role"
    )
    assert second.startswith("this run may not approve the certificates of kubelets: ")
    assert "nodes" in bootstrap_refusals(stranger, unique)[0]

    admin.delete(paths.cluster_role_binding("configok-bootstrappers"))
    group = "the group system:bootstrappers:configok may not create CertificateSigningRequests: prepare the cluster"
    # A runner may not ask about others, so that it finds out with a token.
    for refusals in (creation_refusals(admin), bootstrap_refusals(admin, unique), bootstrap_refusals(runner, unique)):
        (refusal,) = refusals
        assert refusal.startswith(group)
    assert creation_refusals(runner) == []
    assert tokens(real_api) == {}


def _kubeconfig(path: Path, api: Real, **changes: Any) -> Client:
    config = json.loads(Path(api.admin_kubeconfig).read_text())
    cluster = config["clusters"][0]["cluster"]
    cluster.update(changes)
    config["clusters"][0]["cluster"] = {key: value for key, value in cluster.items() if value is not None}
    path.write_text(json.dumps(config))
    return Client(from_kubeconfig(str(path)))


def test_the_ca_comes_from_the_runners_own_kubeconfig(real_api: Real, tmp_path: Path) -> None:
    assert real_api.ca_file is not None
    pem = real_api.ca_file.read_text()
    assert cluster_ca(real_api.client()) == pem
    with_key = tmp_path / "bundle.pem"
    with_key.write_text(f"a comment\n-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----\n{pem}")
    path = tmp_path / "kubeconfig"
    by_file = {"certificate-authority-data": None, "certificate-authority": str(with_key)}
    assert cluster_ca(_kubeconfig(path, real_api, **by_file)) == pem
    for changes, why in (
        ({"certificate-authority-data": None}, "names no CA"),
        ({"insecure-skip-tls-verify": True}, "does not verify the API server"),
        ({**by_file, "certificate-authority": "/nonexistent/ca.crt"}, "the CA /nonexistent/ca.crt cannot be read"),
    ):
        with pytest.raises(ClusterRefused, match=why):
            cluster_ca(_kubeconfig(path, real_api, **changes))


def test_the_ca_of_a_kubelets_clients_is_that_of_the_api_server(real_api: Real, runner: Client, tmp_path: Path) -> None:
    assert real_api.ca_file is not None
    pem = real_api.ca_file.read_text()
    # A company's CA, which has issued the certificate of a load balancer, and certificates to people.
    company = Authority(tmp_path / "company").ca_file
    both = base64.b64encode((pem + company.read_text()).encode()).decode()
    with _kubeconfig(tmp_path / "kubeconfig", real_api, **{"certificate-authority-data": both}) as client:
        assert cluster_ca(client) == pem + company.read_text()
        assert client_ca(client) == client_ca(runner) == pem
