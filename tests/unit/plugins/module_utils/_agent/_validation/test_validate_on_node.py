# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle's document, validated as this node would run it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import render_config
from ansible_collections.configok.node.plugins.module_utils._agent._validation._node_inputs import (
    read_drop_ins,
    read_own_configs,
)
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validate_on_node import validate_on_node
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    first_error_text,
    refusing_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Host, HostQuery
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import MAX_FINDINGS, Finding
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from support.configs.kubelet import KUBELET_HEADER

SWAPPING = Host(swaps=("/dev/sda2",))


class Node:
    """A node's own files and flags."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.argv: list[str] = ["/usr/bin/kubelet", "--config=/c"]
        self.component = ComponentConfiguration("kubelet", "kubelet.service", deny=DenyPolicy())
        self.host = Host()
        self.queries: list[HostQuery] = []

    def instance(self, text: str) -> None:
        """Give the node an instance config."""
        path = self.directory / "instance.yaml"
        path.write_text(text)
        self.component = self.component._replace(instance_config=str(path))

    def init(self, text: str) -> None:
        """Give the node an init config."""
        path = self.directory / "init.yaml"
        path.write_text(text)
        self.component = self.component._replace(init_config=str(path))

    def drop_in(self, name: str, text: str) -> str:
        """Give the kubelet a drop-in."""
        path = self.directory / "conf.d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.argv.append(f"--config-dir={self.directory}/conf.d")
        return str(path)

    @property
    def inputs(self) -> NodeInputs:
        """The files and flags as the agent reads them."""
        argv = tuple(self.argv)
        return read_own_configs(self.component)._replace(arguments=argv, drop_ins=read_drop_ins(argv))

    def read_host(self, query: HostQuery) -> Host:
        self.queries.append(query)
        return self.host

    def validate(self, text: str, *, version: str = "v1.31.0", known: bool = False) -> list[Finding]:
        """Return the findings on a document."""
        return validate_on_node(
            (KUBELET_HEADER + text).encode(),
            "bundle",
            self.component,
            inputs=self.inputs,
            version=version,
            host_only=known,
            read_host=self.read_host,
        )


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def summaries(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.field, finding.level, finding.rule) for finding in findings]


def test_a_valid_document_on_a_healthy_host_has_no_findings(node: Node) -> None:
    assert node.validate("maxPods: 50\n") == []


@pytest.mark.contract("validate.denied-fields")
def test_only_the_bundles_document_is_checked_for_denied_fields(node: Node) -> None:
    findings = node.validate("staticPodPath: /etc/kubernetes/manifests\n")
    assert summaries(findings) == [("staticPodPath", "policy", "denied")]
    node.instance("staticPodPath: /etc/kubernetes/manifests\nproviderID: aws:///a\n")
    assert node.validate("maxPods: 50\n") == [], "the instance config may say it"


@pytest.mark.contract("validate.denied-by-kind")
def test_a_component_of_any_name_has_the_list_of_its_kind(node: Node) -> None:
    node.component = node.component._replace(name="kubelet-b")
    assert ("staticPodPath", "policy", "denied") in summaries(node.validate("staticPodPath: /m\n"))


@pytest.mark.contract("validate.denied-by-kind")
def test_a_kind_without_a_list_is_refused_until_the_node_allows_it(node: Node) -> None:
    document = b"apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\nleaderName: a\n"
    for allowed, rules in (((), [("kind", "denied")]), (("*",), []), (("leaderName",), [])):
        component = ComponentConfiguration("cm", "cm.service", deny=DenyPolicy(allowed=allowed), host_checks=False)
        findings = validate_on_node(
            document,
            "bundle",
            component,
            inputs=NodeInputs(),
            version="v1.31.0",
            host_only=False,
            read_host=node.read_host,
        )
        assert [(finding.field, finding.rule) for finding in findings if finding.rule == "denied"] == rules


@pytest.mark.contract("validate.denied-fields")
def test_the_deny_policy_of_a_node_adds_and_allows(node: Node) -> None:
    node.component = node.component._replace(deny=DenyPolicy(("maxPods",), ("staticPodPath", "authentication.x509")))
    text = "staticPodPath: /m\nmaxPods: 50\nauthentication: {anonymous: {enabled: true}, x509: {clientCAFile: /ca}}\n"
    assert summaries(node.validate(text)) == [
        ("maxPods", "policy", "denied"),
        ("authentication.anonymous", "policy", "denied"),
    ]
    node.component = node.component._replace(deny=DenyPolicy(allowed=("*",)))
    assert node.validate(text) == [], "the whole kind is allowed"


@pytest.mark.complaint(
    "enhancements #281: removed: it needed stronger reliability promises and a limit on what may change"
)
@pytest.mark.contract("validate.denied-fields")
@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("systemReservedCgroup: /x\n", ["systemReservedCgroup"]),
        ("kubeReservedCgroup: /x\n", ["kubeReservedCgroup"]),
        ("systemCgroups: /x\ncgroupRoot: /\n", ["cgroupRoot", "systemCgroups"]),
        ("address: 10.0.0.1\n", ["address"]),
        ("logging: {verbosity: 8}\n", ["logging.verbosity"]),
        ("logging: {verbosity: 7}\n", []),
        ("logging: {vmodule: [{filePattern: a, verbosity: 9}]}\n", ["logging.vmodule"]),
    ],
)
def test_what_outlives_the_config_or_writes_secrets_is_denied(node: Node, text: str, paths: list[str]) -> None:
    assert sorted(finding.field for finding in node.validate(text) if finding.rule == "denied") == paths


@pytest.mark.contract("validate.own-values")
def test_a_denied_field_with_the_nodes_own_value_passes(node: Node) -> None:
    node.init(
        KUBELET_HEADER + "staticPodPath: /m\nauthentication: {anonymous: {enabled: false}}\nreadOnlyPort: 10255\n"
    )
    node.instance("podLogsDir: /logs\n")
    own = "staticPodPath: /m\nauthentication: {anonymous: {enabled: false}}\npodLogsDir: /logs\n"
    assert node.validate(own + "runOnce: false\nauthorization: {mode: Webhook}\n") == [], "defaults count too"
    bundle = "staticPodPath: /n\nauthentication: {anonymous: {enabled: true}}\nreadOnlyPort: 0\n"
    assert sorted(finding.field for finding in node.validate(bundle)) == [
        "authentication",
        "readOnlyPort",
        "staticPodPath",
    ]


@pytest.mark.contract("validate.denied-fields")
def test_what_a_bundle_leaves_out_may_not_weaken_the_node(node: Node) -> None:
    node.init(KUBELET_HEADER + "seccompDefault: true\n")
    findings = node.validate("maxPods: 50\n")
    assert summaries(findings) == [("seccompDefault", "policy", "denied")]
    assert findings[0].message.startswith("left out it is weaker than what the node has true: denied, unless")
    node.instance("seccompDefault: true\n")
    assert node.validate("maxPods: 50\n") == []


@pytest.mark.parametrize("init", ["{", "- a\n", "kind: KubeProxyConfiguration\nstaticPodPath: /m\n"])
def test_an_init_config_of_no_use_has_no_own_values(node: Node, init: str) -> None:
    node.init(init)
    assert [finding.field for finding in node.validate("staticPodPath: /m\n")] == ["staticPodPath"]


def test_a_denied_field_that_does_not_exist_refuses_every_bundle(node: Node) -> None:
    node.component = node.component._replace(deny=DenyPolicy(additional=("staticPodPaht",)))
    [finding] = node.validate("maxPods: 50\n")
    assert finding.level == "policy"
    assert "staticPodPaht, which is not a field of a KubeletConfiguration" in finding.message


@pytest.mark.contract("render.relative-paths")
def test_relative_paths_are_refused_in_the_document_and_kept_where_a_flag_has_them(node: Node) -> None:
    findings = node.validate("tlsCertFile: server.crt\n")
    assert ("tlsCertFile", "policy", "relative-path") in summaries(findings)
    node.argv += ["--tls-cert-file=server.crt", "--tls-private-key-file=server.key"]
    assert node.validate("maxPods: 50\n") == []


@pytest.mark.contract("render.instance-config")
def test_what_counts_is_the_document_with_the_instance_config(node: Node) -> None:
    text = "enforceNodeAllocatable: [pods, system-reserved]\n"
    [finding] = node.validate(text)
    assert (finding.field, finding.level) == ("enforceNodeAllocatable", "component")
    node.instance(KUBELET_HEADER + "systemReservedCgroup: /system.slice\n")
    assert node.validate(text) == []
    node.instance("maxPod: 1\n")
    [finding] = node.validate("maxPods: 50\n")
    assert (finding.field, finding.level, finding.file) == ("maxPod", "policy", str(node.directory / "instance.yaml"))


ODD = [
    # (text, first error on the node and offline, values that the component reads)
    ("maxPods: 1\n---\nmaxPods: 2\n", "kubelet: a second document follows; only the first one is read", {"maxPods": 1}),
    ("maxPods: 9223372036854775808\n", "kubelet: maxPods: must be a whole number between", {}),
    ("maxPods: 1:20\n", "kubelet: maxPods: must be a whole number, without quotes", {"maxPods": "1:20"}),
    ("clusterDomain: 1:20\n", "kubelet: clusterDomain: must be a DNS domain", {"clusterDomain": "1:20"}),
    ("maxPods: 4.1e1\n", "", {"maxPods": 41}),
    ("maxPods: 110.0\n", "", {"maxPods": 110}),
    ("clusterDomain: !!python/name:a.b x\n", "kubelet: clusterDomain: YAML tags other than the basic ones", {}),
    ("failSwapOn: n\n", "", {"failSwapOn": False}),
    ("clusterDomain: n\n", "kubelet: clusterDomain: must be a string: write it in quotes", {"clusterDomain": False}),
    ("memoryThrottlingFactor: .nan\n", "kubelet: memoryThrottlingFactor: .nan is not a JSON number", None),
    ("clusterDomain: 2026-01-01\n", "", {"clusterDomain": "2026-01-01"}),
    ("maxPods: x\nclusterDNS: [y]\nfoo: 1\n", "kubelet: maxPods: must be a whole number", {}),
]


def _sentence(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(finding[key] for key in ("line", "path", "value", "message", "level"))


@pytest.mark.contract("validate.for-the-version", "render.instance-config")
@pytest.mark.parametrize(
    "drop_in", ["", KUBELET_HEADER + "eventBurst: 100\n", "{}\n"], ids=["no drop-in", "YAML", "JSON"]
)
@pytest.mark.parametrize("instance", ["", "healthzPort: 10249\n", "{}\n"], ids=["no instance config", "YAML", "JSON"])
@pytest.mark.parametrize(("text", "message", "_values"), ODD, ids=[row[0] for row in ODD])
def test_the_first_error_is_that_of_the_component_and_the_same_as_offline(
    node: Node, text: str, message: str, _values: Any, instance: str, drop_in: str
) -> None:
    if instance:
        node.instance(instance)
    if drop_in:
        node.drop_in("10-more.conf", drop_in)
    findings = [finding.as_dict() for finding in node.validate(text)]
    offline = [
        finding.as_dict()
        for finding in check(
            KUBELET_HEADER + text, file="bundle", component="kubelet", versions=["v1.31.0"], bundle=True
        )
    ]
    assert (first_error_text("kubelet", findings) if refusing_findings(findings) else "").startswith(message)
    assert [_sentence(finding) for finding in refusing_findings(findings)] == [
        _sentence(finding) for finding in refusing_findings(offline)
    ]
    assert bool(refusing_findings(findings)) is bool(message)


def test_a_json_document_is_validated_as_json_whatever_is_merged_into_it(node: Node) -> None:
    text = b'{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "maxPods": 110.0}'
    node.instance("healthzPort: 10249\n")
    node.drop_in("10-more.conf", KUBELET_HEADER + "eventBurst: 100\n")
    [finding] = validate_on_node(
        text,
        "bundle",
        node.component,
        inputs=node.inputs,
        version="v1.31.0",
        host_only=False,
        read_host=node.read_host,
    )
    [offline] = check(text, file="bundle", component="kubelet", versions=["v1.31.0"], bundle=True)
    assert _sentence(finding.as_dict()) == _sentence(offline.as_dict())


@pytest.mark.contract("render.instance-config")
@pytest.mark.parametrize(("text", "_message", "values"), [row for row in ODD if row[2]], ids=str)
def test_values_merged_with_an_instance_config_are_the_validated_ones(text: str, _message: str, values: Any) -> None:
    written = json.loads(render_config(KUBELET_HEADER + text, "healthzPort: 10249\n"))
    assert {key: written[key] for key in values} == values
    assert [type(written[key]) for key in values] == [type(value) for value in values.values()]


@pytest.mark.contract("validate.host-checks")
def test_the_host_is_checked_with_the_flags_that_override_the_file(node: Node) -> None:
    node.host = SWAPPING
    [finding] = node.validate("maxPods: 50\n")
    assert (finding.field, finding.value, finding.rule) == ("failSwapOn", "true", "host:swap-on")
    node.argv.append("--fail-swap-on=false")
    assert node.validate("maxPods: 50\n") == []
    node.component = node.component._replace(host_checks=False)
    node.argv.pop()
    assert node.validate("maxPods: 50\n") == []


def test_a_flag_can_switch_on_the_gate_that_a_field_needs(node: Node) -> None:
    text = "memorySwap: {swapBehavior: LimitedSwap}\nfailSwapOn: false\n"
    assert [finding.level for finding in node.validate(text, version="v1.22.0")] == ["component"]
    node.argv.append("--feature-gates=NodeSwap=true")
    assert node.validate(text, version="v1.22.0") == []


def test_an_error_in_a_flag_is_only_a_warning_for_the_bundle(node: Node) -> None:
    node.argv.append("--max-pods=-5")
    [finding] = node.validate("podsPerCore: 5\n")
    assert (finding.field, finding.level, finding.file) == ("maxPods", "warning", "--max-pods")


@pytest.mark.parametrize(
    ("version", "text", "drop_in", "paths"),
    [
        ("v1.27.3", "failSwapOn: true\n", "failSwapOn: false\n", ["failSwapOn"]),
        ("v1.28.4", "failSwapOn: true\n", "failSwapOn: false\n", ["failSwapOn"]),
        ("v1.28.4", "failSwapOn: false\n", "maxPods: 60\n", ["failSwapOn"]),
        ("v1.29.1", "failSwapOn: true\n", "failSwapOn: false\n", []),
        ("v1.31.0", "failSwapOn: false\n", "failSwapOn: null\n", []),
        ("v1.32.0", "failSwapOn: false\n", "failSwapOn: null\n", ["failSwapOn"]),
    ],
)
def test_drop_ins_are_merged_as_the_kubelet_of_this_node_does(
    node: Node, version: str, text: str, drop_in: str, paths: list[str]
) -> None:
    node.host = SWAPPING
    node.drop_in("10-swap.conf", KUBELET_HEADER + drop_in)
    assert [finding.field for finding in node.validate(text, version=version)] == paths


@pytest.mark.parametrize(("version", "is_refused"), [("v1.31.0", False), ("v1.32.0", True), ("v1.36.3", True)])
@pytest.mark.parametrize("drop_in", ["", "evictionHard: {memory.available: 222Mi}\n"], ids=["no drop-in", "drop-in"])
def test_an_empty_list_below_a_drop_in_directory_is_its_default(
    node: Node, version: str, is_refused: bool, drop_in: str
) -> None:
    (node.directory / "conf.d").mkdir()
    node.argv.append(f"--config-dir={node.directory}/conf.d")
    if drop_in:
        node.drop_in("10-own.conf", KUBELET_HEADER + drop_in)
    findings = node.validate("cgroupsPerQOS: false\nenforceNodeAllocatable: []\n", version=version)
    assert any(finding.is_refusal for finding in findings) is is_refused
    text = "enforceNodeAllocatable: []\n"
    [*without_effect] = [finding for finding in node.validate(text, version=version) if not finding.is_refusal]
    named = [("enforceNodeAllocatable", "warning", "drop-ins")] if is_refused else []
    assert summaries(without_effect) == named


@pytest.mark.contract("render.shadowed")
def test_drop_ins_override_the_file_and_their_errors_are_only_warnings_for_the_bundle(node: Node) -> None:
    node.host = SWAPPING
    path = node.drop_in("90-swap.conf", KUBELET_HEADER + "failSwapOn: false\nmaxPod: 1\n")
    node.drop_in("README", "not a drop-in")
    [finding] = node.validate("failSwapOn: true\n")
    assert (finding.field, finding.level, finding.file) == ("maxPod", "warning", path)


@pytest.mark.parametrize(("text", "problem"), [("{{{not yaml", "not valid JSON"), ("a: [\n", "not valid YAML")])
def test_a_broken_drop_in_is_named_by_its_path(node: Node, text: str, problem: str) -> None:
    path = node.drop_in("40-bad.conf", text)
    findings = [finding.as_dict() for finding in node.validate("maxPods: 50\n")]
    assert first_error_text("kubelet", findings).startswith(f"kubelet: {path}: {problem}")


def test_a_broken_bundle_has_no_path(node: Node) -> None:
    findings = [finding.as_dict() for finding in node.validate("{{{not yaml")]
    assert first_error_text("kubelet", findings).startswith("kubelet: not valid YAML")


def test_findings_on_the_document_and_on_the_config_are_bounded_together(node: Node) -> None:
    node.component = node.component._replace(deny=DenyPolicy(additional=("registerWithTaints.*.key",)))
    taints = "".join(f"- {{key: k{number}, effect: NoSchedule}}\n" for number in range(150))
    findings = node.validate(f"registerWithTaints:\n{taints}maxPod: 1\n")
    assert (len(findings), findings[-1].rule) == (MAX_FINDINGS + 1, "more")


def test_known_means_the_host_alone(node: Node) -> None:
    node.host = SWAPPING
    assert summaries(node.validate("maxPod: 1\n", known=True)) == [("failSwapOn", "component", "host:swap-on")]


@pytest.mark.parametrize("text", ["- a\n", "", "{", "apiVersion: v1\nkind: ConfigMap\n"])
def test_text_that_is_not_a_config_gives_findings_and_never_a_traceback(node: Node, text: str) -> None:
    node.instance("healthzPort: 10249\n")
    findings = validate_on_node(
        text.encode(),
        "bundle",
        node.component,
        inputs=NodeInputs(arguments=tuple(node.argv)),
        version="v1.31.0",
        host_only=False,
        read_host=node.read_host,
    )
    assert findings
    assert "component" in {finding.level for finding in findings}


def test_an_instance_config_that_is_not_an_object_is_refused(node: Node) -> None:
    node.instance("- a\n")
    rows: list[Any] = summaries(node.validate("maxPods: 50\n"))
    assert ("", "component", "") in rows


def test_the_content_that_was_read_once_is_validated_whatever_the_file_says_now(node: Node) -> None:
    node.instance(KUBELET_HEADER + "systemReservedCgroup: /system.slice\n")
    drop_in = node.drop_in("10-swap.conf", KUBELET_HEADER + "failSwapOn: false\n# \xe4\n")
    Path(drop_in).write_bytes(Path(drop_in).read_text().encode("utf-16"))
    node.host = SWAPPING
    inputs = NodeInputs.from_dict(json.loads(json.dumps(node.inputs.to_dict())))
    node.instance(KUBELET_HEADER + "maxPod: 1\n")
    Path(drop_in).unlink()
    text = (KUBELET_HEADER + "enforceNodeAllocatable: [pods, system-reserved]\n").encode()
    options: dict[str, Any] = {"version": "v1.31.0", "host_only": False, "read_host": node.read_host}
    [finding] = validate_on_node(text, "bundle", node.component, inputs=inputs, **options)
    assert (finding.level, finding.file, finding.message) == (
        "warning",
        drop_in,
        "the file is UTF-16: write it in UTF-8",
    )


def test_the_gates_of_another_component_are_those_of_its_command_line(node: Node) -> None:
    node.component = ComponentConfiguration("kube-scheduler", "kube-scheduler.service", deny=DenyPolicy())
    node.argv = ["/usr/bin/kube-scheduler", "--config=/c"]
    text = (
        b"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        b"profiles: [{pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 10s}}]}]\n"
    )

    def levels() -> list[str]:
        options: dict[str, Any] = {"version": "v1.35.0", "host_only": False, "read_host": node.read_host}
        inputs = NodeInputs(arguments=tuple(node.argv))
        findings = validate_on_node(text, "bundle", node.component, inputs=inputs, **options)
        return [str(finding.level) for finding in findings if finding.field.endswith("bindingTimeout")]

    assert levels() == ["component"]
    node.argv.append("--feature-gates=DRADeviceBindingConditions=true")
    assert levels() == []
    node.argv = []
    assert levels() == ["warning"]
