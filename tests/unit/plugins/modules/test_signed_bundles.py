# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config_bundle signs a new bundle once, and publishes nothing that its signers have not signed."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import parse_public_key
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from ansible_collections.configok.node.plugins.module_utils._trust.verification import TrustVerdict, verify_bundle
from ansible_collections.configok.node.plugins.modules import config_bundle
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import KUBELET_HEADER
from support.trust.signing import Key, certify, make_key, sign, signed

pytestmark = pytest.mark.usefixtures("nodes")

NOW = 4e9  # of the verification: in the year 2096


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "alice")


def run(sandbox: SandboxCluster, pods: int = 60, /, **arguments: Any) -> dict[str, Any]:
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    options = {
        "kubeconfig": sandbox.kubeconfig,
        "pool": "workers",
        "documents": {"kubelet": f"{KUBELET_HEADER}maxPods: {pods}\n"},
        **{name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()},
    }
    return run_module(config_bundle.main, options, **mode)


def stored(cluster: SandboxCluster, name: str) -> dict[str, Any]:
    return cluster.client.get(paths.config_map("configok-system", name))


def names(cluster: SandboxCluster) -> list[str]:
    return [item["metadata"]["name"] for item in cluster.client.list(paths.config_maps("configok-system")).items]


def verdict(cluster: SandboxCluster, result: dict[str, Any], **policy: Any) -> TrustVerdict:
    """Return what a node with this policy says of a published bundle."""
    bundle = Bundle.from_config_map(stored(cluster, result["bundle"]["name"]))
    node = TrustPolicy(mode="require", pools=("workers",), **policy)
    return verify_bundle(bundle, node, floors={}, now=NOW)


def test_a_key_signs_a_new_bundle_once(cluster: SandboxCluster, alice: Key) -> None:
    first = run(cluster, signing_key=alice.file)
    before = stored(cluster, first["bundle"]["name"])
    assert first["changed"] is True
    assert (first["statement"]["sequence"], first["statement"]["floor"]) == (1, 1)
    assert [signature["fingerprint"] for signature in first["signatures"]] == [alice.fingerprint]
    accepted = verdict(cluster, first, keys=(parse_public_key(alice.line),))
    assert (accepted.trusted, accepted.signers[0].name) == (True, "alice")
    again = run(cluster, signing_key=alice.file)
    assert again["changed"] is False
    assert stored(cluster, first["bundle"]["name"]) == before
    second = run(cluster, 61, signing_key=alice.file)
    assert (second["statement"]["sequence"], second["statement"]["floor"]) == (2, 1)
    assert [revision.sequence for revision in read_record(cluster.client, "workers").revisions] == [1, 2]


def test_without_a_key_a_bundle_is_what_it_was(cluster: SandboxCluster) -> None:
    result = run(cluster)
    assert (result["statement"], result["signatures"], result["recorded"]) == (None, [], True)
    annotations = stored(cluster, result["bundle"]["name"])["metadata"]["annotations"]
    assert not any("statement" in name or "signature" in name for name in annotations)


def test_check_mode_signs_nothing(cluster: SandboxCluster, alice: Key) -> None:
    result = run(cluster, signing_key=alice.file, check=True, diff=True)
    assert (result["changed"], result["signatures"], result["statement"]["sequence"]) == (True, [], 1)
    assert names(cluster) == []
    assert run(cluster, signing_key=alice.file)["changed"] is True
    assert run(cluster, signing_key=alice.file, check=True)["changed"] is False


def test_a_certificate_signs(cluster: SandboxCluster, tmp_path: Path) -> None:
    authority = make_key(tmp_path, "authority")
    bob = certify(authority, make_key(tmp_path, "bob"), key_id="bob", validity="-5m:21000101")
    result = run(cluster, signing_key=bob.certificate)
    signature = result["signatures"][0]
    assert (signature["key_id"], signature["principals"]) == ("bob", ["pool-workers"])
    assert signature["authority"] == authority.fingerprint
    assert signature["valid_before"].startswith("2100-")
    assert verdict(cluster, result, authorities=(parse_public_key(authority.line),)).trusted


@pytest.mark.parametrize(
    ("passphrase", "sentence"),
    [("wrong", "signing_passphrase is not the passphrase of"), (None, "is encrypted: give signing_passphrase")],
)
def test_an_encrypted_key_needs_its_passphrase(
    cluster: SandboxCluster, tmp_path: Path, passphrase: str | None, sentence: str
) -> None:
    key = make_key(tmp_path, "alice", passphrase="a secret 'of' $HOME")
    options: dict[str, Any] = {} if passphrase is None else {"signing_passphrase": passphrase}
    refused = run(cluster, signing_key=key.file, **options)
    assert refused["failed"] is True
    assert sentence in refused["msg"]
    assert names(cluster) == []
    result = run(cluster, signing_key=key.file, signing_passphrase="a secret 'of' $HOME")
    assert verdict(cluster, result, keys=(parse_public_key(key.line),)).trusted


def test_a_key_that_does_not_exist_is_an_error(cluster: SandboxCluster, tmp_path: Path) -> None:
    refused = run(cluster, signing_key=tmp_path / "nobody")
    assert f"there is no file {tmp_path}/nobody" in refused["msg"]
    lonely = make_key(tmp_path, "lonely")
    lonely.file.unlink()
    refused = run(cluster, signing_key=lonely.file.with_suffix(".pub"))
    assert "there is no private key for" in refused["msg"]
    assert "ssh-add" in refused["msg"]
    assert names(cluster) == []


def test_a_key_that_the_builtin_verifier_does_not_know_is_a_warning(cluster: SandboxCluster, tmp_path: Path) -> None:
    result = run(cluster, signing_key=make_key(tmp_path, "rsa", kind="rsa").file)
    assert any("type ssh-rsa" in str(warning) for warning in result["text"])


def draft(sandbox: SandboxCluster, directory: Path, pods: int = 60, /, **options: Any) -> tuple[Path, dict[str, Any]]:
    path = directory / "statement.json"
    return path, run(sandbox, pods, statement_file=path, publish=False, **options)


def test_a_statement_is_signed_across_an_air_gap(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    path, drafted = draft(cluster, tmp_path)
    assert (drafted["changed"], names(cluster)) == (True, [])
    assert path.read_text() == drafted["statement"]["text"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert drafted["signing_command"] == f"ssh-keygen -Y sign -f KEY -n bundle@configok.dev {path}"
    assert draft(cluster, tmp_path)[1]["changed"] is False
    signatures = tmp_path / "statement.json.sig"
    signatures.write_text(sign(alice, path.read_text()))
    result = run(cluster, statement_file=path, signature_files=[str(signatures)])
    assert result["statement"] == drafted["statement"]
    assert verdict(cluster, result, keys=(parse_public_key(alice.line),)).trusted


def test_nothing_is_written_in_check_mode(cluster: SandboxCluster, tmp_path: Path) -> None:
    path, drafted = draft(cluster, tmp_path, check=True)
    assert (drafted["changed"], path.exists()) == (True, False)


def test_a_draft_follows_the_record(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    path, _drafted = draft(cluster, tmp_path)
    run(cluster, 61, signing_key=alice.file)
    assert draft(cluster, tmp_path)[1]["statement"]["sequence"] == 2
    assert draft(cluster, tmp_path, sequence=9)[1]["statement"]["sequence"] == 9
    assert Statement.parse(path.read_text()).sequence == 9
    run(cluster, statement_file=path, signing_key=alice.file)
    other, published = draft(cluster, tmp_path)
    assert (published["changed"], published["statement"]["sequence"]) == (False, 9), other


@pytest.mark.parametrize(
    "fault", ["other content", "no signature", "forged", "other namespace", "other pool", "far sequence", "damaged"]
)
def test_what_was_not_signed_is_not_published(cluster: SandboxCluster, tmp_path: Path, alice: Key, fault: str) -> None:
    path, drafted = draft(cluster, tmp_path, 61 if fault == "other content" else 60)
    text = drafted["statement"]["text"]
    if fault == "other pool":
        path.write_text(text.replace("workers", "gateways"))
    if fault == "far sequence":
        path.write_text(text.replace('"sequence":1,', '"sequence":99999999999,'))
    if fault == "damaged":
        path.write_text(text + "\n")
    signatures = tmp_path / "s"
    signed_text = text + "x" if fault == "forged" else path.read_text()
    signatures.write_text(
        sign(alice, signed_text, namespace="file" if fault == "other namespace" else "bundle@configok.dev")
    )
    files: dict[str, Any] = {} if fault == "no signature" else {"signature_files": [str(signatures)]}
    refused = run(cluster, statement_file=path, **files)
    assert refused["failed"] is True
    sentence = {
        "other content": "is a statement about content",
        "no signature": "has no signature: sign it with ssh-keygen",
        "forged": "is not one of this statement",
        "other namespace": "is not one of this statement",
        "other pool": "is a statement for pool gateways, not workers",
        "far sequence": "is more than 10000000000 above 0",
        "damaged": "not exactly the text",
    }[fault]
    assert sentence in refused["msg"], refused["msg"]
    assert names(cluster) == []


def test_a_bundle_is_signed_by_two_signers(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    path, _drafted = draft(cluster, tmp_path)
    bob = make_key(tmp_path, "bob")
    signatures = tmp_path / "both"
    signatures.write_text(sign(alice, path.read_text()))
    result = run(cluster, statement_file=path, signature_files=[str(signatures)], signing_key=bob.file)
    keys = tuple(parse_public_key(key.line) for key in (alice, bob))
    assert verdict(cluster, result, keys=keys, threshold=2).trusted


def test_options_that_cannot_be(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    path = str(tmp_path / "s")
    for options, sentence in (
        ({"publish": False}, "statement_file"),
        (
            {"publish": False, "statement_file": path, "signing_key": alice.file},
            "publish=false writes the statement only",
        ),
        ({"signature_files": [path]}, "statement_file"),
        ({"signing_key": alice.file, "floor": 5}, "floor 5 of the statement is above its sequence 1"),
        ({"signing_key": alice.file, "not_after": "2020-01-01T00:00:00Z"}, "has passed"),
        ({"signing_key": alice.file, "not_after": "tomorrow"}, "must be a time such as"),
    ):
        refused = run(cluster, **options)
        assert refused["failed"] is True, options
        assert sentence in refused["msg"], refused["msg"]
    assert names(cluster) == []


def test_a_bundle_that_was_published_unsigned_is_not_signed_again(cluster: SandboxCluster, alice: Key) -> None:
    run(cluster)
    result = run(cluster, signing_key=alice.file)
    assert (result["changed"], result["signatures"]) == (False, [])
    assert any("config_signature" in str(warning) for warning in result["text"])


def test_a_bundle_keeps_the_statement_that_it_was_published_with(
    cluster: SandboxCluster, tmp_path: Path, alice: Key
) -> None:
    path, drafted = draft(cluster, tmp_path)
    signatures = tmp_path / "s"
    signatures.write_text(sign(alice, drafted["statement"]["text"]))
    run(cluster, signing_key=alice.file, sequence=5)
    result = run(cluster, statement_file=path, signature_files=[str(signatures)])
    assert (result["changed"], result["statement"]["sequence"]) == (False, 5)
    assert any("with a statement different from" in line for line in result["text"])


HUGE = 9_000_000_000


def plant(
    cluster: SandboxCluster,
    pods: int,
    signers: Sequence[Key] = (),
    *,
    sequence: int = HUGE,
    floor: int = HUGE,
    audience: str = "",
) -> str:
    """Create the bundle of a config before its publisher does, with a statement; return its name."""
    bundle = build_bundle("workers", {"kubelet": f"{KUBELET_HEADER}maxPods: {pods}\n"})
    body = signed(bundle, signers, sequence=sequence, floor=floor, cluster=audience)
    return str(cluster.client.create(paths.config_maps("configok-system"), body)["metadata"]["name"])


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("signer", ["nobody", "mallory"])
def test_a_bundle_with_the_statement_of_another_party_is_refused(
    cluster: SandboxCluster, tmp_path: Path, alice: Key, signer: str, check: bool
) -> None:
    run(cluster, 70, signing_key=alice.file)
    name = plant(cluster, 72, [] if signer == "nobody" else [make_key(tmp_path, signer)])
    refused = run(cluster, 72, signing_key=alice.file, check=check)
    assert refused["failed"] is True
    assert f"{name} is there with a statement (sequence {HUGE}, floor {HUGE}) that" in refused["msg"]
    path = tmp_path / "statement.json"
    drafted = run(cluster, 72, statement_file=path, publish=False)
    assert (drafted["failed"], f"{name} is there with a statement" in drafted["msg"]) == (True, True)
    assert not path.exists()
    following = run(cluster, 73, signing_key=alice.file)["statement"]
    assert (following["sequence"], following["floor"]) == (2, 1)


def test_numbers_that_no_trusted_party_vouches_for_do_not_count(cluster: SandboxCluster, alice: Key) -> None:
    plant(cluster, 72)
    published = run(cluster, 72)
    assert published["recorded"] is True
    assert any("does not count: no trusted party vouches for it" in line for line in published["text"])
    assert [revision.floor for revision in read_record(cluster.client, "workers").revisions] == [0]
    following = run(cluster, 73, signing_key=alice.file)["statement"]
    assert (following["sequence"], following["floor"]) == (2, 2)


def test_what_the_key_has_signed_elsewhere_counts_if_its_floor_is_wanted(cluster: SandboxCluster, alice: Key) -> None:
    run(cluster, 70, signing_key=alice.file)
    plant(cluster, 72, [alice], sequence=9, floor=1)
    assert run(cluster, 72, signing_key=alice.file)["statement"]["sequence"] == 9
    name = plant(cluster, 73, [alice], sequence=12, floor=12)
    refused = run(cluster, 73, signing_key=alice.file)
    assert refused["msg"] == (
        f"the statement of {name} raises the floor of pool workers from 1 to 12, which withdraws all bundles with a "
        "lower sequence: set this floor if that is wanted"
    )
    published = run(cluster, 73, signing_key=alice.file, floor=12)
    assert any(
        "Its statement has sequence 12, floor 12 (before: 1), for any cluster" in line for line in published["text"]
    )
    assert run(cluster, 74, signing_key=alice.file)["statement"]["floor"] == 12


def test_a_statement_file_raises_no_floor_by_itself(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    run(cluster, 70, signing_key=alice.file)
    path, drafted = draft(cluster, tmp_path, 71, floor=2)
    (tmp_path / "s").write_text(sign(alice, drafted["statement"]["text"]))
    options = {"statement_file": path, "signature_files": [str(tmp_path / "s")]}
    refused = run(cluster, 71, **options)
    assert "raises the floor of pool workers from 1 to 2" in refused["msg"]
    assert run(cluster, 71, **options, floor=2)["statement"]["floor"] == 2


def test_a_statement_names_the_cluster(cluster: SandboxCluster, alice: Key) -> None:
    result = run(cluster, signing_key=alice.file, cluster="east")
    assert result["statement"]["cluster"] == "east"
    assert any(line.endswith("floor 1, for cluster east.") for line in result["text"])
    key = parse_public_key(alice.line)
    assert verdict(cluster, result, keys=(key,), clusters=("east",)).trusted
    assert "the statement is for cluster east" in verdict(cluster, result, keys=(key,), clusters=("west",)).reason


def test_without_a_cluster_the_text_says_so(cluster: SandboxCluster, alice: Key) -> None:
    result = run(cluster, signing_key=alice.file)
    assert any("for any cluster (signing.cluster is not set)" in line for line in result["text"])


def test_a_cluster_must_be_a_name(cluster: SandboxCluster, alice: Key) -> None:
    refused = run(cluster, signing_key=alice.file, cluster="East, West")
    assert "cluster of the statement must be a DNS name of at most 63 characters" in refused["msg"]


@pytest.mark.parametrize("audience", ["staging", ""])
def test_what_the_key_has_signed_for_another_cluster_is_refused(
    cluster: SandboxCluster, alice: Key, audience: str
) -> None:
    run(cluster, 70, signing_key=alice.file, cluster="production")
    name = plant(cluster, 72, [alice], sequence=490, floor=490, audience=audience)
    refused = run(cluster, 72, signing_key=alice.file, cluster="production")
    assert f"{name} is there with a statement (sequence 490, floor 490) that" in refused["msg"]
    following = run(cluster, 73, signing_key=alice.file, cluster="production")["statement"]
    assert (following["sequence"], following["floor"]) == (2, 1)


def test_a_statement_file_for_another_cluster_is_refused(cluster: SandboxCluster, tmp_path: Path, alice: Key) -> None:
    path, drafted = draft(cluster, tmp_path, cluster="staging")
    (tmp_path / "s").write_text(sign(alice, drafted["statement"]["text"]))
    options = {"statement_file": path, "signature_files": [str(tmp_path / "s")]}
    refused = run(cluster, **options, cluster="production")
    assert "has cluster staging, and not production" in refused["msg"]
    assert names(cluster) == []
