# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-scheduler as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"DefaultPreemptionArgs":{"minCandidateNodesPercentage":{"type":"int32","optional":1,"nullable":1,"default":
10},"minCandidateNodesAbsolute":{"type":"int32","optional":1,"nullable":1,"default":100}},"hardPodAffinityWeight":
{"type":"int32","optional":1,"nullable":1,"default":1},"InterPodAffinityArgs":{"hardPodAffinityWeight":
"hardPodAffinityWeight","ignorePreferredTermsOfExistingPods":{"type":"bool","since":27}},"parallelism":{"type":
"int32","optional":1,"nullable":1,"default":16},"leaderElection":{"type":"object","fields":{"leaderElect":{"type":
"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},"renewDeadline":{"type":
"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":{"default":"leases"},
"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},"clientConnection":
{"type":"object","fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},
"enableProfiling":{"type":"bool","optional":1,"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool",
"optional":1,"nullable":1,"default":true},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,
"default":0},"podInitialBackoffSeconds":{"type":"int64","optional":1,"nullable":1,"default":1},"podMaxBackoffSeconds":
{"type":"int64","optional":1,"nullable":1,"default":10},"enabled":{"name":{"since":26},"weight":{"type":"int32",
"optional":1,"nullable":1,"since":26}},"preEnqueue":{"type":"object","optional":1,"since":26,"fields":{"enabled":
{"type":"list<object>","optional":1,"since":26,"fields":"enabled"},"disabled":{"type":"list<object>","optional":1,
"since":26,"fields":"enabled"}}},"enabled2":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}},
"queueSort":{"enabled":{"type":"list<object>","optional":1,"fields":"enabled2"},"disabled":{"type":"list<object>",
"optional":1,"fields":"enabled2"}},"queueSort2":{"type":"object","optional":1,"fields":"queueSort"},"preFilter":
{"type":"object","optional":1,"fields":"queueSort"},"filter":{"type":"object","optional":1,"fields":"queueSort"},
"postFilter":{"type":"object","optional":1,"fields":"queueSort"},"preScore":{"type":"object","optional":1,"fields":
"queueSort"},"score":{"type":"object","optional":1,"fields":"queueSort"},"reserve":{"type":"object","optional":1,
"fields":"queueSort"},"permit":{"type":"object","optional":1,"fields":"queueSort"},"preBind":{"type":"object",
"optional":1,"fields":"queueSort"},"bind":{"type":"object","optional":1,"fields":"queueSort"},"postBind":{"type":
"object","optional":1,"fields":"queueSort"},"multiPoint":{"type":"object","optional":1,"fields":"queueSort"},
"enabled3":{"name":{"since":36},"weight":{"type":"int32","optional":1,"nullable":1,"since":36}},"placementGenerate":
{"enabled":{"type":"list<object>","optional":1,"since":36,"fields":"enabled3"},"disabled":{"type":"list<object>",
"optional":1,"since":36,"fields":"enabled3"}},"enabled4":{"name":{"since":37},"weight":{"type":"int32","optional":1,
"nullable":1,"since":37}},"pluginConfig":{"type":"list<object>","optional":1,"fields":{"name":{},"args":{"type":"any",
"optional":1}}},"extenders":{"type":"list<object>","optional":1,"fields":{"urlPrefix":{},"filterVerb":{"optional":1},
"preemptVerb":{"optional":1},"prioritizeVerb":{"optional":1},"weight":{"type":"int64","optional":1},"bindVerb":
{"optional":1},"enableHTTPS":{"type":"bool","optional":1},"tlsConfig":{"type":"object","optional":1,"nullable":1,
"fields":{"insecure":{"type":"bool","optional":1},"serverName":{"optional":1},"certFile":{"optional":1},"keyFile":
{"optional":1},"caFile":{"optional":1},"certData":{"type":"bytes","optional":1},"keyData":{"type":"bytes","optional":
1},"caData":{"type":"bytes","optional":1}}},"httpTimeout":{"type":"duration","optional":1},"nodeCacheCapable":{"type":
"bool","optional":1},"managedResources":{"type":"list<object>","optional":1,"fields":{"name":{},"ignoredByScheduler":
{"type":"bool","optional":1}}},"ignorable":{"type":"bool","optional":1}}},"enabled5":{"name":{"since":23},"weight":
{"type":"int32","optional":1,"nullable":1,"since":23}},"matchExpressions":{"key":{},"operator":{"type":"enum","enum":
["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>","optional":1}},"nodeSelectorTerms":
{"matchExpressions":{"type":"list<object>","optional":1,"fields":"matchExpressions"},"matchFields":{"type":
"list<object>","optional":1,"fields":"matchExpressions"}},"NodeAffinityArgs":{"addedAffinity":{"type":"object",
"optional":1,"nullable":1,"fields":{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object","optional":1,
"nullable":1,"fields":{"nodeSelectorTerms":{"type":"list<object>","fields":"nodeSelectorTerms"}}},
"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>","optional":1,"fields":{"weight":{"type":
"int32"},"preference":{"type":"object","fields":"nodeSelectorTerms"}}}}}},"resources":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":1}}},"NodeResourcesBalancedAllocationArgs":
{"resources":"resources"},"ignoredResourceGroups":{"type":"list<string>","optional":1},"shape":{"utilization":{"type":
"int32"},"score":{"type":"int32"}},"NodeResourcesFitArgs":{"ignoredResources":{"type":"list<string>","optional":1},
"ignoredResourceGroups":"ignoredResourceGroups","scoringStrategy":{"type":"object","optional":1,"nullable":1,"fields":
{"type":{"type":"enum","optional":1,"enum":["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":
"resources","requestedToCapacityRatio":{"type":"object","optional":1,"nullable":1,"fields":{"shape":{"type":
"list<object>","optional":1,"fields":"shape"}}}}}},"shape2":{"utilization":{"type":"int32","since":22},"score":
{"type":"int32","since":22}},"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},
"labelSelector":{"type":"object","optional":1,"nullable":1,"fields":{"matchLabels":{"type":"map<string>","optional":
1},"matchExpressions":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In",
"NotIn","Exists","DoesNotExist"]},"values":{"type":"list<string>","optional":1}}}}},"defaultConstraints":{"type":
"list<object>","optional":1,"fields":{"maxSkew":{"type":"int32"},"topologyKey":{},"whenUnsatisfiable":
"whenUnsatisfiable","labelSelector":"labelSelector","minDomains":{"type":"int32","optional":1,"nullable":1,"since":24,
"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum","optional":1,"nullable":1,"since":25,
"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},"nodeTaintsPolicy":{"type":"enum",
"optional":1,"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"matchLabelKeys":{"type":"list<string>","optional":1,"since":25,"gates":["MatchLabelKeysInPodTopologySpread"]}}},
"bindTimeoutSeconds":{"type":"int64","optional":1,"nullable":1,"default":600},"VolumeBindingArgs":
{"bindTimeoutSeconds":"bindTimeoutSeconds","shape":{"type":"list<object>","optional":1,"gates":
["VolumeCapacityPriority"],"fields":"shape"}}},"kinds":{"kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs":
{"component":"kube-scheduler","fields":"DefaultPreemptionArgs"},
"kubescheduler.config.k8s.io/v1beta1 DefaultPreemptionArgs":{"component":"kube-scheduler","fields":
"DefaultPreemptionArgs"},"kubescheduler.config.k8s.io/v1beta2 DefaultPreemptionArgs":{"component":"kube-scheduler",
"fields":"DefaultPreemptionArgs"},"kubescheduler.config.k8s.io/v1beta3 DefaultPreemptionArgs":{"component":
"kube-scheduler","fields":"DefaultPreemptionArgs"},"kubescheduler.config.k8s.io/v1 DynamicResourcesArgs":{"component":
"kube-scheduler","fields":{"filterTimeout":{"type":"duration","nullable":1,"default":{"whenGate":
"DRASchedulerFilterTimeout","value":"10s"}},"bindingTimeout":{"type":"duration","optional":1,"nullable":1,"since":35,
"default":{"whenGate":"DRAResourceClaimDeviceStatus","value":"10m0s"},"gates":["DRADeviceBindingConditions",
"DRAResourceClaimDeviceStatus"]}}},"kubescheduler.config.k8s.io/v1 InterPodAffinityArgs":{"component":
"kube-scheduler","fields":"InterPodAffinityArgs"},"kubescheduler.config.k8s.io/v1beta1 InterPodAffinityArgs":
{"component":"kube-scheduler","fields":{"hardPodAffinityWeight":"hardPodAffinityWeight"}},
"kubescheduler.config.k8s.io/v1beta2 InterPodAffinityArgs":{"component":"kube-scheduler","fields":
"InterPodAffinityArgs"},"kubescheduler.config.k8s.io/v1beta3 InterPodAffinityArgs":{"component":"kube-scheduler",
"fields":"InterPodAffinityArgs"},"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration":{"component":
"kube-scheduler","fields":{"parallelism":"parallelism","leaderElection":"leaderElection","clientConnection":
"clientConnection","enableProfiling":"enableProfiling","enableContentionProfiling":"enableContentionProfiling",
"percentageOfNodesToScore":"percentageOfNodesToScore","podInitialBackoffSeconds":"podInitialBackoffSeconds",
"podMaxBackoffSeconds":"podMaxBackoffSeconds","profiles":{"type":"list<object>","optional":1,"fields":
{"schedulerName":{"optional":1,"nullable":1},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,
"since":26},"plugins":{"type":"object","optional":1,"nullable":1,"fields":{"preEnqueue":"preEnqueue","queueSort":
"queueSort2","preFilter":"preFilter","filter":"filter","postFilter":"postFilter","preScore":"preScore","score":
"score","reserve":"reserve","permit":"permit","preBind":"preBind","bind":"bind","postBind":"postBind","multiPoint":
"multiPoint","placementGenerate":{"type":"object","optional":1,"since":36,"fields":"placementGenerate"},
"placementScore":{"type":"object","optional":1,"since":36,"fields":"placementGenerate"},"podGroupPostFilter":{"type":
"object","optional":1,"since":37,"fields":{"enabled":{"type":"list<object>","optional":1,"since":37,"fields":
"enabled4"},"disabled":{"type":"list<object>","optional":1,"since":37,"fields":"enabled4"}}}}},"pluginConfig":
"pluginConfig"}},"extenders":"extenders","delayCacheUntilActive":{"type":"bool","optional":1,"since":28}}},
"kubescheduler.config.k8s.io/v1beta1 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":
{"parallelism":"parallelism","leaderElection":"leaderElection","clientConnection":"clientConnection",
"healthzBindAddress":{"optional":1,"nullable":1},"metricsBindAddress":{"optional":1,"nullable":1},"enableProfiling":
"enableProfiling","enableContentionProfiling":"enableContentionProfiling","percentageOfNodesToScore":
"percentageOfNodesToScore","podInitialBackoffSeconds":"podInitialBackoffSeconds","podMaxBackoffSeconds":
"podMaxBackoffSeconds","profiles":{"type":"list<object>","optional":1,"fields":{"schedulerName":{"optional":1,
"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":{"queueSort":{"type":"object","optional":
1,"nullable":1,"fields":"queueSort"},"preFilter":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},
"filter":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},"postFilter":{"type":"object","optional":1,
"nullable":1,"fields":"queueSort"},"preScore":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},
"score":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},"reserve":{"type":"object","optional":1,
"nullable":1,"fields":"queueSort"},"permit":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},
"preBind":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"},"bind":{"type":"object","optional":1,
"nullable":1,"fields":"queueSort"},"postBind":{"type":"object","optional":1,"nullable":1,"fields":"queueSort"}}},
"pluginConfig":"pluginConfig"}},"extenders":"extenders"}},
"kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":
{"parallelism":"parallelism","leaderElection":"leaderElection","clientConnection":"clientConnection",
"healthzBindAddress":{"optional":1,"nullable":1},"metricsBindAddress":{"optional":1,"nullable":1},"enableProfiling":
"enableProfiling","enableContentionProfiling":"enableContentionProfiling","percentageOfNodesToScore":
"percentageOfNodesToScore","podInitialBackoffSeconds":"podInitialBackoffSeconds","podMaxBackoffSeconds":
"podMaxBackoffSeconds","profiles":{"type":"list<object>","optional":1,"fields":{"schedulerName":{"optional":1,
"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":{"preEnqueue":"preEnqueue","queueSort":
"queueSort2","preFilter":"preFilter","filter":"filter","postFilter":"postFilter","preScore":"preScore","score":
"score","reserve":"reserve","permit":"permit","preBind":"preBind","bind":"bind","postBind":"postBind","multiPoint":
{"type":"object","optional":1,"since":23,"fields":{"enabled":{"type":"list<object>","optional":1,"since":23,"fields":
"enabled5"},"disabled":{"type":"list<object>","optional":1,"since":23,"fields":"enabled5"}}}}},"pluginConfig":
"pluginConfig"}},"extenders":"extenders"}},"kubescheduler.config.k8s.io/v1beta3 KubeSchedulerConfiguration":
{"component":"kube-scheduler","fields":{"parallelism":"parallelism","leaderElection":"leaderElection",
"clientConnection":"clientConnection","enableProfiling":"enableProfiling","enableContentionProfiling":
"enableContentionProfiling","percentageOfNodesToScore":"percentageOfNodesToScore","podInitialBackoffSeconds":
"podInitialBackoffSeconds","podMaxBackoffSeconds":"podMaxBackoffSeconds","profiles":{"type":"list<object>","optional":
1,"fields":{"schedulerName":{"optional":1,"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":
{"preEnqueue":"preEnqueue","queueSort":"queueSort2","preFilter":"preFilter","filter":"filter","postFilter":
"postFilter","preScore":"preScore","score":"score","reserve":"reserve","permit":"permit","preBind":"preBind","bind":
"bind","postBind":"postBind","multiPoint":"multiPoint"}},"pluginConfig":"pluginConfig"}},"extenders":"extenders"}},
"kubescheduler.config.k8s.io/v1 NodeAffinityArgs":{"component":"kube-scheduler","fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeAffinityArgs":{"component":"kube-scheduler","fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta2 NodeAffinityArgs":{"component":"kube-scheduler","fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta3 NodeAffinityArgs":{"component":"kube-scheduler","fields":"NodeAffinityArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeLabelArgs":{"component":"kube-scheduler","fields":{"presentLabels":{"type":
"list<string>","optional":1},"absentLabels":{"type":"list<string>","optional":1},"presentLabelsPreference":{"type":
"list<string>","optional":1},"absentLabelsPreference":{"type":"list<string>","optional":1}}},
"kubescheduler.config.k8s.io/v1 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler","fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesBalancedAllocationArgs":
{"component":"kube-scheduler","fields":"NodeResourcesBalancedAllocationArgs"},
"kubescheduler.config.k8s.io/v1beta2 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler","fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesBalancedAllocationArgs":
{"component":"kube-scheduler","fields":"NodeResourcesBalancedAllocationArgs"},
"kubescheduler.config.k8s.io/v1 NodeResourcesFitArgs":{"component":"kube-scheduler","fields":"NodeResourcesFitArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesFitArgs":{"component":"kube-scheduler","fields":{"ignoredResources":
{"type":"list<string>","optional":1},"ignoredResourceGroups":"ignoredResourceGroups","scoringStrategy":{"type":
"object","optional":1,"nullable":1,"since":22,"fields":{"type":{"type":"enum","optional":1,"since":22,"enum":
["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":{"type":"list<object>","optional":1,
"since":22,"fields":{"name":{"since":22},"weight":{"type":"int64","optional":1,"since":22}}},
"requestedToCapacityRatio":{"type":"object","optional":1,"nullable":1,"since":22,"fields":{"shape":{"type":
"list<object>","optional":1,"since":22,"fields":"shape2"}}}}}}},
"kubescheduler.config.k8s.io/v1beta2 NodeResourcesFitArgs":{"component":"kube-scheduler","fields":
"NodeResourcesFitArgs"},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesFitArgs":{"component":"kube-scheduler",
"fields":"NodeResourcesFitArgs"},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesLeastAllocatedArgs":{"component":
"kube-scheduler","fields":"NodeResourcesBalancedAllocationArgs"},
"kubescheduler.config.k8s.io/v1beta1 NodeResourcesMostAllocatedArgs":{"component":"kube-scheduler","fields":
"NodeResourcesBalancedAllocationArgs"},"kubescheduler.config.k8s.io/v1 PodTopologySpreadArgs":{"component":
"kube-scheduler","fields":{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":
"int32"},"topologyKey":{},"whenUnsatisfiable":"whenUnsatisfiable","labelSelector":"labelSelector","minDomains":
{"type":"int32","optional":1,"nullable":1,"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":
"enum","optional":1,"nullable":1,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"nodeTaintsPolicy":{"type":"enum","optional":1,"nullable":1,"enum":["Ignore","Honor"],"gates":
["NodeInclusionPolicyInPodTopologySpread"]},"matchLabelKeys":{"type":"list<string>","optional":1,"gates":
["MatchLabelKeysInPodTopologySpread"]}}},"defaultingType":{"type":"enum","optional":1,"enum":["System","List"],
"default":"System"}}},"kubescheduler.config.k8s.io/v1beta1 PodTopologySpreadArgs":{"component":"kube-scheduler",
"fields":{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":"int32"},"topologyKey":
{},"whenUnsatisfiable":"whenUnsatisfiable","labelSelector":"labelSelector"}},"defaultingType":{"type":"enum",
"optional":1,"enum":["System","List"],"default":{"whenGate":"DefaultPodTopologySpread","value":"List"},"gates":
["DefaultPodTopologySpread"]}}},"kubescheduler.config.k8s.io/v1beta2 PodTopologySpreadArgs":{"component":
"kube-scheduler","fields":{"defaultConstraints":"defaultConstraints","defaultingType":{"type":"enum","optional":1,
"enum":["System","List"],"default":"System","defaults":[[22,{"whenGate":"DefaultPodTopologySpread","value":"System"}],
[24,"System"]],"gates":["DefaultPodTopologySpread"]}}},"kubescheduler.config.k8s.io/v1beta3 PodTopologySpreadArgs":
{"component":"kube-scheduler","fields":{"defaultConstraints":"defaultConstraints","defaultingType":{"type":"enum",
"optional":1,"enum":["System","List"],"default":"System","defaults":[[23,{"whenGate":"DefaultPodTopologySpread",
"value":"System"}],[24,"System"]],"gates":["DefaultPodTopologySpread"]}}},
"kubescheduler.config.k8s.io/v1beta1 RequestedToCapacityRatioArgs":{"component":"kube-scheduler","fields":{"shape":
{"type":"list<object>","fields":"shape"},"resources":"resources"}},
"kubescheduler.config.k8s.io/v1beta1 ServiceAffinityArgs":{"component":"kube-scheduler","fields":{"affinityLabels":
{"type":"list<string>","optional":1},"antiAffinityLabelsPreference":{"type":"list<string>","optional":1}}},
"kubescheduler.config.k8s.io/v1 VolumeBindingArgs":{"component":"kube-scheduler","fields":{"bindTimeoutSeconds":
"bindTimeoutSeconds","shape":{"type":"list<object>","optional":1,"gates":["StorageCapacityScoring",
"VolumeCapacityPriority"],"fields":"shape"}}},"kubescheduler.config.k8s.io/v1beta1 VolumeBindingArgs":{"component":
"kube-scheduler","fields":{"bindTimeoutSeconds":"bindTimeoutSeconds","shape":{"type":"list<object>","optional":1,
"since":22,"gates":["VolumeCapacityPriority"],"fields":"shape2"}}},
"kubescheduler.config.k8s.io/v1beta2 VolumeBindingArgs":{"component":"kube-scheduler","fields":"VolumeBindingArgs"},
"kubescheduler.config.k8s.io/v1beta3 VolumeBindingArgs":{"component":"kube-scheduler","fields":"VolumeBindingArgs"}}}
"""
