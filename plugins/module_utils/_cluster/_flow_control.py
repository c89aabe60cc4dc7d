# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The FlowSchemas and PriorityLevelConfigurations of agents and runners. Pure.

A FlowSchema selects requests by subject, verb, resource and namespace. It cannot tell an agent from the kubelet of the
same node, because both use the node's identity. Only reads of bundles are the agents' alone, and only they come in
bursts: all nodes of a window read the same bundle. What an agent shares with its kubelet (its own Node, Events) stays
in the levels that the API server has for nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# The newest first. v1beta1 came with Kubernetes 1.20, v1 with 1.29.
FLOW_CONTROL_VERSIONS = ("v1", "v1beta3", "v1beta2", "v1beta1")
_WITH_ASSURED_SHARES = ("v1beta2", "v1beta1")

AGENTS_FLOW = "configok-agents"
RUNNER_FLOW = "configok-runner"


@dataclass(frozen=True)
class _Level:
    """The limits of one priority level. lendable: the percentage of its seats that others may use meanwhile."""

    shares: int
    lendable: int
    queues: int
    hand_size: int
    queue_length: int


# The built-in levels have 245 shares (205 in Kubernetes 1.20). With the default of 600 concurrent requests, a server
# gives 10 shares 22 seats, and 20 shares 44. docs/security.md explains the limits to users.
#
# At most 22 bundles are sent at a time, so bundles of 1 MiB take 22 MiB. Reading a small one takes milliseconds, so the
# 1,500 nodes that a pool of 15,000 may move at a time have theirs within seconds. 64 * 50 = 3,200 requests may wait,
# twice as many. The level is idle most of the time, and lends nearly all seats.
_AGENTS = _Level(shares=10, lendable=90, queues=64, hand_size=6, queue_length=50)
# A runner has 32 connections, each with one request at a time. In a burst of other clients it keeps half of its seats.
# Each identity may have 8 * 100 = 800 requests waiting: those of 25 runners.
_RUNNER = _Level(shares=20, lendable=50, queues=64, hand_size=8, queue_length=100)

# Before the built-in system-nodes (500), kube-system-service-accounts (900), service-accounts (9000) and global-default
# (9900); after those of leader election (100 to 200) and of heartbeats (system-node-high, 400).
_AGENTS_PRECEDENCE = 450
_RUNNER_PRECEDENCE = 460

# The verbs of a FlowSchema. RBAC has more, for what an API server asks itself: whether a user may approve for a signer.
_REQUESTS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy")


@dataclass(frozen=True)
class ScopedRule:
    """An RBAC rule, with the namespaces that it is granted in; none for a rule of the whole cluster."""

    rule: Mapping[str, Any]
    namespaces: Sequence[str] = ()


@dataclass(frozen=True)
class Grant:
    """RBAC subjects, and all that they may do."""

    subjects: Sequence[Mapping[str, Any]]
    rules: Sequence[ScopedRule]


def flow_control_objects(
    version: str, *, runners: Sequence[Grant], bundle_namespaces: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the objects without metadata other than names, in the order of their creation.

    version: of the API group. runners: all that publish or assign; without subjects, only the agents have a level.
    """
    nodes = {"kind": "Group", "group": {"name": "system:nodes"}}
    reading = ScopedRule({"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]}, bundle_namespaces)
    objects = [
        _level(version, AGENTS_FLOW, _AGENTS),
        _schema(version, AGENTS_FLOW, _AGENTS_PRECEDENCE, [_flow_rule([nodes], [reading])]),
    ]
    rules = [
        _flow_rule([_subject(subject) for subject in grant.subjects], grant.rules)
        for grant in runners
        if grant.subjects
    ]
    if rules:
        objects += [
            _level(version, RUNNER_FLOW, _RUNNER),
            _schema(version, RUNNER_FLOW, _RUNNER_PRECEDENCE, rules),
        ]
    return objects


def _object(version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    api_version = f"flowcontrol.apiserver.k8s.io/{version}"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _level(version: str, name: str, level: _Level) -> dict[str, Any]:
    queuing = {"queues": level.queues, "handSize": level.hand_size, "queueLengthLimit": level.queue_length}
    limited: dict[str, Any] = {"limitResponse": {"type": "Queue", "queuing": queuing}}
    if version in _WITH_ASSURED_SHARES:
        limited["assuredConcurrencyShares"] = level.shares
    else:
        limited.update(nominalConcurrencyShares=level.shares, lendablePercent=level.lendable)
    return _object(version, "PriorityLevelConfiguration", name, {"type": "Limited", "limited": limited})


def _flow_rule(subjects: Sequence[Mapping[str, Any]], rules: Sequence[ScopedRule]) -> dict[str, Any]:
    requests = [rule for rule in rules if set(_REQUESTS).issuperset(rule.rule["verbs"])]
    return {"subjects": list(subjects), "resourceRules": [_resource_rule(rule) for rule in requests]}


def _schema(version: str, name: str, precedence: int, rules: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a FlowSchema that sends these requests to the level of the same name; users take turns."""
    spec = {
        "priorityLevelConfiguration": {"name": name},
        "matchingPrecedence": precedence,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [dict(rule) for rule in rules],
    }
    return _object(version, "FlowSchema", name, spec)


def _resource_rule(scoped: ScopedRule) -> dict[str, Any]:
    rule = {part: list(scoped.rule[part]) for part in ("verbs", "apiGroups", "resources")}
    if scoped.namespaces:
        return {**rule, "namespaces": list(scoped.namespaces)}
    return {**rule, "clusterScope": True, "namespaces": ["*"]}


def _subject(subject: Mapping[str, Any]) -> dict[str, Any]:
    """Return an RBAC subject as FlowSchemas write it."""
    kind = str(subject["kind"])
    names = ("namespace", "name") if kind == "ServiceAccount" else ("name",)
    return {"kind": kind, kind[0].lower() + kind[1:]: {name: subject[name] for name in names}}
