# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The phrases that messages share."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._text import (
    and_more,
    count_of,
    first_names,
)


def test_the_first_names_are_listed_with_the_number_of_the_others() -> None:
    assert first_names([], 2) == ""
    assert first_names(["a", "b"], 2) == "a, b"
    assert first_names(["a", "b", "c", "d", "e"], 2) == "a, b and 3 more"


def test_names_keep_to_a_width_but_the_first_is_shown() -> None:
    assert first_names(["node-1", "node-2", "node-3"], 4, width=12) == "node-1, node-2 and 1 more"
    assert first_names(["a-long-name", "b"], 4, width=5) == "a-long-name and 1 more"


def test_what_follows_the_named_one_is_counted() -> None:
    assert [and_more(count) for count in (-1, 0, 1, 3)] == ["", "", " (and 1 more)", " (and 3 more)"]


def test_a_count_has_its_noun() -> None:
    assert [count_of(number, "node") for number in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
