# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the policy of a pool: how its nodes are moved. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..._nodeconfig.bundle_trial import Trial
from ..._nodeconfig.durations import setting_duration
from ..._nodeconfig.strict_mapping import StrictFields, boolean, integer
from .._drain._settings import DrainSettings, HostSettings, RebootSettings, parse_forbid
from .._gates._gate_settings import Gates, parse_gates
from .._pool_values import (
    NodeCount,
    choice,
    custom_setting,
    mapping,
    node_count,
    node_counts,
    positive_duration,
    read_settings,
    required_text,
    section,
    setting,
    take_settings,
    texts,
)
from ..plan import OnFailure
from ._approval import Approval, parse_approval
from ._control_plane import has_static_pods, server_urls
from .maintenance_windows import MaintenanceWindows, parse_maintenance_windows

ON_FAILURE: tuple[OnFailure, ...] = ("halt", "rollback")
MAX_REVISION_HISTORY = 100  # as many as a record keeps
_COVER = ("kubeletVersion", "osImage", "instanceType", "zone")
_SOAK_AFTER_TRIAL = 60.0
_LONGEST_BACK_OFF = 300.0  # seconds that the kubelet waits at most before it starts a container again
_ALL_NODES = NodeCount(100, True)
_WAVES = (NodeCount(10, True), NodeCount(30, True), _ALL_NODES)


def _canary_count(value: Any) -> NodeCount:
    count = node_count(value)
    if count.value == 0:
        raise ValueError("a rollout has at least one canary")
    return count


def _labels(value: Any) -> dict[str, str]:
    return {key: str(text) for key, text in mapping(value).items()}


def _max_unavailable(value: Any) -> NodeCount:
    count = node_count(value)
    if count.value == 0:
        raise ValueError("0 allows nothing: no node could ever be moved")
    if count == _ALL_NODES:
        raise ValueError("100% allows everything: the whole pool could be down at once")
    return count


def _failure_budget(value: Any) -> NodeCount:
    count = node_count(value)
    if count == _ALL_NODES:
        raise ValueError("100% allows everything: the whole pool could fail")
    return count


def _waves(fields: StrictFields, key: str) -> tuple[NodeCount, ...]:
    waves = node_counts(fields, key, _WAVES)
    for kind, name in ((False, "count"), (True, "percent")):
        reached = [wave.value for wave in waves if wave.percent is kind]
        if any(later <= earlier for earlier, later in zip(reached, reached[1:])):
            fields.error(key, None, f"each {name} is what is reached after that wave, so it must grow")
    if any(wave.value == 0 for wave in waves):
        fields.error(key, None, "a wave that reaches 0 nodes moves nothing")
    return waves


@dataclass(frozen=True)
class Canary:
    """The first nodes of a rollout. soak: seconds, None for the trial of the bundle plus one minute."""

    count: NodeCount = setting(_canary_count, NodeCount(3))
    cover: tuple[str, ...] = setting(texts, _COVER)
    labels: Mapping[str, str] = setting(_labels, {})
    soak: float | None = setting(setting_duration, None)


@dataclass(frozen=True)
class AnswerTimes:
    """How long a node may take to answer, in seconds.

    restart_delay, time_to_crash, health_timeout: the settings of the nodes that determine how long a crash loop takes.
    of_static_pods: whether it is those of static Pods: the kubelet waits twice as long before each further restart, and
    one of them may be the API server that the run speaks to.
    """

    timeout: float = setting(setting_duration, 300.0, key="nodeTimeout")
    restart_delay: float = setting(setting_duration, 10.0)
    time_to_crash: float = setting(setting_duration, 10.0)
    health_timeout: float = setting(setting_duration, 120.0)
    of_static_pods: bool = False

    def crash_loop(self, trial: Trial) -> float:
        """Return how long a crash loop may last: (threshold + 1) restarts, then healthTimeout."""
        starts = trial.crash_loop_threshold + 1
        delays = sum(self._restart_delay(number) for number in range(starts))
        return delays + starts * self.time_to_crash + self.health_timeout

    def describe_crash_loop(self, trial: Trial) -> str:
        """Return how long a crash loop may last, and why, for a user."""
        doubled = ", doubled each time," if self.of_static_pods else ""
        return (
            f"{self.crash_loop(trial):g}s: ({trial.crash_loop_threshold} + 1) times (restartDelay "
            f"{self.restart_delay:g}s{doubled} + timeToCrash {self.time_to_crash:g}s) + healthTimeout "
            f"{self.health_timeout:g}s"
        )

    def _restart_delay(self, number: int) -> float:
        if not self.of_static_pods:
            return self.restart_delay
        return min(self.restart_delay * 2.0**number, max(self.restart_delay, _LONGEST_BACK_OFF))


@dataclass(frozen=True)
class AllowedDisruptions:
    """What a rollout may do to a pool, and to the API servers.

    forbid: classes of disruption that stop it before its first node. api_servers: URLs that are asked while the API
    server of the kubeconfig restarts; None for those that the cluster names.
    """

    forbid: tuple[str, ...] = custom_setting(parse_forbid, ())
    allow_api_outage: bool = setting(boolean, False)
    api_servers: tuple[str, ...] | None = setting(server_urls, None)


@dataclass(frozen=True)
class WavePlaybooks:
    """The user's own playbooks before and after each wave, "" for none. timeout: seconds for each run."""

    before_wave: str = setting(required_text, "")
    after_wave: str = setting(required_text, "")
    timeout: float = setting(positive_duration, 1800.0)


@dataclass(frozen=True)
class Policy:
    """The limits of a pool's rollouts; times in seconds, defaults as in docs/rollout.md.

    waves: the part of the pool that is reached after each wave, including the canary; the last one always reaches all
    nodes. revision_history_limit: how many bundles pruning keeps for an undo. host: for machines, whose hosts are
    changed.
    """

    canary: Canary = section(Canary)
    waves: tuple[NodeCount, ...] = custom_setting(_waves, _WAVES)
    soak: float = setting(setting_duration, 120.0)
    max_unavailable: NodeCount = setting(_max_unavailable, NodeCount(10, True))
    failure_budget: NodeCount = setting(_failure_budget, NodeCount(1))
    answer: AnswerTimes = custom_setting(lambda part, _key: take_settings(AnswerTimes, part), AnswerTimes())
    on_failure: OnFailure = setting(choice(ON_FAILURE), "halt")
    maintenance_windows: MaintenanceWindows = custom_setting(parse_maintenance_windows, MaintenanceWindows())
    approval: Approval = custom_setting(parse_approval, Approval())
    revision_history_limit: int = setting(integer(1, MAX_REVISION_HISTORY), 10)
    drain: DrainSettings = section(DrainSettings)
    reboot: RebootSettings = section(RebootSettings)
    host: HostSettings = section(HostSettings)
    disruptions: AllowedDisruptions = custom_setting(
        lambda part, _key: take_settings(AllowedDisruptions, part), AllowedDisruptions()
    )
    gates: Gates = custom_setting(parse_gates, Gates())
    playbooks: WavePlaybooks = section(WavePlaybooks)

    def canary_soak(self, trial: Trial | None) -> float:
        """Return the canary's soak in seconds. trial: the bundle's, None for the init config, which has none."""
        if self.canary.soak is not None:
            return self.canary.soak
        return self.soak if trial is None else trial.duration + _SOAK_AFTER_TRIAL


def policy_of(fields: StrictFields, trial: Trial, *, components: Collection[str] = ()) -> Policy:
    """Return the policy in the fields of a pool file; errors are collected in them.

    components: of the pool's config.
    """
    is_control_plane = has_static_pods(components)
    policy = read_settings(Policy, fields)
    answer = replace(policy.answer, of_static_pods=is_control_plane)
    if answer.timeout < answer.crash_loop(trial):
        fields.errors.append(
            f"policy.nodeTimeout: {answer.timeout:g}s is shorter than a crash loop takes, "
            f"{answer.describe_crash_loop(trial)}"
        )
    if not is_control_plane:
        return policy
    return replace(policy, answer=answer, gates=policy.gates.with_control_plane(answer.timeout, components))
