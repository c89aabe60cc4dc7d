# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a version that a Node reports is the declared one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.reported_versions import is_version


@pytest.mark.parametrize(
    ("declared", "reported", "expected"),
    [
        ("", "1.34.9", True),
        ("1.34.9", "1.34.9", True),
        ("1.34", "1.34.9", True),
        ("1.34.9", "v1.34.9", True),
        ("v1.34.9", "1.34.9-1", True),
        ("1.34.9", "1.34.9-gke.100", True),
        ("1.7.24", "1.7.24~ds1-6", True),
        ("1.7", "1.7.24~ds1-6", True),
        ("1.7.24", "1.7.24+k0s", True),
        ("1.7.24~ds1-5", "1.7.24~ds1-6", False),
        ("1.7.24", "1.7.240", False),
        ("1.3", "1.34.9", False),
        ("1.34.9", "1.34.8", False),
        ("1.7.24", "1.7", False),
        ("1.7", "", False),
    ],
)
def test_a_declared_version_is_a_prefix_at_a_boundary(declared: str, reported: str, expected: bool) -> None:
    assert is_version(declared, reported) is expected


@pytest.mark.parametrize(
    ("installed", "expected"),
    [("1.7.24~ds1-6", True), ("1.7.24~ds1-6+b1", True), ("1.7.24~ds1-7", False), ("1.7.24~ds1", False), ("", False)],
)
def test_what_a_run_has_installed_decides_where_a_node_says_less(installed: str, expected: bool) -> None:
    assert is_version("1.7.24~ds1-6", "1.7.24~ds1", installed) is expected


@pytest.mark.parametrize("reported", ["", "1.7.23~ds1", "1.7.25"])
def test_what_a_run_has_installed_counts_only_for_what_the_node_reports(reported: str) -> None:
    assert not is_version("1.7.24~ds1-6", reported, "1.7.24~ds1-6"), "it was changed since"


_VERSION = st.lists(st.integers(0, 40).map(str), min_size=1, max_size=4).map(".".join)


@given(_VERSION, _VERSION)
def test_a_version_without_history_fits_only_its_own_beginning(declared: str, reported: str) -> None:
    parts, others = declared.split("."), reported.split(".")
    assert is_version(declared, reported) == (others[: len(parts)] == parts)
