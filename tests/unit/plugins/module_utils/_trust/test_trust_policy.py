# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Public keys and the section trust: what is read, and the sentence for what is not."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.strict_mapping import (
    MessageForm,
    StrictFields,
)
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import (
    InvalidPublicKey,
    parse_public_key,
)
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy, read_trust_policy
from support.trust.ssh_keys import SshKey, certified, string

ALICE, TOKEN, AUTHORITY = SshKey("alice"), SshKey("token", "ssh:"), SshKey("authority")
LINE = ALICE.public.line
ECDSA = "ecdsa-sha2-nistp256"
ECDSA_LINE = f"{ECDSA} {base64.b64encode(string(ECDSA) + string('nistp256') + string(bytes(65))).decode()} carol"
CERTIFICATE_LINE = certified(ALICE, AUTHORITY).line
FORM = MessageForm(
    "the file",
    lambda path, value, sentence: f"{path} {sentence}" if value is None else f"{path} = {value!r} {sentence}",
    lambda value: "must be a mapping",
    lambda path, names: [(name, "is unknown") for name in names],
)


def read(**fields: Any) -> tuple[TrustPolicy, list[str]]:
    errors: list[str] = []
    return read_trust_policy(StrictFields(fields, "trust", errors, FORM)), errors


def test_a_public_key_is_parsed_with_its_comment() -> None:
    for key in (ALICE, TOKEN):
        assert parse_public_key(f"  {key.public.line}\n") == key.public
    assert parse_public_key(LINE.rsplit(" ", 1)[0]).comment == ""
    assert parse_public_key(LINE + " at home").comment == "alice at home"
    assert parse_public_key(ECDSA_LINE).type == ECDSA


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "must be a public key such as ssh-ed25519 AAAA... comment"),
        ("ssh-ed25519", "must be a public key such as ssh-ed25519 AAAA... comment"),
        ("ssh-ed25519 *", "must be a public key: its second word is not base64"),
        ("ssh-ed25519 AAAA", "must be a public key: it holds no key of type 'ssh-ed25519'"),
        (f"{LINE}\n{LINE}", "must be one public key, on one line and without control characters"),
        (f"{LINE}\x1b[2J", "must be one public key, on one line and without control characters"),
        (f"cert-authority {LINE}", "must be a public key: its second word is not base64"),
        (
            f'namespaces="*" {LINE}',
            "must be a public key: its first word must be a type such as ssh-ed25519",
        ),
        (
            "ssh-ed25519 " + base64.b64encode(string("ssh-ed25519") + string("x")).decode(),
            "has 32 bytes, this one has 1",
        ),
        (LINE.split()[0] + " " + base64.b64encode(ALICE.public.blob + b"x").decode(), "the key has 1 bytes too many"),
        ("x" * 20000 + " y", "must be a public key such as"),
    ],
)
def test_a_text_that_is_not_a_public_key_is_refused(line: str, message: str) -> None:
    with pytest.raises(InvalidPublicKey) as caught:
        parse_public_key(line)
    assert message in str(caught.value)


def test_a_policy_is_read() -> None:
    policy, errors = read(
        mode="require",
        pools=["workers"],
        keys=[LINE, TOKEN.public.line],
        authorities=[AUTHORITY.public.line],
        threshold=2,
        revoked=["SHA256:" + "x" * 43, TOKEN.public.line],
    )
    assert errors == []
    assert policy == TrustPolicy(
        "require",
        ("workers",),
        (ALICE.public, TOKEN.public),
        (AUTHORITY.public,),
        2,
        ("SHA256:" + "x" * 43, TOKEN.public.fingerprint),
    )
    assert read(**policy.to_dict()) == (policy, [])


def test_by_default_nothing_is_verified() -> None:
    assert read() == (TrustPolicy(), [])
    assert TrustPolicy().mode == "off"


def test_a_bare_off_in_yaml_is_a_boolean() -> None:
    assert read(**yaml.safe_load("mode: off")) == (TrustPolicy(), [])


GOOD: dict[str, Any] = {"mode": "require", "pools": ["workers"], "keys": [LINE]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "on"}, "trust.mode = 'on' must be off or warn or require"),
        ({"mode": True}, "trust.mode = True must be off or warn or require"),
        ({"verifier": "gpg"}, "trust.verifier = 'gpg' must be builtin or ssh-keygen"),
        ({"pools": []}, "trust.pools must name the pools of this node, because mode is require"),
        ({"pools": ["Workers"]}, "must be a list of pools, each a DNS label of at most 52 characters"),
        ({"keys": []}, "trust.keys or authorities must have a public key, because mode is require"),
        ({"keys": LINE}, "must be a list of at most 64 strings"),
        ({"keys": [LINE] * 65}, "must be a list of at most 64 strings"),
        ({"keys": [LINE, "x"]}, "item 1 must be a public key such as"),
        (
            {"keys": [ECDSA_LINE]},
            "item 0 is a key of type ecdsa-sha2-nistp256: the built-in verifier knows",
        ),
        ({"keys": [CERTIFICATE_LINE]}, "item 0 is a certificate: give the key of its authority as an authority"),
        ({"authorities": [CERTIFICATE_LINE]}, "item 0 is a certificate"),
        ({"threshold": 0}, "must be a whole number from 1 to 16"),
        ({"threshold": 2}, "trust.threshold = 2 is more than 1, the number of signers"),
        ({"threshold": 2, "keys": [LINE, LINE]}, "is more than 1, the number of signers"),
        ({"threshold": 2, "keys": [LINE, f"{LINE} of another name"]}, "is more than 1, the number of signers"),
        ({"revoked": [LINE]}, "trust.threshold = 1 is more than 0, the number of signers"),
        ({"revoked": ["SHA256:x"]}, "item 0 must be a fingerprint such as SHA256:..., or a public key"),
        (
            {"revoked": [CERTIFICATE_LINE]},
            "item 0 is a certificate: give the fingerprint that ssh-keygen -lf",
        ),
        ({"key": []}, "trust.key is unknown"),
    ],
)
def test_an_error_of_a_policy_names_its_field(fields: dict[str, Any], message: str) -> None:
    errors = read(**{**GOOD, **fields})[1]
    assert len(errors) >= 1
    assert any(message in error for error in errors), errors


def test_ssh_keygen_knows_more_keys() -> None:
    policy, errors = read(**{**GOOD, "keys": [ECDSA_LINE], "verifier": "ssh-keygen"})
    assert (policy.keys[0].type, errors) == (ECDSA, [])


def test_signers_of_an_authority_are_not_counted_beforehand() -> None:
    assert read(**GOOD, threshold=3, authorities=[AUTHORITY.public.line])[1] == []
