# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks on what runs on nodes, without signatures and with them: agents with mode off, and with mode require."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import HASH_SCHEME, content_hash
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement
from support.attacks.recorder import Attempt, Recorder
from support.attacks.world import ALL, GUARDED, TWO, World
from support.trust.signing import certify, sign, statement_of, with_annotations

DEADLY = "podsPerCore: 13\n"  # legal, and the stub kubelet crashes on it


# --- patch nodes/status, and nothing else


def test_replay_of_an_old_bundle(world: World, attacks: Recorder) -> None:
    old = world.roll_out(world.bundle())
    world.roll_out(world.bundle(), floor=world.sequence + 1)
    world.refused(
        attacks, "replay of an old bundle by patch nodes/status", old, "withdrawn", client=world.daemonset, names=ALL
    )


def test_what_is_not_below_the_floor_can_be_replayed(world: World, attacks: Recorder) -> None:
    old = world.roll_out(world.bundle(), TWO)
    world.roll_out(world.bundle(), TWO)
    with attacks.attempt("replay of a bundle that is not below the floor", "signatures") as attempt:
        world.record(attempt, world.attack(old, world.daemonset, TWO), old.uid)


def test_another_pools_bundle(world: World, attacks: Recorder) -> None:
    bundle = world.fleet.publish(world.signed(world.bundle(pool="database")))
    world.refused(attacks, "another pool's bundle", bundle, "pool", client=world.daemonset, names=ALL)


def test_removal_of_the_assignment(world: World, attacks: Recorder) -> None:
    world.roll_out(world.bundle(), TWO)
    with attacks.attempt("removal of the assignment", "signatures") as attempt:
        world.record(attempt, world.attack(None, world.daemonset, TWO), "")


def test_forget_bad(world: World, attacks: Recorder) -> None:
    """A bad bundle can be tried again, until a newer one has withdrawn it."""
    bad = world.fleet.publish(world.signed(world.bundle(DEADLY, crashes=0)))
    answers = world.fleet.answers(world.fleet.assign(bad, TWO))
    assert {answer.cause for answer in answers.values()} == {"CrashLoop"}, answers
    name = "forgetBad for a bundle that the node has marked bad"
    with attacks.attempt(name, "signatures") as attempt:
        before = world.starts()
        world.attack(bad, world.daemonset, TWO, forget_bad=True)
        crashed = {node for node, starts in world.starts().items() if starts > before[node]}
        _record_crashed(attempt, crashed)
    world.roll_out(world.bundle(), TWO, floor=world.sequence + 1)
    with attacks.attempt("forgetBad for a bundle below the floor", "signatures") as attempt:
        before = world.starts()
        answers = world.attack(bad, world.daemonset, TWO, forget_bad=True)
        crashed = {node for node, starts in world.starts().items() if starts > before[node]}
        _record_crashed(attempt, crashed)
        assert answers[GUARDED[0]].cause == "Untrusted", answers


def _record_crashed(attempt: Attempt, crashed: set[str]) -> None:
    for node, record in zip(TWO, (attempt.off, attempt.on)):
        record(
            int(node in crashed), 1, "nodes", "crashes with it again" if node in crashed else "refused, not restarted"
        )


# --- create configmaps in configok-system as well


def test_a_foreign_bundle(world: World, attacks: Recorder) -> None:
    name = "foreign bundle: its creator is not a publisher"
    world.refused(attacks, name, world.bundle(), "statement")


def test_an_unsigned_bundle_of_a_publisher(world: World, attacks: Recorder) -> None:
    bundle = world.fleet.publish(world.bundle())
    world.refused(attacks, "unsigned bundle of a publisher", bundle, "statement", client=world.daemonset)


def test_a_statement_without_signatures(world: World, attacks: Recorder) -> None:
    bundle = world.bundle()
    text = statement_of(bundle, sequence=world.next_sequence(), floor=world.floor).encode()
    world.refused(attacks, "statement without signatures", with_annotations(bundle, text, []), "sign")


def test_signed_by_a_stranger(world: World, attacks: Recorder) -> None:
    bundle = world.signed(world.bundle(), [world.signers.stranger])
    world.refused(attacks, "signed by a key that no node trusts", bundle, "sign")


def test_a_signature_of_another_namespace(world: World, attacks: Recorder) -> None:
    """Such as one that alice has made for a commit."""
    bundle = world.bundle()
    text = statement_of(bundle, sequence=world.next_sequence(), floor=world.floor).encode()
    signature = sign(world.signers.alice, text, namespace="git")
    world.refused(
        attacks, "signature of another SSHSIG namespace", with_annotations(bundle, text, [signature]), "is for 'git'"
    )


def test_the_statement_of_another_bundle(world: World, attacks: Recorder) -> None:
    text = statement_of(world.bundle(), sequence=world.next_sequence(), floor=world.floor).encode()
    bundle = with_annotations(world.bundle(), text, [sign(world.signers.alice, text)])
    world.refused(attacks, "statement of another bundle", bundle, "hash")


def test_a_tampered_statement(world: World, attacks: Recorder) -> None:
    bundle = world.bundle()
    statement = statement_of(bundle, sequence=world.next_sequence(), floor=world.floor)
    signature = sign(world.signers.alice, statement.encode())
    tampered = statement._replace(sequence=world.next_sequence()).encode()
    world.refused(attacks, "tampered statement", with_annotations(bundle, tampered, [signature]), "sign")


def test_signed_for_another_pool(world: World, attacks: Recorder) -> None:
    bundle = world.bundle()
    digest = content_hash(bundle["data"])
    text = Statement("database", digest, HASH_SCHEME, world.next_sequence(), world.floor).encode()
    bundle = with_annotations(bundle, text, [sign(world.signers.alice, text)])
    world.refused(attacks, "signed for another pool", bundle, "pool")


def test_below_the_floor(world: World, attacks: Recorder) -> None:
    bundle = world.signed(world.bundle(), sequence=world.floor - 1, floor=world.floor - 1)
    name = "below the floor: an old statement on a new object"
    world.refused(attacks, name, bundle, "withdrawn")


# --- a key or a certificate of a signer


def test_a_revoked_key(world: World, attacks: Recorder) -> None:
    world.refused(attacks, "revoked key", world.signed(world.bundle(), [world.signers.carol]), "revoked")


def test_a_certificate_of_a_revoked_authority(world: World, attacks: Recorder) -> None:
    key = certify(world.signers.former_authority, world.signers.stranger, serial=11)
    world.refused(attacks, "certificate of a revoked authority", world.signed(world.bundle(), [key]), "revoked")


def test_a_certificate_of_a_revoked_key(world: World, attacks: Recorder) -> None:
    key = certify(world.signers.authority, world.signers.dave, serial=12)
    world.refused(attacks, "certificate of a revoked key", world.signed(world.bundle(), [key]), "revoked")


def test_an_expired_certificate(world: World, attacks: Recorder) -> None:
    key = certify(world.signers.authority, world.signers.stranger, validity="-2d:-1d", serial=13)
    world.refused(attacks, "expired certificate", world.signed(world.bundle(), [key]), "expired")


def test_a_certificate_for_another_pool(world: World, attacks: Recorder) -> None:
    key = certify(world.signers.authority, world.signers.stranger, principals=["pool-database"], serial=14)
    world.refused(attacks, "certificate for another pool", world.signed(world.bundle(), [key]), "pool-workers")


def test_a_certificate_of_a_host(world: World, attacks: Recorder) -> None:
    key = certify(world.signers.authority, world.signers.stranger, host=True, serial=15)
    world.refused(attacks, "certificate of a host", world.signed(world.bundle(), [key]), "host")


def test_a_certificate_with_an_unknown_critical_option(world: World, attacks: Recorder) -> None:
    option = "critical:restrict@example.com=all"
    key = certify(world.signers.authority, world.signers.stranger, options=[option], serial=16)
    name = "certificate with an unknown critical option"
    world.refused(attacks, name, world.signed(world.bundle(), [key]), "critical option")


def test_a_valid_certificate_is_accepted(world: World) -> None:
    """What the others differ from in one point each."""
    key = certify(world.signers.authority, world.signers.stranger, key_id="erin", serial=17)
    source = world.fleet.publish(world.signed(world.bundle(), [key]))
    answers = world.fleet.answers(world.fleet.assign(source, GUARDED[:1]))
    assert {answer.uid for answer in answers.values()} == {source.uid}, answers


@pytest.fixture
def two_signers(world: World) -> Iterator[None]:
    """The guarded nodes require two signers: their files are changed while the agents run."""
    policy = world.signers.policy()
    for name in GUARDED:
        world.fleet.nodes[name].change(lambda data: data.update(trust={**policy, "threshold": 2}))
    yield
    for name in GUARDED:
        world.fleet.nodes[name].change(lambda data: data.update(trust=policy))


@pytest.mark.usefixtures("two_signers")
def test_the_threshold_is_not_met(world: World, attacks: Recorder) -> None:
    alice, bob = world.signers.alice, world.signers.bob
    world.refused(attacks, "threshold not met: one signer of two", world.signed(world.bundle(), [alice]), "2 signers")
    certified = certify(world.signers.authority, alice, serial=18)
    bundle = world.signed(world.bundle(), [alice, alice, certified])
    world.refused(attacks, "threshold not met: one key signs twice", bundle, "2 signers")
    keys = [certify(world.signers.authority, key, key_id="erin", serial=19) for key in (bob, world.signers.stranger)]
    bundle = world.signed(world.bundle(), keys)
    world.refused(attacks, "threshold not met: one person has two certificates", bundle, "2 signers")
    source = world.fleet.publish(world.signed(world.bundle(), [alice, bob]))
    answers = world.fleet.answers(world.fleet.assign(source, GUARDED[:1]))
    assert {answer.uid for answer in answers.values()} == {source.uid}, answers


def test_not_after_has_passed(world: World, attacks: Recorder) -> None:
    past = (datetime.now(timezone.utc) - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    world.refused(attacks, "notAfter has passed", world.signed(world.bundle(), not_after=past), "was valid until")


# --- a statement of another cluster, whose nodes trust the same keys


@pytest.fixture
def production(world: World) -> Iterator[str]:
    """The second guarded node knows its cluster, the first does not; both require signatures."""
    policy = world.signers.policy()
    world.fleet.nodes[GUARDED[1]].change(lambda data: data.update(trust={**policy, "clusters": ["production"]}))
    yield "production"
    world.fleet.nodes[GUARDED[1]].change(lambda data: data.update(trust=policy))


def test_a_statement_of_another_cluster(world: World, attacks: Recorder, production: str) -> None:
    """What was signed for staging, an unreviewed experiment, is published in production by an intruder."""
    sides = (GUARDED[:1], GUARDED[1:])
    for name, cluster, reason in (
        ("signed for another cluster", "staging", "the statement is for cluster staging"),
        ("signed for no cluster", "", "the statement names no cluster"),
    ):
        bundle = world.signed(world.bundle(), cluster=cluster)
        world.refused(attacks, name, bundle, reason, names=GUARDED, layer="audience", sides=sides)
    source = world.fleet.publish(world.signed(world.bundle(), cluster=production))
    answers = world.fleet.answers(world.fleet.assign(source, GUARDED))
    assert {answer.uid for answer in answers.values()} == {source.uid}, answers
