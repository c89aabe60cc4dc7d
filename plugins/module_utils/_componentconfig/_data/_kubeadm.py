# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kubeadm as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"etcd":{"fields":{"local":{"nullable":1,"fields":{"imageRepository":{},"imageTag":{},"dataDir":{"default":
"/var/lib/etcd"},"extraArgs":{"type":"map<string>"},"serverCertSANs":{"type":"list<string>"},"peerCertSANs":{"type":
"list<string>"}}},"external":{"nullable":1,"fields":{"endpoints":{"type":"list<string>"},"caFile":{},"certFile":{},
"keyFile":{}}}}},"networking":{"fields":{"serviceSubnet":{"default":"10.96.0.0/12"},"podSubnet":{},"dnsDomain":
{"default":"cluster.local"}}},"extraVolumes":{"type":"list<object>","fields":{"name":{},"hostPath":{},"mountPath":{},
"readOnly":{"type":"bool"},"pathType":{"type":"enum","enum":["","DirectoryOrCreate","Directory","FileOrCreate","File",
"Socket","CharDevice","BlockDevice"]}}},"apiServer":{"fields":{"extraArgs":{"type":"map<string>"},"extraVolumes":
"extraVolumes","certSANs":{"type":"list<string>"},"timeoutForControlPlane":{"type":"duration","nullable":1}}},
"controllerManager":{"extraArgs":{"type":"map<string>"},"extraVolumes":"extraVolumes"},"controllerManager2":{"fields":
"controllerManager"},"scheduler":{"fields":"controllerManager"},"extraArgs":{"type":"list<object>","fields":{"name":
{},"value":{}}},"configMapKeyRef":{"name":{},"key":{},"optional":{"type":"bool","nullable":1}},"extraEnvs":{"type":
"list<object>","fields":{"name":{},"value":{},"valueFrom":{"nullable":1,"fields":{"fieldRef":{"nullable":1,"fields":
{"apiVersion":{},"fieldPath":{}}},"resourceFieldRef":{"nullable":1,"fields":{"containerName":{},"resource":{},
"divisor":{"type":"quantity"}}},"configMapKeyRef":{"nullable":1,"fields":"configMapKeyRef"},"secretKeyRef":
{"nullable":1,"fields":"configMapKeyRef"},"fileKeyRef":{"nullable":1,"since":34,"gates":["EnvFiles"],"fields":
{"volumeName":{"gates":[]},"path":{"gates":[]},"key":{},"optional":{"type":"bool","nullable":1,"gates":[]}}}}}}},
"controllerManager3":{"extraArgs":"extraArgs","extraVolumes":"extraVolumes","extraEnvs":"extraEnvs"},"ClusterStatus":
{"apiEndpoints":{"type":"map<object>","fields":{"advertiseAddress":{},"bindPort":{"type":"int32"}}}},
"bootstrapTokens":{"type":"list<object>","fields":{"token":{"nullable":1},"description":{},"ttl":{"type":"duration",
"nullable":1},"expires":{"type":"time","nullable":1},"usages":{"type":"list<string>"},"groups":{"type":
"list<string>"}}},"taints":{"type":"list<object>","nullable":1,"fields":{"key":{},"value":{},"effect":{"type":"enum",
"enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","nullable":1}}},"nodeRegistration":
{"fields":{"name":{},"criSocket":{},"taints":"taints","kubeletExtraArgs":{"type":"map<string>"}}},"localAPIEndpoint":
{"fields":{"advertiseAddress":{},"bindPort":{"type":"int32","default":6443}}},"nodeRegistration2":{"fields":{"name":
{},"criSocket":{},"taints":"taints","kubeletExtraArgs":{"type":"map<string>"},"ignorePreflightErrors":{"type":
"list<string>"}}},"imagePullPolicy":{"type":"enum","enum":["Always","Never","IfNotPresent"]},"nodeRegistration3":
{"fields":{"name":{},"criSocket":{},"taints":"taints","kubeletExtraArgs":{"type":"map<string>"},
"ignorePreflightErrors":{"type":"list<string>"},"imagePullPolicy":"imagePullPolicy"}},"nodeRegistration4":{"fields":
{"name":{},"criSocket":{},"taints":"taints","kubeletExtraArgs":{"type":"list<object>","fields":{"name":{},"value":
{}}},"ignorePreflightErrors":{"type":"list<string>"},"imagePullPolicy":"imagePullPolicy","imagePullSerial":{"type":
"bool","nullable":1}}},"timeouts":{"nullable":1,"fields":{"controlPlaneComponentHealthCheck":{"type":"duration",
"nullable":1},"kubeletHealthCheck":{"type":"duration","nullable":1},"kubernetesAPICall":{"type":"duration","nullable":
1},"etcdAPICall":{"type":"duration","nullable":1},"tlsBootstrap":{"type":"duration","nullable":1},"discovery":{"type":
"duration","nullable":1},"upgradeManifests":{"type":"duration","nullable":1}}},"bootstrapToken":{"nullable":1,
"fields":{"token":{},"apiServerEndpoint":{},"caCertHashes":{"type":"list<string>"},"unsafeSkipCAVerification":{"type":
"bool"}}},"discovery":{"fields":{"bootstrapToken":"bootstrapToken","file":{"nullable":1,"fields":{"kubeConfigPath":
{}}},"tlsBootstrapToken":{},"timeout":{"type":"duration","nullable":1}}},"controlPlane":{"nullable":1,"fields":
{"localAPIEndpoint":"localAPIEndpoint","certificateKey":{}}}},"kinds":{"kubeadm.k8s.io/v1beta1 ClusterConfiguration":
{"fields":{"etcd":"etcd","networking":"networking","kubernetesVersion":{"default":"stable-1"},"controlPlaneEndpoint":
{},"apiServer":"apiServer","controllerManager":"controllerManager2","scheduler":"scheduler","dns":{"fields":{"type":
{"type":"enum","enum":["CoreDNS"],"enums":[[20,["CoreDNS","kube-dns"]],[21,["CoreDNS"]]]},"imageRepository":{},
"imageTag":{}}},"certificatesDir":{"default":"/etc/kubernetes/pki"},"imageRepository":{},"useHyperKubeImage":{"type":
"bool"},"featureGates":{"type":"map<bool>"},"clusterName":{"default":"kubernetes"}}},
"kubeadm.k8s.io/v1beta2 ClusterConfiguration":{"fields":{"etcd":"etcd","networking":"networking","kubernetesVersion":
{"default":"stable-1"},"controlPlaneEndpoint":{},"apiServer":"apiServer","controllerManager":"controllerManager2",
"scheduler":"scheduler","dns":{"fields":{"type":{"type":"enum","enum":["CoreDNS","kube-dns"],"enums":[[20,["CoreDNS",
"kube-dns"]],[21,["CoreDNS"]],[25,["CoreDNS","kube-dns"]]]},"imageRepository":{},"imageTag":{}}},"certificatesDir":
{"default":"/etc/kubernetes/pki"},"imageRepository":{},"useHyperKubeImage":{"type":"bool"},"featureGates":{"type":
"map<bool>"},"clusterName":{"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta3 ClusterConfiguration":{"fields":{"etcd":
"etcd","networking":"networking","kubernetesVersion":{"default":"stable-1"},"controlPlaneEndpoint":{},"apiServer":
"apiServer","controllerManager":"controllerManager2","scheduler":"scheduler","dns":{"fields":{"imageRepository":{},
"imageTag":{}}},"certificatesDir":{"default":"/etc/kubernetes/pki"},"imageRepository":{},"featureGates":{"type":
"map<bool>"},"clusterName":{"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta4 ClusterConfiguration":{"unread":37,
"fields":{"etcd":{"fields":{"local":{"nullable":1,"fields":{"imageRepository":{},"imageTag":{},"dataDir":{"default":
"/var/lib/etcd"},"extraArgs":"extraArgs","extraEnvs":"extraEnvs","serverCertSANs":{"type":"list<string>"},
"peerCertSANs":{"type":"list<string>"}}},"external":{"nullable":1,"fields":{"endpoints":{"type":"list<string>"},
"httpEndpoints":{"type":"list<string>","since":35},"caFile":{},"certFile":{},"keyFile":{}}}}},"networking":
"networking","kubernetesVersion":{"default":"stable-1"},"controlPlaneEndpoint":{},"apiServer":{"fields":{"extraArgs":
"extraArgs","extraVolumes":"extraVolumes","extraEnvs":"extraEnvs","certSANs":{"type":"list<string>"}}},
"controllerManager":{"fields":"controllerManager3"},"scheduler":{"fields":"controllerManager3"},"dns":{"fields":
{"imageRepository":{},"imageTag":{},"disabled":{"type":"bool"}}},"proxy":{"fields":{"disabled":{"type":"bool"}}},
"certificatesDir":{"default":"/etc/kubernetes/pki"},"imageRepository":{},"featureGates":{"type":"map<bool>"},
"clusterName":{"default":"kubernetes"},"encryptionAlgorithm":{"type":"enum","enum":["ECDSA-P256","ECDSA-P384",
"RSA-2048","RSA-3072","RSA-4096"],"enums":[[31,["ECDSA-P256","RSA-2048","RSA-3072","RSA-4096"]],[34,["ECDSA-P256",
"ECDSA-P384","RSA-2048","RSA-3072","RSA-4096"]]]},"certificateValidityPeriod":{"type":"duration","nullable":1},
"caCertificateValidityPeriod":{"type":"duration","nullable":1}}},"kubeadm.k8s.io/v1beta1 ClusterStatus":{"fields":
"ClusterStatus"},"kubeadm.k8s.io/v1beta2 ClusterStatus":{"fields":"ClusterStatus"},
"kubeadm.k8s.io/v1beta1 InitConfiguration":{"fields":{"bootstrapTokens":"bootstrapTokens","nodeRegistration":
"nodeRegistration","localAPIEndpoint":"localAPIEndpoint"}},"kubeadm.k8s.io/v1beta2 InitConfiguration":{"fields":
{"bootstrapTokens":"bootstrapTokens","nodeRegistration":"nodeRegistration2","localAPIEndpoint":"localAPIEndpoint",
"certificateKey":{}}},"kubeadm.k8s.io/v1beta3 InitConfiguration":{"fields":{"bootstrapTokens":"bootstrapTokens",
"nodeRegistration":"nodeRegistration3","localAPIEndpoint":"localAPIEndpoint","certificateKey":{},"skipPhases":{"type":
"list<string>"},"patches":{"nullable":1,"fields":{"directory":{}}}}},"kubeadm.k8s.io/v1beta4 InitConfiguration":
{"unread":37,"fields":{"bootstrapTokens":"bootstrapTokens","dryRun":{"type":"bool","gates":["DryRun"]},
"nodeRegistration":"nodeRegistration4","localAPIEndpoint":"localAPIEndpoint","certificateKey":{},"skipPhases":{"type":
"list<string>"},"patches":{"nullable":1,"fields":{"directory":{}}},"timeouts":"timeouts"}},
"kubeadm.k8s.io/v1beta1 JoinConfiguration":{"fields":{"nodeRegistration":"nodeRegistration","caCertPath":{"default":
"/etc/kubernetes/pki/ca.crt"},"discovery":"discovery","controlPlane":{"nullable":1,"fields":{"localAPIEndpoint":
"localAPIEndpoint"}}}},"kubeadm.k8s.io/v1beta2 JoinConfiguration":{"fields":{"nodeRegistration":"nodeRegistration2",
"caCertPath":{"default":"/etc/kubernetes/pki/ca.crt"},"discovery":"discovery","controlPlane":"controlPlane"}},
"kubeadm.k8s.io/v1beta3 JoinConfiguration":{"fields":{"nodeRegistration":"nodeRegistration3","caCertPath":{"default":
"/etc/kubernetes/pki/ca.crt"},"discovery":"discovery","controlPlane":"controlPlane","skipPhases":{"type":
"list<string>"},"patches":{"nullable":1,"fields":{"directory":{}}}}},"kubeadm.k8s.io/v1beta4 JoinConfiguration":
{"unread":37,"fields":{"dryRun":{"type":"bool","gates":["DryRun"]},"nodeRegistration":"nodeRegistration4",
"caCertPath":{"default":"/etc/kubernetes/pki/ca.crt"},"discovery":{"fields":{"bootstrapToken":"bootstrapToken","file":
{"nullable":1,"fields":{"kubeConfigPath":{}}},"tlsBootstrapToken":{}}},"controlPlane":"controlPlane","skipPhases":
{"type":"list<string>"},"patches":{"nullable":1,"fields":{"directory":{}}},"timeouts":"timeouts"}},
"kubeadm.k8s.io/v1beta4 ResetConfiguration":{"unread":37,"fields":{"cleanupTmpDir":{"type":"bool"},"certificatesDir":
{},"criSocket":{},"dryRun":{"type":"bool","gates":["DryRun"]},"force":{"type":"bool"},"ignorePreflightErrors":{"type":
"list<string>"},"skipPhases":{"type":"list<string>"},"unmountFlags":{"type":"list<string>"},"timeouts":"timeouts"}},
"kubeadm.k8s.io/v1beta4 UpgradeConfiguration":{"unread":37,"fields":{"apply":{"fields":{"kubernetesVersion":{},
"allowExperimentalUpgrades":{"type":"bool","nullable":1},"allowRCUpgrades":{"type":"bool","nullable":1},
"certificateRenewal":{"type":"bool","nullable":1},"dryRun":{"type":"bool","nullable":1,"gates":["DryRun"]},
"etcdUpgrade":{"type":"bool","nullable":1},"forceUpgrade":{"type":"bool","nullable":1},"ignorePreflightErrors":
{"type":"list<string>"},"patches":{"nullable":1,"fields":{"directory":{}}},"printConfig":{"type":"bool","nullable":1},
"skipPhases":{"type":"list<string>"},"imagePullPolicy":"imagePullPolicy","imagePullSerial":{"type":"bool","nullable":
1}}},"diff":{"fields":{"kubernetesVersion":{},"contextLines":{"type":"int"}}},"node":{"fields":{"certificateRenewal":
{"type":"bool","nullable":1},"dryRun":{"type":"bool","nullable":1,"gates":["DryRun"]},"etcdUpgrade":{"type":"bool",
"nullable":1},"ignorePreflightErrors":{"type":"list<string>"},"skipPhases":{"type":"list<string>"},"patches":
{"nullable":1,"fields":{"directory":{}}},"imagePullPolicy":"imagePullPolicy","imagePullSerial":{"type":"bool",
"nullable":1}}},"plan":{"fields":{"kubernetesVersion":{},"allowExperimentalUpgrades":{"type":"bool","nullable":1},
"allowRCUpgrades":{"type":"bool","nullable":1},"dryRun":{"type":"bool","nullable":1,"gates":["DryRun"]},"etcdUpgrade":
{"type":"bool","nullable":1,"since":33},"ignorePreflightErrors":{"type":"list<string>"},"printConfig":{"type":"bool",
"nullable":1}}},"timeouts":"timeouts"}}}}
"""

COMMANDS = r"""
{"init":{"kinds":["InitConfiguration","ClusterConfiguration"],"reads":["InitConfiguration","ClusterConfiguration",
"KubeletConfiguration","KubeProxyConfiguration"]},"join":{"kinds":["JoinConfiguration"],"reads":
["JoinConfiguration"]},"reset":{"kinds":["ResetConfiguration"],"reads":["ResetConfiguration"]},"upgrade":{"kinds":
["UpgradeConfiguration"],"reads":["UpgradeConfiguration"]}}
"""
