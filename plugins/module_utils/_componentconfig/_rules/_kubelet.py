# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check KubeletConfiguration as the kubelet validates it; _kubelet_start_failures has the checks that follow.

The rules have the ids of schema/kubelet_validation_rules.json.
"""

from __future__ import annotations

import posixpath
import re
from operator import not_

from .._scalars._syntax import is_label_key, is_label_value
from .._scalars.numbers import parse_quantity
from ._pod_sysctls import DEFAULT_SYSCTL_RULES
from ._rule import (
    SECOND,
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    effective_in_range,
    effective_must,
    hidden_metrics_rule,
    logging_rule,
    needs_gate,
    number_of,
    refused_gates,
    tracing_rule,
    unique,
    values_must,
)

_CPUS = re.compile(r"\+?[0-9]{1,18}(-\+?[0-9]{1,18})?(,\+?[0-9]{1,18}(-\+?[0-9]{1,18})?)*")


def _alloc_needs_cgroups(config: EffectiveConfig) -> Violations:
    allowed = {"none"} if config.minor >= 31 else set[str]()
    if config.get("cgroupsPerQOS") is False and not allowed.issuperset(config.get("enforceNodeAllocatable") or []):
        words = "none" if allowed else "an empty list"
        yield ("enforceNodeAllocatable",), f"must be {words} while cgroupsPerQOS is false (the default is pods)"


def _system_cgroups(config: EffectiveConfig) -> Violations:
    if config.get("systemCgroups") and not config.get("cgroupRoot"):
        yield ("systemCgroups",), "needs cgroupRoot"


def _shutdown(config: EffectiveConfig) -> tuple[int, int]:
    return config.nanoseconds("shutdownGracePeriod") or 0, config.nanoseconds("shutdownGracePeriodCriticalPods") or 0


def _shutdown_order(config: EffectiveConfig) -> Violations:
    total, critical = _shutdown(config)
    if config.gates.is_on("GracefulNodeShutdown") and (total < 0 or not 0 <= critical <= total):
        yield ("shutdownGracePeriodCriticalPods",), "must be between 0 and shutdownGracePeriod"


def _shutdown_least(index: int, field: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        if config.gates.is_on("GracefulNodeShutdown") and 0 < _shutdown(config)[index] < SECOND:
            yield (field,), "must be 0 or at least 1s"

    return check


def _shutdown_gate(config: EffectiveConfig) -> Violations:
    if not config.gates.is_on("GracefulNodeShutdown"):
        for field, value in zip(("shutdownGracePeriod", "shutdownGracePeriodCriticalPods"), _shutdown(config)):
            if value > 0:
                yield (field,), "a duration above 0 needs the feature gate GracefulNodeShutdown"


def _shutdown_by_priority(config: EffectiveConfig) -> Violations:
    is_on = config.gates.is_on("GracefulNodeShutdownBasedOnPodPriority")
    if is_on and config.get("shutdownGracePeriodByPodPriority") and max(_shutdown(config)) > 0:
        yield ("shutdownGracePeriodByPodPriority",), "excludes shutdownGracePeriod and shutdownGracePeriodCriticalPods"


def _swap_values(config: EffectiveConfig) -> Violations:
    allowed = ("", "LimitedSwap", "UnlimitedSwap") if config.minor < 30 else ("", "NoSwap", "LimitedSwap")
    if config.gates.is_on("NodeSwap") and (config.get("memorySwap", "swapBehavior") or "") not in allowed:
        yield ("memorySwap", "swapBehavior"), "must be one of " + ", ".join(allowed[1:])


def _swap_gate(config: EffectiveConfig) -> Violations:
    if config.get("memorySwap", "swapBehavior") and not config.gates.is_on("NodeSwap"):
        yield ("memorySwap",), "needs the feature gate NodeSwap"


def _crash_loop(config: EffectiveConfig) -> Violations:
    path = ("crashLoopBackOff", "maxContainerRestartPeriod")
    value = config.nanoseconds(*path)
    if not config.gates.is_on("KubeletCrashLoopBackOffMax"):
        if value is not None:
            yield path, "needs the feature gate KubeletCrashLoopBackOffMax"
    elif value is not None and not 1000 <= value // _MILLISECOND <= 300_000:
        yield path, "must be between 1s and 300s"


def _alloc_compressible(config: EffectiveConfig) -> Violations:
    enforced = config.get("enforceNodeAllocatable") or []
    for plain in ("kube-reserved", "system-reserved"):
        if plain in enforced and f"{plain}-compressible" in enforced:
            yield ("enforceNodeAllocatable",), f"{plain} excludes {plain}-compressible"


def _alloc_cgroup(reserved: str, field: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        enforced = config.get("enforceNodeAllocatable") or []
        for form in (reserved, f"{reserved}-compressible"):
            if form in enforced and not config.get(field):
                yield ("enforceNodeAllocatable",), f"{form} needs {field}"

    return check


def _reserved_cpus_alone(config: EffectiveConfig) -> Violations:
    if config.get("reservedSystemCPUs") and (config.get("systemReservedCgroup") or config.get("kubeReservedCgroup")):
        yield ("reservedSystemCPUs",), "excludes systemReservedCgroup and kubeReservedCgroup"


def _is_cpu_list(text: str) -> bool:
    if not _CPUS.fullmatch(text):
        return False
    ranges = [part.split("-") for part in text.split(",")]
    return all(int(bounds[0]) <= int(bounds[-1]) for bounds in ranges)


def _reserved_memory_type(config: EffectiveConfig) -> Violations:
    for index, entry in enumerate(config.get("reservedMemory") or []):
        for key in entry.get("limits", {}):
            if key != "memory" and not key.startswith("hugepages-"):
                yield ("reservedMemory", index, "limits", key), "must be memory or hugepages-<size>"


def _reserved_memory_duplicate(config: EffectiveConfig) -> Violations:
    seen = set()
    for index, entry in enumerate(config.get("reservedMemory") or []):
        for key in entry.get("limits", {}):
            reservation = (entry.get("numaNode", 0), key)
            if reservation in seen:
                message = f"NUMA node {reservation[0]} has a reservation of it already"
                yield ("reservedMemory", index, "limits", key), message
            seen.add(reservation)


_THROTTLING_BEFORE_GATE = 0.9  # the default while the gate was off, which files may hold


def _throttling_needs_gate(config: EffectiveConfig) -> Violations:
    value = config.written("memoryThrottlingFactor")
    if value not in (None, _THROTTLING_BEFORE_GATE) and not config.gates.is_on("MemoryQoS"):
        yield ("memoryThrottlingFactor",), "needs the feature gate MemoryQoS: leave it out while the gate is off"


RULE_CHECKED_FIELDS = frozenset(
    (
        "cgroupDriver",
        "cpuManagerPolicy",
        "imagePullCredentialsVerificationPolicy",
        "memoryManagerPolicy",
        "memorySwap.swapBehavior",
    )
)
"""Fields whose values the kubelet checks only while a gate is on, or never: rules check them, not the schema alone."""

KUBELET_RULES_CHECKED_ELSEWHERE = {
    "topology-policy": "the values of the field in the schema",
    "topology-scope": "the values of the field in the schema",
    "alloc-values": "the values of the field in the schema, by minor",
    "hairpin": "the values of the field in the schema",
    "mem-reservation-values": "the values of the field in the schema",
    "memqos-required": "the default fills it whenever it is absent",
    "runtime-endpoint": "the default fills it whenever it is absent or empty",
    "cgroup-v1": "needs the host: which cgroup version it has",
    "oomkill-v1": "needs the host: which cgroup version it has",
}
"""Rules without a function in this file, each with what checks it or why nothing can."""

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_LABEL = r"[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_IMAGE = re.compile(rf"(?:(?P<host>{_HOST})/)?(?P<path>{_COMPONENT}(?:/{_COMPONENT})*)")
_MAX_IMAGE_LENGTH = 255
_MILLISECOND = SECOND // 1000


def _gates_needed(config: EffectiveConfig) -> Violations:
    for gate, dependency in config.gates.unmet_dependencies():
        name = gate if config.written("featureGates", gate) is not None else dependency
        path = ("featureGates", name) if config.written("featureGates", name) is not None else ("featureGates",)
        yield path, f"the gate {gate} may only be on while {dependency} is on"


def _cfs_period_milliseconds(config: EffectiveConfig) -> Violations:
    value = config.nanoseconds("cpuCFSQuotaPeriod")
    if value is not None and config.gates.is_on("CustomCPUCFSQuotaPeriod") and not SECOND // 1000 <= value <= SECOND:
        yield ("cpuCFSQuotaPeriod",), "must be between 1ms and 1s"


def _image_gc_order(config: EffectiveConfig) -> Violations:
    low, high = config.get("imageGCLowThresholdPercent"), config.get("imageGCHighThresholdPercent")
    if low >= high:
        low_is_set = config.written("imageGCLowThresholdPercent") is not None
        field, bound = ("Low", f"below imageGCHighThresholdPercent, {high}") if low_is_set else ("High", f"above {low}")
        suffix = "" if low_is_set else ", the default of imageGCLowThresholdPercent"
        yield (f"imageGC{field}ThresholdPercent",), f"must be {bound}{suffix}"


def _image_age_order(config: EffectiveConfig) -> Violations:
    maximum, minimum = config.nanoseconds("imageMaximumGCAge") or 0, config.nanoseconds("imageMinimumGCAge") or 0
    if 0 < maximum <= minimum:
        yield ("imageMaximumGCAge",), f"must be above imageMinimumGCAge, which is {config.get('imageMinimumGCAge')}"


def _parallel_pulls(config: EffectiveConfig) -> Violations:
    if (config.get("maxParallelImagePulls") or 0) > 1 and config.written("serializeImagePulls") is True:
        yield ("maxParallelImagePulls",), "above 1 needs serializeImagePulls: false"


def _pull_values(config: EffectiveConfig) -> Violations:
    allowed = ("NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages", "AlwaysVerify")
    value = config.get("imagePullCredentialsVerificationPolicy")
    if config.gates.is_on("KubeletEnsureSecretPulledImages") and value not in allowed:
        yield ("imagePullCredentialsVerificationPolicy",), "must be one of " + ", ".join(allowed)


def _pull_allowlist(config: EffectiveConfig) -> Violations:
    policy = config.get("imagePullCredentialsVerificationPolicy")
    if not config.get("preloadedImagesVerificationAllowlist"):
        return
    if not config.gates.is_on("KubeletEnsureSecretPulledImages"):
        yield ("preloadedImagesVerificationAllowlist",), "needs the feature gate KubeletEnsureSecretPulledImages"
    elif policy != "NeverVerifyAllowlistedImages":
        message = "needs imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages"
        yield ("preloadedImagesVerificationAllowlist",), message


def _names_its_registry(image: re.Match[str]) -> bool:
    """Return whether an image is written in full, as the container runtime names it: docker.io/library/nginx."""
    host, path = image["host"] or "", image["path"]
    is_host = host == "localhost" or host != host.lower() or any(mark in host for mark in ".:[")
    return is_host and host != "index.docker.io" and (host != "docker.io" or "/" in path)


def _pull_patterns(config: EffectiveConfig) -> Violations:
    for index, pattern in enumerate(config.get("preloadedImagesVerificationAllowlist") or []):
        path = ("preloadedImagesVerificationAllowlist", index)
        prefix, image = pattern[:-2], _IMAGE.fullmatch(pattern)
        if pattern.endswith("/*"):
            if not prefix or "*" in prefix or pattern != pattern.lstrip():
                yield path, "must be a registry host or path before /*, without another *"
        elif image is None or len(pattern) > _MAX_IMAGE_LENGTH:
            yield path, "must be an image without tag and digest, or a registry host or path that ends in /*"
        elif config.minor < 36 and not _names_its_registry(image):
            yield path, "must name the registry, for example docker.io/library/nginx"


def _log_query_handler(config: EffectiveConfig) -> Violations:
    if config.get("enableSystemLogQuery") and not config.get("enableSystemLogHandler"):
        yield ("enableSystemLogQuery",), "needs enableSystemLogHandler: true"


def _pod_logs_dir(config: EffectiveConfig) -> Violations:
    # The kubelet makes a relative path absolute, and clean, with the directory of its file.
    value = config.get("podLogsDir") or ""
    is_clean = not value.startswith("/") or (posixpath.normpath(value) == value and not value.startswith("//"))
    if not value.isascii() or not is_clean:
        yield ("podLogsDir",), "must be a path in ASCII; an absolute one without . .. // and without a trailing /"


def _not_negative(field: str) -> Rule:
    return effective_in_range(field, 0, None, ">= 0")


def _linux_only(field: str) -> Rule:
    return values_must(field, lambda _value: False, "must not be set: only Linux has it")


KUBELET_RULES: dict[str, Rule] = {
    "lease-duration": effective_in_range("nodeLeaseDurationSeconds", 1, None, "> 0"),
    "event-burst": _not_negative("eventBurst"),
    "event-qps": _not_negative("eventRecordQPS"),
    "healthz-port": effective_in_range("healthzPort", 0, 65535, "0 (off) or 1-65535"),
    "cfs-period-range-us": effective_in_range("cpuCFSQuotaPeriod", 1000, SECOND, "between 1us and 1s"),
    "imagegc-high": effective_in_range("imageGCHighThresholdPercent", 0, 100, "0-100"),
    "imagegc-low": effective_in_range("imageGCLowThresholdPercent", 0, 100, "0-100"),
    "image-maxage-neg": effective_in_range("imageMaximumGCAge", 0, None, ">= 0"),
    "image-minage-neg": effective_in_range("imageMinimumGCAge", 0, None, ">= 0"),
    "iptables-drop-bit": effective_in_range("iptablesDropBit", 0, 31, "0-31"),
    "iptables-masq-bit": effective_in_range("iptablesMasqueradeBit", 0, 31, "0-31"),
    "api-burst": _not_negative("kubeAPIBurst"),
    "api-qps": _not_negative("kubeAPIQPS"),
    "status-max-images": effective_in_range("nodeStatusMaxImages", -1, None, ">= -1"),
    "max-open-files": _not_negative("maxOpenFiles"),
    "max-pods": _not_negative("maxPods"),
    "oom-score": effective_in_range("oomScoreAdj", -1000, 1000, "between -1000 and 1000"),
    "pods-per-core": _not_negative("podsPerCore"),
    "port": effective_in_range("port", 1, 65535, "1-65535"),
    "readonly-port": effective_in_range("readOnlyPort", 0, 65535, "0 (off) or 1-65535"),
    "registry-burst": _not_negative("registryBurst"),
    "registry-qps": _not_negative("registryPullQPS"),
    "parallel-pulls-min": effective_in_range("maxParallelImagePulls", 1, None, ">= 1, or unset"),
    "log-workers": effective_in_range("containerLogMaxWorkers", 1, None, ">= 1"),
    "log-monitor": effective_in_range("containerLogMonitorInterval", 3 * SECOND, None, ">= 3s"),
    "log-files": effective_in_range("containerLogMaxFiles", 2, None, "> 1"),
    "alloc-needs-qos-cgroups": _alloc_needs_cgroups,
    "systemcgroups-root": _system_cgroups,
    "shutdown-order": _shutdown_order,
    "shutdown-min": _shutdown_least(0, "shutdownGracePeriod"),
    "shutdown-critical-min": _shutdown_least(1, "shutdownGracePeriodCriticalPods"),
    "shutdown-gate": _shutdown_gate,
    "shutdown-priority-excl": _shutdown_by_priority,
    "swap-values": _swap_values,
    "swap-gate": _swap_gate,
    "crashloop-range": _crash_loop,
    "alloc-duplicate": unique("enforceNodeAllocatable[]", "must not stand twice in the list"),
    "alloc-compressible-excl": _alloc_compressible,
    "alloc-system-cgroup": _alloc_cgroup("system-reserved", "systemReservedCgroup"),
    "alloc-kube-cgroup": _alloc_cgroup("kube-reserved", "kubeReservedCgroup"),
    "alloc-none-alone": values_must(
        "enforceNodeAllocatable",
        lambda enforced: "none" not in enforced or len(enforced) == 1,
        "none must stand alone",
    ),
    "reserved-cpus-excl": _reserved_cpus_alone,
    "reserved-cpus-parse": values_must(
        "reservedSystemCPUs",
        lambda text: not text or _is_cpu_list(text),
        "must be a list of CPUs, for example 0-3,8",
    ),
    "reserved-memory-type": _reserved_memory_type,
    "reserved-memory-zero": values_must("reservedMemory[].limits{}", parse_quantity, "must not be zero"),
    "reserved-memory-dup": _reserved_memory_duplicate,
    "memqos-range": effective_must(
        "memoryThrottlingFactor", lambda value: value is None or 0 < value <= 1, "must be above 0 and at most 1.0"
    ),
    "memqos-gate-off": _throttling_needs_gate,
    "userns-ids": effective_must(
        "userNamespaces.idsPerPod",
        lambda value: value is None or (value % 65536 == 0 and 65536 <= value <= 2**32 - 1),
        "must be a multiple of 65536 between 65536 and 4294967295",
    ),
    **DEFAULT_SYSCTL_RULES,
    "gates-known": refused_gates,
    "gates-deps": _gates_needed,
    "cfs-period-gate": needs_gate(
        "cpuCFSQuotaPeriod",
        "CustomCPUCFSQuotaPeriod",
        lambda value: number_of(value) == SECOND // 10,
        value="a duration other than 100ms",
    ),
    "cfs-period-range-ms": _cfs_period_milliseconds,
    "imagegc-order": _image_gc_order,
    "image-maxage-gate": needs_gate(
        "imageMaximumGCAge", "ImageMaximumGCAge", lambda value: number_of(value) == 0, value="a duration"
    ),
    "image-age-order": _image_age_order,
    "parallel-pulls-serial": _parallel_pulls,
    "server-tls-bootstrap": needs_gate("serverTLSBootstrap", "RotateKubeletServerCertificate", value="true"),
    "run-once": effective_must("runOnce", not_, "must not be true"),
    "taints": all_of(
        values_must(
            "registerWithTaints[].key",
            is_label_key,
            "must be a qualified name, for example example.com/role",
            absent="",
        ),
        values_must("registerWithTaints[].value", is_label_value, "must be a label value"),
        values_must("registerWithTaints[].timeAdded", lambda _time: False, "must not be set"),
    ),
    "topology-policy-gate": needs_gate(
        "topologyManagerPolicy", "TopologyManager", lambda value: value == "none", value="a policy other than none"
    ),
    "topology-scope-gate": needs_gate(
        "topologyManagerScope",
        "TopologyManager",
        lambda value: value == "container",
        value="a scope other than container",
    ),
    "shutdown-priority-gate": needs_gate(
        "shutdownGracePeriodByPodPriority", "GracefulNodeShutdownBasedOnPodPriority", value="a list"
    ),
    "pull-creds-values": _pull_values,
    "pull-creds-gate": needs_gate(
        "imagePullCredentialsVerificationPolicy", "KubeletEnsureSecretPulledImages", value="a policy"
    ),
    "pull-allowlist": _pull_allowlist,
    "pull-allowlist-pattern": _pull_patterns,
    "hidden-metrics": hidden_metrics_rule,
    "logging": logging_rule,
    "tracing": tracing_rule,
    "tracing-gate": needs_gate("tracing", "KubeletTracing", lambda _value: False),
    "mem-reservation-gate": needs_gate(
        "memoryReservationPolicy", "MemoryQoS", lambda value: value != "TieredReservation", value="TieredReservation"
    ),
    "log-query-gate": needs_gate("enableSystemLogQuery", "NodeLogQuery", value="true"),
    "log-query-handler": _log_query_handler,
    "pod-logs-dir": _pod_logs_dir,
    "oomkill-os": _linux_only("singleProcessOOMKill"),
    "userns-os": _linux_only("userNamespaces"),
    "windows-cgroups": all_of(
        effective_must("cgroupsPerQOS", not_, "must be false on Windows"),
        effective_must("enforceNodeAllocatable", not_, "must be [] on Windows"),
    ),
}
