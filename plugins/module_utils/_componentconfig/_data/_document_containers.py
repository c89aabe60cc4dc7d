# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Component configs in other files as JSON."""

from __future__ import annotations

__all__ = ["CONTAINERS"]

CONTAINERS = r"""
{"tools":{"OpenShift":["machineconfiguration.openshift.io","machine.openshift.io","hypershift.openshift.io",
"performance.openshift.io"],"EKS":["node.eks.aws"],"Karpenter":["karpenter.sh","karpenter.k8s.aws",
"karpenter.azure.com"],"Gardener":["gardener.cloud"],"kind":["kind.x-k8s.io","kind.sigs.k8s.io"],"Cluster API":
["cluster.x-k8s.io"],"Talos":["v1alpha1"],"eksctl":["eksctl.io"],"kOps":["kops.k8s.io"],"k0s":["k0sproject.io"],"k3d":
["k3d.io"],"Rancher":["provisioning.cattle.io","rke.cattle.io","rke-machine-config.cattle.io"],"KubeKey":
["kubekey.kubesphere.io"],"minikube":["minikube.sigs.k8s.io"],"KubeOne":["kubeone.k8c.io"]},"shapes":{"containers":
[{"at":"containers[]","form":"command"},{"at":"initContainers[]","form":"command"}],"kubeadm":[{"at":
"clusterConfiguration","form":"fragment","kind":"kubeadm.k8s.io/v1beta3 ClusterConfiguration","partial":true,"own":
["useHyperKubeImage","controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig",
"nodeRegistration.imagePullSerial","apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs",
"etcd.local.extraEnvs","certificateValidityPeriodDays","caCertificateValidityPeriodDays"]},{"at":"initConfiguration",
"form":"fragment","kind":"kubeadm.k8s.io/v1beta3 InitConfiguration","partial":true,"own":["useHyperKubeImage",
"controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig","nodeRegistration.imagePullSerial",
"apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs","etcd.local.extraEnvs",
"certificateValidityPeriodDays","caCertificateValidityPeriodDays"]},{"at":"joinConfiguration","form":"fragment",
"kind":"kubeadm.k8s.io/v1beta3 JoinConfiguration","partial":true,"own":["useHyperKubeImage",
"controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig","nodeRegistration.imagePullSerial",
"apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs","etcd.local.extraEnvs",
"certificateValidityPeriodDays","caCertificateValidityPeriodDays"]},{"at":"files[]","form":"files"}],
"kubeadm-v1beta2":[{"at":"clusterConfiguration","form":"fragment","kind":
"kubeadm.k8s.io/v1beta4 ClusterConfiguration","partial":true,"own":["useHyperKubeImage",
"controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig","nodeRegistration.imagePullSerial",
"apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs","etcd.local.extraEnvs",
"certificateValidityPeriodDays","caCertificateValidityPeriodDays","timeouts","bootstrapTokens"]},{"at":
"initConfiguration","form":"fragment","kind":"kubeadm.k8s.io/v1beta4 InitConfiguration","partial":true,"own":
["useHyperKubeImage","controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig",
"nodeRegistration.imagePullSerial","apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs",
"etcd.local.extraEnvs","certificateValidityPeriodDays","caCertificateValidityPeriodDays","timeouts",
"bootstrapTokens"]},{"at":"joinConfiguration","form":"fragment","kind":"kubeadm.k8s.io/v1beta4 JoinConfiguration",
"partial":true,"own":["useHyperKubeImage","controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig",
"nodeRegistration.imagePullSerial","apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs",
"etcd.local.extraEnvs","certificateValidityPeriodDays","caCertificateValidityPeriodDays","timeouts",
"bootstrapTokens"]},{"at":"files[]","form":"files"}],"k3s":[{"at":"kube-apiserver-arg","form":"flags","component":
"kube-apiserver","flags":"list"},{"at":"kube-apiserver-arg+","form":"flags","component":"kube-apiserver","flags":
"list"},{"at":"kube-controller-manager-arg","form":"flags","component":"kube-controller-manager","flags":"list"},
{"at":"kube-controller-manager-arg+","form":"flags","component":"kube-controller-manager","flags":"list"},{"at":
"kube-scheduler-arg","form":"flags","component":"kube-scheduler","flags":"list"},{"at":"kube-scheduler-arg+","form":
"flags","component":"kube-scheduler","flags":"list"},{"at":"kube-proxy-arg","form":"flags","component":"kube-proxy",
"flags":"list"},{"at":"kube-proxy-arg+","form":"flags","component":"kube-proxy","flags":"list"},{"at":"kubelet-arg",
"form":"flags","component":"kubelet","flags":"list"},{"at":"kubelet-arg+","form":"flags","component":"kubelet",
"flags":"list"}],"gardener":[{"at":"kubelet","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","renamed":{"memoryAvailable":"memory.available",
"imageFSAvailable":"imagefs.available","imageFSInodesFree":"imagefs.inodesFree","nodeFSAvailable":"nodefs.available",
"nodeFSInodesFree":"nodefs.inodesFree","ephemeralStorage":"ephemeral-storage"},"fields":["containerLogMaxFiles",
"containerLogMaxSize","cpuCFSQuota","cpuManagerPolicy","evictionHard","evictionMaxPodGracePeriod",
"evictionMinimumReclaim","evictionPressureTransitionPeriod","evictionSoft","evictionSoftGracePeriod","failSwapOn",
"featureGates","imageGCHighThresholdPercent","imageGCLowThresholdPercent","imageMaximumGCAge","imageMinimumGCAge",
"kubeReserved","maxParallelImagePulls","maxPods","memorySwap","podPidsLimit","protectKernelDefaults","registryBurst",
"registryPullQPS","seccompDefault","serializeImagePulls","streamingConnectionIdleTimeout","systemReserved"],"base":
{"evictionSoftGracePeriod":{"memory.available":"1m30s","imagefs.available":"1m30s","imagefs.inodesFree":"1m30s",
"nodefs.available":"1m30s","nodefs.inodesFree":"1m30s"},"kubeReserved":{"cpu":"80m","memory":"1Gi"},
"enforceNodeAllocatable":["pods"],"serverTLSBootstrap":true,"rotateCertificates":true}}]},"containers":[{"tool":
"Kubernetes","apiVersions":["v1"],"kind":"ConfigMap","parts":[{"at":"data.*","form":"text"},{"at":"binaryData.*",
"form":"opaque","why":"it is binary data, in base64"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":"Secret",
"parts":[{"at":"stringData.*","form":"text"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":"List","parts":[{"at":
"items[]","form":"document"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":"ConfigMapList","parts":[{"at":
"items[]","form":"document","kind":"v1 ConfigMap"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":"PodList",
"parts":[{"at":"items[]","form":"document","kind":"v1 Pod"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":"Pod",
"below":"spec","parts":"containers"},{"tool":"Kubernetes","apiVersions":["apps/v1"],"kind":"DaemonSet","below":
"spec.template.spec","parts":"containers"},{"tool":"Kubernetes","apiVersions":["apps/v1"],"kind":"Deployment","below":
"spec.template.spec","parts":"containers"},{"tool":"OpenShift","apiVersions":["machineconfiguration.openshift.io/v1"],
"kind":"KubeletConfig","parts":[{"at":"spec.kubeletConfig","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration"}]},{"tool":"EKS","apiVersions":["node.eks.aws/v1alpha1"],"kind":
"NodeConfig","parts":[{"at":"spec.kubelet.config","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","base":{"cgroupDriver":"systemd","cgroupRoot":"/","kubeReserved":
{"cpu":"70m","memory":"442Mi","ephemeral-storage":"1Gi"},"kubeReservedCgroup":"/runtime","systemReservedCgroup":
"/system","serializeImagePulls":false,"evictionHard":{"memory.available":"100Mi","nodefs.available":"10%",
"nodefs.inodesFree":"5%"}}},{"at":"spec.kubelet.flags","form":"flags","component":"kubelet","flags":"words"}]},
{"tool":"eksctl","apiVersions":["eksctl.io/v1alpha5"],"kind":"ClusterConfig","parts":[{"at":
"nodeGroups[].kubeletExtraConfig","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration"},
{"at":"managedNodeGroups[].kubeletExtraConfig","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration"}]},{"tool":"Karpenter","apiVersions":["karpenter.k8s.aws/v1"],
"kind":"EC2NodeClass","parts":[{"at":"spec.kubelet","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","fields":["clusterDNS","cpuCFSQuota","evictionHard",
"evictionMaxPodGracePeriod","evictionSoft","evictionSoftGracePeriod","imageGCHighThresholdPercent",
"imageGCLowThresholdPercent","kubeReserved","maxPods","podsPerCore","systemReserved"]}]},{"tool":"Karpenter",
"apiVersions":["karpenter.sh/v1beta1"],"kind":"NodePool","parts":[{"at":"spec.template.spec.kubelet","form":
"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","fields":["clusterDNS","cpuCFSQuota",
"evictionHard","evictionMaxPodGracePeriod","evictionSoft","evictionSoftGracePeriod","imageGCHighThresholdPercent",
"imageGCLowThresholdPercent","kubeReserved","maxPods","podsPerCore","systemReserved"]}]},{"tool":"Karpenter",
"apiVersions":["karpenter.azure.com/v1alpha2","karpenter.azure.com/v1beta1"],"kind":"AKSNodeClass","parts":[{"at":
"spec.kubelet","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","fields":
["allowedUnsafeSysctls","containerLogMaxFiles","containerLogMaxSize","cpuCFSQuota","cpuCFSQuotaPeriod",
"cpuManagerPolicy","imageGCHighThresholdPercent","imageGCLowThresholdPercent","podPidsLimit",
"topologyManagerPolicy"]}]},{"tool":"Talos","where":{"version":"v1alpha1"},"has":["machine","cluster"],"parts":[{"at":
"machine.kubelet.extraConfig","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","base":
{"cgroupRoot":"/","systemCgroups":"/system","kubeletCgroups":"/podruntime/kubelet","systemReserved":{"cpu":"50m",
"memory":"192Mi","pid":"100","ephemeral-storage":"256Mi"},"protectKernelDefaults":true}},{"at":
"machine.kubelet.extraArgs","form":"flags","component":"kubelet","flags":"map"},{"at":
"machine.kubelet.credentialProviderConfig","form":"document"},{"at":"cluster.apiServer.extraArgs","form":"flags",
"component":"kube-apiserver","flags":"map"},{"at":"cluster.controllerManager.extraArgs","form":"flags","component":
"kube-controller-manager","flags":"map"},{"at":"cluster.scheduler.extraArgs","form":"flags","component":
"kube-scheduler","flags":"map"},{"at":"cluster.proxy.extraArgs","form":"flags","component":"kube-proxy","flags":
"map"},{"at":"cluster.scheduler.config","form":"document","kind":
"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration"},{"at":"cluster.apiServer.auditPolicy","form":"document"},
{"at":"cluster.apiServer.admissionControl[].configuration","form":"document"},{"at":"machine.files[]","form":
"files"}]},{"tool":"Gardener","apiVersions":["core.gardener.cloud/v1beta1"],"kind":"Shoot","below":"spec.kubernetes",
"parts":"gardener"},{"tool":"Gardener","apiVersions":["core.gardener.cloud/v1beta1"],"kind":"Shoot","below":
"spec.provider.workers[].kubernetes","parts":"gardener"},{"tool":"kind","apiVersions":["kind.x-k8s.io/v1alpha4"],
"kind":"Cluster","parts":[{"at":"kubeadmConfigPatches[]","form":"text","patch":true},{"at":
"nodes[].kubeadmConfigPatches[]","form":"text","patch":true},{"at":"featureGates","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","under":"featureGates"},{"at":"kubeadmConfigPatchesJSON6902[]",
"form":"opaque","why":"it is a JSON patch"},{"at":"nodes[].kubeadmConfigPatchesJSON6902[]","form":"opaque","why":
"it is a JSON patch"}]},{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1alpha3",
"bootstrap.cluster.x-k8s.io/v1alpha4","bootstrap.cluster.x-k8s.io/v1beta1"],"kind":"KubeadmConfig","below":"spec",
"parts":"kubeadm"},{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1beta2"],"kind":"KubeadmConfig",
"below":"spec","parts":"kubeadm-v1beta2"},{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1alpha3",
"bootstrap.cluster.x-k8s.io/v1alpha4","bootstrap.cluster.x-k8s.io/v1beta1"],"kind":"KubeadmConfigTemplate","below":
"spec.template.spec","parts":"kubeadm"},{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1beta2"],
"kind":"KubeadmConfigTemplate","below":"spec.template.spec","parts":"kubeadm-v1beta2"},{"tool":"Cluster API",
"apiVersions":["controlplane.cluster.x-k8s.io/v1alpha3","controlplane.cluster.x-k8s.io/v1alpha4",
"controlplane.cluster.x-k8s.io/v1beta1"],"kind":"KubeadmControlPlane","below":"spec.kubeadmConfigSpec","parts":
"kubeadm"},{"tool":"Cluster API","apiVersions":["controlplane.cluster.x-k8s.io/v1beta2"],"kind":"KubeadmControlPlane",
"below":"spec.kubeadmConfigSpec","parts":"kubeadm-v1beta2"},{"tool":"Cluster API","apiVersions":
["controlplane.cluster.x-k8s.io/v1alpha4","controlplane.cluster.x-k8s.io/v1beta1"],"kind":
"KubeadmControlPlaneTemplate","below":"spec.template.spec.kubeadmConfigSpec","parts":"kubeadm"},{"tool":"Cluster API",
"apiVersions":["controlplane.cluster.x-k8s.io/v1beta2"],"kind":"KubeadmControlPlaneTemplate","below":
"spec.template.spec.kubeadmConfigSpec","parts":"kubeadm-v1beta2"},{"tool":"Rancher","apiVersions":
["provisioning.cattle.io/v1"],"kind":"Cluster","below":"spec.rkeConfig.machineGlobalConfig","parts":"k3s"},{"tool":
"Rancher","apiVersions":["provisioning.cattle.io/v1"],"kind":"Cluster","below":
"spec.rkeConfig.machineSelectorConfig[].config","parts":"k3s"},{"tool":"k3s or RKE2","has":["kube-apiserver-arg",
"kube-apiserver-arg+","kube-controller-manager-arg","kube-controller-manager-arg+","kube-scheduler-arg",
"kube-scheduler-arg+","kube-proxy-arg","kube-proxy-arg+","kubelet-arg","kubelet-arg+"],"parts":"k3s"},{"tool":
"cloud-init","has":["write_files"],"parts":[{"at":"write_files[]","form":"files"}]}]}
"""
