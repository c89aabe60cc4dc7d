# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions that a kind has, also under other names, and which Kubernetes minors read them.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re

from .._kinds._schema import Kind, kinds
from .._values._errors import ComponentConfigError
from .._values._versions import name

__all__ = ["readers", "short", "version_of", "versions"]

_ALSO_CALLED = {
    "WebhookAdmission": "WebhookAdmissionConfiguration",
    "resourcequota.admission.k8s.io Configuration": "ResourceQuotaConfiguration",
}
"""Kinds that other versions call otherwise."""


def _line(kind: Kind) -> str:
    """What the versions of one kind have in common. Three kinds are called Configuration: the API group tells them."""
    own = kind.kind if kind.kind != "Configuration" else f"{kind.api_version.split('/')[0]} {kind.kind}"
    return _ALSO_CALLED.get(own, own)


def short(kind: Kind) -> str:
    """The version alone: v1beta3."""
    return kind.api_version.rsplit("/", 1)[-1]


def versions(kind: Kind) -> list[Kind]:
    """All versions of a kind, itself among them, the oldest first."""
    return sorted((one for one in kinds() if _line(one) == _line(kind)), key=_age)


def _age(kind: Kind) -> tuple[int, int, int]:
    match = re.fullmatch(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", short(kind))
    if match is None:
        return 0, 0, 0
    major, stage, number = match.groups()
    return ("alpha", "beta", None).index(stage), int(major), int(number or 0)


def version_of(kind: Kind, wanted: str) -> Kind:
    """The version of a kind that is called `wanted`, as v1 or with its group; ValueError with a sentence for none."""
    for one in versions(kind):
        if wanted in (short(one), one.api_version):
            return one
    has = ", ".join(one.api_version for one in versions(kind))
    raise ComponentConfigError(f"{kind.kind} has no version {wanted}: it has {has}")


def readers(kind: Kind) -> str:
    """The Kubernetes minors that read a version, in words."""
    if kind.last is None:
        return f"Kubernetes {name(kind.since)} and newer"
    return f"Kubernetes {name(kind.since)}" + (f" to {name(kind.last)}" if kind.last != kind.since else "")
