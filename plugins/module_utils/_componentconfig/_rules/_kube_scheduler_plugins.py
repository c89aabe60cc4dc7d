# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the arguments of kube-scheduler's plugins.

The rules have the ids of schema/kube_scheduler_validation_rules.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._scalars._syntax import is_label_key, is_label_value
from .._scalars.field_path import Path
from ._rule import (
    SECOND,
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    effective_in_range,
    in_range,
    objects_must,
    required,
    unique,
    values_at,
    values_must,
)

_WHOLE = re.compile(r"[0-9]{1,19}")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_RATIO = "RequestedToCapacityRatio"
_RATIO_FIELD = "requestedToCapacityRatio"


def _both_zero(config: EffectiveConfig) -> Violations:
    if config.get("minCandidateNodesPercentage") == 0 and config.get("minCandidateNodesAbsolute") == 0:
        yield ("minCandidateNodesAbsolute",), "must not be 0 together with minCandidateNodesPercentage"


def _requirements(config: EffectiveConfig) -> Iterator[tuple[Path, Mapping[str, Any], bool]]:
    """Yield each requirement of a node selector with its path, and whether it is about a node's fields."""
    required_terms = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]"
    terms = list(values_at(config.data, required_terms))
    for path, preferred in values_at(config.data, "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[]"):
        # kube-scheduler does not check a preference without a weight.
        if preferred.get("weight"):
            terms.append((path + ("preference",), preferred.get("preference") or {}))
    for path, term in terms:
        for field in ("matchExpressions", "matchFields"):
            for below, requirement in values_at(term, f"{field}[]"):
                yield path + below, requirement, field == "matchFields"


def _selector_keys(config: EffectiveConfig) -> Violations:
    for path, requirement, of_fields in _requirements(config):
        if not of_fields and not is_label_key(requirement.get("key", "")):
            yield path + ("key",), "must be the key of a label"


def _selector_fields(config: EffectiveConfig) -> Violations:
    for path, requirement, of_fields in _requirements(config):
        if of_fields and requirement.get("key", "") != "metadata.name":
            yield path + ("key",), "should be metadata.name: kube-scheduler knows no other field of a node"


def _selector_operators(config: EffectiveConfig) -> Violations:
    for path, requirement, of_fields in _requirements(config):
        allowed = _OPERATORS[:2] if of_fields else _OPERATORS
        if requirement.get("operator", "") not in allowed:
            yield path + ("operator",), "must be one of " + ", ".join(allowed)


def _selector_values(config: EffectiveConfig) -> Violations:
    for path, requirement, of_fields in _requirements(config):
        values, operator = requirement.get("values") or [], requirement.get("operator", "")
        values_path = path + ("values",)
        if of_fields and operator in _OPERATORS[:2] and len(values) != 1:
            yield values_path, "must be exactly one value"
        elif operator in ("In", "NotIn") and not values:
            yield values_path, f"must be at least one value with {operator}"
        elif operator in ("Exists", "DoesNotExist") and values:
            yield values_path, f"must be empty with {operator}"
        elif operator in ("Gt", "Lt") and (len(values) != 1 or not _WHOLE.fullmatch(values[0])):
            yield values_path, f"must be one whole number with {operator}"
        elif not of_fields:
            for index, value in enumerate(values):
                if not is_label_value(value):
                    yield values_path + (index,), "must be the value of a label"


def _labels_conflict(config: EffectiveConfig) -> Violations:
    for present, absent in (("presentLabels", "absentLabels"), ("presentLabelsPreference", "absentLabelsPreference")):
        for index, label in enumerate(config.data.get(absent) or ()):
            if label in (config.data.get(present) or ()):
                yield (absent, index), f"must not be in {present} too"


def _weight(pattern: str, greatest: float | None, words: str) -> Rule:
    # kube-scheduler replaces a weight of 0 with 1.
    return values_must(
        pattern,
        lambda value: value == 0 or (value >= 1 and (greatest is None or value <= greatest)),
        f"must be {words}",
    )


def _shape(pattern: str, needed: bool) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        for path, points in values_at(config.data, pattern):
            for index, (before, point) in enumerate(zip(points, points[1:]), 1):
                if before.get("utilization", 0) >= point.get("utilization", 0):
                    yield path + (index, "utilization"), "must be above the point before"
                    break

    return all_of(
        *([required(pattern, "must have at least one point")] if needed else ()),
        check,
        in_range(f"{pattern}[].utilization", 0, 100, "between 0 and 100"),
        in_range(f"{pattern}[].score", 0, 10, "between 0 and 10"),
    )


def _fit_ratio_other(message: str) -> Rule:
    return objects_must(
        "scoringStrategy",
        lambda strategy: strategy.get("type") == _RATIO or _RATIO_FIELD not in strategy,
        message,
        _RATIO_FIELD,
    )


def _spread_defaulting(config: EffectiveConfig) -> Violations:
    # In v1beta1 the default is List if there are constraints.
    default = "List" if str(config.written("apiVersion")).endswith("/v1beta1") else "System"
    if (config.written("defaultingType") or default) == "System" and config.written("defaultConstraints"):
        message = "must be List where there are defaultConstraints (System is the default from v1beta2 on)"
        yield ("defaultingType",), message


def _spread_selector(config: EffectiveConfig) -> Violations:
    for path, constraint in values_at(config.data, "defaultConstraints[]"):
        if "labelSelector" in constraint:
            yield path + ("labelSelector",), "must not be set: it comes from each pod"


def _spread_unique(config: EffectiveConfig) -> Violations:
    constraints = values_at(config.data, "defaultConstraints[]")
    yield from duplicates(
        (
            (path, (constraint.get("topologyKey"), constraint.get("whenUnsatisfiable")))
            for path, constraint in constraints
        ),
        "topologyKey and whenUnsatisfiable must not be those of another constraint",
    )


def _shape_gate(config: EffectiveConfig) -> Violations:
    gate = "StorageCapacityScoring" if config.minor >= 33 else "VolumeCapacityPriority"
    if config.written("shape") is not None and not config.gates.is_on(gate):
        yield ("shape",), f"needs the feature gate {gate} on kube-scheduler's command line"


def _binding_timeout_gate(config: EffectiveConfig) -> Violations:
    for gate in ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"):
        if config.written("bindingTimeout") is not None and not config.gates.is_on(gate):
            yield ("bindingTimeout",), f"needs the feature gate {gate} on kube-scheduler's command line"


_KEYS = "must be the key of a label, for example kubernetes.io/hostname"

SCHEDULER_PLUGIN_RULES: dict[str, dict[str, Rule]] = {
    "DefaultPreemptionArgs": {
        "preemption-percentage": effective_in_range("minCandidateNodesPercentage", 0, 100, "between 0 and 100"),
        "preemption-absolute": effective_in_range("minCandidateNodesAbsolute", 0, None, ">= 0"),
        "preemption-both-zero": _both_zero,
    },
    "InterPodAffinityArgs": {
        "hard-affinity-weight": effective_in_range("hardPodAffinityWeight", 0, 100, "between 0 and 100")
    },
    "NodeAffinityArgs": {
        "node-selector-key": _selector_keys,
        "node-selector-field": _selector_fields,
        "node-selector-values": _selector_values,
        "node-selector-operator": _selector_operators,
    },
    "NodeLabelArgs": {"labels-conflict": _labels_conflict},
    "NodeResourcesBalancedAllocationArgs": {
        "balanced-unique": unique("resources[].name"),
        "balanced-weight": _weight("resources[].weight", 1, "1"),
    },
    "NodeResourcesFitArgs": {
        "fit-ignored-resources": values_must("ignoredResources[]", is_label_key, "must be a qualified name"),
        "fit-ignored-groups": values_must(
            "ignoredResourceGroups[]",
            lambda group: "/" not in group and is_label_key(group),
            "must be the part of a resource's name before the /",
        ),
        "fit-strategy": required("scoringStrategy.type"),
        "fit-weight": _weight("scoringStrategy.resources[].weight", 100, "between 1 and 100"),
        "fit-ratio": objects_must(
            "scoringStrategy",
            lambda strategy: strategy.get("type") != _RATIO or _RATIO_FIELD in strategy,
            f"is required with type {_RATIO}",
            _RATIO_FIELD,
        ),
        "fit-ratio-other": _fit_ratio_other(f"is only allowed with type {_RATIO}"),
        "fit-ratio-unused": _fit_ratio_other(f"is only used with type {_RATIO}"),
        "fit-shape": _shape("scoringStrategy.requestedToCapacityRatio.shape", True),
    },
    "NodeResourcesLeastAllocatedArgs": {
        "least-weight": _weight("resources[].weight", 100, "between 1 and 100"),
        "least-weight-given": required("resources[].weight"),
    },
    "NodeResourcesMostAllocatedArgs": {"most-weight": _weight("resources[].weight", 100, "between 1 and 100")},
    "PodTopologySpreadArgs": {
        "spread-defaulting": _spread_defaulting,
        "spread-skew": in_range("defaultConstraints[].maxSkew", 1, None, "> 0", absent=0),
        "spread-key": values_must("defaultConstraints[].topologyKey", is_label_key, _KEYS, absent=""),
        "spread-action": required("defaultConstraints[].whenUnsatisfiable"),
        "spread-policies": values_must(
            "defaultConstraints[].nodeAffinityPolicy|nodeTaintsPolicy",
            lambda policy: policy in ("", "Honor", "Ignore"),
            "should be Honor or Ignore: kube-scheduler takes any other value for Ignore",
        ),
        "spread-selector": _spread_selector,
        "spread-unique": _spread_unique,
    },
    "RequestedToCapacityRatioArgs": {
        "ratio-shape": _shape("shape", True),
        "ratio-weight": _weight("resources[].weight", None, ">= 1"),
    },
    "VolumeBindingArgs": {
        "bind-timeout": effective_in_range("bindTimeoutSeconds", 0, None, ">= 0"),
        "bind-timeout-positive": effective_in_range("bindTimeoutSeconds", 1, None, "> 0"),
        "bind-shape": _shape("shape", False),
        "bind-shape-gate": _shape_gate,
    },
    "DynamicResourcesArgs": {
        "filter-timeout": effective_in_range("filterTimeout", 0, None, ">= 0"),
        "binding-timeout": effective_in_range("bindingTimeout", SECOND, None, "at least 1s"),
        "binding-timeout-gate": _binding_timeout_gate,
    },
}
"""The rules by kind."""

SCHEDULER_PLUGIN_CHECKED_FIELDS: dict[str, frozenset[str]] = {
    # kube-scheduler does not look at the operators of a preference of weight 0.
    "NodeAffinityArgs": frozenset(
        f"addedAffinity.{terms}.{field}.operator"
        for terms in (
            "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
            "preferredDuringSchedulingIgnoredDuringExecution.preference",
        )
        for field in ("matchExpressions", "matchFields")
    ),
    "PodTopologySpreadArgs": frozenset(
        f"defaultConstraints.{field}" for field in ("nodeAffinityPolicy", "nodeTaintsPolicy")
    ),
}
"""The fields by kind whose allowed values the rules check; see `check_types`."""
