# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module component_config: options, failures, results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Host, HostQuery
from ansible_collections.configok.node.plugins.module_utils._operations import config_check
from ansible_collections.configok.node.plugins.modules import component_config
from support.ansible_runs.module_documentation import documented_options
from support.ansible_runs.modules import run_module
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import NEWEST_RELEASE


def run(**arguments: Any) -> dict[str, Any]:
    return run_module(component_config.main, arguments, check=True)


def write(directory: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (directory / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [str(directory / f"{name}.yaml") for name in texts]


def test_layers_are_merged_and_validated(tmp_path: Path) -> None:
    files = write(
        tmp_path,
        base=KUBELET_HEADER + "maxPods: 110\n",
        pool=KUBELET_HEADER + "maxPods: 200\nresolvConf: /etc/resolv.conf\n",
    )
    result = run(files=files, component="kubelet", kubernetes_versions=["1.20", "1.35"])
    assert result == {
        "changed": False,
        "valid": True,
        "findings": [],
        "not_judged": [],
        "scope": [
            "the content of files, servers and addresses that a config names",
            "flags of the command line",
            "the host",
        ],
        "lines": [],
        "config": {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "maxPods": 200,
            "resolvConf": "/etc/resolv.conf",
        },
        "text": KUBELET_HEADER + "maxPods: 200\nresolvConf: /etc/resolv.conf\n",
        "provenance": [
            {
                "path": "maxPods",
                "value": "200",
                "file": files[1],
                "line": 3,
                "overrides": [{"value": "110", "file": files[0], "line": 3}],
            },
            {"path": "resolvConf", "value": '"/etc/resolv.conf"', "file": files[1], "line": 4, "overrides": []},
        ],
        "drop_ins": [],
        "documents": [result["config"]],
    }


def test_layers_as_drop_ins(tmp_path: Path) -> None:
    files = write(tmp_path, base=KUBELET_HEADER + "failSwapOn: false\n", pool=KUBELET_HEADER + "maxPods: 200\n")
    result = run(files=files, kubernetes_versions=["1.35"], drop_ins=True)
    assert result["drop_ins"] == [
        {"name": "10-base.conf", "layer": files[0], "text": KUBELET_HEADER + "failSwapOn: false\n"},
        {"name": "20-pool.conf", "layer": files[1], "text": KUBELET_HEADER + "maxPods: 200\n"},
    ]
    old = run(files=files, kubernetes_versions=["1.28", "1.35"], drop_ins=True)
    assert old["failed"]
    assert "failSwapOn: false: as drop-ins the kubelet makes true of it, not false" in old["msg"]


def test_a_layer_with_a_secret_does_not_become_a_drop_in() -> None:
    text = KUBELET_HEADER + "staticPodURLHeader: {Authorization: [Bearer abcdefghijklmnopqrstuvwx]}\n"
    result = run(content=text, drop_ins=True, fail_on="never", kubernetes_versions=["1.35"])
    assert (result["drop_ins"], result["text"]) == ([], "")
    assert "abcdefghijklmnop" not in str(result)


def test_all_findings_are_in_the_message(tmp_path: Path) -> None:
    files = write(tmp_path, base=KUBELET_HEADER + "maxPods: -1\nnoSuch: 1\n")
    result = run(files=files)
    assert result["failed"]
    assert not result["valid"]
    assert result["msg"].splitlines() == [
        "The config is refused:",
        f"component: {files[0]}:3: maxPods: -1: must be >= 0",
        f"policy: {files[0]}:4: noSuch: 1: unknown field of KubeletConfiguration",
    ]
    assert [finding["level"] for finding in result["findings"]] == ["component", "policy"]


@pytest.mark.parametrize(
    ("content", "fail_on", "failed"),
    [
        ("maxPods: -1\n", "component", True),
        ("maxPods: -1\n", "policy", True),
        ("maxPods: -1\n", "never", False),
        ("noSuch: 1\n", "component", False),
        ("noSuch: 1\n", "policy", True),
        ("noSuch: 1\n", "never", False),
        ("", "policy", False),
    ],
)
def test_what_fails(content: str, fail_on: str, failed: bool) -> None:
    result = run(content=KUBELET_HEADER + content, fail_on=fail_on)
    assert result.get("failed", False) is failed
    assert result["valid"] is (content == "")


def test_a_release_without_whole_data_fails_only_where_the_user_asks_for_it() -> None:
    result = run(content=KUBELET_HEADER, nodes={"node-1": "v1.99.0"})
    assert result["valid"]
    assert not result.get("failed")
    assert result["findings"] == []
    assert [(cause["count"], cause["versions"]) for cause in result["not_judged"]] == [(1, ["1.99"])]
    assert result["lines"] == [f"not judged: {cause['what']}: {cause['why']}" for cause in result["not_judged"]]
    refused = run(content=KUBELET_HEADER, nodes={"node-1": "v1.99.0"}, fail_on="not_judged")
    assert refused["failed"]
    assert refused["valid"]
    assert refused["msg"].splitlines()[0] == "The config was not judged as a whole:"


def test_a_denied_field_is_a_finding_of_the_policy() -> None:
    result = run(content=KUBELET_HEADER + "staticPodPath: /m\n", denied_fields=["staticPodPath"])
    assert result["lines"] == ['policy: content:3: staticPodPath: "/m": the field is denied']


def test_an_init_config_may_have_relative_paths() -> None:
    assert not run(content=KUBELET_HEADER + "staticPodPath: m\n")["valid"]
    assert run(content=KUBELET_HEADER + "staticPodPath: m\n", bundle=False)["valid"]


def test_secrets_are_not_returned() -> None:
    result = run(content=KUBELET_HEADER + "staticPodURLHeader:\n  A: [Bearer abcdefghijklmnopqrst]\n", fail_on="never")
    assert "abcdefghij" not in str(result)
    assert result["text"] == ""
    assert result["findings"][0]["rule"] == "secret"


@pytest.mark.parametrize("content", ["", "a: [", "- x\n"])
def test_text_that_is_not_a_config_is_invalid(content: str) -> None:
    result = run(content=content, fail_on="never")
    assert (result["valid"], result["config"], result["text"]) == (False, {}, "")
    assert result["findings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"files": ["/no/such/file"]}, "Cannot read /no/such/file: No such file or directory."),
        ({"content": KUBELET_HEADER, "kubernetes_versions": ["latest"]}, "not a Kubernetes version: 'latest'"),
        (
            {"content": KUBELET_HEADER, "kubernetes_versions": [1.30]},
            f"Kubernetes 1.3 is not known here, 1.20 to {NEWEST_RELEASE} are: write 1.30 in quotes",
        ),
        ({"content": KUBELET_HEADER, "nodes": {"node-1": 1.30}}, "node node-1: Kubernetes 1.3 is not known here"),
        ({}, "one of the following is required: files, content"),
        ({"files": [], "content": KUBELET_HEADER}, "mutually exclusive"),
        ({"files": []}, "There are no files to read."),
    ],
)
def test_what_cannot_be_done_is_an_error(arguments: dict[str, Any], message: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert message in result["msg"]


def test_the_documentation_is_the_argument_spec() -> None:
    documented = documented_options(component_config)
    assert set(documented) == set(component_config.ARGUMENTS)
    for name, option in component_config.ARGUMENTS.items():
        for key in ("type", "elements", "default", "choices"):
            assert documented[name].get(key) == option.get(key), (name, key)


def test_every_returned_key_is_documented() -> None:
    returned = yaml.safe_load(component_config.RETURN)
    result = run(content=KUBELET_HEADER + "maxPods: -1\n", fail_on="never")
    assert set(returned) == set(result) - {"changed"}
    assert set(returned["findings"]["contains"]) == set(result["findings"][0])


def test_the_host_is_checked_only_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = []

    def read_host(query: HostQuery) -> Host:
        queries.append(query)
        return Host(swaps=("/dev/sda2",), states={"cpu_manager_state": {"policyName": "static"}})

    monkeypatch.setattr(config_check, "read_host", read_host)
    files = write(tmp_path, base=KUBELET_HEADER + "maxPods: 110\ncpuManagerPolicy: none\n")
    arguments = {"files": files, "component": "kubelet", "kubernetes_versions": ["1.20", "1.31"], "fail_on": "never"}
    assert run(**arguments)["lines"] == []
    assert queries == []
    result = run(**arguments, host=True, root_directory="/r", container_runtime_endpoint="unix:///run/crio/crio.sock")
    assert not result["valid"]
    assert result["lines"] == [
        f"component: {files[0]}:1: failSwapOn: true: must be false, or swap turned off: this host swaps to /dev/sda2",
        f'component: {files[0]}:4: cpuManagerPolicy: "none": cpu_manager_state was written under the policy static: '
        "the kubelet would exit; drain the node and remove cpu_manager_state",
    ]
    assert {(query.root_directory, query.runtime) for query in queries} == {("/r", "cri-o")}
    assert [finding["versions"] for finding in result["findings"]] == [["1.20", "1.31"]] * 2


def test_the_host_is_checked_for_a_component() -> None:
    result = run(content=KUBELET_HEADER, host=True)
    assert result["failed"]
    assert "component" in result["msg"]


KUBEADM = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n" + KUBELET_HEADER


def test_all_documents_of_a_kubeadm_file_are_validated() -> None:
    result = run(content=KUBEADM + "maxPods: -1\n", fail_on="never", kubernetes_versions=["1.36"])
    assert result["lines"] == ["component: content:6: maxPods: -1: must be >= 0"]
    assert [document["kind"] for document in result["documents"]] == ["InitConfiguration", "KubeletConfiguration"]
    assert result["config"] == result["documents"][0]
    assert result["text"] == KUBEADM + "maxPods: -1\n"


def test_a_secret_in_any_document_is_not_shown() -> None:
    token = KUBEADM.replace("---", "bootstrapTokens:\n- token: abcdef.0123456789abcdef\n---")
    result = run(content=token, fail_on="never", kubernetes_versions=["1.36"])
    assert "0123456789abcdef" not in str(result)
    assert result["text"] == ""


def test_drop_ins_are_made_of_one_document() -> None:
    assert "one document each" in run(content=KUBEADM, drop_ins=True)["msg"]


AUTHENTICATION = (
    "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\nanonymous: {enabled: true}\n"
)


def test_flags_decide_what_depends_on_the_command_line() -> None:
    arguments: dict[str, Any] = {"content": AUTHENTICATION, "kubernetes_versions": ["1.31"], "bundle": False}
    gate = "--feature-gates=AnonymousAuthConfigurableEndpoints"
    assert run(**arguments)["lines"][0].startswith("warning: content:3: anonymous: ")
    assert run(**arguments, flags=[f"{gate}=true"])["lines"] == []
    refused = run(**arguments, flags=[])
    assert refused["failed"]
    assert refused["lines"][0].startswith("component: content:3: anonymous: ")


def test_the_operating_system_decides_which_fields_have_an_effect() -> None:
    content = KUBELET_HEADER + "cgroupDriver: systemd\n"
    assert run(content=content, kubernetes_versions=["1.33"])["lines"] == []
    (line,) = run(content=content, kubernetes_versions=["1.33"], os="windows")["lines"]
    assert "cgroupDriver" in line
    assert "has no effect on Windows: kubelet reads it on Linux only" in line
    result = run(content=content, component="kubelet", os="windows", host=True)
    assert result["msg"] == "host needs os: linux, which a host with this module runs."


def test_flags_are_those_of_one_component() -> None:
    assert "flags needs a file of one document" in run(content=KUBEADM, flags=[])["msg"]


def test_a_drop_in_directory_is_validated_as_the_kubelet_merges_it(tmp_path: Path) -> None:
    (tmp_path / "10-grace.conf").write_text(KUBELET_HEADER + "evictionSoftGracePeriod: {memory.available: 1m}\n")
    (base,) = write(tmp_path, base=KUBELET_HEADER + "evictionSoft: {memory.available: 5%}\nmaxPods: 5\n")
    arguments = {"drop_in_directory": str(tmp_path), "kubernetes_versions": ["1.31", "1.36"]}
    result = run(files=[base], **arguments)
    assert result["valid"]
    assert result["config"]["maxPods"] == 5
    assert {origin["file"] for origin in result["provenance"]} == {base, str(tmp_path / "10-grace.conf")}
    (tmp_path / "20-site.conf").write_text("maxPods: 1\n")
    result = run(fail_on="never", **arguments)
    assert [finding["path"] for finding in result["findings"] if finding["level"] == "component"] == ["apiVersion"]
    assert result["config"] == {}


def test_options_that_do_not_fit_a_drop_in_directory(tmp_path: Path) -> None:
    assert "has no file" in run(drop_in_directory=str(tmp_path))["msg"]
    (tmp_path / "a.conf").write_text(KUBELET_HEADER)
    files = write(tmp_path, a=KUBELET_HEADER, b=KUBELET_HEADER)
    for options in ({"files": files}, {"component": "kube-proxy"}, {"host": True, "component": "kubelet"}):
        assert "drop_in_directory" in run(drop_in_directory=str(tmp_path), **options)["msg"]


def test_the_configs_in_files_of_other_tools_are_validated() -> None:
    content = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec: {kubelet: {maxPods: -1}}\n"
    result = run(content=content, bundle=False, fail_on="never")
    assert [finding["path"] for finding in result["findings"]] == ["spec.kubelet.maxPods"]
    result = run(content="kind: Config\n---\n" + content, bundle=False, fail_on="never")
    assert [finding["level"] for finding in result["findings"]] == ["component"]
    assert [cause["what"] for cause in result["not_judged"]] == ["a document"]
    assert len(result["documents"]) == 1
