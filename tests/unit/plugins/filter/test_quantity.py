# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter quantity: conversion to numbers and units, and back."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.filter.quantity import quantity
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import UNITS
from support.fuzz.settings import fuzz


@pytest.mark.parametrize(
    ("value", "to", "result"),
    [
        ("1.5Gi", None, 1610612736),
        ("500m", None, 0.5),
        ("10e3", None, 10000),
        (2, None, 2),
        (0.5, None, 0.5),
        ("1.5Gi", "Mi", "1536Mi"),
        ("1.5Gi", "Gi", "1.5Gi"),
        (1610612736, "Mi", "1536Mi"),
        (0.5, "m", "500m"),
        ("2", "m", "2000m"),
        ("-1.25Gi", "Gi", "-1.25Gi"),
        ("1G", "M", "1000M"),
    ],
)
def test_a_quantity_is_converted_to_a_number_and_to_units(value: Any, to: str | None, result: Any) -> None:
    converted = quantity(value, to)
    assert (converted, type(converted)) == (result, type(result))


@pytest.mark.parametrize(
    ("value", "to", "sentence"),
    [
        ("1.5 Gi", None, "quantity: not a quantity: '1.5 Gi' (write for example 500m, 2, 100Mi, 1.5Gi)"),
        ("", None, "not a quantity: ''"),
        (True, None, "quantity needs text or a number, not bool"),
        (["1Gi"], None, "quantity needs text or a number, not list"),
        ("1Gi", "GB", "not a unit of quantities: 'GB' (they are Ki, Mi, Gi"),
        ("1Gi", "", "not a unit of quantities: ''"),
        ("1000", "Gi", "1000 cannot be written in Gi exactly: take a smaller unit"),
        (float("nan"), None, "not a quantity: 'nan'"),
    ],
)
def test_an_invalid_quantity_or_unit_is_refused(value: Any, to: str | None, sentence: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        quantity(value, to)
    assert sentence in str(caught.value)


@fuzz(200)
@given(st.integers(-(10**6), 10**6), st.sampled_from(UNITS))
def test_a_unit_is_read_back(number: int, unit: str) -> None:
    assert quantity(f"{number}{unit}", unit) == f"{number}{unit}"
