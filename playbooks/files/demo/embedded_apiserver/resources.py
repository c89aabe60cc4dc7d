# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resources that the embedded API server has, and the paths that name them.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from .statuses import no_such_api, not_implemented

__all__ = ["RESOURCES", "Resource", "Target", "parse_path"]


@dataclass(frozen=True)
class Resource:
    """One kind of object: its names, and the rules of its registry strategy."""

    name: str
    kind: str
    group: str = ""
    version: str = "v1"
    namespaced: bool = True
    subresources: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()  # field selectors besides metadata.name and metadata.namespace
    create_on_update: bool = False
    unconditional_update: bool = True
    name_rule: str = "subdomain"

    @property
    def api_version(self) -> str:
        """Return the apiVersion of objects: `v1`, `coordination.k8s.io/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version


_EVENT_FIELDS = tuple(
    f"involvedObject.{field}"
    for field in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
) + ("reason", "source", "reportingComponent", "type")
_RBAC = "rbac.authorization.k8s.io"

RESOURCES: tuple[Resource, ...] = (
    Resource("nodes", "Node", namespaced=False, subresources=("status",), fields=("spec.unschedulable",)),
    Resource("namespaces", "Namespace", namespaced=False, fields=("status.phase",), name_rule="label"),
    Resource("configmaps", "ConfigMap"),
    Resource("events", "Event", fields=_EVENT_FIELDS, create_on_update=True),
    Resource("leases", "Lease", group="coordination.k8s.io", create_on_update=True, unconditional_update=False),
    Resource("roles", "Role", group=_RBAC, create_on_update=True, name_rule="path"),
    Resource("rolebindings", "RoleBinding", group=_RBAC, create_on_update=True, name_rule="path"),
    Resource("clusterroles", "ClusterRole", group=_RBAC, namespaced=False, create_on_update=True, name_rule="path"),
    Resource(
        "clusterrolebindings",
        "ClusterRoleBinding",
        group=_RBAC,
        namespaced=False,
        create_on_update=True,
        name_rule="path",
    ),
)

# API groups that a server may be without, as this one is. Requests for any other path that is missing get 501.
_ABSENT_GROUPS = ("flowcontrol.apiserver.k8s.io", "admissionregistration.k8s.io")

_BY_PATH = {(resource.group, resource.version, resource.name): resource for resource in RESOURCES}


@dataclass(frozen=True)
class Target:
    """The target of a resource path. An empty name means the collection, an empty namespace means all of them."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def parse_path(path: str) -> Target | None:
    """Return the target of a resource path, None for a path of no resource.

    Raises ApiError 501 for resources and subresources that the embedded server does not have, and 404 for those of
    an API group that a real server may be without too.
    """
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    if group in _ABSENT_GROUPS:
        raise no_such_api()
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and (group or rest[2] not in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    resource = _BY_PATH.get((group, version, rest[0]))
    if resource is None or len(rest) > 3:
        raise not_implemented(f"the path {path}")
    if namespace and not resource.namespaced:
        raise not_implemented(f"the path {path}")
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if name and resource.namespaced and not namespace:
        raise not_implemented(f"the path {path}: {resource.name} are namespaced")
    if subresource and subresource not in resource.subresources:
        raise not_implemented(f"the subresource {resource.name}/{subresource}")
    return Target(resource, namespace, name, subresource)
