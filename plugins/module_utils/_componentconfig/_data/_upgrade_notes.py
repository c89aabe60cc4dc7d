# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""What releases change in addition to fields and their gates as JSON."""

from __future__ import annotations

NOTES = r"""
[{"id":"huge-pages-eviction","since":37,"component":"kubelet","gate":"HugepageAwareEviction","level":"behavior",
"host":["the host has huge pages reserved"],"before":["memory.available counts reserved huge pages as free"],"after":
["it does not: eviction begins earlier, and thresholds of memory.available mean more"],"keep":
["featureGates.HugepageAwareEviction: false keeps it"]},{"id":"selinux-mount","since":37,"component":"kubelet","gate":
"SELinuxMount","level":"behavior","host":
["SELinux is on, a CSI driver opts in, and Pods of different labels share a volume"],"before":
["volumes are relabelled file by file"],"after":
["volumes are mounted with one label, so such Pods may not start; not locked before 1.38"],"keep":
["featureGates.SELinuxMount: false keeps it"]},{"id":"static-pod-references","since":37,"component":"kubelet","gate":
"PreventStaticPodAPIReferences","level":"refused","host":
["a static Pod names a ServiceAccount, Secret, ConfigMap or another API object"],"before":
["such a Pod is refused by default, which the gate switches off (1.34 to 1.36)"],"after":
["such a Pod is always refused, and so is the gate's name"]},{"id":"cadvisor-flags","since":37,"component":"kubelet",
"flags":["application-metrics-count-limit","boot-id-file","container-hints","containerd","containerd-namespace",
"enable-load-reader","event-storage-age-limit","event-storage-event-limit","global-housekeeping-interval",
"log-cadvisor-usage","machine-id-file","storage-driver-user","storage-driver-password","storage-driver-host",
"storage-driver-db","storage-driver-table","storage-driver-secure","storage-driver-buffer-duration"],"level":
"refused","before":["accepted, deprecated"],"after":["the kubelet does not start; housekeeping-interval stays"]},
{"id":"config-in-log","since":37,"component":"kubelet","level":"behavior","what":
["the effective configuration is written to the log at start"],"before":["not written"],"after":
["written, so who may read nodes/logs sees it"]},{"id":"log-endpoints","since":37,"component":"kubelet","level":
"behavior","what":["log endpoints"],"before":["any HTTP method"],"after":
["read-only endpoints take GET only, the node log query GET and POST (405 otherwise)"]},{"id":"metrics-gone","since":
37,"component":"kubelet","level":"behavior","what":
["the metrics container_application_*, container_cpu_load_average_10s,",
"container_cpu_load_d_average_10s, container_tasks_state and userDefinedMetrics"],"before":["there"],"after":
["gone"]},{"id":"declared-features","since":37,"component":"kubelet","gate":"NodeDeclaredFeatures","level":"locked",
"before":["off if switched off"],"after":
["locked on: Node.status.declaredFeatures always decides where Pods of such features may run"]},{"id":
"stats-from-cri","since":37,"component":"kubelet","gate":"PodAndContainerStatsFromCRI","level":"stage","before":
["Alpha, off"],"after":["Beta, off"]},{"id":"pod-level-managers","since":37,"component":"kubelet","gate":
"PodLevelResourceManagers","level":"stage","before":["Alpha, off"],"after":["Beta, off"]},{"id":"user-namespace",
"since":37,"component":"kubelet","gate":"KubeletInUserNamespace","level":"default","host":
["the kubelet runs in a user namespace"],"before":["Alpha, off"],"after":["Beta, on"]},{"id":"pods-api","since":37,
"component":"kubelet","gate":"PodsAPI","level":"default","before":["no gRPC service for Pods"],"after":
["the kubelet serves a gRPC service for the Pods of the node"],"keep":["featureGates.PodsAPI: false keeps it"]},{"id":
"node-ip-changes","since":37,"component":"kube-proxy","level":"behavior","what":
["the node's IPs change, or the Node is deleted"],"before":["kube-proxy continues"],"after":
["kube-proxy ends: its unit must restart it"]},{"id":"kubeadm-v1beta3","since":37,"component":"kubeadm","apiVersion":
"kubeadm.k8s.io/v1beta3","level":"refused","before":["deprecated since 1.31"],"after":
["gone, with InitConfiguration and JoinConfiguration; kubeadm of 1.35 or 1.36 migrates to v1beta4"]},{"id":
"kubeadm-gates","since":37,"component":"kubeadm","gates":["PublicKeysECDSA","NodeLocalCRISocket"],"level":"refused",
"before":["kubeadm's own gates"],"after":["gone"]},{"id":"kubeadm-writes-mode","since":37,"component":"kubeadm",
"level":"behavior","what":["mode of kube-proxy's config"],"before":["left empty"],"after":
["written out as iptables where it is empty or the document is missing"]},{"id":"kubeadm-runtime-check","since":37,
"component":"kubeadm","level":"warning","what":
["the preflight check ContainerRuntimeVersion, if the runtime lacks RuntimeConfig"],"before":["not there"],"after":
["warns, because kubelets of 1.38 need it"]},{"id":"kubeadm-patches","since":37,"component":"kubeadm","level":
"behavior","what":["targets of patches"],"before":["corednsdeployment and the static Pods"],"after":
["kubeproxydaemonset as well"]},{"id":"concurrent-service-syncs","since":37,"component":"kube-controller-manager",
"flags":["concurrent-service-syncs"],"level":"refused","before":["no effect since 1.31"],"after":["gone"]},{"id":
"concurrent-disruption-syncs","since":37,"component":"kube-controller-manager","flags":
["concurrent-disruption-syncs"],"level":"new","before":["not there"],"after":["there"]},{"id":"advertise-address",
"since":37,"component":"kube-apiserver","flags":["advertise-address"],"level":"behavior","before":["not checked"],
"after":["must be an address that an Endpoints object can hold, if endpoint-reconciler-type is master-count or",
"lease (its default)"]},{"id":"enable-logs-handler","since":37,"component":"kube-apiserver","flags":
["enable-logs-handler"],"level":"undeprecated","before":["deprecated"],"after":["not deprecated"]},{"id":
"authentication-gates","since":37,"component":"kube-apiserver","kind":"AuthenticationConfiguration","level":
"behavior","what":["the gates StructuredAuthenticationConfiguration and AnonymousAuthConfigurableEndpoints"],"before":
["locked on"],"after":["gone; the same rules hold"]},{"id":"scheduling-v1alpha2","since":37,"component":
"kube-apiserver","level":"behavior","what":["objects of scheduling.k8s.io/v1alpha2 in etcd"],"before":["served"],
"after":["gone: remove them before the upgrade"]},{"id":"certificate-key-algorithm","since":38,"component":"kubelet",
"kind":"KubeletConfiguration","level":"new","planned":1,"what":
["key algorithm of client and server certificate requests"],"before":["ECDSA P-256"],"after":
["ECDSA, RSA or ML-DSA can be chosen; the default stays"]},{"id":"gates-gone-1.38","since":38,"component":"all",
"gates":["AggregatedDiscoveryRemoveBetaType","CRDValidationRatcheting","CustomResourceFieldSelectors",
"DynamicResourceAllocation","KubeletTracing","NodeInclusionPolicyInPodTopologySpread",
"ServiceAccountTokenPodNodeInfo","WindowsHostNetwork"],"level":"refused","planned":1,"before":
["locked, or without effect"],"after":["gone"]},{"id":"gates-locked-1.38","since":38,"component":"all","gates":
["DRADeviceTaintRules","DRADeviceTaints","EnvFiles","StrictIPCIDRValidation"],"level":"locked","planned":1,"before":
["can be switched off"],"after":["locked on"]}]
"""
