# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Display lines as they are, whatever callback shows the tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._action import ControllerAction
from ansible_collections.configok.node.plugins.plugin_utils._output import ending_without_reader

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {"lines": {"type": "list", "elements": "str", "required": True}}
"""The options, which plugins/modules/show.py documents."""


class ActionModule(ControllerAction):
    """The action plugin show; plugins/modules/show.py documents it."""

    argument_spec = ARGUMENT_SPEC

    def _act(self, params: dict[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Display the lines."""
        with ending_without_reader():
            for line in params["lines"]:
                self._display_line(sanitize(line))
        return {"changed": False}
