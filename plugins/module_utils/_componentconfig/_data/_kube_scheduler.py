# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-scheduler as JSON."""

from __future__ import annotations

KINDS = r"""
{"kubescheduler.config.k8s.io/v1 DefaultPreemptionArgs":{"component":"kube-scheduler","fields":
{"minCandidateNodesPercentage":{"type":"int32","optional":1,"nullable":1,"default":10},"minCandidateNodesAbsolute":
{"type":"int32","optional":1,"nullable":1,"default":100}}},
"kubescheduler.config.k8s.io/v1beta1 DefaultPreemptionArgs":{"component":"kube-scheduler","fields":
{"minCandidateNodesPercentage":{"type":"int32","optional":1,"nullable":1,"default":10},"minCandidateNodesAbsolute":
{"type":"int32","optional":1,"nullable":1,"default":100}}},
"kubescheduler.config.k8s.io/v1beta2 DefaultPreemptionArgs":{"component":"kube-scheduler","fields":
{"minCandidateNodesPercentage":{"type":"int32","optional":1,"nullable":1,"default":10},"minCandidateNodesAbsolute":
{"type":"int32","optional":1,"nullable":1,"default":100}}},
"kubescheduler.config.k8s.io/v1beta3 DefaultPreemptionArgs":{"component":"kube-scheduler","fields":
{"minCandidateNodesPercentage":{"type":"int32","optional":1,"nullable":1,"default":10},"minCandidateNodesAbsolute":
{"type":"int32","optional":1,"nullable":1,"default":100}}},"kubescheduler.config.k8s.io/v1 DynamicResourcesArgs":
{"component":"kube-scheduler","fields":{"filterTimeout":{"type":"duration","nullable":1,"default":{"whenGate":
"DRASchedulerFilterTimeout","value":"10s"}},"bindingTimeout":{"type":"duration","optional":1,"nullable":1,"since":35,
"default":{"whenGate":"DRAResourceClaimDeviceStatus","value":"10m0s"},"gates":["DRADeviceBindingConditions",
"DRAResourceClaimDeviceStatus"]}}},"kubescheduler.config.k8s.io/v1 InterPodAffinityArgs":{"component":
"kube-scheduler","fields":{"hardPodAffinityWeight":{"type":"int32","optional":1,"nullable":1,"default":1},
"ignorePreferredTermsOfExistingPods":{"type":"bool","since":27}}},
"kubescheduler.config.k8s.io/v1beta1 InterPodAffinityArgs":{"component":"kube-scheduler","fields":
{"hardPodAffinityWeight":{"type":"int32","optional":1,"nullable":1,"default":1}}},
"kubescheduler.config.k8s.io/v1beta2 InterPodAffinityArgs":{"component":"kube-scheduler","fields":
{"hardPodAffinityWeight":{"type":"int32","optional":1,"nullable":1,"default":1},"ignorePreferredTermsOfExistingPods":
{"type":"bool","since":27}}},"kubescheduler.config.k8s.io/v1beta3 InterPodAffinityArgs":{"component":"kube-scheduler",
"fields":{"hardPodAffinityWeight":{"type":"int32","optional":1,"nullable":1,"default":1},
"ignorePreferredTermsOfExistingPods":{"type":"bool","since":27}}},
"kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":{"parallelism":
{"type":"int32","optional":1,"nullable":1,"default":16},"leaderElection":{"type":"object","fields":{"leaderElect":
{"type":"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},"renewDeadline":
{"type":"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":{"default":
"leases"},"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},
"clientConnection":{"type":"object","fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},
"enableProfiling":{"type":"bool","optional":1,"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool",
"optional":1,"nullable":1,"default":true},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,
"default":0},"podInitialBackoffSeconds":{"type":"int64","optional":1,"nullable":1,"default":1},"podMaxBackoffSeconds":
{"type":"int64","optional":1,"nullable":1,"default":10},"profiles":{"type":"list<object>","optional":1,"fields":
{"schedulerName":{"optional":1,"nullable":1},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,
"since":26},"plugins":{"type":"object","optional":1,"nullable":1,"fields":{"preEnqueue":{"type":"object","optional":1,
"since":26,"fields":{"enabled":{"type":"list<object>","optional":1,"since":26,"fields":{"name":{"since":26},"weight":
{"type":"int32","optional":1,"nullable":1,"since":26}}},"disabled":{"type":"list<object>","optional":1,"since":26,
"fields":{"name":{"since":26},"weight":{"type":"int32","optional":1,"nullable":1,"since":26}}}}},"queueSort":{"type":
"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}}}},"preFilter":{"type":"object","optional":1,"fields":{"enabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},
"filter":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":
{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"postFilter":{"type":"object","optional":1,"fields":
{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}}}},"preScore":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"score":{"type":"object",
"optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int32","optional":1,"nullable":1}}}}},"reserve":{"type":"object","optional":1,"fields":{"enabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},
"permit":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":
{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preBind":{"type":"object","optional":1,"fields":
{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}}}},"bind":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"postBind":{"type":"object",
"optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int32","optional":1,"nullable":1}}}}},"multiPoint":{"type":"object","optional":1,"fields":{"enabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},
"placementGenerate":{"type":"object","optional":1,"since":36,"fields":{"enabled":{"type":"list<object>","optional":1,
"since":36,"fields":{"name":{"since":36},"weight":{"type":"int32","optional":1,"nullable":1,"since":36}}},"disabled":
{"type":"list<object>","optional":1,"since":36,"fields":{"name":{"since":36},"weight":{"type":"int32","optional":1,
"nullable":1,"since":36}}}}},"placementScore":{"type":"object","optional":1,"since":36,"fields":{"enabled":{"type":
"list<object>","optional":1,"since":36,"fields":{"name":{"since":36},"weight":{"type":"int32","optional":1,"nullable":
1,"since":36}}},"disabled":{"type":"list<object>","optional":1,"since":36,"fields":{"name":{"since":36},"weight":
{"type":"int32","optional":1,"nullable":1,"since":36}}}}},"podGroupPostFilter":{"type":"object","optional":1,"since":
37,"fields":{"enabled":{"type":"list<object>","optional":1,"since":37,"fields":{"name":{"since":37},"weight":{"type":
"int32","optional":1,"nullable":1,"since":37}}},"disabled":{"type":"list<object>","optional":1,"since":37,"fields":
{"name":{"since":37},"weight":{"type":"int32","optional":1,"nullable":1,"since":37}}}}}}},"pluginConfig":{"type":
"list<object>","optional":1,"fields":{"name":{},"args":{"type":"any","optional":1}}}}},"extenders":{"type":
"list<object>","optional":1,"fields":{"urlPrefix":{},"filterVerb":{"optional":1},"preemptVerb":{"optional":1},
"prioritizeVerb":{"optional":1},"weight":{"type":"int64","optional":1},"bindVerb":{"optional":1},"enableHTTPS":
{"type":"bool","optional":1},"tlsConfig":{"type":"object","optional":1,"nullable":1,"fields":{"insecure":{"type":
"bool","optional":1},"serverName":{"optional":1},"certFile":{"optional":1},"keyFile":{"optional":1},"caFile":
{"optional":1},"certData":{"type":"bytes","optional":1},"keyData":{"type":"bytes","optional":1},"caData":{"type":
"bytes","optional":1}}},"httpTimeout":{"type":"duration","optional":1},"nodeCacheCapable":{"type":"bool","optional":
1},"managedResources":{"type":"list<object>","optional":1,"fields":{"name":{},"ignoredByScheduler":{"type":"bool",
"optional":1}}},"ignorable":{"type":"bool","optional":1}}},"delayCacheUntilActive":{"type":"bool","optional":1,
"since":28}}},"kubescheduler.config.k8s.io/v1beta1 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":
{"parallelism":{"type":"int32","optional":1,"nullable":1,"default":16},"leaderElection":{"type":"object","fields":
{"leaderElect":{"type":"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},
"renewDeadline":{"type":"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":
{"default":"leases"},"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},
"clientConnection":{"type":"object","fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},
"healthzBindAddress":{"optional":1,"nullable":1},"metricsBindAddress":{"optional":1,"nullable":1},"enableProfiling":
{"type":"bool","optional":1,"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool","optional":1,
"nullable":1,"default":true},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,"default":0},
"podInitialBackoffSeconds":{"type":"int64","optional":1,"nullable":1,"default":1},"podMaxBackoffSeconds":{"type":
"int64","optional":1,"nullable":1,"default":10},"profiles":{"type":"list<object>","optional":1,"fields":
{"schedulerName":{"optional":1,"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":
{"queueSort":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preFilter":{"type":"object",
"optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}},"filter":{"type":"object","optional":1,"nullable":1,"fields":
{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}}}},"postFilter":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preScore":
{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":
{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"score":{"type":"object","optional":1,"nullable":1,
"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}}}},"reserve":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},
"permit":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preBind":{"type":"object","optional":1,
"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int32","optional":1,"nullable":1}}}}},"bind":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},
"postBind":{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}}}},"pluginConfig":{"type":
"list<object>","optional":1,"fields":{"name":{},"args":{"type":"any","optional":1}}}}},"extenders":{"type":
"list<object>","optional":1,"fields":{"urlPrefix":{},"filterVerb":{"optional":1},"preemptVerb":{"optional":1},
"prioritizeVerb":{"optional":1},"weight":{"type":"int64","optional":1},"bindVerb":{"optional":1},"enableHTTPS":
{"type":"bool","optional":1},"tlsConfig":{"type":"object","optional":1,"nullable":1,"fields":{"insecure":{"type":
"bool","optional":1},"serverName":{"optional":1},"certFile":{"optional":1},"keyFile":{"optional":1},"caFile":
{"optional":1},"certData":{"type":"bytes","optional":1},"keyData":{"type":"bytes","optional":1},"caData":{"type":
"bytes","optional":1}}},"httpTimeout":{"type":"duration","optional":1},"nodeCacheCapable":{"type":"bool","optional":
1},"managedResources":{"type":"list<object>","optional":1,"fields":{"name":{},"ignoredByScheduler":{"type":"bool",
"optional":1}}},"ignorable":{"type":"bool","optional":1}}}}},
"kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":
{"parallelism":{"type":"int32","optional":1,"nullable":1,"default":16},"leaderElection":{"type":"object","fields":
{"leaderElect":{"type":"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},
"renewDeadline":{"type":"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":
{"default":"leases"},"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},
"clientConnection":{"type":"object","fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},
"healthzBindAddress":{"optional":1,"nullable":1},"metricsBindAddress":{"optional":1,"nullable":1},"enableProfiling":
{"type":"bool","optional":1,"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool","optional":1,
"nullable":1,"default":true},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,"default":0},
"podInitialBackoffSeconds":{"type":"int64","optional":1,"nullable":1,"default":1},"podMaxBackoffSeconds":{"type":
"int64","optional":1,"nullable":1,"default":10},"profiles":{"type":"list<object>","optional":1,"fields":
{"schedulerName":{"optional":1,"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":
{"preEnqueue":{"type":"object","optional":1,"since":26,"fields":{"enabled":{"type":"list<object>","optional":1,
"since":26,"fields":{"name":{"since":26},"weight":{"type":"int32","optional":1,"nullable":1,"since":26}}},"disabled":
{"type":"list<object>","optional":1,"since":26,"fields":{"name":{"since":26},"weight":{"type":"int32","optional":1,
"nullable":1,"since":26}}}}},"queueSort":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preFilter":
{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}},"filter":{"type":"object","optional":1,"fields":{"enabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},
"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}}}},"postFilter":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preScore":{"type":"object","optional":1,
"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}}}},"score":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"reserve":
{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}},"permit":{"type":"object","optional":1,"fields":{"enabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},
"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}}}},"preBind":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"bind":{"type":"object","optional":1,
"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}}}},"postBind":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"multiPoint":
{"type":"object","optional":1,"since":23,"fields":{"enabled":{"type":"list<object>","optional":1,"since":23,"fields":
{"name":{"since":23},"weight":{"type":"int32","optional":1,"nullable":1,"since":23}}},"disabled":{"type":
"list<object>","optional":1,"since":23,"fields":{"name":{"since":23},"weight":{"type":"int32","optional":1,"nullable":
1,"since":23}}}}}}},"pluginConfig":{"type":"list<object>","optional":1,"fields":{"name":{},"args":{"type":"any",
"optional":1}}}}},"extenders":{"type":"list<object>","optional":1,"fields":{"urlPrefix":{},"filterVerb":{"optional":
1},"preemptVerb":{"optional":1},"prioritizeVerb":{"optional":1},"weight":{"type":"int64","optional":1},"bindVerb":
{"optional":1},"enableHTTPS":{"type":"bool","optional":1},"tlsConfig":{"type":"object","optional":1,"nullable":1,
"fields":{"insecure":{"type":"bool","optional":1},"serverName":{"optional":1},"certFile":{"optional":1},"keyFile":
{"optional":1},"caFile":{"optional":1},"certData":{"type":"bytes","optional":1},"keyData":{"type":"bytes","optional":
1},"caData":{"type":"bytes","optional":1}}},"httpTimeout":{"type":"duration","optional":1},"nodeCacheCapable":{"type":
"bool","optional":1},"managedResources":{"type":"list<object>","optional":1,"fields":{"name":{},"ignoredByScheduler":
{"type":"bool","optional":1}}},"ignorable":{"type":"bool","optional":1}}}}},
"kubescheduler.config.k8s.io/v1beta3 KubeSchedulerConfiguration":{"component":"kube-scheduler","fields":
{"parallelism":{"type":"int32","optional":1,"nullable":1,"default":16},"leaderElection":{"type":"object","fields":
{"leaderElect":{"type":"bool","nullable":1,"default":true},"leaseDuration":{"type":"duration","default":"15s"},
"renewDeadline":{"type":"duration","default":"10s"},"retryPeriod":{"type":"duration","default":"2s"},"resourceLock":
{"default":"leases"},"resourceName":{"default":"kube-scheduler"},"resourceNamespace":{"default":"kube-system"}}},
"clientConnection":{"type":"object","fields":{"kubeconfig":{},"acceptContentTypes":{},"contentType":{"default":
"application/vnd.kubernetes.protobuf"},"qps":{"type":"float","default":50.0},"burst":{"type":"int32","default":100}}},
"enableProfiling":{"type":"bool","optional":1,"nullable":1,"default":true},"enableContentionProfiling":{"type":"bool",
"optional":1,"nullable":1,"default":true},"percentageOfNodesToScore":{"type":"int32","optional":1,"nullable":1,
"default":0},"podInitialBackoffSeconds":{"type":"int64","optional":1,"nullable":1,"default":1},"podMaxBackoffSeconds":
{"type":"int64","optional":1,"nullable":1,"default":10},"profiles":{"type":"list<object>","optional":1,"fields":
{"schedulerName":{"optional":1,"nullable":1},"plugins":{"type":"object","optional":1,"nullable":1,"fields":
{"preEnqueue":{"type":"object","optional":1,"since":26,"fields":{"enabled":{"type":"list<object>","optional":1,
"since":26,"fields":{"name":{"since":26},"weight":{"type":"int32","optional":1,"nullable":1,"since":26}}},"disabled":
{"type":"list<object>","optional":1,"since":26,"fields":{"name":{"since":26},"weight":{"type":"int32","optional":1,
"nullable":1,"since":26}}}}},"queueSort":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preFilter":
{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}},"filter":{"type":"object","optional":1,"fields":{"enabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},
"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}}}},"postFilter":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"preScore":{"type":"object","optional":1,
"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}}}},"score":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"reserve":
{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}},"permit":{"type":"object","optional":1,"fields":{"enabled":
{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},
"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":
1}}}}},"preBind":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":
{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"bind":{"type":"object","optional":1,
"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,
"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32",
"optional":1,"nullable":1}}}}},"postBind":{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>",
"optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":
"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int32","optional":1,"nullable":1}}}}},"multiPoint":
{"type":"object","optional":1,"fields":{"enabled":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":
{"type":"int32","optional":1,"nullable":1}}},"disabled":{"type":"list<object>","optional":1,"fields":{"name":{},
"weight":{"type":"int32","optional":1,"nullable":1}}}}}}},"pluginConfig":{"type":"list<object>","optional":1,"fields":
{"name":{},"args":{"type":"any","optional":1}}}}},"extenders":{"type":"list<object>","optional":1,"fields":
{"urlPrefix":{},"filterVerb":{"optional":1},"preemptVerb":{"optional":1},"prioritizeVerb":{"optional":1},"weight":
{"type":"int64","optional":1},"bindVerb":{"optional":1},"enableHTTPS":{"type":"bool","optional":1},"tlsConfig":
{"type":"object","optional":1,"nullable":1,"fields":{"insecure":{"type":"bool","optional":1},"serverName":{"optional":
1},"certFile":{"optional":1},"keyFile":{"optional":1},"caFile":{"optional":1},"certData":{"type":"bytes","optional":
1},"keyData":{"type":"bytes","optional":1},"caData":{"type":"bytes","optional":1}}},"httpTimeout":{"type":"duration",
"optional":1},"nodeCacheCapable":{"type":"bool","optional":1},"managedResources":{"type":"list<object>","optional":1,
"fields":{"name":{},"ignoredByScheduler":{"type":"bool","optional":1}}},"ignorable":{"type":"bool","optional":1}}}}},
"kubescheduler.config.k8s.io/v1 NodeAffinityArgs":{"component":"kube-scheduler","fields":{"addedAffinity":{"type":
"object","optional":1,"nullable":1,"fields":{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object",
"optional":1,"nullable":1,"fields":{"nodeSelectorTerms":{"type":"list<object>","fields":{"matchExpressions":{"type":
"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist",
"Gt","Lt"]},"values":{"type":"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,
"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":
{"type":"list<string>","optional":1}}}}}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>",
"optional":1,"fields":{"weight":{"type":"int32"},"preference":{"type":"object","fields":{"matchExpressions":{"type":
"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist",
"Gt","Lt"]},"values":{"type":"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,
"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":
{"type":"list<string>","optional":1}}}}}}}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeAffinityArgs":{"component":
"kube-scheduler","fields":{"addedAffinity":{"type":"object","optional":1,"nullable":1,"fields":
{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object","optional":1,"nullable":1,"fields":
{"nodeSelectorTerms":{"type":"list<object>","fields":{"matchExpressions":{"type":"list<object>","optional":1,"fields":
{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":
"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":
{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>","optional":
1}}}}}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>","optional":1,"fields":{"weight":
{"type":"int32"},"preference":{"type":"object","fields":{"matchExpressions":{"type":"list<object>","optional":1,
"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":
{"type":"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},
"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>",
"optional":1}}}}}}}}}}},"kubescheduler.config.k8s.io/v1beta2 NodeAffinityArgs":{"component":"kube-scheduler","fields":
{"addedAffinity":{"type":"object","optional":1,"nullable":1,"fields":
{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object","optional":1,"nullable":1,"fields":
{"nodeSelectorTerms":{"type":"list<object>","fields":{"matchExpressions":{"type":"list<object>","optional":1,"fields":
{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":
"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":
{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>","optional":
1}}}}}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>","optional":1,"fields":{"weight":
{"type":"int32"},"preference":{"type":"object","fields":{"matchExpressions":{"type":"list<object>","optional":1,
"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":
{"type":"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},
"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>",
"optional":1}}}}}}}}}}},"kubescheduler.config.k8s.io/v1beta3 NodeAffinityArgs":{"component":"kube-scheduler","fields":
{"addedAffinity":{"type":"object","optional":1,"nullable":1,"fields":
{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object","optional":1,"nullable":1,"fields":
{"nodeSelectorTerms":{"type":"list<object>","fields":{"matchExpressions":{"type":"list<object>","optional":1,"fields":
{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":
"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":
{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>","optional":
1}}}}}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"list<object>","optional":1,"fields":{"weight":
{"type":"int32"},"preference":{"type":"object","fields":{"matchExpressions":{"type":"list<object>","optional":1,
"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":
{"type":"list<string>","optional":1}}},"matchFields":{"type":"list<object>","optional":1,"fields":{"key":{},
"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"list<string>",
"optional":1}}}}}}}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeLabelArgs":{"component":"kube-scheduler","fields":
{"presentLabels":{"type":"list<string>","optional":1},"absentLabels":{"type":"list<string>","optional":1},
"presentLabelsPreference":{"type":"list<string>","optional":1},"absentLabelsPreference":{"type":"list<string>",
"optional":1}}},"kubescheduler.config.k8s.io/v1 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler",
"fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":
1}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler",
"fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":
1}}}}},"kubescheduler.config.k8s.io/v1beta2 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler",
"fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":
1}}}}},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesBalancedAllocationArgs":{"component":"kube-scheduler",
"fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":
1}}}}},"kubescheduler.config.k8s.io/v1 NodeResourcesFitArgs":{"component":"kube-scheduler","fields":
{"ignoredResources":{"type":"list<string>","optional":1},"ignoredResourceGroups":{"type":"list<string>","optional":1},
"scoringStrategy":{"type":"object","optional":1,"nullable":1,"fields":{"type":{"type":"enum","optional":1,"enum":
["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int64","optional":1}}},"requestedToCapacityRatio":{"type":"object","optional":1,
"nullable":1,"fields":{"shape":{"type":"list<object>","optional":1,"fields":{"utilization":{"type":"int32"},"score":
{"type":"int32"}}}}}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesFitArgs":{"component":"kube-scheduler",
"fields":{"ignoredResources":{"type":"list<string>","optional":1},"ignoredResourceGroups":{"type":"list<string>",
"optional":1},"scoringStrategy":{"type":"object","optional":1,"nullable":1,"since":22,"fields":{"type":{"type":"enum",
"optional":1,"since":22,"enum":["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":{"type":
"list<object>","optional":1,"since":22,"fields":{"name":{"since":22},"weight":{"type":"int64","optional":1,"since":
22}}},"requestedToCapacityRatio":{"type":"object","optional":1,"nullable":1,"since":22,"fields":{"shape":{"type":
"list<object>","optional":1,"since":22,"fields":{"utilization":{"type":"int32","since":22},"score":{"type":"int32",
"since":22}}}}}}}}},"kubescheduler.config.k8s.io/v1beta2 NodeResourcesFitArgs":{"component":"kube-scheduler","fields":
{"ignoredResources":{"type":"list<string>","optional":1},"ignoredResourceGroups":{"type":"list<string>","optional":1},
"scoringStrategy":{"type":"object","optional":1,"nullable":1,"fields":{"type":{"type":"enum","optional":1,"enum":
["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":{"type":"list<object>","optional":1,
"fields":{"name":{},"weight":{"type":"int64","optional":1}}},"requestedToCapacityRatio":{"type":"object","optional":1,
"nullable":1,"fields":{"shape":{"type":"list<object>","optional":1,"fields":{"utilization":{"type":"int32"},"score":
{"type":"int32"}}}}}}}}},"kubescheduler.config.k8s.io/v1beta3 NodeResourcesFitArgs":{"component":"kube-scheduler",
"fields":{"ignoredResources":{"type":"list<string>","optional":1},"ignoredResourceGroups":{"type":"list<string>",
"optional":1},"scoringStrategy":{"type":"object","optional":1,"nullable":1,"fields":{"type":{"type":"enum","optional":
1,"enum":["LeastAllocated","MostAllocated","RequestedToCapacityRatio"]},"resources":{"type":"list<object>","optional":
1,"fields":{"name":{},"weight":{"type":"int64","optional":1}}},"requestedToCapacityRatio":{"type":"object","optional":
1,"nullable":1,"fields":{"shape":{"type":"list<object>","optional":1,"fields":{"utilization":{"type":"int32"},"score":
{"type":"int32"}}}}}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesLeastAllocatedArgs":{"component":
"kube-scheduler","fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int64","optional":1}}}}},"kubescheduler.config.k8s.io/v1beta1 NodeResourcesMostAllocatedArgs":{"component":
"kube-scheduler","fields":{"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":
"int64","optional":1}}}}},"kubescheduler.config.k8s.io/v1 PodTopologySpreadArgs":{"component":"kube-scheduler",
"fields":{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":"int32"},"topologyKey":
{},"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},"labelSelector":{"type":"object",
"optional":1,"nullable":1,"fields":{"matchLabels":{"type":"map<string>","optional":1},"matchExpressions":{"type":
"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists",
"DoesNotExist"]},"values":{"type":"list<string>","optional":1}}}}},"minDomains":{"type":"int32","optional":1,
"nullable":1,"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum","optional":1,"nullable":1,
"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},"nodeTaintsPolicy":{"type":"enum",
"optional":1,"nullable":1,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"matchLabelKeys":{"type":"list<string>","optional":1,"gates":["MatchLabelKeysInPodTopologySpread"]}}},
"defaultingType":{"type":"enum","optional":1,"enum":["System","List"],"default":"System"}}},
"kubescheduler.config.k8s.io/v1beta1 PodTopologySpreadArgs":{"component":"kube-scheduler","fields":
{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":"int32"},"topologyKey":{},
"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},"labelSelector":{"type":"object",
"optional":1,"nullable":1,"fields":{"matchLabels":{"type":"map<string>","optional":1},"matchExpressions":{"type":
"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In","NotIn","Exists",
"DoesNotExist"]},"values":{"type":"list<string>","optional":1}}}}}}},"defaultingType":{"type":"enum","optional":1,
"enum":["System","List"],"default":{"whenGate":"DefaultPodTopologySpread","value":"List"},"gates":
["DefaultPodTopologySpread"]}}},"kubescheduler.config.k8s.io/v1beta2 PodTopologySpreadArgs":{"component":
"kube-scheduler","fields":{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":
"int32"},"topologyKey":{},"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},
"labelSelector":{"type":"object","optional":1,"nullable":1,"fields":{"matchLabels":{"type":"map<string>","optional":
1},"matchExpressions":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In",
"NotIn","Exists","DoesNotExist"]},"values":{"type":"list<string>","optional":1}}}}},"minDomains":{"type":"int32",
"optional":1,"nullable":1,"since":24,"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum",
"optional":1,"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"nodeTaintsPolicy":{"type":"enum","optional":1,"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":
["NodeInclusionPolicyInPodTopologySpread"]},"matchLabelKeys":{"type":"list<string>","optional":1,"since":25,"gates":
["MatchLabelKeysInPodTopologySpread"]}}},"defaultingType":{"type":"enum","optional":1,"enum":["System","List"],
"default":"System","defaults":[[22,{"whenGate":"DefaultPodTopologySpread","value":"System"}],[24,"System"]],"gates":
["DefaultPodTopologySpread"]}}},"kubescheduler.config.k8s.io/v1beta3 PodTopologySpreadArgs":{"component":
"kube-scheduler","fields":{"defaultConstraints":{"type":"list<object>","optional":1,"fields":{"maxSkew":{"type":
"int32"},"topologyKey":{},"whenUnsatisfiable":{"type":"enum","enum":["DoNotSchedule","ScheduleAnyway"]},
"labelSelector":{"type":"object","optional":1,"nullable":1,"fields":{"matchLabels":{"type":"map<string>","optional":
1},"matchExpressions":{"type":"list<object>","optional":1,"fields":{"key":{},"operator":{"type":"enum","enum":["In",
"NotIn","Exists","DoesNotExist"]},"values":{"type":"list<string>","optional":1}}}}},"minDomains":{"type":"int32",
"optional":1,"nullable":1,"since":24,"gates":["MinDomainsInPodTopologySpread"]},"nodeAffinityPolicy":{"type":"enum",
"optional":1,"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":["NodeInclusionPolicyInPodTopologySpread"]},
"nodeTaintsPolicy":{"type":"enum","optional":1,"nullable":1,"since":25,"enum":["Ignore","Honor"],"gates":
["NodeInclusionPolicyInPodTopologySpread"]},"matchLabelKeys":{"type":"list<string>","optional":1,"since":25,"gates":
["MatchLabelKeysInPodTopologySpread"]}}},"defaultingType":{"type":"enum","optional":1,"enum":["System","List"],
"default":"System","defaults":[[23,{"whenGate":"DefaultPodTopologySpread","value":"System"}],[24,"System"]],"gates":
["DefaultPodTopologySpread"]}}},"kubescheduler.config.k8s.io/v1beta1 RequestedToCapacityRatioArgs":{"component":
"kube-scheduler","fields":{"shape":{"type":"list<object>","fields":{"utilization":{"type":"int32"},"score":{"type":
"int32"}}},"resources":{"type":"list<object>","optional":1,"fields":{"name":{},"weight":{"type":"int64","optional":
1}}}}},"kubescheduler.config.k8s.io/v1beta1 ServiceAffinityArgs":{"component":"kube-scheduler","fields":
{"affinityLabels":{"type":"list<string>","optional":1},"antiAffinityLabelsPreference":{"type":"list<string>",
"optional":1}}},"kubescheduler.config.k8s.io/v1 VolumeBindingArgs":{"component":"kube-scheduler","fields":
{"bindTimeoutSeconds":{"type":"int64","optional":1,"nullable":1,"default":600},"shape":{"type":"list<object>",
"optional":1,"gates":["StorageCapacityScoring","VolumeCapacityPriority"],"fields":{"utilization":{"type":"int32"},
"score":{"type":"int32"}}}}},"kubescheduler.config.k8s.io/v1beta1 VolumeBindingArgs":{"component":"kube-scheduler",
"fields":{"bindTimeoutSeconds":{"type":"int64","optional":1,"nullable":1,"default":600},"shape":{"type":
"list<object>","optional":1,"since":22,"gates":["VolumeCapacityPriority"],"fields":{"utilization":{"type":"int32",
"since":22},"score":{"type":"int32","since":22}}}}},"kubescheduler.config.k8s.io/v1beta2 VolumeBindingArgs":
{"component":"kube-scheduler","fields":{"bindTimeoutSeconds":{"type":"int64","optional":1,"nullable":1,"default":600},
"shape":{"type":"list<object>","optional":1,"gates":["VolumeCapacityPriority"],"fields":{"utilization":{"type":
"int32"},"score":{"type":"int32"}}}}},"kubescheduler.config.k8s.io/v1beta3 VolumeBindingArgs":{"component":
"kube-scheduler","fields":{"bindTimeoutSeconds":{"type":"int64","optional":1,"nullable":1,"default":600},"shape":
{"type":"list<object>","optional":1,"gates":["VolumeCapacityPriority"],"fields":{"utilization":{"type":"int32"},
"score":{"type":"int32"}}}}}}
"""
