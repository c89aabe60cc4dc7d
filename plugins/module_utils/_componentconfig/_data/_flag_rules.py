# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Rules about the values of flags as JSON."""

from __future__ import annotations

__all__ = ["RULES"]

RULES = r"""
{"kube-apiserver":{"apiserver-count":[{"rule":"range","otherwise":"exit","range":[1,null]}],"audit-log-maxage":
[{"rule":"range","otherwise":"exit","of":"audit-log-path","range":[0,null]}],"audit-log-maxbackup":[{"rule":"range",
"otherwise":"exit","of":"audit-log-path","range":[0,null]}],"audit-log-maxsize":[{"rule":"range","otherwise":"exit",
"of":"audit-log-path","range":[0,null]}],"authentication-config":[{"rule":"excludes","since":28,"otherwise":"exit",
"refused":["oidc-issuer-url","oidc-client-id","oidc-ca-file","oidc-username-claim","oidc-username-prefix",
"oidc-groups-claim","oidc-groups-prefix","oidc-required-claim","oidc-signing-algs"]},{"rule":"needs-gate","since":31,
"last":33,"otherwise":"exit","gate":"StructuredAuthenticationConfiguration"}],"authorization-config":[{"rule":
"excludes","since":29,"otherwise":"exit","refused":["authorization-mode","authorization-webhook-config-file",
"authorization-webhook-version","authorization-webhook-cache-authorized-ttl",
"authorization-webhook-cache-unauthorized-ttl","authorization-policy-file"]},{"rule":"needs-gate","since":29,"last":
31,"otherwise":"exit","gate":"StructuredAuthorizationConfiguration"}],"authorization-mode":[{"rule":"unique",
"otherwise":"exit"},{"rule":"value-needs","otherwise":"exit","values":["Webhook"],"needs":
["authorization-webhook-config-file"]},{"rule":"value-needs","otherwise":"exit","values":["ABAC"],"needs":
["authorization-policy-file"]}],"authorization-policy-file":[{"rule":"needs-value","otherwise":"exit","values":
["ABAC"],"of":"authorization-mode"}],"authorization-webhook-config-file":[{"rule":"needs-value","otherwise":"exit",
"values":["Webhook"],"of":"authorization-mode"}],"coordinated-leadership-lease-duration":[{"rule":"greater-than",
"since":34,"otherwise":"exit","of":"coordinated-leadership-renew-deadline","ofDefault":"10s"}],
"coordinated-leadership-renew-deadline":[{"rule":"greater-than","since":34,"otherwise":"exit","of":
"coordinated-leadership-retry-period","ofDefault":"2s"},{"rule":"less-than","since":34,"otherwise":"exit","of":
"coordinated-leadership-lease-duration","ofDefault":"15s"}],"coordinated-leadership-retry-period":[{"rule":
"less-than","since":34,"otherwise":"exit","of":"coordinated-leadership-renew-deadline","ofDefault":"10s"}],
"enable-admission-plugins":[{"rule":"disjoint-with","otherwise":"exit","of":"disable-admission-plugins"}],
"encryption-provider-config-automatic-reload":[{"rule":"needs-flag","since":26,"otherwise":"exit","needs":
["encryption-provider-config"]}],"goaway-chance":[{"rule":"range","since":31,"otherwise":"exit","range":[0,0.02]}],
"kubernetes-service-node-port":[{"rule":"range","otherwise":"exit","range":[0,65535]},{"rule":"within","otherwise":
"exit","of":"service-node-port-range","ofDefault":"30000-32767"}],"livez-grace-period":[{"rule":"range","since":31,
"otherwise":"exit","range":[0,null],"unit":"s"}],"max-mutating-requests-inflight":[{"rule":"range","since":31,
"otherwise":"exit","range":[0,null]}],"max-requests-inflight":[{"rule":"range","since":31,"otherwise":"exit","range":
[0,null]}],"min-request-timeout":[{"rule":"range","since":31,"otherwise":"exit","range":[0,null]}],"oidc-client-id":
[{"rule":"needs-flag","otherwise":"exit","needs":["oidc-issuer-url"]}],"oidc-issuer-url":[{"rule":"needs-flag",
"otherwise":"exit","needs":["oidc-client-id"]}],"peer-advertise-ip":[{"rule":"needs-gate","since":28,"otherwise":
"exit","gate":"UnknownVersionInteroperabilityProxy"}],"peer-advertise-port":[{"rule":"needs-gate","since":28,
"otherwise":"exit","gate":"UnknownVersionInteroperabilityProxy"}],"peer-ca-file":[{"rule":"needs-gate","since":28,
"otherwise":"exit","gate":"UnknownVersionInteroperabilityProxy"}],"request-timeout":[{"rule":"range","since":31,
"otherwise":"exit","range":[0,null],"unit":"s"}],"secure-port":[{"rule":"range","otherwise":"exit","range":[1,
65535]}],"service-account-max-token-expiration":[{"rule":"range","otherwise":"exit","range":[3600,4294967296],"unit":
"s","zero":true}],"service-account-signing-endpoint":[{"rule":"excludes","since":32,"otherwise":"exit","refused":
["service-account-key-file","service-account-signing-key-file"]}],"service-cluster-ip-range":[{"rule":"cidrs","last":
30,"otherwise":"exit","gate":"MultiCIDRServiceAllocator","most":2,"bits":20},{"rule":"cidrs","since":31,"last":33,
"otherwise":"exit","gate":"DisableAllocatorDualWrite","most":2,"bits":20},{"rule":"cidrs","since":34,"otherwise":
"exit","most":2}],"shutdown-delay-duration":[{"rule":"range","since":31,"otherwise":"exit","range":[0,null],"unit":
"s"}],"shutdown-watch-termination-grace-period":[{"rule":"range","since":31,"otherwise":"exit","range":[0,null],
"unit":"s"}],"storage-initialization-timeout":[{"rule":"range","since":31,"otherwise":"exit","range":[0,null],"unit":
"s"}],"tracing-config-file":[{"rule":"needs-gate","since":25,"last":33,"otherwise":"exit","gate":
"APIServerTracing"}]},"kube-controller-manager":{"cloud-provider":[{"rule":"value","last":22,"otherwise":"exit",
"values":["","external","aws","azure","gce","openstack","vsphere"],"deprecatedValues":["aws","azure","gce",
"openstack","vsphere"]},{"rule":"value","since":23,"last":25,"otherwise":"exit","values":["","external","aws","azure",
"gce","openstack","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce","openstack",
"vsphere"]},{"rule":"value","since":26,"last":26,"otherwise":"exit","values":["","external","aws","azure","gce",
"vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce","vsphere"]},{"rule":"value","since":
27,"last":28,"otherwise":"exit","values":["","external","azure","gce","vsphere"],"gate":"DisableCloudProviders",
"deprecatedValues":["azure","gce","vsphere"]},{"rule":"value","since":29,"last":29,"otherwise":"exit","values":["",
"external","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},
{"rule":"value","since":30,"last":30,"otherwise":"exit","values":["","external","gce"],"gate":"DisableCloudProviders",
"deprecatedValues":["gce"]},{"rule":"value","since":31,"otherwise":"exit","values":["","external"]}],
"concurrent-daemonset-syncs":[{"rule":"range","since":32,"otherwise":"exit","range":[1,null]}],
"leader-elect-lease-duration":[{"rule":"greater-than","otherwise":"exit","of":"leader-elect-renew-deadline",
"ofDefault":"10s","unless":"leader-elect"}],"leader-elect-renew-deadline":[{"rule":"greater-than","otherwise":"exit",
"of":"leader-elect-retry-period","ofDefault":"2s","unless":"leader-elect"},{"rule":"less-than","otherwise":"exit",
"of":"leader-elect-lease-duration","ofDefault":"15s","unless":"leader-elect"}],"leader-elect-retry-period":[{"rule":
"less-than","otherwise":"exit","of":"leader-elect-renew-deadline","ofDefault":"10s","unless":"leader-elect"}],
"secure-port":[{"rule":"range","otherwise":"exit","range":[0,65535]}]},"kube-scheduler":{"secure-port":[{"rule":
"range","otherwise":"exit","range":[0,65535]}]},"kubelet":{"node-labels":[{"rule":"key-namespace-allowed","otherwise":
"exit","reservedSuffixes":["kubernetes.io","k8s.io"],"allowedKeys":["kubernetes.io/hostname",
"topology.kubernetes.io/zone","topology.kubernetes.io/region","failure-domain.beta.kubernetes.io/zone",
"failure-domain.beta.kubernetes.io/region","beta.kubernetes.io/instance-type","node.kubernetes.io/instance-type",
"kubernetes.io/os","kubernetes.io/arch","beta.kubernetes.io/os","beta.kubernetes.io/arch"],"allowedNamespaceSuffixes":
["kubelet.kubernetes.io","node.kubernetes.io"]},{"rule":"key-is-qualified-name","since":25,"otherwise":"exit"},
{"rule":"value-is-label-value","since":25,"otherwise":"exit"},{"rule":"bad-key-or-value","last":24,"otherwise":
"registrationRefusedByAPI"},{"rule":"pairs-split-by","otherwise":"lastWins","values":[",","="]}],"cloud-provider":
[{"rule":"value","last":22,"otherwise":"exit","values":["","external","aws","azure","gce","openstack","vsphere"],
"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":23,"last":25,"otherwise":
"exit","values":["","external","aws","azure","gce","openstack","vsphere"],"gate":"DisableCloudProviders",
"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":26,"last":26,"otherwise":
"exit","values":["","external","aws","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":
["aws","azure","gce","vsphere"]},{"rule":"value","since":27,"last":28,"otherwise":"exit","values":["","external",
"azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},{"rule":"value",
"since":29,"last":29,"otherwise":"exit","values":["","external","azure","gce","vsphere"],"gate":
"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},{"rule":"value","since":30,"last":30,
"otherwise":"exit","values":["","external","gce"],"gate":"DisableCloudProviders","deprecatedValues":["gce"]},{"rule":
"value","since":31,"otherwise":"exit","values":["","external"]}],"node-ip":[{"rule":"count","otherwise":"exit",
"values":[1,2]},{"rule":"two-are-of-different-families","otherwise":"exit"},{"rule":"two-need-gate","last":22,
"otherwise":"exit","gate":"IPv6DualStack"},{"rule":"two-not-with-cloud-provider","last":26,"otherwise":"exit",
"values":[""],"of":"cloud-provider"},{"rule":"two-not-with-cloud-provider","since":27,"last":29,"otherwise":"exit",
"values":[""],"gatedValues":{"external":"CloudDualStackNodeIPs"},"of":"cloud-provider"},{"rule":
"two-not-with-cloud-provider","since":30,"otherwise":"exit","values":["","external"],"of":"cloud-provider"},{"rule":
"two-not-unspecified","otherwise":"exit","refused":["0.0.0.0","::"]},{"rule":"unparsable","otherwise":
"ignoredWithLog"},{"rule":"not-of","otherwise":"nodeStatusUpdateFails","values":[""],"of":"cloud-provider","refused":
["loopback","multicast","linkLocalUnicast"]}],"register-with-taints":[{"rule":"grammar","last":22,"otherwise":"exit",
"effects":["NoSchedule","PreferNoSchedule","NoExecute"],"removals":false},{"rule":"grammar","since":23,"otherwise":
"exit","effects":["NoSchedule","PreferNoSchedule","NoExecute"]},{"rule":"effect-required","since":23,"otherwise":
"exit"},{"rule":"unique-key-and-effect","since":23,"otherwise":"exit"},{"rule":"trailing-dash","since":23,"otherwise":
"silentlyDropped"},{"rule":"key-is-qualified-name","last":22,"otherwise":"exit","removals":false},{"rule":
"key-is-qualified-name","since":23,"otherwise":"exit"}],"hostname-override":[{"rule":"normalised","otherwise":"exit"},
{"rule":"node-name-is-dns1123-subdomain","otherwise":"registrationRefusedByAPI"}],"container-runtime":[{"rule":
"value","last":23,"otherwise":"exit","values":["docker","remote"]},{"rule":"value","since":24,"last":26,"otherwise":
"exit","values":["remote"]}],"container-runtime-endpoint":[{"rule":"url","otherwise":"exit","schemes":["unix",""]}],
"config-dir":[{"rule":"needs-env","since":28,"last":29,"otherwise":"exitWithoutVariable","env":
"KUBELET_CONFIG_DROPIN_DIR_ALPHA"}],"exit-on-lock-contention":[{"rule":"needs-flag","otherwise":"exit","needs":
["lock-file"]}],"seccomp-default":[{"rule":"needs-gate","since":22,"last":26,"otherwise":"exit","gate":
"SeccompDefault"}],"dynamic-config-dir":[{"rule":"needs-gate","last":23,"otherwise":"exit","gate":
"DynamicKubeletConfig"}],"image-credential-provider-config":[{"rule":"pair","otherwise":"exit","needs":
["image-credential-provider-bin-dir"]}]}}
"""
