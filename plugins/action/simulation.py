# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the fleet simulator on the controller, in a process of its own, and show its lines at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import KUBE_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._action import ControllerAction
from ansible_collections.configok.node.plugins.plugin_utils._output import ending_without_reader
from ansible_collections.configok.node.plugins.plugin_utils._signals import interruptible

ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "scenario": {"type": "path", "required": True},
    "duration": {"type": "str"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
"""The options, which plugins/modules/simulation.py documents."""

_SIMULATOR = Path(__file__).parents[2] / "playbooks/files/simulator/simulate.py"
_ERRORS_SHOWN = 20  # lines


class ActionModule(ControllerAction):
    """The action plugin simulation; plugins/modules/simulation.py documents it."""

    argument_spec = ARGUMENT_SPEC

    def _act(self, params: dict[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
        """Run the simulator until it ends or is interrupted."""
        command = _command(params, check=self._task.check_mode)
        code, lines, errors = _simulate(command, _connection(params), self._display_line)
        if code:
            return {
                "failed": True,
                "msg": sanitize("; ".join(errors[-_ERRORS_SHOWN:]) or f"it ended with {code}", 4096),
            }
        return {"changed": bool(lines), "lines": lines}


def _command(params: Mapping[str, Any], *, check: bool) -> list[str]:
    """Return the command line of the simulator."""
    command = [sys.executable, str(_SIMULATOR), params["scenario"], "--supervised"]
    if params["duration"]:
        command += ["--duration", params["duration"]]
    if params["state"] == "absent":
        command.append("--remove")
    return [*command, "--check"] if check else command


def _connection(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the connection that are set."""
    return {name: params[name] for name in KUBE_ARGUMENT_SPEC if params[name] is not None}


def _simulate(
    command: list[str], connection: Mapping[str, Any], display: Callable[[str], object]
) -> tuple[int, list[str], list[str]]:
    """Run the simulator and display its lines as they come; return its exit code, its lines and its errors.

    Ctrl-C terminates it, and it removes its Nodes; so does the end of its standard input, if this process is killed. It
    is in a session of its own, so that Ctrl-C reaches only this process.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    pipes = process.stdin, process.stdout, process.stderr
    if pipes[0] is None or pipes[1] is None or pipes[2] is None:
        raise RuntimeError("the simulator has no pipes")
    with process, ending_without_reader(), interruptible(process.terminate):
        lines: list[str] = []
        try:
            pipes[0].write(json.dumps(connection) + "\n")
            pipes[0].flush()
            for line in pipes[1]:
                lines.append(sanitize(line.rstrip("\n")))
                display(lines[-1])
        except BrokenPipeError:
            pass  # it has ended already, and its errors say why
        errors = pipes[2].read().splitlines()
        return process.wait(), lines, [sanitize(error) for error in errors]
