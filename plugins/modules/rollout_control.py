#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause, resume or abort a rollout, or approve its waves."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_control
short_description: Pause, resume or abort a rollout, or approve its waves
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Writes a request to the record of a pool, where the runner that moves the pool sees it within seconds. It also works
    while no runner moves the pool, since the record keeps the request.
  - The record keeps the author, the reason and the time. An Event on the record says the same.
  - A request that is made already changes nothing.
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
    support: full
  idempotent:
    support: full
options:
  state:
    description:
      - With V(pause), the runner assigns nothing more and lets the nodes that are assigned finish. The next run waits
        too, until the pool is resumed. A pool without a rollout under way pauses when the next one begins.
      - V(resume) withdraws a pause. If no runner waits, run the rollout again.
      - V(abort) ends the rollout. Nodes keep the config that they have, and a rollback stops. If no runner
        moves the pool, this module takes its lock and records the end itself.
      - V(approve) lets waves begin that wait for an approval (C(policy.approval) in the pool file).
    type: str
    choices: [pause, resume, abort, approve]
    required: true
  waves:
    description:
      - The waves to approve, such as V(canary) or V(wave 1), or V(all). V(wave-1) is V(wave 1) too.
      - The default is the wave that the paused rollout has not begun.
    type: list
    elements: str
    default: []
  reason:
    description:
      - Why.
    type: str
    default: ''
  author:
    description:
      - The user who requests it. It must not be empty.
    type: str
    required: true
  wait:
    description:
      - How many seconds to wait until the runner has obeyed. A request that was not obeyed in this time stays in the
        record and is not an error.
      - V(0) writes the request and does not wait. It does not end a rollout that no runner moves.
    type: int
    default: 30
seealso:
  - module: configok.node.rollout
  - module: configok.node.config_status_info
  - module: configok.node.rollout_forget
"""

EXAMPLES = r"""
- name: Pause the rollout of the workers
  configok.node.rollout_control:
    pool: workers
    state: pause
    reason: the network is being repaired
    author: alice

- name: Resume it
  configok.node.rollout_control:
    pool: workers
    state: resume
    author: alice

- name: End the rollout
  configok.node.rollout_control:
    pool: workers
    state: abort
    reason: another config is on its way
    author: alice
"""

RETURN = r"""
pool:
  description: The name of the pool.
  returned: success
  type: str
  sample: workers
phase:
  description: The phase of the rollout, empty if the pool has never been rolled out.
  returned: success
  type: str
  sample: Paused
reason:
  description: Why the rollout is in this phase.
  returned: success
  type: str
  sample: "paused by alice at 2026-11-24T10:00:00.000000Z: the network is being repaired"
obeyed:
  description: Whether the rollout is as requested. False if O(wait) is V(0), or there is no rollout to wait for.
  returned: success
  type: bool
  sample: true
moved_by:
  description: The runner that moves the pool, empty for none, null if that is not known.
  returned: success
  type: str
  sample: alice@bastion (0a1b2c3d)
requested:
  description: What is requested of the rollout now, V(pause), V(abort) or empty.
  returned: success
  type: str
  sample: pause
approved:
  description: The approved waves, as the record has them.
  returned: success
  type: str
  sample: wave 1
text:
  description: The result as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - "pool workers is Paused: paused by alice at 2026-11-24T10:00:00.000000Z: the network is being repaired"
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import OPERATIONS
from ansible_collections.configok.node.plugins.module_utils._rollout._run.control_actions import (
    ControlRequest,
    control_rollout,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "state": {"type": "str", "required": True, "choices": list(OPERATIONS)},
        "waves": {"type": "list", "elements": "str", "default": []},
        "reason": {"type": "str", "default": ""},
        "author": {"type": "str", "required": True},
        "wait": {"type": "int", "default": 30},
    }


def main() -> None:
    """Write the request, and wait for the runner."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    request = ControlRequest(
        params["state"], params["author"], params["reason"], tuple(params["waves"]), max(0, params["wait"])
    )
    with fail_on_errors(module), client_from_params(params) as client:
        result = control_rollout(client, params["pool"], request, clock=Clock(), check=module.check_mode)
        rollout, control = result.after.rollout, result.after.control
        module.exit_json(
            changed=result.changed,
            diff={"before": result.before.control.to_data(), "after": result.recorded.control.to_data()},
            **sanitize_all(
                {
                    "pool": params["pool"],
                    "phase": rollout.phase if rollout else "",
                    "reason": rollout.reason if rollout else "",
                    "obeyed": result.is_obeyed,
                    "moved_by": result.moved_by,
                    "requested": control.request,
                    "approved": control.approved,
                    "text": result.lines(),
                }
            ),
        )


if __name__ == "__main__":
    main()
