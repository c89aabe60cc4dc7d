# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that turn a Debian machine into a Kubernetes node: runtime, network, kubelet, names."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

import yaml

from support.configs.kubelet import KUBELET_KIND

from ._cgroups import only_version_1
from ._units import CONFIG_PATHS, unit_files

__all__ = [
    "CERTIFICATE",
    "CLUSTER_NETWORK",
    "CONTROL_GROUPS",
    "CONTROL_GROUPS_UNIT",
    "KUBECONFIG",
    "bare_files",
    "identity_files",
    "kubelet_config",
    "kubernetes_files",
    "provider_fields",
]

KUBECONFIG = "/etc/kubernetes/kubelet.conf"
# Certificate and key in one file, as the kubelet keeps what it rotates.
CERTIFICATE = "/var/lib/kubelet/pki/kubelet-client-current.pem"
_CA = "/etc/kubernetes/pki/ca.crt"
_SOCKET = "unix:///run/containerd/containerd.sock"

# Fields that the nodes of a testbed share: a container has neither a hierarchy of QoS groups nor its own swap.
_SHARED: dict[str, Any] = {
    **KUBELET_KIND,
    "cgroupDriver": "cgroupfs",
    "cgroupsPerQOS": False,
    "clusterDNS": ["10.0.0.10"],
    "clusterDomain": "cluster.local",
    "enforceNodeAllocatable": [],
    # A node sees the disk of the whole machine. However full that is, its kubelet removes no image and evicts no Pod:
    # nothing could be pulled again.
    "evictionHard": {
        "imagefs.available": "0%",
        "imagefs.inodesFree": "0%",
        "memory.available": "100Mi",  # its default
        "nodefs.available": "0%",
        "nodefs.inodesFree": "0%",
    },
    "failSwapOn": False,
    "healthzBindAddress": "127.0.0.1",
    "healthzPort": 10248,
    "imageGCHighThresholdPercent": 100,
    # A new Node is Ready 10 s sooner; the status is written only on a change, as by default.
    "nodeStatusUpdateFrequency": "2s",
    "nodeStatusReportFrequency": "5m0s",
}
CLUSTER_NETWORK = {"serviceCIDR": "10.0.0.0/24", "dnsDomain": "cluster.local", "clusterDNS": ["10.0.0.10"]}
# A kubelet of 1.35 or newer does not start with control groups of version 1, unless its config has failCgroupV1: false.
# Nodes whose kubelet goes up to it have the field before, from the first minor that knows it.
_CGROUP_V1_FIELD_SINCE = 31
# Fields of kubeadm's config that no bundle may set by default.
_LOCAL: dict[str, Any] = {
    "authentication": {
        "anonymous": {"enabled": False},
        "webhook": {"enabled": True},
        "x509": {"clientCAFile": _CA},
    },
    "authorization": {"mode": "Webhook"},
    "staticPodPath": "/etc/kubernetes/manifests",
}
_CONTAINERD = """version = 2
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "registry.k8s.io/pause:3.6"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
"""
_NETWORK = {
    "cniVersion": "0.4.0",
    "name": "pods",
    "plugins": [
        {
            "type": "bridge",
            "bridge": "cni0",
            "isGateway": True,
            "ipam": {
                "type": "host-local",
                "ranges": [[{"subnet": "10.88.0.0/16"}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }
    ],
}


# What a container lacks of a machine that boots on its own: control groups that can be written, for pods.
CONTROL_GROUPS_UNIT = "/etc/systemd/system/control-groups.service"
CONTROL_GROUPS = """[Unit]
Description=Control groups that can be written

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=-/bin/sh -c 'mount -o remount,rw /sys/fs/cgroup; for group in /sys/fs/cgroup/*; do \
  [ -L $$group ] || ! mountpoint -q $$group || mount -o remount,bind,rw $$group; done'

[Install]
WantedBy=multi-user.target
"""


def kubelet_config(minor: int, fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the kubelet config of a bundle for nodes of a testbed, with these fields over it.

    minor: of the nodes' kubelet.
    """
    cgroups = {"failCgroupV1": False} if minor >= _CGROUP_V1_FIELD_SINCE and only_version_1() else {}
    return {**_SHARED, **cgroups, **(fields or {})}


def provider_fields(minor: int, *, source: str, key: str) -> dict[str, Any]:
    """Return the fields of a DebianHost that a bare machine of a testbed needs to become a node.

    minor: of the kubelet; source, key: the package repository. The cluster's values are those of `CLUSTER_NETWORK`.
    """
    cluster_values = ("apiVersion", "kind", "clusterDNS", "clusterDomain")
    fields = {name: value for name, value in kubelet_config(minor).items() if name not in cluster_values}
    return {
        "packages": {
            "source": source,
            "key": key,
            "extra": ["containernetworking-plugins", "python3-yaml", "python3-urllib3"],
        },
        "kubeletConfiguration": fields,
        "containerRuntimeConfig": _CONTAINERD,
        "cni": _NETWORK,
    }


def bare_files(*, name: str, address: str, authorized_key: str) -> dict[str, str]:
    """Return the texts of the files of a machine without Kubernetes, by path."""
    return {
        **identity_files(name=name, address=address, authorized_key=authorized_key),
        "/etc/apt/sources.list": "# There is no way to other networks.\n",
        CONTROL_GROUPS_UNIT: CONTROL_GROUPS,
    }


def kubernetes_files(*, address: str, layout: str, kubelet_minor: int, server: str, ca: str) -> dict[str, str]:
    """Return the texts of the files that make a machine a node by path, except the certificate.

    server, ca: the URL and the PEM of the API server's authority.
    """
    flags = [f"--container-runtime-endpoint={_SOCKET}", f"--node-ip={address}"]
    if kubelet_minor < 27:
        flags.insert(0, "--container-runtime=remote")
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "default",
        "clusters": [{"name": "default", "cluster": {"server": server, "certificate-authority": _CA}}],
        "users": [{"name": "default", "user": {"client-certificate": CERTIFICATE, "client-key": CERTIFICATE}}],
        "contexts": [{"name": "default", "context": {"cluster": "default", "user": "default"}}],
    }
    return {
        "/etc/containerd/config.toml": _CONTAINERD,
        "/etc/cni/net.d/10-pods.conflist": json.dumps(_NETWORK, indent=2) + "\n",
        _CA: ca,
        KUBECONFIG: json.dumps(kubeconfig, indent=2) + "\n",
        CONFIG_PATHS[layout]: yaml.safe_dump(kubelet_config(kubelet_minor, _LOCAL)),
        "/etc/kubernetes/manifests/.keep": "",
        **unit_files(layout, flags),
    }


def identity_files(*, name: str, address: str, authorized_key: str) -> dict[str, str]:
    """Return the texts of the files that tell a machine from others, by path.

    authorized_key: the SSH key that may log in as root.
    """
    return {
        "/etc/hostname": f"{name}\n",
        "/etc/hosts": f"127.0.0.1 localhost\n::1 localhost\n{address} {name}\n",
        "/etc/machine-id": f"{uuid.uuid4().hex}\n",
        "/etc/resolv.conf": "options timeout:1 attempts:1\n",  # no name server is available
        "/root/.ssh/authorized_keys": authorized_key,
    }
