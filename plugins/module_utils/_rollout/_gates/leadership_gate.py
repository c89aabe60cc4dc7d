# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate at the end of a rollout to a controller manager or scheduler: one with the new options leads. Pure.

An instance that stands by is healthy whatever its flags are: only the one that holds the Lease uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..._text import sanitize
from ._asked_gate import AskedGate
from .answers import ServerAnswer
from .control_plane_gate import NAMESPACE

ELECTED = ("kube-controller-manager", "kube-scheduler")
"""The static Pods of which one leads: each has a Lease of its name."""

_HOLD = 120.0  # seconds, from control-plane.md
_LEASE_DURATION = 15.0  # seconds, the default of these components
_MAX_TEXT = 200


class Leader(NamedTuple):
    """The holder of a Lease.

    identity: of its process. duration: seconds after which a Lease that is not renewed is free.
    """

    identity: str
    renewed: str
    duration: float

    @property
    def host(self) -> str:
        """Return the name of the host: client-go makes an identity of it, "_" and a UUID."""
        return self.identity.rpartition("_")[0] or self.identity


def leader_of(lease: Mapping[str, Any]) -> Leader | None:
    """Return the holder of a Lease, None if it has none."""
    spec = lease.get("spec") or {}
    identity = sanitize(spec.get("holderIdentity") or "", _MAX_TEXT)
    duration = spec.get("leaseDurationSeconds")
    if not identity:
        return None
    return Leader(identity, str(spec.get("renewTime")), float(duration) if duration else _LEASE_DURATION)


def not_judged(component: str, leader: Leader) -> str:
    """Return the sentence for a leader that is not known as a node of the pool."""
    return (
        f"not judged: whether an instance of {component} with the config leads: {leader.host} leads, which is not "
        "known as a node of the pool"
    )


@dataclass(frozen=True)
class Leadership:
    """The leader, as several looks at its Lease show it. renewed_at: when the Lease last differed, None before that.

    Times are of the runner's clock: those in a Lease are of another machine's.
    """

    leader: Leader | None = None
    renewed_at: float | None = None

    def with_leader(self, leader: Leader | None, now: float) -> Leadership:
        """Return what is seen after one more look at the Lease."""
        if leader is None or self.leader is None or leader.identity != self.leader.identity:
            return Leadership(leader)
        return self if leader.renewed == self.leader.renewed else Leadership(leader, now)

    def is_renewed(self, now: float) -> bool:
        """Return whether the leader is alive: its Lease was renewed within its duration."""
        if self.leader is None or self.renewed_at is None:
            return False
        return now - self.renewed_at <= self.leader.duration


@dataclass(frozen=True)
class LeadershipGate(AskedGate):
    """The instance of a component that leads is one that the rollout has moved.

    It never says no: another may lead in a moment. has_moved: whether a host is that of a node that uses the config,
    None for one that is not known as a node of the pool, so that nothing is judged.
    """

    component: str
    has_moved: Callable[[str], bool | None] = lambda _host: False

    @property
    def hold(self) -> float:
        """Return for how long one instance must lead."""
        return _HOLD

    def evaluate(self, seen: Leadership, now: float) -> ServerAnswer:
        """Return what this says of the leader, now."""
        leader = seen.leader
        if leader is None:
            return self.unknown(f"no instance holds the Lease {NAMESPACE}/{self.component}")
        if not seen.is_renewed(now):
            return self.unknown(f"{leader.identity} holds the Lease of {self.component}, and is not seen to renew it")
        if self.has_moved(leader.host) is False:
            return self.unknown(
                f"{self.component} is led by {leader.host}, which does not use the config: if that lasts, stop its "
                f"{self.component} until another one leads"
            )
        return ServerAnswer(self.yes())
