# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a running component says: gates in its metrics, fields in /configz."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._help_text import GateDefault
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.running_component import (
    parse_configz,
    parse_metrics,
    version_in_metrics,
)

METRICS = """\
# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_build_info{build_date="2026-12-16T10:00:00Z",git_version="v1.38.0",major="1",minor="38"} 1
kubernetes_feature_enabled{name="Alpha1",stage="ALPHA"} 0
kubernetes_feature_enabled{name="Beta1",stage="BETA"} 1
kubernetes_feature_enabled{name="Ga1",stage=""} 1 1765879200000
kubernetes_feature_enabled{name="Later1",stage="PRE-ALPHA"} 0
kubernetes_feature_enabled{name="Old1",stage="DEPRECATED"} 0
kubelet_running_pods 3
"""


def test_every_gate_has_its_stage_and_whether_it_is_on() -> None:
    assert parse_metrics(METRICS) == {
        "Alpha1": GateDefault("Alpha", False),
        "Beta1": GateDefault("Beta", True),
        "Ga1": GateDefault("GA", True),
        "Old1": GateDefault("Deprecated", False),
    }
    assert version_in_metrics(METRICS) == "v1.38.0"
    assert version_in_metrics("kubelet_running_pods 3\n") == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kubelet_running_pods 3\n", "have no kubernetes_feature_enabled"),
        ('kubernetes_feature_enabled{name="A",stage="NEW"} 1\n', "line 1 of the metrics"),
        ('kubernetes_feature_enabled{name="A",stage="BETA"} 2\n', "line 1 of the metrics"),
        ('kubernetes_feature_enabled{name="A",stage="BETA"} e-e-\n', "line 1 of the metrics"),
        ('kubernetes_feature_enabled{name="A B",stage="BETA"} 1\n', "line 1 of the metrics"),
        ('kubernetes_feature_enabled{stage="BETA"} 1\n', "line 1 of the metrics"),
        (METRICS + 'kubernetes_feature_enabled{name="Beta1",stage="GA"} 1\n', "has|have the gate Beta1 twice"),
    ],
)
def test_metrics_that_cannot_be_read_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        parse_metrics(text)


CONFIG = {
    "kind": "KubeletConfiguration",
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "maxPods": 120,
    "authentication": {"anonymous": {"enabled": False}, "webhook": {"cacheTTL": "2m0s"}},
    "evictionHard": {"memory.available": "100Mi"},
    "newField": {"inner": 1},
    "staticPodURLHeader": {"Authorization": ["Bearer abc"]},
}


def test_the_fields_of_configz_are_paths_with_values_and_without_secrets() -> None:
    assert parse_configz(json.dumps({"kubeletconfig": CONFIG})) == {
        "maxPods": 120,
        "authentication.anonymous.enabled": False,
        "authentication.webhook.cacheTTL": "2m0s",
        "evictionHard": {"memory.available": "100Mi"},
        "newField": {"inner": 1},
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("maxPods: 1", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "has no kubeletconfig"),
        ('{"kubeletconfig": {}}', "has no kubeletconfig"),
        ('{"kubeproxy": {"mode": "ipvs"}}', "has no kubeletconfig"),
    ],
)
def test_a_configz_that_cannot_be_read_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        parse_configz(text)
