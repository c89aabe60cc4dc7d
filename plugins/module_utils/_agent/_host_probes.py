# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes what a component needs of its host at each start: runtime, kubeconfig, name resolution.

What a component does not use is not probed. All of it may hang: call it in the background.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from os.path import exists
from typing import Any
from urllib.parse import urlsplit

from .._componentconfig._options import FLAG_COMPONENTS
from .._kube.api_errors import CredentialsError
from .._kube.credentials import PluginRequired, from_kubeconfig

_TIMEOUT = 2.0  # seconds of silence of the runtime
_MINOR = re.compile(r"v?1\.([0-9]{1,9})\.")
_DEFAULT_ENDPOINT = "unix:///run/containerd/containerd.sock"  # of a kubelet from 1.27 on; before, a flag names it
_DEFAULT_SINCE = 27
# HTTP/2's preface and an empty SETTINGS frame, which a gRPC server answers with its own.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"


def runtime_endpoint(component: str, values: Mapping[str, Any], flags: Mapping[str, str], version: str) -> str:
    """Return the endpoint of the container runtime that the component uses, "" if it uses none that is known.

    values, flags, version: for a static Pod, those of its kubelet.
    """
    if component != "kubelet" and component not in FLAG_COMPONENTS:
        return ""
    named = flags.get("container-runtime-endpoint") or values.get("containerRuntimeEndpoint")
    minor = _MINOR.match(version)
    return str(named or (_DEFAULT_ENDPOINT if minor and int(minor[1]) >= _DEFAULT_SINCE else ""))


def kubeconfig_path(component: str, values: Mapping[str, Any], flags: Mapping[str, str]) -> str:
    """Return the path of the kubeconfig with which the component starts, "" if it has none."""
    if component == "kube-proxy":
        connection = values.get("clientConnection")
        return str(connection.get("kubeconfig") or "") if isinstance(connection, Mapping) else ""
    if component != "kubelet":
        return ""
    path, bootstrap = flags.get("kubeconfig", ""), flags.get("bootstrap-kubeconfig", "")
    return bootstrap if path and not exists(path) and bootstrap and exists(bootstrap) else path


def start_problem(component: str, values: Mapping[str, Any], flags: Mapping[str, str], version: str) -> str:
    """Return the first problem, "" if there is none. It is a HostProber."""
    problem = _runtime_problem(runtime_endpoint(component, values, flags, version))
    return problem or _kubeconfig_problem(kubeconfig_path(component, values, flags))


def _runtime_problem(endpoint: str) -> str:
    path = endpoint[len("unix://") :] if endpoint.startswith("unix://") else endpoint
    if not path.startswith("/"):
        return ""  # none, or not a socket of this host
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_TIMEOUT)
            connection.connect(path)
            connection.sendall(_HELLO)
            problem = "" if connection.recv(1) else "it hangs up"
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
    return f"the container runtime does not answer at {endpoint}: {problem}" if problem else ""


def _kubeconfig_problem(path: str) -> str:
    if not path:
        return ""
    try:
        credentials = from_kubeconfig(path)
    except PluginRequired:
        return ""  # the component runs it
    except CredentialsError as error:
        return str(error)
    host = urlsplit(credentials.server).hostname or ""
    if credentials.proxy:
        return ""  # the proxy resolves the name
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as error:
        cause = (getattr(error, "strerror", None) or str(error)).lower()
        return f"{host}, the API server in {path}, does not resolve: {cause}"
    return ""
