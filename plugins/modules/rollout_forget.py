#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clear a config that a pool refuses."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_forget
short_description: Clear a config that failed in a pool
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Clears a config that failed in a pool, for example because the node was the cause and not the config. Until then
    the pool refuses the config, by its uid and by its content.
  - The reason and the author are kept in the record of the pool.
  - The next rollout of the config also moves the nodes that refused it, and makes them forget that they marked it bad
    (C(forgetBad) in the assignment).
  - Clearing a config that is cleared already changes nothing.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.pool
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
  bundle:
    description:
      - The name of the bundle, for example V(workers-0a1b2c3d4e).
      - The default is the config of the pool's last rollout.
    type: str
  reason:
    description:
      - Why the config may be tried again. It must not be empty.
    type: str
    required: true
  author:
    description:
      - The user who clears it. It must not be empty.
    type: str
    required: true
seealso:
  - module: configok.node.rollout
  - module: configok.node.config_status_info
"""

EXAMPLES = r"""
- name: Clear a failed config so that it can be tried again
  configok.node.rollout_forget:
    pool: workers
    bundle: workers-0a1b2c3d4e
    reason: the disk of node-7 was broken
    author: alice
"""

RETURN = r"""
bundle:
  description: The name of the cleared bundle.
  returned: success
  type: str
  sample: workers-0a1b2c3d4e
text:
  description: The result as a human-readable line.
  returned: success
  type: str
  sample: "workers-0a1b2c3d4e is no longer refused in pool workers: run configok.node.rollout to try it again"
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.clear_bad_config import clear_bad_config
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import current_time
from ansible_collections.configok.node.plugins.module_utils._text import sanitize


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "bundle": {"type": "str"},
        "reason": {"type": "str", "required": True},
        "author": {"type": "str", "required": True},
    }


def main() -> None:
    """Clear the config."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    with fail_on_errors(module), client_from_params(params) as client:
        name, changed = clear_bad_config(
            client,
            params["pool"],
            params["bundle"] or None,
            reason=params["reason"],
            author=params["author"],
            now=current_time(),
            check=module.check_mode,
        )
        name = sanitize(name)
        state = "would no longer be refused" if changed and module.check_mode else "is no longer refused"
        text = f"{name} {state} in pool {params['pool']}: run configok.node.rollout to try it again"
        module.exit_json(changed=changed, bundle=name, text=text)


if __name__ == "__main__":
    main()
