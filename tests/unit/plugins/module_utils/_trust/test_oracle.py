# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ssh-keygen as oracle: what it signs is verified, and what is verified it verifies too.

Some signatures that ssh-keygen accepts are refused, each for a reason; the other way round there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import PublicKey, parse_public_key
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import (
    SignatureChecker,
    Signer,
    UntrustedSignature,
    check_builtin,
)
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen import SshKeygenVerifier
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen_check import (
    SshKeygenCheck,
    SshKeygenResult,
)
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement, parse_signatures
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from ansible_collections.configok.node.plugins.module_utils._trust.verification import verify_bundle
from support.session.patience import wait_until
from support.trust.signing import Key, certify, make_key, sign, signed
from support.trust.ssh_keys import HOST, TOUCHED, VERIFIED, SshKey, armored, certified, sshsig, string

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen")

MESSAGE = Statement("workers", "0" * 64, "1", 5, 3, "2030-01-01T00:00:00Z").encode()
PRINCIPAL = "pool-workers"
NOW = 1_800_000_000
HOUR = 3600
ALICE, BOB, MALLORY = SshKey("alice"), SshKey("bob"), SshKey("mallory")
AUTHORITY, NEXT_AUTHORITY = SshKey("authority"), SshKey("next authority")
TOKEN = SshKey("token", "ssh:")
TOKEN_AUTHORITY = SshKey("authority in a token", "ssh:")
POLICY = TrustPolicy(
    "require",
    ("workers",),
    (ALICE.public, TOKEN.public),
    (AUTHORITY.public, NEXT_AUTHORITY.public, TOKEN_AUTHORITY.public),
)


def run_ssh_keygen(directory: Path) -> Callable[[SshKeygenCheck], SshKeygenResult]:
    """Return a runner that works in a directory."""

    def run(check: SshKeygenCheck) -> SshKeygenResult:
        for name, text in check.files.items():
            (directory / name).write_text(text)
        done = subprocess.run(
            check.argv(str(directory)), input=check.stdin, capture_output=True, text=True, timeout=30, check=False
        )
        return SshKeygenResult(done.returncode, done.stdout + done.stderr)

    return run


def signer_of(check: SignatureChecker, armored_signature: str, policy: TrustPolicy = POLICY) -> Signer | None:
    """Return the signer, or None if the signature does not count."""
    try:
        return check(armored_signature, MESSAGE.encode(), policy, "workers", NOW)
    except UntrustedSignature:
        return None


def ssh_keygen_verifies(
    directory: Path,
    armored_signature: str,
    policy: TrustPolicy = POLICY,
    revoked: tuple[PublicKey, ...] = (),
    message: str = MESSAGE,
    now: float = NOW,
) -> bool:
    """Return what ssh-keygen -Y verify itself says, with all keys and authorities of the policy."""
    lines = [f'{PRINCIPAL} namespaces="bundle@configok.dev" {key.line}' for key in policy.keys]
    lines += [f'{PRINCIPAL} cert-authority,namespaces="bundle@configok.dev" {key.line}' for key in policy.authorities]
    (directory / "signers").write_text("".join(f"{line}\n" for line in lines))
    (directory / "revoked").write_text("".join(f"{key.line}\n" for key in revoked))
    (directory / "sig").write_text(armored_signature)
    moment = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(now))
    command = ["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", PRINCIPAL, "-n", "bundle@configok.dev"]
    command += ["-s", "sig", "-r", "revoked", f"-Overify-time={moment}"]
    done = subprocess.run(command, cwd=directory, input=message, capture_output=True, text=True, check=False)
    return done.returncode == 0


class Case(NamedTuple):
    """A signature. valid: the verdict. stricter: some releases of ssh-keygen accept what is refused here."""

    signature: str
    valid: bool = False
    stricter: bool = False


def bobs(*, key: SshKey = BOB, authority: SshKey = AUTHORITY, **certificate: object) -> str:
    """Return a signature with a certificate."""
    return sshsig(key, MESSAGE, certificate=certified(key, authority, **certificate))  # type: ignore[arg-type]


UNTOUCHED = SshKey("token", "ssh:", flags=0)
TYPED_PIN = SshKey("token", "ssh:", flags=TOUCHED | VERIFIED)
CASES = {
    "a key": Case(sshsig(ALICE, MESSAGE), True),
    "sha256": Case(sshsig(ALICE, MESSAGE, hash_algorithm="sha256"), True),
    "another message": Case(sshsig(ALICE, MESSAGE + " ")),
    "another namespace": Case(sshsig(ALICE, MESSAGE, namespace="file")),
    "another hash": Case(sshsig(ALICE, MESSAGE, hash_algorithm="sha1")),
    "another version": Case(sshsig(ALICE, MESSAGE, version=2)),
    "version 0": Case(sshsig(ALICE, MESSAGE, version=0), stricter=True),
    "a reserved field": Case(sshsig(ALICE, MESSAGE, reserved=b"x"), stricter=True),
    "bytes after what the key signed": Case(sshsig(ALICE, MESSAGE, inside=b"x")),
    "bytes after what a FIDO2 key signed": Case(sshsig(TOKEN, MESSAGE, inside=b"x")),
    "bytes too many": Case(sshsig(ALICE, MESSAGE, after=b"x")),
    "text after it": Case(sshsig(ALICE, MESSAGE) + "x", stricter=True),
    "an unknown key": Case(sshsig(MALLORY, MESSAGE)),
    "an authority as a signer": Case(sshsig(AUTHORITY, MESSAGE)),
    "a FIDO2 key": Case(sshsig(TOKEN, MESSAGE), True),
    "a FIDO2 key with a PIN": Case(sshsig(TYPED_PIN, MESSAGE), True),
    "a FIDO2 key that was not touched": Case(sshsig(UNTOUCHED, MESSAGE), stricter=True),
    "a FIDO2 key of another application": Case(sshsig(SshKey("token", "ssh:other"), MESSAGE)),
    "a FIDO2 key as an ordinary one": Case(sshsig(SshKey("token"), MESSAGE)),
    "a certificate": Case(bobs(), True),
    "a certificate of the next authority": Case(bobs(authority=NEXT_AUTHORITY), True),
    "a certificate of an authority in a token": Case(bobs(authority=TOKEN_AUTHORITY), True),
    "a certificate for a FIDO2 key": Case(bobs(key=TOKEN), True),
    "one principal of several": Case(bobs(principals=["pool-x", "pool-workers"]), True),
    "another principal": Case(bobs(principals=["pool-masters"])),
    "a wildcard as principal": Case(bobs(principals=["pool-*"])),
    "no principals": Case(bobs(principals=[]), stricter=True),
    "a certificate of a host": Case(bobs(kind=HOST)),
    "a certificate of another kind": Case(bobs(kind=3)),
    "an expired certificate": Case(bobs(valid=(0, NOW - 1))),
    "a certificate that expires now": Case(bobs(valid=(0, NOW))),
    "a certificate in its last second": Case(bobs(valid=(0, NOW + 1)), True),
    "a certificate from now on": Case(bobs(valid=(NOW, NOW + HOUR)), True),
    "a certificate from the next second on": Case(bobs(valid=(NOW + 1, NOW + HOUR))),
    "a critical option": Case(bobs(options={"force-command": string("true")}), stricter=True),
    "an unknown critical option": Case(bobs(options={"x@example.com": b""}), stricter=True),
    "user verification that cannot be": Case(bobs(options={"verify-required": b""}), stricter=True),
    "user verification without a PIN": Case(bobs(key=TOKEN, options={"verify-required": b""}), stricter=True),
    "user verification with a PIN": Case(bobs(key=TYPED_PIN, options={"verify-required": b""}), True),
    "user verification with a value": Case(
        bobs(key=TYPED_PIN, options={"verify-required": string("x")}), stricter=True
    ),
    "a certificate of a token that was not touched": Case(
        bobs(authority=SshKey("authority in a token", "ssh:", flags=0)), stricter=True
    ),
    "a certificate of an unknown authority": Case(bobs(authority=MALLORY)),
    "a certificate of a signer": Case(bobs(authority=ALICE)),
    "a certificate with bytes too many": Case(bobs(after=b"x")),
    "a forged certificate": Case(
        sshsig(
            BOB,
            MESSAGE,
            certificate=PublicKey(
                "ssh-ed25519-cert-v01@openssh.com",
                certified(BOB, AUTHORITY, principals=["pool-masters"]).blob.replace(b"pool-masters", b"pool-workers"),
            ),
        )
    ),
    "a certificate of another key": Case(sshsig(MALLORY, MESSAGE, certificate=certified(BOB, AUTHORITY))),
    "a certificate for a trusted key": Case(bobs(key=ALICE, authority=MALLORY)),
    "no SSH signature": Case(armored(b"SSHSIH" + bytes(100))),
    "nothing": Case(armored(b"")),
    "an unknown certificate": Case(
        sshsig(BOB, MESSAGE, certificate=PublicKey("", string("x\x1b-cert-v01@openssh.com") + bytes(40)))
    ),
    "no armor": Case("x"),
}
# ssh-keygen itself looks at the real clock.
ON_TIME = {
    "a certificate in its last second",
    "a certificate from now on",
}


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_is_that_of_ssh_keygen(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert (signer_of(check_builtin, case.signature) is not None) == case.valid
    assert case.stricter or ssh_keygen_verifies(tmp_path, case.signature) == case.valid


@pytest.mark.parametrize("name", [name for name in CASES if name not in ON_TIME])
def test_both_verifiers_agree(name: str, tmp_path: Path) -> None:
    verifier = SshKeygenVerifier(run_ssh_keygen(tmp_path))
    assert signer_of(verifier, CASES[name].signature) == signer_of(check_builtin, CASES[name].signature)


@pytest.mark.parametrize(
    ("signature", "revoked"),
    [
        (sshsig(ALICE, MESSAGE), ALICE),
        (sshsig(TOKEN, MESSAGE), TOKEN),
        (bobs(), BOB),
        (bobs(), AUTHORITY),
        (bobs(key=TOKEN), TOKEN),
    ],
    ids=["key", "FIDO2 key", "certified key", "authority", "certified FIDO2 key"],
)
def test_a_revoked_key_does_not_count(signature: str, revoked: SshKey, tmp_path: Path) -> None:
    policy = POLICY._replace(revoked=(MALLORY.public.fingerprint, revoked.public.fingerprint))
    assert signer_of(check_builtin, signature)
    assert not signer_of(check_builtin, signature, policy)
    assert not signer_of(SshKeygenVerifier(run_ssh_keygen(tmp_path)), signature, policy)
    assert ssh_keygen_verifies(tmp_path, signature)
    assert not ssh_keygen_verifies(tmp_path, signature, revoked=(MALLORY.public, revoked.public))


# --- what ssh-keygen signs


@pytest.fixture
def key(tmp_path: Path) -> Key:
    return make_key(tmp_path / "keys", "alice", comment="alice@example.com")


@pytest.fixture
def ssh_agent(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Return the environment of an ssh-agent."""
    socket = tmp_path / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL) as agent:
        wait_until(socket.exists)
        yield {**os.environ, "SSH_AUTH_SOCK": str(socket)}
        agent.terminate()


def now_signer(signature: str, policy: TrustPolicy) -> Signer:
    return check_builtin(signature, MESSAGE.encode(), policy, "workers", time.time())


def test_a_key_signs(key: Key) -> None:
    policy = POLICY._replace(keys=(parse_public_key(key.line),))
    assert now_signer(sign(key, MESSAGE), policy) == Signer(key.fingerprint, "alice@example.com")


def test_a_certificate_signs(key: Key) -> None:
    authority = make_key(key.file.parent, "authority")
    certified_key = certify(authority, key, key_id="alice", validity="-1m:20300101000000Z")
    policy = POLICY._replace(keys=(), authorities=(parse_public_key(authority.line),))
    expected = Signer(key.fingerprint, "alice", authority.fingerprint, "2030-01-01T00:00:00Z")
    assert now_signer(sign(certified_key, MESSAGE), policy) == expected


def test_what_is_published_is_verified_by_both(key: Key, tmp_path: Path) -> None:
    """The annotations of a bundle, as they are stored in the cluster."""
    authority = make_key(key.file.parent, "authority")
    config_map = signed(build_bundle("workers", {"kubelet": "maxPods: 110\n"}), [key, certify(authority, key)])
    config_map["metadata"]["uid"] = "11111111-1111-1111-1111-111111111111"
    bundle = Bundle.from_config_map(config_map)
    policy = POLICY._replace(keys=(parse_public_key(key.line),), authorities=(parse_public_key(authority.line),))
    assert verify_bundle(bundle, policy, floors={}, now=time.time()).trusted
    for signature in parse_signatures(bundle.signatures):
        assert ssh_keygen_verifies(tmp_path, signature, policy, message=bundle.statement, now=time.time())
        assert not ssh_keygen_verifies(tmp_path, signature, policy, message=bundle.statement + "\n", now=time.time())


def test_a_certificate_that_is_valid_forever_has_no_end(key: Key) -> None:
    authority = make_key(key.file.parent, "authority")
    certified_key = certify(authority, key, validity="always:forever")
    policy = POLICY._replace(authorities=(parse_public_key(authority.line),))
    assert now_signer(sign(certified_key, MESSAGE), policy).valid_until == ""


def test_a_key_in_an_agent_signs(key: Key, ssh_agent: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["ssh-add", "-q", str(key.file)], env=ssh_agent, check=True)
    monkeypatch.setenv("SSH_AUTH_SOCK", ssh_agent["SSH_AUTH_SOCK"])
    key.file.unlink()
    signature = sign(key._replace(file=key.file.with_suffix(".pub")), MESSAGE)
    assert now_signer(signature, POLICY._replace(keys=(parse_public_key(key.line),))).name == "alice@example.com"


@pytest.mark.parametrize("kind", ["ecdsa", "rsa"])
def test_other_keys_are_for_ssh_keygen_alone(kind: str, tmp_path: Path) -> None:
    other = make_key(tmp_path, "other", kind=kind)
    authority = make_key(tmp_path, "authority", kind=kind)
    policy = POLICY._replace(keys=(parse_public_key(other.line),), authorities=(parse_public_key(authority.line),))
    verifier = SshKeygenVerifier(run_ssh_keygen(tmp_path))
    for signer in (other, certify(authority, other), certify(authority, make_key(tmp_path, "ed"))):
        signature = sign(signer, MESSAGE)
        with pytest.raises(UntrustedSignature, match="set verifier to ssh-keygen"):
            now_signer(signature, policy)
        assert verifier(signature, MESSAGE.encode(), policy, "workers", time.time()).fingerprint == signer.fingerprint
        with pytest.raises(UntrustedSignature, match="ssh-keygen refuses the signature"):
            verifier(signature, b"other", policy, "workers", time.time())
    expired = sign(certify(authority, other, validity="-2d:-1d"), MESSAGE)
    with pytest.raises(UntrustedSignature, match="expired"):
        verifier(expired, MESSAGE.encode(), policy, "workers", time.time())
