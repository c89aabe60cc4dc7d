# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile inputs for the whole engine: texts and command lines, determined by their number.

Each kind is a function of a random source: alias bombs, deep nesting, large sizes, encodings, YAML edge cases, configs
of all kinds with wrong types or damage, and flags.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import (
    components_with_flags,
    flag_set,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import Kind, kinds
from support.configs.kubelet import KUBELET_HEADER

from .hostile import NASTY

__all__ = ["Hostile", "hostile_input"]

_MANY = 900_000  # bytes, just below the size limit of the reader
_PIECES = (
    *("a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", ",", '"', "'", "&x ", "*x", "<<: *x\n", "!!int ", "!!binary "),
    *("? ", "|\n", ">-\n", "#", "\t", "---\n", "...\n", "%YAML 1.1\n", "%TAG ! !x\n", "maxPods: ", "evictionHard: "),
    *("featureGates: ", "logging: ", "!!set {a, b}", "!!timestamp 2026-11-21", "=", "- - - ", "!<x> ", "&a &b ", "*a"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3.5, -0.0, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, "", "0s", "-1s", "1h"),
    *(
        [],
        {},
        [None],
        {"": ""},
        {"a": None},
        [[[]]],
        {"a": {"b": {"c": []}}},
        ["a", 1, None, {}],
        "none",
        "10%",
        "1e9Gi",
    ),
    *("../../etc/passwd", "/", "/" * 5000, "a=b,c=d", "9" * 500, "1" * 30 + "Ki", "-----BEGIN PRIVATE KEY-----\nAA\n"),
)


class Hostile(NamedTuple):
    """An input: its kind, layers of text, and a command line."""

    name: str
    layers: tuple[bytes, ...]
    component: str
    argv: tuple[str, ...]


def hostile_input(number: int) -> Hostile:
    """Return the input with this number."""
    chance = random.Random(number)
    way = _WAYS[number % len(_WAYS)]
    layers = [way(chance)]
    if chance.random() < 0.3:
        layers.append(chance.choice(_WAYS)(chance))
    component = chance.choice(components_with_flags())
    return Hostile(f"{number} {way.__name__.lstrip('_')}", tuple(layers), component, _argv(chance, component))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _bomb(chance: random.Random) -> bytes:
    """Return aliases of aliases, merges of merges, or many copies of a large scalar."""
    levels, width = chance.randint(2, 40), chance.randint(2, 12)
    kind = chance.randrange(4)
    if kind == 0:
        lines = ["l0: &l0 [x]"]
        lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, levels)]
    elif kind == 1:
        lines = ["l0: &l0 {k0: x}"]
        lines += [f"l{n}: &l{n} {{<<: [{', '.join([f'*l{n - 1}'] * width)}], k{n}: x}}" for n in range(1, levels)]
    elif kind == 2:
        lines = [
            f"big: &big {'x' * chance.randint(10, 200_000)}",
            f"all: [{', '.join(['*big'] * chance.randint(2, 9000))}]",
        ]
    else:
        lines = ["self: &self [*self]", "a: &a {b: *a, <<: *a}"]
    return _bytes(KUBELET_HEADER + "\n".join(lines) + "\n")


def _depth(chance: random.Random) -> bytes:
    """Return deeply nested brackets, braces, dashes or indentation, closed or not."""
    deep = chance.choice([30, 63, 64, 65, 100, 1_000, 20_000, 100_000])
    kind = chance.randrange(6)
    field = chance.choice(["evictionHard: ", "logging: ", "x: ", ""])
    if kind == 0:
        text = field + "[" * deep + "]" * chance.choice([0, deep])
    elif kind == 1:
        text = field + "{a: " * deep + "}" * chance.choice([0, deep])
    elif kind == 2:
        text = (field + "\n" if field else "") + "- " * deep + "x"
    elif kind == 3:
        deep = min(deep, 1_200)
        text = "".join(f"{' ' * n}a:\n" for n in range(deep))
    elif kind == 4:
        return _bytes('{"a":' * deep + "1" + "}" * chance.choice([0, deep]))
    else:
        return _bytes("[" * deep + "]" * chance.choice([0, deep]))
    return _bytes((KUBELET_HEADER if field else "") + text + "\n")


def _size(chance: random.Random) -> bytes:
    """Return keys, scalars, numbers, lists, comments or lines of the largest possible size."""
    size = chance.choice([1_000, 19_000, 100_000, _MANY, _MANY, 1_100_000])
    kind = chance.randrange(10)
    if kind == 0:
        text = f"{'k' * size}: 1"
    elif kind == 1:
        text = f"clusterDomain: {'v' * size}"
    elif kind == 2:
        text = f"maxPods: {'9' * size}"
    elif kind == 3:
        text = "\n".join(f"f{n}: 1" for n in range(size // 10))
    elif kind == 4:
        text = "clusterDNS: [" + "a," * (size // 2) + "]"
    elif kind == 5:
        text = "maxPods: 1\n" * (size // 12)
    elif kind == 6:
        text = "#" * size + "\n" * chance.choice([1, size // 10])
    elif kind == 7:
        text = "evictionHard: {" + ", ".join(f"s{n}: 1Ki" for n in range(size // 12)) + "}"
    elif kind == 8:
        text = "featureGates:\n" + "\n".join(f"  G{n}: true" for n in range(size // 12))
    else:
        text = f'"{chr(92)}u0041{"é" * (size // 3)}": |\n' + "  line\n" * (size // 14)
    return _bytes(KUBELET_HEADER + text + "\n")


def _encoding(chance: random.Random) -> bytes:
    """Return other encodings, misplaced byte order marks, control characters, surrogates or noise."""
    text = (
        KUBELET_HEADER + "clusterDomain: " + chance.choice(NASTY) + chance.choice("éß漢\U0001f600") + "\nmaxPods: 5\n"
    )
    kind = chance.randrange(8)
    if kind < 4:
        codec = ["utf-16", "utf-16-be", "utf-32", "utf-7"][kind]
        return text.encode(codec, "replace")
    if kind == 4:
        return text.encode("latin-1", "replace")
    if kind == 5:
        return b"\xef\xbb\xbf" * chance.randint(1, 3) + _bytes(text).replace(
            b"\n", chance.choice([b"\r", b"\0", b"\r\n"])
        )
    if kind == 6:
        raw = bytearray(_bytes(text))
        for _time in range(chance.randint(1, 9)):
            raw.insert(chance.randrange(len(raw)), chance.choice([0, 1, 7, 27, 127, 128, 0xC0, 0xED, 0xF8, 0xFE, 0xFF]))
        return bytes(raw)
    return chance.randbytes(chance.randint(0, 3_000))


def _oddity(chance: random.Random) -> bytes:
    """Return YAML's tokens in any order."""
    head = chance.choice([KUBELET_HEADER, KUBELET_HEADER, "", "---\n", '{"apiVersion": '])
    pieces = [
        chance.choice(_PIECES) if chance.random() < 0.8 else chance.choice(NASTY) for _n in range(chance.randint(1, 60))
    ]
    return _bytes(head + "".join(pieces))


def _wrong_types(chance: random.Random) -> bytes:
    """Return a config of any kind, with values that its fields cannot have."""
    kind = chance.choice(kinds())
    data = {**_head_of(kind), **_object(chance, kind.fields, 0)}
    return _bytes(_written(chance, data))


def _damaged(chance: random.Random) -> bytes:
    """Return a config of any kind, truncated, with flipped bits, duplicated pieces or noise."""
    raw = _wrong_types(chance)[:20_000]
    for _time in range(chance.randint(1, 4)):
        where = chance.randrange(len(raw) + 1)
        what = chance.randrange(5)
        if what == 0:
            raw = raw[:where]
        elif what == 1:
            raw = raw[:where] + _bytes(chance.choice(NASTY)) + raw[where:]
        elif what == 2:
            raw = raw[:where] + raw[where // 2 : where] * chance.randint(1, 3) + raw[where:]
        elif what == 3 and where < len(raw):
            raw = raw[:where] + bytes([raw[where] ^ (1 << chance.randrange(8))]) + raw[where + 1 :]
        else:
            raw = raw[:where] + chance.randbytes(chance.randint(1, 8)) + raw[where:]
    return raw


def _head_of(kind: Kind) -> dict[str, Any]:
    return {"apiVersion": kind.api_version, "kind": kind.kind}


def _written(chance: random.Random, data: Mapping[str, Any]) -> str:
    """Return data as JSON, or as YAML with one field per line."""
    if chance.random() < 0.3:
        return json.dumps(data)
    return "".join(f"{json.dumps(key)}: {json.dumps(value)}\n" for key, value in data.items())


def _object(chance: random.Random, fields: Mapping[str, Any], depth: int) -> dict[str, Any]:
    names = chance.sample(list(fields), min(len(fields), chance.randint(1, 12)))
    made = {name: _field(chance, fields[name], depth) for name in names}
    if chance.random() < 0.1:
        made[chance.choice(NASTY)] = chance.choice(_VALUES)
    return made


def _field(chance: random.Random, field: Mapping[str, Any], depth: int) -> Any:
    below = field.get("fields")
    if chance.random() < 0.35 or (not below and chance.random() < 0.5) or depth > 6:
        return chance.choice(_VALUES) if chance.random() < 0.7 else chance.choice(NASTY)
    if below:
        made = _object(chance, below, depth + 1)
        kind = str(field.get("type"))
        return [made] * chance.randint(0, 3) if kind.startswith("list") else {"a": made} if "map" in kind else made
    return chance.choice([*(field.get("enum") or ()), field.get("default"), "1s", "1Gi", 1, True])


def _argv(chance: random.Random, component: str) -> tuple[str, ...]:
    """Return a command line of the component's flags with invalid values, and of words that are not flags."""
    known = flag_set(component)
    names: Sequence[str] = sorted(known.flags) if known is not None else ["v"]
    words = [f"/usr/bin/{component}"]
    for _n in range(chance.randint(0, 25)):
        name = chance.choice(names) if chance.random() < 0.8 else chance.choice(NASTY)
        value = str(chance.choice(_VALUES)) if chance.random() < 0.6 else chance.choice(NASTY)
        form = chance.randrange(5)
        words += [[f"--{name}={value}"], [f"--{name}", value], [f"-{name}"], [value], [f"--{name}"]][form]
    if chance.random() < 0.02:
        words += [f"--{names[0]}={'x' * 500_000}", *["--v=2"] * 5_000]
    return tuple(words)


_WAYS: tuple[Callable[[random.Random], bytes], ...] = (
    *(_bomb, _depth, _size, _encoding, _oddity, _oddity, _wrong_types, _wrong_types, _damaged, _damaged),
)
