# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether new machines can join the cluster, asked before the first host is touched: a replacement deletes first."""

from __future__ import annotations

from typing import Final

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, KubeError, NotFound
from . import ClusterRefused
from ._bootstrap_objects import BOOTSTRAPPERS_GROUP, TOKEN_IDS, TOKEN_NAMESPACE, BootstrapToken
from ._certificate_request import KUBELET_CLIENT_SIGNER
from .authorities import SETUP, client_ca, cluster_ca
from .bootstrap_credentials import ASK_FOR_CERTIFICATE, MAY_NOT_ASK, BootstrapCredentials, is_allowed

_SIGNER: Final = {"group": "certificates.k8s.io", "resource": "signers", "name": KUBELET_CLIENT_SIGNER}
# What the run itself does to create a machine, beyond what every rollout does.
_OF_THE_RUN: Final = {
    f"create bootstrap tokens in {TOKEN_NAMESPACE}": {
        "verb": "create",
        "resource": "secrets",
        "namespace": TOKEN_NAMESPACE,
    },
    "approve the certificates of kubelets": {**_SIGNER, "verb": "approve"},
}
# The kubelet of a new machine, as the API server sees it.
_BOOTSTRAPPER: Final = {
    "user": BootstrapToken(TOKEN_IDS[0], "").user,
    "groups": ["system:bootstrappers", BOOTSTRAPPERS_GROUP, "system:authenticated"],
}


def creation_refusals(client: Client) -> list[str]:
    """Return why no machine can be created, as far as it can be asked without a write. Raises KubeError."""
    unknown = []
    for authority in (cluster_ca, client_ca):
        try:
            authority(client)
        except ClusterRefused as error:
            unknown.append(str(error))
    denied = unknown + [
        f"this run may not {what}: {SETUP}"
        for what, attributes in _OF_THE_RUN.items()
        if not is_allowed(client, attributes)
    ]
    try:
        if not is_allowed(client, ASK_FOR_CERTIFICATE, _BOOTSTRAPPER):
            denied.append(MAY_NOT_ASK)
    except (Forbidden, NotFound):  # most identities may ask about themselves only: bootstrap_refusals finds out
        pass
    return denied


def bootstrap_refusals(client: Client, machine: str) -> list[str]:
    """Return why the kubelet of a new machine could not join, with a token that is deleted at once.

    Only a token shows whether the API server accepts tokens. machine: one of those to be created.
    """
    try:
        with BootstrapCredentials(client, machine=machine):
            return []
    except (ClusterRefused, KubeError) as error:
        return [str(error)]
