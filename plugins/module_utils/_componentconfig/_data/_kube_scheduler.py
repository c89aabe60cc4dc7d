# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-scheduler as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"DefaultPreemptionArgs":{"minCandidateNodesPercentage":{"type":"int32","nullable":1,"default":10},
"minCandidateNodesAbsolute":{"type":"int32","nullable":1,"default":100}},"hardPodAffinityWeight":{"type":"int32",
"nullable":1,"default":1},"InterPodAffinityArgs":{"hardPodAffinityWeight":"hardPodAffinityWeight",
"ignorePreferredTermsOfExistingPods":{"type":"bool","since":27}},"leaderElection":{"fields":{"leaderElect":{"type":
"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},"renewDeadline":{"type":
"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":{"default":"leases"},
"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},"clientConnection":
{"fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":"application/vnd.kubernetes.protobuf"},
"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},"enableProfiling":{"type":"bool",
"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool","nullable":1,"default":true},
"percentageOfNodesToScore":{"type":"int32","nullable":1,"default":0},"podInitialBackoffSeconds":{"type":"int64",
"nullable":1,"default":1},"podMaxBackoffSeconds":{"type":"int64","nullable":1,"default":10},"preEnqueue":{"enabled":
{"type":"list<object>","fields":{"name":{},"weight":{"type":"int32","nullable":1}}},"disabled":{"type":"list<object>",
"fields":{"name":{},"weight":{"type":"int32","nullable":1}}}},"preEnqueue2":{"since":26,"fields":"preEnqueue"},
"queueSort":{"fields":"preEnqueue"},"preFilter":{"fields":"preEnqueue"},"filter":{"fields":"preEnqueue"},"postFilter":
{"fields":"preEnqueue"},"preScore":{"fields":"preEnqueue"},"score":{"fields":"preEnqueue"},"reserve":{"fields":
"preEnqueue"},"permit":{"fields":"preEnqueue"},"preBind":{"fields":"preEnqueue"},"bind":{"fields":"preEnqueue"},
"postBind":{"fields":"preEnqueue"},"multiPoint":{"fields":"preEnqueue"},"pluginConfig":{"type":"list<object>",
"fields":{"name":{},"args":{"type":"any"}}},"extenders":{"type":"list<object>","fields":{"urlPrefix":{},"filterVerb":
{},"preemptVerb":{},"prioritizeVerb":{},"weight":{"type":"int64"},"bindVerb":{},"enableHTTPS":{"type":"bool"},
"tlsConfig":{"nullable":1,"fields":{"insecure":{"type":"bool"},"serverName":{},"certFile":{},"keyFile":{},"caFile":{},
"certData":{"type":"bytes"},"keyData":{"type":"bytes"},"caData":{"type":"bytes"}}},"httpTimeout":{"type":"duration"},
"nodeCacheCapable":{"type":"bool"},"managedResources":{"type":"list<object>","fields":{"name":{},"ignoredByScheduler":
{"type":"bool"}}},"ignorable":{"type":"bool"}}},"matchExpressions":{"key":{},"operator":{"type":"enum","enum":["In",
"NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>"}},"nodeSelectorTerms":{"matchExpressions":
{"type":"list<object>","fields":"matchExpressions"},"matchFields":{"type":"list<object>","fields":
"matchExpressions"}},"NodeAffinityArgs":{"addedAffinity":{"nullable":1,"fields":
{"requiredDuringSchedulingIgnoredDuringExecution":{"nullable":1,"fields":{"nodeSelectorTerms":{"type":"list<object>",
"fields":"nodeSelectorTerms"}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>","fields":
{"weight":{"type":"int32"},"preference":{"fields":"nodeSelectorTerms"}}}}}},"resources":{"type":"list<object>",
"fields":{"name":{},"weight":{"type":"int64"}}},"NodeResourcesBalancedAllocationArgs":{"resources":"resources"},
"shape":{"type":"list<object>","fields":{"utilization":{"type":"int32"},"score":{"type":"int32"}}},"scoringStrategy":
{"type":{"type":"enum","enum":["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":"resources",
"requestedToCapacityRatio":{"nullable":1,"fields":{"shape":"shape"}}},"NodeResourcesFitArgs":{"ignoredResources":
{"type":"list<string>"},"ignoredResourceGroups":{"type":"list<string>"},"scoringStrategy":{"nullable":1,"fields":
"scoringStrategy"}},"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},"labelSelector":
{"nullable":1,"fields":{"matchLabels":{"type":"map<string>"},"matchExpressions":{"type":"list<object>","fields":
{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist"]},"values":{"type":
"list<string>"}}}}},"defaultConstraints":{"type":"list<object>","fields":{"maxSkew":{"type":"int32"},"topologyKey":{},
"whenUnsatisfiable":"whenUnsatisfiable","labelSelector":"labelSelector","minDomains":{"type":"int32","nullable":1,
"since":24,"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum","nullable":1,"since":25,
"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},"nodeTaintsPolicy":{"type":"enum",
"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"matchLabelKeys":{"type":"list<string>","since":25,"gates":["MatchLabelKeysInPodTopologySpread"]}}},
"bindTimeoutSeconds":{"type":"int64","nullable":1,"default":600},"shape2":{"utilization":{"type":"int32","gates":[]},
"score":{"type":"int32","gates":[]}},"VolumeBindingArgs":{"bindTimeoutSeconds":"bindTimeoutSeconds","shape":{"type":
"list<object>","gates":["VolumeCapacityPriority"],"fields":"shape2"}}},"kinds":
{"kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs":{"fields":"DefaultPreemptionArgs"},
"kubescheduler.config.k8s.io/v1beta1 DefaultPreemptionArgs":{"fields":"DefaultPreemptionArgs"},
"kubescheduler.config.k8s.io/v1beta2 DefaultPreemptionArgs":{"fields":"DefaultPreemptionArgs"},
"kubescheduler.config.k8s.io/v1beta3 DefaultPreemptionArgs":{"fields":"DefaultPreemptionArgs"},
"kubescheduler.config.k8s.io/v1 DynamicResourcesArgs":{"fields":{"filterTimeout":{"type":"duration","nullable":1,
"default":{"whenGate":"DRASchedulerFilterTimeout","value":"10s"}},"bindingTimeout":{"type":"duration","nullable":1,
"since":35,"default":{"whenGate":"DRAResourceClaimDeviceStatus","value":"10m0s"},"gates":
["DRADeviceBindingConditions","DRAResourceClaimDeviceStatus"]}}},
"kubescheduler.config.k8s.io/v1 InterPodAffinityArgs":{"fields":"InterPodAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta1 InterPodAffinityArgs":{"fields":{"hardPodAffinityWeight":
"hardPodAffinityWeight"}},"kubescheduler.config.k8s.io/v1beta2 InterPodAffinityArgs":{"fields":
"InterPodAffinityArgs"},"kubescheduler.config.k8s.io/v1beta3 InterPodAffinityArgs":{"fields":"InterPodAffinityArgs"},
"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration":{"fields":{"parallelism":{"type":"int32","nullable":1,
"default":16},"leaderElection":"leaderElection","clientConnection":"clientConnection","enableProfiling":
"enableProfiling","enableContentionProfiling":"enableContentionProfiling","percentageOfNodesToScore":
"percentageOfNodesToScore","podInitialBackoffSeconds":"podInitialBackoffSeconds","podMaxBackoffSeconds":
"podMaxBackoffSeconds","profiles":{"type":"list<object>","fields":{"schedulerName":{"nullable":1},
"percentageOfNodesToScore":{"type":"int32","nullable":1,"since":26},"plugins":{"nullable":1,"fields":{"preEnqueue":
"preEnqueue2","queueSort":"queueSort","preFilter":"preFilter","filter":"filter","postFilter":"postFilter","preScore":
"preScore","score":"score","reserve":"reserve","permit":"permit","preBind":"preBind","bind":"bind","postBind":
"postBind","multiPoint":"multiPoint","placementGenerate":{"since":36,"fields":"preEnqueue"},"placementScore":{"since":
36,"fields":"preEnqueue"},"podGroupPostFilter":{"since":37,"fields":"preEnqueue"}}},"pluginConfig":"pluginConfig"}},
"extenders":"extenders","delayCacheUntilActive":{"type":"bool","since":28}}},
"kubescheduler.config.k8s.io/v1beta1 KubeSchedulerConfiguration":{"fields":{"parallelism":{"type":"int32","nullable":
1,"default":16},"leaderElection":"leaderElection","clientConnection":"clientConnection","healthzBindAddress":
{"nullable":1},"metricsBindAddress":{"nullable":1},"enableProfiling":"enableProfiling","enableContentionProfiling":
"enableContentionProfiling","percentageOfNodesToScore":"percentageOfNodesToScore","podInitialBackoffSeconds":
"podInitialBackoffSeconds","podMaxBackoffSeconds":"podMaxBackoffSeconds","profiles":{"type":"list<object>","fields":
{"schedulerName":{"nullable":1},"plugins":{"nullable":1,"fields":{"queueSort":{"nullable":1,"fields":"preEnqueue"},
"preFilter":{"nullable":1,"fields":"preEnqueue"},"filter":{"nullable":1,"fields":"preEnqueue"},"postFilter":
{"nullable":1,"fields":"preEnqueue"},"preScore":{"nullable":1,"fields":"preEnqueue"},"score":{"nullable":1,"fields":
"preEnqueue"},"reserve":{"nullable":1,"fields":"preEnqueue"},"permit":{"nullable":1,"fields":"preEnqueue"},"preBind":
{"nullable":1,"fields":"preEnqueue"},"bind":{"nullable":1,"fields":"preEnqueue"},"postBind":{"nullable":1,"fields":
"preEnqueue"}}},"pluginConfig":"pluginConfig"}},"extenders":"extenders"}},
"kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration":{"fields":{"parallelism":{"type":"int32","nullable":
1,"default":16},"leaderElection":"leaderElection","clientConnection":"clientConnection","healthzBindAddress":
{"nullable":1},"metricsBindAddress":{"nullable":1},"enableProfiling":"enableProfiling","enableContentionProfiling":
"enableContentionProfiling","percentageOfNodesToScore":"percentageOfNodesToScore","podInitialBackoffSeconds":
"podInitialBackoffSeconds","podMaxBackoffSeconds":"podMaxBackoffSeconds","profiles":{"type":"list<object>","fields":
{"schedulerName":{"nullable":1},"plugins":{"nullable":1,"fields":{"preEnqueue":"preEnqueue2","queueSort":"queueSort",
"preFilter":"preFilter","filter":"filter","postFilter":"postFilter","preScore":"preScore","score":"score","reserve":
"reserve","permit":"permit","preBind":"preBind","bind":"bind","postBind":"postBind","multiPoint":{"since":23,"fields":
"preEnqueue"}}},"pluginConfig":"pluginConfig"}},"extenders":"extenders"}},
"kubescheduler.config.k8s.io/v1beta3 KubeSchedulerConfiguration":{"fields":{"parallelism":{"type":"int32","nullable":
1,"default":16},"leaderElection":"leaderElection","clientConnection":"clientConnection","enableProfiling":
"enableProfiling","enableContentionProfiling":"enableContentionProfiling","percentageOfNodesToScore":
"percentageOfNodesToScore","podInitialBackoffSeconds":"podInitialBackoffSeconds","podMaxBackoffSeconds":
"podMaxBackoffSeconds","profiles":{"type":"list<object>","fields":{"schedulerName":{"nullable":1},"plugins":
{"nullable":1,"fields":{"preEnqueue":"preEnqueue2","queueSort":"queueSort","preFilter":"preFilter","filter":"filter",
"postFilter":"postFilter","preScore":"preScore","score":"score","reserve":"reserve","permit":"permit","preBind":
"preBind","bind":"bind","postBind":"postBind","multiPoint":"multiPoint"}},"pluginConfig":"pluginConfig"}},"extenders":
"extenders"}},"kubescheduler.config.k8s.io/v1 NodeAffinityArgs":{"fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeAffinityArgs":{"fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta2 NodeAffinityArgs":{"fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta3 NodeAffinityArgs":{"fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeLabelArgs":{"fields":{"presentLabels":{"type":"list<string>"},"absentLabels":
{"type":"list<string>"},"presentLabelsPreference":{"type":"list<string>"},"absentLabelsPreference":{"type":
"list<string>"}}},"kubescheduler.config.k8s.io/v1 NodeResourcesBalancedAllocationArgs":{"fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesBalancedAllocationArgs":
{"fields":"NodeResourcesBalancedAllocationArgs"},
"kubescheduler.config.k8s.io/v1beta2 NodeResourcesBalancedAllocationArgs":{"fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesBalancedAllocationArgs":
{"fields":"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1 NodeResourcesFitArgs":{"fields":
"NodeResourcesFitArgs"},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesFitArgs":{"fields":{"ignoredResources":
{"type":"list<string>"},"ignoredResourceGroups":{"type":"list<string>"},"scoringStrategy":{"nullable":1,"since":22,
"fields":"scoringStrategy"}}},"kubescheduler.config.k8s.io/v1beta2 NodeResourcesFitArgs":{"fields":
"NodeResourcesFitArgs"},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesFitArgs":{"fields":"NodeResourcesFitArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesLeastAllocatedArgs":{"fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesMostAllocatedArgs":{"fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1 PodTopologySpreadArgs":{"fields":
{"defaultConstraints":{"type":"list<object>","fields":{"maxSkew":{"type":"int32"},"topologyKey":{},
"whenUnsatisfiable":"whenUnsatisfiable","labelSelector":"labelSelector","minDomains":{"type":"int32","nullable":1,
"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum","nullable":1,"enum":["Ignore","Honor"],
"gates":["NodeInclusionPolicyInPodTopologySpread"]},"nodeTaintsPolicy":{"type":"enum","nullable":1,"enum":["Ignore",
"Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},"matchLabelKeys":{"type":"list<string>","gates":
["MatchLabelKeysInPodTopologySpread"]}}},"defaultingType":{"type":"enum","enum":["System","List"],"default":
"System"}}},"kubescheduler.config.k8s.io/v1beta1 PodTopologySpreadArgs":{"fields":{"defaultConstraints":{"type":
"list<object>","fields":{"maxSkew":{"type":"int32"},"topologyKey":{},"whenUnsatisfiable":"whenUnsatisfiable",
"labelSelector":"labelSelector"}},"defaultingType":{"type":"enum","enum":["System","List"],"default":{"whenGate":
"DefaultPodTopologySpread","value":"List"},"gates":["DefaultPodTopologySpread"]}}},
"kubescheduler.config.k8s.io/v1beta2 PodTopologySpreadArgs":{"fields":{"defaultConstraints":"defaultConstraints",
"defaultingType":{"type":"enum","enum":["System","List"],"default":"System","defaults":[[22,{"whenGate":
"DefaultPodTopologySpread","value":"System"}],[24,"System"]],"gates":["DefaultPodTopologySpread"]}}},
"kubescheduler.config.k8s.io/v1beta3 PodTopologySpreadArgs":{"fields":{"defaultConstraints":"defaultConstraints",
"defaultingType":{"type":"enum","enum":["System","List"],"default":"System","defaults":[[23,{"whenGate":
"DefaultPodTopologySpread","value":"System"}],[24,"System"]],"gates":["DefaultPodTopologySpread"]}}},
"kubescheduler.config.k8s.io/v1beta1 RequestedToCapacityRatioArgs":{"fields":{"shape":"shape","resources":
"resources"}},"kubescheduler.config.k8s.io/v1beta1 ServiceAffinityArgs":{"fields":{"affinityLabels":{"type":
"list<string>"},"antiAffinityLabelsPreference":{"type":"list<string>"}}},
"kubescheduler.config.k8s.io/v1 VolumeBindingArgs":{"fields":{"bindTimeoutSeconds":"bindTimeoutSeconds","shape":
{"type":"list<object>","gates":["StorageCapacityScoring","VolumeCapacityPriority"],"fields":"shape2"}}},
"kubescheduler.config.k8s.io/v1beta1 VolumeBindingArgs":{"fields":{"bindTimeoutSeconds":"bindTimeoutSeconds","shape":
{"type":"list<object>","since":22,"gates":["VolumeCapacityPriority"],"fields":"shape2"}}},
"kubescheduler.config.k8s.io/v1beta2 VolumeBindingArgs":{"fields":"VolumeBindingArgs"},
"kubescheduler.config.k8s.io/v1beta3 VolumeBindingArgs":{"fields":"VolumeBindingArgs"}}}
"""
