# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a wave on the controller, which can show its progress at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import KubeError, MissingLibrary
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize, sanitize_all
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Plan
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_file import Pool
from ansible_collections.configok.node.plugins.module_utils._rollout._run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._runner import PoolRunner
from ansible_collections.configok.node.plugins.module_utils._rollout._wave_run import WaveResult
from ansible_collections.configok.node.plugins.plugin_utils._run import (
    failure_message,
    interruptible,
    progress_line,
    read_lease_duration,
    runner_name,
)

display = Display()

WAVE_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "plan": {"type": "dict", "required": True},
    "wave": {"type": "str"},
    "runner": {"type": "str"},
    "lease_duration": {"type": "int", "default": 15},
}
"""The options, which plugins/modules/rollout_wave.py documents."""


def read_plan(value: Mapping[str, Any]) -> Plan:
    """Return the plan from the result of rollout_plan. Raises RolloutError for any other value."""
    try:
        return Plan.from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        cause = f"{type(error).__name__}: {str(error)[:100]}"
        raise RolloutError(f"plan is not what configok.node.rollout_plan returns as plan ({cause})") from error


def wave_result(plan: Plan, result: WaveResult) -> dict[str, Any]:
    """Return the module's result; with failed, and a msg of one sentence, when the play must stop."""
    facts: dict[str, Any] = {
        "changed": result.changed,
        "pool": plan.pool,
        "wave": result.wave,
        "phase": result.phase,
        "reason": result.reason,
        "counts": dict(result.counts),
        "exceptions": [dict(vars(failed)) for failed in result.failed_nodes],
    }
    if result.failed:
        facts.update(failed=True, msg=failure_message(plan.pool, result))
    sanitized: dict[str, Any] = sanitize_all(facts)
    return sanitized


class ActionModule(ActionBase):
    """The action plugin rollout_wave; plugins/modules/rollout_wave.py documents it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate the options, run the wave, and return its result."""
        super().run(tmp, task_vars)
        _validation, params = self.validate_argument_spec(WAVE_ARGUMENT_SPEC)
        try:
            return self._move(params)
        except MissingLibrary as error:
            return {"failed": True, "msg": f"{error}: install it for {sys.executable}"}
        except Interrupted as error:
            display.display(str(error))  # Ansible shows no result after Ctrl-C
            return {"failed": True, "msg": str(error)}
        except (KubeError, RolloutError) as error:
            return {"failed": True, "msg": sanitize(error)}

    def _move(self, params: dict[str, Any]) -> dict[str, Any]:
        plan = read_plan(params["plan"])
        wave = params["wave"] or ""
        if self._task.check_mode:
            return {"changed": bool(wave), "pool": plan.pool, "wave": wave, "phase": "Planned"}
        with client_from_params(params) as client:
            runner = params["runner"] or runner_name()
            options = RunOptions(
                runner,
                report=lambda progress: display.display(progress_line(progress)),
                lease_duration=read_lease_duration(params),
            )
            pool_runner = PoolRunner(client, Pool(plan.pool, plan.selector), options)
            with interruptible():
                if not wave:
                    result = pool_runner.complete(plan)
                else:
                    with pool_runner:
                        result = pool_runner.run_wave(plan, wave)
            return {**wave_result(plan, result), "runner": runner}
