# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile input, and the duty of every parser for any input: a value or its own error, soon, and the same twice."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

__all__ = [
    "FORGED",
    "JSON_VALUES",
    "TEXTS",
    "Outcome",
    "damaged",
    "json_texts",
    "lines_of",
    "mutated",
    "parse_twice",
    "unsafe_texts",
]

LONGEST = 5.0  # seconds of processor time for an input of a few kB (PyYAML takes one for 1,200 open brackets)

NASTY = (
    *("", " ", "\n", "\0", "-", "--", "=", "%", "%%", "$", "${", "\\", '"', "'", "#", ":", "/", "..", "../../etc"),
    *("null", "~", "true", "no", "0", "-0", "-1", "1.5", "1e9", "1e400", "-1e400", "NaN", "Infinity", "-Infinity"),
    *("0x", "0b1", "1_000", "9" * 400, "9" * 4400, "1" + "0" * 30, "\u0663\u0663", "\u00b2", "1\u00a0000"),
    *("{", "}", "[", "]", "{}", "[]", "[[]]", '{"a":1,"a":2}', "[" * 1200, '{"a":' * 1200),
    *("a: &x [*x]", "<<: *x", "!!python/object:a.b", "a=b,c", "a=b=c", ",", ",,", "1-", "3-1", "0-99999999"),
    *("\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\u2028", "\x1b[2J", "e\u0301", "\U0010ffff", "\x85", "a\tb"),
    *("\\x4", "\\u00", "\\UFFFFFFFF", "\\U00110000", "\\400", "100%", "101%"),
    *("1h", "1h1", "720h1ms", "9999999999h", "-1s", "1Ki", "1e9999"),
    *("2026-11-21T00:00:00Z", "0000-00-00T00:00:00Z", "Mon, 99 Foo 2026 25:61:61 GMT"),
)

# Forges lines on a terminal that does not sanitize it: by line ends, ANSI sequences (also in C1), bidirectional marks,
# and zero-width characters.
FORGED = "\x1b[2K\r\nwave 1 passed\x1b]0;title\x07\x9b1A\x85\u2028\u202egnp.exe\u2066\u200b\ufeff\x7f\0\x08"

TEXTS = st.sampled_from(NASTY) | st.text(max_size=12) | st.lists(st.sampled_from(NASTY), max_size=4).map("".join)

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.sampled_from([2**31, 2**53, -(2**63), 2**64, 10**400, -(10**400), 1e308, -0.0])
    | st.floats()
    | TEXTS
)

JSON_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@st.composite
def mutated(draw: st.DrawFn, example: Any) -> Any:
    """Return valid data in which one to three places are replaced, removed, duplicated or added."""
    value = copy.deepcopy(example)
    for _change in range(draw(st.integers(1, 3))):
        value = _mutate(draw, value)
    return value


def _mutate(draw: st.DrawFn, value: Any) -> Any:
    if not isinstance(value, (dict, list)) or not value or draw(st.integers(0, 5)) == 0:
        return draw(JSON_VALUES)
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = draw(st.sampled_from(places))
    what = draw(st.sampled_from(["below", "below", "below", "gone", "new", "twice"]))
    if what == "below":
        value[place] = _mutate(draw, value[place])
    elif what == "gone":
        del value[place]
    elif isinstance(value, list):
        value.insert(place, draw(JSON_VALUES) if what == "new" else copy.deepcopy(value[place]))
    else:
        value[draw(TEXTS)] = draw(JSON_VALUES) if what == "new" else copy.deepcopy(value[place])
    return value


def json_texts(example: Any) -> st.SearchStrategy[str]:
    """Return texts that are JSON like the example, or nearly."""
    return (
        mutated(example).map(json.dumps)
        | JSON_VALUES.map(json.dumps)
        | TEXTS
        | damaged(json.dumps(example).encode()).map(lambda data: data.decode("utf-8", "surrogateescape"))
    )


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Return the bytes truncated, with flipped bits, duplicated pieces or noise; or other bytes."""
    for _change in range(draw(st.integers(1, 3))):
        where = draw(st.integers(0, len(data)))
        what = draw(st.sampled_from(["torn", "noise", "flipped", "twice", "zeros", "other"]))
        if what == "torn":
            data = data[:where]
        elif what == "noise":
            data = data[:where] + draw(st.binary(max_size=6)) + data[where:]
        elif what == "flipped" and where < len(data):
            data = data[:where] + bytes([data[where] ^ (1 << draw(st.integers(0, 7)))]) + data[where + 1 :]
        elif what == "twice":
            data = data[:where] + data[where // 2 : where] * draw(st.integers(1, 3)) + data[where:]
        elif what == "zeros":
            data = data[:where] + bytes(len(data) - where)
        elif what == "other":
            data = draw(st.binary(max_size=40) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
    return data


def lines_of(pieces: Sequence[str], *, most: int = 12) -> st.SearchStrategy[str]:
    """Return texts of a format's tokens, in any order, with hostile ones between them."""
    return st.lists(st.sampled_from(pieces) | TEXTS, max_size=most).map("".join)


def unsafe_texts(value: Any) -> list[str]:
    """Return the texts in JSON-able data that contain a character which must not reach a screen."""
    if isinstance(value, str):
        return [] if value.replace("\n", "").replace("\t", "").isprintable() else [value]
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [text for part in value for text in unsafe_texts(part)] if isinstance(value, (list, tuple)) else []


class Outcome(NamedTuple):
    """The result of parsing an input: the value, or the parser's own error."""

    value: Any = None
    error: Exception | None = None


def parse_twice(parse: Callable[..., Any], *arguments: Any, refused: type[Exception] | tuple[()] = ()) -> Outcome:
    """Parse an input twice, and check the parser's duty.

    refused: its own error, or () if it accepts everything. Any other exception is a failure, as are an error without
    a message, a different outcome the second time, and more time than LONGEST.
    """
    first, second = (_parse(parse, copy.deepcopy(arguments), refused) for _time in range(2))
    assert repr(first) == repr(second), f"{first!r}, and then {second!r}"
    return first


def _parse(parse: Callable[..., Any], arguments: tuple[Any, ...], refused: type[Exception] | tuple[()]) -> Outcome:
    begun = time.thread_time()
    try:
        outcome = Outcome(parse(*arguments))
    except refused as error:
        outcome = Outcome(error=error)
    assert outcome.error is None or str(outcome.error).strip(), "refused without a word"
    assert time.thread_time() - begun < LONGEST, "it takes too long"
    return outcome
