# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the values of flags, by themselves and against other flags, by the rules of schema/*_flag_rules.json."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Callable, NamedTuple, cast

from .. import ConfigError
from .._scalars._syntax import is_dns_name, is_ip, is_label_key, is_label_value, network, parse_ip, split_url
from .._scalars.duration import parse_duration
from .._scalars.numbers import parse_bool, parse_float
from .._schema._feature_gates import FeatureGates
from .._schema.kinds import is_present_at
from .._schema.releases import minor_name
from ..findings import Level, show
from ._pflag import parse_flag_value

_TAINTS = "register-with-taints"
_NAME = "at most 63 of A-Z, a-z, 0-9, - _ . with a letter or a digit at both ends"
_PORTS = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_METRIC = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_METRIC_LABEL = re.compile(rf"{_METRIC.pattern},[A-Za-z_][A-Za-z0-9_]*")
_SECONDS = "s"
"""The unit of a bound of durations; numbers have none."""

_CONSEQUENCES: Mapping[str, tuple[Level, str]] = {
    "exit": (Level.COMPONENT, ""),
    "registrationRefusedByAPI": (Level.POLICY, "the API server refuses the Node, which never registers"),
    "nodeStatusUpdateFails": (Level.POLICY, "the kubelet cannot report the status of its Node"),
    "silentlyDropped": (Level.POLICY, "the kubelet drops it silently"),
    "ignoredWithLog": (Level.POLICY, "the kubelet ignores it and only logs this"),
    "exitWithoutVariable": (Level.WARNING, "the kubelet exits without it, and flags do not show it"),
    "lastWins": (Level.WARNING, "the last value wins"),
}
"""What follows from a value that a rule refuses: how serious it is, and words for it."""


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


@lru_cache(maxsize=1)
def _rule_data() -> dict[str, Any]:
    from .._data._flag_rules import RULES as DATA

    return cast("dict[str, Any]", json.loads(DATA))


def refused_values(
    component: str,
    flag: str,
    uses: Mapping[str, Sequence[str]],
    minor: int,
    gates: FeatureGates,
    *,
    knows_file: bool = True,
    unknown: Container[str] = (),
) -> Iterator[tuple[str, str, Level]]:
    """Yield for each rule that the values of a flag break: its word, what is wrong and what follows, and the level.

    uses: the values of all uses of each flag of the command line, this one among them. knows_file: whether `gates` has
    the feature gates of the component's file; if not, what only a gate decides is a warning. unknown: flags whose
    values are not known, so that others are not compared with them.
    """
    for facts in _rule_data().get(component, {}).get(flag, ()):
        if not is_present_at(facts, minor) or any(name in unknown for name in _others(facts)):
            continue
        level, consequence = _CONSEQUENCES[facts.get("otherwise", "exit")]
        if not knows_file and _is_decided_by_gate(FlagValue(flag, uses[flag], uses, gates, facts)):
            level = Level.WARNING
        for message in RULES[facts["rule"]](FlagValue(flag, uses[flag], uses, gates, facts)):
            yield facts["rule"], f"{message}: {consequence}" if consequence else message, level


def flags_compared_with(component: str, flag: str, minor: int) -> frozenset[str]:
    """Return the other flags whose values decide whether a value of a flag is refused at a minor."""
    rows = [facts for facts in _rule_data().get(component, {}).get(flag, ()) if is_present_at(facts, minor)]
    return frozenset(name for facts in rows for name in _others(facts) if name)


def rules_about(component: str, flag: str) -> list[str]:
    """Return the words of the rules about a flag's values, each once."""
    return list(dict.fromkeys(str(facts["rule"]) for facts in _rule_data().get(component, {}).get(flag, ())))


def _others(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return facts.get("of", ""), facts.get("unless", ""), *facts.get("needs", ())


def _is_decided_by_gate(flag: FlagValue) -> bool:
    """Return whether a rule takes the value if a feature gate has its other state, which a file may set."""
    names = [name for name in (flag.facts.get("gate"), *flag.facts.get("gatedValues", {}).values()) if name]
    if not names:
        return False
    others = FeatureGates(flag.gates.minor, {name: not flag.gates.is_on(name) for name in names})
    return not any(RULES[flag.facts["rule"]](flag._replace(gates=others)))


def _namespace(key: str) -> str:
    prefix, slash, _name = key.partition("/")
    return prefix if slash else ""


def _is_below(namespace: str, parents: Sequence[str]) -> bool:
    return any(namespace == parent or namespace.endswith(f".{parent}") for parent in parents)


def _label_namespaces(flag: FlagValue) -> Iterator[str]:
    facts = flag.facts
    for key in dict.fromkeys(key for key, _value in flag.pairs):
        namespace = _namespace(key)
        is_allowed = key in facts["allowedKeys"] or _is_below(namespace, facts["allowedNamespaceSuffixes"])
        if _is_below(namespace, facts["reservedSuffixes"]) and not is_allowed:
            yield (
                f"the kubelet may not set the label {show(key)}: of {' and '.join(facts['reservedSuffixes'])} it sets "
                f"those below {' and '.join(facts['allowedNamespaceSuffixes'])} and well-known ones such as "
                f"{facts['allowedKeys'][1]}; set others with kubectl label"
            )


def _keys(flag: FlagValue) -> Iterator[str]:
    taints = [key for _text, key, _value, _effect in _taint_parts(flag)] if flag.name == _TAINTS else None
    for key in taints if taints is not None else [key for key, _value in flag.pairs]:
        if not is_label_key(key):
            yield f"{show(key)} is not a key: write {_NAME}, after a DNS name and / if any"


def _label_values(flag: FlagValue) -> Iterator[str]:
    for key, value in flag.pairs:
        if not is_label_value(value):
            yield f"the value of the label {show(key)} must be {_NAME}"


def _labels(flag: FlagValue) -> Iterator[str]:
    yield from _keys(flag)
    yield from _label_values(flag)


def _repeated_keys(flag: FlagValue) -> Iterator[str]:
    values: dict[str, str] = {}
    for key, value in flag.pairs:
        if values.setdefault(key, value) != value:
            yield f"{show(key)} has several values"


def _value(flag: FlagValue) -> Iterator[str]:
    facts, value = flag.facts, flag.last
    gate, built_in = facts.get("gate", ""), facts.get("deprecatedValues", ())
    values = facts["values"]
    if gate and flag.gates.is_on(gate):
        values = [allowed for allowed in values if allowed not in built_in]
    if value in values:
        return
    allowed = f"must be {' or '.join(filter(None, values))}"
    if "external" in values:
        reason = f"the gate {gate} is on" if value in built_in else "it has no such cloud provider built in"
        allowed = f"{reason}: write external, and run the provider's own cloud-controller-manager"
    yield f"{show(value)}: {allowed}"


def _count(flag: FlagValue) -> Iterator[str]:
    if len(flag.addresses) > max(flag.facts["values"]):
        yield "must be one address, or an IPv4 and an IPv6 one with a comma between"


def _families(flag: FlagValue) -> Iterator[str]:
    versions = [parse_ip(address).version for address in flag.addresses]
    if len(versions) == 2 and versions[0] == versions[1]:
        yield f"two addresses must be one of IPv4 and one of IPv6: both are of IPv{versions[0]}"


def _two_need_gate(flag: FlagValue) -> Iterator[str]:
    gate = flag.facts["gate"]
    if len(flag.addresses) == 2 and not flag.gates.is_on(gate):
        yield f"two addresses need the feature gate {gate}"


def _two_with_cloud_provider(flag: FlagValue) -> Iterator[str]:
    other = flag.facts["of"]
    value, gate = flag.value_of(other), ""
    if len(flag.addresses) != 2 or value in flag.facts["values"]:
        return
    gate = flag.facts.get("gatedValues", {}).get(value, "")
    if not gate:
        yield f"must be one address with --{other}={value}"
    elif not flag.gates.is_on(gate):
        yield f"two addresses with --{other}={value} need the feature gate {gate}"


def _two_unspecified(flag: FlagValue) -> Iterator[str]:
    if len(flag.addresses) == 2 and any(parse_ip(address).is_unspecified for address in flag.addresses):
        yield f"neither of two addresses may be {' or '.join(flag.facts['refused'])}"


def _unparsable(flag: FlagValue) -> Iterator[str]:
    for part in flag.last.split(","):
        if part.strip() and not is_ip(part.strip()):
            yield f"{show(part.strip())} is not an IP address"


_ADDRESS_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "loopback": lambda address: address.is_loopback,
    "multicast": lambda address: address.is_multicast,
    "linkLocalUnicast": lambda address: address.is_link_local,
}


def _address_kinds(flag: FlagValue) -> Iterator[str]:
    if flag.value_of(flag.facts["of"]) not in flag.facts["values"]:
        return
    for address in flag.addresses:
        if any(_ADDRESS_KINDS[kind](parse_ip(address)) for kind in flag.facts["refused"]):
            yield f"{address} must be an address of this node that others reach, not loopback, multicast or link-local"


def _taint_parts(flag: FlagValue) -> Iterator[tuple[str, str, str, str]]:
    """Yield each taint as it is written with its key, value and effect, without the dash of a taint to remove."""
    for text in filter(None, flag.last.split(",")):
        taint = text[:-1] if text.endswith("-") and flag.facts.get("removals", True) else text
        pair, _colon, effect = taint.partition(":")
        key, _equals, value = pair.partition("=")
        yield text, key, value, effect


def _taint_grammar(flag: FlagValue) -> Iterator[str]:
    effects = flag.facts["effects"]
    for _text, key, value, effect in _taint_parts(flag):
        if effect and effect not in effects:
            yield f"the effect of the taint {show(key)} must be one of {', '.join(effects)}"
        if not is_label_value(value):
            yield f"the value of the taint {show(key)} must be {_NAME}"


def _taint_effects(flag: FlagValue) -> Iterator[str]:
    for text, key, _value, effect in _taint_parts(flag):
        if not effect and not text.endswith("-"):
            yield f"the taint {show(key)} must have an effect, as in key=value:NoSchedule"


def _taints_twice(flag: FlagValue) -> Iterator[str]:
    seen = set()
    for text, key, _value, effect in _taint_parts(flag):
        if text.endswith("-"):
            continue
        if (key, effect) in seen:
            yield f"the taint {show(key)} must not have the effect {effect} twice"
        seen.add((key, effect))


def _taint_removals(flag: FlagValue) -> Iterator[str]:
    for text, _key, _value, _effect in _taint_parts(flag):
        if text.endswith("-"):
            yield f"{show(text)} ends in a dash, with which kubectl removes a taint: write it without the dash"


def _empty_name(flag: FlagValue) -> Iterator[str]:
    if flag.last and not flag.last.strip():
        yield "must not be empty"


def _node_name(flag: FlagValue) -> Iterator[str]:
    name = flag.last.strip().lower()
    if name and not is_dns_name(name):
        yield f"{show(flag.last)}: must be a DNS name of at most 253 of a-z, 0-9, - and ."


def _url(flag: FlagValue) -> Iterator[str]:
    url = split_url(flag.last)
    if url is None or url.scheme not in flag.facts["schemes"]:
        schemes = " or ".join(filter(None, flag.facts["schemes"]))
        yield f"{show(flag.last)}: must be a path, or a URL with the scheme {schemes}"


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
    if number is None or ("of" in facts and not flag.value_of(facts["of"])) or (facts.get("zero") and not number):
        return
    least, most = facts["range"]
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}{unit}" if most is None else f"between {least}{unit} and {most}{unit}"
        yield f"{show(flag.last)}: must be {bounds}"


def _positive(flag: FlagValue) -> Iterator[str]:
    number = _number(flag.last, _SECONDS)
    if number is not None and number <= 0:
        yield f"{show(flag.last)}: must be greater than 0"


def _previous_minor(flag: FlagValue) -> Iterator[str]:
    previous = minor_name(flag.gates.minor - 1)
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
    for item in flag.items_of(flag.name):
        if not re.fullmatch(flag.facts["pattern"], item):
            yield f"{show(item)}: {flag.facts['allowed']}"


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
    port = _number(flag.last, "")
    if bounds is None or not port:
        return
    if not int(bounds[1]) <= port <= int(bounds[2]):
        yield f"{show(flag.last)}: must be 0, or within --{other}, {text}"


RULES: Mapping[str, Callable[[FlagValue], Iterator[str]]] = {
    "key-namespace-allowed": _label_namespaces,
    "key-is-qualified-name": _keys,
    "value-is-label-value": _label_values,
    "bad-key-or-value": _labels,
    "pairs-split-by": _repeated_keys,
    "value": _value,
    "count": _count,
    "two-are-of-different-families": _families,
    "two-need-gate": _two_need_gate,
    "two-not-with-cloud-provider": _two_with_cloud_provider,
    "two-not-unspecified": _two_unspecified,
    "unparsable": _unparsable,
    "not-of": _address_kinds,
    "grammar": _taint_grammar,
    "effect-required": _taint_effects,
    "unique-key-and-effect": _taints_twice,
    "trailing-dash": _taint_removals,
    "normalised": _empty_name,
    "node-name-is-dns1123-subdomain": _node_name,
    "url": _url,
    "needs-gate": _needs_gate,
    "needs-flag": _needs_flag,
    "pair": _needs_flag,
    "needs-env": _needs_environment,
    "range": _range,
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
    "disjoint-with": _disjoint_with,
    "cidrs": _cidrs,
    "within": _within,
}
"""The function of each word of a rule; it yields what is wrong with the values of a flag."""
