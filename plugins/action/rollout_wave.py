# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a wave on the controller, which can show its progress at once."""

from __future__ import annotations

import getpass
import os
import signal
import socket
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._wording import first_names
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import KubeError, MissingLibrary
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize, sanitize_all
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Plan
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_lock import MAX_LEASE_DURATION
from ansible_collections.configok.node.plugins.module_utils._rollout._rendering import NAMES_SHOWN
from ansible_collections.configok.node.plugins.module_utils._rollout._runner import (
    PoolRunner,
    RunOptions,
    WaveResult,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._window import Progress

display = Display()

WAVE_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "plan": {"type": "dict", "required": True},
    "wave": {"type": "str"},
    "runner": {"type": "str"},
    "lease_duration": {"type": "int", "default": 15},
}
"""The options, which plugins/modules/rollout_wave.py documents."""


def runner_name() -> str:
    """Return a name for this run: readable for other users, and unique."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        user = f"uid-{os.getuid()}"
    return f"{user}@{socket.gethostname()} ({uuid.uuid4().hex[:8]})"


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for the first signal that ends a run; ignore later ones, so that it can release the lock.

    Since ansible-core 2.19 a worker does not get Ctrl-C from the terminal, and kills itself when it is notified of it.
    """
    signals = (signal.SIGINT, signal.SIGTERM)

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def read_lease_duration(params: Mapping[str, Any]) -> float:
    """Return for how many seconds the lock holds. Raises RolloutError outside the limits."""
    seconds = params["lease_duration"]
    if not 1 <= seconds <= MAX_LEASE_DURATION:
        raise RolloutError(f"lease_duration must be from 1 to {MAX_LEASE_DURATION:.0f} seconds, not {seconds}")
    return float(seconds)


def read_plan(value: Mapping[str, Any]) -> Plan:
    """Return the plan from the result of rollout_plan. Raises RolloutError for any other value."""
    try:
        return Plan.from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        cause = f"{type(error).__name__}: {str(error)[:100]}"
        raise RolloutError(f"plan is not what configok.node.rollout_plan returns as plan ({cause})") from error


def progress_line(progress: Progress) -> str:
    """Return a change as one plain line, also for the log of a controller."""
    prefix = f"{progress.wave}: "
    line = progress.line[len(prefix) :] if progress.line.startswith(prefix) else progress.line
    return sanitize(f"{progress.text or progress.wave}: {line}")


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
        # The nodes' own reasons were shown as they came, and are in reason and exceptions.
        names = sorted(
            failed.node for failed in result.failed_nodes if failed.wave == result.wave and failed.kind == "failed"
        )
        which = f" ({first_names(names, NAMES_SHOWN)})" if names else ""
        where = f" in {result.wave}" if result.wave else ""
        msg = f"pool {plan.pool} is {result.phase}{where}: {result.summary or result.reason}{which}"
        facts.update(failed=True, msg=msg)
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
            pool_runner = PoolRunner(client, plan.pool, plan.selector, options)
            with interruptible():
                if not wave:
                    result = pool_runner.complete(plan)
                else:
                    with pool_runner:
                        result = pool_runner.run_wave(plan, wave)
            return {**wave_result(plan, result), "runner": runner}
