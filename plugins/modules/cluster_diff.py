#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the machines of two clusters, or of a cluster and files."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_diff
short_description: Compare the machines of two clusters, or of a cluster and files of Machines
version_added: 0.1.0
description:
  - Compares kubelet and container runtime versions, the effective config of each component field by field with what the
    difference requires of a node, labels, and taints.
  - Each side is a cluster with its live Nodes, or files of Machines. Counterparts have the same name, or the same value
    of a label. Groups are compared by what most of their machines have.
  - Effective configs have their defaults filled in, so a default that is written out is not a difference. They need the
    configs of the nodes themselves, which M(configok.node.local_config) publishes. If those of one side are not known,
    only the bundles are compared, and a note says so.
  - Labels and taints that follow from the node are not compared, such as C(kubernetes.io/hostname). Of a Machine in a
    file, only what it declares is compared. If it has neither a pool nor a config source, that is its init config, the
    C(kubeletConfiguration) of its provider and the values of its Cluster.
  - Reads only. Secrets are not shown.
author:
  - The configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.release_data.controller
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.info_module
attributes:
  diff_mode:
    support: full
    details:
      - Shows the fields that differ on both sides.
requirements:
  - PyYAML
  - urllib3
options:
  before:
    description:
      - The first side. Without O(before.machine_files), the Nodes of the cluster.
    type: dict
    required: true
    suboptions: &side
      kubeconfig:
        description:
          - The kubeconfig of the cluster. The default is E(KUBECONFIG), or C(~/.kube/config).
        type: path
      context:
        description:
          - The context in the kubeconfig. The default is its current one.
        type: str
      machine_files:
        description:
          - Files and directories with Machines. Their bundles are read from the cluster of this side, if it names one,
            else from that of the other side.
        type: list
        elements: path
      machine_cluster:
        description:
          - The Cluster whose Machines are compared. Needed if the files have Machines of several clusters.
        type: str
      selector:
        description:
          - A label selector of Nodes, or of Machines. The default is O(selector).
        type: str
  after:
    description:
      - The second side.
    type: dict
    required: true
    suboptions: *side
  selector:
    description:
      - A label selector of Nodes, or of Machines, on both sides.
    type: str
    default: ""
  match_label:
    description:
      - The label whose value two counterparts share. By default they have the same name.
    type: str
    default: ""
  group_by:
    description:
      - The label whose values are groups, or V(pool) for the pool of the bundle that a machine uses. With it, the most
        common values of each group are compared, and not each machine.
    type: str
    default: ""
seealso:
  - module: configok.node.component_config_diff
    description: Compares two configs in files.
"""

EXAMPLES = r"""
- name: Compare two clusters machine by machine
  configok.node.cluster_diff:
    before: {kubeconfig: staging.kubeconfig}
    after: {kubeconfig: production.kubeconfig}
  register: comparison

- name: Show what differs
  ansible.builtin.debug:
    msg: "{{ comparison.lines }}"

- name: Compare the workers of two clusters by pool
  configok.node.cluster_diff:
    before: {context: east}
    after: {context: west}
    selector: node-role.kubernetes.io/worker
    group_by: pool

- name: Fail if a cluster differs from its files
  configok.node.cluster_diff:
    before: {machine_files: [machines/], machine_cluster: east}
    after: {context: east}
  register: drift
  failed_when: drift.differs
"""

RETURN = r"""
differs:
  description: Whether the two sides differ.
  returned: success
  type: bool
  sample: true
changed:
  description: Whether the two sides differ, as RV(differs). Nothing is changed.
  returned: always
  type: bool
  sample: true
disruption:
  description: The heaviest class of what the differences require of a node, V(none) without any.
  returned: success
  type: str
  sample: drain
lines:
  description: The comparison as human-readable lines. Machines with the same differences are one entry.
  returned: success
  type: list
  elements: str
  sample: ["worker-1:", "  node  versions.kubelet  1.34.9  1.35.0  drain"]
machines:
  description: The counterparts that differ.
  returned: success
  type: list
  elements: dict
  contains:
    before:
      description: The name of the machine on the first side.
      type: str
      sample: worker-1
    after:
      description: The name of the machine on the second side.
      type: str
      sample: worker-1
    differences:
      description: The fields that differ.
      type: list
      elements: dict
      contains:
        component:
          description: The component that reads the field. V(node) for versions, labels and taints.
          type: str
          sample: kubelet
        path:
          description: The path of the field.
          type: str
          sample: maxPods
        before:
          description: Its first value, as short text. Null if it has none.
          type: str
          sample: "110"
        after:
          description: Its second value, likewise.
          type: str
          sample: "90"
        disruption:
          description: The class of what changing it requires of a node.
          type: str
          sample: restart-may-reject
    notes:
      description: What could not be compared, as sentences.
      type: list
      elements: str
      sample: []
only_before:
  description: The machines of the first side without a counterpart.
  returned: success
  type: list
  elements: str
  sample: [worker-7]
only_after:
  description: The machines of the second side without a counterpart.
  returned: success
  type: list
  elements: str
  sample: []
groups:
  description: The groups, with O(group_by).
  returned: success
  type: list
  elements: dict
  contains:
    group:
      description: The value of the label, or the pool. Empty for machines without one.
      type: str
      sample: workers
    sizes:
      description: The number of machines, as C(before) and C(after).
      type: dict
      sample: {before: 12, after: 10}
    differences:
      description: The differences between the most common values, as in RV(machines).
      type: list
      elements: dict
      sample: []
    uneven:
      description: What not all machines of a group have, as sentences.
      type: list
      elements: str
      sample: ["after: 9 of 10 have the most common kubelet"]
    notes:
      description: What could not be compared, as sentences.
      type: list
      elements: str
      sample: []
notes:
  description: What could not be compared, as sentences.
  returned: success
  type: list
  elements: str
  sample: []
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    ENVIRONMENT,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._machines._comparison import (
    Member,
    compare_clusters,
    diff_of,
    render_comparison,
    to_dict,
)
from ansible_collections.configok.node.plugins.module_utils._operations.cluster_comparison import (
    read_declared_side,
    read_live_side,
)
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._operations.release_facts import using_release_facts
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    side = {
        "kubeconfig": {"type": "path"},
        "context": {"type": "str"},
        "machine_files": {"type": "list", "elements": "path"},
        "machine_cluster": {"type": "str"},
        "selector": {"type": "str"},
    }
    return {
        "before": {"type": "dict", "required": True, "options": side},
        "after": {"type": "dict", "required": True, "options": side},
        "selector": {"type": "str", "default": ""},
        "match_label": {"type": "str", "default": ""},
        "group_by": {"type": "str", "default": ""},
        "release_data": {"type": "raw"},
    }


def names_cluster(side: Mapping[str, Any]) -> bool:
    """Return whether a side says which cluster it is."""
    return bool(side["kubeconfig"] or side["context"])


def read_side(params: Mapping[str, Any], name: str, clients: Mapping[str, Client]) -> list[Member]:
    """Return the machines of a side. Raises MachinesError, RolloutError, KubeError."""
    side = params[name]
    selector = side["selector"] if side["selector"] is not None else params["selector"]
    if not side["machine_files"]:
        return read_live_side(clients[name], selector)
    other = "after" if name == "before" else "before"
    catalog = machine_catalog(side["machine_files"])
    return read_declared_side(clients.get(name, clients.get(other)), catalog, side["machine_cluster"] or "", selector)


def main() -> None:
    """Read both sides and compare them."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    sides = {name: params[name] for name in ("before", "after")}
    live = [name for name, side in sides.items() if not side["machine_files"]]
    if len(live) == 2 and not any(names_cluster(side) for side in sides.values()):
        module.fail_json(msg="before and after are the same cluster: name the kubeconfig or the context of one of them")
    # The variables of one cluster would hold for both sides.
    environ = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT.values()}
    with fail_on_errors(module), using_release_facts(params["release_data"]), ExitStack() as stack:
        clients = {
            name: stack.enter_context(client_from_params(side, environ))
            for name, side in sides.items()
            if name in live or names_cluster(side)
        }
        members = [read_side(params, name, clients) for name in ("before", "after")]
        comparison = compare_clusters(
            members[0], members[1], match_label=params["match_label"], group_by=params["group_by"]
        )
    module.exit_json(
        changed=comparison.differs,
        differs=comparison.differs,
        disruption=comparison.heaviest,
        lines=render_comparison(comparison),
        diff=diff_of(comparison),
        **sanitize_all(to_dict(comparison)),
    )


if __name__ == "__main__":
    main()
