# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Foreign JSON is a value within bounds, or an error in a short sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from ansible_collections.configok.node.plugins.module_utils._foreign import InvalidText
from ansible_collections.configok.node.plugins.module_utils._foreign._json import MAX_DEPTH, load_json
from support.fuzz.hostile import JSON_VALUES, json_texts, parse_twice
from support.fuzz.settings import fuzz


@pytest.mark.parametrize("text", ["Infinity", "-Infinity", "NaN", '{"sequence": Infinity}', "[1e400]", "-1e999"])
def test_a_number_is_finite(text: str) -> None:
    with pytest.raises(InvalidText, match="is not a finite number"):
        load_json(text)


@pytest.mark.parametrize("text", ["1" + "0" * 300, "-" + "9" * 21, "9" * 5000])
def test_a_whole_number_has_a_bounded_length(text: str) -> None:
    with pytest.raises(InvalidText, match=r"a number has \d+ digits, at most 20 are allowed"):
        load_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "[1," + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "]",
    ],
    ids=["lists", "objects", "never closed", "very deep", "second item"],
)
def test_it_is_not_nested_too_deeply(text: str) -> None:
    with pytest.raises(InvalidText, match=r"it is nested more than 100 levels deep|Expecting value"):
        load_json(text)


def test_values_at_the_bounds_are_accepted() -> None:
    assert load_json(str(10**19)) == 10**19
    assert load_json(str(-(2**63))) == -(2**63)
    assert load_json("1e308") == 1e308
    deepest = load_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert json.dumps(deepest) == "[" * MAX_DEPTH + "]" * MAX_DEPTH


@pytest.mark.parametrize("text", ["", "{", "nul", '"\x01"', b"\xff", "\ufeff1", b"\xef\xbb\xbf1", '{"a" 1}'])
def test_what_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidText):
        load_json(text)


def test_bytes_are_utf8() -> None:
    assert load_json('{"a": "ü"}'.encode()) == {"a": "ü"}


@fuzz(200)
@given(json_texts({"a": [1, 2.5, {"b": None}], "c": "text"}) | JSON_VALUES.map(json.dumps))
def test_whatever_it_is(text: str) -> None:
    def load(candidate: str) -> Any:
        return json.dumps(load_json(candidate), allow_nan=False)

    parse_twice(load, text, refused=InvalidText)
