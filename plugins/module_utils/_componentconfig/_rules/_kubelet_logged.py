# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that the kubelet takes and only logs, or that harm pods alone: it runs on, without what was asked for.

Refused by policy. Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._kinds._types import Problem
from .._values._networks import is_cidr, is_ip, split_url
from ._context import Context

__all__ = ["logged_problems"]

_RULE = "only-logged"
_NAME = re.compile(
    r"(?=.{1,253}\.?$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?"
)


def logged_problems(context: Context) -> Iterator[Problem]:
    """Yield the values of a KubeletConfiguration that the kubelet would run with, and not use."""
    for index, address in enumerate(context.get("clusterDNS") or []):
        if not is_ip(address):
            message = "must be an IP address, for example 10.96.0.10: the kubelet leaves out any other, pods get no DNS"
            yield Problem(("clusterDNS", index), message, _RULE, address)
    domain = context.get("clusterDomain")
    if domain and not _NAME.fullmatch(domain):
        message = "must be a DNS domain, for example cluster.local: it is written into the resolv.conf of pods as it is"
        yield Problem(("clusterDomain",), message, _RULE, domain)
    networks = context.get("podCIDR")
    if networks and not all(is_cidr(part) for part in networks.split(",")):
        message = (
            "must be a CIDR, or two with a comma, for example 10.1.0.0/24: the kubelet logs any other, and runs on"
        )
        yield Problem(("podCIDR",), message, _RULE, networks)
    manifest = context.get("staticPodURL")
    if manifest and not _is_http(manifest):
        message = "must be an http or https URL: the kubelet logs any other at each look, and starts no static pod"
        yield Problem(("staticPodURL",), message, _RULE, manifest)
    bind = context.get("healthzBindAddress")
    if bind and context.get("healthzPort") and not (is_ip(bind) or _NAME.fullmatch(bind)):
        message = "must be an IP address or a host name: the kubelet logs any other, and serves no health endpoint"
        yield Problem(("healthzBindAddress",), message, _RULE, bind)


def _is_http(text: str) -> bool:
    url = split_url(text)
    return url is not None and url.scheme.lower() in ("http", "https") and bool(url.authority)
