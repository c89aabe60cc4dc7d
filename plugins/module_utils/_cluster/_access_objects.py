# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The namespaces, RBAC, flow control and admission objects that an access needs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._nodeconfig.well_known import NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS
from ._admission_policies import admission_policies
from ._bootstrap_objects import BOOTSTRAPPERS_GROUP, TOKEN_IDS, TOKEN_NAMESPACE, secret_name
from ._certificate_request import KUBELET_CLIENT_SIGNER
from ._flow_control import Grant, ScopedRule, flow_control_objects
from .authorities import AUTHENTICATION, AUTHENTICATION_NAMESPACE

LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
MANAGED_BY = "configok.node"
NAMESPACES = (NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS)

_GROUP = "rbac.authorization.k8s.io"
_NODES = {"kind": "Group", "name": "system:nodes", "apiGroup": _GROUP}
BUNDLES_READER = "configok-nodes"
CONFIGZ_READER = "configok-nodes-configz"
RUNNER = "configok-runner"
PUBLISHER = "configok-publisher"
ASSIGNER = "configok-assigner"
PRUNER = "configok-runner-prune"
MACHINES = "configok-machines"
BOOTSTRAPPERS = "configok-bootstrappers"
METRICS_READER = "configok-control-plane-metrics"
NODE_USER = "system:node:"
_LEADING_NAMESPACE = "kube-system"
_SERVERS_NAMESPACE = "default"


def _rule(resource: str, *verbs: str, group: str = "", names: Sequence[str] = ()) -> dict[str, Any]:
    """Return an RBAC rule. names: of the only objects that it permits, () for all."""
    rule: dict[str, Any] = {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}
    return {**rule, "resourceNames": list(names)} if names else rule


# The permissions that a rollout needs, and no others. It watches, assigns, cordons and drains Nodes, ...
_ASSIGNING = [
    _rule("nodes", "get", "list", "watch", "patch"),
    _rule("pods", "list"),
    _rule("pods/eviction", "create"),
]
# ... sees who leads a control plane, ...
_LEADING = [_rule("leases", "get", group="coordination.k8s.io", names=["kube-controller-manager", "kube-scheduler"])]
# ... asks another API server while one of them restarts, ...
_SERVERS = [_rule("endpoints", "get", names=["kubernetes"])]
# ... publishes bundles, which are immutable, or only reads them, ...
_READING = [_rule("configmaps", "get")]
_PUBLISHING = [_rule("configmaps", "get", "create")]
# ... deletes old bundles if the user allows it (RBAC cannot limit that to old ones), ...
_PRUNING = [_rule("configmaps", "delete")]
# ... keeps its record and its lock, sees requests such as pause, checks whether other pools have the same nodes, and
# creates Events.
_RECORDING = [
    _rule("configmaps", "get", "list", "watch", "create", "update"),
    _rule("leases", "get", "create", "update", group="coordination.k8s.io"),
    _rule("events", "create"),
]
# A run that changes machines also deletes Nodes, and approves requests for the certificates of new ones. It creates
# bootstrap tokens, which RBAC cannot limit to them, and never reads a Secret: see _bootstrap_objects.
_CERTIFICATES = "certificates.k8s.io"
_MACHINES = [
    _rule("nodes", "delete"),
    _rule("certificatesigningrequests", "get", "list", "watch", group=_CERTIFICATES),
    _rule("certificatesigningrequests/approval", "update", group=_CERTIFICATES),
    _rule("signers", "approve", group=_CERTIFICATES, names=[KUBELET_CLIENT_SIGNER]),
]
_TOKENS = [
    _rule("secrets", "create"),
    _rule("secrets", "delete", names=[secret_name(token_id) for token_id in TOKEN_IDS]),
]
# An agent asks the API server of its own node which files it has read again.
_METRICS = [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
# A new kubelet accepts the clients that the API server accepts.
_AUTHORITIES = [_rule("configmaps", "get", names=[AUTHENTICATION])]


@dataclass(frozen=True)
class Access:
    """The access of runners and nodes; nodes may always read bundles. None keeps the present access.

    runner_subjects: RBAC subjects (kind, name, and namespace for a ServiceAccount) that may run rollouts.
    node_configz: whether nodes may read the live config of kubelets, as nodes/configz (Kubernetes 1.33 and newer).
    runner_prune: whether runners may delete old bundles. bundle_namespaces: further namespaces of bundles.
    flow_control: whether the API server limits the requests of agents and runners on their own.
    publisher_subjects, assigner_subjects: subjects with one half of what a runner may do. Subjects may have pools,
    which only admission policies enforce. admission: whether there are such policies. admission_pool_label: the label
    with the pool of a Node. break_glass_subjects: subjects to which the policies do not apply. machine_subjects:
    subjects that may create, change and delete machines, in addition to what an assigner may do. control_plane_nodes:
    the names of the nodes that may read the metrics of API servers.
    """

    runner_subjects: Sequence[Mapping[str, Any]] | None = None
    node_configz: bool | None = None
    bundle_namespaces: Sequence[str] | None = None
    flow_control: bool | None = None
    runner_prune: bool | None = None
    publisher_subjects: Sequence[Mapping[str, Any]] | None = None
    assigner_subjects: Sequence[Mapping[str, Any]] | None = None
    admission: bool | None = None
    admission_pool_label: str | None = None
    break_glass_subjects: Sequence[Mapping[str, Any]] | None = None
    machine_subjects: Sequence[Mapping[str, Any]] | None = None
    control_plane_nodes: Sequence[str] | None = None

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


def desired_objects(
    access: Access, flow_version: str | None = None, parameters: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return all objects of this access, in the order of their creation.

    flow_version: of the API group of flow control; None leaves its objects out. parameters: those of the admission
    policies; None leaves the policies out.
    """
    publishing = access.publishing_namespaces
    objects = [_object("Namespace", namespace) for namespace in NAMESPACES]
    # Without our label: these namespaces may hold other objects, so they are never deleted.
    objects += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in publishing[1:]]
    for namespace in publishing:
        objects += _role_and_binding(BUNDLES_READER, _READING, [_NODES], namespace)
    if access.node_configz:
        objects += _role_and_binding(CONFIGZ_READER, [_rule("nodes/configz", "get")], [_NODES])
    if access.control_plane_nodes:  # their users: the group has every other node, too
        users = [_subject({"kind": "User", "name": f"{NODE_USER}{name}"}) for name in access.control_plane_nodes]
        objects += _role_and_binding(METRICS_READER, _METRICS, users)
    if access.machine_subjects:
        objects.append(_bootstrappers_binding())
    for name, grant in _grants(access).items():
        subjects = [_subject(subject) for subject in grant.subjects]
        # One role for each namespace: users may have bundles where the cluster has something of its own.
        for namespace in dict.fromkeys(place for scoped in grant.rules for place in scoped.namespaces or ("",)):
            rules = [scoped.rule for scoped in grant.rules if namespace in (scoped.namespaces or ("",))]
            objects += _role_and_binding(name, rules, subjects, namespace)
    if access.flow_control and flow_version:
        grants = [*_grants(access).values()]
        objects += _labelled(flow_control_objects(flow_version, runners=grants, bundle_namespaces=publishing))
    if parameters is not None:  # the policies come last: they refuse what they do not know
        objects += _labelled(admission_policies(publishing, parameters))
    return objects


def _scoped(rules: Sequence[Mapping[str, Any]], *namespaces: str) -> list[ScopedRule]:
    return [ScopedRule(rule, namespaces) for rule in rules]


def _grants(access: Access) -> dict[str, Grant]:
    """Return what the subjects of each role may do, by the name of the role."""
    publishing = access.publishing_namespaces
    assigning, recording = _scoped(_ASSIGNING), _scoped(_RECORDING, NAMESPACE_ROLLOUTS)
    reading, publishes = _scoped(_READING, *publishing), _scoped(_PUBLISHING, *publishing)
    records = _scoped(_READING, NAMESPACE_ROLLOUTS)
    control_plane = [*_scoped(_LEADING, _LEADING_NAMESPACE), *_scoped(_SERVERS, _SERVERS_NAMESPACE)]
    runners, assigners = [*(access.runner_subjects or ())], [*(access.assigner_subjects or ())]
    grants = {RUNNER: Grant(runners, [*assigning, *control_plane, *publishes, *recording])}
    if access.runner_prune:
        grants[PRUNER] = Grant([*runners, *assigners], _scoped(_PRUNING, *publishing))
    grants[PUBLISHER] = Grant(access.publisher_subjects or (), [*publishes, *records])
    grants[ASSIGNER] = Grant(assigners, [*assigning, *control_plane, *reading, *recording])
    if access.machine_subjects:
        tokens, clients = _scoped(_TOKENS, TOKEN_NAMESPACE), _scoped(_AUTHORITIES, AUTHENTICATION_NAMESPACE)
        rules = [*assigning, *_scoped(_MACHINES), *tokens, *clients, *reading, *recording]
        grants[MACHINES] = Grant(access.machine_subjects, rules)
    return grants


def _bootstrappers_binding() -> dict[str, Any]:
    """Return the binding with which kubelets of new machines ask for their certificates."""
    reference = {"apiGroup": _GROUP, "kind": "ClusterRole", "name": "system:node-bootstrapper"}
    group = {"kind": "Group", "name": BOOTSTRAPPERS_GROUP, "apiGroup": _GROUP}
    return _object("ClusterRoleBinding", BOOTSTRAPPERS, roleRef=reference, subjects=[group])


def _labelled(objects: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    labels = {LABEL_MANAGED_BY: MANAGED_BY}
    return [{**item, "metadata": {**item["metadata"], "labels": labels}} for item in objects]


def is_admission_object(item: Mapping[str, Any]) -> bool:
    """Return whether this is an admission policy or a binding of one."""
    return str(item["kind"]).startswith("ValidatingAdmission")


def possible_objects(
    bundle_namespaces: Sequence[str], flow_version: str | None = None, *, admission: bool = False
) -> list[dict[str, Any]]:
    """Return all objects that any access has, with these further namespaces.

    admission: whether the API server has admission policies, and the identity may read them.
    """
    any_subject = [{"kind": "User", "name": "any"}]
    most = Access(
        any_subject,
        True,
        bundle_namespaces,
        flow_control=True,
        runner_prune=True,
        publisher_subjects=any_subject,
        assigner_subjects=any_subject,
        machine_subjects=any_subject,
        control_plane_nodes=["any"],
    )
    return desired_objects(most, flow_version, {} if admission else None)
