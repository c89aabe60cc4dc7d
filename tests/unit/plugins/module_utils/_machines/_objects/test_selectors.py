# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines are selected as kubectl selects objects."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines import MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._objects.selectors import (
    parse_selector,
    select,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    Machine,
    ProviderConfig,
)

LABELS = {"pool": "workers", "zone": "a", "example.com/disk": "", "new": "true"}
MATCHING = [
    "",
    " ",
    "pool",
    "pool=workers",
    "pool==workers, zone=a",
    "pool != db",
    "rack!=1",
    "zone in (a, b)",
    "zone notin (b,c)",
    "rack notin (b)",
    "!old",
    "! old,pool",
    "example.com/disk=",
    "example.com/disk in (,ssd)",
    "example.com/disk",
]
OTHERS = ["pool=db", "zone!=a", "zone in (b,c)", "zone notin (a)", "!pool", "old", "rack=", "rack in ()", "pool,zone=b"]
INVALID = [
    "=a",
    "pool=a b",
    "pool in a",
    "pool in (a",
    "pool,",
    "pool=-",
    "a b",
    "pool>1",
    "é",
    "(",
    "a/b/c",
    "pool ~ a",
    ",",
]


@pytest.mark.parametrize("text", MATCHING)
def test_a_selector_matches_labels(text: str) -> None:
    assert parse_selector(text).matches(LABELS)


@pytest.mark.parametrize("text", OTHERS)
def test_a_selector_does_not_match_other_labels(text: str) -> None:
    assert not parse_selector(text).matches(LABELS)


@pytest.mark.parametrize("text", INVALID)
def test_other_texts_are_refused_with_a_message(text: str) -> None:
    with pytest.raises(MachinesError, match=r"the label selector .* cannot be read: .*; write for example"):
        parse_selector(text)


def test_select() -> None:
    machines = [Machine(name, "east", ProviderConfig("x", "y"), labels={"name": name}) for name in ("a", "b", "c")]
    assert [item.name for item in select(machines, "name in (c,a)")] == ["a", "c"]
    assert select(machines, "") == machines


_KEY = st.from_regex(r"\A(?:[a-z]{1,5}\.example/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,5}[A-Za-z0-9])?\Z")
_VALUE = st.from_regex(r"\A[A-Za-z0-9]([A-Za-z0-9._-]{0,5}[A-Za-z0-9])?\Z") | st.just("")


@given(st.dictionaries(_KEY, _VALUE, min_size=1, max_size=4), st.text(" ", max_size=2))
def test_labels_are_matched_by_themselves_as_a_selector(labels: dict[str, str], space: str) -> None:
    text = f"{space},{space}".join(f"{key}{space}={space}{value}" for key, value in labels.items())
    assert parse_selector(text).matches(labels)
    key = next(iter(labels))
    assert not parse_selector(text).matches({**labels, key: labels[key] + "x"})
    assert parse_selector(f"{key} notin ({labels[key]}x),{key}").matches(labels)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(MachinesError):
        assert parse_selector(text).matches({}) in (True, False)
