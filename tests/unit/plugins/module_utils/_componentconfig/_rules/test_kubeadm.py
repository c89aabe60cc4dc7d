# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's rules: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.checking import check_file
from support.configs.rule_cases import Case, Config, assert_case, names_of_rules

TOKEN = "abcdef.0123456789abcdef"
KEY = "0123456789abcdef" * 4
HASH = f"sha256:{KEY}"


def token(**fields: Any) -> Config:
    return {"bootstrapTokens": [{"token": TOKEN, **fields}]}


def node(**fields: Any) -> Config:
    return {"nodeRegistration": fields}


def joined(**fields: Any) -> Config:
    token = {"token": TOKEN, "apiServerEndpoint": "a:6443", "caCertHashes": [HASH], **fields}
    return {"discovery": {"bootstrapToken": token}}


def by_file(path: str, **fields: Any) -> Config:
    return {"discovery": {"file": {"kubeConfigPath": path}, **fields}}


def network(**fields: Any) -> Config:
    return {"networking": fields}


def manager(**arguments: str) -> Config:
    return {"controllerManager": {"extraArgs": {name.replace("_", "-"): value for name, value in arguments.items()}}}


def external(**fields: Any) -> Config:
    return {"etcd": {"external": {"endpoints": ["https://e:2379"], **fields}}}


CLIENT = {"caFile": "/ca", "certFile": "/c", "keyFile": "/k"}
POD_24 = network(podSubnet="10.244.0.0/24")


def of_nodes(endpoint: Any, key: Any) -> list[Case]:
    return [
        Case("node-name", 31, [node(name="a b"), node(name="a_b")], [node(name="Node.A"), node(name="")]),
        Case(
            "cri-socket",
            23,
            [node(criSocket="run/a.sock"), node(criSocket="tcp://a:1")],
            [node(criSocket="/run/a.sock"), node(criSocket="unix:///run/a.sock"), node(criSocket="")],
        ),
        Case(
            "cri-socket-url",
            24,
            [
                node(criSocket=text)
                for text in ("unix://a b", " unix:///run/a.sock", "%zz", "unix", "unixa:///run/a.sock")
            ],
            [node(criSocket=text) for text in ("/run/a.sock", "unix:///run/a.sock", "run/a.sock", "")],
        ),
        Case("cri-socket-scheme", 31, [node(criSocket="/run/a.sock")], [node(criSocket="unix:///run/a.sock"), {}]),
        Case(
            "node-taints",
            31,
            [
                node(taints=[{"key": "a b", "effect": "NoSchedule"}]),
                node(taints=[{"key": "a"}]),
                node(taints=[{"key": "a", "value": "b c", "effect": "NoExecute"}]),
            ],
            [node(taints=[{"key": "a.b/c", "value": "d", "effect": "NoExecute"}]), node(taints=[])],
        ),
        Case(
            "kubelet-args",
            32,
            [node(kubeletExtraArgs=[{"value": "a"}]), node(kubeletExtraArgs=[{"name": ""}])],
            [node(kubeletExtraArgs=[{"name": "v", "value": "2"}])],
        ),
        Case(
            "ignored-errors",
            31,
            [node(ignorePreflightErrors=["All", "Swap"])],
            [node(ignorePreflightErrors=errors) for errors in (["all"], ["all", "ALL"], ["Swap", "NumCPU"])],
        ),
        Case("ignored-errors-all", 27, [node(ignorePreflightErrors=["All"])], [node(ignorePreflightErrors=["Swap"])]),
        Case(
            "endpoint-address",
            31,
            [endpoint(advertiseAddress="host")],
            [endpoint(advertiseAddress="fd00::1"), endpoint(advertiseAddress="")],
        ),
        Case(
            "endpoint-loopback",
            31,
            [endpoint(advertiseAddress=text) for text in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1")],
            [endpoint(advertiseAddress=text) for text in ("10.0.0.1", "0.0.0.0", "::", "")],
        ),
        Case(
            "endpoint-port",
            31,
            [endpoint(bindPort=65536), endpoint(bindPort=-1)],
            [endpoint(bindPort=6443), endpoint(bindPort=0)],
        ),
        Case("certificate-key", 31, [key("00"), key("x" * 64)], [key(KEY), key("")]),
    ]


CASES: dict[str, list[Case]] = {
    "InitConfiguration": [
        Case("plausible-size", 31, [token(ttl="24ns")], [token(ttl="24h0m0s"), token(ttl="0s")]),
        Case("token", 31, [token(token="ABCDEF.0123456789abcdef"), token(token="a.b"), token(token="")], [token(), {}]),
        Case("token-expiry", 31, [token(expires="2026-01-31T12:00:00Z")], [token(ttl="1h0m0s")]),
        Case("token-usages", 31, [token(usages=["sign"])], [token(usages=["signing", "authentication"]), token()]),
        Case(
            "token-groups",
            31,
            [token(groups=["system:nodes"]), token(usages=["signing"])],
            [token(groups=["system:bootstrappers:a:b-c"]), token(usages=["authentication"])],
        ),
        *of_nodes(lambda **fields: {"localAPIEndpoint": fields}, lambda text: {"certificateKey": text}),
    ],
    "JoinConfiguration": [
        Case("plausible-size", 31, [{"discovery": {"timeout": "5ns"}}], [{"discovery": {"timeout": "5m0s"}}]),
        Case(
            "discovery-one",
            31,
            [{}, {"discovery": {}}, {"discovery": {**joined()["discovery"], **by_file("/a")["discovery"]}}],
            [joined(), by_file("/a")],
        ),
        Case(
            "discovery-endpoint",
            31,
            [joined(apiServerEndpoint=""), joined(apiServerEndpoint=None), joined(apiServerEndpoint="a")],
            [joined(), joined(apiServerEndpoint="[::1]:6443"), by_file("/a")],
        ),
        Case(
            "discovery-hashes",
            31,
            [joined(caCertHashes=[]), joined(caCertHashes=None, unsafeSkipCAVerification=False)],
            [joined(), joined(caCertHashes=None, unsafeSkipCAVerification=True)],
        ),
        Case(
            "discovery-hash-format",
            31,
            [joined(caCertHashes=[KEY]), joined(caCertHashes=["sha256:00"]), joined(caCertHashes=[f"md5:{KEY}"])],
            [joined(caCertHashes=[f"SHA256:{KEY}"]), joined(caCertHashes=[])],
        ),
        Case(
            "discovery-token",
            31,
            [joined(token=""), joined(token=None), by_file("/a", tlsBootstrapToken="a")],
            [joined(), by_file("/a"), by_file("/a", tlsBootstrapToken=TOKEN)],
        ),
        Case(
            "discovery-file",
            31,
            [by_file(""), by_file("http://a/b"), by_file("https://a:b")],
            [by_file("/a"), by_file("a"), by_file("https://a/b"), by_file("file:///a")],
        ),
        Case(
            "ca-path",
            31,
            [{"caCertPath": "ca.crt"}, {"caCertPath": "/ca.pem"}],
            [{"caCertPath": "/ca.crt"}, {"caCertPath": ""}],
        ),
        *of_nodes(
            lambda **fields: {"controlPlane": {"localAPIEndpoint": fields}},
            lambda text: {"controlPlane": {"certificateKey": text}},
        ),
    ],
    "ClusterConfiguration": [
        Case(
            "plausible-size",
            31,
            [{"apiServer": {"timeoutForControlPlane": "4ms"}}],
            [{"apiServer": {"timeoutForControlPlane": "4m0s"}}],
        ),
        Case("dns-domain", 31, [network(dnsDomain="Cluster"), network(dnsDomain="a..b")], [network(dnsDomain="a.b")]),
        Case(
            "service-subnet",
            31,
            [
                network(serviceSubnet=text)
                for text in ("10.96.0.0", "10.0.0.0/11", "10.0.0.0/30", "fd00::/64", "10.0.0.0/16,10.1.0.0/16", "a,b")
            ],
            [network(serviceSubnet=text) for text in ("10.96.0.0/12", "fd00::/108", "10.96.0.0/16,fd00::/112", "")],
        ),
        Case(
            "service-subnet",
            20,
            [network(serviceSubnet="10.96.0.0/16,fd00::/112")],
            [{**network(serviceSubnet="10.96.0.0/16,fd00::/112"), "featureGates": {"IPv6DualStack": True}}],
        ),
        Case(
            "pod-subnet",
            31,
            [network(podSubnet=text) for text in ("10.244.0.0", "10.0.0.0/29", "10.0.0.0/8,10.0.0.0/8,fd00::/48")],
            [network(podSubnet=text) for text in ("10.244.0.0/16", "10.244.0.0/16,fd00::/56")],
        ),
        Case(
            "pod-subnet-node-mask",
            30,
            [
                network(podSubnet="10.0.0.0/25"),
                network(podSubnet="10.0.0.0/7"),
                {**POD_24, **manager(node_cidr_mask_size_ipv4="23")},
                *({**POD_24, **manager(node_cidr_mask_size_ipv4=text)} for text in ("x", "२४", "+-24", "9" * 5000)),
            ],
            [
                POD_24,
                # The example of kubeadm's own documentation.
                {**POD_24, **manager(node_cidr_mask_size="20")},
                {**network(podSubnet="10.0.0.0/25"), **manager(node_cidr_mask_size_ipv4="26")},
                {**network(podSubnet="10.0.0.0/25"), **manager(allocate_node_cidrs="false")},
            ],
        ),
        Case(
            "pod-subnet-node-mask",
            20,
            [{**POD_24, **manager(node_cidr_mask_size="20")}],
            [{**POD_24, **manager(node_cidr_mask_size_ipv4="20")}],
        ),
        Case("certificates-dir", 31, [{"certificatesDir": "pki"}], [{"certificatesDir": "/pki"}]),
        Case(
            "control-plane-endpoint",
            31,
            [{"controlPlaneEndpoint": text} for text in ("https://a", "a:0", "a:70000", "A_b", "[::1]")],
            [
                {"controlPlaneEndpoint": text}
                for text in ("a.b", "a.b:6443", "10.0.0.1", "[fd00::1]:6443", "fd00::1", "")
            ],
        ),
        Case(
            "kubernetes-version",
            31,
            [{"kubernetesVersion": text} for text in ("1.31", "newest", "v1.31.x")],
            [
                {"kubernetesVersion": text}
                for text in ("v1.31.0", "1.31.4+b1", "stable-1.31", "ci/latest", "stable", "")
            ],
        ),
        Case(
            "kubernetes-version-old",
            31,
            [{"kubernetesVersion": "v1.29.9"}],
            [{"kubernetesVersion": "v1.30.0"}, {"kubernetesVersion": "stable-1.29"}],
        ),
        Case(
            "cluster-gates",
            31,
            [{"featureGates": {"GracefulNodeShutdown": True}}, {"featureGates": {"NodeLocalCRISocket": True}}],
            [{"featureGates": {"EtcdLearnerMode": True}}, {}],
        ),
        *(
            case
            for gate, last in (
                ("UpgradeAddonsBeforeControlPlane", 30),
                ("EtcdLearnerMode", 32),
                ("WaitForAllControlPlaneComponents", 34),
                ("ControlPlaneKubeletLocalMode", 35),
            )
            for case in (
                Case("cluster-gates", last, [{"featureGates": {"A": True}}], [{"featureGates": {gate: True}}]),
                Case("cluster-gates", last + 1, [{"featureGates": {gate: False}}], [{}]),
            )
        ),
        Case(
            "cert-sans",
            31,
            [
                {"apiServer": {"certSANs": ["a b"]}},
                {"etcd": {"local": {"peerCertSANs": ["a.*"]}}},
                {"etcd": {"local": {"serverCertSANs": ["A.b"]}}},
            ],
            [{"apiServer": {"certSANs": ["*.a.b", "a.b", "10.0.0.1", "fd00::1", "A.Example.COM", "*.A.B"]}}],
        ),
        Case(
            "extra-args",
            32,
            [{"apiServer": {"extraArgs": [{"value": "a"}]}}, {"etcd": {"local": {"extraArgs": [{"name": ""}]}}}],
            [{"scheduler": {"extraArgs": [{"name": "v", "value": "2"}]}}],
        ),
        Case(
            "image-repository",
            31,
            [{"imageRepository": "https://a/b"}, {"dns": {"imageRepository": "a/B"}}, {"imageRepository": "a/"}],
            [{"imageRepository": "registry.k8s.io"}, {"imageRepository": "localhost:5000/k8s/x-y"}],
        ),
        Case(
            "etcd-one",
            31,
            [{"etcd": {"local": {}, **external()["etcd"]}}],
            [{"etcd": {"local": {}}}, external(), {}],
        ),
        Case(
            "etcd-paths",
            31,
            [{"etcd": {"local": {"dataDir": "a"}}}, external(caFile="ca")],
            [{"etcd": {"local": {"dataDir": "/a"}}}, external(caFile="/ca")],
        ),
        Case(
            "etcd-client",
            31,
            [external(certFile="/c"), external(certFile="/c", keyFile="/k")],
            [external(**CLIENT), external(caFile="/ca"), external()],
        ),
        Case(
            "etcd-endpoints",
            31,
            [
                external(endpoints=["10.0.0.1:2379"]),
                external(endpoints=["http://e:1"], **CLIENT),
                external(endpoints=["/e"]),
            ],
            [external(endpoints=["http://e:2379"]), external(**CLIENT)],
        ),
        Case(
            "etcd-endpoints-given",
            35,
            [external(endpoints=[]), external(endpoints=None)],
            [external(), {"etcd": {"local": {}}}, {"etcd": {}}],
        ),
    ],
    "ResetConfiguration": [
        Case("plausible-size", 31, [{"timeouts": {"etcdAPICall": "2ns"}}], [{"timeouts": {"etcdAPICall": "2m0s"}}]),
        Case("reset-certificates-dir", 31, [{"certificatesDir": "a"}], [{"certificatesDir": "/a"}]),
        Case("cri-socket-url", 31, [{"criSocket": "%zz"}, {"criSocket": "a b"}], [{"criSocket": "/run/a.sock"}]),
        Case("unmount-flags", 31, [{"unmountFlags": ["force"]}], [{"unmountFlags": ["MNT_FORCE", "MNT_DETACH"]}]),
        Case(
            "reset-ignored-errors",
            31,
            [{"ignorePreflightErrors": ["all", "a"]}],
            [{"ignorePreflightErrors": ["all"]}],
        ),
    ],
    "UpgradeConfiguration": [
        Case(
            "plausible-size",
            31,
            [{"timeouts": {"upgradeManifests": "5ns"}}],
            [{"timeouts": {"upgradeManifests": "5m0s"}}],
        ),
        Case(
            "upgrade-patches",
            31,
            [{"apply": {"patches": {}}}, {"node": {"patches": {"directory": "a"}}}],
            [{"apply": {"patches": {"directory": "/a"}}}, {"node": {}}],
        ),
        Case(
            "upgrade-ignored-errors",
            31,
            [{"plan": {"ignorePreflightErrors": ["all", "a"]}}],
            [{"plan": {"ignorePreflightErrors": ["all"]}, "node": {"ignorePreflightErrors": ["a"]}}],
        ),
        Case(
            "upgrade-version",
            31,
            [{"apply": {"kubernetesVersion": "1.31"}}, {"diff": {"kubernetesVersion": "x"}}],
            [{"apply": {"kubernetesVersion": "v1.31.1"}, "plan": {"kubernetesVersion": "stable"}}],
        ),
    ],
}


def version_of(kind: str, minor: int) -> str:
    if kind in ("ResetConfiguration", "UpgradeConfiguration") or minor > 31:
        return "v1beta4"
    return "v1beta2" if minor < 22 else "v1beta3"


@pytest.mark.parametrize("kind", sorted(CASES))
def test_every_rule_has_a_case(kind: str) -> None:
    assert {case.rule for case in CASES[kind]} == names_of_rules("kubeadm.k8s.io/v1beta4", kind)


@pytest.mark.parametrize(
    ("kind", "case"),
    [(kind, case) for kind, cases in CASES.items() for case in cases],
    ids=[f"{kind}-{case.rule}-{case.minor}" for kind, cases in CASES.items() for case in cases],
)
def test_each_rule_refuses_its_bad_configs_alone(kind: str, case: Case) -> None:
    assert_case({"apiVersion": f"kubeadm.k8s.io/{version_of(kind, case.minor)}", "kind": kind}, case)


def test_arguments_are_a_map_up_to_v1beta3_and_a_list_from_v1beta4_on() -> None:
    for version, arguments in (("v1beta3", {"v": "2"}), ("v1beta4", [{"name": "v", "value": "2"}])):
        head = {"apiVersion": f"kubeadm.k8s.io/{version}", "kind": "ClusterConfiguration"}
        assert check_file(encode({**head, "apiServer": {"extraArgs": arguments}}), versions=["1.31"]) == []
        wrong = [{"name": "v"}] if version == "v1beta3" else {"v": "2"}
        assert [
            finding.rule
            for finding in check_file(encode({**head, "apiServer": {"extraArgs": wrong}}), versions=["1.31"])
        ] == ["type"]


def test_the_mask_of_a_node_is_found_in_a_list_of_arguments_too() -> None:
    head = {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration"}
    arguments = [{"name": "node-cidr-mask-size-ipv4", "value": "25"}, {"name": "allocate-node-cidrs", "value": "true"}]
    config = {**head, **network(podSubnet="10.0.0.0/25"), "controllerManager": {"extraArgs": arguments}}
    assert check_file(encode(config), versions=["1.32"]) == []


@pytest.mark.parametrize("kind", ["InitConfiguration", "ClusterConfiguration", "ResetConfiguration"])
def test_an_empty_config_breaks_no_rule(kind: str) -> None:
    for known in kinds():
        if known.kind == kind:
            for minor in range(known.since, (known.last or 36) + 1):
                text = encode({"apiVersion": known.api_version, "kind": kind})
                assert check(text, versions=[f"1.{minor}"]) == []


def test_an_unknown_field_of_a_release_whose_fields_were_not_read_is_a_warning() -> None:
    text = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nnoSuch: 1\n"
    levels = {finding.versions: str(finding.level) for finding in check(text, versions=["1.36", "1.37"])}
    assert levels == {("1.36",): "policy", ("1.37",): "warning"}
