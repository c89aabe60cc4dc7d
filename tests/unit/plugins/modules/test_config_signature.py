# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config_signature adds signatures to a file or a bundle, lists them, and verifies them as a node does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Conflict, Forbidden
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.modules import config_bundle, config_signature
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import KUBELET_HEADER
from support.trust.signing import Key, certify, make_key, sign, signed, statement_of

pytestmark = pytest.mark.usefixtures("nodes")


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Key]:
    return {name: make_key(tmp_path / "keys", name) for name in ("alice", "bob")}


def run(**arguments: Any) -> dict[str, Any]:
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    return run_module(config_signature.main, {key: _plain(value) for key, value in arguments.items()}, **mode)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def publish(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    options = {"pool": "workers", "documents": {"kubelet": KUBELET_HEADER + "maxPods: 60\n"}, **arguments}
    options = {key: _plain(value) for key, value in options.items()}
    return run_module(config_bundle.main, {"kubeconfig": cluster.kubeconfig, **options})


def draft(cluster: SandboxCluster, directory: Path) -> Path:
    path = directory / "statement.json"
    assert publish(cluster, statement_file=path, publish=False)["changed"] is True
    return path


def fingerprints(result: dict[str, Any]) -> list[str]:
    return [signature["fingerprint"] for signature in result["signatures"]]


def test_two_people_sign_a_statement(cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]) -> None:
    path = draft(cluster, tmp_path)
    planned = run(statement_file=path, signing_key=keys["alice"].file, check=True)
    assert (planned["changed"], planned["signatures"], Path(f"{path}.sig").exists()) == (True, [], False)
    assert run(statement_file=path, signing_key=keys["alice"].file)["changed"] is True
    assert run(statement_file=path, signing_key=keys["alice"].file)["changed"] is False
    both = run(statement_file=path, signing_key=keys["bob"].file, diff=True)
    assert fingerprints(both) == [keys["alice"].fingerprint, keys["bob"].fingerprint]
    assert both["diff"]["after"].count("ssh-ed25519") == 2
    assert Path(f"{path}.sig").read_text().count("BEGIN SSH SIGNATURE") == 2
    published = publish(cluster, statement_file=path, signature_files=[f"{path}.sig"])
    assert fingerprints(published) == fingerprints(both)


def test_it_verifies_as_a_node_does(cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]) -> None:
    path = draft(cluster, tmp_path)
    run(statement_file=path, signing_key=keys["alice"].file)
    listed = run(statement_file=path)
    assert (listed["changed"], listed["trusted"], listed["signers"]) == (False, None, [])
    trusted = run(statement_file=path, keys=[keys["alice"].line])
    assert (trusted["trusted"], trusted["signers"][0]["name"]) == (True, "alice")
    for options, sentence in (
        ({"keys": [keys["bob"].line]}, "is not trusted"),
        ({"keys": [keys["alice"].line, keys["bob"].line], "threshold": 2}, "valid signatures of 2 signers are needed"),
        ({"keys": [key.line for key in keys.values()], "revoked": [keys["alice"].line]}, "is revoked"),
        ({"keys": ["nonsense"]}, "keys: item 0 must be a public key"),
        ({"pool": "gateways"}, "the statement is for pool workers, not gateways"),
    ):
        refused = run(statement_file=path, **options)
        assert refused["failed"] is True, options
        assert sentence in refused["msg"], refused["msg"]


@pytest.mark.parametrize(("kind", "verifier"), [("ed25519", "builtin"), ("rsa", "ssh-keygen"), ("ecdsa", "ssh-keygen")])
def test_keys_of_other_types_sign(cluster: SandboxCluster, tmp_path: Path, kind: str, verifier: str) -> None:
    path, key = draft(cluster, tmp_path), make_key(tmp_path, "key", kind=kind)
    run(statement_file=path, signing_key=key.file)
    assert run(statement_file=path, keys=[key.line], verifier=verifier)["trusted"] is True


def test_a_new_certificate_signs_again(cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]) -> None:
    path, authority = draft(cluster, tmp_path), make_key(tmp_path, "authority")
    old = certify(authority, keys["alice"], validity="-2d:-1d")
    run(statement_file=path, signing_key=old.certificate)
    refused = run(statement_file=path, authorities=[authority.line])
    assert "has expired" in refused["msg"]
    new = certify(authority, keys["alice"], serial=2)
    assert run(statement_file=path, signing_key=new.certificate)["changed"] is True
    assert run(statement_file=path, signing_key=new.certificate)["changed"] is False
    assert run(statement_file=path, authorities=[authority.line])["trusted"] is True


def test_a_published_bundle_gets_more_signatures(cluster: SandboxCluster, keys: dict[str, Key]) -> None:
    name = publish(cluster, signing_key=keys["alice"].file)["bundle"]["name"]
    where = {"kubeconfig": cluster.kubeconfig, "bundle": name}
    path = paths.config_map("configok-system", name)
    before = cluster.client.get(path)
    assert run(**where, signing_key=keys["bob"].file, check=True)["changed"] is True
    assert cluster.client.get(path) == before
    result = run(**where, signing_key=keys["bob"].file)
    assert fingerprints(result) == [keys["alice"].fingerprint, keys["bob"].fingerprint]
    after = cluster.client.get(path)
    assert (after["data"], after["metadata"]["uid"]) == (before["data"], before["metadata"]["uid"])
    assert run(**where, signing_key=keys["bob"].file)["changed"] is False
    assert run(**where, keys=[key.line for key in keys.values()], threshold=2)["trusted"] is True


def test_a_bundle_that_was_published_without_a_statement_needs_one(
    cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]
) -> None:
    name = publish(cluster)["bundle"]["name"]
    where = {"kubeconfig": cluster.kubeconfig, "bundle": name}
    refused = run(**where, signing_key=keys["alice"].file)
    assert "was published without a statement: write one with configok.node.config_bundle" in refused["msg"]
    path = draft(cluster, tmp_path)
    refused = run(**where, statement_file=path)
    assert "gets no statement without a signature" in refused["msg"]
    assert run(**where, statement_file=path, signing_key=keys["alice"].file)["changed"] is True
    assert run(**where, keys=[keys["alice"].line])["trusted"] is True
    other = tmp_path / "other.json"
    other.write_text(path.read_text().replace('"sequence":2', '"sequence":3').replace('"sequence":1', '"sequence":3'))
    assert "has a statement different from" in run(**where, statement_file=other)["msg"]


def test_what_is_not_a_signature_of_it(cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]) -> None:
    path, forged = draft(cluster, tmp_path), tmp_path / "forged"
    forged.write_text(sign(keys["alice"], "something else"))
    refused = run(statement_file=path, signature_files=[forged])
    assert "is not one of this statement" in refused["msg"]
    forged.write_text("hello")
    assert "has no signature" in run(statement_file=path, signature_files=[forged])["msg"]
    assert "cannot be read" in run(statement_file=tmp_path / "missing")["msg"]
    assert not Path(f"{path}.sig").exists()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Forbidden("no", where="PATCH /", status=403), "may not be changed with these credentials: it needs patch"),
        (Conflict("no", where="PATCH /", status=409), "was changed at the same time: run it again"),
    ],
)
def test_a_bundle_that_cannot_be_changed(
    cluster: SandboxCluster,
    keys: dict[str, Key],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    sentence: str,
) -> None:
    name = publish(cluster, signing_key=keys["alice"].file)["bundle"]["name"]

    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr(Client, "patch", refuse)
    refused = run(kubeconfig=cluster.kubeconfig, bundle=name, signing_key=keys["bob"].file)
    assert sentence in refused["msg"]


def test_a_bundle_that_does_not_exist_is_an_error(cluster: SandboxCluster) -> None:
    refused = run(kubeconfig=cluster.kubeconfig, bundle="workers-0123456789")
    assert refused["msg"] == "there is no bundle workers-0123456789 in namespace configok-system"


def test_a_planted_statement_is_signed_only_if_its_floor_is_wanted(
    cluster: SandboxCluster, tmp_path: Path, keys: dict[str, Key]
) -> None:
    publish(cluster, signing_key=keys["alice"].file)
    body = signed(build_bundle("workers", {"kubelet": KUBELET_HEADER + "maxPods: 9\n"}), [], sequence=900, floor=900)
    name = cluster.client.create(paths.config_maps("configok-system"), body)["metadata"]["name"]
    options = {"kubeconfig": cluster.kubeconfig, "bundle": name}
    assert run(**options)["statement"]["floor"] == 900
    refused = run(**options, signing_key=keys["alice"].file)
    assert f"the statement of {name} raises the floor of pool workers from 1 to 900" in refused["msg"]
    assert refused["msg"].endswith("give it as statement_file if that is wanted")
    path = tmp_path / "statement.json"
    path.write_text(statement_of(body, sequence=900, floor=900).encode())
    assert run(**options, signing_key=keys["alice"].file, statement_file=path)["changed"] is True
