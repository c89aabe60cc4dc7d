# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The name that was probably meant by one that is not known."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._suggestion import did_you_mean


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [
        ("ServiceAcount", ": did you mean ServiceAccount?"),
        ("SERVICEACCOUNT", ": did you mean ServiceAccount?"),
        ("priority", ": did you mean Priority?"),
        ("xyz", ""),
        ("", ""),
        ("ServiceAccount" * 100, ""),
    ],
)
def test_a_similar_name_is_suggested(word: str, suggestion: str) -> None:
    assert did_you_mean(word, ["Priority", "ServiceAccount"]) == suggestion


def test_names_must_be_as_similar_as_the_caller_says() -> None:
    assert did_you_mean("ServiceAc", ["ServiceAccount"], alike=0.9) == ""
