# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values are secrets, and that no secret is shown."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import (
    is_secret,
    redact,
    secret_paths,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import show

KEYS = [f"-----BEGIN {kind}PRIVATE KEY-----\nMIIE" for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")]
TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0." + "c" * 30


@pytest.mark.parametrize(
    "value",
    [
        *KEYS,
        *(base64.b64encode(key.encode()).decode() for key in KEYS),
        TOKEN,
        "Bearer " + "a" * 20,
        "Basic dXNlcjpwYXNzd29yZA==",
        "ghp_" + "a" * 36,
        "glpat-" + "a" * 20,
        "AKIA" + "A1" * 8,
        "https://user:password@example.com/",
        "https://ab12cd34@example.com/",
        "https://example.com/pods?a=b&access_token=abc",
        "https://example.com/pods?apiKey=abc#x",
    ],
)
def test_a_secret_is_recognised_and_not_shown(value: str) -> None:
    assert is_secret(value)
    assert value not in str(show(value))
    assert list(secret_paths({"a": [{"b": value}]})) == [("a", 0, "b")]
    assert show({"a": [value]}) == "(a secret, not shown)"
    assert redact({"a": [value], "b": 1}) == {"a": ["(a secret, not shown)"], "b": 1}


@pytest.mark.parametrize("name", ["token", "password", "client-key-data", "secret"])
def test_a_value_is_a_secret_because_of_its_name(name: str) -> None:
    assert is_secret("abc", ("users", 0, name))
    assert not is_secret("", (name,))


@pytest.mark.parametrize("value", [["abc"], {"a": "abc"}, 12345, 1.5, [{"a": [0]}]])
def test_secrets_of_a_wrong_type(value: object) -> None:
    path = ("users", 0, "password")
    assert is_secret(value, path)
    assert show(value, path) == "(a secret, not shown)"
    assert str(value) not in str(redact({"password": value}))


def test_a_key_without_its_name_is_one() -> None:
    assert list(secret_paths({"aescbc": {"keys": ["c2VjcmV0", {"name": "a"}]}})) == [("aescbc", "keys", 0)]


@pytest.mark.parametrize("value", [None, True, "", [], {}, [""]])
def test_values_that_hide_nothing_are_not_secrets(value: object) -> None:
    assert not is_secret(value, ("password",))


def test_every_header_for_static_pods_is_one() -> None:
    """As in the kubelet's own log (cmd/kubelet/app/server.go), for headers of any name."""
    headers = {"staticPodURLHeader": {"X-Vault": ["abc", ""]}}
    assert list(secret_paths(headers)) == [("staticPodURLHeader", "X-Vault", 0)]
    assert redact(headers) == {"staticPodURLHeader": {"X-Vault": ["(a secret, not shown)", ""]}}


@pytest.mark.parametrize(
    "value",
    [
        "-----BEGIN CERTIFICATE-----\nMIIE",
        "/etc/kubernetes/pki/ca.key",
        "unix:///run/containerd/containerd.sock",
        "https://example.com:6443/a@b",
        "https://example.com/pods?tokens=3&token=",
        "eviction",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "",
        5,
        None,
        {"a": ["b"]},
    ],
)
def test_a_harmless_value_is_not_a_secret(value: object) -> None:
    assert not is_secret(value, ("field",))
