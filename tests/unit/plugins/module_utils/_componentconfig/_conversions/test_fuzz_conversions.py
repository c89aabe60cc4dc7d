# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of every kind with several versions, converted and converted back: what is missing was reported as lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._field_moves import (
    Loss,
    LossHint,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._conversions._kube_scheduler import (
    SCHEDULER_HINTS,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._type_check import check_types
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    Kind,
    find_kind,
    kinds,
    prune,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import (
    LOSS_HINTS,
    Conversion,
    convert_document,
    find_version,
    versions_of,
)
from support.configs.objects import broken_configs, configs, minors_of, scheduler_configs
from support.fuzz.settings import fuzz

Leaf = tuple[tuple[str, ...], str]
OLD_NAME = "EncryptionConfig"  # v1 without a group: no file is converted back to it
PAIRS = [
    (kind, target)
    for kind in kinds()
    for target in versions_of(kind)
    if target != kind and OLD_NAME not in (kind.kind, target.kind)
]
SCHEDULER = "KubeSchedulerConfiguration"


def fields_of(path: Sequence[Any]) -> tuple[str, ...]:
    """Return a path without its indexes."""
    return tuple(part for part in path if isinstance(part, str))


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[Leaf]:
    """Yield the scalars of data, each with the fields that lead to it, without the indexes of lists."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list) and data:
        for index, value in enumerate(data):
            yield from leaves(value, (*path, index))
    else:
        yield fields_of(path), repr(data)


def missing(before: dict[str, Any], after: dict[str, Any], kind: Kind, minor: int) -> list[Leaf]:
    """Return what the component of one minor sees before the conversion and not after it."""
    counts = Counter(leaves(prune(apply_defaults(before, kind, minor))))
    after_leaves = Counter(leaves(prune(apply_defaults(after, kind, minor))))
    counts.subtract(after_leaves)
    # An empty object is not missing if the other config has fields in it.
    filled = {path[:length] for path, _value in after_leaves for length in range(len(path))}
    return [leaf for leaf, count in counts.items() if count > 0 and not (leaf[1] == "{}" and leaf[0] in filled)]


def is_reported(leaf: Leaf, losses: Sequence[Loss]) -> bool:
    """Return whether a loss covers a leaf: its path is the same, above it, or below it."""
    paths = [fields_of(loss.path) for loss in losses]
    return any(leaf[0][: len(path)] == path or path[: len(leaf[0])] == leaf[0] for path in paths)


def harmless(leaf: Leaf, hints: Mapping[str, LossHint]) -> bool:
    """Return whether the other version always has the value, or has it at another place with the same meaning."""
    if leaf[0][-1] == "percentageOfNodesToScore" or leaf == (("profiles", "plugins"), "{}"):
        return True  # of the only profile: for all of them; and no plugins, however written
    return any(repr(value) == leaf[1] for value in hints.get(".".join(leaf[0]), LossHint("")).harmless)


def check(conversion: Conversion, before: dict[str, Any], minor: int) -> Conversion:
    """Check a conversion of a config that the types of a minor allow; return the conversion back."""
    back = convert_document(conversion.data, conversion.source.api_version)
    assert find_kind(conversion.data["apiVersion"], conversion.data["kind"]) == conversion.target
    assert back.source == conversion.target
    for at in minors_of(conversion.target):
        if at == minor or not conversion.target.known_at(minor):
            # `validate` reports the fields and values that only other minors have.
            problems = check_types(conversion.data, conversion.target, at, is_json=False).findings
            assert [
                problem for problem in problems if problem.rule != "enum" and "knows it from" not in problem.message
            ] == []
    assert convert_document(before, conversion.target.api_version) == conversion
    return back


@pytest.mark.parametrize(("kind", "target"), PAIRS, ids=lambda kind: f"{kind.kind} {kind.version}")
@fuzz(3)
@given(st.data())
def test_a_conversion_there_and_back_loses_only_what_it_reports(kind: Kind, target: Kind, data: st.DataObject) -> None:
    minor = data.draw(st.sampled_from(minors_of(kind)))
    config = data.draw(configs(kind, minor))
    before = deepcopy(config)
    conversion = convert_document(config, target.api_version)
    assert config == before
    back = check(conversion, config, minor)
    lost = [
        leaf
        for leaf in missing(config, back.data, kind, minor)
        if not is_reported(leaf, [*conversion.losses, *back.losses])
    ]
    assert [leaf for leaf in lost if not harmless(leaf, LOSS_HINTS.get(kind.kind, {}))] == []


@pytest.mark.parametrize(("kind", "target"), PAIRS, ids=lambda kind: f"{kind.kind} {kind.version}")
@fuzz(3)
@given(st.data())
def test_a_config_of_wrong_types_is_converted_as_far_as_that_goes(
    kind: Kind, target: Kind, data: st.DataObject
) -> None:
    """Other tests check types; here each conversion returns data that can be encoded."""
    config = data.draw(broken_configs(kind, data.draw(st.sampled_from(minors_of(kind)))))
    conversion = convert_document(config, target.version)
    assert decode(encode(conversion.data)).data == conversion.data
    assert convert_document(config, target.version) == conversion


GONE = ("NodeLabel", "ServiceAffinity", "NodePreferAvoidPods", "SelectorSpread", "NodeResourcesFit")


@pytest.mark.parametrize(("old", "new"), [(a, b) for a in range(4) for b in range(4) if a != b])
@fuzz(15)
@given(st.data())
def test_profiles_are_converted_there_and_back(old: int, new: int, data: st.DataObject) -> None:
    """The same for profiles that use kube-scheduler's own plugins; the score of each profile is unchanged."""
    kind_v1 = find_kind("kubescheduler.config.k8s.io/v1", SCHEDULER)
    assert kind_v1 is not None
    source, target = versions_of(kind_v1)[old], versions_of(kind_v1)[new]
    arguments = {
        kind.kind[: -len("Args")]: kind
        for kind in kinds()
        if kind.api_version == source.api_version and kind.kind.endswith("Args")
    }
    minor = data.draw(st.sampled_from(minors_of(source)))
    assume(all(kind.known_at(minor) for kind in arguments.values()))
    config = data.draw(scheduler_configs(source, arguments, minor))
    conversion = convert_document(config, target.version)
    back = check(conversion, config, minor)
    lost = [
        leaf
        for leaf in missing(config, back.data, source, minor)
        if not is_reported(leaf, [*conversion.losses, *back.losses])
    ]
    # Removed plugins that are disabled, empty lists and arguments without a field have no effect.
    quiet = {repr(name) for name in (*GONE, *BY_RESOURCES)} | {repr([]), repr({})}
    lost = [leaf for leaf in lost if leaf[1] not in quiet and leaf[0][-1] not in ("apiVersion", "kind")]
    zeros = ("False", "0", "''")  # in arguments, where only the conversion drops them
    lost = [leaf for leaf in lost if not ("args" in leaf[0] and leaf[1] in zeros)]
    lost = [leaf for leaf in lost if not harmless(leaf, SCHEDULER_HINTS)]
    assert [leaf for leaf in lost if "scoringStrategy" not in leaf[0]] == []
    if not any("score" in loss.path or "multiPoint" in loss.path for loss in [*conversion.losses, *back.losses]):
        for first, second, third in zip(profiles(config), profiles(conversion.data), profiles(back.data)):
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
    """Return the weights of the plugins that score, as kube-scheduler merges them; those by resources share a name."""
    plugins = profile.get("plugins", {}).get("score", {})
    disabled = {plugin["name"] for plugin in plugins.get("disabled", ())}
    result = {**DEFAULT_SCORE[version], "PodTopologySpread": 2, "NodeResourcesBalancedAllocation": 1}
    result["NodeResourcesLeastAllocated" if version == "v1beta1" else "NodeResourcesFit"] = 1
    result = {name: weight for name, weight in result.items() if not disabled & {name, "*"}}
    result.update({plugin["name"]: plugin.get("weight") or 1 for plugin in plugins.get("enabled", ())})
    result.pop("NodePreferAvoidPods", None)
    strategy = next(
        (
            plugin_config["args"]["scoringStrategy"].get("type") or "LeastAllocated"
            for plugin_config in profile.get("pluginConfig", ())
            if plugin_config["name"] == "NodeResourcesFit" and "scoringStrategy" in plugin_config["args"]
        ),
        "LeastAllocated",
    )
    by_resources = {"NodeResourcesFit": strategy, **(BY_RESOURCES if version == "v1beta1" else {})}
    return {by_resources.get(name, name): weight for name, weight in result.items()}


def test_defaults_that_differ_between_versions_are_known_here() -> None:
    """A default that a new version changes must be written out by the conversion, and be listed here."""
    differing = {
        f"{kind.kind} {path}"
        for kind, target in PAIRS
        for path, value in defaults_of(kind)
        for other_path, other_value in defaults_of(target)
        if path == other_path and value != other_value
    }
    assert differing == {"PodTopologySpreadArgs defaultingType"}


def defaults_of(kind: Kind) -> list[tuple[str, Any]]:
    """Return the defaults of the newest minor that knows a version, by path."""
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
    assert all(find_version(kind, target.api_version) == target for kind, target in PAIRS)
