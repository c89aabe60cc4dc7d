# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CEL expressions in the API server's files, with a checker and without."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.expressions import (
    CheckerSource,
    Expression,
)

AUTHENTICATION = """\
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: "https://a.b", audiences: [a]}
  claimValidationRules: [{expression: rule}]
  claimMappings:
    username: {expression: username}
    groups: {expression: groups}
    uid: {expression: uid}
    extra: [{key: a.b/c, valueExpression: extra}]
  userValidationRules: [{expression: user}]
"""
AUTHORIZATION = """\
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: Webhook
  name: hook
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: InClusterConfig}
    matchConditions: [{expression: condition}]
"""


def lines(text: str, source: CheckerSource | None, *versions: str) -> list[str]:
    return [f"{finding.level}: {finding}" for finding in check(text, versions=versions, expressions=source, file="f")]


def test_every_expression_is_checked_with_its_variable() -> None:
    seen: list[Expression] = []

    def checker(expression: Expression) -> str:
        seen.append(expression)
        return ""

    assert lines(AUTHENTICATION, lambda: checker, "1.34", "1.36") == []
    assert {(item.text, item.variable, item.is_condition) for item in seen} == {
        ("rule", "claims", True),
        ("username", "claims", False),
        ("groups", "claims", False),
        ("uid", "claims", False),
        ("extra", "claims", False),
        ("user", "user", True),
    }
    assert {item.minor for item in seen} == {34, 36}
    seen.clear()
    assert lines(AUTHORIZATION, lambda: checker, "1.36") == []
    assert seen == [Expression("condition", "request", True, 36)]


def test_an_error_is_a_refusal_at_the_expression() -> None:
    def checker(expression: Expression) -> str:
        return "CEL: wrong" if expression.minor == 35 else ""

    path = "authorizers[0].webhook.matchConditions[0].expression"
    assert lines(AUTHORIZATION, lambda: checker, "1.35", "1.36") == [
        f'component: f:12: {path}: "condition": CEL: wrong (Kubernetes 1.35)'
    ]


def test_without_a_checker_the_expressions_are_not_judged() -> None:
    assert lines(AUTHENTICATION, None, "1.34", "1.36") == ["not-judged: f:1: CEL expressions: there is no CEL library"]
    assert lines(AUTHENTICATION, lambda: None) == [
        "not-judged: f:1: CEL expressions: there is no CEL library: install cel-expr-python where this runs"
    ]


def test_a_checker_is_loaded_for_files_with_expressions_only() -> None:
    def source() -> None:
        raise AssertionError

    text = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
    assert lines(text + "anonymous: {enabled: true}\n", source, "1.36") == []
    broken = text + "jwt: [{claimMappings: {username: {expression: 1}}}]\n"
    assert any("jwt" in line for line in lines(broken, source, "1.36"))
