# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the values of flags about a node: its labels, taints, addresses, name and sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._scalars._syntax import is_dns_name, is_ip, is_label_key, is_label_value, parse_ip, split_url
from ..findings import show
from ._flag_value import FlagRule, FlagValue

_TAINTS = "register-with-taints"
_NAME = "at most 63 of A-Z, a-z, 0-9, - _ . with a letter or a digit at both ends"


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


NODE_RULES: Mapping[str, FlagRule] = {
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
}
"""The rules by the word that the data have for them."""
