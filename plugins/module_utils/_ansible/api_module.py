# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connect a module to the API: the options, the client that they make, and errors as fail_json.

The options are documented in the doc fragment configok.node.kube, plugins/doc_fragments/kube.py; the two must be equal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._cluster import ClusterRefused
from .._foreign import InvalidText
from .._kube.api_client import Client
from .._kube.api_errors import CredentialsError, KubeError, MissingLibrary, Unreachable
from .._kube.transport import ClientSettings
from .._kube.user_credentials import configured_clusters, load_credentials
from .._machines import MachinesError
from .._operations import UnusableInput
from .._rollout import ConfigRefused, RolloutError
from .._text import sanitize_all, sanitize_lines

KUBE_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "kubeconfig": {"type": "path"},
    "context": {"type": "str"},
    "host": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "ca_cert": {"type": "path"},
    "validate_certs": {"type": "bool"},
    "client_cert": {"type": "path"},
    # The path of a key is not a secret.
    "client_key": {"type": "path", "no_log": False},
    "tls_server_name": {"type": "str"},
    "request_timeout": {"type": "int", "default": 30},
    "connections": {"type": "int", "default": 32},
}

# The variables that replace options that are not set. Not Ansible's env_fallback, which needs an AnsibleModule: the
# action plugin has none.
ENVIRONMENT = {
    "kubeconfig": "K8S_AUTH_KUBECONFIG",
    "context": "K8S_AUTH_CONTEXT",
    "host": "K8S_AUTH_HOST",
    "api_key": "K8S_AUTH_API_KEY",
    "ca_cert": "K8S_AUTH_SSL_CA_CERT",
    "validate_certs": "K8S_AUTH_VERIFY_SSL",
    "client_cert": "K8S_AUTH_CERT_FILE",
    "client_key": "K8S_AUTH_KEY_FILE",
}
EXPECTED_ERRORS = (ClusterRefused, InvalidText, KubeError, MachinesError, RolloutError, UnusableInput)
_TRUE = ("1", "true", "yes", "on", "y", "t")
_FALSE = ("0", "false", "no", "off", "n", "f")


def client_from_params(
    params: Mapping[str, Any], environ: Mapping[str, str] | None = None, *, user_agent: str = ""
) -> Client:
    """Return a client for a module's parameters, which include those of KUBE_ARGUMENT_SPEC.

    environ: by default the process's. user_agent: by default the collection's. Raises MissingLibrary (for
    missing_required_lib) and CredentialsError. No request is sent yet.
    """
    environ = os.environ if environ is None else environ
    options = _options(params, environ)
    credentials = load_credentials(
        kubeconfig=options["kubeconfig"],
        context=options["context"],
        host=options["host"],
        api_key=options["api_key"],
        ca_cert=options["ca_cert"],
        validate_certs=_parse_bool(options["validate_certs"]),
        client_cert=options["client_cert"],
        client_key=options["client_key"],
        tls_server_name=options["tls_server_name"],
        environ=environ,
    )
    settings = ClientSettings(
        pool_size=max(1, options["connections"] or 32),
        timeout=float(options["request_timeout"] or 30),
    )
    if user_agent:
        settings = settings._replace(user_agent=user_agent)
    return Client(credentials, settings)


def cluster_identity(params: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> list[Any]:
    """Return what decides to which cluster `client_from_params` connects, as data for JSON, without credentials."""
    environ = os.environ if environ is None else environ
    options = _options(params, environ)
    names = ("context", "host", "client_cert")
    return [*(options[name] for name in names), *configured_clusters(options["kubeconfig"], environ)]


def _options(params: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return all options, those that are not set from the environment."""
    return {
        name: _option_value(params.get(name), environ.get(ENVIRONMENT.get(name, ""))) for name in KUBE_ARGUMENT_SPEC
    }


def _option_value(value: Any, fallback: str | None) -> Any:
    return value if value is not None and value != "" else fallback or None


def _parse_bool(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    text = str(value).lower()
    if text not in _TRUE + _FALSE:
        raise CredentialsError(f"{ENVIRONMENT['validate_certs']} is {value!r}, which is neither true nor false")
    return text in _TRUE


@contextmanager
def fail_on_errors(module: Any) -> Iterator[None]:
    """Turn each expected error into fail_json of an AnsibleModule. Any other is a bug here, and keeps its traceback."""
    try:
        yield
    except MissingLibrary as error:
        module.fail_json(msg=missing_required_lib(error.library), exception=error.import_error)
    except ConfigRefused as error:
        details = sanitize_all({"findings": error.findings, "lines": error.lines})
        module.fail_json(msg=sanitize_lines(str(error)), **details)
    except Unreachable as error:
        module.fail_json(msg=f"{sanitize_lines(str(error))}: run it again when the API server answers")
    except EXPECTED_ERRORS as error:
        module.fail_json(msg=sanitize_lines(str(error)))
