# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attackers: identities with exactly the rights that an attack needs, by RBAC of the real API server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.api.servers import ApiServer
from support.session.patience import LONGEST_WAIT

__all__ = ["CREATE_BUNDLES", "PATCH_NODES", "PATCH_NODE_STATUS", "grant"]

_GROUP = "rbac.authorization.k8s.io"
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

PATCH_NODES: Mapping[str, Any] = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}
PATCH_NODE_STATUS: Mapping[str, Any] = {"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]}
CREATE_BUNDLES: Mapping[str, Any] = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}


def grant(api: ApiServer, user: str, rules: Sequence[Mapping[str, Any]], *, namespace: str = "") -> Client:
    """Grant these rules, in the whole cluster or in a namespace; return a client of the user once they hold."""
    admin = api.client()
    kind = "Role" if namespace else "ClusterRole"
    name = f"attacker-{user}"
    role = {"metadata": {"name": name}, "rules": [dict(rule) for rule in rules]}
    subject = {"kind": "User", "name": user, "apiGroup": _GROUP}
    reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
    binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]}
    where = f"/apis/{_GROUP}/v1" + (f"/namespaces/{namespace}" if namespace else "")
    head = {"apiVersion": f"{_GROUP}/v1"}
    admin.create(f"{where}/{kind.lower()}s", {**head, "kind": kind, **role})
    admin.create(f"{where}/{kind.lower()}bindings", {**head, "kind": f"{kind}Binding", **binding})
    admin.close()
    client = api.client(user)
    _wait_until_allowed(client, rules[-1], namespace)
    return client


def _wait_until_allowed(client: Client, rule: Mapping[str, Any], namespace: str) -> None:
    """Wait until the API server's authorizer has seen the binding."""
    resource, _slash, subresource = str(rule["resources"][0]).partition("/")
    asked = {"verb": rule["verbs"][0], "resource": resource, "subresource": subresource, "namespace": namespace}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    deadline = time.monotonic() + LONGEST_WAIT
    while not client.create(_REVIEWS, {**review, "spec": {"resourceAttributes": asked}})["status"]["allowed"]:
        if time.monotonic() > deadline:
            raise AssertionError(f"not allowed after 10 s: {asked}")
        time.sleep(0.05)
