# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The component's own check of a file, where it has one: the last word before it is touched.
Private to configok.node."""

from __future__ import annotations

from typing import Any

from .._basis._configuration import ComponentConfiguration
from .._basis._ports import Runner
from .._basis._redact import beginning, redact
from ._verdicts import JudgeFailed

__all__ = ["OwnCheck"]

_TIMEOUT = 30.0  # seconds
_LONGEST = 300  # characters of what it said
_NO_VERDICT = (124, 126, 127)  # ran out of time, or could not be run: that says nothing about the config
_SIGNALLED = range(129, 193)  # as a shell, or a container runtime, tells that what it ran was ended by a signal


class OwnCheck:
    """Runs a component's checkCommand on a file."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def __call__(self, component: ComponentConfiguration, path: str) -> list[dict[str, Any]]:
        """Return the findings: none where the command exits with 0, else one with what it said. Raises JudgeFailed."""
        result = self._runner([*component.check_command, path], timeout=_TIMEOUT)
        if result.code == 0:
            return []
        lines = [line.strip() for line in (result.err or result.out).splitlines() if line.strip()]
        said = redact(beginning(lines[-1]))[:_LONGEST] if lines else f"exit {result.code}"
        if result.code < 0 or result.code in _NO_VERDICT or result.code in _SIGNALLED:
            raise JudgeFailed(f"the component's own check gave no verdict (exit {result.code}): {said}")
        return [{"path": "", "message": f"refused by its own check: {said}", "level": "component"}]
