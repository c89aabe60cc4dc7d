# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a static Pod are validated as the node would run them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
    InvalidConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validate_on_node import (
    check_deny_policy,
    validate_on_node,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Host
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import read_manifest
from support.configs.kubelet import KUBELET_HEADER
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options

API_SERVER = ComponentConfiguration("kube-apiserver", "", manifest="/m/kube-apiserver.yaml")


def validate(
    document: Mapping[str, Any] | str, component: ComponentConfiguration = API_SERVER, *flags: str
) -> list[Finding]:
    """Return the findings on a document, for a manifest of kubeadm. flags: in addition to those of that."""
    manifest = read_manifest(manifest_bytes(kubeadm_pod("kube-apiserver", *flags)), component.manifest)
    text = document if isinstance(document, str) else json.dumps(document)
    return validate_on_node(
        text.encode(),
        "bundle",
        component,
        inputs=NodeInputs(arguments=(component.name, *manifest.arguments)),
        version="v1.24.0",
        host_only=False,
        read_host=lambda _query: Host(),
        manifest=manifest,
    )


def refusals(findings: list[Finding]) -> list[str]:
    return [str(finding) for finding in findings if finding.is_refusal]


def test_options_that_the_component_takes_pass() -> None:
    assert refusals(validate(component_options({"audit-log-maxage": 30, "profiling": False}))) == []


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (component_options({"audit-log-maxage": "many"}), "audit-log-maxage"),
        (component_options({"secure-port": 1}), "secure-port"),
        (component_options({"audit-log-path": "/var/log/audit/a.log"}), "does not allow it (hostPaths)"),
        (component_options({"profiling": False}, component="kube-scheduler"), "must be kube-apiserver, whose key"),
        (KUBELET_HEADER + "maxPods: 1\n", "must be ComponentOptions: kube-apiserver runs as a static Pod here"),
    ],
)
def test_options_that_it_does_not_take_are_refused(document: Mapping[str, Any] | str, sentence: str) -> None:
    assert sentence in "\n".join(refusals(validate(document)))


def test_options_are_refused_for_a_unit() -> None:
    unit = ComponentConfiguration("kube-apiserver", "apiserver.service")
    sentences = refusals(validate(component_options({"profiling": False}), unit))
    assert any(
        "must not be ComponentOptions: kube-apiserver runs as the unit apiserver.service" in text for text in sentences
    )


def test_a_directory_that_the_node_allows_can_be_named() -> None:
    deny = DenyPolicy(allowed=("flags.audit-log-path",))
    component = API_SERVER._replace(host_paths=(("/var/log/audit", True),), deny=deny)
    flags = {"audit-log-path": "/var/log/audit/a.log"}
    assert refusals(validate(component_options(flags, {"audit.yaml": {"content": AUDIT_POLICY}}), component)) == []


def test_what_is_wrong_with_the_manifest_alone_refuses_no_options() -> None:
    """kubeadm's manifest of another release has a flag that is removed, and the component runs with it."""
    findings = validate(component_options({"profiling": False}), API_SERVER, "--insecure-port=0")
    assert refusals(findings) == []
    assert any("insecure-port" in finding.message and finding.level == "warning" for finding in findings)


def test_a_directory_that_cannot_be_mounted_is_an_error_of_the_agents_own_config() -> None:
    component = API_SERVER._replace(host_paths=(("/etc/kubernetes/pki", False),))
    with pytest.raises(
        InvalidConfiguration, match=r"kube-apiserver.hostPaths\[0\]: '/etc/kubernetes/pki' must not be below"
    ):
        check_deny_policy(AgentConfiguration("n1", "/k", {"kube-apiserver": component}))
