# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan says of a bundle's signatures what the nodes will say, and no rollout depends on the word of one node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus, TrustStatus
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.trust_review import (
    TrustReview,
    end_warnings,
    review_trust,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import bundle_statement
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import parse_public_key
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import Signer
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from support.rollouts.views import UID, a_source, a_view
from support.trust.signing import Key, make_key, signed

NOW = 1_800_000_000.0  # in January 2027
CONFIG = build_bundle("workers", {"kubelet": "kind: KubeletConfiguration\n"})


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "alice")


def bundle_of(config_map: dict[str, Any]) -> Bundle:
    return Bundle.from_config_map({**config_map, "metadata": {**config_map["metadata"], "uid": UID.format(1)}})


def trusts(key: Key, **changes: Any) -> TrustPolicy:
    return TrustPolicy(mode="require", pools=("workers",), keys=(parse_public_key(key.line),))._replace(**changes)


def node(name: str, floor: int = 0, **changes: Any) -> NodeView:
    floors = {"workers": floor} if floor else {}
    return a_view(name, status=ConfigStatus(trust=TrustStatus("require", floors), **changes), config_ok="True")


def review(bundle: Bundle | None, policies: dict[str, TrustPolicy | None], **options: Any) -> TrustReview:
    """Return the review of nodes with these policies. floors: by node."""
    floors = options.pop("floors", {})
    views = options.pop("views", None) or [node(name, floors.get(name, 0)) for name in policies]
    statement = None if bundle is None else bundle_statement(bundle)
    record = options.pop("record", Record("workers"))
    return review_trust(
        bundle, views, lambda view: policies[view.name], record, now=NOW, statement=statement, **options
    )


def test_what_all_trust_is_shown_with_its_signer(alice: Key) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], sequence=4, floor=2, not_after="2027-12-31T00:00:00Z", cluster="east"))
    made = review(bundle, dict.fromkeys(("n1", "n2"), trusts(alice, clusters=("east",))))
    assert (made.refusals, made.warnings, made.left_out) == ((), (), {})
    assert made.lines() == [
        "Its statement has sequence 4, floor 2 (before: 1), not after 2027-12-31T00:00:00Z, for cluster east. "
        f"Signed by alice ({alice.fingerprint})."
    ]
    assert made.to_dict()["signers"][0]["name"] == "alice"


def test_what_was_signed_for_another_cluster_is_refused(alice: Key) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], sequence=490, floor=490, cluster="staging"))
    made = review(bundle, dict.fromkeys(("n1", "n2"), trusts(alice, clusters=("production",))))
    assert "the statement is for cluster staging, and the node is in production" in made.refusals[0]


def test_floors_of_another_cluster_refuse_nothing(alice: Key) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], sequence=4, cluster="east"))
    policies: dict[str, TrustPolicy | None] = dict.fromkeys(("n1", "n2"), trusts(alice))
    assert review(bundle, policies, floors={"n1": 9, "n2": 9}).refusals == ()


def test_nodes_that_name_no_cluster_are_named(alice: Key) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], cluster="east"))
    made = review(bundle, {"n1": trusts(alice), "n2": trusts(alice, clusters=("east",)), "n3": TrustPolicy()})
    assert made.warnings == (
        "1 node (n1) would adopt what was signed for any cluster: set node_trust_clusters, and signing.cluster in the "
        "pool file",
    )


def test_without_signatures_the_review_is_empty() -> None:
    made = review(bundle_of(CONFIG), {"n1": TrustPolicy()}, views=[a_view("n1")])
    assert made.lines() == []
    assert made.refusals == made.warnings == ()
    assert review(None, {}) == TrustReview()


def test_nodes_are_grouped_by_what_they_refuse(alice: Key, tmp_path: Path) -> None:
    bob = make_key(tmp_path, "bob")
    bundle = bundle_of(signed(CONFIG, [alice]))
    policies: dict[str, TrustPolicy | None] = {f"n{number}": trusts(bob) for number in range(6)}
    policies.update(m1=trusts(alice), m2=trusts(alice, revoked=(alice.fingerprint,)))
    first, second = review(bundle, policies).refusals
    assert first.startswith("6 nodes (n0, n1, n2, n3 and 2 more) would refuse the bundle: ")
    assert second.startswith("1 node (m2) would refuse the bundle: ")
    assert "is revoked" in second
    assert second.endswith("such as a field that is set to its default")


def test_one_node_alone_is_left_out(alice: Key) -> None:
    """It may lie: a floor is its own claim."""
    bundle = bundle_of(signed(CONFIG, [alice], sequence=4))
    policies: dict[str, TrustPolicy | None] = dict.fromkeys(("n1", "n2", "n3"), trusts(alice))
    made = review(bundle, policies, floors={"n2": 10**15 - 1})
    assert made.refusals == ()
    assert list(made.left_out) == ["n2"]
    assert "it would refuse the bundle: the bundle is withdrawn" in made.left_out["n2"]
    assert len(review(bundle, policies, floors={"n1": 9, "n2": 9}).refusals) == 1
    assert len(review(bundle, {"n2": trusts(alice)}, floors={"n2": 9}).refusals) == 1


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"sequence": 2, "not_after": "2026-12-31T00:00:00Z"}, "valid until 2026-12-31"),
        ({"sequence": 1}, "withdrawn"),
    ],
)
def test_an_older_bundle_for_an_undo(alice: Key, changes: dict[str, Any], cause: str) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], **changes))
    made = review(bundle, dict.fromkeys(("n1", "n2"), trusts(alice)), floors={"n1": 2, "n2": 2})
    assert cause in made.refusals[0]


def test_an_unsigned_bundle_is_refused_or_adopted_with_a_warning() -> None:
    key = parse_public_key("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl")
    policy = TrustPolicy(mode="require", pools=("workers",), keys=(key,))
    made = review(bundle_of(CONFIG), {"n1": policy, "n2": policy})
    assert made.lines() == ["The bundle is not signed: it has no statement."]
    assert "set signing in the pool file" in made.refusals[0]
    warned = review(bundle_of(CONFIG), dict.fromkeys(("n1", "n2"), policy._replace(mode="warn")))
    assert warned.refusals == ()
    assert warned.warnings[0].startswith("2 nodes (n1, n2) would adopt it with a warning: the bundle has no statement")


def test_what_a_node_trusts_may_not_be_known(alice: Key) -> None:
    made = review(bundle_of(signed(CONFIG, [alice])), {"n1": None, "n2": trusts(alice)})
    assert made.refusals == ()
    assert made.warnings[0].startswith("what 1 node (n1) trust is not published")
    # A node without a trust policy, or with an older agent, is not worth a word.
    assert review(bundle_of(CONFIG), {"n1": None}, views=[a_view("n1")]).warnings == ()


def test_a_floor_that_prevents_an_undo_is_a_warning(alice: Key) -> None:
    old = a_source(3)
    record = Record("workers").with_revision(
        Target(old.name, old.namespace, old.uid), time="", author="", cause="", sequence=1, floor=1
    )
    bundle = bundle_of(signed(CONFIG, [alice], sequence=3, floor=2))
    views = [node("n1", active=old), node("n2")]
    made = review(bundle, dict.fromkeys(("n1", "n2"), trusts(alice)), views=views, record=record)
    assert made.warnings == (
        f"floor 2 withdraws revision 1 ({old.name}), which 1 node (n1) use now: no undo can return to it",
        "2 nodes (n1, n2) would adopt what was signed for any cluster: set node_trust_clusters, and signing.cluster in "
        "the pool file",
    )


def test_what_ends_before_the_rollout_does(alice: Key) -> None:
    bundle = bundle_of(signed(CONFIG, [alice], not_after="2027-01-15T08:30:00Z"))
    made = review(bundle, {"n1": trusts(alice)})
    assert end_warnings(made, now=NOW, estimate=60.0) == []
    (warning,) = end_warnings(made, now=NOW, estimate=7200.0)
    assert warning.startswith("notAfter 2027-01-15T08:30:00Z comes before 2027-01-15T10:00:00Z")
    signer = Signer("SHA256:x", "bob", "SHA256:a", "2027-01-15T08:45:00Z")
    (warning,) = end_warnings(TrustReview(signers=(signer,)), now=NOW, estimate=7200.0)
    assert warning.startswith("the certificate of bob ends at 2027-01-15T08:45:00Z")


def test_names_of_signers_are_shown_safely() -> None:
    evil = Signer("SHA256:x", "\x1b[2Jalice\u202e")
    made = TrustReview(statement=bundle_statement(bundle_of(signed(CONFIG, []))), signers=(evil,), is_used=True)
    assert "\x1b" not in made.lines()[0]
    assert "\u202e" not in made.lines()[0]
