# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roll out a pool on the controller: publish, plan and move, with live progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._ansible._document_changes import text_diff
from ansible_collections.configok.node.plugins.module_utils._ansible._pool_rollout import PlannedRollout, PoolRollout
from ansible_collections.configok.node.plugins.module_utils._ansible._release_changes import field_changes
from ansible_collections.configok.node.plugins.module_utils._ansible._ssh_signer import SshKeygen
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import (
    KubeError,
    MissingLibrary,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import (
    InvalidText,
    sanitize,
    sanitize_all,
)
from ansible_collections.configok.node.plugins.module_utils._rollout import (
    ConfigRefused,
    Interrupted,
    InvalidPool,
    RolloutError,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_client import access_errors
from ansible_collections.configok.node.plugins.module_utils._rollout._pool._pool_file import Pool, parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_keys import POOL_KEYS
from ansible_collections.configok.node.plugins.module_utils._rollout._report._rendering import render_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._run._run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_run import WaveResult
from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import (
    unknown_file_keys,
    unknown_variables,
)
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
from ansible_collections.configok.node.plugins.plugin_utils._ssh_keygen_runner import run_command

display = Display()

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "pool": {"type": "dict"},
    "operation": {"type": "str", "choices": ["rollout", "undo", "reconcile"], "default": "rollout"},
    "to_revision": {"type": "int"},
    "component": {"type": "str", "default": "kubelet"},
    "directory": {"type": "path"},
    "author": {"type": "str"},
    "lease_duration": {"type": "int", "default": 15},
    "wait_timeout": {"type": "str", "default": "1h"},
    "signing_passphrase": {"type": "str", "no_log": True},
}
"""The options, which plugins/modules/rollout.py documents."""

_AUTHOR_VARIABLES = ("awx_user_name", "tower_user_name")  # of a controller; the first that is set
_INTERRUPTED = "interrupted before a node was assigned: run it again to go on"
_INTERRUPTED_LATE = "interrupted: what is assigned goes on by itself, nothing else is assigned; run it again to go on"
_ERROR, _PLANNED = "Error", "Planned"
_MAX_MESSAGE = 4096
_MAX_NAME = 253
_LOCALHOST = "localhost"  # any other host of the inventory is a cluster


class ActionModule(ActionBase):
    """The action plugin rollout; plugins/modules/rollout.py documents it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate the options, roll out the pool, and return the outcome."""
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
        }
        host = str((task_vars or {}).get("inventory_hostname") or _LOCALHOST)
        self._cluster = "" if host == _LOCALHOST else sanitize(host, _MAX_NAME)
        spare_garbage_collections()
        result: dict[str, Any] = {}
        try:
            result.update(self._roll_out(params, task_vars or {}))
        except MissingLibrary as error:
            result.update(failed=True, msg=f"{error}: install it for {sys.executable}")
        except Interrupted as error:
            result.update(self._interrupted(str(error)))
        except KeyboardInterrupt:
            result.update(self._interrupted(_INTERRUPTED_LATE if self._outcome["changed"] else _INTERRUPTED))
        except ConfigRefused as error:
            self._show(error.lines)
            result.update(failed=True, msg=sanitize(error, _MAX_MESSAGE), findings=sanitize_all(error.findings))
        except Unreachable as error:
            result.update(failed=True, msg=f"{sanitize(error)}: run it again when the API server answers")
        except (InvalidText, KubeError, RolloutError) as error:
            result.update(failed=True, msg=sanitize(error, _MAX_MESSAGE))
        if result.get("failed") and not self._outcome["reason"]:
            self._outcome["reason"] = result["msg"]
        return {**result, **sanitize_all(self._outcome)}

    def _roll_out(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        definition = params["pool"] or self._pool_variables(variables)
        self._outcome["pool"] = sanitize(definition.get("pool") or "", _MAX_NAME)
        pool = parse_pool(definition)
        directory = params["directory"] or os.getcwd()
        playbooks, reboots = self._playbooks(pool, directory), self._reboots(pool, directory, variables)
        options = RunOptions(
            runner_name(),
            report=lambda progress: self._show_line(progress_line(progress)),
            lease_duration=read_lease_duration(params),
            wait_timeout=read_wait_timeout(params),
            before_wave=playbooks.before_wave if pool.policy.playbooks.before_wave else None,
            after_wave=playbooks.after_wave if pool.policy.playbooks.after_wave else None,
            run_reboot=reboots,
        )
        client = self._client(params, variables)
        rollout = PoolRollout(
            client,
            pool,
            options,
            check=self._task.check_mode,
            ssh_keygen=SshKeygen(run_command),
            passphrase=params["signing_passphrase"] or "",
        )
        with interruptible(), client, closing(playbooks), closing(reboots), rollout:
            return self._carry_out(rollout, pool, params, self._author(params, variables))

    def _playbooks(self, pool: Pool, directory: str) -> WavePlaybookRunner:
        """Return the user's own playbooks before and after each wave.

        Raises InvalidPool for a missing one, and for a gate without its token: a wave would pause because of either.
        """
        settings = pool.policy.playbooks
        names = {
            "policy.playbooks.beforeWave": settings.before_wave,
            "policy.playbooks.afterWave": settings.after_wave,
            "policy.reboot.playbook": pool.policy.reboot.playbook,
        }
        errors = [*missing_playbooks(names, directory), *access_errors(pool.policy.gates.servers)]
        if errors:
            raise InvalidPool(errors)
        options = PlaybookOptions.of_present_run(self._loader, self._play_context)
        return WavePlaybookRunner(
            settings,
            options,
            directory=directory,
            facts=lambda: {name: self._outcome[name] for name in ("pool", "revision", "target")},
            show=self._show_line,
        )

    def _reboots(self, pool: Pool, directory: str, variables: Mapping[str, Any]) -> RebootPlaybook:
        """Return what reboots machines over the user's own connection."""
        return RebootPlaybook(
            pool.policy.reboot.playbook,
            PlaybookOptions.of_present_run(self._loader, self._play_context),
            lambda: inventory_hosts(variables),
            directory=directory,
            show=self._show_line,
        )

    def _carry_out(self, rollout: PoolRollout, pool: Pool, params: Mapping[str, Any], author: str) -> dict[str, Any]:
        lines: list[str] = []
        if params["operation"] == "rollout":
            release = rollout.prepare(params["component"], params["directory"] or os.getcwd(), author)
            self._outcome["changed"] = release.changed
            lines = [f"{finding.level}: {finding}" for finding in release.findings]
            planned = rollout.plan(release)
        elif params["operation"] == "undo":
            planned = rollout.plan_undo(params["to_revision"])
        else:
            planned = rollout.plan_reconcile()
        changes = planned.changes
        lines += [*changes.lines, *planned.trust.lines(), *render_plan(planned.plan, pool.policy)]
        self._show(lines)
        self._outcome.update(revision=planned.plan.revision, target=planned.plan.target.name)
        result = self._move(rollout, planned, pool)
        if self._task.diff:
            result["diff"] = sanitize_all(text_diff(changes.before, changes.after))
        if not result.get("failed"):
            result.update(
                text=sanitize_all(lines),
                field_changes=sanitize_all(field_changes(changes.groups)),
                plan=sanitize_all(planned.to_dict()),
            )
        return result

    def _move(self, rollout: PoolRollout, planned: PlannedRollout, pool: Pool) -> dict[str, Any]:
        """Return the result of moving the pool; in check mode, what would change."""
        if planned.plan.refusals:
            return {"failed": True, "msg": sanitize("; ".join(planned.plan.refusals), _MAX_MESSAGE)}
        if self._task.check_mode:
            self._outcome["phase"] = _PLANNED
            self._outcome["changed"] = self._outcome["changed"] or planned.plan.has_work
            return {}
        try:
            last = rollout.run(planned.plan)[-1]
        finally:
            self._outcome["changed"] = self._outcome["changed"] or rollout.has_changed
        self._outcome.update(
            phase=last.phase,
            reason=last.reason,
            exceptions=[dict(vars(failed)) for failed in last.failed_nodes],
        )
        self._show_status(rollout)
        return _failure(pool.name, last)

    def _interrupted(self, sentence: str) -> dict[str, Any]:
        self._show([sentence])  # Ansible shows no result after Ctrl-C
        return {"failed": True, "msg": sanitize(sentence, _MAX_MESSAGE)}

    def _show_status(self, rollout: PoolRollout) -> None:
        try:
            self._show(["", *rollout.status_lines()])
        except (KubeError, RolloutError) as error:  # the outcome of the rollout does not depend on this
            self._show([f"The nodes cannot be shown: {error}"])

    def _show(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._show_line(sanitize(line))

    def _show_line(self, line: str) -> None:
        """Display a line, after the cluster's name where several clusters move at the same time."""
        display.display(f"{self._cluster}: {line}" if self._cluster and line else line)

    def _pool_variables(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the variables of the play that are keys of a pool file. Raises RolloutError for misspelt ones."""
        try:
            errors = unknown_variables(self._loader)
        except AnsibleError:
            errors = []  # Ansible has read them already; some can be read only once (a pipe), which is not an error.
        errors += unknown_file_keys(variables)
        if errors:
            raise RolloutError("; ".join(errors))
        names = [name for name in POOL_KEYS[""] if name in variables]
        return {name: self._evaluate(name, variables[name]) for name in names}

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


def _failure(pool: str, last: WaveResult) -> dict[str, Any]:
    return {"failed": True, "msg": sanitize(failure_message(pool, last), _MAX_MESSAGE)} if last.failed else {}
