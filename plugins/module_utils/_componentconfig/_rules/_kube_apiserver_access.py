# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the API server's authentication and authorization.

The rules have the ids of schema/kube_apiserver_validation_rules.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._scalars._syntax import are_certificates, is_dns_name, split_url
from .._scalars.duration import nanoseconds
from .._scalars.field_path import Path
from ._rule import (
    SECOND,
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    in_range,
    needs_gate,
    objects_must,
    present,
    required,
    unique,
    values_at,
    values_must,
)

_URL = "must be a URL with the scheme https, without user, query and fragment"
_PATH = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
_TYPES = ("AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node")
_EXTRA = "must be a domain and a path in lower case, for example example.com/team"


def _is_issuer(text: str, minor: int) -> bool:
    url = split_url(text, strict_colons=minor >= 36)
    return url is not None and url.scheme == "https" and "@" not in url.authority and not url.query and not url.fragment


def _jwt_count(config: EffectiveConfig) -> Violations:
    count, limit = len(config.data.get("jwt") or ()), 1 if config.minor < 30 else 64
    if count > limit or (config.minor < 30 and count == 0):
        message = "must hold exactly one issuer" if config.minor < 30 else f"must not hold more than {limit} issuers"
        yield ("jwt",), message


def _issuer_url(config: EffectiveConfig) -> Violations:
    for path, url in values_at(config.data, "jwt[].issuer.url", absent=""):
        if not _is_issuer(url, config.minor):
            yield path, _URL


def _discovery(config: EffectiveConfig) -> Violations:
    for path, issuer in values_at(config.data, "jwt[].issuer"):
        url = issuer.get("discoveryURL") or ""
        if url and not _is_issuer(url, config.minor):
            yield path + ("discoveryURL",), _URL
        elif url and url.rstrip("/") == str(issuer.get("url", "")).rstrip("/"):
            yield path + ("discoveryURL",), "must differ from url"


def _audiences(config: EffectiveConfig) -> Violations:
    for path, issuer in values_at(config.data, "jwt[].issuer"):
        audiences_path, audiences = path + ("audiences",), issuer.get("audiences") or []
        if not audiences:
            yield audiences_path, "must hold at least one audience"
        elif config.minor < 30 and len(audiences) > 1:
            yield audiences_path, "must hold one audience"
        for index, audience in enumerate(audiences):
            if not audience:
                yield audiences_path + (index,), "must not be empty"
        yield from duplicates(
            ((audiences_path + (index,), audience) for index, audience in enumerate(audiences)),
            "must not stand twice in the list",
        )


def _claim_rules(config: EffectiveConfig) -> Violations:
    for path, rule in values_at(config.data, "jwt[].claimValidationRules[]"):
        claim, expression = bool(rule.get("claim")), bool(rule.get("expression"))
        if claim == expression:
            yield path, "must have either claim or expression"
        elif claim and rule.get("message"):
            yield path + ("message",), "is not allowed with claim"
        elif expression and rule.get("requiredValue"):
            yield path + ("requiredValue",), "is not allowed with expression"


def _mappings(config: EffectiveConfig, *names: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for path, issuer in values_at(config.data, "jwt[]"):
        mappings = issuer.get("claimMappings") or {}
        for name in names:
            yield path + ("claimMappings", name), mappings.get(name) or {}


def _claim_prefix(config: EffectiveConfig) -> Violations:
    for path, mapping in _mappings(config, "username", "groups"):
        claim, expression, prefix = (mapping.get(name) for name in ("claim", "expression", "prefix"))
        if claim and not expression and prefix is None:
            yield path + ("prefix",), 'is required with claim, "" for none'
        elif expression and not claim and prefix is not None:
            yield path + ("prefix",), "is not allowed with expression"


_CEL_STRING = re.compile(
    r"""[bB]?[rR][bB]?("{3}|'{3}|"|').*?\1|[bB]?("{3}|'{3}|"|')(?:\\.|(?!\2).)*\2|//[^\n]*""", re.DOTALL
)
"""A text or a comment in a CEL expression."""


def _uses_claim(expression: str, claim: str) -> bool:
    """Return whether a CEL expression selects a claim, as the API server looks for it: `claims["name"]` is not seen."""
    code = re.sub(r"\s*([.()?])\s*", r"\1", _CEL_STRING.sub('""', expression))
    return re.search(rf"(?<![\w.])\(*claims\)*\.\??{claim}(?![\w(])", code) is not None


def _email_verified(config: EffectiveConfig) -> Violations:
    for path, issuer in values_at(config.data, "jwt[]"):
        patterns = (
            "claimMappings.username.expression",
            "claimMappings.extra[].valueExpression",
            "claimValidationRules[].expression",
        )
        expressions = [text for pattern in patterns for _path, text in values_at(issuer, pattern)]
        for below, username in values_at(issuer, patterns[0]):
            if _uses_claim(username, "email") and not any(_uses_claim(text, "email_verified") for text in expressions):
                yield (
                    path + below,
                    "uses claims.email: claims.email_verified must be used here, in a valueExpression of extra or in "
                    "an expression of claimValidationRules",
                )


def _extra_key(config: EffectiveConfig) -> Violations:
    for path, key in values_at(config.data, "jwt[].claimMappings.extra[].key"):
        domain, *rest = key.split("/", 1)
        if not is_dns_name(domain) or not _PATH.fullmatch("".join(rest)) or key != key.lower():
            yield path, _EXTRA
        elif config.minor >= 32 and (f".{domain}".endswith((".kubernetes.io", ".k8s.io"))):
            yield path, "kubernetes.io and k8s.io are reserved for Kubernetes"


def _in_each_issuer(pattern: str) -> Rule:
    """Return the rule that no issuer has a value twice."""

    def check(config: EffectiveConfig) -> Violations:
        for path, issuer in values_at(config.data, "jwt[]"):
            yield from duplicates(
                ((path + below, value) for below, value in values_at(issuer, pattern) if value), "must not stand twice"
            )

    return check


AUTHENTICATION_RULES: dict[str, Rule] = {
    "jwt-count": _jwt_count,
    "issuer-url": all_of(present("jwt[].issuer"), _issuer_url),
    "issuer-unique": unique("jwt[].issuer.url|discoveryURL"),
    "issuer-discovery": _discovery,
    "issuer-authority": values_must(
        "jwt[].issuer.certificateAuthority",
        lambda text: not text or are_certificates(text),
        "must be certificates in PEM",
    ),
    "audiences": _audiences,
    "audience-policy": objects_must(
        "jwt[].issuer",
        lambda issuer: len(issuer.get("audiences") or ()) <= 1 or issuer.get("audienceMatchPolicy") == "MatchAny",
        "must be MatchAny with several audiences",
        "audienceMatchPolicy",
    ),
    "claim-rules": _claim_rules,
    "claim-rules-unique": all_of(
        _in_each_issuer("claimValidationRules[].claim"), _in_each_issuer("claimValidationRules[].expression")
    ),
    "username": objects_must(
        lambda config: _mappings(config, "username"),
        lambda mapping: mapping.get("claim") or mapping.get("expression"),
        "must have claim or expression",
    ),
    "email-verified": _email_verified,
    "claim-or-expression": objects_must(
        lambda config: _mappings(config, "username", "groups", "uid"),
        lambda mapping: not (mapping.get("claim") and mapping.get("expression")),
        "must not have both claim and expression",
    ),
    "claim-prefix": _claim_prefix,
    "extra-key": all_of(
        required("jwt[].claimMappings.extra[].key"), _extra_key, _in_each_issuer("claimMappings.extra[].key")
    ),
    "extra-value": required("jwt[].claimMappings.extra[].valueExpression"),
    "user-rules": all_of(
        required("jwt[].userValidationRules[].expression"), _in_each_issuer("userValidationRules[].expression")
    ),
    "anonymous": objects_must(
        "anonymous",
        lambda anonymous: anonymous.get("enabled") or not anonymous.get("conditions"),
        "need enabled: true",
        "conditions",
    ),
    "anonymous-gate": needs_gate(
        "anonymous", "AnonymousAuthConfigurableEndpoints", lambda _anonymous: False, where="on the command line"
    ),
}


def _authorizer_type(config: EffectiveConfig) -> Violations:
    seen: set[str] = set()
    for path, authorizer in values_at(config.data, "authorizers[]"):
        kind = authorizer.get("type", "")
        if kind not in _TYPES:
            yield path + ("type",), "must be one of " + ", ".join(_TYPES)
        elif kind in seen and kind != "Webhook":
            yield path + ("type",), "only Webhook may stand twice"
        seen.add(kind)


def _authorizer_type_name(config: EffectiveConfig) -> Violations:
    for path, authorizer in values_at(config.data, "authorizers[]"):
        kind, name = authorizer.get("type", ""), authorizer.get("name", "")
        if kind in _TYPES and kind != "Webhook" and name and name != kind.lower():
            yield path + ("name",), f"must be {kind.lower()}, as the type"


def _webhook(config: EffectiveConfig) -> Violations:
    for path, authorizer in values_at(config.data, "authorizers[]"):
        has_webhook = "webhook" in authorizer
        if has_webhook != (authorizer.get("type") == "Webhook"):
            message = "is only allowed with type Webhook" if has_webhook else "is required with type Webhook"
            yield path + ("webhook",), message


def _webhook_match(config: EffectiveConfig) -> Violations:
    for path, webhook in values_at(config.data, "authorizers[].webhook"):
        version = webhook.get("matchConditionSubjectAccessReviewVersion") or ""
        if version not in ("", "v1") or (not version and webhook.get("matchConditions")):
            yield path + ("matchConditionSubjectAccessReviewVersion",), "must be v1"


def _webhook_connection(config: EffectiveConfig) -> Violations:
    for path, webhook in values_at(config.data, "authorizers[].webhook"):
        connection_path, connection = path + ("connectionInfo",), webhook.get("connectionInfo") or {}
        kind, file = connection.get("type", ""), connection.get("kubeConfigFile")
        if kind not in ("InClusterConfig", "KubeConfigFile"):
            yield connection_path + ("type",), "must be InClusterConfig or KubeConfigFile"
        elif kind == "InClusterConfig" and file is not None:
            yield connection_path + ("kubeConfigFile",), "is only allowed with type KubeConfigFile"
        elif kind == "KubeConfigFile" and not str(file or "").startswith("/"):
            yield connection_path + ("kubeConfigFile",), "must be an absolute path"


def _match_conditions(config: EffectiveConfig) -> Violations:
    for path, conditions in values_at(config.data, "authorizers[].webhook.matchConditions"):
        if len(conditions) > 64:
            yield path, "must not be more than 64"
        expressions = [
            (path + (index, "expression"), condition.get("expression", ""))
            for index, condition in enumerate(conditions)
        ]
        for expression_path, expression in expressions:
            if not expression.strip():
                yield expression_path, "is required"
        yield from duplicates((condition for condition in expressions if condition[1].strip()), "must not stand twice")


def _one_of(pattern: str, *values: str) -> Rule:
    return values_must(pattern, lambda value: value in values, "must be " + " or ".join(values), absent="")


AUTHORIZATION_RULES: dict[str, Rule] = {
    "authorizers": required("authorizers", "must hold at least one authorizer"),
    "authorizer-type": _authorizer_type,
    "authorizer-name": all_of(
        values_must("authorizers[].name", is_dns_name, "must be a DNS name in lower case", absent=""),
        unique("authorizers[].name"),
    ),
    "authorizer-type-name": _authorizer_type_name,
    "webhook": _webhook,
    "webhook-timeout": values_must(
        "authorizers[].webhook.timeout",
        lambda value: 0 < nanoseconds(value) <= 30 * SECOND,
        "must be above 0 and at most 30s",
        absent="0s",
    ),
    "webhook-ttl": in_range("authorizers[].webhook.authorizedTTL|unauthorizedTTL", 0, None, ">= 0"),
    "webhook-version": _one_of("authorizers[].webhook.subjectAccessReviewVersion", "v1", "v1beta1"),
    "webhook-match-version": _webhook_match,
    "webhook-policy": _one_of("authorizers[].webhook.failurePolicy", "NoOpinion", "Deny"),
    "webhook-connection": _webhook_connection,
    "match-conditions": _match_conditions,
}
