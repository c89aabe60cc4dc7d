# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What rules are judged on and which of them hold at a minor.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from .._findings import Finding, Level
from .._scalars._duration import nanoseconds
from .._scalars._field_path import Path
from .._scalars._numbers import parse_quantity
from .._scalars._syntax import is_grpc_target
from .._schema._defaults import effective_value
from .._schema._feature_gates import FeatureGates
from ._rule_facts import rule_facts

__all__ = [
    "Bound",
    "EffectiveConfig",
    "Rule",
    "RuleSet",
    "SECOND",
    "all_of",
    "bound_rules",
    "values_must",
    "values_at",
    "logging_rule",
    "fields_at",
    "split_pattern",
    "present",
    "duplicates",
    "required",
    "run_rules",
    "tracing_rule",
    "unique",
    "Violations",
    "in_range",
]

SECOND = 10**9
"""Durations are whole nanoseconds here."""

Violations = Iterator[tuple[Path, str]]
"""What a rule returns: the paths of the fields that violate it, each with what is allowed."""


@dataclass(frozen=True)
class EffectiveConfig:
    """A config as one minor's component sees it: defaults applied to judge, never written."""

    minor: int
    data: Mapping[str, Any]
    fields: Mapping[str, Any]
    gates: FeatureGates
    broken: frozenset[str] = frozenset()

    def given(self, *path: str) -> Any:
        """What the document says, None where it says nothing."""
        value: Any = self.data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def get(self, *path: str) -> Any:
        """What the component uses: the document's value, or the default of this minor; see `effective`."""
        *parents, name = path
        siblings = self.given(*parents) if parents else self.data
        fields = self._field(parents).get("fields", {}) if parents else self.fields
        return effective_value(name, siblings if isinstance(siblings, Mapping) else {}, fields, self.minor, self.gates)

    def seconds(self, *path: str) -> int | None:
        """A duration in nanoseconds, with its default; None where it has neither."""
        value = self.get(*path)
        return nanoseconds(value) if isinstance(value, str) else value

    def known(self, *path: str) -> bool:
        """Whether this minor has the field."""
        field = self._field(path)
        return bool(field) and field.get("since", 0) <= self.minor <= field.get("last", self.minor)

    def _field(self, path: Iterable[str]) -> Mapping[str, Any]:
        fields, field = self.fields, {}
        for part in path:
            field = fields.get(part, {})
            fields = field.get("fields", {})
        return field


Rule = Callable[[EffectiveConfig], Violations]


class RuleSet(NamedTuple):
    """A section of a component's rule facts, and the functions that check by them."""

    component: str
    section: str
    rules: Mapping[str, Rule]

    def level_of(self, rule: str) -> Level:
        """Return how serious it is to break a rule: the component refuses the config unless the facts say otherwise."""
        return Level(rule_facts(self.component, self.section)[rule].get("level", Level.COMPONENT))


def run_rules(rule_set: RuleSet, context: EffectiveConfig) -> Iterator[Finding]:
    """Run the rules of a set that hold at the context's minor, beside those about fields of a wrong type."""
    for rule, facts in rule_facts(rule_set.component, rule_set.section).items():
        check = rule_set.rules.get(rule)
        if check is None or not facts.get("since", 0) <= context.minor <= facts.get("last", context.minor):
            continue
        if any(name.split(".")[0].split("[")[0] in context.broken for name in facts["fields"]):
            continue
        for path, message in check(context):
            yield Finding(path, message, rule, rule_set.level_of(rule))


def values_at(data: Any, pattern: str, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value at a pattern, with its path; what is absent or null is none."""
    if data is None:
        return
    if not pattern:
        yield path, data
        return
    part, *rest_of = pattern.split(".", 1)
    rest, name = "".join(rest_of), part.rstrip("[]{}")
    value = data.get(name) if isinstance(data, dict) else None
    here = path + (name,)
    if part.endswith("[]"):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from values_at(item, rest, here + (index,))
    elif part.endswith("{}"):
        for key, item in (value if isinstance(value, dict) else {}).items():
            yield from values_at(item, rest, here + (key,))
    else:
        yield from values_at(value, rest, here)


def split_pattern(pattern: str) -> tuple[str, str]:
    """A pattern as that of the object around it and the name of its last field."""
    *parent, name = pattern.rsplit(".", 1)
    return "".join(parent), name


def fields_at(data: Any, pattern: str, absent: Any = None) -> Iterator[tuple[Path, Any]]:
    """As `found`, but what its object does not have counts as `absent` (None: is left out): Go knows zeros only."""
    parent, name = split_pattern(pattern)
    for path, holder in values_at(data, parent):
        value = holder.get(name) if isinstance(holder, dict) else None
        value = absent if value is None else value
        if value is not None:
            yield path + (name,), value


def values_must(pattern: str, allowed: Callable[[Any], bool], words: str, absent: Any = None) -> Rule:
    """Every value at the pattern must be allowed; `absent` stands for one that its object does not have."""

    def check(c: EffectiveConfig) -> Violations:
        values = values_at(c.data, pattern) if pattern.endswith("]") else fields_at(c.data, pattern, absent)
        for path, value in values:
            if not allowed(value):
                yield path, words

    return check


def in_range(pattern: str, least: float | None, greatest: float | None, words: str, absent: Any = None) -> Rule:
    """Every number or duration (bounds then in nanoseconds) at the pattern must lie within both bounds."""

    def allowed(value: Any) -> bool:
        number = nanoseconds(value) if isinstance(value, str) else value
        return (least is None or number >= least) and (greatest is None or number <= greatest)

    return values_must(pattern, allowed, f"must be {words}", absent)


def required(pattern: str, words: str = "is required") -> Rule:
    """Every object that may hold the pattern's last field must, and not empty."""
    return values_must(pattern, bool, words, absent="")


def present(pattern: str) -> Rule:
    """Every object that may hold the pattern's last field must; it may be empty."""
    return values_must(pattern, lambda value: value != "", "is required", absent="")


def duplicates(values: Iterable[tuple[Path, Any]], words: str = "must not stand twice") -> Violations:
    """The paths of those values that were there before."""
    seen: list[Any] = []
    for path, value in values:
        if value in seen:
            yield path, words
        seen.append(value)


def unique(pattern: str, words: str = "must not stand twice") -> Rule:
    """No two values at the pattern may be the same; empty ones are another rule's."""

    def check(c: EffectiveConfig) -> Violations:
        yield from duplicates(((path, value) for path, value in values_at(c.data, pattern) if value != ""), words)

    return check


def all_of(*rules: Rule) -> Rule:
    """One rule of several."""

    def check(c: EffectiveConfig) -> Violations:
        for rule in rules:
            yield from rule(c)

    return check


class Bound(NamedTuple):
    """A field, the least and the greatest number it may hold (None: no bound), and the two in words."""

    field: str
    least: float | None
    greatest: float | None
    words: str
    duration: bool = False


def _rule(bounds: tuple[Bound, ...]) -> Rule:
    def check(context: EffectiveConfig) -> Violations:
        for bound in bounds:
            path = tuple(bound.field.split("."))
            if not context.known(*path):
                continue
            value = context.seconds(*path) if bound.duration else context.get(*path)
            if value is None:
                continue
            if (bound.least is not None and value < bound.least) or (
                bound.greatest is not None and value > bound.greatest
            ):
                yield path, f"must be {bound.words}"

    return check


def bound_rules(table: Mapping[str, tuple[Bound, ...]]) -> dict[str, Rule]:
    """Rules by id from bounds by id; a field that has no value, given or by default, meets every bound."""
    return {rule: _rule(bounds) for rule, bounds in table.items()}


_LARGEST_INT32 = 2**31 - 1


def logging_rule(c: EffectiveConfig) -> Violations:
    """What component-base makes of `logging`, in the kubelet as in kube-proxy."""
    flush = c.seconds("logging", "flushFrequency")
    if c.known("logging", "flushFrequency") and flush is not None and flush <= 0:
        yield ("logging", "flushFrequency"), "must be > 0"
    if not 0 <= (c.get("logging", "verbosity") or 0) <= _LARGEST_INT32:
        yield ("logging", "verbosity"), f"must be between 0 and {_LARGEST_INT32}"
    patterns = c.get("logging", "vmodule") or []
    if patterns and c.get("logging", "format") != "text":
        yield ("logging", "vmodule"), "works with the text format only"
    for index, entry in enumerate(patterns):
        path = ("logging", "vmodule", index)
        if not entry.get("filePattern") or "=" in entry["filePattern"] or "," in entry["filePattern"]:
            yield path + ("filePattern",), "is required, without = and ,"
        if not 0 <= entry.get("verbosity", 0) <= _LARGEST_INT32:
            yield path + ("verbosity",), f"must be between 0 and {_LARGEST_INT32}"
    if c.gates.known("LoggingAlphaOptions") and not c.gates.on("LoggingAlphaOptions"):
        for form in ("text", "json"):
            used = c.get("logging", "options", form) or {}
            if used.get("splitStream") or parse_quantity(used.get("infoBufferSize", 0)) != 0:
                yield ("logging", "options", form), "needs the feature gate LoggingAlphaOptions"


def tracing_rule(c: EffectiveConfig) -> Violations:
    """What component-base makes of `tracing`."""
    rate = c.get("tracing", "samplingRatePerMillion")
    if rate is not None and not 0 <= rate <= 1_000_000:
        yield ("tracing", "samplingRatePerMillion"), "must be between 0 and 1000000"
    endpoint = c.get("tracing", "endpoint") or ""
    if not is_grpc_target(endpoint):
        yield ("tracing", "endpoint"), "must be host:port, or a URL with the scheme dns, unix or unix-abstract"
