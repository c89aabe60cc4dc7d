# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Index of kinds, minors and the layers of their data as JSON."""

from __future__ import annotations

INDEX = r"""
{"minors":[20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37],"newest":37,"layers":{"20":[[["fields","defaults",
"gates","flags","rules"],[1,"source of v1.20.15","2022-01"]]],"21":[[["fields","defaults","flags"],[1,
"source of v1.21.14","2022-06"]],[["gates"],[1,"source, as a fork has it","2022-06"]],[["rules"],[1,
"source and documentation","2022-06"]]],"22":[[["fields","defaults"],[1,"source of v1.22.17","2022-12"]],[["gates"],
[1,"source, as a fork has it","2022-12"]],[["flags"],[1,"source of the releases before and after it","2022-12"]],
[["rules"],[1,"source and documentation","2022-12"]]],"23":[[["fields","defaults","flags"],[1,"source of v1.23.17",
"2023-02"]],[["gates"],[1,"source, as a fork has it","2023-02"]],[["rules"],[1,"source and documentation",
"2023-02"]]],"24":[[["fields","defaults","flags"],[1,"source of v1.24.17","2023-08"]],[["gates"],[1,
"source, as a fork has it","2023-08"]],[["rules"],[1,"source and documentation","2023-08"]]],"25":[[["fields",
"defaults","gates","flags","rules"],[1,"source of v1.25.16","2023-11"]]],"26":[[["fields","defaults","gates","flags",
"rules"],[1,"source of v1.26.15","2024-03"]]],"27":[[["fields","defaults","gates","flags","rules"],[1,
"source of v1.27.16","2024-07"]]],"28":[[["fields","defaults","gates","flags","rules"],[1,"source of v1.28.15",
"2024-10"]]],"29":[[["fields","defaults","gates","flags","rules"],[1,"source of v1.29.15","2025-03"]]],"30":
[[["fields","defaults","gates","flags","rules"],[1,"source of v1.30.14","2025-06"]]],"31":[[["fields","defaults",
"gates","flags","rules"],[1,"source of v1.31.14","2025-11"]]],"32":[[["fields","defaults","gates","flags","rules"],[1,
"source of v1.32.13","2026-02"]]],"33":[[["fields","defaults","gates","flags","rules"],[1,"source of v1.33.13",
"2026-06"]]],"34":[[["fields","defaults","gates","flags","rules"],[1,"source of v1.34.10","2026-07"]]],"35":
[[["fields","defaults","gates","flags","rules"],[1,"source of v1.35.7","2026-07"]]],"36":[[["fields","defaults",
"gates","flags","rules"],[1,"source of v1.36.3","2026-07"]]],"37":[[["fields","rules"],[1,
"source before the code freeze","2026-07"]],[["defaults"],[1,"release notes and source before the code freeze",
"2026-08"]],[["gates"],[1,"source after the code freeze","2026-08"]],[["flags","meanings"],[1,"release notes",
"2026-08"]]],"38":[[["fields","meanings"],[0,"release notes of an alpha","2026-09"]]]},"kinds":
{"apiserver.config.k8s.io/v1":[[["AdmissionConfiguration","EncryptionConfiguration","ResourceQuotaConfiguration",
"WebhookAdmissionConfiguration"],["kube_apiserver","kube-apiserver",20,null]],[["AuthenticationConfiguration",
"TracingConfiguration"],["kube_apiserver","kube-apiserver",34,null]],[["AuthorizationConfiguration"],
["kube_apiserver","kube-apiserver",32,null]],[["MutatingAdmissionPolicyConfiguration",
"ValidatingAdmissionPolicyConfiguration"],["kube_apiserver","kube-apiserver",36,null]]],
"apiserver.config.k8s.io/v1alpha1":[[["AuthenticationConfiguration","AuthorizationConfiguration"],["kube_apiserver",
"kube-apiserver",29,null]],[["TracingConfiguration"],["kube_apiserver","kube-apiserver",22,null]],
[["WebhookAdmission"],["kube_apiserver","kube-apiserver",20,35]]],"apiserver.config.k8s.io/v1beta1":
[[["AuthenticationConfiguration","AuthorizationConfiguration"],["kube_apiserver","kube-apiserver",30,null]],
[["TracingConfiguration"],["kube_apiserver","kube-apiserver",27,null]]],"apiserver.k8s.io/v1alpha1":
[[["AdmissionConfiguration","EgressSelectorConfiguration"],["kube_apiserver","kube-apiserver",20,null]]],
"apiserver.k8s.io/v1beta1":[[["EgressSelectorConfiguration"],["kube_apiserver","kube-apiserver",20,null]]],
"audit.k8s.io/v1":[[["Policy"],["kube_apiserver","kube-apiserver",20,null]]],"audit.k8s.io/v1alpha1":[[["Policy"],
["kube_apiserver","kube-apiserver",20,23]]],"audit.k8s.io/v1beta1":[[["Policy"],["kube_apiserver","kube-apiserver",20,
23]]],"controllermanager.config.k8s.io/v1":[[["LeaderMigrationConfiguration"],["clients","controller-manager",24,
null]]],"controllermanager.config.k8s.io/v1alpha1":[[["LeaderMigrationConfiguration"],["clients","controller-manager",
20,null]]],"controllermanager.config.k8s.io/v1beta1":[[["LeaderMigrationConfiguration"],["clients",
"controller-manager",22,null]]],"eventratelimit.admission.k8s.io/v1alpha1":[[["Configuration"],["kube_apiserver",
"kube-apiserver",20,null]]],"kubeadm.k8s.io/v1beta1":[[["ClusterConfiguration","ClusterStatus","InitConfiguration",
"JoinConfiguration"],["kubeadm","kubeadm",20,21]]],"kubeadm.k8s.io/v1beta2":[[["ClusterConfiguration","ClusterStatus",
"InitConfiguration","JoinConfiguration"],["kubeadm","kubeadm",20,26]]],"kubeadm.k8s.io/v1beta3":
[[["ClusterConfiguration","InitConfiguration","JoinConfiguration"],["kubeadm","kubeadm",22,36]]],
"kubeadm.k8s.io/v1beta4":[[["ClusterConfiguration","InitConfiguration","JoinConfiguration","ResetConfiguration",
"UpgradeConfiguration"],["kubeadm","kubeadm",31,null]]],"kubecontrollermanager.config.k8s.io/v1alpha1":
[[["KubeControllerManagerConfiguration"],["clients","kube-controller-manager",20,null]]],
"kubectl.config.k8s.io/v1alpha1":[[["Preference"],["clients","kubectl",33,null]]],"kubectl.config.k8s.io/v1beta1":
[[["Preference"],["clients","kubectl",34,null]]],"kubelet.config.k8s.io/v1":[[["CredentialProviderConfig"],["kubelet",
"kubelet",26,null]]],"kubelet.config.k8s.io/v1alpha1":[[["CredentialProviderConfig"],["kubelet","kubelet",20,null]],
[["ImagePullIntent","ImagePulledRecord"],["kubelet","kubelet",33,null]]],"kubelet.config.k8s.io/v1beta1":
[[["CredentialProviderConfig"],["kubelet","kubelet",24,null]],[["ImagePullIntent","ImagePulledRecord"],["kubelet",
"kubelet",35,null]],[["KubeletConfiguration","SerializedNodeConfigSource"],["kubelet","kubelet",20,null]]],
"kubeproxy.config.k8s.io/v1alpha1":[[["KubeProxyConfiguration"],["kube_proxy","kube-proxy",20,null]]],
"kubescheduler.config.k8s.io/v1":[[["DefaultPreemptionArgs","InterPodAffinityArgs","KubeSchedulerConfiguration",
"NodeAffinityArgs","NodeResourcesBalancedAllocationArgs","NodeResourcesFitArgs","PodTopologySpreadArgs",
"VolumeBindingArgs"],["kube_scheduler","kube-scheduler",25,null]],[["DynamicResourcesArgs"],["kube_scheduler",
"kube-scheduler",34,null]]],"kubescheduler.config.k8s.io/v1beta1":[[["DefaultPreemptionArgs","InterPodAffinityArgs",
"KubeSchedulerConfiguration","NodeAffinityArgs","NodeLabelArgs","NodeResourcesFitArgs",
"NodeResourcesLeastAllocatedArgs","NodeResourcesMostAllocatedArgs","PodTopologySpreadArgs",
"RequestedToCapacityRatioArgs","ServiceAffinityArgs","VolumeBindingArgs"],["kube_scheduler","kube-scheduler",20,22]],
[["NodeResourcesBalancedAllocationArgs"],["kube_scheduler","kube-scheduler",22,22]]],
"kubescheduler.config.k8s.io/v1beta2":[[["DefaultPreemptionArgs","InterPodAffinityArgs","KubeSchedulerConfiguration",
"NodeAffinityArgs","NodeResourcesBalancedAllocationArgs","NodeResourcesFitArgs","PodTopologySpreadArgs",
"VolumeBindingArgs"],["kube_scheduler","kube-scheduler",22,27]]],"kubescheduler.config.k8s.io/v1beta3":
[[["DefaultPreemptionArgs","InterPodAffinityArgs","KubeSchedulerConfiguration","NodeAffinityArgs",
"NodeResourcesBalancedAllocationArgs","NodeResourcesFitArgs","PodTopologySpreadArgs","VolumeBindingArgs"],
["kube_scheduler","kube-scheduler",23,28]]],"options.configok.dev/v1alpha1":[[["ComponentOptions"],["static_pod",
"static-pod",20,null]]],"pod-security.admission.config.k8s.io/v1":[[["PodSecurityConfiguration"],["kube_apiserver",
"kube-apiserver",25,null]]],"pod-security.admission.config.k8s.io/v1alpha1":[[["PodSecurityConfiguration"],
["kube_apiserver","kube-apiserver",22,null]]],"pod-security.admission.config.k8s.io/v1beta1":
[[["PodSecurityConfiguration"],["kube_apiserver","kube-apiserver",23,null]]],
"podtolerationrestriction.admission.k8s.io/v1alpha1":[[["Configuration"],["kube_apiserver","kube-apiserver",20,
null]]],"resourcequota.admission.k8s.io/v1alpha1":[[["Configuration"],["kube_apiserver","kube-apiserver",20,null]]],
"resourcequota.admission.k8s.io/v1beta1":[[["Configuration"],["kube_apiserver","kube-apiserver",20,null]]],"v1":
[[["Config"],["clients","client",20,null]],[["EncryptionConfig"],["kube_apiserver","kube-apiserver",20,null]]]}}
"""
