# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kubelet as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"env":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},"CredentialProviderConfig":
{"providers":{"type":"list<object>","fields":{"name":{},"matchImages":{"type":"list<string>"},"defaultCacheDuration":
{"type":"duration","nullable":1},"apiVersion":{},"args":{"type":"list<string>","optional":1},"env":"env"}}},
"kubernetesSecrets":{"type":"list<object>","optional":1,"fields":{"uid":{},"namespace":{},"name":{},"credentialHash":
{}}}},"kinds":{"kubelet.config.k8s.io/v1 CredentialProviderConfig":{"component":"kubelet","fields":{"providers":
{"type":"list<object>","fields":{"name":{},"matchImages":{"type":"list<string>"},"defaultCacheDuration":{"type":
"duration","nullable":1},"apiVersion":{},"args":{"type":"list<string>","optional":1},"env":"env","tokenAttributes":
{"type":"object","optional":1,"nullable":1,"since":33,"fields":{"serviceAccountTokenAudience":{"since":33},
"cacheType":{"type":"enum","since":34,"enum":["Token","ServiceAccount"]},"requireServiceAccount":{"type":"bool",
"nullable":1,"since":33},"requiredServiceAccountAnnotationKeys":{"type":"list<string>","optional":1,"since":33},
"optionalServiceAccountAnnotationKeys":{"type":"list<string>","optional":1,"since":33}}}}}}},
"kubelet.config.k8s.io/v1alpha1 CredentialProviderConfig":{"component":"kubelet","fields":"CredentialProviderConfig"},
"kubelet.config.k8s.io/v1beta1 CredentialProviderConfig":{"component":"kubelet","fields":"CredentialProviderConfig"},
"kubelet.config.k8s.io/v1alpha1 ImagePullIntent":{"component":"kubelet","fields":{"image":{}}},
"kubelet.config.k8s.io/v1beta1 ImagePullIntent":{"component":"kubelet","fields":{"image":{}}},
"kubelet.config.k8s.io/v1alpha1 ImagePulledRecord":{"component":"kubelet","fields":{"lastUpdatedTime":{"type":"time"},
"imageRef":{},"credentialMapping":{"type":"map<object>","optional":1,"fields":{"kubernetesSecrets":
"kubernetesSecrets","kubernetesServiceAccounts":{"type":"list<object>","optional":1,"since":34,"fields":{"uid":
{"since":34},"namespace":{"since":34},"name":{"since":34}}},"nodePodsAccessible":{"type":"bool","optional":1}}}}},
"kubelet.config.k8s.io/v1beta1 ImagePulledRecord":{"component":"kubelet","fields":{"lastUpdatedTime":{"type":"time"},
"imageRef":{},"credentialMapping":{"type":"map<object>","optional":1,"fields":{"kubernetesSecrets":
"kubernetesSecrets","kubernetesServiceAccounts":{"type":"list<object>","optional":1,"fields":{"uid":{},"namespace":{},
"name":{}}},"nodePodsAccessible":{"type":"bool","optional":1}}}}},
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration":{"component":"kubelet","fields":{"enableServer":{"type":"bool",
"optional":1,"nullable":1,"default":true},"staticPodPath":{"optional":1},"podLogsDir":{"optional":1,"since":30,
"default":"/var/log/pods"},"syncFrequency":{"type":"duration","optional":1,"default":"1m0s"},"fileCheckFrequency":
{"type":"duration","optional":1,"default":"20s"},"httpCheckFrequency":{"type":"duration","optional":1,"default":
"20s"},"staticPodURL":{"optional":1},"staticPodURLHeader":{"type":"map<list<string>>","optional":1},"address":
{"optional":1,"default":"0.0.0.0"},"port":{"type":"int32","optional":1,"default":10250},"readOnlyPort":{"type":
"int32","optional":1},"tlsCertFile":{"optional":1},"tlsPrivateKeyFile":{"optional":1},"tlsCipherSuites":{"type":
"list<string>","optional":1},"tlsCurvePreferences":{"type":"list<int32>","optional":1,"since":36},"tlsMinVersion":
{"optional":1},"rotateCertificates":{"type":"bool","optional":1},"serverTLSBootstrap":{"type":"bool","optional":1,
"gates":["RotateKubeletServerCertificate"]},"authentication":{"type":"object","optional":1,"fields":{"x509":{"type":
"object","optional":1,"fields":{"clientCAFile":{"optional":1}}},"webhook":{"type":"object","optional":1,"fields":
{"enabled":{"type":"bool","optional":1,"nullable":1,"default":true},"cacheTTL":{"type":"duration","optional":1,
"default":"2m0s"}}},"anonymous":{"type":"object","optional":1,"fields":{"enabled":{"type":"bool","optional":1,
"nullable":1,"default":false}}}}},"authorization":{"type":"object","optional":1,"fields":{"mode":{"type":"enum",
"optional":1,"enum":["AlwaysAllow","Webhook"],"default":"Webhook"},"webhook":{"type":"object","optional":1,"fields":
{"cacheAuthorizedTTL":{"type":"duration","optional":1,"default":"5m0s"},"cacheUnauthorizedTTL":{"type":"duration",
"optional":1,"default":"30s"}}}}},"registryPullQPS":{"type":"int32","optional":1,"nullable":1,"default":5},
"registryBurst":{"type":"int32","optional":1,"default":10},"imagePullCredentialsVerificationPolicy":{"type":"enum",
"optional":1,"since":33,"enum":["NeverVerify","NeverVerifyPreloadedImages","NeverVerifyAllowlistedImages",
"AlwaysVerify"],"default":{"whenGate":"KubeletEnsureSecretPulledImages","value":"NeverVerifyPreloadedImages"}},
"preloadedImagesVerificationAllowlist":{"type":"list<string>","optional":1,"since":33},"eventRecordQPS":{"type":
"int32","optional":1,"nullable":1,"default":50,"defaults":[[20,5],[27,50]]},"eventBurst":{"type":"int32","optional":1,
"default":100,"defaults":[[20,10],[27,100]]},"enableDebuggingHandlers":{"type":"bool","optional":1,"nullable":1,
"default":true},"enableContentionProfiling":{"type":"bool","optional":1},"healthzPort":{"type":"int32","optional":1,
"nullable":1,"default":10248},"healthzBindAddress":{"optional":1,"default":"127.0.0.1"},"oomScoreAdj":{"type":"int32",
"optional":1,"nullable":1,"default":-999,"os":"linux"},"clusterDomain":{"optional":1},"clusterDNS":{"type":
"list<string>","optional":1},"streamingConnectionIdleTimeout":{"type":"duration","optional":1,"default":"4h0m0s"},
"nodeStatusUpdateFrequency":{"type":"duration","optional":1,"default":"10s"},"nodeStatusReportFrequency":{"type":
"duration","optional":1,"default":"5m0s","defaultFrom":"nodeStatusUpdateFrequency"},"nodeLeaseDurationSeconds":
{"type":"int32","optional":1,"default":40,"gates":["NodeLease"]},"imageMinimumGCAge":{"type":"duration","optional":1,
"default":"2m0s"},"imageMaximumGCAge":{"type":"duration","optional":1,"since":29},"imageGCHighThresholdPercent":
{"type":"int32","optional":1,"nullable":1,"default":85},"imageGCLowThresholdPercent":{"type":"int32","optional":1,
"nullable":1,"default":80},"volumeStatsAggPeriod":{"type":"duration","optional":1,"default":"1m0s"},"kubeletCgroups":
{"optional":1,"os":"linux"},"systemCgroups":{"optional":1,"os":"linux"},"cgroupRoot":{"optional":1,"os":"linux"},
"cgroupsPerQOS":{"type":"bool","optional":1,"nullable":1,"default":true,"os":"linux"},"cgroupDriver":{"optional":1,
"enum":["cgroupfs","systemd"],"default":"cgroupfs","os":"linux"},"cpuManagerPolicy":{"optional":1,"enum":["none",
"static"],"default":"none","gates":["CPUManager"]},"singleProcessOOMKill":{"type":"bool","optional":1,"nullable":1,
"since":32,"os":"linux"},"cpuManagerPolicyOptions":{"type":"map<string>","optional":1,"since":22,"gates":
["CPUManager","CPUManagerPolicyOptions"]},"cpuManagerReconcilePeriod":{"type":"duration","optional":1,"default":"10s",
"gates":["CPUManager"]},"memoryManagerPolicy":{"optional":1,"since":21,"enum":["None","Static"],"default":"None",
"gates":["MemoryManager"]},"topologyManagerPolicy":{"optional":1,"enum":["none","best-effort","restricted",
"single-numa-node"],"default":"none","gates":["TopologyManager"]},"topologyManagerScope":{"optional":1,"enum":
["container","pod"],"default":"container","gates":["TopologyManager"]},"topologyManagerPolicyOptions":{"type":
"map<string>","optional":1,"since":26,"gates":["TopologyManager","TopologyManagerPolicyOptions"]},"qosReserved":
{"type":"map<string>","optional":1,"os":"linux","gates":["QOSReserved"]},"runtimeRequestTimeout":{"type":"duration",
"optional":1,"default":"2m0s"},"hairpinMode":{"optional":1,"enum":["hairpin-veth","promiscuous-bridge","none"],
"default":"promiscuous-bridge"},"maxPods":{"type":"int32","optional":1,"default":110},"podCIDR":{"optional":1},
"podPidsLimit":{"type":"int64","optional":1,"nullable":1,"default":-1,"os":"linux"},"resolvConf":{"optional":1,
"nullable":1,"default":"/etc/resolv.conf","nullables":[[20,false],[23,true]]},"runOnce":{"type":"bool","optional":1},
"cpuCFSQuota":{"type":"bool","optional":1,"nullable":1,"default":true,"os":"linux"},"cpuCFSQuotaPeriod":{"type":
"duration","optional":1,"nullable":1,"default":"100ms","os":"linux","gates":["CustomCPUCFSQuotaPeriod"]},
"nodeStatusMaxImages":{"type":"int32","optional":1,"nullable":1,"default":50},"maxOpenFiles":{"type":"int64",
"optional":1,"default":1000000},"contentType":{"optional":1,"default":"application/vnd.kubernetes.protobuf"},
"kubeAPIQPS":{"type":"int32","optional":1,"nullable":1,"default":50,"defaults":[[20,5],[27,50]]},"kubeAPIBurst":
{"type":"int32","optional":1,"default":100,"defaults":[[20,10],[27,100]]},"serializeImagePulls":{"type":"bool",
"optional":1,"nullable":1,"default":true},"maxParallelImagePulls":{"type":"int32","optional":1,"nullable":1,"since":
27},"evictionHard":{"type":"map<string>","optional":1,"default":{"memory.available":"100Mi","nodefs.available":"10%",
"nodefs.inodesFree":"5%","imagefs.available":"15%","imagefs.inodesFree":"5%"},"defaultAddedBy":
"mergeDefaultEvictionSettings","defaults":[[20,{"memory.available":"100Mi","nodefs.available":"10%",
"nodefs.inodesFree":"5%","imagefs.available":"15%"}],[30,{"memory.available":"100Mi","nodefs.available":"10%",
"nodefs.inodesFree":"5%","imagefs.available":"15%","imagefs.inodesFree":"5%"}]]},"evictionSoft":{"type":"map<string>",
"optional":1},"evictionSoftGracePeriod":{"type":"map<string>","optional":1},"evictionPressureTransitionPeriod":
{"type":"duration","optional":1,"default":"5m0s"},"evictionMaxPodGracePeriod":{"type":"int32","optional":1},
"evictionMinimumReclaim":{"type":"map<string>","optional":1},"mergeDefaultEvictionSettings":{"type":"bool","optional":
1,"nullable":1,"since":33,"default":false},"podsPerCore":{"type":"int32","optional":1},"enableControllerAttachDetach":
{"type":"bool","optional":1,"nullable":1,"default":true},"protectKernelDefaults":{"type":"bool","optional":1,"os":
"linux"},"makeIPTablesUtilChains":{"type":"bool","optional":1,"nullable":1,"default":true,"os":"linux"},
"iptablesMasqueradeBit":{"type":"int32","optional":1,"nullable":1,"default":14,"os":"linux"},"iptablesDropBit":
{"type":"int32","optional":1,"nullable":1,"default":15,"os":"linux"},"featureGates":{"type":"map<bool>","optional":1},
"failSwapOn":{"type":"bool","optional":1,"nullable":1,"default":true,"os":"linux"},"memorySwap":{"type":"object",
"optional":1,"since":22,"os":"linux","gates":["NodeSwap"],"fields":{"swapBehavior":{"optional":1,"since":22,"enum":
["","NoSwap","LimitedSwap"],"enums":[[22,["","LimitedSwap","UnlimitedSwap"]],[30,["","NoSwap","LimitedSwap"]]],
"gates":["NodeSwap"]}}},"containerLogMaxSize":{"optional":1,"default":"10Mi"},"containerLogMaxFiles":{"type":"int32",
"optional":1,"nullable":1,"default":5},"containerLogMaxWorkers":{"type":"int32","optional":1,"nullable":1,"since":30,
"default":1},"containerLogMonitorInterval":{"type":"duration","optional":1,"nullable":1,"since":30,"default":"10s"},
"configMapAndSecretChangeDetectionStrategy":{"type":"enum","optional":1,"enum":["Get","Cache","Watch"],"default":
"Watch"},"systemReserved":{"type":"map<string>","optional":1},"kubeReserved":{"type":"map<string>","optional":1},
"reservedSystemCPUs":{"optional":1},"showHiddenMetricsForVersion":{"optional":1},"systemReservedCgroup":{"optional":1,
"os":"linux"},"kubeReservedCgroup":{"optional":1,"os":"linux"},"enforceNodeAllocatable":{"type":"list<string>",
"optional":1,"enum":["pods","system-reserved","kube-reserved","system-reserved-compressible",
"kube-reserved-compressible","none"],"default":["pods"],"os":"linux","enums":[[20,["pods","system-reserved",
"kube-reserved","none"]],[32,["pods","system-reserved","kube-reserved","system-reserved-compressible",
"kube-reserved-compressible","none"]]]},"allowedUnsafeSysctls":{"type":"list<string>","optional":1,"os":"linux"},
"defaultPodSysctls":{"type":"map<string>","optional":1,"since":37,"os":"linux","gates":["DefaultPodSysctls"]},
"volumePluginDir":{"optional":1,"default":"/usr/libexec/kubernetes/kubelet-plugins/volume/exec/"},"providerID":
{"optional":1},"kernelMemcgNotification":{"type":"bool","optional":1},"logging":{"type":"object","optional":1,
"fields":{"format":{"optional":1,"enum":["text","json"],"default":"text"},"flushFrequency":{"type":
"durationOrNanoseconds","since":23,"default":"5s","types":[[23,"int64"],[28,"durationOrNanoseconds"]],"defaults":[[23,
5000000000],[28,"5s"]]},"verbosity":{"type":"int64","since":23,"default":0},"vmodule":{"type":"list<object>",
"optional":1,"since":23,"fields":{"filePattern":{"since":23},"verbosity":{"type":"int64","since":23}}},"options":
{"type":"object","optional":1,"since":23,"gates":["LoggingAlphaOptions"],"fields":{"text":{"type":"object","optional":
1,"since":30,"gates":["LoggingAlphaOptions"],"fields":{"splitStream":{"type":"bool","optional":1,"since":30,"gates":
["LoggingAlphaOptions"]},"infoBufferSize":{"type":"quantity","optional":1,"since":30,"gates":
["LoggingAlphaOptions"]}}},"json":{"type":"object","optional":1,"since":23,"gates":["LoggingAlphaOptions"],"fields":
{"splitStream":{"type":"bool","optional":1,"since":23,"gates":["LoggingAlphaOptions"]},"infoBufferSize":{"type":
"quantity","optional":1,"since":23,"gates":["LoggingAlphaOptions"]}}}}},"sanitization":{"type":"bool","optional":1,
"last":23}}},"enableSystemLogHandler":{"type":"bool","optional":1,"nullable":1,"default":true},"enableSystemLogQuery":
{"type":"bool","optional":1,"nullable":1,"since":27,"default":false,"gates":["NodeLogQuery"]},"shutdownGracePeriod":
{"type":"duration","optional":1,"gates":["GracefulNodeShutdown"]},"shutdownGracePeriodCriticalPods":{"type":
"duration","optional":1,"gates":["GracefulNodeShutdown"]},"shutdownGracePeriodByPodPriority":{"type":"list<object>",
"optional":1,"since":23,"gates":["GracefulNodeShutdown","GracefulNodeShutdownBasedOnPodPriority"],"fields":
{"priority":{"type":"int32","since":23},"shutdownGracePeriodSeconds":{"type":"int64","since":23}}},"crashLoopBackOff":
{"type":"object","optional":1,"since":32,"gates":["KubeletCrashLoopBackOffMax"],"fields":{"maxContainerRestartPeriod":
{"type":"duration","optional":1,"nullable":1,"since":32,"default":{"whenGate":"KubeletCrashLoopBackOffMax","value":
"5m0s"},"gates":["KubeletCrashLoopBackOffMax"]}}},"reservedMemory":{"type":"list<object>","optional":1,"since":21,
"fields":{"numaNode":{"type":"int32","since":21},"limits":{"type":"map<quantity>","since":21}}},
"enableProfilingHandler":{"type":"bool","optional":1,"nullable":1,"since":21,"default":true},
"enableDebugFlagsHandler":{"type":"bool","optional":1,"nullable":1,"since":21,"default":true},"seccompDefault":
{"type":"bool","optional":1,"nullable":1,"since":22,"default":false,"os":"linux","gates":["SeccompDefault"]},
"memoryThrottlingFactor":{"type":"float","optional":1,"nullable":1,"since":22,"default":null,"os":"linux","defaults":
[[22,0.8],[27,0.9],[37,null]],"gates":["MemoryQoS"]},"memoryReservationPolicy":{"type":"enum","optional":1,"since":36,
"enum":["None","TieredReservation"],"default":"None","os":"linux","gates":["MemoryQoS"]},"registerWithTaints":{"type":
"list<object>","optional":1,"since":23,"fields":{"key":{"since":23},"value":{"optional":1,"since":23},"effect":
{"type":"enum","since":23,"enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"time","optional":
1,"nullable":1,"since":23}}},"registerNode":{"type":"bool","optional":1,"nullable":1,"since":23,"default":true},
"tracing":{"type":"object","optional":1,"nullable":1,"since":25,"gates":["KubeletTracing"],"fields":{"endpoint":
{"optional":1,"nullable":1,"since":25},"samplingRatePerMillion":{"type":"int32","optional":1,"nullable":1,"since":
25}}},"localStorageCapacityIsolation":{"type":"bool","optional":1,"nullable":1,"since":25,"default":true,"gates":
["LocalStorageCapacityIsolation"]},"containerRuntimeEndpoint":{"since":27,"default":
"unix:///run/containerd/containerd.sock"},"imageServiceEndpoint":{"optional":1,"since":27},"failCgroupV1":{"type":
"bool","optional":1,"nullable":1,"since":31,"default":true,"os":"linux","defaults":[[31,false],[35,true]]},
"userNamespaces":{"type":"object","optional":1,"nullable":1,"since":33,"os":"linux","gates":["UserNamespaceSupport",
"UserNamespacesSupport"],"fields":{"idsPerPod":{"type":"int64","optional":1,"nullable":1,"since":33,"gates":
["UserNamespaceSupport","UserNamespacesSupport"]}}}}},"kubelet.config.k8s.io/v1beta1 SerializedNodeConfigSource":
{"component":"kubelet","fields":{"source":{"type":"object","optional":1,"fields":{"configMap":{"type":"object",
"optional":1,"nullable":1,"fields":{"namespace":{},"name":{},"uid":{"optional":1},"resourceVersion":{"optional":1},
"kubeletConfigKey":{}}}}}}}}}
"""

DROP_INS = r"""
{"environment":{"name":"KUBELET_CONFIG_DROPIN_DIR_ALPHA","last":29},"rules":[[28,"objects",
["defaults are filled into each drop-in and override what was there, and a zero, false or empty value",
"in a drop-in does not"]],[29,"internal",
["null in a drop-in does not take back what the main file says, and a zero in one is not the default"]],[32,
"versioned",["drop-ins are merged into the main file once its defaults are filled in"]]],"fields":{"evictionHard":
"its defaults are filled in before the drop-ins, whose keys add to them: name all its signals in a layer"}}
"""
