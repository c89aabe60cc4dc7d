# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's flags: read from a command line, matched with fields, laid over a config."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import apply_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.kubelet_flags import (
    _IRREGULAR_NAMES,
    fields_set_by_flags,
    flag_field,
    parse_flags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind

FOUND = find_kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")
assert FOUND is not None
KIND = FOUND

# Every flag that the kubelet 1.20 registers for its config and that is not simply its field with dashes.
IRREGULAR = [
    ("pod-manifest-path", "staticPodPath"),
    ("manifest-url", "staticPodURL"),
    ("anonymous-auth", "authentication.anonymous.enabled"),
    ("client-ca-file", "authentication.x509.clientCAFile"),
    ("rotate-server-certificates", "serverTLSBootstrap"),
    ("registry-qps", "registryPullQPS"),
    ("event-qps", "eventRecordQPS"),
    ("contention-profiling", "enableContentionProfiling"),
    ("minimum-image-ttl-duration", "imageMinimumGCAge"),
    ("image-gc-high-threshold", "imageGCHighThresholdPercent"),
    ("pod-max-pids", "podPidsLimit"),
    ("kube-api-content-type", "contentType"),
    ("reserved-cpus", "reservedSystemCPUs"),
    ("v", "logging.verbosity"),
]
REGULAR = [
    ("max-pods", "maxPods"),
    ("cpu-cfs-quota", "cpuCFSQuota"),
    ("pod-cidr", "podCIDR"),
    ("runonce", "runOnce"),
    ("tls-cert-file", "tlsCertFile"),
    ("cgroups-per-qos", "cgroupsPerQOS"),
    ("provider-id", "providerID"),
    ("cluster-dns", "clusterDNS"),
    ("make-iptables-util-chains", "makeIPTablesUtilChains"),
    ("config", ""),
    ("kubeconfig", ""),
    ("node-ip", ""),
    ("hostname-override", ""),
    ("container-runtime", ""),
]


@pytest.mark.parametrize(("flag", "field"), IRREGULAR + REGULAR)
def test_a_flag_has_its_field(flag: str, field: str) -> None:
    assert flag_field(flag, KIND.fields) == field


def test_the_irregular_names_are_fields_of_the_schema() -> None:
    for path in _IRREGULAR_NAMES.values():
        fields: Any = KIND.fields
        for part in path.split("."):
            assert part in fields, path
            fields = fields[part].get("fields") or {}


def test_a_command_line_is_parsed_in_all_its_forms() -> None:
    words = "kubelet --config=/c --max-pods 20 -v=2 --fail_swap_on --oom-score-adj -999 --node-labels=a=b,c=d"
    assert parse_flags(words.split()) == [
        ("config", "/c"),
        ("max-pods", "20"),
        ("v", "2"),
        ("fail-swap-on", ""),
        ("oom-score-adj", "-999"),
        ("node-labels", "a=b,c=d"),
    ]
    assert parse_flags(()) == []


@pytest.mark.contract("render.shadowed")
def test_flags_shadow_whole_fields_and_feature_gates_by_key() -> None:
    words = "--max-pods=20 --kube-reserved=cpu=1 --feature-gates=A=true,B=false --client-ca-file=/x --v=4"
    argv = ["kubelet", *words.split()]
    paths = ["maxPods", "kubeReserved.memory", "featureGates.B", "featureGates.C", "authentication.x509.clientCAFile"]
    assert fields_set_by_flags(argv, paths) == [
        "authentication.x509.clientCAFile (--client-ca-file)",
        "featureGates.B (--feature-gates)",
        "kubeReserved (--kube-reserved)",
        "maxPods (--max-pods)",
    ]
    assert fields_set_by_flags(argv, ["podsPerCore"]) == []


def test_flags_are_laid_over_a_config_in_the_form_of_its_fields() -> None:
    config = {"maxPods": 110, "failSwapOn": True, "featureGates": {"A": True}, "kubeReserved": {"memory": "1Gi"}}
    argv = [
        "kubelet",
        "--max-pods=20",
        "--fail-swap-on=false",
        "--feature-gates=B=true",
        "--feature-gates=C=false",
        "--kube-reserved=cpu=500m",
        "--eviction-hard=memory.available<200Mi,nodefs.available<10%",
        "--cluster-dns=10.0.0.10",
        "--cluster-dns=10.0.0.11",
        "--node-status-update-frequency=20s",
        "--anonymous-auth=false",
        "--manifest-url-header=a:b,a:c",
        "--event-qps=many",  # not a number
        "--memory-swap=x",  # an object
        "--seccomp-default=true",  # not in 1.20
        "--register-node",
    ]
    data, origins = apply_flags(config, argv, KIND, 20)
    assert data == {
        "maxPods": 20,
        "failSwapOn": False,
        "featureGates": {"A": True, "B": True, "C": False},
        "kubeReserved": {"cpu": "500m"},
        "evictionHard": {"memory.available": "200Mi", "nodefs.available": "10%"},
        "clusterDNS": ["10.0.0.10", "10.0.0.11"],
        "nodeStatusUpdateFrequency": "20s",
        "staticPodURLHeader": {"a": ["b", "c"]},
        "authentication": {"anonymous": {"enabled": False}},
    }
    assert origins[("maxPods",)] == "--max-pods"
    assert origins[("featureGates", "C")] == "--feature-gates"
    assert config["maxPods"] == 110
