# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""own-check: ask the program of a static-Pod component about options, for the daemon, which may not run it."""

from __future__ import annotations

import tempfile

from ._agent._agent_configuration import AgentConfiguration
from ._agent._own_program import OwnProgram
from ._agent._pod_files import PodFiles
from ._agent._store._store import Store
from ._agent._validation._own_check import OwnCheckFiles
from ._output import complain, show
from ._processes import run_command

__all__ = ["ask_component"]

_OK, _FAILED = 0, 1


def ask_component(configuration: AgentConfiguration, store: Store, component: str) -> int:
    """Leave the answer for the daemon, and print it; return 0, or 1 if the daemon has asked nothing. Raises OSError."""
    files = OwnCheckFiles(configuration.run_directory, component)
    path = files.request()
    if not path:
        complain(f"the agent asks nothing about options of {component}")
        return _FAILED
    program = OwnProgram(configuration.components[component], store, run_command, PodFiles())
    with tempfile.TemporaryDirectory(prefix="configok-") as scratch:
        answer = program.check(path, scratch)
    files.answer(path, answer)
    show(f"{component}: {answer.verdict}{answer.reason and f': {answer.reason}'}")
    return _OK
