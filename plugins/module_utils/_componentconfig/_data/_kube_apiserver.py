# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-apiserver as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"AdmissionConfiguration":{"plugins":{"type":"list<object>","optional":1,"fields":{"name":{},"path":
{"optional":1},"configuration":{"type":"any","optional":1,"nullable":1}}}},"audienceMatchPolicy":{"type":"enum",
"optional":1,"enum":["MatchAny"]},"claimValidationRules":{"type":"list<object>","optional":1,"fields":{"claim":
{"optional":1},"requiredValue":{"optional":1},"expression":{"optional":1},"message":{"optional":1}}},"username":
{"claim":{"optional":1},"prefix":{"optional":1,"nullable":1},"expression":{"optional":1}},"claimMappings":{"type":
"object","fields":{"username":{"type":"object","fields":"username"},"groups":{"type":"object","optional":1,"fields":
"username"},"uid":{"type":"object","optional":1,"fields":{"claim":{"optional":1},"expression":{"optional":1}}},
"extra":{"type":"list<object>","optional":1,"fields":{"key":{},"valueExpression":{}}}}},"userValidationRules":{"type":
"list<object>","optional":1,"fields":{"expression":{},"message":{"optional":1}}},"egressSelectorType":{"type":"enum",
"optional":1,"since":34,"enum":["controlplane","cluster"]},"anonymous":{"type":"object","optional":1,"nullable":1,
"since":31,"fields":{"enabled":{"type":"bool","since":31},"conditions":{"type":"list<object>","optional":1,"since":31,
"fields":{"path":{"since":31}}}}},"AuthorizationConfiguration":{"authorizers":{"type":"list<object>","fields":{"type":
{},"name":{},"webhook":{"type":"object","optional":1,"nullable":1,"fields":{"authorizedTTL":{"type":"duration",
"default":"5m0s"},"cacheAuthorizedRequests":{"type":"bool","optional":1,"nullable":1,"since":34,"default":true},
"unauthorizedTTL":{"type":"duration","default":"30s"},"cacheUnauthorizedRequests":{"type":"bool","optional":1,
"nullable":1,"since":34,"default":true},"timeout":{"type":"duration"},"subjectAccessReviewVersion":{},
"matchConditionSubjectAccessReviewVersion":{},"failurePolicy":{},"connectionInfo":{"type":"object","fields":{"type":
{},"kubeConfigFile":{"nullable":1}}},"matchConditions":{"type":"list<object>","fields":{"expression":{}}}}}}}},
"EgressSelectorConfiguration":{"egressSelections":{"type":"list<object>","fields":{"name":{},"connection":{"type":
"object","fields":{"proxyProtocol":{"type":"enum","optional":1,"enum":["HTTPConnect","GRPC","Direct"]},"transport":
{"type":"object","optional":1,"nullable":1,"fields":{"tcp":{"type":"object","optional":1,"nullable":1,"fields":{"url":
{"optional":1},"tlsConfig":{"type":"object","optional":1,"nullable":1,"fields":{"caBundle":{"optional":1},"clientKey":
{"optional":1},"clientCert":{"optional":1},"tlsServerName":{"optional":1,"since":36}}}}},"uds":{"type":"object",
"optional":1,"nullable":1,"fields":{"udsName":{"optional":1}}}}}}}}}},"aesgcm":{"keys":{"type":"list<object>",
"fields":{"name":{},"secret":{}}}},"EncryptionConfig":{"resources":{"type":"list<object>","fields":{"resources":
{"type":"list<string>"},"providers":{"type":"list<object>","fields":{"aesgcm":{"type":"object","optional":1,
"nullable":1,"fields":"aesgcm"},"aescbc":{"type":"object","optional":1,"nullable":1,"fields":"aesgcm"},"secretbox":
{"type":"object","optional":1,"nullable":1,"fields":"aesgcm"},"identity":{"type":"object","optional":1,"nullable":1},
"kms":{"type":"object","optional":1,"nullable":1,"fields":{"apiVersion":{"optional":1,"since":25,"default":"v1"},
"name":{},"cachesize":{"type":"int32","optional":1,"nullable":1,"default":1000},"endpoint":{},"timeout":{"type":
"duration","optional":1,"nullable":1,"default":"3s"}}}}}}}},"PodSecurityConfiguration":{"defaults":{"type":"object",
"fields":{"enforce":{"optional":1,"default":"privileged"},"enforce-version":{"optional":1,"default":"latest"},"audit":
{"optional":1,"default":"privileged"},"audit-version":{"optional":1,"default":"latest"},"warn":{"optional":1,
"default":"privileged"},"warn-version":{"optional":1,"default":"latest"}}},"exemptions":{"type":"object","fields":
{"usernames":{"type":"list<string>","optional":1},"namespaces":{"type":"list<string>","optional":1},"runtimeClasses":
{"type":"list<string>","optional":1}}}},"default":{"key":{"optional":1},"operator":{"type":"enum","optional":1,"enum":
["Exists","Equal","Lt","Gt"],"enums":[[20,["Exists","Equal"]],[35,["Exists","Equal","Lt","Gt"]]],"gates":
["TaintTolerationComparisonOperators"]},"value":{"optional":1},"effect":{"type":"enum","optional":1,"enum":
["NoSchedule","PreferNoSchedule","NoExecute"]},"tolerationSeconds":{"type":"int64","optional":1,"nullable":1}},
"omitStages":{"type":"list<enum>","optional":1,"enum":["RequestReceived","ResponseStarted","ResponseComplete",
"Panic"],"types":[[20,"list<string>"],[22,"list<enum>"]],"enums":[[20,null],[22,["RequestReceived","ResponseStarted",
"ResponseComplete","Panic"]]]},"Policy":{"metadata":{"type":"objectMeta","optional":1},"rules":{"type":"list<object>",
"fields":{"level":{"type":"enum","enum":["None","Metadata","Request","RequestResponse"]},"users":{"type":
"list<string>","optional":1},"userGroups":{"type":"list<string>","optional":1},"verbs":{"type":"list<string>",
"optional":1},"resources":{"type":"list<object>","optional":1,"fields":{"group":{"optional":1},"resources":{"type":
"list<string>","optional":1},"resourceNames":{"type":"list<string>","optional":1}}},"namespaces":{"type":
"list<string>","optional":1},"nonResourceURLs":{"type":"list<string>","optional":1},"omitStages":"omitStages",
"omitManagedFields":{"type":"bool","optional":1,"nullable":1,"since":23}}},"omitStages":"omitStages",
"omitManagedFields":{"type":"bool","optional":1,"since":23}},"ResourceQuotaConfiguration":{"limitedResources":{"type":
"list<object>","optional":1,"fields":{"apiGroup":{"optional":1},"resource":{},"matchContains":{"type":"list<string>",
"optional":1},"matchScopes":{"type":"list<object>","optional":1,"fields":{"scopeName":{"type":"enum","enum":
["Terminating","NotTerminating","BestEffort","NotBestEffort","PriorityClass","CrossNamespacePodAffinity",
"VolumeAttributesClass"],"enumLevel":"warning","enums":[[20,["Terminating","NotTerminating","BestEffort",
"NotBestEffort","PriorityClass"]],[21,["Terminating","NotTerminating","BestEffort","NotBestEffort","PriorityClass",
"CrossNamespacePodAffinity"]],[33,["Terminating","NotTerminating","BestEffort","NotBestEffort","PriorityClass",
"CrossNamespacePodAffinity","VolumeAttributesClass"]]]},"operator":{"type":"enum","enum":["In","NotIn","Exists",
"DoesNotExist"],"enumLevel":"warning"},"values":{"type":"list<string>","optional":1}}}}}},"TracingConfiguration":
{"endpoint":{"optional":1,"nullable":1},"samplingRatePerMillion":{"type":"int32","optional":1,"nullable":1}}},"kinds":
{"apiserver.config.k8s.io/v1 AdmissionConfiguration":{"component":"kube-apiserver","fields":"AdmissionConfiguration"},
"apiserver.k8s.io/v1alpha1 AdmissionConfiguration":{"component":"kube-apiserver","fields":"AdmissionConfiguration"},
"apiserver.config.k8s.io/v1 AuthenticationConfiguration":{"component":"kube-apiserver","fields":{"jwt":{"type":
"list<object>","fields":{"issuer":{"type":"object","fields":{"url":{},"discoveryURL":{"optional":1,"nullable":1},
"certificateAuthority":{"optional":1},"audiences":{"type":"list<string>"},"audienceMatchPolicy":"audienceMatchPolicy",
"egressSelectorType":{"type":"enum","optional":1,"enum":["controlplane","cluster"]}}},"claimValidationRules":
"claimValidationRules","claimMappings":"claimMappings","userValidationRules":"userValidationRules"}},"anonymous":
{"type":"object","optional":1,"nullable":1,"fields":{"enabled":{"type":"bool"},"conditions":{"type":"list<object>",
"optional":1,"fields":{"path":{}}}}}}},"apiserver.config.k8s.io/v1alpha1 AuthenticationConfiguration":{"component":
"kube-apiserver","fields":{"jwt":{"type":"list<object>","fields":{"issuer":{"type":"object","fields":{"url":{},
"discoveryURL":{"optional":1,"nullable":1,"since":30},"certificateAuthority":{"optional":1},"audiences":{"type":
"list<string>"},"audienceMatchPolicy":{"type":"enum","optional":1,"since":30,"enum":["MatchAny"]},
"egressSelectorType":"egressSelectorType"}},"claimValidationRules":"claimValidationRules","claimMappings":
"claimMappings","userValidationRules":"userValidationRules"}},"anonymous":"anonymous"}},
"apiserver.config.k8s.io/v1beta1 AuthenticationConfiguration":{"component":"kube-apiserver","fields":{"jwt":{"type":
"list<object>","fields":{"issuer":{"type":"object","fields":{"url":{},"discoveryURL":{"optional":1,"nullable":1},
"certificateAuthority":{"optional":1},"audiences":{"type":"list<string>"},"audienceMatchPolicy":"audienceMatchPolicy",
"egressSelectorType":"egressSelectorType"}},"claimValidationRules":"claimValidationRules","claimMappings":
"claimMappings","userValidationRules":"userValidationRules"}},"anonymous":"anonymous"}},
"apiserver.config.k8s.io/v1 AuthorizationConfiguration":{"component":"kube-apiserver","fields":
"AuthorizationConfiguration"},"apiserver.config.k8s.io/v1alpha1 AuthorizationConfiguration":{"component":
"kube-apiserver","fields":"AuthorizationConfiguration"},"apiserver.config.k8s.io/v1beta1 AuthorizationConfiguration":
{"component":"kube-apiserver","fields":"AuthorizationConfiguration"},
"apiserver.k8s.io/v1alpha1 EgressSelectorConfiguration":{"component":"kube-apiserver","fields":
"EgressSelectorConfiguration"},"apiserver.k8s.io/v1beta1 EgressSelectorConfiguration":{"component":"kube-apiserver",
"fields":"EgressSelectorConfiguration"},"v1 EncryptionConfig":{"component":"kube-apiserver","fields":
"EncryptionConfig"},"apiserver.config.k8s.io/v1 EncryptionConfiguration":{"component":"kube-apiserver","fields":
"EncryptionConfig"},"eventratelimit.admission.k8s.io/v1alpha1 Configuration":{"component":"kube-apiserver","fields":
{"limits":{"type":"list<object>","fields":{"type":{"type":"enum","enum":["Server","Namespace","User",
"SourceAndObject"]},"qps":{"type":"int32"},"burst":{"type":"int32"},"cacheSize":{"type":"int32","optional":1}}}}},
"apiserver.config.k8s.io/v1 MutatingAdmissionPolicyConfiguration":{"component":"kube-apiserver","fields":
{"staticManifestsDir":{"optional":1,"gates":["ManifestBasedAdmissionControlConfig","MutatingAdmissionPolicy"]}}},
"pod-security.admission.config.k8s.io/v1 PodSecurityConfiguration":{"component":"kube-apiserver","fields":
"PodSecurityConfiguration"},"pod-security.admission.config.k8s.io/v1alpha1 PodSecurityConfiguration":{"component":
"kube-apiserver","fields":"PodSecurityConfiguration"},
"pod-security.admission.config.k8s.io/v1beta1 PodSecurityConfiguration":{"component":"kube-apiserver","fields":
"PodSecurityConfiguration"},"podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration":{"component":
"kube-apiserver","fields":{"default":{"type":"list<object>","optional":1,"fields":"default"},"whitelist":{"type":
"list<object>","optional":1,"fields":"default"}}},"audit.k8s.io/v1 Policy":{"component":"kube-apiserver","fields":
"Policy"},"audit.k8s.io/v1alpha1 Policy":{"component":"kube-apiserver","fields":"Policy"},
"audit.k8s.io/v1beta1 Policy":{"component":"kube-apiserver","fields":"Policy"},
"apiserver.config.k8s.io/v1 ResourceQuotaConfiguration":{"component":"kube-apiserver","fields":
"ResourceQuotaConfiguration"},"resourcequota.admission.k8s.io/v1alpha1 Configuration":{"component":"kube-apiserver",
"fields":"ResourceQuotaConfiguration"},"resourcequota.admission.k8s.io/v1beta1 Configuration":{"component":
"kube-apiserver","fields":"ResourceQuotaConfiguration"},"apiserver.config.k8s.io/v1 TracingConfiguration":
{"component":"kube-apiserver","fields":"TracingConfiguration"},
"apiserver.config.k8s.io/v1alpha1 TracingConfiguration":{"component":"kube-apiserver","fields":
"TracingConfiguration"},"apiserver.config.k8s.io/v1beta1 TracingConfiguration":{"component":"kube-apiserver","fields":
"TracingConfiguration"},"apiserver.config.k8s.io/v1 ValidatingAdmissionPolicyConfiguration":{"component":
"kube-apiserver","fields":{"staticManifestsDir":{"optional":1,"gates":["ManifestBasedAdmissionControlConfig",
"ValidatingAdmissionPolicy"]}}},"apiserver.config.k8s.io/v1alpha1 WebhookAdmission":{"component":"kube-apiserver",
"fields":{"kubeConfigFile":{}}},"apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration":{"component":
"kube-apiserver","fields":{"kubeConfigFile":{},"staticManifestsDir":{"optional":1,"since":36,"gates":
["ManifestBasedAdmissionControlConfig"]}}}}}
"""
