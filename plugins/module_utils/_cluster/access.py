# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a cluster has, applies the steps of a plan to it, and removes our marks from Nodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, KubeError, NotFound
from .._kube.api_paths import (
    ADMISSION_POLICIES,
    NODES,
    ROLES,
    SELF_SUBJECT_REVIEWS,
    config_maps,
    flow_schemas,
    node,
    node_status,
)
from .._kube.parallel import run_parallel
from .._nodeconfig.config_status import read_condition
from .._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    ANNOTATION_MACHINE,
    CONDITION_CONFIG_OK,
    LABEL_CONFIG,
    LABEL_CONFIG_OK,
    LABEL_LOCAL_CONFIG,
    LABEL_POOL,
)
from . import ClusterRefused
from ._access_objects import (
    BUNDLES_READER,
    LABEL_MANAGED_BY,
    MANAGED_BY,
    NAMESPACES,
    Access,
    is_admission_object,
    possible_objects,
)
from ._access_plan import (
    AccessStep,
    StepAction,
    admission_parameters,
    collection_of,
    name_of,
    path_of,
    plan_absent,
    plan_present,
)
from ._admission_parameters import DEFAULT_POOL_LABEL, POOL_LABEL, is_break_glass
from ._admission_policies import BUNDLES_POLICY, NODES_POLICY, OF_THE_CLUSTER
from ._flow_control import AGENTS_FLOW, FLOW_CONTROL_VERSIONS, RUNNER_FLOW

__all__ = [
    "Access",
    "AccessChange",
    "AdmissionState",
    "apply_change",
    "apply_steps",
    "describe_steps",
    "diff_steps",
    "plan_removal",
    "plan_setup",
]

_ANNOTATIONS = (ANNOTATION_CONFIG_SOURCE, ANNOTATION_ASSIGNMENT, ANNOTATION_CONFIG_STATUS, ANNOTATION_MACHINE)
_LABELS = (LABEL_CONFIG, LABEL_CONFIG_OK)
_DEFAULT_NAMESPACE = "default"
_MAX_NODES = 10  # named in a diff
_WAIT = 0.5  # s
_MAX_WAITS = 60
_REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


AdmissionState = Literal["enabled", "disabled", "unsupported", "unknown"]


@dataclass(frozen=True)
class AccessChange:
    """What is to be done in a cluster, with the Nodes that have marks to remove.

    admission: whether admission policies are in force after it. warnings: sentences, also on objects that could not be
    read. bundle_namespaces: all of them.
    """

    steps: Sequence[AccessStep]
    nodes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    admission: AdmissionState = "disabled"
    bundle_namespaces: Sequence[str] = ()


def plan_setup(client: Client, access: Access) -> AccessChange:
    """Return the steps to this access. Raises ClusterRefused and KubeError."""
    further = _further_namespaces(client)
    if access.bundle_namespaces is None:
        access = replace(access, bundle_namespaces=further)
    flow_version = _flow_version_for(client, access)
    admission, warnings = _admission_state(client, access)
    if admission == "unsupported":
        access = replace(access, admission=False)
    possible = possible_objects(
        sorted({*further, *(access.bundle_namespaces or ())}), flow_version, admission=admission == "enabled"
    )
    present = {path_of(item): client.find(path_of(item)) for item in possible}
    if admission == "enabled":
        parameters = admission_parameters(access, present, flow_version)
        if parameters is None:
            admission = "disabled"
        else:
            warnings += _admission_warnings(client, parameters)
    if admission != "enabled" and _has_pools(access):
        warnings.append("the pools of subjects limit nothing without admission policies (admission): RBAC has no pools")
    steps = plan_present(access, possible, present, flow_version)
    return AccessChange(steps, (), warnings, admission, access.publishing_namespaces)


def _has_pools(access: Access) -> bool:
    subjects = (access.runner_subjects, access.publisher_subjects, access.assigner_subjects)
    return any(subject.get("pools") for group in subjects for subject in group or ())


def _admission_state(client: Client, access: Access) -> tuple[AdmissionState, list[str]]:
    """Return "enabled" if the server has admission policies to set up or to remove, and warnings. Raises KubeError."""
    try:
        client.list(ADMISSION_POLICIES, limit=1, metadata_only=True)
    except NotFound:
        if not access.admission:
            return "unsupported", []
        return "unsupported", [
            "admission policies are skipped: the API server has no ValidatingAdmissionPolicies of "
            "admissionregistration.k8s.io/v1, which came with Kubernetes 1.30. Without them, each identity that may "
            "patch nodes or nodes/status can assign configs: docs/security.md says what else limits it"
        ]
    except Forbidden:
        options = (access.admission, access.admission_pool_label, access.break_glass_subjects)
        if any(option is not None for option in options):
            raise
        return "unknown", []
    return "enabled", []


def _admission_warnings(client: Client, parameters: Mapping[str, str]) -> list[str]:
    """Return what is unwise about these parameters, from the point of view of this identity."""
    warnings = []
    label = parameters.get(POOL_LABEL, DEFAULT_POOL_LABEL)
    if not label.partition("/")[0].endswith("node-restriction.kubernetes.io"):
        warnings.append(
            f"a node can set its own label {label}, and so choose which runners may assign its configs: "
            f"use a label of node-restriction.kubernetes.io, such as {DEFAULT_POOL_LABEL}"
        )
    try:
        review = client.create(SELF_SUBJECT_REVIEWS, dict(_REVIEW))
    except KubeError as error:
        return [*warnings, f"it is unknown whether this identity is a break-glass subject: {error}"]
    identity = (review.get("status") or {}).get("userInfo") or {}
    user = str(identity.get("username") or "")
    if not is_break_glass(user, identity.get("groups") or (), parameters):
        warnings.append(
            f"{user} is not named in break_glass_subjects: with the admission policies it can still change and remove "
            "them, but it can neither assign configs nor publish bundles, unless it is a runner"
        )
    return warnings


def _flow_version_for(client: Client, access: Access) -> str | None:
    """Return the version in which flow control is set up, or None to leave it as it is."""
    try:
        version = _flow_control_version(client)
    except Forbidden:
        if access.flow_control is not None:
            raise
        return None
    if version is None and access.flow_control:
        raise ClusterRefused(
            "the API server has no FlowSchemas, so flow_control cannot be set: it needs Kubernetes 1.20 or newer, with "
            "the API group flowcontrol.apiserver.k8s.io"
        )
    return version


def _flow_control_version(client: Client) -> str | None:
    """Return the newest version of the flow control API that the server has, or None."""
    for version in FLOW_CONTROL_VERSIONS:
        try:
            client.list(flow_schemas(version), label_selector=f"{LABEL_MANAGED_BY}={MANAGED_BY}", metadata_only=True)
        except NotFound:
            continue
        return version
    return None


def plan_removal(client: Client, *, force: bool, force_namespaces: bool) -> AccessChange:
    """Return what to remove. Raises KubeError and ClusterRefused.

    force: also while a Node is assigned a bundle. force_namespaces: also with ConfigMaps of others in our namespaces.
    """
    further = _further_namespaces(client)
    warnings = []
    flow_version = None
    try:
        flow_version = _flow_control_version(client)
    except Forbidden as error:
        warnings.append(
            f"FlowSchemas and PriorityLevelConfigurations named {AGENTS_FLOW} and {RUNNER_FLOW} are not removed, "
            f"if there are any: {error}"
        )
    admission: AdmissionState = "unknown"
    try:
        admission, _warnings = _admission_state(client, Access(admission=False))
    except Forbidden as error:
        warnings.append(
            f"ValidatingAdmissionPolicies named {NODES_POLICY} and {BUNDLES_POLICY} are not removed, "
            f"if there are any: {error}"
        )
    possible = possible_objects(further, flow_version, admission=admission == "enabled")
    present = {path_of(item): client.find(path_of(item)) for item in possible}
    steps = plan_absent(possible, present)
    deleted = {step.item["metadata"]["name"] for step in steps if step.item["kind"] == "Namespace"}
    for namespace in (*NAMESPACES, *further):
        own, foreign = _config_maps(client, namespace)
        if namespace not in deleted:
            steps = [AccessStep("delete", item, {"labels": item["metadata"]["labels"]}, None) for item in own] + steps
        elif foreign and not force_namespaces:
            others = sorted(set(foreign) - _in_every_namespace(client))
            if others:
                raise ClusterRefused(
                    f"namespace {namespace} also holds ConfigMap {others[0]}, which is not ours: move it elsewhere, or "
                    "delete it too with cluster_force_namespaces=true"
                )
    marked, assigned = [], []
    for item in client.list(NODES, metadata_only=True).items:
        metadata = item["metadata"]
        annotations, labels = metadata.get("annotations") or {}, metadata.get("labels") or {}
        if any(key in annotations for key in _ANNOTATIONS) or any(key in labels for key in _LABELS):
            marked.append(str(metadata["name"]))
        if ANNOTATION_CONFIG_SOURCE in annotations:
            assigned.append(str(metadata["name"]))
    if assigned and not force:
        some = ", ".join(sorted(assigned)[:5] + (["..."] if len(assigned) > 5 else []))
        count = f"{len(assigned)} Nodes are" if len(assigned) > 1 else "1 Node is"
        raise ClusterRefused(
            f"{count} still assigned a bundle ({some}): "
            "take them back to their init config first (undo), or remove all the same with cluster_force=true"
        )
    return AccessChange(steps, sorted(marked), warnings)


def _further_namespaces(client: Client) -> list[str]:
    """Return the further namespaces of bundles that an earlier run set up."""
    listing = client.list(ROLES, label_selector=f"{LABEL_MANAGED_BY}={MANAGED_BY}", metadata_only=True)
    roles = [role["metadata"] for role in listing.items]
    return sorted({str(role["namespace"]) for role in roles if role["name"] == BUNDLES_READER} - {*NAMESPACES})


def _config_maps(client: Client, namespace: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return our ConfigMaps of a namespace, and the names of the ConfigMaps that are not ours."""
    own, foreign = [], []
    for item in client.list(config_maps(namespace), metadata_only=True).items:
        if {LABEL_POOL, LABEL_LOCAL_CONFIG} & set(item["metadata"].get("labels") or {}):
            own.append({**item, "kind": "ConfigMap"})
        else:
            foreign.append(str(item["metadata"]["name"]))
    return own, foreign


def _in_every_namespace(client: Client) -> set[str]:
    """Return the names of ConfigMaps that controllers put into every namespace: those that "default" has as well."""
    try:
        items = client.list(config_maps(_DEFAULT_NAMESPACE), metadata_only=True).items
    except Forbidden:
        items = []
    return {*OF_THE_CLUSTER, *(str(item["metadata"]["name"]) for item in items)}


def apply_change(
    client: Client,
    change: AccessChange,
    *,
    workers: int,
    dry_run: bool,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Apply a change. Raises KubeError.

    Admission policies are removed first, because they refuse the removal of our marks from Nodes to all but break-glass
    subjects. The API server sees that some moments later. In a dry run they are still there.
    """
    before = [step for step in change.steps if step.action == "delete" and is_admission_object(step.item)]
    apply_steps(client, before, dry_run=dry_run)
    if change.nodes and before and not dry_run:
        _wait_for_removal(client, change.nodes[0], sleep)
    if not (before and dry_run):
        _clean_nodes(client, change.nodes, workers=workers, dry_run=dry_run)
    apply_steps(client, [step for step in change.steps if step not in before], dry_run=dry_run)


def _wait_for_removal(client: Client, name: str, sleep: Callable[[float], object]) -> None:
    """Wait until the API server no longer refuses to clean this Node because of a policy."""
    for _attempt in range(_MAX_WAITS):
        try:
            _clean_node(client, name, dry_run=True)
        except Forbidden as error:
            if NODES_POLICY not in str(error):
                return
        except KubeError:
            return  # the write itself reports it
        else:
            return
        sleep(_WAIT)


def apply_steps(client: Client, steps: Sequence[AccessStep], *, dry_run: bool) -> None:
    """Apply the steps in order; with dry_run the API server only checks them, as far as it can. Raises KubeError.

    An object in a namespace that does not exist yet cannot be checked, and is left out of a dry run.
    """
    created = {
        step.item["metadata"]["name"] for step in steps if step.action == "create" and step.item["kind"] == "Namespace"
    }
    for step in steps:
        metadata = step.item["metadata"]
        if dry_run and metadata.get("namespace") in created:
            continue
        if step.action == "create":
            client.create(collection_of(step.item), dict(step.body or {}), dry_run=dry_run)
        elif step.action == "patch":
            client.patch(path_of(step.item), step.body, dry_run=dry_run)
        else:
            client.delete(path_of(step.item), uid=metadata["uid"], dry_run=dry_run)
            if step.action == "recreate" and not dry_run:  # in a dry run the name is still taken
                client.create(collection_of(step.item), dict(step.body or {}))


def _clean_node(client: Client, name: str, *, dry_run: bool) -> None:
    """Remove our annotations, labels and condition from a Node in one write. Raises KubeError."""
    body: dict[str, Any] = {"metadata": {"annotations": dict.fromkeys(_ANNOTATIONS), "labels": dict.fromkeys(_LABELS)}}
    # Without conditions, the API server would not delete this one but create an empty one.
    if read_condition(client.get(node(name))):
        body["status"] = {"conditions": [{"type": CONDITION_CONFIG_OK, "$patch": "delete"}]}
    client.patch(node_status(name), body, kind="strategic", dry_run=dry_run)


def _clean_nodes(client: Client, names: Sequence[str], *, workers: int, dry_run: bool) -> None:
    """Remove our annotations, labels and condition from these Nodes; one that is gone by now is clean.

    Raises the first other KubeError after all were tried.
    """
    failed: KubeError | None = None
    for _name, result in run_parallel(lambda name: _clean_node(client, name, dry_run=dry_run), names, workers=workers):
        if isinstance(result, KubeError) and not isinstance(result, NotFound):
            failed = failed or result
    if failed is not None:
        raise failed


def describe_steps(steps: Sequence[AccessStep]) -> list[dict[str, str]]:
    """Return the steps for a module's result."""
    changes: dict[StepAction, str] = {
        "create": "created",
        "recreate": "recreated",
        "patch": "changed",
        "delete": "deleted",
    }
    return [
        {
            "kind": str(step.item["kind"]),
            "namespace": str(step.item["metadata"].get("namespace", "")),
            "name": str(step.item["metadata"]["name"]),
            "change": changes[step.action],
        }
        for step in steps
    ]


def diff_steps(steps: Sequence[AccessStep], nodes: Sequence[str] = ()) -> dict[str, Any]:
    """Return before and after of the steps, by object; of a deleted binding only the subjects that lose access."""
    before: dict[str, Any] = {
        name_of(step.item): step.before if step.after is not None else _bound_subjects(step.before)
        for step in steps
        if step.before is not None
    }
    after: dict[str, Any] = {name_of(step.item): step.after for step in steps if step.after is not None}
    if nodes:
        more = len(nodes) - _MAX_NODES
        some = list(nodes[:_MAX_NODES]) + ([f"and {more} more"] if more > 0 else [])
        before["Nodes with annotations, labels and condition of ours"] = some
        after["Nodes with annotations, labels and condition of ours"] = []
    return {"before": before, "after": after}


def _bound_subjects(before: Mapping[str, Any]) -> str:
    """Return "User a, Group b" for a binding, "present" for any other object."""
    return ", ".join(f"{subject['kind']} {subject['name']}" for subject in before.get("subjects", ())) or "present"
