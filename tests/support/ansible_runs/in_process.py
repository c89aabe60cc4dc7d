# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the steps of the playbook rollout in this process, without Ansible's overhead of seconds."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Plan
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_file import Pool
from ansible_collections.configok.node.plugins.module_utils._rollout._run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._runner import PoolRunner
from ansible_collections.configok.node.plugins.modules import config_bundle, rollout_plan
from support.ansible_runs.modules import run_module
from support.ansible_runs.playbooks import quick_pool

__all__ = ["publish", "roll_out"]


def publish(kubeconfig: str, text: str, **trial: Any) -> Any:
    """Publish a kubelet config for the pool workers; return the bundle."""
    arguments = {"kubeconfig": kubeconfig, "pool": "workers", "documents": {"kubelet": text}, **trial}
    return run_module(config_bundle.main, arguments)["bundle"]


def roll_out(client: Client, kubeconfig: str, text: str, *, selector: str = "pool=workers", **trial: Any) -> None:
    """Publish a kubelet config and roll it out to the pool workers."""
    arguments = {"kubeconfig": kubeconfig, "pool": "workers", "selector": selector, "policy": quick_pool()["policy"]}
    planned = run_module(rollout_plan.main, {**arguments, "bundle": publish(kubeconfig, text, **trial)})
    plan = Plan.from_dict(planned["plan"])
    pool = Pool(plan.pool, plan.selector)
    with PoolRunner(client, pool, RunOptions("test", lambda _progress: None)) as runner:
        results = runner.run(plan)
    assert results[-1].phase == "Complete"
