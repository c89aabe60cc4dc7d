# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of the control plane against ranges and against other flags; the integration tests ask the real components."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_findings import Argument
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_arguments import (
    argument_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level

SCHEMA = Path(__file__).resolve().parents[6] / "schema"
API_SERVER, CONTROLLERS = "kube-apiserver", "kube-controller-manager"


def verdicts(component: str, words: str, minor: int) -> dict[str, str]:
    """Return the level of each rule that flags break."""
    pairs = [word.lstrip("-").partition("=") for word in words.split(" ")]
    arguments = [Argument((index,), name, value) for index, (name, _equals, value) in enumerate(pairs)]
    return {finding.rule: str(finding.level) for finding in argument_findings(component, arguments, minor)}


@pytest.mark.parametrize(
    ("component", "words", "minor", "rule"),
    [
        (API_SERVER, "--goaway-chance=0.5", 31, "range"),
        (API_SERVER, "--request-timeout=-1s", 36, "range"),
        (API_SERVER, "--service-account-max-token-expiration=1m", 20, "range"),
        (API_SERVER, "--audit-log-path=- --audit-log-maxage=-1", 20, "range"),
        (CONTROLLERS, "--concurrent-daemonset-syncs=0", 32, "range"),
        ("kube-scheduler", "--secure-port=70000", 30, "range"),
        ("kube-scheduler", "--hard-pod-affinity-symmetric-weight=101", 20, "range"),
        ("kube-scheduler", "--kube-api-burst=-1", 21, "range"),
        ("kube-scheduler", "--port=70000", 20, "range"),
        ("kube-scheduler", "--port=10251", 23, "range"),
        ("kube-scheduler", "--leader-elect-resource-name=", 20, "not-empty"),
        ("kube-scheduler", "--use-legacy-policy-config=true", 20, "value-needs"),
        (API_SERVER, "--authorization-config=/a --authorization-mode=RBAC", 32, "excludes"),
        (API_SERVER, "--authentication-config=/a --oidc-issuer-url=https://a --oidc-client-id=b", 34, "excludes"),
        (API_SERVER, "--authorization-config=/a", 29, "needs-gate"),
        (API_SERVER, "--authorization-webhook-config-file=/a --authorization-mode=RBAC", 30, "needs-value"),
        (API_SERVER, "--authorization-mode=Node,Webhook", 30, "value-needs"),
        (API_SERVER, "--authorization-mode=Node --authorization-mode=Node", 30, "unique"),
        (API_SERVER, "--oidc-client-id=a", 30, "needs-flag"),
        (API_SERVER, "--enable-admission-plugins=A --disable-admission-plugins=A", 30, "disjoint-with"),
        (API_SERVER, "--enable-admission-plugins=PodSecurityPolicy", 25, "flag-names"),
        (CONTROLLERS, "--tls-cipher-suites=TLS_NONE", 30, "flag-names"),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0", 30, "cidrs"),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/11", 33, "cidrs"),
        (API_SERVER, "--service-cluster-ip-range=2001:db8::/64", 26, "cidrs"),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24", 30, "cidrs"),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/24,2001:db8::/112,10.1.0.0/24", 30, "cidrs"),
        (API_SERVER, "--kubernetes-service-node-port=100", 30, "within"),
        (CONTROLLERS, "--leader-elect-lease-duration=10s --leader-elect-renew-deadline=10s", 30, "greater-than"),
        (CONTROLLERS, "--leader-elect-lease-duration=10s", 30, "greater-than"),
        (CONTROLLERS, "--leader-elect-renew-deadline=15s", 30, "less-than"),
        (CONTROLLERS, "--cloud-provider=aws", 27, "value"),
        (CONTROLLERS, "--cloud-provider=gce", 29, "value"),
        (CONTROLLERS, "--concurrent-statefulset-syncs=0", 20, "range"),
        (CONTROLLERS, "--max-endpoints-per-slice=1001", 20, "range"),
        (CONTROLLERS, "--attach-detach-reconcile-sync-period=500ms", 26, "range"),
        (CONTROLLERS, "--concurrent-gc-syncs=2147483648", 30, "flags"),
        (CONTROLLERS, "--cidr-allocator-type=CloudAllocator", 32, "flags"),
        (CONTROLLERS, "--cluster-signing-kubelet-client-cert-file=/a", 30, "pair"),
        (CONTROLLERS, "--cluster-signing-cert-file=/a --cluster-signing-legacy-unknown-cert-file=/b", 30, "excludes"),
        (CONTROLLERS, "--log-flush-frequency=0s", 35, "positive"),
        (CONTROLLERS, "--log-text-split-stream=true", 30, "needs-gate"),
        (CONTROLLERS, "--show-hidden-metrics-for-version=1.34", 36, "previous-minor"),
        (CONTROLLERS, "--allow-metric-labels=a=b", 36, "metric-labels"),
        (CONTROLLERS, "--disabled-metrics=1a", 36, "metric-names"),
        (CONTROLLERS, "--requestheader-uid-headers=X-Other", 32, "contains"),
        (API_SERVER, "--admission-control=Nope", 30, "flag-names"),
        (API_SERVER, "--oidc-groups-claim=groups", 28, "needs-flag"),
        (API_SERVER, "--cors-allowed-origins=example.org", 27, "pattern"),
        (API_SERVER, "--kubelet-port=-1", 30, "flags"),
        (API_SERVER, "--kubernetes-service-node-port=0x10", 30, "within"),
        (API_SERVER, "--max-requests-inflight=9223372036854775808", 30, "flags"),
    ],
)
def test_a_value_that_the_component_refuses_is_an_error(component: str, words: str, minor: int, rule: str) -> None:
    assert verdicts(component, words, minor)[rule] == "component"


@pytest.mark.parametrize(
    ("component", "words", "minor"),
    [
        (API_SERVER, "--goaway-chance=0.5", 30),
        (API_SERVER, "--goaway-chance=nonsense --authorization-mode=RBAC", 20),
        (API_SERVER, "--service-account-max-token-expiration=0s", 30),
        (API_SERVER, "--audit-log-maxage=-1", 30),
        (API_SERVER, "--authorization-config=/a --feature-gates=StructuredAuthorizationConfiguration=true", 29),
        (API_SERVER, "--authorization-webhook-config-file=/a --authorization-mode=${MODES}", 30),
        (API_SERVER, "--oidc-client-id=a --oidc-issuer-url=${ISSUER}", 30),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/11 --feature-gates=DisableAllocatorDualWrite=true", 33),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/11", 34),
        (API_SERVER, "--service-cluster-ip-range=10.0.0.0/12,2001:db8::/108", 26),
        (API_SERVER, "--kubernetes-service-node-port=100 --service-node-port-range=90-110", 30),
        (API_SERVER, "--kubernetes-service-node-port=100 --service-node-port-range=${RANGE}", 30),
        (API_SERVER, "--enable-admission-plugins=NodeRestriction,PodSecurityPolicy", 24),
        (API_SERVER, "--enable-admission-plugins=NodeRestriction,${MORE}", 30),
        (CONTROLLERS, "--leader-elect-lease-duration=1s --leader-elect=false", 30),
        ("kube-scheduler", "--leader-elect-resource-name= --leader-elect=false", 20),
        ("kube-scheduler", "--port=0", 23),
        (CONTROLLERS, "--leader-elect-lease-duration=60s --leader-elect-renew-deadline=40s", 30),
        (CONTROLLERS, "--leader-elect-lease-duration=10s --leader-elect-renew-deadline=${DEADLINE}", 30),
        (CONTROLLERS, "--cloud-provider=aws", 26),
        (CONTROLLERS, "--cloud-provider=external", 36),
        (CONTROLLERS, "--max-endpoints-per-slice=1000", 36),
        (CONTROLLERS, "--concurrent-gc-syncs=2147483647", 30),
        (CONTROLLERS, "--concurrent-daemonset-syncs=0x10", 36),
        (CONTROLLERS, "--cluster-signing-kubelet-client-cert-file=/a --cluster-signing-kubelet-client-key-file=/b", 30),
        (CONTROLLERS, "--log-flush-frequency=0s", 34),
        (CONTROLLERS, "--log-text-split-stream=true --feature-gates=LoggingAlphaOptions=true", 36),
        (CONTROLLERS, "--log-text-split-stream=false", 36),
        (CONTROLLERS, "--show-hidden-metrics-for-version=1.35", 36),
        (CONTROLLERS, "--allow-metric-labels=metric,label=a,b", 36),
        (CONTROLLERS, "--requestheader-uid-headers=x-remote-uid,X-Other", 36),
        (API_SERVER, "--oidc-groups-claim=groups", 27),
        (API_SERVER, "--cors-allowed-origins=^https://example[.]org$", 36),
        (API_SERVER, "--max-requests-inflight=9223372036854775807", 30),
    ],
)
def test_a_value_that_the_component_accepts_is_not_an_error(component: str, words: str, minor: int) -> None:
    refused = {rule for rule, level in verdicts(component, words, minor).items() if level == Level.COMPONENT.value}
    assert refused <= ({"flags"} if "nonsense" in words else set())


# What is not checked of the relations in the data, and why.
NOT_CHECKED = {
    "required": "a file has often only a part of the command line",
    "requiredUnless": "a file has often only a part of the command line",
    "mustExist": "the file is on another host",
    "emulated-version below the binary's": "the version of the binary is not known to a patch",
    "ExternalServiceAccountTokenSigner": "no release was read that asks for the gate",
    "authentication-config with field anonymous": "the file is on another host",
    "kube-scheduler": "a rule of its file, whose fields the flags are",
}


def test_each_relation_in_the_data_has_a_rule() -> None:
    options = json.loads((SCHEMA / "control_plane_options.json").read_text(encoding="utf-8"))
    for component in (API_SERVER, CONTROLLERS):
        path = SCHEMA / f"{component.replace('-', '_')}_flag_rules.json"
        rules = json.loads(path.read_text(encoding="utf-8"))["rules"]
        has = {(row["flag"], row["rule"]) for row in rules}
        related = {
            frozenset((row["flag"], other))
            for row in rules
            for other in (*row.get("refused", ()), *row.get("needs", ()), row.get("of", ""))
        }
        for option in (row for row in options if row["component"] == component):
            flag = option["flag"]
            assert not ({"range", "min"} & option.keys()) or (flag, "range") in has, flag
            assert "within" not in option or (flag, "within") in has
            assert "greaterThan" not in option or (flag, "greaterThan") in has
            others = [*option.get("excludes", ()), *option.get("disjointWith", ())]
            others += [name.partition("=")[0] for name in option.get("needs", ())]
            for other in others:
                is_known = frozenset((flag, other)) in related or other in NOT_CHECKED
                assert is_known or other == "service-account-issuer", (flag, other)
            for gate in option.get("gate", {}):
                assert (flag, "needsGate") in has or gate in NOT_CHECKED, (flag, gate)
