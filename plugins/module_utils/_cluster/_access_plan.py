# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The namespaces, RBAC and flow control objects, and the steps to and from them. Pure.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._kube import _api_paths as paths
from .._nodeconfig._well_known import NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS
from . import ClusterRefused
from ._flow_control import AGENTS_FLOW, ScopedRule, flow_control_objects

__all__ = [
    "Access",
    "BUNDLES_READER",
    "LABEL_MANAGED_BY",
    "MANAGED_BY",
    "NAMESPACES",
    "AccessStep",
    "collection_of",
    "desired_objects",
    "is_runner_binding",
    "name_of",
    "path_of",
    "plan_absent",
    "plan_present",
    "possible_objects",
    "StepAction",
    "with_present_access",
]

StepAction = Literal["create", "recreate", "patch", "delete"]

LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
MANAGED_BY = "configok.node"
NAMESPACES = (NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS)

_GROUP = "rbac.authorization.k8s.io"
_NODES = {"kind": "Group", "name": "system:nodes", "apiGroup": _GROUP}
BUNDLES_READER = "configok-nodes"
_CONFIGZ_READER = "configok-nodes-configz"
_RUNNER = "configok-runner"
_PRUNER = "configok-runner-prune"
# Runners of earlier releases could create Events on Nodes here; now only the nodes themselves create them.
_FORMER_RUNNER_NAMESPACE = "default"

# The permissions that a rollout needs, and no others. It watches, assigns, cordons and drains Nodes, ...
_RUNNER_CLUSTER_RULES = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
]
# ... publishes bundles, which are immutable, ...
_PUBLISHING = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]}]
# ... deletes old bundles if the user allows it (RBAC cannot limit that to old ones), ...
_PRUNING = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["delete"]}]
# ... keeps its record and its lock, sees requests such as pause, checks whether other pools have the same nodes, and
# creates Events.
_RECORDING = [
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch", "create", "update"]},
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
]


@dataclass(frozen=True)
class Access:
    """The access of runners and nodes; nodes may always read bundles. None keeps the present access.

    runner_subjects: RBAC subjects (kind, name, and namespace for a ServiceAccount) that may run rollouts.
    node_configz: whether nodes may read the live config of kubelets, as nodes/configz (Kubernetes 1.33 and newer).
    runner_prune: whether runners may delete old bundles. bundle_namespaces: further namespaces of bundles.
    flow_control: whether the API server limits the requests of agents and runners on their own.
    """

    runner_subjects: Sequence[Mapping[str, Any]] | None = None
    node_configz: bool | None = None
    bundle_namespaces: Sequence[str] | None = None
    flow_control: bool | None = None
    runner_prune: bool | None = None

    @property
    def publishing_namespaces(self) -> list[str]:
        """Return all namespaces of bundles."""
        return [NAMESPACE_BUNDLES, *sorted({*(self.bundle_namespaces or ())} - {*NAMESPACES})]


def _object(kind: str, name: str, namespace: str = "", **content: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": {LABEL_MANAGED_BY: MANAGED_BY}}
    if namespace:
        metadata["namespace"] = namespace
    version = "v1" if kind == "Namespace" else f"{_GROUP}/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}


def _role_and_binding(
    name: str, rules: Sequence[Mapping[str, Any]], subjects: Sequence[Mapping[str, Any]], namespace: str = ""
) -> list[dict[str, Any]]:
    """Return a role, and the binding of the same name if there are subjects."""
    kind = "Role" if namespace else "ClusterRole"
    reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
    role = _object(kind, name, namespace, rules=[dict(rule) for rule in rules])
    binding = _object(
        f"{kind}Binding", name, namespace, roleRef=reference, subjects=[dict(subject) for subject in subjects]
    )
    return [role, binding] if subjects else [role]


def _subject(option: Mapping[str, Any]) -> dict[str, Any]:
    if option["kind"] == "ServiceAccount":
        return {"kind": "ServiceAccount", "name": option["name"], "namespace": option["namespace"]}
    return {"kind": option["kind"], "name": option["name"], "apiGroup": _GROUP}


def desired_objects(access: Access, flow_version: str | None = None) -> list[dict[str, Any]]:
    """Return all objects of this access, in the order of their creation.

    flow_version: of the API group of flow control; None leaves its objects out.
    """
    runners = [_subject(option) for option in access.runner_subjects or ()]
    publishing = access.publishing_namespaces
    objects = [_object("Namespace", namespace) for namespace in NAMESPACES]
    # Without our label: these namespaces may hold other objects, so they are never deleted.
    objects += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in publishing[1:]]
    reading = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    for namespace in publishing:
        objects += _role_and_binding(BUNDLES_READER, reading, [_NODES], namespace)
    if access.node_configz:
        live = [{"apiGroups": [""], "resources": ["nodes/configz"], "verbs": ["get"]}]
        objects += _role_and_binding(_CONFIGZ_READER, live, [_NODES])
    objects += _role_and_binding(_RUNNER, _RUNNER_CLUSTER_RULES, runners)
    for namespace in publishing:
        objects += _role_and_binding(_RUNNER, _PUBLISHING, runners, namespace)
    for namespace in publishing if access.runner_prune else ():
        objects += _role_and_binding(_PRUNER, _PRUNING, runners, namespace)
    objects += _role_and_binding(_RUNNER, _RECORDING, runners, NAMESPACE_ROLLOUTS)
    return objects + (_flow_control(access, flow_version) if access.flow_control and flow_version else [])


def _flow_control(access: Access, version: str) -> list[dict[str, Any]]:
    """Return the flow control of the nodes' reads of bundles, and of all that the roles of runners permit."""
    publishing = access.publishing_namespaces
    rules = [
        *(ScopedRule(rule) for rule in _RUNNER_CLUSTER_RULES),
        *(ScopedRule(rule, publishing) for rule in _PUBLISHING),
        *(ScopedRule(rule, publishing) for rule in (_PRUNING if access.runner_prune else ())),
        *(ScopedRule(rule, [NAMESPACE_ROLLOUTS]) for rule in _RECORDING),
    ]
    runners = access.runner_subjects or ()
    objects = flow_control_objects(version, runners=runners, runner_rules=rules, bundle_namespaces=publishing)
    return [{**item, "metadata": {**item["metadata"], "labels": {LABEL_MANAGED_BY: MANAGED_BY}}} for item in objects]


def possible_objects(bundle_namespaces: Sequence[str], flow_version: str | None = None) -> list[dict[str, Any]]:
    """Return all objects that any access has, or had in an earlier release, with these further namespaces."""
    any_subject = {"kind": "User", "name": "any"}
    most = Access([any_subject], True, bundle_namespaces, flow_control=True, runner_prune=True)
    objects = desired_objects(most, flow_version)
    if _FORMER_RUNNER_NAMESPACE not in bundle_namespaces:
        objects += _role_and_binding(_RUNNER, [], [any_subject], _FORMER_RUNNER_NAMESPACE)
    return objects


def is_runner_binding(item: Mapping[str, Any]) -> bool:
    """Return whether this is one of the bindings that allow a runner to run rollouts."""
    metadata = item["metadata"]
    former = metadata.get("namespace") == _FORMER_RUNNER_NAMESPACE
    return item["kind"].endswith("Binding") and metadata["name"] == _RUNNER and not former


def with_present_access(
    access: Access, present: Mapping[str, Mapping[str, Any] | None], flow_version: str | None = None
) -> Access:
    """Return the access with None replaced by the present access. present: API path -> the object there, or None."""
    if access.runner_subjects is None:
        binding = present[paths.cluster_role_binding(_RUNNER)] or {}
        access = replace(access, runner_subjects=binding.get("subjects") or ())
    if access.node_configz is None:
        access = replace(access, node_configz=present[paths.cluster_role_binding(_CONFIGZ_READER)] is not None)
    if access.runner_prune is None:
        access = replace(access, runner_prune=present[paths.role(NAMESPACE_BUNDLES, _PRUNER)] is not None)
    if access.flow_control is None and flow_version is not None:
        schema = present[paths.flow_schema(flow_version, AGENTS_FLOW)]
        access = replace(access, flow_control=schema is not None and _is_ours(schema))
    return access


_ITEM: dict[str, Callable[[str, str], str]] = {
    "Namespace": lambda _namespace, name: paths.namespace(name),
    "Role": paths.role,
    "RoleBinding": paths.role_binding,
    "ClusterRole": lambda _namespace, name: paths.cluster_role(name),
    "ClusterRoleBinding": lambda _namespace, name: paths.cluster_role_binding(name),
}
# The path of a flow control object depends on the version that the server has.
_FLOW_ITEM: dict[str, Callable[[str, str], str]] = {
    "FlowSchema": paths.flow_schema,
    "PriorityLevelConfiguration": paths.priority_level,
}


def path_of(item: Mapping[str, Any]) -> str:
    """Return the API path of one of these objects."""
    kind, metadata = item["kind"], item["metadata"]
    if kind in _FLOW_ITEM:
        return _FLOW_ITEM[kind](item["apiVersion"].rpartition("/")[2], metadata["name"])
    return _ITEM[kind](metadata.get("namespace", ""), metadata["name"])


def collection_of(item: Mapping[str, Any]) -> str:
    """Return the API path at which one of these objects is created."""
    return path_of(item).rpartition("/")[0]


def name_of(item: Mapping[str, Any]) -> str:
    """Return "Role configok-system/configok-nodes", "Namespace configok-system"."""
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{item['kind']} {place}{metadata['name']}"


_PARTS = ("aggregationRule", "rules", "roleRef", "subjects", "spec")


@dataclass(frozen=True)
class AccessStep:
    """One change. body: the object (create, recreate), a merge patch (patch), or None (delete).

    before, after: the parts of the object that this collection writes, or None if there is no object.
    """

    action: StepAction
    item: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    body: dict[str, Any] | None = None


def _is_ours(item: Mapping[str, Any]) -> bool:
    return (item["metadata"].get("labels") or {}).get(LABEL_MANAGED_BY) == MANAGED_BY


def _is_terminating(item: Mapping[str, Any]) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def _comparable_parts(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an object that this collection writes, in a comparable form."""
    labels = item["metadata"].get("labels") or {}
    parts = {part: item[part] for part in _PARTS if item.get(part) and item["kind"] != "Namespace"}
    return {"labels": {LABEL_MANAGED_BY: labels.get(LABEL_MANAGED_BY)}, **parts}


def _written_fields(current: Any, desired: Any) -> Any:
    """Return the current value without fields that the desired one does not have: defaults of the API server."""
    if isinstance(current, Mapping) and isinstance(desired, Mapping):
        return {key: _written_fields(current[key], value) for key, value in desired.items() if key in current}
    return current


def plan_present(
    access: Access,
    possible: Sequence[Mapping[str, Any]],
    present: Mapping[str, Mapping[str, Any] | None],
    flow_version: str | None = None,
) -> list[AccessStep]:
    """Return the steps after which the cluster has the objects of this access, and none of the other possible ones.

    present: API path -> the object there, or None. An existing namespace is used as it is, and no namespace is deleted.
    flow_version: as of possible_objects. Raises ClusterRefused.
    """
    steps = []
    desired = desired_objects(with_present_access(access, present, flow_version), flow_version)
    for item in desired:
        current = present[path_of(item)]
        if current is None:
            steps.append(AccessStep("create", item, None, _comparable_parts(item), dict(item)))
            continue
        if item["kind"] == "Namespace":
            if _is_terminating(current):
                raise ClusterRefused(f"{name_of(item)} is being deleted: run this again when it is gone")
            continue
        if access.runner_subjects is None and is_runner_binding(item):
            item = {**item, "subjects": current.get("subjects") or item["subjects"]}
        before, after = _comparable_parts(current), _comparable_parts(item)
        if "spec" in after:
            before["spec"] = _written_fields(before.get("spec"), after["spec"])
        if before.get("roleRef") != after.get("roleRef"):
            if not _is_ours(current):
                raise ClusterRefused(
                    f"{name_of(item)} is not ours and binds {_role_of(current)}, not {_role_of(item)}: "
                    "delete or rename it, then run this again"
                )
            steps.append(AccessStep("recreate", current, before, after, dict(item)))  # a roleRef cannot be changed
        elif before != after:
            body: dict[str, Any] = {
                "metadata": {"labels": after["labels"], "resourceVersion": current["metadata"]["resourceVersion"]},
                **{part: after.get(part) for part in _PARTS if before.get(part) != after.get(part)},
            }
            steps.append(AccessStep("patch", item, before, after, body))
    desired_paths = {path_of(item) for item in desired}
    obsolete = [item for item in possible if _is_obsolete(item, access, desired_paths)]
    return steps + _deletions(obsolete, present)


def _is_obsolete(item: Mapping[str, Any], access: Access, desired_paths: Collection[str]) -> bool:
    """Return whether a possible object does not belong to this access."""
    is_pruner_binding = item["kind"] == "RoleBinding" and item["metadata"]["name"] == _PRUNER
    is_subjects_binding = is_runner_binding(item) or (is_pruner_binding and access.runner_prune is not False)
    kept = access.runner_subjects is None and is_subjects_binding
    return path_of(item) not in desired_paths and item["kind"] != "Namespace" and not kept


def _role_of(binding: Mapping[str, Any]) -> str:
    reference = binding["roleRef"]
    return f"{reference['kind']} {reference['name']}"


def plan_absent(
    possible: Sequence[Mapping[str, Any]], present: Mapping[str, Mapping[str, Any] | None]
) -> list[AccessStep]:
    """Return the steps that remove all objects of plan_present; those in a deleted namespace need no step."""
    deleted = {
        item["metadata"]["name"]
        for item in possible
        if item["kind"] == "Namespace" and (current := present[path_of(item)]) is not None and _is_ours(current)
    }
    return _deletions([item for item in possible if item["metadata"].get("namespace") not in deleted], present)


def _deletions(items: Sequence[Mapping[str, Any]], present: Mapping[str, Mapping[str, Any] | None]) -> list[AccessStep]:
    """Return the steps that delete objects with our label: bindings before roles, namespaces last."""
    steps = []
    for item in reversed(items):
        current = present[path_of(item)]
        if current is not None and _is_ours(current) and not _is_terminating(current):
            steps.append(AccessStep("delete", current, _comparable_parts(current), None))
    return steps
