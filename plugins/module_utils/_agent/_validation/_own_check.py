# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a component itself about a file before it is adopted: by its checkCommand, or a static Pod by its own program.

The agent may not run the program of another process. A unit of its own, ``configok-check@``, does: it runs
``configok-agent own-check``, which reads the request here and leaves the answer here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..._foreign import load_json
from ..._static_pods.own_answer import OwnAnswer, OwnVerdict
from ..._text.redact import redact_text
from .._agent_configuration import ComponentConfiguration
from .._interfaces import CommandRunner
from .._store._durable_files import DurableFiles
from ._validator import NOT_JUDGED, CommandCheck

_UNIT = "configok-check@{}.service"
_TIMEOUT = 40.0  # seconds; the unit ends after 30
_DIRECTORY = "own-check"


class OwnCheckFiles:
    """The request and the answer of a component's own check. Every method may raise OSError."""

    def __init__(self, run_directory: str, component: str) -> None:
        self._files = DurableFiles(os.path.join(run_directory, _DIRECTORY))
        self._request, self._answer = f"{component}.request", f"{component}.answer"

    def ask(self, path: str) -> None:
        """Leave a request about a file, instead of all before it."""
        self._files.remove(self._answer)
        self._files.write(self._request, path.encode())

    def request(self) -> str:
        """Return the path of the file that is asked about, "" if none is."""
        return (self._files.read(self._request) or b"").decode("utf-8", "replace")

    def answer(self, path: str, answer: OwnAnswer) -> None:
        """Leave the answer about a file."""
        self._files.write(self._answer, json.dumps({"path": path, **answer._asdict()}).encode())

    def read_answer(self, path: str) -> OwnAnswer | None:
        """Return the answer about a file, None if there is none."""
        try:
            answer = load_json(self._files.read(self._answer) or b"")
            if not isinstance(answer, dict) or answer.get("path") != path:
                return None
            return OwnAnswer(OwnVerdict(answer.get("verdict")), str(answer.get("reason") or ""))
        except ValueError:
            return None


class OwnCheck:
    """Asks components about files."""

    def __init__(self, runner: CommandRunner, run_directory: str) -> None:
        """runner: runs checkCommand and systemctl. run_directory: of the agent."""
        self._runner = runner
        self._run_directory = run_directory
        self._command = CommandCheck(runner)

    def __call__(self, component: ComponentConfiguration, path: str) -> Sequence[Mapping[str, Any]]:
        """Return the findings: one that refuses, one on what is not judged, or none. Raises ValidationUnavailable."""
        if not component.manifest:
            return self._command(component, path)
        answer = self._answer(component.name, path)
        if answer.verdict is OwnVerdict.PASSED:
            return []
        reason = redact_text(answer.reason)
        if answer.verdict is OwnVerdict.FAILED:
            return [{"path": "", "message": f"refused by its own check: {reason}", "level": "component"}]
        return [{"path": "", "message": f"{component.name}'s own check: {reason}", "level": NOT_JUDGED}]

    def _answer(self, component: str, path: str) -> OwnAnswer:
        files, unit = OwnCheckFiles(self._run_directory, component), _UNIT.format(component)
        try:
            files.ask(path)
            result = self._runner(
                ["systemctl", "--no-pager", "--no-ask-password", "start", "--", unit], timeout=_TIMEOUT
            )
            answer = files.read_answer(path)
        except OSError as error:
            return OwnAnswer(OwnVerdict.NOT_JUDGED, str(error))
        if answer is not None:
            return answer
        cause = " ".join((result.err or result.out).split())[:300]
        return OwnAnswer(OwnVerdict.NOT_JUDGED, f"{unit} has left no answer{cause and f': {cause}'}")
