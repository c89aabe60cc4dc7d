# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of modules and filters run as they stand, in the order in which a user comes to them, in check mode."""

from __future__ import annotations

import importlib
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
from support.playbooks import HEAD, ROOT, PlaybookRun, finish, quick_pool, start
from support.simulated_nodes import SimulatedNodes

WORKER = {"node-role.kubernetes.io/worker": ""}
TEXT = HEAD + "maxPods: 60\n"
# What one registers, those after it use.
PLUGINS = (
    "modules.cluster_access",
    "modules.agent_archive",
    "filter.local_fields",
    "modules.component_config",
    "modules.config_bundle",
    "modules.config_source",
    "modules.config_status_info",
    "modules.rollout_plan",
    "modules.rollout_wave",
)


def examples(plugin: str) -> list[dict[str, Any]]:
    found = importlib.import_module(f"ansible_collections.configok.node.plugins.{plugin}")
    tasks: list[dict[str, Any]] = yaml.safe_load(found.EXAMPLES)
    return tasks


def test_every_plugin_is_here() -> None:
    found = {
        f"{kind}.{path.stem}" for kind in ("modules", "filter") for path in (ROOT / "plugins" / kind).glob("[a-z]*.py")
    }
    assert found == set(PLUGINS)


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
    assert done.code == 0, done.output
    assert "failed=0" in done.output


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


def play(directory: Path, kubeconfig: str) -> PlaybookRun:
    """Run all examples as one playbook, beside the files that they name."""
    for name, text in (
        ("files/kubelet.yaml", TEXT),
        ("layers/base.yaml", HEAD + "containerLogMaxSize: 20Mi\n"),
        ("layers/workers.yaml", TEXT),
    ):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    plays = [
        {"name": plugin, "hosts": "localhost", "gather_facts": False, "tasks": examples(plugin)} for plugin in PLUGINS
    ]
    (directory / "examples.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    return finish(start(["--check", "--diff", "examples.yml"], directory=directory, kubeconfig=kubeconfig))
