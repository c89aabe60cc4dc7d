# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packed agent on API servers: signed bundles, keys that are rotated, and what never depends on them."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    SignerStatus,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import local_hash
from support.agents.node import AgentNode
from support.api.servers import ApiServer
from support.configs.kubelet import KUBELET_HEADER
from support.trust.signing import Key, certify, make_key, signed, trust_section

CRASHES = 13  # podsPerCore: legal, and the stub kubelet crashes on it


class World:
    """One node, the API server, and what an operator does."""

    def __init__(
        self, api: ApiServer, make_node: Callable[..., AgentNode], name: str, trust: dict[str, Any] | None
    ) -> None:
        self.client: Client = api.client()
        self.name = name
        apply_steps(self.client, plan_setup(self.client, Access()).steps, dry_run=False)
        options = {} if trust is None else {"trust": trust}
        self.node = make_node(api.node_kubeconfig(name), name=name, **options)
        self.node.start("supervisor")
        self.agent = self.node.start("run")
        self._assignments = 0
        self.until_cause("Init")

    def assign(
        self, text: str, keys: Sequence[Key], *, sequence: int = 1, floor: int = 1, pool: str = "workers"
    ) -> ConfigSource:
        """Publish a bundle with these signatures, and assign it."""
        bundle = build_bundle(pool, {"kubelet": f"{KUBELET_HEADER}# for {self.name}\n{text}"}, trial=Trial(0.5, 0))
        if keys:
            bundle = signed(bundle, keys, sequence=sequence, floor=floor)
        created = self.client.create(config_maps("configok-system"), bundle)
        source = ConfigSource("configok-system", created["metadata"]["name"], created["metadata"]["uid"])
        self.assign_again(source)
        return source

    def assign_again(self, source: ConfigSource) -> None:
        """Assign a bundle under a new id."""
        self._assignments += 1
        self.client.patch(node_path(self.name), assignment_patch(source, Assignment(self._assignments)))

    def status(self) -> ConfigStatus:
        """Return the structured status as the API has it, empty before it is reported."""
        try:
            return read_status(self.client.get(node_path(self.name))) or ConfigStatus()
        except NotFound:
            return ConfigStatus()

    def until_cause(self, cause: str) -> ConfigStatus:
        """Wait for the answer to the latest assignment."""

        def answered() -> ConfigStatus | None:
            status = self.status()
            return status if (status.assignment, status.cause) == (self._assignments, cause) else None

        status: ConfigStatus = self.node.until(f"cause {cause}", answered)
        return status

    def until_good(self, source: ConfigSource) -> ConfigStatus:
        """Wait until a bundle has passed its trial."""
        self.until_cause("Good")
        self.node.until("promotion", lambda: self.node.record("last-known-good", source.uid))
        return self.status()

    def pods(self) -> int:
        """Return maxPods of the file that the kubelet reads."""
        return int(yaml.safe_load(self.node.config.read_text())["maxPods"])

    def trust(self, trust: object) -> None:
        """Rewrite the agent's own config, as the role does; nothing is restarted."""
        self.node.change(lambda configuration: configuration.update(trust=trust))


@pytest.fixture(autouse=True)
def _remove_the_node(api: ApiServer, unique: str) -> Iterator[None]:
    """Leave no assigned Node on the API server that other tests share."""
    yield
    with contextlib.suppress(NotFound):
        api.client().delete(node_path(unique))


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Key, Key]:
    directory = tmp_path_factory.mktemp("keys")
    return make_key(directory, "alice"), make_key(directory, "bob")


@pytest.mark.contract("trust.before-everything", "trust.refusal", "trust.floor")
def test_only_what_trusted_signers_vouch_for_is_adopted(
    api: ApiServer, unique: str, make_node: Callable[..., AgentNode], keys: tuple[Key, Key]
) -> None:
    alice, bob = keys
    world = World(api, make_node, unique, trust_section(keys=[alice]))
    running = world.node.unit()
    unsigned = world.assign("maxPods: 50\n", [])
    status = world.until_cause("Untrusted")
    assert status.error.startswith(f"failed to verify (UID: {unsigned.uid}): the bundle has no statement: ")
    assert not (world.node.state / "checkpoints" / unsigned.uid).exists()
    world.assign("maxPods: 51\n", [bob])
    world.until_cause("Untrusted")
    world.assign("maxPods: 52\n", [alice], pool="gateways")
    assert "pool 'gateways'" in world.until_cause("Untrusted").error
    assert world.node.unit() == running, "a refusal restarts nothing"

    good = world.assign("maxPods: 53\n", [alice], sequence=5, floor=4)
    status = world.until_good(good)
    assert world.pods() == 53
    assert status.trust is not None
    assert (status.trust.mode, status.trust.floors) == ("require", {"workers": 4})
    assert status.trust.signers == (SignerStatus(alice.fingerprint, "alice"),)
    old = world.assign("maxPods: 54\n", [alice], sequence=3)
    assert "its sequence is 3, and the node accepts 4 or higher" in world.until_cause("Untrusted").error
    world.assign_again(good)
    world.until_cause("Good")
    assert not (world.node.state / "checkpoints" / old.uid).exists()
    shown = json.loads(world.node.call("status", "--json").stdout)
    problem = "audience not set: the node accepts what was signed for any cluster; set node_trust_clusters"
    assert shown["trust"] == {"mode": "require", "floors": {"workers": 4}, "problem": problem}
    assert shown["using"]["trust"]["signers"] == [{"fingerprint": alice.fingerprint, "name": "alice"}]
    assert f"signed by alice ({alice.fingerprint})" in " ".join(world.node.call("status").stdout.split())


@pytest.mark.contract("trust.read-again", "trust.running-stays", "trust.floor-survives")
def test_keys_are_rotated_and_revoked_while_everything_runs(
    api: ApiServer, unique: str, make_node: Callable[..., AgentNode], keys: tuple[Key, Key], tmp_path: Path
) -> None:
    alice, bob = keys
    world = World(api, make_node, unique, trust_section(keys=[alice]))
    node = world.node
    by_alice = world.assign("maxPods: 50\n", [alice], sequence=5, floor=5)
    before = world.until_good(by_alice)
    running = node.unit()

    world.trust(trust_section(keys=[bob], revoked=[alice.fingerprint]))
    world.agent.send_signal(signal.SIGHUP)
    published = local_hash(node.call("local-config").stdout.strip())
    node.until("the new policy is reported", lambda: world.status().local_config == published)
    assert before.local_config != published
    world.assign("maxPods: 51\n", [alice], sequence=6)
    assert "is not trusted" in world.until_cause("Untrusted").error
    assert (node.unit(), world.pods()) == (running, 50), "what runs stays"

    crashing = world.assign(f"podsPerCore: {CRASHES}\n", [bob], sequence=7, floor=7)
    world.until_cause("CrashLoop")
    assert world.pods() == 50, "last-known-good is not verified, though its key is revoked"
    assert node.record("last-known-good", by_alice.uid)
    assert not node.record("current", crashing.uid)
    world.assign("maxPods: 52\n", [bob], sequence=6)
    assert "accepts 7 or higher" in world.until_cause("Untrusted").error, "the rollback lowers no floor"

    world.trust("nonsense")
    after = node.until_active().invocation
    node.ask("restart")
    node.until_active(after=after)
    assert world.pods() == 50, "prestart does not read the policy"
    carol = certify(make_key(tmp_path, "authority"), make_key(tmp_path, "carol"), key_id="carol@example.org")
    authority = (tmp_path / "authority.pub").read_text().strip()
    by_carol = world.assign("maxPods: 60\n", [carol], sequence=8)
    assert "trust must hold an object" in world.until_cause("FetchFailed").error
    world.trust({"mode": "require", "pools": ["workers"], "authorities": [authority]})
    world.agent.send_signal(signal.SIGHUP)
    status = world.until_good(by_carol)
    assert status.trust is not None
    assert [signer.name for signer in status.trust.signers] == ["carol@example.org"]
    assert world.agent.poll() is None, "the same process of the agent did all of this"


def test_the_mode_warn_adopts_and_reports_why(
    api: ApiServer, unique: str, make_node: Callable[..., AgentNode], keys: tuple[Key, Key]
) -> None:
    world = World(api, make_node, unique, trust_section(mode="warn", keys=keys[:1]))
    status = world.until_good(world.assign("maxPods: 50\n", keys[1:]))
    assert world.pods() == 50
    assert status.trust is not None
    assert "is not trusted" in status.trust.problem
    assert f"an untrusted config is accepted: {status.trust.problem}" in world.node.logs()
    assert "is not trusted" in " ".join(world.node.call("status").stdout.split())


def test_a_reload_after_another_change_starts_the_agent_again(
    api: ApiServer, unique: str, make_node: Callable[..., AgentNode], tmp_path: Path
) -> None:
    world = World(api, make_node, unique, None)
    node, running, metrics = world.node, world.node.unit(), tmp_path / "configok.prom"
    node.change(lambda configuration: configuration.update(metricsFile=str(metrics)))
    world.agent.send_signal(signal.SIGHUP)
    node.until("the metrics file of the new settings", metrics.exists)
    node.change(lambda configuration: configuration.update(metricsFile=[]))
    world.agent.send_signal(signal.SIGHUP)
    node.until("the error", lambda: "the agent keeps the settings that it has: " in node.logs())
    assert metrics.exists()
    world.assign("maxPods: 50\n", [])
    assert "metricsFile" in world.until_cause("FetchFailed").error, "whether it trusts anyone is not known"
    node.change(lambda configuration: configuration.update(metricsFile=str(metrics)))
    world.agent.send_signal(signal.SIGHUP)
    world.until_cause("Good")
    assert world.agent.poll() is None
    assert node.unit().invocation != running.invocation
