# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The probe of a component's live config, by a short-lived child. Private to configok.node."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .._basis._ports import Journal, ProbeResult, Runner

__all__ = ["LiveConfig"]

_TIMEOUT = 5.0  # seconds: less than a probe may take


class LiveConfig:
    """Runs ``configok-agent compare --json`` once for each invocation that is well otherwise."""

    def __init__(self, runner: Runner, argv: Sequence[str], journal: Journal) -> None:
        """argv: the program with all that stands before the component."""
        self._runner = runner
        self._argv = tuple(argv)
        self._journal = journal
        self._compared: dict[str, str] = {}  # component -> invocation whose live config is what it was given
        self._said = ""

    def __call__(self, component: str, invocation: str) -> ProbeResult | None:
        """Return what is wrong; None where it is what it was given, or nobody can know: no answer is no verdict."""
        if invocation and self._compared.get(component) == invocation:
            return None
        result = self._runner([*self._argv, "--json", component], timeout=_TIMEOUT)
        try:
            answer = json.loads(result.out)
            found, unknown = list(answer["differences"]), str(answer["unknown"])
        except (ValueError, KeyError, TypeError, RecursionError):
            found, unknown = [], " ".join(result.err.split())[-200:] or f"exit {result.code}"
        if unknown and unknown != self._said:
            self._said = unknown
            self._journal("warning", f"the live config was not compared: {unknown}", component=component)
        if not found:
            self._compared[component] = invocation
            return None
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return ProbeResult(False, f"live config: {found[0]}{more}")
