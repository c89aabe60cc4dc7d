# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resource paths that configok.node uses."""

from __future__ import annotations

import re

from .api_errors import Invalid

_CORE = "/api/v1"
_COORDINATION = "/apis/coordination.k8s.io/v1"
_RBAC = "/apis/rbac.authorization.k8s.io/v1"
_FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"

NODES = f"{_CORE}/nodes"
NAMESPACES = f"{_CORE}/namespaces"
PODS = f"{_CORE}/pods"
ROLES = f"{_RBAC}/roles"
CLUSTER_ROLES = f"{_RBAC}/clusterroles"
CLUSTER_ROLE_BINDINGS = f"{_RBAC}/clusterrolebindings"
ADMISSION_POLICIES = f"{_ADMISSION}/validatingadmissionpolicies"
SELF_SUBJECT_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
SELF_SUBJECT_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
SUBJECT_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
CERTIFICATE_REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

# RBAC names may hold a colon (system:nodes). None of these characters needs quoting, and no name can leave its place.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?")


def _checked(name: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Invalid(f"{name!r} is not a name that a Kubernetes object can have", reason="InvalidName")
    return name


def _namespaced(base: str, namespace_name: str, resource: str, name: str | None = None) -> str:
    path = f"{base}/namespaces/{_checked(namespace_name)}/{resource}"
    return path if name is None else f"{path}/{_checked(name)}"


def node(name: str) -> str:
    """Return the path of a Node."""
    return f"{NODES}/{_checked(name)}"


def node_status(name: str) -> str:
    """Return the path of a Node's status."""
    return f"{NODES}/{_checked(name)}/status"


def namespace(name: str) -> str:
    """Return the path of a Namespace."""
    return f"{NAMESPACES}/{_checked(name)}"


def config_maps(namespace_name: str) -> str:
    """Return the path of the ConfigMaps of a namespace."""
    return _namespaced(_CORE, namespace_name, "configmaps")


def config_map(namespace_name: str, name: str) -> str:
    """Return the path of a ConfigMap."""
    return _namespaced(_CORE, namespace_name, "configmaps", name)


def events(namespace_name: str) -> str:
    """Return the path of the Events of a namespace (those on Nodes live in default)."""
    return _namespaced(_CORE, namespace_name, "events")


def event(namespace_name: str, name: str) -> str:
    """Return the path of an Event."""
    return _namespaced(_CORE, namespace_name, "events", name)


def pods(namespace_name: str) -> str:
    """Return the path of the Pods of a namespace."""
    return _namespaced(_CORE, namespace_name, "pods")


def pod(namespace_name: str, name: str) -> str:
    """Return the path of a Pod."""
    return _namespaced(_CORE, namespace_name, "pods", name)


def eviction(namespace_name: str, name: str) -> str:
    """Return the path to create a Pod's eviction at."""
    return _namespaced(_CORE, namespace_name, "pods", name) + "/eviction"


def leases(namespace_name: str) -> str:
    """Return the path of the Leases of a namespace."""
    return _namespaced(_COORDINATION, namespace_name, "leases")


def lease(namespace_name: str, name: str) -> str:
    """Return the path of a Lease (a kubelet's is in kube-node-lease, under the name of its Node)."""
    return _namespaced(_COORDINATION, namespace_name, "leases", name)


def roles(namespace_name: str) -> str:
    """Return the path of the Roles of a namespace."""
    return _namespaced(_RBAC, namespace_name, "roles")


def role(namespace_name: str, name: str) -> str:
    """Return the path of a Role."""
    return _namespaced(_RBAC, namespace_name, "roles", name)


def role_bindings(namespace_name: str) -> str:
    """Return the path of the RoleBindings of a namespace."""
    return _namespaced(_RBAC, namespace_name, "rolebindings")


def role_binding(namespace_name: str, name: str) -> str:
    """Return the path of a RoleBinding."""
    return _namespaced(_RBAC, namespace_name, "rolebindings", name)


def cluster_role(name: str) -> str:
    """Return the path of a ClusterRole."""
    return f"{CLUSTER_ROLES}/{_checked(name)}"


def cluster_role_binding(name: str) -> str:
    """Return the path of a ClusterRoleBinding."""
    return f"{CLUSTER_ROLE_BINDINGS}/{_checked(name)}"


def flow_schemas(version: str) -> str:
    """Return the path of the FlowSchemas; version: of their API group, "v1" to "v1beta1"."""
    return f"{_FLOW_CONTROL}/{_checked(version)}/flowschemas"


def flow_schema(version: str, name: str) -> str:
    """Return the path of a FlowSchema."""
    return f"{flow_schemas(version)}/{_checked(name)}"


def priority_level(version: str, name: str) -> str:
    """Return the path of a PriorityLevelConfiguration."""
    return f"{_FLOW_CONTROL}/{_checked(version)}/prioritylevelconfigurations/{_checked(name)}"


def admission_policy(name: str) -> str:
    """Return the path of a ValidatingAdmissionPolicy (Kubernetes 1.30 and newer)."""
    return f"{ADMISSION_POLICIES}/{_checked(name)}"


def admission_binding(name: str) -> str:
    """Return the path of a ValidatingAdmissionPolicyBinding."""
    return f"{_ADMISSION}/validatingadmissionpolicybindings/{_checked(name)}"


def secrets(namespace_name: str) -> str:
    """Return the path of the Secrets of a namespace."""
    return _namespaced(_CORE, namespace_name, "secrets")


def secret(namespace_name: str, name: str) -> str:
    """Return the path of a Secret."""
    return _namespaced(_CORE, namespace_name, "secrets", name)


def certificate_request(name: str) -> str:
    """Return the path of a CertificateSigningRequest."""
    return f"{CERTIFICATE_REQUESTS}/{_checked(name)}"


def certificate_approval(name: str) -> str:
    """Return the path at which a CertificateSigningRequest is approved."""
    return f"{CERTIFICATE_REQUESTS}/{_checked(name)}/approval"


def describe(path: str) -> str:
    """Return a human-readable name of a path: "nodes/n1", "configmaps/pool-1a2b in configok-system"."""
    parts = path.partition("?")[0].strip("/").split("/")
    if parts[:1] == ["api"] and len(parts) > 2:
        rest = parts[2:]
    elif parts[:1] == ["apis"] and len(parts) > 3:
        rest = parts[3:]
    else:
        return path
    if rest[0] == "namespaces" and len(rest) > 2:
        return f"{'/'.join(rest[2:])} in {rest[1]}"
    return "/".join(rest)
