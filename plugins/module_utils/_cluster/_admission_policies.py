# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ValidatingAdmissionPolicies on Nodes and bundles, with their bindings. Pure.

docs/admission.md describes the rules for users. The subjects are literals in the policies, which the API server
compiles, and not a ConfigMap that a binding names. Up to Kubernetes 1.36, an API server stops reading ConfigMaps for
policies when the last binding with one is deleted, until it is restarted (kubernetes/kubernetes#130887): policies that
are set up again then read the former subjects, or none. A policy without its ConfigMap either allows everything or
refuses the heartbeats of all kubelets.

The API server evaluates configok-nodes for each heartbeat, so no expression may fail: a heartbeat that is refused makes
a node NotReady.

The specs name every field that the API server would fill in, so that an unchanged object compares as equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    ANNOTATION_CORDONED_BY,
    ANNOTATION_MACHINE,
    CONDITION_CONFIG_OK,
    LABEL_CONFIG,
    LABEL_CONFIG_OK,
    LABEL_HASH_SCHEME,
    LABEL_POOL,
    NAMESPACE_BUNDLES,
)
from ._admission_parameters import BREAK_GLASS, POOL_LABEL, Role, literals

NODES_POLICY = "configok-nodes"
BUNDLES_POLICY = "configok-bundles"

# ConfigMaps that controllers put into every namespace: Kubernetes, OpenShift, Istio. No bundle can have such a name.
OF_THE_CLUSTER = ("kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert")


def _quoted(names: Sequence[str]) -> str:
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


# --- variables of both policies


def _is_named(lines: str, pool: str) -> str:
    """Return the expression for: a subject of the request is named for this pool, or for every one."""
    return (
        f"variables.subjects.exists(s, ('* ' + s) in variables.{lines} || (variables.{pool} != '' && "
        f"(variables.{pool} + ' ' + s) in variables.{lines}))"
    )


_OF_REQUEST = {
    # In the form of the parameters. A ServiceAccount is a user here.
    "subjects": (
        "['User ' + request.userInfo.username] + "
        "(has(request.userInfo.groups) ? request.userInfo.groups.map(g, 'Group ' + g) : [])"
    ),
    "isBreakGlass": f"variables.subjects.exists(s, ('* ' + s) in variables.{BREAK_GLASS})",
}

_ANNOTATIONS = "has({0}.metadata.annotations) ? {0}.metadata.annotations : {{}}"
_LABELS = "has({0}.metadata.labels) ? {0}.metadata.labels : {{}}"
_IF_UPDATE = "request.operation == 'UPDATE' && "
_OF_OBJECT = {
    "annotations": _ANNOTATIONS.format("object"),
    "oldAnnotations": _IF_UPDATE + _ANNOTATIONS.format("oldObject"),
    "labels": _LABELS.format("object"),
    "oldLabels": _IF_UPDATE + _LABELS.format("oldObject"),
}


def _same_keys(new: str, old: str, keys: str) -> str:
    """Return the expression for: these keys of a map are as before."""
    return (
        f"{keys}.all(k, (k in variables.{new}) == (k in variables.{old}) && "
        f"(!(k in variables.{new}) || variables.{new}[k] == variables.{old}[k]))"
    )


def _same_fields(part: str, exceptions: Sequence[str]) -> str:
    """Return the expression for: a part of the object, which must exist, is as before, apart from these fields."""
    return (
        f"dyn(object.{part}).all(k, k in {_quoted(exceptions)} || (k in dyn(oldObject.{part}) && "
        f"dyn(object.{part})[k] == dyn(oldObject.{part})[k])) && "
        f"dyn(oldObject.{part}).all(k, k in {_quoted(exceptions)} || k in dyn(object.{part}))"
    )


# --- Nodes

_ASSIGNMENT = _quoted([ANNOTATION_CONFIG_SOURCE, ANNOTATION_ASSIGNMENT, ANNOTATION_CORDONED_BY])
_OF_RUNS = _quoted([ANNOTATION_CONFIG_SOURCE, ANNOTATION_ASSIGNMENT, ANNOTATION_CORDONED_BY, ANNOTATION_MACHINE])
_STATUS_LABELS = _quoted([LABEL_CONFIG, LABEL_CONFIG_OK])
_CONDITION = (
    "has({0}.status) && has({0}.status.conditions) ? "
    f"{{0}}.status.conditions.filter(c, c.type == '{CONDITION_CONFIG_OK}') : []"
)
_BOOKKEEPING = ("annotations", "managedFields", "resourceVersion", "generation")

_NODES_VARIABLES = {
    **_OF_REQUEST,
    **_OF_OBJECT,
    "condition": _CONDITION.format("object"),
    "oldCondition": _IF_UPDATE + _CONDITION.format("oldObject"),
    "runnerLines": f"variables.{Role.RUNNER.value} + variables.{Role.ASSIGNER.value}",
    # As it was before the request, which must not choose whose Node this is.
    "pool": (f"variables.{POOL_LABEL} in variables.oldLabels ? variables.oldLabels[variables.{POOL_LABEL}] : ''"),
    # A pool has no blanks, so the subject of a line is what follows the first one.
    "isRunner": (
        "variables.runnerLines.filter(l, l.contains(' ')).map(l, l.split(' ', 2)[1]).exists(r, r in variables.subjects)"
    ),
    "isRunnerOfPool": _is_named("runnerLines", "pool"),
    # Machines have no pools: their subjects may label Nodes, and so move them between pools.
    "isMachineRunner": f"variables.subjects.exists(s, ('* ' + s) in variables.{Role.MACHINES.value})",
    "isNode": (
        "request.userInfo.username == 'system:node:' + object.metadata.name && "
        "'Group system:nodes' in variables.subjects"
    ),
    "sameAssignment": _same_keys("annotations", "oldAnnotations", _ASSIGNMENT),
    "sameMachine": _same_keys("annotations", "oldAnnotations", _quoted([ANNOTATION_MACHINE])),
    "sameStatus": (
        _same_keys("annotations", "oldAnnotations", _quoted([ANNOTATION_CONFIG_STATUS]))
        + " && "
        + _same_keys("labels", "oldLabels", _STATUS_LABELS)
        + " && variables.condition == variables.oldCondition"
    ),
    "sameMetadata": (
        f"variables.isMachineRunner ? ({_same_fields('metadata', (*_BOOKKEEPING, 'labels'))}) : "
        f"({_same_fields('metadata', _BOOKKEEPING)})"
    ),
    "sameOtherAnnotations": (
        f"variables.annotations.all(k, k in {_OF_RUNS} || (k in variables.oldAnnotations && "
        "variables.annotations[k] == variables.oldAnnotations[k])) && "
        f"variables.oldAnnotations.all(k, k in {_OF_RUNS} || k in variables.annotations)"
    ),
    "sameSpec": (
        "has(object.spec) == has(oldObject.spec) && (!has(object.spec) || ("
        + f"(variables.isMachineRunner ? ({_same_fields('spec', ['unschedulable', 'taints'])}) : "
        + f"({_same_fields('spec', ['unschedulable'])}))"
        + " && (variables.isMachineRunner || variables.isRunnerOfPool || "
        "(has(object.spec.unschedulable) && object.spec.unschedulable) == "
        "(has(oldObject.spec.unschedulable) && oldObject.spec.unschedulable))))"
    ),
    "sameNodeStatus": (
        "has(object.status) == has(oldObject.status) && (!has(object.status) || object.status == oldObject.status)"
    ),
}

_ASSIGNED_BY_RUNNERS = (
    "only the runners of the pool of a Node may change configok.dev/config-source, configok.dev/assignment and "
    "configok.dev/cordoned-by on it"
)
_NODES_VALIDATIONS = [
    {
        "expression": (
            f"variables.sameAssignment || variables.isBreakGlass || ({_IF_UPDATE}(variables.isRunnerOfPool || "
            "variables.isMachineRunner))"
        ),
        "message": _ASSIGNED_BY_RUNNERS,
        # The reason comes first: clients cut long messages.
        "messageExpression": (
            "'user ' + request.userInfo.username + (variables.pool == '' ? ' is not a runner of every pool, and the "
            f"Node has no label ' + variables.{POOL_LABEL} : ' is not a runner of pool ' + variables.pool) + "
            f"': {_ASSIGNED_BY_RUNNERS}'"
        ),
    },
    {
        "expression": f"variables.sameStatus || variables.isBreakGlass || ({_IF_UPDATE}variables.isNode)",
        "message": (
            "only the node itself may change configok.dev/config-status, the condition ConfigOK and the labels "
            "configok.dev/config and configok.dev/config-ok of a Node, and not as it creates it"
        ),
    },
    {
        "expression": f"variables.sameMachine || variables.isBreakGlass || ({_IF_UPDATE}variables.isMachineRunner)",
        "message": "only the subjects that may change machines may change configok.dev/machine on a Node",
    },
    {
        "expression": (
            "variables.isNode || !(variables.isRunner || variables.isMachineRunner) || variables.isBreakGlass || "
            f"({_IF_UPDATE}variables.sameMetadata && variables.sameOtherAnnotations && variables.sameSpec && "
            "variables.sameNodeStatus)"
        ),
        "message": (
            "a runner may change the assignment of a Node of its pools, configok.dev/cordoned-by and "
            "spec.unschedulable, and nothing else; a subject for machines also configok.dev/machine, labels and taints"
        ),
    },
]

# --- bundles

_IS_BUNDLE = " || ".join(
    f"({guard}has({item}.metadata.labels) && ('{LABEL_POOL}' in {item}.metadata.labels || "
    f"'{LABEL_HASH_SCHEME}' in {item}.metadata.labels))"
    for guard, item in (("", "object"), (_IF_UPDATE, "oldObject"))
)
# Finalizers may be removed: they must not keep a bundle that an identity may delete.
_DELETION = ("managedFields", "resourceVersion", "generation", "finalizers")

_BUNDLES_VARIABLES = {
    **_OF_REQUEST,
    "labels": _LABELS.format("object"),
    "pool": f"'{LABEL_POOL}' in variables.labels ? variables.labels['{LABEL_POOL}'] : ''",
    "publisherLines": f"variables.{Role.RUNNER.value} + variables.{Role.PUBLISHER.value}",
    "isPublisherOfPool": _is_named("publisherLines", "pool"),
    "finalizers": "has(object.metadata.finalizers) ? object.metadata.finalizers : []",
    "oldFinalizers": f"{_IF_UPDATE}has(oldObject.metadata.finalizers) ? oldObject.metadata.finalizers : []",
}
_EXEMPT = "request.operation != 'CREATE' || variables.isBreakGlass || "
_BUNDLES_VALIDATIONS = [
    {
        "expression": f"{_EXEMPT}(has(object.immutable) && object.immutable && !has(object.binaryData))",
        "message": "a bundle is immutable and has no binaryData",
    },
    {
        "expression": (
            f"{_EXEMPT}(variables.pool != '' && object.metadata.name.startsWith(variables.pool + '-') && "
            "object.metadata.name.matches('-[0-9a-f]{10}$') && "
            "size(object.metadata.name) == size(variables.pool) + 11 && "
            f"'{LABEL_HASH_SCHEME}' in variables.labels && "
            f"variables.labels['{LABEL_HASH_SCHEME}'].matches('^[1-9][0-9]*$'))"
        ),
        "message": (
            "a bundle is named <pool>-<10 hexadecimal digits> and has the labels configok.dev/pool and "
            "configok.dev/hash-scheme"
        ),
    },
    {
        "expression": f"{_EXEMPT}variables.isPublisherOfPool",
        "message": "only the publishers of a pool may create its bundles",
        "messageExpression": (
            "'user ' + request.userInfo.username + ' is not a publisher of ' + "
            "(variables.pool == '' ? 'every pool' : 'pool ' + variables.pool) + "
            "': only the publishers of a pool may create its bundles'"
        ),
    },
    {
        "expression": (
            "request.operation != 'UPDATE' || variables.isBreakGlass || ("
            + _same_fields("metadata", _DELETION)
            + " && variables.finalizers.all(f, f in variables.oldFinalizers)"
            + " && dyn(object).all(k, k == 'metadata' || (k in dyn(oldObject) && dyn(object)[k] == dyn(oldObject)[k]))"
            + " && dyn(oldObject).all(k, k in dyn(object)))"
        ),
        "message": "a bundle is never changed: publish another one",
    },
]


# --- objects


def admission_policies(bundle_namespaces: Sequence[str], parameters: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the policies and bindings without labels, in the order of their creation.

    Both policies have all parameters, so that one tells which they are.
    """
    literal = literals(parameters)
    nodes = {"operations": ["CREATE", "UPDATE"], "resources": ["nodes", "nodes/status"], "scope": "Cluster"}
    bundles = {"operations": ["CREATE", "UPDATE"], "resources": ["configmaps"], "scope": "Namespaced"}
    in_namespaces = {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(bundle_namespaces)}
        ]
    }
    conditions = [
        {"name": "not-of-the-cluster", "expression": f"!(object.metadata.name in {_quoted(OF_THE_CLUSTER)})"},
        {
            "name": "in-our-namespace-or-a-bundle",
            "expression": f"request.namespace == '{NAMESPACE_BUNDLES}' || {_IS_BUNDLE}",
        },
    ]
    return [
        _policy(NODES_POLICY, nodes, {}, [], {**literal, **_NODES_VARIABLES}, _NODES_VALIDATIONS),
        _binding(NODES_POLICY),
        _policy(
            BUNDLES_POLICY, bundles, in_namespaces, conditions, {**literal, **_BUNDLES_VARIABLES}, _BUNDLES_VALIDATIONS
        ),
        _binding(BUNDLES_POLICY),
    ]


def _policy(
    name: str,
    rule: Mapping[str, Any],
    namespace_selector: Mapping[str, Any],
    conditions: Sequence[Mapping[str, str]],
    variables: Mapping[str, str],
    validations: Sequence[Mapping[str, str]],
) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": dict(namespace_selector),
            "objectSelector": {},
            "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], **rule}],
        },
        "variables": [{"name": key, "expression": expression} for key, expression in variables.items()],
        "validations": [{**validation, "reason": "Forbidden"} for validation in validations],
    }
    if conditions:
        spec["matchConditions"] = [dict(condition) for condition in conditions]
    return _object("ValidatingAdmissionPolicy", name, spec)


def _binding(policy: str) -> dict[str, Any]:
    spec = {"policyName": policy, "validationActions": ["Deny"]}
    return _object("ValidatingAdmissionPolicyBinding", policy, spec)


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    version = "admissionregistration.k8s.io/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
