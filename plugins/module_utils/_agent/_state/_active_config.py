# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which config this node uses: current, then last-known-good, then the init config. Private to configok.node.

Pure, and the same for prestart and the daemon: time, crashes and what is readable are inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..._nodeconfig._bundle_trial import Trial
from ..._nodeconfig._durations import condition_duration
from ._records import LOCAL_CONFIG, AssignmentFailure, ConfigRecord, same_config
from ._startups import BadConfig

__all__ = [
    "ActiveConfig",
    "FallbackReason",
    "RecordName",
    "select_active",
    "crash_reason",
    "in_trial",
    "failure_from_mark",
    "must_refuse_start",
    "unhealthy_reason",
]


RecordName = Literal["current", "last-known-good"]
FallbackReason = Literal["", "unreadable", "unusable", "bad", "CrashLoop"]  # why current is not used; "": it is


class ActiveConfig(NamedTuple):
    """The config that the node is to use.

    record: LOCAL_CONFIG means the init config. crashes: of the component with most of them.
    """

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
    """Decide.

    current, last_known_good: None if unreadable (never_written: neither ever was).
    bad: the bad configs of every component. crashes: component -> crashes since the later of boot and adoption.
    usable: "current", "last-known-good" -> whether every file that the record names is there and whole.
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
        # A transaction to the init config makes it last-known-good first: a current that is empty while
        # last-known-good is not was emptied.
        better = last_known_good is not None and last_known_good.source is not None
        return "unreadable" if better and usable.get("last-known-good", False) else ""
    if not usable.get("current", False):
        return "unusable"
    if not in_trial(current, last_known_good):
        return ""  # after the trial trouble is reported, never acted on
    if current.source.uid in bad:
        return "bad"
    # A start is needed to adopt at all, so it is the crashes, not the starts, that exceed the threshold.
    if max(crashes.values(), default=0) > current.trial.crash_loop_threshold:
        return "CrashLoop"
    return ""


def must_refuse_start(choice: ActiveConfig, *, init_is_fatal: bool) -> bool:
    """Return whether prestart must refuse (exit 78): only an init config is left of which it would die."""
    return choice.record.source is None and init_is_fatal


def crash_reason(crashes: int) -> str:
    """Return the reason of a bad mark after a crash loop, as a sentence."""
    return f"crashed {crashes} times during its trial"


def unhealthy_reason(within: float, probe: str) -> str:
    """Return the reason of a bad mark after failed probes, as a sentence. within: seconds."""
    return f"not healthy within {condition_duration(within)}: {probe}"


def failure_from_mark(uid: str, mark: BadConfig, trial: Trial) -> AssignmentFailure:
    """Return how an assignment failed, from the bad mark alone: the rollback was interrupted after it was set."""
    if mark.kind == "CrashLoop":
        crashes = mark.crashes or trial.crash_loop_threshold + 1
        return AssignmentFailure("CrashLoop", uid, mark.reason, crashes=crashes, time=mark.time)
    if not mark.within:  # the mark of an older agent has it in its reason alone
        return AssignmentFailure("KnownBad", uid, mark.reason, time=mark.time)
    return AssignmentFailure("NotHealthy", uid, mark.probe, within=mark.within, time=mark.time)
