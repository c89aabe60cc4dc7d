# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's own config: it is decoded strictly, with defaults, and all errors are reported at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    InvalidConfiguration,
    load_configuration,
    parse_configuration,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy


def minimal(**more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "agent.config.configok.dev/v1alpha1",
        "kind": "AgentConfiguration",
        "nodeName": "n1",
        "kubeconfig": "/etc/kubernetes/kubelet.conf",
        "components": {"kubelet": {}},
        **more,
    }


def parse(data: Any) -> AgentConfiguration:
    return parse_configuration(json.dumps(data), file="agent.yaml")


def errors(data: Any) -> list[str]:
    with pytest.raises(InvalidConfiguration) as caught:
        parse(data)
    return list(caught.value.errors)


@pytest.mark.contract("probe.settling", "probe.health-timeout")
def test_defaults_are_filled_in() -> None:
    configuration = parse(minimal())
    assert configuration.namespace == "configok-system"
    assert configuration.state_directory == "/var/lib/configok"
    assert configuration.dynamic_config is True
    assert configuration.settling_time == 0.5
    assert (configuration.health.timeout, configuration.health.unhealthy_threshold) == (120.0, 3)
    kubelet = configuration.components["kubelet"]
    assert (kubelet.unit, kubelet.lease, kubelet.serving_probe) == ("kubelet.service", True, True)
    assert kubelet.deny == DenyPolicy()
    assert {"staticPodPath", "authentication"} < set(kubelet.deny.patterns("KubeletConfiguration"))


def test_what_only_the_kubelet_has_is_off_for_others() -> None:
    proxy = parse(minimal(components={"kube-proxy": None})).components["kube-proxy"]
    assert (proxy.unit, proxy.lease, proxy.serving_probe) == ("kube-proxy.service", False, False)


def test_every_setting_is_read() -> None:
    configuration = parse(
        minimal(
            namespace="bundles",
            stateDirectory="/s",
            runDirectory="/r",
            dynamicConfig=False,
            settlingTime="250ms",
            healthTimeout="1m30s",
            unhealthyThreshold=5,
            probeInterval=2,
            heartbeatInterval="5m",
            checkpointsKept=9,
            components={
                "kubelet": {
                    "unit": "k3s@1.service",
                    "initConfig": "/i",
                    "initConfigOrigin": "/var/lib/kubelet/config.yaml",
                    "instanceConfig": "/n",
                    "version": "v1.35.2",
                    "versionCommand": ["/usr/bin/kubelet", "--version"],
                    "checkCommand": ["/usr/bin/check"],
                    "rootDirectory": "/data/kubelet",
                    "healthURL": "http://127.0.0.1:10248/healthz",
                    "servingProbe": False,
                    "lease": False,
                }
            },
        )
    )
    assert (configuration.settling_time, configuration.health.timeout) == (0.25, 90)
    assert (configuration.health.probe_interval, configuration.heartbeat_interval) == (2, 300)
    kubelet = configuration.components["kubelet"]
    assert kubelet.init_config_origin == "/var/lib/kubelet/config.yaml"
    assert kubelet.root_directory == "/data/kubelet"
    assert parse(minimal()).components["kubelet"].root_directory == "/var/lib/kubelet"


def test_a_static_pod_has_a_manifest_and_directories_that_its_options_may_name() -> None:
    pod = {
        "staticPod": "/m/kube-apiserver.yaml",
        "hostPaths": [{"path": "/var/log/a", "writable": True}, {"path": "/b"}],
    }
    component = parse(minimal(components={"kube-apiserver": pod})).components["kube-apiserver"]
    assert (component.manifest, component.host_paths) == (
        "/m/kube-apiserver.yaml",
        (("/var/log/a", True), ("/b", False)),
    )


def test_additional_and_allowed_fields_leave_the_default_in_place() -> None:
    kubelet = {"additionalDeniedFields": ["maxPods"], "allowedFields": ["staticPodPath", "*"]}
    deny = parse(minimal(components={"kubelet": kubelet})).components["kubelet"].deny
    assert deny == DenyPolicy(additional=("maxPods",), allowed=("staticPodPath", "*"))
    assert {"maxPods", "authentication"} < set(deny.patterns("KubeletConfiguration"))


def test_yaml_is_read_as_json_is() -> None:
    text = """\
apiVersion: agent.config.configok.dev/v1alpha1
kind: AgentConfiguration
nodeName: n1
kubeconfig: /etc/kubernetes/kubelet.conf
components:
  kubelet: {}
"""
    assert parse_configuration(text, file="agent.yaml") == parse(minimal())


def test_all_errors_are_reported_at_once_each_with_its_field() -> None:
    messages = errors(
        minimal(
            nodeName="N_1",
            kubeconfig="kubelet.conf",
            settlingTime="soon",
            unhealthyThreshold=0,
            colour="red",
            components={"kubelet": {"unit": "kubelet", "versionCommand": ["kubelet"], "initconfig": "/x"}, "A b": {}},
        )
    )
    assert [line.split(" ")[1].rstrip(":") for line in messages] == [
        "nodeName",
        "kubeconfig",
        "settlingTime",
        "unhealthyThreshold",
        "components.kubelet.unit",
        "components.kubelet.versionCommand",
        "components.kubelet.initconfig",
        "components.A",
        "colour",
    ]
    assert messages[0] == 'agent.yaml: nodeName: "N_1" must be the name of a Node (lower case letters, digits, - and .)'
    assert messages[-1] == "agent.yaml: colour is an unknown field"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"apiVersion": "v2"}, "must be agent.config.configok.dev/v1alpha1 and AgentConfiguration"),
        ({"nodeName": None}, "nodeName is required"),
        ({"components": {}}, "at least one"),
        ({"components": {"trial": {}}}, "bare name of a component"),
        ({"components": {"kubelet": []}}, "components.kubelet must hold an object"),
        ({"serviceManager": "runit"}, "serviceManager is an unknown field"),
        ({"components": {"kubelet": {"command": ["/bin/kubelet"]}}}, "components.kubelet.command is an unknown field"),
        ({"dynamicConfig": "no"}, "must be true or false"),
        ({"unhealthyThreshold": True}, "must be a whole number from 1 to 1000"),
        ({"healthTimeout": 0}, "must be at least 0.1s"),
        ({"probeInterval": "721h"}, "must be a duration"),
        ({"components": {"kubelet": {"additionalDeniedFields": ["a b"]}}}, "must be a list of field paths"),
        ({"components": {"kubelet": {"allowedFields": "maxPods"}}}, "must be a list of strings"),
        ({"components": {"kubelet": {"additionalDeniedFields": ["a..b"]}}}, "must be a list of field paths"),
        ({"components": {"kubelet": {"healthURL": "ftp://x"}}}, "http or https"),
        ({"stateDirectory": "/a\nb"}, "absolute path"),
        (
            {"components": {"kubelet": {"staticPod": "/m"}}},
            'kubelet.staticPod: "/m" is for components that have options',
        ),
        ({"components": {"kube-scheduler": {"staticPod": "m"}}}, "must be an absolute path"),
        ({"components": {"kube-scheduler": {"hostPaths": "/b"}}}, "must be a list of objects"),
        ({"components": {"kube-scheduler": {"hostPaths": [{"writable": True}]}}}, "hostPaths[0].path is required"),
        ({"components": {"kube-scheduler": {"hostPaths": [{"path": "/b", "a": 1}]}}}, "hostPaths[0].a is an unknown"),
    ],
)
def test_an_invalid_setting_is_refused(change: dict[str, Any], message: str) -> None:
    assert message in "; ".join(errors(minimal(**change)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind": "a", "kind": "b"}', "'kind' is there twice"),
        ("kind: a\nkind: b\n", "duplicate field"),
        ("a: [", "agent.yaml"),
        ("", "must hold an object"),
        ("[" * 100_000, "deep"),
    ],
)
def test_text_that_is_not_a_configuration_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidConfiguration, match=message):
        parse_configuration(text, file="agent.yaml")


def test_a_file_that_cannot_be_read_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfiguration, match="No such file"):
        load_configuration(str(tmp_path / "agent.yaml"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InvalidConfiguration, match="UTF-8"):
        load_configuration(str(tmp_path / "binary"))
    (tmp_path / "large").write_bytes(b" " * 300_000)
    with pytest.raises(InvalidConfiguration, match="larger than"):
        load_configuration(str(tmp_path / "large"))


@pytest.mark.parametrize(
    ("field", "value", "good"),
    [
        ("metricsFile", "/var/lib/prometheus/node-exporter/configok.prom", True),
        ("metricsFile", "", True),
        ("metricsFile", "/var/lib/x/configok.txt", False),  # node_exporter would not read it
        ("metricsFile", "configok.prom", False),
        ("metricsFile", "/.prom", False),
        ("metricsAddress", "127.0.0.1:9917", True),
        ("metricsAddress", "[::1]:65535", True),
        ("metricsAddress", "", True),
        ("metricsAddress", "0.0.0.0:9917", False),
        ("metricsAddress", "127.0.0.1:65536", False),
        ("metricsAddress", "127.0.0.1:0", False),
        ("metricsAddress", ":9917", False),
        ("metricsAddress", 9917, False),
    ],
)
def test_metrics_are_a_prom_file_or_a_loopback_port(field: str, value: object, good: bool) -> None:
    data = minimal(**{field: value})
    if good:
        assert value in parse(data).metrics
    else:
        assert [field in error for error in errors(data)] == [True]
