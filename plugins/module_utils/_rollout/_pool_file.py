# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a pool file: its keys, the pool, its policy. Pure. Private to configok.node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar

from .._componentconfig import ConfigError
from .._componentconfig._schema._releases import parse_known_minor
from .._nodeconfig._bundle import MAX_POOL_LENGTH
from .._nodeconfig._bundle_trial import InvalidTrial, Trial
from .._nodeconfig._durations import setting_duration
from .._nodeconfig._strict_mapping import MessageForm, StrictFields, suggest_key
from . import InvalidPool
from ._plan import OnFailure

__all__ = [
    "Canary",
    "NodeCount",
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
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_PERCENT = re.compile(r"([0-9]{1,3})%\Z")
_COUNT = re.compile(r"[0-9]{1,7}\Z")
_MAX_COUNT = 1000000
_Choice = TypeVar("_Choice", bound=str)


@dataclass(frozen=True)
class NodeCount:
    """A number of nodes, or a part of a pool in percent."""

    value: int
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.value}%" if self.percent else str(self.value)

    def as_limit(self, total: int) -> int:
        """Return the number for a limit: rounded down, but a part that is not 0% is at least one node."""
        if not self.percent:
            return self.value
        return max(1, total * self.value // 100) if self.value else 0

    def as_goal(self, total: int) -> int:
        """Return the number for a goal: rounded up."""
        return -(-total * self.value // 100) if self.percent else min(self.value, total)


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
    policy = _policy(StrictFields(value, "policy", errors, _FORM), trial or Trial())
    if errors:
        raise InvalidPool(errors)
    return policy


def parse_pool(value: Any) -> Pool:
    """Read the data of a pool file. Raises InvalidPool with all errors at once."""
    errors: list[str] = []
    fields = StrictFields(value, "", errors, _FORM)
    name = fields.require("pool", _pool_name, "", missing=f"is missing: {_POOL_NAME}")
    selector = fields.get("selector", _text, "")
    if not selector and not errors:
        errors.append("selector: a label selector is needed: a pool never means all nodes by accident")
    layers = _texts(fields, "layers", ())
    documents = fields.get("documents", _mapping, {})
    if layers and documents:
        errors.append("documents: give either layers or documents, not both")
    trial = _trial(fields.section("trial"))
    pool = Pool(
        name=name,
        selector=selector,
        layers=layers,
        documents=documents,
        trial=trial,
        policy=_policy(fields.section("policy"), trial),
        kubernetes_versions=_versions(fields),
        disruption_overrides=fields.get("disruptionOverrides", _mapping, {}),
        change_cause=fields.get("changeCause", _text, ""),
    )
    fields.reject_unknown()
    if errors:
        raise InvalidPool(errors)
    return pool


def _versions(fields: StrictFields) -> tuple[str, ...]:
    """Return the Kubernetes versions that the pool's configs are validated for."""
    value = fields.take("kubernetesVersions")
    if _is_list(value) and any(isinstance(version, (int, float)) for version in value):
        fields.error(
            "kubernetesVersions", value, "must be a list of versions in quotes: YAML reads 1.30 as the number 1.3"
        )
        return ()
    versions = _as_texts(fields, "kubernetesVersions", value, ())
    try:
        for version in versions:
            parse_known_minor(version)
    except ConfigError as error:
        fields.errors.append(f"kubernetesVersions: {error}")
    return versions


def _trial(fields: StrictFields) -> Trial:
    duration, threshold = fields.take("trialDuration"), fields.take("crashLoopThreshold")
    fields.reject_unknown()
    try:
        return Trial.of(duration, threshold)
    except InvalidTrial as error:
        fields.errors.append(f"trial: {error}")
        return Trial()


def _policy(fields: StrictFields, trial: Trial) -> Policy:
    default = Policy()
    policy = Policy(
        canary=_canary(fields.section("canary")),
        waves=_waves(fields),
        soak=fields.get("soak", setting_duration, default.soak),
        max_unavailable=fields.get("maxUnavailable", _node_count, default.max_unavailable),
        failure_budget=fields.get("failureBudget", _node_count, default.failure_budget),
        node_timeout=fields.get("nodeTimeout", setting_duration, default.node_timeout),
        on_failure=fields.get("onFailure", _choice(ON_FAILURE), default.on_failure),
        restart_delay=fields.get("restartDelay", setting_duration, default.restart_delay),
        time_to_crash=fields.get("timeToCrash", setting_duration, default.time_to_crash),
        health_timeout=fields.get("healthTimeout", setting_duration, default.health_timeout),
    )
    fields.reject_unknown()
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
        count=fields.get("count", _node_count, Canary().count),
        cover=_texts(fields, "cover", _COVER),
        labels={str(key): str(text) for key, text in fields.get("labels", _mapping, {}).items()},
        soak=fields.get("soak", setting_duration, None),
    )
    fields.reject_unknown()
    if canary.count.value == 0:
        fields.errors.append("policy.canary.count: a rollout has at least one canary")
    return canary


def _waves(fields: StrictFields) -> tuple[NodeCount, ...]:
    waves = _node_counts(fields, "waves", Policy().waves)
    for kind, name in ((False, "count"), (True, "percent")):
        reached = [wave.value for wave in waves if wave.percent is kind]
        if any(later <= earlier for earlier, later in zip(reached, reached[1:])):
            fields.errors.append(f"policy.waves: each {name} is what is reached after that wave, so it must grow")
    if any(wave.value == 0 for wave in waves):
        fields.errors.append("policy.waves: a wave that reaches 0 nodes moves nothing")
    return waves


def _node_counts(fields: StrictFields, name: str, default: tuple[NodeCount, ...]) -> tuple[NodeCount, ...]:
    """Return a list of counts and percentages, at least one. An error names the entry."""
    value = fields.take(name)
    if value is None:
        return default
    if not _is_list(value) or not value:
        fields.error(name, value, "must be a list such as [10%, 30%, 100%]")
        return default
    counts = [fields.convert(f"{name}[{index}]", part, _node_count, None) for index, part in enumerate(value)]
    return tuple(count for count in counts if count is not None)


def _texts(fields: StrictFields, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return a list of different texts."""
    return _as_texts(fields, name, fields.take(name), default)


def _as_texts(fields: StrictFields, name: str, value: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return default
    if not _is_list(value) or not all(isinstance(part, str) and part for part in value):
        fields.error(name, value, "must be a list of texts")
        return default
    if len(set(value)) != len(value):
        fields.error(name, value, "names something twice")
    return tuple(value)


_POOL_NAME = f"it must be a DNS label (a-z, 0-9, -) of at most {MAX_POOL_LENGTH} characters"


def _pool_name(value: Any) -> str:
    if not isinstance(value, str) or not _LABEL.match(value) or len(value) > MAX_POOL_LENGTH:
        raise ValueError(f"{str(value)[:60]!r}: {_POOL_NAME}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {_type_name(value)}")
    return value.strip()


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(_not_a_mapping(value))
    return {str(key): part for key, part in value.items()}


def _choice(allowed: tuple[_Choice, ...]) -> Callable[[Any], _Choice]:
    def convert(value: Any) -> _Choice:
        for choice in allowed:
            if value == choice:
                return choice
        raise ValueError(f"{str(value)[:60]!r} must be one of {', '.join(allowed)}")

    return convert


def _node_count(value: Any) -> NodeCount:
    match = _PERCENT.match(value) if isinstance(value, str) else None
    if match and int(match.group(1)) <= 100:
        return NodeCount(int(match.group(1)), True)
    number = int(value) if isinstance(value, str) and _COUNT.match(value) else value  # a template makes it a text
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MAX_COUNT:
        return NodeCount(number)
    raise ValueError(f"{str(number)[:60]!r} must be a number of nodes, or a percentage from 0% to 100%")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _type_name(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__


def _not_a_mapping(value: Any) -> str:
    return f"must be a mapping, not {_type_name(value)}"


def _unknown(path: str, names: Sequence[str]) -> Iterable[tuple[str, str]]:
    for name in sorted(names):
        suggestion = suggest_key(name, path, POOL_KEYS)
        yield name[:100], "unknown field" + (f": did you mean {suggestion}?" if suggestion else "")


_FORM = MessageForm(
    file="the pool",
    error=lambda path, _value, sentence: f"{path}: {sentence}",  # a sentence shows the value itself, where it helps
    not_a_mapping=_not_a_mapping,
    unknown=_unknown,
)
