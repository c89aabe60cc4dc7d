# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What actions share that run their module as usual, with release data that they read on the controller.

Private to configok.node.
"""

from __future__ import annotations

import os
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations.release_data import read_release_data
from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._action import ModuleAction

__all__ = ["ReleaseDataAction"]

_OPTION = "release_data"


class ReleaseDataAction(ModuleAction):
    """An action plugin that runs its module.

    The file is local to the controller, wherever the module runs, and the module need not ship what reads it.
    """

    def _read_release_data(self) -> dict[str, Any]:
        """Replace the path in the option by what the file says of gates and fields.

        Return no result, or that of the task if the file cannot be used.
        """
        value = self._task.args.get(_OPTION)
        if isinstance(value, str):  # a repeated run has read it already
            try:
                facts = read_release_data(os.path.expanduser(value)).facts() if value else None
            except UnusableInput as error:
                return {"failed": True, "msg": sanitize(str(error))}
            self._task.args = {**self._task.args, _OPTION: facts}
        return {}
