# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-proxy as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"text":{"splitStream":{"type":"bool"},"infoBufferSize":{"type":"quantity"}},"minSyncPeriod":{"type":
"duration","default":"1s","gates":["EndpointSlice"]}},"kinds":
{"kubeproxy.config.k8s.io/v1alpha1 KubeProxyConfiguration":{"fields":{"featureGates":{"type":"map<bool>"},
"clientConnection":{"fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":5.0},"burst":{"type":"int32","default":10}}},
"logging":{"since":28,"fields":{"format":{"enum":["text","json"],"default":"text"},"flushFrequency":{"type":
"durationOrNanoseconds","default":"5s"},"verbosity":{"type":"int64","default":0},"vmodule":{"type":"list<object>",
"fields":{"filePattern":{},"verbosity":{"type":"int64"}}},"options":{"gates":["LoggingAlphaOptions"],"fields":{"text":
{"since":30,"fields":"text"},"json":{"fields":"text"}}}}},"hostnameOverride":{},"bindAddress":{"default":"0.0.0.0"},
"healthzBindAddress":{"default":"0.0.0.0:10256"},"metricsBindAddress":{"default":"127.0.0.1:10249"},
"bindAddressHardFail":{"type":"bool","default":false},"enableProfiling":{"type":"bool","default":false},
"showHiddenMetricsForVersion":{},"mode":{"enum":["","iptables","ipvs","nftables","kernelspace"],"enums":[[20,["",
"userspace","iptables","ipvs","kernelspace"]],[26,["","iptables","ipvs","kernelspace"]],[29,["","iptables","ipvs",
"nftables","kernelspace"]]]},"iptables":{"fields":{"masqueradeBit":{"type":"int32","nullable":1,"default":14,"os":
"linux"},"masqueradeAll":{"type":"bool","default":false,"os":"linux"},"localhostNodePorts":{"type":"bool","nullable":
1,"since":26,"default":true,"os":"linux"},"syncPeriod":{"type":"duration","default":"30s"},"minSyncPeriod":
"minSyncPeriod"}},"ipvs":{"os":"linux","fields":{"syncPeriod":{"type":"duration","default":"30s"},"minSyncPeriod":
{"type":"duration","gates":["EndpointSlice"]},"scheduler":{},"excludeCIDRs":{"type":"list<string>"},"strictARP":
{"type":"bool","default":false},"tcpTimeout":{"type":"duration"},"tcpFinTimeout":{"type":"duration"},"udpTimeout":
{"type":"duration"}}},"nftables":{"since":29,"os":"linux","fields":{"masqueradeBit":{"type":"int32","nullable":1,
"default":14},"masqueradeAll":{"type":"bool","default":false},"syncPeriod":{"type":"duration","default":"30s"},
"minSyncPeriod":"minSyncPeriod"}},"winkernel":{"os":"windows","fields":{"networkName":{},"sourceVip":{},"enableDSR":
{"type":"bool","default":false},"rootHnsEndpointName":{"since":24},"forwardHealthCheckVip":{"type":"bool","since":24,
"default":false}}},"detectLocalMode":{"enum":["","ClusterCIDR","NodeCIDR","BridgeInterface","InterfaceNamePrefix"],
"enums":[[20,["","ClusterCIDR","NodeCIDR"]],[24,["","ClusterCIDR","NodeCIDR","BridgeInterface",
"InterfaceNamePrefix"]]]},"detectLocal":{"since":24,"fields":{"bridgeInterface":{},"interfaceNamePrefix":{}}},
"clusterCIDR":{},"nodePortAddresses":{"type":"list<string>"},"oomScoreAdj":{"type":"int32","nullable":1,"default":
-999,"os":"linux"},"conntrack":{"os":"linux","fields":{"maxPerCore":{"type":"int32","nullable":1,"default":32768},
"min":{"type":"int32","nullable":1,"default":131072},"tcpEstablishedTimeout":{"type":"duration","nullable":1,
"default":"24h0m0s"},"tcpCloseWaitTimeout":{"type":"duration","nullable":1,"default":"1h0m0s"},"tcpBeLiberal":{"type":
"bool","since":29,"default":false},"udpTimeout":{"type":"duration","since":29},"udpStreamTimeout":{"type":"duration",
"since":29}}},"configSyncPeriod":{"type":"duration","default":"15m0s"},"portRange":{},"windowsRunAsService":{"type":
"bool","since":31,"os":"windows"},"udpIdleTimeout":{"type":"duration","last":25,"default":"250ms"}}}}}
"""
