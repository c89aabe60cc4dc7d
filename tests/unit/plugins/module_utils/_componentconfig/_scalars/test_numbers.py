# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities and CPU lists as Kubernetes reads them, floats and booleans as Go's strconv does."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._rule import whole_amount
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import (
    parse_bool,
    parse_cpu_list,
    parse_float,
    parse_quantity,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("500m", Fraction(1, 2)),
        ("100Mi", 100 * 2**20),
        ("1.5Gi", 3 * 2**29),
        ("10k", 10_000),
        ("1E", 10**18),
        ("1Ei", 2**60),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e-3", Fraction(1, 1000)),
        ("-1Ki", -1024),
        ("+1", 1),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("Mi", 0),
        ("0Ei", 0),
        ("-", 0),
        (".k", 0),
        ("E7", 0),
        ("1n", Fraction(1, 10**9)),
        (2, 2),
        (0.5, Fraction(1, 2)),
    ],
)
def test_a_quantity_is_parsed(text: str | int | float, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mi Mi",
        "Pi",
        "-.Ei",
        "1MB",
        "1 Mi",
        "1mi",
        "1K",
        "0x1",
        "1,5",
        "--1",
        "1e",
        "ten",
        "1e99999",
        "9" * 300,
        True,
    ],
)
def test_text_that_is_not_a_quantity_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a quantity"):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-3,8\n", {0, 1, 2, 3, 8}),
        ("2", {2}),
        ("0, 2-3", {0, 2, 3}),
        ("3-1", set()),
        ("", set()),
        (None, set()),
        ("x,1-,²,-1,1-2-3", set()),
        ("0-2,1-4,7,2-3", {0, 1, 2, 3, 4, 7}),
        ("0-99999," * 20_000, set(range(100_000))),
        ("9" * 5000 + ",1", {1}),
    ],
)
def test_cpu_lists(text: Any, cpus: set[int]) -> None:
    assert parse_cpu_list(text) == cpus


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5.0),
        ("+5.", 5.0),
        ("-.5", -0.5),
        ("1e1", 10.0),
        ("1_0", 10.0),
        ("0x1p1", 2.0),
        ("0x_1.8p0", 1.5),
        ("3.4028235e38", 3.4028235e38),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
    ],
)
def test_a_float_is_parsed(text: str, number: float) -> None:
    assert parse_float(text) == number


def test_not_a_number_is_parsed() -> None:
    assert math.isnan(parse_float("NaN"))


@pytest.mark.parametrize(
    "text",
    ["", "ten", "1_", "_1", "1__0", "1._5", "0x1", "1e", "1 ", " 1", "1e39", "-1e400", "+nan", "\u0665", "1" * 300],
)
def test_text_that_is_not_a_float_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a number"):
        parse_float(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("T", True), ("True", True), ("0", False), ("f", False), ("FALSE", False)]
)
def test_a_boolean_is_parsed(text: str, value: bool) -> None:
    assert parse_bool(text) is value


@pytest.mark.parametrize("text", ["", "yes", "tRUE", "2", " true"])
def test_text_that_is_not_a_boolean_is_refused(text: str) -> None:
    assert parse_bool(text) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        ("0.5", 1),
        ("1Mi", 2**20),
        ("100m", 1),
        ("-1", -1),
        ("1e100", 0),
        ("10E", 0),
        ("9E", 9 * 10**18),
        ("9Ei", 2**63 - 1),
        ("10000000000000000000", 2**63 - 1),
    ],
)
def test_the_whole_amount_of_a_quantity_is_rounded_up(value: str | int, expected: int) -> None:
    assert whole_amount(value) == expected
