# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What real files of other tools need: kinds that hold no config, user data, placeholders, nodes of Windows."""

from __future__ import annotations

from textwrap import indent

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents._containers import (
    RULE_TOOL_FIELD,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents._user_data import (
    user_data_parts,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import (
    find_configs,
)
from support.configs.checking import check_file

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
NODE_CLASS = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec:\n  role: a\n"
NODE_POOL = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\n"
MACHINES = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: a}\n"
JOIN = """apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
spec:
  template:
    spec:
      joinConfiguration:
        nodeRegistration:
"""
SHOOT = "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nspec:\n  kubernetes:\n    kubelet:\n"
KIND = "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nkubeadmConfigPatches:\n- |\n"
EMPTY = "it holds no config and no flags of a component"


def lines(text: str, version: str = "1.33") -> list[str]:
    """Return where the findings are, and their levels."""
    findings = check_file(text, file="f", versions=[version])
    return [f"{finding.line} {finding.field} {finding.level}" for finding in findings]


def stream(*documents: str) -> str:
    return "---\n".join(documents)


def registration(*fields: str) -> str:
    return JOIN + indent("\n".join(fields), " " * 10) + "\n"


@pytest.mark.parametrize("text", [NODE_CLASS, NODE_POOL, MACHINES, "apiVersion: v1alpha1\nkind: VolumeConfig\n"])
def test_a_document_that_holds_no_config_is_an_ordinary_one_next_to_configs(text: str) -> None:
    assert lines(stream(text, KUBELET)) == []
    assert find_configs(text) == ()


@pytest.mark.parametrize("text", [NODE_CLASS, NODE_POOL, stream(MACHINES, MACHINES)])
def test_a_file_in_which_nothing_is_validated_does_not_pass(text: str) -> None:
    assert {(finding.level, finding.why) for finding in check_file(text, versions=["1.33"])} == {("not-judged", EMPTY)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nspec:\n  topology:\n    variables:\n    - name: a\n",
            "5 spec.topology.variables not-judged",
        ),
        (
            "apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nspec:\n  patches: []\n",
            "4 spec.patches not-judged",
        ),
    ],
)
def test_variables_and_patches_of_a_cluster_class_are_not_judged(text: str, expected: str) -> None:
    assert lines(stream(text, KUBELET)) == [expected]


@pytest.mark.parametrize(
    ("kind", "field", "config", "expected"),
    [
        ("KubeletConfig", "config", "maxPods: -1", "config.maxPods"),
        ("KubeProxyConfig", "config", "oomScoreAdj: 5000", "config.oomScoreAdj"),
        ("KubeSchedulerConfig", "config", "parallelism: -1", "config.parallelism"),
        (
            "KubeAuditPolicyConfig",
            "configuration",
            "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Most}]}",
            "configuration.rules[0].level",
        ),
        ("KubeEtcdEncryptionConfig", "config", "resources: []", "config.resources"),
    ],
)
def test_the_documents_of_talos_are_validated(kind: str, field: str, config: str, expected: str) -> None:
    text = f"apiVersion: v1alpha1\nkind: {kind}\n{field}:\n  {config}\n"
    assert lines(text) == [f"4 {expected} component"]


@pytest.mark.parametrize("component", ["let", "APIServer", "ControllerManager", "Scheduler", "Proxy"])
def test_the_flags_in_documents_of_talos_are_validated(component: str) -> None:
    text = f"apiVersion: v1alpha1\nkind: Kube{component}Config\nextraArgs:\n  no-such-flag: a\n"
    assert lines(text) == ["4 extraArgs.no-such-flag component"]


def test_the_authorizers_of_talos_are_validated() -> None:
    text = "version: v1alpha1\ncluster:\n  apiServer:\n    authorizationConfig:\n    - type: Nobody\n      name: a\n"
    assert lines(text) == ["5 cluster.apiServer.authorizationConfig[0].type component"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (
            "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec:\n  kubeletConfig:\n    %s\n",
            "clusterDomain: a.b",
        ),
        ("version: v1alpha1\nmachine:\n  kubelet:\n    extraConfig:\n      %s\n", "staticPodPath: /etc/pods"),
    ],
)
def test_what_a_tool_reserves_for_itself_is_refused(text: str, field: str) -> None:
    (finding,) = check_file(text % field, versions=["1.33"])
    assert (finding.rule, finding.level, finding.path[-1]) == (RULE_TOOL_FIELD, "policy", field.split(":")[0])
    assert check_file(text % "maxPods: 50", versions=["1.33"]) == []


def test_openshift_itself_reserves_the_cpus_that_a_static_policy_needs() -> None:
    text = "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec:\n  kubeletConfig:\n"
    assert lines(text + "    cpuManagerPolicy: static\n") == []
    assert lines(text + "    cpuManagerPolicy: none\n    cgroupsPerQOS: false\n") != []


def test_gardener_takes_numbers_for_quantities() -> None:
    assert lines(SHOOT + "      kubeReserved: {pid: 1000, memory: 2Gi}\n") == []
    assert lines(SHOOT + "      kubeReserved: {pid: -1}\n") == ["6 spec.kubernetes.kubelet.kubeReserved.pid component"]
    assert lines(SHOOT + "      evictionHard: {memoryAvailable: 1}\n") == [
        "6 spec.kubernetes.kubelet.evictionHard.memoryAvailable component"
    ]


@pytest.mark.parametrize("component", ["kubeAPIServer", "kubeControllerManager", "kubeScheduler", "kubeProxy"])
def test_the_gates_of_each_component_in_a_shoot_are_validated(component: str) -> None:
    text = SHOOT.replace("    kubelet:\n", f"    {component}:\n      featureGates:\n        NoSuchGate: true\n")
    findings = [str(finding) for finding in check_file(text, versions=["1.34"])]
    assert len(findings) == 1
    assert "NoSuchGate: unknown feature gate" in findings[0]
    assert check_file(text.replace("NoSuchGate", "NodeSwap"), versions=["1.30"]) == []


def test_gardener_knows_newer_fields_of_the_kubelet() -> None:
    assert lines(SHOOT + "      singleProcessOOMKill: true\n") == []


def test_cluster_api_has_the_algorithm_before_kubeadm_has_it() -> None:
    text = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nspec:\n  kubeadmConfigSpec:\n"
    assert lines(text + "    clusterConfiguration: {encryptionAlgorithm: ECDSA-P256}\n") == []


@pytest.mark.parametrize("kind", ["EKSConfig", "NodeadmConfig"])
def test_the_kubelet_config_of_eks_in_cluster_api_is_validated(kind: str) -> None:
    flags = "kubeletExtraArgs: {node-ip: a, no-such-flag: b}" if kind == "EKSConfig" else "kubelet: {flags: [--no=a]}"
    text = f"apiVersion: bootstrap.cluster.x-k8s.io/v1beta2\nkind: {kind}\nspec:\n  {flags}\n"
    assert "component" in " ".join(lines(text))


@pytest.mark.parametrize(
    ("flag", "is_right"),
    [
        ('--node-labels="a.b/c=d,e=f"', True),
        ("--node-labels='e=f'", True),
        ("--v=3 --max-pods=20", True),
        ("--v=3 --no-such-flag", False),
        ('--node-labels="a.b/c=d,e=f', False),
    ],
)
def test_quotes_in_the_flags_of_eks_are_those_of_a_unit(flag: str, is_right: bool) -> None:
    text = f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags:\n    - {flag!r}\n"
    findings = check_file(text.replace('"--', "'--") if "'" not in flag else text, versions=["1.33"])
    assert [finding for finding in findings if finding.level == "component"] == ([] if is_right else findings)


USER_DATA = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: -1
--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo "a: ["
--//--
"""


def test_the_parts_of_user_data_are_validated_and_its_scripts_are_not() -> None:
    assert lines(USER_DATA) == ["12 spec.kubelet.config.maxPods component"]
    assert [f"{finding.line}" for finding in check_file(USER_DATA.replace("maxPods", "["), versions=["1.33"])] == ["12"]


@pytest.mark.parametrize("text", ["", "a: 1\n", "MIME-Version: 1.0\n", "Content-Type: multipart/mixed\n", KUBELET])
def test_other_texts_are_not_user_data(text: str) -> None:
    assert user_data_parts(text) is None


def test_an_encoded_part_of_user_data_is_left_out() -> None:
    assert user_data_parts(USER_DATA.replace("Content-Type: app", "Content-Transfer-Encoding: base64\nA: app")) == []


def test_what_kind_itself_puts_into_the_files_of_kubeadm_is_not_unknown() -> None:
    patch = "kind: ClusterConfiguration\nmetadata: {name: config}\n"
    assert lines(KIND + indent(patch, "  ")) == []
    assert lines(KIND + indent(patch + "meta: {}\n", "  ")) == ["7 meta policy"]


@pytest.mark.parametrize("socket", ["npipe:////./pipe/containerd-containerd", "npipe:////./pipe/cri"])
@pytest.mark.parametrize("version", ["1.22", "1.25", "1.33"])
def test_a_node_of_windows_has_its_own_socket_and_flags(socket: str, version: str) -> None:
    flags = ("kubeletExtraArgs:", "  windows-priorityclass: ABOVE_NORMAL_PRIORITY_CLASS")
    assert lines(registration(f"criSocket: {socket}", *flags), version) == []
    assert len(lines(registration("criSocket: unix:///run/a.sock", *flags), version)) == 1


@pytest.mark.parametrize("os", ["linux", "windows"])
def test_the_flags_of_windows_are_known_where_the_nodes_run_windows(os: str) -> None:
    text = registration("kubeletExtraArgs: {windows-service: 'true'}")
    assert len(check_file(text, versions=["1.33"], os=os)) == (os == "linux")


def test_kubeadm_reads_its_patches_as_yaml_whatever_their_names() -> None:
    head = '"apiVersion": "kubelet.config.k8s.io/v1beta1",\n  "kind": "KubeletConfiguration"'
    content = "{\n  " + head + ',\n  "maxPods": %s,\n}\n'
    text = (
        "write_files:\n- path: /etc/kubernetes/patches/kubeletconfiguration0+strategic.json\n  content: |\n"
        + indent(content, "    ")
    )
    assert lines(text % "50") == []
    assert lines(text % "-1") == ["7 maxPods component"]
    other = text.replace("patches/kubeletconfiguration0", "kubelet")
    assert "component" in lines(other % "50")[0]


@pytest.mark.parametrize("name", ["@@HOSTNAME@@", "%%HOSTNAME%%", "a-@@HOSTNAME@@.b"])
def test_a_placeholder_of_a_script_is_not_judged(name: str) -> None:
    place = "spec.template.spec.joinConfiguration.nodeRegistration.name"
    assert lines(registration(f"name: '{name}'")) == [f"8 {place} not-judged"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- name: a\n  cluster:\n"
            "    server: ${SERVER}\nusers: [{name: a}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n",
            ["7 clusters[0].cluster.server not-judged"],
        ),
        (
            "apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\ndiscovery:\n  bootstrapToken:\n"
            "    apiServerEndpoint: '${SERVER}'\n    token: abcdef.0123456789abcdef\n"
            "    unsafeSkipCAVerification: true\n",
            ["5 discovery.bootstrapToken.apiServerEndpoint not-judged"],
        ),
        (
            "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [a]\n"
            "  providers:\n  - aescbc: {keys: [{name: a, secret: '${KEY}'}]}\n",
            ["6 resources[0].providers[0].aescbc.keys[0].secret not-judged"],
        ),
    ],
)
def test_a_required_value_that_is_not_expanded_yet_is_not_missing(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


def test_a_password_that_is_not_expanded_yet_is_not_a_config() -> None:
    secret = "apiVersion: v1\nkind: Secret\nstringData:\n  username: ${USER}\n  %s: ${VALUE}\n"
    assert lines(stream(secret % "password", KUBELET)) == []
    assert lines(stream(secret % "kubelet.yaml", KUBELET)) == ["5 stringData[kubelet.yaml] not-judged"]
