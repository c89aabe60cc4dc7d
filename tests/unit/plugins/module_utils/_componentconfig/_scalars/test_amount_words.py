# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amounts and durations in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._amount_words import (
    amount_words,
    duration_words,
)


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (1, "1"),
        (500, "500"),
        (999_999, "999999"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(3, 2), "1.5"),
        (Fraction(1, 10**8), "0.00000001"),
        (Fraction(1, 10**20), "less than 0.000000001"),
        (10**8, "100 million"),
        (2**30, "1.074 billion"),
        (10**13, "10 trillion"),
        (10**18, "1000 quadrillion"),
        (Fraction(10) ** 9999, "more than 1000 quadrillion"),
    ],
)
def test_an_amount_is_written_in_words(amount: Fraction, words: str) -> None:
    assert amount_words(amount) == words


@pytest.mark.parametrize(
    ("nanoseconds", "words"),
    [
        (1, "1 nanosecond"),
        (5, "5 nanoseconds"),
        (1500, "1.5 microseconds"),
        (2 * 10**6, "2 milliseconds"),
        (60 * 10**9, "1 minute"),
        (10**6 * 3600 * 10**9, "114.2 years"),
    ],
)
def test_a_duration_is_written_in_its_largest_unit(nanoseconds: int, words: str) -> None:
    assert duration_words(nanoseconds) == words
