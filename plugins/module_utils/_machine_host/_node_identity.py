# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Node the kubelet of a host is."""

from __future__ import annotations

import base64
import binascii
import calendar
import os
import re
import time

from ._host_access import Host
from ._host_state import DIRECTORY

KUBECONFIG = "/etc/kubernetes/kubelet.conf"
BOOTSTRAP = "/etc/kubernetes/bootstrap-kubelet.conf"
BOOTSTRAP_KEY = "/var/lib/kubelet/pki/kubelet-client.key.tmp"
"""What a kubelet asks for its first certificate with."""
_CURRENT = "/var/lib/kubelet/pki/kubelet-client-current.pem"
_ASIDE = f"{DIRECTORY}/credentials"
_PREFIX = b"system:node:"
_FILE = re.compile(r"client-certificate[\"']?\s*:\s*[\"']?([^\s\"',}]+)")
_DATA = re.compile(r"client-certificate-data[\"']?\s*:\s*[\"']?([A-Za-z0-9+/=]+)")
_CA_FILE = re.compile(r"certificate-authority[\"']?\s*:\s*[\"']?([^\s\"',}]+)")
_CA_DATA = re.compile(r"certificate-authority-data[\"']?\s*:\s*[\"']?([A-Za-z0-9+/=]+)")
_VERSION, _UTC_TIME = 0xA0, 0x17  # tags of DER
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


def stale_credentials(host: Host, bootstrap: str, now: float) -> str:
    """Return why the kubelet's credentials are of no use for the cluster of a kubeconfig, "" if they may be.

    bootstrap: the text of the kubeconfig. now: seconds since 1970.
    """
    certificate = _certificate(host)
    if certificate is None:
        return ""
    expiry = _not_after(certificate)
    if expiry is not None and expiry < now:
        return "they have expired"
    text = host.read(KUBECONFIG) or ""
    own, declared = (_first(host, part, _CA_DATA, _CA_FILE) for part in (text, bootstrap))
    return "they are of another cluster" if own and declared and own != declared else ""


def drop_credentials(host: Host) -> None:
    """Move the kubelet's credentials aside, so that it asks for others; a deletion removes them."""
    for path in (_CURRENT, KUBECONFIG):
        if host.exists(path):
            os.makedirs(host.path(_ASIDE), mode=0o700, exist_ok=True)
            os.replace(host.path(path), host.path(f"{_ASIDE}/{os.path.basename(path)}"))


def _certificate(host: Host) -> bytes | None:
    """Return the first certificate of the kubelet, as DER."""
    return _first(host, host.read(KUBECONFIG) or "", _DATA, _FILE)


def _first(host: Host, text: str, in_data: re.Pattern[str], in_file: re.Pattern[str]) -> bytes | None:
    """Return the first certificate that a kubeconfig has or names, as DER."""
    data = in_data.search(text)
    file = in_file.search(text)
    try:
        pem = base64.b64decode(data[1]).decode("ascii") if data else (host.read(file[1]) or "") if file else ""
        match = _PEM.search(pem)
        return base64.b64decode(match[1]) if match else None
    except (binascii.Error, ValueError):
        return None


def _not_after(certificate: bytes) -> float | None:
    """Return when a certificate expires, in seconds since 1970; None if it cannot be read."""
    try:
        (_tag, whole), *_rest = _parts(certificate)
        fields = [part for part in _parts(_parts(whole)[0][1]) if part[0] != _VERSION]
        # After serial, signature and issuer: the validity.
        tag, text = _parts(fields[3][1])[1]
        form = "%y%m%d%H%M%SZ" if tag == _UTC_TIME else "%Y%m%d%H%M%SZ"
        return calendar.timegm(time.strptime(text.decode("ascii"), form))
    except (IndexError, ValueError):
        return None


def _parts(der: bytes) -> list[tuple[int, bytes]]:
    """Return the elements of DER, each with its tag. Raises ValueError, IndexError."""
    parts = []
    place = 0
    while place < len(der):
        tag, length = der[place], der[place + 1]
        place += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(der[place : place + size], "big")
            place += size
        if place + length > len(der):
            raise ValueError("an element is cut off")
        parts.append((tag, der[place : place + length]))
        place += length
    return parts
