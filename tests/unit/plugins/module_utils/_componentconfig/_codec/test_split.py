# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file split into its documents, each with the numbers of its lines."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import split


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a: 1\n", ["a: 1\n"]),
        ("---\na: 1\n", ["\na: 1\n"]),
        ("# a\n---\na: 1\n---\n# b\n---\nb: 1", ["\n\na: 1", "\n\n\n\n\n\nb: 1"]),
        ("--- {a: 1}\n---\nb: 1", [" {a: 1}", "\n\nb: 1"]),
        ("a: |\n  ---\n", ["a: |\n  ---\n"]),
        ('{"a": "---"}', ['{"a": "---"}']),
    ],
)
def test_a_text_is_split_into_its_documents(text: str, parts: list[str]) -> None:
    assert split(text) == parts
