# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of several documents: kubeadm's, and ConfigMaps that hold configs."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.component_file import (
    load_for_check,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import (
    decode_file,
    load_file,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import InvalidConfig, Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import Config, load
from support.configs.checking import check_file

INIT = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"
CLUSTER = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
KUBE_PROXY = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def lines(text: str, component: str | None = None, version: str = "1.36") -> list[str]:
    """Return where the findings are, and their levels."""
    findings = check_file(text, file="f", component=component, versions=[version])
    return [f"{finding.line} {finding.field} {finding.level}" for finding in findings]


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("component", [None, "kubeadm"])
def test_an_ordinary_file_of_kubeadm_is_accepted(component: str | None) -> None:
    assert lines("---\n" + "---\n".join([INIT, CLUSTER, KUBELET, KUBE_PROXY]) + "---\n", component) == []


@pytest.mark.parametrize("component", [None, "kubeadm"])
def test_every_document_of_a_kubeadm_file_is_validated_as_its_kind(component: str | None) -> None:
    text = "---\n".join(
        [
            "# init\n" + INIT + "localAPIEndpoint: {bindPort: 70000}\n",
            CLUSTER + "certificatesDir: pki\n",
            KUBELET + "maxPods: -1\nextra: 1\n",
            KUBE_PROXY + "mode: x\n",
        ]
    )
    assert lines(text, component) == [
        "4 localAPIEndpoint.bindPort component",
        "8 certificatesDir component",
        "12 maxPods component",
        "13 extra policy",
        "17 mode component",
    ]


def test_a_daemon_reads_the_first_document_only() -> None:
    assert lines(KUBELET + "---\n" + INIT, "kubelet") == ["3  policy"]
    assert lines(KUBELET + "---\n" + KUBELET + "maxPods: -1\n") == ["3  policy"]


def test_kubeadm_refuses_a_kind_twice_and_skips_what_it_does_not_read() -> None:
    pod = "apiVersion: v1\nkind: Pod\n"
    assert lines("---\n".join([CLUSTER, pod, CLUSTER])) == ["5 kind warning", "8 kind component"]
    assert lines("---\n".join([CLUSTER, "kind: InitConfiguration\n"])) == ["4 apiVersion component"]


JOIN = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\n" + (
    "discovery: {bootstrapToken: {apiServerEndpoint: '192.0.2.1:6443', token: abcdef.0123456789abcdef, "
    "unsafeSkipCAVerification: true}}\n"
)
RESET = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ResetConfiguration\n"
UPGRADE = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n"


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([JOIN, KUBELET + "maxPods: 200\n"], ["6 kind warning"]),
        ([KUBE_PROXY, JOIN], ["2 kind warning"]),
        ([JOIN, KUBELET, KUBE_PROXY], ["6 kind warning", "9 kind warning"]),
        ([RESET, KUBELET], ["5 kind warning"]),
        ([UPGRADE, KUBELET], ["5 kind warning"]),
        ([JOIN, RESET, KUBELET], ["9 kind warning"]),
        ([CLUSTER, JOIN], ["2 kind warning"]),
        ([INIT, JOIN, KUBELET], []),
        ([INIT, CLUSTER, JOIN], []),
        ([CLUSTER, JOIN, KUBELET], ["2 kind warning"]),
        ([CLUSTER, KUBELET, KUBE_PROXY], []),
        ([JOIN], []),
    ],
)
@pytest.mark.parametrize("component", [None, "kubeadm"])
def test_a_document_that_the_command_of_the_file_does_not_read_is_a_warning(
    documents: list[str], expected: list[str], component: str | None
) -> None:
    assert lines("---\n".join(documents), component) == expected


def test_a_daemon_s_file_with_another_kind_has_findings_for_both() -> None:
    assert lines(KUBELET + "---\n" + KUBE_PROXY + "mode: x\n") == ["3  policy", "6 mode component"]


def test_each_version_has_its_own_findings_in_every_document() -> None:
    findings = check_file(INIT + "---\n" + CLUSTER, versions=["1.30", "1.31"])
    assert [(finding.line, finding.versions) for finding in findings] == [(1, ("1.30",)), (4, ("1.30",))]
    assert len(check_file(INIT + "---\n" + CLUSTER, nodes={"a": "1.99"})) == 1


def test_every_document_that_cannot_be_decoded_is_a_finding() -> None:
    with pytest.raises(InvalidConfig) as error:
        decode_file("---\n".join([INIT, "a: [\n", CLUSTER, "b: {\n"]))
    assert [finding.line for finding in error.value.findings] == [5, 10]


def test_the_configs_in_a_config_map_are_validated() -> None:
    text = CONFIG_MAP + "data:\n  kubelet: |\n" + indented(KUBELET + "maxPods: -1\n") + "  note: apiVersion and kind\n"
    assert lines(text) == ["8 maxPods component"]
    text = CONFIG_MAP + "data:\n  ClusterConfiguration: " + json.dumps(CLUSTER + "certificatesDir: pki\n") + "\n"
    assert lines(text) == ["5 certificatesDir component"]
    assert lines(text + "---\n" + text)[1:] == ["11 certificatesDir component"]


def test_the_configs_in_a_config_map_of_json_are_validated() -> None:
    value = json.dumps({"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "maxPods": -1})
    text = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "data": {"kubelet": value}}, indent=1)
    assert lines(text) == ["5 maxPods component"]


def test_a_config_in_a_config_map_that_cannot_be_decoded_has_its_line() -> None:
    text = CONFIG_MAP + "data:\n  kubelet: |\n" + indented(KUBELET + "a: [\n")
    findings = check_file(text)
    assert [(finding.line, finding.level) for finding in findings] in ([(8, Level.COMPONENT)], [(9, Level.COMPONENT)])


def test_a_config_of_an_unknown_version_in_a_config_map_is_refused() -> None:
    text = (
        CONFIG_MAP + "data:\n  kubelet: |\n    apiVersion: kubelet.config.k8s.io/v1\n    kind: KubeletConfiguration\n"
    )
    (finding,) = check_file(text)
    assert (finding.line, finding.field) == (6, "apiVersion")


def test_a_config_map_without_a_config_says_so() -> None:
    assert "holds no component config" in check_file(CONFIG_MAP + "data: {a: b}\n")[0].message
    assert lines(CONFIG_MAP + "data:\n  kubelet: |\n" + indented(KUBELET), "kubelet") == ["2 kind component"]


def test_all_documents_can_be_loaded() -> None:
    text = INIT + "---\n" + CLUSTER
    config = load_file("f", text)
    assert [document.data["kind"] for document in config.documents] == ["InitConfiguration", "ClusterConfiguration"]
    assert config.text == text
    assert load([("f", text)]).others == ()
    assert [finding.rule for finding in check_file(load([("f", text)]))] == ["documents"]


NULLS = [
    "fileCheckFrequency: null\n",
    "authentication: {webhook: {cacheTTL: null}}\n",
    "systemReserved: {cpu: null}\n",
    "evictionHard: {memory.available: null}\n",
    "evictionSoftGracePeriod: {memory.available: null}\n",
    "qosReserved: {a: null}\n",
    "staticPodPath: null\n",
    "enforceNodeAllocatable: [null]\n",
    "maxPods: null\n",
]


@pytest.mark.parametrize("text", NULLS)
def test_one_file_has_one_verdict(text: str) -> None:
    def verdict(config: Config | str) -> list[str]:
        return [str(finding) for finding in check_file(config, component="kubelet", versions=["1.31"], file="f")]

    text = KUBELET + text
    assert verdict(load_for_check("f", text, "kubelet")) == verdict(load([("f", text)])) == verdict(text)


def test_a_null_of_a_layer_resets_a_field() -> None:
    layers = [("a", KUBELET + "fileCheckFrequency: 20s\n"), ("b", KUBELET + "fileCheckFrequency: null\n")]
    assert check_file(load(layers), component="kubelet", versions=["1.31"]) == []
    alone = check_file(load(layers[1:]), component="kubelet", versions=["1.31"])
    assert [finding.field for finding in alone] == ["fileCheckFrequency"]


@pytest.mark.parametrize("text", ["", "- a\n", "maxPods: 1\n", "Kind: KubeletConfiguration\n"])
def test_a_single_file_is_refused_as_its_component_does(text: str) -> None:
    try:
        findings = check_file(load_for_check("f", text, "kubelet"), component="kubelet")
    except InvalidConfig as error:
        findings = list(error.findings)
    assert [finding.message for finding in findings] == [
        finding.message for finding in check_file(text, component="kubelet")
    ]
    assert {finding.level for finding in findings} == {Level.COMPONENT}


def test_a_head_that_the_component_reads_in_any_case_is_accepted() -> None:
    text = KUBELET.replace("kind:", "Kind:")
    levels = [str(finding.level) for finding in check_file(load_for_check("f", text, "kubelet"), component="kubelet")]
    assert "component" not in levels
