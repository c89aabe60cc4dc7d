# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-proxy's own rules: each broken once, kept once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kube_proxy import KUBE_PROXY_RULES
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check

Config = dict[str, Any]


def broken(config: Config, minor: int, rule: str) -> list[str]:
    text = encode({"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", **config})
    facts = rule_facts("kube_proxy", "kubeProxy")[rule]
    system = facts.get("os", ["linux"])[0]
    findings = [finding for finding in check(text, versions=[f"1.{minor}"], os=system) if finding.rule == rule]
    assert {finding.level for finding in findings} <= {facts.get("level", "component")}
    return [finding.field for finding in findings]


BRIDGE = {"detectLocalMode": "BridgeInterface"}
PREFIX = {"detectLocalMode": "InterfaceNamePrefix"}
WRONG_CIDRS = ("10.0.0.0", "10.0.0.0/8,10.1.0.0/16", "10.0.0.0/8,fd00::/8,fd01::/8", "10.0.0.0/33")
CASES: list[tuple[str, int, list[Config], list[Config]]] = [
    ("gates-known", 31, [{"featureGates": {"NoSuchGate": True}}], [{"featureGates": {"AllBeta": False}}]),
    ("plausible-size", 31, [{"iptables": {"syncPeriod": "30ns"}}], [{"iptables": {"syncPeriod": "30s"}}]),
    ("mode-windows", 31, [{"mode": "iptables"}], [{"mode": "kernelspace"}, {"mode": ""}, {}]),
    ("mode-linux", 31, [{"mode": "kernelspace"}], [{"mode": "nftables"}, {"mode": ""}]),
    (
        "masq-bit",
        31,
        [{"iptables": {"masqueradeBit": 32}}, {"mode": "nftables", "nftables": {"masqueradeBit": -1}}],
        [
            {"iptables": {"masqueradeBit": 14}},
            {"nftables": {"masqueradeBit": -1}},
            {"iptables": {"masqueradeBit": None}},
        ],
    ),
    (
        "sync-period",
        31,
        [
            {"iptables": {"syncPeriod": "-1s"}},
            {"mode": "ipvs", "ipvs": {"syncPeriod": "1s", "minSyncPeriod": "2s"}},
        ],
        [
            {"iptables": {"syncPeriod": "1s"}},
            {"mode": "nftables", "ipvs": {"syncPeriod": "-1s"}},
            {"mode": "nftables", "iptables": {"syncPeriod": "-1s"}},
            {"mode": "ipvs", "iptables": {"minSyncPeriod": "42s"}},
        ],
    ),
    (
        "sync-period",
        30,
        [{"mode": "ipvs", "iptables": {"syncPeriod": "-1s"}}, {"mode": "ipvs", "iptables": {"minSyncPeriod": "42s"}}],
        [{"mode": "ipvs", "nftables": {"syncPeriod": "-1s"}}],
    ),
    (
        "min-sync-period",
        31,
        [{"mode": "ipvs", "ipvs": {"minSyncPeriod": "-1s"}}, {"iptables": {"minSyncPeriod": "-1s"}}],
        [{"mode": "ipvs", "ipvs": {"minSyncPeriod": "0s"}}, {"ipvs": {"minSyncPeriod": "-1s"}}],
    ),
    (
        "port-range",
        30,
        [{"portRange": text} for text in ("a", "2-1", "1-65536", "1+65535", "1-2+3", "70000")],
        [{"portRange": text} for text in ("300-2000", "300+100", "0-0", "80", "")],
    ),
    (
        "nodeport-address-words",
        37,
        [{"nodePortAddresses": ["secondary"]}, {"nodePortAddresses": ["primary", "10.0.0.1"]}],
        [{"nodePortAddresses": ["primary", "localhost", "all", "10.0.0.0/8"]}, {"nodePortAddresses": []}],
    ),
    (
        "mode-nftables-gate",
        29,
        [{"mode": "nftables"}, {"mode": "nftables", "featureGates": {"NFTablesProxyMode": False}}],
        [{"mode": "nftables", "featureGates": {"NFTablesProxyMode": True}}, {"mode": "iptables"}],
    ),
    (
        "mode-nftables-gate",
        30,
        [{"mode": "nftables"}],
        [{"mode": "nftables", "featureGates": {"AllAlpha": True}}, {"mode": "ipvs"}],
    ),
    (
        "mode-ipvs-gate",
        37,
        [{"mode": "ipvs", "featureGates": {"KubeProxyIPVS": False}}],
        [{"mode": "ipvs"}, {"mode": "nftables", "featureGates": {"KubeProxyIPVS": False}}],
    ),
    ("mode-left-out", 37, [{}, {"mode": ""}], [{"mode": "iptables"}, {"mode": "nftables"}]),
    ("udp-idle", 20, [{"udpIdleTimeout": "-1s"}], [{"udpIdleTimeout": "0s"}, {"udpIdleTimeout": "1s"}]),
    ("logging", 31, [{"logging": {"flushFrequency": "-1s"}}], [{"logging": {"format": "json"}}]),
    ("config-sync", 31, [{"configSyncPeriod": "-1s"}], [{"configSyncPeriod": "1s"}]),
    ("bind", 31, [{"bindAddress": "localhost"}], [{"bindAddress": "::"}]),
    (
        "healthz",
        31,
        [{"healthzBindAddress": value} for value in ("1.2.3.4:0", "host", "::ffff:1.2.3.4", "[::]", "1.2.3.4:")],
        [{"healthzBindAddress": value} for value in ("[::]:10256", "1.2.3.4", "::")],
    ),
    (
        "metrics",
        31,
        [{"metricsBindAddress": "host:1"}, {"metricsBindAddress": "1.2.3.4:65536"}],
        [{"metricsBindAddress": "1.2.3.4:1"}, {"metricsBindAddress": "0.0.0.0"}],
    ),
    (
        "nodeport-addresses",
        31,
        [{"nodePortAddresses": ["1.2.3.4"]}, {"nodePortAddresses": ["primary", "10.0.0.0/8"]}],
        [{"nodePortAddresses": ["primary"]}, {"nodePortAddresses": ["10.0.0.0/8", "fd00::/8"]}],
    ),
    ("detect-bridge", 31, [BRIDGE], [{**BRIDGE, "detectLocal": {"bridgeInterface": "br0"}}]),
    ("detect-prefix", 31, [PREFIX], [{**PREFIX, "detectLocal": {"interfaceNamePrefix": "cali"}}]),
    (
        "cluster-cidr",
        30,
        [{"clusterCIDR": value} for value in WRONG_CIDRS],
        [{"clusterCIDR": value} for value in ("10.0.0.0/8", "fd00::/8,10.0.0.0/8", "")],
    ),
    (
        "cluster-cidr",
        31,
        [{"clusterCIDR": value, "detectLocalMode": "ClusterCIDR"} for value in WRONG_CIDRS],
        [{"clusterCIDR": "x"}, {"clusterCIDR": "x", "detectLocalMode": "NodeCIDR"}],
    ),
    (
        "cluster-cidr",
        22,
        [{"clusterCIDR": "fd00::/8,10.0.0.0/8", "featureGates": {"IPv6DualStack": False}}],
        [{"clusterCIDR": "fd00::/8,10.0.0.0/8"}],
    ),
    (
        "conntrack",
        31,
        [
            {"conntrack": {"maxPerCore": -1}},
            {"conntrack": {"min": -1}},
            {"conntrack": {"tcpEstablishedTimeout": "-1s"}},
            {"conntrack": {"udpTimeout": "-1s"}},
        ],
        [{"conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s"}}],
    ),
    ("oom", 31, [{"oomScoreAdj": 1001}], [{"oomScoreAdj": -1000}]),
    (
        "ipvs-timeouts",
        31,
        [{"mode": "ipvs", "ipvs": {"udpTimeout": "-1s"}}],
        [{"mode": "ipvs", "ipvs": {"udpTimeout": "0s"}}, {"ipvs": {"udpTimeout": "-1s"}}],
    ),
    (
        "ipvs-excludes",
        31,
        [{"mode": "ipvs", "ipvs": {"excludeCIDRs": ["1.2.3.4"]}}],
        [{"mode": "ipvs", "ipvs": {"excludeCIDRs": ["1.2.3.4/32"]}}, {"ipvs": {"excludeCIDRs": ["1.2.3.4"]}}],
    ),
    (
        "ipvs-scheduler",
        20,
        [{"mode": "ipvs", "ipvs": {"scheduler": "xx"}}],
        [{"mode": "ipvs", "ipvs": {"scheduler": "rr"}}],
    ),
    ("client-burst", 31, [{"clientConnection": {"burst": -1}}], [{"clientConnection": {"burst": 0}}]),
    ("hidden-metrics", 31, [{"showHiddenMetricsForVersion": "1.31"}], [{"showHiddenMetricsForVersion": "1.30"}]),
]


def test_every_rule_has_a_case() -> None:
    warned = {rule for _text, rule in WARNINGS if rule}
    assert {case[0] for case in CASES} | warned == {*KUBE_PROXY_RULES, "plausible-size"}


@pytest.mark.parametrize(("rule", "minor", "bad", "good"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_each_rule_refuses_its_bad_configs_alone(rule: str, minor: int, bad: list[Config], good: list[Config]) -> None:
    for config in bad:
        assert broken(config, minor, rule), config
    for config in good:
        assert broken(config, minor, rule) == [], config


@pytest.mark.parametrize("minor", known_minors())
def test_an_empty_config_breaks_no_rule_but_that_it_should_say_its_mode(minor: int) -> None:
    text = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
    assert [finding.rule for finding in check(text, versions=[f"1.{minor}"])] == ["mode-left-out"] * (minor >= 37)


WARNINGS = [
    ("clusterCIDR: x", "cluster-cidr-left-out"),
    ("clusterCIDR: 10.0.0.0/8", None),
    ("portRange: '300-200'", "port-range-unread"),
    ("portRange: ''", None),
]


@pytest.mark.parametrize(("text", "rule"), WARNINGS)
def test_a_value_that_kube_proxy_does_not_check_is_at_most_a_warning(text: str, rule: str | None) -> None:
    head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
    findings = check(f"{head}{text}\n", versions=["1.31"])
    assert [(finding.rule, finding.level) for finding in findings] == ([(rule, "warning")] if rule else [])
