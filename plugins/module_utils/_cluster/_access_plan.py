# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps from the present objects of the collection in a cluster to those of an access. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._kube import api_paths as paths
from .._nodeconfig.well_known import NAMESPACE_BUNDLES
from . import ClusterRefused
from ._access_objects import (
    ASSIGNER,
    CONFIGZ_READER,
    LABEL_MANAGED_BY,
    MACHINES,
    MANAGED_BY,
    METRICS_READER,
    NODE_USER,
    PRUNER,
    PUBLISHER,
    RUNNER,
    Access,
    desired_objects,
)
from ._admission_parameters import (
    BREAK_GLASS,
    DEFAULT_POOL_LABEL,
    POOL_LABEL,
    Role,
    check_pool_label,
    read_literals,
    subject_lines,
)
from ._admission_policies import BUNDLES_POLICY, NODES_POLICY
from ._flow_control import AGENTS_FLOW

StepAction = Literal["create", "recreate", "patch", "delete"]

# The options with the subjects of a role, and a binding of each that says whom they name now.
_SUBJECTS: dict[str, tuple[str, str]] = {
    RUNNER: ("runner_subjects", paths.cluster_role_binding(RUNNER)),
    PUBLISHER: ("publisher_subjects", paths.role_binding(NAMESPACE_BUNDLES, PUBLISHER)),
    ASSIGNER: ("assigner_subjects", paths.cluster_role_binding(ASSIGNER)),
    MACHINES: ("machine_subjects", paths.cluster_role_binding(MACHINES)),
}


def _keeps_subjects(access: Access, item: Mapping[str, Any]) -> bool:
    """Return whether this is a binding to one of our roles whose subjects stay as they are."""
    option, _path = _SUBJECTS.get(item["metadata"]["name"], ("", ""))
    return item["kind"] in ("RoleBinding", "ClusterRoleBinding") and bool(option) and getattr(access, option) is None


def _with_present_access(
    access: Access, present: Mapping[str, Mapping[str, Any] | None], flow_version: str | None = None
) -> Access:
    """Return the access with None replaced by the present access. present: API path -> the object there, or None."""
    unset = [(option, path) for option, path in _SUBJECTS.values() if getattr(access, option) is None]
    subjects: dict[str, Any] = {option: (present[path] or {}).get("subjects") or () for option, path in unset}
    access = replace(access, **subjects)
    if access.node_configz is None:
        access = replace(access, node_configz=present[paths.cluster_role_binding(CONFIGZ_READER)] is not None)
    if access.control_plane_nodes is None:
        users = (present[paths.cluster_role_binding(METRICS_READER)] or {}).get("subjects") or ()
        names = [str(user.get("name")).removeprefix(NODE_USER) for user in users]
        access = replace(access, control_plane_nodes=names)
    if access.runner_prune is None:
        access = replace(access, runner_prune=present[paths.role(NAMESPACE_BUNDLES, PRUNER)] is not None)
    if access.flow_control is None and flow_version is not None:
        schema = present[paths.flow_schema(flow_version, AGENTS_FLOW)]
        access = replace(access, flow_control=schema is not None and _is_ours(schema))
    if access.admission is None:
        access = replace(access, admission=_has_policies(present))
    return access


def _has_policies(present: Mapping[str, Mapping[str, Any] | None]) -> bool:
    """Return whether there are policies of ours; a binding that is missing is not a decision against them."""
    items = [
        present.get(path(name))
        for name in (NODES_POLICY, BUNDLES_POLICY)
        for path in (paths.admission_policy, paths.admission_binding)
    ]
    return any(item is not None and _is_ours(item) for item in items)


def admission_parameters(
    access: Access, present: Mapping[str, Mapping[str, Any] | None], flow_version: str | None = None
) -> dict[str, str] | None:
    """Return the parameters of the admission policies, None without policies.

    What the access leaves unset stays. When policies are first set up, subjects that are bound to our roles are named
    for all pools. Later, that could widen what they may do: a parameter that is lost has to be passed again. Raises
    ClusterRefused.
    """
    complete = _with_present_access(access, present, flow_version)
    if not complete.admission:
        return None
    current: dict[str, str] = {}
    for name in (BUNDLES_POLICY, NODES_POLICY) if _has_policies(present) else ():
        current.update(read_literals(present.get(paths.admission_policy(name)) or {}))
    options = {
        Role.RUNNER.value: "runner_subjects",
        Role.PUBLISHER.value: "publisher_subjects",
        Role.ASSIGNER.value: "assigner_subjects",
        Role.MACHINES.value: "machine_subjects",
        BREAK_GLASS: "break_glass_subjects",
    }
    parameters, lost = {}, []
    for key, option in options.items():
        if getattr(access, option) is None and key in current:
            parameters[key] = current[key]
        elif getattr(access, option) is None and _has_policies(present):
            lost.append(option)
        else:
            parameters[key] = subject_lines(getattr(complete, option) or (), option)
    if lost:
        raise ClusterRefused(
            f"the admission policies {NODES_POLICY} and {BUNDLES_POLICY} no longer say who may do what, so they cannot "
            f"stay as they were: set {', '.join(lost)} (an empty list for no subjects), or admission to false"
        )
    label = access.admission_pool_label or current.get(POOL_LABEL, DEFAULT_POOL_LABEL)
    return {**parameters, POOL_LABEL: check_pool_label(label)}


_ITEM: dict[str, Callable[[str, str], str]] = {
    "Namespace": lambda _namespace, name: paths.namespace(name),
    "Role": paths.role,
    "RoleBinding": paths.role_binding,
    "ClusterRole": lambda _namespace, name: paths.cluster_role(name),
    "ClusterRoleBinding": lambda _namespace, name: paths.cluster_role_binding(name),
    "ConfigMap": paths.config_map,
}
_ADMISSION_ITEM: dict[str, Callable[[str], str]] = {
    "ValidatingAdmissionPolicy": paths.admission_policy,
    "ValidatingAdmissionPolicyBinding": paths.admission_binding,
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
    if kind in _ADMISSION_ITEM:
        return _ADMISSION_ITEM[kind](metadata["name"])
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

    before, after: the parts of the object that this collection writes, or None if there is not an object.
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


def _merge_patch(current: Any, desired: Any) -> Any:
    """Return the merge patch from one value to another: what the desired one does not have is removed."""
    if isinstance(current, Mapping) and isinstance(desired, Mapping):
        removed = dict.fromkeys(key for key in current if key not in desired)
        return {**removed, **{key: _merge_patch(current.get(key), value) for key, value in desired.items()}}
    return desired


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
    complete = _with_present_access(access, present, flow_version)
    desired = desired_objects(complete, flow_version, admission_parameters(access, present, flow_version))
    for item in desired:
        current = present[path_of(item)]
        if current is None:
            steps.append(AccessStep("create", item, None, _comparable_parts(item), dict(item)))
            continue
        if item["kind"] == "Namespace":
            if _is_terminating(current):
                raise ClusterRefused(f"{name_of(item)} is being deleted: run this again when it is gone")
            continue
        if _keeps_subjects(access, item):
            item = {**item, "subjects": current.get("subjects") or item["subjects"]}
        before, after = _comparable_parts(current), _comparable_parts(item)
        # In a policy, a field that we do not write could make it void.
        if "spec" in after and item["kind"] not in _ADMISSION_ITEM:
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
                **{
                    part: _merge_patch(before.get(part), after.get(part))
                    for part in _PARTS
                    if before.get(part) != after.get(part)
                },
            }
            steps.append(AccessStep("patch", item, before, after, body))
    desired_paths = {path_of(item) for item in desired}
    obsolete = [item for item in possible if _is_obsolete(item, access, desired_paths)]
    return steps + _deletions(obsolete, present)


def _is_obsolete(item: Mapping[str, Any], access: Access, desired_paths: Collection[str]) -> bool:
    """Return whether a possible object does not belong to this access."""
    is_pruner_binding = item["kind"] == "RoleBinding" and item["metadata"]["name"] == PRUNER
    is_pruner_kept = access.runner_prune is not False and access.runner_subjects is None
    kept = _keeps_subjects(access, item) or (is_pruner_binding and is_pruner_kept)
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
