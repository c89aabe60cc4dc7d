# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the values of flags against ranges and against other flags, by the rules of schema/*_flag_rules.json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from .._scalars._syntax import is_ip, network
from .._scalars.duration import parse_duration
from .._scalars.numbers import parse_bool, parse_float
from .._schema._feature_gates import FeatureGates
from ..findings import show

_PORT = re.compile(r"[0-9]{1,6}")
_PORTS = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_SECONDS = "s"
"""The unit of a bound of durations; numbers have none."""


class FlagValue(NamedTuple):
    """The values of all uses of a flag, in their order, with what a rule needs around it.

    uses: the values of all flags of the command line. facts: the row of the rule.
    """

    name: str
    values: Sequence[str]
    uses: Mapping[str, Sequence[str]]
    gates: FeatureGates
    facts: Mapping[str, Any]

    @property
    def last(self) -> str:
        """The value of the last use."""
        return self.values[-1]

    def value_of(self, flag: str) -> str:
        """Return the last value of another flag, "" without it."""
        return (self.uses.get(flag) or ("",))[-1]

    def items_of(self, flag: str) -> list[str]:
        """Return the items of a flag that is a list, of all its uses."""
        return [part.strip() for value in self.uses.get(flag, ()) for part in value.split(",") if part.strip()]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The keys and values of a map, as they are written: a key without a value has an empty one."""
        parts = [part.partition("=") for value in self.values for part in value.split(",") if part]
        return [(key.strip(), value.strip()) for key, _equals, value in parts]

    @property
    def addresses(self) -> list[str]:
        """The IP addresses of a list; the kubelet leaves out anything else."""
        return [part.strip() for part in self.last.split(",") if is_ip(part.strip())]


def _number(text: str, unit: str) -> float | None:
    """Return a number, or a duration in seconds; None for a text that is neither, which has a finding of its type."""
    try:
        return parse_duration(text) if unit == _SECONDS else parse_float(text)
    except ValueError:
        return None


def _range(flag: FlagValue) -> Iterator[str]:
    facts = flag.facts
    unit = facts.get("unit", "")
    number = _number(flag.last, unit)
    if number is None or ("of" in facts and not flag.value_of(facts["of"])) or (facts.get("zero") and not number):
        return
    least, most = facts["range"]
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}{unit}" if most is None else f"between {least}{unit} and {most}{unit}"
        yield f"{show(flag.last)}: must be {bounds}"


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
    if bounds is None or not _PORT.fullmatch(flag.last):
        return
    if int(flag.last) and not int(bounds[1]) <= int(flag.last) <= int(bounds[2]):
        yield f"{show(flag.last)}: must be 0, or within --{other}, {text}"


RELATIONS: Mapping[str, Callable[[FlagValue], Iterator[str]]] = {
    "range": _range,
    "excludes": _excludes,
    "needs-value": _needs_value,
    "value-needs": _value_needs,
    "unique": _unique,
    "greater-than": _greater_than,
    "less-than": _less_than,
    "disjoint-with": _disjoint_with,
    "cidrs": _cidrs,
    "within": _within,
}
"""The function of each word of such a rule; it yields what is wrong with the values of a flag."""
