# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconcile Machines on the controller: read, plan, ask the providers and move, with live progress."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._cluster import ClusterRefused
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines, MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._status import (
    MachineStatus,
    render_notes,
    render_table,
    summarize,
    to_dict,
)
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations._machine_plan.machine_changes import (
    select_machines,
)
from ansible_collections.configok.node.plugins.module_utils._operations._machines import (
    MachineRollout,
    PlannedMachines,
)
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._operations.release_data import using_release_data
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy, pool_name
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import MACHINE_VARIABLES
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._text import (
    sanitize,
    sanitize_all,
)
from ansible_collections.configok.node.plugins.plugin_utils._machine_playbook import MachinePlaybook
from ansible_collections.configok.node.plugins.plugin_utils._reboot_playbook import inventory_hosts
from ansible_collections.configok.node.plugins.plugin_utils._rollout_action import (
    MAX_NAME,
    PLANNED,
    RUN_ARGUMENT_SPEC,
    Interruption,
    RolloutAction,
    failed,
    located_release_data,
)
from ansible_collections.configok.node.plugins.plugin_utils._signals import interruptible

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "machine_files": {"type": "list", "elements": "path"},
    "machine_cluster": {"type": "str"},
    "machine_selector": {"type": "str"},
    "machine_rollout": {"type": "str"},
    "machine_preflight": {"type": "bool"},
    "machine_allow_not_judged": {"type": "bool"},
    "policy": {"type": "dict"},
    "change_cause": {"type": "str"},
    "directory": {"type": "path"},
    "dest": {"type": "path"},
    "release_data": {"type": "path"},
    **RUN_ARGUMENT_SPEC,
}
"""The options, which plugins/modules/machines.py documents."""

_INTERRUPTION = Interruption(
    "interrupted before a machine was changed: run it again to continue",
    "interrupted: nothing else is changed; run it again to continue",
)
_DEFAULT_ROLLOUT = "machines"


class ActionModule(RolloutAction):
    """The action plugin machines; plugins/modules/machines.py documents it."""

    argument_spec = ARGUMENT_SPEC

    def _act(self, params: dict[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Reconcile the machines, and return the outcome."""
        result = self._run(
            lambda: self._reconcile_or_refuse(params, variables),
            _INTERRUPTION,
            machines=[],
            summary=summarize([]),
        )
        if params["dest"]:
            self._write_outcome(_destination(params), result)
        return result

    def _reconcile_or_refuse(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Reconcile the machines, unless their files, or the cluster, do not allow it."""
        try:
            with using_release_data(located_release_data(params)):
                return self._reconcile(params, variables)
        except InvalidMachines as error:
            self._show([f"error: {line}" for line in error.errors])
            return failed(error, errors=sanitize_all(error.errors))
        except (ClusterRefused, MachinesError, UnusableInput) as error:
            return failed(error)

    def _reconcile(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        settings = self._read_settings(params, variables)
        directory = params["directory"] or os.getcwd()
        if params["dest"] and not os.path.isdir(os.path.dirname(_destination(params))):
            raise UnusableInput(
                f"the directory of dest {params['dest']} does not exist: create it, or choose another dest"
            )
        name = settings["machine_rollout"]
        self._outcome["pool"] = sanitize(name, MAX_NAME)
        policy = parse_policy(settings["policy"])
        catalog = machine_catalog([_located(path, directory) for path in settings["machine_files"]])
        selection = select_machines(catalog, settings["machine_cluster"], settings["machine_selector"])
        selection = selection._replace(allows_not_judged=settings["machine_allow_not_judged"])
        playbooks = self._playbooks(policy, directory)
        reboots = self._reboots(policy, directory, variables)
        hosts = MachinePlaybook(
            self._present_options(), lambda: inventory_hosts(variables), directory=directory, show=self._show_line
        )
        options = self._run_options(params, policy, playbooks, reboots)
        connection = client_from_params(params)
        with interruptible(), connection as client, closing(playbooks), closing(hosts), closing(reboots):
            rollout = MachineRollout(
                client, selection, policy, options, hosts, name=name, preflight=settings["machine_preflight"]
            )
            return self._carry_out(rollout, settings, self._author(params, variables), catalog.notes)

    def _read_settings(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options; variables of the play stand in for missing ones.

        Raises RolloutError for misspelt variables, UnusableInput for wrong ones.
        """
        names = MACHINE_VARIABLES.keys[""]
        settings = {name: params[name] for name in names if params[name] is not None}
        if "machine_files" not in settings:
            errors = self._misspelt_variables(MACHINE_VARIABLES)
            if errors:
                raise RolloutError("; ".join(errors))
        for name in names:
            if name not in settings and variables.get(name) is not None:
                settings[name] = self._evaluate(name, variables[name])
        files = settings.get("machine_files")
        files = [files] if isinstance(files, str) else files
        if not isinstance(files, list) or not files or not all(isinstance(path, str) and path for path in files):
            raise UnusableInput("machine_files: give a list of files or directories, for example [machines]")
        switches = {
            name: _is_on(settings.get(name, default))
            for name, default in (("machine_preflight", True), ("machine_allow_not_judged", False))
        }
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
        return {**texts, **switches, "machine_files": files, "policy": settings.get("policy")}

    def _carry_out(
        self, rollout: MachineRollout, settings: Mapping[str, Any], author: str, notes: Sequence[str]
    ) -> dict[str, Any]:
        """Plan the run, and move the machines. notes: about their files."""
        planned = rollout.plan()
        lines = [*planned.lines(), *render_notes(notes)]
        if self._task.check_mode:  # otherwise it is shown at the end
            lines += ["", *render_table(planned.statuses)]
        self._show(lines)
        self._outcome.update(revision=planned.plan.revision, target=planned.target.name)
        self._keep_statuses(planned.statuses)
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
            return failed("; ".join(planned.plan.refusals))
        if self._task.check_mode:
            self._outcome.update(phase=PLANNED, changed=planned.has_work)
            return {}
        try:
            last = rollout.run(planned, author=author, cause=settings["change_cause"])
        finally:
            self._outcome["changed"] = rollout.has_changed
        result = self._moved(last)
        self._show_statuses(rollout, last)
        return result

    def _show_statuses(self, rollout: MachineRollout, last: WaveResult) -> None:
        try:
            statuses = rollout.statuses({failed.node: failed.reason for failed in last.failed_nodes})
        except (ClusterRefused, KubeError, MachinesError, RolloutError) as error:
            self._show([f"The machines cannot be shown: {error}"])  # the outcome does not depend on this
            return
        self._keep_statuses(statuses)
        self._show(["", *render_table(statuses)])

    def _keep_statuses(self, statuses: Sequence[MachineStatus]) -> None:
        self._outcome.update(machines=[to_dict(status) for status in statuses], summary=summarize(statuses))

    def _write_outcome(self, path: str, result: dict[str, Any]) -> None:
        """Write the outcome as JSON, also in check mode, in which it is what the user asks for."""
        text = json.dumps({name: result[name] for name in self._outcome}, indent=2)
        try:
            _write(path, f"{text}\n")
        except OSError as error:
            sentence = sanitize(f"the outcome cannot be written to {path}: {error.strerror}: choose another dest")
            self._show([sentence])
            if not result.get("failed"):
                result.update(failed=True, msg=sentence)


def _is_on(value: Any) -> bool:
    """Return whether a switch is on; an extra variable may be text."""
    return value.lower() not in ("false", "no", "off", "0") if isinstance(value, str) else bool(value)


def _located(path: str, directory: str) -> str:
    """Return a path as messages name it: as the user wrote it, if that is relative to the current directory."""
    return path if directory == os.getcwd() else os.path.join(directory, os.path.expanduser(path))


def _destination(params: Mapping[str, Any]) -> str:
    return os.path.join(params["directory"] or os.getcwd(), params["dest"])


def _write(path: str, text: str) -> None:
    """Write a file at once; a device or a pipe is written to. Raises OSError."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    path = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(prefix=".configok-", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
