# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of DER: what it reads, what it refuses, and that nothing else ever leaves it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._cluster._der import (
    INTEGER,
    SEQUENCE,
    DerError,
    Element,
    content,
    elements,
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", []),
        ("0500", [(0x05, b"")]),
        ("020100 0401ff", [(0x02, b"\0"), (0x04, b"\xff")]),
        ("308180" + "00" * 128, [(0x30, bytes(128))]),
        ("04820100" + "00" * 256, [(0x04, bytes(256))]),
    ],
)
def test_elements_are_read_in_their_order(data: str, expected: list[tuple[int, bytes]]) -> None:
    assert elements(bytes.fromhex(data)) == expected


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("30", "no length"),
        ("3001", "cut off"),
        ("3080" + "0000", "indefinite"),
        ("30817f" + "00" * 127, "shortest form"),
        ("30820080" + "00" * 128, "shortest form"),
        ("3084ffffffff", "too large"),
        ("3082", "cut off"),
        ("1f8100", "more than one octet"),
        ("3083ffffff00", "cut off"),
    ],
)
def test_what_is_not_der(data: str, why: str) -> None:
    with pytest.raises(DerError, match=why):
        elements(bytes.fromhex(data))


def test_a_value_of_another_tag_is_refused() -> None:
    assert content(Element(INTEGER, b"\1"), INTEGER) == b"\1"
    with pytest.raises(DerError, match="0x02 instead of 0x30"):
        content(Element(INTEGER, b"\1"), SEQUENCE)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(DerError):
        values = elements(data)
        assert sum(len(value.content) + 2 for value in values) <= len(data)
