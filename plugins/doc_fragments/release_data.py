# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option of modules that validate configs for a release that the collection does not know."""

from __future__ import annotations


class ModuleDocFragment:
    # For a module that reads the file where it runs.
    DOCUMENTATION = r"""
options:
  release_data:
    description:
      - A file that M(configok.node.release_data) has written, of a release that the collection does not know.
      - Its feature gates, flags and defaults are used then. A draft that no person has accepted is an error.
      - It is read where the module runs. Neither the API nor an agent gets any of it.
    type: path
"""

    # For a module whose action plugin reads the file on the controller.
    CONTROLLER = r"""
options:
  release_data:
    description:
      - A file on the controller that M(configok.node.release_data) has written. A draft that no person has accepted is
        an error.
    type: raw
"""
