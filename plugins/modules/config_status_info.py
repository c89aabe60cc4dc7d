#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the config status of nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: config_status_info
short_description: Gather the config status of nodes
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Returns, for each Node, the condition C(ConfigOK), its assigned, active and last-known-good config, and the reason.
  - With O(pool), also the state of the pool's rollout. If its runner may be dead, this takes as long as the lock of
    the pool holds, 15 seconds by default.
  - Only reads from the API server. The nodes themselves are not contacted.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.nodes
  - configok.node.attributes
  - configok.node.attributes.info_module
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
options:
  pool:
    description:
      - The name of the pool whose record is read. O(label_selector) should be the pool's.
      - A pool without a record has never been rolled out, which is not an error.
    type: str
  wait_for:
    description:
      - Wait until ConfigOK of each of these Nodes has this status.
      - Fails with the report of a Node that does not have it after O(wait_timeout), and at once if a Node has reported
        the same V(False) for 30 seconds. V(Unknown) is the status of a Node whose dynamic config is turned off.
    type: str
    choices: ["True", Unknown]
  wait_timeout:
    description:
      - How many seconds to wait.
    type: int
    default: 120
seealso:
  - module: configok.node.config_source
  - module: configok.node.rollout
"""

EXAMPLES = r"""
- name: Read the status of the workers
  configok.node.config_status_info:
    label_selector: node-role.kubernetes.io/worker
  register: status

- name: Show the reasons, then all nodes
  configok.node.show:
    lines: "{{ status.text }}"

- name: Fail unless every worker is fine
  ansible.builtin.assert:
    that: status.not_fine | length == 0
"""

RETURN = r"""
nodes:
  description: The Nodes, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The name of the Node.
      type: str
      sample: node-1
    uid:
      description: The uid of the Node.
      type: str
      sample: 9d0e2a0e-5c0f-4e37-9a7e-2f1f1f0d8f11
    state:
      description:
        - V(ok), V(trial), V(pending) (not answered yet), V(failed), V(unknown) or V(no agent).
        - With O(pool) also V(drifted), for a node that had passed in the rollout and was assigned another config since.
      type: str
      sample: ok
    ready:
      description: Whether the Node is Ready.
      type: bool
      sample: true
    kubelet_version:
      description: The version of the kubelet.
      type: str
      sample: v1.35.2
    labels:
      description: The labels of the Node.
      type: dict
      sample: {topology.kubernetes.io/zone: a}
    config_source:
      description: The assigned config source, null for the init config.
      type: dict
      sample:
        configMap: {namespace: configok-system, name: workers-0a1b2c3d4e, uid: 5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11}
    config_source_error:
      description: The error in the assigned config source, empty if it has none.
      type: str
      sample: ""
    assignment:
      description: The id of the assignment, 0 for none.
      type: int
      sample: 3
    answered:
      description: The id of the assignment that the node's status answers, 0 for none.
      type: int
      sample: 3
    config_ok:
      description: The condition C(ConfigOK).
      type: dict
      contains:
        status:
          description: V(True), V(False), V(Unknown), or empty if the Node has no such condition.
          type: str
          sample: "True"
        reason:
          description: The cause.
          type: str
          sample: all checks passed
        message:
          description: The effect.
          type: str
          sample: "using current (UID: 5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11)"
    cause:
      description: The cause in one CamelCase word, for machines.
      type: str
      sample: Good
    assigned:
      description: The config source that was assigned when the node wrote its status, null for the init config.
      type: dict
      sample: null
    active:
      description: The config source that the node uses, null for its local config.
      type: dict
      sample: null
    last_known_good:
      description: The config source that the node would roll back to, null for its local config.
      type: dict
      sample: null
    in_trial:
      description: Whether the config is in its trial.
      type: bool
      sample: false
    components:
      description:
        - By component, its C(version), C(state), the hash of its C(config), and a human-readable C(note).
        - C(shadowed) lists the fields of that config that a flag or a drop-in overrides, each with its origin.
      type: dict
      sample:
        kubelet: {version: v1.35.2, state: healthy, config: 0a1b2c3d4e, note: "", shadowed: [maxPods (--max-pods)]}
    agent_version:
      description: The version of the agent.
      type: str
      sample: 0.1.0
    trust:
      description:
        - Which bundles the node trusts, and who vouches for the one that it uses. Null while it verifies none.
        - C(mode) is V(warn) or V(require), or empty if the policy has errors. C(floors) has the lowest sequence that it
          accepts, by pool. C(signers) are those of its bundle when it was adopted. C(problem) says why the bundle is
          not trusted, or why the node can verify none.
      type: dict
      sample:
        mode: require
        floors: {workers: 3}
        signers: [{fingerprint: "SHA256:Ud3fPDtTQwfpfMUYVpWmA7ZHlxjcaUsDL4cNBNTGCFQ", name: alice@example.org}]
        problem: ""
not_fine:
  description: The Nodes that are not fine, each with C(node), C(state) and, in the agent's own words, C(reason).
  returned: success
  type: list
  elements: dict
  sample:
    - node: node-2
      state: failed
      reason: "ConfigOK is False: using last-known-good (init): current (UID: 5f1c7f1e) crashed 4 times"
kubelet_versions:
  description: The versions of the kubelets of these Nodes, each once.
  returned: success
  type: list
  elements: str
  sample: [v1.34.5, v1.35.2]
pool:
  description:
    - The state of the pool's rollout. C(revision), C(target) and C(phase), C(waves), nodes C(by_state) and
      C(by_config), and C(exceptions), the nodes that did not pass.
    - C(moved_by) is the runner that moves nodes now, or waits while the rollout is paused. It is empty if a rollout has
      not ended and has no runner, and null if no rollout is under way.
    - C(requested) is what is requested of the rollout, such as a pause, with author, time and reason; C(approved) lists
      the approved waves. C(ignored_requests) has a sentence for each value in the record that is not understood.
    - C(refused) lists the configs that failed in this pool, C(forgotten) those that an operator has cleared.
  returned: success, and O(pool) is given
  type: dict
  sample: {pool: workers, revision: 2, target: workers-0a1b2c3d4e, phase: Complete}
history:
  description: The revisions of the pool, the newest first.
  returned: success, and O(pool) is given
  type: list
  elements: dict
  sample: [{number: 2, name: workers-0a1b2c3d4e, result: Complete, cause: more pods, current: true}]
text:
  description: The same as human-readable lines, reasons first, then a table.
  returned: success
  type: list
  elements: str
  sample:
    - NAME     CONFIGOK   STATE   CONFIG               ASSIGNMENT   KUBELET
    - node-1   True       ok      workers-0a1b2c3d4e   3            v1.35.2
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.awaited_reports import await_reports
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import (
    NODES_ARGUMENT_SPEC,
    select_nodes,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    node_facts,
    node_state,
    pool_status,
    render_status,
    revision_history,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import current_holder
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        **NODES_ARGUMENT_SPEC,
        "pool": {"type": "str"},
        "wait_for": {"type": "str", "choices": ["True", "Unknown"]},
        "wait_timeout": {"type": "int", "default": 120},
    }


def _read_nodes(client: Client, params: Mapping[str, Any]) -> Sequence[NodeView]:
    """Return the Nodes, with wait_for as soon as they report as expected. Raises RolloutError, KubeError."""

    def read() -> Sequence[NodeView]:
        return select_nodes(client, params["nodes"], params["label_selector"])

    if params["wait_for"] is None:
        return read()
    return await_reports(read, params["wait_for"], params["wait_timeout"], Clock())


def main() -> None:
    """Report the status of the nodes and the pool."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        mutually_exclusive=[("nodes", "label_selector")],
        supports_check_mode=True,
    )
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        views = _read_nodes(client, params)
        record = read_record(client, params["pool"]) if params["pool"] else Record("")
        is_open = record.rollout is not None and not record.rollout.has_ended
        moved_by = current_holder(client, params["pool"], Clock()) if is_open else None
        status = pool_status(record, views, moved_by=moved_by)
        states = {node["node"]: node["state"] for node in status["not_fine"]}
        result: dict[str, Any] = {
            "nodes": [{**node_facts(view), "state": states.get(view.name) or node_state(view)} for view in views],
            "not_fine": status["not_fine"],
            "kubelet_versions": sorted({view.system.kubelet_version for view in views if view.system.kubelet_version}),
            "text": render_status(status if params["pool"] else None, views, status["not_fine"]),
        }
        if params["pool"]:
            result.update(pool=status, history=revision_history(record))
        module.exit_json(changed=False, **sanitize_all(result))


if __name__ == "__main__":
    main()
