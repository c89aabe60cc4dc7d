# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a component makes the same of two files, by a short-lived child. Private to configok.node.

That takes the engine's defaults, which the daemon does not hold in memory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from .._basis._ports import Runner
from ._local_values import Inputs

__all__ = ["CommandComparison", "SameConfig"]

_TIMEOUT = 30.0  # seconds for the child
_SAME = 0  # its exit code


class SameConfig(Protocol):
    """Compares two files for a version of their component ("" for an unknown one), with and without the drop-ins in
    inputs; False when it is not certain."""

    def __call__(self, one: str, other: str, version: str, inputs: Inputs) -> bool: ...


class CommandComparison:
    """Runs ``configok-agent same`` on two files."""

    def __init__(self, runner: Runner, argv: Sequence[str]) -> None:
        """argv: the program and its command."""
        self._runner = runner
        self._argv = tuple(argv)

    def __call__(self, one: str, other: str, version: str, inputs: Inputs) -> bool:
        """Return whether the child is certain that the files mean the same."""
        of_version = ["--kubernetes-version", version] if version else []
        argv = [*self._argv, *of_version, "--with-inputs", one, other]
        return self._runner(argv, timeout=_TIMEOUT, stdin=json.dumps(inputs.to_dict())).code == _SAME
