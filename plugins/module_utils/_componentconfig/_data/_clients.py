# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of clients as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"extensions":{"type":"list<object>","optional":1,"fields":{"name":{},"extension":{"type":"any"}}},
"controllerLeaders":{"type":"list<object>","fields":{"name":{},"component":{}}},"LeaderMigrationConfiguration":
{"leaderName":{},"resourceLock":{},"controllerLeaders":"controllerLeaders"}},"kinds":{"v1 Config":{"component":
"client","fields":{"kind":{"optional":1},"apiVersion":{"optional":1},"preferences":{"type":"object","optional":1,
"fields":{"colors":{"type":"bool","optional":1},"extensions":"extensions"}},"clusters":{"type":"list<object>",
"fields":{"name":{},"cluster":{"type":"object","fields":{"server":{},"tls-server-name":{"optional":1},
"insecure-skip-tls-verify":{"type":"bool","optional":1},"certificate-authority":{"optional":1},
"certificate-authority-data":{"type":"bytes","optional":1},"proxy-url":{"optional":1},"disable-compression":{"type":
"bool","optional":1,"since":26},"extensions":"extensions"}}}},"users":{"type":"list<object>","fields":{"name":{},
"user":{"type":"object","fields":{"client-certificate":{"optional":1},"client-certificate-data":{"type":"bytes",
"optional":1},"client-key":{"optional":1},"client-key-data":{"type":"bytes","optional":1},"token":{"optional":1},
"tokenFile":{"optional":1},"as":{"optional":1},"as-uid":{"optional":1,"since":23},"as-groups":{"type":"list<string>",
"optional":1},"as-user-extra":{"type":"map<list<string>>","optional":1},"username":{"optional":1},"password":
{"optional":1},"auth-provider":{"type":"object","optional":1,"nullable":1,"fields":{"name":{},"config":{"type":
"map<string>"}}},"exec":{"type":"object","optional":1,"nullable":1,"fields":{"command":{},"args":{"type":
"list<string>","optional":1},"env":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},"apiVersion":
{"optional":1},"installHint":{"optional":1},"provideClusterInfo":{"type":"bool"},"interactiveMode":{"type":"enum",
"optional":1,"since":22,"enum":["Never","IfAvailable","Always"]}}},"extensions":"extensions"}}}},"contexts":{"type":
"list<object>","fields":{"name":{},"context":{"type":"object","fields":{"cluster":{},"user":{},"namespace":
{"optional":1},"extensions":"extensions"}}}},"current-context":{},"extensions":"extensions"}},
"kubecontrollermanager.config.k8s.io/v1alpha1 KubeControllerManagerConfiguration":{"component":
"kube-controller-manager","fields":{"Generic":{"type":"object","fields":{"Port":{"type":"int32"},"Address":{},
"MinResyncPeriod":{"type":"duration"},"ClientConnection":{"type":"object","fields":{"kubeconfig":{},
"acceptContentTypes":{},"contentType":{},"qps":{"type":"float"},"burst":{"type":"int32"}}},"ControllerStartInterval":
{"type":"duration"},"LeaderElection":{"type":"object","fields":{"leaderElect":{"type":"bool","nullable":1},
"leaseDuration":{"type":"duration"},"renewDeadline":{"type":"duration"},"retryPeriod":{"type":"duration"},
"resourceLock":{},"resourceName":{},"resourceNamespace":{}}},"Controllers":{"type":"list<string>"},"Debugging":
{"type":"object","fields":{"enableProfiling":{"type":"bool","optional":1,"nullable":1},"enableContentionProfiling":
{"type":"bool","optional":1,"nullable":1}}},"LeaderMigrationEnabled":{"type":"bool","since":21},"LeaderMigration":
{"type":"object","since":21,"fields":{"leaderName":{"since":21},"resourceLock":{"since":21},"controllerLeaders":
{"type":"list<object>","since":21,"fields":{"name":{"since":21},"component":{"since":21}}}}}}},"KubeCloudShared":
{"type":"object","fields":{"CloudProvider":{"type":"object","fields":{"Name":{},"CloudConfigFile":{}}},
"ExternalCloudVolumePlugin":{},"UseServiceAccountCredentials":{"type":"bool"},"AllowUntaggedCloud":{"type":"bool"},
"RouteReconciliationPeriod":{"type":"duration"},"NodeMonitorPeriod":{"type":"duration"},"ClusterName":{},
"ClusterCIDR":{},"AllocateNodeCIDRs":{"type":"bool"},"CIDRAllocatorType":{},"ConfigureCloudRoutes":{"type":"bool",
"nullable":1},"NodeSyncPeriod":{"type":"duration"}}},"AttachDetachController":{"type":"object","fields":
{"DisableAttachDetachReconcilerSync":{"type":"bool"},"ReconcilerSyncLoopPeriod":{"type":"duration"},
"disableForceDetachOnTimeout":{"type":"bool","since":30}}},"CSRSigningController":{"type":"object","fields":
{"ClusterSigningCertFile":{},"ClusterSigningKeyFile":{},"KubeletServingSignerConfiguration":{"type":"object","fields":
{"CertFile":{},"KeyFile":{}}},"KubeletClientSignerConfiguration":{"type":"object","fields":{"CertFile":{},"KeyFile":
{}}},"KubeAPIServerClientSignerConfiguration":{"type":"object","fields":{"CertFile":{},"KeyFile":{}}},
"LegacyUnknownSignerConfiguration":{"type":"object","fields":{"CertFile":{},"KeyFile":{}}},"ClusterSigningDuration":
{"type":"duration"}}},"DaemonSetController":{"type":"object","fields":{"ConcurrentDaemonSetSyncs":{"type":"int32"}}},
"DeploymentController":{"type":"object","fields":{"ConcurrentDeploymentSyncs":{"type":"int32"},
"DeploymentControllerSyncPeriod":{"type":"duration","last":23}}},"DisruptionController":{"type":"object","since":37,
"fields":{"ConcurrentDisruptionSyncs":{"type":"int32","since":37,"gates":["PodDisruptionBudget"]}}},
"StatefulSetController":{"type":"object","fields":{"ConcurrentStatefulSetSyncs":{"type":"int32"}}},
"DeprecatedController":{"type":"object","fields":{"DeletingPodsQPS":{"type":"float","last":24},"DeletingPodsBurst":
{"type":"int32","last":24},"RegisterRetryCount":{"type":"int32","last":24}}},"EndpointController":{"type":"object",
"fields":{"ConcurrentEndpointSyncs":{"type":"int32"},"EndpointUpdatesBatchPeriod":{"type":"duration"}}},
"EndpointSliceController":{"type":"object","fields":{"ConcurrentServiceEndpointSyncs":{"type":"int32"},
"MaxEndpointsPerSlice":{"type":"int32","gates":["EndpointSlice"]},"EndpointUpdatesBatchPeriod":{"type":"duration"}}},
"EndpointSliceMirroringController":{"type":"object","fields":{"MirroringConcurrentServiceEndpointSyncs":{"type":
"int32"},"MirroringMaxEndpointsPerSubset":{"type":"int32","gates":["EndpointSlice"]},
"MirroringEndpointUpdatesBatchPeriod":{"type":"duration","gates":["EndpointSlice"]}}},"EphemeralVolumeController":
{"type":"object","since":23,"fields":{"ConcurrentEphemeralVolumeSyncs":{"type":"int32","since":23}}},
"GarbageCollectorController":{"type":"object","fields":{"EnableGarbageCollector":{"type":"bool","nullable":1},
"ConcurrentGCSyncs":{"type":"int32"},"GCIgnoredResources":{"type":"list<object>","fields":{"Group":{},"Resource":
{}}}}},"HPAController":{"type":"object","fields":{"ConcurrentHorizontalPodAutoscalerSyncs":{"type":"int32","since":
26},"HorizontalPodAutoscalerSyncPeriod":{"type":"duration"},"HorizontalPodAutoscalerDownscaleStabilizationWindow":
{"type":"duration"},"HorizontalPodAutoscalerTolerance":{"type":"float"},
"HorizontalPodAutoscalerCPUInitializationPeriod":{"type":"duration"},"HorizontalPodAutoscalerInitialReadinessDelay":
{"type":"duration"},"HorizontalPodAutoscalerUpscaleForbiddenWindow":{"type":"duration","last":30},
"HorizontalPodAutoscalerDownscaleForbiddenWindow":{"type":"duration","last":30},
"HorizontalPodAutoscalerUseRESTClients":{"type":"bool","nullable":1,"last":21}}},"JobController":{"type":"object",
"fields":{"ConcurrentJobSyncs":{"type":"int32"}}},"CronJobController":{"type":"object","fields":
{"ConcurrentCronJobSyncs":{"type":"int32"}}},"LegacySATokenCleaner":{"type":"object","since":28,"fields":
{"CleanUpPeriod":{"type":"duration","since":28}}},"NamespaceController":{"type":"object","fields":
{"NamespaceSyncPeriod":{"type":"duration"},"ConcurrentNamespaceSyncs":{"type":"int32"}}},"NodeIPAMController":{"type":
"object","fields":{"ServiceCIDR":{},"SecondaryServiceCIDR":{},"NodeCIDRMaskSize":{"type":"int32"},
"NodeCIDRMaskSizeIPv4":{"type":"int32"},"NodeCIDRMaskSizeIPv6":{"type":"int32"}}},"NodeLifecycleController":{"type":
"object","fields":{"NodeEvictionRate":{"type":"float"},"SecondaryNodeEvictionRate":{"type":"float"},
"NodeStartupGracePeriod":{"type":"duration"},"NodeMonitorGracePeriod":{"type":"duration"},"PodEvictionTimeout":
{"type":"duration"},"LargeClusterSizeThreshold":{"type":"int32"},"UnhealthyZoneThreshold":{"type":"float"},
"NodeMonitorPeriod":{"type":"duration","since":37},"EnableTaintManager":{"type":"bool","nullable":1,"last":26}}},
"PersistentVolumeBinderController":{"type":"object","fields":{"PVClaimBinderSyncPeriod":{"type":"duration"},
"VolumeConfiguration":{"type":"object","fields":{"EnableHostPathProvisioning":{"type":"bool","nullable":1},
"EnableDynamicProvisioning":{"type":"bool","nullable":1},"PersistentVolumeRecyclerConfiguration":{"type":"object",
"fields":{"MaximumRetry":{"type":"int32"},"MinimumTimeoutNFS":{"type":"int32"},"PodTemplateFilePathNFS":{},
"IncrementTimeoutNFS":{"type":"int32"},"PodTemplateFilePathHostPath":{},"MinimumTimeoutHostPath":{"type":"int32"},
"IncrementTimeoutHostPath":{"type":"int32"}}},"FlexVolumePluginDir":{}}},"VolumeHostCIDRDenylist":{"type":
"list<string>","last":30},"VolumeHostAllowLocalLoopback":{"type":"bool","nullable":1,"last":30}}},"PodGCController":
{"type":"object","fields":{"TerminatedPodGCThreshold":{"type":"int32"}}},"ReplicaSetController":{"type":"object",
"fields":{"ConcurrentRSSyncs":{"type":"int32"}}},"ReplicationController":{"type":"object","fields":
{"ConcurrentRCSyncs":{"type":"int32"}}},"ResourceQuotaController":{"type":"object","fields":
{"ResourceQuotaSyncPeriod":{"type":"duration"},"ConcurrentResourceQuotaSyncs":{"type":"int32"}}},"SAController":
{"type":"object","fields":{"ServiceAccountKeyFile":{},"ConcurrentSATokenSyncs":{"type":"int32"},"RootCAFile":{}}},
"ServiceController":{"type":"object","fields":{"ConcurrentServiceSyncs":{"type":"int32"}}},
"TTLAfterFinishedController":{"type":"object","fields":{"ConcurrentTTLSyncs":{"type":"int32"}}},
"ValidatingAdmissionPolicyStatusController":{"type":"object","since":28,"fields":{"ConcurrentPolicySyncs":{"type":
"int32","since":28}}},"DeviceTaintEvictionController":{"type":"object","since":35,"fields":{"ConcurrentSyncs":{"type":
"int32","since":35}}},"ResourceClaimController":{"type":"object","since":36,"fields":{"ConcurrentSyncs":{"type":
"int32","since":36}}}}},"controllermanager.config.k8s.io/v1 LeaderMigrationConfiguration":{"component":
"controller-manager","fields":{"leaderName":{},"controllerLeaders":"controllerLeaders"}},
"controllermanager.config.k8s.io/v1alpha1 LeaderMigrationConfiguration":{"component":"controller-manager","fields":
"LeaderMigrationConfiguration"},"controllermanager.config.k8s.io/v1beta1 LeaderMigrationConfiguration":{"component":
"controller-manager","fields":"LeaderMigrationConfiguration"},"kubectl.config.k8s.io/v1alpha1 Preference":
{"component":"kubectl","fields":{"overrides":{"type":"list<object>","fields":{"command":{},"flags":{"type":
"list<object>","fields":{"name":{},"default":{}}}}},"aliases":{"type":"list<object>","fields":{"name":{},"command":{},
"prependArgs":{"type":"list<string>","optional":1},"appendArgs":{"type":"list<string>","optional":1},"flags":{"type":
"list<object>","optional":1,"fields":{"name":{},"default":{}}}}}}},"kubectl.config.k8s.io/v1beta1 Preference":
{"component":"kubectl","fields":{"defaults":{"type":"list<object>","fields":{"command":{},"options":{"type":
"list<object>","fields":{"name":{},"default":{}}}}},"aliases":{"type":"list<object>","fields":{"name":{},"command":{},
"prependArgs":{"type":"list<string>","optional":1},"appendArgs":{"type":"list<string>","optional":1},"options":
{"type":"list<object>","optional":1,"fields":{"name":{},"default":{}}}}},"credentialPluginPolicy":{"type":"enum",
"optional":1,"since":35,"enum":["AllowAll","DenyAll","Allowlist"]},"credentialPluginAllowlist":{"type":"list<object>",
"optional":1,"since":35,"fields":{"name":{"optional":1,"since":35},"command":{"optional":1,"since":36}}}}}}}
"""
