# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Disruption by changed field as JSON."""

from __future__ import annotations

IMPACT = r"""
{"classes":{"restart":["a kubelet restart applies it; running pods keep running"],"restart-clients":
["restart; clients of the kubelet's endpoints (API server, monitoring, probes) must follow the change"],
"restart-pods-new-only":["restart; only pods created afterwards see it: drain first for a uniform node"],
"restart-may-evict":["restart; pods may be evicted or evictions delayed"],"restart-may-reject":
["restart; pods over the new bound fail admission at restart, node capacity changes"],"restart-containers":
["restart; running containers may be restarted by the new value"],"restart-allocatable":
["restart; node allocatable changes, raising a reservation may fail (look for the","NodeAllocatableEnforced event)"],
"restart-crash-risk":["restart; the kubelet exits if the host does not meet the new value: check the host first"],
"coordinate":["restart together with the peer named"],"drain":["drain, stop kubelet, change, start, uncordon"],
"drain+state":["drain, stop kubelet, remove the state file, change, start, uncordon"],"reboot":
["drain and reboot the node with the new value"],"stop-static-pods":
["restart; static pods that the kubelet no longer finds stop, on a kubeadm control plane its API",
"server and etcd among them"],"replace":
["drain, stop kubelet and runtime, change both, start; replacing the node is the safer way"]},"fields":
{"KubeletConfiguration":[[["cgroupDriver"],{"class":"replace","note":
["must equal the runtime's driver; ignored where the runtime answers RuntimeConfig and",
"KubeletCgroupDriverFromCRI is on (beta 1.31, GA 1.34); restart alone may leave pod sandboxes that",
"cannot be recreated"]}],[["cpuManagerPolicy"],{"class":"drain+state","note":
["the kubelet exits when the policy differs from the checkpoint's"],"stateFile":"cpu_manager_state"}],
[["cpuManagerPolicyOptions"],{"class":"drain+state","note":
["docs ask it for strict-cpu-reservation; other options only steer later allocations"],"stateFile":
"cpu_manager_state"}],[["reservedSystemCPUs"],{"class":"drain+state","note":
["with cpuManagerPolicy static the reserved set is checked against the checkpoint; with none a restart","is enough"],
"stateFile":"cpu_manager_state","when":"cpuManagerPolicy=static"}],[["memoryManagerPolicy"],{"class":"drain+state",
"note":["the kubelet exits when the policy differs from the checkpoint's"],"stateFile":"memory_manager_state"}],
[["reservedMemory"],{"class":"drain+state","note":
["with Static the machine state in the checkpoint must equal the one derived from the reservations"],"stateFile":
"memory_manager_state","when":"memoryManagerPolicy=Static"}],[["topologyManagerPolicy"],{"class":"reboot","note":
["no state file of its own; running pods keep their old alignment, so a drain serves where a reboot",
"does not suit"]}],[["topologyManagerScope","topologyManagerPolicyOptions"],{"class":"drain","note":
["applies at pod admission only; running pods keep their alignment"]}],[["kubeletCgroups","systemCgroups",
"cgroupRoot","cgroupsPerQOS","qosReserved","systemReservedCgroup","kubeReservedCgroup"],{"class":"reboot","note":
["cgroup hierarchy is built at start"]}],[["systemReserved","kubeReserved"],{"class":"restart-allocatable","note":
["with cpuManagerPolicy static or memoryManagerPolicy Static treat as drain+state"]}],[["enforceNodeAllocatable"],
{"class":"restart-allocatable","note":
["adding system-reserved or kube-reserved may starve or kill the daemons in those cgroups"]}],[["evictionHard"],
{"class":"restart-may-evict","note":["also changes allocatable memory; a partial map drops the other defaults unless",
"mergeDefaultEvictionSettings; with memoryManagerPolicy Static memory.available enters the",
"reservation sum (drain+state)"]}],[["evictionSoft","evictionSoftGracePeriod","evictionMinimumReclaim",
"evictionPressureTransitionPeriod","evictionMaxPodGracePeriod","mergeDefaultEvictionSettings"],{"class":
"restart-may-evict"}],[["failSwapOn"],{"class":"restart-crash-risk","note":
["true with active swap: the kubelet exits at start"]}],[["memorySwap","memorySwap.swapBehavior"],{"class":
"restart-pods-new-only","note":
["limits are written at container creation; provisioning swap itself needs a kubelet restart;",
"LimitedSwap needs cgroup v2; UnlimitedSwap was removed in 1.30"]}],[["protectKernelDefaults"],{"class":
"restart-crash-risk","note":["true with differing sysctls: the kubelet exits at start"]}],[["failCgroupV1"],{"class":
"restart-crash-risk","note":["true (default from 1.35) on a cgroup v1 host: the kubelet exits at start"]}],
[["containerRuntimeEndpoint","imageServiceEndpoint"],{"class":"drain","note":
["another runtime does not know the running containers; the same runtime on another socket path:",
"restart; kubeadm also keeps the CRI socket in a node annotation / instance-config.yaml"]}],[["userNamespaces",
"userNamespaces.idsPerPod"],{"class":"drain","note":["may need every container on the node recreated"]}],
[["podLogsDir"],{"class":"drain","note":["running pods log to the old path; log collectors must follow"]}],
[["seccompDefault"],{"class":"drain","note":
["applies at container creation; a stricter profile can break workloads"]}],[["clusterDNS","resolvConf"],{"class":
"restart-pods-new-only","note":["draining before the change is recommended"]}],[["clusterDomain"],{"class":
"coordinate","note":["cluster-wide value, keep it equal on all nodes"],"peer":"cluster DNS"}],
[["iptablesMasqueradeBit","iptablesDropBit","makeIPTablesUtilChains"],{"class":"coordinate","note":
["bits deprecated, unused since 1.28; effective only with makeIPTablesUtilChains"],"peer":"kube-proxy"}],
[["nodeStatusUpdateFrequency","nodeStatusReportFrequency","nodeLeaseDurationSeconds"],{"class":"coordinate","note":
["node-monitor-grace-period must stay a multiple of the update frequency"],"peer":"kube-controller-manager"}],
[["cpuCFSQuotaPeriod","cpuCFSQuota"],{"class":"restart-containers","note":
["quota values differ for the same limits"]}],[["maxPods","podsPerCore"],{"class":"restart-may-reject","note":
["lowering below the running count rejects pods at restart; check the pod CIDR size before raising"]}],
[["podPidsLimit"],{"class":"restart-pods-new-only","note":["lowering can stop processes from forking"]}],
[["enableControllerAttachDetach"],{"class":"drain","note":["volumes may refuse to detach unless drained first"]}],
[["volumePluginDir"],{"class":"drain","note":["workloads on third-party volume plugins are disturbed"],"when":
"flexvolume in use"}],[["hairpinMode"],{"class":"reboot","note":["depends on the network plugin"],"when":
"bridge networking by the kubelet (dockershim); otherwise restart"}],[["podCIDR"],{"class":"coordinate","note":
["standalone kubelets only; leave empty in a cluster"],"peer":"standalone"}],[["providerID"],{"class":"coordinate",
"note":["Node.spec.providerID is immutable once set: re-register the node"],"peer":"cloud provider"}],
[["registerNode"],{"class":"restart","note":
["false: the kubelet does not create its Node object; one that exists stays, and the kubelet keeps","updating it"]}],
[["registerWithTaints"],{"class":"restart","note":
["taints are applied at registration only: an existing Node object keeps its taints"]}],[["enableServer","address",
"port","readOnlyPort","tlsCertFile","tlsPrivateKeyFile","tlsCipherSuites","tlsMinVersion","tlsCurvePreferences",
"authentication","authorization","enableDebuggingHandlers","healthzPort","healthzBindAddress"],{"class":
"restart-clients","note":
["the API server's --kubelet-* settings, scrapers and probes follow; a replaced certificate file is",
"reloaded without restart with ReloadKubeletServerCertificateFile (beta, on, 1.31), a replaced client",
"CA with ReloadKubeletClientCAFile (beta, on, 1.36)"]}],[["streamingConnectionIdleTimeout"],{"class":"restart","note":
["when idle exec, attach and port-forward sessions end; deprecated from 1.34"]}],[["runtimeRequestTimeout"],{"class":
"restart","note":["of requests to the container runtime, except pulls, logs, exec and attach"]}],
[["rotateCertificates","serverTLSBootstrap"],{"class":"restart-clients","note":
["switching off stops renewal; serverTLSBootstrap needs an approver for serving CSRs"]}],[["staticPodPath"],{"class":
"stop-static-pods","note":
["the kubelet stops the static pods whose manifests it does not find in the new place, and starts",
"those that it finds: move the manifests first; a manifest that is changed in place needs no restart"]}],
[["staticPodURL"],{"class":"stop-static-pods","note":
["the kubelet stops the static pods whose manifests it does not find in the new place, and starts",
"those that it finds: the new URL must serve all of them"]}],[["staticPodURLHeader"],{"class":"restart","note":
["if the server refuses the request, the static pods of the URL that run stay, and no others start"]}],
[["featureGates"],{"class":"restart","note":
["per gate: some need a drain or reboot, locked gates cannot be changed"]}],[["oomScoreAdj","maxOpenFiles",
"contentType","kubeAPIQPS","kubeAPIBurst","serializeImagePulls","maxParallelImagePulls","registryPullQPS",
"registryBurst","eventBurst","syncFrequency","fileCheckFrequency","httpCheckFrequency","volumeStatsAggPeriod",
"nodeStatusMaxImages","kernelMemcgNotification","cpuManagerReconcilePeriod","enableContentionProfiling","logging",
"tracing","enableSystemLogHandler","enableSystemLogQuery","enableProfilingHandler","enableDebugFlagsHandler",
"showHiddenMetricsForVersion","configMapAndSecretChangeDetectionStrategy","crashLoopBackOff",
"imagePullCredentialsVerificationPolicy","preloadedImagesVerificationAllowlist"],{"class":"restart"}],
[["eventRecordQPS"],{"class":"restart","note":
["0 means no limit from 1.37 on; up to 1.36 it means the client library's 5 a second"]}],[["imageMinimumGCAge",
"imageMaximumGCAge","imageGCHighThresholdPercent","imageGCLowThresholdPercent"],{"class":"restart","note":
["may start or delay image collection; tracked image age starts from zero at restart"]}],[["containerLogMaxSize",
"containerLogMaxFiles","containerLogMaxWorkers","containerLogMonitorInterval"],{"class":"restart","note":
["may rotate at once; lowering the file count deletes old logs"]}],[["shutdownGracePeriod",
"shutdownGracePeriodCriticalPods","shutdownGracePeriodByPodPriority"],{"class":"restart","note":
["kubelet writes logind's InhibitDelayMaxSec; an InhibitDelayMaxSec set elsewhere may cap it"]}],
[["memoryThrottlingFactor"],{"class":"restart-pods-new-only","note":
["written at container or pod creation; unset (the default from 1.37 on) leaves memory.high alone, and",
"up to 1.36 the gate was off"]}],[["memoryReservationPolicy","singleProcessOOMKill","allowedUnsafeSysctls",
"defaultPodSysctls"],{"class":"restart-pods-new-only","note":["written at container or pod creation"]}],
[["localStorageCapacityIsolation"],{"class":"restart-may-reject","note":
["false: the node has no ephemeral-storage, and pods that request it fail admission"]}],[["runOnce"],{"class":
"restart-crash-risk","note":["true: the kubelet starts its static pods once and exits; must stay false from 1.32"]}]],
"KubeProxyConfiguration":[[["mode"],{"class":"reboot","note":
["from iptables to ipvs and back the rules of the old mode stay, until a reboot or kube-proxy","--cleanup"]}]]},
"conditions":[{"kind":"KubeletConfiguration","field":"staticPodPath","class":"restart","onlyAdds":true,"note":
["the kubelet starts the static pods whose manifests it finds there"]},{"kind":"KubeletConfiguration","field":
"staticPodURL","class":"restart","onlyAdds":true,"note":["the kubelet starts the static pods that the URL serves"]},
{"kind":"KubeletConfiguration","field":"reservedSystemCPUs","class":"restart","when":{"cpuManagerPolicy":"static"},
"unless":true},{"kind":"KubeletConfiguration","field":"reservedMemory","class":"restart","when":
{"memoryManagerPolicy":"Static"},"unless":true},{"kind":"KubeletConfiguration","field":"systemReserved.cpu","class":
"drain+state","stateFile":"cpu_manager_state","when":{"cpuManagerPolicy":"static"}},{"kind":"KubeletConfiguration",
"field":"kubeReserved.cpu","class":"drain+state","stateFile":"cpu_manager_state","when":{"cpuManagerPolicy":
"static"}},{"kind":"KubeletConfiguration","field":"systemReserved.memory","class":"drain+state","stateFile":
"memory_manager_state","when":{"memoryManagerPolicy":"Static"}},{"kind":"KubeletConfiguration","field":
"kubeReserved.memory","class":"drain+state","stateFile":"memory_manager_state","when":{"memoryManagerPolicy":
"Static"}},{"kind":"KubeletConfiguration","field":"evictionHard.memory.available","class":"drain+state","stateFile":
"memory_manager_state","when":{"memoryManagerPolicy":"Static"}},{"kind":"KubeletConfiguration","field":"hairpinMode",
"class":"restart","since":24},{"kind":"KubeletConfiguration","field":"iptablesMasqueradeBit","class":"restart",
"since":28},{"kind":"KubeletConfiguration","field":"iptablesDropBit","class":"restart","since":28},{"kind":
"KubeProxyConfiguration","field":"mode","class":"restart","when":{"mode":"nftables"},"note":
["kube-proxy removes the rules of the other modes when it starts"]}],"files":[[["KubeletConfiguration",
"KubeSchedulerConfiguration"],{"class":"restart"}],[["CredentialProviderConfig"],{"class":"restart","note":
["restart kubelet"]}],[["KubeProxyConfiguration"],{"class":"restart","note":
["process exits when its --config file is written or renamed, the DaemonSet restarts it; a ConfigMap",
"mount swaps symlinks, so delete the pods or roll out"]}],[["EncryptionConfiguration"],{"class":"restart","note":
["restart, or live with --encryption-provider-config-automatic-reload=true (flag from 1.26); existing",
"objects are rewritten only when written again; add a new key as second on every server before making",
"it first; objects whose key or provider is removed can no longer be read"]}],[["AuthenticationConfiguration"],
{"class":"live","note":["live (1.30+); 'anonymous' may not change on reload"],"since":30}],
[["AuthorizationConfiguration"],{"class":"live","note":
["live (1.30+); Node and RBAC may not be added or removed, only reordered"],"since":30}],[["AdmissionConfiguration",
"TracingConfiguration","EgressSelectorConfiguration","Policy"],{"class":"restart","note":["restart kube-apiserver"]}],
[["ClusterConfiguration","InitConfiguration","JoinConfiguration","ResetConfiguration","UpgradeConfiguration",
"ClusterStatus"],{"class":"none","note":
["none: not read by a running component; re-run the matching kubeadm phase or upgrade"]}],
[["KubeControllerManagerConfiguration"],{"class":"none","note":["none: no binary reads it from a file"]}],
[["Preference"],{"class":"live","note":["live: kubectl reads it at every call"]}]]}
"""
