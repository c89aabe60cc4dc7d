# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine how serious unknown and duplicate fields are, by the kind and the minor."""

from __future__ import annotations

from collections.abc import Mapping

from ..findings import Finding, Level
from .kinds import Kind
from .releases import as_last_read

_STRICT_SINCE: Mapping[str, int] = {
    "AuthenticationConfiguration": 0,
    "AuthorizationConfiguration": 0,
    "PodSecurityConfiguration": 0,
    "EncryptionConfiguration": 31,
    "AdmissionConfiguration": 32,
    "TracingConfiguration": 32,
    "EgressSelectorConfiguration": 32,
    "ResourceQuotaConfiguration": 32,
    "LeaderMigrationConfiguration": 32,
    "CredentialProviderConfig": 32,
    "WebhookAdmissionConfiguration": 36,
    "ValidatingAdmissionPolicyConfiguration": 36,
    "MutatingAdmissionPolicyConfiguration": 36,
}
"""The minor from which on the component refuses unknown and duplicate fields of a kind. For all other kinds it accepts
them, with a warning or silently."""


def strictness(kind: Kind, minor: int) -> Level:
    """Return how serious an unknown or duplicate field is: whether the component refuses it depends on the kind."""
    strict = kind.component == "kube-scheduler" or _STRICT_SINCE.get(kind.unique_name, minor + 1) <= minor
    return Level.COMPONENT if strict else Level.POLICY


def with_strictness(finding: Finding, kind: Kind, minor: int) -> Finding:
    """Return the finding about an unknown field with its level: a warning if the minor's fields were not read."""
    unread = kind.fields_unread_since
    if unread is not None and minor >= unread:
        return finding._replace(level=Level.WARNING, message=f"{finding.message}{as_last_read(unread)}")
    return finding._replace(level=strictness(kind, minor))
