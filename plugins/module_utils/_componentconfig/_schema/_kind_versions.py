# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find and sort the API versions of one kind."""

from __future__ import annotations

import re

from .. import ConfigError
from ._kinds import Kind, kinds
from ._releases import minor_name

__all__ = ["find_version", "readers_text", "version_order", "versions_of"]

_NAMES_OF_VERSIONS = {
    "WebhookAdmission": "WebhookAdmissionConfiguration",
    "resourcequota.admission.k8s.io Configuration": "ResourceQuotaConfiguration",
}
"""Kinds that have another name in other versions, with that name."""


def _lineage(kind: Kind) -> str:
    """Return the name that all versions of one kind share. The group tells apart three kinds called Configuration."""
    name = kind.kind if kind.kind != "Configuration" else f"{kind.api_version.split('/')[0]} {kind.kind}"
    return _NAMES_OF_VERSIONS.get(name, name)


def versions_of(kind: Kind) -> list[Kind]:
    """Return all versions of a kind, itself among them, the oldest first."""
    return sorted((version for version in kinds() if _lineage(version) == _lineage(kind)), key=version_order)


def version_order(kind: Kind) -> tuple[int, int, int]:
    """Return the key that sorts versions as Kubernetes does: alpha before beta before stable, then by number."""
    match = re.fullmatch(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", kind.version)
    if match is None:
        return 0, 0, 0
    major, stage, number = match.groups()
    return ("alpha", "beta", None).index(stage), int(major), int(number or 0)


def find_version(kind: Kind, api_version: str) -> Kind:
    """Return the version of a kind with a name such as v1 or kubelet.config.k8s.io/v1.

    Raises ConfigError if the kind has no such version.
    """
    for version in versions_of(kind):
        if api_version in (version.version, version.api_version):
            return version
    names = ", ".join(version.api_version for version in versions_of(kind))
    raise ConfigError(f"{kind.kind} has no version {api_version}: it has {names}")


def readers_text(kind: Kind) -> str:
    """Return which Kubernetes minors read a version, for a message."""
    if kind.last is None:
        return f"Kubernetes {minor_name(kind.since)} and newer"
    return f"Kubernetes {minor_name(kind.since)}" + (f" to {minor_name(kind.last)}" if kind.last != kind.since else "")
