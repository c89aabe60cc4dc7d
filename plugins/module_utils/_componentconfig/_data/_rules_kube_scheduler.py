# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of kube-scheduler as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"KubeSchedulerConfiguration":{"client-burst":{"fields":["clientConnection.burst"],"since":20},"leader-durations":
{"fields":["leaderElection.leaseDuration","leaderElection.renewDeadline","leaderElection.retryPeriod"],"since":20},
"leader-lease":{"fields":["leaderElection.leaseDuration","leaderElection.renewDeadline"],"since":20},"leader-renew":
{"fields":["leaderElection.renewDeadline","leaderElection.retryPeriod"],"since":20},"leader-lock":{"fields":
["leaderElection.resourceLock"],"since":20},"parallelism":{"fields":["parallelism"],"since":20},"bind-addresses":
{"fields":["healthzBindAddress","metricsBindAddress"],"since":20,"last":22},"bind-addresses-off":{"fields":
["healthzBindAddress","metricsBindAddress"],"since":23},"percentage":{"fields":["percentageOfNodesToScore",
"profiles[].percentageOfNodesToScore"],"since":20},"backoff-initial":{"fields":["podInitialBackoffSeconds"],"since":
20},"backoff-max":{"fields":["podMaxBackoffSeconds","podInitialBackoffSeconds"],"since":20},"profile-name":{"fields":
["profiles[].schedulerName"],"since":20},"profile-name-unique":{"fields":["profiles[].schedulerName"],"since":20},
"queue-sort-same":{"fields":["profiles[].plugins.queueSort"],"since":20},"queue-sort-one":{"fields":
["profiles[].plugins.queueSort"],"since":20},"queue-sort-args-same":{"fields":["profiles[].pluginConfig"],"since":22},
"bind-one":{"fields":["profiles[].plugins.bind"],"since":20},"plugin-once":{"fields":["profiles[].plugins"],"since":
20},"plugin-removed":{"fields":["profiles[].plugins","profiles[].pluginConfig"],"since":22},"plugin-unknown":
{"fields":["profiles[].plugins","profiles[].pluginConfig"],"since":20,"level":"warning"},"plugin-point":{"fields":
["profiles[].plugins"],"since":20,"last":34},"plugin-config-unique":{"fields":["profiles[].pluginConfig[].name"],
"since":20},"extender-weight":{"fields":["extenders[].weight"],"since":20},"extender-bind-one":{"fields":
["extenders[].bindVerb"],"since":20},"extender-resource-name":{"fields":["extenders[].managedResources[].name"],
"since":20},"extender-resource-unique":{"fields":["extenders[].managedResources[].name"],"since":20},"extender-tls":
{"fields":["extenders[].tlsConfig"],"since":20},"extender-certificate":{"fields":["extenders[].tlsConfig"],"since":20,
"level":"warning"}},"DefaultPreemptionArgs":{"preemption-percentage":{"fields":["minCandidateNodesPercentage"],
"since":20},"preemption-absolute":{"fields":["minCandidateNodesAbsolute"],"since":20},"preemption-both-zero":
{"fields":["minCandidateNodesPercentage","minCandidateNodesAbsolute"],"since":20}},"InterPodAffinityArgs":
{"hard-affinity-weight":{"fields":["hardPodAffinityWeight"],"since":20}},"NodeAffinityArgs":{"node-selector-key":
{"fields":["addedAffinity"],"since":20},"node-selector-values":{"fields":["addedAffinity"],"since":20},
"node-selector-operator":{"fields":["addedAffinity"],"since":20}},"NodeLabelArgs":{"labels-conflict":{"fields":
["presentLabels","absentLabels","presentLabelsPreference","absentLabelsPreference"],"since":20}},
"NodeResourcesBalancedAllocationArgs":{"balanced-unique":{"fields":["resources[].name"],"since":22},"balanced-weight":
{"fields":["resources[].weight"],"since":22}},"NodeResourcesFitArgs":{"fit-ignored-resources":{"fields":
["ignoredResources"],"since":20},"fit-ignored-groups":{"fields":["ignoredResourceGroups"],"since":20},"fit-strategy":
{"fields":["scoringStrategy.type"],"since":22},"fit-weight":{"fields":["scoringStrategy.resources[].weight"],"since":
22},"fit-ratio":{"fields":["scoringStrategy.requestedToCapacityRatio"],"since":22},"fit-shape":{"fields":
["scoringStrategy.requestedToCapacityRatio.shape"],"since":22}},"NodeResourcesLeastAllocatedArgs":{"least-weight":
{"fields":["resources[].weight"],"since":20},"least-weight-given":{"fields":["resources[].weight"],"since":20,"last":
20}},"NodeResourcesMostAllocatedArgs":{"most-weight":{"fields":["resources[].weight"],"since":20}},
"PodTopologySpreadArgs":{"spread-defaulting":{"fields":["defaultingType","defaultConstraints"],"since":20},
"spread-skew":{"fields":["defaultConstraints[].maxSkew"],"since":20},"spread-key":{"fields":
["defaultConstraints[].topologyKey"],"since":20},"spread-action":{"fields":["defaultConstraints[].whenUnsatisfiable"],
"since":20},"spread-selector":{"fields":["defaultConstraints[].labelSelector"],"since":20},"spread-unique":{"fields":
["defaultConstraints"],"since":20}},"RequestedToCapacityRatioArgs":{"ratio-shape":{"fields":["shape"],"since":20},
"ratio-weight":{"fields":["resources[].weight"],"since":20}},"VolumeBindingArgs":{"bind-timeout":{"fields":
["bindTimeoutSeconds"],"since":21},"bind-timeout-positive":{"fields":["bindTimeoutSeconds"],"since":20,"last":20},
"bind-shape":{"fields":["shape"],"since":22},"bind-shape-gate":{"fields":["shape"],"since":22,"level":"warning"}},
"DynamicResourcesArgs":{"filter-timeout":{"fields":["filterTimeout"],"since":34},"binding-timeout":{"fields":
["bindingTimeout"],"since":35}},"values":{"resourceLocks":{"20":["endpoints","configmaps","leases","endpointsleases",
"configmapsleases"],"24":["leases","endpointsleases","configmapsleases"],"27":["leases"]},"points":{"ImageLocality":
["score"],"TaintToleration":["filter","preScore","score"],"NodeName":["filter"],"NodePorts":["preFilter","filter"],
"NodePreferAvoidPods":["score"],"NodeAffinity":["preFilter","filter","preScore","score"],"NodeUnschedulable":
["filter"],"PodTopologySpread":["preFilter","filter","preScore","score"],"SelectorSpread":["preScore","score"],
"NodeResourcesFit":["preFilter","filter","preScore","score"],"NodeResourcesBalancedAllocation":["preScore","score"],
"NodeResourcesLeastAllocated":["score"],"NodeResourcesMostAllocated":["score"],"RequestedToCapacityRatio":["score"],
"VolumeBinding":["preFilter","filter","reserve","preScore","score","preBind"],"VolumeRestrictions":["preFilter",
"filter"],"VolumeZone":["preFilter","filter"],"NodeVolumeLimits":["preFilter","filter"],"EBSLimits":["preFilter",
"filter"],"GCEPDLimits":["preFilter","filter"],"AzureDiskLimits":["preFilter","filter"],"CinderLimits":["preFilter",
"filter"],"InterPodAffinity":["preFilter","filter","preScore","score"],"NodeLabel":["filter","score"],
"ServiceAffinity":["preFilter","filter","score"],"PrioritySort":["queueSort"],"DefaultBinder":["bind"],
"DefaultPreemption":["preEnqueue","postFilter"]},"removedPlugins":{"22":[["v1beta2",["NodeLabel","ServiceAffinity",
"NodePreferAvoidPods","NodeResourcesLeastAllocated","NodeResourcesMostAllocated","RequestedToCapacityRatio"]],
["v1beta3",["SelectorSpread"]],["v1",[]]],"28":[["v1beta3",["SelectorSpread"]],["v1",[]]],"29":[["v1",[]]],"36":
[["v1",["AzureDiskLimits","CinderLimits","EBSLimits","GCEPDLimits"]]]},"plugins":{"20":["SelectorSpread",
"ImageLocality","TaintToleration","NodeName","NodePorts","NodePreferAvoidPods","NodeAffinity","PodTopologySpread",
"NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation","NodeResourcesMostAllocated",
"NodeResourcesLeastAllocated","RequestedToCapacityRatio","VolumeBinding","VolumeRestrictions","VolumeZone",
"NodeVolumeLimits","EBSLimits","GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity","NodeLabel",
"ServiceAffinity","PrioritySort","DefaultBinder","DefaultPreemption"],"23":["SelectorSpread","ImageLocality",
"TaintToleration","NodeName","NodePorts","NodeAffinity","PodTopologySpread","NodeUnschedulable","NodeResourcesFit",
"NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions","VolumeZone","NodeVolumeLimits","EBSLimits",
"GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity","PrioritySort","DefaultBinder","DefaultPreemption"],
"26":["SelectorSpread","ImageLocality","TaintToleration","NodeName","NodePorts","NodeAffinity","PodTopologySpread",
"NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions",
"VolumeZone","NodeVolumeLimits","EBSLimits","GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity",
"PrioritySort","DefaultBinder","DefaultPreemption","SchedulingGates","DynamicResources"],"29":["ImageLocality",
"TaintToleration","NodeName","NodePorts","NodeAffinity","PodTopologySpread","NodeUnschedulable","NodeResourcesFit",
"NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions","VolumeZone","NodeVolumeLimits","EBSLimits",
"GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity","PrioritySort","DefaultBinder","DefaultPreemption",
"SchedulingGates","DynamicResources"],"35":["ImageLocality","TaintToleration","NodeName","NodePorts","NodeAffinity",
"PodTopologySpread","NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation","VolumeBinding",
"VolumeRestrictions","VolumeZone","NodeVolumeLimits","InterPodAffinity","PrioritySort","DefaultBinder",
"DefaultPreemption","SchedulingGates","DynamicResources","GangScheduling","NodeDeclaredFeatures"]}}}
"""
