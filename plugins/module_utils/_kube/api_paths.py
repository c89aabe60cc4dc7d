# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resource paths that configok.node uses."""

from __future__ import annotations

import re
from collections.abc import Callable

from .api_errors import Invalid

_CORE = "/api/v1"
_COORDINATION = "/apis/coordination.k8s.io/v1"
_RBAC = "/apis/rbac.authorization.k8s.io/v1"
_FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"

VERSION = "/version"
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
API_SERVER_ENDPOINTS = f"{_CORE}/namespaces/default/endpoints/kubernetes"
CERTIFICATE_REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

# RBAC names may hold a colon (system:nodes). None of these characters needs quoting, and no name can leave its place.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?")


def _checked(name: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Invalid(f"{name!r} is not a name that a Kubernetes object can have", reason="InvalidName")
    return name


def _named(collection: str, part: str = "") -> Callable[[str], str]:
    """Return the function from a name to the path of that object of a collection, or of a part of it."""

    def path_of(name: str) -> str:
        return f"{collection}/{_checked(name)}{part}"

    return path_of


def _in_namespaces(base: str, resource: str) -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """Return the functions from a namespace to the path of its objects, and from namespace and name to that of one."""

    def path_of_all(namespace_name: str) -> str:
        return f"{base}/namespaces/{_checked(namespace_name)}/{resource}"

    def path_of(namespace_name: str, name: str) -> str:
        return f"{path_of_all(namespace_name)}/{_checked(name)}"

    return path_of_all, path_of


node = _named(NODES)
node_status = _named(NODES, "/status")
namespace = _named(NAMESPACES)
cluster_role = _named(CLUSTER_ROLES)
cluster_role_binding = _named(CLUSTER_ROLE_BINDINGS)
admission_policy = _named(ADMISSION_POLICIES)  # Kubernetes 1.30 and newer
admission_binding = _named(f"{_ADMISSION}/validatingadmissionpolicybindings")
certificate_request = _named(CERTIFICATE_REQUESTS)
certificate_approval = _named(CERTIFICATE_REQUESTS, "/approval")

config_maps, config_map = _in_namespaces(_CORE, "configmaps")
events, event = _in_namespaces(_CORE, "events")  # those on Nodes are in default
pods, pod = _in_namespaces(_CORE, "pods")
secrets, secret = _in_namespaces(_CORE, "secrets")
leases, lease = _in_namespaces(_COORDINATION, "leases")  # those of kubelets are in kube-node-lease, named as the Node
roles, role = _in_namespaces(_RBAC, "roles")
role_bindings, role_binding = _in_namespaces(_RBAC, "rolebindings")


def eviction(namespace_name: str, name: str) -> str:
    """Return the path to create a Pod's eviction at."""
    return f"{pod(namespace_name, name)}/eviction"


def flow_schemas(version: str) -> str:
    """Return the path of the FlowSchemas; version: of their API group, "v1" to "v1beta1"."""
    return f"{_FLOW_CONTROL}/{_checked(version)}/flowschemas"


def flow_schema(version: str, name: str) -> str:
    """Return the path of a FlowSchema."""
    return f"{flow_schemas(version)}/{_checked(name)}"


def priority_level(version: str, name: str) -> str:
    """Return the path of a PriorityLevelConfiguration."""
    return f"{_FLOW_CONTROL}/{_checked(version)}/prioritylevelconfigurations/{_checked(name)}"


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
