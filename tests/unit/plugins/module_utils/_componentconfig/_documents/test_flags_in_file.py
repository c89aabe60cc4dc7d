# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of a component in a manifest, and in kubeadm's extraArgs."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.flags_in_file import (
    flags_in_file,
)

POD = """
apiVersion: v1
kind: Pod
metadata: {name: kube-apiserver}
spec:
  containers:
    - command: [kube-apiserver, --event-ttl, 2h, --authorization-mode=Node, --authorization-mode=RBAC]
      args: [--profiling=false]
"""
KUBEADM = """
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
apiServer: {extraArgs: [{name: event-ttl, value: 2h}]}
scheduler: {extraArgs: [{name: v, value: "2"}]}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
"""
OLD_KUBEADM = """
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
apiServer: {extraArgs: {event-ttl: 2h}}
"""


@pytest.mark.parametrize(
    ("text", "component", "words"),
    [
        (
            POD,
            "kube-apiserver",
            ("--event-ttl=2h", "--authorization-mode=Node", "--authorization-mode=RBAC", "--profiling=false"),
        ),
        (KUBEADM, "kube-apiserver", ("--event-ttl=2h",)),
        (KUBEADM, "kube-scheduler", ("--v=2",)),
        (OLD_KUBEADM, "", ("--event-ttl=2h",)),
        (KUBEADM, "", None),
        (KUBEADM, "kube-controller-manager", None),
        ("KUBELET_ARGS=--v=2\n", "kubelet", None),
        ("{", "kubelet", None),
    ],
)
def test_the_flags_of_a_component_are_found(text: str, component: str, words: tuple[str, ...] | None) -> None:
    assert flags_in_file(text, file="file.yaml", component=component) == words
