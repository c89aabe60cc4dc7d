# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-scheduler's rules about its own file: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import newest_minor
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

KIND = "KubeSchedulerConfiguration"
GROUP = "kubescheduler.config.k8s.io"


def head(version: str) -> Config:
    return {"apiVersion": f"{GROUP}/{version}", "kind": KIND}


def profile(**fields: Any) -> Config:
    return {"profiles": [{"schedulerName": "a", **fields}]}


def two(first: Config, second: Config) -> Config:
    return {"profiles": [{"schedulerName": "a", **first}, {"schedulerName": "b", **second}]}


def sort(*enabled: str, disabled: tuple[str, ...] = ()) -> Config:
    points = {"enabled": [{"name": name} for name in enabled], "disabled": [{"name": name} for name in disabled]}
    return {"plugins": {"queueSort": {key: value for key, value in points.items() if value}}}


def configured(name: str, args: Any = None) -> Config:
    return {"pluginConfig": [{"name": name, "args": args or {"x": 1}}]}


def resources(*names: str) -> Config:
    return {"extenders": [{"managedResources": [{"name": name} for name in names]}]}


OWN = sort("Own", disabled=("*",))
LEADER_OFF = {"leaderElect": False}

CASES = [
    Case(
        "plausible-size",
        31,
        [{"leaderElection": {"leaseDuration": "15ms"}}],
        [{"leaderElection": {"leaseDuration": "15s"}}],
    ),
    Case("client-burst", 31, [{"clientConnection": {"burst": -1}}], [{"clientConnection": {"burst": 0}}, {}]),
    Case(
        "leader-durations",
        31,
        [{"leaderElection": {"leaseDuration": "-1s"}}, {"leaderElection": {"retryPeriod": "-2s"}}],
        [{"leaderElection": {"leaseDuration": "0s"}}, {"leaderElection": {"leaseDuration": "-1s", **LEADER_OFF}}],
    ),
    Case(
        "leader-lease",
        31,
        [{"leaderElection": {"leaseDuration": "10s"}}],
        [{"leaderElection": {"leaseDuration": "11s"}}, {"leaderElection": {"leaseDuration": "1s", **LEADER_OFF}}],
    ),
    Case(
        "leader-renew",
        31,
        [{"leaderElection": {"retryPeriod": "9s"}}],
        [{"leaderElection": {"retryPeriod": "8s"}}, {"leaderElection": {"retryPeriod": "9s", **LEADER_OFF}}],
    ),
    Case(
        "leader-lock",
        31,
        [{"leaderElection": {"resourceLock": "endpoints"}}, {"leaderElection": {"resourceLock": "endpointsleases"}}],
        [{"leaderElection": {"resourceLock": "leases"}}, {"leaderElection": {"resourceLock": "x", **LEADER_OFF}}],
    ),
    Case("leader-lock", 25, [{"leaderElection": {"resourceLock": "configmaps"}}], [{"leaderElection": {}}]),
    Case("parallelism", 31, [{"parallelism": 0}, {"parallelism": -1}], [{"parallelism": 1}, {"parallelism": None}]),
    Case(
        "bind-addresses",
        20,
        [{"healthzBindAddress": "host:1"}, {"metricsBindAddress": "1.2.3.4:0"}],
        [
            {"healthzBindAddress": "host"},
            {"metricsBindAddress": ""},
            {"healthzBindAddress": "[::]:10251"},
            {"healthzBindAddress": ":10251"},
            {"metricsBindAddress": "1.2.3.4"},
        ],
    ),
    Case("bind-addresses", 22, [{"healthzBindAddress": "host"}], [{"metricsBindAddress": ""}]),
    Case(
        "bind-addresses-off",
        25,
        [{"healthzBindAddress": "0.0.0.0:10251"}, {"metricsBindAddress": "0.0.0.0"}],
        [{"healthzBindAddress": "0.0.0.0:0"}, {"metricsBindAddress": ""}],
    ),
    Case(
        "percentage",
        31,
        [{"percentageOfNodesToScore": 101}, {"percentageOfNodesToScore": -1}, profile(percentageOfNodesToScore=101)],
        [{"percentageOfNodesToScore": 0}, profile(percentageOfNodesToScore=100)],
    ),
    Case("backoff-initial", 31, [{"podInitialBackoffSeconds": 0}], [{"podInitialBackoffSeconds": 1}]),
    Case(
        "backoff-max",
        31,
        [{"podInitialBackoffSeconds": 11}, {"podMaxBackoffSeconds": 0}],
        [{"podInitialBackoffSeconds": 10}, {"podInitialBackoffSeconds": 20, "podMaxBackoffSeconds": 20}],
    ),
    Case(
        "profile-name",
        31,
        [{"profiles": [{"schedulerName": ""}]}, {"profiles": [{"schedulerName": "a"}, {}]}],
        [{"profiles": [{}]}, {"profiles": []}, two({}, {})],
    ),
    Case("profile-name-unique", 31, [two({}, {"schedulerName": "a"})], [two({}, {})]),
    Case(
        "queue-sort-same",
        31,
        [
            two({}, OWN),
            two({}, sort("PrioritySort")),
            two(OWN, sort("Other", disabled=("*",))),
            two(sort("PrioritySort"), {"plugins": {"queueSort": {"enabled": [{"name": "PrioritySort", "weight": 1}]}}}),
        ],
        [two(OWN, OWN), two({}, {"plugins": {"queueSort": {}}})],
    ),
    Case("queue-sort-same", 25, [two({}, OWN)], [two({}, sort("PrioritySort"))]),
    Case(
        "queue-sort-one",
        31,
        [profile(**sort("Own")), profile(**sort(disabled=("*",)))],
        [profile(**OWN), profile(**sort("PrioritySort")), profile(**sort("Own", disabled=("PrioritySort",)))],
    ),
    Case(
        "queue-sort-args-same",
        31,
        [two({**OWN, **configured("Own")}, {**OWN, **configured("Own", {"x": 2})})],
        [two({**OWN, **configured("Own")}, {**OWN, **configured("Own")}), two(OWN, {**OWN, **configured("Else")})],
    ),
    Case(
        "bind-one",
        31,
        [
            profile(plugins={"bind": {"disabled": [{"name": "*"}]}}),
            profile(plugins={"multiPoint": {"disabled": [{"name": "DefaultBinder"}]}}),
        ],
        [
            profile(plugins={"bind": {"disabled": [{"name": "*"}], "enabled": [{"name": "Own"}]}}),
            profile(plugins={"multiPoint": {"disabled": [{"name": "*"}], "enabled": [{"name": "DefaultBinder"}]}}),
            profile(plugins={"score": {"disabled": [{"name": "*"}]}}),
        ],
    ),
    Case(
        "plugin-once",
        31,
        [profile(plugins={"score": {"enabled": [{"name": "NodeAffinity"}, {"name": "NodeAffinity", "weight": 2}]}})],
        [profile(plugins={"score": {"enabled": [{"name": "A"}]}, "filter": {"enabled": [{"name": "A"}]}})],
    ),
    Case(
        "plugin-removed",
        24,
        [profile(plugins={"score": {"enabled": [{"name": "NodeLabel"}]}}), profile(**configured("ServiceAffinity"))],
        [profile(plugins={"score": {"enabled": [{"name": "SelectorSpread"}], "disabled": [{"name": "NodeLabel"}]}})],
    ),
    Case(
        "plugin-removed",
        26,
        [profile(plugins={"score": {"enabled": [{"name": "SelectorSpread"}]}})],
        [profile(plugins={"multiPoint": {"enabled": [{"name": "SelectorSpread"}]}})],
    ),
    *(
        Case(
            "plugin-removed",
            minor,
            [
                profile(plugins={"score": {"enabled": [{"name": "SelectorSpread"}]}}),
                profile(**configured("SelectorSpread")),
            ],
            [profile(**configured("NodeLabel"))],
        )
        for minor in (26, 28)
    ),
    *(
        Case(
            "plugin-gone",
            minor,
            [profile(plugins={point: {"enabled": [{"name": "NodeLabel"}]}}) for point in ("score", "multiPoint")],
            [profile(**configured("NodeLabel")), profile(plugins={"score": {"disabled": [{"name": "NodeLabel"}]}})],
        )
        for minor in (25, 36)
    ),
    Case(
        "plugin-args-version",
        25,
        [profile(**configured("NodeAffinity", {"apiVersion": f"{GROUP}/v1", "kind": "NodeAffinityArgs"}))],
        [
            profile(**configured("NodeAffinity", {"apiVersion": f"{GROUP}/v1beta2", "kind": "NodeAffinityArgs"})),
            profile(**configured("NodeAffinity", {"addedAffinity": {}})),
            profile(**configured("Own", {"apiVersion": "own.example.com/v1", "kind": "OwnArgs"})),
        ],
    ),
    *(
        Case(
            "plugin-removed",
            minor,
            [
                profile(plugins={"filter": {"enabled": [{"name": "CinderLimits"}]}}),
                profile(**configured("GCEPDLimits")),
            ],
            [profile(plugins={"multiPoint": {"enabled": [{"name": "EBSLimits"}]}})],
        )
        for minor in (31, 35)
    ),
    Case(
        "plugin-removed",
        36,
        [profile(plugins={"filter": {"enabled": [{"name": "EBSLimits"}]}})],
        [profile(plugins={"filter": {"enabled": [{"name": "NodeVolumeLimits"}]}})],
    ),
    Case(
        "plugin-unknown",
        31,
        [profile(plugins={"multiPoint": {"enabled": [{"name": "Coscheduling"}]}}), profile(**configured("NodeLabel"))],
        [profile(plugins={"multiPoint": {"enabled": [{"name": "DynamicResources"}], "disabled": [{"name": "Own"}]}})],
    ),
    Case(
        "plugin-point",
        31,
        [profile(plugins={"filter": {"enabled": [{"name": "ImageLocality"}]}})],
        [
            profile(plugins={"score": {"enabled": [{"name": "ImageLocality"}]}}),
            profile(plugins={"multiPoint": {"enabled": [{"name": "ImageLocality"}]}}),
            profile(plugins={"permit": {"enabled": [{"name": "Own"}], "disabled": [{"name": "ImageLocality"}]}}),
        ],
    ),
    Case(
        "plugin-config-unique",
        31,
        [profile(pluginConfig=[{"name": "NodeAffinity"}, {"name": "NodeAffinity"}])],
        [two(configured("Own"), configured("Own"))],
    ),
    Case(
        "extender-weight",
        31,
        [{"extenders": [{"prioritizeVerb": "p"}]}, {"extenders": [{"prioritizeVerb": "p", "weight": -1}]}],
        [{"extenders": [{"prioritizeVerb": "p", "weight": 1}, {"weight": 0}]}],
    ),
    Case(
        "extender-bind-one",
        31,
        [{"extenders": [{"bindVerb": "b"}, {"bindVerb": "c"}]}],
        [{"extenders": [{"bindVerb": "b"}, {"bindVerb": ""}]}],
    ),
    Case(
        "extender-resource-name",
        31,
        [resources("cpu"), resources("kubernetes.io/x"), resources("requests.example.com/x"), resources("a b/c")],
        [resources("example.com/gpu")],
    ),
    Case(
        "extender-resource-unique",
        31,
        [resources("example.com/gpu", "example.com/gpu")],
        [resources("example.com/gpu", "example.com/fpga")],
    ),
    Case(
        "extender-tls",
        31,
        [
            {"extenders": [{"tlsConfig": {"insecure": True, "caFile": "/ca"}}]},
        ],
        [{"extenders": [{"tlsConfig": {"caFile": "/ca", "certFile": "/c", "keyFile": "/k"}}]}],
    ),
    Case(
        "extender-certificate",
        31,
        [{"extenders": [{"tlsConfig": {"certFile": "/c"}}]}, {"extenders": [{"tlsConfig": {"keyData": "eA=="}}]}],
        [{"extenders": [{"tlsConfig": {"certFile": "/c", "keyFile": "/k"}}]}],
    ),
]


def version_of(minor: int) -> str:
    return "v1beta1" if minor < 22 else "v1beta2" if minor < 26 else "v1"


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == names_of_rules(f"{GROUP}/v1", KIND)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.minor}" for case in CASES])
def test_each_rule_refuses_its_bad_configs_alone(case: Case) -> None:
    assert_case(head(version_of(case.minor)), case)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3", "v1"])
def test_an_empty_config_breaks_no_rule(version: str) -> None:
    kind = find_kind(f"{GROUP}/{version}", KIND)
    assert kind is not None
    for minor in range(kind.since, (kind.last or newest_minor()) + 1):
        assert check(encode(head(version)), versions=[f"1.{minor}"]) == []


def rules_by_field(args: Any, minor: int = 31, version: str = "v1", name: str = "NodeResourcesFit") -> dict[str, str]:
    text = encode({**head(version), **profile(pluginConfig=[{"name": name, "args": args}])})
    findings = check(text, versions=[f"1.{minor}"])
    return {
        finding.field.replace("profiles[0].pluginConfig[0].", ""): finding.rule
        for finding in findings
        if finding.level == "component"
    }


def test_arguments_are_validated_as_their_own_kind() -> None:
    assert rules_by_field({"ignoredResources": ["a b"], "extra": 1}) == {
        "args.ignoredResources[0]": "fit-ignored-resources",
        "args.extra": "unknown-field",
    }
    assert (
        rules_by_field({"apiVersion": f"{GROUP}/v1", "kind": "NodeResourcesFitArgs", "ignoredResources": ["a"]}) == {}
    )
    assert rules_by_field({}) == {} == rules_by_field(None)


def test_arguments_must_be_of_the_file_s_version_and_of_their_kind() -> None:
    older = {"apiVersion": f"{GROUP}/v1beta3", "kind": "NodeResourcesFitArgs"}
    assert rules_by_field(older, minor=28) == {"args.apiVersion": "plugin-args-version"}
    assert rules_by_field(older, minor=28, version="v1beta3") == {}
    assert rules_by_field(older, minor=31) == {"args.apiVersion": "embedded"}
    assert rules_by_field({"kind": "NodeAffinityArgs"}) == {"args.kind": "embedded"}
    assert rules_by_field([1]) == {"args": "embedded"}
    assert rules_by_field({"apiVersion": 0}) == {"args.apiVersion": "embedded"}
    assert rules_by_field({"kind": False}) == {"args.kind": "embedded"}


def test_arguments_of_other_plugins_are_that_plugins_matter() -> None:
    assert rules_by_field({"anything": [1]}, name="Coscheduling") == {}
    assert rules_by_field({"presentLabels": ["a"]}, name="NodeLabel") == {}


@pytest.mark.parametrize(("version", "refused"), [("v1beta2", False), ("v1beta3", False), ("v1", True)])
def test_pre_enqueue_is_read_from_v1_only(version: str, refused: bool) -> None:
    plugins = {"preEnqueue": {"enabled": [{"name": "ImageLocality"}, {"name": "ImageLocality"}]}}
    findings = check(encode({**head(version), **profile(plugins=plugins)}), versions=["1.27"])
    assert {finding.rule for finding in findings} == ({"plugin-point", "plugin-once"} if refused else set())


def test_selector_spread_left_with_v1() -> None:
    config = profile(plugins={"score": {"enabled": [{"name": "SelectorSpread"}]}})
    assert check(encode({**head("v1beta3"), **config}), versions=["1.24", "1.28"]) == []
