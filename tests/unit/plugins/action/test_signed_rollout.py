# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout signs what it publishes, shows who signed, and refuses what the nodes would refuse, before the canary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigInUse, good, opted_out
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import read_status
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from support.ansible_runs.actions import run_rollout
from support.ansible_runs.in_process import document_pool
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config
from support.rollouts.simulated_nodes import SimulatedNodes
from support.trust.node_policies import set_policy
from support.trust.signing import Key, make_key, signed

POLICY = {"canary": {"count": 1, "soak": 0}, "waves": ["100%"], "soak": 0, "maxUnavailable": 3, "nodeTimeout": "200s"}
NAMES = ("n1", "n2", "n3", "n4")
Act = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(Display(), "display", lines.append)
    return lines


@pytest.fixture
def alice(tmp_path: Path) -> Key:
    return make_key(tmp_path / "keys", "alice")


@pytest.fixture
def act(cluster: SandboxCluster) -> Act:
    def run(
        pods: int = 60, signing: dict[str, Any] | None = None, *, check: bool = False, **arguments: Any
    ) -> dict[str, Any]:
        pool = document_pool(kubelet_config(f"maxPods: {pods}"), policy=POLICY)
        pool.update({"signing": signing} if signing else {})
        return run_rollout({"kubeconfig": cluster.kubeconfig, "pool": pool, **arguments}, check=check)

    return run


def test_a_rollout_is_signed_when_it_is_published(
    act: Act, nodes: SimulatedNodes, alice: Key, shown: list[str]
) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    signing = {"key": str(alice.file), "notAfter": "2099-12-31T00:00:00Z", "cluster": "east"}
    planned = act(signing=signing, check=True)
    assert (planned["phase"], planned["plan"]["trust"]["pending"]) == ("Planned", alice.fingerprint)
    assert planned["plan"]["trust"]["signers"] == []
    head = "Its statement has sequence 1, floor 1, not after 2099-12-31T00:00:00Z, for cluster east."
    assert f"{head} alice ({alice.fingerprint}) signs it when it is published." in shown
    done = act(signing=signing)
    assert (done["phase"], done["plan"]["trust"]["signers"][0]["name"]) == ("Complete", "alice")
    assert f"{head} Signed by alice ({alice.fingerprint})." in shown
    again = act(signing=signing)
    assert again["changed"] is False


def test_unsigned_is_refused_before_the_canary(act: Act, nodes: SimulatedNodes, alice: Key, shown: list[str]) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    for check in (True, False):
        refused = act(check=check)
        assert refused["failed"] is True
        assert "4 nodes (n1, n2, n3, n4) would refuse the bundle: the bundle has no statement" in refused["msg"]
    assert nodes.assignments == []
    assert "The bundle is not signed: it has no statement." in shown
    # It was not published: its annotations may be out of reach then.
    assert act(signing={"key": str(alice.file)})["phase"] == "Complete"


def test_a_key_that_the_nodes_do_not_trust_is_refused_in_check_mode_too(
    act: Act, nodes: SimulatedNodes, alice: Key, tmp_path: Path
) -> None:
    set_policy(nodes, NAMES, keys=[make_key(tmp_path, "bob")])
    for check in (True, False):
        refused = act(signing={"key": str(alice.file)}, check=check)
        assert f"key {alice.fingerprint} is not trusted" in refused["msg"]
    assert nodes.assignments == []


def test_one_node_that_lies_is_left_out(act: Act, nodes: SimulatedNodes, alice: Key) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    set_policy(nodes, ("n3",), floor=99, keys=[alice])
    done = act(signing={"key": str(alice.file)})
    assert done["phase"] == "Complete"
    assert [skipped["node"] for skipped in done["plan"]["skipped"]] == ["n3"]
    assert [nodes.view(name).assigned.id for name in NAMES] == [1, 1, 0, 1]


def test_an_undo_below_the_floor_is_refused(act: Act, nodes: SimulatedNodes, alice: Key, shown: list[str]) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    for pods in (60, 61):
        assert act(pods, {"key": str(alice.file)})["phase"] == "Complete"
    set_policy(nodes, NAMES, floor=2, keys=[alice])
    undone = act(operation="undo", check=True)
    assert "the bundle is withdrawn: its sequence is 1" in undone["msg"]
    withdrawing = act(62, {"key": str(alice.file), "floor": 3}, check=True)
    assert withdrawing["phase"] == "Planned"
    assert any("floor 3 withdraws revision 2" in line for line in shown)


def test_a_bundle_of_a_revoked_signer_is_refused(act: Act, nodes: SimulatedNodes, alice: Key, tmp_path: Path) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    act(60, {"key": str(alice.file)})
    nodes.add("n5")
    nodes.add("n6")
    set_policy(nodes, ("n5", "n6"), keys=[alice, make_key(tmp_path, "bob")], revoked=[alice.fingerprint])
    refused = act(operation="reconcile")
    assert "2 nodes (n5, n6) would refuse the bundle" in refused["msg"]
    assert "is revoked" in refused["msg"]


def test_nodes_can_verify_with_ssh_keygen(act: Act, nodes: SimulatedNodes, tmp_path: Path) -> None:
    token = make_key(tmp_path, "token", kind="ecdsa")
    set_policy(nodes, NAMES, keys=[token], verifier="ssh-keygen")
    assert act(signing={"key": str(token.file)})["phase"] == "Complete"


def test_an_encrypted_key_needs_its_passphrase(act: Act, nodes: SimulatedNodes, tmp_path: Path) -> None:
    key = make_key(tmp_path, "alice", passphrase="secret")
    set_policy(nodes, NAMES, keys=[key])
    refused = act(signing={"key": str(key.file)})
    assert "is encrypted: give signing_passphrase" in refused["msg"]
    assert act(signing={"key": str(key.file)}, signing_passphrase="secret")["phase"] == "Complete"


def test_what_nodes_trust_is_not_published(act: Act, nodes: SimulatedNodes, alice: Key) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    nodes.local_configs["n1"] = "0" * 20
    status = read_status(nodes.client.get(paths.node("n1")))
    assert status is not None
    nodes.say("n1", good(ConfigInUse("current")), status)
    planned = act(signing={"key": str(alice.file)}, check=True)
    assert any("what 1 node (n1) trust is not published" in line for line in planned["plan"]["warnings"])


def test_a_bundle_that_was_published_unsigned_is_named(act: Act, nodes: SimulatedNodes, alice: Key) -> None:
    assert act()["phase"] == "Complete"
    planned = act(signing={"key": str(alice.file)}, check=True)
    assert any("is published already, without a statement" in line for line in planned["plan"]["warnings"])


def test_a_run_without_the_key_moves_what_is_published(act: Act, nodes: SimulatedNodes, alice: Key) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    signing = {"key": str(alice.file)}
    assert act(signing=signing)["phase"] == "Complete"
    alice.file.unlink()
    alice.file.with_suffix(".pub").unlink()
    nodes.add("n5")
    assert act(signing=signing)["phase"] == "Complete"
    assert "there is no file" in act(61, signing)["msg"]


def test_the_numbers_of_a_bundle_that_others_published_count_if_the_nodes_trust_it(
    act: Act, nodes: SimulatedNodes, cluster: SandboxCluster, alice: Key, tmp_path: Path, shown: list[str]
) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    signing = {"key": str(tmp_path / "elsewhere.pub")}

    def plant(pods: int, signers: list[Key], sequence: int, floor: int) -> None:
        bundle = build_bundle("workers", {"kubelet": kubelet_config(f"maxPods: {pods}")}, trial=Trial.of("100ms", 2))
        cluster.client.create(
            paths.config_maps("configok-system"), signed(bundle, signers, sequence=sequence, floor=floor)
        )

    def numbers() -> list[tuple[int, int]]:
        return [(revision.sequence, revision.floor) for revision in read_record(cluster.client, "workers").revisions]

    plant(60, [alice], sequence=7, floor=1)
    assert act(60, signing)["phase"] == "Complete"
    assert numbers() == [(7, 1)]
    plant(61, [], sequence=900, floor=900)
    assert "is there with a statement (sequence 900, floor 900)" in act(61, signing)["msg"]
    assert "would refuse the bundle" in act(61)["msg"]
    plant(62, [alice], sequence=9, floor=9)
    assert "raises the floor of pool workers from 1 to 9" in act(62, signing)["msg"]
    assert (numbers()[0], (900, 900) in numbers(), (9, 9) in numbers()) == ((7, 1), False, False)
    assert act(62, {**signing, "floor": 9})["phase"] == "Complete"
    assert numbers()[-1] == (9, 9)
    assert any("sequence 9, floor 9 (before: 1)" in line for line in shown)


def test_nodes_that_do_not_move_have_no_say(act: Act, nodes: SimulatedNodes, alice: Key, tmp_path: Path) -> None:
    set_policy(nodes, NAMES, keys=[alice])
    set_policy(nodes, ("n1", "n2"), keys=[make_key(tmp_path, "bob")])
    for name in ("n1", "n2"):
        status = read_status(nodes.client.get(paths.node(name)))
        assert status is not None
        nodes.say(name, opted_out(), status._replace(cause="OptedOut"))
    planned = act(signing={"key": str(alice.file)}, check=True)
    assert planned["phase"] == "Planned"
    assert {skipped["node"] for skipped in planned["plan"]["skipped"]} == {"n1", "n2"}


@pytest.mark.parametrize(
    ("signing", "sentence"),
    [
        ({"keys": "x"}, "signing.keys: unknown field: did you mean signing.key?"),
        ({"floor": 2}, "signing.floor: needs key or statementFile"),
        ({"key": "k", "sequence": 0}, "signing.sequence: must be a whole number from 1"),
        ({"key": "k", "notAfter": "tomorrow"}, "signing.notAfter: must be a time in UTC, in quotes"),
        ({"signatureFiles": ["s"]}, "signing.signatureFiles: need statementFile"),
        ("alice", "signing: must be a mapping"),
    ],
)
def test_a_section_signing_with_errors_is_refused(act: Act, signing: Any, sentence: str) -> None:
    assert sentence in act(signing=signing)["msg"]
