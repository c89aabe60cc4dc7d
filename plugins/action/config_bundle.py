# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module config_bundle with release data of the controller."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.plugin_utils._release_data_action import ReleaseDataAction


class ActionModule(ReleaseDataAction):
    """The action plugin config_bundle; plugins/modules/config_bundle.py documents it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of the module, or why the release data cannot be used."""
        return self._read_release_data() or super().run(tmp, task_vars)
