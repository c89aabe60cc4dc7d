# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""supervise: one component under one supervisor."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ._agent._agent_configuration import AgentConfiguration
from ._agent._hooks import poststop, prestart
from ._agent._store._durable_files import LockTimeout, locked
from ._agent._system_clock import SystemClock
from ._output import complain
from ._supervisor import Supervisor

__all__ = ["supervise"]


def supervise(configuration: AgentConfiguration, component: str) -> int:
    """Keep the component running until told to shut down, and return the exit code. Raises OSError."""
    known = configuration.components[component]
    if not known.command:
        complain(f"components.{component}.command is not set, so there is nothing to supervise")
        return 1
    clock = SystemClock()

    def before(environ: Mapping[str, str]) -> int:
        return prestart(configuration, component, environ, clock)

    def after(environ: Mapping[str, str]) -> int:
        return poststop(configuration, component, environ, clock)

    try:
        with locked(os.path.join(configuration.run_directory, f"{component}.lock"), wait=0):
            Supervisor(
                component,
                known.unit,
                known.command,
                known.restart_delay,
                configuration.run_directory,
                before,
                after,
            ).run()
    except LockTimeout:
        complain(f"{component} has a supervisor already, on {configuration.run_directory}")
        return 1
    return 0
