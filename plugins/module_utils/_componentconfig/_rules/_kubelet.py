# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules that the kubelet itself validates, by id in schema/kubelet_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any, Callable

from ._bounds import Bound, bound_rules
from ._component_base import logging_rule, tracing_rule
from ._context import SECOND, Context, Fault, Rule
from ._kubelet_node import NODE_RULES

__all__ = ["GATED_VALUES", "KUBELET_RULES", "KUBELET_RULES_ELSEWHERE"]

GATED_VALUES = frozenset(
    (
        "cgroupDriver",
        "cpuManagerPolicy",
        "imagePullCredentialsVerificationPolicy",
        "memoryManagerPolicy",
        "memorySwap.swapBehavior",
    )
)
"""Fields whose values the kubelet looks at only while a gate is on, or never: rules judge them, not the list of values
alone."""

KUBELET_RULES_ELSEWHERE = {
    "topology-policy": "the values of the field in the schema",
    "topology-scope": "the values of the field in the schema",
    "alloc-values": "the values of the field in the schema, by minor",
    "hairpin": "the values of the field in the schema",
    "mem-reservation-values": "the values of the field in the schema",
    "memqos-required": "the default fills it whenever it is absent",
    "runtime-endpoint": "the default fills it whenever it is absent or empty",
    "cgroup-v1": "needs the host: which cgroup version it has",
    "oomkill-v1": "needs the host: which cgroup version it has",
    "oomkill-os": "not on Linux",
    "userns-os": "not on Linux",
}
"""Rules that no function below judges, each with what judges it or why nothing can."""

_LARGEST_INT32 = 2**31 - 1
_LABEL = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_QUALIFIED = re.compile(rf"((?=.{{1,253}}/){_DNS}/)?{_LABEL}")
_LABEL_VALUE = re.compile(rf"({_LABEL})?")
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*(?::[0-9]+)?)"
_IMAGE = re.compile(rf"(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*")
_IMAGE_PREFIX = re.compile(rf"{_HOST}(?:/{_COMPONENT})*/\*")


def _not_negative(field: str) -> tuple[Bound, ...]:
    return (Bound(field, 0, None, ">= 0"),)


_BOUNDS = {
    "lease-duration": (Bound("nodeLeaseDurationSeconds", 1, None, "> 0"),),
    "event-burst": _not_negative("eventBurst"),
    "event-qps": _not_negative("eventRecordQPS"),
    "healthz-port": (Bound("healthzPort", 0, 65535, "0 (off) or 1-65535"),),
    "cfs-period-range-us": (Bound("cpuCFSQuotaPeriod", 1000, SECOND, "between 1us and 1s", True),),
    "imagegc-high": (Bound("imageGCHighThresholdPercent", 0, 100, "0-100"),),
    "imagegc-low": (Bound("imageGCLowThresholdPercent", 0, 100, "0-100"),),
    "image-maxage-neg": (Bound("imageMaximumGCAge", 0, None, ">= 0", True),),
    "image-minage-neg": (Bound("imageMinimumGCAge", 0, None, ">= 0", True),),
    "iptables-drop-bit": (Bound("iptablesDropBit", 0, 31, "0-31"),),
    "iptables-masq-bit": (Bound("iptablesMasqueradeBit", 0, 31, "0-31"),),
    "api-burst": _not_negative("kubeAPIBurst"),
    "api-qps": _not_negative("kubeAPIQPS"),
    "status-max-images": (Bound("nodeStatusMaxImages", -1, None, ">= -1"),),
    "max-open-files": _not_negative("maxOpenFiles"),
    "max-pods": _not_negative("maxPods"),
    "oom-score": (Bound("oomScoreAdj", -1000, 1000, "between -1000 and 1000"),),
    "pods-per-core": _not_negative("podsPerCore"),
    "port": (Bound("port", 1, 65535, "1-65535"),),
    "readonly-port": (Bound("readOnlyPort", 0, 65535, "0 (off) or 1-65535"),),
    "registry-burst": _not_negative("registryBurst"),
    "registry-qps": _not_negative("registryPullQPS"),
    "parallel-pulls-min": (Bound("maxParallelImagePulls", 1, None, ">= 1, or unset"),),
    "log-workers": (Bound("containerLogMaxWorkers", 1, None, ">= 1"),),
    "log-monitor": (Bound("containerLogMonitorInterval", 3 * SECOND, None, ">= 3s", True),),
    "log-files": (Bound("containerLogMaxFiles", 2, None, "> 1"),),
}


def _gates_known(c: Context) -> Iterator[Fault]:
    for gate, message in c.gates.unknown_or_locked():
        yield ("featureGates", gate), message


def _gates_needed(c: Context) -> Iterator[Fault]:
    for gate, other in c.gates.missing_needs():
        at = gate if c.given("featureGates", gate) is not None else other
        path = ("featureGates", at) if c.given("featureGates", at) is not None else ("featureGates",)
        yield path, f"the gate {gate} may only be on while {other} is on"


def _needs_gate(field: str, gate: str, harmless: Callable[[Any], bool], words: str) -> Rule:
    """A field that may only be used while a gate is on; `harmless` tells the values that do not use it."""

    def check(c: Context) -> Iterator[Fault]:
        path = tuple(field.split("."))
        value = c.seconds(*path) if words.startswith("a duration") else c.get(*path)
        if value is not None and not harmless(value) and not c.gates.on(gate):
            yield path, f"{words} needs the feature gate {gate}"

    return check


def _cfs_period_milliseconds(c: Context) -> Iterator[Fault]:
    value = c.seconds("cpuCFSQuotaPeriod")
    if value is not None and c.gates.on("CustomCPUCFSQuotaPeriod") and not SECOND // 1000 <= value <= SECOND:
        yield ("cpuCFSQuotaPeriod",), "must be between 1ms and 1s"


def _image_gc_order(c: Context) -> Iterator[Fault]:
    low, high = c.get("imageGCLowThresholdPercent"), c.get("imageGCHighThresholdPercent")
    if low >= high:
        low_given = c.given("imageGCLowThresholdPercent") is not None
        field, other = ("Low", f"below imageGCHighThresholdPercent, {high}") if low_given else ("High", f"above {low}")
        suffix = "" if low_given else ", the default of imageGCLowThresholdPercent"
        yield (f"imageGC{field}ThresholdPercent",), f"must be {other}{suffix}"


def _image_age_order(c: Context) -> Iterator[Fault]:
    most, least = c.seconds("imageMaximumGCAge") or 0, c.seconds("imageMinimumGCAge") or 0
    if 0 < most <= least:
        yield ("imageMaximumGCAge",), f"must be above imageMinimumGCAge, which is {c.get('imageMinimumGCAge')}"


def _parallel_pulls(c: Context) -> Iterator[Fault]:
    if (c.get("maxParallelImagePulls") or 0) > 1 and c.given("serializeImagePulls") is True:
        yield ("maxParallelImagePulls",), "above 1 needs serializeImagePulls: false"


def _run_once(c: Context) -> Iterator[Fault]:
    if c.get("runOnce"):
        yield ("runOnce",), "must not be true"


def _taints(c: Context) -> Iterator[Fault]:
    for index, taint in enumerate(c.get("registerWithTaints") or []):
        path = ("registerWithTaints", index)
        if not _QUALIFIED.fullmatch(taint.get("key", "")):
            yield path + ("key",), "must be a qualified name, for example example.com/role"
        if not _LABEL_VALUE.fullmatch(taint.get("value", "")):
            yield path + ("value",), "must be a label value"
        if taint.get("timeAdded") is not None:
            yield path + ("timeAdded",), "must not be set"


def _pull_values(c: Context) -> Iterator[Fault]:
    allowed = ("NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages", "AlwaysVerify")
    value = c.get("imagePullCredentialsVerificationPolicy")
    if c.gates.on("KubeletEnsureSecretPulledImages") and value not in allowed:
        yield ("imagePullCredentialsVerificationPolicy",), "must be one of " + ", ".join(allowed)


def _pull_allowlist(c: Context) -> Iterator[Fault]:
    policy = c.get("imagePullCredentialsVerificationPolicy")
    if not c.get("preloadedImagesVerificationAllowlist"):
        return
    if not c.gates.on("KubeletEnsureSecretPulledImages"):
        yield ("preloadedImagesVerificationAllowlist",), "needs the feature gate KubeletEnsureSecretPulledImages"
    elif policy != "NeverVerifyAllowlistedImages":
        message = "needs imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages"
        yield ("preloadedImagesVerificationAllowlist",), message


def _pull_patterns(c: Context) -> Iterator[Fault]:
    for index, pattern in enumerate(c.get("preloadedImagesVerificationAllowlist") or []):
        if not _IMAGE.fullmatch(pattern) and not _IMAGE_PREFIX.fullmatch(pattern):
            path = ("preloadedImagesVerificationAllowlist", index)
            yield path, "must be an image without tag and digest, or a registry host or path that ends in /*"


def _hidden_metrics(c: Context) -> Iterator[Fault]:
    if c.get("showHiddenMetricsForVersion") not in (None, "", f"1.{c.minor - 1}"):
        yield ("showHiddenMetricsForVersion",), f"must be empty or the previous minor, 1.{c.minor - 1}"


def _tracing_gate(c: Context) -> Iterator[Fault]:
    if c.given("tracing") is not None and not c.gates.on("KubeletTracing"):
        yield ("tracing",), "needs the feature gate KubeletTracing"


def _log_query_handler(c: Context) -> Iterator[Fault]:
    if c.get("enableSystemLogQuery") and not c.get("enableSystemLogHandler"):
        yield ("enableSystemLogQuery",), "needs enableSystemLogHandler: true"


def _pod_logs_dir(c: Context) -> Iterator[Fault]:
    value = c.get("podLogsDir") or ""
    clean = (
        value.startswith("/") and value.isascii() and posixpath.normpath(value) == value and not value.startswith("//")
    )
    if not clean:
        yield ("podLogsDir",), "must be an absolute path in ASCII without . .. // and without a trailing /"


KUBELET_RULES: dict[str, Rule] = {
    **bound_rules(_BOUNDS),
    **NODE_RULES,
    "gates-known": _gates_known,
    "gates-deps": _gates_needed,
    "cfs-period-gate": _needs_gate(
        "cpuCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod", lambda v: v == SECOND // 10, "a duration other than 100ms"
    ),
    "cfs-period-range-ms": _cfs_period_milliseconds,
    "imagegc-order": _image_gc_order,
    "image-maxage-gate": _needs_gate("imageMaximumGCAge", "ImageMaximumGCAge", lambda v: v == 0, "a duration"),
    "image-age-order": _image_age_order,
    "parallel-pulls-serial": _parallel_pulls,
    "server-tls-bootstrap": _needs_gate(
        "serverTLSBootstrap", "RotateKubeletServerCertificate", lambda v: not v, "true"
    ),
    "run-once": _run_once,
    "taints": _taints,
    "topology-policy-gate": _needs_gate(
        "topologyManagerPolicy", "TopologyManager", lambda v: v == "none", "a policy other than none"
    ),
    "topology-scope-gate": _needs_gate(
        "topologyManagerScope", "TopologyManager", lambda v: v == "container", "a scope other than container"
    ),
    "shutdown-priority-gate": _needs_gate(
        "shutdownGracePeriodByPodPriority", "GracefulNodeShutdownBasedOnPodPriority", lambda v: not v, "a list"
    ),
    "pull-creds-values": _pull_values,
    "pull-creds-gate": _needs_gate(
        "imagePullCredentialsVerificationPolicy", "KubeletEnsureSecretPulledImages", lambda v: v == "", "a policy"
    ),
    "pull-allowlist": _pull_allowlist,
    "pull-allowlist-pattern": _pull_patterns,
    "hidden-metrics": _hidden_metrics,
    "logging": logging_rule,
    "tracing": tracing_rule,
    "tracing-gate": _tracing_gate,
    "mem-reservation-gate": _needs_gate(
        "memoryReservationPolicy", "MemoryQoS", lambda v: v != "TieredReservation", "TieredReservation"
    ),
    "log-query-gate": _needs_gate("enableSystemLogQuery", "NodeLogQuery", lambda v: not v, "true"),
    "log-query-handler": _log_query_handler,
    "pod-logs-dir": _pod_logs_dir,
}
