# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every action plugin of the collection is based on: it honours the keywords of its task as a module would.

Ansible gives a module its environment, its user and its host. An action plugin is called in Ansible's own process,
where nothing of that holds. A task and the module next to it must act on the same cluster, so an action that acts on
the control machine honours a keyword in this file, or refuses it. Private to configok.node.
"""

from __future__ import annotations

import os
import pwd
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any, ClassVar

from ansible import constants
from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._machine_kinds import kinds as machine_kinds
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._values import keeping_types, plain

__all__ = ["KEYWORDS", "ControllerAction", "HostAction", "Keyword", "ModuleAction"]

SHIPPED = machine_kinds  # every action knows the kinds of Machines, whatever else its process has imported

_display = Display()
_FOR_PROGRAMS = ("json", "jsonl")  # callbacks of ansible.posix, whose output has to stay one JSON text, or one a line


class Keyword(Enum):
    """What a keyword of a task does for an action that acts on the control machine."""

    BY_ANSIBLE = "by Ansible"  # around every action
    HONOURED = "honoured"
    REFUSED = "refused"
    MEANINGLESS = "meaningless"


KEYWORDS: Mapping[str, Keyword] = {
    **dict.fromkeys(
        (
            *("action", "args", "name", "vars", "module_defaults", "collections", "tags", "when", "debugger"),
            *("loop", "loop_control", "loop_with", "until", "retries", "delay", "register", "notify", "timeout"),
            *("changed_when", "failed_when", "ignore_errors", "ignore_unreachable", "any_errors_fatal"),
            *("run_once", "throttle", "delegate_facts"),
        ),
        Keyword.BY_ANSIBLE,
    ),
    **dict.fromkeys(("check_mode", "diff", "environment", "no_log"), Keyword.HONOURED),
    **dict.fromkeys(("async", "poll", "become", "become_user", "connection", "delegate_to"), Keyword.REFUSED),
    **dict.fromkeys(("become_exe", "become_flags", "become_method", "port", "remote_user"), Keyword.MEANINGLESS),
}
"""Every keyword of a task, which docs/reference/task-keywords.md describes."""


class HostAction(ActionBase):
    """Does something on the host of its task, by means of Ansible's own actions, which honour the keywords."""

    @property
    def _is_here(self) -> bool:
        """Whether the task runs on the control machine, without a connection to a host."""
        return bool(self._connection.transport == "local")

    def _from_start(self, path: str) -> str:
        """Return a path of the task; on the control machine, relative to where ansible-playbook was started."""
        return os.path.join(os.getcwd(), os.path.expanduser(path)) if self._is_here else path

    def _copy(self, arguments: Mapping[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the result of Ansible's action copy, which compares, transfers and supports check mode.

        arguments: options of copy; those that are None are left out.
        """
        task = self._task.copy()
        task.args = {name: value for name, value in arguments.items() if value is not None}
        task.diff = False  # its difference would be the content of the file
        copy = self._shared_loader_obj.action_loader.get(
            "ansible.legacy.copy",
            task=task,
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=self._shared_loader_obj,
        )
        return dict(copy.run(task_vars=task_vars))


class ModuleAction(HostAction, NormalAction):
    """Runs its module as Ansible does; on the control machine, where ansible-playbook was started.

    Ansible itself runs it in the directory of the playbook, where relative paths would mean other files than those of
    an action on the control machine.
    """

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of the module."""
        return dict(super().run(tmp, task_vars))

    def _low_level_execute_command(self, *arguments: Any, **options: Any) -> Any:
        if self._is_here and not options.get("chdir"):
            options["chdir"] = shlex.quote(os.getcwd())
        return super()._low_level_execute_command(*arguments, **options)


class ControllerAction(HostAction):
    """Acts on the control machine, in Ansible's own process.

    A subclass has its options in argument_spec, and acts in _act.
    """

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False
    argument_spec: ClassVar[dict[str, dict[str, Any]]] = {}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return what the action returns, or why it cannot honour the keywords of its task."""
        super().run(tmp, task_vars)
        refusal = self._refusal(task_vars or {})
        if refusal:
            return {"failed": True, "msg": refusal}
        with self._environment():
            _validation, options = self.validate_argument_spec(self.argument_spec)
            return self._act(plain(options), task_vars or {})

    def _act(self, params: dict[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of the task. params: its options; variables: those of the task, with templates in them."""
        raise NotImplementedError

    def _refusal(self, variables: Mapping[str, Any]) -> str:
        """Return why the task cannot act here with its keywords, "" if it can."""
        statement = f"{self._task.action.rpartition('.')[2]} acts on the control machine"
        if not self._is_here:
            keyword = "delegate_to" if self._task.delegate_to else "connection"
            host = sanitize(self._task.delegate_to or variables.get("inventory_hostname"), 253)
            return f"{keyword}: {statement}, not on {host}: give its task delegate_to: localhost and connection: local"
        user = self._become_user()
        if not _is_this_user(user):
            return (
                f"become: {statement} as the user who runs Ansible, not as {sanitize(user, 64)}: give its task become: "
                "false, or localhost the variable ansible_become: false if the inventory sets it to true"
            )
        return ""

    def _become_user(self) -> str:
        """Return the user that a module of this task would become, "" if it would remain the present one."""
        return str(self.get_become_option("become_user") or "root") if self._connection.become else ""

    @contextmanager
    def _environment(self) -> Iterator[None]:
        """Act with the environment of the task, which a module would have, until the block ends."""
        values: dict[str, Any] = {}
        self._compute_environment_string(values)
        environment = {str(name): str(value) for name, value in plain(values).items()}
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def _evaluate(self, name: str, value: Any) -> Any:
        """Return the value of a variable, which may be a template. Raises RolloutError."""
        try:
            return plain(keeping_types(self._templar).template(value))
        except AnsibleError as error:
            raise RolloutError(f"the variable {name} cannot be evaluated: {error}") from error

    def _display_line(self, line: str) -> None:
        """Display a line at once, unless the log of the task is off or a program reads the output."""
        if not self._task.no_log and _callback() not in _FOR_PROGRAMS:
            _display.display(line)


def _callback() -> str:
    return str(constants.DEFAULT_STDOUT_CALLBACK).rpartition(".")[2]


def _is_this_user(name: str) -> bool:
    """Return whether this process is the user's already. name: "" for the present user."""
    try:
        return not name or pwd.getpwnam(name).pw_uid == os.geteuid()
    except KeyError:
        return False
