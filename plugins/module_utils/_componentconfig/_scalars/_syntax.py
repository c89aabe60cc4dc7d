# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check DNS names, label keys and values, IP addresses, CIDRs, ports, URLs and certificates."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple, Union

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_KEY_NAME = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def is_dns_label(text: str) -> bool:
    """Return whether the text is a name without dots as namespaces have: at most 63 of a-z, 0-9 and -."""
    return len(text) <= 63 and _DNS_LABEL.fullmatch(text) is not None


def is_dns_name(text: str, *, wildcard: bool = False) -> bool:
    """Return whether the text is a lower-case DNS name of up to 253 characters; `wildcard` requires `*.` before it."""
    if wildcard:
        return len(text) <= 253 and text.startswith("*.") and _DNS_NAME.fullmatch(text[2:]) is not None
    return len(text) <= 253 and _DNS_NAME.fullmatch(text) is not None


def is_label_key(text: str) -> bool:
    """Return whether the text is a qualified name, as keys of labels, taints and annotations are: `[prefix/]name`."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_dns_name(prefix):
        return False
    return len(name) <= 63 and _KEY_NAME.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Return whether the text is valid as the value of a label or a taint; empty text is."""
    return not text or (len(text) <= 63 and _KEY_NAME.fullmatch(text) is not None)


def is_extended_resource(text: str) -> bool:
    """Return whether the text names a resource that is not one of Kubernetes' own: `example.com/gpu`."""
    native = "/" not in text or "kubernetes.io/" in text
    return not native and not text.startswith("requests.") and is_label_key(f"requests.{text}") and is_label_key(text)


Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

_LEADING_ZEROS = re.compile(r"(?<![0-9A-Fa-f:.])0+(?=[0-9])|(?<=\.)0+(?=[0-9])")
# Go refuses these in any URL: control characters, and a percent sign that does not begin an escape.
_NOT_IN_URL = re.compile(r"[\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})")
_URL = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?")
# The host of a URL to Go, without colons and brackets, and its user. The first class is A-Za-z0-9._~!$&'()*+,;=<>"- and
# all that is not ASCII; written as what it leaves out, it is compiled in no time.
_HOST_NAME = r"(?:[^\x00-\x20#%/:?@\[\\\]^`{|}\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])"
_HOST = re.compile(rf"{_HOST_NAME}*|(?:(?:{_HOST_NAME}|:)*|\[[^ \[\]]*\]):[0-9]*|\[[^ \[\]]*\]")
_USER = re.compile(r"(?:[A-Za-z0-9._:~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})*")
_CIDR = re.compile(r"[0-9A-Fa-f:.]+/[0-9]{1,3}")


def _without_leading_zeros(text: str) -> str:
    # Kubernetes reads 010.0.0.1 as 10.0.0.1, as Go once did; Python refuses it.
    return text if ":" in text else _LEADING_ZEROS.sub("", text)


def is_ip(text: str) -> bool:
    """Return whether the text is an IPv4 or IPv6 address, without a zone."""
    try:
        ipaddress.ip_address(_without_leading_zeros(text))
    except ValueError:
        return False
    return "%" not in text


def parse_ip(text: str) -> Address:
    """Return the address of a text that is one, an IPv4 address that is written as IPv6 as IPv4."""
    address = ipaddress.ip_address(_without_leading_zeros(text))
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def is_loopback(text: str) -> bool:
    """Return whether the text is a loopback address, perhaps an IPv4 one written as IPv6."""
    return is_ip(text) and parse_ip(text).is_loopback


def is_mapped_ip(text: str) -> bool:
    """Return whether the text is an IPv4 address written as an IPv6 one: `::ffff:1.2.3.4`."""
    return is_ip(text) and getattr(ipaddress.ip_address(_without_leading_zeros(text)), "ipv4_mapped", None) is not None


def network(text: str) -> Network | None:
    """Return the network of a CIDR (bits below the mask may be set), None for other text."""
    if not _CIDR.fullmatch(text):
        return None
    try:
        return ipaddress.ip_interface(_without_leading_zeros(text)).network
    except ValueError:
        return None


def is_cidr(text: str) -> bool:
    """Return whether the text is a CIDR: `10.0.0.0/8`, `fd00::/8`."""
    return network(text) is not None


def split_host_port(text: str) -> tuple[str, str] | None:
    """Return host and port of `host:port` or `[ipv6]:port` as written, None for other text."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        return (host, rest[1:]) if bracket and rest.startswith(":") and ":" not in rest[1:] else None
    host, colon, port = text.partition(":")
    return (host, port) if colon and ":" not in port and "[" not in text and "]" not in text else None


def is_port(text: str, minimum: int = 1) -> bool:
    """Return whether the text is the number of a port, from `minimum` to 65535."""
    return text.isascii() and text.isdigit() and len(text) < 10 and minimum <= int(text) <= 65535


def is_ip_port(text: str, minimum: int = 1) -> bool:
    """Return whether the text is `IP:port`, the port at or above `minimum`."""
    parts = split_host_port(text)
    return parts is not None and is_ip(parts[0]) and is_port(parts[1], minimum)


class Url(NamedTuple):
    """The parts of a URL as they are written; `authority` is user, host and port."""

    scheme: str
    authority: str
    path: str
    query: str
    fragment: str


def split_url(text: str, *, strict_colons: bool = False) -> Url | None:
    """Return the parts of a URL, None for text that Go refuses.

    strict_colons: whether to refuse `https://a:1:2` too, as components built with Go 1.26 and newer do (Kubernetes
    1.36).
    """
    match = _URL.fullmatch(text)
    if match is None or _NOT_IN_URL.search(text):
        return None
    scheme, authority, path, query, fragment = (part or "" for part in match.groups())
    user, _at, host = authority.rpartition("@")
    if (
        not _USER.fullmatch(user)
        or not _HOST.fullmatch(host)
        or (not scheme and not authority and ":" in path.split("/")[0])
    ):
        return None
    if strict_colons and scheme.lower() in ("http", "https") and ":" in host.rpartition("]")[2].rpartition(":")[0]:
        return None
    return Url(scheme.lower(), authority, path, query, fragment)


def is_grpc_target(text: str) -> bool:
    """Return whether the text is a target for traces: `host:port`, or a URL of scheme dns, unix or unix-abstract."""
    url = split_url(text if "//" in text else f"dns://{text}")
    return url is not None and url.scheme in ("dns", "unix", "unix-abstract")


_CERTIFICATE = re.compile(
    r"^-----BEGIN CERTIFICATE-----[ \t\r]*\n.*?^-----END CERTIFICATE-----", re.DOTALL | re.MULTILINE
)


def are_certificates(text: str) -> bool:
    """Return whether the text holds at least one certificate in PEM, and none that cannot be parsed."""
    import ssl  # not at the top: few configs have certificates

    blocks = _CERTIFICATE.findall(text)
    try:
        for block in blocks:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=block)
    except (ssl.SSLError, ValueError):
        return False
    return bool(blocks)
