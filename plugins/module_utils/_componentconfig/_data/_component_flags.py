# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Command line flags and their fields as JSON."""

from __future__ import annotations

FLAGS = r"""
{"kube-proxy":{"ignoresFlags":true,"reasons":{"self":["it names the file"],"once":
["it makes kube-proxy do one thing and end: it is no config"],"access":
["it wins over the address in the kubeconfig, and the file has no field for it"],"cadvisor":
["it is cAdvisor's, not kube-proxy's: the file has no field for it"],"klog":
["it is klog's: the file of this version has no field for it"]},"flags":[[["add-dir-header","alsologtostderr",
"logtostderr","one-output","skip-headers","skip-log-headers"],{"type":"bool","stays":"klog","last":25,"gone":
["klog writes to standard error only"]}],[["bind-address"],{"type":"ip","field":true}],[["bind-address-hard-fail"],
{"type":"bool","field":true}],[["boot-id-file","machine-id-file"],{"stays":"cadvisor"}],[["cleanup","help"],{"type":
"bool","stays":"once"}],[["cleanup-ipvs"],{"type":"bool","stays":"once","gone":["--cleanup does this too"],"last":
20}],[["cluster-cidr"],{"field":"clusterCIDR"}],[["config"],{"stays":"self"}],[["config-sync-period"],{"type":
"duration","field":true}],[["conntrack-max-per-core"],{"type":"int","field":"conntrack.maxPerCore"}],
[["conntrack-min"],{"type":"int","field":"conntrack.min"}],[["conntrack-tcp-be-liberal"],{"type":"bool","field":
"conntrack.tcpBeLiberal","since":29}],[["conntrack-tcp-timeout-close-wait"],{"type":"duration","field":
"conntrack.tcpCloseWaitTimeout"}],[["conntrack-tcp-timeout-established"],{"type":"duration","field":
"conntrack.tcpEstablishedTimeout"}],[["conntrack-udp-timeout"],{"type":"duration","field":"conntrack.udpTimeout",
"since":29}],[["conntrack-udp-timeout-stream"],{"type":"duration","field":"conntrack.udpStreamTimeout","since":29}],
[["detect-local-mode"],{"field":true,"values":[[20,["","ClusterCIDR","NodeCIDR"]],[24,["","ClusterCIDR","NodeCIDR",
"BridgeInterface","InterfaceNamePrefix"]]]}],[["feature-gates"],{"type":"mapBool","field":true}],
[["healthz-bind-address","metrics-bind-address"],{"type":"addressPort","field":true,"refusedEmpty":
["a file cannot switch this server off: take the flag away, or go on without a file"]}],[["healthz-port"],{"type":
"int","portOf":"healthz-bind-address","onlyWithoutFile":true,"refusedEmpty":
["a file cannot switch this server off: take the flag away, or go on without a file"]}],[["hostname-override"],
{"field":true,"winsOverFile":20}],[["init-only"],{"type":"bool","stays":"once","since":29}],
[["iptables-localhost-nodeports"],{"type":"bool","field":"iptables.localhostNodePorts","since":26}],
[["iptables-masquerade-bit"],{"type":"int","field":"iptables.masqueradeBit"}],[["iptables-min-sync-period"],{"type":
"duration","field":"iptables.minSyncPeriod","with":[{"flag":"proxy-mode","value":"nftables","since":31,"field":
"nftables.minSyncPeriod"}]}],[["iptables-sync-period"],{"type":"duration","field":"iptables.syncPeriod","with":
[{"flag":"proxy-mode","value":"nftables","since":31,"field":"nftables.syncPeriod"}]}],[["ipvs-exclude-cidrs"],{"type":
"list","field":"ipvs.excludeCIDRs"}],[["ipvs-min-sync-period"],{"type":"duration","field":"ipvs.minSyncPeriod","with":
[{"flag":"proxy-mode","value":"ipvs","since":31,"default":"1s"}]}],[["ipvs-scheduler"],{"field":"ipvs.scheduler"}],
[["ipvs-strict-arp"],{"type":"bool","field":"ipvs.strictARP"}],[["ipvs-sync-period"],{"type":"duration","field":
"ipvs.syncPeriod"}],[["ipvs-tcp-timeout"],{"type":"duration","field":"ipvs.tcpTimeout"}],[["ipvs-tcpfin-timeout"],
{"type":"duration","field":"ipvs.tcpFinTimeout"}],[["ipvs-udp-timeout"],{"type":"duration","field":
"ipvs.udpTimeout"}],[["kube-api-burst"],{"type":"int","field":"clientConnection.burst"}],[["kube-api-content-type"],
{"field":"clientConnection.contentType"}],[["kube-api-qps"],{"type":"float","field":"clientConnection.qps"}],
[["kubeconfig"],{"field":"clientConnection.kubeconfig"}],[["log-backtrace-at","log-dir","log-file","stderrthreshold"],
{"stays":"klog","last":25,"gone":["klog writes to standard error only"]}],[["log-file-max-size"],{"type":"uint",
"stays":"klog","gone":["klog writes to standard error only"],"last":25}],[["log-flush-frequency"],{"type":"duration",
"field":"logging.flushFrequency","stays":"klog","winsOverFile":20}],[["log-json-info-buffer-size"],{"type":"quantity",
"field":"logging.options.json.infoBufferSize","stays":"klog","winsOverFile":20,"since":28}],
[["log-json-split-stream"],{"type":"bool","field":"logging.options.json.splitStream","stays":"klog","winsOverFile":20,
"since":28}],[["log-text-info-buffer-size"],{"type":"quantity","field":"logging.options.text.infoBufferSize","stays":
"klog","winsOverFile":20,"since":30}],[["log-text-split-stream"],{"type":"bool","field":
"logging.options.text.splitStream","stays":"klog","winsOverFile":20,"since":30}],[["logging-format"],{"field":
"logging.format","winsOverFile":20,"stays":"klog","since":28,"values":[[20,["text","json"]]]}],[["masquerade-all"],
{"type":"bool","field":"iptables.masqueradeAll","with":[{"flag":"proxy-mode","value":"nftables","since":31,"field":
"nftables.masqueradeAll"}]}],[["master"],{"stays":"access"}],[["metrics-port"],{"type":"int","portOf":
"metrics-bind-address","onlyWithoutFile":true,"refusedEmpty":
["a file cannot switch this server off: take the flag away, or go on without a file"]}],[["nodeport-addresses"],
{"type":"list","field":"nodePortAddresses"}],[["oom-score-adj"],{"type":"int","field":true}],
[["pod-bridge-interface"],{"field":"detectLocal.bridgeInterface","since":24}],[["pod-interface-name-prefix"],{"field":
"detectLocal.interfaceNamePrefix","since":24}],[["profiling"],{"type":"bool","field":"enableProfiling"}],
[["proxy-mode"],{"field":"mode","values":[[20,["","userspace","iptables","ipvs","kernelspace"]],[26,["","iptables",
"ipvs","kernelspace"]],[29,["","iptables","ipvs","nftables","kernelspace"]]]}],[["proxy-port-range"],{"type":
"portRange","field":"portRange","last":30}],[["show-hidden-metrics-for-version"],{"field":true}],[["udp-timeout"],
{"type":"duration","field":"udpIdleTimeout","last":25,"gone":["the mode that used it is gone"]}],[["v"],{"type":
"level","field":"logging.verbosity","stays":"klog","winsOverFile":20}],[["version"],{"type":"tristate","stays":
"once"}],[["vmodule"],{"type":"vmodule","field":"logging.vmodule","adds":"before","stays":"klog","winsOverFile":20}],
[["write-config-to"],{"stays":"once"}]]},"kube-scheduler":{"ignoresFlags":true,"reasons":{"self":
["it names the file"],"once":["it makes kube-scheduler do one thing and end: it is no config"],"access":
["it wins over the address in the kubeconfig, and the file has no field for it"],"klog":
["it is klog's: the file has no field for it"],"serve":
["it is about kube-scheduler's own server, for which the file has no field"],"gates":
["the file has no field for feature gates"],"queue":["the file has no field for it"]},"flags":[[["add-dir-header",
"alsologtostderr","logtostderr","one-output","skip-headers","skip-log-headers"],{"type":"bool","stays":"klog","last":
25,"gone":["klog writes to standard error only"]}],[["address"],{"onlyWithoutFile":true,"last":23,"refused":
["a file says it as healthzBindAddress and metricsBindAddress (port 0, for no such server, from 1.22",
"on): write them, or go on without a file"],"gone":["the server without TLS is gone"]}],[["algorithm-provider"],
{"refused":["its policy is no config: write profiles of plugins, which replace it"],"last":21}],
[["allow-metric-labels"],{"type":"stringToString","stays":"serve","since":21}],[["allow-metric-labels-manifest"],
{"stays":"serve","since":29}],[["authentication-kubeconfig","authorization-kubeconfig","cert-dir","client-ca-file",
"requestheader-client-ca-file","show-hidden-metrics-for-version","tls-cert-file","tls-private-key-file"],{"stays":
"serve"}],[["authentication-skip-lookup","authentication-tolerate-lookup-failure","permit-port-sharing"],{"type":
"bool","stays":"serve"}],[["authentication-token-webhook-cache-ttl","authorization-webhook-cache-authorized-ttl",
"authorization-webhook-cache-unauthorized-ttl"],{"type":"duration","stays":"serve"}],
[["authorization-always-allow-paths","requestheader-allowed-names","requestheader-extra-headers-prefix",
"requestheader-group-headers","requestheader-username-headers","tls-cipher-suites"],{"type":"list","stays":"serve"}],
[["bind-address"],{"type":"ip","stays":"serve"}],[["config"],{"stays":"self"}],[["contention-profiling"],{"type":
"bool","field":"enableContentionProfiling"}],[["disable-http2-serving"],{"type":"bool","stays":"serve","since":31}],
[["disabled-metrics"],{"type":"list","stays":"serve","since":21}],[["emulated-version"],{"type":"list","stays":
"gates","since":31}],[["experimental-logging-sanitization"],{"type":"bool","stays":"klog","last":23,"gone":
["the feature is gone"]}],[["feature-gates"],{"type":"mapBool","stays":"gates"}],
[["hard-pod-affinity-symmetric-weight"],{"type":"int32","onlyWithoutFile":true,"refused":
["write it as hardPodAffinityWeight of InterPodAffinityArgs into a profile's pluginConfig"],"last":21}],[["help"],
{"type":"bool","stays":"once"}],[["http2-max-streams-per-connection","secure-port"],{"type":"int","stays":"serve"}],
[["kube-api-burst"],{"type":"int32","field":"clientConnection.burst"}],[["kube-api-content-type"],{"field":
"clientConnection.contentType"}],[["kube-api-qps"],{"type":"float","field":"clientConnection.qps"}],[["kubeconfig"],
{"field":"clientConnection.kubeconfig"}],[["leader-elect"],{"type":"bool","field":"leaderElection.leaderElect",
"winsOverFile":23}],[["leader-elect-lease-duration"],{"type":"duration","field":"leaderElection.leaseDuration",
"winsOverFile":23}],[["leader-elect-renew-deadline"],{"type":"duration","field":"leaderElection.renewDeadline",
"winsOverFile":23}],[["leader-elect-resource-lock"],{"field":"leaderElection.resourceLock","winsOverFile":23,"values":
[[20,["endpoints","configmaps","leases","endpointsleases","configmapsleases"]],[24,["leases","endpointsleases",
"configmapsleases"]],[27,["leases"]]]}],[["leader-elect-resource-name"],{"field":"leaderElection.resourceName",
"winsOverFile":23}],[["leader-elect-resource-namespace"],{"field":"leaderElection.resourceNamespace","winsOverFile":
23}],[["leader-elect-retry-period"],{"type":"duration","field":"leaderElection.retryPeriod","winsOverFile":23}],
[["lock-object-name"],{"field":"leaderElection.resourceName","last":27}],[["lock-object-namespace"],{"field":
"leaderElection.resourceNamespace","last":27}],[["log-backtrace-at","log-dir","log-file","stderrthreshold"],{"stays":
"klog","last":25,"gone":["klog writes to standard error only"]}],[["log-file-max-size"],{"type":"uint","stays":"klog",
"gone":["klog writes to standard error only"],"last":25}],[["log-flush-frequency"],{"type":"duration","stays":
"klog"}],[["log-json-info-buffer-size"],{"type":"quantity","stays":"klog","since":23}],[["log-json-split-stream"],
{"type":"bool","stays":"klog","since":23}],[["log-text-info-buffer-size"],{"type":"quantity","stays":"klog","since":
30}],[["log-text-split-stream"],{"type":"bool","stays":"klog","since":30}],[["logging-format"],{"stays":"klog",
"values":[[20,["text","json"]]]}],[["master"],{"stays":"access"}],[["min-compatibility-version"],{"type":"list",
"stays":"gates","since":35}],[["permit-address-sharing"],{"type":"bool","stays":"serve","since":21}],
[["pod-max-in-unschedulable-pods-duration"],{"type":"duration","stays":"queue","since":24}],[["policy-config-file",
"policy-configmap","policy-configmap-namespace"],{"refused":
["its policy is no config: write profiles of plugins, which replace it"],"last":22}],[["port"],{"type":"int",
"onlyWithoutFile":true,"last":23,"refused":
["a file says it as healthzBindAddress and metricsBindAddress (port 0, for no such server, from 1.22",
"on): write them, or go on without a file"],"gone":["the server without TLS is gone"]}],[["profiling"],{"type":"bool",
"field":"enableProfiling"}],[["requestheader-uid-headers"],{"type":"list","stays":"serve","since":32}],
[["scheduler-name"],{"type":"profileName","field":"profiles","last":21}],[["tls-curve-preferences"],{"type":"intList",
"stays":"serve","since":36}],[["tls-min-version"],{"stays":"serve","values":[[20,["","VersionTLS10","VersionTLS11",
"VersionTLS12","VersionTLS13"]]]}],[["tls-sni-cert-key"],{"type":"certKeyPairs","stays":"serve"}],
[["use-legacy-policy-config"],{"type":"bool","refused":
["its policy is no config: write profiles of plugins, which replace it"],"last":22}],[["v"],{"type":"level","stays":
"klog"}],[["version"],{"type":"tristate","stays":"once"}],[["vmodule"],{"type":"vmodule","stays":"klog"}],
[["write-config-to"],{"stays":"once"}]]},"kubelet":{"ignoresFlags":false,"reasons":{"access":
["it says how the kubelet reaches the API server, for which the file has no field"],"self":["it names the file"],
"node":["its value belongs to this node, and the file has no field for it"],"path":
["it names a place on the node's disk, for which the file has no field"],"register":["the file has no field for it"],
"runtime":["it is about the container runtime, for which the file of this version has no field"],"image":
["it keeps an image from garbage collection, and the file has no field for it"],"docker":
["it is about Docker's shim, for which the file has no field"],"cadvisor":
["it is cAdvisor's, not the kubelet's: the file has no field for it"],"klog":
["it is klog's: the file of this version has no field for it"],"provider":
["the file has no field for cloud providers"]},"flags":[[["add-dir-header","alsologtostderr","logtostderr",
"one-output","skip-headers","skip-log-headers"],{"type":"bool","stays":"klog","last":25,"gone":
["klog writes to standard error only"]}],[["address","cgroup-driver","cgroup-root","cluster-domain",
"container-log-max-size","cpu-manager-policy","hairpin-mode","healthz-bind-address","kube-reserved-cgroup",
"kubelet-cgroups","resolv-conf","system-cgroups","system-reserved-cgroup","tls-cert-file","tls-min-version",
"tls-private-key-file","topology-manager-policy","topology-manager-scope","volume-plugin-dir"],{"field":true}],
[["allowed-unsafe-sysctls","enforce-node-allocatable","tls-cipher-suites"],{"type":"list","field":true}],
[["anonymous-auth"],{"type":"bool","field":"authentication.anonymous.enabled","default":true}],
[["application-metrics-count-limit"],{"type":"int","stays":"cadvisor","last":36,"gone":
["cAdvisor no longer has it, and the kubelet does not start with it"]}],[["authentication-token-webhook"],{"type":
"bool","field":"authentication.webhook.enabled","default":false}],[["authentication-token-webhook-cache-ttl"],{"type":
"duration","field":"authentication.webhook.cacheTTL"}],[["authorization-mode"],{"field":"authorization.mode",
"default":"AlwaysAllow"}],[["authorization-webhook-cache-authorized-ttl"],{"type":"duration","field":
"authorization.webhook.cacheAuthorizedTTL"}],[["authorization-webhook-cache-unauthorized-ttl"],{"type":"duration",
"field":"authorization.webhook.cacheUnauthorizedTTL"}],[["azure-container-registry-config"],{"stays":"provider",
"last":29,"gone":["credential providers do this now"]}],[["boot-id-file","container-hints","containerd",
"containerd-namespace","event-storage-age-limit","event-storage-event-limit","machine-id-file","storage-driver-db",
"storage-driver-host","storage-driver-password","storage-driver-table","storage-driver-user"],{"stays":"cadvisor",
"last":36,"gone":["cAdvisor no longer has it, and the kubelet does not start with it"]}],[["bootstrap-kubeconfig",
"kubeconfig"],{"stays":"access"}],[["cert-dir","experimental-mounter-path","image-credential-provider-bin-dir",
"image-credential-provider-config","lock-file","root-dir"],{"stays":"path"}],[["cgroups-per-qos"],{"type":"bool",
"field":"cgroupsPerQOS"}],[["chaos-chance"],{"type":"float","stays":"register","last":21,"gone":
["it was for tests"]}],[["client-ca-file"],{"field":"authentication.x509.clientCAFile"}],[["cloud-config"],{"stays":
"provider","last":33,"gone":["the cloud providers in the kubelet are gone"]}],[["cloud-provider"],{"stays":
"provider"}],[["cluster-dns"],{"type":"list","field":"clusterDNS"}],[["cni-bin-dir","cni-cache-dir","cni-conf-dir"],
{"stays":"docker","last":23,"gone":["the container runtime knows where its network plugins are"]}],[["config"],
{"stays":"self"}],[["config-dir"],{"stays":"path","since":28}],[["container-log-max-files","event-burst",
"eviction-max-pod-grace-period","healthz-port","max-open-files","max-pods","node-status-max-images","oom-score-adj",
"pods-per-core","port","registry-burst"],{"type":"int","field":true}],[["container-runtime"],{"stays":"runtime",
"last":26,"gone":["the only runtime is the one at containerRuntimeEndpoint"]}],[["container-runtime-endpoint"],
{"field":true,"stays":"runtime","ownDefaults":[[20,"unix:///var/run/dockershim.sock"],[24,
"unix:///run/containerd/containerd.sock"]]}],[["contention-profiling"],{"type":"bool","field":
"enableContentionProfiling"}],[["cpu-cfs-quota"],{"type":"bool","field":"cpuCFSQuota"}],[["cpu-cfs-quota-period"],
{"type":"duration","field":"cpuCFSQuotaPeriod"}],[["cpu-manager-policy-options"],{"type":"map","field":true,"since":
22}],[["cpu-manager-reconcile-period","eviction-pressure-transition-period","file-check-frequency",
"http-check-frequency","node-status-update-frequency","runtime-request-timeout","streaming-connection-idle-timeout",
"sync-frequency","volume-stats-agg-period"],{"type":"duration","field":true}],[["docker",
"docker-env-metadata-whitelist","docker-root","docker-tls-ca","docker-tls-cert","docker-tls-key"],{"stays":"cadvisor",
"last":23,"gone":["Docker's shim is gone"]}],[["docker-endpoint","experimental-dockershim-root-directory"],{"stays":
"docker","last":23,"gone":["Docker's shim is gone"]}],[["docker-only","docker-tls"],{"type":"bool","stays":"cadvisor",
"last":23,"gone":["Docker's shim is gone"]}],[["dynamic-config-dir"],{"stays":"path","last":23,"refused":
["dynamic configuration is gone: take the flag away, and let bundles do this"]}],[["enable-cadvisor-json-endpoints"],
{"type":"bool","stays":"register","last":20,"gone":["the endpoints are gone"]}],[["enable-controller-attach-detach",
"enable-debugging-handlers","enable-server","fail-swap-on","kernel-memcg-notification","protect-kernel-defaults",
"rotate-certificates","serialize-image-pulls"],{"type":"bool","field":true}],[["enable-load-reader",
"log-cadvisor-usage","storage-driver-secure"],{"type":"bool","stays":"cadvisor","last":36,"gone":
["cAdvisor no longer has it, and the kubelet does not start with it"]}],[["event-qps"],{"type":"int","field":
"eventRecordQPS"}],[["eviction-hard"],{"type":"mapLess","field":true,"defaults":[[25,{}]]}],
[["eviction-minimum-reclaim","eviction-soft-grace-period","kube-reserved","qos-reserved","system-reserved"],{"type":
"map","field":true}],[["eviction-soft"],{"type":"mapLess","field":true}],[["exit-on-lock-contention",
"experimental-allocatable-ignore-eviction","help"],{"type":"bool","stays":"register"}],
[["experimental-bootstrap-kubeconfig"],{"stays":"access","last":22,"becomes":"bootstrap-kubeconfig"}],
[["experimental-check-node-capabilities-before-mount"],{"type":"bool","stays":"register","last":23,"gone":
["CSI drivers do this now"]}],[["experimental-kernel-memcg-notification"],{"type":"bool","field":
"kernelMemcgNotification","last":24}],[["experimental-logging-sanitization"],{"type":"bool","field":
"logging.sanitization","last":23,"gone":["the feature is gone"]}],[["fail-cgroupv1"],{"type":"bool","field":
"failCgroupV1","since":31}],[["feature-gates"],{"type":"mapBool","field":true}],[["global-housekeeping-interval",
"storage-driver-buffer-duration"],{"type":"duration","stays":"cadvisor","last":36,"gone":
["cAdvisor no longer has it, and the kubelet does not start with it"]}],[["hostname-override","node-ip"],{"stays":
"node"}],[["housekeeping-interval"],{"type":"duration","stays":"cadvisor"}],[["image-gc-high-threshold"],{"type":
"int","field":"imageGCHighThresholdPercent"}],[["image-gc-low-threshold"],{"type":"int","field":
"imageGCLowThresholdPercent"}],[["image-pull-progress-deadline"],{"type":"duration","stays":"docker","last":23,"gone":
["Docker's shim is gone"]}],[["image-service-endpoint"],{"field":true,"stays":"runtime"}],[["iptables-drop-bit",
"iptables-masquerade-bit"],{"type":"int","field":true,"last":30}],[["keep-terminated-pod-volumes"],{"type":"bool",
"stays":"register","last":30,"gone":["it had no effect for a long time"]}],[["kube-api-burst"],{"type":"int","field":
"kubeAPIBurst"}],[["kube-api-content-type"],{"field":"contentType"}],[["kube-api-qps"],{"type":"int","field":
"kubeAPIQPS"}],[["local-storage-capacity-isolation"],{"type":"bool","field":true,"since":25}],[["log-backtrace-at",
"log-dir","log-file","log-file-max-size","stderrthreshold"],{"stays":"klog","last":25,"gone":
["klog writes to standard error only"]}],[["log-flush-frequency"],{"type":"duration","field":"logging.flushFrequency",
"stays":"klog"}],[["log-json-info-buffer-size"],{"field":"logging.options.json.infoBufferSize","since":23}],
[["log-json-split-stream"],{"type":"bool","field":"logging.options.json.splitStream","since":23}],
[["log-text-info-buffer-size"],{"since":30,"field":"logging.options.text.infoBufferSize"}],[["log-text-split-stream"],
{"type":"bool","since":30,"field":"logging.options.text.splitStream"}],[["logging-format"],{"field":
"logging.format"}],[["make-iptables-util-chains"],{"type":"bool","field":"makeIPTablesUtilChains"}],[["manifest-url"],
{"field":"staticPodURL"}],[["manifest-url-header"],{"type":"headers","field":"staticPodURLHeader"}],
[["master-service-namespace"],{"stays":"register","last":26,"gone":["it had no effect for a long time"]}],
[["maximum-dead-containers","maximum-dead-containers-per-container"],{"type":"int","stays":"register"}],
[["memory-manager-policy"],{"field":true,"since":21}],[["minimum-container-ttl-duration"],{"type":"duration","stays":
"register"}],[["minimum-image-ttl-duration"],{"type":"duration","field":"imageMinimumGCAge"}],[["network-plugin"],
{"stays":"docker","last":23,"gone":["the container runtime has the network plugins"]}],[["network-plugin-mtu"],
{"type":"int","stays":"docker","last":23,"gone":["the container runtime has the network plugins"]}],[["node-labels"],
{"type":"looseMap","stays":"node"}],[["non-masquerade-cidr"],{"stays":"register","last":23,"gone":
["it was Docker's shim's"]}],[["pod-cidr"],{"field":"podCIDR"}],[["pod-infra-container-image"],{"stays":"image",
"last":34,"gone":["the container runtime says it"]}],[["pod-manifest-path"],{"field":"staticPodPath"}],
[["pod-max-pids"],{"type":"int","field":"podPidsLimit"}],[["provider-id"],{"field":"providerID"}],[["read-only-port"],
{"type":"int","field":true,"default":10255}],[["really-crash-for-testing"],{"type":"bool","stays":"register","last":
23,"gone":["it was for tests"]}],[["redirect-container-streaming"],{"type":"bool","stays":"register","last":20,"gone":
["the feature is gone"]}],[["register-node"],{"type":"bool","field":true,"stays":"register"}],
[["register-schedulable"],{"type":"bool","stays":"register","last":32,"gone":
["a taint in registerWithTaints keeps pods away from a new node"]}],[["register-with-taints"],{"type":"taints",
"field":true,"stays":"register"}],[["registry-qps"],{"type":"int","field":"registryPullQPS"}],[["reserved-cpus"],
{"field":"reservedSystemCPUs"}],[["reserved-memory"],{"type":"reservedMemory","field":true,"since":21}],
[["rotate-server-certificates"],{"type":"bool","field":"serverTLSBootstrap"}],[["runonce"],{"type":"bool","field":
"runOnce"}],[["runtime-cgroups"],{"stays":"runtime"}],[["seccomp-default"],{"type":"bool","field":true,"since":22,
"onlyOn":true}],[["seccomp-profile-root"],{"stays":"path","last":22,"gone":
["the profiles are below the root directory, in seccomp"]}],[["topology-manager-policy-options"],{"type":"map",
"field":true,"since":26}],[["v"],{"type":"int","field":"logging.verbosity","stays":"klog"}],[["version"],{"type":
"tristate","stays":"register"}],[["vmodule"],{"type":"vmodule","field":"logging.vmodule","adds":"behind","stays":
"klog"}]]}}
"""
