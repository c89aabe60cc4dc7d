# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Flags that a bundle may set, and those that name files and paths as JSON."""

from __future__ import annotations

OPTIONS = r"""
{"etcd":{"bundle":["auto-compaction-mode","auto-compaction-retention","election-timeout","heartbeat-interval",
"log-level","max-request-bytes","quota-backend-bytes","snapshot-count"],"files":{"cert-file":{},"client-cert-file":{},
"client-crl-file":{},"client-key-file":{},"config-file":{},"key-file":{},"peer-cert-file":{},"peer-client-cert-file":
{},"peer-client-key-file":{},"peer-crl-file":{},"peer-key-file":{},"peer-trusted-ca-file":{},"trusted-ca-file":{}},
"paths":{"data-dir":true,"wal-dir":true}},"kube-apiserver":{"bundle":["admission-control-config-file",
"allow-metric-labels","audit-log-batch-buffer-size","audit-log-batch-max-size","audit-log-batch-max-wait",
"audit-log-batch-throttle-burst","audit-log-batch-throttle-enable","audit-log-batch-throttle-qps",
"audit-log-compress","audit-log-format","audit-log-maxage","audit-log-maxbackup","audit-log-maxsize","audit-log-mode",
"audit-log-truncate-enabled","audit-log-truncate-max-batch-size","audit-log-truncate-max-event-size",
"audit-log-version","audit-policy-file","contention-profiling","coordinated-leadership-lease-duration",
"coordinated-leadership-renew-deadline","coordinated-leadership-retry-period","default-not-ready-toleration-seconds",
"default-unreachable-toleration-seconds","default-watch-cache-size","delete-collection-workers",
"disable-admission-plugins","disable-http2-serving","disabled-metrics","enable-admission-plugins",
"enable-priority-and-fairness","event-ttl","feature-gates","goaway-chance","http2-max-streams-per-connection",
"kubelet-timeout","lease-reuse-duration-seconds","livez-grace-period","log-flush-frequency",
"log-json-info-buffer-size","log-json-split-stream","log-text-info-buffer-size","log-text-split-stream",
"logging-format","max-connection-bytes-per-sec","max-mutating-requests-inflight","max-requests-inflight",
"min-request-timeout","profiling","request-timeout","runtime-config","show-hidden-metrics-for-version",
"shutdown-delay-duration","shutdown-send-retry-after","shutdown-watch-termination-grace-period",
"storage-initialization-timeout","strict-transport-security-directives","tls-cipher-suites","tls-curve-preferences",
"tls-min-version","v","watch-cache","watch-cache-sizes"],"files":{"admission-control-config-file":{"kind":
"AdmissionConfiguration"},"allow-metric-labels-manifest":{},"audit-policy-file":{"kind":"Policy"},
"audit-webhook-config-file":{"kind":"Config"},"authentication-config":{"kind":"AuthenticationConfiguration","reload":
[[28,"restart"],[30,"live"]]},"authentication-token-webhook-config-file":{"kind":"Config"},"authorization-config":
{"kind":"AuthorizationConfiguration","reload":[[29,"restart"],[30,"live"]]},"authorization-policy-file":{},
"authorization-webhook-config-file":{"kind":"Config"},"client-ca-file":{"reload":[[20,"live"]]},"cloud-config":{},
"egress-selector-config-file":{"kind":"EgressSelectorConfiguration"},"encryption-provider-config":{"kind":
"EncryptionConfiguration","reload":[[20,"restart"],[26,"live","encryption-provider-config-automatic-reload"]]},
"etcd-cafile":{},"etcd-certfile":{"reload":[[20,"live"]]},"etcd-keyfile":{"reload":[[20,"live"]]},
"experimental-encryption-provider-config":{"kind":"EncryptionConfiguration"},"kubelet-certificate-authority":{},
"kubelet-client-certificate":{"reload":[[20,"live"]]},"kubelet-client-key":{"reload":[[20,"live"]]},"oidc-ca-file":{},
"peer-ca-file":{},"proxy-client-cert-file":{"reload":[[20,"live"]]},"proxy-client-key-file":{"reload":[[20,"live"]]},
"requestheader-client-ca-file":{"reload":[[20,"live"]]},"service-account-key-file":{},
"service-account-signing-key-file":{},"ssh-keyfile":{},"tls-cert-file":{"reload":[[20,"live"]]},
"tls-private-key-file":{"reload":[[20,"live"]]},"token-auth-file":{},"tracing-config-file":{"kind":
"TracingConfiguration"}},"paths":{"audit-log-path":true,"cert-dir":true,"debug-socket-path":true,"log-dir":true,
"log-file":true,"service-account-signing-endpoint":false,"tls-sni-cert-key":false}},"kube-controller-manager":
{"bundle":["allow-metric-labels","attach-detach-reconcile-sync-period","concurrent-cron-job-syncs",
"concurrent-daemonset-syncs","concurrent-deployment-syncs","concurrent-disruption-syncs",
"concurrent-device-taint-eviction-syncs","concurrent-endpoint-syncs","concurrent-ephemeralvolume-syncs",
"concurrent-gc-syncs","concurrent-horizontal-pod-autoscaler-syncs","concurrent-job-syncs",
"concurrent-namespace-syncs","concurrent-rc-syncs","concurrent-replicaset-syncs","concurrent-resource-quota-syncs",
"concurrent-resourceclaim-syncs","concurrent-service-endpoint-syncs","concurrent-service-syncs",
"concurrent-serviceaccount-token-syncs","concurrent-statefulset-syncs","concurrent-ttl-after-finished-syncs",
"concurrent-validating-admission-policy-status-syncs","contention-profiling","controller-shutdown-timeout",
"controller-start-interval","deleting-pods-burst","deleting-pods-qps","deployment-controller-sync-period",
"disable-attach-detach-reconcile-sync","disable-force-detach-on-timeout","disable-http2-serving","disabled-metrics",
"endpoint-updates-batch-period","endpointslice-updates-batch-period","feature-gates",
"horizontal-pod-autoscaler-cpu-initialization-period","horizontal-pod-autoscaler-downscale-delay",
"horizontal-pod-autoscaler-downscale-stabilization","horizontal-pod-autoscaler-initial-readiness-delay",
"horizontal-pod-autoscaler-sync-period","horizontal-pod-autoscaler-tolerance",
"horizontal-pod-autoscaler-upscale-delay","horizontal-pod-autoscaler-use-rest-clients",
"http2-max-streams-per-connection","kube-api-burst","kube-api-qps","large-cluster-size-threshold",
"leader-elect-lease-duration","leader-elect-renew-deadline","leader-elect-retry-period","log-flush-frequency",
"log-json-info-buffer-size","log-json-split-stream","log-text-info-buffer-size","log-text-split-stream",
"logging-format","max-endpoints-per-slice","min-resync-period","mirroring-concurrent-service-endpoint-syncs",
"mirroring-endpointslice-updates-batch-period","mirroring-max-endpoints-per-subset","namespace-sync-period",
"node-eviction-rate","node-monitor-grace-period","node-monitor-period","node-startup-grace-period","node-sync-period",
"pod-eviction-timeout","profiling","pv-recycler-increment-timeout-nfs","pv-recycler-minimum-timeout-hostpath",
"pv-recycler-minimum-timeout-nfs","pv-recycler-timeout-increment-hostpath","pvclaimbinder-sync-period",
"register-retry-count","resource-quota-sync-period","route-reconciliation-period","secondary-node-eviction-rate",
"show-hidden-metrics-for-version","terminated-pod-gc-threshold","tls-cipher-suites","tls-curve-preferences",
"tls-min-version","unhealthy-zone-threshold","v"],"files":{"allow-metric-labels-manifest":{},
"authentication-kubeconfig":{"kind":"Config"},"authorization-kubeconfig":{"kind":"Config"},"client-ca-file":{"reload":
[[20,"live"]]},"cloud-config":{},"cluster-signing-cert-file":{"reload":[[20,"live"]]},"cluster-signing-key-file":
{"reload":[[20,"live"]]},"cluster-signing-kube-apiserver-client-cert-file":{"reload":[[20,"live"]]},
"cluster-signing-kube-apiserver-client-key-file":{"reload":[[20,"live"]]},"cluster-signing-kubelet-client-cert-file":
{"reload":[[20,"live"]]},"cluster-signing-kubelet-client-key-file":{"reload":[[20,"live"]]},
"cluster-signing-kubelet-serving-cert-file":{"reload":[[20,"live"]]},"cluster-signing-kubelet-serving-key-file":
{"reload":[[20,"live"]]},"cluster-signing-legacy-unknown-cert-file":{"reload":[[20,"live"]]},
"cluster-signing-legacy-unknown-key-file":{"reload":[[20,"live"]]},"kubeconfig":{"kind":"Config"},
"leader-migration-config":{"kind":"LeaderMigrationConfiguration"},"pv-recycler-pod-template-filepath-hostpath":{},
"pv-recycler-pod-template-filepath-nfs":{},"requestheader-client-ca-file":{"reload":[[20,"live"]]},"root-ca-file":{},
"service-account-private-key-file":{},"tls-cert-file":{"reload":[[20,"live"]]},"tls-private-key-file":{"reload":[[20,
"live"]]}},"paths":{"cert-dir":true,"flex-volume-plugin-dir":false,"log-dir":true,"log-file":true,"tls-sni-cert-key":
false}},"kube-scheduler":{"bundle":["allow-metric-labels","config","contention-profiling","disable-http2-serving",
"disabled-metrics","feature-gates","http2-max-streams-per-connection","kube-api-burst","kube-api-qps",
"leader-elect-lease-duration","leader-elect-renew-deadline","leader-elect-retry-period","log-flush-frequency",
"log-json-info-buffer-size","log-json-split-stream","log-text-info-buffer-size","log-text-split-stream",
"logging-format","pod-max-in-unschedulable-pods-duration","profiling","show-hidden-metrics-for-version",
"tls-cipher-suites","tls-curve-preferences","tls-min-version","v"],"files":{"allow-metric-labels-manifest":{},
"authentication-kubeconfig":{"kind":"Config"},"authorization-kubeconfig":{"kind":"Config"},"client-ca-file":{"reload":
[[20,"live"]]},"config":{"kind":"KubeSchedulerConfiguration"},"kubeconfig":{"kind":"Config"},"policy-config-file":{},
"requestheader-client-ca-file":{"reload":[[20,"live"]]},"tls-cert-file":{"reload":[[20,"live"]]},
"tls-private-key-file":{"reload":[[20,"live"]]}},"paths":{"cert-dir":true,"log-dir":true,"log-file":true,
"tls-sni-cert-key":false,"write-config-to":true}}}
"""
