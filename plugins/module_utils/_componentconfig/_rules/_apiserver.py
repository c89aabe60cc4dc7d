# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server's rules by kind.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from ._apiserver_access import AUTHENTICATION_RULES, AUTHORIZATION_RULES
from ._apiserver_admission import ADMISSION_RULES
from ._apiserver_encryption import ENCRYPTION_RULES
from ._apiserver_files import AUDIT_RULES, EGRESS_RULES, TRACING_RULES
from ._context import RuleSet

__all__ = ["APISERVER_RULE_SETS"]

APISERVER_RULE_SETS: dict[str, tuple[RuleSet, ...]] = {
    kind: (RuleSet("kube_apiserver", kind, rules),)
    for kind, rules in {
        **ADMISSION_RULES,
        "EncryptionConfiguration": ENCRYPTION_RULES,
        "TracingConfiguration": TRACING_RULES,
        "EgressSelectorConfiguration": EGRESS_RULES,
        "Policy": AUDIT_RULES,
        "AuthenticationConfiguration": AUTHENTICATION_RULES,
        "AuthorizationConfiguration": AUTHORIZATION_RULES,
    }.items()
}
"""The rules by kind; kinds that are called Configuration with the first word of their group."""
