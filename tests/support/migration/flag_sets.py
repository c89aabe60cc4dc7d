# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of flags for the kubelet of 1.20, some with a config file; `fitting` adapts them to other minors.

Those of kubeadm and kubespray are as written by these tools: a unit, environment files, a config. Each set has the
flags that a kubelet needs on a test node: the runtime's socket, and --fail-swap-on=false.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from support.configs.kubelet import KUBELET_HEADER

__all__ = ["QUICK", "SETS", "FlagSet"]


class FlagSet(NamedTuple):
    """The arguments of the kubelet, the config that --config names ("" without it), and the kubelet's port."""

    name: str
    words: tuple[str, ...]
    config: str = ""
    port: int = 10250


RUNTIME = "--container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock"
NEEDED = f"{RUNTIME} --fail-swap-on=false"
CONFIG = "/var/lib/kubelet/config.yaml"
CLUSTER = "--kubeconfig=/etc/kubernetes/kubelet.conf"

_KUBEADM_UNIT = """[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \
--kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
"""
_KUBEADM_CONFIG = f"""{KUBELET_HEADER}authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
  webhook:
    cacheAuthorizedTTL: 0s
    cacheUnauthorizedTTL: 0s
cgroupDriver: cgroupfs
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
cpuManagerReconcilePeriod: 0s
evictionPressureTransitionPeriod: 0s
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
httpCheckFrequency: 0s
imageMinimumGCAge: 0s
logging: {{}}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
rotateCertificates: true
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: /etc/kubernetes/manifests
streamingConnectionIdleTimeout: 0s
syncFrequency: 0s
volumeStatsAggPeriod: 0s
"""
_OLD_KUBEADM_UNIT = """[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \
--kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_SYSTEM_PODS_ARGS=--pod-manifest-path=/etc/kubernetes/manifests"
Environment="KUBELET_NETWORK_ARGS=--network-plugin=cni --cni-conf-dir=/etc/cni/net.d --cni-bin-dir=/opt/cni/bin"
Environment="KUBELET_DNS_ARGS=--cluster-dns=10.96.0.10 --cluster-domain=cluster.local"
Environment="KUBELET_AUTHZ_ARGS=--authorization-mode=Webhook --client-ca-file=/etc/kubernetes/pki/ca.crt"
Environment="KUBELET_CERTIFICATE_ARGS=--rotate-certificates=true --cert-dir=/var/lib/kubelet/pki"
EnvironmentFile=-/etc/default/kubelet
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_SYSTEM_PODS_ARGS $KUBELET_NETWORK_ARGS \
$KUBELET_DNS_ARGS $KUBELET_AUTHZ_ARGS $KUBELET_CERTIFICATE_ARGS $KUBELET_EXTRA_ARGS
"""
_KUBESPRAY_UNIT = """[Service]
EnvironmentFile=-/etc/kubernetes/kubelet.env
ExecStart=/usr/local/bin/kubelet \\
\t\t$KUBE_LOGTOSTDERR \\
\t\t$KUBE_LOG_LEVEL \\
\t\t$KUBELET_API_SERVER \\
\t\t$KUBELET_ADDRESS \\
\t\t$KUBELET_PORT \\
\t\t$KUBELET_HOSTNAME \\
\t\t$KUBELET_ARGS \\
\t\t$DOCKER_SOCKET \\
\t\t$KUBELET_NETWORK_PLUGIN \\
\t\t$KUBELET_VOLUME_PLUGIN \\
\t\t$KUBELET_CLOUDPROVIDER
Restart=always
RestartSec=10s
"""
_KUBESPRAY_ENV = """KUBE_LOGTOSTDERR="--logtostderr=true"
KUBE_LOG_LEVEL="--v=2"
KUBELET_ADDRESS="--node-ip=127.0.0.1"
KUBELET_HOSTNAME="--hostname-override=node1"


KUBELET_ARGS="--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \\
--config=/etc/kubernetes/kubelet-config.yaml \\
--kubeconfig=/etc/kubernetes/kubelet.conf \\
--pod-infra-container-image=k8s.gcr.io/pause:3.3 \\
--container-runtime=remote \\
--container-runtime-endpoint=unix:///run/containerd/containerd.sock \\
--runtime-cgroups=/systemd/system.slice \\
 --node-labels=   "
KUBELET_NETWORK_PLUGIN="--network-plugin=cni --cni-conf-dir=/etc/cni/net.d --cni-bin-dir=/opt/cni/bin"
KUBELET_CLOUDPROVIDER=""

PATH=/usr/local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
"""
_KUBESPRAY_CONFIG = f"""{KUBELET_HEADER}nodeStatusUpdateFrequency: "10s"
failSwapOn: False
authentication:
  anonymous:
    enabled: false
  webhook:
    enabled: True
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
staticPodPath: /etc/kubernetes/manifests
cgroupDriver: cgroupfs
maxPods: 110
address: 0.0.0.0
readOnlyPort: 0
healthzPort: 10248
healthzBindAddress: 127.0.0.1
kubeletCgroups: /systemd/system.slice
clusterDomain: cluster.local
protectKernelDefaults: False
rotateCertificates: true
clusterDNS:
- 169.254.25.10
kubeReserved:
  cpu: 200m
  memory: 512M
resolvConf: "/etc/resolv.conf"
eventRecordQPS: 5
"""
# Before the kubelet had a config file: only flags.
_OLD_KUBESPRAY_ENV = """# logging to stderr means we get it in the systemd journal
KUBE_LOGTOSTDERR="--logtostderr=true"
KUBE_LOG_LEVEL="--v=2"
# The address for the info server to serve on (set to 0.0.0.0 or "" for all interfaces)
KUBELET_ADDRESS="--address=0.0.0.0 --node-ip=127.0.0.1"
# KUBELET_PORT="--port=10250"
KUBELET_HOSTNAME="--hostname-override=node1"
KUBELET_ARGS="--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \\
--kubeconfig=/etc/kubernetes/kubelet.conf \\
--authentication-token-webhook \\
--authorization-mode=Webhook \\
--client-ca-file=/etc/kubernetes/pki/ca.crt \\
--pod-manifest-path=/etc/kubernetes/manifests \\
--pod-infra-container-image=gcr.io/google_containers/pause-amd64:3.1 \\
--node-status-update-frequency=10s \\
--cgroup-driver=cgroupfs \\
--anonymous-auth=false \\
--read-only-port=0 \\
--fail-swap-on=false --cluster-dns=10.233.0.3,10.233.0.4 --cluster-domain=cluster.local \
--resolv-conf=/etc/resolv.conf --kube-reserved cpu=100m,memory=256M --node-labels=node-role.example.com/node=true \
 --feature-gates=RotateKubeletServerCertificate=true,CPUManager=true  %s "
KUBELET_NETWORK_PLUGIN="--hairpin-mode=promiscuous-bridge --network-plugin=cni"
KUBELET_VOLUME_PLUGIN="--volume-plugin-dir=/var/lib/kubelet/volume-plugins"
KUBELET_CLOUDPROVIDER=""
"""


def _flags(name: str, text: str, *, config: str = "", port: int = 10250) -> FlagSet:
    return FlagSet(name, tuple(shlex.split(text)), config, port)


def _unit(name: str, unit: str, files: Mapping[str, str], config: str = "") -> FlagSet:
    """Return the arguments as systemd expands them. texts: of the environment files, in the unit's order."""
    start = read_unit_start([unit], list(files.values()))
    return FlagSet(name, tuple(argument.text for argument in start.arguments), config)


def _kubeadm(name: str, flags: str, extra: str = "", config: str = _KUBEADM_CONFIG) -> FlagSet:
    files = {
        "/var/lib/kubelet/kubeadm-flags.env": f'KUBELET_KUBEADM_ARGS="{flags}"\n',
        "/etc/default/kubelet": f"KUBELET_EXTRA_ARGS={extra}\n",
    }
    return _unit(name, _KUBEADM_UNIT, files, config)


def _kubespray(name: str, env: str, config: str = "") -> FlagSet:
    return _unit(name, _KUBESPRAY_UNIT, {"/etc/kubernetes/kubelet.env": env}, config)


SETS: tuple[FlagSet, ...] = (
    _kubeadm("kubeadm", RUNTIME, "--fail-swap-on=false"),
    _kubeadm(
        "kubeadm: taints, another name, extra arguments",
        f"{RUNTIME} --hostname-override=node-7 --register-with-taints=node-role.kubernetes.io/master:NoSchedule",
        '"--node-ip=127.0.0.1 --max-pods=64 --v=4 --fail-swap-on=false"',
    ),
    _kubeadm(
        "kubeadm: extra arguments against the file",
        f"--cgroup-driver=cgroupfs --network-plugin=cni --pod-infra-container-image=k8s.gcr.io/pause:3.2 {RUNTIME}",
        "--fail-swap-on=false --cluster-dns=10.1.0.10 --cluster-dns=10.1.0.11 --read-only-port=10255 "
        "--eviction-hard=memory.available<5% --feature-gates=CSIMigration=false",
        f"{_KUBEADM_CONFIG}featureGates:\n  CSIMigration: true\n  IPv6DualStack: false\n",
    ),
    _unit(
        "kubeadm before it wrote a file",
        _OLD_KUBEADM_UNIT,
        {"/etc/default/kubelet": f'KUBELET_EXTRA_ARGS="{NEEDED} --cgroup-driver=cgroupfs"\n'},
    ),
    _kubespray("kubespray", _KUBESPRAY_ENV, _KUBESPRAY_CONFIG),
    _kubespray(
        "kubespray: labels, taints, gates, custom flags",
        _KUBESPRAY_ENV.replace(
            "--node-labels= ",
            "--register-with-taints=dedicated=a:NoSchedule --node-labels=nvidia.com/gpu=true,pool=b "
            " --feature-gates=CSIStorageCapacity=true,CronJobControllerV2=false  --image-gc-high-threshold=75"
            " --image-gc-low-threshold=70 --serialize-image-pulls=false",
        ),
        _KUBESPRAY_CONFIG,
    ),
    _kubespray("kubespray before it wrote a file", _OLD_KUBESPRAY_ENV % RUNTIME),
    _flags("nothing but what is needed", NEEDED),
    _flags("five flags", f"{NEEDED} --max-pods=50 --cluster-dns=10.0.0.10 --eviction-hard=memory.available<100Mi"),
    _flags(
        "no anonymous requests",
        f"{NEEDED} --anonymous-auth=false --authentication-token-webhook --authorization-mode=Webhook "
        "--client-ca-file=/etc/kubernetes/pki/ca.crt --authentication-token-webhook-cache-ttl=30s "
        "--authorization-webhook-cache-authorized-ttl=1m --authorization-webhook-cache-unauthorized-ttl=10s "
        "--kubeconfig=/etc/kubernetes/kubelet.conf",
    ),
    _flags("switches in every spelling", f"{NEEDED} --cpu-cfs-quota=F --runonce=0 --serialize-image-pulls=f"
           " --protect-kernel-defaults=FALSE --make-iptables-util-chains=t --contention-profiling"),
    _flags("underscores", f"{NEEDED} --max_pods=17 --pods_per_core=3 --registry_qps 7 --registry_burst 14"),
    _flags("values behind a space", f"{NEEDED} --oom-score-adj -998 --max-pods 20 --cluster-domain example.org -v 3"),
    _flags("numbers in octal and hexadecimal", f"{NEEDED} --max-pods=0x40 --event-burst=020 --event-qps=0b101"),
    _flags("lists and maps in pieces", f"{NEEDED} --cluster-dns=10.0.0.10,10.0.0.11 --cluster-dns=10.0.0.12"
           " --kube-reserved=cpu=100m --kube-reserved=memory=200Mi --system-reserved=cpu=50m,memory=100Mi,pid=1000"),
    _flags("the last of two wins", f"{NEEDED} --max-pods=20 --max-pods=30 --cpu-cfs-quota --cpu-cfs-quota=false"),
    _flags("eviction", f"{NEEDED} --eviction-hard=memory.available<200Mi,nodefs.available<5%"
           " --eviction-soft=memory.available<300Mi --eviction-soft-grace-period=memory.available=1m30s"
           " --eviction-max-pod-grace-period=60 --eviction-pressure-transition-period=30s"
           " --eviction-minimum-reclaim=memory.available=0Mi,nodefs.available=500Mi"),
    _flags("no hard eviction", f"{NEEDED} --eviction-hard="),
    _flags("no enforcement", f"{NEEDED} --enforce-node-allocatable= --cgroups-per-qos=false"),
    _flags("enforcement said to be none", f"{NEEDED} --enforce-node-allocatable=none"),
    _flags("zeros that the file takes for defaults", f"{NEEDED} --event-qps=0 --registry-qps=0 --resolv-conf="
           " --minimum-image-ttl-duration=0 --volume-stats-agg-period=0 --streaming-connection-idle-timeout=0"
           " --image-gc-low-threshold=0 --oom-score-adj=0 --iptables-drop-bit=0"),
    _flags("negative numbers", f"{NEEDED} --pod-max-pids=-1 --node-status-max-images=-1"),
    _flags("durations", f"{NEEDED} --sync-frequency=1m0s --file-check-frequency=90s --http-check-frequency=1m30s"
           " --node-status-update-frequency=4s --runtime-request-timeout=1.5h --minimum-image-ttl-duration=300ms"
           " --cpu-manager-reconcile-period=5s --volume-stats-agg-period=2m"),
    _flags("images and logs", f"{NEEDED} --image-gc-high-threshold=80 --image-gc-low-threshold=60"
           " --container-log-max-size=20Mi --container-log-max-files=3 --node-status-max-images=10"),
    _flags("ports and addresses", f"{NEEDED} --address=127.0.0.1 --port=11250 --read-only-port=0 --healthz-port=11248"
           " --healthz-bind-address=0.0.0.0", port=11250),
    _flags("TLS", f"{NEEDED} --tls-min-version=VersionTLS12 --tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
           "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
           " --tls-cert-file=/etc/kubernetes/own.pem --tls-private-key-file=/etc/kubernetes/own.pem"),
    _flags("feature gates in two flags", f"{NEEDED} --feature-gates=CPUManager=true,CSIStorageCapacity=t"
           " --feature-gates=TopologyManager=false,CSIStorageCapacity=false"),
    _flags("feature gates merged by key", f"{NEEDED} {CLUSTER} --config={CONFIG}"
           " --feature-gates=CPUManager=false,AllAlpha=false",
           config=f"{KUBELET_HEADER}featureGates:\n  CPUManager: true\n  TopologyManager: true\n"),
    _flags("manifests from a URL, with headers", f"{NEEDED} --manifest-url=http://127.0.0.1:1/pods"
           " --manifest-url-header=X-One:1,X-Two:2 --manifest-url-header=X-One:3 --http-check-frequency=10m"),
    _flags("paths relative to the working directory", f"{NEEDED} --pod-manifest-path=etc/kubernetes/manifests"
           " --volume-plugin-dir=var/lib/kubelet/plugins --client-ca-file=etc/kubernetes/pki/ca.crt"),
    _flags("the file's relative paths", f"{NEEDED} {CLUSTER} --config=etc/kubernetes/sub/kubelet.yaml",
           config=f"{KUBELET_HEADER}staticPodPath: ../manifests\nauthentication:\n  x509:\n"
           "    clientCAFile: ../pki/ca.crt\n  anonymous:\n    enabled: true\nauthorization:\n  mode: AlwaysAllow\n"),
    _flags("managers", f"{NEEDED} --cpu-manager-policy=static --reserved-cpus=0 --topology-manager-policy=best-effort"
           " --topology-manager-scope=pod --feature-gates=CPUManager=true"),
    _flags("control groups", f"{NEEDED} --kubelet-cgroups=/kubelet --cgroup-root=/ --kube-reserved-cgroup=/kube"
           " --system-reserved-cgroup=/system --hairpin-mode=none"),
    _flags("clients and limits", f"{NEEDED} --kube-api-qps=20 --kube-api-burst=40 --max-open-files=500000"
           " --kube-api-content-type=application/json --allowed-unsafe-sysctls=kernel.msg*,net.core.somaxconn"
           " --iptables-masquerade-bit=15 --iptables-drop-bit=16"),
    _flags("standalone", f"{NEEDED} --pod-cidr=10.1.2.0/24 --provider-id=example://node-1"
           " --enable-controller-attach-detach=false --kernel-memcg-notification"),
    _flags("deprecated names", f"{NEEDED} --experimental-kernel-memcg-notification --logtostderr"
           " --experimental-bootstrap-kubeconfig=/etc/kubernetes/none.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
           " --keep-terminated-pod-volumes=false --register-schedulable=true --master-service-namespace=default"),
    _flags("flags of klog and cAdvisor", f"{NEEDED} --v=2 --vmodule=kubelet=3 --stderrthreshold=2 --log-dir=/tmp"
           " --housekeeping-interval=20s --log-flush-frequency=3s --logging-format=text --storage-driver-secure=false"),
    _flags("a file and many flags over it", f"{NEEDED} {CLUSTER} --config={CONFIG} --max-pods=99"
           " --kube-reserved=memory=1Gi --eviction-hard=memory.available<1% --anonymous-auth=true"
           " --authorization-mode=AlwaysAllow --cluster-dns=",
           config=f"{KUBELET_HEADER}# ours\nmaxPods: 10\nkubeReserved: {{cpu: 100m}}\nclusterDNS: [10.0.0.10]\n"
           "evictionHard: {nodefs.available: 5%}\nserializeImagePulls: false\n"),
    _flags("a file, and no flags for it", f"{RUNTIME} --config={CONFIG}", config=f"{KUBELET_HEADER}failSwapOn: false\n"
           "authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}\n"
           "authorization: {mode: AlwaysAllow}\n"),
    _flags("JSON", f"{NEEDED} --config={CONFIG} --cpu-cfs-quota=false", config='{"maxPods": 11,'
           '"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",'
           ' "authorization": {"mode": "AlwaysAllow"},'
           '"authentication": {"anonymous": {"enabled": true}, "webhook": {"enabled": false}}}'),
)  # fmt: skip
"""All of them; names are unique."""

QUICK = ("kubeadm: extra arguments against the file", "kubespray before it wrote a file", "five flags")
