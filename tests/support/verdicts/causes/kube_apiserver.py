# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the engine does not share recorded verdicts on the API server's files."""

from __future__ import annotations

import re
from collections.abc import Callable

from ansible_collections.configok.node.plugins.module_utils._operations._cel import cel_checker
from support.verdicts.comparison import Disagreement

from ._cause import Category, Cause, accepts, refuses

__all__ = ["CAUSES"]

_AUTHENTICATION = frozenset({"AuthenticationConfiguration"})
_AUTHORIZATION = frozenset({"AuthorizationConfiguration"})
_ENCRYPTION = frozenset({"EncryptionConfiguration"})
_EGRESS = frozenset({"EgressSelectorConfiguration"})

# The first error is about an expression: that it does not compile, or has the wrong type. Messages are cut.
_CEL = (
    r"^\[?(?:jwt|authorizers)\[\d+\]\.[\w.\[\]]*(?:e|valueE)xpression: Invalid value: "
    r'"(?:[^"\\]|\\.)*(?:\\?$|"(?:$|:$|: $|: comp(?:$|ilation fai)|: must evaluate to ))'
)
_FORK_TYPES = re.compile(r"\btype: (?:Scope|SystemMasters)\b|\btype: '(?:Scope|SystemMasters)'")


def _at(minors: tuple[str, ...], matches: Callable[[Disagreement], bool]) -> Callable[[Disagreement], bool]:
    return lambda disagreement: disagreement.verdict.minor in minors and matches(disagreement)


def _has_type_of_the_fork(disagreement: Disagreement) -> bool:
    return refuses("authorizer-type")(disagreement) and _FORK_TYPES.search(disagreement.file.text) is not None


def _has_field_of_1_30(disagreement: Disagreement) -> bool:
    unknown = [finding.field for finding in disagreement.findings if finding.rule == "unknown-field"]
    return refuses("unknown-field", "audiences")(disagreement) and all(
        field.endswith(".audienceMatchPolicy") for field in unknown
    )


_WITHOUT_CEL = (
    Cause(
        "API server: CEL expressions are not compiled without cel-expr-python",
        Category.BY_DESIGN,
        _AUTHENTICATION | _AUTHORIZATION,
        accepts(_CEL),
    ),
)

CAUSES: tuple[Cause, ...] = (
    *(_WITHOUT_CEL if cel_checker() is None else ()),
    Cause(
        "API server: the kubeconfig of a webhook, a file next to the config, is not read",
        Category.BY_DESIGN,
        _AUTHORIZATION,
        accepts(r"connectionInfo\.kubeConfigFile: Invalid value: .*: error loading file: "),
    ),
    Cause(
        "API server: from 1.29 on, KMS v1 needs the gate KMSv1 when its client is made",
        Category.STARTS,
        _ENCRYPTION,
        refuses("kms-v1"),
    ),
    Cause(
        "API server: http:// needs a tlsConfig where the API server dials, and is refused with one",
        Category.STARTS,
        _EGRESS,
        refuses("egress-http"),
    ),
    Cause(
        "API server: the authorizer types Scope and SystemMasters",
        Category.MEASURED_TREE,
        _AUTHORIZATION,
        _has_type_of_the_fork,
    ),
    Cause(
        "API server: audienceMatchPolicy in 1.29",
        Category.MEASURED_TREE,
        _AUTHENTICATION,
        _at(("1.29",), _has_field_of_1_30),
    ),
)
