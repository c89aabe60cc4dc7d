# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that have an effect only while their feature gate is on, and the components that act on a gate."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import load_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._gate_effects import (
    FieldEffect,
    acts_on,
    components_of_gate,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import Upgrade, upgrade
from support.configs.kubelet import KUBELET_HEADER

SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
VOLUME_BINDING = (
    SCHEDULER + "profiles: [{pluginConfig: [{name: VolumeBinding, args: {shape: [{utilization: 0, score: 1}]}}]}]\n"
)
WEBHOOKS = (
    "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n"
    "kubeConfigFile: /k\nstaticManifestsDir: /m\n"
)


def upgraded(text: str, old: str, new: str, **options: Any) -> Upgrade:
    text = text if text.startswith("apiVersion") else KUBELET_HEADER + text
    return upgrade(load_file("f.yaml", text), old, new, **options)


def effects_of(result: Upgrade) -> list[str]:
    return [str(meaning) for meaning in result.meanings if isinstance(meaning, FieldEffect)]


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        (
            "memorySwap: {swapBehavior: LimitedSwap}\n",
            "1.29",
            "1.30",
            'memorySwap: {"swapBehavior": "LimitedSwap"} (f.yaml:3) has an effect from 1.30 on: the feature gate'
            " NodeSwap turns on",
        ),
        (
            "memorySwap: {swapBehavior: LimitedSwap}\n",
            "1.33",
            "1.28",
            'memorySwap: {"swapBehavior": "LimitedSwap"} (f.yaml:3) has no effect up to 1.29: the feature gate NodeSwap'
            " is off",
        ),
        (
            "enableSystemLogQuery: true\n",
            "1.34",
            "1.37",
            "enableSystemLogQuery: true (f.yaml:3) has an effect from 1.36 on: the feature gate NodeLogQuery turns on",
        ),
        (
            "seccompDefault: true\n",
            "1.24",
            "1.25",
            "seccompDefault: true (f.yaml:3) has an effect from 1.25 on: the feature gate SeccompDefault turns on",
        ),
        (
            "memoryManagerPolicy: Static\n",
            "1.21",
            "1.22",
            'memoryManagerPolicy: "Static" (f.yaml:3) has an effect from 1.22 on: the feature gate MemoryManager'
            " turns on",
        ),
        (
            "cpuCFSQuotaPeriod: 50ms\n",
            "1.35",
            "1.36",
            'cpuCFSQuotaPeriod: "50ms" (f.yaml:3) has an effect from 1.36 on: the feature gate CustomCPUCFSQuotaPeriod'
            " turns on",
        ),
        (
            VOLUME_BINDING,
            "1.36",
            "1.37",
            "profiles[0].pluginConfig[0].args.shape: [{"
            '"utilization": 0, "score": 1}] (f.yaml:3) has an effect from 1.37 on: the feature gate'
            " StorageCapacityScoring turns on",
        ),
        (
            WEBHOOKS,
            "1.36",
            "1.37",
            'staticManifestsDir: "/m" (f.yaml:4) has an effect from 1.37 on: the feature gate'
            " ManifestBasedAdmissionControlConfig turns on",
        ),
    ],
)
def test_a_written_field_has_an_effect_only_where_its_gate_is_on(text: str, old: str, new: str, line: str) -> None:
    result = upgraded(text, old, new)
    assert effects_of(result) == [line]
    assert result.lines.count(line) == 1
    assert "gate" in {row["note"] for row in result.as_dict()["meaning_changes"]}


@pytest.mark.parametrize(
    ("text", "old", "new", "options"),
    [
        ("enableSystemLogQuery: false\n", "1.34", "1.37", {}),
        ("cpuCFSQuotaPeriod: 100ms\n", "1.34", "1.37", {}),
        ("memorySwap: {}\n", "1.29", "1.30", {}),
        ("memorySwap: {swapBehavior: ''}\n", "1.29", "1.30", {}),
        ("memorySwap: {swapBehavior: LimitedSwap}\nfeatureGates: {NodeSwap: true}\n", "1.29", "1.30", {}),
        ("memorySwap: {swapBehavior: LimitedSwap}\nfeatureGates: {NodeSwap: false}\n", "1.29", "1.30", {}),
        ("memorySwap: {swapBehavior: LimitedSwap}\n", "1.29", "1.30", {"flags": ["--feature-gates=NodeSwap=false"]}),
        ("memorySwap: {swapBehavior: LimitedSwap}\nfeatureGates: {AllBeta: true}\n", "1.29", "1.30", {}),
        ("nodeLeaseDurationSeconds: 50\n", "1.20", "1.37", {}),  # a gate that the comment outlives
        ("serverTLSBootstrap: true\n", "1.20", "1.37", {}),
        ("userNamespaces: {idsPerPod: 65536}\n", "1.33", "1.37", {}),  # its comment misspells the gate
        ("crashLoopBackOff: {maxContainerRestartPeriod: 1m}\n", "1.30", "1.35", {}),  # not read before: its own line
        ("qosReserved: {memory: 50%}\n", "1.20", "1.37", {}),
        ("memorySwap: [1]\nmaxPods: many\n", "1.29", "1.30", {}),
    ],
)
def test_a_field_whose_effect_stays_is_not_reported(text: str, old: str, new: str, options: dict[str, Any]) -> None:
    assert effects_of(upgraded(text, old, new, **options)) == []


def test_a_note_about_the_field_says_it_instead() -> None:
    result = upgraded("memoryThrottlingFactor: 0.8\n", "1.36", "1.37")
    assert effects_of(result) == []
    assert sum("memoryThrottlingFactor" in line for line in result.lines) == 1


@pytest.mark.parametrize(
    ("text", "old", "new", "change", "minor"),
    [
        ("", "1.36", "1.37", "0.9 -> <unset>", "1.36"),
        ("", "1.37", "1.36", "<unset> -> 0.9", "1.36"),
        ("", "1.26", "1.27", "0.8 -> 0.9", "1.26"),
        ("featureGates: {AllAlpha: false}\n", "1.36", "1.37", "0.9 -> <unset>", "1.36"),
    ],
)
def test_a_default_has_no_class_where_the_gate_of_its_field_is_off(
    text: str, old: str, new: str, change: str, minor: str
) -> None:
    result = upgraded(text, old, new)
    line = f"memoryThrottlingFactor: {change}  (no effect: the feature gate MemoryQoS is off in {minor})"
    assert line in result.lines
    (row,) = [row for row in result.as_dict()["field_changes"] if row["path"] == "memoryThrottlingFactor"]
    assert (row["disruption"], row["note"]) == ("none", f"no effect: the feature gate MemoryQoS is off in {minor}")
    assert not any(text.startswith("overall: restart-pods-new-only") for text in result.lines)


@pytest.mark.parametrize("gates", ["MemoryQoS", "AllAlpha"])
def test_a_default_has_its_class_where_the_gate_is_on(gates: str) -> None:
    lines = upgraded(f"featureGates: {{{gates}: true}}\n", "1.36", "1.37").lines
    assert "memoryThrottlingFactor: 0.9 -> <unset>  [restart-pods-new-only]  (the default changes)" in lines
    flags = [f"--feature-gates={gates}=true"]
    assert lines[-1] == upgraded("", "1.36", "1.37", flags=flags).lines[-1]


def test_a_new_field_without_its_gate_has_no_class() -> None:
    (line,) = [line for line in upgraded("", "1.26", "1.27").lines if line.startswith("enableSystemLogQuery")]
    assert line == "enableSystemLogQuery: <unset> -> false  (no effect: the feature gate NodeLogQuery is off in 1.27)"


def test_gates_of_other_components_are_counted() -> None:
    lines = upgraded("", "1.36", "1.37").lines
    listed = next(line for line in lines if line.startswith("feature gates that turn on, unless set: "))
    assert "MemoryQoS" in listed
    assert not any("StatefulSet" in line or "HPAScaleToZero" in line for line in lines)
    assert "feature gates that change: 22 more that other components act on" in lines
    # all of them are in the data
    gates = {row["gate"]: row["components"] for row in upgraded("", "1.36", "1.37").as_dict()["gate_changes"]}
    assert gates["HPAScaleToZero"] == ["kube-apiserver", "kube-controller-manager"]
    assert gates["MemoryQoS"] == ["kubelet"]


def test_a_gate_with_a_meaning_of_its_own_is_not_listed_again() -> None:
    lines = upgraded("", "1.36", "1.37").lines
    assert sum("SELinuxMount" in line for line in lines) == 1


def test_a_new_gate_that_the_file_sets_is_new() -> None:
    text = "featureGates: {HugepageAwareEviction: false}\n"
    lines = upgraded(text, "1.36", "1.37").lines
    assert "featureGates.HugepageAwareEviction is set to false: new -> Beta, on  (f.yaml:3)" in lines
    (gate,) = [gate for gate in upgraded(text, "1.37", "1.36").gates if gate.setting is not None]
    assert "Beta, on -> not there yet" in str(gate)


@pytest.mark.parametrize(
    ("component", "gate", "expected"),
    [
        ("kubelet", "MemoryQoS", True),
        ("kube-proxy", "MemoryQoS", False),
        ("kube-proxy", "AllBeta", True),
        ("kubelet", "NoGateOfAnyRelease", True),
    ],
)
def test_it_is_known_which_components_act_on_a_gate(component: str, gate: str, expected: bool) -> None:
    assert acts_on(component, gate) == expected


def test_explanations_have_components_and_meanings() -> None:
    assert explain("featureGates.KubeProxyIPVS").facts["components"] == "kube-proxy"
    assert components_of_gate("NoGateOfAnyRelease") == ()
    assert explain("featureGates.PreventStaticPodAPIReferences").facts["components"] == "not known"
    (meaning,) = explain("featureGates.PreventStaticPodAPIReferences").facts["meaning"]
    assert meaning.startswith("from 1.37 on, if a static Pod names")
    (meaning,) = explain("eventRecordQPS").facts["meaning"]
    assert meaning.startswith("from 1.37 on, if it is 0: no limit (up to 1.36: 5 events a second")
    assert len(explain("memoryThrottlingFactor").facts["meaning"]) == 3
    assert explain("cgroupDriver").facts["meaning"][0].startswith("from 1.38 on (planned), if it is set: removed")
    assert "meaning" not in explain("maxPods").facts
