# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of all modules run as they stand, in the order in which a user comes to them, in check mode."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import _paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._client import Client
from ansible_collections.configok.node.plugins.module_utils._rollout._engine import move_wave
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Plan
from ansible_collections.configok.node.plugins.modules import config_bundle, rollout_plan
from support.apiserver import Embedded
from support.clusters import prepare
from support.modules import run_module
from support.playbooks import HEAD, ROOT, quick_pool
from support.simulated_nodes import SimulatedNodes

WORKER = {"node-role.kubernetes.io/worker": ""}
TEXT = HEAD + "maxPods: 60\n"
# What one registers, those after it use.
MODULES = (
    "cluster_access",
    "agent_archive",
    "component_config",
    "config_bundle",
    "config_source",
    "config_status_info",
    "rollout_plan",
    "rollout_wave",
)


def examples(module: str) -> list[dict[str, Any]]:
    found = importlib.import_module(f"ansible_collections.configok.node.plugins.modules.{module}")
    tasks: list[dict[str, Any]] = yaml.safe_load(found.EXAMPLES)
    return tasks


def test_every_module_is_here() -> None:
    assert {path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py")} == set(MODULES)


def test_the_examples_run(embedded_api: Embedded, tmp_path: Path) -> None:
    client, kubeconfig = embedded_api.client(), embedded_api.admin_kubeconfig
    prepare(client)
    with SimulatedNodes(client) as nodes:
        # The pool's first revision, so that there is something to undo. No node has it: the cluster may be cleaned.
        nodes.add("node-0", labels=WORKER)
        roll_out(client, kubeconfig, HEAD + "maxPods: 50\n")
        client.delete(paths.node("node-0"))
        for number in range(1, 6):
            nodes.add(f"node-{number}", zone="ab"[number % 2], labels=WORKER)
        publish(kubeconfig, TEXT)
        done = play(tmp_path, kubeconfig)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed=0" in done.stdout


def publish(kubeconfig: str, text: str) -> Any:
    """Publish what the examples publish: check mode does not, and what is not published cannot be assigned."""
    given = {"kubeconfig": kubeconfig, "pool": "workers", "documents": {"kubelet": text}, "trial_duration": "10m"}
    return run_module(config_bundle.main, given)["bundle"]


def roll_out(client: Client, kubeconfig: str, text: str) -> None:
    """Take the pool to a revision."""
    given = {"kubeconfig": kubeconfig, "pool": "workers", "selector": "node-role.kubernetes.io/worker"}
    planned = run_module(
        rollout_plan.main, {**given, "policy": quick_pool()["policy"], "bundle": publish(kubeconfig, text)}
    )
    for wave in planned["waves"]:
        result = move_wave(client, Plan.from_dict(planned["plan"]), wave, runner="test", progress=lambda _said: None)
    assert result.phase == "Complete"


def play(directory: Path, kubeconfig: str) -> subprocess.CompletedProcess[str]:
    """Run all examples as one playbook, beside the files that they name."""
    for name, text in (
        ("files/kubelet.yaml", TEXT),
        ("layers/base.yaml", HEAD + "containerLogMaxSize: 20Mi\n"),
        ("layers/workers.yaml", TEXT),
    ):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    plays = [
        {"name": module, "hosts": "localhost", "gather_facts": False, "tasks": examples(module)} for module in MODULES
    ]
    (directory / "examples.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    return subprocess.run(
        [str(Path(sys.prefix) / "bin/ansible-playbook"), "--check", "--diff", "examples.yml"],
        cwd=directory,
        env={
            **os.environ,
            "KUBECONFIG": kubeconfig,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"),
            "ANSIBLE_HOME": str(directory / ".ansible"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            "ANSIBLE_PIPELINING": "true",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
