# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the values of flags against bounds and patterns, feature gates, and other flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .. import ConfigError
from .._scalars._syntax import network
from .._scalars.duration import parse_duration
from .._scalars.numbers import parse_bool, parse_float
from .._schema.releases import minor_name
from ..findings import show
from ._flag_value import FlagRule, FlagValue
from ._pflag import parse_flag_value

_PORTS = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_WHOLE_NUMBER = re.compile(r"\+?[0-9]*")
_METRIC = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_METRIC_LABEL = re.compile(rf"{_METRIC.pattern},[A-Za-z_][A-Za-z0-9_]*")
_BOOLEAN = "1|t|T|TRUE|true|True|0|f|F|FALSE|false|False"
_STAGES = "api/(?:all|ga|beta|alpha)"
_PATTERNS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "auto-compaction-retention": (
        re.compile(r"\+?[0-9]+|[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+"),
        "must be a number of hours or revisions, or a duration, for example 30m",
    ),
    "cors-allowed-origins": (
        re.compile(r"(?=.*(\^|//))(?=.*(\$|:)).*"),
        "must begin with ^ or //, and end with $ or :, so that it matches whole hosts",
    ),
    "etcd-servers-overrides": (
        re.compile(r"[^#/]*/[^#/]*#[^#]+"),
        "must be group/resource#servers, with semicolons between the URLs of servers",
    ),
    "min-compatibility-version": (
        re.compile(r"(?:kube=)?v?1\.[0-9]+"),
        "must be a version without its patch, such as 1.35",
    ),
    "runtime-config": (
        re.compile(rf"{_STAGES}=(?:true|false)|(?!{_STAGES}(?:=|$))[^=]*(?:=(?:{_BOOLEAN})?)?"),
        "must be true or false",
    ),
    "service-account-jwks-uri": (re.compile(r"https:.*"), "must be a URL with https"),
    "strict-transport-security-directives": (
        re.compile(r"max-age=.*|includeSubDomains|preload"),
        "must be one of max-age=SECONDS, includeSubDomains, preload",
    ),
    "tls-curve-preferences": (
        re.compile(r"23|24|25|29|4587|4588|4589"),
        "must be the number of a curve such as 29 (X25519)",
    ),
    "watch-cache-sizes": (
        re.compile(r"[^#]*#\+?[0-9]{1,18}"),
        "must be resource[.group]#size, with a size of 0 or more",
    ),
}
"""The pattern of each item of a flag, and words for it."""
_SECONDS = "s"
"""The unit of a bound of durations; numbers have none."""


def _needs_gate(flag: FlagValue) -> Iterator[str]:
    gate = flag.facts["gate"]
    if flag.last and parse_bool(flag.last) is not False and not flag.gates.is_on(gate):
        yield f"needs the feature gate {gate}"


def _needs_flag(flag: FlagValue) -> Iterator[str]:
    if flag.last and parse_bool(flag.last) is not False:
        for other in flag.facts["needs"]:
            if not flag.value_of(other):
                yield f"needs --{other}, too"


def _needs_environment(flag: FlagValue) -> Iterator[str]:
    if flag.last:
        yield f"needs the environment variable {flag.facts['env']}"


def _number(text: str, unit: str) -> float | None:
    """Return a number, or a duration in seconds; None for a text that is neither, which has a finding of its type."""
    parsers = (parse_duration,) if unit == _SECONDS else (_whole_number, parse_float)
    for parse in parsers:
        try:
            return parse(text)
        except ConfigError:
            continue
    return None


def _whole_number(text: str) -> float:
    return float(parse_flag_value("int", [text]))


def _range(flag: FlagValue) -> Iterator[str]:
    facts = flag.facts
    unit = facts.get("unit", "")
    number = _number(flag.last, unit)
    if number is None or not _is_in_use(flag) or (facts.get("zero") and not number):
        return
    least, most = facts["range"]
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}{unit}" if most is None else f"between {least}{unit} and {most}{unit}"
        yield f"{show(flag.last)}: must be {bounds}"


def _is_in_use(flag: FlagValue) -> bool:
    """Return whether the flag that decides on the use of this one is set, to one of the values that do so."""
    if "of" not in flag.facts:
        return True
    value = flag.value_of(flag.facts["of"])
    return value in flag.facts["ofValues"] if "ofValues" in flag.facts else bool(value)


def _positive(flag: FlagValue) -> Iterator[str]:
    number = _number(flag.last, _SECONDS)
    if number is not None and number <= 0:
        yield f"{show(flag.last)}: must be greater than 0"


def _previous_minor(flag: FlagValue) -> Iterator[str]:
    previous = minor_name(flag.minor - 1)
    if flag.last and flag.last != previous:
        yield f"{show(flag.last)}: must be {previous}, the minor before"


def _metric_labels(flag: FlagValue) -> Iterator[str]:
    for key in parse_flag_value("stringToString", flag.values):
        if not _METRIC_LABEL.fullmatch(key):
            yield f"{show(key)}: must be the name of a metric and of its label, as in metric,label=value"


def _metric_names(flag: FlagValue) -> Iterator[str]:
    for name in flag.items_of(flag.name):
        if not _METRIC.fullmatch(name):
            yield f"{show(name)}: must be the name of a metric"


def _contains(flag: FlagValue) -> Iterator[str]:
    items = [item.lower() for item in flag.items_of(flag.name)]
    missing = [value for value in flag.facts["values"] if value.lower() not in items]
    if items and missing:
        yield f"must have {' and '.join(missing)}, too"


def _pattern(flag: FlagValue) -> Iterator[str]:
    pattern, allowed = _PATTERNS[flag.name]
    for item in flag.items_of(flag.name):
        if not pattern.fullmatch(item):
            yield f"{show(item)}: {allowed}"


def _not_empty(flag: FlagValue) -> Iterator[str]:
    if not flag.last and not _is_switched_off(flag):
        yield "must not be empty"


def _excludes(flag: FlagValue) -> Iterator[str]:
    others = [f"--{name}" for name in flag.facts["refused"] if name in flag.uses]
    if flag.last and others:
        yield f"cannot be used together with {' and '.join(others)}"


def _needs_value(flag: FlagValue) -> Iterator[str]:
    of, values = flag.facts["of"], flag.facts["values"]
    if flag.last and not set(values) & set(flag.items_of(of)):
        yield f"needs --{of} with {' or '.join(values)}"


def _value_needs(flag: FlagValue) -> Iterator[str]:
    for value in flag.facts["values"]:
        for other in flag.facts["needs"]:
            if value in flag.items_of(flag.name) and not flag.value_of(other):
                yield f"{value} needs --{other}, too"


def _unique(flag: FlagValue) -> Iterator[str]:
    items = flag.items_of(flag.name)
    for item in dict.fromkeys(items):
        if items.count(item) > 1:
            yield f"{show(item)} is there {items.count(item)} times: name it once"


def _is_switched_off(flag: FlagValue) -> bool:
    switch = flag.facts.get("unless", "")
    return bool(switch) and parse_bool(flag.value_of(switch) or "true") is False


def _greater_than(flag: FlagValue) -> Iterator[str]:
    other = flag.facts["of"]
    bound = flag.value_of(other) or flag.facts["ofDefault"]
    own, least = _number(flag.last, _SECONDS), _number(bound, _SECONDS)
    if not _is_switched_off(flag) and own is not None and least is not None and own <= least:
        yield f"{show(flag.last)}: must be greater than --{other}, {bound}"


def _less_than(flag: FlagValue) -> Iterator[str]:
    """Yield what does not fit the default of the other flag; if that is given, its own rule compares the two."""
    other, bound = flag.facts["of"], flag.facts["ofDefault"]
    own, most = _number(flag.last, _SECONDS), _number(bound, _SECONDS)
    if other in flag.uses or _is_switched_off(flag) or own is None or most is None:
        return
    if own >= most:
        yield f"{show(flag.last)}: must be less than --{other}, {bound} by default"


def _at_least_times(flag: FlagValue) -> Iterator[str]:
    other, times = flag.facts["of"], flag.facts["times"]
    bound = flag.value_of(other) or flag.facts["ofDefault"]
    own, part = _number(flag.last, ""), _number(bound, "")
    if own is not None and part is not None and own < times * part:
        yield f"{show(flag.last)}: must be at least {times} times --{other}, which is {bound}"


def _at_most_part(flag: FlagValue) -> Iterator[str]:
    """Yield what does not fit the default of the other flag; if that is given, its own rule compares the two."""
    other, times, bound = flag.facts["of"], flag.facts["times"], flag.facts["ofDefault"]
    own, whole = _number(flag.last, ""), _number(bound, "")
    if other not in flag.uses and own is not None and whole is not None and times * own > whole:
        yield f"{show(flag.last)}: {times} times of it must be at most --{other}, {bound} by default"


def _whole_number_with(flag: FlagValue) -> Iterator[str]:
    if _is_in_use(flag) and not _WHOLE_NUMBER.fullmatch(flag.last):
        yield f"{show(flag.last)}: must be a whole number with --{flag.facts['of']}={flag.value_of(flag.facts['of'])}"


def _disjoint_with(flag: FlagValue) -> Iterator[str]:
    other = flag.facts["of"]
    both = [item for item in dict.fromkeys(flag.items_of(flag.name)) if item in flag.items_of(other)]
    if both:
        yield f"--{other} names {', '.join(both)}, too"


def _cidrs(flag: FlagValue) -> Iterator[str]:
    facts, texts = flag.facts, [text.strip() for text in flag.last.split(",")] if flag.last else []
    networks = [network(text) for text in texts]
    bits = None if flag.gates.is_on(facts.get("gate", "")) else facts.get("bits")
    for text, value in zip(texts, networks):
        if value is None:
            yield f"{show(text)} is not a network such as 10.96.0.0/16"
        elif bits is not None and value.max_prefixlen - value.prefixlen > bits:
            yield f"{show(text)} is too large: the prefix must be at least /{value.max_prefixlen - bits}"
    if len(texts) > facts["most"]:
        yield f"must be at most {facts['most']} networks"
    elif len(texts) > 1 and len({value.version for value in networks if value is not None}) == 1:
        yield "two networks must be one of IPv4 and one of IPv6"


def _within(flag: FlagValue) -> Iterator[str]:
    other = flag.facts["of"]
    text = flag.value_of(other) or flag.facts["ofDefault"]
    bounds = _PORTS.fullmatch(text)
    port = _number(flag.last, "")
    if bounds is None or not port:
        return
    if not int(bounds[1]) <= port <= int(bounds[2]):
        yield f"{show(flag.last)}: must be 0, or within --{other}, {text}"


RELATION_RULES: Mapping[str, FlagRule] = {
    "needs-gate": _needs_gate,
    "needs-flag": _needs_flag,
    "pair": _needs_flag,
    "needs-env": _needs_environment,
    "range": _range,
    "not-empty": _not_empty,
    "excludes": _excludes,
    "pattern": _pattern,
    "positive": _positive,
    "previous-minor": _previous_minor,
    "metric-labels": _metric_labels,
    "metric-names": _metric_names,
    "contains": _contains,
    "needs-value": _needs_value,
    "value-needs": _value_needs,
    "unique": _unique,
    "greater-than": _greater_than,
    "less-than": _less_than,
    "at-least-times": _at_least_times,
    "at-most-part": _at_most_part,
    "whole-number-with": _whole_number_with,
    "disjoint-with": _disjoint_with,
    "cidrs": _cidrs,
    "within": _within,
}
"""The rules by the word that the data have for them."""
