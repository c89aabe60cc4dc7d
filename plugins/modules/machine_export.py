#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write Machine files for the Nodes of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_export
short_description: Write Machine files for the Nodes of a cluster
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Writes one Machine for each Node, and their Cluster, as they are now. A run of M(configok.node.machines) with that
    file changes nothing, unless RV(notes) says that something is missing.
  - A Machine has the versions of the kubelet and of the container runtime, the pool or the bundle that the Node is
    assigned, its labels and taints, and its internal address. Labels and taints that the kubelet, Kubernetes, a cloud
    or this collection sets are left out.
  - Nodes that are being deleted, and those that Cluster API owns, are left out. RV(notes) has a sentence for each of
    them.
  - Only reads from the API server. The nodes themselves are not contacted.
extends_documentation_fragment:
  - ansible.builtin.files
  - configok.node.kube
  - configok.node.nodes
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  cluster:
    description:
      - The name of the Cluster in the file.
    type: str
    default: cluster
  provider_config:
    description:
      - The C(spec.providerConfig) of all Machines, with C(apiVersion) and C(kind). The address of each Node is added,
        unless it is set here.
      - By default the shipped provider that an earlier run of M(configok.node.machines) has used for the Node, else
        V(DebianHost) or V(RPMHost), by the operating system that the Node reports. A Node with another one is an error
        then. RV(notes) says which fields are missing.
    type: dict
  dest:
    description:
      - The file to write. Its directory must exist. It is replaced as a whole.
      - Without it, nothing is written, and RV(text) has the Machines.
    type: path
  mode:
    description:
      - The permissions of the file.
    type: raw
    default: "0644"
seealso:
  - module: configok.node.machines
"""

EXAMPLES = r"""
- name: Write the Machines of a cluster
  configok.node.machine_export:
    cluster: east
    dest: machines/east.yaml

- name: Show the Machines of the workers, which a cloud's provider of your own creates
  configok.node.machine_export:
    cluster: east
    label_selector: node-role.kubernetes.io/worker
    provider_config:
      apiVersion: example.com/v1
      kind: CloudHost
  register: exported
"""

RETURN = r"""
text:
  description: The Machine file.
  returned: success
  type: str
  sample: |
    apiVersion: machines.configok.dev/v1alpha1
    kind: Cluster
    metadata:
      name: east
machines:
  description: The names of the Machines, sorted.
  returned: success
  type: list
  elements: str
  sample: [worker-1, worker-2]
notes:
  description: What is left out, or cannot be declared, one sentence each.
  returned: success
  type: list
  elements: str
  sample: ["Node worker-3 is left out: it is being deleted"]
dest:
  description: The file, if O(dest) is given.
  returned: success, and O(dest) is given
  type: str
  sample: /srv/fleet/machines/east.yaml
"""

import os
import tempfile
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._machines import MachinesError
from ansible_collections.configok.node.plugins.module_utils._operations.machine_export import export_cluster
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import NODES_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.module_utils._text import sanitize, sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module, without those of all files."""
    return {
        **KUBE_ARGUMENT_SPEC,
        **NODES_ARGUMENT_SPEC,
        "cluster": {"type": "str", "default": "cluster"},
        "provider_config": {"type": "dict"},
        "dest": {"type": "path"},
        "mode": {"type": "raw", "default": "0644"},
    }


def read_file(dest: str) -> str | None:
    """Return the text of the present file, None for no file. Raises OSError."""
    try:
        with open(dest, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_file(module: Any, text: str, dest: str) -> None:
    """Replace the file as a whole. Raises OSError."""
    descriptor, temporary = tempfile.mkstemp(dir=module.tmpdir)
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    module.atomic_move(temporary, dest, unsafe_writes=module.params["unsafe_writes"])


def write_changes(module: Any, text: str, dest: str) -> dict[str, Any]:
    """Write the file unless it has the text already, and return the module's result for it."""
    if not module.check_mode and not os.path.isdir(os.path.dirname(dest)):
        module.fail_json(msg=f"the directory of {dest} does not exist: create it, or choose another dest")
    try:
        present = read_file(dest)
        changed = present != text
        if changed and not module.check_mode:
            write_file(module, text, dest)
    except OSError as error:
        module.fail_json(msg=f"the Machines cannot be written to {dest}: {error.strerror}: choose another dest")
    diff = {"before_header": dest, "after_header": dest, "before": present or "", "after": text}
    if present is not None or not module.check_mode:
        common = module.load_file_common_arguments(module.params, path=dest)
        changed = module.set_fs_attributes_if_different(common, changed)
    return {"changed": changed, "dest": dest, "diff": diff}


def check_provider_config(module: Any, config: dict[str, Any] | None) -> None:
    """Fail unless a provider's config says which provider it is for."""
    for name in ("apiVersion", "kind"):
        if config is not None and not (isinstance(config.get(name), str) and config[name]):
            module.fail_json(msg=f"provider_config: {name}: is required, for example of a DebianHost")


def main() -> None:
    """Read the Nodes and write the file."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        mutually_exclusive=[("nodes", "label_selector")],
        add_file_common_args=True,
        supports_check_mode=True,
    )
    params = module.params
    check_provider_config(module, params["provider_config"])
    try:
        with fail_on_errors(module), client_from_params(params) as client:
            exported = export_cluster(
                client,
                cluster=params["cluster"],
                names=params["nodes"],
                selector=params["label_selector"] or "",
                provider_config=params["provider_config"],
            )
    except MachinesError as error:
        module.fail_json(msg=sanitize(str(error)))
    result: dict[str, Any] = {"changed": False}
    if params["dest"]:
        result = write_changes(module, exported.text, os.path.abspath(params["dest"]))
    notes = sanitize_all(list(exported.notes))
    module.exit_json(text=exported.text, machines=list(exported.names), notes=notes, **result)


if __name__ == "__main__":
    main()
