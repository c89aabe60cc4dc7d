# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module of the collection. meta/runtime.yml names it for every module without an action plugin of its own."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.plugin_utils._action import ModuleAction


class ActionModule(ModuleAction):
    """The action plugin of most modules, which has nothing of its own."""
