# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about authentication and authorization files: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

GROUP = "apiserver.config.k8s.io"
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIUT9uE7VrI3UzrHPNbD2B0tyUroj4wCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwIBcNMjYxMTIzMDMzMTMyWhgPMjEyNjEwMzAwMzMxMzJa
MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtctPMWFv
YM1EHkjzKg8doprmiKHgCsqqqTpjfk9azLwswUmYvjgA83MEDTohXQzEbzf0lJBa
ElQY3IEvuJcb16NTMFEwHQYDVR0OBBYEFP13DxH25BXdQw3kB2VOKxNoAINqMB8G
A1UdIwQYMBaAFP13DxH25BXdQw3kB2VOKxNoAINqMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIgKsTqfv+xY7y2NDntWdeItlDQSHknbeOkTwFcwHO5
7HACIQDEuwisLCJNtU/UBe9NGufAZvtXwIdqBuR/ChGGXsFtmw==
-----END CERTIFICATE-----
"""
VERIFIED = "claims.?email_verified.orValue(true)"
WEBHOOK = {
    "timeout": "3s",
    "subjectAccessReviewVersion": "v1",
    "failurePolicy": "Deny",
    "connectionInfo": {"type": "InClusterConfig"},
}


def jwt(**fields: Any) -> dict[str, Any]:
    issuer = {"url": "https://a", "audiences": ["b"]}
    return {"issuer": issuer, "claimMappings": {"username": {"claim": "sub", "prefix": ""}}, **fields}


def issuer(**fields: Any) -> Config:
    return {"jwt": [jwt(issuer={"url": "https://a", "audiences": ["b"], **fields})]}


def mapped(**mappings: Any) -> Config:
    return {"jwt": [jwt(claimMappings={"username": {"claim": "sub", "prefix": ""}, **mappings})]}


def extra(*keys: str | None, value: str = "'x'") -> Config:
    return mapped(extra=[{"key": key, "valueExpression": value} for key in keys])


def claims(*rules: Config) -> Config:
    return {"jwt": [jwt(claimValidationRules=list(rules))]}


def users(*expressions: str) -> Config:
    return {"jwt": [jwt(userValidationRules=[{"expression": text} for text in expressions])]}


def webhook(**fields: Any) -> Config:
    return {"authorizers": [{"type": "Webhook", "name": "w", "webhook": {**WEBHOOK, **fields}}]}


def conditions(*expressions: str) -> Config:
    conditions = [{"expression": text} for text in expressions]
    return webhook(matchConditions=conditions, matchConditionSubjectAccessReviewVersion="v1")


def types(*names: str) -> Config:
    return {"authorizers": [{"type": name, "name": name.lower()} for name in names]}


BAD_URLS = ["", "http://a", "https://u@a", "https://a?b=c", "https://a#b", "https://a:x", "a"]
CASES: dict[str, list[Case]] = {
    "AuthenticationConfiguration": [
        Case("jwt-count", 29, [{}, {"jwt": [jwt(), jwt()]}], [{"jwt": [jwt()]}]),
        Case("jwt-count", 31, [{"jwt": [jwt()] * 65}], [{}, {"jwt": [jwt()] * 2}]),
        Case(
            "issuer-url",
            31,
            [*(issuer(url=url) for url in BAD_URLS), {"jwt": [jwt(issuer=None)]}],
            [issuer(url="https://a:6443/b"), issuer(url="https://a:1:2")],
        ),
        Case("issuer-url", 35, [issuer(url="https://a:1:b")], [issuer(url="https://a:1:2")]),
        Case(
            "issuer-url",
            36,
            [issuer(url="https://a:1:2")],
            [issuer(url="https://a:6443/b"), issuer(url="https://[a:1]:2")],
        ),
        Case(
            "issuer-unique",
            31,
            [{"jwt": [jwt(), jwt()]}, {"jwt": [issuer(url=url, discoveryURL="https://d")["jwt"][0] for url in "ab"]}],
            [{"jwt": [jwt(), *issuer(url="https://b")["jwt"]]}],
        ),
        Case(
            "issuer-discovery",
            31,
            [issuer(discoveryURL="https://a/"), *(issuer(discoveryURL=url) for url in BAD_URLS if url)],
            [issuer(discoveryURL="https://d"), issuer(discoveryURL="")],
        ),
        Case(
            "issuer-authority",
            31,
            [
                issuer(certificateAuthority="x"),
                issuer(certificateAuthority="-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"),
                issuer(certificateAuthority=CERTIFICATE.replace("MIIB", "MIIA")),
            ],
            [issuer(certificateAuthority=CERTIFICATE), issuer(certificateAuthority="")],
        ),
        Case("audiences", 31, [issuer(audiences=[]), issuer(audiences=[""]), issuer(audiences=["a", "a"])], [issuer()]),
        Case("audiences", 29, [issuer(audiences=["a", "b"])], [issuer()]),
        Case(
            "audience-policy",
            31,
            [issuer(audiences=["a", "b"])],
            [issuer(audiences=["a", "b"], audienceMatchPolicy="MatchAny"), issuer()],
        ),
        Case(
            "claim-rules",
            31,
            [
                claims({}),
                claims({"claim": "a", "expression": "b"}),
                claims({"claim": "a", "message": "b"}),
                claims({"expression": "a", "requiredValue": "b"}),
            ],
            [claims({"claim": "a", "requiredValue": "b"}, {"expression": "a", "message": "b"})],
        ),
        Case(
            "claim-rules-unique",
            31,
            [claims({"claim": "a"}, {"claim": "a"}), claims({"expression": "a"}, {"expression": "a"})],
            [claims({"claim": "a"}, {"claim": "b"}, {"expression": "a"})],
        ),
        Case("username", 31, [mapped(username={}), {"jwt": [jwt(claimMappings={})]}], [mapped()]),
        Case(
            "email-verified",
            31,
            [
                mapped(username={"expression": "claims.email"}),
                mapped(username={"expression": "claims.?email.orValue('')"}),
                mapped(username={"expression": "has( claims . email ) ? claims.sub : ''"}),
                mapped(username={"expression": "claims.email + 'claims.email_verified'"}),
                mapped(username={"expression": "(claims) .email // claims.email_verified"}),
                mapped(username={"expression": "r'\\' + claims.email + '.'"}),
                {
                    "jwt": [
                        *mapped(username={"expression": "claims.email"})["jwt"],
                        *extra("a.b/c", value=VERIFIED)["jwt"],
                    ]
                },
            ],
            [
                mapped(username={"claim": "email", "prefix": ""}),
                mapped(username={"expression": "claims.emails + claims.user.email + claims.email_ + 'claims.email'"}),
                mapped(username={"expression": "claims['email']"}),
                mapped(username={"expression": "user . claims . email + claims.email('a') + my_claims.email"}),
                mapped(username={"expression": '\'\\\' + claims.email + \' + """claims.email"""'}),
                mapped(username={"expression": f"{VERIFIED} ? claims.email : ''"}),
                mapped(username={"expression": "claims.email"}, extra=[{"key": "a.b/c", "valueExpression": VERIFIED}]),
                {
                    "jwt": [
                        {
                            **mapped(username={"expression": "claims.email"})["jwt"][0],
                            "claimValidationRules": [{"expression": f"{VERIFIED} == true"}],
                        }
                    ]
                },
            ],
        ),
        Case(
            "claim-or-expression",
            31,
            [
                mapped(username={"claim": "a", "expression": "b"}),
                mapped(groups={"claim": "a", "expression": "b"}),
                mapped(uid={"claim": "a", "expression": "b"}),
            ],
            [mapped(uid={"claim": "a"}, groups={"expression": "b"})],
        ),
        Case(
            "claim-prefix",
            31,
            [mapped(username={"claim": "a"}), mapped(groups={"expression": "a", "prefix": ""})],
            [mapped(groups={"claim": "a", "prefix": "b"}), mapped(groups={})],
        ),
        Case(
            "extra-key",
            31,
            [extra("a"), extra("a.b/"), extra("A.b/c"), extra("a.b/C"), extra(None), extra("a.b/c", "a.b/c")],
            [extra("a.b/c", "a.b/d"), extra("kubernetes.io/a")],
        ),
        Case("extra-key", 32, [extra("kubernetes.io/a"), extra("a.k8s.io/b")], [extra("nok8s.io/a")]),
        Case("extra-value", 31, [extra("a.b/c", value="")], [extra("a.b/c")]),
        Case("user-rules", 31, [users(""), users("a", "a")], [users("a", "b")]),
        Case(
            "anonymous",
            31,
            [{"anonymous": {"enabled": False, "conditions": [{"path": "/a"}]}}],
            [{"anonymous": {"enabled": True, "conditions": [{"path": "/a"}]}}, {"anonymous": {"enabled": False}}],
        ),
        Case("anonymous-gate", 31, [{"anonymous": {"enabled": True}}, {"anonymous": {}}], [{}, {"anonymous": None}]),
    ],
    "AuthorizationConfiguration": [
        Case("authorizers", 31, [{}, {"authorizers": []}], [types("RBAC")]),
        Case("authorizer-type", 31, [types(""), types("Rbac"), types("RBAC", "RBAC")], [types("Node", "RBAC")]),
        Case(
            "authorizer-name",
            31,
            [
                {"authorizers": [{"type": "RBAC"}]},
                {"authorizers": [{"type": "RBAC", "name": "A"}]},
                {"authorizers": [{"type": "RBAC", "name": "a"}, {"type": "Node", "name": "a"}]},
            ],
            [types("Node", "RBAC")],
        ),
        Case(
            "authorizer-type-name",
            31,
            [{"authorizers": [{"type": "Node", "name": "Node"}]}, {"authorizers": [{"type": "RBAC", "name": "a"}]}],
            [types("Node", "RBAC", "ABAC", "AlwaysAllow"), webhook()],
        ),
        Case(
            "webhook",
            31,
            [types("Webhook"), {"authorizers": [{"type": "RBAC", "name": "r", "webhook": WEBHOOK}]}],
            [webhook(), types("RBAC")],
        ),
        Case(
            "webhook-timeout",
            31,
            [webhook(timeout="0s"), webhook(timeout="31s"), webhook(timeout="-1s")],
            [webhook(timeout="30s")],
        ),
        Case(
            "webhook-ttl",
            31,
            [webhook(authorizedTTL="-1s"), webhook(unauthorizedTTL="-1s")],
            [webhook(authorizedTTL="0s"), webhook()],
        ),
        Case(
            "webhook-version",
            31,
            [webhook(subjectAccessReviewVersion=""), webhook(subjectAccessReviewVersion="v2")],
            [webhook(subjectAccessReviewVersion="v1beta1")],
        ),
        Case(
            "webhook-match-version",
            31,
            [
                webhook(matchConditions=[{"expression": "a"}]),
                webhook(matchConditionSubjectAccessReviewVersion="v1beta1"),
            ],
            [conditions("a"), webhook()],
        ),
        Case(
            "webhook-policy",
            31,
            [webhook(failurePolicy=""), webhook(failurePolicy="deny")],
            [webhook(failurePolicy="NoOpinion")],
        ),
        Case(
            "webhook-connection",
            31,
            [
                webhook(connectionInfo=None),
                webhook(connectionInfo={"type": "x"}),
                webhook(connectionInfo={"type": "InClusterConfig", "kubeConfigFile": "/a"}),
                webhook(connectionInfo={"type": "KubeConfigFile"}),
                webhook(connectionInfo={"type": "KubeConfigFile", "kubeConfigFile": "a"}),
            ],
            [webhook(), webhook(connectionInfo={"type": "KubeConfigFile", "kubeConfigFile": "/a"})],
        ),
        Case(
            "match-conditions",
            31,
            [conditions(" "), conditions("a", "a"), conditions(*map(str, range(65)))],
            [conditions("a", "b"), conditions(*map(str, range(64)))],
        ),
    ],
}


def version_of(minor: int) -> str:
    return "v1alpha1" if minor < 30 else "v1beta1"


@pytest.mark.parametrize("kind", sorted(CASES))
def test_every_rule_has_a_case(kind: str) -> None:
    assert {case.rule for case in CASES[kind]} == names_of_rules(f"{GROUP}/v1", kind)


@pytest.mark.parametrize(
    ("kind", "case"),
    [(kind, case) for kind, cases in CASES.items() for case in cases],
    ids=[f"{case.rule}-{case.minor}" for cases in CASES.values() for case in cases],
)
def test_each_rule_refuses_its_bad_configs_alone(kind: str, case: Case) -> None:
    assert_case({"apiVersion": f"{GROUP}/{version_of(case.minor)}", "kind": kind}, case)
