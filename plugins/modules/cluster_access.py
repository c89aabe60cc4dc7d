#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create or remove the namespaces, RBAC, flow control and admission objects of the collection."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_access
short_description: Allow nodes to read bundles, and a runner to run rollouts
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Creates the namespaces C(configok-system), for bundles, and C(configok-rollouts), for the records and locks
    of rollouts.
  - Allows the nodes, with their own identities, to get ConfigMaps in C(configok-system) and O(bundle_namespaces), and
    nothing else.
  - Keeps existing access if an option is not set. A binding of the collection that refers to another role is deleted
    and created again; a binding that the collection did not create is refused.
  - Creates the ClusterRole and the Roles C(configok-runner), with the permissions that a rollout needs, and binds them
    to O(runner_subjects). The roles C(configok-publisher) and C(configok-assigner) have one half of these permissions
    each, for O(publisher_subjects) and O(assigner_subjects).
  - Needs an identity that may write namespaces and RBAC objects, which a runner may not.
  - An identity that can write Nodes and ConfigMaps in C(configok-system) effectively has root on the nodes. Those that
    can patch C(nodes/status) can write the annotations of all Nodes, too. O(admission) limits both.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - The API server checks the changes with C(dryRun=All), except those in a namespace that does not exist yet.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  state:
    description:
      - V(present) creates and updates the objects. A namespace that exists is used as it is.
      - V(absent) removes the objects that V(present) created, all bundles and records, and the annotations, labels and
        condition of the collection on Nodes. A namespace that existed before stays.
      - V(absent) is refused while a Node is assigned a bundle, unless O(force=true), and while C(configok-system) or
        C(configok-rollouts) holds ConfigMaps of others, unless O(force_namespaces=true). ConfigMaps that controllers
        put into every namespace, such as C(kube-root-ca.crt), do not count; C(default) has those as well.
    type: str
    choices: [present, absent]
    default: present
  runner_subjects:
    description:
      - The subjects that may run rollouts, which publish bundles and assign them to Nodes.
      - By default, existing subjects keep their access; an empty list revokes it.
    type: list
    elements: dict
    suboptions: &pooled
      kind: &kind
        description: The kind of the subject.
        type: str
        choices: [User, Group, ServiceAccount]
        required: true
      name: &name
        description: Its name.
        type: str
        required: true
      namespace: &namespace
        description: The namespace of a ServiceAccount.
        type: str
      pools:
        description:
          - The pools that it is limited to, by the names of their bundles and by O(admission_pool_label) of Nodes.
          - Only O(admission) enforces it; RBAC has no pools. By default, it is not limited.
        type: list
        elements: str
  publisher_subjects:
    description:
      - The subjects that may publish bundles, and not assign them. They may also read the records of rollouts.
      - By default, existing subjects keep their access; an empty list revokes it.
    type: list
    elements: dict
    suboptions: *pooled
  assigner_subjects:
    description:
      - The subjects that may roll out bundles that others have published. They may read bundles, and not create them.
      - By default, existing subjects keep their access; an empty list revokes it.
    type: list
    elements: dict
    suboptions: *pooled
  admission:
    description:
      - Whether the API server refuses writes that no rollout makes, with two C(ValidatingAdmissionPolicies).
      - C(configok-nodes) lets only runners and assigners of the pool of a Node assign configs to it, and change nothing
        else of it but its cordon. O(machine_subjects) also change labels, taints and C(configok.dev/machine). Only the
        node itself writes its C(ConfigOK), its C(config-status) and the labels of
        the collection.
      - C(configok-bundles) lets only runners and publishers of a pool create its bundles, which must have the form of
        bundles and are never changed. In C(configok-system), nothing else is created.
      - The policies contain the names of all subjects. No role of the collection may write them.
      - Kubernetes 1.30 and newer. On an older API server, it is skipped with a warning.
      - Needs an identity that may also write these objects. It gets a warning unless it is one of
        O(break_glass_subjects).
      - By default, it stays as it is, which is V(false) at first.
    type: bool
  admission_pool_label:
    description:
      - The label with the name of the pool of a Node, which limits the runners and assigners of a pool to its Nodes.
      - A node can set its own labels, except those of C(node-restriction.kubernetes.io).
      - By default, it stays as it is, which is V(node-restriction.kubernetes.io/pool) at first.
    type: str
  break_glass_subjects:
    description:
      - The subjects to which the policies of O(admission) do not apply, for emergencies and for O(state=absent).
      - RBAC grants them what they need; this option does not.
      - By default, existing subjects stay; at first, there are none.
    type: list
    elements: dict
    suboptions:
      kind: *kind
      name: *name
      namespace: *namespace
  machine_subjects:
    description:
      - The subjects that may create, change and delete machines with M(configok.node.machines), bound to the roles
        C(configok-machines). It includes what O(assigner_subjects) may do.
      - They also delete Nodes, and let hosts join the cluster. With them, one can become any node, and therefore read
        what pods on any node can read. Give them to no other identity than that of the runs.
      - RBAC cannot limit the creation of Secrets to bootstrap tokens, so that one can create any Secret in
        C(kube-system). The roles cannot read one.
      - The group C(system:bootstrappers:configok), of the bootstrap tokens of new machines, is bound to the role
        C(system:node-bootstrapper) while there are such subjects.
      - By default, existing subjects keep their access; an empty list revokes it.
    type: list
    elements: dict
    suboptions:
      kind: *kind
      name: *name
      namespace: *namespace
  runner_prune:
    description:
      - Whether runners and assigners may also delete ConfigMaps in the namespaces of bundles, so that each complete
        rollout prunes old bundles (C(policy.revisionHistoryLimit) in the pool file).
      - RBAC cannot limit it to old bundles. Without it, run C(configok.node.prune) with another identity.
      - By default, it stays as it is, which is V(false) at first.
    type: bool
  node_configz:
    description:
      - Whether nodes may also read C(nodes/configz), so that an agent whose option C(configz) is set can compare the
        live config with the adopted one.
      - Kubernetes 1.33 and newer. RBAC cannot limit it to a node's own config, so every node may read that of
        every other.
      - By default, it stays as it is, which is V(false) at first.
    type: bool
  control_plane_nodes:
    description:
      - The names of the control-plane nodes whose agents may read C(/metrics) of an API server, to show that it has
        read a file of its options again without a restart. Without it, such a change is made by a restart.
      - The users C(system:node:NAME) are bound, never the group, which has every node.
      - By default, it stays as it is; an empty list revokes the access.
    type: list
    elements: str
  bundle_namespaces:
    description:
      - Further namespaces for bundles, in addition to C(configok-system). Each is created if it does not exist; nodes
        read bundles there, and runners publish them.
      - A node takes bundles from one namespace, which C(node_namespace) of the role C(configok.node.node) names.
      - By default, those of earlier runs stay; namespaces that a list omits lose the access.
      - These namespaces are never deleted, not even by O(state=absent), which removes the bundles in them.
    type: list
    elements: str
  flow_control:
    description:
      - Whether the API server limits the requests of agents and runners on their own, so that a rollout to many nodes
        and other clients do not delay each other.
      - V(true) creates a C(FlowSchema) and a C(PriorityLevelConfiguration) C(configok-agents), for the bundles that
        nodes read, and a pair C(configok-runner), for all that the roles of O(runner_subjects),
        O(publisher_subjects) and O(assigner_subjects) permit. What a subject does with the same permissions outside of
        rollouts is limited too, so give runners an identity of their own.
      - Needs an identity that may also write these objects. The newest version of their API that the server has is
        used, from Kubernetes 1.20 on.
      - By default, it stays as it is, which is V(false) at first.
    type: bool
  force:
    description:
      - With O(state=absent), remove even if Nodes are assigned bundles.
      - Agents that still run keep their config, and report C(assignment lost).
    type: bool
    default: false
  force_namespaces:
    description:
      - With O(state=absent), delete the namespaces even if they hold ConfigMaps of others, which are deleted too.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Prepare a cluster, and allow AWX to run rollouts
  configok.node.cluster_access:
    runner_subjects:
      - kind: ServiceAccount
        namespace: awx
        name: rollouts

- name: Also limit what agents and runners ask of the API server at a time
  configok.node.cluster_access:
    flow_control: true

- name: Let reviewers publish, and the pipeline of a pool assign what they have published
  configok.node.cluster_access:
    publisher_subjects:
      - kind: Group
        name: config-reviewers
    assigner_subjects:
      - kind: ServiceAccount
        namespace: awx
        name: rollouts-workers
        pools: [workers]
    admission: true
    break_glass_subjects:
      - kind: Group
        name: system:masters

- name: Allow a pipeline to create, change and delete machines
  configok.node.cluster_access:
    machine_subjects:
      - kind: ServiceAccount
        namespace: awx
        name: machines

- name: Remove everything again
  configok.node.cluster_access:
    state: absent
"""

RETURN = r"""
objects:
  description: The objects that were changed, in that order.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: The kind.
      type: str
      sample: Role
    namespace:
      description: The namespace, empty for an object that has none.
      type: str
      sample: configok-system
    name:
      description: The name.
      type: str
      sample: configok-nodes
    change:
      description: V(created), V(recreated), V(changed) or V(deleted).
      type: str
      sample: created
admission:
  description:
    - Whether admission policies are in force. V(unsupported) on an API server without them, V(unknown) if this identity
      may not read them.
  returned: success
  type: str
  sample: enabled
holders:
  description:
    - The identities that RBAC lets write C(nodes) or C(nodes/status), or create ConfigMaps in namespaces of bundles,
      whatever they have these permissions for, at most 100 for each permission. With O(admission), also those that can
      change the policies.
    - Without O(admission), a warning names those that are not subjects of this module.
    - The group C(system:masters), which RBAC does not limit, and the controllers of Kubernetes itself are left out.
      Empty with O(state=absent), and, with a warning, if this identity may not list roles and bindings.
  returned: success
  type: list
  elements: dict
  contains:
    permission:
      description: The permission.
      type: str
      sample: patch or update nodes/status
    kind:
      description: The kind of the subject.
      type: str
      sample: ServiceAccount
    namespace:
      description: The namespace of a ServiceAccount, else empty.
      type: str
      sample: kube-system
    name:
      description: The name of the subject.
      type: str
      sample: cni
    binding:
      description: A binding that grants the permission.
      type: str
      sample: ClusterRoleBinding cni
    role:
      description: The role that it binds.
      type: str
      sample: ClusterRole cni
    only_objects:
      description: The names of the only objects that the permission is for; empty for all objects.
      type: list
      elements: str
cleaned_nodes:
  description: The names of the Nodes from which annotations, labels and condition were removed.
  returned: success
  type: list
  elements: str
  sample: [node-1]
"""

from dataclasses import fields
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._cluster.access import (
    Access,
    apply_change,
    describe_steps,
    diff_steps,
    plan_removal,
    plan_setup,
)
from ansible_collections.configok.node.plugins.module_utils._cluster.holders import HolderReport, read_holders
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

_ACCESS_OPTIONS = tuple(field.name for field in fields(Access))


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    subject = {
        "kind": {"type": "str", "choices": ["User", "Group", "ServiceAccount"], "required": True},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str"},
    }
    needs_namespace = [("kind", "ServiceAccount", ["namespace"])]
    subjects: dict[str, Any] = {"type": "list", "elements": "dict", "options": subject, "required_if": needs_namespace}
    pooled = {**subjects, "options": {**subject, "pools": {"type": "list", "elements": "str"}}}
    return {
        **KUBE_ARGUMENT_SPEC,
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "runner_subjects": pooled,
        "publisher_subjects": pooled,
        "assigner_subjects": pooled,
        "admission": {"type": "bool"},
        "admission_pool_label": {"type": "str"},
        "break_glass_subjects": subjects,
        "machine_subjects": subjects,
        "runner_prune": {"type": "bool"},
        "node_configz": {"type": "bool"},
        "control_plane_nodes": {"type": "list", "elements": "str"},
        "bundle_namespaces": {"type": "list", "elements": "str"},
        "flow_control": {"type": "bool"},
        "force": {"type": "bool", "default": False},
        "force_namespaces": {"type": "bool", "default": False},
    }


def main() -> None:
    """Create or remove the access."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        if params["state"] == "present":
            access = Access(**{option: params[option] for option in _ACCESS_OPTIONS})
            change = plan_setup(client, access)
        else:
            change = plan_removal(client, force=params["force"], force_namespaces=params["force_namespaces"])
        apply_change(client, change, workers=params["connections"], dry_run=module.check_mode)
        report = HolderReport()
        if params["state"] == "present":
            report = read_holders(client, change.bundle_namespaces, has_policies=change.admission == "enabled")
        result: dict[str, Any] = {
            "objects": describe_steps(change.steps),
            "admission": change.admission,
            "holders": [holder.describe() for holder in report.holders],
            "cleaned_nodes": list(change.nodes),
        }
        if module._diff:
            result["diff"] = diff_steps(change.steps, change.nodes)
        for warning in sanitize_all([*change.warnings, *report.warnings]):
            module.warn(warning)
        module.exit_json(changed=bool(change.steps or change.nodes), **sanitize_all(result))


if __name__ == "__main__":
    main()
