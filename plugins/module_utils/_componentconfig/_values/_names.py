# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names as Kubernetes allows them: DNS names, label keys and values, resource names.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re

__all__ = ["is_dns_label", "is_dns_name", "is_extended_resource", "is_label_key", "is_label_value"]

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_KEY_NAME = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def is_dns_label(text: str) -> bool:
    """Whether it is a name without dots as namespaces have: at most 63 of a-z, 0-9 and -."""
    return len(text) <= 63 and _DNS_LABEL.fullmatch(text) is not None


def is_dns_name(text: str, *, wildcard: bool = False) -> bool:
    """Whether it is a DNS name in lower case of at most 253 characters; `wildcard` wants `*.` before it."""
    if wildcard:
        return len(text) <= 253 and text.startswith("*.") and _DNS_NAME.fullmatch(text[2:]) is not None
    return len(text) <= 253 and _DNS_NAME.fullmatch(text) is not None


def is_label_key(text: str) -> bool:
    """Whether it is a qualified name, as keys of labels, taints and annotations are: `[prefix/]name`."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_dns_name(prefix):
        return False
    return len(name) <= 63 and _KEY_NAME.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Whether it may be the value of a label or a taint; empty is one."""
    return not text or (len(text) <= 63 and _KEY_NAME.fullmatch(text) is not None)


def is_extended_resource(text: str) -> bool:
    """Whether it names a resource that is none of Kubernetes' own: `example.com/gpu`."""
    native = "/" not in text or "kubernetes.io/" in text
    return not native and not text.startswith("requests.") and is_label_key(f"requests.{text}") and is_label_key(text)
