# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools and policies: defaults, and every refusal with its sentence."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import (
    parse_policy,
    parse_pool,
    pool_keys,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import (
    find_unknown_variables,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_values import NodeCount


class TaggedText(str):
    """A text of a variable, which ansible-core 2.19 and newer give a class of their own."""

    __slots__ = ()


POOL: dict[str, Any] = {
    "pool": "workers",
    "selector": "node-role.kubernetes.io/worker",
    "layers": ["base/kubelet.yaml", "workers/kubelet.yaml"],
    "policy": {
        "canary": {"count": 3, "cover": ["kubeletVersion", "osImage", "instanceType", "zone"], "soak": "10m"},
        "waves": ["10%", "30%", "100%"],
        "soak": "2m",
        "maxUnavailable": "10%",
        "failureBudget": 1,
        "nodeTimeout": "5m",
        "onFailure": "halt",
    },
}


def test_the_pool_of_the_documentation_has_the_defaults_except_for_the_canarys_soak() -> None:
    pool = parse_pool(POOL)
    assert pool.layers == ("base/kubelet.yaml", "workers/kubelet.yaml")
    assert pool.policy.canary.soak == 600.0
    assert parse_policy(None).canary_soak(Trial(600.0)) == 660.0
    assert parse_policy(None).canary_soak(None) == 120.0
    without = parse_pool({**POOL, "policy": {**POOL["policy"], "canary": {"count": 3}}})
    assert without.policy == parse_policy(None)


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ({"maxUnavailable": 0}, "policy.maxUnavailable: 0 allows nothing"),
        ({"maxUnavailable": "0%"}, "policy.maxUnavailable: 0 allows nothing"),
        ({"maxUnavailable": "100%"}, "policy.maxUnavailable: 100% allows everything"),
        ({"maxUnavailable": "101%"}, "policy.maxUnavailable: '101%' must be a number of nodes"),
        ({"maxUnavailable": -1}, "policy.maxUnavailable: '-1' must be a number of nodes"),
        ({"maxUnavailable": True}, "policy.maxUnavailable: 'True' must be a number of nodes"),
        ({"failureBudget": "100%"}, "policy.failureBudget: 100% allows everything"),
        ({"nodeTimeout": "60s"}, "policy.nodeTimeout: 60s is shorter than a crash loop takes, 200s"),
        ({"soak": "soon"}, "policy.soak: 'soon' must be a duration"),
        ({"onFailure": "panic"}, "policy.onFailure: 'panic' must be one of halt, rollback"),
        ({"waves": []}, "policy.waves: must be a list"),
        ({"waves": ["10%", "10%"]}, "policy.waves: each percent is what is reached"),
        ({"waves": [5, 3]}, "policy.waves: each count is what is reached"),
        ({"waves": ["10%", "x"]}, "policy.waves[1]: 'x' must be"),
        ({"waves": [0, "100%"]}, "policy.waves: a wave that reaches 0"),
        ({"canary": {"count": 0}}, "policy.canary.count: a rollout has at least one canary"),
        ({"canary": {"cover": ["zone", "zone"]}}, "policy.canary.cover: names something twice"),
        ({"apiServers": "https://192.0.2.12:6443"}, "policy.apiServers: must be a list of texts"),
        ({"apiServers": ["http://192.0.2.12:8080"]}, "policy.apiServers: must be a list of URLs such as https://"),
        ({"apiServers": ["https://a/k8s"]}, "policy.apiServers: must be a list of URLs such as https://"),
        ({"apiServers": ["https://user:password@a"]}, "without a user and a path"),
        ({"apiServers": ["https://a:0"]}, "policy.apiServers: must be a list of URLs such as https://"),
        ({"apiServers": ["https://a:b"]}, "policy.apiServers: must be a list of URLs such as https://"),
        ({"canary": 3}, "policy.canary: must be a mapping, not a number"),
        ({"canary": TaggedText("")}, "policy.canary: must be a mapping, not text"),
        ({"canary": False}, "policy.canary: must be a mapping, not true or false"),
        ({"canarry": {}}, "policy.canarry: unknown field: did you mean policy.canary?"),
        ({"xyz": {}}, "policy.xyz: unknown field"),
        ({"trialDuration": "1m"}, "policy.trialDuration: unknown field: did you mean trial.trialDuration?"),
        ({"canary": {"Soak": "1m"}}, "policy.canary.Soak: unknown field: did you mean policy.canary.soak?"),
        ({"maxUnavailable": "३%"}, "policy.maxUnavailable: '३%' must be a number of nodes"),
        ({"maxUnavailable": "३"}, "policy.maxUnavailable: '३' must be a number of nodes"),
        ({"soak": "३m"}, "policy.soak: '३m' must be a duration"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused_with_its_path(policy: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPool) as caught:
        parse_policy(policy)
    assert [sentence in error for error in caught.value.errors] == [True], caught.value.errors


def test_all_errors_of_a_pool_are_reported_at_once() -> None:
    with pytest.raises(InvalidPool) as caught:
        parse_pool(
            {
                "pool": "Workers!",
                "layers": ["a"],
                "documents": {"kubelet": "x"},
                "polcy": {},
                "trial": {"trialDuration": "x"},
            }
        )
    text = str(caught.value)
    for part in ("pool: 'Workers!'", "documents: give either", "polcy: unknown field", "trial: trialDuration 'x'"):
        assert part in text
    with pytest.raises(InvalidPool, match="selector: a label selector is needed"):
        parse_pool({"pool": "workers"})
    with pytest.raises(InvalidPool, match="must be a mapping, not a list"):
        parse_pool([])


def test_the_keys_of_a_pool_file_are_those_that_its_parser_takes() -> None:
    keys = pool_keys()
    assert keys[""][:4] == ("pool", "selector", "layers", "documents"), "in the order of the parser"
    assert keys["policy.canary"] == ("count", "cover", "labels", "soak")
    assert keys["policy.maintenanceWindows"] == ("days", "start", "duration", "timezone"), "of the entries of a list"
    assert {"name", "node", "url", "timeout"} <= set(keys["policy.gates"])
    assert {"url", "tokenFile", "status"} <= set(keys["policy.gates.url"])
    sections = {f"{path}.{name}".lstrip(".") for path, names in keys.items() for name in names}
    assert set(keys) - {""} <= sections, "each section is the key of another one"


def test_a_pool_file_may_leave_all_its_keys_empty() -> None:
    keys = pool_keys()
    value: dict[str, Any] = {name: dict.fromkeys(keys.get(name, ())) or None for name in keys[""]}
    value.update(pool="workers", selector="a")
    value["policy"]["canary"] = dict.fromkeys(keys["policy.canary"])
    assert parse_pool(value).name == "workers"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([["pool", "selector", "policy", "kubeconfig", "context", "ansible_user", "component"]], []),
        ([["pool", "maxUnavialable"]], ["maxUnavialable: unknown key of the pool file: did you mean policy.maxUnava"]),
        ([["pool", "maxUnavailable"]], ["maxUnavailable: unknown key of the pool file: did you mean policy.maxUnava"]),
        ([["pool", "polcy"]], ["polcy: unknown key of the pool file: did you mean policy?"]),
        ([["pool", "soak"]], ["soak: unknown key of the pool file: did you mean policy.soak?"]),
        ([["pool", "team"]], ["team: unknown key of the pool file: it has pool, selector, "]),
        # variables of the user's own, given with another -e, unless they can hardly be meant so
        ([["pool"], ["team", "labels", "count", "soak"]], []),
        ([["pool"], ["maxUnavialable"]], ["maxUnavialable: "]),
        ([["changecause"]], ["changecause: unknown key of the pool file: did you mean changeCause?"]),
        # a controller has one group for everything
        ([["pool", "awx_job_id", "tower_job_id", "team", "survey_answer"]], []),
        ([["pool", "awx_job_id", "polcy"]], ["polcy: unknown key of the pool file: did you mean policy?"]),
    ],
)
def test_variables_that_would_be_ignored_by_mistake(groups: list[list[str]], expected: list[str]) -> None:
    errors = find_unknown_variables(groups)
    assert len(errors) == len(expected)
    assert all(error.startswith(start) for error, start in zip(errors, expected)), errors


def test_a_crash_loop_takes_its_restarts_and_then_the_health_timeout() -> None:
    policy = parse_policy({"restartDelay": "1s", "timeToCrash": "2s", "healthTimeout": "10s", "nodeTimeout": "22s"})
    assert policy.answer.crash_loop(Trial(60.0, 3)) == 4 * 3 + 10


@pytest.mark.parametrize(
    ("amount", "total", "limit", "goal"),
    [
        (NodeCount(10, True), 5, 1, 1),
        (NodeCount(10, True), 99, 9, 10),
        (NodeCount(0, True), 99, 0, 0),
        (NodeCount(7), 5, 7, 5),
        (NodeCount(100, True), 7, 7, 7),
    ],
)
def test_limits_are_rounded_down_but_not_to_nothing_and_goals_up(
    amount: NodeCount, total: int, limit: int, goal: int
) -> None:
    assert (amount.as_limit(total), amount.as_goal(total)) == (limit, goal)


@pytest.mark.parametrize(
    ("versions", "sentence"),
    [
        ([1.30], "must be a list of versions in quotes: YAML reads 1.30 as the number 1.3"),
        (["1.31", 1.32], "must be a list of versions in quotes: YAML reads 1.30 as the number 1.3"),
        (["1.3"], "Kubernetes 1.3 is not known here, 1.20 to 1.37 are: write 1.30 in quotes"),
        (["1.19"], "Kubernetes 1.19 is not known here"),
        (["latest"], "not a Kubernetes version: 'latest'"),
        ("1.31", "must be a list of texts"),
    ],
)
def test_versions_that_are_not_known_are_refused(versions: Any, sentence: str) -> None:
    with pytest.raises(InvalidPool) as error:
        parse_pool({**POOL, "kubernetesVersions": versions})
    assert "kubernetesVersions: " in str(error.value)
    assert sentence in str(error.value)
    assert parse_pool({**POOL, "kubernetesVersions": ["1.31", "v1.36.3"]}).kubernetes_versions == ("1.31", "v1.36.3")


def control_plane_pool(*components: str, **keys: Any) -> Any:
    documents = {component: {"kind": "ComponentOptions", "component": component} for component in components}
    return {"pool": "control-plane", "selector": "a", "documents": documents, **keys}


@pytest.mark.parametrize(
    ("pool", "component"),
    [
        (control_plane_pool("kube-apiserver"), "kubelet"),
        (control_plane_pool("kubelet", "kube-apiserver", "kube-scheduler"), "kubelet"),
        ({"pool": "control-plane", "selector": "a", "layers": ["base.yaml"]}, "kube-apiserver"),
    ],
)
def test_a_control_plane_pool_moves_one_node_at_a_time_and_none_may_fail(pool: Any, component: str) -> None:
    made = parse_pool(pool, component=component)
    policy = made.policy
    assert policy.canary.count == policy.max_unavailable == NodeCount(1)
    assert policy.waves[:3] == (NodeCount(2), NodeCount(3), NodeCount(4))
    assert (policy.failure_budget, policy.on_failure) == (NodeCount(0), "halt")
    assert (policy.answer.timeout, policy.answer.health_timeout) == (900.0, 300.0)
    assert (made.trial, made.sets_trial) == (Trial(600.0, 1), True)
    leaders = ("kube-scheduler leader",) if "kube-scheduler" in made.documents else ()
    assert policy.gates.names == ("control-plane Pods", *leaders)


def test_a_pool_without_an_api_server_takes_back_what_fails() -> None:
    policy = parse_pool(control_plane_pool("kube-scheduler", "kube-controller-manager")).policy
    assert (policy.on_failure, policy.answer.health_timeout) == ("rollback", 120.0)


def test_what_the_user_sets_of_a_control_plane_pool_counts() -> None:
    settings = {"canary": {"soak": "1m"}, "waves": ["100%"], "nodeTimeout": "20m", "onFailure": "rollback"}
    pool = parse_pool(control_plane_pool("kube-apiserver", policy=settings, trial={"trialDuration": "5m"}))
    assert (pool.policy.canary.count, pool.policy.canary.soak) == (NodeCount(1), 60.0)
    assert (pool.policy.waves, pool.policy.answer.timeout) == ((NodeCount(100, True),), 1200.0)
    assert (pool.policy.on_failure, pool.trial) == ("rollback", Trial(300.0, 1))
    with pytest.raises(InvalidPool, match=r"policy.canary: must be a mapping, not a number"):
        parse_pool(control_plane_pool("kube-apiserver", policy={"canary": 1}))


@pytest.mark.parametrize("pool", [control_plane_pool("kubelet", "kube-proxy"), POOL])
def test_a_pool_without_static_pods_has_the_usual_defaults(pool: Any) -> None:
    made = parse_pool({**pool, "policy": {"canary": {}}})
    assert (made.policy, made.sets_trial) == (parse_policy(None), False)


def test_a_crash_loop_of_a_static_pod_takes_longer_with_each_restart() -> None:
    pool = control_plane_pool("kube-apiserver", policy={"nodeTimeout": "30m"})
    answer = parse_pool(pool).policy.answer
    assert answer.crash_loop(Trial(600.0, 2)) == (10 + 20 + 40) + 3 * 10 + 300
    assert answer.crash_loop(Trial(600.0, 6)) == (10 + 20 + 40 + 80 + 160 + 300 + 300) + 7 * 10 + 300, "300 at most"
    sentence = (
        "policy.nodeTimeout: 300s is shorter than a crash loop takes, 350s: (1 + 1) times (restartDelay 10s, doubled "
        "each time, + timeToCrash 10s) + healthTimeout 300s"
    )
    with pytest.raises(InvalidPool) as caught:
        parse_pool(control_plane_pool("kube-apiserver", policy={"nodeTimeout": "5m"}))
    assert str(caught.value) == sentence
