# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and reports the identities that RBAC lets write Nodes and bundles, whatever they have that permission for.

The group system:masters, which RBAC does not limit, and the controllers of Kubernetes itself are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden
from .._kube.api_paths import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, role_bindings, roles
from .._text import sanitize
from ._access_objects import ASSIGNER, MACHINES, PUBLISHER, RUNNER

_SHOWN = 10  # identities in a sentence
_MAX_HOLDERS = 100  # of one permission
_MAX_NAMES = 20  # of objects that a rule is limited to


@dataclass(frozen=True)
class Permission:
    """A permission whose holders are reported. verbs: any of them. namespace: "" for an object that has none."""

    resource: str
    verbs: tuple[str, ...]
    namespace: str = ""
    group: str = ""

    def __str__(self) -> str:
        where = f" in {self.namespace}" if self.namespace else ""
        return f"{' or '.join(self.verbs)} {self.resource}{where}"


@dataclass(frozen=True)
class Holder:
    """An identity with a permission. names: the only objects that it may write, if there are any.

    binding: the first that grants it. is_ours: whether a binding of this collection grants it.
    """

    permission: Permission
    kind: str
    name: str
    namespace: str
    binding: str
    role: str
    names: tuple[str, ...] = ()
    is_ours: bool = False

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        only = f", only for {', '.join(self.names)}" if self.names else ""
        return sanitize(f"{self.kind} {place}{self.name} (by {self.binding}{only})", 300)

    def describe(self) -> dict[str, Any]:
        """Return the holder for a module's result."""
        return {
            "permission": str(self.permission),
            "kind": self.kind,
            "namespace": self.namespace,
            "name": self.name,
            "binding": self.binding,
            "role": self.role,
            "only_objects": list(self.names),
        }


@dataclass(frozen=True)
class RbacObjects:
    """The roles and bindings of a cluster; those of namespaces only as far as a permission is about one."""

    cluster_roles: Sequence[Mapping[str, Any]]
    cluster_role_bindings: Sequence[Mapping[str, Any]]
    roles: Sequence[Mapping[str, Any]] = ()
    role_bindings: Sequence[Mapping[str, Any]] = ()


_WRITE_NODES = Permission("nodes", ("patch", "update"))
_WRITE_NODE_STATUS = Permission("nodes/status", ("patch", "update"))
_ADMISSION = "admissionregistration.k8s.io"
_CHANGES = ("create", "delete", "patch", "update")
_WRITE_ADMISSION = [
    Permission("validatingadmissionpolicies", _CHANGES, group=_ADMISSION),
    Permission("validatingadmissionpolicybindings", _CHANGES, group=_ADMISSION),
]


@dataclass(frozen=True)
class HolderReport:
    """The holders of the permissions that matter, and sentences for the user."""

    holders: Sequence[Holder] = ()
    warnings: Sequence[str] = ()


def read_holders(client: Client, bundle_namespaces: Sequence[str], *, has_policies: bool) -> HolderReport:
    """Return the report. Raises KubeError other than Forbidden.

    has_policies: whether admission policies limit what these identities can do. Then nothing is warned about, and the
    identities that can change the policies are among the holders.
    """
    bundles = [Permission("configmaps", ("create",), namespace) for namespace in bundle_namespaces]
    permissions = [_WRITE_NODE_STATUS, _WRITE_NODES, *bundles, *(_WRITE_ADMISSION if has_policies else ())]
    try:
        rbac = RbacObjects(
            client.list(CLUSTER_ROLES).items,
            client.list(CLUSTER_ROLE_BINDINGS).items,
            [item for namespace in bundle_namespaces for item in client.list(roles(namespace)).items],
            [item for namespace in bundle_namespaces for item in client.list(role_bindings(namespace)).items],
        )
    except Forbidden as error:
        note = "the identities that can write Nodes or create bundles are unknown, because this identity may not list"
        return HolderReport((), [f"{note} roles and bindings: {error}"])
    own = [f"ClusterRoleBinding {name}" for name in (RUNNER, ASSIGNER, MACHINES)]
    own += [f"RoleBinding {namespace}/{name}" for namespace in bundle_namespaces for name in (RUNNER, PUBLISHER)]
    holders = find_holders(rbac, permissions, own)
    return HolderReport(holders, [] if has_policies else _warnings(holders, bundles))


def _warnings(holders: Sequence[Holder], bundles: Sequence[Permission]) -> list[str]:
    """Return what identities can do that no option of this collection names."""
    others = [holder for holder in holders if not holder.is_ours]
    writers = [_sentence(others, permission) for permission in (_WRITE_NODE_STATUS, _WRITE_NODES)]
    publishers = [_sentence(others, permission) for permission in bundles]
    consequences = [
        (writers, "can assign any bundle to any node, and report in the name of each node"),
        (publishers, "can create bundles"),
    ]
    return [
        f"identities that are not subjects of this collection {consequence}, unless admission policies limit them: "
        f"{'; '.join(filter(None, sentences))} (Group system:masters and Kubernetes' own controllers are left out)"
        for sentences, consequence in consequences
        if any(sentences)
    ]


def _sentence(holders: Sequence[Holder], permission: Permission) -> str:
    names = describe_holders(holders, permission)
    return f"{permission}: {names}" if names else ""


def find_holders(
    rbac: RbacObjects, permissions: Sequence[Permission], own_bindings: Sequence[str] = ()
) -> list[Holder]:
    """Return the holders by permission, sorted by name, each identity once and at most 100 for one permission.

    own_bindings: the bindings of this collection, such as "ClusterRoleBinding configok-runner".
    """
    holders = []
    for permission in permissions:
        by_subject: dict[tuple[str, str, str], Holder] = {}
        for holder in _grants(rbac, permission, own_bindings):
            key = (holder.kind, holder.namespace, holder.name)
            present = by_subject.get(key)
            # The grant without a limit counts, and one that no option of this collection explains.
            if present is None or _rank(holder) < _rank(present):
                by_subject[key] = holder
        holders += [by_subject[key] for key in sorted(by_subject)][:_MAX_HOLDERS]
    return holders


def _grants(rbac: RbacObjects, permission: Permission, own_bindings: Sequence[str]) -> Iterator[Holder]:
    """Yield a holder for each subject of each binding that grants a permission."""
    cluster_roles = {_name(role): role for role in rbac.cluster_roles}
    roles = {(_namespace(role), _name(role)): role for role in rbac.roles}
    for binding in [*rbac.cluster_role_bindings, *rbac.role_bindings]:
        namespace = _namespace(binding)
        if namespace not in ("", permission.namespace):
            continue
        reference = binding.get("roleRef") or {}
        name = str(reference.get("name"))
        role = cluster_roles.get(name) if reference.get("kind") == "ClusterRole" else roles.get((namespace, name))
        names = None if role is None else _allowed_names(_rules(role, rbac.cluster_roles), permission)
        if names is None:
            continue
        place = f"RoleBinding {namespace}/" if namespace else "ClusterRoleBinding "
        title = f"{place}{_name(binding)}"
        for subject in binding.get("subjects") or ():
            if not _is_of_kubernetes(binding, subject):
                yield Holder(
                    permission,
                    str(subject.get("kind")),
                    str(subject.get("name")),
                    str(subject.get("namespace") or "") if subject.get("kind") == "ServiceAccount" else "",
                    title,
                    f"{reference.get('kind')} {name}",
                    names,
                    title in own_bindings,
                )


def _rank(holder: Holder) -> tuple[bool, bool]:
    return bool(holder.names), holder.is_ours


def describe_holders(holders: Sequence[Holder], permission: Permission) -> str:
    """Return "Group ops (by ClusterRoleBinding ops) and 3 more" for those of a permission, "" for none."""
    own = [holder for holder in holders if holder.permission == permission]
    more = len(own) - _SHOWN
    return ", ".join(map(str, own[:_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _name(item: Mapping[str, Any]) -> str:
    return str((item.get("metadata") or {}).get("name") or "")


def _namespace(item: Mapping[str, Any]) -> str:
    return str((item.get("metadata") or {}).get("namespace") or "")


def _labels(item: Mapping[str, Any]) -> Mapping[str, str]:
    return (item.get("metadata") or {}).get("labels") or {}


# --- rules


def _rules(role: Mapping[str, Any], cluster_roles: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the rules of a role and of the ClusterRoles that it aggregates, and so on, copied yet or not."""
    pending, seen = [role], {_name(role)}
    while pending:
        current = pending.pop()
        yield from current.get("rules") or ()
        for selector in (current.get("aggregationRule") or {}).get("clusterRoleSelectors") or ():
            selected = [item for item in cluster_roles if _name(item) not in seen and _selects(selector, _labels(item))]
            seen.update(map(_name, selected))
            pending += selected


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_meets(expression, labels) for expression in selector.get("matchExpressions") or ())


def _meets(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = str(expression.get("key")), expression.get("operator")
    values = expression.get("values") or ()
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    return (key in labels) == (operator == "Exists")


def _allowed_names(rules: Iterator[Mapping[str, Any]], permission: Permission) -> tuple[str, ...] | None:
    """Return the only objects that the rules permit to write, () for all of them, and None for none."""
    names: set[str] = set()
    for rule in rules:
        if not _permits(rule, permission):
            continue
        only = rule.get("resourceNames") or ()
        if not only:
            return ()
        if permission.verbs != ("create",):  # a request that creates an object has no name for RBAC
            names.update(map(str, only))
    return tuple(sorted(names)[:_MAX_NAMES]) or None


def _permits(rule: Mapping[str, Any], permission: Permission) -> bool:
    subresource = permission.resource.partition("/")[2]
    resources = {permission.resource, "*", *([f"*/{subresource}"] if subresource else [])}
    return (
        bool({permission.group, "*"}.intersection(rule.get("apiGroups") or ()))
        and bool(resources.intersection(rule.get("resources") or ()))
        and bool({*permission.verbs, "*"}.intersection(rule.get("verbs") or ()))
    )


# --- subjects of Kubernetes itself


def _is_of_kubernetes(binding: Mapping[str, Any], subject: Mapping[str, Any]) -> bool:
    """Return whether this is system:masters, or a controller of Kubernetes that has a role by its default binding."""
    kind, name = subject.get("kind"), str(subject.get("name"))
    if (kind, name) == ("Group", "system:masters"):
        return True
    if _labels(binding).get("kubernetes.io/bootstrapping") != "rbac-defaults" or not _name(binding).startswith(
        "system:"
    ):
        return False
    if kind == "ServiceAccount":
        return subject.get("namespace") == "kube-system" and _name(binding).startswith("system:controller:")
    return kind == "User" and name.startswith("system:kube-")
