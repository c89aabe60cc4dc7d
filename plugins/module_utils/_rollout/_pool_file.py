# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a pool file: its keys, the pool, its policy. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._nodeconfig._bundle import MAX_POOL_LENGTH
from .._nodeconfig._bundle_trial import InvalidTrial, Trial
from .._nodeconfig._strict_mapping import NodeCount, StrictFields, suggest_key
from ._plan import OnFailure
from ._rollout_errors import InvalidPool

__all__ = [
    "Canary",
    "POOL_KEYS",
    "Policy",
    "Pool",
    "crash_loop_seconds",
    "find_unknown_variables",
    "parse_policy",
    "parse_pool",
]

# The keys of each mapping, by its path; "" is the pool file itself.
POOL_KEYS: Mapping[str, tuple[str, ...]] = {
    "": (
        "pool",
        "selector",
        "layers",
        "documents",
        "trial",
        "policy",
        "kubernetesVersions",
        "disruptionOverrides",
        "changeCause",
    ),
    "trial": ("trialDuration", "crashLoopThreshold"),
    "policy": (
        "canary",
        "waves",
        "soak",
        "maxUnavailable",
        "failureBudget",
        "nodeTimeout",
        "onFailure",
        "restartDelay",
        "timeToCrash",
        "healthTimeout",
    ),
    "policy.canary": ("count", "cover", "labels", "soak"),
}
# The other variables of the playbooks, and prefixes of extra variables that are not the user's.
_PLAYBOOK_VARIABLES = ("component", "pool_directory", "kubeconfig", "context", "rollout_lease_duration", "to_revision")
_CONTROLLER_PREFIXES = ("awx_", "tower_")
_FOREIGN_PREFIXES = ("ansible_", *_CONTROLLER_PREFIXES)


def find_unknown_variables(groups: Iterable[Sequence[str]]) -> list[str]:
    """Return a sentence for each extra variable that a rollout would ignore by mistake.

    groups: the names of the extra variables, one group for each -e. In the group with the pool, every name must be
    known, except in a controller (AWX), which has a single group. There, as in all other groups, a name is the user's
    own unless it resembles a key of the pool file.
    """
    errors = []
    for group in groups:
        names = [name for name in group if not name.startswith(_FOREIGN_PREFIXES)]
        has_pool = "pool" in names
        from_controller = any(name.startswith(_CONTROLLER_PREFIXES) for name in group)
        for name in sorted(set(names) - set(POOL_KEYS[""]) - set(_PLAYBOOK_VARIABLES)):
            suggestion = suggest_key(name, "", POOL_KEYS)
            if suggestion and (has_pool or _is_distinctive(suggestion)):
                errors.append(f"{name[:100]}: unknown key of the pool file: did you mean {suggestion}?")
            elif has_pool and not from_controller:
                errors.append(
                    f"{name[:100]}: unknown key of the pool file: "
                    f"it has {', '.join(POOL_KEYS[''])}; give variables of your own with another -e"
                )
    return errors


def _is_distinctive(path: str) -> bool:
    """Return whether a user would hardly give an own variable this key's name, unlike count, soak or labels."""
    return path.rpartition(".")[2].lower() != path.rpartition(".")[2]


ON_FAILURE: tuple[OnFailure, ...] = ("halt", "rollback")
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
class Policy:
    """The limits of a pool's rollouts; times in seconds, defaults as in docs/rollout.md.

    waves: the part of the pool that is reached after each wave, including the canary; the last one always reaches all
    nodes. restart_delay, time_to_crash, health_timeout: the settings of the nodes that determine how long a crash loop
    takes.
    """

    canary: Canary = Canary()
    waves: tuple[NodeCount, ...] = (NodeCount(10, True), NodeCount(30, True), NodeCount(100, True))
    soak: float = 120.0
    max_unavailable: NodeCount = NodeCount(10, True)
    failure_budget: NodeCount = NodeCount(1)
    node_timeout: float = 300.0
    on_failure: OnFailure = "halt"
    restart_delay: float = 10.0
    time_to_crash: float = 10.0
    health_timeout: float = 120.0

    def canary_soak(self, trial: Trial | None) -> float:
        """Return the canary's soak in seconds. trial: the bundle's, None for the init config, which has none."""
        if self.canary.soak is not None:
            return self.canary.soak
        return self.soak if trial is None else trial.duration + _SOAK_AFTER_TRIAL


@dataclass(frozen=True)
class Pool:
    """Nodes that share a config. selector: a label selector; layers, documents: the config, as files or as data."""

    name: str
    selector: str
    policy: Policy = Policy()
    trial: Trial = Trial()
    layers: tuple[str, ...] = ()
    documents: Mapping[str, Any] = field(default_factory=dict)
    kubernetes_versions: tuple[str, ...] = ()
    disruption_overrides: Mapping[str, Any] = field(default_factory=dict)
    change_cause: str = ""


def crash_loop_seconds(policy: Policy, trial: Trial) -> float:
    """Return how long a crash loop may last: (threshold + 1) restarts, then healthTimeout."""
    starts = trial.crash_loop_threshold + 1
    return starts * (policy.restart_delay + policy.time_to_crash) + policy.health_timeout


def parse_policy(value: Any, *, trial: Trial | None = None) -> Policy:
    """Read a policy as a user writes it; None gives the defaults.

    trial: of the policy's bundle, which nodeTimeout must allow for. Raises InvalidPool with all errors at once.
    """
    errors: list[str] = []
    policy = _policy(StrictFields(value, "policy", errors, POOL_KEYS), trial or Trial())
    if errors:
        raise InvalidPool(errors)
    return policy


def parse_pool(value: Any) -> Pool:
    """Read the data of a pool file. Raises InvalidPool with all errors at once."""
    errors: list[str] = []
    fields = StrictFields(value, "", errors, POOL_KEYS)
    name = fields.label("pool", MAX_POOL_LENGTH)
    selector = fields.text("selector", "")
    if not selector and not errors:
        errors.append("selector: a label selector is needed: a pool never means all nodes by accident")
    layers = fields.texts("layers", ())
    documents = fields.mapping("documents")
    if layers and documents:
        errors.append("documents: give either layers or documents, not both")
    trial = _trial(fields.part("trial"))
    pool = Pool(
        name=name,
        selector=selector,
        layers=layers,
        documents=documents,
        trial=trial,
        policy=_policy(fields.part("policy"), trial),
        kubernetes_versions=fields.texts("kubernetesVersions", ()),
        disruption_overrides=fields.mapping("disruptionOverrides"),
        change_cause=fields.text("changeCause", ""),
    )
    fields.done()
    if errors:
        raise InvalidPool(errors)
    return pool


def _trial(fields: StrictFields) -> Trial:
    duration, threshold = fields.take("trialDuration"), fields.take("crashLoopThreshold")
    fields.done()
    try:
        return Trial.of(duration, threshold)
    except InvalidTrial as error:
        fields.errors.append(f"trial: {error}")
        return Trial()


def _policy(fields: StrictFields, trial: Trial) -> Policy:
    default = Policy()
    policy = Policy(
        canary=_canary(fields.part("canary")),
        waves=_waves(fields),
        soak=fields.duration("soak", default.soak),
        max_unavailable=fields.amount("maxUnavailable", default.max_unavailable),
        failure_budget=fields.amount("failureBudget", default.failure_budget),
        node_timeout=fields.duration("nodeTimeout", default.node_timeout),
        on_failure=fields.choice("onFailure", ON_FAILURE, default.on_failure),
        restart_delay=fields.duration("restartDelay", default.restart_delay),
        time_to_crash=fields.duration("timeToCrash", default.time_to_crash),
        health_timeout=fields.duration("healthTimeout", default.health_timeout),
    )
    fields.done()
    if policy.max_unavailable.value == 0:
        fields.errors.append("policy.maxUnavailable: 0 allows nothing: no node could ever be moved")
    if policy.max_unavailable == NodeCount(100, True):
        fields.errors.append("policy.maxUnavailable: 100% allows everything: the whole pool could be down at once")
    if policy.failure_budget == NodeCount(100, True):
        fields.errors.append("policy.failureBudget: 100% allows everything: the whole pool could fail")
    needed = crash_loop_seconds(policy, trial)
    if policy.node_timeout < needed:
        fields.errors.append(
            f"policy.nodeTimeout: {policy.node_timeout:g}s is shorter than a crash loop takes, {needed:g}s: "
            f"({trial.crash_loop_threshold} + 1) times (restartDelay {policy.restart_delay:g}s + timeToCrash "
            f"{policy.time_to_crash:g}s) + healthTimeout {policy.health_timeout:g}s"
        )
    return policy


def _canary(fields: StrictFields) -> Canary:
    canary = Canary(
        count=fields.amount("count", Canary().count),
        cover=fields.texts("cover", _COVER),
        labels={str(key): str(text) for key, text in fields.mapping("labels").items()},
        soak=fields.duration("soak", None),
    )
    fields.done()
    if canary.count.value == 0:
        fields.errors.append("policy.canary.count: a rollout has at least one canary")
    return canary


def _waves(fields: StrictFields) -> tuple[NodeCount, ...]:
    waves = fields.amounts("waves", Policy().waves)
    for kind, name in ((False, "count"), (True, "percent")):
        reached = [wave.value for wave in waves if wave.percent is kind]
        if any(later <= earlier for earlier, later in zip(reached, reached[1:])):
            fields.errors.append(f"policy.waves: each {name} is what is reached after that wave, so it must grow")
    if any(wave.value == 0 for wave in waves):
        fields.errors.append("policy.waves: a wave that reaches 0 nodes moves nothing")
    return waves
