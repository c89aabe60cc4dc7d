# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the names of a run's extra variables on the controller, which alone can tell them from other variables."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import unknown_variables


class ActionModule(ActionBase):
    """The action plugin pool_check; plugins/modules/pool_check.py documents it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the names, and fail with one message for all that would be ignored by mistake."""
        super().run(tmp, task_vars)
        self.validate_argument_spec({})
        try:
            errors = unknown_variables(self._loader)
        except AnsibleError as error:
            # Ansible has read them already; some can be read only once (a pipe), which is not an error.
            return {"changed": False, "errors": [], "msg": f"the extra variables cannot be read again: {error}"}
        if errors:
            return {"failed": True, "changed": False, "errors": errors, "msg": "; ".join(errors)}
        return {"changed": False, "errors": []}
