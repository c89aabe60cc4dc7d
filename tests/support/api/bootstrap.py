# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kubelet does in its TLS bootstrap: the request for its certificate, and the Node that it registers."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ansible_collections.configok.node.plugins.module_utils._cluster._certificate_request import (
    KUBELET_CLIENT_SIGNER,
    request_state,
)
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from support.api.pki import Authority, private_key_pem
from support.session.patience import LONGEST_WAIT

__all__ = ["USAGES", "BootstrappingKubelet", "Signer", "certificate_request", "request_pem"]

USAGES = ("digital signature", "client auth")


def request_pem(
    common_name: str = "system:node:worker-1",
    organizations: Sequence[str] = ("system:nodes",),
    *,
    names: Sequence[str] = (),
    key: ec.EllipticCurvePrivateKey | None = None,
    further: Sequence[x509.NameAttribute[str]] = (),
) -> bytes:
    """Return a PKCS #10 request. names: alternative names."""
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in organizations]
    subject += [x509.NameAttribute(NameOID.COMMON_NAME, common_name), *further]
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
    if names:
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        builder = builder.add_extension(alternatives, critical=False)
    request = builder.sign(key or ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return request.public_bytes(serialization.Encoding.PEM)


def certificate_request(name: str, pem: bytes, **spec: Any) -> dict[str, Any]:
    """Return a CertificateSigningRequest as a kubelet sends it."""
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "request": base64.b64encode(pem).decode(),
            "signerName": KUBELET_CLIENT_SIGNER,
            "usages": list(USAGES),
            **spec,
        },
    }


class BootstrappingKubelet:
    """Bootstraps as a kubelet does, with the kubeconfig that it is given."""

    def __init__(self, directory: Path, machine: str, kubeconfig: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.machine = machine
        self.key = ec.generate_private_key(ec.SECP256R1())
        # That of a kubelet is made of its key.
        self.request = f"node-csr-{machine}-{self.key.public_key().public_numbers().x:x}"[:60].rstrip("-")
        self._directory = directory
        bootstrap = directory / "bootstrap-kubelet.conf"
        bootstrap.write_text(kubeconfig)
        self.client = Client(from_kubeconfig(str(bootstrap)))

    def ask(self) -> None:
        """Create the request for the certificate."""
        pem = request_pem(f"system:node:{self.machine}", key=self.key)
        self.client.create(paths.CERTIFICATE_REQUESTS, certificate_request(self.request, pem))

    def wait_for_approval(self, seconds: float = LONGEST_WAIT) -> dict[str, Any]:
        """Return the request once it is approved."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            request = self.client.get(paths.certificate_request(self.request))
            conditions = (request.get("status") or {}).get("conditions") or ()
            if any(condition["type"] == "Approved" for condition in conditions):
                return request
            time.sleep(0.1)
        raise AssertionError(f"{self.request} was not approved")

    def join(self, admin: Client, authority: Authority) -> Client:
        """Have the approved request signed, register the Node with the certificate, and return the node's client."""
        sign(admin, authority, self.wait_for_approval())
        return self.register()

    def register(self, seconds: float = LONGEST_WAIT, **status: Any) -> Client:
        """Wait for the certificate, register the Node with it, and return the node's client. status: of the Node."""
        deadline = time.monotonic() + seconds
        certificate = ""
        while not certificate:
            request = self.client.get(paths.certificate_request(self.request))
            certificate = (request.get("status") or {}).get("certificate") or ""
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.request} was not signed")
            time.sleep(0.1)
        config = json.loads((self._directory / "bootstrap-kubelet.conf").read_text())
        config["users"][0]["user"] = {
            "client-certificate-data": certificate,
            "client-key-data": base64.b64encode(private_key_pem(self.key)).decode(),
        }
        (self._directory / "kubelet.conf").write_text(json.dumps(config))
        client = Client(from_kubeconfig(str(self._directory / "kubelet.conf")))
        client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.machine}})
        if status:
            client.patch(paths.node_status(self.machine), {"status": status}, kind="strategic")
        return client


def sign(admin: Client, authority: Authority, request: Mapping[str, Any]) -> None:
    """Sign a request as kube-controller-manager does."""
    certificate = base64.b64encode(authority.sign(base64.b64decode(request["spec"]["request"]))).decode()
    path = f"{paths.certificate_request(request['metadata']['name'])}/status"
    admin.patch(path, {"status": {"certificate": certificate}})


class Signer:
    """A thread that signs approved requests, where no kube-controller-manager runs. A context manager."""

    def __init__(self, admin: Client, authority: Authority) -> None:
        self._admin, self._authority = admin, authority
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="signer")

    def __enter__(self) -> Signer:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            for request in self._admin.list(paths.CERTIFICATE_REQUESTS).items:
                if request_state(request) == "approved":
                    sign(self._admin, self._authority, request)
