# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selects the config that this node uses: current, last-known-good or the init config.

Pure, and the same for prestart and the daemon: time, crashes and what is readable are inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..._nodeconfig.durations import condition_duration
from .records import LOCAL_CONFIG, AssignmentFailure, ConfigRecord, same_config
from .start_history import BadConfig

RecordName = Literal["current", "last-known-good"]
FallbackReason = Literal["", "unreadable", "unusable", "bad", "CrashLoop"]  # why current is not used; "": it is


class ActiveConfig(NamedTuple):
    """The config that the node is to use. crashes: of the component that has crashed most often."""

    record: ConfigRecord
    record_name: RecordName
    fallback_reason: FallbackReason = ""
    crashes: int = 0


def in_trial(current: ConfigRecord | None, last_known_good: ConfigRecord | None) -> bool:
    """Return whether current has yet to prove itself. The local config has no trial."""
    if current is None or current.source is None or current.trial_passed:
        return False
    return not same_config(current, last_known_good)


def select_active(
    current: ConfigRecord | None,
    last_known_good: ConfigRecord | None,
    *,
    never_written: bool,
    bad: Mapping[str, BadConfig],
    crashes: Mapping[str, int],
    usable: Mapping[str, bool],
) -> ActiveConfig:
    """Return the config that the node is to use.

    current, last_known_good: None if unreadable. never_written: neither record was ever written. bad: the bad configs
    of every component. crashes: component -> crashes since the later of boot and adoption. usable: "current",
    "last-known-good" -> whether every file that the record names is available and undamaged.
    """
    if never_written:
        return ActiveConfig(LOCAL_CONFIG, "current")
    reason = _fallback_reason(current, last_known_good, bad, crashes, usable)
    if not reason and current is not None:
        return ActiveConfig(current, "current")
    most_crashes = max(crashes.values(), default=0)
    if last_known_good is not None and (last_known_good.source is None or usable.get("last-known-good", False)):
        return ActiveConfig(last_known_good, "last-known-good", reason, most_crashes)
    return ActiveConfig(LOCAL_CONFIG, "last-known-good", reason, most_crashes)


def _fallback_reason(
    current: ConfigRecord | None,
    last_known_good: ConfigRecord | None,
    bad: Mapping[str, BadConfig],
    crashes: Mapping[str, int],
    usable: Mapping[str, bool],
) -> FallbackReason:
    if current is None:
        return "unreadable"
    if current.source is None:
        # Unassigning writes last-known-good first, so a current that is empty while last-known-good is not has lost
        # its content.
        is_emptied = last_known_good is not None and last_known_good.source is not None
        return "unreadable" if is_emptied and usable.get("last-known-good", False) else ""
    if not usable.get("current", False):
        return "unusable"
    if not in_trial(current, last_known_good):
        return ""  # after the trial, crashes are reported, and the config stays
    if current.source.uid in bad:
        return "bad"
    # Crashes count, not starts: the adoption itself takes one start.
    if max(crashes.values(), default=0) > current.trial.crash_loop_threshold:
        return "CrashLoop"
    return ""


def must_refuse_start(active: ActiveConfig, *, init_is_fatal: bool) -> bool:
    """Return whether prestart must refuse the start: only an init config is left, and the component would exit over it.

    init_is_fatal: whether the component's version is known to exit over the init config.
    """
    return active.record.source is None and init_is_fatal


def crash_reason(crashes: int) -> str:
    """Return the reason for the bad mark of a config that crashed during its trial."""
    return f"crashed {crashes} times during its trial"


def unhealthy_reason(within: float, probe: str) -> str:
    """Return the reason for the bad mark of a config that was not healthy.

    within: the seconds that it had to become healthy. probe: what the last probe found.
    """
    return f"not healthy within {condition_duration(within)}: {probe}"


def failure_from_mark(uid: str, mark: BadConfig) -> AssignmentFailure:
    """Return how an assignment failed, from the bad mark alone: the rollback was interrupted after it set the mark.

    uid: of the bad config.
    """
    if mark.kind == "CrashLoop":
        return AssignmentFailure("CrashLoop", uid, mark.reason, crashes=mark.crashes, time=mark.time)
    return AssignmentFailure("NotHealthy", uid, mark.probe, within=mark.within, time=mark.time)
