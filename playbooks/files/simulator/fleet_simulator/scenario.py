# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a scenario file: which hollow nodes there are, and how they behave. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import setting_duration
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.strict_mapping import (
    MessageForm,
    StrictFields,
    integer,
    suggest_key,
)

__all__ = [
    "Behaviour",
    "Flapping",
    "Group",
    "InvalidScenario",
    "Outcome",
    "SCENARIO_KEYS",
    "Scenario",
    "parse_scenario",
]

# What a node does with a config that it is assigned.
Outcome = Literal[
    "adopts",  # acknowledges it, and reports ConfigOK True when the answer time is over
    "crashes",  # acknowledges it, then rolls back because its component crashes
    "unhealthy",  # acknowledges it, then rolls back because its component does not become healthy
    "doubts",  # acknowledges it, rolls back because its host is sick, and tries it once more: cause Suspect
    "refuses",  # reports that it does not validate
    "waits",  # reports that any restart would fail on its host, and adopts nothing
    "hangs",  # acknowledges it, and says no more
    "silent",  # says nothing
    "claims",  # lies: reports ConfigOK True, and that it still uses the config before
    "repeats",  # lies: reports ConfigOK True and the new config, and repeats the id of the assignment before
]

MAX_NODES = 20_000
_Value = TypeVar("_Value")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?\Z")
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
_LABEL_KEY = re.compile(
    r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z"
)
_VERSION = re.compile(r"v1\.[0-9]{1,3}\.[0-9]{1,3}\Z")
_OWN_LABELS = ("configok.dev/", "kubernetes.io/hostname")

SCENARIO_KEYS: Mapping[str, Sequence[str]] = {
    "": ("simulation", "groups", "leases", "heartbeats", "images"),
    "groups": (
        "name",
        "count",
        "labels",
        "zones",
        "kubeletVersions",
        "osImages",
        "instanceTypes",
        "components",
        "behaviour",
    ),
    "groups.behaviour": ("answer", "outcome", "onlyWith", "joinsAfter", "vanishes", "flaps", "ready"),
    "groups.behaviour.vanishes": ("after", "from"),
    "groups.behaviour.flaps": ("every", "for"),
}


class InvalidScenario(ValueError):
    """A scenario file that cannot be used. errors: one sentence for each problem."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__("; ".join(errors))
        self.errors = tuple(errors)


@dataclass(frozen=True)
class Flapping:
    """A node that is NotReady again and again. every, down: seconds of a period, and of it NotReady."""

    every: float
    down: float


@dataclass(frozen=True)
class Behaviour:
    """How the nodes of a group behave.

    answer: the range of the seconds from an assignment to the node's final answer. only_with: a text; the outcome is
    that of configs which contain it, and others are adopted. joins_after: when the Node is created, in seconds after
    the start. vanishes_after: when it is deleted, None for never; since_assignment: counted from its first assignment
    instead of the start. ready: whether the Node is Ready at the start.
    """

    answer: tuple[float, float] = (2.0, 2.0)
    outcome: Outcome = "adopts"
    only_with: str = ""
    joins_after: float = 0.0
    vanishes_after: float | None = None
    since_assignment: bool = False
    flapping: Flapping | None = None
    ready: bool = True


@dataclass(frozen=True)
class Group:
    """Nodes that behave alike. zones, kubelet_versions, os_images, instance_types: each node gets one, in turn."""

    name: str
    count: int
    labels: Mapping[str, str] = field(default_factory=dict)
    zones: tuple[str, ...] = ()
    kubelet_versions: tuple[str, ...] = ("v1.34.1",)
    os_images: tuple[str, ...] = ("Hollow Linux",)
    instance_types: tuple[str, ...] = ()
    components: tuple[str, ...] = ("kubelet",)
    behaviour: Behaviour = Behaviour()


@dataclass(frozen=True)
class Scenario:
    """A fleet of hollow nodes.

    leases, heartbeats: seconds between two renewals of a Node's Lease, and two writes of its Ready condition; 0 for
    none. images: the length of the list of images in each Node's status, which is most of a real Node.
    """

    simulation: str
    groups: tuple[Group, ...]
    leases: float = 10.0
    heartbeats: float = 300.0
    images: int = 0

    @property
    def count(self) -> int:
        """Return the number of nodes."""
        return sum(group.count for group in self.groups)


def parse_scenario(value: Any) -> Scenario:
    """Read the data of a scenario file. Raises InvalidScenario with all errors at once."""
    errors: list[str] = []
    fields = StrictFields(value, "", errors, _FORM)
    scenario = Scenario(
        simulation=fields.require("simulation", _name, "", missing=f"is missing: {_NAME_RULE}"),
        groups=_groups(fields),
        leases=fields.get("leases", setting_duration, 10.0),
        heartbeats=fields.get("heartbeats", setting_duration, 300.0),
        images=fields.get("images", integer(0, 50), 0),
    )
    fields.reject_unknown()
    if scenario.count > MAX_NODES:
        errors.append(f"groups: they have {scenario.count} nodes, and one simulator has at most {MAX_NODES}")
    if errors:
        raise InvalidScenario(errors)
    return scenario


_NAME_RULE = "it must be a DNS label (a-z, 0-9, -) of at most 40 characters"


def _describe(path: str, value: Any, sentence: str) -> str:
    shown = "" if value is None else f" {str(value)[:60]!r}"
    return f"{path}{shown}: {sentence}"


def _unknown(path: str, names: Sequence[str]) -> list[tuple[str, str]]:
    keys = re.sub(r"\[[0-9]+\]", "", path)
    problems = []
    for name in names:
        similar = suggest_key(name, keys, {keys: SCENARIO_KEYS.get(keys, ())})
        hint = (
            f"did you mean {similar.rpartition('.')[2]}?"
            if similar
            else f"known: {', '.join(SCENARIO_KEYS.get(keys, ()))}"
        )
        problems.append((name, f"is unknown: {hint}"))
    return problems


_FORM = MessageForm("the scenario", _describe, lambda _value: "must be a mapping of keys", _unknown)


def _groups(fields: StrictFields) -> tuple[Group, ...]:
    value = fields.take("groups")
    if not isinstance(value, list) or not value:
        fields.error("groups", None, "must be a list of at least one group of nodes")
        return ()
    groups = tuple(_group(fields.nested(f"groups[{number}]", item)) for number, item in enumerate(value))
    names = [group.name for group in groups if group.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        fields.error("groups", name, "is the name of more than one group")
    return groups


def _group(fields: StrictFields) -> Group:
    group = Group(
        name=fields.require("name", _name, "", missing=f"is missing: {_NAME_RULE}"),
        count=fields.require("count", integer(1, MAX_NODES), 1),
        labels=fields.get("labels", _labels, {}),
        zones=fields.get("zones", _each(_label_value), ()),
        kubelet_versions=fields.get("kubeletVersions", _each(_version), Group.kubelet_versions),
        os_images=fields.get("osImages", _each(_text), Group.os_images),
        instance_types=fields.get("instanceTypes", _each(_label_value), ()),
        components=fields.get("components", _each(_name), Group.components),
        behaviour=_behaviour(fields.section("behaviour")),
    )
    fields.reject_unknown()
    return group


def _behaviour(fields: StrictFields) -> Behaviour:
    vanishes = fields.take("vanishes")
    vanishing = fields.nested("vanishes", vanishes)
    flaps = fields.take("flaps")
    behaviour = Behaviour(
        answer=fields.get("answer", _range, Behaviour.answer),
        outcome=fields.get("outcome", _outcome, Behaviour.outcome),
        only_with=fields.get("onlyWith", _text, ""),
        joins_after=fields.get("joinsAfter", setting_duration, 0.0),
        vanishes_after=vanishing.get("after", setting_duration, 0.0) if vanishes is not None else None,
        since_assignment=vanishing.get("from", _moment, False),
        flapping=_flapping(fields.nested("flaps", flaps)) if flaps is not None else None,
        ready=fields.get("ready", _boolean, True),
    )
    vanishing.reject_unknown()
    fields.reject_unknown()
    return behaviour


def _flapping(fields: StrictFields) -> Flapping:
    every = fields.require("every", _positive, 1.0)
    down = fields.require("for", _positive, 0.5)
    if down >= every:
        fields.error("for", None, "must be shorter than every")
    fields.reject_unknown()
    return Flapping(every, down)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.match(value):
        raise ValueError(_NAME_RULE)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > 1000:
        raise ValueError("must be a text")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _label_value(value: Any) -> str:
    if not isinstance(value, str) or not _LABEL_VALUE.match(value):
        raise ValueError("must be the value of a label, in quotes if YAML reads it as something else")
    return value


def _labels(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("must be a mapping of labels")
    for key, text in value.items():
        if not isinstance(key, str) or not _LABEL_KEY.match(key):
            raise ValueError(f"{str(key)[:60]!r} is not the key of a label")
        if key.startswith(_OWN_LABELS):
            raise ValueError(f"{key} is set by the simulator")
        try:
            _label_value(text)
        except ValueError as error:
            raise ValueError(f"{key} {error}") from error
    return dict(value)


def _version(value: Any) -> str:
    if not isinstance(value, str) or not _VERSION.match(value):
        raise ValueError("must be a version of Kubernetes such as v1.34.1")
    return value


def _each(convert: Callable[[Any], _Value]) -> Callable[[Any], tuple[_Value, ...]]:
    """Return the converter of a list that is not empty."""

    def convert_all(value: Any) -> tuple[_Value, ...]:
        if not isinstance(value, list) or not value:
            raise ValueError("must be a list")
        return tuple(convert(item) for item in value)

    return convert_all


def _positive(value: Any) -> float:
    seconds = setting_duration(value)
    if seconds <= 0:
        raise ValueError("must be longer than 0")
    return seconds


def _range(value: Any) -> tuple[float, float]:
    """Return the range of an answer time: one duration, or a list of the shortest and the longest."""
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) != 2:
        raise ValueError("must be a duration, or a list of the shortest and the longest")
    shortest, longest = setting_duration(ends[0]), setting_duration(ends[1])
    if shortest > longest:
        raise ValueError("must begin with the shortest duration")
    return shortest, longest


def _outcome(value: Any) -> Outcome:
    for outcome in get_args(Outcome):
        if value == outcome:
            return outcome  # type: ignore[no-any-return]  # one of the literals
    raise ValueError(f"must be one of {', '.join(get_args(Outcome))}")


def _moment(value: Any) -> bool:
    if value not in ("start", "assignment"):
        raise ValueError("must be start or assignment")
    return bool(value == "assignment")
