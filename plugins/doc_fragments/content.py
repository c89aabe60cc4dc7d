# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option of modules that take a config as text, instead of files."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  content:
    description:
      - The config itself, as text. Messages call it C(content).
    type: str
"""
