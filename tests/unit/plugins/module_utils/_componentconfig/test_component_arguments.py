# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A check of the extra arguments in kubeadm's files."""

from __future__ import annotations

import time

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_findings import Argument
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_arguments import (
    argument_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.configs.checking import check_file


def config(kind: str, fields: str, version: str = "v1beta4") -> str:
    return f"apiVersion: kubeadm.k8s.io/{version}\nkind: {kind}\n{fields}"


def node(arguments: str) -> str:
    return f"nodeRegistration: {{kubeletExtraArgs: {arguments}}}\n"


DISCOVERY = (
    "discovery: {bootstrapToken: {apiServerEndpoint: '192.0.2.1:6443', token: abcdef.0123456789abcdef,"
    " unsafeSkipCAVerification: true}}\n"
)


@pytest.mark.parametrize(
    ("text", "version", "path", "message"),
    [
        (
            config("InitConfiguration", node("[{name: pod-infra-container-image, value: a}]")),
            "1.35",
            "nodeRegistration.kubeletExtraArgs[0].value",
            "--pod-infra-container-image: kubelet has it up to Kubernetes 1.34 only",
        ),
        (
            config("InitConfiguration", node("[{name: v, value: '2'}, {name: '--node-ip', value: 192.0.2.1}]")),
            "1.33",
            "nodeRegistration.kubeletExtraArgs[1].name",
            "two dashes are put before the name of a flag: write node-ip",
        ),
        (
            config("JoinConfiguration", DISCOVERY + node("{node-labels: node-role.kubernetes.io/x=}"), "v1beta3"),
            "1.28",
            "nodeRegistration.kubeletExtraArgs.node-labels",
            'the kubelet may not set the label "node-role.kubernetes.io/x"',
        ),
        (
            config("InitConfiguration", node("{cgroup-root: /a, topology-manager-policy: nonsense}"), "v1beta3"),
            "1.28",
            "nodeRegistration.kubeletExtraArgs.topology-manager-policy",
            "--topology-manager-policy: topologyManagerPolicy: must be one of",
        ),
        (
            config("InitConfiguration", node("{max-pods: '-1'}"), "v1beta3"),
            "1.28",
            "nodeRegistration.kubeletExtraArgs.max-pods",
            "--max-pods: maxPods: must be >= 0",
        ),
        (
            config("ClusterConfiguration", "apiServer: {extraArgs: {feature-gates: BlockVolume=true}}\n", "v1beta2"),
            "1.21",
            "apiServer.extraArgs.feature-gates",
            "--feature-gates: BlockVolume: unknown feature gate: it is gone since Kubernetes 1.21",
        ),
        (
            config("ClusterConfiguration", "controllerManager: {extraArgs: [{name: port, value: '0'}]}\n"),
            "1.33",
            "controllerManager.extraArgs[0].value",
            "kube-controller-manager has it up to",
        ),
        (
            config("ClusterConfiguration", "scheduler: {extraArgs: {'': a}}\n", "v1beta3"),
            "1.30",
            "scheduler.extraArgs[]",
            "must be the name of a flag",
        ),
    ],
)
def test_an_extra_argument_is_refused(text: str, version: str, path: str, message: str) -> None:
    (finding,) = check_file(text, versions=[version])
    assert (str(finding.level), finding.field) == ("component", path)
    assert message in finding.message
    assert finding.line is not None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (config("InitConfiguration", node("[{name: node-ip, value: 192.0.2.1}]")), "1.33"),
        (config("InitConfiguration", node("[{name: max_pods, value: '9'}]")), "1.33"),
        (config("InitConfiguration", node("{container-runtime: remote}"), "v1beta3"), "1.26"),
        (
            config("ClusterConfiguration", "apiServer: {extraArgs: {feature-gates: BlockVolume=true}}", "v1beta2"),
            "1.20",
        ),
        (config("ClusterConfiguration", "etcd: {local: {extraArgs: [{name: snapshot-count, value: '9'}]}}\n"), "1.33"),
        # the reservation that this option needs may be in the kubelet's file
        (config("InitConfiguration", node("{cpu-manager-policy: static}"), "v1beta3"), "1.28"),
    ],
)
def test_other_arguments_are_taken(text: str, version: str) -> None:
    assert check_file(text, versions=[version]) == []


def test_an_argument_of_etcd_that_is_not_known_is_not_judged() -> None:
    text = config("ClusterConfiguration", "etcd: {local: {extraArgs: [{name: nonsense, value: a}]}}\n")
    (finding,) = check_file(text, versions=["1.33"])
    assert (finding.level, finding.field) == (Level.NOT_JUDGED, "etcd.local.extraArgs[0].value")


def test_an_argument_of_a_wrong_type_is_one_finding() -> None:
    text = config("InitConfiguration", node("[{name: v, value: 2}, {name: max-pods, value: x}]"))
    findings = {finding.field: finding.message for finding in check_file(text, versions=["1.33"])}
    assert findings == {
        "nodeRegistration.kubeletExtraArgs[0].value": "must be a string: write it in quotes",
        "nodeRegistration.kubeletExtraArgs[1].value": '--max-pods: "x": must be a whole number',
    }


def test_an_unexpanded_variable_is_not_judged() -> None:
    text = config("InitConfiguration", node("[{name: node-ip, value: '${NODE_IP}'}]"))
    (finding,) = check_file(text, versions=["1.33"])
    assert (str(finding.level), finding.message, finding.why) == (
        "not-judged",
        "the value of a flag",
        "an unexpanded variable",
    )


def test_a_document_in_a_config_map_is_checked_too() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  ClusterConfiguration: |\n"
    inner = config("ClusterConfiguration", "apiServer: {extraArgs: [{name: insecure-port, value: '0'}]}\n")
    text += "".join(f"    {line}\n" for line in inner.splitlines())
    assert [str(finding.level) for finding in check_file(text, versions=["1.33"])] == ["component"]


def test_flags_of_a_component_without_fields_need_no_kind() -> None:
    arguments = [Argument(("a",), "secure-port", "x")]
    assert [finding.path for finding in argument_findings("kube-apiserver", arguments, 30)] == [("a",)]


@pytest.mark.parametrize(
    "arguments",
    [
        "{registry-password: hunter2}",
        "{--storage-driver-password: hunter2}",
        "{token: hunter2}",
        "[{name: registry-password, value: hunter2}]",
        "[{name: --storage-driver-password, value: hunter2}]",
    ],
)
def test_the_value_of_a_secret_flag_is_not_shown(arguments: str) -> None:
    version = "v1beta4" if arguments.startswith("[") else "v1beta3"
    findings = check_file(config("InitConfiguration", node(arguments), version), versions=["1.36"])
    assert any("flag" in finding.message or "kubelet has" in finding.message for finding in findings)
    assert "hunter2" not in "".join(map(str, findings))


def test_many_unknown_flags_take_no_time() -> None:
    arguments = [Argument((index,), f"max-pod{index}", "1") for index in range(20_000)]
    began = time.monotonic()
    findings = list(argument_findings("kubelet", arguments, 30))
    assert len(findings) == len(arguments)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("kind", "fields", "version"),
    [
        ("InitConfiguration", node("{registry-password: hunter2}"), "v1beta3"),
        ("InitConfiguration", node("[{name: registry-password, value: hunter2}]"), "v1beta4"),
        ("ClusterConfiguration", "apiServer: {extraArgs: {no-such-flag: hunter2}}", "v1beta3"),
    ],
)
def test_without_a_check_of_arguments_they_are_not_judged(kind: str, fields: str, version: str) -> None:
    findings = check(config(kind, fields, version), versions=["1.34"])
    causes = [str(finding) for finding in findings if finding.level is Level.NOT_JUDGED]
    assert len(causes) == 1
    assert "flags of components: this check does not read flags inside files" in causes[0]
    assert "hunter2" not in "".join(map(str, findings))
