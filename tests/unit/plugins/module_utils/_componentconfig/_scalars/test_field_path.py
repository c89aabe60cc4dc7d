# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field paths: written, read, followed."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import (
    Path,
    format_path,
    parse_path,
    value_at,
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a", "b"), "a.b"),
        (("a", 0, "b"), "a[0].b"),
        (("evictionHard", "memory.available"), "evictionHard[memory.available]"),
        (("users", 1, "user", "as-uid"), "users[1].user.as-uid"),
    ],
)
def test_a_path_is_written_and_parsed(path: Path, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["a..b", "a[", "[]", "a b"])
def test_text_that_is_not_a_field_path_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a field path"):
        parse_path(text)


@pytest.mark.parametrize(
    ("path", "value"),
    [(("a", 0, "b"), 1), (("a", 1), None), (("a", "b"), None), (("a", 0, "b", "c"), None), (("x", "y"), None)],
)
def test_a_value_is_looked_up_by_its_path(path: Path, value: Any) -> None:
    assert value_at({"a": [{"b": 1}]}, path) == value
