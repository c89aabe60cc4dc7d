# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the options of rollout_wave, and describe its progress and result as plain data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._componentconfig._scalars._wording import first_names
from .._nodeconfig._untrusted import sanitize, sanitize_all
from .._rollout import RolloutError
from .._rollout._plan import Plan
from .._rollout._pool_lock import MAX_LEASE_DURATION
from .._rollout._rendering import NAMES_SHOWN
from .._rollout._runner import WaveResult
from .._rollout._window import Progress

__all__ = ["wave_result", "progress_line", "read_lease_duration", "read_plan"]


def read_lease_duration(params: Mapping[str, Any]) -> float:
    """Return for how many seconds the lock holds. Raises RolloutError outside the limits."""
    seconds = params["lease_duration"]
    if not 1 <= seconds <= MAX_LEASE_DURATION:
        raise RolloutError(f"lease_duration must be from 1 to {MAX_LEASE_DURATION:.0f} seconds, not {seconds}")
    return float(seconds)


def read_plan(value: Mapping[str, Any]) -> Plan:
    """Return the plan from the result of rollout_plan. Raises RolloutError for any other value."""
    try:
        return Plan.from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        cause = f"{type(error).__name__}: {str(error)[:100]}"
        raise RolloutError(f"plan is not what configok.node.rollout_plan returns as plan ({cause})") from error


def progress_line(progress: Progress) -> str:
    """Return a change as one plain line, also for the log of a controller."""
    prefix = f"{progress.wave}: "
    line = progress.line[len(prefix) :] if progress.line.startswith(prefix) else progress.line
    return sanitize(f"{progress.text or progress.wave}: {line}")


def wave_result(plan: Plan, result: WaveResult) -> dict[str, Any]:
    """Return the module's result; with failed, and a msg of one sentence, when the play must stop."""
    facts: dict[str, Any] = {
        "changed": result.changed,
        "pool": plan.pool,
        "wave": result.wave,
        "phase": result.phase,
        "reason": result.reason,
        "counts": dict(result.counts),
        "exceptions": [dict(vars(failed)) for failed in result.failed_nodes],
    }
    if result.failed:
        # The nodes' own reasons were shown as they came, and are in reason and exceptions.
        names = sorted(
            failed.node for failed in result.failed_nodes if failed.wave == result.wave and failed.kind == "failed"
        )
        which = f" ({first_names(names, NAMES_SHOWN)})" if names else ""
        where = f" in {result.wave}" if result.wave else ""
        msg = f"pool {plan.pool} is {result.phase}{where}: {result.summary or result.reason}{which}"
        facts.update(failed=True, msg=msg)
    sanitized: dict[str, Any] = sanitize_all(facts)
    return sanitized
