# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What depends on a value that is not expanded yet is not refused; everything else in the file is."""

from __future__ import annotations

import pytest

from support.configs.checking import check_file

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
AUTHENTICATION = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
ENCRYPTION = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [a]\n"
SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
NODE_CLASS = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec:\n  kubelet:\n"


def refused(text: str) -> list[str]:
    findings = check_file(text, versions=["1.35"])
    assert [finding for finding in findings if finding.level == "not-judged"] != []
    return [finding.field for finding in findings if finding.level in ("component", "policy")]


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        (KUBELET + "imageGCHighThresholdPercent: %s\nimageGCLowThresholdPercent: 90\n", "95"),
        (AUTHENTICATION + "anonymous: {enabled: %s, conditions: [{path: /a}]}\n", "true"),
        (
            AUTHENTICATION
            + "jwt:\n- issuer: {url: 'https://a.b', audiences: [a]}\n"
            + "  claimMappings: {username: {claim: %s, prefix: ''}}\n",
            "sub",
        ),
        (ENCRYPTION + "  providers: [{kms: {apiVersion: v2, name: a, endpoint: %s}}]\n", "'unix:///a'"),
        (
            NODE_CLASS + "    evictionSoft: {memory.available: 1Gi}\n    evictionSoftGracePeriod: %s\n",
            "{memory.available: 1m}",
        ),
        (
            SCHEDULER + "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: %s}}]}]\n",
            "5",
        ),
    ],
)
def test_what_depends_on_the_value_is_not_refused(text: str, expanded: str) -> None:
    assert [finding for finding in check_file(text % expanded, versions=["1.35"]) if finding.level != "warning"] == []
    assert refused(text % "'${VALUE}'") == []


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (KUBELET + "maxPods: ${VALUE}\nregistryBurst: -1\n", "registryBurst"),
        (
            KUBELET + "evictionHard: {memory.available: '${VALUE}', nodefs.available: much}\n",
            "evictionHard[nodefs.available]",
        ),
        (
            ENCRYPTION
            + "  providers:\n  - kms: {apiVersion: v2, name: a, endpoint: '${VALUE}'}\n"
            + "  - kms: {apiVersion: v2, name: b}\n",
            "resources[0].providers[1].kms.endpoint",
        ),
        (
            ENCRYPTION + "  providers: [{kms: {apiVersion: v2, name: 'a:b', endpoint: '${VALUE}'}}]\n",
            "resources[0].providers[0].kms.name",
        ),
        (
            KUBELET + "imageGCHighThresholdPercent: ${VALUE}\nimageGCLowThresholdPercent: 190\n",
            "imageGCLowThresholdPercent",
        ),
    ],
)
def test_what_does_not_depend_on_the_value_is_refused(text: str, field: str) -> None:
    assert refused(text) == [field]
