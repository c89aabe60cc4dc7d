# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roll out a pool on the controller: publish, plan and move, with live progress."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import finding_lines
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._operations._pool.pool_rollout import (
    PlannedRollout,
    PoolRollout,
)
from ansible_collections.configok.node.plugins.module_utils._operations._signing import SshKeygen
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import field_changes, text_diff
from ansible_collections.configok.node.plugins.module_utils._operations.release_data import using_release_data
from ansible_collections.configok.node.plugins.module_utils._rollout import (
    ConfigRefused,
    RolloutError,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import KUBELET, Pool, parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import POOL_FILE
from ansible_collections.configok.node.plugins.module_utils._rollout._report.rendering import render_plan
from ansible_collections.configok.node.plugins.module_utils._text import (
    sanitize,
    sanitize_all,
)
from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import unknown_file_keys
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
from ansible_collections.configok.node.plugins.plugin_utils._ssh_keygen_runner import run_command
from ansible_collections.configok.node.plugins.plugin_utils._template_notes import template_notes

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "pool": {"type": "dict"},
    "operation": {"type": "str", "choices": ["rollout", "undo", "reconcile"], "default": "rollout"},
    "to_revision": {"type": "int"},
    "component": {"type": "str", "default": KUBELET},
    "directory": {"type": "path"},
    **RUN_ARGUMENT_SPEC,
    "signing_passphrase": {"type": "str", "no_log": True},
    "release_data": {"type": "path"},
}
"""The options, which plugins/modules/rollout.py documents."""

_INTERRUPTION = Interruption(
    "interrupted before a node was assigned: run it again to continue",
    "interrupted: what is assigned continues by itself, nothing else is assigned; run it again to continue",
)
_LOCALHOST = "localhost"  # any other host of the inventory is a cluster


class ActionModule(RolloutAction):
    """The action plugin rollout; plugins/modules/rollout.py documents it."""

    argument_spec = ARGUMENT_SPEC

    def _act(self, params: dict[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Roll out the pool, and return the outcome."""
        host = str(variables.get("inventory_hostname") or _LOCALHOST)
        self._cluster = "" if host == _LOCALHOST else sanitize(host, MAX_NAME)
        return self._run(lambda: self._roll_out_or_refuse(params, variables), _INTERRUPTION)

    def _roll_out_or_refuse(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Roll out the pool, unless its config is refused."""
        try:
            with using_release_data(located_release_data(params)):
                return self._roll_out(params, variables)
        except ConfigRefused as error:
            documents = (params["pool"] or variables).get("documents")
            self._show([*error.lines, *template_notes(error.findings, documents)])
            return failed(error, findings=sanitize_all(error.findings))

    def _roll_out(self, params: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        definition = params["pool"] or self._pool_variables(variables)
        self._outcome["pool"] = sanitize(definition.get("pool") or "", MAX_NAME)
        pool = parse_pool(definition, component=params["component"])
        directory = params["directory"] or os.getcwd()
        playbooks = self._playbooks(pool.policy, directory)
        reboots = self._reboots(pool.policy, directory, variables)
        options = self._run_options(params, pool.policy, playbooks, reboots)
        client = client_from_params(params)
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

    def _carry_out(self, rollout: PoolRollout, pool: Pool, params: Mapping[str, Any], author: str) -> dict[str, Any]:
        lines: list[str] = []
        if params["operation"] == "rollout":
            release = rollout.prepare(params["component"], params["directory"] or os.getcwd(), author)
            self._outcome["changed"] = release.changed
            lines = finding_lines(release.draft.findings)
            planned = rollout.plan(release)
        elif params["operation"] == "undo":
            planned = rollout.plan_undo(params["to_revision"])
        else:
            planned = rollout.plan_reconcile()
        changes = planned.changes
        lines += [*changes.lines, *planned.trust.lines(), *planned.servers.lines()]
        lines += render_plan(planned.plan, pool.policy)
        self._show(lines)
        self._outcome.update(revision=planned.plan.revision, target=planned.plan.target.name)
        result = self._move(rollout, planned)
        if self._task.diff:
            result["diff"] = sanitize_all(text_diff(changes.before, changes.after))
        if not result.get("failed"):
            result.update(
                text=sanitize_all(lines),
                field_changes=sanitize_all(field_changes(changes.groups)),
                plan=sanitize_all(planned.to_dict()),
            )
        return result

    def _move(self, rollout: PoolRollout, planned: PlannedRollout) -> dict[str, Any]:
        """Return the result of moving the pool; in check mode, what would change."""
        if planned.plan.refusals:
            return failed("; ".join(planned.plan.refusals))
        if self._task.check_mode:
            self._outcome["phase"] = PLANNED
            self._outcome["changed"] = self._outcome["changed"] or planned.plan.has_work
            return {}
        try:
            last = rollout.run(planned)[-1]
        finally:
            self._outcome["changed"] = self._outcome["changed"] or rollout.has_changed
        result = self._moved(last)
        self._show_status(rollout)
        return result

    def _show_status(self, rollout: PoolRollout) -> None:
        try:
            self._show(["", *rollout.status_lines()])
        except (KubeError, RolloutError) as error:  # the outcome of the rollout does not depend on this
            self._show([f"The nodes cannot be shown: {error}"])

    def _pool_variables(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the variables of the play that are keys of a pool file. Raises RolloutError for misspelt ones."""
        errors = [*self._misspelt_variables(), *unknown_file_keys(variables)]
        if not errors and "pool" not in variables:
            errors.append("pool: is missing: give the pool file: -e @pool.yml")
        if errors:
            raise RolloutError("; ".join(errors))
        names = [name for name in POOL_FILE.keys[""] if name in variables]
        return {name: self._evaluate(name, variables[name]) for name in names}
