# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the annotations of a bundle hold, there is a verdict, soon; each parser raises its own error alone."""

from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.strict_mapping import MessageForm, StrictFields
from ansible_collections.configok.node.plugins.module_utils._trust._certificates import parse_certificate
from ansible_collections.configok.node.plugins.module_utils._trust._key_signatures import verify_key_signature
from ansible_collections.configok.node.plugins.module_utils._trust._ssh_wire import InvalidSshData
from ansible_collections.configok.node.plugins.module_utils._trust._sshsig import parse_sshsig
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import (
    InvalidPublicKey,
    PublicKey,
    parse_public_key,
)
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import (
    UntrustedSignature,
    check_builtin,
)
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen import SshKeygenVerifier
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen_check import (
    SshKeygenCheck,
    SshKeygenResult,
)
from ansible_collections.configok.node.plugins.module_utils._trust.statement import (
    InvalidStatement,
    Statement,
    encode_signatures,
    parse_signatures,
)
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy, read_trust_policy
from ansible_collections.configok.node.plugins.module_utils._trust.verification import TrustVerdict, verify_bundle
from support.fuzz.hostile import TEXTS, damaged, json_texts, mutated, parse_twice, unsafe_texts
from support.fuzz.settings import fuzz
from support.trust.ssh_keys import SshKey, armored, certified, sshsig

NOW = 1_800_000_000
ALICE, TOKEN, BOB = SshKey("alice"), SshKey("token", "ssh:"), SshKey("bob")
AUTHORITY = SshKey("authority")
POLICY = TrustPolicy("require", ("workers",), (ALICE.public, TOKEN.public), (AUTHORITY.public,))
CONFIG_MAP = build_bundle("workers", {"kubelet": "kind: KubeletConfiguration\n"})
CONFIG_MAP["metadata"]["uid"] = "11111111-1111-1111-1111-111111111111"
BUNDLE = Bundle.from_config_map(CONFIG_MAP)
STATEMENT = Statement("workers", BUNDLE.content_hash, "1", 5, 3, "2030-01-01T00:00:00Z")
MESSAGE = STATEMENT.encode()
CERTIFICATE = certified(BOB, AUTHORITY, options={"verify-required": b""})
SIGNATURES = (
    sshsig(ALICE, MESSAGE),
    sshsig(TOKEN, MESSAGE),
    sshsig(BOB, MESSAGE, certificate=certified(BOB, AUTHORITY)),
    sshsig(TOKEN, MESSAGE, certificate=certified(TOKEN, AUTHORITY)),
)
BLOBS = tuple(base64.b64decode("".join(signature.splitlines()[1:-1])) for signature in SIGNATURES)
FORM = MessageForm(
    "the file",
    lambda path, value, sentence: f"{path} {value!r} {sentence}",
    lambda value: f"{value!r} is not a mapping",
    lambda path, names: [(name, f"is unknown in {path}") for name in names],
)


def armored_texts() -> st.SearchStrategy[str]:
    """Return signatures with damage inside or outside the armor, and other texts."""
    inside = st.sampled_from(BLOBS).flatmap(damaged).map(armored)
    outside = st.sampled_from(SIGNATURES).flatmap(lambda text: damaged(text.encode()))
    return inside | outside.map(lambda data: data.decode("utf-8", "surrogateescape")) | TEXTS


def check(armored_text: str) -> object:
    return check_builtin(armored_text, MESSAGE.encode(), POLICY, "workers", NOW)


@fuzz(150)
@given(armored_texts())
def test_a_signature(text: str) -> None:
    parse_twice(parse_sshsig, text, refused=InvalidSshData)
    outcome = parse_twice(check, text, refused=UntrustedSignature)
    if outcome.error is None:  # white space and the like: the same signature
        assert parse_sshsig(text) in map(parse_sshsig, SIGNATURES)
    else:
        assert str(outcome.error).isprintable()


@fuzz(100)
@given(armored_texts())
def test_ssh_keygen_is_run_for_a_trusted_key_alone(text: str) -> None:
    def run(check: SshKeygenCheck) -> SshKeygenResult:
        (line,) = check.files["allowed_signers"].splitlines()
        assert line.startswith("pool-workers ")
        assert line.split(" ", 2)[2] in {key.public._replace(comment="").line for key in (ALICE, TOKEN, AUTHORITY)}
        return SshKeygenResult(1, "no")

    def verify(armored_text: str) -> object:
        return SshKeygenVerifier(run)(armored_text, MESSAGE.encode(), POLICY, "workers", NOW)

    assert parse_twice(verify, text, refused=UntrustedSignature).error


@fuzz(150)
@given(damaged(CERTIFICATE.blob))
def test_a_certificate(blob: bytes) -> None:
    certificate = CERTIFICATE._replace(blob=blob)
    outcome = parse_twice(parse_certificate, certificate, refused=InvalidSshData)
    if outcome.error is None:
        parsed = outcome.value
        genuine = parse_twice(
            lambda: verify_key_signature(parsed.authority, parsed.signed_data, parsed.signature), refused=InvalidSshData
        )
        assert genuine.error or blob == CERTIFICATE.blob or parsed.authority != AUTHORITY.public._replace(comment="")


@fuzz(150)
@given(damaged(TOKEN.sign(b"data")), st.sampled_from([TOKEN, ALICE]), st.booleans())
def test_a_key_signature(signature: bytes, key: SshKey, verify_required: bool) -> None:
    def verify() -> None:
        verify_key_signature(key.public, b"data", signature, verify_required=verify_required)

    outcome = parse_twice(verify, refused=InvalidSshData)
    assert outcome.error or signature == TOKEN.sign(b"data")


@fuzz(150)
@given(damaged(ALICE.public.line.encode()) | damaged(TOKEN.public.line.encode()) | damaged(CERTIFICATE.line.encode()))
def test_a_public_key(data: bytes) -> None:
    outcome = parse_twice(parse_public_key, data.decode("utf-8", "surrogateescape"), refused=InvalidPublicKey)
    if outcome.error is None:
        key = outcome.value
        assert key.line.isprintable()
        assert parse_public_key(key.line) == key


@fuzz(100)
@given(st.binary(max_size=60))
def test_a_public_key_of_any_bytes(blob: bytes) -> None:
    line = PublicKey("ssh-ed25519", len(b"ssh-ed25519").to_bytes(4, "big") + b"ssh-ed25519" + blob).line
    outcome = parse_twice(parse_public_key, line, refused=InvalidPublicKey)
    assert outcome.error or len(blob) == 36


@fuzz(150)
@given(json_texts(json.loads(MESSAGE)))
def test_a_statement(text: str) -> None:
    outcome = parse_twice(Statement.parse, text, refused=InvalidStatement)
    if outcome.error is None:
        assert outcome.value.encode() == text


@fuzz(100)
@given(json_texts(list(SIGNATURES)))
def test_signatures(text: str) -> None:
    outcome = parse_twice(parse_signatures, text, refused=InvalidStatement)
    if outcome.error is None and outcome.value:
        assert parse_signatures(encode_signatures(outcome.value)) == outcome.value


@fuzz(150)
@given(
    st.just(MESSAGE) | json_texts(json.loads(MESSAGE)),
    st.just(json.dumps(SIGNATURES)) | json_texts(list(SIGNATURES)) | st.lists(armored_texts()).map(json.dumps),
    st.sampled_from(["workers", "masters"]) | TEXTS,
    st.sampled_from(["off", "warn", "require"]),
)
def test_a_bundle(statement: str, signatures: str, pool: str, mode: Any) -> None:
    """Only this statement, with one of these signatures, is trusted."""
    bundle = BUNDLE._replace(pool=pool, statement=statement, signatures=signatures)

    def verdict() -> TrustVerdict:
        return verify_bundle(bundle, POLICY._replace(mode=mode), floors={"workers": 4}, now=NOW)

    result = parse_twice(verdict).value
    assert result.trusted == (not result.reason)
    assert result.trusted == (result.trusted and statement == MESSAGE and pool == "workers" and bool(result.signers))
    assert result.accepted == (result.trusted or mode == "off" or (mode == "warn" and pool == "workers"))
    assert unsafe_texts([result.reason, *result.problems, *map(list, result.signers)]) == []


@fuzz(150)
@given(mutated(POLICY._replace(revoked=(BOB.public.fingerprint,)).to_dict()))
def test_a_policy(value: Any) -> None:
    errors: list[str] = []
    policy = read_trust_policy(StrictFields(value, "trust", errors, FORM))
    if not errors and policy.mode != "off":
        assert policy.pools
        assert policy.keys + policy.authorities
        again: list[str] = []
        assert read_trust_policy(StrictFields(policy.to_dict(), "trust", again, FORM)) == policy
        assert again == []
