# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of kubeadm as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"InitConfiguration":{"token":{"fields":["bootstrapTokens[].token"],"since":20},"token-expiry":{"fields":
["bootstrapTokens[].expires"],"since":20},"token-usages":{"fields":["bootstrapTokens[].usages"],"since":20},
"token-groups":{"fields":["bootstrapTokens[].groups"],"since":20},"node-name":{"fields":["nodeRegistration.name"],
"since":20},"cri-socket":{"fields":["nodeRegistration.criSocket"],"since":20,"last":23},"cri-socket-scheme":{"fields":
["nodeRegistration.criSocket"],"since":24,"level":"warning"},"node-taints":{"fields":["nodeRegistration.taints"],
"since":20,"level":"policy"},"kubelet-args":{"fields":["nodeRegistration.kubeletExtraArgs"],"since":31},
"ignored-errors":{"fields":["nodeRegistration.ignorePreflightErrors"],"since":20},"ignored-errors-all":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20,"last":27},"endpoint-address":{"fields":
["localAPIEndpoint.advertiseAddress"],"since":20},"endpoint-port":{"fields":["localAPIEndpoint.bindPort"],"since":20},
"certificate-key":{"fields":["certificateKey"],"since":29}},"JoinConfiguration":{"discovery-one":{"fields":
["discovery"],"since":20},"discovery-endpoint":{"fields":["discovery.bootstrapToken.apiServerEndpoint"],"since":20},
"discovery-hashes":{"fields":["discovery.bootstrapToken.caCertHashes"],"since":20},"discovery-hash-format":{"fields":
["discovery.bootstrapToken.caCertHashes"],"since":20},"discovery-token":{"fields":["discovery.bootstrapToken.token",
"discovery.tlsBootstrapToken"],"since":20},"discovery-file":{"fields":["discovery.file.kubeConfigPath"],"since":20},
"ca-path":{"fields":["caCertPath"],"since":20},"node-name":{"fields":["nodeRegistration.name"],"since":20},
"cri-socket":{"fields":["nodeRegistration.criSocket"],"since":20,"last":23},"cri-socket-scheme":{"fields":
["nodeRegistration.criSocket"],"since":24,"level":"warning"},"node-taints":{"fields":["nodeRegistration.taints"],
"since":20,"level":"policy"},"kubelet-args":{"fields":["nodeRegistration.kubeletExtraArgs"],"since":31},
"ignored-errors":{"fields":["nodeRegistration.ignorePreflightErrors"],"since":20},"ignored-errors-all":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20,"last":27},"endpoint-address":{"fields":
["controlPlane.localAPIEndpoint.advertiseAddress"],"since":20},"endpoint-port":{"fields":
["controlPlane.localAPIEndpoint.bindPort"],"since":20},"certificate-key":{"fields":["controlPlane.certificateKey"],
"since":29}},"ClusterConfiguration":{"dns-domain":{"fields":["networking.dnsDomain"],"since":20},"service-subnet":
{"fields":["networking.serviceSubnet"],"since":20},"pod-subnet":{"fields":["networking.podSubnet"],"since":20},
"pod-subnet-node-mask":{"fields":["networking.podSubnet","controllerManager.extraArgs"],"since":20},
"certificates-dir":{"fields":["certificatesDir"],"since":20},"control-plane-endpoint":{"fields":
["controlPlaneEndpoint"],"since":20},"kubernetes-version":{"fields":["kubernetesVersion"],"since":20},
"kubernetes-version-old":{"fields":["kubernetesVersion"],"since":20},"cluster-gates":{"fields":["featureGates"],
"since":20},"cert-sans":{"fields":["apiServer.certSANs","etcd.local.serverCertSANs","etcd.local.peerCertSANs"],
"since":20},"extra-args":{"fields":["apiServer.extraArgs","controllerManager.extraArgs","scheduler.extraArgs",
"etcd.local.extraArgs"],"since":31},"image-repository":{"fields":["imageRepository","dns.imageRepository",
"etcd.local.imageRepository"],"since":31},"etcd-one":{"fields":["etcd"],"since":20},"etcd-paths":{"fields":
["etcd.local.dataDir","etcd.external.caFile","etcd.external.certFile","etcd.external.keyFile"],"since":20},
"etcd-client":{"fields":["etcd.external"],"since":20},"etcd-endpoints":{"fields":["etcd.external.endpoints"],"since":
20}},"ResetConfiguration":{"reset-certificates-dir":{"fields":["certificatesDir"],"since":31},"unmount-flags":
{"fields":["unmountFlags"],"since":31},"reset-ignored-errors":{"fields":["ignorePreflightErrors"],"since":31}},
"UpgradeConfiguration":{"upgrade-patches":{"fields":["apply.patches.directory","node.patches.directory"],"since":32},
"upgrade-ignored-errors":{"fields":["apply.ignorePreflightErrors","node.ignorePreflightErrors",
"plan.ignorePreflightErrors"],"since":31},"upgrade-version":{"fields":["apply.kubernetesVersion",
"plan.kubernetesVersion","diff.kubernetesVersion"],"since":31}},"values":{"gates":[["IPv6DualStack","1.20","1.24"],
["PublicKeysECDSA","1.20","1.37"],["RootlessControlPlane","1.22","1.37"],["UnversionedKubeletConfigMap","1.22",
"1.26"],["EtcdLearnerMode","1.27","1.33"],["UpgradeAddonsBeforeControlPlane","1.28","1.31"],
["WaitForAllControlPlaneComponents","1.30","1.37"],["ControlPlaneKubeletLocalMode","1.31","1.37"],
["NodeLocalCRISocket","1.32","1.37"]]}}
"""
