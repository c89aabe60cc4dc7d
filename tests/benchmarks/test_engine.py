# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the component-config engine in fresh processes, as modules and the agent's validator use it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._componentconfig import check

PACKAGE = check.__name__.rpartition(".")[0]
COLLECTIONS = Path(check.__file__).parents[6]
RUNS = 7
Row = Callable[..., None]

# kubeadm's config, with common additions.
CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {cacheTTL: 0s, enabled: true}
  x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}
authorization:
  mode: Webhook
  webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}
cgroupDriver: systemd
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
containerLogMaxSize: 20Mi
cpuManagerPolicy: static
cpuManagerReconcilePeriod: 5s
evictionHard: {memory.available: 200Mi, nodefs.available: 10%, nodefs.inodesFree: 5%, imagefs.available: 15%}
evictionSoft: {memory.available: 400Mi}
evictionSoftGracePeriod: {memory.available: 1m30s}
featureGates: {RotateKubeletServerCertificate: true, TopologyManager: true}
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
imageGCHighThresholdPercent: 80
imageGCLowThresholdPercent: 70
kubeReserved: {cpu: 500m, memory: 1Gi, ephemeral-storage: 1Gi, pid: "1000"}
logging: {format: json}
maxPods: 200
nodeStatusUpdateFrequency: 10s
podPidsLimit: 4096
resolvConf: /run/systemd/resolve/resolv.conf
rotateCertificates: true
serializeImagePulls: false
shutdownGracePeriod: 60s
shutdownGracePeriodCriticalPods: 20s
staticPodPath: /etc/kubernetes/manifests
streamingConnectionIdleTimeout: 4h
systemReserved: {cpu: 200m, memory: 500Mi}
tlsCipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]
tlsMinVersion: VersionTLS12
topologyManagerPolicy: best-effort
"""
_IMPORT = "import time; begun = time.perf_counter(); import {modules}; print(time.perf_counter() - begun)"
_VALIDATE = """import sys, time
text = sys.stdin.read()
begun = time.perf_counter()
from {package}.check import check
found = check(text, component="kubelet", versions=[f"1.{{minor}}" for minor in range(20, 37)], bundle=True)
print(time.perf_counter() - begun)
print(len(found), file=sys.stderr)
"""


def fresh(code: str) -> float:
    """Run Python code that prints seconds in separate processes; return the best of some runs."""
    findings = []
    for _run in range(RUNS):
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=CONFIG,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": str(COLLECTIONS)},
        )
        findings.append(float(done.stdout))
    return min(findings)


def test_one_config_for_all_minors(row: Row) -> None:
    row("validate-all-minors-s", fresh(_VALIDATE.format(package=PACKAGE)), "s", most=1)


def test_importing_the_engine(row: Row) -> None:
    files = sorted(path.stem for path in Path(check.__file__).parent.glob("*.py") if path.stem != "__init__")
    modules = ", ".join(f"{PACKAGE}.{name}" for name in files)
    of_kubernetes = fresh(_IMPORT.format(modules="kubernetes.client"))
    seconds = fresh(_IMPORT.format(modules=modules))
    row("engine-import-ms", 1000 * seconds, "ms", baseline=1000 * of_kubernetes, most_ratio=0.5)
