# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kubeadm as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"etcd":{"local":{"type":"object","optional":1,"nullable":1,"fields":{"imageRepository":{"optional":1},
"imageTag":{"optional":1},"dataDir":{"default":"/var/lib/etcd"},"extraArgs":{"type":"map<string>","optional":1},
"serverCertSANs":{"type":"list<string>","optional":1},"peerCertSANs":{"type":"list<string>","optional":1}}},
"external":{"type":"object","optional":1,"nullable":1,"fields":{"endpoints":{"type":"list<string>"},"caFile":{},
"certFile":{},"keyFile":{}}}},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},
"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["",
"DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}},"apiServer":{"type":
"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":"extraVolumes",
"certSANs":{"type":"list<string>","optional":1},"timeoutForControlPlane":{"type":"duration","optional":1,"nullable":
1}}},"controllerManager":{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":"extraVolumes"},
"controllerManager2":{"type":"object","optional":1,"fields":"controllerManager"},"scheduler":{"type":"object",
"optional":1,"fields":"controllerManager"},"etcd2":{"type":"object","optional":1,"fields":"etcd"},"networking":
{"type":"object","optional":1,"fields":{"serviceSubnet":{"optional":1,"default":"10.96.0.0/12"},"podSubnet":
{"optional":1},"dnsDomain":{"optional":1,"default":"cluster.local"}}},"certificatesDir":{"optional":1,"default":
"/etc/kubernetes/pki"},"extraArgs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},
"configMapKeyRef":{"name":{"optional":1},"key":{},"optional":{"type":"bool","optional":1,"nullable":1}},"extraEnvs":
{"type":"list<object>","optional":1,"fields":{"name":{},"value":{"optional":1},"valueFrom":{"type":"object",
"optional":1,"nullable":1,"fields":{"fieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"apiVersion":
{"optional":1},"fieldPath":{}}},"resourceFieldRef":{"type":"object","optional":1,"nullable":1,"fields":
{"containerName":{"optional":1},"resource":{},"divisor":{"type":"quantity","optional":1}}},"configMapKeyRef":{"type":
"object","optional":1,"nullable":1,"fields":"configMapKeyRef"},"secretKeyRef":{"type":"object","optional":1,
"nullable":1,"fields":"configMapKeyRef"},"fileKeyRef":{"type":"object","optional":1,"nullable":1,"since":34,"gates":
["EnvFiles"],"fields":{"volumeName":{"since":34},"path":{"since":34},"key":{"since":34,"gates":["EnvFiles"]},
"optional":{"type":"bool","optional":1,"nullable":1,"since":34}}}}}}},"controllerManager3":{"extraArgs":"extraArgs",
"extraVolumes":"extraVolumes","extraEnvs":"extraEnvs"},"bootstrapTokens":{"type":"list<object>","optional":1,"fields":
{"token":{"nullable":1},"description":{"optional":1},"ttl":{"type":"duration","optional":1,"nullable":1},"expires":
{"type":"time","optional":1,"nullable":1},"usages":{"type":"list<string>","optional":1},"groups":{"type":
"list<string>","optional":1}}},"taints":{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":1,"nullable":1}},"nodeRegistration":{"name":
{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>","optional":1,"nullable":1,"fields":
"taints"},"kubeletExtraArgs":{"type":"map<string>","optional":1}},"localAPIEndpoint":{"type":"object","optional":1,
"fields":{"advertiseAddress":{},"bindPort":{"type":"int32","default":6443}}},"taints2":{"type":"list<object>",
"nullable":1,"fields":"taints"},"ignorePreflightErrors":{"type":"list<string>","optional":1},"nodeRegistration2":
{"type":"object","optional":1,"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":"taints2",
"kubeletExtraArgs":{"type":"map<string>","optional":1},"ignorePreflightErrors":"ignorePreflightErrors"}},
"localAPIEndpoint2":{"type":"object","optional":1,"fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":
"int32","optional":1,"default":6443}}},"imagePullPolicy":{"type":"enum","optional":1,"enum":["Always","Never",
"IfNotPresent"]},"nodeRegistration3":{"type":"object","optional":1,"fields":{"name":{"optional":1},"criSocket":
{"optional":1},"taints":"taints2","kubeletExtraArgs":{"type":"map<string>","optional":1},"ignorePreflightErrors":
"ignorePreflightErrors","imagePullPolicy":"imagePullPolicy"}},"patches":{"type":"object","optional":1,"nullable":1,
"fields":{"directory":{"optional":1}}},"imagePullSerial":{"type":"bool","optional":1,"nullable":1},
"nodeRegistration4":{"type":"object","optional":1,"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":
"taints2","kubeletExtraArgs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},
"ignorePreflightErrors":"ignorePreflightErrors","imagePullPolicy":"imagePullPolicy","imagePullSerial":
"imagePullSerial"}},"timeouts":{"type":"object","optional":1,"nullable":1,"fields":
{"controlPlaneComponentHealthCheck":{"type":"duration","optional":1,"nullable":1},"kubeletHealthCheck":{"type":
"duration","optional":1,"nullable":1},"kubernetesAPICall":{"type":"duration","optional":1,"nullable":1},"etcdAPICall":
{"type":"duration","optional":1,"nullable":1},"tlsBootstrap":{"type":"duration","optional":1,"nullable":1},
"discovery":{"type":"duration","optional":1,"nullable":1},"upgradeManifests":{"type":"duration","optional":1,
"nullable":1}}},"file":{"type":"object","optional":1,"nullable":1,"fields":{"kubeConfigPath":{}}},"caCertPath":
{"optional":1,"default":"/etc/kubernetes/pki/ca.crt"},"bootstrapToken":{"type":"object","optional":1,"nullable":1,
"fields":{"token":{},"apiServerEndpoint":{"optional":1},"caCertHashes":{"type":"list<string>","optional":1},
"unsafeSkipCAVerification":{"type":"bool","optional":1}}},"discovery":{"type":"object","fields":{"bootstrapToken":
"bootstrapToken","file":"file","tlsBootstrapToken":{"optional":1},"timeout":{"type":"duration","optional":1,
"nullable":1}}},"controlPlane":{"type":"object","optional":1,"nullable":1,"fields":{"localAPIEndpoint":
"localAPIEndpoint2","certificateKey":{"optional":1}}},"allowExperimentalUpgrades":{"type":"bool","optional":1,
"nullable":1},"allowRCUpgrades":{"type":"bool","optional":1,"nullable":1},"certificateRenewal":{"type":"bool",
"optional":1,"nullable":1},"dryRun":{"type":"bool","optional":1,"nullable":1,"gates":["DryRun"]}},"kinds":
{"kubeadm.k8s.io/v1beta1 ClusterConfiguration":{"component":"kubeadm","fields":{"etcd":{"type":"object","fields":
"etcd"},"networking":{"type":"object","fields":{"serviceSubnet":{"default":"10.96.0.0/12"},"podSubnet":{},"dnsDomain":
{"default":"cluster.local"}}},"kubernetesVersion":{"default":"stable-1"},"controlPlaneEndpoint":{},"apiServer":
"apiServer","controllerManager":"controllerManager2","scheduler":"scheduler","dns":{"type":"object","fields":{"type":
{"type":"enum","enum":["CoreDNS"],"enums":[[20,["CoreDNS","kube-dns"]],[21,["CoreDNS"]]]},"imageRepository":
{"optional":1},"imageTag":{"optional":1}}},"certificatesDir":{"default":"/etc/kubernetes/pki"},"imageRepository":{},
"useHyperKubeImage":{"type":"bool","optional":1},"featureGates":{"type":"map<bool>","optional":1},"clusterName":
{"optional":1,"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta2 ClusterConfiguration":{"component":"kubeadm","fields":
{"etcd":"etcd2","networking":"networking","kubernetesVersion":{"optional":1,"default":"stable-1"},
"controlPlaneEndpoint":{"optional":1},"apiServer":"apiServer","controllerManager":"controllerManager2","scheduler":
"scheduler","dns":{"type":"object","optional":1,"fields":{"type":{"type":"enum","enum":["CoreDNS","kube-dns"],"enums":
[[20,["CoreDNS","kube-dns"]],[21,["CoreDNS"]],[25,["CoreDNS","kube-dns"]]]},"imageRepository":{"optional":1},
"imageTag":{"optional":1}}},"certificatesDir":"certificatesDir","imageRepository":{"optional":1},"useHyperKubeImage":
{"type":"bool","optional":1},"featureGates":{"type":"map<bool>","optional":1},"clusterName":{"optional":1,"default":
"kubernetes"}}},"kubeadm.k8s.io/v1beta3 ClusterConfiguration":{"component":"kubeadm","fields":{"etcd":"etcd2",
"networking":"networking","kubernetesVersion":{"optional":1,"default":"stable-1"},"controlPlaneEndpoint":{"optional":
1},"apiServer":"apiServer","controllerManager":"controllerManager2","scheduler":"scheduler","dns":{"type":"object",
"optional":1,"fields":{"imageRepository":{"optional":1},"imageTag":{"optional":1}}},"certificatesDir":
"certificatesDir","imageRepository":{"optional":1},"featureGates":{"type":"map<bool>","optional":1},"clusterName":
{"optional":1,"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta4 ClusterConfiguration":{"component":"kubeadm","unread":
37,"fields":{"etcd":{"type":"object","optional":1,"fields":{"local":{"type":"object","optional":1,"nullable":1,
"fields":{"imageRepository":{"optional":1},"imageTag":{"optional":1},"dataDir":{"default":"/var/lib/etcd"},
"extraArgs":"extraArgs","extraEnvs":"extraEnvs","serverCertSANs":{"type":"list<string>","optional":1},"peerCertSANs":
{"type":"list<string>","optional":1}}},"external":{"type":"object","optional":1,"nullable":1,"fields":{"endpoints":
{"type":"list<string>"},"httpEndpoints":{"type":"list<string>","optional":1,"since":35},"caFile":{},"certFile":{},
"keyFile":{}}}}},"networking":"networking","kubernetesVersion":{"optional":1,"default":"stable-1"},
"controlPlaneEndpoint":{"optional":1},"apiServer":{"type":"object","optional":1,"fields":{"extraArgs":"extraArgs",
"extraVolumes":"extraVolumes","extraEnvs":"extraEnvs","certSANs":{"type":"list<string>","optional":1}}},
"controllerManager":{"type":"object","optional":1,"fields":"controllerManager3"},"scheduler":{"type":"object",
"optional":1,"fields":"controllerManager3"},"dns":{"type":"object","optional":1,"fields":{"imageRepository":
{"optional":1},"imageTag":{"optional":1},"disabled":{"type":"bool","optional":1}}},"proxy":{"type":"object",
"optional":1,"fields":{"disabled":{"type":"bool","optional":1}}},"certificatesDir":"certificatesDir",
"imageRepository":{"optional":1},"featureGates":{"type":"map<bool>","optional":1},"clusterName":{"optional":1,
"default":"kubernetes"},"encryptionAlgorithm":{"type":"enum","optional":1,"enum":["ECDSA-P256","ECDSA-P384",
"RSA-2048","RSA-3072","RSA-4096"],"enums":[[31,["ECDSA-P256","RSA-2048","RSA-3072","RSA-4096"]],[34,["ECDSA-P256",
"ECDSA-P384","RSA-2048","RSA-3072","RSA-4096"]]]},"certificateValidityPeriod":{"type":"duration","optional":1,
"nullable":1},"caCertificateValidityPeriod":{"type":"duration","optional":1,"nullable":1}}},
"kubeadm.k8s.io/v1beta1 ClusterStatus":{"component":"kubeadm","fields":{"apiEndpoints":{"type":"map<object>","fields":
{"advertiseAddress":{},"bindPort":{"type":"int32"}}}}},"kubeadm.k8s.io/v1beta2 ClusterStatus":{"component":"kubeadm",
"fields":{"apiEndpoints":{"type":"map<object>","fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":"int32",
"optional":1}}}}},"kubeadm.k8s.io/v1beta1 InitConfiguration":{"component":"kubeadm","fields":{"bootstrapTokens":
"bootstrapTokens","nodeRegistration":{"type":"object","optional":1,"fields":"nodeRegistration"},"localAPIEndpoint":
"localAPIEndpoint"}},"kubeadm.k8s.io/v1beta2 InitConfiguration":{"component":"kubeadm","fields":{"bootstrapTokens":
"bootstrapTokens","nodeRegistration":"nodeRegistration2","localAPIEndpoint":"localAPIEndpoint2","certificateKey":
{"optional":1}}},"kubeadm.k8s.io/v1beta3 InitConfiguration":{"component":"kubeadm","fields":{"bootstrapTokens":
"bootstrapTokens","nodeRegistration":"nodeRegistration3","localAPIEndpoint":"localAPIEndpoint2","certificateKey":
{"optional":1},"skipPhases":{"type":"list<string>","optional":1},"patches":"patches"}},
"kubeadm.k8s.io/v1beta4 InitConfiguration":{"component":"kubeadm","unread":37,"fields":{"bootstrapTokens":
"bootstrapTokens","dryRun":{"type":"bool","optional":1,"gates":["DryRun"]},"nodeRegistration":"nodeRegistration4",
"localAPIEndpoint":"localAPIEndpoint2","certificateKey":{"optional":1},"skipPhases":{"type":"list<string>","optional":
1},"patches":"patches","timeouts":"timeouts"}},"kubeadm.k8s.io/v1beta1 JoinConfiguration":{"component":"kubeadm",
"fields":{"nodeRegistration":{"type":"object","fields":"nodeRegistration"},"caCertPath":{"default":
"/etc/kubernetes/pki/ca.crt"},"discovery":{"type":"object","fields":{"bootstrapToken":{"type":"object","optional":1,
"nullable":1,"fields":{"token":{},"apiServerEndpoint":{"optional":1},"caCertHashes":{"type":"list<string>","optional":
1},"unsafeSkipCAVerification":{"type":"bool"}}},"file":"file","tlsBootstrapToken":{},"timeout":{"type":"duration",
"optional":1,"nullable":1}}},"controlPlane":{"type":"object","optional":1,"nullable":1,"fields":{"localAPIEndpoint":
"localAPIEndpoint"}}}},"kubeadm.k8s.io/v1beta2 JoinConfiguration":{"component":"kubeadm","fields":{"nodeRegistration":
"nodeRegistration2","caCertPath":"caCertPath","discovery":"discovery","controlPlane":"controlPlane"}},
"kubeadm.k8s.io/v1beta3 JoinConfiguration":{"component":"kubeadm","fields":{"nodeRegistration":"nodeRegistration3",
"caCertPath":"caCertPath","discovery":"discovery","controlPlane":"controlPlane","skipPhases":{"type":"list<string>",
"optional":1},"patches":"patches"}},"kubeadm.k8s.io/v1beta4 JoinConfiguration":{"component":"kubeadm","unread":37,
"fields":{"dryRun":{"type":"bool","optional":1,"gates":["DryRun"]},"nodeRegistration":"nodeRegistration4",
"caCertPath":"caCertPath","discovery":{"type":"object","fields":{"bootstrapToken":"bootstrapToken","file":"file",
"tlsBootstrapToken":{"optional":1}}},"controlPlane":"controlPlane","skipPhases":{"type":"list<string>","optional":1},
"patches":"patches","timeouts":"timeouts"}},"kubeadm.k8s.io/v1beta4 ResetConfiguration":{"component":"kubeadm",
"unread":37,"fields":{"cleanupTmpDir":{"type":"bool","optional":1},"certificatesDir":{"optional":1},"criSocket":
{"optional":1},"dryRun":{"type":"bool","optional":1,"gates":["DryRun"]},"force":{"type":"bool","optional":1},
"ignorePreflightErrors":"ignorePreflightErrors","skipPhases":{"type":"list<string>","optional":1},"unmountFlags":
{"type":"list<string>","optional":1},"timeouts":"timeouts"}},"kubeadm.k8s.io/v1beta4 UpgradeConfiguration":
{"component":"kubeadm","unread":37,"fields":{"apply":{"type":"object","optional":1,"fields":{"kubernetesVersion":
{"optional":1},"allowExperimentalUpgrades":"allowExperimentalUpgrades","allowRCUpgrades":"allowRCUpgrades",
"certificateRenewal":"certificateRenewal","dryRun":"dryRun","etcdUpgrade":{"type":"bool","optional":1,"nullable":1},
"forceUpgrade":{"type":"bool","optional":1,"nullable":1},"ignorePreflightErrors":"ignorePreflightErrors","patches":
"patches","printConfig":{"type":"bool","optional":1,"nullable":1},"skipPhases":{"type":"list<string>","optional":1},
"imagePullPolicy":"imagePullPolicy","imagePullSerial":"imagePullSerial"}},"diff":{"type":"object","optional":1,
"fields":{"kubernetesVersion":{"optional":1},"contextLines":{"type":"int","optional":1}}},"node":{"type":"object",
"optional":1,"fields":{"certificateRenewal":"certificateRenewal","dryRun":"dryRun","etcdUpgrade":{"type":"bool",
"optional":1,"nullable":1},"ignorePreflightErrors":"ignorePreflightErrors","skipPhases":{"type":"list<string>",
"optional":1},"patches":"patches","imagePullPolicy":"imagePullPolicy","imagePullSerial":"imagePullSerial"}},"plan":
{"type":"object","optional":1,"fields":{"kubernetesVersion":{"optional":1},"allowExperimentalUpgrades":
"allowExperimentalUpgrades","allowRCUpgrades":"allowRCUpgrades","dryRun":"dryRun","etcdUpgrade":{"type":"bool",
"optional":1,"nullable":1,"since":33},"ignorePreflightErrors":"ignorePreflightErrors","printConfig":{"type":"bool",
"optional":1,"nullable":1}}},"timeouts":"timeouts"}}}}
"""

COMMANDS = r"""
{"init":{"kinds":["InitConfiguration","ClusterConfiguration"],"reads":["InitConfiguration","ClusterConfiguration",
"KubeletConfiguration","KubeProxyConfiguration"]},"join":{"kinds":["JoinConfiguration"],"reads":
["JoinConfiguration"]},"reset":{"kinds":["ResetConfiguration"],"reads":["ResetConfiguration"]},"upgrade":{"kinds":
["UpgradeConfiguration"],"reads":["UpgradeConfiguration"]}}
"""
