# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What verification adds to an adoption: time and memory of the daemon, for a certificate and for two of them.

Each measurement is the first verification of a fresh daemon, so it includes the imports, the trust policy from the
agent's own config, and everything that is computed once.
"""

from __future__ import annotations

import compileall
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._trust.statement import SIGNATURE_NAMESPACE
from ansible_collections.configok.node.plugins.plugin_utils._pack import sources
from support.ansible_runs.playbooks import ROOT
from support.trust.signing import Key, certify, make_key, sign, signed, statement_of, trust_section

RUNS = 15
Row = Callable[..., None]

# Resident memory counts whole pages; the daemon's own imports and configuration come first.
DAEMON = """
import gc, json, os, sys, time
sys.path.insert(0, sys.argv[1])
import configok_agent._run
from configok_agent._agent._agent_configuration import load_configuration
from configok_agent._agent._trust_settings import current_trust_policy
from configok_agent._nodeconfig.bundle import Bundle

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

configuration = load_configuration(sys.argv[2])
with open(sys.argv[3]) as file:
    bundle = Bundle.from_config_map(json.load(file))
gc.collect()
before, begun = resident(), time.perf_counter()
policy = current_trust_policy(configuration)
from configok_agent._trust.verification import verify_bundle
verdict = verify_bundle(bundle, policy, floors={}, now=time.time())
seconds, memory = time.perf_counter() - begun, resident() - before
assert verdict.trusted, verdict
print(json.dumps([1000 * seconds, memory / 1e6, len(verdict.signers)]))
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the compiled agent, as on a node."""
    directory = tmp_path_factory.mktemp("agent")
    for name, content in sources(ROOT).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    compileall.compile_dir(directory, quiet=1)
    return directory


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "authority")


@pytest.fixture(scope="module")
def signers(authority: Key) -> list[Key]:
    return [
        certify(authority, make_key(authority.file.parent, name), principals=["pool-workers", f"user-{name}"])
        for name in ("alice", "bob")
    ]


def measure(agent: Path, directory: Path, authority: Key, signers: list[Key]) -> tuple[float, float]:
    """Return the least milliseconds, and the median of megabytes (10^6 bytes)."""
    configuration, bundle = directory / "agent.yaml", directory / "bundle.json"
    configuration.write_text(
        json.dumps(
            {
                "apiVersion": "agent.config.configok.dev/v1alpha1",
                "kind": "AgentConfiguration",
                "nodeName": "n1",
                "kubeconfig": "/etc/kubernetes/kubelet.conf",
                "components": {"kubelet": {"version": "v1.35.0", "initConfig": "/etc/configok/init/kubelet.yaml"}},
                "trust": trust_section(authorities=[authority], threshold=len(signers)),
            }
        )
    )
    published: dict[str, Any] = signed(build_bundle("workers", {"kubelet": "maxPods: 110\n"}), signers)
    published["metadata"]["uid"] = "11111111-1111-1111-1111-111111111111"
    bundle.write_text(json.dumps(published))
    rows = []
    for _run in range(RUNS):
        command = [sys.executable, "-I", "-c", DAEMON, str(agent), str(configuration), str(bundle)]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    assert {row[2] for row in rows} == {len(signers)}
    return min(row[0] for row in rows), statistics.median(row[1] for row in rows)


def ssh_keygen_ms(directory: Path, authority: Key, signer: Key) -> float:
    """Return the least time of ssh-keygen -Y verify, with the same signature."""
    message = statement_of(build_bundle("workers", {"kubelet": "maxPods: 110\n"})).encode()
    (directory / "signers").write_text(
        f'pool-workers cert-authority,namespaces="{SIGNATURE_NAMESPACE}" {authority.line}\n'
    )
    (directory / "signature").write_text(sign(signer, message))
    command = ["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "pool-workers", "-n", SIGNATURE_NAMESPACE]
    seconds = []
    for _run in range(RUNS):
        begun = time.perf_counter()
        subprocess.run(
            [*command, "-s", "signature"], cwd=directory, input=message, check=True, capture_output=True, text=True
        )
        seconds.append(time.perf_counter() - begun)
    return 1000 * min(seconds)


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen")
def test_verification(agent: Path, authority: Key, signers: list[Key], tmp_path: Path, row: Row) -> None:
    baseline = ssh_keygen_ms(tmp_path, authority, signers[0])
    milliseconds, megabytes = measure(agent, tmp_path, authority, signers[:1])
    two, _memory = measure(agent, tmp_path, authority, signers)
    row("verify-ms", milliseconds, "ms", most=10, baseline=baseline)
    row("verify-two-signers-ms", two, "ms", most=15, baseline=2 * baseline)
    row("verify-rss-mb", megabytes, "MB", most=0.5)
