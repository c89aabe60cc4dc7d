# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real components of the control plane as oracle for their flags, at the release of the binaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_findings import Argument
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_arguments import (
    argument_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from support.api.binaries import Unavailable, minor_of
from support.api.startup_files import ApiServerFiles, refusal_of_client
from support.session.unavailable import leave_out

OF_API_SERVER = [
    "--secure-port=70000",
    "--secure-port=0",
    "--service-cluster-ip-range=10.0.0.0/33",
    "--service-cluster-ip-range=10.0.0.0/11",
    "--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24",
    "--service-cluster-ip-range=10.0.0.0/12",
    "--enable-admission-plugins=Nope",
    "--disable-admission-plugins=Nope",
    "--enable-admission-plugins=NodeRestriction",
    "--enable-admission-plugins=PodSecurityPolicy",
    "--enable-admission-plugins=NodeRestriction,AlwaysPullImages --disable-admission-plugins=AlwaysPullImages",
    "--tls-cipher-suites=TLS_FOO",
    "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "--tls-min-version=VersionTLS14",
    "--audit-log-maxage=-1",
    "--audit-log-path=- --audit-log-maxage=-1",
    "--max-requests-inflight=-1",
    "--max-mutating-requests-inflight=-1",
    "--goaway-chance=0.5",
    "--goaway-chance=0.02",
    "--request-timeout=-1s",
    "--min-request-timeout=-1",
    "--livez-grace-period=-1s",
    "--shutdown-delay-duration=-1s",
    "--oidc-client-id=a",
    "--oidc-issuer-url=https://a",
    "--authorization-mode=Webhook",
    "--authorization-mode=ABAC",
    "--authorization-mode=RBAC,RBAC",
    "--authorization-mode=RBAC --authorization-mode=Node",
    "--authorization-mode=RBAC,Nope",
    "--authorization-webhook-config-file=/a",
    "--authorization-policy-file=/a",
    "--kubernetes-service-node-port=70000",
    "--kubernetes-service-node-port=100",
    "--kubernetes-service-node-port=30001",
    "--kubernetes-service-node-port=100 --service-node-port-range=90-110",
    "--service-node-port-range=a",
    "--apiserver-count=0",
    "--service-account-max-token-expiration=1m",
    "--service-account-max-token-expiration=1h",
    "--coordinated-leadership-lease-duration=1s",
    "--encryption-provider-config-automatic-reload=true",
    "--peer-ca-file=/a",
    "--anonymous-auth=maybe",
    "--advertise-address=192.0.2",
    "--no-such-flag=1",
]
OF_CONTROLLER_MANAGER = [
    "--secure-port=70000",
    "--concurrent-daemonset-syncs=0",
    "--bind-address=192.0.2",
    "--no-such-flag=1",
    "--use-service-account-credentials=x",
    "--cluster-cidr=10.0.0.0",
    "--terminated-pod-gc-threshold=-5",
]


def refusals(component: str, words: str, minor: int) -> list[Finding]:
    """Return what we say against the flags."""
    pairs = [word.lstrip("-").partition("=") for word in words.split(" ")]
    arguments = [Argument((index,), name, value) for index, (name, _equals, value) in enumerate(pairs)]
    findings = argument_findings(component, arguments, minor)
    return [finding for finding in findings if finding.level is Level.COMPONENT]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> ApiServerFiles:
    try:
        return ApiServerFiles(tmp_path_factory.mktemp("apiserver"))
    except Unavailable as problem:
        leave_out(problem)


@pytest.mark.parametrize("words", OF_API_SERVER)
def test_our_verdict_on_flags_is_the_servers(server: ApiServerFiles, words: str) -> None:
    ours = refusals("kube-apiserver", words, minor_of("kube-apiserver"))
    theirs = server.refuses_flags(words.split(" "))
    assert bool(ours) == (theirs is not None), f"we say: {ours}\nkube-apiserver says: {theirs}"


@pytest.mark.parametrize("words", OF_CONTROLLER_MANAGER)
def test_our_verdict_on_flags_is_the_controller_managers(words: str, tmp_path: Path) -> None:
    try:
        minor = minor_of("kube-controller-manager")
    except Unavailable as problem:
        leave_out(problem)
    ours = refusals("kube-controller-manager", words, minor)
    theirs = refusal_of_client("kube-controller-manager", words.split(" "), tmp_path / "none")
    assert bool(ours) == (theirs is not None), f"we say: {ours}\nkube-controller-manager says: {theirs}"
