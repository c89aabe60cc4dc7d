#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin rollout_wave."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_wave
short_description: Move one wave of a rollout through the gate
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Assigns the bundle of a plan to the nodes of one wave, at most C(maxUnavailable) at a time, and waits until each of
    them reports C(ConfigOK) for this bundle and this assignment, and keeps reporting it for the soak.
  - More failures than the budget halt the rollout. A node that does not answer pauses it. In both cases this task
    fails, and RV(phase) is V(Halted) or V(Paused). Nothing more is assigned then; nodes on which the config failed have
    rolled back by themselves.
  - Can be killed at any time and run again. A wave that is complete already changes nothing.
  - Shows a line whenever something changes, also in the log of AWX and Automation Controller.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: partial
    details:
      - Reports that the wave would move, without reading from the cluster.
  diff_mode:
    support: none
    details:
      - M(configok.node.config_bundle) shows what changes.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller. It reads the environment of the controller, and ignores
        the keyword C(environment).
options:
  plan:
    description:
      - The plan, as M(configok.node.rollout_plan) returns it.
    type: dict
    required: true
  wave:
    description:
      - The name of the wave, one of the C(waves) that M(configok.node.rollout_plan) returns. The waves before it must
        be complete.
      - Without it nothing is moved. A plan without remaining work is recorded as complete, unless its rollout was
        halted and its config is still marked bad. That ends this task as failed.
    type: str
  runner:
    description:
      - The identity of this run, which the lock and the record of the pool show. It must be unique for each run.
      - The default consists of user, host and a random part.
    type: str
  lease_duration:
    description:
      - How many seconds the lock of the pool holds after this run dies, 1 to 300. The next run waits that long.
    type: int
    default: 15
seealso:
  - module: configok.node.rollout_plan
"""

EXAMPLES = r"""
- name: Move the canary
  configok.node.rollout_wave:
    plan: "{{ planned.plan }}"
    wave: canary
  register: moved

- name: Move the next wave
  configok.node.rollout_wave:
    plan: "{{ planned.plan }}"
    wave: wave 1
    runner: "{{ moved.runner | default(omit) }}"
"""

RETURN = r"""
pool:
  description: The pool.
  returned: always, unless the rollout could not be moved at all
  type: str
  sample: workers
wave:
  description: The wave, empty if none was moved.
  returned: always, unless the rollout could not be moved at all
  type: str
  sample: canary
phase:
  description: The phase of the rollout now, for example V(Soaking), V(Complete), V(Paused) or V(Halted).
  returned: always, unless the rollout could not be moved at all
  type: str
  sample: Complete
runner:
  description: The identity of the run. Pass it to the next wave of the same run as O(runner).
  returned: outside check mode
  type: str
  sample: me@controller (5f1c7f1e)
reason:
  description: Why it was halted or paused, empty otherwise.
  returned: outside check mode
  type: str
  sample: ""
counts:
  description: How many nodes of the wave are in which state.
  returned: outside check mode
  type: dict
  sample: {passed: 2}
exceptions:
  description: The nodes of the rollout that did not pass, or did not stay.
  returned: outside check mode
  type: list
  elements: dict
  contains:
    node:
      description: The name of the Node.
      type: str
      sample: node-2
    kind:
      description: V(failed), V(unknown), V(gone), or V(drifted) (it had passed, then was assigned another config).
      type: str
      sample: failed
    wave:
      description: The wave in which it was moved.
      type: str
      sample: canary
    reason:
      description: Why, in the agent's own words if it reported a reason.
      type: str
      sample: "ConfigOK is False: using last-known-good (init): current (UID: 5f1c7f1e) crashed 4 times"
"""
