# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configs and flags in documents of another kind: each is found, with its place in the outer file."""

from __future__ import annotations

import contextlib
import json
import time
from textwrap import indent

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._data._document_containers import (
    CONTAINERS,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import (
    decode_file,
    find_configs,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.configs.checking import check_file

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
KUBEADM = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: "
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
BAD = KUBELET + "maxPods: -1\n"


def lines(text: str, version: str = "1.33") -> list[str]:
    """Return where the findings are, and their levels."""
    findings = check_file(text, file="f", versions=[version])
    return [f"{finding.line} {finding.field} {finding.level}" for finding in findings]


def messages(text: str) -> list[str]:
    return [finding.message for finding in check_file(text, file="f", versions=["1.33"])]


def block(text: str, width: int = 4) -> str:
    return "|\n" + indent(text, " " * width)


def stream(*documents: str) -> str:
    return "---\n".join(documents)


CONFIG_MAP_OF_BAD = CONFIG_MAP + "data:\n  kubelet: " + block(BAD)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (stream(NAMESPACE, CONFIG_MAP_OF_BAD), "12 maxPods component"),
        (stream(CONFIG_MAP + "data: {a: b}\n", CONFIG_MAP_OF_BAD), "13 maxPods component"),
        (stream(NAMESPACE, BAD), "7 maxPods component"),
        (CONFIG_MAP + "immutable: true\ndata:\n  kubelet: " + block(BAD), "9 maxPods component"),
        (CONFIG_MAP + "data:\n  kubelet: " + json.dumps(BAD) + "\n", "5 maxPods component"),
        (CONFIG_MAP + "data:\n  kubelet: >\n" + indent(BAD.replace("\n", "\n\n"), "    "), "5 maxPods component"),
        (CONFIG_MAP + "data:\n  a: " + block(stream(KUBEADM + "InitConfiguration\n", BAD)), "11 maxPods component"),
        ("apiVersion: v1\nkind: List\nitems:\n- " + indent(CONFIG_MAP_OF_BAD, "  ").lstrip(), "11 maxPods component"),
        (
            "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n  data:\n    a: " + block(BAD, 6),
            "9 maxPods component",
        ),
        (
            "apiVersion: v1\nkind: List\nitems:\n- " + indent(BAD, "  ").lstrip(),
            "6 items[0].maxPods component",
        ),
    ],
)
def test_a_config_in_a_kubernetes_object_is_validated(text: str, expected: str) -> None:
    assert lines(text) == [expected]


FRAGMENTS = {
    "OpenShift": (
        "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: a}\n"
        "spec:\n  kubeletConfig:\n    %s\n",
        "spec.kubeletConfig",
    ),
    "EKS": (
        "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n      %s\n",
        "spec.kubelet.config",
    ),
    "eksctl": (
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmanagedNodeGroups:\n- kubeletExtraConfig:\n    %s\n",
        "managedNodeGroups[0].kubeletExtraConfig",
    ),
    "Karpenter": (
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec:\n  kubelet:\n    %s\n",
        "spec.kubelet",
    ),
    "Karpenter before v1": (
        "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nspec:\n  template:\n    spec:\n      kubelet:\n        %s\n",
        "spec.template.spec.kubelet",
    ),
    "Talos": ("version: v1alpha1\nmachine:\n  kubelet:\n    extraConfig:\n      %s\n", "machine.kubelet.extraConfig"),
    "Gardener": (
        "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nspec:\n  kubernetes:\n    kubelet:\n      %s\n",
        "spec.kubernetes.kubelet",
    ),
    "workers of Gardener": (
        "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nspec:\n  provider:\n    workers:\n"
        "    - kubernetes:\n        kubelet:\n          %s\n",
        "spec.provider.workers[0].kubernetes.kubelet",
    ),
}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_fragment_of_a_kubelet_config_is_validated_in_its_place(name: str) -> None:
    text, path = FRAGMENTS[name]
    line = text.count("\n")
    assert lines(text % "maxPods: -1") == [f"{line} {path}.maxPods component"]
    assert lines(text % 'maxPods: "110"') == [f"{line} {path}.maxPods component"]
    assert lines(text % "maxPod: 110") == [f"{line} {path}.maxPod policy"]
    assert lines(text % "maxPods: 110") == []


@pytest.mark.parametrize("name", ["OpenShift", "EKS", "eksctl", "Karpenter", "Talos"])
def test_a_fragment_is_validated_over_the_defaults(name: str) -> None:
    text, path = FRAGMENTS[name]
    expected = f"{text.count(chr(10))} {path}.evictionSoft[memory.available] component"
    assert lines(text % "evictionSoft: {memory.available: 1Gi}") == [expected]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("EKS", "enforceNodeAllocatable: [pods, kube-reserved]"),
        ("EKS", "maxParallelImagePulls: 5"),
        ("EKS", "cpuManagerPolicy: static"),
        ("Gardener", "evictionSoft: {memoryAvailable: 200Mi}"),
        ("Gardener", "cpuManagerPolicy: static"),
        ("Talos", "cpuManagerPolicy: static"),
    ],
)
def test_what_the_tool_sets_below_a_fragment_counts(name: str, fields: str) -> None:
    assert lines(FRAGMENTS[name][0] % fields) == []


def test_the_keys_of_the_tool_are_shown() -> None:
    text, path = FRAGMENTS["Gardener"]
    assert lines(text % "evictionHard: {memoryAvailable: 5}") == [f"6 {path}.evictionHard.memoryAvailable component"]
    assert lines(text % "kubeReserved: {ephemeralStorage: x}") == [f"6 {path}.kubeReserved.ephemeralStorage component"]


def test_a_field_that_the_tool_does_not_know_is_refused() -> None:
    assert messages(FRAGMENTS["Karpenter"][0] % "cpuManagerPolicy: none") == ["Karpenter has no such field"]


KIND = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "kubeadmConfigPatches:\n- " + block(KUBELET + "evictionHard: {nodefs.available: 0}\n", 2),
            ["7 evictionHard[nodefs.available] component"],
        ),
        ("kubeadmConfigPatches:\n- " + block("kind: KubeletConfiguration\nmaxPods: -1\n", 2), ["6 maxPods component"]),
        (
            "nodes:\n- kubeadmConfigPatches:\n  - " + block("kind: KubeProxyConfiguration\nmode: x\n"),
            ["7 mode component"],
        ),
        (
            "kubeadmConfigPatches:\n- " + block("kind: InitConfiguration\nlocalAPIEndpoint: {bindPort: 70000}\n", 2),
            ["6 localAPIEndpoint.bindPort component"],
        ),
        ("kubeadmConfigPatches:\n- " + block("kind: JoinConfiguration\nnodeRegistration: {name: a}\n", 2), []),
        ("kubeadmConfigPatches:\n- " + block("kind: ClusterConfiguration\napiServer: {extraArgs: {v: '2'}}\n", 2), []),
        (
            "kubeadmConfigPatches:\n- "
            + block("kind: ClusterConfiguration\napiServer: {extraArgs: [{name: v, value: '2'}]}\n", 2),
            [],
        ),
        ("featureGates: {NoSuchGate: true}\n", ["3 featureGates.NoSuchGate component"]),
        ("kubeadmConfigPatchesJSON6902:\n- group: kubeadm.k8s.io\n", ["4 kubeadmConfigPatchesJSON6902[0] not-judged"]),
        (
            "kubeadmConfigPatches:\n- "
            + block(stream("kind: JoinConfiguration\n", "kind: KubeletConfiguration\nmaxPods: -1\n"), 2),
            ["8 maxPods component"],
        ),
        ("nodes: [{role: worker}]\n", ["1  not-judged"]),
    ],
)
def test_the_patches_of_a_kind_cluster_are_validated_as_parts(text: str, expected: list[str]) -> None:
    assert lines(KIND + text) == expected


@pytest.mark.parametrize("version", ["1.22", "1.28", "1.37"])
def test_a_patch_without_a_version_is_read_by_each_minor(version: str) -> None:
    patch = "kubeadmConfigPatches:\n- " + block("kind: ClusterConfiguration\nnetworking: {podSubnet: x}\n", 2)
    assert lines(KIND + patch, version) == ["6 networking.podSubnet component"]


@pytest.mark.parametrize(
    ("group", "kind", "path"),
    [
        ("bootstrap", "KubeadmConfig", "spec"),
        ("bootstrap", "KubeadmConfigTemplate", "spec.template.spec"),
        ("controlplane", "KubeadmControlPlane", "spec.kubeadmConfigSpec"),
        ("controlplane", "KubeadmControlPlaneTemplate", "spec.template.spec.kubeadmConfigSpec"),
    ],
)
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_configs_of_kubeadm_in_objects_of_cluster_api_are_validated(
    group: str, kind: str, path: str, version: str
) -> None:
    data: dict[str, object] = {
        "initConfiguration": {"localAPIEndpoint": {"bindPort": 70000}},
        "joinConfiguration": {"discovery": {}, "nodeRegistration": {"ignorePreflightErrors": "x"}},
        "clusterConfiguration": {"useHyperKubeImage": True, "certificatesDir": "pki"},
        "files": [{"path": "/etc/kubernetes/kubelet.yaml", "content": BAD}],
    }
    for name in reversed(path.split(".")):
        data = {name: data}
    text = json.dumps({"apiVersion": f"{group}.cluster.x-k8s.io/{version}", "kind": kind, **data})
    assert sorted(finding.field for finding in check_file(text, versions=["1.33"])) == sorted(
        [
            f"{path}.clusterConfiguration.certificatesDir",
            f"{path}.initConfiguration.localAPIEndpoint.bindPort",
            f"{path}.joinConfiguration.nodeRegistration.ignorePreflightErrors",
            "maxPods",
        ]
    )


@pytest.mark.parametrize("header", ["", "#cloud-config\n"])
def test_the_files_that_cloud_init_writes_are_validated(header: str) -> None:
    kubeadm = stream(KUBEADM + "InitConfiguration\n", BAD)
    text = (
        f"{header}users: [a]\nwrite_files:\n- path: /etc/motd\n  content: hello\n"
        f"- path: /run/kubeadm.yaml\n  content: {block(kubeadm)}"
        "- path: /etc/kubernetes/kubelet.yaml\n  encoding: gz+b64\n  content: x\n"
    )
    start = header.count("\n")
    assert lines(text) == [f"{12 + start} maxPods component", f"{15 + start} write_files[2].content not-judged"]


def flags(text: str) -> list[tuple[str, list[tuple[str, str | None, int | None]]]]:
    """Return the flags in a text: by component, each with its name, value and line."""
    return [
        (each.component, [(pair.name, pair.value, pair.line) for pair in each.pairs])
        for document in decode_file(text)
        for each in document.flags
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "write-kubeconfig-mode: '0644'\nkubelet-arg:\n- max-pods=50\n- v\nkube-apiserver-arg: a=b=c\n",
            [("kube-apiserver", [("a", "b=c", 5)]), ("kubelet", [("max-pods", "50", 3), ("v", None, 4)])],
        ),
        (
            "kubelet-arg+:\n- --v=2\n- feature-gates+=A=true\n- max-pods-=3\nkube-controller-arg: [--v]\n",
            [
                ("kube-controller-manager", [("v", None, 5)]),
                ("kubelet", [("v", "2", 2), ("feature-gates", "A=true", 3), ("max-pods", "3", 4)]),
            ],
        ),
        (
            "version: v1alpha1\nmachine:\n  kubelet:\n    extraArgs:\n      rotate: true\n      node-labels: [a, b]\n"
            "cluster:\n  apiServer: {extraArgs: {v: '2'}}\n",
            [
                ("kubelet", [("rotate", "true", 5), ("node-labels", "a", 6), ("node-labels", "b", 6)]),
                ("kube-apiserver", [("v", "2", 8)]),
            ],
        ),
        (
            "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags:\n    - --v=2\n",
            [("kubelet", [("v", "2", 6)])],
        ),
        (
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command:\n    - /bin/kube-apiserver\n    - --v=2\n"
            "    - --feature-gates\n    - A=true\n    args: [---b]\n  - command: [sleep, --v=2]\n",
            [("kube-apiserver", [("v", "2", 7), ("feature-gates", "A=true", 8), ("-b", "true", 10)])],
        ),
        (
            "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - command: [kube-proxy]\n        args: [--v=2]\n",
            [("kube-proxy", [("v", "2", 8)])],
        ),
        (
            "apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nspec:\n  rkeConfig:\n    machineGlobalConfig:\n"
            "      kube-scheduler-arg: [v=2]\n    machineSelectorConfig:\n    - config: {kubelet-arg: [a=b]}\n",
            [("kube-scheduler", [("v", "2", 6)]), ("kubelet", [("a", "b", 8)])],
        ),
    ],
)
def test_the_flags_in_a_file_are_found_with_their_lines(
    text: str, expected: list[tuple[str, list[tuple[str, str | None, int | None]]]]
) -> None:
    assert flags(text) == expected
    assert find_configs(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "apiVersion: v1alpha1\nkind: FutureConfig\n",
            "a kind of Talos: v1alpha1 FutureConfig is not known here",
        ),
        (
            "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n",
            "a kind of OpenShift: machineconfiguration.openshift.io/v1 MachineConfig is not known here",
        ),
        (
            "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nspec: {kubelet: {}}\n",
            "a kind of Karpenter: karpenter.k8s.aws/v1beta1 EC2NodeClass is not known here",
        ),
        (
            "apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\n",
            "a kind of kOps: kops.k8s.io/v1alpha2 Cluster is not known here",
        ),
        (
            "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n",
            "a file of EKS: it holds no config and no flags of a component",
        ),
        ("version: v1alpha1\nmachine: {}\n", "a file of Talos: it holds no config and no flags of a component"),
        (
            CONFIG_MAP + "data: {a: b}\nbinaryData: {kubelet: AAAA}\n",
            "a part of a ConfigMap: it is binary data, in base64",
        ),
        (CONFIG_MAP + "data: {kubelet: '${KUBELET_CONFIG}'}\n", "a part of a ConfigMap: an unexpanded variable"),
        (
            "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec: {kubeletConfig: x}\n",
            "a part of a file of OpenShift: it is not a mapping",
        ),
        (stream(NAMESPACE, "a: 1\n"), "a document: it has no apiVersion and kind"),
        (
            stream(NAMESPACE, "apiVersion: example.org/v1\nkind: Sizing\n"),
            "a document: example.org/v1 Sizing is not a known kind",
        ),
        (
            CONFIG_MAP + "data:\n  a: " + block("apiVersion: example.org/v1\nkind: Sizing\n"),
            "a document: example.org/v1 Sizing is not a known kind",
        ),
    ],
)
def test_text_that_is_not_understood_is_reported(text: str, message: str) -> None:
    (finding,) = check_file(text, versions=["1.33"])
    assert (f"{finding.message}: {finding.why}", finding.level) == (message, Level.NOT_JUDGED)


def test_a_document_that_cannot_be_decoded_is_reported_next_to_others() -> None:
    assert lines(stream(NAMESPACE, "a: [\n", BAD)) == ["6  not-judged", "9 maxPods component"]


@pytest.mark.parametrize("text", [stream("a: [\n", "b: 1\n"), stream(NAMESPACE, "a: [\n")])
def test_a_file_of_which_nothing_else_is_a_config_is_refused(text: str) -> None:
    assert {finding.level for finding in check_file(text, versions=["1.33"])} == {Level.COMPONENT}


@pytest.mark.parametrize(
    "text",
    [
        NAMESPACE,
        stream(NAMESPACE, "apiVersion: apps/v1\nkind: Deployment\n"),
        "apiVersion: example.org/v1\nkind: Certificate\nmetadata: {name: a}\n",
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
        CONFIG_MAP + "data: {a: b}\n",
        "apiVersion: v1\nkind: List\nitems: []\n",
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{command: [sleep]}]}\n",
        "a: 1\n",
        "",
    ],
)
def test_ordinary_files_are_left_out(text: str) -> None:
    assert find_configs(text) == ()


def test_many_documents_are_read() -> None:
    assert lines(stream(*[NAMESPACE] * 200, BAD)) == [f"{200 * 4 + 3} maxPods component"]


def test_containers_in_containers_end() -> None:
    text = BAD
    for _depth in range(8):
        text = CONFIG_MAP + "data:\n  a: " + json.dumps(text) + "\n"
    assert [finding.level for finding in check_file(text, versions=["1.33"])] != []


def test_the_table_names_kinds_that_are_known() -> None:
    facts = json.loads(CONTAINERS)
    rows = [part for row in facts["containers"] if isinstance(row["parts"], list) for part in row["parts"]]
    parts = [*rows, *(part for shape in facts["shapes"].values() for part in shape)]
    for part in parts:
        name = part.get("kind", "")
        kind = find_kind(*name.split(" ")) if name else None
        if part["form"] == "fragment":
            assert kind is not None, part
            assert set(part.get("fields", ())) | set(part.get("base", {})) <= set(kind.fields), part


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 200_000,
        "a: " + "<%" * 200_000 + "\n",
        "\n" * 900_000 + "a: [",
        "---\n" * 400 + "a: b\n" * 200_000,
        "---\na: b\n" * 5_000,
        "kind: List\napiVersion: v1\nitems:\n" + "- {apiVersion: v1, kind: ConfigMap}\n" * 3_000,
        "kind: List\napiVersion: v1\nitems:\n" + "- {apiVersion: kubelet.config.k8s.io/v1beta1}\n" * 5_000,
        "write_files:\n" + "- {path: a, content: 'kind: KubeletConfiguration'}\n" * 3_000,
    ],
)
def test_a_hostile_text_ends_soon(text: str) -> None:
    begin = time.process_time()
    with contextlib.suppress(ConfigError):
        find_configs(text)
    check_file(text, versions=["1.33"])
    assert time.process_time() - begin < 20  # seconds; an ordinary machine needs less than five


def test_the_configs_of_a_file_are_bounded() -> None:
    text = "kind: List\napiVersion: v1\nitems:\n" + "- {apiVersion: kubelet.config.k8s.io/v1beta1}\n" * 600
    assert "more than 512 configs in one file" in find_configs(text)[-1].findings[0].why


def test_a_config_of_k3s_that_cloud_init_writes_is_validated() -> None:
    file = "kubelet-arg:\n    - max-pods=abc\n"
    text = f"#cloud-config\nwrite_files:\n- path: /etc/rancher/k3s/config.yaml\n  content: |\n    {file}"
    (finding,) = check_file(text, versions=["1.34"])
    assert (finding.line, finding.field, str(finding.level)) == (6, "kubelet-arg[0]", "component")
