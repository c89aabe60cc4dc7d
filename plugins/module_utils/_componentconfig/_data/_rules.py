# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of kubelet and kube-proxy as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"kubelet":{"gates-known":{"fields":["featureGates"],"since":20},"gates-deps":{"fields":["featureGates"],"since":35},
"lease-duration":{"fields":["nodeLeaseDurationSeconds"],"since":20},"alloc-needs-qos-cgroups":{"fields":
["cgroupsPerQOS","enforceNodeAllocatable"],"since":20},"systemcgroups-root":{"fields":["systemCgroups","cgroupRoot"],
"since":20},"event-burst":{"fields":["eventBurst"],"since":20},"event-qps":{"fields":["eventRecordQPS"],"since":20},
"healthz-port":{"fields":["healthzPort"],"since":20},"cfs-period-gate":{"fields":["cpuCFSQuotaPeriod"],"since":20,
"gate":"CustomCPUCFSQuotaPeriod"},"cfs-period-range-us":{"fields":["cpuCFSQuotaPeriod"],"since":20,"last":25},
"cfs-period-range-ms":{"fields":["cpuCFSQuotaPeriod"],"since":26,"gate":"CustomCPUCFSQuotaPeriod"},"imagegc-high":
{"fields":["imageGCHighThresholdPercent"],"since":20},"imagegc-low":{"fields":["imageGCLowThresholdPercent"],"since":
20},"imagegc-order":{"fields":["imageGCLowThresholdPercent","imageGCHighThresholdPercent"],"since":20},
"image-maxage-gate":{"fields":["imageMaximumGCAge"],"since":29,"gate":"ImageMaximumGCAge"},"image-maxage-neg":
{"fields":["imageMaximumGCAge"],"since":29},"image-minage-neg":{"fields":["imageMinimumGCAge"],"since":36},
"image-age-order":{"fields":["imageMaximumGCAge","imageMinimumGCAge"],"since":29},"iptables-drop-bit":{"fields":
["iptablesDropBit"],"since":20},"iptables-masq-bit":{"fields":["iptablesMasqueradeBit"],"since":20},"api-burst":
{"fields":["kubeAPIBurst"],"since":20},"api-qps":{"fields":["kubeAPIQPS"],"since":20},"status-max-images":{"fields":
["nodeStatusMaxImages"],"since":20},"max-open-files":{"fields":["maxOpenFiles"],"since":20},"max-pods":{"fields":
["maxPods"],"since":20},"oom-score":{"fields":["oomScoreAdj"],"since":20},"pods-per-core":{"fields":["podsPerCore"],
"since":20},"port":{"fields":["port"],"since":20},"readonly-port":{"fields":["readOnlyPort"],"since":20},
"registry-burst":{"fields":["registryBurst"],"since":20},"registry-qps":{"fields":["registryPullQPS"],"since":20},
"parallel-pulls-min":{"fields":["maxParallelImagePulls"],"since":27},"parallel-pulls-serial":{"fields":
["maxParallelImagePulls","serializeImagePulls"],"since":27},"server-tls-bootstrap":{"fields":["serverTLSBootstrap"],
"since":20,"gate":"RotateKubeletServerCertificate"},"run-once":{"fields":["runOnce"],"since":32},"taints":{"fields":
["registerWithTaints"],"since":23},"topology-policy":{"fields":["topologyManagerPolicy"],"since":20},
"topology-policy-gate":{"fields":["topologyManagerPolicy"],"since":20,"last":26,"gate":"TopologyManager"},
"topology-scope":{"fields":["topologyManagerScope"],"since":20},"topology-scope-gate":{"fields":
["topologyManagerScope"],"since":20,"last":26,"gate":"TopologyManager"},"shutdown-order":{"fields":
["shutdownGracePeriod","shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-min":
{"fields":["shutdownGracePeriod"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-critical-min":{"fields":
["shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-gate":{"fields":
["shutdownGracePeriod","shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},
"shutdown-priority-excl":{"fields":["shutdownGracePeriodByPodPriority","shutdownGracePeriod",
"shutdownGracePeriodCriticalPods"],"since":23,"gate":"GracefulNodeShutdownBasedOnPodPriority"},
"shutdown-priority-gate":{"fields":["shutdownGracePeriodByPodPriority"],"since":23,"gate":
"GracefulNodeShutdownBasedOnPodPriority"},"swap-values":{"fields":["memorySwap.swapBehavior"],"since":22,"gate":
"NodeSwap"},"swap-gate":{"fields":["memorySwap"],"since":22,"gate":"NodeSwap"},"crashloop-range":{"fields":
["crashLoopBackOff.maxContainerRestartPeriod"],"since":32,"gate":"KubeletCrashLoopBackOffMax"},"alloc-duplicate":
{"fields":["enforceNodeAllocatable"],"since":31},"alloc-compressible-excl":{"fields":["enforceNodeAllocatable"],
"since":32},"alloc-system-cgroup":{"fields":["enforceNodeAllocatable","systemReservedCgroup"],"since":20},
"alloc-kube-cgroup":{"fields":["enforceNodeAllocatable","kubeReservedCgroup"],"since":20},"alloc-none-alone":
{"fields":["enforceNodeAllocatable"],"since":20},"alloc-values":{"fields":["enforceNodeAllocatable"],"since":20},
"hairpin":{"fields":["hairpinMode"],"since":20},"pull-creds-values":{"fields":
["imagePullCredentialsVerificationPolicy"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},"pull-creds-gate":
{"fields":["imagePullCredentialsVerificationPolicy"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},
"pull-allowlist":{"fields":["preloadedImagesVerificationAllowlist","imagePullCredentialsVerificationPolicy"],"since":
33,"gate":"KubeletEnsureSecretPulledImages"},"pull-allowlist-pattern":{"fields":
["preloadedImagesVerificationAllowlist"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},"reserved-cpus-excl":
{"fields":["reservedSystemCPUs","systemReservedCgroup","kubeReservedCgroup"],"since":20},"reserved-cpus-parse":
{"fields":["reservedSystemCPUs"],"since":20},"reserved-memory-type":{"fields":["reservedMemory[].limits"],"since":21},
"reserved-memory-zero":{"fields":["reservedMemory[].limits"],"since":21},"reserved-memory-dup":{"fields":
["reservedMemory"],"since":21},"hidden-metrics":{"fields":["showHiddenMetricsForVersion"],"since":20},"logging":
{"fields":["logging"],"since":20},"tracing":{"fields":["tracing"],"since":25},"tracing-gate":{"fields":["tracing"],
"since":25,"last":33,"gate":"KubeletTracing"},"memqos-required":{"fields":["memoryThrottlingFactor"],"since":22,
"gate":"MemoryQoS"},"memqos-range":{"fields":["memoryThrottlingFactor"],"since":22},"mem-reservation-gate":{"fields":
["memoryReservationPolicy"],"since":36,"gate":"MemoryQoS"},"mem-reservation-values":{"fields":
["memoryReservationPolicy"],"since":36},"runtime-endpoint":{"fields":["containerRuntimeEndpoint"],"since":27},
"log-query-gate":{"fields":["enableSystemLogQuery"],"since":27,"gate":"NodeLogQuery"},"log-query-handler":{"fields":
["enableSystemLogQuery","enableSystemLogHandler"],"since":27},"log-workers":{"fields":["containerLogMaxWorkers"],
"since":30},"log-monitor":{"fields":["containerLogMonitorInterval"],"since":30},"log-files":{"fields":
["containerLogMaxFiles"],"since":33},"pod-logs-dir":{"fields":["podLogsDir"],"since":30},"cgroup-v1":{"fields":
["failCgroupV1"],"since":31,"os":"linux"},"oomkill-v1":{"fields":["singleProcessOOMKill"],"since":32,"os":"linux"},
"oomkill-os":{"fields":["singleProcessOOMKill"],"since":32,"os":"windows, other"},"userns-ids":{"fields":
["userNamespaces.idsPerPod"],"since":33,"os":"linux"},"userns-os":{"fields":["userNamespaces"],"since":33,"os":
"windows, other"}},"kubeletStart":{"swap-on":{"fields":["failSwapOn"],"os":"linux"},"qos-root":{"fields":
["cgroupsPerQOS","cgroupRoot"],"os":"linux"},"kernel-defaults":{"fields":["protectKernelDefaults"],"os":"linux"},
"alloc-negative":{"fields":["kubeReserved","systemReserved","evictionHard"]},"reserved-keys":{"fields":
["kubeReserved","systemReserved"]},"cpu-static-reserved":{"fields":["cpuManagerPolicy","kubeReserved",
"systemReserved","reservedSystemCPUs"]},"cpu-policy":{"fields":["cpuManagerPolicy"]},"cpu-options":{"fields":
["cpuManagerPolicyOptions"]},"cpu-align-socket":{"fields":["cpuManagerPolicyOptions","topologyManagerPolicy"]},
"cpu-state":{"fields":["cpuManagerPolicy","cpuManagerPolicyOptions","reservedSystemCPUs","kubeReserved",
"systemReserved"]},"mem-policy":{"fields":["memoryManagerPolicy"]},"mem-static-sum":{"fields":["memoryManagerPolicy",
"reservedMemory","kubeReserved","systemReserved","evictionHard"]},"mem-numa":{"fields":["reservedMemory[].numaNode"]},
"mem-state":{"fields":["memoryManagerPolicy","reservedMemory","kubeReserved","systemReserved","evictionHard"]},
"topology-options":{"fields":["topologyManagerPolicyOptions"]},"evict-signals":{"fields":["evictionHard",
"evictionSoft","evictionSoftGracePeriod","evictionMinimumReclaim"]},"evict-values":{"fields":["evictionHard",
"evictionSoft"]},"evict-soft-grace":{"fields":["evictionSoft","evictionSoftGracePeriod"]},"evict-reclaim":{"fields":
["evictionMinimumReclaim"]},"evict-partial":{"fields":["evictionHard","mergeDefaultEvictionSettings"]},"tls-min":
{"fields":["tlsMinVersion"]},"tls-suites":{"fields":["tlsCipherSuites"]},"tls-suites-http2":{"fields":
["tlsCipherSuites","tlsMinVersion","enableServer"]},"tls-pair":{"fields":["tlsCertFile","tlsPrivateKeyFile",
"enableServer"]},"address-ip":{"fields":["address","enableServer","readOnlyPort"]},"ports-differ":{"fields":["port",
"readOnlyPort","healthzPort","address","healthzBindAddress","enableServer"]},"system-cgroups":{"fields":
["systemCgroups"]},"sync-frequency":{"fields":["syncFrequency"]},"runtime-timeout":{"fields":
["runtimeRequestTimeout"]},"iptables-bits":{"fields":["iptablesDropBit","iptablesMasqueradeBit",
"makeIPTablesUtilChains"],"last":27},"cgroup-driver-values":{"fields":["cgroupDriver"],"level":"policy"},
"qos-reserved":{"fields":["qosReserved"],"gate":"QOSReserved"},"unsafe-sysctls":{"fields":["allowedUnsafeSysctls"]},
"log-size":{"fields":["containerLogMaxSize"]},"seccomp-gate":{"fields":["seccompDefault"],"since":22,"last":28,"gate":
"SeccompDefault"},"cgroup-driver-cri":{"fields":["cgroupDriver"],"gate":"KubeletCgroupDriverFromCRI"}},"kubeProxy":
{"gates-known":{"fields":["featureGates"],"since":20},"mode-linux":{"fields":["mode"],"since":20,"os":"linux"},
"mode-windows":{"fields":["mode"],"since":20,"os":"windows"},"masq-bit":{"fields":["iptables.masqueradeBit",
"nftables.masqueradeBit"],"since":20},"sync-period":{"fields":["iptables.syncPeriod","ipvs.syncPeriod",
"nftables.syncPeriod"],"since":20},"min-sync-period":{"fields":["iptables.minSyncPeriod","ipvs.minSyncPeriod",
"nftables.minSyncPeriod"],"since":20},"config-sync":{"fields":["configSyncPeriod"],"since":20},"bind":{"fields":
["bindAddress"],"since":20},"healthz":{"fields":["healthzBindAddress"],"since":20},"metrics":{"fields":
["metricsBindAddress"],"since":20},"nodeport-addresses":{"fields":["nodePortAddresses"],"since":20},"detect-mode":
{"fields":["detectLocalMode"],"since":31},"detect-bridge":{"fields":["detectLocal.bridgeInterface"],"since":31},
"detect-prefix":{"fields":["detectLocal.interfaceNamePrefix"],"since":31},"cluster-cidr":{"fields":["clusterCIDR"],
"since":20},"port-range":{"fields":["portRange"],"since":20},"udp-idle":{"fields":["udpIdleTimeout"],"since":20,
"last":25},"logging":{"fields":["logging"],"since":28},"conntrack":{"fields":["conntrack"],"since":20},"oom":
{"fields":["oomScoreAdj"],"since":20},"ipvs-timeouts":{"fields":["ipvs.tcpTimeout","ipvs.tcpFinTimeout",
"ipvs.udpTimeout"],"since":20},"ipvs-excludes":{"fields":["ipvs.excludeCIDRs"],"since":20},"ipvs-scheduler":{"fields":
["ipvs.scheduler"],"since":20,"last":20},"client-burst":{"fields":["clientConnection.burst"],"since":20},
"hidden-metrics":{"fields":["showHiddenMetricsForVersion"],"since":20}},"values":{"cpuManagerPolicyOptions":{"22":
{"full-pcpus-only":"beta"},"23":{"distribute-cpus-across-numa":"alpha","full-pcpus-only":"beta"},"24":
{"distribute-cpus-across-numa":"alpha","full-pcpus-only":"beta"},"25":{"distribute-cpus-across-numa":"alpha",
"align-by-socket":"alpha","full-pcpus-only":"beta"},"26":{"distribute-cpus-across-numa":"alpha","align-by-socket":
"alpha","full-pcpus-only":"beta"},"27":{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha",
"full-pcpus-only":"beta"},"28":{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha","full-pcpus-only":
"beta"},"29":{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha","full-pcpus-only":"beta"},"30":
{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha","full-pcpus-only":"beta"},"31":
{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha","distribute-cpus-across-cores":"alpha",
"prefer-align-cpus-by-uncorecache":"alpha","full-pcpus-only":"beta"},"32":{"distribute-cpus-across-numa":"alpha",
"align-by-socket":"alpha","distribute-cpus-across-cores":"alpha","strict-cpu-reservation":"alpha",
"prefer-align-cpus-by-uncorecache":"alpha","full-pcpus-only":"beta"},"33":{"align-by-socket":"alpha",
"distribute-cpus-across-cores":"alpha","prefer-align-cpus-by-uncorecache":"alpha","strict-cpu-reservation":"beta",
"distribute-cpus-across-numa":"beta","full-pcpus-only":"stable"},"34":{"align-by-socket":"alpha",
"distribute-cpus-across-cores":"alpha","strict-cpu-reservation":"beta","distribute-cpus-across-numa":"beta",
"prefer-align-cpus-by-uncorecache":"beta","full-pcpus-only":"stable"},"35":{"align-by-socket":"alpha",
"distribute-cpus-across-cores":"alpha","distribute-cpus-across-numa":"beta","prefer-align-cpus-by-uncorecache":"beta",
"full-pcpus-only":"stable","strict-cpu-reservation":"stable"},"36":{"align-by-socket":"alpha",
"distribute-cpus-across-cores":"alpha","distribute-cpus-across-numa":"beta","full-pcpus-only":"stable",
"strict-cpu-reservation":"stable","prefer-align-cpus-by-uncorecache":"stable"}},"topologyManagerPolicyOptions":{"26":
{"prefer-closest-numa-nodes":"alpha"},"27":{"prefer-closest-numa-nodes":"alpha"},"28":{"prefer-closest-numa-nodes":
"beta"},"29":{"prefer-closest-numa-nodes":"beta"},"30":{"prefer-closest-numa-nodes":"beta"},"31":
{"prefer-closest-numa-nodes":"beta","max-allowable-numa-nodes":"beta"},"32":{"max-allowable-numa-nodes":"beta",
"prefer-closest-numa-nodes":"stable"},"33":{"max-allowable-numa-nodes":"beta","prefer-closest-numa-nodes":"stable"},
"34":{"max-allowable-numa-nodes":"beta","prefer-closest-numa-nodes":"stable"},"35":{"prefer-closest-numa-nodes":
"stable","max-allowable-numa-nodes":"stable"},"36":{"prefer-closest-numa-nodes":"stable","max-allowable-numa-nodes":
"stable"}},"memorySwap.swapBehavior":{"22":["","LimitedSwap","UnlimitedSwap"],"30":["","NoSwap","LimitedSwap"]},
"enforceNodeAllocatable":{"20":["pods","system-reserved","kube-reserved","none"],"32":["pods","system-reserved",
"kube-reserved","system-reserved-compressible","kube-reserved-compressible","none"]},"memoryManagerPolicy":{"21":
["None","Static"],"32":["None","Static","BestEffort (Windows)"]},"evictionSignals":{"20":["memory.available",
"nodefs.available","nodefs.inodesFree","imagefs.available","imagefs.inodesFree","allocatableMemory.available",
"pid.available"],"29":["+containerfs.available","+containerfs.inodesFree"]},"evictionHardDefaultLinux":{"20":
{"memory.available":"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%","imagefs.available":"15%"},"30":
{"memory.available":"100Mi","nodefs.available":"10%","nodefs.inodesFree":"5%","imagefs.available":"15%",
"imagefs.inodesFree":"5%"}},"reservedResourceKeys":["cpu","memory","ephemeral-storage","pid"],"tlsMinVersion":["",
"VersionTLS10","VersionTLS11","VersionTLS12","VersionTLS13"],"kubeProxyMode":{"20":["","userspace","iptables","ipvs",
"kernelspace"],"26":["","iptables","ipvs","kernelspace"],"29":["","iptables","ipvs","nftables","kernelspace"]},
"kubeProxyDetectLocalMode":{"20":["","ClusterCIDR","NodeCIDR"],"24":["","ClusterCIDR","NodeCIDR","BridgeInterface",
"InterfaceNamePrefix"]}}}
"""
