# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hypothesis strategies for configs of every kind and version, made from the data on their fields."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import Kind, fact_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors

__all__ = ["broken_configs", "configs", "minors_of", "scheduler_configs"]

_LARGEST = {"int32": 31, "int64": 63, "int": 63}
_TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.text("abcABC019 _-./:*#'\"\\\n\t%&!|>{}[],?@`~=+", max_size=12),
    # Strings that YAML reads as something else without quotes.
    st.sampled_from(
        ["y", "no", "On", "null", "~", "1e3", "0x1f", "017", "1_000", ".inf", "2026-01-31", "12:30", "<<", "="]
    ),
)
_NAMES = st.text("abcxyzABC-_./0", min_size=1, max_size=8) | _TEXTS
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)
_DURATIONS = st.builds("{}{}".format, st.integers(0, 999), st.sampled_from(["h", "m", "s", "ms", "us", "ns"]))
_QUANTITIES = st.builds("{}{}".format, st.integers(0, 999), st.sampled_from(["", "m", "k", "Ki", "Mi", "Gi"]))

_SCALARS: Mapping[str, st.SearchStrategy[Any]] = {
    "string": _TEXTS,
    "enum": _TEXTS,
    "bool": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-1000, 1000),
    "duration": _DURATIONS | st.builds("{0[0]}{0[1]}".format, st.tuples(_DURATIONS, _DURATIONS)),
    "durationOrNanoseconds": _DURATIONS | st.integers(0, 10**12),
    "quantity": _QUANTITIES | st.integers(0, 10**6),
    "time": st.datetimes().map(lambda moment: moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")),
    "bytes": st.binary(max_size=12).map(lambda raw: base64.b64encode(raw).decode()),
    "intOrString": st.integers(-(2**31), 2**31 - 1) | _TEXTS,
    "objectMeta": st.fixed_dictionaries(
        {}, optional={"name": _TEXTS, "labels": st.dictionaries(_NAMES, _TEXTS, max_size=2)}
    ),
    "any": _ANYTHING,
    **{name: st.integers(-(2**bits), 2**bits - 1) | st.integers(-2, 2) for name, bits in _LARGEST.items()},
}


def minors_of(kind: Kind) -> list[int]:
    """Return the Kubernetes minors in the data that know a kind."""
    return [minor for minor in known_minors() if kind.known_at(minor)]


def configs(kind: Kind, minor: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw documents of a kind whose fields one minor knows, each of its type; rules between fields may be broken."""
    head = {"apiVersion": kind.api_version, "kind": kind.kind}
    return _objects(kind.fields, minor).map(lambda fields: {**head, **fields, **head})


@st.composite
def broken_configs(draw: st.DrawFn, kind: Kind, minor: int) -> dict[str, Any]:
    """Draw such a document with one value of any type, or with an unknown field."""
    config = draw(configs(kind, minor))
    place: Any = config
    while True:
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        keys = [key for key in keys if place is not config or key not in config.keys() & {"apiVersion", "kind"}]
        if not keys:
            place = config
            keys = ["unknown"]
        key = draw(st.sampled_from(keys))
        below = place.get(key) if isinstance(place, dict) else place[key]
        if not isinstance(below, (dict, list)) or not below or draw(st.booleans()):
            place[key] = draw(_ANYTHING)
            return config
        place = below


@st.composite
def _objects(draw: st.DrawFn, fields: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """Draw a few fields of an object, in any order."""
    known = [name for name, field in fields.items() if field.get("since", 0) <= minor <= field.get("last", minor)]
    if not known:
        return {}
    names = draw(st.lists(st.sampled_from(known), unique=True, max_size=5))
    return {name: draw(_values(str(fact_at(fields[name], "type", minor)), fields[name], minor)) for name in names}


def _values(kind: str, field: Mapping[str, Any], minor: int) -> st.SearchStrategy[Any]:
    if kind.startswith("list<"):
        return st.lists(_values(kind[5:-1], field, minor), max_size=3)
    if kind.startswith("map<"):
        return st.dictionaries(_NAMES, _values(kind[4:-1], field, minor), max_size=3)
    if kind == "object":
        return _objects(field.get("fields", {}), minor)
    allowed = [value for value in fact_at(field, "enum", minor) or () if value]
    return st.sampled_from(allowed) if allowed else _SCALARS[kind]


_PLUGINS = (
    *("NodeAffinity", "TaintToleration", "InterPodAffinity", "NodeResourcesFit", "PodTopologySpread", "Own"),
    *("NodeResourcesBalancedAllocation", "NodeName", "VolumeBinding", "DefaultPreemption"),
)
_PLUGINS_OF_OLD = {
    "v1beta1": (
        *("NodeLabel", "ServiceAffinity", "NodePreferAvoidPods", "SelectorSpread"),
        *("NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"),
    ),
    "v1beta2": ("SelectorSpread",),
}


@st.composite
def scheduler_configs(draw: st.DrawFn, kind: Kind, arguments: Mapping[str, Kind], minor: int) -> dict[str, Any]:
    """Draw a kube-scheduler's config whose profiles name its own plugins, each once, with arguments of their kinds."""
    version = kind.api_version.rsplit("/", 1)[-1]
    names = (*_PLUGINS, *_PLUGINS_OF_OLD.get(version, ()))
    name_lists = st.lists(st.sampled_from(names), unique=True, max_size=4)

    def point() -> dict[str, Any]:
        enabled = [
            {"name": name, **({"weight": draw(st.integers(1, 9))} if draw(st.booleans()) else {})}
            for name in draw(name_lists)
        ]
        disabled = [{"name": name} for name in draw(name_lists | st.just(["*"]))]
        return {"enabled": enabled, "disabled": disabled}

    profiles = []
    for number in range(draw(st.integers(0, 2))):
        config = []
        for name in draw(name_lists):
            if name in arguments:
                config.append({"name": name, "args": draw(configs(arguments[name], minor))})
        profiles.append(
            {
                "schedulerName": f"s{number}",
                "plugins": {
                    extension_point: point()
                    for extension_point in draw(st.sets(st.sampled_from(["score", "filter", "preScore"])))
                },
                "pluginConfig": config,
            }
        )
    return {**draw(configs(kind, minor)), "profiles": profiles}
