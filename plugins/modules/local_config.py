#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish the local config of a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: local_config
short_description: Publish the local config of a node
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Publishes the values of a node's init configs and instance configs, and the fields that the node denies, as one
    immutable ConfigMap in C(configok-rollouts) that is named by its content. Nodes with the same values share it.
  - A plan can then report what the first bundle changes, and which fields nodes would refuse, before any node changes.
  - Secrets and values that only one node can have are left out.
  - The playbook C(configok.node.provision) does this for each node.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  content:
    description:
      - The output of C(configok-agent local-config) on the node.
    type: jsonarg
    required: true
seealso:
  - module: configok.node.config_bundle
  - module: configok.node.rollout
"""

EXAMPLES = r"""
- name: Publish the output of a node
  configok.node.local_config:
    content: {components: {kubelet: {init: {maxPods: 110}, instance: {}, deny: {}}}}
"""

RETURN = r"""
name:
  description: The name of the ConfigMap.
  returned: success
  type: str
  sample: local-config-0a1b2c3d4e5f60718293
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._cluster.local_configs import publish_local_config


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {**KUBE_ARGUMENT_SPEC, "content": {"type": "jsonarg", "required": True}}


def main() -> None:
    """Publish the local config."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    with fail_on_errors(module), client_from_params(module.params) as client:
        name, created = publish_local_config(client, module.params["content"], check=module.check_mode)
        module.exit_json(changed=created, name=name)


if __name__ == "__main__":
    main()
