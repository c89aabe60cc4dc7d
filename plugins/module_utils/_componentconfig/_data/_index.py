# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""The kinds that are known as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"minors":[20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37],"kinds":
{"apiserver.config.k8s.io/v1 AdmissionConfiguration":["kube_apiserver","kube-apiserver",20,null],
"apiserver.k8s.io/v1alpha1 AdmissionConfiguration":["kube_apiserver","kube-apiserver",20,null],
"apiserver.config.k8s.io/v1 AuthenticationConfiguration":["kube_apiserver","kube-apiserver",34,null],
"apiserver.config.k8s.io/v1alpha1 AuthenticationConfiguration":["kube_apiserver","kube-apiserver",29,null],
"apiserver.config.k8s.io/v1beta1 AuthenticationConfiguration":["kube_apiserver","kube-apiserver",30,null],
"apiserver.config.k8s.io/v1 AuthorizationConfiguration":["kube_apiserver","kube-apiserver",32,null],
"apiserver.config.k8s.io/v1alpha1 AuthorizationConfiguration":["kube_apiserver","kube-apiserver",29,null],
"apiserver.config.k8s.io/v1beta1 AuthorizationConfiguration":["kube_apiserver","kube-apiserver",30,null],
"kubeadm.k8s.io/v1beta1 ClusterConfiguration":["kubeadm","kubeadm",20,21],
"kubeadm.k8s.io/v1beta2 ClusterConfiguration":["kubeadm","kubeadm",20,26],
"kubeadm.k8s.io/v1beta3 ClusterConfiguration":["kubeadm","kubeadm",22,null],
"kubeadm.k8s.io/v1beta4 ClusterConfiguration":["kubeadm","kubeadm",31,null],"kubeadm.k8s.io/v1beta1 ClusterStatus":
["kubeadm","kubeadm",20,21],"kubeadm.k8s.io/v1beta2 ClusterStatus":["kubeadm","kubeadm",20,26],"v1 Config":["client",
"client",20,null],"kubelet.config.k8s.io/v1 CredentialProviderConfig":["kubelet","kubelet",26,null],
"kubelet.config.k8s.io/v1alpha1 CredentialProviderConfig":["kubelet","kubelet",20,null],
"kubelet.config.k8s.io/v1beta1 CredentialProviderConfig":["kubelet","kubelet",24,null],
"kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 DefaultPreemptionArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 DefaultPreemptionArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 DefaultPreemptionArgs":["kube_scheduler","kube-scheduler",23,28],
"kubescheduler.config.k8s.io/v1 DynamicResourcesArgs":["kube_scheduler","kube-scheduler",34,null],
"apiserver.k8s.io/v1alpha1 EgressSelectorConfiguration":["kube_apiserver","kube-apiserver",20,null],
"apiserver.k8s.io/v1beta1 EgressSelectorConfiguration":["kube_apiserver","kube-apiserver",20,null],
"apiserver.config.k8s.io/v1 EncryptionConfiguration":["kube_apiserver","kube-apiserver",20,null],
"eventratelimit.admission.k8s.io/v1alpha1 Configuration":["kube_apiserver","kube-apiserver",20,null],
"kubelet.config.k8s.io/v1alpha1 ImagePullIntent":["kubelet","kubelet",33,null],
"kubelet.config.k8s.io/v1beta1 ImagePullIntent":["kubelet","kubelet",35,null],
"kubelet.config.k8s.io/v1alpha1 ImagePulledRecord":["kubelet","kubelet",33,null],
"kubelet.config.k8s.io/v1beta1 ImagePulledRecord":["kubelet","kubelet",35,null],
"kubeadm.k8s.io/v1beta1 InitConfiguration":["kubeadm","kubeadm",20,21],"kubeadm.k8s.io/v1beta2 InitConfiguration":
["kubeadm","kubeadm",20,26],"kubeadm.k8s.io/v1beta3 InitConfiguration":["kubeadm","kubeadm",22,null],
"kubeadm.k8s.io/v1beta4 InitConfiguration":["kubeadm","kubeadm",31,null],
"kubescheduler.config.k8s.io/v1 InterPodAffinityArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 InterPodAffinityArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 InterPodAffinityArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 InterPodAffinityArgs":["kube_scheduler","kube-scheduler",23,28],
"kubeadm.k8s.io/v1beta1 JoinConfiguration":["kubeadm","kubeadm",20,21],"kubeadm.k8s.io/v1beta2 JoinConfiguration":
["kubeadm","kubeadm",20,26],"kubeadm.k8s.io/v1beta3 JoinConfiguration":["kubeadm","kubeadm",22,null],
"kubeadm.k8s.io/v1beta4 JoinConfiguration":["kubeadm","kubeadm",31,null],
"kubecontrollermanager.config.k8s.io/v1alpha1 KubeControllerManagerConfiguration":["controller_manager",
"kube-controller-manager",20,null],"kubeproxy.config.k8s.io/v1alpha1 KubeProxyConfiguration":["kube_proxy",
"kube-proxy",20,null],"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration":["kube_scheduler","kube-scheduler",
25,null],"kubescheduler.config.k8s.io/v1beta1 KubeSchedulerConfiguration":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 KubeSchedulerConfiguration":["kube_scheduler","kube-scheduler",23,28],
"kubelet.config.k8s.io/v1beta1 KubeletConfiguration":["kubelet","kubelet",20,null],
"controllermanager.config.k8s.io/v1 LeaderMigrationConfiguration":["controller_manager","controller-manager",24,null],
"controllermanager.config.k8s.io/v1alpha1 LeaderMigrationConfiguration":["controller_manager","controller-manager",20,
null],"controllermanager.config.k8s.io/v1beta1 LeaderMigrationConfiguration":["controller_manager",
"controller-manager",22,null],"apiserver.config.k8s.io/v1 MutatingAdmissionPolicyConfiguration":["kube_apiserver",
"kube-apiserver",36,null],"kubescheduler.config.k8s.io/v1 NodeAffinityArgs":["kube_scheduler","kube-scheduler",25,
null],"kubescheduler.config.k8s.io/v1beta1 NodeAffinityArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 NodeAffinityArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 NodeAffinityArgs":["kube_scheduler","kube-scheduler",23,28],
"kubescheduler.config.k8s.io/v1beta1 NodeLabelArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1 NodeResourcesBalancedAllocationArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesBalancedAllocationArgs":["kube_scheduler","kube-scheduler",22,22],
"kubescheduler.config.k8s.io/v1beta2 NodeResourcesBalancedAllocationArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 NodeResourcesBalancedAllocationArgs":["kube_scheduler","kube-scheduler",23,28],
"kubescheduler.config.k8s.io/v1 NodeResourcesFitArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesFitArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 NodeResourcesFitArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 NodeResourcesFitArgs":["kube_scheduler","kube-scheduler",23,28],
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesLeastAllocatedArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesMostAllocatedArgs":["kube_scheduler","kube-scheduler",20,22],
"pod-security.admission.config.k8s.io/v1 PodSecurityConfiguration":["kube_apiserver","kube-apiserver",25,null],
"pod-security.admission.config.k8s.io/v1alpha1 PodSecurityConfiguration":["kube_apiserver","kube-apiserver",22,null],
"pod-security.admission.config.k8s.io/v1beta1 PodSecurityConfiguration":["kube_apiserver","kube-apiserver",23,null],
"podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration":["kube_apiserver","kube-apiserver",20,null],
"kubescheduler.config.k8s.io/v1 PodTopologySpreadArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 PodTopologySpreadArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 PodTopologySpreadArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 PodTopologySpreadArgs":["kube_scheduler","kube-scheduler",23,28],
"audit.k8s.io/v1 Policy":["kube_apiserver","kube-apiserver",20,null],"kubectl.config.k8s.io/v1alpha1 Preference":
["client","kubectl",33,null],"kubectl.config.k8s.io/v1beta1 Preference":["client","kubectl",34,null],
"kubescheduler.config.k8s.io/v1beta1 RequestedToCapacityRatioArgs":["kube_scheduler","kube-scheduler",20,22],
"kubeadm.k8s.io/v1beta4 ResetConfiguration":["kubeadm","kubeadm",31,null],
"apiserver.config.k8s.io/v1 ResourceQuotaConfiguration":["kube_apiserver","kube-apiserver",20,null],
"resourcequota.admission.k8s.io/v1alpha1 Configuration":["kube_apiserver","kube-apiserver",20,null],
"resourcequota.admission.k8s.io/v1beta1 Configuration":["kube_apiserver","kube-apiserver",20,null],
"kubelet.config.k8s.io/v1beta1 SerializedNodeConfigSource":["kubelet","kubelet",20,null],
"kubescheduler.config.k8s.io/v1beta1 ServiceAffinityArgs":["kube_scheduler","kube-scheduler",20,22],
"apiserver.config.k8s.io/v1 TracingConfiguration":["kube_apiserver","kube-apiserver",34,null],
"apiserver.config.k8s.io/v1alpha1 TracingConfiguration":["kube_apiserver","kube-apiserver",22,null],
"apiserver.config.k8s.io/v1beta1 TracingConfiguration":["kube_apiserver","kube-apiserver",27,null],
"kubeadm.k8s.io/v1beta4 UpgradeConfiguration":["kubeadm","kubeadm",31,null],
"apiserver.config.k8s.io/v1 ValidatingAdmissionPolicyConfiguration":["kube_apiserver","kube-apiserver",36,null],
"kubescheduler.config.k8s.io/v1 VolumeBindingArgs":["kube_scheduler","kube-scheduler",25,null],
"kubescheduler.config.k8s.io/v1beta1 VolumeBindingArgs":["kube_scheduler","kube-scheduler",20,22],
"kubescheduler.config.k8s.io/v1beta2 VolumeBindingArgs":["kube_scheduler","kube-scheduler",22,27],
"kubescheduler.config.k8s.io/v1beta3 VolumeBindingArgs":["kube_scheduler","kube-scheduler",23,28],
"apiserver.config.k8s.io/v1alpha1 WebhookAdmission":["kube_apiserver","kube-apiserver",20,35],
"apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration":["kube_apiserver","kube-apiserver",20,null]}}
"""
