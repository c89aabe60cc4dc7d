# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles are signed where people work: with a key file, ssh-agent, a certificate, a token, or across an air gap."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.ansible_runs.in_process import document_pool
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.configs.kubelet import kubelet_config
from support.rollouts.simulated_nodes import SimulatedNodes
from support.session.unavailable import leave_out
from support.trust.node_policies import set_policy
from support.trust.signing import Key, certify, make_key
from support.trust.ssh_agents import find_softhsm, make_token, ssh_agent

NODES = ("n1", "n2", "n3")
PASSPHRASE = "a 'long' $secret"


@pytest.fixture
def client(embedded_api: Embedded) -> Client:
    client = embedded_api.client()
    prepare(client)
    return client


@pytest.fixture
def nodes(client: Client) -> Iterator[SimulatedNodes]:
    with SimulatedNodes(client) as simulated:
        for number, name in enumerate(NODES):
            simulated.add(name, zone="abc"[number % 3])
        yield simulated


@pytest.fixture
def user(embedded_api: Embedded, tmp_path: Path) -> Playbooks:
    return Playbooks(tmp_path, embedded_api.admin_kubeconfig)


def roll_out(user: Playbooks, *arguments: str, signing: dict[str, Any]) -> PlaybookRun:
    user.write(quick_pool(signing=signing), "maxPods: 60\n")
    return user.run("rollout", *arguments)


def test_an_encrypted_key_file(user: Playbooks, nodes: SimulatedNodes, tmp_path: Path) -> None:
    key = make_key(tmp_path / "keys", "alice", passphrase=PASSPHRASE)
    set_policy(nodes, NODES, keys=[key])
    (tmp_path / "vault.yml").write_text(f'signing_passphrase: "{PASSPHRASE}"\n')
    refused = roll_out(user, signing={"key": "keys/alice"})
    assert refused.code != 0
    assert "is encrypted: give signing_passphrase" in refused.output
    done = roll_out(user, "-vvv", "-e", "@vault.yml", signing={"key": "keys/alice"})
    assert done.code == 0, done.output
    assert f"Signed by alice ({key.fingerprint})" in done.output
    assert PASSPHRASE not in done.output


def test_ssh_agent(user: Playbooks, nodes: SimulatedNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = make_key(tmp_path / "keys", "alice")
    set_policy(nodes, NODES, keys=[key])
    with ssh_agent(tmp_path) as agent:
        monkeypatch.setenv("SSH_AUTH_SOCK", agent.environment["SSH_AUTH_SOCK"])
        agent.add(str(key.file), directory=tmp_path)
        key.file.unlink()
        agent_signs = roll_out(user, signing={"key": "keys/alice.pub"})
        assert agent_signs.code == 0, agent_signs.output
        agent.remove_all()
        user.write(quick_pool(signing={"key": "keys/alice.pub"}), "maxPods: 61\n")
        refused = user.run("rollout")
        assert "there is no private key for" in refused.output
        assert "ssh-add" in refused.output


def test_a_certificate(user: Playbooks, nodes: SimulatedNodes, tmp_path: Path) -> None:
    authority = make_key(tmp_path, "authority")
    bob = certify(authority, make_key(tmp_path / "keys", "bob"), key_id="bob@example.org", validity="-5m:+1h")
    set_policy(nodes, NODES, authorities=[authority])
    done = roll_out(user, signing={"key": str(bob.certificate)})
    assert done.code == 0, done.output
    assert f"Signed by bob@example.org ({bob.fingerprint}, certified until " in done.output
    wrong = certify(authority, make_key(tmp_path / "keys", "eve"), principals=["pool-gateways"])
    user.write(quick_pool(signing={"key": str(wrong.certificate)}), "maxPods: 61\n")
    refused = user.run("rollout", "--check")
    assert "the certificate does not have the principal pool-workers" in refused.output


@pytest.mark.parametrize("kind", ["ecdsa", "rsa"])
def test_a_token(
    user: Playbooks, nodes: SimulatedNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    softhsm = find_softhsm()
    if softhsm is None:
        leave_out("SoftHSM is not installed, nor unpacked by tests/support/bin/prepare-softhsm")
    token = make_token(tmp_path, softhsm, kind)
    with ssh_agent(tmp_path, token) as agent:
        monkeypatch.setenv("SSH_AUTH_SOCK", agent.environment["SSH_AUTH_SOCK"])
        agent.add("-s", token.library, secret=token.pin, directory=tmp_path)
        (line,) = agent.public_keys()
        (tmp_path / "token.pub").write_text(line + "\n")
        set_policy(nodes, NODES, keys=[Key(tmp_path / "token", line)], verifier="ssh-keygen")
        done = roll_out(user, signing={"key": "token.pub"})
    assert done.code == 0, done.output
    assert "Signed by signer (SHA256:" in done.output


def test_an_air_gap(embedded_api: Embedded, nodes: SimulatedNodes, user: Playbooks, tmp_path: Path) -> None:
    far_side = tmp_path / "far"
    alice, bob = (make_key(far_side, name) for name in ("alice", "bob"))
    set_policy(nodes, NODES, keys=[alice, bob], threshold=2)
    text = kubelet_config("maxPods: 60")
    content = {"pool": "workers", "documents": {"kubelet": text}, "trial_duration": "10m"}
    play(tmp_path, embedded_api, "config_bundle", **content, statement_file="statement.json", publish=False)
    for key in (alice, bob):
        statement = far_side / f"{key.file.name}.json"
        statement.write_bytes((tmp_path / "statement.json").read_bytes())
        command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key.file), "-n", "bundle@configok.dev", str(statement)]
        subprocess.run(command, check=True, capture_output=True)
    signatures = [str(far_side / f"{name}.json.sig") for name in ("alice", "bob")]
    signing = {"statement_file": "statement.json", "signature_files": signatures}
    published = play(tmp_path, embedded_api, "config_bundle", **content, **signing)
    assert "changed=1" in published.output
    again = play(tmp_path, embedded_api, "config_bundle", **content, **signing)
    assert "changed=0" in again.output
    user.write(document_pool(text, trial={"trialDuration": "10m"}), "")
    done = user.run("rollout")
    assert done.code == 0, done.output
    assert f"alice ({alice.fingerprint})" in done.output
    assert f"bob ({bob.fingerprint})" in done.output


def play(directory: Path, api: Embedded, module: str, **options: Any) -> PlaybookRun:
    """Run one module as a task of a playbook."""
    tasks = [{"name": module, f"configok.node.{module}": options}]
    text = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    (directory / "play.yml").write_text(json.dumps(text))
    done = finish(start(["play.yml"], directory=directory, kubeconfig=api.admin_kubeconfig))
    assert done.code == 0, done.output
    return done
