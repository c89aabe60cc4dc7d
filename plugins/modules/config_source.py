#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assign config sources to Nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: config_source
short_description: Assign a bundle to nodes, or unassign it
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Assigns a bundle to Nodes by annotations, in one call for one Node or for thousands.
  - Returns as soon as the Nodes are assigned. It does not wait for the nodes to adopt the bundle, and it has no canary;
    use M(configok.node.rollout) for that. M(configok.node.config_status_info) returns the results.
  - The nodes fetch the bundle, and roll back by themselves if it does not work.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.nodes
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - The API server checks each change with C(dryRun=All).
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With O(forget_bad=true) every run assigns again.
options:
  config_source:
    description:
      - The bundle, pinned, as M(configok.node.config_bundle) returns it.
    type: dict
    suboptions:
      configMap:
        description: The ConfigMap of the bundle.
        type: dict
        required: true
        suboptions:
          namespace:
            description: Its namespace.
            type: str
            required: true
          name:
            description: Its name.
            type: str
            required: true
          uid:
            description: Its uid.
            type: str
            required: true
  state:
    description:
      - V(present) assigns O(config_source).
      - V(absent) assigns the init config. This also applies to a node that reports "assignment lost", for example
        because its Node was deleted and registered again.
    type: str
    choices: [present, absent]
    default: present
  forget_bad:
    description:
      - Assign again, and make the nodes forget that they marked this config as bad, so that they retry it.
    type: bool
    default: false
seealso:
  - module: configok.node.config_bundle
  - module: configok.node.config_status_info
  - module: configok.node.rollout
"""

EXAMPLES = r"""
- name: Assign a bundle to two nodes
  configok.node.config_source:
    nodes: [node-1, node-2]
    config_source: "{{ published.config_source }}"

- name: Return all nodes of a zone to their init config
  configok.node.config_source:
    label_selector: topology.kubernetes.io/zone=a
    state: absent
"""

RETURN = r"""
assignments:
  description: The result for each Node, sorted by name.
  returned: always, once the Nodes were read
  type: list
  elements: dict
  contains:
    node:
      description: The name of the Node.
      type: str
      sample: node-1
    assignment:
      description: The id of the present assignment of the Node, which its status will repeat. 0 for none.
      type: int
      sample: 4
    changed:
      description: Whether it was assigned by this call.
      type: bool
      sample: true
    error:
      description: Why it could not be assigned, empty if it could.
      type: str
      sample: ""
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import (
    AssignmentResult,
    assign_nodes,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import NODES_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.module_utils._text import and_more, sanitize, sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    parts = {part: {"type": "str", "required": True} for part in ("namespace", "name", "uid")}
    return {
        **KUBE_ARGUMENT_SPEC,
        **NODES_ARGUMENT_SPEC,
        "config_source": {
            "type": "dict",
            "options": {"configMap": {"type": "dict", "required": True, "options": parts}},
        },
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "forget_bad": {"type": "bool", "default": False},
    }


def node_result(assigned: AssignmentResult) -> dict[str, Any]:
    """Return the result for one Node."""
    return {
        "node": assigned.name,
        "assignment": assigned.assignment,
        "changed": assigned.changed,
        "error": assigned.error,
    }


def diff_assignments(results: list[AssignmentResult], source: ConfigSource | None) -> dict[str, Any]:
    """Return before and after: by Node, its assigned config source."""
    changed = [assigned for assigned in results if assigned.changed]
    return {
        "before": {assigned.name: source_text(assigned.before) for assigned in changed},
        "after": {assigned.name: source_text(source) for assigned in changed},
    }


def source_text(source: ConfigSource | None) -> str:
    """Return a config source for a diff."""
    return "the init config" if source is None else f"{source.namespace}/{source.name} (UID: {source.uid})"


def main() -> None:
    """Assign the config source to the Nodes."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        mutually_exclusive=[("nodes", "label_selector")],
        required_one_of=[("nodes", "label_selector")],
        required_if=[("state", "present", ["config_source"])],
        supports_check_mode=True,
    )
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        source = ConfigSource.from_dict(params["config_source"]) if params["state"] == "present" else None
        results = assign_nodes(
            client,
            source,
            names=params["nodes"],
            selector=params["label_selector"] or "",
            forget_bad=params["forget_bad"],
            check=module.check_mode,
        )
        outcome: dict[str, Any] = {
            "changed": any(assigned.changed for assigned in results),
            "assignments": sanitize_all([node_result(assigned) for assigned in results]),
        }
        if module._diff:
            outcome["diff"] = sanitize_all(diff_assignments(results, source))
        errors = [assigned.error for assigned in results if assigned.error]
        if errors:
            reason = sanitize(errors[0]) + and_more(len(errors) - 1)
            module.fail_json(msg=f"{len(errors)} of {len(results)} Nodes not assigned: {reason}", **outcome)
        module.exit_json(**outcome)


if __name__ == "__main__":
    main()
