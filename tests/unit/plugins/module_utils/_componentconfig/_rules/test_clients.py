# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about kubeconfig files and kubectl's preferences, and the controller managers' files."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

EXEC = "client.authentication.k8s.io"
BASE: dict[str, Any] = {
    "current-context": "x",
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://a:6443"}}],
    "users": [{"name": "u", "user": {"tokenFile": "/t"}}],
}


def config(**fields: Any) -> Config:
    return {**BASE, **fields}


def context(**fields: Any) -> Config:
    return config(contexts=[{"name": "x", "context": {"cluster": "c", "user": "u", **fields}}])


def cluster(**fields: Any) -> Config:
    cluster = {key.replace("_", "-"): value for key, value in {"server": "https://a", **fields}.items()}
    return config(clusters=[{"name": "c", "cluster": cluster}])


def user(**fields: Any) -> Config:
    return config(users=[{"name": "u", "user": {key.replace("_", "-"): value for key, value in fields.items()}}])


def plugin(**fields: Any) -> Config:
    return user(exec={"command": "login", "apiVersion": f"{EXEC}/v1beta1", **fields})


CASES: dict[tuple[str, str], list[Case]] = {
    ("v1", "Config"): [
        Case(
            "names-unique",
            31,
            [
                config(users=BASE["users"] * 2),
                config(clusters=BASE["clusters"] * 2),
                config(contexts=BASE["contexts"] * 2),
            ],
            [config()],
        ),
        Case("current-context", 31, [config(**{"current-context": "y"})], [config(), {}]),
        Case("no-context", 31, [config(**{"current-context": ""})], [config(), {}]),
        Case("context-cluster", 31, [context(cluster="d"), context(cluster="")], [config()]),
        Case("context-user", 31, [context(user="v"), context(user=None)], [config()]),
        Case("context-namespace", 31, [context(namespace="A")], [context(namespace="a"), context(namespace="")]),
        Case(
            "references",
            31,
            [config(contexts=[*BASE["contexts"], {"name": "y", "context": {"cluster": "c", "user": "v"}}])],
            [config(contexts=[*BASE["contexts"], {"name": "y", "context": {"cluster": "c", "user": "u"}}])],
        ),
        Case("cluster-server", 31, [cluster(server="")], [cluster()]),
        Case(
            "cluster-authority",
            31,
            [cluster(certificate_authority="/c", certificate_authority_data="YQ==")],
            [cluster(certificate_authority="/c")],
        ),
        Case(
            "cluster-insecure",
            31,
            [cluster(certificate_authority="/c", insecure_skip_tls_verify=True)],
            [cluster(insecure_skip_tls_verify=True), cluster(certificate_authority="/c")],
        ),
        Case(
            "cluster-proxy",
            31,
            [cluster(proxy_url="ftp://a"), cluster(proxy_url="a:1"), cluster(proxy_url="http://")],
            [cluster(proxy_url="socks5://a:1"), cluster(proxy_url=""), cluster()],
        ),
        Case(
            "user-one-way",
            31,
            [
                user(token="t", username="u", password="p"),
                user(exec={"command": "a"}, auth_provider={"name": "b"}),
            ],
            [user(token="t"), user(username="u", password="p")],
        ),
        Case(
            "user-certificate",
            31,
            [
                user(client_certificate="/c"),
                user(client_certificate="/c", client_certificate_data="YQ==", client_key="/k"),
                user(client_certificate="/c", client_key="/k", client_key_data="YQ=="),
            ],
            [user(client_certificate="/c", client_key="/k"), user(client_certificate_data="YQ==", client_key="/k")],
        ),
        Case(
            "user-exec",
            31,
            [plugin(command=""), plugin(apiVersion=None), plugin(env=[{"value": "a"}])],
            [plugin(env=[{"name": "A", "value": ""}])],
        ),
        Case("user-exec-version", 31, [plugin(apiVersion=f"{EXEC}/v1alpha1")], [plugin(apiVersion=f"{EXEC}/v1")]),
        Case("user-exec-version", 20, [plugin(apiVersion=f"{EXEC}/v1")], [plugin(apiVersion=f"{EXEC}/v1alpha1")]),
        Case(
            "user-exec-interactive",
            31,
            [plugin(apiVersion=f"{EXEC}/v1")],
            [plugin(apiVersion=f"{EXEC}/v1", interactiveMode="Never"), plugin()],
        ),
        Case(
            "user-impersonates",
            31,
            [user(as_uid="1"), user(as_groups=["g"]), user(as_user_extra={"a": ["b"]})],
            [user(**{"as": "u", "as_groups": ["g"]})],
        ),
        Case(
            "embedded-secret",
            31,
            [user(token="t"), user(password="p"), user(client_key_data="YQ==")],
            [user(tokenFile="/t", client_key="/k")],
        ),
    ],
    ("kubectl.config.k8s.io/v1beta1", "Preference"): [
        Case(
            "alias-name", 36, [{"aliases": [{"name": "a-b"}]}, {"aliases": [{}]}], [{"aliases": [{"name": "getPods"}]}]
        ),
        Case("alias-unique", 36, [{"aliases": [{"name": "a"}] * 2}], [{"aliases": [{"name": "a"}, {"name": "b"}]}]),
        Case(
            "option-name",
            36,
            [
                {"aliases": [{"name": "a", "options": [{"name": "--output"}]}]},
                {"defaults": [{"command": "get", "options": [{"name": "-o"}]}]},
            ],
            [{"defaults": [{"command": "get", "options": [{"name": "output"}]}]}],
        ),
        Case(
            "plugin-allowlist",
            36,
            [
                {"credentialPluginPolicy": "Allowlist"},
                {"credentialPluginPolicy": "DenyAll", "credentialPluginAllowlist": [{"command": "a"}]},
            ],
            [{"credentialPluginPolicy": "Allowlist", "credentialPluginAllowlist": [{"command": "a"}]}, {}],
        ),
    ],
    ("controllermanager.config.k8s.io/v1beta1", "LeaderMigrationConfiguration"): [
        Case("leader-name", 31, [{}, {"leaderName": ""}], [{"leaderName": "a"}]),
        Case(
            "leader-lock",
            31,
            [{"resourceLock": "configmaps"}, {"resourceLock": ""}, {}],
            [{"resourceLock": "endpoints"}],
        ),
        Case(
            "leader-controllers",
            31,
            [{"controllerLeaders": [{"name": "a"}]}, {"controllerLeaders": [{"component": "a"}]}],
            [{"controllerLeaders": [{"name": "a", "component": "*"}]}],
        ),
    ],
}


@pytest.mark.parametrize(("version", "kind"), sorted(CASES))
def test_every_rule_has_a_case(version: str, kind: str) -> None:
    assert {case.rule for case in CASES[version, kind]} == names_of_rules(version, kind)


@pytest.mark.parametrize(
    ("head", "case"),
    [(head, case) for head, cases in CASES.items() for case in cases],
    ids=[f"{case.rule}-{case.minor}" for cases in CASES.values() for case in cases],
)
def test_each_rule_refuses_its_bad_configs_alone(head: tuple[str, str], case: Case) -> None:
    assert_case({"apiVersion": head[0], "kind": head[1]}, case)


def test_preferences_of_the_first_version_name_their_options_otherwise() -> None:
    head = {"apiVersion": "kubectl.config.k8s.io/v1alpha1", "kind": "Preference"}
    for below in (
        {"overrides": [{"flags": [{"name": "-o"}]}]},
        {"aliases": [{"name": "a", "flags": [{"name": "-o"}]}]},
    ):
        assert [finding.rule for finding in check(encode({**head, **below}), versions=["1.33"])] == ["option-name"]


def test_the_controller_managers_file_is_told_to_be_read_by_nothing() -> None:
    group = "kubecontrollermanager.config.k8s.io/v1alpha1"
    findings = check(encode({"apiVersion": group, "kind": "KubeControllerManagerConfiguration"}), versions=["1.31"])
    assert [(finding.rule, finding.level) for finding in findings] == [("not-read", "warning")]
