# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pack the agent on the controller, which has the collection, and copy it to the node."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail

from ansible_collections.configok.node.plugins.module_utils._agent import AGENT_VERSION
from ansible_collections.configok.node.plugins.plugin_utils._action import HostAction
from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "dest": {"type": "path", "default": "/usr/local/lib/configok/" + ARCHIVE},
    "mode": {"type": "raw", "default": "0755"},
    "owner": {"type": "str"},
    "group": {"type": "str"},
}
COLLECTION = Path(__file__).resolve().parent.parent.parent


class ActionModule(HostAction):
    """Packs the agent, then calls the copy action, which compares, transfers and supports check mode."""

    _supports_check_mode = True
    _requires_connection = True
    TRANSFERS_FILES = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return copy's result, with the agent's version and the archive's SHA-256."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validation, arguments = self.validate_argument_spec(argument_spec=ARGUMENT_SPEC)
        arguments["dest"] = self._from_start(arguments["dest"])
        try:
            content = pack(COLLECTION)
        except OSError as error:
            raise AnsibleActionFail(f"the agent cannot be packed: {error}") from error
        with tempfile.TemporaryDirectory(prefix="configok-") as directory:
            source = os.path.join(directory, ARCHIVE)
            Path(source).write_bytes(content)
            result.update(self._copy({**arguments, "src": source}, task_vars or {}))
        result["agent_version"] = AGENT_VERSION
        result["sha256"] = hashlib.sha256(content).hexdigest()
        result.pop("diff", None)
        return result
