#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the flags of a control-plane pool into kubeadm's own record."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kubeadm_sync
short_description: Write the flags of a control-plane pool into kubeadm's record
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Writes the flags of etcd, kube-apiserver, kube-controller-manager and kube-scheduler that all nodes of a pool use
    into C(extraArgs) of the C(ClusterConfiguration) in the ConfigMap C(kube-system/kubeadm-config). kubeadm writes the
    manifests of static Pods from it when it upgrades a node, and when another one joins.
  - Takes them from the pool's last rollout, which must be complete. On the init config, the flags are as they were
    before the pool had written any.
  - Replaces the whole value of a flag, and feature gates by key. Everything else in the ConfigMap stays, also what
    another party writes at the same time.
  - Leaves out, with a reason, what kubeadm cannot hold (files, flags that it writes itself and that options take away),
    and what a bundle may not set.
  - Keeps in the annotation C(configok.dev/kubeadm-sync) what it has written, and what was there before. One pool of a
    cluster can do that.
  - Needs an identity that may get and update this ConfigMap, which a runner may not.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.pool
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - The API server checks the change with C(dryRun=All).
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  allowed_fields:
    description:
      - What a bundle may set beyond the allow list, for example V(flags.etcd-servers), as C(allowedFields) in the agent
        configuration of the nodes.
    type: list
    elements: str
    default: []
  compare:
    description:
      - Only compare, with the right to get the ConfigMap, and return in RV(text) what an upgrade by kubeadm would undo,
        with the patch. What cannot be read is not judged, and does not fail the task.
    type: bool
    default: false
seealso:
  - module: configok.node.rollout
  - module: configok.node.component_config_convert
"""

EXAMPLES = r"""
- name: Let kubeadm keep the flags of the control plane
  configok.node.kubeadm_sync:
    pool: control-plane

- name: See what an upgrade by kubeadm would undo
  configok.node.kubeadm_sync:
    pool: control-plane
    compare: true
"""

RETURN = r"""
cluster_configuration:
  description: The C(ClusterConfiguration) with the flags.
  returned: success, without O(compare)
  type: str
  sample: |
    apiServer:
      extraArgs:
        event-ttl: 2h
    apiVersion: kubeadm.k8s.io/v1beta2
    kind: ClusterConfiguration
left_out:
  description: What is not written, each with its component and a reason.
  returned: success, without O(compare)
  type: list
  elements: str
  sample:
    - "kube-apiserver: flags.profiling: extraArgs cannot take away a flag that kubeadm writes itself"
text:
  description: The result as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - ConfigMap kube-system/kubeadm-config is written
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._operations.kubeadm_sync import (
    compare_kubeadm_config,
    sync_kubeadm_config,
)
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "allowed_fields": {"type": "list", "elements": "str", "default": []},
        "compare": {"type": "bool", "default": False},
    }


def main() -> None:
    """Write the flags."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        pool, allowed_fields = params["pool"], params["allowed_fields"]
        if params["compare"]:
            lines = compare_kubeadm_config(client, pool, allowed_fields=allowed_fields)
            module.exit_json(changed=False, text=sanitize_all(lines))
        result = sync_kubeadm_config(client, pool, allowed_fields=allowed_fields, check=module.check_mode)
        module.exit_json(
            changed=result.changed,
            diff={"before": result.before, "after": result.after},
            cluster_configuration=result.after,
            **sanitize_all({"left_out": list(result.left_out), "text": result.lines(check=module.check_mode)}),
        )


if __name__ == "__main__":
    main()
