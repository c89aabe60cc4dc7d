# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-scheduler's config between its versions: its effect stays, and each loss is reported."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import format_path
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert_document

GROUP = "kubescheduler.config.k8s.io"
WEIGHTS_OF_OLD = [
    {"name": "InterPodAffinity", "weight": 1},
    {"name": "NodeAffinity", "weight": 1},
    {"name": "TaintToleration", "weight": 1},
]
WEIGHTS_OF_NEW = [
    {"name": "InterPodAffinity", "weight": 2},
    {"name": "NodeAffinity", "weight": 2},
    {"name": "TaintToleration", "weight": 3},
]
NAMES = [{"name": plugin["name"]} for plugin in WEIGHTS_OF_NEW]
FIT = "NodeResourcesFit"
LEAST, MOST = "NodeResourcesLeastAllocated", "NodeResourcesMostAllocated"
RATIO = "RequestedToCapacityRatio"
CPU = [{"name": "cpu", "weight": 3}]
SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]


def converted(old: str, new: str, **fields: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the fields after the conversion, and the paths of the losses."""
    result = convert_document({"apiVersion": f"{GROUP}/{old}", "kind": "KubeSchedulerConfiguration", **fields}, new)
    assert result.data.pop("apiVersion") == f"{GROUP}/{new}"
    assert result.data.pop("kind") == "KubeSchedulerConfiguration"
    return result.data, [format_path(loss.path) for loss in result.losses]


def profile(old: str, new: str, **fields: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the only profile after the conversion, and the paths of the losses below it."""
    data, lost = converted(old, new, profiles=[fields])
    assert list(data) == ["profiles"]
    return data["profiles"][0], [path.replace("profiles[0].", "") for path in lost]


def score(old: str, new: str, **lists: Any) -> tuple[Any, list[str]]:
    result, lost = profile(old, new, plugins={"score": lists})
    return result["plugins"]["score"], lost


@pytest.mark.parametrize(("old", "weights"), [("v1beta2", WEIGHTS_OF_OLD), ("v1beta3", None), ("v1", None)])
def test_default_weights_that_would_change_are_written_out(old: str, weights: Any) -> None:
    """Also if the config has no profiles."""
    data, lost = converted(old, "v1", parallelism=5)
    expected: dict[str, Any] = {"parallelism": 5}
    if weights:
        plugins = {"score": {"enabled": weights}}
        expected |= {"profiles": [{"schedulerName": "default-scheduler", "plugins": plugins}]}
    assert (data, lost) == (expected, [])


def test_the_weights_of_v1_stay_in_v1beta2() -> None:
    assert score("v1", "v1beta2", enabled=[]) == ({"enabled": WEIGHTS_OF_NEW, "disabled": NAMES}, [])


@pytest.mark.parametrize(
    "score_plugins",
    [
        {"enabled": [*WEIGHTS_OF_OLD[:2], {"name": "TaintToleration", "weight": 7}]},
        {"enabled": [*WEIGHTS_OF_OLD[:2], {"name": "TaintToleration"}]},  # without a weight: 1, in every version
        {"enabled": WEIGHTS_OF_OLD[:2], "disabled": [{"name": "TaintToleration"}]},
        {"disabled": [{"name": "*"}]},
    ],
)
def test_what_the_profile_says_of_a_plugin_counts(score_plugins: dict[str, Any]) -> None:
    assert score("v1beta2", "v1", **score_plugins) == (score_plugins, [])


@pytest.mark.parametrize("name", ["SelectorSpread", "NodeLabel", "ServiceAffinity", "NodePreferAvoidPods"])
def test_an_enabled_plugin_that_was_removed_is_reported_as_lost(name: str) -> None:
    disabled = [{"name": "*"}]
    score_only, lost = score("v1beta1", "v1", enabled=[{"name": "Own"}, {"name": name, "weight": 2}], disabled=disabled)
    assert [plugin["name"] for plugin in score_only["enabled"]] == ["Own"]
    assert lost == ["plugins.score.enabled[1]"]


def test_a_disabled_plugin_that_was_removed_is_not_a_loss() -> None:
    score_plugins = {"enabled": WEIGHTS_OF_OLD, "disabled": [{"name": "NodePreferAvoidPods"}]}
    assert score("v1beta1", "v1", **score_plugins) == ({"enabled": WEIGHTS_OF_OLD}, [])


def test_the_plugin_that_only_v1beta1_has_by_default_is_lost_or_disabled() -> None:
    """NodePreferAvoidPods: lost on the way up, disabled on the way down."""
    assert profile("v1beta1", "v1beta2")[1] == ["plugins.score"]
    assert profile("v1beta2", "v1beta1")[0]["plugins"]["score"] == {"disabled": [{"name": "NodePreferAvoidPods"}]}


UP = [
    # in v1beta1: score's lists, arguments; then in v1beta2: score, arguments of NodeResourcesFit
    ({"enabled": [{"name": MOST, "weight": 5}], "disabled": [{"name": LEAST}]}, {MOST: {"resources": CPU}},
     {"enabled": [{"name": FIT, "weight": 5}], "disabled": [{"name": FIT}]},
     {"type": "MostAllocated", "resources": CPU}),
    ({"enabled": [{"name": RATIO}], "disabled": [{"name": LEAST}]}, {RATIO: {"shape": SHAPE}},
     {"enabled": [{"name": FIT, "weight": 1}], "disabled": [{"name": FIT}]},
     {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": SHAPE}}),
    ({"disabled": [{"name": LEAST}]}, {}, {"disabled": [{"name": FIT}]}, None),
    ({"disabled": [{"name": "*"}]}, {}, {"disabled": [{"name": "*"}]}, None),
    ({"enabled": [{"name": LEAST, "weight": 2}], "disabled": [{"name": "*"}]}, {},
     {"enabled": [{"name": FIT, "weight": 2}], "disabled": [{"name": "*"}]}, {"type": "LeastAllocated"}),
    ({}, {LEAST: {"resources": CPU}}, {}, {"type": "LeastAllocated", "resources": CPU}),
    ({}, {}, {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("lists", "arguments", "plugins", "strategy"), UP)
def test_scoring_by_resources_becomes_a_strategy(lists: Any, arguments: Any, plugins: Any, strategy: Any) -> None:
    taken = {"name": "NodePreferAvoidPods"}
    before = {"score": {**lists, "disabled": [*lists.get("disabled", []), taken]}}
    config = [{"name": name, "args": value} for name, value in arguments.items()]
    result, lost = profile("v1beta1", "v1beta2", plugins=before, pluginConfig=config)
    assert result.get("plugins", {}).get("score", {}) == plugins
    args = {"apiVersion": f"{GROUP}/v1beta2", "kind": "NodeResourcesFitArgs", "scoringStrategy": strategy}
    assert result.get("pluginConfig", []) == ([{"name": FIT, "args": args}] if strategy else [])
    assert lost == []


def test_one_of_several_scoring_plugins_is_kept() -> None:
    enabled = [{"name": MOST, "weight": 1}, {"name": RATIO, "weight": 2}]
    config = [{"name": RATIO, "args": {"shape": SHAPE}}]
    disabled = [{"name": LEAST}, {"name": "NodePreferAvoidPods"}]
    result, lost = profile(
        "v1beta1", "v1beta2", plugins={"score": {"enabled": enabled, "disabled": disabled}}, pluginConfig=config
    )
    assert result["pluginConfig"][0]["args"]["scoringStrategy"] == {"type": "MostAllocated"}
    assert lost == ["plugins.score", "pluginConfig[0]"]


@pytest.mark.parametrize(
    ("strategy", "plugin", "arguments"),
    [
        ({"type": "MostAllocated", "resources": CPU}, MOST, {"resources": CPU}),
        ({"type": "LeastAllocated"}, LEAST, {}),
        ({"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": SHAPE}}, RATIO, {"shape": SHAPE}),
    ],
)
def test_a_strategy_becomes_a_plugin_in_v1beta1(strategy: Any, plugin: str, arguments: Any) -> None:
    config = [{"name": FIT, "args": {"scoringStrategy": strategy}}]
    result, lost = profile("v1", "v1beta1", pluginConfig=config)
    score = result["plugins"]["score"]
    assert {"name": plugin, "weight": 1} in score["enabled"]
    assert {"name": LEAST} in score["disabled"]
    args = {"apiVersion": f"{GROUP}/v1beta1", "kind": f"{plugin}Args", **arguments}
    assert ({"name": plugin, "args": args} in result["pluginConfig"]) is bool(arguments)
    assert lost == []


def test_a_default_plugin_is_disabled_before_it_is_enabled_where_that_is_needed() -> None:
    plugins = {"filter": {"enabled": [{"name": "NodeName"}, {"name": "Own"}]}}
    assert profile("v1", "v1beta1", plugins=plugins)[0]["plugins"]["filter"]["disabled"] == [{"name": "NodeName"}]
    assert profile("v1", "v1beta3", plugins=plugins) == ({"plugins": plugins}, [])


def test_constraints_without_a_type_are_a_list() -> None:
    """In v1beta1 by default; in later versions the default, System, takes none."""
    constraints = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]
    args = {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "PodTopologySpreadArgs",
        "defaultConstraints": constraints,
    }
    result, _lost = profile("v1beta1", "v1", pluginConfig=[{"name": "PodTopologySpread", "args": args}])
    assert result["pluginConfig"][0]["args"] == {**args, "apiVersion": f"{GROUP}/v1", "defaultingType": "List"}


def test_arguments_go_with_their_version_and_plugin() -> None:
    config = [
        {"name": "Own", "args": {"apiVersion": "own/v1", "anything": 1}},
        {"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 2, "ignorePreferredTermsOfExistingPods": True}},
        {"name": "DynamicResources", "args": {"filterTimeout": "1s"}},
    ]
    result, lost = profile("v1", "v1beta1", pluginConfig=config)
    assert result["pluginConfig"] == [config[0], {"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 2}}]
    assert lost == ["pluginConfig[1].args.ignorePreferredTermsOfExistingPods", "pluginConfig[2]"]


def test_what_v1beta2_does_nothing_with_goes_both_ways() -> None:
    plugins = {"multiPoint": {"enabled": [{"name": "Own"}]}}
    assert profile("v1beta2", "v1beta3", plugins=plugins)[1] == ["plugins.multiPoint"]
    assert profile("v1", "v1beta2", plugins=plugins)[1] == ["plugins.multiPoint"]
    assert profile("v1", "v1beta3", plugins=plugins) == ({"plugins": plugins}, [])


def test_one_profiles_percentage_counts_for_all() -> None:
    assert converted("v1", "v1beta3", percentageOfNodesToScore=1, profiles=[{"percentageOfNodesToScore": 5}]) == (
        {"percentageOfNodesToScore": 5, "profiles": [{}]},
        [],
    )
    two = [{"schedulerName": "a", "percentageOfNodesToScore": 5}, {"schedulerName": "b"}]
    assert converted("v1", "v1beta3", profiles=two)[1] == ["profiles[0].percentageOfNodesToScore"]


@pytest.mark.parametrize(
    ("field", "value", "lost"),
    [
        ("healthzBindAddress", "0.0.0.0:10251", True),
        ("healthzBindAddress", ":0", False),
        ("metricsBindAddress", "", False),
        ("metricsBindAddress", None, False),
        ("nonsense", 1, True),
    ],
)
def test_fields_that_are_gone_are_lost_unless_they_change_nothing(field: str, value: Any, lost: bool) -> None:
    data, losses = converted("v1beta2", "v1beta3", **{field: value}, profiles=[{"plugins": {"score": {"disabled": [
        {"name": "*"}]}}}])  # fmt: skip
    assert losses == ([field] if lost else [])
    assert list(data) == ["profiles"]


@pytest.mark.parametrize(
    "strange",
    [
        None,
        "x",
        [1],
        [{"plugins": 3}],
        [{"plugins": {"score": "x"}}],
        [{"plugins": {"score": {"enabled": "x"}}}],
        [{"pluginConfig": "x"}],
        [{"pluginConfig": [1, {"name": 2}]}],
        [{"pluginConfig": [{"name": FIT, "args": "x"}]}],
        [{"pluginConfig": [{"name": FIT, "args": {"scoringStrategy": 1}}]}],
    ],
)
@pytest.mark.parametrize("new", ["v1beta1", "v1beta2", "v1beta3"])
def test_wrong_types_are_left_to_the_check_of_types(strange: Any, new: str) -> None:
    converted("v1", new, profiles=strange)
    converted("v1beta1", "v1", profiles=strange)
