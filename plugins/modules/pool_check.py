#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin pool_check."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pool_check
short_description: Refuse unknown keys in the pool file of this run
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Checks the names of the extra variables (C(-e)) of this run, and fails for a key that a rollout would silently
    ignore, for example C(maxUnavialable), or C(maxUnavailable) outside of C(policy).
  - Next to C(pool), in the same C(-e @pool.yml), every key must be known. Put your own variables in another C(-e),
    or in the inventory. Variables that begin with C(ansible_), C(awx_) or C(tower_) are not checked.
  - A variable in another C(-e), or in the one C(-e) of AWX and Automation Controller, is refused only if it is spelt
    like a key of the pool file.
  - The playbooks C(configok.node.rollout) and C(configok.node.undo) begin with it.
extends_documentation_fragment:
  - configok.node.attributes
  - configok.node.attributes.info_module
attributes:
  platform:
    support: full
    platforms: posix
    details:
      - An action plugin, it always runs on the controller.
options: {}
seealso:
  - module: configok.node.rollout_plan
"""

EXAMPLES = r"""
- name: Refuse unknown keys in the pool file
  configok.node.pool_check:
"""

RETURN = r"""
errors:
  description: One sentence for each key that is refused.
  returned: always
  type: list
  elements: str
  sample: ["maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?"]
"""
