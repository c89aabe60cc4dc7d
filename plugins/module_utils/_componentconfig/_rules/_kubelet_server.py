# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a kubelet when its server starts: certificates, cipher suites, addresses, ports.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from .._values._networks import is_ip
from ._context import Context, Fault, Rule, value_table

__all__ = ["SERVER_CHECKS"]

_EVERYWHERE = ("0.0.0.0", "::")
_ADDRESS_OF = {"port": "address", "readOnlyPort": "address", "healthzPort": "healthzBindAddress"}
_HTTP2_SUITES = ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
_SUITES = frozenset(
    "TLS_" + name
    for name in [
        "AES_128_GCM_SHA256",
        "AES_256_GCM_SHA384",
        "CHACHA20_POLY1305_SHA256",
        "RSA_WITH_RC4_128_SHA",
        "RSA_WITH_3DES_EDE_CBC_SHA",
        "RSA_WITH_AES_128_CBC_SHA",
        "RSA_WITH_AES_256_CBC_SHA",
        "RSA_WITH_AES_128_CBC_SHA256",
        "RSA_WITH_AES_128_GCM_SHA256",
        "RSA_WITH_AES_256_GCM_SHA384",
        "ECDHE_ECDSA_WITH_RC4_128_SHA",
        "ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        "ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        "ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
        "ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
        "ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "ECDHE_RSA_WITH_RC4_128_SHA",
        "ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
        "ECDHE_RSA_WITH_AES_128_CBC_SHA",
        "ECDHE_RSA_WITH_AES_256_CBC_SHA",
        "ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        "ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "ECDHE_RSA_WITH_CHACHA20_POLY1305",
        "ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    ]
)


def _tls_version(c: Context) -> Iterator[Fault]:
    allowed = value_table("tlsMinVersion")
    if (c.get("tlsMinVersion") or "") not in allowed:
        yield ("tlsMinVersion",), "must be one of " + ", ".join(one for one in allowed if one)


def _tls_suites(c: Context) -> Iterator[Fault]:
    for index, suite in enumerate(c.get("tlsCipherSuites") or []):
        if suite not in _SUITES:
            yield (
                ("tlsCipherSuites", index),
                "must be a cipher suite by its Go name, for example TLS_AES_128_GCM_SHA256",
            )


def _tls_suites_of_http2(c: Context) -> Iterator[Fault]:
    suites = c.get("tlsCipherSuites") or []
    judged = c.get("enableServer") and c.get("tlsMinVersion") != "VersionTLS13"
    if judged and suites and _SUITES.issuperset(suites) and not set(suites) & set(_HTTP2_SUITES):
        yield ("tlsCipherSuites",), "must hold one that HTTP/2 requires: " + " or ".join(_HTTP2_SUITES)


def _tls_pair(c: Context) -> Iterator[Fault]:
    fields = ("tlsCertFile", "tlsPrivateKeyFile")
    given = [field for field in fields if c.get(field)]
    if len(given) == 1 and c.get("enableServer"):
        other = fields[1 - fields.index(given[0])]
        yield (given[0],), f"needs {other} as well"


def _address(c: Context) -> Iterator[Fault]:
    if (c.get("enableServer") or c.get("readOnlyPort")) and not is_ip(c.get("address") or ""):
        yield ("address",), "must be an IP address"


def _ports(c: Context) -> Iterator[Fault]:
    # The health server only logs that its port is taken, the other two end the kubelet. Which comes first varies.
    for field, other in (("readOnlyPort", "port"), ("healthzPort", "port"), ("readOnlyPort", "healthzPort")):
        same = c.get(field) and c.get(field) == c.get(other)
        served = c.get("enableServer") or other != "port"
        if same and served and _overlap(c.get(_ADDRESS_OF[field]), c.get(_ADDRESS_OF[other])):
            yield (field,), f"must be another one than {other}, which is {c.get(other)}"


def _overlap(one: str, other: str) -> bool:
    return one == other or not {one, other}.isdisjoint(_EVERYWHERE)


SERVER_CHECKS: dict[str, Rule] = {
    "tls-min": _tls_version,
    "tls-suites": _tls_suites,
    "tls-suites-http2": _tls_suites_of_http2,
    "tls-pair": _tls_pair,
    "address-ip": _address,
    "ports-differ": _ports,
}
