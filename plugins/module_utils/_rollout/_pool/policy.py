# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the policy of a pool: how its nodes are moved. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._nodeconfig.bundle_trial import Trial
from ..._nodeconfig.durations import setting_duration
from ..._nodeconfig.strict_mapping import StrictFields, integer
from .._drain._settings import (
    DrainSettings,
    HostSettings,
    RebootSettings,
    parse_drain,
    parse_forbid,
    parse_host,
    parse_reboot,
)
from .._gates._gate_settings import Gates, parse_gates
from .._gates.wave_playbooks import WavePlaybooks, parse_wave_playbooks
from .._pool_values import NodeCount, choice, mapping, node_count, node_counts, texts
from ..plan import OnFailure
from ._approval import Approval, parse_approval
from .maintenance_windows import MaintenanceWindows, parse_maintenance_windows

ON_FAILURE: tuple[OnFailure, ...] = ("halt", "rollback")
MAX_REVISION_HISTORY = 100  # as many as a record keeps
_COVER = ("kubeletVersion", "osImage", "instanceType", "zone")
_SOAK_AFTER_TRIAL = 60.0


@dataclass(frozen=True)
class Canary:
    """The first nodes of a rollout. soak: seconds, None for the trial of the bundle plus one minute."""

    count: NodeCount = NodeCount(3)
    cover: tuple[str, ...] = _COVER
    labels: Mapping[str, str] = field(default_factory=dict)
    soak: float | None = None


@dataclass(frozen=True)
class AnswerTimes:
    """How long a node may take to answer, in seconds.

    restart_delay, time_to_crash, health_timeout: the settings of the nodes that determine how long a crash loop takes.
    """

    timeout: float = 300.0
    restart_delay: float = 10.0
    time_to_crash: float = 10.0
    health_timeout: float = 120.0

    def crash_loop(self, trial: Trial) -> float:
        """Return how long a crash loop may last: (threshold + 1) restarts, then healthTimeout."""
        starts = trial.crash_loop_threshold + 1
        return starts * (self.restart_delay + self.time_to_crash) + self.health_timeout


@dataclass(frozen=True)
class Policy:
    """The limits of a pool's rollouts; times in seconds, defaults as in docs/rollout.md.

    waves: the part of the pool that is reached after each wave, including the canary; the last one always reaches all
    nodes. revision_history_limit: how many bundles pruning keeps for an undo. forbid: classes of disruption that stop a
    rollout before its first node. host: for machines, whose hosts are changed.
    """

    canary: Canary = Canary()
    waves: tuple[NodeCount, ...] = (NodeCount(10, True), NodeCount(30, True), NodeCount(100, True))
    soak: float = 120.0
    max_unavailable: NodeCount = NodeCount(10, True)
    failure_budget: NodeCount = NodeCount(1)
    answer: AnswerTimes = AnswerTimes()
    on_failure: OnFailure = "halt"
    maintenance_windows: MaintenanceWindows = MaintenanceWindows()
    approval: Approval = Approval()
    revision_history_limit: int = 10
    drain: DrainSettings = DrainSettings()
    reboot: RebootSettings = RebootSettings()
    host: HostSettings = HostSettings()
    forbid: tuple[str, ...] = ()
    gates: Gates = Gates()
    playbooks: WavePlaybooks = WavePlaybooks()

    def canary_soak(self, trial: Trial | None) -> float:
        """Return the canary's soak in seconds. trial: the bundle's, None for the init config, which has none."""
        if self.canary.soak is not None:
            return self.canary.soak
        return self.soak if trial is None else trial.duration + _SOAK_AFTER_TRIAL


def policy_of(fields: StrictFields, trial: Trial) -> Policy:
    """Return the policy in the fields of a pool file; errors are collected in them."""
    default = Policy()
    policy = Policy(
        canary=_canary(fields.section("canary")),
        waves=_waves(fields),
        soak=fields.get("soak", setting_duration, default.soak),
        max_unavailable=fields.get("maxUnavailable", node_count, default.max_unavailable),
        failure_budget=fields.get("failureBudget", node_count, default.failure_budget),
        answer=_answer_times(fields),
        on_failure=fields.get("onFailure", choice(ON_FAILURE), default.on_failure),
        maintenance_windows=parse_maintenance_windows(fields),
        approval=parse_approval(fields.section("approval")),
        revision_history_limit=fields.get(
            "revisionHistoryLimit", integer(1, MAX_REVISION_HISTORY), default.revision_history_limit
        ),
        drain=parse_drain(fields.section("drain")),
        reboot=parse_reboot(fields.section("reboot")),
        host=parse_host(fields.section("host")),
        forbid=parse_forbid(fields),
        gates=parse_gates(fields),
        playbooks=parse_wave_playbooks(fields),
    )
    fields.reject_unknown()
    if policy.max_unavailable.value == 0:
        fields.errors.append("policy.maxUnavailable: 0 allows nothing: no node could ever be moved")
    if policy.max_unavailable == NodeCount(100, True):
        fields.errors.append("policy.maxUnavailable: 100% allows everything: the whole pool could be down at once")
    if policy.failure_budget == NodeCount(100, True):
        fields.errors.append("policy.failureBudget: 100% allows everything: the whole pool could fail")
    answer, needed = policy.answer, policy.answer.crash_loop(trial)
    if answer.timeout < needed:
        fields.errors.append(
            f"policy.nodeTimeout: {answer.timeout:g}s is shorter than a crash loop takes, {needed:g}s: "
            f"({trial.crash_loop_threshold} + 1) times (restartDelay {answer.restart_delay:g}s + timeToCrash "
            f"{answer.time_to_crash:g}s) + healthTimeout {answer.health_timeout:g}s"
        )
    return policy


def _answer_times(fields: StrictFields) -> AnswerTimes:
    default = AnswerTimes()
    return AnswerTimes(
        timeout=fields.get("nodeTimeout", setting_duration, default.timeout),
        restart_delay=fields.get("restartDelay", setting_duration, default.restart_delay),
        time_to_crash=fields.get("timeToCrash", setting_duration, default.time_to_crash),
        health_timeout=fields.get("healthTimeout", setting_duration, default.health_timeout),
    )


def _canary(fields: StrictFields) -> Canary:
    canary = Canary(
        count=fields.get("count", node_count, Canary().count),
        cover=texts(fields, "cover", _COVER),
        labels={str(key): str(text) for key, text in fields.get("labels", mapping, {}).items()},
        soak=fields.get("soak", setting_duration, None),
    )
    fields.reject_unknown()
    if canary.count.value == 0:
        fields.errors.append("policy.canary.count: a rollout has at least one canary")
    return canary


def _waves(fields: StrictFields) -> tuple[NodeCount, ...]:
    waves = node_counts(fields, "waves", Policy().waves)
    for kind, name in ((False, "count"), (True, "percent")):
        reached = [wave.value for wave in waves if wave.percent is kind]
        if any(later <= earlier for earlier, later in zip(reached, reached[1:])):
            fields.errors.append(f"policy.waves: each {name} is what is reached after that wave, so it must grow")
    if any(wave.value == 0 for wave in waves):
        fields.errors.append("policy.waves: a wave that reaches 0 nodes moves nothing")
    return waves
