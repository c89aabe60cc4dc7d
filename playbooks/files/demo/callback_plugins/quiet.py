# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's output for the demo: the messages of the playbooks and the failures, without banners."""

from __future__ import annotations

from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: quiet
type: stdout
short_description: only the messages of the playbooks
description:
  - Shows the messages of debug tasks and of failures, and nothing else.
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]  # ansible-core has no types
    """Prints only what a person needs to read while the demo runs."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "quiet"

    _last_failure: Any = None

    def v2_runner_on_ok(self, result: Any) -> None:
        """Show a debug task's message."""
        if result._task.action in ("debug", "ansible.builtin.debug"):
            self._show(result._result.get("msg"))

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Show why a task failed, unless the playbook fails with the reason of the task before."""
        message = result._result.get("msg")
        if not ignore_errors and message != self._last_failure:
            self._show(message)
            self._last_failure = message

    def v2_runner_item_on_failed(self, result: Any) -> None:
        """Show why an item of a loop failed; the loop itself then only says that one did."""
        self._show(result._result.get("msg"))

    def _show(self, message: Any) -> None:
        lines = message if isinstance(message, list) else str(message or "").splitlines()
        for line in lines:
            self._display.display(f"  {line}")
