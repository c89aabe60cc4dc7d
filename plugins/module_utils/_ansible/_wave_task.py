# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout_wave: its options, and its result as plain data.

One place for the action plugin, which works, and the module of the same name, which documents.
Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._componentconfig._scalars._wording import first_names
from .._nodeconfig._untrusted import sanitize, sanitize_all
from .._rollout._plan import Plan
from .._rollout._pool_lock import MAX_LEASE_DURATION
from .._rollout._rendering import NAMES_SHOWN, Progress
from .._rollout._rollout_errors import RolloutError
from .._rollout._runner import WaveResult
from ._options import KUBE_ARGUMENT_SPEC

__all__ = ["WAVE_ARGUMENT_SPEC", "wave_result", "progress_line", "read_lease_duration", "read_plan"]

WAVE_ARGUMENT_SPEC: dict[str, dict[str, Any]] = {
    **KUBE_ARGUMENT_SPEC,
    "plan": {"type": "dict", "required": True},
    "wave": {"type": "str"},
    "runner": {"type": "str"},
    "lease_duration": {"type": "int", "default": 15},
}


def read_lease_duration(params: Mapping[str, Any]) -> float:
    """Return for how many seconds the lock holds. Raises RolloutError for what no other run would wait for."""
    seconds = params["lease_duration"]
    if not 1 <= seconds <= MAX_LEASE_DURATION:
        raise RolloutError(f"lease_duration must be from 1 to {MAX_LEASE_DURATION:.0f} seconds, not {seconds}")
    return float(seconds)


def read_plan(value: Mapping[str, Any]) -> Plan:
    """Return the plan that rollout_plan returned. Raises RolloutError for anything else."""
    try:
        return Plan.from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"{type(error).__name__}: {str(error)[:100]}"
        raise RolloutError(f"plan is not what configok.node.rollout_plan returns as plan ({what})") from error


def progress_line(progress: Progress) -> str:
    """Return what is shown while the wave moves: one plain line, also in the log of a controller."""
    begins = f"{progress.wave}: "
    line = progress.line[len(begins) :] if progress.line.startswith(begins) else progress.line
    return sanitize(f"{progress.bar or progress.wave}: {line}")


def wave_result(plan: Plan, result: WaveResult) -> dict[str, Any]:
    """Return a module's result; one that must stop the play has failed and a msg of one sentence."""
    told: dict[str, Any] = {
        "changed": result.changed,
        "pool": plan.pool,
        "wave": result.wave,
        "phase": result.phase,
        "reason": result.reason,
        "counts": dict(result.counts),
        "exceptions": [dict(vars(one)) for one in result.failed_nodes],
    }
    if result.failed:
        # The words of the nodes were shown when they said them, and are in reason and exceptions.
        failed = sorted(one.node for one in result.failed_nodes if one.wave == result.wave and one.kind == "failed")
        which = f" ({first_names(failed, NAMES_SHOWN)})" if failed else ""
        where = f" in {result.wave}" if result.wave else ""
        told.update(
            failed=True, msg=f"pool {plan.pool} is {result.phase}{where}: {result.summary or result.reason}{which}"
        )
    shown: dict[str, Any] = sanitize_all(told)
    return shown
