# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any object of any kind that has versions, there and back: what does not come back was said to be lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec._document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec._yaml import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._field_moves import Hint, Loss
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._kube_scheduler import (
    SCHEDULER_HINTS,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._kubeadm import KUBEADM_HINTS
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._small_kinds import (
    SMALL_HINTS,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._convert import (
    Conversion,
    convert_document,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._kinds import (
    Kind,
    find_kind,
    find_version,
    kinds,
    prune,
    versions_of,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._type_check import check_types
from support.configs.objects import broken_configs, configs, minors_of, scheduler_configs
from support.fuzz.settings import fuzz

Leaf = tuple[tuple[str, ...], str]
PAIRS = [(kind, other) for kind in kinds() for other in versions_of(kind) if other != kind]
SCHEDULER = "KubeSchedulerConfiguration"
HINTS: dict[str, Any] = {SCHEDULER: SCHEDULER_HINTS, **KUBEADM_HINTS, **SMALL_HINTS}


def fields_of(path: Sequence[Any]) -> tuple[str, ...]:
    """A path without its indexes."""
    return tuple(part for part in path if isinstance(part, str))


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[Leaf]:
    """The scalars of data, each with the fields that lead to it; which of a list it is does not count."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list) and data:
        for index, value in enumerate(data):
            yield from leaves(value, (*path, index))
    else:
        yield fields_of(path), repr(data)


def missing(before: dict[str, Any], after: dict[str, Any], kind: Kind, minor: int) -> list[Leaf]:
    """What the component of one minor sees in the one and not in the other."""
    found = Counter(leaves(prune(apply_defaults(before, kind, minor))))
    there = Counter(leaves(prune(apply_defaults(after, kind, minor))))
    found.subtract(there)
    # An empty object is there as well where the other has something in it.
    filled = {path[:length] for path, _value in there for length in range(len(path))}
    return [leaf for leaf, count in found.items() if count > 0 and not (leaf[1] == "{}" and leaf[0] in filled)]


def said(leaf: Leaf, losses: Sequence[Loss]) -> bool:
    """Whether a loss tells of a leaf: it is the same, around it, or below it."""
    paths = [fields_of(loss.path) for loss in losses]
    return any(leaf[0][: len(path)] == path or path[: len(leaf[0])] == leaf[0] for path in paths)


def harmless(leaf: Leaf, hints: Mapping[str, Hint]) -> bool:
    """Whether the value is one that the other version always has, or moves to where it means the same."""
    if leaf[0][-1] == "percentageOfNodesToScore" or leaf == (("profiles", "plugins"), "{}"):
        return True  # of the only profile: for all of them; and no plugins, however written
    return any(repr(value) == leaf[1] for value in hints.get(".".join(leaf[0]), Hint("")).harmless)


def check(there: Conversion, before: dict[str, Any], minor: int) -> Conversion:
    """What holds for every conversion of a config that the types of a minor allow; returns the way back."""
    back = convert_document(there.data, there.source.api_version)
    assert find_kind(there.data["apiVersion"], there.data["kind"]) == there.target
    assert back.source == there.target
    for at in minors_of(there.target):
        if at == minor or not there.target.known_at(minor):
            # Fields and values that this minor does not have, and others do, are the business of `validate`.
            problems = check_types(there.data, there.target, at, is_json=False).findings
            assert [one for one in problems if one.rule != "enum" and "knows it from" not in one.message] == []
    assert convert_document(before, there.target.api_version) == there
    return back


@pytest.mark.parametrize(("kind", "other"), PAIRS, ids=lambda kind: f"{kind.kind} {kind.version}")
@fuzz(3)
@given(st.data())
def test_there_and_back(kind: Kind, other: Kind, data: st.DataObject) -> None:
    minor = data.draw(st.sampled_from(minors_of(kind)))
    config = data.draw(configs(kind, minor))
    before = deepcopy(config)
    there = convert_document(config, other.api_version)
    assert config == before
    back = check(there, config, minor)
    lost = [leaf for leaf in missing(config, back.data, kind, minor) if not said(leaf, [*there.losses, *back.losses])]
    assert [leaf for leaf in lost if not harmless(leaf, HINTS.get(kind.kind, {}))] == []


@pytest.mark.parametrize(("kind", "other"), PAIRS, ids=lambda kind: f"{kind.kind} {kind.version}")
@fuzz(3)
@given(st.data())
def test_a_config_of_wrong_types_is_converted_as_far_as_that_goes(kind: Kind, other: Kind, data: st.DataObject) -> None:
    """Types are judged elsewhere; here nothing may end otherwise than with data that can be written."""
    config = data.draw(broken_configs(kind, data.draw(st.sampled_from(minors_of(kind)))))
    there = convert_document(config, other.version)
    assert decode(encode(there.data)).data == there.data
    assert convert_document(config, other.version) == there


GONE = ("NodeLabel", "ServiceAffinity", "NodePreferAvoidPods", "SelectorSpread", "NodeResourcesFit")


@pytest.mark.parametrize(("old", "new"), [(a, b) for a in range(4) for b in range(4) if a != b])
@fuzz(15)
@given(st.data())
def test_profiles_there_and_back(old: int, new: int, data: st.DataObject) -> None:
    """The same for profiles that use kube-scheduler's own plugins; the score of each stays as it was."""
    found = find_kind("kubescheduler.config.k8s.io/v1", SCHEDULER)
    assert found is not None
    source, target = versions_of(found)[old], versions_of(found)[new]
    arguments = {
        one.kind[: -len("Args")]: one
        for one in kinds()
        if one.api_version == source.api_version and one.kind.endswith("Args")
    }
    minor = data.draw(st.sampled_from(minors_of(source)))
    assume(all(one.known_at(minor) for one in arguments.values()))
    config = data.draw(scheduler_configs(source, arguments, minor))
    there = convert_document(config, target.version)
    back = check(there, config, minor)
    lost = [leaf for leaf in missing(config, back.data, source, minor) if not said(leaf, [*there.losses, *back.losses])]
    # What is disabled, and gone, says nothing; nor does a list that enables nothing, or arguments without a field.
    quiet = {repr(name) for name in (*GONE, *BY_RESOURCES)} | {repr([]), repr({})}
    lost = [leaf for leaf in lost if leaf[1] not in quiet and leaf[0][-1] not in ("apiVersion", "kind")]
    zeros = ("False", "0", "''")  # in arguments, where nobody took them for absent yet
    lost = [leaf for leaf in lost if not ("args" in leaf[0] and leaf[1] in zeros)]
    lost = [leaf for leaf in lost if not harmless(leaf, SCHEDULER_HINTS)]
    assert [leaf for leaf in lost if "scoringStrategy" not in leaf[0]] == []
    if not any("score" in loss.path or "multiPoint" in loss.path for loss in [*there.losses, *back.losses]):
        for first, second, third in zip(profiles(config), profiles(there.data), profiles(back.data)):
            assert score(first, source.version) == score(second, target.version) == score(third, source.version)


def profiles(config: dict[str, Any]) -> list[dict[str, Any]]:
    return config.get("profiles") or [{"schedulerName": "default-scheduler"}]


DEFAULT_SCORE = {
    "v1beta1": {"NodeAffinity": 1, "TaintToleration": 1, "InterPodAffinity": 1, "NodePreferAvoidPods": 10000},
    "v1beta2": {"NodeAffinity": 1, "TaintToleration": 1, "InterPodAffinity": 1},
    "v1beta3": {"NodeAffinity": 2, "TaintToleration": 3, "InterPodAffinity": 2},
    "v1": {"NodeAffinity": 2, "TaintToleration": 3, "InterPodAffinity": 2},
}
BY_RESOURCES = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}


def score(profile: dict[str, Any], version: str) -> dict[str, int]:
    """Which plugins score, with which weight, as kube-scheduler merges them; those by resources under a common name."""
    plugins = profile.get("plugins", {}).get("score", {})
    disabled = {one["name"] for one in plugins.get("disabled", ())}
    result = {**DEFAULT_SCORE[version], "PodTopologySpread": 2, "NodeResourcesBalancedAllocation": 1}
    result["NodeResourcesLeastAllocated" if version == "v1beta1" else "NodeResourcesFit"] = 1
    result = {name: weight for name, weight in result.items() if not disabled & {name, "*"}}
    result.update({one["name"]: one.get("weight") or 1 for one in plugins.get("enabled", ())})
    result.pop("NodePreferAvoidPods", None)
    strategy = next(
        (
            one["args"]["scoringStrategy"].get("type") or "LeastAllocated"
            for one in profile.get("pluginConfig", ())
            if one["name"] == "NodeResourcesFit" and "scoringStrategy" in one["args"]
        ),
        "LeastAllocated",
    )
    by_resources = {"NodeResourcesFit": strategy, **(BY_RESOURCES if version == "v1beta1" else {})}
    return {by_resources.get(name, name): weight for name, weight in result.items()}


def test_defaults_that_differ_between_versions_are_known_here() -> None:
    """A default that a new version changes has to be written out by the conversion, and then be listed here."""
    found = {
        f"{kind.kind} {path}"
        for kind, other in PAIRS
        for path, value in defaults_of(kind)
        for other_path, other_value in defaults_of(other)
        if path == other_path and value != other_value
    }
    assert found == {"PodTopologySpreadArgs defaultingType"}


def defaults_of(kind: Kind) -> list[tuple[str, Any]]:
    """The defaults of the newest minor that knows a version, by path."""
    pending = [("", kind.fields)]
    result = []
    while pending:
        above, fields = pending.pop()
        for name, field in fields.items():
            result.append((above + name, field.get("default")))
            pending.append((f"{above}{name}.", field.get("fields", {})))
    return result


def test_every_kind_with_versions_is_here() -> None:
    assert {kind.kind for kind, _other in PAIRS} >= {
        SCHEDULER,
        "ClusterConfiguration",
        "Preference",
        "WebhookAdmission",
    }
    assert all(find_version(kind, other.api_version) == other for kind, other in PAIRS)
