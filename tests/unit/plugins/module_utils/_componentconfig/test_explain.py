# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explanations of fields and gates, and suggestions for unknown names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import gate_names
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from support.fuzz.settings import fuzz


def test_a_field_is_explained() -> None:
    assert explain("maxPods").lines == [
        "maxPods, of KubeletConfiguration (kubelet.config.k8s.io/v1beta1)",
        "  type        int32",
        "  versions    from 1.20 or earlier",
        "  default     1.20   110",
        "  rules       max-pods from 1.20 or earlier",
        "              plausible-size from 1.20 or earlier",
        "  disruption  restart-may-reject: restart; pods over the new bound fail admission at restart, node capacity "
        "changes",
        "  note        lowering below the running count rejects pods at restart; check the pod CIDR size before "
        "raising",
    ]


@pytest.mark.parametrize(
    ("kind", "path", "fact", "value"),
    [
        ("kubelet", "eventRecordQPS", "default", [{"since": "1.20", "value": "5"}, {"since": "1.27", "value": "50"}]),
        (
            "kubelet",
            "memorySwap.swapBehavior",
            "allowed",
            [
                {"since": "1.22", "value": "LimitedSwap, UnlimitedSwap"},
                {"since": "1.30", "value": "NoSwap, LimitedSwap"},
            ],
        ),
        ("kubelet", "memorySwap", "fields", ["swapBehavior"]),
        ("kubelet", "crashLoopBackOff", "versions", "from 1.32"),
        ("kubelet", "logging.sanitization", "versions", "from 1.20 or earlier to 1.23"),
        ("kubelet", "staticPodPath", "remark", ["a path: absolute in a bundle"]),
        ("kubelet", "providerID", "remark", ["belongs to one node: into its instance config, never a bundle"]),
        ("kubelet", "registerWithTaints[].key", "type", "string"),
        ("kubelet", "registerWithTaints[0].key", "type", "string"),
        ("kubelet", "evictionHard[memory.available]", "type", "map<string>"),
        ("kubelet", "evictionHard.memory.available", "type", "map<string>"),
        ("KubeletConfiguration", "maxPods", "type", "int32"),
        ("kube-proxy", "clusterCIDR", "disruption", "restart: a restart of kube-proxy applies it"),
        ("kube-proxy", "mode", "disruption", "reboot: drain and reboot the node with the new value"),
        (
            "kubelet",
            "staticPodPath",
            "disruption",
            "stop-static-pods: restart; static pods that the kubelet no longer finds stop, on a kubeadm control "
            "plane its API server and etcd among them",
        ),
        (
            "EncryptionConfiguration",
            "resources.providers.aescbc.keys.secret",
            "remark",
            ["a secret: never in a bundle"],
        ),
        ("AuthenticationConfiguration", "jwt", "disruption", "live: kube-apiserver reads the file again by itself"),
    ],
)
def test_an_explanation_has_facts_as_data(kind: str, path: str, fact: str, value: Any) -> None:
    assert explain(path, kind=kind).facts[fact] == value


def test_a_gate_is_explained_with_its_stages() -> None:
    explanation = explain("featureGates.NodeSwap")
    assert explanation.heading == "NodeSwap, a feature gate"
    assert [(stage["since"], stage["state"]) for stage in explanation.facts["stages"]] == [
        ("1.22", "Alpha, off"),
        ("1.28", "Beta, off"),
        ("1.30", "Beta, on"),
        ("1.34", "GA, on, locked"),
    ]


def test_a_gate_that_is_gone_and_gates_that_need_each_other() -> None:
    assert explain("featureGates.DynamicKubeletConfig").facts["stages"][-1]["state"] == "gone"
    needing = {gate: explain(f"featureGates.{gate}").facts.get("needs") for gate in gate_names()}
    assert sum(bool(needs) for needs in needing.values()) >= 33
    (gate, needs), *_others = (
        (gate, needs) for gate, needs in needing.items() if needs and needs[-1]["gates"] != "none"
    )
    assert gate in explain(f"featureGates.{needs[-1]['gates'].split(', ')[0]}").facts["needed_by"]


def test_a_kind_is_explained_in_its_newest_version_or_that_of_a_minor() -> None:
    assert explain("", kind="kube-scheduler").heading.startswith(
        "KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), read by kube-scheduler"
    )
    assert "v1beta2" in explain("", kind="kube-scheduler", version="1.22").heading
    assert "maxPods" in explain("").facts["fields"]


@pytest.mark.parametrize(
    ("kind", "path", "sentence"),
    [
        ("kubelet", "maxPod", "KubeletConfiguration has no field maxPod; did you mean maxPods?"),
        ("kubelet", "maxpods", "did you mean maxPods?"),
        ("kubelet", "swapBehavior", "did you mean memorySwap.swapBehavior?"),
        ("kubelet", "memorySwap.behaviour", "KubeletConfiguration has no field memorySwap.behaviour"),
        ("kubelet", "NodeSwap", "did you mean featureGates.NodeSwap?"),
        ("kubelet", "maxPods.more", "KubeletConfiguration has no field maxPods.more; did you mean maxPods?"),
        ("kubelet", "featureGates.NodeSwp", "NodeSwp is not a known feature gate; did you mean featureGates.Node"),
        ("kublet", "maxPods", "kublet is not a known component or kind; did you mean kubelet"),
        ("kubelet", "qqqqqqqq", "KubeletConfiguration has no field qqqqqqqq$"),
    ],
)
def test_what_is_not_known(kind: str, path: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence.replace("?", r"\?")):
        explain(path, kind=kind)


@pytest.mark.parametrize("version", ["1.3", "1.19", "1.100"])
def test_a_version_that_is_not_known_is_refused(version: str) -> None:
    with pytest.raises(ConfigError, match=f"^Kubernetes {version} is not known here, 1.20 to "):
        explain("maxPods", version=version)


@pytest.mark.parametrize("kind", sorted({kind.kind for kind in kinds()}))
def test_every_field_of_every_kind_can_be_explained(kind: str) -> None:
    pending = list(explain("", kind=kind).facts["fields"])
    while pending:
        path = pending.pop()
        explanation = explain(path, kind=kind)
        assert explanation.facts["type"]
        assert all(isinstance(line, str) for line in explanation.lines)
        pending += [f"{path}.{below}" for below in explanation.facts.get("fields", ())]


@fuzz(200)
@given(st.text(max_size=30) | st.from_regex(r"(maxPods|evictionHard|logging)[.\[\]{}a-z0-9]{0,10}", fullmatch=True))
def test_any_path_is_explained_or_refused_with_a_reason(path: str) -> None:
    sentence = ""
    try:
        assert explain(path).lines
    except ConfigError as error:
        sentence = str(error)
    assert not sentence or "has no field" in sentence or "is no feature gate" in sentence
