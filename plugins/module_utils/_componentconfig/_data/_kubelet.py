# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kubelet as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"env":{"type":"list<object>","fields":{"name":{},"value":{}}},"CredentialProviderConfig":{"providers":
{"type":"list<object>","fields":{"name":{},"matchImages":{"type":"list<string>"},"defaultCacheDuration":{"type":
"duration","nullable":1},"apiVersion":{},"args":{"type":"list<string>"},"env":"env"}}},"kubernetesSecrets":{"type":
"list<object>","fields":{"uid":{},"namespace":{},"name":{},"credentialHash":{}}},"text":{"splitStream":{"type":
"bool"},"infoBufferSize":{"type":"quantity"}}},"kinds":{"kubelet.config.k8s.io/v1 CredentialProviderConfig":{"fields":
{"providers":{"type":"list<object>","fields":{"name":{},"matchImages":{"type":"list<string>"},"defaultCacheDuration":
{"type":"duration","nullable":1},"apiVersion":{},"args":{"type":"list<string>"},"env":"env","tokenAttributes":
{"nullable":1,"since":33,"fields":{"serviceAccountTokenAudience":{},"cacheType":{"type":"enum","since":34,"enum":
["Token","ServiceAccount"]},"requireServiceAccount":{"type":"bool","nullable":1},
"requiredServiceAccountAnnotationKeys":{"type":"list<string>"},"optionalServiceAccountAnnotationKeys":{"type":
"list<string>"}}}}}}},"kubelet.config.k8s.io/v1alpha1 CredentialProviderConfig":{"fields":"CredentialProviderConfig"},
"kubelet.config.k8s.io/v1beta1 CredentialProviderConfig":{"fields":"CredentialProviderConfig"},
"kubelet.config.k8s.io/v1alpha1 ImagePullIntent":{"fields":{"image":{}}},
"kubelet.config.k8s.io/v1beta1 ImagePullIntent":{"fields":{"image":{}}},
"kubelet.config.k8s.io/v1alpha1 ImagePulledRecord":{"fields":{"lastUpdatedTime":{"type":"time"},"imageRef":{},
"credentialMapping":{"type":"map<object>","fields":{"kubernetesSecrets":"kubernetesSecrets",
"kubernetesServiceAccounts":{"type":"list<object>","since":34,"fields":{"uid":{},"namespace":{},"name":{}}},
"nodePodsAccessible":{"type":"bool"}}}}},"kubelet.config.k8s.io/v1beta1 ImagePulledRecord":{"fields":
{"lastUpdatedTime":{"type":"time"},"imageRef":{},"credentialMapping":{"type":"map<object>","fields":
{"kubernetesSecrets":"kubernetesSecrets","kubernetesServiceAccounts":{"type":"list<object>","fields":{"uid":{},
"namespace":{},"name":{}}},"nodePodsAccessible":{"type":"bool"}}}}},
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration":{"fields":{"enableServer":{"type":"bool","nullable":1,"default":
true},"staticPodPath":{},"podLogsDir":{"since":30,"default":"/var/log/pods"},"syncFrequency":{"type":"duration",
"default":"1m0s"},"fileCheckFrequency":{"type":"duration","default":"20s"},"httpCheckFrequency":{"type":"duration",
"default":"20s"},"staticPodURL":{},"staticPodURLHeader":{"type":"map<list<string>>"},"address":{"default":"0.0.0.0"},
"port":{"type":"int32","default":10250},"readOnlyPort":{"type":"int32"},"tlsCertFile":{},"tlsPrivateKeyFile":{},
"tlsCipherSuites":{"type":"list<string>"},"tlsCurvePreferences":{"type":"list<int32>","since":36},"tlsMinVersion":{},
"rotateCertificates":{"type":"bool"},"serverTLSBootstrap":{"type":"bool","gates":["RotateKubeletServerCertificate"]},
"authentication":{"fields":{"x509":{"fields":{"clientCAFile":{}}},"webhook":{"fields":{"enabled":{"type":"bool",
"nullable":1,"default":true},"cacheTTL":{"type":"duration","default":"2m0s"}}},"anonymous":{"fields":{"enabled":
{"type":"bool","nullable":1,"default":false}}}}},"authorization":{"fields":{"mode":{"type":"enum","enum":
["AlwaysAllow","Webhook"],"default":"Webhook"},"webhook":{"fields":{"cacheAuthorizedTTL":{"type":"duration","default":
"5m0s"},"cacheUnauthorizedTTL":{"type":"duration","default":"30s"}}}}},"registryPullQPS":{"type":"int32","nullable":1,
"default":5},"registryBurst":{"type":"int32","default":10},"imagePullCredentialsVerificationPolicy":{"type":"enum",
"since":33,"enum":["NeverVerify","NeverVerifyPreloadedImages","NeverVerifyAllowlistedImages","AlwaysVerify"],
"default":{"whenGate":"KubeletEnsureSecretPulledImages","value":"NeverVerifyPreloadedImages"}},
"preloadedImagesVerificationAllowlist":{"type":"list<string>","since":33},"eventRecordQPS":{"type":"int32","nullable":
1,"default":50,"defaults":[[20,5],[27,50]]},"eventBurst":{"type":"int32","default":100,"defaults":[[20,10],[27,100]]},
"enableDebuggingHandlers":{"type":"bool","nullable":1,"default":true},"enableContentionProfiling":{"type":"bool"},
"healthzPort":{"type":"int32","nullable":1,"default":10248},"healthzBindAddress":{"default":"127.0.0.1"},
"oomScoreAdj":{"type":"int32","nullable":1,"default":-999,"os":"linux"},"clusterDomain":{},"clusterDNS":{"type":
"list<string>"},"streamingConnectionIdleTimeout":{"type":"duration","default":"4h0m0s"},"nodeStatusUpdateFrequency":
{"type":"duration","default":"10s"},"nodeStatusReportFrequency":{"type":"duration","default":"5m0s","defaultFrom":
"nodeStatusUpdateFrequency"},"nodeLeaseDurationSeconds":{"type":"int32","default":40,"gates":["NodeLease"]},
"imageMinimumGCAge":{"type":"duration","default":"2m0s"},"imageMaximumGCAge":{"type":"duration","since":29},
"imageGCHighThresholdPercent":{"type":"int32","nullable":1,"default":85},"imageGCLowThresholdPercent":{"type":"int32",
"nullable":1,"default":80},"volumeStatsAggPeriod":{"type":"duration","default":"1m0s"},"kubeletCgroups":{"os":
"linux"},"systemCgroups":{"os":"linux"},"cgroupRoot":{"os":"linux"},"cgroupsPerQOS":{"type":"bool","nullable":1,
"default":true,"os":"linux"},"cgroupDriver":{"enum":["cgroupfs","systemd"],"default":"cgroupfs","os":"linux"},
"cpuManagerPolicy":{"enum":["none","static"],"default":"none","gates":["CPUManager"]},"singleProcessOOMKill":{"type":
"bool","nullable":1,"since":32,"os":"linux"},"cpuManagerPolicyOptions":{"type":"map<string>","since":22,"gates":
["CPUManager","CPUManagerPolicyOptions"]},"cpuManagerReconcilePeriod":{"type":"duration","default":"10s","gates":
["CPUManager"]},"memoryManagerPolicy":{"since":21,"enum":["None","Static"],"default":"None","gates":
["MemoryManager"]},"topologyManagerPolicy":{"enum":["none","best-effort","restricted","single-numa-node"],"default":
"none","gates":["TopologyManager"]},"topologyManagerScope":{"enum":["container","pod"],"default":"container","gates":
["TopologyManager"]},"topologyManagerPolicyOptions":{"type":"map<string>","since":26,"gates":["TopologyManager",
"TopologyManagerPolicyOptions"]},"qosReserved":{"type":"map<string>","os":"linux","gates":["QOSReserved"]},
"runtimeRequestTimeout":{"type":"duration","default":"2m0s"},"hairpinMode":{"enum":["hairpin-veth",
"promiscuous-bridge","none"],"default":"promiscuous-bridge"},"maxPods":{"type":"int32","default":110},"podCIDR":{},
"podPidsLimit":{"type":"int64","nullable":1,"default":-1,"os":"linux"},"resolvConf":{"nullable":1,"default":
"/etc/resolv.conf","nullables":[[20,false],[23,true]]},"runOnce":{"type":"bool"},"cpuCFSQuota":{"type":"bool",
"nullable":1,"default":true,"os":"linux"},"cpuCFSQuotaPeriod":{"type":"duration","nullable":1,"default":"100ms","os":
"linux","gates":["CustomCPUCFSQuotaPeriod"]},"nodeStatusMaxImages":{"type":"int32","nullable":1,"default":50},
"maxOpenFiles":{"type":"int64","default":1000000},"contentType":{"default":"application/vnd.kubernetes.protobuf"},
"kubeAPIQPS":{"type":"int32","nullable":1,"default":50,"defaults":[[20,5],[27,50]]},"kubeAPIBurst":{"type":"int32",
"default":100,"defaults":[[20,10],[27,100]]},"serializeImagePulls":{"type":"bool","nullable":1,"default":true},
"maxParallelImagePulls":{"type":"int32","nullable":1,"since":27},"evictionHard":{"type":"map<string>","default":
{"memory.available":"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%","imagefs.available":"15%",
"imagefs.inodesFree":"5%"},"defaultAddedBy":"mergeDefaultEvictionSettings","defaults":[[20,{"memory.available":
"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%","imagefs.available":"15%"}],[30,{"memory.available":"100Mi",
"nodefs.available":"10%","nodefs.inodesFree":"5%","imagefs.available":"15%","imagefs.inodesFree":"5%"}]]},
"evictionSoft":{"type":"map<string>"},"evictionSoftGracePeriod":{"type":"map<string>"},
"evictionPressureTransitionPeriod":{"type":"duration","default":"5m0s"},"evictionMaxPodGracePeriod":{"type":"int32"},
"evictionMinimumReclaim":{"type":"map<string>"},"mergeDefaultEvictionSettings":{"type":"bool","nullable":1,"since":33,
"default":false},"podsPerCore":{"type":"int32"},"enableControllerAttachDetach":{"type":"bool","nullable":1,"default":
true},"protectKernelDefaults":{"type":"bool","os":"linux"},"makeIPTablesUtilChains":{"type":"bool","nullable":1,
"default":true,"os":"linux"},"iptablesMasqueradeBit":{"type":"int32","nullable":1,"default":14,"os":"linux"},
"iptablesDropBit":{"type":"int32","nullable":1,"default":15,"os":"linux"},"featureGates":{"type":"map<bool>"},
"failSwapOn":{"type":"bool","nullable":1,"default":true,"os":"linux"},"memorySwap":{"since":22,"os":"linux","gates":
["NodeSwap"],"fields":{"swapBehavior":{"enum":["","NoSwap","LimitedSwap"],"enums":[[22,["","LimitedSwap",
"UnlimitedSwap"]],[30,["","NoSwap","LimitedSwap"]]]}}},"containerLogMaxSize":{"default":"10Mi"},
"containerLogMaxFiles":{"type":"int32","nullable":1,"default":5},"containerLogMaxWorkers":{"type":"int32","nullable":
1,"since":30,"default":1},"containerLogMonitorInterval":{"type":"duration","nullable":1,"since":30,"default":"10s"},
"configMapAndSecretChangeDetectionStrategy":{"type":"enum","enum":["Get","Cache","Watch"],"default":"Watch"},
"systemReserved":{"type":"map<string>"},"kubeReserved":{"type":"map<string>"},"reservedSystemCPUs":{},
"showHiddenMetricsForVersion":{},"systemReservedCgroup":{"os":"linux"},"kubeReservedCgroup":{"os":"linux"},
"enforceNodeAllocatable":{"type":"list<string>","enum":["pods","system-reserved","kube-reserved",
"system-reserved-compressible","kube-reserved-compressible","none"],"default":["pods"],"os":"linux","enums":[[20,
["pods","system-reserved","kube-reserved","none"]],[32,["pods","system-reserved","kube-reserved",
"system-reserved-compressible","kube-reserved-compressible","none"]]]},"allowedUnsafeSysctls":{"type":"list<string>",
"os":"linux"},"defaultPodSysctls":{"type":"map<string>","since":37,"os":"linux","gates":["DefaultPodSysctls"]},
"volumePluginDir":{"default":"/usr/libexec/kubernetes/kubelet-plugins/volume/exec/"},"providerID":{},
"kernelMemcgNotification":{"type":"bool"},"logging":{"fields":{"format":{"enum":["text","json"],"default":"text"},
"flushFrequency":{"type":"durationOrNanoseconds","since":23,"default":"5s","types":[[23,"int64"],[28,
"durationOrNanoseconds"]],"defaults":[[23,5000000000],[28,"5s"]]},"verbosity":{"type":"int64","since":23,"default":0},
"vmodule":{"type":"list<object>","since":23,"fields":{"filePattern":{},"verbosity":{"type":"int64"}}},"options":
{"since":23,"gates":["LoggingAlphaOptions"],"fields":{"text":{"since":30,"fields":"text"},"json":{"fields":"text"}}},
"sanitization":{"type":"bool","last":23}}},"enableSystemLogHandler":{"type":"bool","nullable":1,"default":true},
"enableSystemLogQuery":{"type":"bool","nullable":1,"since":27,"default":false,"gates":["NodeLogQuery"]},
"shutdownGracePeriod":{"type":"duration","gates":["GracefulNodeShutdown"]},"shutdownGracePeriodCriticalPods":{"type":
"duration","gates":["GracefulNodeShutdown"]},"shutdownGracePeriodByPodPriority":{"type":"list<object>","since":23,
"gates":["GracefulNodeShutdown","GracefulNodeShutdownBasedOnPodPriority"],"fields":{"priority":{"type":"int32",
"gates":[]},"shutdownGracePeriodSeconds":{"type":"int64","gates":[]}}},"crashLoopBackOff":{"since":32,"gates":
["KubeletCrashLoopBackOffMax"],"fields":{"maxContainerRestartPeriod":{"type":"duration","nullable":1,"default":
{"whenGate":"KubeletCrashLoopBackOffMax","value":"5m0s"}}}},"reservedMemory":{"type":"list<object>","since":21,
"fields":{"numaNode":{"type":"int32"},"limits":{"type":"map<quantity>"}}},"enableProfilingHandler":{"type":"bool",
"nullable":1,"since":21,"default":true},"enableDebugFlagsHandler":{"type":"bool","nullable":1,"since":21,"default":
true},"seccompDefault":{"type":"bool","nullable":1,"since":22,"default":false,"os":"linux","gates":
["SeccompDefault"]},"memoryThrottlingFactor":{"type":"float","nullable":1,"since":22,"default":null,"os":"linux",
"defaults":[[22,0.8],[27,0.9],[37,null]],"gates":["MemoryQoS"]},"memoryReservationPolicy":{"type":"enum","since":36,
"enum":["None","TieredReservation"],"default":"None","os":"linux","gates":["MemoryQoS"]},"registerWithTaints":{"type":
"list<object>","since":23,"fields":{"key":{},"value":{},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","nullable":1}}},"registerNode":{"type":"bool","nullable":
1,"since":23,"default":true},"tracing":{"nullable":1,"since":25,"gates":["KubeletTracing"],"fields":{"endpoint":
{"nullable":1,"gates":[]},"samplingRatePerMillion":{"type":"int32","nullable":1,"gates":[]}}},
"localStorageCapacityIsolation":{"type":"bool","nullable":1,"since":25,"default":true,"gates":
["LocalStorageCapacityIsolation"]},"containerRuntimeEndpoint":{"since":27,"default":
"unix:///run/containerd/containerd.sock"},"imageServiceEndpoint":{"since":27},"failCgroupV1":{"type":"bool",
"nullable":1,"since":31,"default":true,"os":"linux","defaults":[[31,false],[35,true]]},"userNamespaces":{"nullable":1,
"since":33,"os":"linux","gates":["UserNamespaceSupport","UserNamespacesSupport"],"fields":{"idsPerPod":{"type":
"int64","nullable":1}}}}},"kubelet.config.k8s.io/v1beta1 SerializedNodeConfigSource":{"fields":{"source":{"fields":
{"configMap":{"nullable":1,"fields":{"namespace":{},"name":{},"uid":{},"resourceVersion":{},"kubeletConfigKey":
{}}}}}}}}}
"""

DROP_INS = r"""
{"environment":{"name":"KUBELET_CONFIG_DROPIN_DIR_ALPHA","last":29},"rules":[[28,"objects",
["defaults are filled into each drop-in and override what was there, and a zero, false or empty value",
"in a drop-in does not"]],[29,"internal",
["null in a drop-in does not take back what the main file says, and a zero in one is not the default"]],[32,
"versioned",["drop-ins are merged into the main file once its defaults are filled in"]]],"fields":{"evictionHard":
"its defaults are filled in before the drop-ins, whose keys add to them: name all its signals in a layer"}}
"""
