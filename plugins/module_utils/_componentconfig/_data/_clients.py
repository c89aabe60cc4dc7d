# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of clients as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"extensions":{"type":"list<object>","fields":{"name":{},"extension":{"type":"any"}}},"controllerLeaders":
{"type":"list<object>","fields":{"name":{},"component":{}}},"LeaderMigration":{"leaderName":{},"resourceLock":{},
"controllerLeaders":"controllerLeaders"},"flags":{"type":"list<object>","fields":{"name":{},"default":{}}},"options":
{"type":"list<object>","fields":{"name":{},"default":{}}}},"kinds":{"v1 Config":{"fields":{"kind":{},"apiVersion":{},
"preferences":{"fields":{"colors":{"type":"bool"},"extensions":"extensions"}},"clusters":{"type":"list<object>",
"fields":{"name":{},"cluster":{"fields":{"server":{},"tls-server-name":{},"insecure-skip-tls-verify":{"type":"bool"},
"certificate-authority":{},"certificate-authority-data":{"type":"bytes"},"proxy-url":{},"disable-compression":{"type":
"bool","since":26},"extensions":"extensions"}}}},"users":{"type":"list<object>","fields":{"name":{},"user":{"fields":
{"client-certificate":{},"client-certificate-data":{"type":"bytes"},"client-key":{},"client-key-data":{"type":
"bytes"},"token":{},"tokenFile":{},"as":{},"as-uid":{"since":23},"as-groups":{"type":"list<string>"},"as-user-extra":
{"type":"map<list<string>>"},"username":{},"password":{},"auth-provider":{"nullable":1,"fields":{"name":{},"config":
{"type":"map<string>"}}},"exec":{"nullable":1,"fields":{"command":{},"args":{"type":"list<string>"},"env":{"type":
"list<object>","fields":{"name":{},"value":{}}},"apiVersion":{},"installHint":{},"provideClusterInfo":{"type":"bool"},
"interactiveMode":{"type":"enum","since":22,"enum":["Never","IfAvailable","Always"]}}},"extensions":"extensions"}}}},
"contexts":{"type":"list<object>","fields":{"name":{},"context":{"fields":{"cluster":{},"user":{},"namespace":{},
"extensions":"extensions"}}}},"current-context":{},"extensions":"extensions"}},
"kubecontrollermanager.config.k8s.io/v1alpha1 KubeControllerManagerConfiguration":{"fields":{"Generic":{"fields":
{"Port":{"type":"int32"},"Address":{},"MinResyncPeriod":{"type":"duration"},"ClientConnection":{"fields":
{"kubeconfig":{},"acceptContentTypes":{},"contentType":{},"qps":{"type":"float"},"burst":{"type":"int32"}}},
"ControllerStartInterval":{"type":"duration"},"LeaderElection":{"fields":{"leaderElect":{"type":"bool","nullable":1},
"leaseDuration":{"type":"duration"},"renewDeadline":{"type":"duration"},"retryPeriod":{"type":"duration"},
"resourceLock":{},"resourceName":{},"resourceNamespace":{}}},"Controllers":{"type":"list<string>"},"Debugging":
{"fields":{"enableProfiling":{"type":"bool","nullable":1},"enableContentionProfiling":{"type":"bool","nullable":1}}},
"LeaderMigrationEnabled":{"type":"bool","since":21},"LeaderMigration":{"since":21,"fields":"LeaderMigration"}}},
"KubeCloudShared":{"fields":{"CloudProvider":{"fields":{"Name":{},"CloudConfigFile":{}}},"ExternalCloudVolumePlugin":
{},"UseServiceAccountCredentials":{"type":"bool"},"AllowUntaggedCloud":{"type":"bool"},"RouteReconciliationPeriod":
{"type":"duration"},"NodeMonitorPeriod":{"type":"duration"},"ClusterName":{},"ClusterCIDR":{},"AllocateNodeCIDRs":
{"type":"bool"},"CIDRAllocatorType":{},"ConfigureCloudRoutes":{"type":"bool","nullable":1},"NodeSyncPeriod":{"type":
"duration"}}},"AttachDetachController":{"fields":{"DisableAttachDetachReconcilerSync":{"type":"bool"},
"ReconcilerSyncLoopPeriod":{"type":"duration"},"disableForceDetachOnTimeout":{"type":"bool","since":30}}},
"CSRSigningController":{"fields":{"ClusterSigningCertFile":{},"ClusterSigningKeyFile":{},
"KubeletServingSignerConfiguration":{"fields":{"CertFile":{},"KeyFile":{}}},"KubeletClientSignerConfiguration":
{"fields":{"CertFile":{},"KeyFile":{}}},"KubeAPIServerClientSignerConfiguration":{"fields":{"CertFile":{},"KeyFile":
{}}},"LegacyUnknownSignerConfiguration":{"fields":{"CertFile":{},"KeyFile":{}}},"ClusterSigningDuration":{"type":
"duration"}}},"DaemonSetController":{"fields":{"ConcurrentDaemonSetSyncs":{"type":"int32"}}},"DeploymentController":
{"fields":{"ConcurrentDeploymentSyncs":{"type":"int32"},"DeploymentControllerSyncPeriod":{"type":"duration","last":
23}}},"DisruptionController":{"since":37,"fields":{"ConcurrentDisruptionSyncs":{"type":"int32","gates":
["PodDisruptionBudget"]}}},"StatefulSetController":{"fields":{"ConcurrentStatefulSetSyncs":{"type":"int32"}}},
"DeprecatedController":{"fields":{"DeletingPodsQPS":{"type":"float","last":24},"DeletingPodsBurst":{"type":"int32",
"last":24},"RegisterRetryCount":{"type":"int32","last":24}}},"EndpointController":{"fields":
{"ConcurrentEndpointSyncs":{"type":"int32"},"EndpointUpdatesBatchPeriod":{"type":"duration"}}},
"EndpointSliceController":{"fields":{"ConcurrentServiceEndpointSyncs":{"type":"int32"},"MaxEndpointsPerSlice":{"type":
"int32","gates":["EndpointSlice"]},"EndpointUpdatesBatchPeriod":{"type":"duration"}}},
"EndpointSliceMirroringController":{"fields":{"MirroringConcurrentServiceEndpointSyncs":{"type":"int32"},
"MirroringMaxEndpointsPerSubset":{"type":"int32","gates":["EndpointSlice"]},"MirroringEndpointUpdatesBatchPeriod":
{"type":"duration","gates":["EndpointSlice"]}}},"EphemeralVolumeController":{"since":23,"fields":
{"ConcurrentEphemeralVolumeSyncs":{"type":"int32"}}},"GarbageCollectorController":{"fields":{"EnableGarbageCollector":
{"type":"bool","nullable":1},"ConcurrentGCSyncs":{"type":"int32"},"GCIgnoredResources":{"type":"list<object>",
"fields":{"Group":{},"Resource":{}}}}},"HPAController":{"fields":{"ConcurrentHorizontalPodAutoscalerSyncs":{"type":
"int32","since":26},"HorizontalPodAutoscalerSyncPeriod":{"type":"duration"},
"HorizontalPodAutoscalerDownscaleStabilizationWindow":{"type":"duration"},"HorizontalPodAutoscalerTolerance":{"type":
"float"},"HorizontalPodAutoscalerCPUInitializationPeriod":{"type":"duration"},
"HorizontalPodAutoscalerInitialReadinessDelay":{"type":"duration"},"HorizontalPodAutoscalerUpscaleForbiddenWindow":
{"type":"duration","last":30},"HorizontalPodAutoscalerDownscaleForbiddenWindow":{"type":"duration","last":30},
"HorizontalPodAutoscalerUseRESTClients":{"type":"bool","nullable":1,"last":21}}},"JobController":{"fields":
{"ConcurrentJobSyncs":{"type":"int32"}}},"CronJobController":{"fields":{"ConcurrentCronJobSyncs":{"type":"int32"}}},
"LegacySATokenCleaner":{"since":28,"fields":{"CleanUpPeriod":{"type":"duration"}}},"NamespaceController":{"fields":
{"NamespaceSyncPeriod":{"type":"duration"},"ConcurrentNamespaceSyncs":{"type":"int32"}}},"NodeIPAMController":
{"fields":{"ServiceCIDR":{},"SecondaryServiceCIDR":{},"NodeCIDRMaskSize":{"type":"int32"},"NodeCIDRMaskSizeIPv4":
{"type":"int32"},"NodeCIDRMaskSizeIPv6":{"type":"int32"}}},"NodeLifecycleController":{"fields":{"NodeEvictionRate":
{"type":"float"},"SecondaryNodeEvictionRate":{"type":"float"},"NodeStartupGracePeriod":{"type":"duration"},
"NodeMonitorGracePeriod":{"type":"duration"},"PodEvictionTimeout":{"type":"duration"},"LargeClusterSizeThreshold":
{"type":"int32"},"UnhealthyZoneThreshold":{"type":"float"},"NodeMonitorPeriod":{"type":"duration","since":37},
"EnableTaintManager":{"type":"bool","nullable":1,"last":26}}},"PersistentVolumeBinderController":{"fields":
{"PVClaimBinderSyncPeriod":{"type":"duration"},"VolumeConfiguration":{"fields":{"EnableHostPathProvisioning":{"type":
"bool","nullable":1},"EnableDynamicProvisioning":{"type":"bool","nullable":1},"PersistentVolumeRecyclerConfiguration":
{"fields":{"MaximumRetry":{"type":"int32"},"MinimumTimeoutNFS":{"type":"int32"},"PodTemplateFilePathNFS":{},
"IncrementTimeoutNFS":{"type":"int32"},"PodTemplateFilePathHostPath":{},"MinimumTimeoutHostPath":{"type":"int32"},
"IncrementTimeoutHostPath":{"type":"int32"}}},"FlexVolumePluginDir":{}}},"VolumeHostCIDRDenylist":{"type":
"list<string>","last":30},"VolumeHostAllowLocalLoopback":{"type":"bool","nullable":1,"last":30}}},"PodGCController":
{"fields":{"TerminatedPodGCThreshold":{"type":"int32"}}},"ReplicaSetController":{"fields":{"ConcurrentRSSyncs":
{"type":"int32"}}},"ReplicationController":{"fields":{"ConcurrentRCSyncs":{"type":"int32"}}},
"ResourceQuotaController":{"fields":{"ResourceQuotaSyncPeriod":{"type":"duration"},"ConcurrentResourceQuotaSyncs":
{"type":"int32"}}},"SAController":{"fields":{"ServiceAccountKeyFile":{},"ConcurrentSATokenSyncs":{"type":"int32"},
"RootCAFile":{}}},"ServiceController":{"fields":{"ConcurrentServiceSyncs":{"type":"int32"}}},
"TTLAfterFinishedController":{"fields":{"ConcurrentTTLSyncs":{"type":"int32"}}},
"ValidatingAdmissionPolicyStatusController":{"since":28,"fields":{"ConcurrentPolicySyncs":{"type":"int32"}}},
"DeviceTaintEvictionController":{"since":35,"fields":{"ConcurrentSyncs":{"type":"int32"}}},"ResourceClaimController":
{"since":36,"fields":{"ConcurrentSyncs":{"type":"int32"}}}}},
"controllermanager.config.k8s.io/v1 LeaderMigrationConfiguration":{"fields":{"leaderName":{},"controllerLeaders":
"controllerLeaders"}},"controllermanager.config.k8s.io/v1alpha1 LeaderMigrationConfiguration":{"fields":
"LeaderMigration"},"controllermanager.config.k8s.io/v1beta1 LeaderMigrationConfiguration":{"fields":
"LeaderMigration"},"kubectl.config.k8s.io/v1alpha1 Preference":{"fields":{"overrides":{"type":"list<object>","fields":
{"command":{},"flags":"flags"}},"aliases":{"type":"list<object>","fields":{"name":{},"command":{},"prependArgs":
{"type":"list<string>"},"appendArgs":{"type":"list<string>"},"flags":"flags"}}}},
"kubectl.config.k8s.io/v1beta1 Preference":{"fields":{"defaults":{"type":"list<object>","fields":{"command":{},
"options":"options"}},"aliases":{"type":"list<object>","fields":{"name":{},"command":{},"prependArgs":{"type":
"list<string>"},"appendArgs":{"type":"list<string>"},"options":"options"}},"credentialPluginPolicy":{"type":"enum",
"since":35,"enum":["AllowAll","DenyAll","Allowlist"]},"credentialPluginAllowlist":{"type":"list<object>","since":35,
"fields":{"name":{},"command":{"since":36}}}}}}}
"""
