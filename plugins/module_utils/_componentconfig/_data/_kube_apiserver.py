# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of kube-apiserver as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"AdmissionConfiguration":{"plugins":{"type":"list<object>","fields":{"name":{},"path":{},"configuration":
{"type":"any","nullable":1}}}},"claimValidationRules":{"type":"list<object>","fields":{"claim":{},"requiredValue":{},
"expression":{},"message":{}}},"claimMappings":{"fields":{"username":{"fields":{"claim":{},"prefix":{"nullable":1},
"expression":{}}},"groups":{"fields":{"claim":{},"prefix":{"nullable":1},"expression":{}}},"uid":{"fields":{"claim":
{},"expression":{}}},"extra":{"type":"list<object>","fields":{"key":{},"valueExpression":{}}}}},"userValidationRules":
{"type":"list<object>","fields":{"expression":{},"message":{}}},"anonymous":{"enabled":{"type":"bool"},"conditions":
{"type":"list<object>","fields":{"path":{}}}},"egressSelectorType":{"type":"enum","since":34,"enum":["controlplane",
"cluster"]},"anonymous2":{"nullable":1,"since":31,"fields":"anonymous"},"AuthorizationConfiguration":{"authorizers":
{"type":"list<object>","fields":{"type":{},"name":{},"webhook":{"nullable":1,"fields":{"authorizedTTL":{"type":
"duration","default":"5m0s"},"cacheAuthorizedRequests":{"type":"bool","nullable":1,"since":34,"default":true},
"unauthorizedTTL":{"type":"duration","default":"30s"},"cacheUnauthorizedRequests":{"type":"bool","nullable":1,"since":
34,"default":true},"timeout":{"type":"duration"},"subjectAccessReviewVersion":{},
"matchConditionSubjectAccessReviewVersion":{},"failurePolicy":{},"connectionInfo":{"fields":{"type":{},
"kubeConfigFile":{"nullable":1}}},"matchConditions":{"type":"list<object>","fields":{"expression":{}}}}}}}},
"EgressSelectorConfiguration":{"egressSelections":{"type":"list<object>","fields":{"name":{},"connection":{"fields":
{"proxyProtocol":{"type":"enum","enum":["HTTPConnect","GRPC","Direct"]},"transport":{"nullable":1,"fields":{"tcp":
{"nullable":1,"fields":{"url":{},"tlsConfig":{"nullable":1,"fields":{"caBundle":{},"clientKey":{},"clientCert":{},
"tlsServerName":{"since":36}}}}},"uds":{"nullable":1,"fields":{"udsName":{}}}}}}}}}},"aesgcm":{"keys":{"type":
"list<object>","fields":{"name":{},"secret":{}}}},"EncryptionConfig":{"resources":{"type":"list<object>","fields":
{"resources":{"type":"list<string>"},"providers":{"type":"list<object>","fields":{"aesgcm":{"nullable":1,"fields":
"aesgcm"},"aescbc":{"nullable":1,"fields":"aesgcm"},"secretbox":{"nullable":1,"fields":"aesgcm"},"identity":{"type":
"object","nullable":1},"kms":{"nullable":1,"fields":{"apiVersion":{"since":25,"default":"v1"},"name":{},"cachesize":
{"type":"int32","nullable":1,"default":1000},"endpoint":{},"timeout":{"type":"duration","nullable":1,"default":
"3s"}}}}}}}},"PodSecurityConfiguration":{"defaults":{"fields":{"enforce":{"default":"privileged"},"enforce-version":
{"default":"latest"},"audit":{"default":"privileged"},"audit-version":{"default":"latest"},"warn":{"default":
"privileged"},"warn-version":{"default":"latest"}}},"exemptions":{"fields":{"usernames":{"type":"list<string>"},
"namespaces":{"type":"list<string>"},"runtimeClasses":{"type":"list<string>"}}}},"default":{"key":{},"operator":
{"type":"enum","enum":["Exists","Equal","Lt","Gt"],"enums":[[20,["Exists","Equal"]],[35,["Exists","Equal","Lt",
"Gt"]]],"gates":["TaintTolerationComparisonOperators"]},"value":{},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"]},"tolerationSeconds":{"type":"int64","nullable":1}},"omitStages":{"type":"list<enum>",
"enum":["RequestReceived","ResponseStarted","ResponseComplete","Panic"],"types":[[20,"list<string>"],[22,
"list<enum>"]],"enums":[[20,null],[22,["RequestReceived","ResponseStarted","ResponseComplete","Panic"]]]},"Policy":
{"metadata":{"type":"objectMeta"},"rules":{"type":"list<object>","fields":{"level":{"type":"enum","enum":["None",
"Metadata","Request","RequestResponse"]},"users":{"type":"list<string>"},"userGroups":{"type":"list<string>"},"verbs":
{"type":"list<string>"},"resources":{"type":"list<object>","fields":{"group":{},"resources":{"type":"list<string>"},
"resourceNames":{"type":"list<string>"}}},"namespaces":{"type":"list<string>"},"nonResourceURLs":{"type":
"list<string>"},"omitStages":"omitStages","omitManagedFields":{"type":"bool","nullable":1,"since":23}}},"omitStages":
"omitStages","omitManagedFields":{"type":"bool","since":23}},"ResourceQuotaConfiguration":{"limitedResources":{"type":
"list<object>","fields":{"apiGroup":{},"resource":{},"matchContains":{"type":"list<string>"},"matchScopes":{"type":
"list<object>","fields":{"scopeName":{"type":"enum","enum":["Terminating","NotTerminating","BestEffort",
"NotBestEffort","PriorityClass","CrossNamespacePodAffinity","VolumeAttributesClass"],"enumLevel":"warning","enums":
[[20,["Terminating","NotTerminating","BestEffort","NotBestEffort","PriorityClass"]],[21,["Terminating",
"NotTerminating","BestEffort","NotBestEffort","PriorityClass","CrossNamespacePodAffinity"]],[33,["Terminating",
"NotTerminating","BestEffort","NotBestEffort","PriorityClass","CrossNamespacePodAffinity","VolumeAttributesClass"]]]},
"operator":{"type":"enum","enum":["In","NotIn","Exists","DoesNotExist"],"enumLevel":"warning"},"values":{"type":
"list<string>"}}}}}},"TracingConfiguration":{"endpoint":{"nullable":1},"samplingRatePerMillion":{"type":"int32",
"nullable":1}}},"kinds":{"apiserver.config.k8s.io/v1 AdmissionConfiguration":{"fields":"AdmissionConfiguration"},
"apiserver.k8s.io/v1alpha1 AdmissionConfiguration":{"fields":"AdmissionConfiguration"},
"apiserver.config.k8s.io/v1 AuthenticationConfiguration":{"fields":{"jwt":{"type":"list<object>","fields":{"issuer":
{"fields":{"url":{},"discoveryURL":{"nullable":1},"certificateAuthority":{},"audiences":{"type":"list<string>"},
"audienceMatchPolicy":{"type":"enum","enum":["MatchAny"]},"egressSelectorType":{"type":"enum","enum":["controlplane",
"cluster"]}}},"claimValidationRules":"claimValidationRules","claimMappings":"claimMappings","userValidationRules":
"userValidationRules"}},"anonymous":{"nullable":1,"fields":"anonymous"}}},
"apiserver.config.k8s.io/v1alpha1 AuthenticationConfiguration":{"fields":{"jwt":{"type":"list<object>","fields":
{"issuer":{"fields":{"url":{},"discoveryURL":{"nullable":1,"since":30},"certificateAuthority":{},"audiences":{"type":
"list<string>"},"audienceMatchPolicy":{"type":"enum","since":30,"enum":["MatchAny"]},"egressSelectorType":
"egressSelectorType"}},"claimValidationRules":"claimValidationRules","claimMappings":"claimMappings",
"userValidationRules":"userValidationRules"}},"anonymous":"anonymous2"}},
"apiserver.config.k8s.io/v1beta1 AuthenticationConfiguration":{"fields":{"jwt":{"type":"list<object>","fields":
{"issuer":{"fields":{"url":{},"discoveryURL":{"nullable":1},"certificateAuthority":{},"audiences":{"type":
"list<string>"},"audienceMatchPolicy":{"type":"enum","enum":["MatchAny"]},"egressSelectorType":"egressSelectorType"}},
"claimValidationRules":"claimValidationRules","claimMappings":"claimMappings","userValidationRules":
"userValidationRules"}},"anonymous":"anonymous2"}},"apiserver.config.k8s.io/v1 AuthorizationConfiguration":{"fields":
"AuthorizationConfiguration"},"apiserver.config.k8s.io/v1alpha1 AuthorizationConfiguration":{"fields":
"AuthorizationConfiguration"},"apiserver.config.k8s.io/v1beta1 AuthorizationConfiguration":{"fields":
"AuthorizationConfiguration"},"apiserver.k8s.io/v1alpha1 EgressSelectorConfiguration":{"fields":
"EgressSelectorConfiguration"},"apiserver.k8s.io/v1beta1 EgressSelectorConfiguration":{"fields":
"EgressSelectorConfiguration"},"v1 EncryptionConfig":{"fields":"EncryptionConfig"},
"apiserver.config.k8s.io/v1 EncryptionConfiguration":{"fields":"EncryptionConfig"},
"eventratelimit.admission.k8s.io/v1alpha1 Configuration":{"fields":{"limits":{"type":"list<object>","fields":{"type":
{"type":"enum","enum":["Server","Namespace","User","SourceAndObject"]},"qps":{"type":"int32"},"burst":{"type":
"int32"},"cacheSize":{"type":"int32"}}}}},"apiserver.config.k8s.io/v1 MutatingAdmissionPolicyConfiguration":{"fields":
{"staticManifestsDir":{"gates":["ManifestBasedAdmissionControlConfig","MutatingAdmissionPolicy"]}}},
"pod-security.admission.config.k8s.io/v1 PodSecurityConfiguration":{"fields":"PodSecurityConfiguration"},
"pod-security.admission.config.k8s.io/v1alpha1 PodSecurityConfiguration":{"fields":"PodSecurityConfiguration"},
"pod-security.admission.config.k8s.io/v1beta1 PodSecurityConfiguration":{"fields":"PodSecurityConfiguration"},
"podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration":{"fields":{"default":{"type":"list<object>",
"fields":"default"},"whitelist":{"type":"list<object>","fields":"default"}}},"audit.k8s.io/v1 Policy":{"fields":
"Policy"},"audit.k8s.io/v1alpha1 Policy":{"fields":"Policy"},"audit.k8s.io/v1beta1 Policy":{"fields":"Policy"},
"apiserver.config.k8s.io/v1 ResourceQuotaConfiguration":{"fields":"ResourceQuotaConfiguration"},
"resourcequota.admission.k8s.io/v1alpha1 Configuration":{"fields":"ResourceQuotaConfiguration"},
"resourcequota.admission.k8s.io/v1beta1 Configuration":{"fields":"ResourceQuotaConfiguration"},
"apiserver.config.k8s.io/v1 TracingConfiguration":{"fields":"TracingConfiguration"},
"apiserver.config.k8s.io/v1alpha1 TracingConfiguration":{"fields":"TracingConfiguration"},
"apiserver.config.k8s.io/v1beta1 TracingConfiguration":{"fields":"TracingConfiguration"},
"apiserver.config.k8s.io/v1 ValidatingAdmissionPolicyConfiguration":{"fields":{"staticManifestsDir":{"gates":
["ManifestBasedAdmissionControlConfig","ValidatingAdmissionPolicy"]}}},
"apiserver.config.k8s.io/v1alpha1 WebhookAdmission":{"fields":{"kubeConfigFile":{}}},
"apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration":{"fields":{"kubeConfigFile":{},"staticManifestsDir":
{"since":36,"gates":["ManifestBasedAdmissionControlConfig"]}}}}}
"""
