# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about the kubelet's credential providers: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

KIND = "CredentialProviderConfig"
SPOKEN = "credentialprovider.kubelet.k8s.io"


def provider(**fields: Any) -> Config:
    required = {"name": "ecr", "apiVersion": f"{SPOKEN}/v1", "matchImages": ["*.a.b"], "defaultCacheDuration": "1h"}
    return {"providers": [{**required, **fields}]}


def token(**fields: Any) -> Config:
    required = {"serviceAccountTokenAudience": "a", "requireServiceAccount": True, "cacheType": "Token"}
    return provider(tokenAttributes={**required, **fields})


REQUIRED, OPTIONAL = "requiredServiceAccountAnnotationKeys", "optionalServiceAccountAnnotationKeys"
CASES = [
    Case("plausible-size", 31, [provider(defaultCacheDuration="12ns")], [provider(defaultCacheDuration="12h")]),
    Case("providers", 31, [{}, {"providers": []}], [provider()]),
    Case("provider-name", 31, [provider(name=name) for name in ("", ".", "..", "a/b", "a b", None)], [provider()]),
    Case(
        "provider-unique",
        31,
        [{"providers": [{"name": "a"}, {"name": "a"}]}],
        [{"providers": [{"name": "a"}, {"name": "b"}]}],
    ),
    Case(
        "provider-version",
        31,
        [provider(apiVersion=""), provider(apiVersion=None), provider(apiVersion="v1")],
        [provider(), provider(apiVersion=f"{SPOKEN}/v1alpha1")],
    ),
    Case("provider-version", 25, [provider()], [provider(apiVersion=f"{SPOKEN}/v1beta1")]),
    Case(
        "match-images",
        31,
        [provider(matchImages=[]), provider(matchImages=["a b"]), provider(matchImages=["a:b"])],
        [provider(matchImages=["a.b:5000/c", "*.dkr.ecr.*.amazonaws.com", "a.b/c"])],
    ),
    Case(
        "cache-duration",
        31,
        [provider(defaultCacheDuration=None), provider(defaultCacheDuration="-1s")],
        [provider(defaultCacheDuration="0s")],
    ),
    Case("token-gate", 33, [token()], [provider()]),
    Case(
        "token-version",
        34,
        [{"providers": [{**token()["providers"][0], "apiVersion": f"{SPOKEN}/v1beta1"}]}],
        [token()],
    ),
    Case("token-audience", 34, [token(serviceAccountTokenAudience="")], [token()]),
    Case(
        "token-required",
        34,
        [token(requireServiceAccount=None), token(requireServiceAccount=False, **{REQUIRED: ["a"]})],
        [token(requireServiceAccount=False), token(**{REQUIRED: ["a"]})],
    ),
    Case("token-cache", 34, [token(cacheType=None), token(cacheType="")], [token(cacheType="ServiceAccount")]),
    Case(
        "token-keys",
        34,
        [token(**{REQUIRED: ["a b"]}), token(**{OPTIONAL: ["a", "a"]}), token(**{REQUIRED: ["a"], OPTIONAL: ["a"]})],
        [token(**{REQUIRED: ["Example.com/A"], OPTIONAL: ["b"]})],
    ),
]


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == names_of_rules("kubelet.config.k8s.io/v1", KIND)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.minor}" for case in CASES])
def test_each_rule_refuses_its_bad_configs_alone(case: Case) -> None:
    version = "v1" if case.minor >= 26 else "v1beta1"
    assert_case({"apiVersion": f"kubelet.config.k8s.io/{version}", "kind": KIND}, case)
