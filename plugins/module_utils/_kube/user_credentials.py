# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds a user's credentials on the control side.

Only this file imports the kubernetes package, which costs half a second and 44 MB, and only for merged kubeconfigs,
exec plugins, OIDC and other auth providers.
"""

from __future__ import annotations

import base64
import logging
import os
import tempfile
import traceback
from collections.abc import Mapping
from typing import Any

from .api_errors import CredentialsError, MissingLibrary
from .credentials import Credentials, PluginRequired, clusters_of_kubeconfig, from_kubeconfig

_DEFAULT_KUBECONFIG = "~/.kube/config"
_SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def load_credentials(
    *,
    kubeconfig: str | None = None,
    context: str | None = None,
    host: str | None = None,
    api_key: str | None = None,
    ca_cert: str | None = None,
    validate_certs: bool | None = None,
    client_cert: str | None = None,
    client_key: str | None = None,
    tls_server_name: str | None = None,
    environ: Mapping[str, str] | None = None,
    service_account: str = _SERVICE_ACCOUNT,
) -> Credentials:
    """Return the credentials for these options; raise CredentialsError or MissingLibrary.

    In this order: host together with an api_key or a client_cert; kubeconfig (paths with the system's separator are
    merged as kubectl does), else $KUBECONFIG, else ~/.kube/config; else the service account of the Pod that this runs
    in. Any other option overrides the value found there.
    """
    environ = os.environ if environ is None else environ
    overrides = {
        "server": host.rstrip("/") if host else None,
        "ca_file": _path(ca_cert),
        "cert_file": _path(client_cert),
        "key_file": _path(client_key),
        "token": api_key,
        "tls_server_name": tls_server_name,
        "verify": validate_certs,
    }
    paths = _kubeconfigs(kubeconfig, environ)
    explicit = bool(kubeconfig or context)
    if host and (api_key or client_cert) and not explicit:
        credentials = Credentials(server=host)
    elif paths:
        credentials = _from_files(paths, context)
    elif explicit:
        named = os.pathsep.join(_named_kubeconfigs(kubeconfig, environ))
        raise CredentialsError(f"there is no kubeconfig {named}")
    elif environ.get("KUBERNETES_SERVICE_HOST"):
        credentials = _in_cluster(environ, service_account)
    elif host:
        credentials = Credentials(server=host)
    else:
        raise CredentialsError(
            f"no API server is given: set kubeconfig, or host and api_key, or have {_DEFAULT_KUBECONFIG}"
        )
    return _with_overrides(credentials, overrides)


def configured_clusters(kubeconfig: str | None, environ: Mapping[str, str]) -> list[Any]:
    """Return the paths of the kubeconfigs and what they say of clusters, as data for JSON; of a Pod, its API server.

    No exec plugin is run. The users are left out: their tokens change, and the cluster remains the same.
    """
    paths = _kubeconfigs(kubeconfig, environ)
    if not paths:
        return [environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")]
    return [[path, clusters_of_kubeconfig(path)] for path in paths]


def _path(path: str | None) -> str | None:
    return os.path.abspath(os.path.expanduser(path)) if path else None


def _kubeconfigs(kubeconfig: str | None, environ: Mapping[str, str]) -> list[str]:
    """Return the kubeconfigs that exist. As for kubectl, a missing one is not an error if another exists."""
    return [path for path in _named_kubeconfigs(kubeconfig, environ) if os.path.exists(path)]


def _named_kubeconfigs(kubeconfig: str | None, environ: Mapping[str, str]) -> list[str]:
    """Return the absolute paths of the kubeconfigs, whether they exist or not."""
    named = kubeconfig or environ.get("KUBECONFIG") or _DEFAULT_KUBECONFIG
    return [os.path.abspath(os.path.expanduser(path)) for path in named.split(os.pathsep) if path]


def _from_files(paths: list[str], context: str | None) -> Credentials:
    plugin = ""
    if len(paths) == 1:
        try:
            return from_kubeconfig(paths[0], context=context)
        except PluginRequired as error:
            plugin = f"{error.plugin}: "
    return _load_with_kubernetes(paths, context, plugin)


def _in_cluster(environ: Mapping[str, str], directory: str) -> Credentials:
    """Return the Pod's service account; its token file is replaced by the kubelet, and read again then."""
    host = environ["KUBERNETES_SERVICE_HOST"]
    port = environ.get("KUBERNETES_SERVICE_PORT", "443")
    return Credentials(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        ca_file=os.path.join(directory, "ca.crt"),
        token_file=os.path.join(directory, "token"),
    )


def _with_overrides(credentials: Credentials, overrides: dict[str, Any]) -> Credentials:
    """Return credentials with these fields replaced, now and whenever they are refreshed."""
    changes = {key: value for key, value in overrides.items() if value is not None}
    for part in ("ca", "cert", "key"):
        if f"{part}_file" in changes:
            changes[f"{part}_data"] = None
    if "token" in changes:
        changes["token_file"] = None
    refresh = credentials.refresh
    if refresh is not None and changes:
        changes["refresh"] = lambda: _with_overrides(refresh(), overrides)
    return credentials._replace(**changes) if changes else credentials


def _load_with_kubernetes(paths: list[str], context: str | None, plugin: str) -> Credentials:
    try:
        import kubernetes  # pylint: disable=import-outside-toplevel
    except ImportError as exc:
        raise MissingLibrary("kubernetes", traceback.format_exc()) from exc
    # It is not typed, or only in part.
    library: Any = kubernetes
    config = library.config
    collector = _LogCollector()
    named = f"the kubeconfig {os.pathsep.join(paths)}"
    logging.getLogger().addHandler(collector)
    # The package writes inline keys to files: it gets a directory that is removed.
    with tempfile.TemporaryDirectory(prefix="configok-") as directory:
        try:
            configuration = library.client.Configuration()
            config.load_kube_config(
                config_file=os.pathsep.join(paths),
                context=context,
                client_configuration=configuration,
                persist_config=False,
                temp_file_path=directory,
            )
            credentials = _from_configuration(configuration, directory)
        except (config.ConfigException, OSError, ValueError, KeyError, TypeError) as exc:
            raise CredentialsError(f"{named} cannot be used: {exc}") from exc
        finally:
            logging.getLogger().removeHandler(collector)
            # Otherwise it would return the names of the deleted files next time.
            forget = getattr(config.kube_config, "_cleanup_temp_files", None)
            if forget is not None:
                forget()
    if collector.messages:
        # An exec plugin that fails is only logged, and the request would be sent as anonymous.
        raise CredentialsError(f"{named} gives no credentials: {plugin}{'; '.join(collector.messages)}")
    return credentials._replace(refresh=lambda: _load_with_kubernetes(paths, context, plugin))


class _LogCollector(logging.Handler):
    """Collects the errors that the kubernetes package logs instead of raising them."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _from_configuration(configuration: Any, directory: str) -> Credentials:
    parts: dict[str, Any] = {}
    for name, attribute in (("ca", "ssl_ca_cert"), ("cert", "cert_file"), ("key", "key_file")):
        path = getattr(configuration, attribute, None)
        if not path:
            continue
        if os.path.dirname(path) == directory:
            with open(path, "rb") as stream:
                parts[f"{name}_data"] = stream.read()
        else:
            parts[f"{name}_file"] = path
    # The name of the key has changed between versions of the package.
    keys = configuration.api_key
    scheme, _space, secret = str(keys.get("BearerToken") or keys.get("authorization") or "").partition(" ")
    if scheme == "Bearer":
        parts["token"] = secret
    elif scheme == "Basic":
        parts["username"], _colon, parts["password"] = base64.b64decode(secret).decode().partition(":")
    return Credentials(
        server=configuration.host.rstrip("/"),
        verify=configuration.verify_ssl is not False,
        tls_server_name=getattr(configuration, "tls_server_name", None),
        proxy=configuration.proxy or None,
        **parts,
    )
