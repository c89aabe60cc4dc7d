#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin machines."""

from __future__ import annotations

DOCUMENTATION = r"""
module: machines
short_description: Make Nodes what their Machines declare
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads Machines from files, compares them with the Nodes of their cluster, and makes them true. It creates a Node of
    a host, changes the versions of kubelet and container runtime, replaces and deletes machines, and sets labels,
    taints and config sources. The playbook C(configok.node.machines) is this task.
  - The provider of a machine, which is a role, changes its host in a process of its own, with the inventory and the
    connection options of this run.
  - The changes are rolled out with a canary, waves, gates and a failure budget, as configs are. A node is drained
    before its host is changed. A change that fails is rolled back on that machine, and halts the rollout if it was the
    canary or exceeds the budget.
  - A plan that cannot succeed is refused before the first machine is changed, for example one that violates the version
    skew of Kubernetes, one that a provider cannot carry out, or a config that the new kubelet would refuse.
  - Can be killed at any time and run again. It resumes an unfinished rollout, and changes nothing if the Nodes are what
    the files declare.
  - The rollout has a record, so C(pause), C(resume), C(abort), C(approve), C(status), C(report), C(history) and
    C(forget) work with the name in O(machine_rollout) as the pool.
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
      - Shows the plan and asks the providers, which change nothing then. The file O(dest) is written.
  diff_mode:
    support: full
    details:
      - Shows, for each machine that changes, what it is and what the files declare.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller, with the C(environment) of its task. It refuses C(become),
        and a C(connection) other than V(local).
options:
  machine_files:
    description:
      - Files with Machines, MachineSets, Clusters and Providers, and directories, of which all files with the suffix
        C(.yml), C(.yaml) or C(.json) are read.
      - Required. By default the variable of this name. Extra variables that look like a misspelt option are then
        refused. The variables with the names of the other options from O(machine_cluster) to O(change_cause) stand in
        for these options too.
    type: list
    elements: path
  machine_cluster:
    description:
      - The name of the Cluster whose Machines are reconciled. By default the only one in the files.
    type: str
  machine_selector:
    description:
      - A label selector. Only Machines with matching labels are reconciled.
    type: str
  machine_rollout:
    description:
      - The name of the record and of the lock. Runs that change different machines at the same time need different
        names. By default V(machines).
    type: str
  machine_preflight:
    description:
      - Ask the providers on all hosts that change, before the first one is changed. A host that cannot be reached stops
        the run then. By default V(true).
    type: bool
  machine_allow_not_judged:
    description:
      - Plan kubelet versions of releases that this version of the collection does not know as a whole. No check can say
        then that the kubelet starts with its config, so the canary is the first to find out. By default V(false), which
        refuses such a plan.
    type: bool
  policy:
    description:
      - How the machines are moved, with the keys of C(policy) in a pool file. C(host.timeout) limits the change of one
        host.
    type: dict
  change_cause:
    description:
      - The reason for the change, for the history.
    type: str
  directory:
    description:
      - The directory to which the paths of O(machine_files), O(dest), O(release_data), C(policy.playbooks) and of the
        playbooks of the provider C(External) are relative. By default the current directory.
    type: path
  dest:
    description:
      - A file on the controller to which the outcome is written as JSON, with the status of each selected Machine. It
        has the keys of the result from RV(pool) to RV(summary), and C(changed).
      - It is also written in check mode, and by a run that fails. It does not count as a change.
    type: path
seealso:
  - module: configok.node.rollout
  - module: configok.node.rollout_control
  - module: configok.node.config_status_info
"""

EXAMPLES = r"""
- name: Make the workers what their Machines declare
  configok.node.machines:
    machine_files: [machines/]
    machine_selector: pool=workers
    policy:
      canary: {count: 1, soak: 5m}
      waves: [25%, 100%]
  register: moved

- name: Show what would change, for all Machines of one cluster
  configok.node.machines:
    machine_files: [machines/]
    machine_cluster: east
    dest: status.json
  check_mode: true
  diff: true
"""

RETURN = r"""
pool:
  description: The name of the record.
  returned: always
  type: str
  sample: machines
revision:
  description: The revision that the machines move to, 0 if there is no plan.
  returned: always
  type: int
  sample: 2
target:
  description: The name of what the files declare; the same for the same content.
  returned: always
  type: str
  sample: machines-0a1b2c3d4e
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
  description: The machines that did not pass, or did not stay.
  returned: always
  type: list
  elements: dict
  contains:
    node:
      description: The name of the Machine and its Node.
      type: str
      sample: worker-2
    kind:
      description: V(failed), V(unknown), V(gone), or V(drifted) (it had passed, then was changed by someone else).
      type: str
      sample: failed
    wave:
      description: The wave in which it was moved.
      type: str
      sample: canary
    reason:
      description: Why.
      type: str
      sample: "kubelet 1.35.0 does not start: it was taken back to 1.34.9"
machines:
  description: The status of each selected Machine, after the run; before it in check mode and if the plan is refused.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The name of the Machine.
      type: str
      sample: worker-1
    phase:
      description: V(Provisioning), V(Running), V(Updating), V(Deleting) or V(Failed).
      type: str
      sample: Running
    nodeRef:
      description: The Node. Null if there is none.
      type: dict
      contains:
        name:
          description: Its name.
          type: str
          sample: worker-1
        uid:
          description: Its uid.
          type: str
          sample: 5c1b2f6e-5a55-4b8e-9f0e-0f6a3c9c7e11
    versions:
      description: The versions that the Machine declares, and those that its Node reports.
      type: dict
      contains:
        desired:
          description: What the Machine declares.
          type: dict
          contains: &versions
            kubelet:
              description: The version of the kubelet. Empty if it is not declared, or not known.
              type: str
              sample: 1.35.0
            containerRuntime:
              description: The container runtime, as C(name) and C(version). Null if it is not declared, or not known.
              type: dict
              sample: {name: containerd, version: 1.7.24}
        observed:
          description: What its Node reports.
          type: dict
          contains: *versions
    config:
      description: The config source that the Machine declares, and the one that its Node is assigned.
      type: dict
      contains:
        desired:
          description: The name of the bundle, or V(init). Empty for a Machine that is to be deleted, or that Cluster
            API owns.
          type: str
          sample: workers-0a1b2c3d4e
        observed:
          description: The name of the bundle, or V(init). Empty without a Node.
          type: str
          sample: init
    configOK:
      description: The status of the condition C(ConfigOK). Empty if the Node does not have it.
      type: str
      sample: "True"
    action:
      description: What a run would do now. V(none), V(create), V(update), V(replace) or V(delete).
      type: str
      sample: update
    reason:
      description: Why it is in this phase, or why the plan is refused. Empty for a healthy machine.
      type: str
      sample: ""
summary:
  description: The state of all selected Machines in numbers, small enough for a workflow.
  returned: always
  type: dict
  contains:
    total:
      description: The number of Machines.
      type: int
      sample: 120
    phases:
      description: The number of Machines in each phase.
      type: dict
      sample: {Provisioning: 0, Running: 119, Updating: 0, Deleting: 0, Failed: 1}
    actions:
      description: The number of Machines for each action.
      type: dict
      sample: {none: 119, create: 0, update: 1, replace: 0, delete: 0}
    attention:
      description: The Machines that are not Running or have a reason, as in RV(machines); at most 100.
      type: list
      elements: dict
      sample: []
text:
  description: The plan as human-readable lines.
  returned: success
  type: list
  elements: str
  sample: ["worker-1   update   kubelet 1.34.9 -> 1.35.0"]
errors:
  description: All errors in the files.
  returned: if the files are invalid
  type: list
  elements: str
  sample: ["machines/a.yaml:4: spec.versions.kubelet: must be a version such as 1.34.9"]
"""
