# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds and API versions that are old, gone or unknown name what replaces them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert

APISERVER = "apiserver.config.k8s.io"
SCHEDULER = "kubescheduler.config.k8s.io"


@pytest.mark.parametrize(
    ("api_version", "kind", "version", "level", "message"),
    [
        (
            f"{APISERVER}/v1",
            "EncryptionConfig",
            "1.36",
            "component",
            f"the old name of EncryptionConfiguration, which is known in {APISERVER}/v1",
        ),
        (
            "v1",
            "EncryptionConfig",
            "1.36",
            "warning",
            f"the old name of EncryptionConfiguration, which is known in {APISERVER}/v1",
        ),
        (
            f"{APISERVER}/v1alpha1",
            "WebhookAdmission",
            "1.36",
            "component",
            f"{APISERVER}/v1alpha1 is known from Kubernetes 1.20 to 1.35: use {APISERVER}/v1 "
            "WebhookAdmissionConfiguration",
        ),
        (
            f"{SCHEDULER}/v1beta2",
            "KubeSchedulerConfiguration",
            "1.28",
            "component",
            f"{SCHEDULER}/v1beta2 is known from Kubernetes 1.22 to 1.27: use {SCHEDULER}/v1",
        ),
        (
            "kubeadm.k8s.io/v1beta4",
            "ClusterConfiguration",
            "1.30",
            "component",
            "kubeadm.k8s.io/v1beta4 is known from Kubernetes 1.31 on: use kubeadm.k8s.io/v1beta3",
        ),
        (
            "kubeadm.k8s.io/v1beta2",
            "ClusterStatus",
            "1.36",
            "component",
            "kubeadm.k8s.io/v1beta2 is known from Kubernetes 1.20 to 1.26",
        ),
        (
            "kubeadm.k8s.io/v1alpha1",
            "MasterConfiguration",
            "1.36",
            "component",
            "is gone: InitConfiguration and ClusterConfiguration replace it",
        ),
        (
            "v1",
            "Policy",
            "1.36",
            "component",
            "is gone: kube-scheduler reads no policy from Kubernetes 1.23 on: KubeSchedulerConfiguration replaces it",
        ),
    ],
)
def test_what_replaces_it(api_version: str, kind: str, version: str, level: str, message: str) -> None:
    findings = check(f"apiVersion: {api_version}\nkind: {kind}\n", versions=[version])
    assert (level, message) in [(finding.level.value, finding.message) for finding in findings]


def test_the_old_name_is_converted() -> None:
    source = "apiVersion: v1\nkind: EncryptionConfig\nresources: []\n"
    assert convert(source, f"{APISERVER}/v1").after == [
        {"apiVersion": f"{APISERVER}/v1", "kind": "EncryptionConfiguration", "resources": []}
    ]
