# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authenticates and authorizes requests: identities, stored RBAC and the rules for nodes.

Private to configok.node: no compatibility is promised.
Mirrors the authorizers Node and RBAC and the admission plugin NodeRestriction of the real server, for the resources
that the embedded one has. A node reads no Node but its own, as on Kubernetes 1.32 and newer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .resources import RESOURCES, Resource
from .statuses import ApiError, forbidden
from .storage import Storage

__all__ = ["ANONYMOUS", "Action", "User", "authorize", "restrict_node"]

_BY_NAME = {resource.name: resource for resource in RESOURCES}
_NODE_LEASES = "kube-node-lease"
# What a kubelet may set for itself below kubernetes.io and k8s.io, besides the two prefixes below.
_KUBELET_LABELS = frozenset(
    (
        "kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch",
        "beta.kubernetes.io/os", "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region", "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
    )
)  # fmt: skip
_KUBELET_PREFIXES = ("kubelet.kubernetes.io", "node.kubernetes.io")


@dataclass(frozen=True)
class User:
    """An identity: a name and groups, from a token or a client certificate."""

    name: str
    groups: tuple[str, ...] = ()

    @property
    def node(self) -> str:
        """Return the name of the node that this identity is, or ""."""
        prefix = "system:node:"
        return self.name[len(prefix) :] if self.name.startswith(prefix) and "system:nodes" in self.groups else ""


ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))


@dataclass(frozen=True)
class Action:
    """A request's attributes for an authorizer. selected_name: the only name that its field selector allows."""

    verb: str
    resource: Resource
    subresource: str
    namespace: str
    name: str
    selected_name: str = ""

    @property
    def path(self) -> str:
        """Return `nodes` or `nodes/status`."""
        return f"{self.resource.name}/{self.subresource}" if self.subresource else self.resource.name


def authorize(user: User, action: Action, storage: Storage) -> None:
    """Raise ApiError 403 unless the user may do this."""
    if "system:masters" in user.groups:
        return
    why = ""
    if user.node:
        allowed, why = _node_may(user.node, action)
        if allowed:
            return
    if any(_rule_allows(rule, action) for rule in _rules_of(user, action, storage)):
        return
    scope = f'in the namespace "{action.namespace}"' if action.namespace else "at the cluster scope"
    sentence = (
        f'User "{user.name}" cannot {action.verb} resource "{action.path}" in API group '
        f'"{action.resource.group}" {scope}'
    )
    raise forbidden(action.resource.name, action.resource.group, action.name, sentence + (f": {why}" if why else ""))


def _node_may(node: str, action: Action) -> tuple[bool, str]:
    resource, verb = action.path, action.verb
    if resource == "nodes" and verb in ("get", "list", "watch"):
        name = action.name or action.selected_name
        if name == node:
            return True, ""
        who = f"'{name}'" if name else "all nodes"
        return False, f"node '{node}' cannot read {who}, only its own Node object"
    if resource == "nodes":
        return verb in ("create", "update", "patch"), ""
    if resource == "nodes/status":
        return verb in ("update", "patch"), ""
    if resource == "events":
        return verb in ("create", "update", "patch"), ""
    if resource == "leases":
        if verb not in ("get", "create", "update", "patch", "delete"):
            return False, "can only get, create, update, patch, or delete a node lease"
        if action.namespace != _NODE_LEASES:
            return False, f'can only access leases in the "{_NODE_LEASES}" system namespace'
        if verb != "create" and action.name != node:
            return False, "can only access node lease with the same name as the requesting node"
        return True, ""
    if resource == "configmaps":  # only those of its pods, and this server has no pods: RBAC has to grant more
        if verb not in ("get", "list", "watch"):
            return False, "can only read resources of this type"
        if not action.namespace:
            return False, "can only read namespaced object of this type"
        if not action.name:
            return False, "No Object name found"
        return False, f"no relationship found between node '{node}' and this object"
    return False, ""


def _rules_of(user: User, action: Action, storage: Storage) -> Iterator[Mapping[str, Any]]:
    for stored in storage.all(_BY_NAME["clusterrolebindings"]):
        if _binds(stored.item, user, ""):
            yield from _role_rules(stored.item, "", storage)
    if action.namespace:
        for stored in storage.all(_BY_NAME["rolebindings"], action.namespace):
            if _binds(stored.item, user, action.namespace):
                yield from _role_rules(stored.item, action.namespace, storage)


def _binds(binding: Mapping[str, Any], user: User, namespace: str) -> bool:
    for subject in binding.get("subjects") or ():
        kind, name = subject.get("kind"), subject.get("name")
        if kind == "User" and (name == user.name or name == "*"):
            return True
        if kind == "Group" and name in user.groups:
            return True
        if kind == "ServiceAccount":
            where = subject.get("namespace") or namespace
            if user.name == f"system:serviceaccount:{where}:{name}":
                return True
    return False


def _role_rules(binding: Mapping[str, Any], namespace: str, storage: Storage) -> Iterator[Mapping[str, Any]]:
    reference = binding.get("roleRef") or {}
    if reference.get("kind") == "ClusterRole":
        role = storage.get(_BY_NAME["clusterroles"], "", reference.get("name", ""))
    else:
        role = storage.get(_BY_NAME["roles"], namespace, reference.get("name", ""))
    if role is not None:
        yield from role.item.get("rules") or ()


def _rule_allows(rule: Mapping[str, Any], action: Action) -> bool:
    verbs, groups = rule.get("verbs") or (), rule.get("apiGroups") or ()
    resources, names = rule.get("resources") or (), rule.get("resourceNames") or ()
    return (
        ("*" in verbs or action.verb in verbs)
        and ("*" in groups or action.resource.group in groups)
        and (
            "*" in resources
            or action.path in resources
            or (bool(action.subresource) and f"*/{action.subresource}" in resources)
        )
        and (not names or (action.name or action.selected_name) in names)
    )


def restrict_node(user: User, action: Action, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> None:
    """Refuse the writes that NodeRestriction forbids a node identity. Raises ApiError 403.

    old, new: the object before (None: a create) and after (None: a deletion).
    """
    node = user.node
    if not node:
        return

    def refuse(why: str) -> ApiError:
        return forbidden(action.resource.name, action.resource.group, action.name or name, why)

    name = str((new or old or {}).get("metadata", {}).get("name", ""))
    if action.resource.name == "leases":
        if action.namespace != _NODE_LEASES:
            raise refuse(f'can only access leases in the "{_NODE_LEASES}" system namespace')
        if name != node:
            raise refuse("can only access node lease with the same name as the requesting node")
    if action.resource.name != "nodes":
        return
    if name != node:
        raise refuse(f'node "{node}" is not allowed to modify node "{name}"')
    if new is None:
        return
    before: Mapping[str, str] = ((old or {}).get("metadata") or {}).get("labels") or {}
    after: Mapping[str, str] = new["metadata"].get("labels") or {}
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    denied = ", ".join(sorted(key for key in changed if _label_is_denied(key)))
    if old is None:
        if denied:
            raise refuse(f'node "{node}" is not allowed to set the following labels: {denied}')
        return
    if ((old.get("spec") or {}).get("taints") or []) != ((new.get("spec") or {}).get("taints") or []):
        raise refuse(f'node "{node}" is not allowed to modify taints')
    if denied:
        raise refuse(f"is not allowed to modify labels: {denied}")


def _label_is_denied(label: str) -> bool:
    prefix = label.rpartition("/")[0]

    def below(domain: str) -> bool:
        return prefix == domain or prefix.endswith("." + domain)

    if below("node-restriction.kubernetes.io"):
        return True
    if not (below("kubernetes.io") or below("k8s.io")):
        return False
    return label not in _KUBELET_LABELS and not any(below(domain) for domain in _KUBELET_PREFIXES)
