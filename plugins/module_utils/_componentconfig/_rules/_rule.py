# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define a rule, the config that it sees, and builders for common rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from operator import not_
from typing import Any, Callable, NamedTuple

from .. import ConfigError
from .._scalars._syntax import is_grpc_target
from .._scalars.duration import nanoseconds
from .._scalars.field_path import Path, value_at
from .._scalars.numbers import parse_float, parse_quantity
from .._schema._defaults import effective_value
from .._schema._feature_gates import FeatureGates
from .._schema.kinds import DataModule, OperatingSystem, is_present_at
from .._schema.releases import as_last_read
from ..findings import Finding, Level
from . import rule_facts

SECOND = 10**9
"""A second in nanoseconds, the unit of all durations in rules."""

Violations = Iterator[tuple[Path, str]]
"""What a rule returns: the paths of the fields that violate it, each with what is allowed."""


def number_of(value: Any) -> Any:
    """Return a number, or a duration in nanoseconds."""
    return nanoseconds(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class EffectiveConfig:
    """A config as the component of one minor uses it; defaults are looked up, never written into it."""

    minor: int
    data: Mapping[str, Any]
    fields: Mapping[str, Any]
    gates: FeatureGates
    broken_fields: frozenset[str] = frozenset()
    knows_flags: bool = False
    """Whether the flags of the component are known, so that `gates` has those of the command line, too."""
    os: OperatingSystem = "linux"
    """The operating system of the node."""

    def written(self, *path: str) -> Any:
        """Return the value that the document sets, or None."""
        return value_at(self.data, path)

    def get(self, *path: str) -> Any:
        """Return the value that the component uses: the document's or the default; see `effective_value`."""
        *parents, name = path
        siblings = self.written(*parents) if parents else self.data
        fields = self.entry(*parents).get("fields", {}) if parents else self.fields
        return effective_value(name, siblings if isinstance(siblings, Mapping) else {}, fields, self.minor, self.gates)

    def nanoseconds(self, *path: str) -> int | None:
        """Return a duration, or its default, in nanoseconds; None without both."""
        value = self.get(*path)
        return None if value is None else number_of(value)

    def has_field(self, *path: str) -> bool:
        """Return whether this minor has the field."""
        entry = self.entry(*path)
        return bool(entry) and is_present_at(entry, self.minor)

    def entry(self, *path: str) -> Mapping[str, Any]:
        """Return the entry of a field, {} for an unknown one."""
        fields, entry = self.fields, {}
        for part in path:
            entry = fields.get(part, {})
            fields = entry.get("fields", {})
        return entry


Rule = Callable[[EffectiveConfig], Violations]


Objects = Callable[[EffectiveConfig], Iterator[tuple[Path, Any]]]
"""Finds the objects of a config that a rule is about, each with its path."""


class RuleSet(NamedTuple):
    """A section of a component's rule facts, and the functions that check the rules."""

    component: DataModule
    section: str
    rules: Mapping[str, Rule]

    def level_of(self, rule: str) -> Level:
        """Return how serious it is to break a rule: the component refuses the config unless the facts say otherwise."""
        return Level(rule_facts(self.component, self.section)[rule].get("level", Level.COMPONENT))


def _if_unread(finding: Finding, unread: int | None, minor: int) -> Finding:
    """Return a finding of a rule as a warning if the rule was not read for the minor; unread: the first such minor."""
    if unread is None or minor < unread:
        return finding
    return finding._replace(level=Level.WARNING, message=f"{finding.message}{as_last_read(unread)}")


def run_rules(rule_set: RuleSet, config: EffectiveConfig) -> Iterator[Finding]:
    """Yield the findings of the rules of a set that hold at the config's minor and on its operating system.

    Rules about fields of a wrong type are left out, except those that check each of their fields by itself: the data
    lack such fields.
    """
    for rule, facts in rule_facts(rule_set.component, rule_set.section).items():
        check = rule_set.rules.get(rule)
        is_on_system = config.os in facts.get("os", (config.os,))
        if check is None or not is_on_system or not is_present_at(facts, config.minor):
            continue
        fields = [re.sub(r"\[\]|\{\}", "", name) for name in facts["fields"]]
        is_broken = any({name, name.split(".")[0]} & config.broken_fields for name in fields)
        if is_broken and not facts.get("each"):
            continue
        for path, message in check(config):
            is_decided = config.knows_flags and facts.get("flags", False)
            level = Level.COMPONENT if is_decided else rule_set.level_of(rule)
            yield _if_unread(Finding(path, message, rule, level), facts.get("unread"), config.minor)


def values_at(data: Any, pattern: str, path: Path = (), absent: Any = None) -> Iterator[tuple[Path, Any]]:
    """Yield every value at a pattern, with its path; absent and null values are left out.

    absent: stands, unless None, for the last field of the pattern where an object lacks it: Go has only zeros.
    """
    if data is None:
        return
    if not pattern:
        yield path, data
        return
    part, *rest_of = pattern.split(".", 1)
    rest, name = "".join(rest_of), part.rstrip("[]{}")
    value = data.get(name) if isinstance(data, dict) else None
    field_path = path + (name,)
    if part.endswith("[]"):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from values_at(item, rest, field_path + (index,), absent)
    elif part.endswith("{}"):
        for key, item in (value if isinstance(value, dict) else {}).items():
            yield from values_at(item, rest, field_path + (key,), absent)
    else:
        yield from values_at(absent if value is None and not rest else value, rest, field_path, absent)


def _alternatives(pattern: str) -> list[str]:
    """Return the patterns that one with several fields in a part stands for: a.c and b.c for `a|b.c`."""
    return [".".join(parts) for parts in product(*(part.split("|") for part in pattern.split(".")))]


def values_must(pattern: str, is_allowed: Callable[[Any], object], message: str, absent: Any = None) -> Rule:
    """Return the rule that every value at the pattern is allowed; `absent` stands for a missing one.

    A part of the pattern may have several fields, as in `apply|plan.kubernetesVersion`.
    """
    patterns = _alternatives(pattern)

    def check(config: EffectiveConfig) -> Violations:
        for each in patterns:
            for path, value in values_at(config.data, each, absent=absent):
                if not is_allowed(value):
                    yield path, message

    return check


def in_range(pattern: str, minimum: float | None, maximum: float | None, requirement: str, absent: Any = None) -> Rule:
    """Return the rule that numbers, or durations in nanoseconds, at the pattern are within both bounds."""

    return values_must(pattern, _within(minimum, maximum), f"must be {requirement}", absent)


def _within(minimum: float | None, maximum: float | None) -> Callable[[Any], bool]:
    def is_within(value: Any) -> bool:
        number = number_of(value)
        return (minimum is None or number >= minimum) and (maximum is None or number <= maximum)

    return is_within


def objects_must(objects: str | Objects, is_allowed: Callable[[Any], object], message: str, field: str = "") -> Rule:
    """Return the rule that every object at a pattern, or that a function finds, is allowed.

    field: the field of the object that has the finding, "" for the object itself.
    """
    below = tuple(filter(None, field.split(".")))

    def check(config: EffectiveConfig) -> Violations:
        for path, item in values_at(config.data, objects) if isinstance(objects, str) else objects(config):
            if not is_allowed(item):
                yield path + below, message

    return check


def effective_must(field: str, is_allowed: Callable[[Any], object], message: str) -> Rule:
    """Return the rule that a field has an allowed value: the document's, the default, or None without both."""
    path = tuple(field.split("."))

    def check(config: EffectiveConfig) -> Violations:
        if not is_allowed(config.get(*path)):
            yield path, message

    return check


def effective_in_range(field: str, minimum: float | None, maximum: float | None, requirement: str) -> Rule:
    """Return the rule that a field's number, or duration in nanoseconds, is within both bounds, if there is one."""
    path, is_within = tuple(field.split(".")), _within(minimum, maximum)

    def check(config: EffectiveConfig) -> Violations:
        value = config.get(*path) if config.has_field(*path) else None
        if value is not None and not is_within(value):
            yield path, f"must be {requirement}"

    return check


def needs_gate(
    field: str, gate: str, is_harmless: Callable[[Any], object] = not_, *, value: str = "", where: str = ""
) -> Rule:
    """Return the rule that a field is only used while a gate is on.

    is_harmless: accepts values that do not use the field. value: words for one that does, "" for any. where: words for
    the place of the gate's setting, "" for the config itself.
    """
    path = tuple(field.split("."))
    message = " ".join(filter(None, (value, f"needs the feature gate {gate}", where)))

    def check(config: EffectiveConfig) -> Violations:
        used = config.get(*path)
        if used is not None and not is_harmless(used) and not config.gates.is_on(gate):
            yield path, message

    return check


def required(pattern: str, message: str = "is required") -> Rule:
    """Return the rule that every object with the pattern's last field sets it, and not to an empty value."""
    return values_must(pattern, bool, message, absent="")


def present(pattern: str) -> Rule:
    """Return the rule that every object with the pattern's last field sets it, perhaps to an empty value."""
    return values_must(pattern, lambda value: value != "", "is required", absent="")


def absolute(pattern: str) -> Rule:
    """Return the rule that every path at the pattern is absolute, or empty."""
    return values_must(pattern, lambda path: not path or path.startswith("/"), "must be an absolute path")


def duplicates(values: Iterable[tuple[Path, Any]], message: str = "must not stand twice") -> Violations:
    """Yield the paths of values that repeat an earlier one."""
    seen: list[Any] = []
    for path, value in values:
        if value in seen:
            yield path, message
        seen.append(value)


def unique(pattern: str, message: str = "must not stand twice") -> Rule:
    """Return the rule that no two values at the pattern are the same; empty values are left to another rule.

    Values of several fields in a part of the pattern may be the same.
    """
    patterns = _alternatives(pattern)

    def check(config: EffectiveConfig) -> Violations:
        for each in patterns:
            yield from duplicates(
                ((path, value) for path, value in values_at(config.data, each) if value != ""), message
            )

    return check


def all_of(*rules: Rule) -> Rule:
    """Return one rule that applies several."""

    def check(config: EffectiveConfig) -> Violations:
        for rule in rules:
            yield from rule(config)

    return check


def quantity_or_none(value: Any) -> Fraction | None:
    """Return the amount of a quantity, or None if the value is not one."""
    try:
        return parse_quantity(value)
    except ConfigError:
        return None


def reserved_amounts(config: EffectiveConfig, resource: str) -> dict[str, Fraction | None]:
    """Return how much of a resource the kubelet reserves by each field, None for what is not a quantity."""
    fields = ("kubeReserved", "systemReserved")
    return {field: quantity_or_none((config.get(field) or {}).get(resource, 0)) for field in fields}


def percentage_or_none(value: str) -> float | None:
    """Return the number before the percent signs, or None if the value is not a percentage."""
    number = value.rstrip("%")
    try:
        return parse_float(number) if number != value else None
    except ConfigError:
        return None


_LARGEST_INT32 = 2**31 - 1
_LARGEST_INT64 = 2**63 - 1
_DIGITS = re.compile(r"[-+]?0*([0-9]*)\.?([0-9]*)")


def whole_amount(value: str | int | float) -> int:
    """Return a quantity as Kubernetes' Value() does: rounded away from zero, and 0 if it overflows an int64.

    Quantities of more than 18 digits or with a binary unit are limited instead. Raises ConfigError as `parse_quantity`
    does.
    """
    amount, digits = parse_quantity(value), _DIGITS.match(str(value))
    is_limited = str(value).endswith("i") or (digits is not None and len(digits[1] + digits[2]) > 18)
    whole = ceil(abs(amount))
    if whole > _LARGEST_INT64:
        whole = _LARGEST_INT64 if is_limited else 0
    return -whole if amount < 0 else whole


def logging_rule(config: EffectiveConfig) -> Violations:
    """Check `logging` as k8s.io/component-base does, for the kubelet and kube-proxy."""
    flush = config.nanoseconds("logging", "flushFrequency")
    if config.has_field("logging", "flushFrequency") and flush is not None and flush <= 0:
        yield ("logging", "flushFrequency"), "must be > 0"
    if not 0 <= (config.get("logging", "verbosity") or 0) <= _LARGEST_INT32:
        yield ("logging", "verbosity"), f"must be between 0 and {_LARGEST_INT32}"
    gates, log_format = config.gates, config.get("logging", "format")
    if log_format == "json" and gates.is_known("LoggingBetaOptions") and not gates.is_on("LoggingBetaOptions"):
        yield ("logging", "format"), "json needs the feature gate LoggingBetaOptions"
    patterns = config.get("logging", "vmodule") or []
    if patterns and log_format != "text":
        yield ("logging", "vmodule"), "works with the text format only"
    for index, entry in enumerate(patterns):
        path = ("logging", "vmodule", index)
        if not entry.get("filePattern") or "=" in entry["filePattern"] or "," in entry["filePattern"]:
            yield path + ("filePattern",), "is required, without = and ,"
        if not 0 <= entry.get("verbosity", 0) <= _LARGEST_INT32:
            yield path + ("verbosity",), f"must be between 0 and {_LARGEST_INT32}"
    if gates.is_known("LoggingAlphaOptions") and not gates.is_on("LoggingAlphaOptions"):
        for form in ("text", "json"):
            options = config.get("logging", "options", form) or {}
            if options.get("splitStream") or whole_amount(options.get("infoBufferSize", 0)) != 0:
                yield ("logging", "options", form), "needs the feature gate LoggingAlphaOptions"


def refused_gates(config: EffectiveConfig) -> Violations:
    """Check that `featureGates` has only gates that the component takes, for the kubelet and kube-proxy."""
    for gate, message in config.gates.refused_settings():
        yield ("featureGates", gate), message


def hidden_metrics_rule(config: EffectiveConfig) -> Violations:
    """Check `showHiddenMetricsForVersion`, for the kubelet and kube-proxy."""
    if config.get("showHiddenMetricsForVersion") not in (None, "", f"1.{config.minor - 1}"):
        yield ("showHiddenMetricsForVersion",), f"must be empty or the previous minor, 1.{config.minor - 1}"


def tracing_rule(config: EffectiveConfig) -> Violations:
    """Check `tracing` as k8s.io/component-base does."""
    rate = config.get("tracing", "samplingRatePerMillion")
    if rate is not None and not 0 <= rate <= 1_000_000:
        yield ("tracing", "samplingRatePerMillion"), "must be between 0 and 1000000"
    endpoint = config.get("tracing", "endpoint") or ""
    if not is_grpc_target(endpoint):
        yield ("tracing", "endpoint"), "must be host:port, or a URL with the scheme dns, unix or unix-abstract"
