# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write ComponentOptions, and documents for their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["AUDIT_POLICY", "KUBEADM_APISERVER", "component_options"]

AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}

KUBEADM_APISERVER = (
    "--advertise-address=10.0.0.1",
    "--allow-privileged=true",
    "--authorization-mode=Node,RBAC",
    "--client-ca-file=/etc/kubernetes/pki/ca.crt",
    "--enable-admission-plugins=NodeRestriction",
    "--enable-bootstrap-token-auth=true",
    "--etcd-servers=https://127.0.0.1:2379",
    "--secure-port=6443",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    "--service-account-key-file=/etc/kubernetes/pki/sa.pub",
    "--service-account-signing-key-file=/etc/kubernetes/pki/sa.key",
    "--service-cluster-ip-range=10.96.0.0/12",
)
"""Flags as kubeadm writes them."""


def component_options(
    flags: Mapping[str, Any] | None = None,
    files: Mapping[str, Any] | None = None,
    component: str = "kube-apiserver",
) -> dict[str, Any]:
    """Return a document with these flags and files."""
    return {
        "apiVersion": "options.configok.dev/v1alpha1",
        "kind": "ComponentOptions",
        "component": component,
        **({"flags": dict(flags)} if flags else {}),
        **({"files": dict(files)} if files else {}),
    }
