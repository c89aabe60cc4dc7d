# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kubeadm as JSON."""

from __future__ import annotations

__all__ = ["COMMANDS", "KINDS"]

KINDS = r"""
{"kubeadm.k8s.io/v1beta1 ClusterConfiguration":{"component":"kubeadm","fields":{"etcd":{"type":"object","fields":
{"local":{"type":"object","optional":1,"nullable":1,"fields":{"imageRepository":{"optional":1},"imageTag":{"optional":
1},"dataDir":{"default":"/var/lib/etcd"},"extraArgs":{"type":"map<string>","optional":1},"serverCertSANs":{"type":
"list<string>","optional":1},"peerCertSANs":{"type":"list<string>","optional":1}}},"external":{"type":"object",
"optional":1,"nullable":1,"fields":{"endpoints":{"type":"list<string>"},"caFile":{},"certFile":{},"keyFile":{}}}}},
"networking":{"type":"object","fields":{"serviceSubnet":{"default":"10.96.0.0/12"},"podSubnet":{},"dnsDomain":
{"default":"cluster.local"}}},"kubernetesVersion":{"default":"stable-1"},"controlPlaneEndpoint":{},"apiServer":
{"type":"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":{"type":
"list<object>","optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},
"pathType":{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket",
"CharDevice","BlockDevice"]}}},"certSANs":{"type":"list<string>","optional":1},"timeoutForControlPlane":{"type":
"duration","optional":1,"nullable":1}}},"controllerManager":{"type":"object","optional":1,"fields":{"extraArgs":
{"type":"map<string>","optional":1},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":
{},"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["",
"DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}}}},"scheduler":{"type":
"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":{"type":"list<object>",
"optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":
{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice",
"BlockDevice"]}}}}},"dns":{"type":"object","fields":{"type":{"type":"enum","enum":["CoreDNS"],"enums":[[20,["CoreDNS",
"kube-dns"]],[21,["CoreDNS"]]]},"imageRepository":{"optional":1},"imageTag":{"optional":1}}},"certificatesDir":
{"default":"/etc/kubernetes/pki"},"imageRepository":{},"useHyperKubeImage":{"type":"bool","optional":1},
"featureGates":{"type":"map<bool>","optional":1},"clusterName":{"optional":1,"default":"kubernetes"}}},
"kubeadm.k8s.io/v1beta2 ClusterConfiguration":{"component":"kubeadm","fields":{"etcd":{"type":"object","optional":1,
"fields":{"local":{"type":"object","optional":1,"nullable":1,"fields":{"imageRepository":{"optional":1},"imageTag":
{"optional":1},"dataDir":{"default":"/var/lib/etcd"},"extraArgs":{"type":"map<string>","optional":1},"serverCertSANs":
{"type":"list<string>","optional":1},"peerCertSANs":{"type":"list<string>","optional":1}}},"external":{"type":
"object","optional":1,"nullable":1,"fields":{"endpoints":{"type":"list<string>"},"caFile":{},"certFile":{},"keyFile":
{}}}}},"networking":{"type":"object","optional":1,"fields":{"serviceSubnet":{"optional":1,"default":"10.96.0.0/12"},
"podSubnet":{"optional":1},"dnsDomain":{"optional":1,"default":"cluster.local"}}},"kubernetesVersion":{"optional":1,
"default":"stable-1"},"controlPlaneEndpoint":{"optional":1},"apiServer":{"type":"object","optional":1,"fields":
{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":
{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":
["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}},"certSANs":{"type":
"list<string>","optional":1},"timeoutForControlPlane":{"type":"duration","optional":1,"nullable":1}}},
"controllerManager":{"type":"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},
"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":
{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory",
"FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}}}},"scheduler":{"type":"object","optional":1,"fields":
{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":
{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":
["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}}}},"dns":{"type":
"object","optional":1,"fields":{"type":{"type":"enum","enum":["CoreDNS","kube-dns"],"enums":[[20,["CoreDNS",
"kube-dns"]],[21,["CoreDNS"]],[25,["CoreDNS","kube-dns"]]]},"imageRepository":{"optional":1},"imageTag":{"optional":
1}}},"certificatesDir":{"optional":1,"default":"/etc/kubernetes/pki"},"imageRepository":{"optional":1},
"useHyperKubeImage":{"type":"bool","optional":1},"featureGates":{"type":"map<bool>","optional":1},"clusterName":
{"optional":1,"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta3 ClusterConfiguration":{"component":"kubeadm","fields":
{"etcd":{"type":"object","optional":1,"fields":{"local":{"type":"object","optional":1,"nullable":1,"fields":
{"imageRepository":{"optional":1},"imageTag":{"optional":1},"dataDir":{"default":"/var/lib/etcd"},"extraArgs":{"type":
"map<string>","optional":1},"serverCertSANs":{"type":"list<string>","optional":1},"peerCertSANs":{"type":
"list<string>","optional":1}}},"external":{"type":"object","optional":1,"nullable":1,"fields":{"endpoints":{"type":
"list<string>"},"caFile":{},"certFile":{},"keyFile":{}}}}},"networking":{"type":"object","optional":1,"fields":
{"serviceSubnet":{"optional":1,"default":"10.96.0.0/12"},"podSubnet":{"optional":1},"dnsDomain":{"optional":1,
"default":"cluster.local"}}},"kubernetesVersion":{"optional":1,"default":"stable-1"},"controlPlaneEndpoint":
{"optional":1},"apiServer":{"type":"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},
"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":
{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory",
"FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}},"certSANs":{"type":"list<string>","optional":1},
"timeoutForControlPlane":{"type":"duration","optional":1,"nullable":1}}},"controllerManager":{"type":"object",
"optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":1},"extraVolumes":{"type":"list<object>",
"optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":
{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice",
"BlockDevice"]}}}}},"scheduler":{"type":"object","optional":1,"fields":{"extraArgs":{"type":"map<string>","optional":
1},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":
{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory",
"FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}}}},"dns":{"type":"object","optional":1,"fields":
{"imageRepository":{"optional":1},"imageTag":{"optional":1}}},"certificatesDir":{"optional":1,"default":
"/etc/kubernetes/pki"},"imageRepository":{"optional":1},"featureGates":{"type":"map<bool>","optional":1},
"clusterName":{"optional":1,"default":"kubernetes"}}},"kubeadm.k8s.io/v1beta4 ClusterConfiguration":{"component":
"kubeadm","unread":37,"fields":{"etcd":{"type":"object","optional":1,"fields":{"local":{"type":"object","optional":1,
"nullable":1,"fields":{"imageRepository":{"optional":1},"imageTag":{"optional":1},"dataDir":{"default":
"/var/lib/etcd"},"extraArgs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},"extraEnvs":{"type":
"list<object>","optional":1,"fields":{"name":{},"value":{"optional":1},"valueFrom":{"type":"object","optional":1,
"nullable":1,"fields":{"fieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"apiVersion":{"optional":1},
"fieldPath":{}}},"resourceFieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"containerName":{"optional":
1},"resource":{},"divisor":{"type":"quantity","optional":1}}},"configMapKeyRef":{"type":"object","optional":1,
"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":"bool","optional":1,"nullable":1}}},
"secretKeyRef":{"type":"object","optional":1,"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":
"bool","optional":1,"nullable":1}}},"fileKeyRef":{"type":"object","optional":1,"nullable":1,"since":34,"gates":
["EnvFiles"],"fields":{"volumeName":{"since":34},"path":{"since":34},"key":{"since":34,"gates":["EnvFiles"]},
"optional":{"type":"bool","optional":1,"nullable":1,"since":34}}}}}}},"serverCertSANs":{"type":"list<string>",
"optional":1},"peerCertSANs":{"type":"list<string>","optional":1}}},"external":{"type":"object","optional":1,
"nullable":1,"fields":{"endpoints":{"type":"list<string>"},"httpEndpoints":{"type":"list<string>","optional":1,
"since":35},"caFile":{},"certFile":{},"keyFile":{}}}}},"networking":{"type":"object","optional":1,"fields":
{"serviceSubnet":{"optional":1,"default":"10.96.0.0/12"},"podSubnet":{"optional":1},"dnsDomain":{"optional":1,
"default":"cluster.local"}}},"kubernetesVersion":{"optional":1,"default":"stable-1"},"controlPlaneEndpoint":
{"optional":1},"apiServer":{"type":"object","optional":1,"fields":{"extraArgs":{"type":"list<object>","optional":1,
"fields":{"name":{},"value":{}}},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},
"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["",
"DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}},"extraEnvs":{"type":
"list<object>","optional":1,"fields":{"name":{},"value":{"optional":1},"valueFrom":{"type":"object","optional":1,
"nullable":1,"fields":{"fieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"apiVersion":{"optional":1},
"fieldPath":{}}},"resourceFieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"containerName":{"optional":
1},"resource":{},"divisor":{"type":"quantity","optional":1}}},"configMapKeyRef":{"type":"object","optional":1,
"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":"bool","optional":1,"nullable":1}}},
"secretKeyRef":{"type":"object","optional":1,"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":
"bool","optional":1,"nullable":1}}},"fileKeyRef":{"type":"object","optional":1,"nullable":1,"since":34,"gates":
["EnvFiles"],"fields":{"volumeName":{"since":34},"path":{"since":34},"key":{"since":34,"gates":["EnvFiles"]},
"optional":{"type":"bool","optional":1,"nullable":1,"since":34}}}}}}},"certSANs":{"type":"list<string>","optional":
1}}},"controllerManager":{"type":"object","optional":1,"fields":{"extraArgs":{"type":"list<object>","optional":1,
"fields":{"name":{},"value":{}}},"extraVolumes":{"type":"list<object>","optional":1,"fields":{"name":{},"hostPath":{},
"mountPath":{},"readOnly":{"type":"bool","optional":1},"pathType":{"type":"enum","optional":1,"enum":["",
"DirectoryOrCreate","Directory","FileOrCreate","File","Socket","CharDevice","BlockDevice"]}}},"extraEnvs":{"type":
"list<object>","optional":1,"fields":{"name":{},"value":{"optional":1},"valueFrom":{"type":"object","optional":1,
"nullable":1,"fields":{"fieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"apiVersion":{"optional":1},
"fieldPath":{}}},"resourceFieldRef":{"type":"object","optional":1,"nullable":1,"fields":{"containerName":{"optional":
1},"resource":{},"divisor":{"type":"quantity","optional":1}}},"configMapKeyRef":{"type":"object","optional":1,
"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":"bool","optional":1,"nullable":1}}},
"secretKeyRef":{"type":"object","optional":1,"nullable":1,"fields":{"name":{"optional":1},"key":{},"optional":{"type":
"bool","optional":1,"nullable":1}}},"fileKeyRef":{"type":"object","optional":1,"nullable":1,"since":34,"gates":
["EnvFiles"],"fields":{"volumeName":{"since":34},"path":{"since":34},"key":{"since":34,"gates":["EnvFiles"]},
"optional":{"type":"bool","optional":1,"nullable":1,"since":34}}}}}}}}},"scheduler":{"type":"object","optional":1,
"fields":{"extraArgs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},"extraVolumes":{"type":
"list<object>","optional":1,"fields":{"name":{},"hostPath":{},"mountPath":{},"readOnly":{"type":"bool","optional":1},
"pathType":{"type":"enum","optional":1,"enum":["","DirectoryOrCreate","Directory","FileOrCreate","File","Socket",
"CharDevice","BlockDevice"]}}},"extraEnvs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":
{"optional":1},"valueFrom":{"type":"object","optional":1,"nullable":1,"fields":{"fieldRef":{"type":"object",
"optional":1,"nullable":1,"fields":{"apiVersion":{"optional":1},"fieldPath":{}}},"resourceFieldRef":{"type":"object",
"optional":1,"nullable":1,"fields":{"containerName":{"optional":1},"resource":{},"divisor":{"type":"quantity",
"optional":1}}},"configMapKeyRef":{"type":"object","optional":1,"nullable":1,"fields":{"name":{"optional":1},"key":{},
"optional":{"type":"bool","optional":1,"nullable":1}}},"secretKeyRef":{"type":"object","optional":1,"nullable":1,
"fields":{"name":{"optional":1},"key":{},"optional":{"type":"bool","optional":1,"nullable":1}}},"fileKeyRef":{"type":
"object","optional":1,"nullable":1,"since":34,"gates":["EnvFiles"],"fields":{"volumeName":{"since":34},"path":
{"since":34},"key":{"since":34,"gates":["EnvFiles"]},"optional":{"type":"bool","optional":1,"nullable":1,"since":
34}}}}}}}}},"dns":{"type":"object","optional":1,"fields":{"imageRepository":{"optional":1},"imageTag":{"optional":1},
"disabled":{"type":"bool","optional":1}}},"proxy":{"type":"object","optional":1,"fields":{"disabled":{"type":"bool",
"optional":1}}},"certificatesDir":{"optional":1,"default":"/etc/kubernetes/pki"},"imageRepository":{"optional":1},
"featureGates":{"type":"map<bool>","optional":1},"clusterName":{"optional":1,"default":"kubernetes"},
"encryptionAlgorithm":{"type":"enum","optional":1,"enum":["ECDSA-P256","ECDSA-P384","RSA-2048","RSA-3072","RSA-4096"],
"enums":[[31,["ECDSA-P256","RSA-2048","RSA-3072","RSA-4096"]],[34,["ECDSA-P256","ECDSA-P384","RSA-2048","RSA-3072",
"RSA-4096"]]]},"certificateValidityPeriod":{"type":"duration","optional":1,"nullable":1},
"caCertificateValidityPeriod":{"type":"duration","optional":1,"nullable":1}}},"kubeadm.k8s.io/v1beta1 ClusterStatus":
{"component":"kubeadm","fields":{"apiEndpoints":{"type":"map<object>","fields":{"advertiseAddress":{},"bindPort":
{"type":"int32"}}}}},"kubeadm.k8s.io/v1beta2 ClusterStatus":{"component":"kubeadm","fields":{"apiEndpoints":{"type":
"map<object>","fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":"int32","optional":1}}}}},
"kubeadm.k8s.io/v1beta1 InitConfiguration":{"component":"kubeadm","fields":{"bootstrapTokens":{"type":"list<object>",
"optional":1,"fields":{"token":{"nullable":1},"description":{"optional":1},"ttl":{"type":"duration","optional":1,
"nullable":1},"expires":{"type":"time","optional":1,"nullable":1},"usages":{"type":"list<string>","optional":1},
"groups":{"type":"list<string>","optional":1}}},"nodeRegistration":{"type":"object","optional":1,"fields":{"name":
{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>","optional":1,"nullable":1,"fields":{"key":
{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":
{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":"map<string>","optional":1}}},
"localAPIEndpoint":{"type":"object","optional":1,"fields":{"advertiseAddress":{},"bindPort":{"type":"int32","default":
6443}}}}},"kubeadm.k8s.io/v1beta2 InitConfiguration":{"component":"kubeadm","fields":{"bootstrapTokens":{"type":
"list<object>","optional":1,"fields":{"token":{"nullable":1},"description":{"optional":1},"ttl":{"type":"duration",
"optional":1,"nullable":1},"expires":{"type":"time","optional":1,"nullable":1},"usages":{"type":"list<string>",
"optional":1},"groups":{"type":"list<string>","optional":1}}},"nodeRegistration":{"type":"object","optional":1,
"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>","nullable":1,"fields":
{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},
"timeAdded":{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":"map<string>","optional":1},
"ignorePreflightErrors":{"type":"list<string>","optional":1}}},"localAPIEndpoint":{"type":"object","optional":1,
"fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":"int32","optional":1,"default":6443}}},
"certificateKey":{"optional":1}}},"kubeadm.k8s.io/v1beta3 InitConfiguration":{"component":"kubeadm","fields":
{"bootstrapTokens":{"type":"list<object>","optional":1,"fields":{"token":{"nullable":1},"description":{"optional":1},
"ttl":{"type":"duration","optional":1,"nullable":1},"expires":{"type":"time","optional":1,"nullable":1},"usages":
{"type":"list<string>","optional":1},"groups":{"type":"list<string>","optional":1}}},"nodeRegistration":{"type":
"object","optional":1,"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>",
"nullable":1,"fields":{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":
"map<string>","optional":1},"ignorePreflightErrors":{"type":"list<string>","optional":1},"imagePullPolicy":{"type":
"enum","optional":1,"enum":["Always","Never","IfNotPresent"]}}},"localAPIEndpoint":{"type":"object","optional":1,
"fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":"int32","optional":1,"default":6443}}},
"certificateKey":{"optional":1},"skipPhases":{"type":"list<string>","optional":1},"patches":{"type":"object",
"optional":1,"nullable":1,"fields":{"directory":{"optional":1}}}}},"kubeadm.k8s.io/v1beta4 InitConfiguration":
{"component":"kubeadm","unread":37,"fields":{"bootstrapTokens":{"type":"list<object>","optional":1,"fields":{"token":
{"nullable":1},"description":{"optional":1},"ttl":{"type":"duration","optional":1,"nullable":1},"expires":{"type":
"time","optional":1,"nullable":1},"usages":{"type":"list<string>","optional":1},"groups":{"type":"list<string>",
"optional":1}}},"dryRun":{"type":"bool","optional":1,"gates":["DryRun"]},"nodeRegistration":{"type":"object",
"optional":1,"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>","nullable":1,
"fields":{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule",
"NoExecute"]},"timeAdded":{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":"list<object>",
"optional":1,"fields":{"name":{},"value":{}}},"ignorePreflightErrors":{"type":"list<string>","optional":1},
"imagePullPolicy":{"type":"enum","optional":1,"enum":["Always","Never","IfNotPresent"]},"imagePullSerial":{"type":
"bool","optional":1,"nullable":1}}},"localAPIEndpoint":{"type":"object","optional":1,"fields":{"advertiseAddress":
{"optional":1},"bindPort":{"type":"int32","optional":1,"default":6443}}},"certificateKey":{"optional":1},"skipPhases":
{"type":"list<string>","optional":1},"patches":{"type":"object","optional":1,"nullable":1,"fields":{"directory":
{"optional":1}}},"timeouts":{"type":"object","optional":1,"nullable":1,"fields":{"controlPlaneComponentHealthCheck":
{"type":"duration","optional":1,"nullable":1},"kubeletHealthCheck":{"type":"duration","optional":1,"nullable":1},
"kubernetesAPICall":{"type":"duration","optional":1,"nullable":1},"etcdAPICall":{"type":"duration","optional":1,
"nullable":1},"tlsBootstrap":{"type":"duration","optional":1,"nullable":1},"discovery":{"type":"duration","optional":
1,"nullable":1},"upgradeManifests":{"type":"duration","optional":1,"nullable":1}}}}},
"kubeadm.k8s.io/v1beta1 JoinConfiguration":{"component":"kubeadm","fields":{"nodeRegistration":{"type":"object",
"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":{"type":"list<object>","optional":1,"nullable":1,
"fields":{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule",
"NoExecute"]},"timeAdded":{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":"map<string>",
"optional":1}}},"caCertPath":{"default":"/etc/kubernetes/pki/ca.crt"},"discovery":{"type":"object","fields":
{"bootstrapToken":{"type":"object","optional":1,"nullable":1,"fields":{"token":{},"apiServerEndpoint":{"optional":1},
"caCertHashes":{"type":"list<string>","optional":1},"unsafeSkipCAVerification":{"type":"bool"}}},"file":{"type":
"object","optional":1,"nullable":1,"fields":{"kubeConfigPath":{}}},"tlsBootstrapToken":{},"timeout":{"type":
"duration","optional":1,"nullable":1}}},"controlPlane":{"type":"object","optional":1,"nullable":1,"fields":
{"localAPIEndpoint":{"type":"object","optional":1,"fields":{"advertiseAddress":{},"bindPort":{"type":"int32",
"default":6443}}}}}}},"kubeadm.k8s.io/v1beta2 JoinConfiguration":{"component":"kubeadm","fields":{"nodeRegistration":
{"type":"object","optional":1,"fields":{"name":{"optional":1},"criSocket":{"optional":1},"taints":{"type":
"list<object>","nullable":1,"fields":{"key":{},"value":{"optional":1},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":1,"nullable":1}}},"kubeletExtraArgs":{"type":
"map<string>","optional":1},"ignorePreflightErrors":{"type":"list<string>","optional":1}}},"caCertPath":{"optional":1,
"default":"/etc/kubernetes/pki/ca.crt"},"discovery":{"type":"object","fields":{"bootstrapToken":{"type":"object",
"optional":1,"nullable":1,"fields":{"token":{},"apiServerEndpoint":{"optional":1},"caCertHashes":{"type":
"list<string>","optional":1},"unsafeSkipCAVerification":{"type":"bool","optional":1}}},"file":{"type":"object",
"optional":1,"nullable":1,"fields":{"kubeConfigPath":{}}},"tlsBootstrapToken":{"optional":1},"timeout":{"type":
"duration","optional":1,"nullable":1}}},"controlPlane":{"type":"object","optional":1,"nullable":1,"fields":
{"localAPIEndpoint":{"type":"object","optional":1,"fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":
"int32","optional":1,"default":6443}}},"certificateKey":{"optional":1}}}}},"kubeadm.k8s.io/v1beta3 JoinConfiguration":
{"component":"kubeadm","fields":{"nodeRegistration":{"type":"object","optional":1,"fields":{"name":{"optional":1},
"criSocket":{"optional":1},"taints":{"type":"list<object>","nullable":1,"fields":{"key":{},"value":{"optional":1},
"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":1,
"nullable":1}}},"kubeletExtraArgs":{"type":"map<string>","optional":1},"ignorePreflightErrors":{"type":"list<string>",
"optional":1},"imagePullPolicy":{"type":"enum","optional":1,"enum":["Always","Never","IfNotPresent"]}}},"caCertPath":
{"optional":1,"default":"/etc/kubernetes/pki/ca.crt"},"discovery":{"type":"object","fields":{"bootstrapToken":{"type":
"object","optional":1,"nullable":1,"fields":{"token":{},"apiServerEndpoint":{"optional":1},"caCertHashes":{"type":
"list<string>","optional":1},"unsafeSkipCAVerification":{"type":"bool","optional":1}}},"file":{"type":"object",
"optional":1,"nullable":1,"fields":{"kubeConfigPath":{}}},"tlsBootstrapToken":{"optional":1},"timeout":{"type":
"duration","optional":1,"nullable":1}}},"controlPlane":{"type":"object","optional":1,"nullable":1,"fields":
{"localAPIEndpoint":{"type":"object","optional":1,"fields":{"advertiseAddress":{"optional":1},"bindPort":{"type":
"int32","optional":1,"default":6443}}},"certificateKey":{"optional":1}}},"skipPhases":{"type":"list<string>",
"optional":1},"patches":{"type":"object","optional":1,"nullable":1,"fields":{"directory":{"optional":1}}}}},
"kubeadm.k8s.io/v1beta4 JoinConfiguration":{"component":"kubeadm","unread":37,"fields":{"dryRun":{"type":"bool",
"optional":1,"gates":["DryRun"]},"nodeRegistration":{"type":"object","optional":1,"fields":{"name":{"optional":1},
"criSocket":{"optional":1},"taints":{"type":"list<object>","nullable":1,"fields":{"key":{},"value":{"optional":1},
"effect":{"type":"enum","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":1,
"nullable":1}}},"kubeletExtraArgs":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},
"ignorePreflightErrors":{"type":"list<string>","optional":1},"imagePullPolicy":{"type":"enum","optional":1,"enum":
["Always","Never","IfNotPresent"]},"imagePullSerial":{"type":"bool","optional":1,"nullable":1}}},"caCertPath":
{"optional":1,"default":"/etc/kubernetes/pki/ca.crt"},"discovery":{"type":"object","fields":{"bootstrapToken":{"type":
"object","optional":1,"nullable":1,"fields":{"token":{},"apiServerEndpoint":{"optional":1},"caCertHashes":{"type":
"list<string>","optional":1},"unsafeSkipCAVerification":{"type":"bool","optional":1}}},"file":{"type":"object",
"optional":1,"nullable":1,"fields":{"kubeConfigPath":{}}},"tlsBootstrapToken":{"optional":1}}},"controlPlane":{"type":
"object","optional":1,"nullable":1,"fields":{"localAPIEndpoint":{"type":"object","optional":1,"fields":
{"advertiseAddress":{"optional":1},"bindPort":{"type":"int32","optional":1,"default":6443}}},"certificateKey":
{"optional":1}}},"skipPhases":{"type":"list<string>","optional":1},"patches":{"type":"object","optional":1,"nullable":
1,"fields":{"directory":{"optional":1}}},"timeouts":{"type":"object","optional":1,"nullable":1,"fields":
{"controlPlaneComponentHealthCheck":{"type":"duration","optional":1,"nullable":1},"kubeletHealthCheck":{"type":
"duration","optional":1,"nullable":1},"kubernetesAPICall":{"type":"duration","optional":1,"nullable":1},"etcdAPICall":
{"type":"duration","optional":1,"nullable":1},"tlsBootstrap":{"type":"duration","optional":1,"nullable":1},
"discovery":{"type":"duration","optional":1,"nullable":1},"upgradeManifests":{"type":"duration","optional":1,
"nullable":1}}}}},"kubeadm.k8s.io/v1beta4 ResetConfiguration":{"component":"kubeadm","unread":37,"fields":
{"cleanupTmpDir":{"type":"bool","optional":1},"certificatesDir":{"optional":1},"criSocket":{"optional":1},"dryRun":
{"type":"bool","optional":1,"gates":["DryRun"]},"force":{"type":"bool","optional":1},"ignorePreflightErrors":{"type":
"list<string>","optional":1},"skipPhases":{"type":"list<string>","optional":1},"unmountFlags":{"type":"list<string>",
"optional":1},"timeouts":{"type":"object","optional":1,"nullable":1,"fields":{"controlPlaneComponentHealthCheck":
{"type":"duration","optional":1,"nullable":1},"kubeletHealthCheck":{"type":"duration","optional":1,"nullable":1},
"kubernetesAPICall":{"type":"duration","optional":1,"nullable":1},"etcdAPICall":{"type":"duration","optional":1,
"nullable":1},"tlsBootstrap":{"type":"duration","optional":1,"nullable":1},"discovery":{"type":"duration","optional":
1,"nullable":1},"upgradeManifests":{"type":"duration","optional":1,"nullable":1}}}}},
"kubeadm.k8s.io/v1beta4 UpgradeConfiguration":{"component":"kubeadm","unread":37,"fields":{"apply":{"type":"object",
"optional":1,"fields":{"kubernetesVersion":{"optional":1},"allowExperimentalUpgrades":{"type":"bool","optional":1,
"nullable":1},"allowRCUpgrades":{"type":"bool","optional":1,"nullable":1},"certificateRenewal":{"type":"bool",
"optional":1,"nullable":1},"dryRun":{"type":"bool","optional":1,"nullable":1,"gates":["DryRun"]},"etcdUpgrade":
{"type":"bool","optional":1,"nullable":1},"forceUpgrade":{"type":"bool","optional":1,"nullable":1},
"ignorePreflightErrors":{"type":"list<string>","optional":1},"patches":{"type":"object","optional":1,"nullable":1,
"fields":{"directory":{"optional":1}}},"printConfig":{"type":"bool","optional":1,"nullable":1},"skipPhases":{"type":
"list<string>","optional":1},"imagePullPolicy":{"type":"enum","optional":1,"enum":["Always","Never","IfNotPresent"]},
"imagePullSerial":{"type":"bool","optional":1,"nullable":1}}},"diff":{"type":"object","optional":1,"fields":
{"kubernetesVersion":{"optional":1},"contextLines":{"type":"int","optional":1}}},"node":{"type":"object","optional":1,
"fields":{"certificateRenewal":{"type":"bool","optional":1,"nullable":1},"dryRun":{"type":"bool","optional":1,
"nullable":1,"gates":["DryRun"]},"etcdUpgrade":{"type":"bool","optional":1,"nullable":1},"ignorePreflightErrors":
{"type":"list<string>","optional":1},"skipPhases":{"type":"list<string>","optional":1},"patches":{"type":"object",
"optional":1,"nullable":1,"fields":{"directory":{"optional":1}}},"imagePullPolicy":{"type":"enum","optional":1,"enum":
["Always","Never","IfNotPresent"]},"imagePullSerial":{"type":"bool","optional":1,"nullable":1}}},"plan":{"type":
"object","optional":1,"fields":{"kubernetesVersion":{"optional":1},"allowExperimentalUpgrades":{"type":"bool",
"optional":1,"nullable":1},"allowRCUpgrades":{"type":"bool","optional":1,"nullable":1},"dryRun":{"type":"bool",
"optional":1,"nullable":1,"gates":["DryRun"]},"etcdUpgrade":{"type":"bool","optional":1,"nullable":1,"since":33},
"ignorePreflightErrors":{"type":"list<string>","optional":1},"printConfig":{"type":"bool","optional":1,"nullable":
1}}},"timeouts":{"type":"object","optional":1,"nullable":1,"fields":{"controlPlaneComponentHealthCheck":{"type":
"duration","optional":1,"nullable":1},"kubeletHealthCheck":{"type":"duration","optional":1,"nullable":1},
"kubernetesAPICall":{"type":"duration","optional":1,"nullable":1},"etcdAPICall":{"type":"duration","optional":1,
"nullable":1},"tlsBootstrap":{"type":"duration","optional":1,"nullable":1},"discovery":{"type":"duration","optional":
1,"nullable":1},"upgradeManifests":{"type":"duration","optional":1,"nullable":1}}}}}}
"""

COMMANDS = r"""
{"init":{"kinds":["InitConfiguration","ClusterConfiguration"],"reads":["InitConfiguration","ClusterConfiguration",
"KubeletConfiguration","KubeProxyConfiguration"]},"join":{"kinds":["JoinConfiguration"],"reads":
["JoinConfiguration"]},"reset":{"kinds":["ResetConfiguration"],"reads":["ResetConfiguration"]},"upgrade":{"kinds":
["UpgradeConfiguration"],"reads":["UpgradeConfiguration"]}}
"""
