# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about EncryptionConfiguration: each broken once, kept once."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

HEAD = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration"}


def providers(*items: Config) -> Config:
    return {"resources": [{"resources": ["secrets"], "providers": list(items)}]}


def names(*resources: str) -> Config:
    return {"resources": [{"resources": list(resources), "providers": [{"identity": {}}]}]}


def key(size: int, provider: str = "aescbc", **fields: Any) -> Config:
    secret = base64.b64encode(bytes(size)).decode()
    return providers({provider: {"keys": [{"name": "k", "secret": secret, **fields}]}})


def kms(**fields: Any) -> Config:
    return {"kms": {"name": "k", "endpoint": "unix:///run/kms.sock", **fields}}


V2 = {"apiVersion": "v2"}
CASES = [
    Case("resources", 20, [{}, {"resources": []}], [names("secrets")]),
    Case("resource-names", 20, [names()], [names("secrets")]),
    Case(
        "resource-name",
        31,
        [
            names(name)
            for name in ("Secrets", "*", "apiserveripinfo", "a.events.k8s.io", "a.extensions", "*.extensions", "a.*")
        ],
        [names(name) for name in ("secrets", "*.", "*.*", "*.apps", "events", "deployments.apps")],
    ),
    Case(
        "resource-overlap",
        31,
        [names("secrets", "secrets"), names("secrets", "*."), names("*.*", "a.b"), names("*.apps", "a.apps")],
        [names("secrets", "*.apps"), names("secrets", "secrets.x")],
    ),
    Case("providers", 20, [providers()], [names("secrets")]),
    Case("provider-one", 20, [providers({}), providers({"identity": {}, **kms()})], [providers({"identity": {}})]),
    Case("keys", 20, [providers({"aescbc": {}}), providers({"secretbox": {"keys": []}})], [key(32)]),
    Case("key-name", 20, [key(32, name=""), key(32, name=None)], [key(32)]),
    Case(
        "key-secret",
        20,
        [key(33), key(16, "secretbox"), key(32, secret=""), key(32, secret="no base64!"), key(32, secret="c2VjcmV0IA")],
        [key(16), key(24, "aesgcm"), key(32), key(32, "secretbox")],
    ),
    Case("kms-name", 31, [providers(kms(name="")), providers(kms(name="a:b", **V2))], [providers(kms(name="a:b"))]),
    Case(
        "kms-name-unique",
        31,
        [providers(kms(**V2), kms(**V2)), providers(kms(), kms(**V2))],
        [providers(kms(), kms()), providers(kms(**V2), kms())],
    ),
    Case("kms-version", 31, [providers(kms(apiVersion="v3"))], [providers(kms(**V2)), providers(kms())]),
    Case(
        "kms-endpoint",
        20,
        [providers(kms(endpoint="")), providers(kms(endpoint="http://x")), providers(kms(endpoint="unix:///%zz"))],
        [providers(kms(endpoint="unix:///a")), providers(kms(endpoint="unix://@a"))],
    ),
    Case("kms-timeout", 20, [providers(kms(timeout="0s"))], [providers(kms(timeout="1s")), providers(kms())]),
    Case("kms-cache", 20, [providers(kms(cachesize=0))], [providers(kms(cachesize=-1)), providers(kms())]),
    Case("kms-cache", 31, [providers(kms(cachesize=5, **V2))], [providers(kms(cachesize=5))]),
    Case("kms-v1", 31, [providers(kms())], [providers(kms(**V2))]),
    Case(
        "identity-first",
        31,
        [providers({"identity": {}}, kms(**V2))],
        [providers(kms(**V2), {"identity": {}})],
    ),
]


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == names_of_rules(HEAD["apiVersion"], HEAD["kind"])


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.minor}" for case in CASES])
def test_each_rule_refuses_its_bad_configs_alone(case: Case) -> None:
    assert_case(HEAD, case)


def test_the_old_name_of_the_kind_is_read_and_validated_too() -> None:
    old = {"apiVersion": "v1", "kind": "EncryptionConfig"}
    (warning,) = check(encode({**old, **key(32)}), versions=["1.20", "1.36"])
    assert (warning.rule, warning.level, warning.versions) == ("kind", "warning", ("1.20", "1.36"))
    assert {finding.rule for finding in check(encode({**old, **key(33)}), versions=["1.36"])} == {"kind", "key-secret"}
    levels = {finding.level.value for finding in check(encode({**old, **key(32), "a": 1}), versions=["1.36"])}
    assert levels == {"warning", "component"}
