# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle: a test node that starts a kubelet for each config."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import (
    KERNEL_PARAMETERS,
    Host,
    HostQuery,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding
from ansible_collections.configok.node.plugins.module_utils._host.host_facts import read_host
from support.machines import CERTIFICATE, KUBECONFIG, Node

from .by_path import FILES, PAIR
from .by_rule import GROUP
from .case import Answer, Case, config

__all__ = ["SOCKET", "Oracle", "answer", "is_of_unknown_gate", "takes_cgroup_v1"]

SOCKET = "unix:///run/containerd/containerd.sock"
_SCRIPT = "/usr/local/lib/oracle.py"
_OWN_CERTIFICATE = "/etc/kubernetes/oracle.pem"
_OWN_KUBECONFIG = "/etc/kubernetes/oracle.conf"
_FLAGS = (f"--kubeconfig={_OWN_KUBECONFIG}", f"--container-runtime-endpoint={SOCKET}")
_RUNTIME_KINDS_UNTIL = 26  # the last minor with --container-runtime
_FAILS_CGROUP_V1_SINCE = 35  # the first minor whose default for failCgroupV1 is true
_MAKE_GROUP = """
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mkdir -p "/sys/fs/cgroup$1"; exit; fi
for hierarchy in /sys/fs/cgroup/*/; do
    mount -o remount,bind,rw "$hierarchy" && mkdir -p "$hierarchy$1"
done
"""
# Its message begins with this if the config itself is good.
_STARTING = "failed to run Kubelet"
# The kubelet's messages at each stage before its start.
_LOAD = ("failed to load Kubelet config file", "failed to load kubelet config file")
_VALIDATION = (
    "invalid configuration",
    "failed to validate kubelet configuration",
    "unrecognized feature gate",
    "cannot set feature gate",
    "can't use reservedSystemCPUs",
    "unable to parse reservedSystemCPUs",
    "unsupported log format",
    "--show-hidden-metrics-for-version",
    "non-default logging format",
)


class Oracle:
    """A node whose own kubelet is stopped, and that starts a kubelet for each config."""

    def __init__(self, node: Node, minor: int, *, workers: int = 14) -> None:
        """minor: of the node's kubelet. workers: the number of concurrent kubelets; most of a start is waiting."""
        self._node = node
        self.minor = minor
        self._workers = workers
        node.run(["systemctl", "stop", "kubelet"])
        # Its state directory is hidden from the kubelets of the cases; each has a separate one.
        node.write(_OWN_CERTIFICATE, node.read(CERTIFICATE))
        node.write(_OWN_KUBECONFIG, node.read(KUBECONFIG).replace(CERTIFICATE, _OWN_CERTIFICATE))
        node.write(PAIR, node.read(CERTIFICATE))
        for path, text in FILES.items():
            node.write(path, text)
        # As any kubelet sets them that ran earlier.
        node.run(
            ["sysctl", "--quiet", *(f"{flag.replace('/', '.')}={value}" for flag, value in KERNEL_PARAMETERS.items())]
        )
        node.run(["unshare", "--mount", "sh", "-c", _MAKE_GROUP, "sh", GROUP])
        node.write(_SCRIPT, (Path(__file__).parent / "_on_node.py").read_text(encoding="utf-8"))

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Start a kubelet with each config and return the answers in the order of the cases."""
        numbered = [
            (number, case.text, dict(case.files), _flags(case, self.minor)) for number, case in enumerate(cases)
        ]
        # In a separate unit: it and all kubelets end with the node.
        command = ["systemd-run", "--pipe", "--wait", "--quiet", "--collect", "python3", _SCRIPT]
        result = self._node.run(
            command,
            timeout=60 + 30 * len(cases),
            text=json.dumps({"workers": self._workers, "cases": numbered}),
        )
        ends = json.loads(result.stdout)
        return [answer(*ends[str(number)]) for number in range(len(cases))]

    @cached_property
    def takes_unknown_gates(self) -> bool:
        """Whether this build of the kubelet only warns about unknown feature gates, as those of some distributions."""
        (answer,) = self.ask([config("gate unknown to all", {"featureGates": {"NoSuchGate": True}})])
        return not answer.refused

    def ignores(self, case: Case, finding: Finding) -> bool:
        """Return whether a finding does not apply: a flag overrides its field, or this build does not enforce it."""
        if finding.path == ("failCgroupV1",):
            return takes_cgroup_v1(case, self.minor)
        return self.takes_unknown_gates and is_of_unknown_gate(finding)

    def host(self, query: HostQuery) -> Host:
        """Read the facts of the node."""
        return read_host(query, root=str(self._node.machine.view))


def is_of_unknown_gate(finding: Finding) -> bool:
    """Return whether a finding is about a feature gate that the minor does not know."""
    return finding.rule == "gates-known" and "unknown feature gate" in finding.message


def takes_cgroup_v1(case: Case, minor: int) -> bool:
    """Return whether the kubelet gets a flag to run with cgroup v1 too; a case of that field decides it alone."""
    return minor >= _FAILS_CGROUP_V1_SINCE and "failCgroupV1" not in case.text


def _flags(case: Case, minor: int) -> list[str]:
    flags = [*_FLAGS]
    if minor <= _RUNTIME_KINDS_UNTIL:
        flags.append("--container-runtime=remote")
    if takes_cgroup_v1(case, minor):
        flags.append("--fail-cgroupv1=false")
    return flags


def answer(outcome: str, message: str) -> Answer:
    """Return where a kubelet ended, from how it ended ("running", "done", "stuck" or "ended") and its last message."""
    if outcome in ("running", "done"):
        return Answer("running")
    if outcome == "stuck":
        return Answer("stuck", message)
    if _STARTING in message:
        return Answer("start", message)
    for stage, sentences in (("load", _LOAD), ("validation", _VALIDATION)):
        if any(sentence in message for sentence in sentences):
            return Answer(stage, message)
    return Answer("start", message)
