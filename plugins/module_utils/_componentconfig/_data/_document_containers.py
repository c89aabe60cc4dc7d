# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Component configs in other files as JSON."""

from __future__ import annotations

CONTAINERS = r"""
{"tools":{"OpenShift":["machineconfiguration.openshift.io","machine.openshift.io","hypershift.openshift.io",
"performance.openshift.io","config.openshift.io"],"EKS":["node.eks.aws"],"Karpenter":["karpenter.sh",
"karpenter.k8s.aws","karpenter.azure.com"],"Gardener":["gardener.cloud"],"kind":["kind.x-k8s.io","kind.sigs.k8s.io"],
"Cluster API":["cluster.x-k8s.io"],"Talos":["v1alpha1"],"eksctl":["eksctl.io"],"kOps":["kops.k8s.io"],"k0s":
["k0sproject.io"],"k3d":["k3d.io"],"Rancher":["provisioning.cattle.io","rke.cattle.io",
"rke-machine-config.cattle.io"],"KubeKey":["kubekey.kubesphere.io"],"minikube":["minikube.sigs.k8s.io"],"KubeOne":
["kubeone.k8c.io"]},"holdNothing":{"addons.cluster.x-k8s.io/":[[["HelmChartProxy","HelmReleaseProxy"],["v1alpha1"]],
[["ClusterResourceSet","ClusterResourceSetBinding"],["v1beta1","v1beta2"]]],"bootstrap.cluster.x-k8s.io/":
[[["GKEConfig","GKEConfigTemplate","KopsConfig","KopsConfigTemplate"],["v1beta1"]]],"cluster.x-k8s.io/":[[["Machine",
"MachineDeployment","MachineDrainRule","MachineHealthCheck","MachinePool","MachineSet"],["v1beta1","v1beta2"]]],
"clusterctl.cluster.x-k8s.io/":[[["Metadata","Provider"],["v1alpha3"]]],"controlplane.cluster.x-k8s.io/":
[[["KopsControlPlane","KopsControlPlaneTemplate"],["v1beta1"]]],"infrastructure.cluster.x-k8s.io/":
[[["KubevirtCluster"],["v1alpha1","v1beta1"]],[["KubevirtClusterTemplate","OpenStackClusterIdentity",
"OpenStackFloatingIPPool"],["v1alpha1"]],[["DOCluster","DOMachine","DOMachineTemplate","NutanixMachine",
"NutanixMachineTemplate"],["v1alpha4","v1beta1"]],[["AWSCluster","AWSClusterControllerIdentity",
"AWSClusterRoleIdentity","AWSClusterStaticIdentity","AWSClusterTemplate","AWSFargateProfile","AWSMachine",
"AWSMachineTemplate","DevCluster","DevClusterTemplate","DockerCluster","DockerClusterTemplate","DockerMachine",
"DockerMachineTemplate","IBMVPCCluster","IBMVPCMachine","IBMVPCMachineTemplate","Metal3Cluster",
"Metal3ClusterTemplate","Metal3DataClaim","Metal3DataTemplate","Metal3Machine","Metal3MachineTemplate",
"Metal3Remediation","Metal3RemediationTemplate","OpenStackCluster","OpenStackClusterTemplate","OpenStackMachine",
"OpenStackMachineTemplate","VSphereCluster","VSphereClusterIdentity","VSphereClusterTemplate","VSphereDeploymentZone",
"VSphereFailureDomain","VSphereMachine","VSphereMachineTemplate","VSphereVM"],["v1beta1","v1beta2"]],[["AzureCluster",
"AzureClusterIdentity","AzureClusterTemplate","AzureMachine","AzureMachinePool","AzureMachinePoolMachine",
"AzureMachineTemplate","AzureManagedCluster","AzureManagedClusterTemplate","CloudStackZone","DOClusterTemplate",
"GCPCluster","GCPClusterTemplate","GCPMachine","GCPMachineTemplate","GCPManagedCluster","GCPManagedClusterTemplate",
"NutanixCluster","PacketCluster","PacketMachine","PacketMachineTemplate"],["v1beta1"]],[["CloudStackAffinityGroup",
"CloudStackCluster","CloudStackIsolatedNetwork","CloudStackMachineStateChecker","IBMPowerVSCluster",
"IBMPowerVSClusterTemplate","IBMPowerVSImage","IBMPowerVSMachine","IBMPowerVSMachineTemplate"],["v1beta1","v1beta2",
"v1beta3"]],[["CloudStackMachine","CloudStackMachineTemplate"],["v1beta1","v1beta3"]],[["AWSManagedCluster",
"AWSManagedClusterTemplate","DevMachinePool","DevMachinePoolTemplate","IBMVPCClusterTemplate","ROSACluster",
"ROSANetwork"],["v1beta2"]],[["CloudStackFailureDomain"],["v1beta2","v1beta3"]]],"ipam.cluster.x-k8s.io/":
[[["IPAddress","IPAddressClaim"],["v1alpha1","v1beta1","v1beta2"]]],"karpenter.sh/":[[["NodeClaim","NodePool"],
["v1"]],[["NodeOverlay"],["v1alpha1"]]],"machineconfiguration.openshift.io/":[[["ContainerRuntimeConfig",
"MachineConfigPool"],["v1"]]],"":[[["BGPInstanceConfig","BlackholeRouteConfig","BondConfig","BridgeConfig",
"CRIBaseRuntimeSpecConfig","CRICustomizationConfig","ContainerConfig","DHCPv4Config","DHCPv6Config",
"DiscoveryIdentityConfig","DiscoveryServiceConfig","DummyLinkConfig","EnvironmentConfig","EtcFileConfig",
"EthernetConfig","EventSinkConfig","ExistingVolumeConfig","ExtensionServiceConfig","ExternalVolumeConfig",
"FilesystemScrubConfig","FilesystemTrimConfig","HCloudVIPConfig","HTTPProbeConfig","HostnameConfig",
"ImageCacheConfig","ImageVerificationConfig","KernelModuleConfig","KmsgLogConfig","KubeAPIServerCAConfig",
"KubeAggregatorCAConfig","KubeClusterConfig","KubeCoreDNSConfig","KubeExternalManifestConfig","KubeFlannelCNIConfig",
"KubeNetworkConfig","KubeNodeConfig","KubePrismConfig","KubeServiceAccountConfig","KubeSpanConfig",
"KubeSpanEndpointsConfig","KubeTalosAPIAccessConfig","LVMLogicalVolumeConfig","LVMVolumeGroupConfig",
"Layer2VIPConfig","LinkAliasConfig","LinkConfig","NetworkDefaultActionConfig","NetworkRuleConfig","OOMConfig",
"PCIDriverRebindConfig","RAIDArrayConfig","RawVolumeConfig","RegistryAuthConfig","RegistryMirrorConfig",
"RegistryTLSConfig","ResolverConfig","RoutingRuleConfig","SecurityProfileConfig","SideroLinkConfig",
"StaticHostConfig","SwapVolumeConfig","SysctlConfig","SysfsConfig","TCPProbeConfig","TimeSyncConfig",
"TrustedRootsConfig","UdevRulesConfig","UnattendedInstallConfig","UserVolumeConfig","VLANConfig","VRFConfig",
"VethConfig","VolumeConfig","WatchdogTimerConfig","WireguardConfig","ZswapConfig"],["v1alpha1"]]],
"vmware.infrastructure.cluster.x-k8s.io/":[[["ProviderServiceAccount","VSphereCluster","VSphereClusterTemplate"],
["v1beta1","v1beta2"]]]},"shapes":{"containers":[{"at":"containers[]","form":"command"},{"at":"initContainers[]",
"form":"command"}],"kubeadm":[{"at":"clusterConfiguration","form":"fragment","kind":
"kubeadm.k8s.io/v1beta3 ClusterConfiguration","partial":true,"own":["useHyperKubeImage","encryptionAlgorithm",
"controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig","nodeRegistration.imagePullSerial",
"apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs","etcd.local.extraEnvs",
"certificateValidityPeriodDays","caCertificateValidityPeriodDays"]},{"at":"initConfiguration","form":"fragment",
"kind":"kubeadm.k8s.io/v1beta3 InitConfiguration","partial":true,"own":["useHyperKubeImage","encryptionAlgorithm",
"controlPlaneComponentHealthCheckSeconds","discovery.file.kubeConfig","nodeRegistration.imagePullSerial",
"apiServer.extraEnvs","controllerManager.extraEnvs","scheduler.extraEnvs","etcd.local.extraEnvs",
"certificateValidityPeriodDays","caCertificateValidityPeriodDays"]},{"at":"joinConfiguration","form":"fragment",
"kind":"kubeadm.k8s.io/v1beta3 JoinConfiguration","partial":true,"own":["useHyperKubeImage","encryptionAlgorithm",
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
"kube-controller-arg","form":"flags","component":"kube-controller-manager","flags":"list"},{"at":
"kube-controller-arg+","form":"flags","component":"kube-controller-manager","flags":"list"},{"at":
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
"imagePullCredentialsVerificationPolicy","kubeReserved","maxParallelImagePulls","maxPods","memorySwap","podPidsLimit",
"preloadedImagesVerificationAllowlist","protectKernelDefaults","registryBurst","registryPullQPS","seccompDefault",
"serializeImagePulls","singleProcessOOMKill","streamingConnectionIdleTimeout","systemReserved"],"quantities":
["containerLogMaxSize","evictionMinimumReclaim","kubeReserved","systemReserved"],"base":{"evictionSoftGracePeriod":
{"memory.available":"1m30s","imagefs.available":"1m30s","imagefs.inodesFree":"1m30s","nodefs.available":"1m30s",
"nodefs.inodesFree":"1m30s"},"kubeReserved":{"cpu":"80m","memory":"1Gi"},"enforceNodeAllocatable":["pods"],
"serverTLSBootstrap":true,"rotateCertificates":true}},{"at":"kubeAPIServer.featureGates","form":"flags","flags":
"gates","component":"kube-apiserver"},{"at":"kubeControllerManager.featureGates","form":"flags","flags":"gates",
"component":"kube-controller-manager"},{"at":"kubeScheduler.featureGates","form":"flags","flags":"gates","component":
"kube-scheduler"},{"at":"kubeProxy.featureGates","form":"flags","flags":"gates","component":"kube-proxy"}]},
"containers":[{"tool":"Kubernetes","apiVersions":["v1"],"kind":"ConfigMap","parts":[{"at":"data.*","form":"text"},
{"at":"binaryData.*","form":"opaque","why":"it is binary data, in base64"}]},{"tool":"Kubernetes","apiVersions":
["v1"],"kind":"Secret","parts":[{"at":"stringData.*","form":"text"}]},{"tool":"Kubernetes","apiVersions":["v1"],
"kind":"List","parts":[{"at":"items[]","form":"document"}]},{"tool":"Kubernetes","apiVersions":["v1"],"kind":
"ConfigMapList","parts":[{"at":"items[]","form":"document","kind":"v1 ConfigMap"}]},{"tool":"Kubernetes",
"apiVersions":["v1"],"kind":"PodList","parts":[{"at":"items[]","form":"document","kind":"v1 Pod"}]},{"tool":
"Kubernetes","apiVersions":["v1"],"kind":"Pod","below":"spec","parts":"containers"},{"tool":"Kubernetes",
"apiVersions":["apps/v1"],"kind":"DaemonSet","below":"spec.template.spec","parts":"containers"},{"tool":"Kubernetes",
"apiVersions":["apps/v1"],"kind":"Deployment","below":"spec.template.spec","parts":"containers"},{"tool":"OpenShift",
"apiVersions":["machineconfiguration.openshift.io/v1"],"kind":"KubeletConfig","parts":[{"at":"spec.kubeletConfig",
"form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","protected":["cgroupDriver",
"clusterDNS","clusterDomain","failSwapOn","featureGates"],"base":{"cgroupRoot":"/","systemCgroups":"/system.slice",
"systemReserved":{"cpu":"500m","memory":"1Gi","ephemeral-storage":"1Gi"},"failSwapOn":false,"serializeImagePulls":
false,"protectKernelDefaults":true}}]},{"tool":"EKS","apiVersions":["node.eks.aws/v1alpha1"],"kind":"NodeConfig",
"parts":[{"at":"spec.kubelet.config","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration",
"base":{"cgroupDriver":"systemd","cgroupRoot":"/","kubeReserved":{"cpu":"70m","memory":"442Mi","ephemeral-storage":
"1Gi"},"kubeReservedCgroup":"/runtime","systemReservedCgroup":"/system","serializeImagePulls":false,"evictionHard":
{"memory.available":"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%"}}},{"at":"spec.kubelet.flags","form":
"flags","component":"kubelet","flags":"words"}]},{"tool":"eksctl","apiVersions":["eksctl.io/v1alpha5"],"kind":
"ClusterConfig","parts":[{"at":"nodeGroups[].kubeletExtraConfig","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration"},{"at":"managedNodeGroups[].kubeletExtraConfig","form":
"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration"}]},{"tool":"Karpenter","apiVersions":
["karpenter.k8s.aws/v1"],"kind":"EC2NodeClass","parts":[{"at":"spec.kubelet","form":"fragment","kind":
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
"cpuManagerPolicy","failSwapOn","imageGCHighThresholdPercent","imageGCLowThresholdPercent","podPidsLimit",
"topologyManagerPolicy"]}]},{"tool":"Talos","where":{"version":"v1alpha1"},"has":["machine","cluster"],"parts":[{"at":
"machine.kubelet.extraConfig","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration",
"protected":["authentication","authorization","cgroupRoot","kubeletCgroups","port","protectKernelDefaults",
"resolvConf","rotateCertificates","seccompDefault","staticPodPath","systemCgroups"],"base":{"cgroupRoot":"/",
"systemCgroups":"/system","kubeletCgroups":"/podruntime/kubelet","systemReserved":{"cpu":"50m","memory":"384Mi","pid":
"100","ephemeral-storage":"256Mi"},"protectKernelDefaults":true,"failSwapOn":false}},{"at":
"machine.kubelet.extraArgs","form":"flags","component":"kubelet","flags":"map"},{"at":
"machine.kubelet.credentialProviderConfig","form":"document"},{"at":"cluster.apiServer.extraArgs","form":"flags",
"component":"kube-apiserver","flags":"map"},{"at":"cluster.controllerManager.extraArgs","form":"flags","component":
"kube-controller-manager","flags":"map"},{"at":"cluster.scheduler.extraArgs","form":"flags","component":
"kube-scheduler","flags":"map"},{"at":"cluster.proxy.extraArgs","form":"flags","component":"kube-proxy","flags":
"map"},{"at":"cluster.scheduler.config","form":"document","kind":
"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration"},{"at":"cluster.apiServer.auditPolicy","form":"document"},
{"at":"cluster.apiServer.admissionControl[].configuration","form":"document"},{"at":
"cluster.apiServer.authorizationConfig","form":"fragment","kind":
"apiserver.config.k8s.io/v1 AuthorizationConfiguration","under":"authorizers","partial":true},{"at":
"cluster.inlineManifests[].contents","form":"text"},{"at":"machine.pods[]","form":"document"},{"at":"machine.files[]",
"form":"files"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":"KubeletConfig","parts":[{"at":"config","form":
"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","protected":["authentication","authorization",
"cgroupRoot","kubeletCgroups","port","protectKernelDefaults","resolvConf","rotateCertificates","seccompDefault",
"staticPodPath","systemCgroups"],"base":{"cgroupRoot":"/","systemCgroups":"/system","kubeletCgroups":
"/podruntime/kubelet","systemReserved":{"cpu":"50m","memory":"384Mi","pid":"100","ephemeral-storage":"256Mi"},
"protectKernelDefaults":true,"failSwapOn":false}},{"at":"extraArgs","form":"flags","component":"kubelet","flags":
"map"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":"KubeAPIServerConfig","parts":[{"at":"extraArgs","form":
"flags","component":"kube-apiserver","flags":"map"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":
"KubeControllerManagerConfig","parts":[{"at":"extraArgs","form":"flags","component":"kube-controller-manager","flags":
"map"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":"KubeSchedulerConfig","parts":[{"at":"config","form":
"document","kind":"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration"},{"at":"extraArgs","form":"flags",
"component":"kube-scheduler","flags":"map"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":"KubeProxyConfig",
"parts":[{"at":"config","form":"fragment","kind":"kubeproxy.config.k8s.io/v1alpha1 KubeProxyConfiguration"},{"at":
"extraArgs","form":"flags","component":"kube-proxy","flags":"map"}]},{"tool":"Talos","apiVersions":["v1alpha1"],
"kind":"KubeAuditPolicyConfig","parts":[{"at":"configuration","form":"document"}]},{"tool":"Talos","apiVersions":
["v1alpha1"],"kind":"KubeAdmissionControlConfig","parts":[{"at":"configuration","form":"document"}]},{"tool":"Talos",
"apiVersions":["v1alpha1"],"kind":"KubeAuthenticationConfig","parts":[{"at":"configuration","form":"document"}]},
{"tool":"Talos","apiVersions":["v1alpha1"],"kind":"KubeAuthorizerConfig","parts":[{"at":"webhook","form":"opaque",
"why":"it is one authorizer of several documents"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":
"KubeEtcdEncryptionConfig","parts":[{"at":"config","form":"fragment","kind":
"apiserver.config.k8s.io/v1 EncryptionConfiguration"}]},{"tool":"Talos","apiVersions":["v1alpha1"],"kind":
"KubeCredentialProviderConfig","parts":[{"at":"configuration","form":"document"}]},{"tool":"Talos","apiVersions":
["v1alpha1"],"kind":"KubeStaticPodConfig","parts":[{"at":"pod","form":"document"}]},{"tool":"Talos","apiVersions":
["v1alpha1"],"kind":"KubeInlineManifestConfig","parts":[{"at":"manifest","form":"text"}]},{"tool":"Gardener",
"apiVersions":["core.gardener.cloud/v1beta1"],"kind":"Shoot","below":"spec.kubernetes","parts":"gardener"},{"tool":
"Gardener","apiVersions":["core.gardener.cloud/v1beta1"],"kind":"Shoot","below":"spec.provider.workers[].kubernetes",
"parts":"gardener"},{"tool":"kind","apiVersions":["kind.x-k8s.io/v1alpha4"],"kind":"Cluster","parts":[{"at":
"kubeadmConfigPatches[]","form":"text","patch":true,"own":["metadata"]},{"at":"nodes[].kubeadmConfigPatches[]","form":
"text","patch":true,"own":["metadata"]},{"at":"featureGates","form":"fragment","kind":
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
"spec.template.spec.kubeadmConfigSpec","parts":"kubeadm-v1beta2"},{"tool":"Cluster API","apiVersions":
["bootstrap.cluster.x-k8s.io/v1beta1","bootstrap.cluster.x-k8s.io/v1beta2"],"kind":"EKSConfig","below":"spec","parts":
[{"at":"kubeletExtraArgs","form":"flags","component":"kubelet","flags":"map"},{"at":"files[]","form":"files"}]},
{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1beta2"],"kind":"NodeadmConfig","below":"spec",
"parts":[{"at":"kubelet.config","form":"fragment","kind":"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","base":
{"cgroupDriver":"systemd","cgroupRoot":"/","kubeReserved":{"cpu":"70m","memory":"442Mi","ephemeral-storage":"1Gi"},
"kubeReservedCgroup":"/runtime","systemReservedCgroup":"/system","serializeImagePulls":false,"evictionHard":
{"memory.available":"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%"}}},{"at":"kubelet.flags","form":"flags",
"component":"kubelet","flags":"words"},{"at":"files[]","form":"files"}]},{"tool":"Cluster API","apiVersions":
["bootstrap.cluster.x-k8s.io/v1beta1","bootstrap.cluster.x-k8s.io/v1beta2"],"kind":"EKSConfigTemplate","below":
"spec.template.spec","parts":[{"at":"kubeletExtraArgs","form":"flags","component":"kubelet","flags":"map"},{"at":
"files[]","form":"files"}]},{"tool":"Cluster API","apiVersions":["bootstrap.cluster.x-k8s.io/v1beta2"],"kind":
"NodeadmConfigTemplate","below":"spec.template.spec","parts":[{"at":"kubelet.config","form":"fragment","kind":
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration","base":{"cgroupDriver":"systemd","cgroupRoot":"/","kubeReserved":
{"cpu":"70m","memory":"442Mi","ephemeral-storage":"1Gi"},"kubeReservedCgroup":"/runtime","systemReservedCgroup":
"/system","serializeImagePulls":false,"evictionHard":{"memory.available":"100Mi","nodefs.available":"10%",
"nodefs.inodesFree":"5%"}}},{"at":"kubelet.flags","form":"flags","component":"kubelet","flags":"words"},{"at":
"files[]","form":"files"}]},{"tool":"Cluster API","apiVersions":["cluster.x-k8s.io/v1beta1"],"kind":"Cluster","parts":
[{"at":"spec.topology.variables","form":"opaque","why":"a ClusterClass says what becomes of it"},{"at":
"spec.topology.controlPlane.variables","form":"opaque","why":"a ClusterClass says what becomes of it"}]},{"tool":
"Cluster API","apiVersions":["cluster.x-k8s.io/v1beta1"],"kind":"ClusterClass","parts":[{"at":"spec.patches","form":
"opaque","why":"it is a patch of other documents"}]},{"tool":"Cluster API","apiVersions":["cluster.x-k8s.io/v1beta2"],
"kind":"Cluster","parts":[{"at":"spec.topology.variables","form":"opaque","why":
"a ClusterClass says what becomes of it"},{"at":"spec.topology.controlPlane.variables","form":"opaque","why":
"a ClusterClass says what becomes of it"}]},{"tool":"Cluster API","apiVersions":["cluster.x-k8s.io/v1beta2"],"kind":
"ClusterClass","parts":[{"at":"spec.patches","form":"opaque","why":"it is a patch of other documents"}]},{"tool":
"Rancher","apiVersions":["provisioning.cattle.io/v1"],"kind":"Cluster","below":"spec.rkeConfig.machineGlobalConfig",
"parts":"k3s"},{"tool":"Rancher","apiVersions":["provisioning.cattle.io/v1"],"kind":"Cluster","below":
"spec.rkeConfig.machineSelectorConfig[].config","parts":"k3s"},{"tool":"k3s or RKE2","has":["kube-apiserver-arg",
"kube-apiserver-arg+","kube-controller-manager-arg","kube-controller-manager-arg+","kube-controller-arg",
"kube-controller-arg+","kube-scheduler-arg","kube-scheduler-arg+","kube-proxy-arg","kube-proxy-arg+","kubelet-arg",
"kubelet-arg+"],"parts":"k3s"},{"tool":"cloud-init","has":["write_files"],"parts":[{"at":"write_files[]","form":
"files"}]}]}
"""
