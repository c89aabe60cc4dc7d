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
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._ansible._api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._ansible._wave_task import (
    progress_line,
    read_lease_duration,
    read_plan,
    wave_result,
)
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import KubeError, MissingLibrary
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._runner import complete, run_wave

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
            options: dict[str, Any] = {
                "runner": params["runner"] or runner_name(),
                "report": lambda progress: display.display(progress_line(progress)),
                "lease_duration": read_lease_duration(params),
            }
            with interruptible():
                result = run_wave(client, plan, wave, **options) if wave else complete(client, plan, **options)
            return {**wave_result(plan, result), "runner": options["runner"]}
