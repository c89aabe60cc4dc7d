# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a bundle: what a policy accepts, in which order it refuses, and what it advises."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import Signer
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement, encode_signatures
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from ansible_collections.configok.node.plugins.module_utils._trust.verification import TrustVerdict, verify_bundle
from support.trust.ssh_keys import SshKey, certified, sshsig

UID = "11111111-1111-1111-1111-111111111111"
NOW = 1_800_000_000  # 2027-01-15T08:00:00Z
ALICE, BOB, CAROL = SshKey("alice"), SshKey("bob"), SshKey("carol")
AUTHORITY, NEXT_AUTHORITY = SshKey("authority"), SshKey("next authority")
SECOND_OF_ALICE = SshKey("second")
KEYS = (ALICE.public, BOB.public, SECOND_OF_ALICE.public._replace(comment="alice"))
POLICY = TrustPolicy("require", ("workers",), KEYS, (AUTHORITY.public, NEXT_AUTHORITY.public))


def published(pool: str = "workers") -> Bundle:
    config_map = build_bundle(pool, {"kubelet": "kind: KubeletConfiguration\n"})
    config_map["metadata"]["uid"] = UID
    return Bundle.from_config_map(config_map)


BUNDLE = published()
STATEMENT = Statement("workers", BUNDLE.content_hash, "1", 5, 3)


def signed(*signers: SshKey | tuple[SshKey, Any], statement: Statement = STATEMENT, bundle: Bundle = BUNDLE) -> Bundle:
    """Return the bundle with a signature of each key, or of each (key, certificate)."""
    text = statement.encode()
    signatures = [
        sshsig(signer, text) if isinstance(signer, SshKey) else sshsig(signer[0], text, certificate=signer[1])
        for signer in signers
    ]
    return bundle._replace(statement=text, signatures=encode_signatures(signatures))


def verdict(bundle: Bundle, floors: dict[str, int] | None = None, now: float = NOW, **changes: Any) -> TrustVerdict:
    return verify_bundle(bundle, POLICY._replace(**changes), floors=floors or {}, now=now)


def test_a_signed_bundle_is_trusted() -> None:
    assert verdict(signed(ALICE)) == TrustVerdict(
        True, True, "", STATEMENT, (Signer(ALICE.public.fingerprint, "alice"),), ()
    )


def test_turned_off_everything_is_accepted_and_nothing_is_read() -> None:
    bundle = BUNDLE._replace(statement="{", signatures="{", pool="another")
    assert verdict(bundle, mode="off", pools=()) == TrustVerdict(
        False, True, "verification is turned off on this node", None, ()
    )


@pytest.mark.parametrize("mode", ["warn", "require"])
def test_a_bundle_of_another_pool_is_refused_in_both_modes(mode: str) -> None:
    bundle = published("masters")
    statement = STATEMENT._replace(pool="masters", content_hash=bundle.content_hash)
    result = verdict(signed(ALICE, bundle=bundle, statement=statement), mode=mode)
    assert (result.trusted, result.accepted) == (False, False)
    assert result.reason == (
        "the bundle is of pool 'masters', and the node accepts only workers: assign a bundle of the node's own pool, "
        "or add the pool to the node's trust policy"
    )


REFUSED = {
    "no statement": (BUNDLE, "the bundle has no statement: sign it with config_signature, or publish a change, signed"),
    "no signature": (
        signed(),
        "the bundle is not signed: sign it with config_signature, or publish a change, signed",
    ),
    "not a statement": (
        BUNDLE._replace(statement="[]"),
        "the statement is not the JSON object that config_bundle writes: publish a change, signed",
    ),
    "spaces": (
        signed(ALICE)._replace(statement=STATEMENT.encode() + " "),
        "the statement is not exactly the text that config_bundle writes: spaces, order, duplicate or unknown fields "
        "are not allowed: publish a change, signed",
    ),
    "another pool's statement": (
        signed(ALICE, statement=STATEMENT._replace(pool="masters")),
        "the statement is for pool masters, not for workers: publish the bundle for its own pool",
    ),
    "another content": (
        signed(ALICE, statement=STATEMENT._replace(content_hash=BUNDLE.content_hash[:10] + "0" * 54)),
        f"the statement is of other content (hash {BUNDLE.content_hash[:10]}0000000000, the bundle has "
        f"{BUNDLE.content_hash[:20]}): sign what was published",
    ),
    "another hash scheme": (
        signed(ALICE, statement=STATEMENT._replace(hash_scheme="2")),
        "the statement is of hash scheme 2, and this version knows 1: upgrade the agent, or sign with an older version",
    ),
    "below the floor": (
        signed(ALICE, statement=STATEMENT._replace(sequence=3)),
        "the bundle is withdrawn: its sequence is 3, and the node accepts 4 or higher of pool workers: publish a "
        "change, which gets a new sequence",
    ),
    "after its end": (
        signed(ALICE, statement=STATEMENT._replace(not_after="2027-01-15T07:59:59Z")),
        "the statement was valid until 2027-01-15T07:59:59Z: publish a change",
    ),
    "signatures that are not JSON": (
        signed(ALICE)._replace(signatures="["),
        "the signatures are not JSON: publish a change, signed",
    ),
    "a signature by another key": (
        signed(CAROL),
        f"key {CAROL.public.fingerprint} is not trusted: sign with a trusted key, or add it to the keys of the trust "
        "policy",
    ),
    "a signature of another statement": (
        signed(ALICE)._replace(statement=STATEMENT._replace(sequence=6).encode()),
        f"alice ({ALICE.public.fingerprint}): the signature does not match what it should have signed",
    ),
    "two that do not count": (
        signed(CAROL)._replace(signatures=encode_signatures(["x", sshsig(ALICE, "y")])),
        "1 valid signature is needed, and the bundle has 0: add a signature (signature 1: the signature is not a text "
        "from -----BEGIN SSH SIGNATURE----- to -----END SSH SIGNATURE----- of at most 8192 characters, as ssh-keygen "
        f"-Y sign writes it; signature 2: alice ({ALICE.public.fingerprint}): the signature does not match what it "
        "should have signed)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bundle_is_refused_with_a_reason(name: str) -> None:
    bundle, reason = REFUSED[name]
    result = verdict(bundle, {"workers": 4})
    assert (result.trusted, result.accepted, result.reason, result.signers) == (False, False, reason, ())
    warned = verdict(bundle, {"workers": 4}, mode="warn")
    assert warned == result._replace(accepted=True)


def test_the_last_moment_is_included() -> None:
    bundle = signed(ALICE, statement=STATEMENT._replace(not_after="2027-01-15T08:00:00Z"))
    assert verdict(bundle, now=NOW + 0.9).trusted
    assert not verdict(bundle, now=NOW + 1).trusted


def test_only_the_floor_of_its_own_pool_counts() -> None:
    assert verdict(signed(ALICE), {"workers": 5, "masters": 9}).trusted
    assert not verdict(signed(ALICE), {"workers": 6}).trusted


def test_every_revision_above_the_floor_is_accepted() -> None:
    """Undo within the window needs no new signature: the floor counts, not the highest sequence."""
    assert verdict(signed(ALICE, statement=STATEMENT._replace(sequence=3)), {"workers": 3}).trusted


@pytest.mark.parametrize(
    ("signers", "names"),
    [
        ((ALICE, BOB), ["alice", "bob"]),
        ((ALICE, ALICE), ["alice"]),
        ((ALICE, (CAROL, certified(CAROL, AUTHORITY, key_id="carol"))), ["alice", "carol"]),
        ((ALICE, (ALICE, certified(ALICE, AUTHORITY, key_id="another name"))), ["alice"]),
        ((ALICE, (CAROL, certified(CAROL, AUTHORITY, key_id="alice"))), ["alice"]),
        ((ALICE, SECOND_OF_ALICE), ["alice"]),
        ((ALICE, BOB, (CAROL, certified(CAROL, AUTHORITY, key_id="alice"))), ["alice", "bob"]),
        (
            ((BOB, certified(BOB, AUTHORITY, key_id="carol")), (CAROL, certified(CAROL, AUTHORITY, key_id="carol"))),
            ["carol"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, key_id="carol")),
                (CAROL, certified(CAROL, NEXT_AUTHORITY, key_id="carol")),
            ),
            ["carol"],
        ),
        (
            ((BOB, certified(BOB, AUTHORITY, key_id="bob")), (CAROL, certified(CAROL, NEXT_AUTHORITY, key_id="carol"))),
            ["bob", "carol"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, key_id="vault-ldap-carol-5f2a")),
                (CAROL, certified(CAROL, AUTHORITY, key_id="vault-ldap-carol-91bc")),
            ),
            ["vault-ldap-carol-5f2a"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, key_id="a", principals=["pool-workers", "user-carol"])),
                (CAROL, certified(CAROL, AUTHORITY, key_id="b", principals=["pool-workers", "user-carol"])),
            ),
            ["carol"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, key_id="x", principals=["pool-workers", "user-bob"])),
                (CAROL, certified(CAROL, AUTHORITY, key_id="x", principals=["pool-workers", "user-carol"])),
            ),
            ["bob", "carol"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, key_id="x")),
                (CAROL, certified(CAROL, AUTHORITY, principals=["pool-workers", "user-carol"])),
            ),
            ["carol"],
        ),
        (
            (ALICE, (CAROL, certified(CAROL, AUTHORITY, key_id="x", principals=["user-alice", "pool-workers"]))),
            ["alice"],
        ),
        (
            (
                (BOB, certified(BOB, AUTHORITY, principals=["pool-workers", "user-carol", "user-bob"])),
                (CAROL, certified(CAROL, AUTHORITY, principals=["pool-workers", "user-carol"])),
            ),
            ["carol, bob"],
        ),
    ],
    ids=[
        "two keys",
        "one key twice",
        "a key and a certificate",
        "a key and its certificate",
        "one person with a key and a certificate for another",
        "one person with two keys",
        "two persons, one of them with two keys",
        "one person with two certified keys",
        "one person with certificates of two authorities",
        "two persons with certificates of two authorities",
        "one person with two certified keys and key ids that an authority makes of the keys",
        "one principal, two key ids",
        "two principals, one key id",
        "a certificate that names no person, and one that does, of the same authority",
        "a key and a certificate with the principal of the same person",
        "a certificate of two persons, and one of one of them",
    ],
)
def test_signers_are_counted_once(signers: tuple[Any, ...], names: list[str]) -> None:
    result = verdict(signed(*signers), threshold=2)
    assert [signer.name for signer in result.signers] == names
    assert result.trusted == (len(names) == 2)
    assert ("has signed more than once" in result.reason) == (len(names) == 1)


def test_the_reason_says_how_many_signatures_are_missing() -> None:
    assert verdict(signed(ALICE), threshold=2).reason == (
        "valid signatures of 2 signers are needed, and the bundle has 1: add a signature"
    )


def test_a_signature_that_does_not_count_does_no_harm() -> None:
    result = verdict(signed(CAROL, ALICE))
    assert result.trusted
    assert result.problems == (
        f"signature 1: key {CAROL.public.fingerprint} is not trusted: sign with a trusted key, or add it to the keys "
        "of the trust policy",
    )


def test_a_certificate_is_for_its_pools_alone() -> None:
    result = verdict(signed((CAROL, certified(CAROL, AUTHORITY, principals=["pool-masters"]))))
    assert result.reason.endswith(": the certificate does not have the principal pool-workers")


def test_names_are_safe_to_show() -> None:
    result = verdict(signed((CAROL, certified(CAROL, AUTHORITY, key_id="\x1b[31mcarol\n" + "x" * 200))))
    assert result.signers[0].name == (" [31mcarol " + "x" * 200)[:97] + "..."


def test_the_checker_may_be_another() -> None:
    def anyone(_armored: str, message: bytes, _policy: TrustPolicy, audience: str, now: float) -> Signer:
        return Signer(f"{message.decode()} {audience} {now}", "")

    bundle = signed(CAROL)
    signers = verify_bundle(bundle, POLICY, floors={}, now=NOW, check_signature=anyone).signers
    assert signers == (Signer(f"{bundle.statement} workers {NOW}", ""),)


STAGING = STATEMENT._replace(cluster="staging")
PRODUCTION = ("production", "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11")


@pytest.mark.parametrize("mode", ["warn", "require"])
@pytest.mark.parametrize("clusters", [("staging",), ("production", "staging"), ()])
def test_a_statement_is_trusted_in_its_own_cluster(mode: str, clusters: tuple[str, ...]) -> None:
    assert verdict(signed(ALICE, statement=STAGING), mode=mode, clusters=clusters).trusted


@pytest.mark.parametrize("cluster", ["staging", "production.example.org", "productio"])
def test_what_was_signed_for_another_cluster_is_refused(cluster: str) -> None:
    bundle = signed(ALICE, statement=STATEMENT._replace(cluster=cluster))
    result = verdict(bundle, clusters=PRODUCTION)
    assert (result.trusted, result.accepted, result.signers) == (False, False, ())
    assert result.reason == (
        f"the statement is for cluster {cluster}, and the node is in production or "
        "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11: publish the bundle for this cluster, signed"
    )
    assert verdict(bundle, mode="warn", clusters=PRODUCTION) == result._replace(accepted=True)


def test_a_statement_without_a_cluster_is_refused_by_a_node_that_has_one() -> None:
    result = verdict(signed(ALICE), clusters=("production",))
    assert (result.trusted, result.accepted) == (False, False)
    assert result.reason == (
        "the statement names no cluster, and the node accepts only those for production: set signing.cluster in the "
        "pool file, and publish a change, signed"
    )


def test_a_floor_counts_only_for_its_own_cluster() -> None:
    bundle = signed(ALICE, statement=STAGING)
    assert verdict(bundle, {"workers": 490, "workers@production": 490}).trusted
    assert verdict(bundle, {"workers@staging": 6}).reason == (
        "the bundle is withdrawn: its sequence is 5, and the node accepts 6 or higher of pool workers: publish a "
        "change, which gets a new sequence"
    )
    assert verdict(signed(ALICE), {"workers@staging": 490}).trusted


CLUSTER_PRINCIPALS: dict[tuple[str, ...], bool] = {
    ("pool-workers@staging",): True,
    ("pool-workers",): True,  # of every cluster
    ("pool-workers@production",): False,
    ("pool-masters@staging",): False,
    ("pool-workers@",): False,
    ("pool-workers@*",): False,
}


@pytest.mark.parametrize("principals", CLUSTER_PRINCIPALS)
def test_a_certificate_may_be_of_one_cluster(principals: tuple[str, ...]) -> None:
    certificate = certified(BOB, AUTHORITY, principals=(*principals, "user-bob"))
    bundle = signed((BOB, certificate), statement=STAGING)
    assert verdict(bundle, clusters=("staging",)).trusted is CLUSTER_PRINCIPALS[principals]


def test_a_certificate_of_one_cluster_signs_no_statement_without_one() -> None:
    certificate = certified(BOB, AUTHORITY, principals=("pool-workers@staging", "user-bob"))
    assert verdict(signed((BOB, certificate))).reason == (
        f"bob ({BOB.public.fingerprint}): the certificate does not have the principal pool-workers"
    )
