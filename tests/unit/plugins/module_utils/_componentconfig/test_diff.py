# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences field by field."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._diff import Change, diff


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({}, {}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": None}, {}, []),
        ({"a": 1}, {"a": True}, [Change("a", 1, True)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, [Change("a.b", 1, 3)]),
        ({"a": [1, 2]}, {"a": [2, 1]}, [Change("a", [1, 2], [2, 1])]),
        ({}, {"a": {"b": {"c": 1}}}, [Change("a.b.c", None, 1)]),
        ({"a": {"b.c": 1}}, {}, [Change("a[b.c]", 1, None)]),
        ({"a": {"b": 1}}, {"a": "x"}, [Change("a", {"b": 1}, "x")]),
        ({}, {"a": {}}, [Change("a", None, {})]),
        ({"b": 1, "a": 1}, {}, [Change("a", 1, None), Change("b", 1, None)]),
    ],
)
def test_diff(old: Any, new: Any, changes: list[Change]) -> None:
    assert diff(old, new) == changes
