#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explain fields of a component config."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_config_explain
short_description: Explain fields of the config of a Kubernetes component
version_added: 0.1.0
description:
  - Returns the facts about a field of a component config. These are its type, its default and its allowed values by
    Kubernetes version, the first and the last version that has it, its feature gates, its validation rules, what
    changing it requires of a node, and the fields below it.
  - Explains feature gates too, with their stages, defaults, locks and the gates they need.
  - Needs no cluster and no component.
author:
  - the configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.attributes
  - configok.node.attributes.info_module
attributes:
  platform:
    support: full
    platforms: posix
options:
  fields:
    description:
      - Paths of fields, for example V(maxPods), V(memorySwap.swapBehavior) or V(registerWithTaints[].key), or of
        feature gates, for example V(featureGates.NodeSwap). An empty path is the kind itself.
      - An unknown field is an error; the message suggests a similar name.
    type: list
    elements: str
    required: true
  kind:
    description:
      - A component, for example V(kube-proxy), or a kind, for example V(EncryptionConfiguration). The newest API
        version of the kind is explained.
      - With a component such as V(kube-apiserver), C(flags.NAME) is one of its flags.
      - Also V(Machine), V(MachineSet), V(Cluster), V(Provider) and the kinds of the shipped providers, for example
        V(DebianHost).
    type: str
    default: kubelet
  kubernetes_version:
    description:
      - A Kubernetes version, for example V(1.22). The newest API version that it has is explained then.
    type: str
    default: ''
seealso:
  - module: configok.node.component_config
  - module: configok.node.component_config_diff
"""

EXAMPLES = r"""
- name: Ask about fields before they are changed
  configok.node.component_config_explain:
    fields: [memorySwap.swapBehavior, featureGates.NodeSwap]
  register: explained

- name: Show it
  ansible.builtin.debug:
    msg: "{{ explained.lines }}"

- name: Ask about a field of the scheduler of an old cluster
  configok.node.component_config_explain:
    kind: kube-scheduler
    kubernetes_version: "1.22"
    fields: [percentageOfNodesToScore]

- name: Ask whether another authorization config needs a restart
  configok.node.component_config_explain:
    kind: kube-apiserver
    fields: [flags.authorization-config]

- name: Ask what a Machine can declare
  configok.node.component_config_explain:
    kind: Machine
    fields: [spec.versions, "spec.taints[].effect"]
"""

RETURN = r"""
explanations:
  description: The facts about each field, in the order of O(fields).
  returned: success
  type: list
  elements: dict
  contains:
    heading:
      description: The field and the kind.
      type: str
      sample: maxPods, of KubeletConfiguration (kubelet.config.k8s.io/v1beta1)
    facts:
      description:
        - Of a field C(type), C(versions), C(default), C(default_from), C(allowed), C(feature_gates), C(rules),
          C(meaning), C(disruption), C(note), C(remark) and C(fields), of a gate C(components), C(stages), C(needs),
          C(needed_by) and C(meaning).
        - Of a field of a Machine or of a kind around it also C(description) and C(required).
        - Empty facts are left out.
      type: dict
      sample:
        type: int32
        versions: from 1.20 or earlier
        default: [{since: "1.20", value: "110"}]
lines:
  description: The same as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - maxPods, of KubeletConfiguration (kubelet.config.k8s.io/v1beta1)
    - "  type        int32"
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import fail_on_file_errors
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._machine_kinds import kinds

SHIPPED = kinds  # no other file that this module uses names it

ARGUMENTS: dict[str, dict[str, Any]] = {
    "fields": {"type": "list", "elements": "str", "required": True},
    "kind": {"type": "str", "default": "kubelet"},
    "kubernetes_version": {"type": "str", "default": ""},
}


def main() -> None:
    """Explain the fields."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    kind, version = module.params["kind"], module.params["kubernetes_version"]
    with fail_on_file_errors(module):
        explanations = [explain(path, kind=kind, version=version) for path in module.params["fields"]]
        module.exit_json(
            changed=False,
            explanations=[{"heading": item.heading, "facts": item.facts} for item in explanations],
            lines=[line for item in explanations for line in item.lines],
        )


if __name__ == "__main__":
    main()
