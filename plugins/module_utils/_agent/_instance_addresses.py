# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the instance of a control-plane component on this node says that it is healthy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from .._componentconfig._flags.kubelet_flags import parse_flags
from .._componentconfig._options import ETCD

LOOPBACK_OF_ANY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1", "[::]": "::1"}
"""The address at which a server that listens on all of them is reached on its own node."""

HEALTH_URL = "healthURL"
"""The key under which the probed values of a static Pod have the address of its own instance."""

API_SERVER = "kube-apiserver"

_INSTANCES: Mapping[str, tuple[str, str, str]] = {
    # The flag of the address, the port, and the path.
    API_SERVER: ("advertise-address", "6443", "/readyz"),
    "kube-controller-manager": ("bind-address", "10257", "/healthz"),
    "kube-scheduler": ("bind-address", "10259", "/healthz"),
}


def instance_url(component: str, argv: Sequence[str]) -> str:
    """Return where this instance of a control-plane component says that it is healthy, "" for another component.

    argv: its command line. A load balancer in front of it would answer for other instances.
    """
    flags = dict(parse_flags(tuple(argv)))
    if component == ETCD:
        return _etcd_url(flags.get("listen-metrics-urls", ""))
    if component not in _INSTANCES:
        return ""
    flag, port, path = _INSTANCES[component]
    port = flags.get("secure-port") or port
    return "" if port == "0" else local_url("https", flags.get(flag) or flags.get("bind-address") or "", port, path)


def _etcd_url(listening: str) -> str:
    """Return where a member says that it can read what the others agree on, "" for none that is known."""
    try:
        parts = urlsplit(listening.partition(",")[0])
        port = parts.port
    except ValueError:
        return ""
    is_known = parts.scheme in ("http", "https") and port
    return local_url(parts.scheme, parts.hostname or "", port, "/health") if is_known else ""


def local_url(scheme: str, host: str, port: object, path: str = "") -> str:
    """Return the URL at which a server that listens at a host, "" for all of them, is reached on its own node."""
    bare = LOOPBACK_OF_ANY.get(host, host).strip("[]")
    return f"{scheme}://[{bare}]:{port}{path}" if ":" in bare else f"{scheme}://{bare}:{port}{path}"
