# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the program of a running static Pod for some seconds with the arguments that options would give it.

Only the command ``own-check`` imports this file: it needs the engine, and the right to read what other processes run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig.component_options import read_options
from .._static_pods.manifest import InvalidManifest, Manifest, read_manifest
from .._static_pods.own_answer import OwnAnswer, OwnVerdict
from .._static_pods.own_check import RUNS_FOR, check_arguments, has_own_check, read_answer
from .._static_pods.rendered_manifest import render
from ._agent_configuration import ComponentConfiguration
from ._interfaces import CommandRunner
from ._manifest_note import read_manifest_note
from ._pod_files import PodFiles
from ._privileges import give_up_capabilities
from ._store._durable_files import DurableFiles
from ._store._store import Store
from ._validation._validate_on_node import allowed_host_paths

_TIMED_OUT, _NOT_STARTED = 124, (126, 127)  # exit codes of a command that is ended, and of one that cannot run
_NEEDED = 512 * 1024  # KiB; an API server takes 200 MB in its first seconds
_AVAILABLE = re.compile(r"^MemAvailable:\s+([0-9]+) kB", re.MULTILINE)


class OwnProgram:
    """The program of a component that is a static Pod."""

    def __init__(
        self,
        component: ComponentConfiguration,
        store: Store,
        run: CommandRunner,
        files: PodFiles,
        *,
        proc: str = "/proc",
        give_up: Callable[[], None] = give_up_capabilities,
    ) -> None:
        """Use what runs now. run: starts the program. files: show what runs. give_up: gives this process's rights up.

        The right to read what another process runs is needed only until its program is open.
        """
        self._component = component
        self._store = store
        self._run = run
        self._files = files
        self._proc = proc
        self._give_up = give_up

    def check(self, path: str, scratch: str) -> OwnAnswer:
        """Return what the program says of a file of options. scratch: an empty directory. Raises OSError."""
        if not has_own_check(self._component.name):
            return _not_judged("it has none that starts nothing")
        note = read_manifest_note(self._store, self._component.name)
        if not note.init:
            return _not_judged("its init manifest is not known")
        with open(path, "rb") as stream:
            config = stream.read()
        try:
            init = read_manifest(note.init.encode(), self._component.manifest)
            document = decode(config, file=path)
            options = read_options(document.data if isinstance(document.data, dict) else {})
            host_paths = allowed_host_paths(self._component)
            rendered = render(init, options, host_paths=host_paths, root=os.path.join(scratch, "options"))
            certificates = os.path.join(scratch, "certificates")
            arguments = check_arguments(self._component.name, rendered.manifest.arguments, scratch=certificates)
        except (ConfigError, InvalidManifest) as error:
            return _not_judged(str(error))
        for name, content in rendered.files.items():
            DurableFiles(rendered.directory).write(name, content)
        os.mkdir(certificates)
        if arguments is None:
            return _not_judged("its arguments have a value that only the container knows")
        problem = self._problem(init, arguments)
        if problem:
            return _not_judged(problem)
        runs = self._files.runs(note.pod, note.container, self._component.name)
        processes = [run.process for run in runs if run.process is not None]
        if not processes:
            return _not_judged("it does not run, and its program is in its image alone")
        newest = f"{self._proc}/{max(processes, key=lambda process: process.started).pid}/exe"
        name = os.path.basename(os.readlink(newest))
        if name != self._component.name:
            return _not_judged(f"it runs the program {name}")
        with _opened(newest) as program:
            self._give_up()
            answer = self._ask(program, arguments)
            if answer.verdict is OwnVerdict.FAILED:
                present = check_arguments(self._component.name, init.arguments, scratch=certificates) or ()
                without = self._ask(program, present)
                if without.verdict is OwnVerdict.FAILED:  # what it lacks here says nothing about the options
                    return _not_judged(f"its program refuses its init manifest, too: {without.reason}")
        return answer

    def _ask(self, program: str, arguments: Sequence[str]) -> OwnAnswer:
        result = self._run([program, *arguments], timeout=RUNS_FOR)
        if result.code in _NOT_STARTED:
            return _not_judged(f"its program does not start outside of its container: {result.err.strip()[:200]}")
        code = None if result.code == _TIMED_OUT else result.code
        return read_answer(self._component.name, code, f"{result.out}\n{result.err}")

    def _problem(self, init: Manifest, arguments: Sequence[str]) -> str:
        """Return why the program cannot run outside of its container, "" if it can."""
        for mount in init.mounts:
            if mount.host_path != mount.path and any(mount.path in argument for argument in arguments):
                return f"{mount.path} of its container is {mount.host_path or 'no directory'} on the node"
        with open(f"{self._proc}/meminfo", encoding="ascii", errors="replace") as stream:
            available = _AVAILABLE.search(stream.read())
        if available is None or int(available[1]) < _NEEDED:
            return f"less than {_NEEDED // 1024} MiB of memory are available"
        return ""


@contextmanager
def _opened(program: str) -> Iterator[str]:
    """Open a program; yield a path of it that needs no right but that of this process's children."""
    descriptor = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield f"/proc/{os.getpid()}/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _not_judged(reason: str) -> OwnAnswer:
    return OwnAnswer(OwnVerdict.NOT_JUDGED, reason)
