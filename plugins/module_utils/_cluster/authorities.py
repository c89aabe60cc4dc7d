# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs that a new node trusts: of the API server that it connects to, and of the clients of its kubelet."""

from __future__ import annotations

from typing import Final

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, NotFound
from .._kube.api_paths import config_map
from . import ClusterRefused
from ._bootstrap_objects import certificates_of

SETUP: Final = "prepare the cluster with the role configok.node.cluster and cluster_machine_subjects"
AUTHENTICATION_NAMESPACE: Final = "kube-system"
AUTHENTICATION: Final = "extension-apiserver-authentication"  # kube-apiserver writes it from its own flags
_KEY: Final = "client-ca-file"


def cluster_ca(client: Client) -> str:
    """Return the CA certificates of the client's own kubeconfig, as PEM. Raises ClusterRefused without any."""
    credentials = client.anonymous_credentials()
    data = credentials.ca_data
    if data is None and credentials.ca_file:
        try:
            with open(credentials.ca_file, "rb") as stream:
                data = stream.read()
        except OSError as error:
            raise ClusterRefused(f"the CA {credentials.ca_file} cannot be read: {error.strerror}") from error
    pem = certificates_of(data or b"")
    if not pem or not credentials.verify:
        why = "does not verify the API server" if not credentials.verify else "names no CA"
        raise ClusterRefused(
            f"the kubeconfig for {credentials.server} {why}, so a new node would not know which API server to trust: "
            "set certificate-authority or certificate-authority-data in it"
        )
    return pem


def client_ca(client: Client) -> str:
    """Return the CA certificates with which the API server authenticates clients, as PEM.

    Not those of a kubeconfig: they may be a company's, and each holder of its certificates would be authenticated by
    the kubelet. Raises ClusterRefused without any, and KubeError.
    """
    where = f"ConfigMap {AUTHENTICATION_NAMESPACE}/{AUTHENTICATION}"
    try:
        item = client.get(config_map(AUTHENTICATION_NAMESPACE, AUTHENTICATION))
    except Forbidden:
        raise ClusterRefused(
            f"this run may not read {where}, which has the CA of the kubelets' clients: {SETUP}"
        ) from None
    except NotFound:
        item = {}
    pem = certificates_of(str((item.get("data") or {}).get(_KEY) or "").encode())
    if not pem:
        raise ClusterRefused(
            f"{where} has no certificate in {_KEY}, so a new kubelet would not know whose certificates to accept: "
            "start kube-apiserver with --client-ca-file"
        )
    return pem
