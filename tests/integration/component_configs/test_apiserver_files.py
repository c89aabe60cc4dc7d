# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real kube-apiserver as oracle for its own files: what it refuses, we refuse; what it takes, we take."""

from __future__ import annotations

import base64
import subprocess
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.api.binaries import Unavailable, find
from support.api.startup_files import ApiServerFiles
from support.session.unavailable import leave_out

Config = dict[str, Any]
HEADS: dict[str, Config] = {
    "encryption": {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration"},
    "egress": {"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration"},
    "audit": {"apiVersion": "audit.k8s.io/v1", "kind": "Policy"},
    "admission": {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration"},
}


def encryption(*providers: Config, resources: tuple[str, ...] = ("secrets",)) -> Config:
    return {"resources": [{"resources": list(resources), "providers": list(providers)}]}


def keyed(provider: str, size: int, **fields: Any) -> Config:
    return {provider: {"keys": [{"name": "k", "secret": base64.b64encode(bytes(size)).decode(), **fields}]}}


def kms(**fields: Any) -> Config:
    return {"kms": {"name": "k", "endpoint": "unix:///run/none.sock", **fields}}


def egress(protocol: str, transport: Any = None, name: str = "cluster") -> Config:
    return {"egressSelections": [{"name": name, "connection": {"proxyProtocol": protocol, "transport": transport}}]}


def audit(**fields: Any) -> Config:
    return {"rules": [{"level": "Metadata", **fields}]}


def plugin(name: str, group: str, kind: str = "Configuration", **fields: Any) -> Config:
    return {"plugins": [{"name": name, "configuration": {"apiVersion": group, "kind": kind, **fields}}]}


def limits(**fields: Any) -> Config:
    limit = {"type": "Server", "qps": 1, "burst": 1, **fields}
    return plugin("EventRateLimit", "eventratelimit.admission.k8s.io/v1alpha1", limits=[limit])


def tolerations(**fields: Any) -> Config:
    group = "podtolerationrestriction.admission.k8s.io/v1alpha1"
    return plugin("PodTolerationRestriction", group, default=[fields])


def quota(**fields: Any) -> Config:
    return plugin(
        "ResourceQuota", "apiserver.config.k8s.io/v1", "ResourceQuotaConfiguration", limitedResources=[fields]
    )


def webhook(file: str) -> Config:
    group = "apiserver.config.k8s.io/v1"
    return plugin("ValidatingAdmissionWebhook", group, "WebhookAdmissionConfiguration", kubeConfigFile=file)


IDENTITY: Config = {"identity": {}}
FILES: list[tuple[str, Config]] = [
    ("encryption", encryption(IDENTITY)),
    ("encryption", {}),
    ("encryption", encryption(IDENTITY, resources=())),
    ("encryption", encryption()),
    ("encryption", encryption({})),
    ("encryption", encryption({**IDENTITY, **keyed("aescbc", 32)})),
    ("encryption", encryption(keyed("aescbc", 16), keyed("aesgcm", 24), keyed("secretbox", 32), IDENTITY)),
    ("encryption", encryption(keyed("aescbc", 33))),
    ("encryption", encryption(keyed("secretbox", 16))),
    ("encryption", encryption(keyed("aescbc", 32, name=""))),
    ("encryption", encryption(keyed("aescbc", 32, secret="no base64!"))),
    ("encryption", encryption(keyed("aescbc", 32, secret="AAAA\nAAAA\nAAAA\nAAAA\nAAAA\nAA=="))),
    ("encryption", encryption({"aesgcm": {"keys": []}})),
    ("encryption", encryption(kms())),
    ("encryption", encryption(kms(name=""))),
    ("encryption", encryption(kms(endpoint="http://a"))),
    ("encryption", encryption(kms(timeout="0s"))),
    ("encryption", encryption(kms(cachesize=0))),
    ("encryption", encryption(kms(cachesize=-1, name="a:b"))),
    ("encryption", encryption(kms(apiVersion="v2"))),
    ("encryption", encryption(IDENTITY, resources=("secrets", "secrets", "*", "Pods"))),
    ("encryption", {**encryption(IDENTITY), "noSuch": 1}),
    ("egress", egress("Direct")),
    ("egress", egress("Direct", name="Master")),
    ("egress", egress("Direct", name="other")),
    ("egress", egress("Direct", {})),
    ("egress", egress("")),
    ("egress", egress("HTTPConnect")),
    ("egress", egress("HTTPConnect", {"tcp": {"url": "http://127.0.0.1:1"}})),
    ("egress", egress("HTTPConnect", {"tcp": {"url": "127.0.0.1:1"}})),
    ("egress", egress("HTTPConnect", {"tcp": {"url": "https://127.0.0.1:1"}})),
    ("egress", egress("GRPC", {"tcp": {"url": "http://127.0.0.1:1"}})),
    ("egress", egress("GRPC", {"uds": {}})),
    ("egress", egress("GRPC", {"uds": {"udsName": "/run/none.sock"}})),
    ("audit", audit()),
    ("audit", {"rules": []}),
    ("audit", audit(level="")),
    ("audit", audit(level="All")),
    ("audit", audit(omitStages=["Done"])),
    ("audit", audit(omitStages=["Panic"], noSuch=1)),
    ("audit", audit(nonResourceURLs=["/a*", "*"])),
    ("audit", audit(nonResourceURLs=["a"])),
    ("audit", audit(nonResourceURLs=["/a"], namespaces=["b"])),
    ("audit", audit(resources=[{"group": "apps/v1"}])),
    ("audit", audit(resources=[{"group": "*"}])),
    ("audit", audit(resources=[{"resourceNames": ["a"]}])),
    ("admission", {"plugins": []}),
    ("admission", {"plugins": [{"name": "NoSuch", "configuration": {"a": 1}}], "noSuch": 1}),
    ("admission", limits()),
    ("admission", limits(burst=0)),
    ("admission", limits(qps=-1)),
    ("admission", limits(type="All")),
    ("admission", limits(cacheSize=-1)),
    ("admission", limits(type="User", cacheSize=-1)),
    ("admission", plugin("EventRateLimit", "eventratelimit.admission.k8s.io/v1alpha1")),
    ("admission", plugin("EventRateLimit", "eventratelimit.admission.k8s.io/v1", limits=[])),
    ("admission", tolerations(key="a", operator="Exists")),
    ("admission", tolerations(key="a", operator="Exists", value="b")),
    ("admission", tolerations(value="b")),
    ("admission", tolerations(key="a b")),
    ("admission", tolerations(key="a", tolerationSeconds=1)),
    ("admission", quota(resource="pods")),
    ("admission", quota()),
    ("admission", plugin("ResourceQuota", "resourcequota.admission.k8s.io/v1beta1", limitedResources=[{}])),
    ("admission", webhook("kubeconfig")),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> ApiServerFiles:
    try:
        version = subprocess.run(
            [find("kube-apiserver"), "--version"], capture_output=True, text=True, check=True
        ).stdout
        if " v1.20." not in version:
            leave_out(f"the files are judged for Kubernetes 1.20, the API server here is {version.strip()}")
        return ApiServerFiles(tmp_path_factory.mktemp("apiserver"))
    except Unavailable as problem:
        leave_out(problem)


@pytest.mark.parametrize(("head", "config"), FILES, ids=[f"{head}-{index}" for index, (head, _c) in enumerate(FILES)])
def test_our_verdict_is_the_servers(server: ApiServerFiles, head: str, config: Config) -> None:
    text = encode({**HEADS[head], **config})
    ours = [str(finding) for finding in check(text, versions=["1.20"]) if finding.level == "component"]
    theirs = server.refuses(HEADS[head]["kind"], text)
    assert bool(ours) == (theirs is not None), f"{text}\nwe say: {ours}\nkube-apiserver says: {theirs}"
