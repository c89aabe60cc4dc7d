# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins that move nodes share: their outcome, lines, variables and playbooks.

Private to configok.node.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ansible.errors import AnsibleError

from ansible_collections.configok.node.plugins.module_utils._foreign import InvalidText
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    KubeError,
    MissingLibrary,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, InvalidPool, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import access_errors
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.policy import Policy
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import POOL_FILE, FileKeys
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._text import (
    sanitize,
    sanitize_all,
)
from ansible_collections.configok.node.plugins.plugin_utils._action import ControllerAction
from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import unknown_variables
from ansible_collections.configok.node.plugins.plugin_utils._output import ending_without_reader
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    WavePlaybookRunner,
    missing_playbooks,
)
from ansible_collections.configok.node.plugins.plugin_utils._reboot_playbook import RebootPlaybook, inventory_hosts
from ansible_collections.configok.node.plugins.plugin_utils._run import (
    failure_message,
    progress_line,
    read_lease_duration,
    read_wait_timeout,
    runner_name,
    spare_garbage_collections,
)

__all__ = [
    "MAX_NAME",
    "PLANNED",
    "RUN_ARGUMENT_SPEC",
    "Interruption",
    "RolloutAction",
    "failed",
    "located_release_data",
]

MAX_NAME = 253
PLANNED = "Planned"

RUN_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    "author": {"type": "str"},
    "lease_duration": {"type": "int", "default": 15},
    "wait_timeout": {"type": "str", "default": "1h"},
}
"""The options of one run, which plugins/doc_fragments/run.py documents."""

_AUTHOR_VARIABLES = ("awx_user_name", "tower_user_name")  # of a controller; the first that is set
_ERROR = "Error"
_MAX_MESSAGE = 4096


class Interruption(NamedTuple):
    """The sentences about a run that Ctrl-C ended: before its first change, and later."""

    early: str
    late: str


def failed(error: object, **more: Any) -> dict[str, Any]:
    """Return the result of a task that fails."""
    return {"failed": True, "msg": sanitize(error, _MAX_MESSAGE), **more}


def located_release_data(params: Mapping[str, Any]) -> str | None:
    """Return the path of the release data in an action's options, relative to its directory; None without any."""
    path = params["release_data"]
    return os.path.join(params["directory"] or os.getcwd(), path) if path else None


class RolloutAction(ControllerAction):
    """An action plugin that moves nodes."""

    _cluster = ""  # where several clusters move at the same time

    def _run(self, operate: Callable[[], dict[str, Any]], interruption: Interruption, **outcome: Any) -> dict[str, Any]:
        """Return the result of the task: that of operate, or its error, and the outcome as far as it is known.

        outcome: what this action has more than others.
        """
        self._outcome: dict[str, Any] = {
            "changed": False,
            "pool": "",
            "revision": 0,
            "target": "",
            "phase": _ERROR,
            "reason": "",
            "exceptions": [],
            **outcome,
        }
        spare_garbage_collections()
        try:
            with ending_without_reader():
                result = operate()
        except MissingLibrary as error:
            result = {"failed": True, "msg": f"{error}: install it for {sys.executable}"}
        except Interrupted as error:
            result = self._interrupted(str(error))
        except KeyboardInterrupt:
            result = self._interrupted(interruption.late if self._outcome["changed"] else interruption.early)
        except Unreachable as error:
            result = {"failed": True, "msg": f"{sanitize(error)}: run it again when the API server answers"}
        except (InvalidText, KubeError, RolloutError, UnusableInput) as error:
            result = failed(error)
        if result.get("failed") and not self._outcome["reason"]:
            self._outcome["reason"] = result["msg"]
        return {**result, **sanitize_all(self._outcome)}

    def _interrupted(self, sentence: str) -> dict[str, Any]:
        self._show([sentence])  # Ansible shows no result after Ctrl-C
        return failed(sentence)

    def _playbooks(self, policy: Policy, directory: str) -> WavePlaybookRunner:
        """Return the user's own playbooks before and after each wave.

        Raises InvalidPool for a missing one, and for a gate without its token: a wave would pause because of either.
        """
        settings = policy.playbooks
        names = {
            "policy.playbooks.beforeWave": settings.before_wave,
            "policy.playbooks.afterWave": settings.after_wave,
            "policy.reboot.playbook": policy.reboot.playbook,
        }
        errors = [*missing_playbooks(names, directory), *access_errors(policy.gates.servers)]
        if errors:
            raise InvalidPool(errors)
        return WavePlaybookRunner(
            settings,
            self._present_options(),
            directory=directory,
            facts=lambda: {name: self._outcome[name] for name in ("pool", "revision", "target")},
            show=self._show_line,
        )

    def _reboots(self, policy: Policy, directory: str, variables: Mapping[str, Any]) -> RebootPlaybook:
        """Return what reboots machines over the user's own connection."""
        return RebootPlaybook(
            policy.reboot.playbook,
            self._present_options(),
            lambda: inventory_hosts(variables),
            directory=directory,
            show=self._show_line,
        )

    def _present_options(self) -> PlaybookOptions:
        """Return the options of the present run, for the playbooks that it starts."""
        return PlaybookOptions.of_present_run(self._loader, self._play_context)

    def _run_options(
        self, params: Mapping[str, Any], policy: Policy, playbooks: WavePlaybookRunner, reboots: RebootPlaybook
    ) -> RunOptions:
        return RunOptions(
            runner_name(),
            report=lambda progress: self._show_line(progress_line(progress)),
            lease_duration=read_lease_duration(params),
            wait_timeout=read_wait_timeout(params),
            before_wave=playbooks.before_wave if policy.playbooks.before_wave else None,
            after_wave=playbooks.after_wave if policy.playbooks.after_wave else None,
            run_reboot=reboots,
        )

    def _moved(self, last: WaveResult) -> dict[str, Any]:
        """Return the result of a run after its last wave, and note its outcome."""
        self._outcome.update(
            phase=last.phase, reason=last.reason, exceptions=[dict(vars(node)) for node in last.failed_nodes]
        )
        return failed(failure_message(self._outcome["pool"], last)) if last.failed else {}

    def _show(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._show_line(sanitize(line))

    def _show_line(self, line: str) -> None:
        """Display a line, after the cluster's name where several clusters move at the same time."""
        self._display_line(f"{self._cluster}: {line}" if self._cluster and line else line)

    def _misspelt_variables(self, file: FileKeys = POOL_FILE) -> list[str]:
        """Return what is wrong with the names of the extra variables."""
        try:
            return unknown_variables(self._loader, file)
        except AnsibleError:
            return []  # Ansible has read them already; some can be read only once (a pipe), which is not an error.

    def _author(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        names = [str(variables[name]) for name in _AUTHOR_VARIABLES if variables.get(name)]
        return str(params["author"] or next(iter(names), "") or os.environ.get("USER", ""))
