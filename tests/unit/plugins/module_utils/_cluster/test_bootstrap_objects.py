# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bootstrap tokens: their form, their Secret, and the kubeconfig; the token is in no text but the kubeconfig."""

from __future__ import annotations

import json
import re

from ansible_collections.configok.node.plugins.module_utils._cluster._bootstrap_objects import (
    TOKEN_IDS,
    BootstrapToken,
    bootstrap_kubeconfig,
    certificates_of,
    new_token,
    secret_name,
    token_secret,
)

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIC\n-----END PRIVATE KEY-----\n"


def test_a_token_has_the_form_that_kubernetes_demands() -> None:
    tokens = {new_token(token_id).text for token_id in TOKEN_IDS}
    assert len(tokens) == len(TOKEN_IDS) == 64
    assert all(re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", token) for token in tokens)
    assert len({new_token("cfgk00").secret for _each in range(100)}) == 100


def test_the_secret_says_what_it_is_for_and_until_when() -> None:
    token = BootstrapToken("cfgk05", "a" * 16)
    item = token_secret(token, "worker-1", 1_800_000_000.0)
    assert item["metadata"]["name"] == secret_name("cfgk05") == "bootstrap-token-cfgk05"
    assert item["type"] == "bootstrap.kubernetes.io/token"
    assert item["stringData"] == {
        "token-id": "cfgk05",
        "token-secret": "a" * 16,
        "description": "configok.node: for the kubelet of the new machine worker-1",
        "expiration": "2027-01-15T08:15:00Z",
        "usage-bootstrap-authentication": "true",
        "auth-extra-groups": "system:bootstrappers:configok",
    }
    later = token_secret(token, "worker-1", 1_800_000_000.0, 3600.0)
    assert later["stringData"]["expiration"] == "2027-01-15T09:00:00Z"


def test_the_token_is_not_in_its_repr() -> None:
    token = new_token("cfgk05")
    assert token.secret not in repr(token) + str([token]) + f"{token}"
    assert token.user == "system:bootstrap:cfgk05"


def test_the_kubeconfig_has_the_ca_in_it() -> None:
    token = new_token("cfgk05")
    config = json.loads(bootstrap_kubeconfig("https://10.0.0.10:6443", CA, token))
    cluster = config["clusters"][0]["cluster"]
    assert cluster["server"] == "https://10.0.0.10:6443"
    assert set(cluster) == {"server", "certificate-authority-data"}
    assert config["users"][0]["user"] == {"token": token.text}
    assert config["current-context"] == config["contexts"][0]["name"]


def test_only_certificates_leave_a_ca_file() -> None:
    assert certificates_of(CA.encode()) == CA
    assert certificates_of((f"# a comment\n{KEY}{CA}text\n{CA}").encode()) == CA + CA
    for without in ("", KEY, CA.replace("-----END CERTIFICATE-----", ""), "\x00\xff"):
        assert certificates_of(without.encode("latin-1")) == ""
