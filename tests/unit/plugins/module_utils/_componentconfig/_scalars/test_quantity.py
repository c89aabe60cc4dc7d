# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._exceptions import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._numbers import parse_quantity


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
def test_quantities(text: str | int | float, value: Fraction) -> None:
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
def test_what_is_none(text: str) -> None:
    with pytest.raises(ConfigError, match="not a quantity"):
        parse_quantity(text)
