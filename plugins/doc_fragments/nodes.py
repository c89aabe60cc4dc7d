# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that choose Nodes."""

from __future__ import annotations


class ModuleDocFragment:
    # The argument spec is NODES_ARGUMENT_SPEC in plugins/module_utils/_rollout/_nodes/node_list.py; the two must be
    # equal.
    DOCUMENTATION = r"""
options:
  nodes:
    description:
      - The names of the Nodes. One call serves thousands.
      - A name that no Node has is an error, before anything is changed.
    type: list
    elements: str
  label_selector:
    description:
      - A label selector for the Nodes, as C(kubectl) takes it.
    type: str
"""
