# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of static Pods as kubeadm writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from support.configs.options import KUBEADM_APISERVER

_FLAGS: Mapping[str, Sequence[str]] = {
    "etcd": (
        "--advertise-client-urls=https://10.0.0.1:2379",
        "--cert-file=/etc/kubernetes/pki/etcd/server.crt",
        "--client-cert-auth=true",
        "--data-dir=/var/lib/etcd",
        "--listen-client-urls=https://127.0.0.1:2379,https://10.0.0.1:2379",
        "--listen-metrics-urls=http://127.0.0.1:2381",
        "--snapshot-count=10000",
        "--trusted-ca-file=/etc/kubernetes/pki/etcd/ca.crt",
    ),
    "kube-apiserver": KUBEADM_APISERVER,
    "kube-controller-manager": (
        "--bind-address=127.0.0.1",
        "--cluster-name=kubernetes",
        "--controllers=*,bootstrapsigner,tokencleaner",
        "--kubeconfig=/etc/kubernetes/controller-manager.conf",
        "--leader-elect=true",
    ),
    "kube-scheduler": (
        "--bind-address=127.0.0.1",
        "--kubeconfig=/etc/kubernetes/scheduler.conf",
        "--leader-elect=true",
    ),
}
_PROBES: Mapping[str, tuple[str, int, str]] = {
    "etcd": ("/health", 2381, "127.0.0.1"),
    "kube-apiserver": ("/livez", 6443, "10.0.0.1"),
    "kube-controller-manager": ("/healthz", 10257, "127.0.0.1"),
    "kube-scheduler": ("/healthz", 10259, "127.0.0.1"),
}


def kubeadm_pod(component: str, *flags: str, image: str = "", **container: Any) -> dict[str, Any]:
    """Return a component's Pod as kubeadm writes it. flags: in addition. container: fields of it, None for none."""
    path, port, host = _PROBES[component]
    fields = {
        "command": [component, *_FLAGS[component], *flags],
        "image": image or f"k8s.gcr.io/{component}:v1.20.2",
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {
            "failureThreshold": 8,
            "httpGet": {"host": host, "path": path, "port": port, "scheme": "HTTPS"},
            "initialDelaySeconds": 10,
            "periodSeconds": 10,
            "timeoutSeconds": 15,
        },
        "name": component,
        "resources": {"requests": {"cpu": "250m"}},
        "volumeMounts": [
            {"mountPath": "/etc/ssl/certs", "name": "ca-certs", "readOnly": True},
            {"mountPath": "/etc/kubernetes/pki", "name": "k8s-certs", "readOnly": True},
        ],
        **container,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": None,
            "labels": {"component": component, "tier": "control-plane"},
            "name": component,
            "namespace": "kube-system",
        },
        "spec": {
            "containers": [{name: value for name, value in fields.items() if value is not None}],
            "hostNetwork": True,
            "priorityClassName": "system-node-critical",
            "volumes": [
                {"hostPath": {"path": "/etc/ssl/certs", "type": "DirectoryOrCreate"}, "name": "ca-certs"},
                {"hostPath": {"path": "/etc/kubernetes/pki", "type": "DirectoryOrCreate"}, "name": "k8s-certs"},
            ],
        },
        "status": {},
    }


def manifest_bytes(pod: Mapping[str, Any]) -> bytes:
    """Return the bytes of a manifest, in the style of Go; Kubernetes reads each text of it as it is."""
    return encode(dict(pod), indents_lists=False).encode()
