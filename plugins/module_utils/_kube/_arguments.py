# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection options of all modules, and the client that they mean. Private to configok.node: no compatibility is promised.

The options are documented in the doc fragment configok.node.kube, plugins/doc_fragments/kube.py; the two must be equal.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import env_fallback

from ._client import Client
from ._credentials import load

__all__ = ["KUBE_ARGUMENT_SPEC", "client_from_params"]


def _or_environment(*names: str) -> tuple[Any, list[str]]:
    return env_fallback, list(names)


KUBE_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    # $KUBECONFIG is read where the files are: there it must not count as an option that was given.
    "kubeconfig": {"type": "path", "fallback": _or_environment("K8S_AUTH_KUBECONFIG")},
    "context": {"type": "str", "fallback": _or_environment("K8S_AUTH_CONTEXT")},
    "host": {"type": "str", "fallback": _or_environment("K8S_AUTH_HOST")},
    "api_key": {"type": "str", "no_log": True, "fallback": _or_environment("K8S_AUTH_API_KEY")},
    "ca_cert": {"type": "path", "fallback": _or_environment("K8S_AUTH_SSL_CA_CERT")},
    "validate_certs": {"type": "bool", "fallback": _or_environment("K8S_AUTH_VERIFY_SSL")},
    "client_cert": {"type": "path", "fallback": _or_environment("K8S_AUTH_CERT_FILE")},
    # The path of a key is no secret.
    "client_key": {"type": "path", "no_log": False, "fallback": _or_environment("K8S_AUTH_KEY_FILE")},
    "tls_server_name": {"type": "str"},
    "request_timeout": {"type": "int", "default": 30},
    "connections": {"type": "int", "default": 32},
}


def client_from_params(params: Mapping[str, Any]) -> Client:
    """Return a client for a module's parameters, which hold those of KUBE_ARGUMENT_SPEC.

    Raise MissingLibrary (for missing_required_lib) or CredentialsError; nothing is requested yet.
    """
    names = ("kubeconfig", "context", "host", "api_key", "ca_cert", "validate_certs")
    names += ("client_cert", "client_key", "tls_server_name")
    credentials = load(**{name: params.get(name) for name in names})
    return Client(
        credentials,
        pool_size=max(1, params.get("connections") or 32),
        timeout=float(params.get("request_timeout") or 30),
    )
