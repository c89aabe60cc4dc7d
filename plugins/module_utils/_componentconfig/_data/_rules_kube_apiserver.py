# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of kube-apiserver as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"AdmissionConfiguration":{"admission-twice":{"fields":["plugins[].name"],"since":20,"level":"warning"},
"admission-both":{"fields":["plugins[].path","plugins[].configuration"],"since":20,"level":"warning"}},
"WebhookAdmissionConfiguration":{"webhook-kubeconfig":{"fields":["kubeConfigFile"],"since":20},"static-manifests":
{"fields":["staticManifestsDir"],"since":36}},"WebhookAdmission":{"webhook-kubeconfig":{"fields":["kubeConfigFile"],
"since":20}},"ValidatingAdmissionPolicyConfiguration":{"static-manifests":{"fields":["staticManifestsDir"],"since":
36}},"MutatingAdmissionPolicyConfiguration":{"static-manifests":{"fields":["staticManifestsDir"],"since":36}},
"ResourceQuotaConfiguration":{"quota-resource":{"fields":["limitedResources[].resource"],"since":20}},
"resourcequota.Configuration":{"quota-resource":{"fields":["limitedResources[].resource"],"since":20}},
"eventratelimit.Configuration":{"limits":{"fields":["limits"],"since":20},"limit-type":{"fields":["limits[].type"],
"since":20},"limit-burst":{"fields":["limits[].burst"],"since":20},"limit-qps":{"fields":["limits[].qps"],"since":20},
"limit-cache":{"fields":["limits[].cacheSize"],"since":20}},"podtolerationrestriction.Configuration":
{"toleration-key":{"fields":["default","whitelist"],"since":20},"toleration-value":{"fields":["default","whitelist"],
"since":20},"toleration-seconds":{"fields":["default","whitelist"],"since":20}},"PodSecurityConfiguration":
{"security-level":{"fields":["defaults"],"since":22},"security-version":{"fields":["defaults"],"since":22},
"exempt-namespaces":{"fields":["exemptions.namespaces"],"since":22},"exempt-classes":{"fields":
["exemptions.runtimeClasses"],"since":22},"exempt-users":{"fields":["exemptions.usernames"],"since":22},
"exempt-twice":{"fields":["exemptions"],"since":22}},"EncryptionConfiguration":{"resources":{"fields":["resources"],
"since":20},"resource-names":{"fields":["resources[].resources"],"since":20},"resource-name":{"fields":
["resources[].resources"],"since":27},"resource-overlap":{"fields":["resources[].resources"],"since":27},"providers":
{"fields":["resources[].providers"],"since":20},"provider-one":{"fields":["resources[].providers[]"],"since":20},
"keys":{"fields":["resources[].providers[].aescbc.keys","resources[].providers[].aesgcm.keys",
"resources[].providers[].secretbox.keys"],"since":20},"key-name":{"fields":["resources[].providers[]"],"since":20},
"key-secret":{"fields":["resources[].providers[]"],"since":20},"kms-name":{"fields":
["resources[].providers[].kms.name"],"since":20},"kms-name-unique":{"fields":["resources[].providers[].kms.name"],
"since":26},"kms-version":{"fields":["resources[].providers[].kms.apiVersion"],"since":25},"kms-endpoint":{"fields":
["resources[].providers[].kms.endpoint"],"since":20},"kms-timeout":{"fields":["resources[].providers[].kms.timeout"],
"since":20},"kms-cache":{"fields":["resources[].providers[].kms.cachesize"],"since":20},"kms-v1":{"fields":
["resources[].providers[].kms.apiVersion"],"since":29,"level":"warning"},"identity-first":{"fields":
["resources[].providers[].identity"],"since":20,"level":"warning"}},"TracingConfiguration":{"sampling-rate":{"fields":
["samplingRatePerMillion"],"since":22},"tracing-endpoint":{"fields":["endpoint"],"since":22}},
"EgressSelectorConfiguration":{"egress-name":{"fields":["egressSelections[].name"],"since":20},"egress-name-unique":
{"fields":["egressSelections[].name"],"since":20},"egress-protocol":{"fields":
["egressSelections[].connection.proxyProtocol"],"since":20},"egress-transport":{"fields":
["egressSelections[].connection.transport"],"since":20},"egress-uds":{"fields":
["egressSelections[].connection.transport.uds.udsName"],"since":20},"egress-url":{"fields":
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
["jwt[].claimMappings.username"],"since":29},"claim-or-expression":{"fields":["jwt[].claimMappings"],"since":29},
"claim-prefix":{"fields":["jwt[].claimMappings"],"since":29},"extra-key":{"fields":
["jwt[].claimMappings.extra[].key"],"since":29},"extra-value":{"fields":
["jwt[].claimMappings.extra[].valueExpression"],"since":29},"user-rules":{"fields":
["jwt[].userValidationRules[].expression"],"since":29},"anonymous":{"fields":["anonymous"],"since":31}},
"AuthorizationConfiguration":{"authorizers":{"fields":["authorizers"],"since":29},"authorizer-type":{"fields":
["authorizers[].type"],"since":29},"authorizer-name":{"fields":["authorizers[].name"],"since":29},"webhook":{"fields":
["authorizers[].webhook"],"since":29},"webhook-timeout":{"fields":["authorizers[].webhook.timeout"],"since":29},
"webhook-ttl":{"fields":["authorizers[].webhook.authorizedTTL","authorizers[].webhook.unauthorizedTTL"],"since":29},
"webhook-version":{"fields":["authorizers[].webhook.subjectAccessReviewVersion"],"since":29},"webhook-match-version":
{"fields":["authorizers[].webhook.matchConditionSubjectAccessReviewVersion"],"since":29},"webhook-policy":{"fields":
["authorizers[].webhook.failurePolicy"],"since":29},"webhook-connection":{"fields":
["authorizers[].webhook.connectionInfo"],"since":29},"match-conditions":{"fields":
["authorizers[].webhook.matchConditions"],"since":29}},"values":{}}
"""
