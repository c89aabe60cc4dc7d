#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the HTML report of a pool."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_report
short_description: Write the report of a pool as an HTML page
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Writes one self-contained HTML file with the state of a pool and of its last rollout. It has the phase, the nodes by
    zone and wave, the timeline, the changes of the config, and the reason of each node that is not fine.
  - The page loads nothing else, can be read without its script, and has no secrets. It names nodes, users and config
    fields of the cluster.
  - The page of a pool that was never rolled out has its nodes and revisions.
  - If the runner of the pool may be dead, this takes as long as the lock of the pool holds, 15 seconds by default.
  - The control machine renders the page, so a task with C(async) is refused.
extends_documentation_fragment:
  - ansible.builtin.files
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
  diff_mode:
    support: partial
    details:
      - The difference has the sentence that RV(text) returns, not the page.
  idempotent:
    support: full
    details:
      - The file is not written if only the time of the report is new.
options:
  pool:
    description:
      - The name of the pool.
    type: str
    required: true
  selector:
    description:
      - The label selector of its Nodes. Required without O(machine_files); with them, the default is the Nodes of the
        Machines.
    type: str
  machine_files:
    description:
      - Files and directories with Machines. The report then has a section with the phase and the versions of each, and
        what the next run of M(configok.node.machines) would do with it. Providers are not asked.
    type: list
    elements: path
  machine_cluster:
    description:
      - The Cluster whose Machines are shown. Needed if the files have several clusters.
    type: str
    default: ""
  machine_selector:
    description:
      - A label selector of Machines.
    type: str
    default: ""
  dest:
    description:
      - The file to write. Its directory must exist.
    type: path
    required: true
  mode:
    description:
      - The permissions of the file.
    type: raw
    default: "0644"
  disruption_overrides:
    description:
      - A mapping of component to your own classes of what changing a field requires of a node, by field path, as
        M(configok.node.component_config_diff) takes them.
    type: dict
seealso:
  - module: configok.node.machines
    description: Makes Nodes what their Machines declare.
  - module: configok.node.config_status_info
    description: Returns the same state as data and as text.
"""

EXAMPLES = r"""
- name: Write the report of the workers
  configok.node.rollout_report:
    pool: workers
    selector: node-role.kubernetes.io/worker
    dest: /var/www/reports/workers.html

- name: Write the report of the last run of configok.node.machines
  configok.node.rollout_report:
    pool: machines
    machine_files: [machines/]
    dest: /var/www/reports/machines.html
"""

RETURN = r"""
dest:
  description: The file.
  returned: success
  type: str
  sample: /var/www/reports/workers.html
generated:
  description: The time that the page shows. It stays the same while nothing else changes.
  returned: success
  type: str
  sample: "2026-03-04T09:58:12.000000Z"
size:
  description: The size of the page in bytes.
  returned: success
  type: int
  sample: 34025
text:
  description: The state of the pool in one sentence.
  returned: success
  type: str
  sample: "Pool workers: revision 2, Halted, 9 nodes: 2 failed, 3 ok, 4 not moved"
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._operations._machine_plan.machine_changes import (
    MachineSelection,
    select_machines,
)
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._operations.rollout_report import read_pool_report
from ansible_collections.configok.node.plugins.module_utils._rollout._report.page_data import (
    generated_time,
    page_data,
    page_summary,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import current_time
from ansible_collections.configok.node.plugins.module_utils._text import sanitize, sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module, without those of all files."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "selector": {"type": "str"},
        "machine_files": {"type": "list", "elements": "path"},
        "machine_cluster": {"type": "str", "default": ""},
        "machine_selector": {"type": "str", "default": ""},
        "dest": {"type": "path", "required": True},
        "mode": {"type": "raw", "default": "0644"},
        "disruption_overrides": {"type": "dict"},
    }


def read_present(dest: str) -> dict[str, str]:
    """Return what is to be known of the present page: its digest, its time and its sentence, "" for no file.

    Raises OSError.
    """
    try:
        with open(dest, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return {"sha256": "", "generated": "", "summary": ""}
    page = content.decode(errors="replace")
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "generated": generated_time(page),
        "summary": page_summary(page),
    }


def read_selection(params: Mapping[str, Any]) -> MachineSelection | None:
    """Return the Machines to show, None for none. Raises MachinesError."""
    if not params["machine_files"]:
        return None
    catalog = machine_catalog(params["machine_files"])
    return select_machines(catalog, params["machine_cluster"], params["machine_selector"])


def main() -> None:
    """Read the pool and the present page, for the action plugin, which renders the page and writes it."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        add_file_common_args=True,
        supports_check_mode=True,
        required_one_of=[("selector", "machine_files")],
    )
    params, dest = module.params, os.path.abspath(module.params["dest"])
    if not module.check_mode and not os.path.isdir(os.path.dirname(dest)):
        module.fail_json(msg=f"the directory of {dest} does not exist: create it, or choose another dest")
    with fail_on_errors(module), client_from_params(params) as client:
        report = read_pool_report(
            client,
            params["pool"],
            params["selector"],
            overrides=params["disruption_overrides"],
            selection=read_selection(params),
        )
    try:
        present = read_present(dest)
    except OSError as error:
        module.fail_json(msg=f"the report cannot be written to {dest}: {error.strerror}: choose another dest")
    data = page_data(report)
    text = sanitize(data["summary"])
    diff = {"before_header": dest, "after_header": dest, "before": present["summary"], "after": text}
    reading = {"data": sanitize_all(data), "present": present, "time": current_time()}
    module.exit_json(dest=dest, text=text, diff=diff, reading=reading)


if __name__ == "__main__":
    main()
