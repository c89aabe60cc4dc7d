#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin simulation."""

from __future__ import annotations

DOCUMENTATION = r"""
module: simulation
short_description: Run hollow nodes on a cluster, to rehearse a rollout
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Creates the Nodes of a scenario file, and answers assignments for them, as the agents on real nodes would. There is
    no kubelet and no other component behind them. A rollout to these nodes is real, in all but the nodes.
  - Runs until the duration is over, or until Ctrl-C. Then it removes the Nodes that it has created.
  - Never changes a Node that it did not create. It refuses to start if a Node of one of the names exists.
  - One process runs thousands of nodes. It shows a line when nodes were assigned something or have answered.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: partial
    details:
      - Reads the scenario and refuses a wrong one, without reading from the cluster.
  diff_mode:
    support: none
  idempotent:
    support: none
    details:
      - Each run creates Nodes and removes them again.
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller, with the C(environment) of its task. It refuses C(become),
        and a C(connection) other than V(local).
options:
  scenario:
    description:
      - The scenario file, which the page on rehearsing a rollout describes.
    type: path
    required: true
  duration:
    description:
      - How long to run, for example V(30m). By default until the play is interrupted.
    type: str
  state:
    description:
      - V(present) runs the simulation.
      - V(absent) removes the Nodes that a killed simulation of the same name has left.
    type: str
    choices: [present, absent]
    default: present
seealso:
  - module: configok.node.rollout
"""

EXAMPLES = r"""
- name: Run hollow nodes for half an hour
  configok.node.simulation:
    scenario: fleet.yml
    duration: 30m

- name: Remove what a killed simulation has left
  configok.node.simulation:
    scenario: fleet.yml
    state: absent
"""

RETURN = r"""
lines:
  description: The lines that were shown.
  returned: success
  type: list
  elements: str
  sample: ["created 500 Nodes with label configok.dev/simulated=rehearsal", "removed 500 Nodes"]
"""
