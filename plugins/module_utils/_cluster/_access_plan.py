# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The namespaces and RBAC objects of the collection, as data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._kube import _api_paths as paths
from .._nodeconfig._well_known import NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS
from . import ClusterRefused

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
    "settled",
]

LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
MANAGED_BY = "configok.node"
NAMESPACES = (NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS)

_GROUP = "rbac.authorization.k8s.io"
_NODES = {"kind": "Group", "name": "system:nodes", "apiGroup": _GROUP}
BUNDLES_READER = "configok-nodes"
_CONFIGZ_READER = "configok-nodes-configz"
_RUNNER = "configok-runner"
# Where runners could once create Events on Nodes, which only the nodes themselves do.
_FORMER_RUNNER_NAMESPACE = "default"

# What a rollout does, and nothing beyond: it watches and assigns Nodes, ...
_RUNNER_CLUSTER_RULES = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]}]
# ... publishes bundles, which nobody changes, ...
_PUBLISHING = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]}]
# ... keeps its record and its lock, looks whether other pools have the same nodes, and tells what it did.
_RECORDING = [
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "create", "update"]},
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
]


@dataclass(frozen=True)
class Access:
    """Who gets access beyond the nodes, which always read bundles. None leaves what there is.

    runner_subjects: RBAC subjects (kind, name, and namespace for a ServiceAccount) that may run rollouts.
    node_configz: whether nodes may read the live config of kubelets, as nodes/configz (Kubernetes 1.33 and newer).
    bundle_namespaces: further namespaces of bundles.
    """

    runner_subjects: Sequence[Mapping[str, Any]] | None = None
    node_configz: bool | None = None
    bundle_namespaces: Sequence[str] | None = None


def _object(kind: str, name: str, namespace: str = "", **content: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": {LABEL_MANAGED_BY: MANAGED_BY}}
    if namespace:
        metadata["namespace"] = namespace
    version = "v1" if kind == "Namespace" else f"{_GROUP}/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}


def _grant(
    name: str, rules: Sequence[Mapping[str, Any]], subjects: Sequence[Mapping[str, Any]], namespace: str = ""
) -> list[dict[str, Any]]:
    """Return a role, and the binding of the same name if there is anybody to bind."""
    kind = "Role" if namespace else "ClusterRole"
    reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
    role = _object(kind, name, namespace, rules=[dict(rule) for rule in rules])
    binding = _object(f"{kind}Binding", name, namespace, roleRef=reference, subjects=[dict(one) for one in subjects])
    return [role, binding] if subjects else [role]


def _subject(given: Mapping[str, Any]) -> dict[str, Any]:
    if given["kind"] == "ServiceAccount":
        return {"kind": "ServiceAccount", "name": given["name"], "namespace": given["namespace"]}
    return {"kind": given["kind"], "name": given["name"], "apiGroup": _GROUP}


def desired_objects(access: Access) -> list[dict[str, Any]]:
    """Return all objects that this access means, in the order in which they are created."""
    runners = [_subject(given) for given in access.runner_subjects or ()]
    further = sorted({*(access.bundle_namespaces or ())} - {*NAMESPACES})
    publishing = [NAMESPACE_BUNDLES, *further]
    objects = [_object("Namespace", namespace) for namespace in NAMESPACES]
    # Without our label: what else people keep in a namespace that they have named must not go with it.
    objects += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in further]
    reading = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    for namespace in publishing:
        objects += _grant(BUNDLES_READER, reading, [_NODES], namespace)
    if access.node_configz:
        live = [{"apiGroups": [""], "resources": ["nodes/configz"], "verbs": ["get"]}]
        objects += _grant(_CONFIGZ_READER, live, [_NODES])
    objects += _grant(_RUNNER, _RUNNER_CLUSTER_RULES, runners)
    for namespace in publishing:
        objects += _grant(_RUNNER, _PUBLISHING, runners, namespace)
    return objects + _grant(_RUNNER, _RECORDING, runners, NAMESPACE_ROLLOUTS)


def possible_objects(bundle_namespaces: Sequence[str]) -> list[dict[str, Any]]:
    """Return all objects that any access means or has meant in an earlier release, with these further namespaces."""
    anybody = {"kind": "User", "name": "anybody"}
    objects = desired_objects(Access([anybody], node_configz=True, bundle_namespaces=bundle_namespaces))
    if _FORMER_RUNNER_NAMESPACE not in bundle_namespaces:
        objects += _grant(_RUNNER, [], [anybody], _FORMER_RUNNER_NAMESPACE)
    return objects


def is_runner_binding(item: Mapping[str, Any]) -> bool:
    """Return whether this is one of the bindings that let a runner do rollouts."""
    metadata = item["metadata"]
    former = metadata.get("namespace") == _FORMER_RUNNER_NAMESPACE
    return item["kind"].endswith("Binding") and metadata["name"] == _RUNNER and not former


def settled(access: Access, found: Mapping[str, Mapping[str, Any] | None]) -> Access:
    """Return the access with what there is in the place of None. found: API path -> the object there, or None."""
    if access.runner_subjects is None:
        binding = found[paths.cluster_role_binding(_RUNNER)] or {}
        access = replace(access, runner_subjects=binding.get("subjects") or ())
    if access.node_configz is None:
        access = replace(access, node_configz=found[paths.cluster_role_binding(_CONFIGZ_READER)] is not None)
    return access


_ITEM: dict[str, Callable[[str, str], str]] = {
    "Namespace": lambda _namespace, name: paths.namespace(name),
    "Role": paths.role,
    "RoleBinding": paths.role_binding,
    "ClusterRole": lambda _namespace, name: paths.cluster_role(name),
    "ClusterRoleBinding": lambda _namespace, name: paths.cluster_role_binding(name),
}


def path_of(item: Mapping[str, Any]) -> str:
    """Return the API path of one of these objects."""
    metadata = item["metadata"]
    return _ITEM[item["kind"]](metadata.get("namespace", ""), metadata["name"])


def collection_of(item: Mapping[str, Any]) -> str:
    """Return the API path at which one of these objects is created."""
    return path_of(item).rpartition("/")[0]


def name_of(item: Mapping[str, Any]) -> str:
    """Return "Role configok-system/configok-nodes", "Namespace configok-system"."""
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{item['kind']} {place}{metadata['name']}"


_PARTS = ("aggregationRule", "rules", "roleRef", "subjects")


@dataclass(frozen=True)
class AccessStep:
    """One change. action: create or recreate (body is the object), patch (body is a merge patch) or delete (no body).

    before, after: the parts of the object that we write, None where there is no object.
    """

    action: str
    item: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    body: dict[str, Any] | None = None


def _is_ours(item: Mapping[str, Any]) -> bool:
    return (item["metadata"].get("labels") or {}).get(LABEL_MANAGED_BY) == MANAGED_BY


def _going(item: Mapping[str, Any]) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def _written(item: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an object that we write, in a form that compares."""
    labels = item["metadata"].get("labels") or {}
    parts = {part: item[part] for part in _PARTS if item.get(part)}
    return {"labels": {LABEL_MANAGED_BY: labels.get(LABEL_MANAGED_BY)}, **parts}


def plan_present(
    access: Access,
    possible: Sequence[Mapping[str, Any]],
    found: Mapping[str, Mapping[str, Any] | None],
) -> list[AccessStep]:
    """Return what makes the cluster hold the objects of this access, and none of the possible ones beside them.

    found: API path -> the object there, or None. A namespace that somebody else made is used as it is, and none is
    deleted. Raises ClusterRefused.
    """
    steps = []
    desired = desired_objects(settled(access, found))
    for item in desired:
        present = found[path_of(item)]
        if present is None:
            steps.append(AccessStep("create", item, None, _written(item), dict(item)))
            continue
        if item["kind"] == "Namespace":
            if _going(present):
                raise ClusterRefused(f"{name_of(item)} is being deleted: run this again when it is gone")
            continue
        if access.runner_subjects is None and is_runner_binding(item):
            item = {**item, "subjects": present.get("subjects") or item["subjects"]}
        before, after = _written(present), _written(item)
        if before.get("roleRef") != after.get("roleRef"):
            if not _is_ours(present):
                raise ClusterRefused(
                    f"{name_of(item)} is not ours and binds {_role_of(present)}, not {_role_of(item)}: "
                    "delete or rename it, then run this again"
                )
            steps.append(AccessStep("recreate", present, before, after, dict(item)))  # a roleRef cannot be changed
        elif before != after:
            body: dict[str, Any] = {
                "metadata": {"labels": after["labels"], "resourceVersion": present["metadata"]["resourceVersion"]},
                **{part: after.get(part) for part in _PARTS if before.get(part) != after.get(part)},
            }
            steps.append(AccessStep("patch", item, before, after, body))
    wanted = {path_of(item) for item in desired}
    return steps + _deletions([item for item in possible if _may_go(item, access, wanted)], found)


def _may_go(item: Mapping[str, Any], access: Access, wanted: Collection[str]) -> bool:
    """Return whether this access has no place for a possible object."""
    kept = access.runner_subjects is None and is_runner_binding(item)
    return path_of(item) not in wanted and item["kind"] != "Namespace" and not kept


def _role_of(binding: Mapping[str, Any]) -> str:
    reference = binding["roleRef"]
    return f"{reference['kind']} {reference['name']}"


def plan_absent(
    possible: Sequence[Mapping[str, Any]], found: Mapping[str, Mapping[str, Any] | None]
) -> list[AccessStep]:
    """Return what removes all that plan_present makes; what is in a namespace of ours goes with it."""
    gone = {
        item["metadata"]["name"]
        for item in possible
        if item["kind"] == "Namespace" and (present := found[path_of(item)]) is not None and _is_ours(present)
    }
    return _deletions([item for item in possible if item["metadata"].get("namespace") not in gone], found)


def _deletions(items: Sequence[Mapping[str, Any]], found: Mapping[str, Mapping[str, Any] | None]) -> list[AccessStep]:
    """Delete what is there and carries our label: bindings before roles, namespaces last."""
    steps = []
    for item in reversed(items):
        present = found[path_of(item)]
        if present is not None and _is_ours(present) and not _going(present):
            steps.append(AccessStep("delete", present, _written(present), None))
    return steps
