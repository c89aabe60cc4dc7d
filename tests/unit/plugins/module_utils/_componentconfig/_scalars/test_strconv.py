# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and booleans are read as Go's strconv reads them."""

from __future__ import annotations

import math

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._exceptions import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._strconv import (
    parse_bool,
    parse_float,
)


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
def test_numbers(text: str, number: float) -> None:
    assert parse_float(text) == number


def test_not_a_number_written_out() -> None:
    assert math.isnan(parse_float("NaN"))


@pytest.mark.parametrize(
    "text",
    ["", "ten", "1_", "_1", "1__0", "1._5", "0x1", "1e", "1 ", " 1", "1e39", "-1e400", "+nan", "\u0665", "1" * 300],
)
def test_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a number"):
        parse_float(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("T", True), ("True", True), ("0", False), ("f", False), ("FALSE", False)]
)
def test_booleans(text: str, value: bool) -> None:
    assert parse_bool(text) is value


@pytest.mark.parametrize("text", ["", "yes", "tRUE", "2", " true"])
def test_refused_booleans(text: str) -> None:
    assert parse_bool(text) is None
