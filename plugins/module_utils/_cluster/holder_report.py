# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the roles and bindings of a cluster, and reports the identities that can write Nodes and bundles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden
from .._kube.api_paths import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, role_bindings, roles
from ._access_objects import ASSIGNER, MACHINES, PUBLISHER, RUNNER
from ._holders import Holder, Permission, RbacObjects, describe_holders, find_holders

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
