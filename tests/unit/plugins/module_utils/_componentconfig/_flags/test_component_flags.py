# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A check of a file together with the flags of the component that reads it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding
from support.configs.checking import check_file
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import NEXT_RELEASE

AUTHENTICATION = """\
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
anonymous: {enabled: true}
"""
TOLERATIONS = encode(
    {
        "apiVersion": "podtolerationrestriction.admission.k8s.io/v1alpha1",
        "kind": "Configuration",
        "default": [{"key": "a", "operator": "Lt", "value": "1"}],
    }
)
STATIC = encode(
    {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyConfiguration",
        "staticManifestsDir": "/etc/policies",
    }
)
TOKENS = encode(
    {
        "apiVersion": "kubelet.config.k8s.io/v1",
        "kind": "CredentialProviderConfig",
        "providers": [
            {
                "name": "a",
                "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
                "matchImages": ["a.b"],
                "defaultCacheDuration": "1h",
                "tokenAttributes": {"serviceAccountTokenAudience": "a", "requireServiceAccount": True},
            }
        ],
    }
)
KMS = encode(
    {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [
            {"resources": ["secrets"], "providers": [{"kms": {"name": "a", "endpoint": "unix:///a"}}, {"identity": {}}]}
        ],
    }
)


def scheduler(plugin: str, **args: object) -> str:
    config = {"name": plugin, "args": args}
    return encode(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": "/a"},
            "profiles": [{"schedulerName": "a", "pluginConfig": [config]}],
        }
    )


SHAPE = scheduler("VolumeBinding", shape=[{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}])
BINDING = scheduler("DynamicResources", bindingTimeout="10s")


def checked(text: str, flags: Sequence[str] | None, *versions: str) -> list[Finding]:
    return check(text, versions=versions, flags=None if flags is None else ComponentFlags(flags))


@pytest.mark.parametrize(
    ("text", "rule", "version", "gate"),
    [
        (AUTHENTICATION, "anonymous-gate", "1.31", "AnonymousAuthConfigurableEndpoints"),
        (STATIC, "static-manifests-gate", "1.36", "ManifestBasedAdmissionControlConfig"),
        (TOLERATIONS, "toleration-gate", "1.36", "TaintTolerationComparisonOperators"),
        (KMS, "kms-v1", "1.31", "KMSv1"),
        (TOKENS, "token-gate", "1.33", "KubeletServiceAccountTokenForCredentialProviders"),
        (SHAPE, "bind-shape-gate", "1.31", "VolumeCapacityPriority"),
        (SHAPE, "bind-shape-gate", "1.35", "StorageCapacityScoring"),
        (BINDING, "binding-timeout-gate", "1.35", "DRADeviceBindingConditions"),
    ],
)
def test_a_rule_on_a_gate_depends_on_the_command_line(text: str, rule: str, version: str, gate: str) -> None:
    def levels(flags: Sequence[str] | None) -> list[str]:
        return [str(finding.level) for finding in checked(text, flags, version) if finding.rule == rule]

    assert levels(None) == ["warning"]
    assert levels([]) == ["component"]
    assert levels([f"--feature-gates={gate}=false"]) == ["component"]
    assert levels(["--feature-gates", f"{gate}=true"]) == []
    assert levels(["--feature-gates=AllAlpha=true,AllBeta=true"]) == ([] if gate != "KMSv1" else ["component"])


def test_the_kubelets_flags_win_over_its_file() -> None:
    text = KUBELET_HEADER + "maxPods: 10\nfeatureGates: {NodeSwap: false}\nmemorySwap: {swapBehavior: LimitedSwap}\n"
    assert [str(finding) for finding in checked(text, ["--max-pods=-1"], "1.31")] == [
        "--max-pods: maxPods: -1: must be >= 0",
        'config:5: memorySwap: {"swapBehavior": "LimitedSwap"}: needs the feature gate NodeSwap',
    ]
    assert checked(text, ["--max-pods=1", "--feature-gates=NodeSwap=true"], "1.31") == []


@pytest.mark.parametrize(
    ("text", "flag", "version", "expected"),
    [
        (KUBELET_HEADER, "--max-pod=3", "1.31", "--max-pod: kubelet has no such flag, did you mean --max-pods?"),
        (KUBELET_HEADER, "--nonsense", "1.31", "--nonsense: kubelet has no such flag"),
        (KUBELET_HEADER, "pods=3", "1.31", "command line: 'pods=3' is not a flag: the component takes nothing else"),
        (KUBELET_HEADER, "--max-pods=a", "1.31", '--max-pods: "a": must be a whole number'),
        (
            KUBELET_HEADER,
            "--dynamic-config-dir=/a",
            "1.31",
            "--dynamic-config-dir: kubelet has it up to Kubernetes 1.23 only",
        ),
        (KUBELET_HEADER, "--config-dir=/a", "1.20", "--config-dir: kubelet has it from Kubernetes 1.28 on"),
        (
            KUBELET_HEADER,
            "--feature-gates=Nonsense=true",
            "1.31",
            "--feature-gates: featureGates.Nonsense: true: unknown feature gate",
        ),
        (
            STATIC,
            "--feature-gate=A=true",
            "1.36",
            "--feature-gate: kube-apiserver has no such flag, did you mean --feature-gates?",
        ),
        (STATIC, "--feature-gates=A=on", "1.36", '--feature-gates: "on": must be true or false'),
        (STATIC, "--feature-gates=A=true", "1.36", "--feature-gates: featureGates.A: unknown feature gate"),
        (
            STATIC,
            "--feature-gates=APIServerTracing=false",
            "1.36",
            "--feature-gates: featureGates.APIServerTracing: the gate is locked: only true is allowed",
        ),
    ],
)
def test_flags_that_the_component_refuses_are_errors(text: str, flag: str, version: str, expected: str) -> None:
    findings = checked(text, [flag], version)
    assert expected in [str(finding) for finding in findings if finding.level == "component"]


def test_flags_of_a_component_whose_flags_are_not_known_have_no_findings() -> None:
    text = STATIC.replace("staticManifestsDir: /etc/policies\n", "")
    assert checked(text, ["--advertise-address", "10.0.0.1", "--v=2"], "1.36") == []


def test_flags_are_those_of_one_component() -> None:
    text = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n" + KUBELET_HEADER
    with pytest.raises(ConfigError, match="flags are those of one component"):
        check_file(text, flags=ComponentFlags([]), versions=["1.36"])


def test_flags_that_are_ignored_with_a_config_file_are_warnings() -> None:
    text = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nbindAddress: 0.0.0.0\n"
    findings = checked(text, ["--bind-address=10.0.0.1", "--hostname-override=a"], "1.31")
    assert [(str(finding.level), str(finding)) for finding in findings] == [
        ("warning", "--bind-address: kube-proxy ignores it when it reads a config file")
    ]


def test_gates_of_a_release_without_whole_data_are_not_judged() -> None:
    findings = checked(STATIC, ["--feature-gates=A=true,ManifestBasedAdmissionControlConfig=true"], NEXT_RELEASE)
    assert {str(finding.level) for finding in findings} == {"not-judged"}
