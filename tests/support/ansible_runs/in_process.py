# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the playbook rollout in this process, without Ansible's overhead of seconds."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._operations._pool.pool_rollout import PoolRollout
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import RunOptions
from ansible_collections.configok.node.plugins.modules import config_bundle
from support.ansible_runs.modules import run_module
from support.ansible_runs.playbooks import quick_pool

__all__ = ["document_pool", "publish", "roll_out"]


def document_pool(text: str, **changes: Any) -> dict[str, Any]:
    """Return a quick pool with this kubelet config instead of layers."""
    pool = {**quick_pool(), "documents": {"kubelet": text}}
    del pool["layers"]
    return {**pool, **changes}


def publish(kubeconfig: str, text: str, **trial: Any) -> Any:
    """Publish a kubelet config for the pool workers; return the bundle."""
    arguments = {"kubeconfig": kubeconfig, "pool": "workers", "documents": {"kubelet": text}, **trial}
    return run_module(config_bundle.main, arguments)["bundle"]


def roll_out(client: Client, text: str, **changes: Any) -> None:
    """Publish a kubelet config and roll it out to the pool workers; changes: keys of the pool file."""
    pool = parse_pool(document_pool(text, **changes))
    with PoolRollout(client, pool, RunOptions("test", lambda _progress: None)) as rollout:
        release = rollout.prepare("kubelet", "", "")
        results = rollout.run(rollout.plan(release))
    assert results[-1].phase == "Complete"
