# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the report of a pool on the controller, and copy the page to the host of the task."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.plugin_utils._action import ModuleAction
from ansible_collections.configok.node.plugins.plugin_utils._report_page import render_page
from ansible_collections.configok.node.plugins.plugin_utils._values import plain

_MODE = "0644"
_FILE_OPTIONS = ("owner", "group", "seuser", "serole", "setype", "selevel", "attributes", "unsafe_writes")
_FILE_FACTS = ("uid", "gid", "owner", "group", "mode", "state", "secontext")


class ActionModule(ModuleAction):
    """Runs the module, which reads the pool and the present page; renders the page, and has it copied.

    The template needs Jinja, which the control machine has, and the host need not have.
    """

    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of the module with the time and the size of the page, and whether the file changes."""
        result = super().run(tmp, task_vars)
        reading = plain(result.pop("reading", None))
        if reading is None:  # it failed
            return result
        page, generated = _page(reading)
        copied = self._write(page, plain(result["dest"]), task_vars or {})
        if copied.get("failed"):
            return {**copied, "diff": result["diff"]}
        facts = {name: copied[name] for name in _FILE_FACTS if name in copied}
        return {**result, **facts, "changed": copied["changed"], "generated": generated, "size": len(page)}

    def _write(self, page: bytes, dest: str, task_vars: dict[str, Any]) -> dict[str, Any]:
        """Replace the file as a whole, unless it is the same, and set what the task says of it."""
        options = {name: self._task.args.get(name) for name in _FILE_OPTIONS}
        with tempfile.TemporaryDirectory(prefix="configok-") as directory:
            source = Path(directory) / os.path.basename(dest)
            source.write_bytes(page)
            return self._copy(
                {**options, "src": str(source), "dest": dest, "mode": self._task.args.get("mode") or _MODE}, task_vars
            )


def _page(reading: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return the page and its time. A page that would differ from the present one only in its time is that one."""
    present = reading["present"]
    for generated in filter(None, (present["generated"], reading["time"])):
        page = render_page(reading["data"], generated).encode()
        if hashlib.sha256(page).hexdigest() == present["sha256"]:
            break
    return page, generated
