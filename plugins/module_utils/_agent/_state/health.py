# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks a component's health from probe to probe; units, probe results and looks at the host as data.

Pure: the functions take the time (seconds since boot) and return new values. Nothing of this is stored: a restarted
agent probes again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..._nodeconfig.config_status import ComponentState

FIRST_INTERVAL = 0.05  # seconds between the first probes of a component that is not healthy yet


class CommandLine(NamedTuple):
    """The command line of a component's process. drop_ins: path -> fields that it sets."""

    argv: tuple[str, ...]
    drop_ins: Mapping[str, list[str]]


class ProbeResult(NamedTuple):
    """The result of one probe of a component. detail: what was wrong in a few words ("healthz: connection refused").

    command_line: of a healthy component, if it was not read before. is_final: whether waiting longer changes nothing.
    """

    ok: bool
    detail: str = ""
    command_line: CommandLine | None = None
    is_final: bool = False


class Health(NamedTuple):
    """One component's health; times are seconds since boot.

    unhealthy_since: None while it is healthy. ok_since: the first probe of the present row of good ones. last_healthy:
    the last good probe of a healthy component. failures: bad probes in a row of an invocation that was healthy before.
    was_healthy: whether this invocation was. detail: what the last bad probe found. has_given_up: whether it was final.
    """

    unhealthy_since: float | None
    ok_since: float | None = None
    last_healthy: float | None = None
    failures: int = 0
    invocation: str = ""
    was_healthy: bool = False
    detail: str = "not checked yet"
    has_given_up: bool = False


def new_health(now: float) -> Health:
    """Return the health of a component that was just given a config, or was never probed."""
    return Health(unhealthy_since=now)


def after_probe(health: Health, result: ProbeResult, *, invocation: str, now: float, settling: float) -> Health:
    """Return the health after one probe.

    invocation: the one that was probed. settling: the seconds for which it must stay ok to count as healthy.
    """
    if invocation != health.invocation:  # another process: the probes of the one before do not count
        since = now if health.unhealthy_since is None else health.unhealthy_since
        health = Health(unhealthy_since=since, invocation=invocation, detail=health.detail)
    if not result.ok:
        return health._replace(
            unhealthy_since=now if health.unhealthy_since is None else health.unhealthy_since,
            ok_since=None,
            last_healthy=None,
            failures=health.failures + 1 if health.was_healthy else 0,
            detail=result.detail,
            has_given_up=result.is_final,
        )
    ok_since = now if health.ok_since is None else health.ok_since
    if now - ok_since < settling:
        return health._replace(ok_since=ok_since, has_given_up=False)
    return Health(
        unhealthy_since=None,
        ok_since=ok_since,
        last_healthy=now,
        invocation=health.invocation,
        was_healthy=True,
        detail="",
    )


def is_healthy(health: Health) -> bool:
    """Return whether the component is ok and has settled."""
    return health.unhealthy_since is None


def has_failed(health: Health, *, now: float, timeout: float, threshold: int) -> bool:
    """Return whether the component has failed.

    It has if it was not healthy for ``timeout`` seconds, if ``threshold`` probes in a row were bad, or one was final.
    """
    if health.unhealthy_since is None:
        return False
    return now - health.unhealthy_since >= timeout or health.failures >= threshold or health.has_given_up


class HealthyTime(NamedTuple):
    """Until when all components are known to have been healthy together, in seconds since boot; None if they are not.

    invocations: of the components, by name.
    """

    until: float | None = None
    invocations: Mapping[str, str] = {}


def healthy_time(before: HealthyTime, healths: Mapping[str, Health], *, limit: float) -> tuple[HealthyTime, float]:
    """Return until when all components have been healthy, and the seconds of that since the time before.

    Each component is probed on its own, and answers when it likes: the time counts that good probes of all of them
    cover, at most ``limit`` seconds at once. Another invocation starts from zero.
    """
    probed = [health.last_healthy for health in healths.values() if health.last_healthy is not None]
    if not probed or len(probed) < len(healths):
        return HealthyTime(), 0.0
    invocations = {name: health.invocation for name, health in healths.items()}
    if before.until is None or before.invocations != invocations:
        return HealthyTime(max(probed), invocations), 0.0
    until = max(before.until, min(probed))
    return HealthyTime(until, invocations), min(until - before.until, limit)


def next_probe_in(
    health: Health, *, now: float, settling: float, interval: float, first: float = FIRST_INTERVAL
) -> float:
    """Return when to probe again, in seconds from now.

    interval: between probes of a healthy or failing component. first: between those of one that is about to start.
    """
    if health.unhealthy_since is None or health.failures:
        return interval
    if health.ok_since is not None:
        return max(0.01, health.ok_since + settling - now)
    return min(interval, max(first, (now - health.unhealthy_since) / 15))


class ComponentsObservation(NamedTuple):
    """The health of all components after one round of probes.

    healthy: None while nothing is known yet. failed: the component that has failed, "" if none has; detail: what its
    last probe found; within: the seconds in which it was not healthy. stopped: the unit that is not started, and why.
    seconds: of health since the previous round. healthy_for: seconds for which all have been healthy. restarts_due: the
    components to restart now, since they do not read the config that they should, with the SHA-256 of the right file.
    not_read: why a component does not read the file that it is given. new_command_lines: those not recorded yet.
    invocations: by component. probed_at: when the oldest of their latest probes was started, in seconds since boot.
    """

    healthy: bool | None
    failed: str
    detail: str
    within: float
    stopped: str
    seconds: float
    healthy_for: float
    states: Mapping[str, ComponentState]
    restarts_due: Mapping[str, str] = {}
    not_read: str = ""
    new_command_lines: Mapping[str, CommandLine] = {}
    invocations: Mapping[str, str] = {}
    probed_at: float = 0.0


# active: its main process runs | starting: start jobs, ExecStartPre, waiting to restart | stopped: an administrator
# stopped it or it was never started | masked | failed: gave up | missing: no such unit | foreign: it runs as another
# program says, over which the agent writes nothing
UnitState = Literal["active", "starting", "stopped", "masked", "failed", "missing", "foreign"]


NOT_STARTED: tuple[UnitState, ...] = ("stopped", "masked", "missing", "foreign")  # the agent does not start such a unit


class Unit(NamedTuple):
    """A component's unit, as the service manager reports it, or its static Pod.

    config: of a static Pod, SHA-256 of the file of options that its manifest has; None for a unit. reason: why it is
    foreign.
    """

    name: str
    state: UnitState
    invocation: str = ""  # INVOCATION_ID of the running or last invocation
    pid: int | None = None
    active_since: float | None = None  # seconds since boot when it became active
    config: str | None = None
    reason: str = ""


def not_started_reason(unit: Unit, *, reads_another: bool) -> str:
    """Return why the agent does not start a unit. reads_another: whether it runs with a config that is not its own."""
    if unit.state == "foreign":
        return unit.reason
    if unit.state != "masked" or unit.pid is None:
        return f"{unit.name} is stopped by an administrator"
    runs = "it runs with the config before, and" if reads_another else "it runs, and"
    return f"{unit.name} is masked: {runs} is not restarted"


class HostLook(NamedTuple):
    """The result of one check of the host and of the components that are about to be restarted.

    problem: what would make the restart of a component fail that does not fail yet, "" if nothing would; while there is
    one, nothing is restarted. failing: what is wrong with a component under the config in use, "" if nothing is.
    """

    problem: str = ""
    failing: str = ""
