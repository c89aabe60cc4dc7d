# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unquoted YAML scalars have the same meaning here as in Kubernetes."""

from __future__ import annotations

import math

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec._builder import key_text
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import (
    Scalar,
    resolve_scalar,
)


@pytest.mark.parametrize("text", ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"])
def test_words_that_are_true_are_read(text: str) -> None:
    assert resolve_scalar(text) is True


@pytest.mark.parametrize("text", ["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"])
def test_words_that_are_false_are_read(text: str) -> None:
    assert resolve_scalar(text) is False


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_the_words_for_null_are_read(text: str) -> None:
    assert resolve_scalar(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("017", 15),
        ("-017", -15),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("1_000", 1000),
        ("18446744073709551615", 2**64 - 1),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("08", 8.0),
        ("18446744073709551616", 2.0**64),
    ],
)
def test_numbers_are_read_with_their_type(text: str, value: float) -> None:
    result = resolve_scalar(text)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "1:30",
        "190:20:30",
        "2026-01-31",
        "2026-01-31T12:00:00Z",
        "1.2.3",
        "0xZZ",
        "10.0.0.1",
        "-",
        "+",
        ".",
        "1e",
        "tRUE",
        "nuLL",
    ],
)
def test_what_stays_a_string(text: str) -> None:
    assert resolve_scalar(text) == text


def test_a_number_beyond_all_floats_stays_a_string() -> None:
    assert resolve_scalar("9" * 5000) == "9" * 5000


def test_infinity_and_not_a_number_are_read() -> None:
    assert resolve_scalar("-.inf") == -math.inf
    assert math.isnan(float(resolve_scalar(".nan") or 0))


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (5, "5"), (5.0, "5"), (1.5, "1.5"), ("x", "x")]
)
def test_keys_are_written_as_text(value: Scalar, text: str) -> None:
    assert key_text(value) == text
