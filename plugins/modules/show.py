#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin show."""

from __future__ import annotations

DOCUMENTATION = r"""
module: show
short_description: Display lines of text as they are
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Displays the text that another module returns, such as a table, without the quoting of M(ansible.builtin.debug).
  - The lines are the same with each stdout callback. With C(ansible.posix.json) and C(ansible.posix.jsonl), whose
    output programs read, nothing is displayed.
  - A character that would control the terminal is displayed as a space.
extends_documentation_fragment:
  - configok.node.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller, with the C(environment) of its task. It refuses C(become),
        and a C(connection) other than V(local).
options:
  lines:
    description:
      - The lines.
    type: list
    elements: str
    required: true
seealso:
  - module: configok.node.config_status_info
"""

EXAMPLES = r"""
- name: Read the status of the workers
  configok.node.config_status_info:
    label_selector: node-role.kubernetes.io/worker
  register: status

- name: Show the reasons, then all nodes
  configok.node.show:
    lines: "{{ status.text }}"
"""

RETURN = ""
