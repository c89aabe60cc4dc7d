#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan a rollout."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_plan
short_description: Plan how a pool moves to a bundle
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads the Nodes and the record of a pool, and returns the order in which they would move to a bundle. Changes
    nothing.
  - An unfinished rollout keeps its plan; the plan then has the rest of it.
  - RV(refusals) lists why the rollout must not start; nothing may be moved unless it is empty.
  - Other pools with some of the same Nodes are returned with these Nodes.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.info_module
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
options:
  pool:
    description:
      - The name of the pool.
    type: str
    required: true
  selector:
    description:
      - The label selector of its Nodes.
    type: str
    required: true
  policy:
    description:
      - The policy of the pool, as in its pool file. A missing key has its default.
      - C(canary) (C(count), C(cover), C(labels), C(soak)), C(waves), C(soak), C(maxUnavailable), C(failureBudget),
        C(nodeTimeout), C(onFailure), C(restartDelay), C(timeToCrash), C(healthTimeout).
    type: dict
    default: {}
  bundle:
    description:
      - The bundle to move to, as M(configok.node.config_bundle) returns it. In check mode it need not be published.
    type: dict
    suboptions:
      namespace:
        description: The namespace of the ConfigMap.
        type: str
        required: true
      name:
        description: The name of the ConfigMap.
        type: str
        required: true
      uid:
        description: The uid of the ConfigMap, empty if it is not published.
        type: str
        required: true
      content_hash:
        description: The SHA-256 of the content.
        type: str
        required: true
      components:
        description: The components it holds a config for.
        type: list
        elements: str
        required: true
      trial:
        description: The trial, as JSON.
        type: str
  undo:
    description:
      - Plan for the last earlier revision whose rollout was completed, or for the init config.
    type: bool
    default: false
  to_revision:
    description:
      - Plan for this revision of the pool. V(0) is the init config.
    type: int
seealso:
  - module: configok.node.config_bundle
  - module: configok.node.rollout_wave
"""

EXAMPLES = r"""
- name: Plan
  configok.node.rollout_plan:
    pool: workers
    selector: node-role.kubernetes.io/worker
    bundle: "{{ published.bundle }}"
    policy:
      canary: {count: 3, cover: [kubeletVersion, zone], soak: 10m}
      waves: [10%, 30%, 100%]
  register: planned

- name: Show it
  ansible.builtin.debug:
    msg: "{{ planned.text }}"

- name: Plan the undo
  configok.node.rollout_plan:
    pool: workers
    selector: node-role.kubernetes.io/worker
    undo: true
  register: planned_undo
"""

RETURN = r"""
plan:
  description: The plan, as M(configok.node.rollout_wave) takes it.
  returned: success
  type: dict
  contains:
    pool:
      description: The pool.
      type: str
      sample: workers
    revision:
      description: The revision it moves to, 0 for the init config.
      type: int
      sample: 2
    target:
      description: The bundle it moves to.
      type: dict
      sample: {name: workers-0a1b2c3d4e}
    waves:
      description: The waves in order, each with C(name), C(nodes), C(soak) in seconds, and whether it is C(finished).
      type: list
      elements: dict
      sample: [{name: canary, nodes: [node-1, node-5], soak: 660.0, finished: false}]
    size:
      description: The number of Nodes in the pool, the fixed base of percentages.
      type: int
      sample: 8
    selector:
      description: The label selector.
      type: str
      sample: node-role.kubernetes.io/worker
    already:
      description: The Nodes that already use it.
      type: list
      elements: str
      sample: []
    left_out:
      description: The Nodes that are not moved, each with C(node) and C(reason).
      type: list
      elements: dict
      sample: [{node: node-7, reason: no agent has ever reported from it}]
    uncovered:
      description: The combinations that the canary does not cover.
      type: list
      elements: str
      sample: ["kubeletVersion=v1.34.5 zone=c"]
    gone:
      description: The Nodes of an unfinished rollout that have vanished.
      type: list
      elements: str
      sample: []
    max_unavailable:
      description: The limit of Nodes that are unavailable at a time.
      type: int
      sample: 1
    failure_budget:
      description: How many Nodes may fail before the rollout halts.
      type: int
      sample: 1
    node_timeout:
      description: The time within which a Node must answer, in seconds.
      type: float
      sample: 300.0
    on_failure:
      description: V(halt) or V(rollback).
      type: str
      sample: halt
    refusals:
      description: Why the rollout must not start, one sentence each.
      type: list
      elements: str
      sample: []
    warnings:
      description: The warnings to read before the rollout, one sentence each.
      type: list
      elements: str
      sample: []
    estimate:
      description: The expected duration, in seconds.
      type: float
      sample: 1200.0
    running:
      description: Whether this resumes an unfinished rollout.
      type: bool
      sample: false
    passed:
      description: Whether Nodes have already passed with the target.
      type: bool
      sample: false
    changes:
      description: Whether any work is left.
      type: bool
      sample: true
refusals:
  description: Why the rollout must not start, one sentence each.
  returned: success
  type: list
  elements: str
  sample: []
waves:
  description: The names of the remaining waves, in order.
  returned: success
  type: list
  elements: str
  sample: [canary, wave 1, wave 2]
field_changes:
  description:
    - The fields that O(undo) or O(to_revision) changes on the nodes, each with C(component), C(path), C(before),
      C(after), what that requires of a node, and the C(nodes). Nodes whose present values are unknown are left out.
  returned: success
  type: list
  elements: dict
  sample: [{component: kubelet, path: maxPods, before: "60", after: "110", disruption: restart, nodes: [node-1]}]
overlaps:
  description: The other pools that have some of these Nodes as well, as far as they were rolled out.
  returned: success
  type: list
  elements: dict
  contains:
    pool:
      description: The name of the other pool.
      type: str
      sample: gpu
    nodes:
      description: The Nodes that belong to both pools.
      type: list
      elements: str
      sample: [node-7]
text:
  description: The plan as human-readable lines.
  returned: success
  type: list
  elements: str
  sample: ["Pool workers: 8 nodes, to revision 2 (workers-0a1b2c3d4e)"]
"""

from dataclasses import replace
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._ansible._pool_rollout import plan
from ansible_collections.configok.node.plugins.module_utils._ansible._release_changes import field_changes
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize_all
from ansible_collections.configok.node.plugins.module_utils._rollout._node_access import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Target
from ansible_collections.configok.node.plugins.module_utils._rollout._policy import parse_policy
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._rollout._rendering import render_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._revisions import find_undo_revision, read_target


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    bundle: dict[str, Any] = {
        **{key: {"type": "str", "required": True} for key in ("namespace", "name", "uid", "content_hash")},
        "components": {"type": "list", "elements": "str", "required": True},
        "trial": {"type": "str"},
    }
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "selector": {"type": "str", "required": True},
        "policy": {"type": "dict", "default": {}},
        "bundle": {"type": "dict", "options": bundle},
        "undo": {"type": "bool", "default": False},
        "to_revision": {"type": "int"},
    }


def target_of(client: Client, params: dict[str, Any], record: Record) -> Target:
    """Return the target of the rollout. Raises RolloutError, InvalidTrial, KubeError."""
    if params["bundle"]:
        return Target.from_dict(params["bundle"])
    return read_target(client, find_undo_revision(record, params["to_revision"]))


def main() -> None:
    """Plan the rollout."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        mutually_exclusive=[("bundle", "to_revision")],
        required_if=[("undo", False, ["bundle", "to_revision"], True)],
        supports_check_mode=True,
    )
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        record = read_record(client, params["pool"])
        target = target_of(client, params, record)
        named = parse_pool({"pool": params["pool"], "selector": params["selector"]})
        pool = replace(named, policy=parse_policy(params["policy"], trial=target.trial))
        views = list_nodes(client, selector=pool.selector)
        planned, overlaps, undo = plan(client, pool, target, record, views, groups=() if params["bundle"] else None)
        module.exit_json(
            changed=False,
            plan=planned.to_dict(),
            refusals=sanitize_all(planned.refusals),
            waves=[wave.name for wave in planned.waves if not wave.finished],
            overlaps=sanitize_all([{"pool": overlap.pool, "nodes": [*overlap.nodes]} for overlap in overlaps or ()]),
            field_changes=[] if undo is None else sanitize_all(field_changes(undo.changes)),
            text=sanitize_all([*([] if undo is None else undo.lines), *render_plan(planned)]),
        )


if __name__ == "__main__":
    main()
