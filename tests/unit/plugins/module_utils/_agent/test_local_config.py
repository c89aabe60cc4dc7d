# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent reports its node's own values: their hash in the status, and the values on request."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._validation._node_inputs import (
    LocalConfigHash,
    local_config_text,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    InvalidLocalConfig,
    LocalComponent,
    LocalConfig,
    build_local_config_map,
    encode_local_config,
    local_hash,
    parse_local_config,
    read_local_config_map,
)
from support.agents.bench import Bench
from support.configs.kubelet import KUBELET_HEADER


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A node with an init config and an instance config."""
    init, instance = tmp_path / "init" / "kubelet.yaml", tmp_path / "instance.yaml"
    init.parent.mkdir(exist_ok=True)
    init.write_text(KUBELET_HEADER + "maxPods: 110\nproviderID: aws:///i-1\nstaticPodPath: manifests\n")
    instance.write_text('{"staticPodURLHeader": {"Authorization": ["s3cr3t-marker"]}}')
    bench = Bench(tmp_path)
    kubelet = bench.configuration.components["kubelet"]
    own = kubelet._replace(init_config=str(init), instance_config=str(instance), deny=DenyPolicy(("maxPods",)))
    bench.configure(components={"kubelet": own})
    return bench


def reported(bench: Bench) -> str:
    status = bench.api.node["metadata"]["annotations"]["configok.dev/config-status"]
    return str(json.loads(status)["localConfig"])


def test_the_status_has_the_hash_of_what_the_node_prints(bench: Bench, tmp_path: Path) -> None:
    bench.run(10)
    text = local_config_text(bench.configuration)
    assert reported(bench) == local_hash(text)
    kubelet = parse_local_config(text).components["kubelet"]
    assert kubelet.init["maxPods"] == 110
    assert kubelet.init["staticPodPath"] == str(tmp_path / "init" / "manifests")
    assert kubelet.deny == DenyPolicy(("maxPods",))
    assert "i-1" not in text, "what only this node has would give each node a hash of its own"
    assert "s3cr3t" not in text


def test_another_init_config_is_another_hash(bench: Bench, tmp_path: Path) -> None:
    hashes = LocalConfigHash(bench.configuration)
    before = hashes.current()
    path = tmp_path / "init" / "kubelet.yaml"
    path.write_text(KUBELET_HEADER + "maxPods: 120\n")
    os.utime(path, (1, 1))
    assert hashes.current() not in ("", before)
    path.write_text("{")
    os.utime(path, (2, 2))
    assert parse_local_config(local_config_text(bench.configuration)).components["kubelet"].init == {}


def test_what_is_too_large_is_not_reported(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "init" / "kubelet.yaml").write_text(KUBELET_HEADER + "clusterDomain: " + 600_000 * "a")
    assert LocalConfigHash(bench.configuration).current() == ""


COMPONENTS = {"kubelet": LocalComponent({"maxPods": 110}, {}, DenyPolicy(("maxPods",)))}
TRUST = {"mode": "require", "pools": ["workers"], "keys": ["ssh-ed25519 AAAA alice"]}


def test_the_trust_policy_of_a_node_is_published() -> None:
    local = LocalConfig(COMPONENTS, TRUST)
    assert parse_local_config(encode_local_config(local)) == local
    assert read_local_config_map(build_local_config_map(local)) == local


def test_a_node_without_a_trust_policy_publishes_what_it_published_before() -> None:
    text = encode_local_config(LocalConfig(COMPONENTS))
    assert list(json.loads(text)) == ["components"]
    assert parse_local_config(text).trust == {}


@pytest.mark.parametrize("trust", ["x", 1, ["mode"], None, "9" * 30])
def test_a_value_that_is_not_a_trust_policy_is_refused(trust: object) -> None:
    with pytest.raises(InvalidLocalConfig, match="configok-agent local-config"):
        parse_local_config(json.dumps({"components": {}, "trust": trust}))
