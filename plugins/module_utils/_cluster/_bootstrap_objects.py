# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bootstrap tokens for the kubelets of new nodes: their Secrets, and the kubeconfig that a kubelet starts with. Pure.

Tokens have one of 64 fixed ids, so that RBAC can name the Secrets that a runner may delete. A runner cannot read any
Secret: with `get`, it could create one of type kubernetes.io/service-account-token under such a name, and read the
token that Kubernetes puts into it.
"""

from __future__ import annotations

import base64
import json
import secrets
import string
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Final, NamedTuple

BOOTSTRAPPERS_GROUP: Final = "system:bootstrappers:configok"
BOOTSTRAP_LIFETIME: Final = 900.0  # seconds
TOKEN_NAMESPACE: Final = "kube-system"
TOKEN_IDS: Final = tuple(f"cfgk{number:02}" for number in range(64))

_LETTERS = string.ascii_lowercase + string.digits
_SECRET_LENGTH = 16
_BEGIN = "-----BEGIN CERTIFICATE-----"
_END = "-----END CERTIFICATE-----"


class BootstrapToken(NamedTuple):
    """A token by its two halves."""

    token_id: str
    secret: str

    def __repr__(self) -> str:
        """Return a text without the secret."""
        return f"BootstrapToken(token_id={self.token_id!r})"

    @property
    def user(self) -> str:
        """The identity that the token has at the API server."""
        return f"system:bootstrap:{self.token_id}"

    @property
    def text(self) -> str:
        """The token itself: a secret."""
        return f"{self.token_id}.{self.secret}"


def new_token(token_id: str, choice: Callable[[Sequence[str]], str] = secrets.choice) -> BootstrapToken:
    """Return a token that is not guessable."""
    return BootstrapToken(token_id, "".join(choice(_LETTERS) for _each in range(_SECRET_LENGTH)))


def secret_name(token_id: str) -> str:
    """Return the name that the Secret of a token must have."""
    return f"bootstrap-token-{token_id}"


def token_secret(
    token: BootstrapToken, machine: str, now: float, lifetime: float = BOOTSTRAP_LIFETIME
) -> dict[str, Any]:
    """Return the Secret of a token, valid for `lifetime` seconds. now: seconds since the epoch."""
    expiration = datetime.fromtimestamp(now, timezone.utc) + timedelta(seconds=lifetime)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": secret_name(token.token_id), "labels": {"app.kubernetes.io/managed-by": "configok.node"}},
        "type": "bootstrap.kubernetes.io/token",
        "stringData": {
            "token-id": token.token_id,
            "token-secret": token.secret,
            "description": f"configok.node: for the kubelet of the new machine {machine}",
            "expiration": expiration.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "usage-bootstrap-authentication": "true",
            "auth-extra-groups": BOOTSTRAPPERS_GROUP,
        },
    }


def bootstrap_kubeconfig(endpoint: str, ca_certificate: str, token: BootstrapToken) -> str:
    """Return the kubeconfig with which a kubelet asks for its certificate: a secret. ca_certificate: PEM."""
    cluster = {
        "server": endpoint,
        "certificate-authority-data": base64.b64encode(ca_certificate.encode()).decode(),
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "cluster", "cluster": cluster}],
        "users": [{"name": "bootstrap", "user": {"token": token.text}}],
        "contexts": [{"name": "bootstrap", "context": {"cluster": "cluster", "user": "bootstrap"}}],
        "current-context": "bootstrap",
    }
    return json.dumps(config, indent=2) + "\n"


def certificates_of(pem: bytes) -> str:
    """Return the certificates of a PEM file and nothing else of it, such as a key; "" if it has none."""
    blocks: list[str] = []
    block: list[str] | None = None
    for line in pem.decode("ascii", "replace").splitlines():
        text = line.strip()
        if text == _BEGIN:
            block = []
        if block is not None:
            block.append(text)
        if text == _END and block is not None:
            blocks += block
            block = None
    return "".join(f"{line}\n" for line in blocks)
