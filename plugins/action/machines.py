# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconcile Machines on the controller: read, plan, ask the providers and move, with live progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._ansible import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._ansible._machine_changes import select_machines
from ansible_collections.configok.node.plugins.module_utils._ansible._machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._ansible._machine_rollout import (
    MachineRollout,
    PlannedMachines,
)
from ansible_collections.configok.node.plugins.module_utils._cluster import ClusterRefused
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import (
    KubeError,
    MissingLibrary,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines, MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._status._phases import to_dict
from ansible_collections.configok.node.plugins.module_utils._machines._status._rendering import render_table
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import (
    InvalidText,
    sanitize,
    sanitize_all,
)
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, InvalidPool, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_client import access_errors
from ansible_collections.configok.node.plugins.module_utils._rollout._pool._policy import Policy, parse_policy
from ansible_collections.configok.node.plugins.module_utils._rollout._pool._pool_file import pool_name
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_keys import MACHINE_VARIABLES
from ansible_collections.configok.node.plugins.module_utils._rollout._run._run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_run import WaveResult
from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import unknown_variables
from ansible_collections.configok.node.plugins.plugin_utils._machine_playbook import MachinePlaybook
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    WavePlaybookRunner,
    missing_playbooks,
)
from ansible_collections.configok.node.plugins.plugin_utils._reboot_playbook import RebootPlaybook, inventory_hosts
from ansible_collections.configok.node.plugins.plugin_utils._run import (
    failure_message,
    interruptible,
    progress_line,
    read_lease_duration,
    read_wait_timeout,
    runner_name,
    spare_garbage_collections,
)

display = Display()

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "machine_files": {"type": "list", "elements": "path"},
    "machine_cluster": {"type": "str"},
    "machine_selector": {"type": "str"},
    "machine_rollout": {"type": "str"},
    "machine_preflight": {"type": "bool"},
    "policy": {"type": "dict"},
    "change_cause": {"type": "str"},
    "author": {"type": "str"},
    "directory": {"type": "path"},
    "lease_duration": {"type": "int", "default": 15},
    "wait_timeout": {"type": "str", "default": "1h"},
}
"""The options, which plugins/modules/machines.py documents."""

_AUTHOR_VARIABLES = ("awx_user_name", "tower_user_name")  # of a controller; the first that is set
_INTERRUPTED = "interrupted before a machine was changed: run it again to go on"
_INTERRUPTED_LATE = "interrupted: nothing else is changed; run it again to go on"
_ERROR, _PLANNED = "Error", "Planned"
_DEFAULT_ROLLOUT = "machines"
_MAX_MESSAGE = 4096
_MAX_NAME = 253


class ActionModule(ActionBase):
    """The action plugin machines; plugins/modules/machines.py documents it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate the options, reconcile the machines, and return the outcome."""
        super().run(tmp, task_vars)
        _validation, params = self.validate_argument_spec(ARGUMENT_SPEC)
        self._outcome: dict[str, Any] = {
            "changed": False,
            "pool": "",
            "revision": 0,
            "target": "",
            "phase": _ERROR,
            "reason": "",
            "exceptions": [],
            "machines": [],
        }
        spare_garbage_collections()
        result: dict[str, Any] = {}
        try:
            result.update(self._reconcile(params, task_vars or {}))
        except MissingLibrary as error:
            result.update(failed=True, msg=f"{error}: install it for {sys.executable}")
        except Interrupted as error:
            result.update(self._interrupted(str(error)))
        except KeyboardInterrupt:
            result.update(self._interrupted(_INTERRUPTED_LATE if self._outcome["changed"] else _INTERRUPTED))
        except InvalidMachines as error:
            self._show([f"error: {line}" for line in error.errors])
            result.update(failed=True, msg=sanitize(error, _MAX_MESSAGE), errors=sanitize_all(error.errors))
        except Unreachable as error:
            result.update(failed=True, msg=f"{sanitize(error)}: run it again when the API server answers")
        except (ClusterRefused, InvalidText, KubeError, MachinesError, RolloutError, UnusableInput) as error:
            result.update(failed=True, msg=sanitize(error, _MAX_MESSAGE))
        if result.get("failed") and not self._outcome["reason"]:
            self._outcome["reason"] = result["msg"]
        return {**result, **sanitize_all(self._outcome)}

    def _reconcile(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        settings = self._read_settings(params, variables)
        directory = params["directory"] or os.getcwd()
        name = settings["machine_rollout"]
        self._outcome["pool"] = sanitize(name, _MAX_NAME)
        policy = parse_policy(settings["policy"])
        catalog = machine_catalog([_located(path, directory) for path in settings["machine_files"]])
        selection = select_machines(catalog, settings["machine_cluster"], settings["machine_selector"])
        playbooks = self._playbooks(policy, directory)
        hosts = MachinePlaybook(
            PlaybookOptions.of_present_run(self._loader, self._play_context),
            lambda: inventory_hosts(variables),
            directory=directory,
            show=display.display,
        )
        reboots = RebootPlaybook(
            policy.reboot.playbook,
            PlaybookOptions.of_present_run(self._loader, self._play_context),
            lambda: inventory_hosts(variables),
            directory=directory,
            show=display.display,
        )
        options = RunOptions(
            runner_name(),
            report=lambda progress: display.display(progress_line(progress)),
            lease_duration=read_lease_duration(params),
            wait_timeout=read_wait_timeout(params),
            before_wave=playbooks.before_wave if policy.playbooks.before_wave else None,
            after_wave=playbooks.after_wave if policy.playbooks.after_wave else None,
            run_reboot=reboots,
        )
        connection = self._client(params, variables)
        with interruptible(), connection as client, closing(playbooks), closing(hosts), closing(reboots):
            rollout = MachineRollout(
                client, selection, policy, options, hosts, name=name, preflight=settings["machine_preflight"]
            )
            return self._carry_out(rollout, settings, self._author(params, variables))

    def _read_settings(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options; variables of the play stand in for missing ones.

        Raises RolloutError for misspelt variables, UnusableInput for wrong ones.
        """
        names = MACHINE_VARIABLES.keys[""]
        settings = {name: params[name] for name in names if params[name] is not None}
        if "machine_files" not in settings:
            self._refuse_misspelt_variables()
        for name in names:
            if name not in settings and variables.get(name) is not None:
                settings[name] = self._evaluate(name, variables[name])
        files = settings.get("machine_files")
        files = [files] if isinstance(files, str) else files
        if not isinstance(files, list) or not files or not all(isinstance(path, str) and path for path in files):
            raise UnusableInput("machine_files: give a list of files or directories, for example [machines]")
        preflight = settings.get("machine_preflight", True)
        if isinstance(preflight, str):
            preflight = preflight.lower() not in ("false", "no", "off", "0")
        texts = {
            name: settings.get(name, "")
            for name in ("machine_cluster", "machine_selector", "machine_rollout", "change_cause")
        }
        for name, value in texts.items():
            if not isinstance(value, str):
                raise UnusableInput(f"{name} must be text, not {value!r}")
        texts["machine_rollout"] = texts["machine_rollout"] or _DEFAULT_ROLLOUT
        try:
            pool_name(texts["machine_rollout"])
        except ValueError as error:
            raise UnusableInput(f"machine_rollout: {error}") from error
        return {**texts, "machine_files": files, "machine_preflight": bool(preflight), "policy": settings.get("policy")}

    def _refuse_misspelt_variables(self) -> None:
        try:
            errors = unknown_variables(self._loader, MACHINE_VARIABLES)
        except AnsibleError:
            errors = []  # Ansible has read them already; some can be read only once (a pipe), which is not an error.
        if errors:
            raise RolloutError("; ".join(errors))

    def _playbooks(self, policy: Policy, directory: str) -> WavePlaybookRunner:
        """Return the user's own playbooks before and after each wave. Raises InvalidPool for a missing one."""
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
            PlaybookOptions.of_present_run(self._loader, self._play_context),
            directory=directory,
            facts=lambda: {name: self._outcome[name] for name in ("pool", "revision", "target")},
            show=display.display,
        )

    def _carry_out(self, rollout: MachineRollout, settings: Mapping[str, Any], author: str) -> dict[str, Any]:
        planned = rollout.plan()
        lines = planned.lines()
        if self._task.check_mode:  # otherwise it is shown at the end
            lines += ["", *render_table(planned.statuses)]
        self._show(lines)
        statuses = [to_dict(status) for status in planned.statuses]
        self._outcome.update(revision=planned.plan.revision, target=planned.target.name, machines=statuses)
        result = self._move(rollout, planned, settings, author)
        if self._task.diff:
            result["diff"] = sanitize_all(planned.diffs())
        if not result.get("failed"):
            result.update(text=sanitize_all(lines))
        return result

    def _move(
        self, rollout: MachineRollout, planned: PlannedMachines, settings: Mapping[str, Any], author: str
    ) -> dict[str, Any]:
        """Return the result of moving the machines; in check mode, what would change."""
        if planned.plan.refusals:
            return {"failed": True, "msg": sanitize("; ".join(planned.plan.refusals), _MAX_MESSAGE)}
        if self._task.check_mode:
            self._outcome.update(phase=_PLANNED, changed=planned.has_work)
            return {}
        try:
            last = rollout.run(planned, author=author, cause=settings["change_cause"])
        finally:
            self._outcome["changed"] = rollout.has_changed
        self._outcome.update(
            phase=last.phase,
            reason=last.reason,
            exceptions=[dict(vars(failed)) for failed in last.failed_nodes],
        )
        self._show_statuses(rollout, last)
        return _failure(self._outcome["pool"], last)

    def _show_statuses(self, rollout: MachineRollout, last: WaveResult) -> None:
        try:
            statuses = rollout.statuses({failed.node: failed.reason for failed in last.failed_nodes})
        except (ClusterRefused, KubeError, MachinesError, RolloutError) as error:
            self._show([f"The machines cannot be shown: {error}"])  # the outcome does not depend on this
            return
        self._outcome["machines"] = [to_dict(status) for status in statuses]
        self._show(["", *render_table(statuses)])

    def _interrupted(self, sentence: str) -> dict[str, Any]:
        self._show([sentence])  # Ansible shows no result after Ctrl-C
        return {"failed": True, "msg": sanitize(sentence, _MAX_MESSAGE)}

    def _show(self, lines: Sequence[str]) -> None:
        for line in lines:
            display.display(sanitize(line))

    def _evaluate(self, name: str, value: Any) -> Any:
        """Return the value of a variable, which may be a template. Raises RolloutError."""
        try:
            return self._templar.template(value)
        except AnsibleError as error:
            raise RolloutError(f"the variable {name} cannot be evaluated: {error}") from error

    def _client(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> Client:
        """Return a client for the options; the variables kubeconfig and context stand in for missing ones."""
        names = [name for name in ("kubeconfig", "context") if not params[name] and variables.get(name)]
        return client_from_params(
            {**params, **{name: os.path.expanduser(str(self._evaluate(name, variables[name]))) for name in names}}
        )

    def _author(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        names = [str(variables[name]) for name in _AUTHOR_VARIABLES if variables.get(name)]
        return str(params["author"] or next(iter(names), "") or os.environ.get("USER", ""))


def _located(path: str, directory: str) -> str:
    """Return a path as messages name it: as the user wrote it, if that is relative to the current directory."""
    return path if directory == os.getcwd() else os.path.join(directory, os.path.expanduser(path))


def _failure(name: str, last: WaveResult) -> dict[str, Any]:
    return {"failed": True, "msg": sanitize(failure_message(name, last), _MAX_MESSAGE)} if last.failed else {}
