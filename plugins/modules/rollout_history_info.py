#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the revisions of a pool."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_history_info
short_description: Gather the revisions of a pool
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Returns the revisions of a pool with change cause, author, time and the result of their last rollout.
  - Reads one object. M(configok.node.config_status_info) returns the same revisions together with the nodes.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.info_module
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
options:
  pool:
    description:
      - The name of the pool.
      - A pool without a record has no revisions, which is not an error.
    type: str
    required: true
seealso:
  - module: configok.node.config_status_info
  - module: configok.node.rollout
    description: Its option O(configok.node.rollout#module:to_revision) selects the revision of an undo.
"""

EXAMPLES = r"""
- name: Read the revisions of the workers
  configok.node.rollout_history_info:
    pool: workers
  register: revisions

- name: Show them as a table
  ansible.builtin.debug:
    msg: "{{ revisions.text }}"
"""

RETURN = r"""
history:
  description: The revisions, the newest first; at most the last 100.
  returned: success
  type: list
  elements: dict
  contains:
    number:
      description: The number of the revision.
      type: int
      sample: 2
    name:
      description: The name of its bundle.
      type: str
      sample: workers-0a1b2c3d4e
    namespace:
      description: The namespace of its bundle.
      type: str
      sample: configok-system
    uid:
      description: The uid of its bundle.
      type: str
      sample: 5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11
    content_hash:
      description: The hash of its content.
      type: str
      sample: 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9
    time:
      description: When it was published.
      type: str
      sample: "2026-11-24T10:00:00.000000Z"
    author:
      description: The user who published it.
      type: str
      sample: alice
    cause:
      description: The change cause.
      type: str
      sample: more pods
    result:
      description: The result of its last rollout, empty if it has none.
      type: str
      sample: Complete
    pruned:
      description: When its bundle was deleted because it was old, empty while it exists.
      type: str
      sample: ""
    sequence:
      description: The sequence of its statement, V(0) without one.
      type: int
      sample: 4
    floor:
      description: The lowest sequence that nodes accept since then, V(0) without a statement.
      type: int
      sample: 2
    current:
      description: Whether the pool was last moved to it.
      type: bool
      sample: true
text:
  description: The same as a table.
  returned: success
  type: list
  elements: str
  sample:
    - REVISION   CHANGE-CAUSE   AUTHOR   TIME                   RESULT     CURRENT
    - 2          more pods      alice    2026-11-24T10:00:00Z   Complete   *
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    render_history,
    revision_history,
)
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {**KUBE_ARGUMENT_SPEC, "pool": {"type": "str", "required": True}}


def main() -> None:
    """Report the revisions of the pool."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    with fail_on_errors(module), client_from_params(module.params) as client:
        record = read_record(client, module.params["pool"])
        result = {"history": revision_history(record), "text": render_history(record)}
        module.exit_json(changed=False, **sanitize_all(result))


if __name__ == "__main__":
    main()
