# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether etcd can spare one of its members for the time of a restart. Pure.

A majority of all voters must run without it, also of those that were never started: they count in every election.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

DEFAULT_QUOTA = 2 << 30
"""The bytes of data that a member takes without --quota-backend-bytes."""

_FULL = 0.9  # of a quota: some room is left for what is written during the trial
_HEARTBEATS = 5
MOST_BEHIND = 1000
"""How many entries of the log a member may lack to count as one that runs: it catches up within seconds."""


class Member(NamedTuple):
    """A member as the list of members has it. name: "" for one that was never started. urls: for clients."""

    id: str
    name: str
    urls: tuple[str, ...] = ()
    is_learner: bool = False

    @property
    def shown_name(self) -> str:
        """How a sentence names it."""
        return self.name or f"the member {self.id}"


class MemberStatus(NamedTuple):
    """What a member says of itself.

    leader: the id of its leader, "" without one. last_entry: the number of the last entry of its log. size: the bytes
    of its data. problem: why it gives no answer; the rest is not known then.
    """

    leader: str = ""
    last_entry: int = 0
    size: int = 0
    problem: str = ""


class Timing(NamedTuple):
    """The pace of a member, in milliseconds: --heartbeat-interval and --election-timeout."""

    heartbeat: int = 100
    election: int = 1000

    def reason_against(self, before: Timing) -> str:
        """Return why a member must not take this pace while others have the one before, "" if it may.

        The others elect when its heartbeats come too late, and it elects when theirs do; five are to come in that time.
        """
        heartbeat, election = max(self.heartbeat, before.heartbeat), min(self.election, before.election)
        if _HEARTBEATS * heartbeat <= election:
            return ""
        return (
            f"until the last member has moved, one with the heartbeat interval {heartbeat} and one with the "
            f"election timeout {election} run together, which needs at least {_HEARTBEATS} heartbeats: change them in "
            "smaller steps"
        )


class EtcdState(NamedTuple):
    """The members of etcd, what each says, and what is wrong with its data. own: the id of the member of this node."""

    own: str
    members: tuple[Member, ...]
    statuses: Mapping[str, MemberStatus]
    alarms: tuple[str, ...] = ()

    def reason_against_quota(self, quota: int, *, is_fallback: bool) -> str:
        """Return why no member may get a quota of these bytes, "" if it may.

        One that is reached raises an alarm, after which etcd takes no more writes, and which no rollback clears.
        quota: 0 for the default, negative for none. is_fallback: it is that of the options that worked before.
        """
        quota = quota or DEFAULT_QUOTA
        size = max(status.size for status in self.statuses.values())
        if quota < 0 or size < quota * (1 if is_fallback else _FULL):
            return ""
        return f"it has {size} bytes of data, and takes no more writes with a quota of {quota}"

    def reason_to_keep(self, *, is_fallback: bool) -> str:
        """Return why the member of this node must not restart now, "" if etcd can spare it.

        is_fallback: it returns to options that worked before, for which only the others count.
        """
        if self.alarms and not is_fallback:
            return f"it has the alarm {', '.join(sorted(set(self.alarms)))}: an operator must clear that first"
        learners = [member.shown_name for member in self.members if member.is_learner]
        if learners and not is_fallback:
            return f"{', '.join(learners)} has no vote yet: wait until it is promoted, or remove it"
        if not any(member.id == self.own for member in self.members):
            return "the list of members does not have this node's"
        others = [member for member in self.members if member.id != self.own and not member.is_learner]
        if not others:
            return ""  # nothing runs without it in any case, which the plan of the rollout says
        problems = {member.shown_name: self._problem(member) for member in others}
        away = {name: problem for name, problem in problems.items() if problem is not None}
        voters = len(others) + 1
        majority, running = voters // 2 + 1, len(others) - len(away)
        if running >= majority:
            return ""
        reasons = "; ".join(f"{name}: {problem}" for name, problem in sorted(away.items()))
        sentence = f"{majority} of {voters} members must run without it, and {running} do"
        return f"{sentence} ({reasons})" if reasons else sentence

    def _problem(self, member: Member) -> str | None:
        """Return why a member does not count, None for one that does."""
        if not member.name:
            return "it was never started"
        status = self.statuses.get(member.id, MemberStatus(problem="it was not asked"))
        if status.problem:
            return status.problem
        if not status.leader:
            return "it has no leader"
        newest = max(other.last_entry for other in self.statuses.values())
        behind = newest - status.last_entry
        return f"it is {behind} entries of the log behind" if behind > MOST_BEHIND else None
