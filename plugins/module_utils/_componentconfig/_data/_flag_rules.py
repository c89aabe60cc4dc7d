# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Rules about the values of flags as JSON."""

from __future__ import annotations

RULES = r"""
{"kube-apiserver":{"admission-control":[{"rule":"excludes","refused":["enable-admission-plugins",
"disable-admission-plugins"]}],"allow-metric-labels":[{"rule":"metric-labels","since":36}],"apiserver-count":[{"rule":
"range","range":[1,null]}],"audit-log-maxage":[{"rule":"range","of":"audit-log-path","range":[0,null]}],
"audit-log-maxbackup":[{"rule":"range","of":"audit-log-path","range":[0,null]}],"audit-log-maxsize":[{"rule":"range",
"of":"audit-log-path","range":[0,null]}],"authentication-config":[{"rule":"excludes","since":28,"refused":
["oidc-issuer-url","oidc-client-id","oidc-ca-file","oidc-username-claim","oidc-username-prefix","oidc-groups-claim",
"oidc-groups-prefix","oidc-required-claim","oidc-signing-algs"]},{"rule":"needs-gate","since":31,"last":33,"gate":
"StructuredAuthenticationConfiguration"}],"authorization-config":[{"rule":"excludes","since":29,"refused":
["authorization-mode","authorization-webhook-config-file","authorization-webhook-version",
"authorization-webhook-cache-authorized-ttl","authorization-webhook-cache-unauthorized-ttl",
"authorization-policy-file"]},{"rule":"needs-gate","since":29,"last":31,"gate":
"StructuredAuthorizationConfiguration"}],"authorization-mode":[{"rule":"unique"},{"rule":"value-needs","values":
["Webhook"],"needs":["authorization-webhook-config-file"]},{"rule":"value-needs","values":["ABAC"],"needs":
["authorization-policy-file"]}],"authorization-policy-file":[{"rule":"needs-value","values":["ABAC"],"of":
"authorization-mode"}],"authorization-webhook-config-file":[{"rule":"needs-value","values":["Webhook"],"of":
"authorization-mode"}],"cloud-provider-gce-l7lb-src-cidrs":[{"rule":"cidrs","last":30,"most":100}],
"cloud-provider-gce-lb-src-cidrs":[{"rule":"cidrs","last":30,"most":100}],"coordinated-leadership-lease-duration":
[{"rule":"greater-than","since":34,"of":"coordinated-leadership-renew-deadline","ofDefault":"10s"}],
"coordinated-leadership-renew-deadline":[{"rule":"greater-than","since":34,"of":"coordinated-leadership-retry-period",
"ofDefault":"2s"},{"rule":"less-than","since":34,"of":"coordinated-leadership-lease-duration","ofDefault":"15s"}],
"coordinated-leadership-retry-period":[{"rule":"less-than","since":34,"of":"coordinated-leadership-renew-deadline",
"ofDefault":"10s"}],"cors-allowed-origins":[{"rule":"pattern","since":27,"pattern":"(?=.*(\\^|//))(?=.*(\\$|:)).*",
"allowed":"must begin with ^ or //, and end with $ or :, so that it matches whole hosts"}],"disabled-metrics":
[{"rule":"metric-names","since":36}],"enable-admission-plugins":[{"rule":"disjoint-with","of":
"disable-admission-plugins"}],"encryption-provider-config-automatic-reload":[{"rule":"needs-flag","since":26,"needs":
["encryption-provider-config"]}],"etcd-servers-overrides":[{"rule":"pattern","pattern":"[^#/]*/[^#/]*#[^#]+",
"allowed":"must be group/resource#servers, with semicolons between the URLs of servers"}],"goaway-chance":[{"rule":
"range","since":31,"range":[0,0.02]}],"identity-lease-duration-seconds":[{"rule":"range","last":25,"range":[1,null]}],
"identity-lease-renew-interval-seconds":[{"rule":"range","last":25,"range":[1,null]}],"insecure-port":[{"rule":
"range","last":23,"range":[0,0]}],"kubernetes-service-node-port":[{"rule":"range","range":[0,65535]},{"rule":"within",
"of":"service-node-port-range","ofDefault":"30000-32767"}],"livez-grace-period":[{"rule":"range","since":31,"range":
[0,null],"unit":"s"}],"log-flush-frequency":[{"rule":"positive","since":35}],"log-json-info-buffer-size":[{"rule":
"needs-gate","since":25,"gate":"LoggingAlphaOptions"}],"log-json-split-stream":[{"rule":"needs-gate","since":25,
"gate":"LoggingAlphaOptions"}],"log-text-info-buffer-size":[{"rule":"needs-gate","since":30,"gate":
"LoggingAlphaOptions"}],"log-text-split-stream":[{"rule":"needs-gate","since":30,"gate":"LoggingAlphaOptions"}],
"max-mutating-requests-inflight":[{"rule":"range","since":31,"range":[0,null]}],"max-requests-inflight":[{"rule":
"range","since":31,"range":[0,null]}],"min-compatibility-version":[{"rule":"pattern","since":36,"pattern":
"(?:kube=)?v?1\\.[0-9]+","allowed":"must be a version without its patch, such as 1.35"}],"min-request-timeout":
[{"rule":"range","since":31,"range":[0,null]}],"oidc-ca-file":[{"rule":"needs-flag","since":28,"needs":
["oidc-issuer-url","oidc-client-id"]}],"oidc-client-id":[{"rule":"needs-flag","needs":["oidc-issuer-url"]}],
"oidc-groups-claim":[{"rule":"needs-flag","since":28,"needs":["oidc-issuer-url","oidc-client-id"]}],
"oidc-groups-prefix":[{"rule":"needs-flag","since":28,"needs":["oidc-issuer-url","oidc-client-id"]}],
"oidc-issuer-url":[{"rule":"needs-flag","needs":["oidc-client-id"]}],"oidc-required-claim":[{"rule":"needs-flag",
"since":28,"needs":["oidc-issuer-url","oidc-client-id"]}],"oidc-signing-algs":[{"rule":"needs-flag","since":28,
"needs":["oidc-issuer-url","oidc-client-id"]}],"oidc-username-claim":[{"rule":"needs-flag","since":28,"needs":
["oidc-issuer-url","oidc-client-id"]}],"oidc-username-prefix":[{"rule":"needs-flag","since":28,"needs":
["oidc-issuer-url","oidc-client-id"]}],"peer-advertise-ip":[{"rule":"needs-gate","since":28,"gate":
"UnknownVersionInteroperabilityProxy"}],"peer-advertise-port":[{"rule":"needs-gate","since":28,"gate":
"UnknownVersionInteroperabilityProxy"}],"peer-ca-file":[{"rule":"needs-gate","since":28,"gate":
"UnknownVersionInteroperabilityProxy"}],"request-timeout":[{"rule":"range","since":31,"range":[0,null],"unit":"s"}],
"requestheader-uid-headers":[{"rule":"contains","since":32,"values":["X-Remote-Uid"]}],"runtime-config":[{"rule":
"pattern","pattern":
"api/(?:all|ga|beta|alpha)=(?:true|false)|(?!api/(?:all|ga|beta|alpha)(?:=|$))[^=]*(?:=(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)?)?",
"allowed":"must be true or false"}],"secure-port":[{"rule":"range","range":[1,65535]}],"service-account-jwks-uri":
[{"rule":"pattern","pattern":"https:.*","allowed":"must be a URL with https"}],"service-account-max-token-expiration":
[{"rule":"range","range":[3600,4294967296],"unit":"s","zero":true}],"service-account-signing-endpoint":[{"rule":
"excludes","since":32,"refused":["service-account-key-file","service-account-signing-key-file"]}],
"service-cluster-ip-range":[{"rule":"cidrs","last":30,"gate":"MultiCIDRServiceAllocator","most":2,"bits":20},{"rule":
"cidrs","since":31,"last":33,"gate":"DisableAllocatorDualWrite","most":2,"bits":20},{"rule":"cidrs","since":34,"most":
2}],"show-hidden-metrics-for-version":[{"rule":"previous-minor"}],"shutdown-delay-duration":[{"rule":"range","since":
31,"range":[0,null],"unit":"s"}],"shutdown-watch-termination-grace-period":[{"rule":"range","since":31,"range":[0,
null],"unit":"s"}],"storage-initialization-timeout":[{"rule":"range","since":31,"range":[0,null],"unit":"s"}],
"strict-transport-security-directives":[{"rule":"pattern","since":21,"pattern":"max-age=.*|includeSubDomains|preload",
"allowed":"must be one of max-age=SECONDS, includeSubDomains, preload"}],"tls-curve-preferences":[{"rule":"pattern",
"since":36,"pattern":"23|24|25|29|4587|4588|4589","allowed":"must be the number of a curve such as 29 (X25519)"}],
"tracing-config-file":[{"rule":"needs-gate","since":25,"last":33,"gate":"APIServerTracing"}],"watch-cache-sizes":
[{"rule":"pattern","pattern":"[^#]*#\\+?[0-9]+","allowed":
"must be resource[.group]#size, with a size of 0 or more"}]},"kube-controller-manager":{"allow-metric-labels":
[{"rule":"metric-labels","since":36}],"attach-detach-reconcile-sync-period":[{"rule":"range","since":26,"range":[1,
null],"unit":"s"}],"cloud-provider":[{"rule":"value","last":22,"values":["","external","aws","azure","gce",
"openstack","vsphere"],"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":23,
"last":25,"values":["","external","aws","azure","gce","openstack","vsphere"],"gate":"DisableCloudProviders",
"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":26,"last":26,"values":["",
"external","aws","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce",
"vsphere"]},{"rule":"value","since":27,"last":28,"values":["","external","azure","gce","vsphere"],"gate":
"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},{"rule":"value","since":29,"last":29,"values":
["","external","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},
{"rule":"value","since":30,"last":30,"values":["","external","gce"],"gate":"DisableCloudProviders","deprecatedValues":
["gce"]},{"rule":"value","since":31,"values":["","external"]}],"cluster-signing-cert-file":[{"rule":"excludes",
"refused":["cluster-signing-kube-apiserver-client-cert-file","cluster-signing-kube-apiserver-client-key-file",
"cluster-signing-kubelet-client-cert-file","cluster-signing-kubelet-client-key-file",
"cluster-signing-kubelet-serving-cert-file","cluster-signing-kubelet-serving-key-file",
"cluster-signing-legacy-unknown-cert-file","cluster-signing-legacy-unknown-key-file"]}],"cluster-signing-key-file":
[{"rule":"excludes","refused":["cluster-signing-kube-apiserver-client-cert-file",
"cluster-signing-kube-apiserver-client-key-file","cluster-signing-kubelet-client-cert-file",
"cluster-signing-kubelet-client-key-file","cluster-signing-kubelet-serving-cert-file",
"cluster-signing-kubelet-serving-key-file","cluster-signing-legacy-unknown-cert-file",
"cluster-signing-legacy-unknown-key-file"]}],"cluster-signing-kube-apiserver-client-cert-file":[{"rule":"pair",
"needs":["cluster-signing-kube-apiserver-client-key-file"]}],"cluster-signing-kube-apiserver-client-key-file":
[{"rule":"pair","needs":["cluster-signing-kube-apiserver-client-cert-file"]}],
"cluster-signing-kubelet-client-cert-file":[{"rule":"pair","needs":["cluster-signing-kubelet-client-key-file"]}],
"cluster-signing-kubelet-client-key-file":[{"rule":"pair","needs":["cluster-signing-kubelet-client-cert-file"]}],
"cluster-signing-kubelet-serving-cert-file":[{"rule":"pair","needs":["cluster-signing-kubelet-serving-key-file"]}],
"cluster-signing-kubelet-serving-key-file":[{"rule":"pair","needs":["cluster-signing-kubelet-serving-cert-file"]}],
"cluster-signing-legacy-unknown-cert-file":[{"rule":"pair","needs":["cluster-signing-legacy-unknown-key-file"]}],
"cluster-signing-legacy-unknown-key-file":[{"rule":"pair","needs":["cluster-signing-legacy-unknown-cert-file"]}],
"concurrent-cron-job-syncs":[{"rule":"range","since":28,"range":[1,null]}],"concurrent-daemonset-syncs":[{"rule":
"range","since":32,"range":[1,null]}],"concurrent-device-taint-eviction-syncs":[{"rule":"range","since":35,"range":[1,
null]}],"concurrent-ephemeralvolume-syncs":[{"rule":"range","since":23,"range":[1,null]}],
"concurrent-horizontal-pod-autoscaler-syncs":[{"rule":"range","since":26,"range":[1,null]}],"concurrent-job-syncs":
[{"rule":"range","since":28,"range":[1,null]}],"concurrent-resourceclaim-syncs":[{"rule":"range","since":36,"range":
[1,null]}],"concurrent-service-endpoint-syncs":[{"rule":"range","range":[1,50]}],"concurrent-statefulset-syncs":
[{"rule":"range","range":[1,null]}],"disabled-metrics":[{"rule":"metric-names","since":36}],
"leader-elect-lease-duration":[{"rule":"greater-than","of":"leader-elect-renew-deadline","ofDefault":"10s","unless":
"leader-elect"}],"leader-elect-renew-deadline":[{"rule":"greater-than","of":"leader-elect-retry-period","ofDefault":
"2s","unless":"leader-elect"},{"rule":"less-than","of":"leader-elect-lease-duration","ofDefault":"15s","unless":
"leader-elect"}],"leader-elect-retry-period":[{"rule":"less-than","of":"leader-elect-renew-deadline","ofDefault":
"10s","unless":"leader-elect"}],"log-flush-frequency":[{"rule":"positive","since":35}],"log-json-info-buffer-size":
[{"rule":"needs-gate","since":25,"gate":"LoggingAlphaOptions"}],"log-json-split-stream":[{"rule":"needs-gate","since":
25,"gate":"LoggingAlphaOptions"}],"log-text-info-buffer-size":[{"rule":"needs-gate","since":30,"gate":
"LoggingAlphaOptions"}],"log-text-split-stream":[{"rule":"needs-gate","since":30,"gate":"LoggingAlphaOptions"}],
"max-endpoints-per-slice":[{"rule":"range","range":[1,1000]}],"min-compatibility-version":[{"rule":"pattern","since":
36,"pattern":"(?:kube=)?v?1\\.[0-9]+","allowed":"must be a version without its patch, such as 1.35"}],
"mirroring-concurrent-service-endpoint-syncs":[{"rule":"range","range":[1,50]}],"mirroring-max-endpoints-per-subset":
[{"rule":"range","range":[1,1000]}],"requestheader-uid-headers":[{"rule":"contains","since":32,"values":
["X-Remote-Uid"]}],"secure-port":[{"rule":"range","range":[0,65535]}],"show-hidden-metrics-for-version":[{"rule":
"previous-minor"}],"tls-curve-preferences":[{"rule":"pattern","since":36,"pattern":"23|24|25|29|4587|4588|4589",
"allowed":"must be the number of a curve such as 29 (X25519)"}]},"kube-scheduler":{"allow-metric-labels":[{"rule":
"metric-labels","since":36}],"disabled-metrics":[{"rule":"metric-names","since":36}],"log-flush-frequency":[{"rule":
"positive","since":35}],"log-json-info-buffer-size":[{"rule":"needs-gate","since":25,"gate":"LoggingAlphaOptions"}],
"log-json-split-stream":[{"rule":"needs-gate","since":25,"gate":"LoggingAlphaOptions"}],"log-text-info-buffer-size":
[{"rule":"needs-gate","since":30,"gate":"LoggingAlphaOptions"}],"log-text-split-stream":[{"rule":"needs-gate","since":
30,"gate":"LoggingAlphaOptions"}],"min-compatibility-version":[{"rule":"pattern","since":36,"pattern":
"(?:kube=)?v?1\\.[0-9]+","allowed":"must be a version without its patch, such as 1.35"}],"requestheader-uid-headers":
[{"rule":"contains","since":32,"values":["X-Remote-Uid"]}],"secure-port":[{"rule":"range","range":[0,65535]}],
"show-hidden-metrics-for-version":[{"rule":"previous-minor"}],"tls-curve-preferences":[{"rule":"pattern","since":36,
"pattern":"23|24|25|29|4587|4588|4589","allowed":"must be the number of a curve such as 29 (X25519)"}]},"kubelet":
{"node-labels":[{"rule":"key-namespace-allowed","reservedSuffixes":["kubernetes.io","k8s.io"],"allowedKeys":
["kubernetes.io/hostname","topology.kubernetes.io/zone","topology.kubernetes.io/region",
"failure-domain.beta.kubernetes.io/zone","failure-domain.beta.kubernetes.io/region",
"beta.kubernetes.io/instance-type","node.kubernetes.io/instance-type","kubernetes.io/os","kubernetes.io/arch",
"beta.kubernetes.io/os","beta.kubernetes.io/arch"],"allowedNamespaceSuffixes":["kubelet.kubernetes.io",
"node.kubernetes.io"]},{"rule":"key-is-qualified-name","since":25,"pattern":
"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"},
{"rule":"value-is-label-value","since":25,"pattern":"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"},{"rule":
"bad-key-or-value","last":24,"otherwise":"registrationRefusedByAPI"},{"rule":"pairs-split-by","otherwise":"lastWins",
"values":[",","="]}],"cloud-provider":[{"rule":"value","last":22,"values":["","external","aws","azure","gce",
"openstack","vsphere"],"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":23,
"last":25,"values":["","external","aws","azure","gce","openstack","vsphere"],"gate":"DisableCloudProviders",
"deprecatedValues":["aws","azure","gce","openstack","vsphere"]},{"rule":"value","since":26,"last":26,"values":["",
"external","aws","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce",
"vsphere"]},{"rule":"value","since":27,"last":28,"values":["","external","azure","gce","vsphere"],"gate":
"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},{"rule":"value","since":29,"last":29,"values":
["","external","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},
{"rule":"value","since":30,"last":30,"values":["","external","gce"],"gate":"DisableCloudProviders","deprecatedValues":
["gce"]},{"rule":"value","since":31,"values":["","external"]}],"node-ip":[{"rule":"count","values":[1,2]},{"rule":
"two-are-of-different-families"},{"rule":"two-need-gate","last":22,"gate":"IPv6DualStack"},{"rule":
"two-not-with-cloud-provider","last":26,"values":[""],"of":"cloud-provider"},{"rule":"two-not-with-cloud-provider",
"since":27,"last":29,"values":[""],"gatedValues":{"external":"CloudDualStackNodeIPs"},"of":"cloud-provider"},{"rule":
"two-not-with-cloud-provider","since":30,"values":["","external"],"of":"cloud-provider"},{"rule":
"two-not-unspecified","refused":["0.0.0.0","::"]},{"rule":"unparsable","otherwise":"ignoredWithLog"},{"rule":"not-of",
"otherwise":"nodeStatusUpdateFails","values":[""],"of":"cloud-provider","refused":["loopback","multicast",
"linkLocalUnicast"]}],"register-with-taints":[{"rule":"grammar","last":22,"effects":["NoSchedule","PreferNoSchedule",
"NoExecute"],"removals":false},{"rule":"grammar","since":23,"effects":["NoSchedule","PreferNoSchedule","NoExecute"]},
{"rule":"effect-required","since":23},{"rule":"unique-key-and-effect","since":23},{"rule":"trailing-dash","since":23,
"otherwise":"silentlyDropped"},{"rule":"key-is-qualified-name","last":22,"removals":false},{"rule":
"key-is-qualified-name","since":23}],"hostname-override":[{"rule":"normalised"},{"rule":
"node-name-is-dns1123-subdomain","otherwise":"registrationRefusedByAPI","pattern":
"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}],"container-runtime":[{"rule":"value","last":23,
"values":["docker","remote"]},{"rule":"value","since":24,"last":26,"values":["remote"]}],"container-runtime-endpoint":
[{"rule":"url","schemes":["unix",""]}],"config-dir":[{"rule":"needs-env","since":28,"last":29,"otherwise":
"exitWithoutVariable","env":"KUBELET_CONFIG_DROPIN_DIR_ALPHA"}],"exit-on-lock-contention":[{"rule":"needs-flag",
"needs":["lock-file"]}],"seccomp-default":[{"rule":"needs-gate","since":22,"last":26,"gate":"SeccompDefault"}],
"dynamic-config-dir":[{"rule":"needs-gate","last":23,"gate":"DynamicKubeletConfig"}],
"image-credential-provider-config":[{"rule":"pair","needs":["image-credential-provider-bin-dir"]}]}}
"""
