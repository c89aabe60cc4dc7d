# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the real agent from its archive, and kills it by SIGKILL at the durable step that a test names.

    python -I step_killer.py DIRECTORY ARCHIVE [the agent's own arguments]

DIRECTORY/steps-<actor> grows by one byte at each durable step of an actor, in all its processes: agent, prestart,
poststop, or static-pod, the child that writes manifests. Other children of the agent are never killed.
DIRECTORY/kill holds "<actor> <step>": the number of a step, or the name of a file, or of its directory, that is about
to be renamed into place. That step is not executed, and DIRECTORY/killed records it.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

__all__: list[str] = []

DIRECTORY, ARCHIVE = sys.argv[1:3]
del sys.argv[1:3]
sys.path[0] = ARCHIVE
PROGRAM = [sys.executable, "-I", os.path.abspath(__file__), DIRECTORY, ARCHIVE]
ACTORS = {"run": "agent", "prestart": "prestart", "poststop": "poststop", "static-pod": "static-pod"}
actor = next((ACTORS[word] for word in sys.argv if word in ACTORS), "")


def step(path: str) -> None:
    """Count a durable step, and kill the process at the named one. path: the file to be renamed into place, or ""."""
    descriptor = os.open(f"{DIRECTORY}/steps-{actor}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, b".")
    number = os.fstat(descriptor).st_size - 1
    os.close(descriptor)
    try:
        with open(f"{DIRECTORY}/kill", encoding="ascii") as file:
            named = file.read()
    except FileNotFoundError:
        return
    who, _space, what = named.partition(" ")
    if who == actor and (
        what == str(number) or (what in path.split("/") and not os.path.exists(f"{DIRECTORY}/killed"))
    ):
        with open(f"{DIRECTORY}/killed", "w", encoding="ascii") as file:
            file.write(named)
        os.kill(os.getpid(), signal.SIGKILL)


def counted(method: Callable[..., None]) -> Callable[..., None]:
    """Return a method of the Disk that counts its calls."""
    puts = method.__name__ == "rename"

    def call(*arguments: Any) -> None:
        step(str(arguments[-1]) if puts else "")
        method(*arguments)

    return call


disk = importlib.import_module("configok_agent._agent._store._durable_files").Disk
for method in ("write", "sync", "rename", "unlink", "mkdir"):
    setattr(disk, method, counted(getattr(disk, method)))
if actor == "agent":
    vars(importlib.import_module("configok_agent._run"))["_program"] = lambda: PROGRAM
importlib.import_module("configok_agent.__main__").start()
