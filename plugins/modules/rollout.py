#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin rollout."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout
short_description: Roll out the config of a pool, undo a rollout, or bring late nodes up to date
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Takes a pool as its file describes it. Validates and publishes the config, plans a canary and waves, and moves the
    nodes through the gate, at most C(maxUnavailable) at a time. The playbook C(configok.node.rollout) is this task.
  - More failures than the budget halt the rollout, and a node without a verdict pauses it. In both cases this task
    fails, and RV(phase) is V(Halted) or V(Paused). Nothing more is assigned then. A rollout that no node has passed
    fails too, as V(Unproven).
  - Can be killed at any time and run again. It resumes an unfinished rollout, and changes nothing in a pool that is
    already up to date.
  - A bundle that nodes of the pool would refuse as untrusted is not rolled out, and a new one is not published. A
    single node that would refuse it is left out. The plan shows who signed it.
  - Shows the plan before it starts, a line whenever something changes, and a table at the end, also in the log of AWX
    and Automation Controller.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.release_data
  - configok.node.run
  - configok.node.attributes
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - Shows the plan. The API server validates the bundle (C(dryRun=All)), and nothing is changed.
  diff_mode:
    support: full
    details:
      - The config of the pool's last complete rollout, and the new one. For V(undo) and V(reconcile), the config that
        most of the nodes to move use now, and the one that they move to.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller, with the C(environment) of its task. It refuses C(become),
        and a C(connection) other than V(local).
options:
  pool:
    description:
      - The pool, with the keys of a pool file.
      - By default, the variables of the play with these names, as C(-e @pool.yml) sets them. Extra variables that look
        like a misspelt key are then refused.
      - The cluster is that of O(kubeconfig) and O(context), whatever variables the play has.
    type: dict
  operation:
    description:
      - V(rollout) publishes the config of the pool file, and moves the pool to it.
      - V(undo) moves the pool back to an earlier revision, through the same gate.
      - V(reconcile) moves nodes that are not on the config of the pool's last rollout, for example nodes that arrived
        later.
    type: str
    choices: [rollout, undo, reconcile]
    default: rollout
  to_revision:
    description:
      - The revision that V(undo) moves the pool to; V(0) is the init config.
      - By default the last completed revision before the present one, or the init config.
    type: int
  component:
    description:
      - The component that the C(layers) of the pool configure.
    type: str
    default: kubelet
  directory:
    description:
      - The directory to which O(release_data) and the paths of C(layers), C(policy.playbooks) and
        C(policy.reboot.playbook) are relative. By default the current directory.
    type: path
  signing_passphrase:
    description:
      - The passphrase of C(signing.key) of the pool, if it is encrypted. Better, add the key to C(ssh-agent).
      - The playbook takes it from the variable C(signing_passphrase).
    type: str
seealso:
  - module: configok.node.config_signature
  - module: configok.node.rollout_control
  - module: configok.node.rollout_forget
  - module: configok.node.config_status_info
"""

EXAMPLES = r"""
- name: Roll out the config of a pool
  configok.node.rollout:
    pool:
      pool: workers
      selector: node-role.kubernetes.io/worker
      layers: [layers/base.yaml]
      policy:
        canary: {count: 3, soak: 11m}
        waves: [10%, 30%, 100%]
  register: moved

- name: Bring nodes that arrived later up to date
  configok.node.rollout:
    operation: reconcile
    pool:
      pool: workers
      selector: node-role.kubernetes.io/worker

- name: Take the pool back to its init config
  configok.node.rollout:
    operation: undo
    to_revision: 0
    pool:
      pool: workers
      selector: node-role.kubernetes.io/worker
"""

RETURN = r"""
pool:
  description: The pool.
  returned: always
  type: str
  sample: workers
revision:
  description: The revision that the pool moves to, 0 for the init config, or if there is no plan.
  returned: always
  type: int
  sample: 2
target:
  description: The name of its bundle.
  returned: always
  type: str
  sample: workers-0a1b2c3d4e
phase:
  description:
    - The phase of the rollout now, for example V(Complete), V(Paused) or V(Halted). V(Planned) in check mode.
    - V(Error) if the run had no outcome, because it was refused or interrupted, or lost its lock or the API server.
  returned: always
  type: str
  sample: Complete
reason:
  description:
    - Why it was halted or paused, or what the error is. If it is complete, which nodes are not on the target; empty if
      all are.
  returned: always
  type: str
  sample: ""
exceptions:
  description: The nodes of the rollout that did not pass, or did not stay.
  returned: always
  type: list
  elements: dict
  contains:
    node:
      description: The name of the Node.
      type: str
      sample: node-2
    kind:
      description: V(failed), V(unknown), V(gone), or V(drifted) (it had passed, then was assigned another config).
      type: str
      sample: failed
    wave:
      description: The wave in which it was moved.
      type: str
      sample: canary
    reason:
      description: Why, in the agent's own words if it reported a reason.
      type: str
      sample: "ConfigOK is False: using last-known-good (init): current (UID: 5f1c7f1e) crashed 4 times"
field_changes:
  description:
    - The fields that change on the nodes, each with C(component), C(path), C(before), C(after), what that requires of a
      node, and the C(nodes). Nodes whose present values are unknown are left out.
  returned: success
  type: list
  elements: dict
  sample: [{component: kubelet, path: maxPods, before: "60", after: "110", disruption: restart, nodes: [node-1]}]
text:
  description: The changes and the plan as human-readable lines.
  returned: success
  type: list
  elements: str
  sample: ["Pool workers: 8 nodes, to revision 2 (workers-0a1b2c3d4e)"]
plan:
  description: The plan as data.
  returned: success
  type: dict
  contains:
    waves:
      description:
        - The waves in order, each with C(name), C(nodes), C(soak) in seconds, and whether an earlier run has
          C(finished) it.
      type: list
      elements: dict
      sample: [{name: canary, nodes: [node-1, node-5], soak: 660.0, finished: false}]
    already_on_target:
      description: The Nodes that already use the config.
      type: list
      elements: str
      sample: []
    skipped:
      description: The Nodes that are not moved, each with C(node) and C(reason).
      type: list
      elements: dict
      sample: [{node: node-7, reason: no agent has ever reported from it}]
    to_drain:
      description: The Nodes that the change requires to be drained.
      type: list
      elements: str
      sample: []
    to_reboot:
      description: The Nodes that the change requires to be rebooted.
      type: list
      elements: str
      sample: []
    warnings:
      description: What to read before the rollout, one sentence each.
      type: list
      elements: str
      sample: []
    overlaps:
      description:
        - The other pools that have some of these Nodes, each with C(pool) and C(nodes). Null if they cannot be read.
      type: list
      elements: dict
      sample: [{pool: gpus, nodes: [node-3]}]
    estimate:
      description: The expected duration, in seconds.
      type: float
      sample: 1200.0
    api_servers:
      description: The other API servers, which are asked while the one of the kubeconfig does not answer.
      type: list
      elements: str
      sample: ["https://192.0.2.12:6443"]
    trust:
      description:
        - The statement of the bundle with its C(sequence), C(floor) and C(not_after), V(0) and empty without one. The
          C(signers) that nodes of the pool trust, each with C(fingerprint), C(name), C(authority) and C(valid_until).
          The fingerprint of the key that will sign, as C(pending), in check mode.
      type: dict
      sample: {sequence: 4, floor: 2, not_after: "", signers: [{fingerprint: "SHA256:Ud3f", name: alice}], pending: ""}
findings:
  description:
    - All findings in a config that was refused. C(nodes) has at most 20 names of the nodes for which a finding holds,
      and C(node_count) their number.
  returned: if the config is refused
  type: list
  elements: dict
  sample: [{component: kubelet, path: maxPods, message: must be >= 0}]
"""
