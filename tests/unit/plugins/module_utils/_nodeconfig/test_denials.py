# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of denied fields name fields that exist, and a hostile document never breaks the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import format_path
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import kinds
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denials import (
    MAXIMA,
    MINIMA,
    NODE_DECIDES,
    STRENGTHS,
    denials,
    node_values,
    unknown_field_patterns,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import (
    DENIED_FIELDS,
    EVERYTHING,
    DenyPolicy,
)
from support.configs.kubelet import KUBELET_KIND


@pytest.mark.parametrize("kind", sorted(DENIED_FIELDS))
def test_every_denied_field_exists(kind: str) -> None:
    assert kind in {known.kind for known in kinds()}
    assert unknown_field_patterns(DENIED_FIELDS[kind], kind) == []
    for fields in (MAXIMA, MINIMA, STRENGTHS, NODE_DECIDES):
        assert unknown_field_patterns(fields.get(kind, ()), kind) == []


def test_credentials_and_the_api_servers_files_are_denied_as_a_whole() -> None:
    for kind in kinds():
        if kind.component == "kube-apiserver" or kind.kind == "CredentialProviderConfig":
            assert DenyPolicy().patterns(kind.kind) == EVERYTHING
    assert {"clientConnection", "extenders"} == set(DenyPolicy().patterns("KubeSchedulerConfiguration"))


def test_values_of_its_own_are_the_init_config_under_the_instance_config() -> None:
    init, instance = {**KUBELET_KIND, "maxPods": 1, "readOnlyPort": 1}, {"maxPods": 2}
    own = node_values("KubeletConfiguration", init, instance)
    assert own == ({**KUBELET_KIND, "maxPods": 2, "readOnlyPort": 1}, instance)
    assert node_values("KubeProxyConfiguration", init, instance) == (instance, instance)
    assert node_values("KubeletConfiguration", ["odd"], None) == ({}, {})


_GCM, _RC4 = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_RC4_128_SHA"
_PULL = "imagePullCredentialsVerificationPolicy"
_BOUNDED: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"tracing": {"endpoint": "evil:4317", "samplingRatePerMillion": 1}}, {}, ["tracing.endpoint"]),
    ({"tracing": {"endpoint": "localhost:4317"}}, {"tracing": {"endpoint": "localhost:4317"}}, []),
    ({"tracing": {"samplingRatePerMillion": 1}}, {}, []),
    ({"clusterDNS": ["10.0.0.66"]}, {"clusterDNS": ["10.0.0.10"]}, ["clusterDNS"]),
    ({"clusterDNS": []}, {"clusterDNS": ["10.0.0.10"]}, ["clusterDNS"]),
    ({"clusterDNS": ["10.0.0.10"]}, {"clusterDNS": ["10.0.0.10"]}, []),
    ({"clusterDNS": ["10.0.0.10"]}, {"clusterDNS": []}, []),
    ({"clusterDNS": ["10.0.0.10"]}, {}, []),
    ({"resolvConf": "/tmp/r"}, {"resolvConf": "/run/r"}, ["resolvConf"]),
    ({"resolvConf": "/tmp/r"}, {}, []),
    ({"tlsMinVersion": "VersionTLS12"}, {"tlsMinVersion": "VersionTLS13"}, ["tlsMinVersion"]),
    ({"tlsMinVersion": ""}, {"tlsMinVersion": "VersionTLS13"}, ["tlsMinVersion"]),
    ({"tlsMinVersion": "VersionTLS11"}, {}, ["tlsMinVersion"]),
    ({"tlsMinVersion": "VersionTLS12"}, {}, []),
    ({"tlsMinVersion": "VersionTLS11"}, {"tlsMinVersion": "VersionTLS10"}, []),
    ({"tlsCipherSuites": [_GCM, _RC4]}, {}, ["tlsCipherSuites[1]"]),
    ({"tlsCipherSuites": [_GCM, _RC4]}, {"tlsCipherSuites": [_RC4]}, []),
    ({"tlsCipherSuites": [_GCM]}, {"tlsCipherSuites": [_GCM, _RC4]}, []),
    ({"seccompDefault": False}, {"seccompDefault": True}, ["seccompDefault"]),
    ({"seccompDefault": False}, {}, []),
    ({"seccompDefault": True}, {}, []),
    ({_PULL: "NeverVerify"}, {_PULL: "AlwaysVerify"}, [_PULL]),
    ({_PULL: "NeverVerify"}, {}, [_PULL]),
    ({_PULL: "NeverVerify"}, {"featureGates": {"KubeletEnsureSecretPulledImages": False}}, []),
    ({_PULL: "AlwaysVerify"}, {_PULL: "NeverVerify"}, []),
    ({"kubeAPIQPS": 1001, "kubeAPIBurst": 1001}, {}, ["kubeAPIBurst", "kubeAPIQPS"]),
    ({"eventRecordQPS": 1001, "eventBurst": 1001}, {}, ["eventBurst", "eventRecordQPS"]),
    ({"registryPullQPS": 1001, "registryBurst": 1001}, {}, ["registryBurst", "registryPullQPS"]),
    ({"kubeAPIQPS": 1000, "eventRecordQPS": 0}, {}, []),
    ({"kubeAPIQPS": 5000}, {"kubeAPIQPS": 5000}, []),
    ({"nodeStatusUpdateFrequency": "999ms"}, {}, ["nodeStatusUpdateFrequency"]),
    ({"nodeStatusReportFrequency": "10ms"}, {}, ["nodeStatusReportFrequency"]),
    # No pause at all: the kubelet replaces only 0 with its default.
    ({"nodeStatusUpdateFrequency": "-1s"}, {}, ["nodeStatusUpdateFrequency"]),
    ({"nodeStatusReportFrequency": "-1ms"}, {}, ["nodeStatusReportFrequency"]),
    ({"registryPullQPS": 0}, {}, ["registryPullQPS"]),
    ({"registryPullQPS": 0}, {"registryPullQPS": 0}, []),
    ({"nodeStatusReportFrequency": "1s", "nodeStatusUpdateFrequency": "0s"}, {}, []),
    ({"nodeLeaseDurationSeconds": 3}, {}, ["nodeLeaseDurationSeconds"]),
    ({"nodeLeaseDurationSeconds": 4}, {}, []),
]


@pytest.mark.parametrize(("document", "own", "paths"), _BOUNDED)
def test_a_bundle_may_not_weaken_what_the_node_has(
    document: dict[str, Any], own: dict[str, Any], paths: list[str]
) -> None:
    def refused(policy: DenyPolicy) -> list[str]:
        findings = denials(
            {**KUBELET_KIND, **own, **document},
            policy,
            node_values(KUBELET_KIND["kind"], {**KUBELET_KIND, **own}, {}),
            35,
        )
        return sorted(format_path(finding.path) for finding in findings)

    assert refused(DenyPolicy()) == paths
    assert refused(DenyPolicy(allowed=tuple(document))) == [], "the node's own config can allow it"


_LEFT_OUT: list[tuple[dict[str, Any], list[str]]] = [
    ({"tlsMinVersion": "VersionTLS13"}, ["tlsMinVersion"]),
    ({"tlsMinVersion": "VersionTLS12"}, []),
    ({"tlsMinVersion": "VersionTLS11"}, []),
    ({"tlsCipherSuites": [_GCM]}, ["tlsCipherSuites"]),
    ({"tlsCipherSuites": [_GCM, _RC4]}, []),
    ({"seccompDefault": True}, ["seccompDefault"]),
    ({"seccompDefault": False}, []),
    ({_PULL: "AlwaysVerify"}, [_PULL]),
    ({_PULL: "NeverVerify"}, []),
    ({"clusterDNS": ["10.0.0.10"], "maxPods": 1}, []),
]


@pytest.mark.parametrize(("own", "paths"), _LEFT_OUT)
def test_a_bundle_may_not_weaken_a_node_by_what_it_leaves_out(own: dict[str, Any], paths: list[str]) -> None:
    def refused(policy: DenyPolicy, instance: dict[str, Any]) -> list[str]:
        init = {**KUBELET_KIND, **own}
        findings = denials(
            {**KUBELET_KIND, "maxPods": 100}, policy, node_values(KUBELET_KIND["kind"], init, instance), 35
        )
        return sorted(format_path(finding.path) for finding in findings)

    assert refused(DenyPolicy(), {}) == paths
    assert refused(DenyPolicy(), own) == [], "the instance config is laid over every bundle"
    assert refused(DenyPolicy(allowed=tuple(own)), {}) == [], "the node's own config can allow it"


_ODD: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x509", "a", "verbosity"]), inner),
    max_leaves=8,
)
_FIELDS = st.sampled_from(
    ["authentication", "logging", "staticPodPath", "evictionHard", "registerWithTaints", "x"]
    + ["tlsMinVersion", "tlsCipherSuites", "seccompDefault", "clusterDNS", "kubeAPIQPS", "tracing"]
)


@given(st.dictionaries(_FIELDS, _ODD), st.dictionaries(_FIELDS, _ODD))
def test_odd_documents_are_compared_without_a_fault(document: dict[str, Any], own: dict[str, Any]) -> None:
    kind = KUBELET_KIND["kind"]
    findings = list(
        denials({**KUBELET_KIND, **document}, DenyPolicy(), node_values(kind, {**KUBELET_KIND, **own}, own), 35)
    )
    assert {problem.rule for problem in findings} <= {"denied"}
    same = node_values(kind, {**KUBELET_KIND, **document}, {})
    assert list(denials({**KUBELET_KIND, **document}, DenyPolicy(), same, 35)) == [], "all are its own values"
