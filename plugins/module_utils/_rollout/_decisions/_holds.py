# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a wave may not begin, or may not continue, although nothing is wrong. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from .._pool._approval import missing_approval
from .._pool.policy import Policy
from .._record._control import Control


class Hold(NamedTuple):
    """Something that a rollout waits for. until: when it ends by itself, None when a person must end it."""

    reason: str
    until: datetime | None = None


def hold_on_request(control: Control) -> Hold | None:
    """Return the pause that a person has requested, None without one."""
    return Hold(f"{control.describe_request()}: resume it to continue") if control.is_pause else None


def hold_before_wave(wave: str, pool: str, policy: Policy, control: Control, now: datetime) -> Hold | None:
    """Return what a wave waits for before it begins: a pause, then a missing approval, then a maintenance window."""
    pause = hold_on_request(control)
    if pause is not None:
        return pause
    approval = missing_approval(policy.approval, control, pool, wave)
    if approval:
        return Hold(approval)
    opening = policy.maintenance_windows.next_opening(now)
    if opening is None:
        return None
    return Hold(f"{wave} waits for a maintenance window: {policy.maintenance_windows.describe_next(now)}", opening)
