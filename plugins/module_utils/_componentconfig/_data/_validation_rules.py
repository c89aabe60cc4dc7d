# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules by component as JSON."""

from __future__ import annotations

CLIENTS = r"""
{"Config":{"names-unique":{"fields":["clusters[].name","users[].name","contexts[].name"],"since":20},
"current-context":{"fields":["current-context"],"since":20},"no-context":{"fields":["current-context"],"since":20,
"level":"warning"},"context-cluster":{"fields":["contexts","clusters","current-context"],"since":20},"context-user":
{"fields":["contexts","users","current-context"],"since":20,"level":"policy"},"context-namespace":{"fields":
["contexts[].context.namespace"],"since":20,"level":"policy"},"references":{"fields":["contexts","clusters","users"],
"since":20,"level":"warning"},"cluster-server":{"fields":["clusters[].cluster.server"],"since":20},
"cluster-authority":{"fields":["clusters"],"since":20},"cluster-insecure":{"fields":
["clusters[].cluster.insecure-skip-tls-verify"],"since":20},"cluster-proxy":{"fields":
["clusters[].cluster.proxy-url"],"since":20},"user-one-way":{"fields":["users"],"since":20},"user-certificate":
{"fields":["users"],"since":20},"user-exec":{"fields":["users[].user.exec"],"since":20},"user-exec-version":{"fields":
["users[].user.exec.apiVersion"],"since":20},"user-exec-interactive":{"fields":["users[].user.exec.interactiveMode"],
"since":22},"user-impersonates":{"fields":["users"],"since":20},"embedded-secret":{"fields":["users"],"since":20,
"level":"policy"}},"Preference":{"alias-name":{"fields":["aliases[].name"],"since":33},"alias-unique":{"fields":
["aliases[].name"],"since":33},"option-name":{"fields":["aliases","defaults","overrides"],"since":33},
"plugin-allowlist":{"fields":["credentialPluginPolicy","credentialPluginAllowlist"],"since":35}},
"LeaderMigrationConfiguration":{"leader-name":{"fields":["leaderName"],"since":21},"leader-lock":{"fields":
["resourceLock"],"since":21},"leader-controllers":{"fields":["controllerLeaders[].name",
"controllerLeaders[].component"],"since":21}},"KubeControllerManagerConfiguration":{"not-read":{"fields":
["apiVersion"],"since":20,"level":"warning"}},"values":{"execVersions":{"20":["v1alpha1","v1beta1"],"22":["v1alpha1",
"v1beta1","v1"],"24":["v1beta1","v1"]}}}
"""

KUBE_APISERVER = r"""
{"AdmissionConfiguration":{"admission-twice":{"fields":["plugins[].name"],"since":20,"level":"warning"},
"admission-both":{"fields":["plugins[].path","plugins[].configuration"],"since":20,"level":"warning"},
"admission-unknown":{"fields":["plugins[].name"],"since":20,"level":"warning"},"admission-unread":{"fields":
["plugins[].name","plugins[].path","plugins[].configuration"],"since":20,"level":"warning"}},
"WebhookAdmissionConfiguration":{"webhook-kubeconfig":{"fields":["kubeConfigFile"],"since":20},"static-manifests":
{"fields":["staticManifestsDir"],"since":36},"static-manifests-gate":{"fields":["staticManifestsDir"],"since":36,
"gate":"ManifestBasedAdmissionControlConfig","level":"warning","flags":true}},
"ValidatingAdmissionPolicyConfiguration":{"static-manifests":{"fields":["staticManifestsDir"],"since":36},
"static-manifests-gate":{"fields":["staticManifestsDir"],"since":36,"gate":"ManifestBasedAdmissionControlConfig",
"level":"warning","flags":true}},"MutatingAdmissionPolicyConfiguration":{"static-manifests":{"fields":
["staticManifestsDir"],"since":36},"static-manifests-gate":{"fields":["staticManifestsDir"],"since":36,"gate":
"ManifestBasedAdmissionControlConfig","level":"warning","flags":true}},"ResourceQuotaConfiguration":{"quota-resource":
{"fields":["limitedResources[].resource"],"since":20}},"eventratelimit.Configuration":{"limits":{"fields":["limits"],
"since":20},"limit-type":{"fields":["limits[].type"],"since":20},"limit-burst":{"fields":["limits[].burst"],"since":
20},"limit-qps":{"fields":["limits[].qps"],"since":20},"limit-cache":{"fields":["limits[].cacheSize"],"since":20}},
"podtolerationrestriction.Configuration":{"toleration-key":{"fields":["default","whitelist"],"since":20},
"toleration-value":{"fields":["default","whitelist"],"since":20},"toleration-seconds":{"fields":["default",
"whitelist"],"since":20},"toleration-gate":{"fields":["default","whitelist"],"since":35,"gate":
"TaintTolerationComparisonOperators","level":"warning","flags":true}},"PodSecurityConfiguration":{"security-level":
{"fields":["defaults"],"since":22},"security-version":{"fields":["defaults"],"since":22},"exempt-namespaces":
{"fields":["exemptions.namespaces"],"since":22},"exempt-classes":{"fields":["exemptions.runtimeClasses"],"since":22},
"exempt-users":{"fields":["exemptions.usernames"],"since":22},"exempt-twice":{"fields":["exemptions"],"since":22}},
"EncryptionConfiguration":{"resources":{"fields":["resources"],"since":20},"resource-names":{"fields":
["resources[].resources"],"since":20},"resource-name":{"fields":["resources[].resources"],"since":27},
"resource-overlap":{"fields":["resources[].resources"],"since":27},"providers":{"fields":["resources[].providers"],
"since":20},"provider-one":{"fields":["resources[].providers[]"],"since":20},"keys":{"fields":
["resources[].providers[].aescbc.keys","resources[].providers[].aesgcm.keys",
"resources[].providers[].secretbox.keys"],"since":20},"key-name":{"fields":["resources[].providers[]"],"since":20},
"key-secret":{"fields":["resources[].providers[]"],"since":20},"kms-name":{"fields":
["resources[].providers[].kms.name"],"since":20},"kms-name-unique":{"fields":["resources[].providers[].kms.name"],
"since":26},"kms-version":{"fields":["resources[].providers[].kms.apiVersion"],"since":25},"kms-endpoint":{"fields":
["resources[].providers[].kms.endpoint"],"since":20},"kms-timeout":{"fields":["resources[].providers[].kms.timeout"],
"since":20},"kms-cache":{"fields":["resources[].providers[].kms.cachesize"],"since":20},"kms-v1":{"fields":
["resources[].providers[].kms.apiVersion"],"since":29,"level":"warning","flags":true},"identity-first":{"fields":
["resources[].providers[].identity"],"since":20,"level":"warning"}},"TracingConfiguration":{"sampling-rate":{"fields":
["samplingRatePerMillion"],"since":22},"tracing-endpoint":{"fields":["endpoint"],"since":22}},
"EgressSelectorConfiguration":{"egress-name":{"fields":["egressSelections[].name"],"since":20},"egress-master":
{"fields":["egressSelections[].name"],"since":23,"level":"warning"},"egress-name-unique":{"fields":
["egressSelections[].name"],"since":20},"egress-protocol":{"fields":["egressSelections[].connection.proxyProtocol"],
"since":20},"egress-transport":{"fields":["egressSelections[].connection.transport"],"since":20},"egress-uds":
{"fields":["egressSelections[].connection.transport.uds.udsName"],"since":20},"egress-url":{"fields":
["egressSelections[].connection.transport.tcp.url"],"since":20},"egress-http":{"fields":
["egressSelections[].connection.transport.tcp.url"],"since":20},"egress-tls":{"fields":
["egressSelections[].connection.transport.tcp.tlsConfig"],"since":20}},"Policy":{"audit-rules":{"fields":["rules"],
"since":20},"audit-level":{"fields":["rules[].level"],"since":20},"audit-urls":{"fields":["rules[].nonResourceURLs"],
"since":20},"audit-urls-alone":{"fields":["rules[].nonResourceURLs"],"since":20},"audit-group":{"fields":
["rules[].resources[].group"],"since":20},"audit-names":{"fields":["rules[].resources[].resourceNames"],"since":20},
"audit-stages":{"fields":["omitStages","rules[].omitStages"],"since":20,"last":21}},"AuthenticationConfiguration":
{"jwt-count":{"fields":["jwt"],"since":29},"issuer-url":{"fields":["jwt[].issuer.url"],"since":29},"issuer-unique":
{"fields":["jwt[].issuer.url","jwt[].issuer.discoveryURL"],"since":30},"issuer-discovery":{"fields":
["jwt[].issuer.discoveryURL"],"since":30},"issuer-authority":{"fields":["jwt[].issuer.certificateAuthority"],"since":
29},"audiences":{"fields":["jwt[].issuer.audiences"],"since":29},"audience-policy":{"fields":
["jwt[].issuer.audienceMatchPolicy"],"since":30},"claim-rules":{"fields":["jwt[].claimValidationRules"],"since":29},
"claim-rules-unique":{"fields":["jwt[].claimValidationRules"],"since":29},"username":{"fields":
["jwt[].claimMappings.username"],"since":29},"email-verified":{"fields":["jwt"],"since":30},"claim-or-expression":
{"fields":["jwt[].claimMappings"],"since":29},"claim-prefix":{"fields":["jwt[].claimMappings"],"since":29},
"extra-key":{"fields":["jwt[].claimMappings.extra[].key"],"since":29},"extra-value":{"fields":
["jwt[].claimMappings.extra[].valueExpression"],"since":29},"user-rules":{"fields":
["jwt[].userValidationRules[].expression"],"since":29},"anonymous":{"fields":["anonymous"],"since":31},
"anonymous-gate":{"fields":["anonymous"],"since":31,"last":31,"gate":"AnonymousAuthConfigurableEndpoints","level":
"warning","flags":true}},"AuthorizationConfiguration":{"authorizers":{"fields":["authorizers"],"since":29},
"authorizer-type":{"fields":["authorizers[].type"],"since":29},"authorizer-name":{"fields":["authorizers[].name"],
"since":29},"authorizer-type-name":{"fields":["authorizers[].name"],"since":29},"webhook":{"fields":
["authorizers[].webhook"],"since":29},"webhook-timeout":{"fields":["authorizers[].webhook.timeout"],"since":29},
"webhook-ttl":{"fields":["authorizers[].webhook.authorizedTTL","authorizers[].webhook.unauthorizedTTL"],"since":29},
"webhook-version":{"fields":["authorizers[].webhook.subjectAccessReviewVersion"],"since":29},"webhook-match-version":
{"fields":["authorizers[].webhook.matchConditionSubjectAccessReviewVersion"],"since":29},"webhook-policy":{"fields":
["authorizers[].webhook.failurePolicy"],"since":29},"webhook-connection":{"fields":
["authorizers[].webhook.connectionInfo"],"since":29},"match-conditions":{"fields":
["authorizers[].webhook.matchConditions"],"since":29}},"values":{"admissionPlugins":{"20":["AlwaysAdmit","AlwaysDeny",
"AlwaysPullImages","CertificateApproval","CertificateSigning","CertificateSubjectRestriction","DefaultIngressClass",
"DefaultStorageClass","DefaultTolerationSeconds","DenyEscalatingExec","DenyExecOnPrivileged","EventRateLimit",
"ExtendedResourceToleration","ImagePolicyWebhook","LimitPodHardAntiAffinityTopology","LimitRanger",
"MutatingAdmissionWebhook","NamespaceAutoProvision","NamespaceExists","NamespaceLifecycle","NodeRestriction",
"OwnerReferencesPermissionEnforcement","PersistentVolumeClaimResize","PersistentVolumeLabel","PodNodeSelector",
"PodSecurityPolicy","PodTolerationRestriction","Priority","ResourceQuota","RuntimeClass","SecurityContextDeny",
"ServiceAccount","StorageObjectInUseProtection","TaintNodesByCondition","ValidatingAdmissionWebhook"],"21":
["DenyServiceExternalIPs"],"22":["PodSecurity"],"26":["ValidatingAdmissionPolicy"],"27":["ClusterTrustBundleAttest"],
"32":["MutatingAdmissionPolicy"],"33":["PodTopologyLabels"],"35":["NodeDeclaredFeatureValidator"],"36":
["JobValidation","PodGroupProtection","PodGroupWorkloadExists","PodResizeValidator"]},"admissionPluginsGone":{"21":
["DenyEscalatingExec","DenyExecOnPrivileged"],"25":["PodSecurityPolicy"],"30":["SecurityContextDeny"],"31":
["PersistentVolumeLabel"]},"admissionReaders":{"20":["EventRateLimit","ImagePolicyWebhook","MutatingAdmissionWebhook",
"PodNodeSelector","PodTolerationRestriction","ResourceQuota","ValidatingAdmissionWebhook"],"22":["PodSecurity"],"36":
["MutatingAdmissionPolicy","ValidatingAdmissionPolicy"]}}}
"""

KUBE_PROXY = r"""
{"kubeProxy":{"gates-known":{"fields":["featureGates"],"since":20},"mode-linux":{"fields":["mode"],"since":20,"os":
["linux"]},"mode-nftables-gate":{"fields":["mode"],"since":29,"last":30,"gate":"NFTablesProxyMode","os":["linux"]},
"mode-ipvs-gate":{"fields":["mode"],"since":37,"gate":"KubeProxyIPVS","os":["linux"]},"mode-left-out":{"fields":
["mode"],"since":37,"os":["linux"],"level":"warning"},"mode-windows":{"fields":["mode"],"since":20,"os":["windows"]},
"masq-bit":{"fields":["iptables.masqueradeBit","nftables.masqueradeBit"],"since":20},"sync-period":{"fields":
["iptables.syncPeriod","ipvs.syncPeriod","nftables.syncPeriod"],"since":20},"min-sync-period":{"fields":
["iptables.minSyncPeriod","ipvs.minSyncPeriod","nftables.minSyncPeriod"],"since":20},"config-sync":{"fields":
["configSyncPeriod"],"since":20},"bind":{"fields":["bindAddress"],"since":20},"healthz":{"fields":
["healthzBindAddress"],"since":20},"metrics":{"fields":["metricsBindAddress"],"since":20},"nodeport-addresses":
{"fields":["nodePortAddresses"],"since":20,"last":36},"nodeport-address-words":{"fields":["nodePortAddresses"],
"since":37,"level":"warning"},"detect-mode":{"fields":["detectLocalMode"],"since":31},"detect-bridge":{"fields":
["detectLocal.bridgeInterface"],"since":31},"detect-prefix":{"fields":["detectLocal.interfaceNamePrefix"],"since":31},
"cluster-cidr":{"fields":["clusterCIDR"],"since":20},"cluster-cidr-left-out":{"fields":["clusterCIDR"],"since":31,
"level":"warning"},"port-range":{"fields":["portRange"],"since":20,"last":30},"port-range-unread":{"fields":
["portRange"],"since":31,"level":"warning"},"udp-idle":{"fields":["udpIdleTimeout"],"since":20,"last":25},"logging":
{"fields":["logging"],"since":28},"conntrack":{"fields":["conntrack"],"since":20},"oom":{"fields":["oomScoreAdj"],
"since":20},"ipvs-timeouts":{"fields":["ipvs.tcpTimeout","ipvs.tcpFinTimeout","ipvs.udpTimeout"],"since":20},
"ipvs-excludes":{"fields":["ipvs.excludeCIDRs"],"since":20},"ipvs-scheduler":{"fields":["ipvs.scheduler"],"since":20,
"last":20},"client-burst":{"fields":["clientConnection.burst"],"since":20},"hidden-metrics":{"fields":
["showHiddenMetricsForVersion"],"since":20},"plausible-size":{"fields":["configSyncPeriod",
"conntrack.tcpCloseWaitTimeout","conntrack.tcpEstablishedTimeout","conntrack.udpStreamTimeout","conntrack.udpTimeout",
"iptables.minSyncPeriod","iptables.syncPeriod","ipvs.minSyncPeriod","ipvs.syncPeriod","ipvs.tcpFinTimeout",
"ipvs.tcpTimeout","ipvs.udpTimeout","logging.flushFrequency","logging.options.json.infoBufferSize",
"logging.options.text.infoBufferSize","nftables.minSyncPeriod","nftables.syncPeriod","udpIdleTimeout"],"since":20,
"level":"warning","each":true}},"values":{"plausible-size":{"dimensions":{"interval":{"of":"duration","least":"100ms",
"most":"24h","likely":"1s","units":["s","m"],"tooLittle":"shorter than the work itself takes","tooMuch":
"so long that it hardly ever ends"},"connection":{"of":"duration","least":"1s","most":"2400h","likely":"10s","units":
["s","m","h"],"tooLittle":"connections are lost while they are in use","tooMuch":"the table of connections fills up"},
"logBuffer":{"of":"quantity","noun":["byte","bytes"],"least":"64","most":"4Gi","likely":"1Ki","units":["","Ki","Mi"],
"tooLittle":"not one line fits","tooMuch":"no program buffers so much"}},"fields":{"kubeProxy":{"interval":
{"configSyncPeriod":[],"iptables.syncPeriod":[],"iptables.minSyncPeriod":[],"ipvs.syncPeriod":[],"ipvs.minSyncPeriod":
[],"nftables.syncPeriod":[],"nftables.minSyncPeriod":[],"udpIdleTimeout":[],"logging.flushFrequency":[]},"connection":
{"conntrack.tcpEstablishedTimeout":[],"conntrack.tcpCloseWaitTimeout":[],"conntrack.udpTimeout":[],
"conntrack.udpStreamTimeout":[],"ipvs.tcpTimeout":[],"ipvs.tcpFinTimeout":[],"ipvs.udpTimeout":[]},"logBuffer":
{"logging.options.json.infoBufferSize":[],"logging.options.text.infoBufferSize":[]}}}}}}
"""

KUBE_SCHEDULER = r"""
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
20},"plugin-removed":{"fields":["profiles[].plugins","profiles[].pluginConfig"],"since":22},"plugin-gone":{"fields":
["profiles[].plugins"],"since":25},"plugin-args-version":{"fields":["profiles[].pluginConfig"],"since":22},
"plugin-unknown":{"fields":["profiles[].plugins","profiles[].pluginConfig"],"since":20,"level":"warning"},
"plugin-point":{"fields":["profiles[].plugins"],"since":20,"last":34},"plugin-config-unique":{"fields":
["profiles[].pluginConfig[].name"],"since":20},"extender-weight":{"fields":["extenders[].weight"],"since":20},
"extender-bind-one":{"fields":["extenders[].bindVerb"],"since":20},"extender-resource-name":{"fields":
["extenders[].managedResources[].name"],"since":20},"extender-resource-unique":{"fields":
["extenders[].managedResources[].name"],"since":20},"extender-tls":{"fields":["extenders[].tlsConfig"],"since":20},
"extender-certificate":{"fields":["extenders[].tlsConfig"],"since":20,"level":"warning"},"plausible-size":{"fields":
["extenders[].httpTimeout","leaderElection.leaseDuration","leaderElection.renewDeadline",
"leaderElection.retryPeriod"],"since":20,"level":"warning","each":true}},"DefaultPreemptionArgs":
{"preemption-percentage":{"fields":["minCandidateNodesPercentage"],"since":20},"preemption-absolute":{"fields":
["minCandidateNodesAbsolute"],"since":20},"preemption-both-zero":{"fields":["minCandidateNodesPercentage",
"minCandidateNodesAbsolute"],"since":20}},"InterPodAffinityArgs":{"hard-affinity-weight":{"fields":
["hardPodAffinityWeight"],"since":20}},"NodeAffinityArgs":{"node-selector-key":{"fields":["addedAffinity"],"since":
20},"node-selector-field":{"fields":["addedAffinity"],"since":20,"level":"warning"},"node-selector-values":{"fields":
["addedAffinity"],"since":20},"node-selector-operator":{"fields":["addedAffinity"],"since":20}},"NodeLabelArgs":
{"labels-conflict":{"fields":["presentLabels","absentLabels","presentLabelsPreference","absentLabelsPreference"],
"since":20}},"NodeResourcesBalancedAllocationArgs":{"balanced-unique":{"fields":["resources[].name"],"since":22},
"balanced-weight":{"fields":["resources[].weight"],"since":22}},"NodeResourcesFitArgs":{"fit-ignored-resources":
{"fields":["ignoredResources"],"since":20},"fit-ignored-groups":{"fields":["ignoredResourceGroups"],"since":20},
"fit-strategy":{"fields":["scoringStrategy.type"],"since":22},"fit-weight":{"fields":
["scoringStrategy.resources[].weight"],"since":22},"fit-ratio":{"fields":["scoringStrategy.requestedToCapacityRatio"],
"since":22},"fit-ratio-other":{"fields":["scoringStrategy.requestedToCapacityRatio"],"since":36},"fit-ratio-unused":
{"fields":["scoringStrategy.requestedToCapacityRatio"],"since":22,"last":35,"level":"warning"},"fit-shape":{"fields":
["scoringStrategy.requestedToCapacityRatio.shape"],"since":22}},"NodeResourcesLeastAllocatedArgs":{"least-weight":
{"fields":["resources[].weight"],"since":20},"least-weight-given":{"fields":["resources[].weight"],"since":20,"last":
20}},"NodeResourcesMostAllocatedArgs":{"most-weight":{"fields":["resources[].weight"],"since":20}},
"PodTopologySpreadArgs":{"spread-defaulting":{"fields":["defaultingType","defaultConstraints"],"since":20},
"spread-skew":{"fields":["defaultConstraints[].maxSkew"],"since":20},"spread-key":{"fields":
["defaultConstraints[].topologyKey"],"since":20},"spread-action":{"fields":["defaultConstraints[].whenUnsatisfiable"],
"since":20},"spread-policies":{"fields":["defaultConstraints[].nodeAffinityPolicy",
"defaultConstraints[].nodeTaintsPolicy"],"since":25,"level":"warning"},"spread-selector":{"fields":
["defaultConstraints[].labelSelector"],"since":20},"spread-unique":{"fields":["defaultConstraints"],"since":20}},
"RequestedToCapacityRatioArgs":{"ratio-shape":{"fields":["shape"],"since":20},"ratio-weight":{"fields":
["resources[].weight"],"since":20}},"VolumeBindingArgs":{"bind-timeout":{"fields":["bindTimeoutSeconds"],"since":21},
"bind-timeout-positive":{"fields":["bindTimeoutSeconds"],"since":20,"last":20},"bind-shape":{"fields":["shape"],
"since":22},"bind-shape-gate":{"fields":["shape"],"since":22,"level":"warning","flags":true}},"DynamicResourcesArgs":
{"filter-timeout":{"fields":["filterTimeout"],"since":34},"binding-timeout":{"fields":["bindingTimeout"],"since":35},
"binding-timeout-gate":{"fields":["bindingTimeout"],"since":35,"level":"warning","flags":true}},"values":
{"resourceLocks":{"20":["endpoints","configmaps","leases","endpointsleases","configmapsleases"],"24":["leases",
"endpointsleases","configmapsleases"],"27":["leases"]},"points":{"ImageLocality":["score"],"TaintToleration":
["filter","preScore","score"],"NodeName":["filter"],"NodePorts":["preFilter","filter"],"NodePreferAvoidPods":
["score"],"NodeAffinity":["preFilter","filter","preScore","score"],"NodeUnschedulable":["filter"],"PodTopologySpread":
["preFilter","filter","preScore","score"],"SelectorSpread":["preScore","score"],"NodeResourcesFit":["preFilter",
"filter","preScore","score"],"NodeResourcesBalancedAllocation":["preScore","score"],"NodeResourcesLeastAllocated":
["score"],"NodeResourcesMostAllocated":["score"],"RequestedToCapacityRatio":["score"],"VolumeBinding":["preFilter",
"filter","reserve","preScore","score","preBind"],"VolumeRestrictions":["preFilter","filter"],"VolumeZone":
["preFilter","filter"],"NodeVolumeLimits":["preFilter","filter"],"EBSLimits":["preFilter","filter"],"GCEPDLimits":
["preFilter","filter"],"AzureDiskLimits":["preFilter","filter"],"CinderLimits":["preFilter","filter"],
"InterPodAffinity":["preFilter","filter","preScore","score"],"NodeLabel":["filter","score"],"ServiceAffinity":
["preFilter","filter","score"],"PrioritySort":["queueSort"],"DefaultBinder":["bind"],"DefaultPreemption":
["preEnqueue","postFilter"]},"removedPlugins":{"22":[["v1beta2",["NodeLabel","ServiceAffinity","NodePreferAvoidPods",
"NodeResourcesLeastAllocated","NodeResourcesMostAllocated","RequestedToCapacityRatio"]],["v1beta3",[]],["v1",
["SelectorSpread"]]],"25":[["v1beta2",[]],["v1beta3",[]],["v1",["SelectorSpread"]]],"29":[["v1",[]]],"31":[["v1",
["AzureDiskLimits","CinderLimits","EBSLimits","GCEPDLimits"]]]},"gonePlugins":["NodeLabel","ServiceAffinity",
"NodePreferAvoidPods","NodeResourcesLeastAllocated","NodeResourcesMostAllocated","RequestedToCapacityRatio"],
"plugins":{"20":["SelectorSpread","ImageLocality","TaintToleration","NodeName","NodePorts","NodePreferAvoidPods",
"NodeAffinity","PodTopologySpread","NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation",
"NodeResourcesMostAllocated","NodeResourcesLeastAllocated","RequestedToCapacityRatio","VolumeBinding",
"VolumeRestrictions","VolumeZone","NodeVolumeLimits","EBSLimits","GCEPDLimits","AzureDiskLimits","CinderLimits",
"InterPodAffinity","NodeLabel","ServiceAffinity","PrioritySort","DefaultBinder","DefaultPreemption"],"23":
["SelectorSpread","ImageLocality","TaintToleration","NodeName","NodePorts","NodeAffinity","PodTopologySpread",
"NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions",
"VolumeZone","NodeVolumeLimits","EBSLimits","GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity",
"PrioritySort","DefaultBinder","DefaultPreemption"],"26":["SelectorSpread","ImageLocality","TaintToleration",
"NodeName","NodePorts","NodeAffinity","PodTopologySpread","NodeUnschedulable","NodeResourcesFit",
"NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions","VolumeZone","NodeVolumeLimits","EBSLimits",
"GCEPDLimits","AzureDiskLimits","CinderLimits","InterPodAffinity","PrioritySort","DefaultBinder","DefaultPreemption",
"SchedulingGates","DynamicResources"],"29":["ImageLocality","TaintToleration","NodeName","NodePorts","NodeAffinity",
"PodTopologySpread","NodeUnschedulable","NodeResourcesFit","NodeResourcesBalancedAllocation","VolumeBinding",
"VolumeRestrictions","VolumeZone","NodeVolumeLimits","EBSLimits","GCEPDLimits","AzureDiskLimits","CinderLimits",
"InterPodAffinity","PrioritySort","DefaultBinder","DefaultPreemption","SchedulingGates","DynamicResources"],"35":
["ImageLocality","TaintToleration","NodeName","NodePorts","NodeAffinity","PodTopologySpread","NodeUnschedulable",
"NodeResourcesFit","NodeResourcesBalancedAllocation","VolumeBinding","VolumeRestrictions","VolumeZone",
"NodeVolumeLimits","InterPodAffinity","PrioritySort","DefaultBinder","DefaultPreemption","SchedulingGates",
"DynamicResources","GangScheduling","NodeDeclaredFeatures"]},"plausible-size":{"dimensions":{"wait":{"of":"duration",
"least":"100ms","most":"24h","likely":"1s","units":["s","m"],"tooLittle":"no answer comes in so short a time",
"tooMuch":"so long that it hardly ever ends"},"interval":{"of":"duration","least":"100ms","most":"24h","likely":"1s",
"units":["s","m"],"tooLittle":"shorter than the work itself takes","tooMuch":"so long that it hardly ever ends"}},
"fields":{"KubeSchedulerConfiguration":{"wait":{"leaderElection.leaseDuration":[],"leaderElection.renewDeadline":[],
"leaderElection.retryPeriod":[]},"interval":{"extenders[].httpTimeout":[]}}}}}}
"""

KUBEADM = r"""
{"InitConfiguration":{"token":{"fields":["bootstrapTokens[].token"],"since":20},"token-expiry":{"fields":
["bootstrapTokens[].expires"],"since":20},"token-usages":{"fields":["bootstrapTokens[].usages"],"since":20},
"token-groups":{"fields":["bootstrapTokens[].groups"],"since":20},"node-name":{"fields":["nodeRegistration.name"],
"since":20},"cri-socket":{"fields":["nodeRegistration.criSocket"],"since":20,"last":23},"cri-socket-url":{"fields":
["nodeRegistration.criSocket"],"since":24},"cri-socket-scheme":{"fields":["nodeRegistration.criSocket"],"since":24,
"level":"warning"},"node-taints":{"fields":["nodeRegistration.taints"],"since":20,"level":"policy"},"kubelet-args":
{"fields":["nodeRegistration.kubeletExtraArgs"],"since":31},"ignored-errors":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20},"ignored-errors-all":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20,"last":27},"endpoint-address":{"fields":
["localAPIEndpoint.advertiseAddress"],"since":20},"endpoint-loopback":{"fields":["localAPIEndpoint.advertiseAddress"],
"since":20},"endpoint-port":{"fields":["localAPIEndpoint.bindPort"],"since":20},"certificate-key":{"fields":
["certificateKey"],"since":29},"plausible-size":{"fields":["bootstrapTokens[].ttl","timeouts"],"since":20,"level":
"warning","each":true}},"JoinConfiguration":{"discovery-one":{"fields":["discovery"],"since":20},"discovery-endpoint":
{"fields":["discovery.bootstrapToken.apiServerEndpoint"],"since":20},"discovery-hashes":{"fields":
["discovery.bootstrapToken.caCertHashes"],"since":20},"discovery-hash-format":{"fields":
["discovery.bootstrapToken.caCertHashes"],"since":20},"discovery-token":{"fields":["discovery.bootstrapToken.token",
"discovery.tlsBootstrapToken"],"since":20},"discovery-file":{"fields":["discovery.file.kubeConfigPath"],"since":20},
"ca-path":{"fields":["caCertPath"],"since":20},"node-name":{"fields":["nodeRegistration.name"],"since":20},
"cri-socket":{"fields":["nodeRegistration.criSocket"],"since":20,"last":23},"cri-socket-url":{"fields":
["nodeRegistration.criSocket"],"since":24},"cri-socket-scheme":{"fields":["nodeRegistration.criSocket"],"since":24,
"level":"warning"},"node-taints":{"fields":["nodeRegistration.taints"],"since":20,"level":"policy"},"kubelet-args":
{"fields":["nodeRegistration.kubeletExtraArgs"],"since":31},"ignored-errors":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20},"ignored-errors-all":{"fields":
["nodeRegistration.ignorePreflightErrors"],"since":20,"last":27},"endpoint-address":{"fields":
["controlPlane.localAPIEndpoint.advertiseAddress"],"since":20},"endpoint-loopback":{"fields":
["controlPlane.localAPIEndpoint.advertiseAddress"],"since":20},"endpoint-port":{"fields":
["controlPlane.localAPIEndpoint.bindPort"],"since":20},"certificate-key":{"fields":["controlPlane.certificateKey"],
"since":29},"plausible-size":{"fields":["discovery.timeout","timeouts"],"since":20,"level":"warning","each":true}},
"ClusterConfiguration":{"dns-domain":{"fields":["networking.dnsDomain"],"since":20},"service-subnet":{"fields":
["networking.serviceSubnet"],"since":20},"pod-subnet":{"fields":["networking.podSubnet"],"since":20},
"pod-subnet-node-mask":{"fields":["networking.podSubnet","controllerManager.extraArgs"],"since":20},
"certificates-dir":{"fields":["certificatesDir"],"since":20},"control-plane-endpoint":{"fields":
["controlPlaneEndpoint"],"since":20},"kubernetes-version":{"fields":["kubernetesVersion"],"since":20},
"kubernetes-version-old":{"fields":["kubernetesVersion"],"since":20},"cluster-gates":{"fields":["featureGates"],
"since":20},"cert-sans":{"fields":["apiServer.certSANs","etcd.local.serverCertSANs","etcd.local.peerCertSANs"],
"since":20},"extra-args":{"fields":["apiServer.extraArgs","controllerManager.extraArgs","scheduler.extraArgs",
"etcd.local.extraArgs"],"since":31},"image-repository":{"fields":["imageRepository","dns.imageRepository",
"etcd.local.imageRepository"],"since":31},"etcd-one":{"fields":["etcd"],"since":20},"etcd-paths":{"fields":
["etcd.local.dataDir","etcd.external.caFile","etcd.external.certFile","etcd.external.keyFile"],"since":20},
"etcd-client":{"fields":["etcd.external"],"since":20},"etcd-endpoints":{"fields":["etcd.external.endpoints"],"since":
20},"etcd-endpoints-given":{"fields":["etcd.external.endpoints"],"since":35},"plausible-size":{"fields":
["apiServer.timeoutForControlPlane","caCertificateValidityPeriod","certificateValidityPeriod"],"since":20,"level":
"warning","each":true}},"ResetConfiguration":{"cri-socket-url":{"fields":["criSocket"],"since":31},
"reset-certificates-dir":{"fields":["certificatesDir"],"since":31},"unmount-flags":{"fields":["unmountFlags"],"since":
31},"reset-ignored-errors":{"fields":["ignorePreflightErrors"],"since":31},"plausible-size":{"fields":["timeouts"],
"since":20,"level":"warning","each":true}},"UpgradeConfiguration":{"upgrade-patches":{"fields":
["apply.patches.directory","node.patches.directory"],"since":31},"upgrade-ignored-errors":{"fields":
["apply.ignorePreflightErrors","node.ignorePreflightErrors","plan.ignorePreflightErrors"],"since":31},
"upgrade-version":{"fields":["apply.kubernetesVersion","plan.kubernetesVersion","diff.kubernetesVersion"],"since":31},
"plausible-size":{"fields":["timeouts"],"since":20,"level":"warning","each":true}},"values":{"gates":
[["IPv6DualStack","1.20","1.24"],["PublicKeysECDSA","1.20","1.36"],["RootlessControlPlane","1.22","1.37"],
["UnversionedKubeletConfigMap","1.22","1.26"],["EtcdLearnerMode","1.27","1.32"],["UpgradeAddonsBeforeControlPlane",
"1.28","1.30"],["WaitForAllControlPlaneComponents","1.30","1.34"],["ControlPlaneKubeletLocalMode","1.31","1.35"],
["NodeLocalCRISocket","1.32","1.36"]],"plausible-size":{"dimensions":{"wait":{"of":"duration","least":"100ms","most":
"24h","likely":"1s","units":["s","m"],"tooLittle":"no answer comes in so short a time","tooMuch":
"so long that it hardly ever ends"},"validity":{"of":"duration","least":"1h","most":"1752000h","likely":"1h","units":
["h"],"tooLittle":"a certificate ends before the cluster is up","tooMuch":"longer than a machine lives"},"age":{"of":
"duration","least":"1s","most":"87600h","likely":"10s","units":["s","m","h"],"tooLittle":"too short for any use",
"tooMuch":"longer than a machine lives"}},"fields":{"ClusterConfiguration":{"wait":
{"apiServer.timeoutForControlPlane":[]},"validity":{"certificateValidityPeriod":[],"caCertificateValidityPeriod":[]}},
"InitConfiguration":{"age":{"bootstrapTokens[].ttl":[]},"wait":{"timeouts":["*"]}},"JoinConfiguration":{"wait":
{"discovery.timeout":[],"timeouts":["*"]}},"ResetConfiguration":{"wait":{"timeouts":["*"]}},"UpgradeConfiguration":
{"wait":{"timeouts":["*"]}}}}}}
"""

KUBELET = r"""
{"kubelet":{"gates-known":{"fields":["featureGates"],"since":20},"gates-deps":{"fields":["featureGates"],"since":35},
"lease-duration":{"fields":["nodeLeaseDurationSeconds"],"since":20},"alloc-needs-qos-cgroups":{"fields":
["cgroupsPerQOS","enforceNodeAllocatable"],"since":20},"systemcgroups-root":{"fields":["systemCgroups","cgroupRoot"],
"since":20},"event-burst":{"fields":["eventBurst"],"since":20},"event-qps":{"fields":["eventRecordQPS"],"since":20},
"healthz-port":{"fields":["healthzPort"],"since":20},"cfs-period-gate":{"fields":["cpuCFSQuotaPeriod"],"since":20,
"gate":"CustomCPUCFSQuotaPeriod"},"cfs-period-range-us":{"fields":["cpuCFSQuotaPeriod"],"since":20,"last":25},
"cfs-period-range-ms":{"fields":["cpuCFSQuotaPeriod"],"since":26,"gate":"CustomCPUCFSQuotaPeriod"},"imagegc-high":
{"fields":["imageGCHighThresholdPercent"],"since":20},"imagegc-low":{"fields":["imageGCLowThresholdPercent"],"since":
20},"imagegc-order":{"fields":["imageGCLowThresholdPercent","imageGCHighThresholdPercent"],"since":20},
"image-maxage-gate":{"fields":["imageMaximumGCAge"],"since":29,"gate":"ImageMaximumGCAge"},"image-maxage-neg":
{"fields":["imageMaximumGCAge"],"since":29},"default-sysctls-gate":{"fields":["defaultPodSysctls"],"since":37,"gate":
"DefaultPodSysctls"},"default-sysctls-names":{"fields":["defaultPodSysctls"],"since":37,"gate":"DefaultPodSysctls"},
"default-sysctls-namespaced":{"fields":["defaultPodSysctls"],"since":37,"gate":"DefaultPodSysctls"},
"default-sysctls-unique":{"fields":["defaultPodSysctls"],"since":37,"gate":"DefaultPodSysctls"},"default-sysctls-os":
{"fields":["defaultPodSysctls"],"since":37,"os":["windows"]},"image-minage-neg":{"fields":["imageMinimumGCAge"],
"since":36},"image-age-order":{"fields":["imageMaximumGCAge","imageMinimumGCAge"],"since":29},"iptables-drop-bit":
{"fields":["iptablesDropBit"],"since":20},"iptables-masq-bit":{"fields":["iptablesMasqueradeBit"],"since":20},
"api-burst":{"fields":["kubeAPIBurst"],"since":20},"api-qps":{"fields":["kubeAPIQPS"],"since":20},"status-max-images":
{"fields":["nodeStatusMaxImages"],"since":20},"max-open-files":{"fields":["maxOpenFiles"],"since":20},"max-pods":
{"fields":["maxPods"],"since":20},"oom-score":{"fields":["oomScoreAdj"],"since":20},"pods-per-core":{"fields":
["podsPerCore"],"since":20},"port":{"fields":["port"],"since":20},"readonly-port":{"fields":["readOnlyPort"],"since":
20},"registry-burst":{"fields":["registryBurst"],"since":20},"registry-qps":{"fields":["registryPullQPS"],"since":20},
"parallel-pulls-min":{"fields":["maxParallelImagePulls"],"since":27},"parallel-pulls-serial":{"fields":
["maxParallelImagePulls","serializeImagePulls"],"since":27},"server-tls-bootstrap":{"fields":["serverTLSBootstrap"],
"since":20,"gate":"RotateKubeletServerCertificate"},"run-once":{"fields":["runOnce"],"since":32},"taints":{"fields":
["registerWithTaints"],"since":23},"topology-policy":{"fields":["topologyManagerPolicy"],"since":20},
"topology-policy-gate":{"fields":["topologyManagerPolicy"],"since":20,"last":26,"gate":"TopologyManager"},
"topology-scope":{"fields":["topologyManagerScope"],"since":20},"topology-scope-gate":{"fields":
["topologyManagerScope"],"since":20,"last":26,"gate":"TopologyManager"},"shutdown-order":{"fields":
["shutdownGracePeriod","shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-min":
{"fields":["shutdownGracePeriod"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-critical-min":{"fields":
["shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},"shutdown-gate":{"fields":
["shutdownGracePeriod","shutdownGracePeriodCriticalPods"],"since":20,"gate":"GracefulNodeShutdown"},
"shutdown-priority-excl":{"fields":["shutdownGracePeriodByPodPriority","shutdownGracePeriod",
"shutdownGracePeriodCriticalPods"],"since":23,"gate":"GracefulNodeShutdownBasedOnPodPriority"},
"shutdown-priority-gate":{"fields":["shutdownGracePeriodByPodPriority"],"since":23,"gate":
"GracefulNodeShutdownBasedOnPodPriority"},"swap-values":{"fields":["memorySwap.swapBehavior"],"since":22,"gate":
"NodeSwap"},"swap-gate":{"fields":["memorySwap"],"since":22,"gate":"NodeSwap"},"crashloop-range":{"fields":
["crashLoopBackOff.maxContainerRestartPeriod"],"since":32,"gate":"KubeletCrashLoopBackOffMax"},"alloc-duplicate":
{"fields":["enforceNodeAllocatable"],"since":31},"alloc-compressible-excl":{"fields":["enforceNodeAllocatable"],
"since":32},"alloc-system-cgroup":{"fields":["enforceNodeAllocatable","systemReservedCgroup"],"since":20},
"alloc-kube-cgroup":{"fields":["enforceNodeAllocatable","kubeReservedCgroup"],"since":20},"alloc-none-alone":
{"fields":["enforceNodeAllocatable"],"since":20},"alloc-values":{"fields":["enforceNodeAllocatable"],"since":20},
"hairpin":{"fields":["hairpinMode"],"since":20},"pull-creds-values":{"fields":
["imagePullCredentialsVerificationPolicy"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},"pull-creds-gate":
{"fields":["imagePullCredentialsVerificationPolicy"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},
"pull-allowlist":{"fields":["preloadedImagesVerificationAllowlist","imagePullCredentialsVerificationPolicy"],"since":
33,"gate":"KubeletEnsureSecretPulledImages"},"pull-allowlist-pattern":{"fields":
["preloadedImagesVerificationAllowlist"],"since":33,"gate":"KubeletEnsureSecretPulledImages"},"reserved-cpus-excl":
{"fields":["reservedSystemCPUs","systemReservedCgroup","kubeReservedCgroup"],"since":20},"reserved-cpus-parse":
{"fields":["reservedSystemCPUs"],"since":20},"reserved-memory-type":{"fields":["reservedMemory[].limits"],"since":21},
"reserved-memory-zero":{"fields":["reservedMemory[].limits"],"since":21},"reserved-memory-dup":{"fields":
["reservedMemory"],"since":21},"hidden-metrics":{"fields":["showHiddenMetricsForVersion"],"since":20},"logging":
{"fields":["logging"],"since":20},"tracing":{"fields":["tracing"],"since":25},"tracing-gate":{"fields":["tracing"],
"since":25,"last":33,"gate":"KubeletTracing"},"memqos-required":{"fields":["memoryThrottlingFactor"],"since":22,
"last":36,"gate":"MemoryQoS"},"memqos-gate-off":{"fields":["memoryThrottlingFactor"],"since":37,"gate":"MemoryQoS"},
"memqos-range":{"fields":["memoryThrottlingFactor"],"since":22},"mem-reservation-gate":{"fields":
["memoryReservationPolicy"],"since":36,"gate":"MemoryQoS"},"mem-reservation-values":{"fields":
["memoryReservationPolicy"],"since":36},"runtime-endpoint":{"fields":["containerRuntimeEndpoint"],"since":27},
"log-query-gate":{"fields":["enableSystemLogQuery"],"since":27,"gate":"NodeLogQuery"},"log-query-handler":{"fields":
["enableSystemLogQuery","enableSystemLogHandler"],"since":27},"log-workers":{"fields":["containerLogMaxWorkers"],
"since":30},"log-monitor":{"fields":["containerLogMonitorInterval"],"since":30},"log-files":{"fields":
["containerLogMaxFiles"],"since":33},"pod-logs-dir":{"fields":["podLogsDir"],"since":30},"cgroup-v1":{"fields":
["failCgroupV1"],"since":31,"os":["linux"]},"oomkill-v1":{"fields":["singleProcessOOMKill"],"since":32,"os":
["linux"]},"oomkill-os":{"fields":["singleProcessOOMKill"],"since":32,"os":["windows","other"]},"userns-ids":
{"fields":["userNamespaces.idsPerPod"],"since":33,"os":["linux"]},"userns-os":{"fields":["userNamespaces"],"since":33,
"os":["windows","other"]},"windows-cgroups":{"fields":["cgroupsPerQOS","enforceNodeAllocatable"],"since":20,"last":30,
"os":["windows"]},"plausible-size":{"fields":["authentication.webhook.cacheTTL",
"authorization.webhook.cacheAuthorizedTTL","authorization.webhook.cacheUnauthorizedTTL","containerLogMaxSize",
"containerLogMonitorInterval","cpuManagerReconcilePeriod","evictionHard","evictionMaxPodGracePeriod",
"evictionMinimumReclaim","evictionPressureTransitionPeriod","evictionSoft","evictionSoftGracePeriod",
"fileCheckFrequency","httpCheckFrequency","imageMaximumGCAge","imageMinimumGCAge","kubeReserved",
"logging.flushFrequency","logging.options.json.infoBufferSize","logging.options.text.infoBufferSize","maxPods",
"nodeLeaseDurationSeconds","nodeStatusReportFrequency","nodeStatusUpdateFrequency","podPidsLimit",
"reservedMemory[].limits","runtimeRequestTimeout","shutdownGracePeriod",
"shutdownGracePeriodByPodPriority[].shutdownGracePeriodSeconds","shutdownGracePeriodCriticalPods",
"streamingConnectionIdleTimeout","syncFrequency","systemReserved","volumeStatsAggPeriod"],"since":20,"level":
"warning","each":true}},"kubeletStart":{"swap-on":{"fields":["failSwapOn"],"os":["linux"]},"swap-cgroup-v1":{"fields":
["memorySwap.swapBehavior"],"since":30,"gate":"NodeSwap","os":["linux"]},"qos-root":{"fields":["cgroupsPerQOS",
"cgroupRoot"],"os":["linux"]},"kernel-defaults":{"fields":["protectKernelDefaults"],"os":["linux"]},"alloc-negative":
{"fields":["kubeReserved","systemReserved","evictionHard"]},"reserved-keys":{"fields":["kubeReserved",
"systemReserved"]},"cpu-static-reserved":{"fields":["cpuManagerPolicy","kubeReserved","systemReserved",
"reservedSystemCPUs"]},"cpu-policy":{"fields":["cpuManagerPolicy"]},"cpu-options-known":{"fields":
["cpuManagerPolicyOptions"],"since":22,"unread":37},"cpu-options":{"fields":["cpuManagerPolicyOptions"]},
"cpu-align-socket":{"fields":["cpuManagerPolicyOptions","topologyManagerPolicy"]},"cpu-state":{"fields":
["cpuManagerPolicy","cpuManagerPolicyOptions","reservedSystemCPUs","kubeReserved","systemReserved"]},"mem-policy":
{"fields":["memoryManagerPolicy"]},"mem-static-sum":{"fields":["memoryManagerPolicy","reservedMemory","kubeReserved",
"systemReserved","evictionHard"]},"mem-numa":{"fields":["reservedMemory[].numaNode"]},"mem-state":{"fields":
["memoryManagerPolicy","reservedMemory","kubeReserved","systemReserved","evictionHard"]},"topology-options-known":
{"fields":["topologyManagerPolicyOptions"],"since":26,"unread":37},"topology-options":{"fields":
["topologyManagerPolicyOptions"]},"evict-signals":{"fields":["evictionHard","evictionSoft","evictionSoftGracePeriod",
"evictionMinimumReclaim"]},"evict-values":{"fields":["evictionHard","evictionSoft"]},"evict-soft-grace":{"fields":
["evictionSoft","evictionSoftGracePeriod"]},"evict-reclaim":{"fields":["evictionMinimumReclaim"]},"evict-partial":
{"fields":["evictionHard","mergeDefaultEvictionSettings"],"level":"warning"},"tls-min":{"fields":["tlsMinVersion"]},
"tls-suites":{"fields":["tlsCipherSuites"]},"tls-suites-http2":{"fields":["tlsCipherSuites","tlsMinVersion",
"enableServer"]},"tls-pair":{"fields":["tlsCertFile","tlsPrivateKeyFile","enableServer"],"last":35},
"tls-pair-unserved":{"fields":["tlsCertFile","tlsPrivateKeyFile","enableServer"],"since":36,"level":"policy"},
"tls-curves":{"fields":["tlsCurvePreferences"],"since":36},"address-ip":{"fields":["address","enableServer",
"readOnlyPort"]},"ports-differ":{"fields":["port","readOnlyPort","healthzPort","address","healthzBindAddress",
"enableServer"]},"system-cgroups":{"fields":["systemCgroups"]},"sync-frequency":{"fields":["syncFrequency"]},
"runtime-timeout":{"fields":["runtimeRequestTimeout"]},"iptables-bits":{"fields":["iptablesDropBit",
"iptablesMasqueradeBit","makeIPTablesUtilChains"],"last":27},"cgroup-driver-values":{"fields":["cgroupDriver"],
"level":"policy"},"qos-reserved":{"fields":["qosReserved"],"gate":"QOSReserved"},"unsafe-sysctls":{"fields":
["allowedUnsafeSysctls"]},"log-size":{"fields":["containerLogMaxSize"]},"seccomp-gate":{"fields":["seccompDefault"],
"since":22,"last":28,"gate":"SeccompDefault"},"cgroup-driver-cri":{"fields":["cgroupDriver"],"gate":
"KubeletCgroupDriverFromCRI"}},"values":{"cpuManagerPolicyOptions":{"22":{"full-pcpus-only":"beta"},"23":
{"distribute-cpus-across-numa":"alpha","full-pcpus-only":"beta"},"25":{"distribute-cpus-across-numa":"alpha",
"align-by-socket":"alpha","full-pcpus-only":"beta"},"31":{"distribute-cpus-across-numa":"alpha","align-by-socket":
"alpha","distribute-cpus-across-cores":"alpha","prefer-align-cpus-by-uncorecache":"alpha","full-pcpus-only":"beta"},
"32":{"distribute-cpus-across-numa":"alpha","align-by-socket":"alpha","distribute-cpus-across-cores":"alpha",
"strict-cpu-reservation":"alpha","prefer-align-cpus-by-uncorecache":"alpha","full-pcpus-only":"beta"},"33":
{"align-by-socket":"alpha","distribute-cpus-across-cores":"alpha","prefer-align-cpus-by-uncorecache":"alpha",
"strict-cpu-reservation":"beta","distribute-cpus-across-numa":"beta","full-pcpus-only":"stable"},"34":
{"align-by-socket":"alpha","distribute-cpus-across-cores":"alpha","strict-cpu-reservation":"beta",
"distribute-cpus-across-numa":"beta","prefer-align-cpus-by-uncorecache":"beta","full-pcpus-only":"stable"},"35":
{"align-by-socket":"alpha","distribute-cpus-across-cores":"alpha","distribute-cpus-across-numa":"beta",
"prefer-align-cpus-by-uncorecache":"beta","full-pcpus-only":"stable","strict-cpu-reservation":"stable"},"36":
{"align-by-socket":"alpha","distribute-cpus-across-cores":"alpha","distribute-cpus-across-numa":"beta",
"full-pcpus-only":"stable","strict-cpu-reservation":"stable","prefer-align-cpus-by-uncorecache":"stable"}},
"topologyManagerPolicyOptions":{"26":{"prefer-closest-numa-nodes":"alpha"},"28":{"prefer-closest-numa-nodes":"beta"},
"31":{"prefer-closest-numa-nodes":"beta","max-allowable-numa-nodes":"beta"},"32":{"max-allowable-numa-nodes":"beta",
"prefer-closest-numa-nodes":"stable"},"35":{"prefer-closest-numa-nodes":"stable","max-allowable-numa-nodes":
"stable"}},"evictionSignals":{"20":["memory.available","nodefs.available","nodefs.inodesFree","imagefs.available",
"imagefs.inodesFree","allocatableMemory.available","pid.available"],"29":["+containerfs.available",
"+containerfs.inodesFree"]},"reservedResourceKeys":["cpu","memory","ephemeral-storage","pid"],"tlsMinVersion":["",
"VersionTLS10","VersionTLS11","VersionTLS12","VersionTLS13"],"versions":{"20":["v1alpha1"],"24":["v1alpha1",
"v1beta1"],"26":["v1alpha1","v1beta1","v1"]},"plausible-size":{"dimensions":{"cpu":{"of":"quantity","noun":["CPU",
"CPUs"],"least":"1m","most":"64","units":["m",""],"tooLittle":"no process gets by with so little","tooMuch":
"no node reserves so many"},"memory":{"of":"quantity","noun":["byte","bytes"],"least":"1M","most":"4Ti","likely":
"10Mi","units":["Ki","Mi","Gi"],"tooLittle":"so little has no effect","tooMuch":"hardly a machine has so much"},
"memoryLeft":{"of":"quantity","noun":["byte","bytes"],"least":"1M","most":"4Ti","likely":"10Mi","percent":50,"units":
["Ki","Mi","Gi"],"tooLittle":"no eviction before the out-of-memory killer","tooMuch":
"a machine with less memory evicts all the time"},"storage":{"of":"quantity","noun":["byte","bytes"],"least":"1M",
"most":"1Pi","likely":"100Mi","units":["Ki","Mi","Gi"],"tooLittle":"so little has no effect","tooMuch":
"hardly a machine has so much"},"storageLeft":{"of":"quantity","noun":["byte","bytes"],"least":"1M","most":"1Pi",
"likely":"100Mi","percent":50,"units":["Ki","Mi","Gi"],"tooLittle":"no eviction before the disk is full","tooMuch":
"a machine with a smaller disk evicts all the time"},"inodesLeft":{"of":"quantity","noun":["inode","inodes"],"least":
"100","most":"100M","likely":"1000","percent":50,"units":["","k"],"tooLittle":"no eviction before the disk is full",
"tooMuch":"a machine with a smaller disk evicts all the time"},"processes":{"of":"quantity","noun":["process",
"processes"],"least":"1","most":"4194304","likely":"100","units":["","k"],"tooLittle":"so few have no effect",
"tooMuch":"more than a Linux kernel allows"},"processesLeft":{"of":"quantity","noun":["process","processes"],"least":
"20","most":"4194304","likely":"100","percent":50,"units":["","k"],"tooLittle":
"no eviction before the machine is out of processes","tooMuch":"more than a Linux kernel allows"},"podProcesses":
{"of":"count","noun":["process","processes"],"least":"10","most":"4194304","tooLittle":
"hardly a pod starts with so few","tooMuch":"more than a Linux kernel allows"},"pods":{"of":"count","noun":["pod",
"pods"],"least":"1","most":"10000","tooLittle":"nothing runs","tooMuch":"no node runs so many"},"logFile":{"of":
"quantity","noun":["byte","bytes"],"least":"4Ki","most":"1Ti","likely":"1Mi","units":["Ki","Mi","Gi"],"tooLittle":
"each few lines fill a file","tooMuch":"the disk is full before a file is rotated"},"logBuffer":{"of":"quantity",
"noun":["byte","bytes"],"least":"64","most":"4Gi","likely":"1Ki","units":["","Ki","Mi"],"tooLittle":
"not one line fits","tooMuch":"no program buffers so much"},"interval":{"of":"duration","least":"100ms","most":"24h",
"likely":"1s","units":["s","m"],"tooLittle":"shorter than the work itself takes","tooMuch":
"so long that it hardly ever ends"},"wait":{"of":"duration","least":"100ms","most":"24h","likely":"1s","units":["s",
"m"],"tooLittle":"no answer comes in so short a time","tooMuch":"so long that it hardly ever ends"},"grace":{"of":
"duration","least":"100ms","most":"168h","likely":"1s","units":["s","m"],"tooLittle":
"no program ends in so short a time","tooMuch":"longer than a shutdown may take"},"age":{"of":"duration","least":"1s",
"most":"87600h","likely":"10s","units":["s","m","h"],"tooLittle":"too short for any use","tooMuch":
"longer than a machine lives"},"lease":{"of":"seconds","least":"1","most":"3600","tooLittle":"too short for any use",
"tooMuch":"a dead node passes for healthy so long"},"graceSeconds":{"of":"seconds","least":"1","most":"604800",
"tooLittle":"too short for any use","tooMuch":"longer than a pod may take to end"}},"fields":{"kubelet":{"cpu":
{"kubeReserved":["cpu"],"systemReserved":["cpu"]},"memory":{"kubeReserved":["memory"],"systemReserved":["memory"],
"reservedMemory[].limits":["*"],"evictionMinimumReclaim":["memory.available","allocatableMemory.available"]},
"memoryLeft":{"evictionHard":["memory.available","allocatableMemory.available"],"evictionSoft":["memory.available",
"allocatableMemory.available"]},"storage":{"kubeReserved":["ephemeral-storage"],"systemReserved":
["ephemeral-storage"],"evictionMinimumReclaim":["nodefs.available","imagefs.available","containerfs.available"]},
"storageLeft":{"evictionHard":["nodefs.available","imagefs.available","containerfs.available"],"evictionSoft":
["nodefs.available","imagefs.available","containerfs.available"]},"inodesLeft":{"evictionHard":["nodefs.inodesFree",
"imagefs.inodesFree","containerfs.inodesFree"],"evictionSoft":["nodefs.inodesFree","imagefs.inodesFree",
"containerfs.inodesFree"]},"processes":{"kubeReserved":["pid"],"systemReserved":["pid"],"evictionMinimumReclaim":
["pid.available"]},"processesLeft":{"evictionHard":["pid.available"],"evictionSoft":["pid.available"]},"podProcesses":
{"podPidsLimit":[]},"pods":{"maxPods":[]},"logFile":{"containerLogMaxSize":[]},"logBuffer":
{"logging.options.json.infoBufferSize":[],"logging.options.text.infoBufferSize":[]},"interval":{"syncFrequency":[],
"fileCheckFrequency":[],"httpCheckFrequency":[],"nodeStatusUpdateFrequency":[],"nodeStatusReportFrequency":[],
"volumeStatsAggPeriod":[],"cpuManagerReconcilePeriod":[],"containerLogMonitorInterval":[],"logging.flushFrequency":[],
"authentication.webhook.cacheTTL":[],"authorization.webhook.cacheAuthorizedTTL":[],
"authorization.webhook.cacheUnauthorizedTTL":[],"evictionPressureTransitionPeriod":[],"evictionSoftGracePeriod":
["*"]},"wait":{"runtimeRequestTimeout":[]},"grace":{"shutdownGracePeriod":[],"shutdownGracePeriodCriticalPods":[]},
"age":{"imageMinimumGCAge":[],"imageMaximumGCAge":[],"streamingConnectionIdleTimeout":[]},"lease":
{"nodeLeaseDurationSeconds":[]},"graceSeconds":{"evictionMaxPodGracePeriod":[],
"shutdownGracePeriodByPodPriority[].shutdownGracePeriodSeconds":[]}},"CredentialProviderConfig":{"age":
{"providers[].defaultCacheDuration":[]}}}}},"CredentialProviderConfig":{"providers":{"fields":["providers"],"since":
20},"provider-name":{"fields":["providers[].name"],"since":20},"provider-unique":{"fields":["providers[].name"],
"since":20},"provider-version":{"fields":["providers[].apiVersion"],"since":20},"match-images":{"fields":
["providers[].matchImages"],"since":20},"cache-duration":{"fields":["providers[].defaultCacheDuration"],"since":20},
"token-gate":{"fields":["providers[].tokenAttributes"],"since":33,"level":"warning","flags":true},"token-version":
{"fields":["providers[].tokenAttributes","providers[].apiVersion"],"since":33},"token-audience":{"fields":
["providers[].tokenAttributes.serviceAccountTokenAudience"],"since":33},"token-required":{"fields":
["providers[].tokenAttributes.requireServiceAccount"],"since":33},"token-cache":{"fields":
["providers[].tokenAttributes.cacheType"],"since":34},"token-keys":{"fields":
["providers[].tokenAttributes.requiredServiceAccountAnnotationKeys",
"providers[].tokenAttributes.optionalServiceAccountAnnotationKeys"],"since":33},"plausible-size":{"fields":
["providers[].defaultCacheDuration"],"since":20,"level":"warning","each":true}}}
"""

STATIC_POD = r"""
{"ComponentOptions":{"component":{"fields":["component"]},"file-names":{"fields":["files"]},"file-source":{"fields":
["files{}.content","files{}.path"]},"file-path":{"fields":["files{}.path"]},"file-content":{"fields":
["files{}.content"]}},"values":{}}
"""
