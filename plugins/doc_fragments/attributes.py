# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the attributes that every module declares."""

from __future__ import annotations


class ModuleDocFragment:
    # For a module that changes something. The module declares its support for each.
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
  diff_mode:
    description:
      - Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
  platform:
    description: Target OS/families that can be operated against.
"""

    # For a module that talks to the API server, on the machine that Ansible runs it on (mostly localhost).
    LOCALHOST = r"""
options: {}
attributes:
  platform:
    support: full
    platforms: posix
    details:
      - Talks to the API server only; run it on localhost, or on any host that reaches the API server.
"""

    # For a module that only reads.
    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module does not change anything.
  diff_mode:
    support: N/A
    details:
      - This module does not change anything.
  idempotent:
    support: full
    details:
      - This module does not change anything.
"""

    # For the action group in meta/runtime.yml.
    ACTIONGROUP_CONFIGOK = r"""
options: {}
attributes:
  action_group:
    description: Use C(group/configok.node.configok) in C(module_defaults) to set defaults for this module.
    support: full
    membership:
      - configok.node.configok
"""
