# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures are checked as a node with the policy would check them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import LocalConfig
from ansible_collections.configok.node.plugins.module_utils._operations._signature_checker import (
    signature_checker,
    trust_policy,
)
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import UntrustedSignature
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from support.trust.signing import Key, make_key, sign, trust_section

MESSAGE = Statement("workers", "0" * 64, "1", 1, 1).encode()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "release")


def policy_of(key: Key, verifier: str = "builtin") -> TrustPolicy:
    policy = trust_policy(LocalConfig({}, trust_section(keys=[key], verifier=verifier)))
    assert policy is not None
    return policy


def test_a_signature_of_a_trusted_key_names_its_signer(key: Key) -> None:
    check = signature_checker(None)
    signer = check(sign(key, MESSAGE), MESSAGE.encode(), policy_of(key), "workers", 0.0)
    assert signer.fingerprint == key.fingerprint


def test_a_signature_of_another_text_is_not_trusted(key: Key) -> None:
    with pytest.raises(UntrustedSignature):
        signature_checker(None)(sign(key, "other"), MESSAGE.encode(), policy_of(key), "workers", 0.0)


def test_the_placeholder_of_a_signature_to_come_is_trusted_without_a_check(key: Key) -> None:
    armored = sign(key, "other")
    check = signature_checker(None, placeholder=armored)
    assert check(armored, MESSAGE.encode(), policy_of(key), "workers", 0.0).fingerprint == key.fingerprint


def test_without_ssh_keygen_a_policy_that_uses_it_trusts_nothing(key: Key) -> None:
    with pytest.raises(UntrustedSignature, match="there is no ssh-keygen"):
        signature_checker(None)(sign(key, MESSAGE), MESSAGE.encode(), policy_of(key, "ssh-keygen"), "workers", 0.0)


def test_a_policy_that_this_version_cannot_read_is_ignored(key: Key) -> None:
    assert trust_policy(LocalConfig({}, {**trust_section(keys=[key]), "later": True})) is None
