# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Node the kubelet of a host is. Private to configok.node."""

from __future__ import annotations

import base64
import binascii
import re

from ._host_access import Host

__all__ = ["BOOTSTRAP", "BOOTSTRAP_KEY", "KUBECONFIG", "has_credentials", "node_of"]

KUBECONFIG = "/etc/kubernetes/kubelet.conf"
BOOTSTRAP = "/etc/kubernetes/bootstrap-kubelet.conf"
BOOTSTRAP_KEY = "/var/lib/kubelet/pki/kubelet-client.key.tmp"
"""What a kubelet asks for its first certificate with."""
_PREFIX = b"system:node:"
_FILE = re.compile(r"client-certificate[\"']?\s*:\s*[\"']?([^\s\"',}]+)")
_DATA = re.compile(r"client-certificate-data[\"']?\s*:\s*[\"']?([A-Za-z0-9+/=]+)")
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.+?)-----END", re.DOTALL)


def has_credentials(host: Host) -> bool:
    """Return whether the kubelet has a client certificate of its own."""
    return _certificate(host) is not None


def node_of(host: Host) -> str:
    """Return the name of the Node in the kubelet's client certificate, "" if it has none, or one without a name."""
    certificate = _certificate(host) or b""
    place = certificate.find(_PREFIX)
    if place < 1:
        return ""
    length = certificate[place - 1]  # of the string, in DER's short form
    return certificate[place + len(_PREFIX) : place + length].decode("ascii", "replace")


def _certificate(host: Host) -> bytes | None:
    """Return the first certificate, as DER."""
    text = host.read(KUBECONFIG) or ""
    data = _DATA.search(text)
    file = _FILE.search(text)
    try:
        pem = base64.b64decode(data[1]).decode("ascii") if data else (host.read(file[1]) or "") if file else ""
        match = _PEM.search(pem)
        return base64.b64decode(match[1]) if match else None
    except (binascii.Error, ValueError):
        return None
